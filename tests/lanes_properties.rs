//! What holds for every board of the catalog, whatever is plugged in.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::OnceLock;

use proptest::prelude::*;
use rigbay::analysis::lanes::{Lanes, Link, NodeKind, lanes};
use rigbay::build::slots::slots;
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::{Board, Part, PartKind};
use rigbay::catalog::vocab::ConnectorKind;
use rigbay::project::Project;
use rigbay::project::edit::Edit;

struct Shop {
    catalog: Catalog,
    boards: Vec<Part>,
    devices: Vec<Part>,
}

fn shop() -> &'static Shop {
    static SHOP: OnceLock<Shop> = OnceLock::new();
    SHOP.get_or_init(|| {
        let (catalog, _) = load(&embedded_files(""));
        let of = |keys: &[&str]| catalog.parts().filter(|p| keys.contains(&p.kind.key())).cloned().collect::<Vec<Part>>();
        let (boards, devices) = (of(&["board"]), of(&["gpu", "nic", "drive", "riser", "carrier"]));
        Shop { catalog, boards, devices }
    })
}

fn board_of(project: &Project) -> (PlacementId, &'static Board) {
    let id = project.rig.placements().next().unwrap().0;
    match &shop().catalog.part(&project.rig.placement(id).unwrap().part).unwrap().kind {
        PartKind::Board(board) => (id, board),
        _ => unreachable!(),
    }
}

/// A board, a processor that fits or none, and an option of each choice.
fn start(board: usize, cpus: (usize, usize), options: usize) -> Project {
    let shop = shop();
    let board = &shop.boards[board % shop.boards.len()];
    let mut project = Edit::place(&board.id, Some(SlotId::rig("board"))).apply(&shop.catalog, &Project::default()).unwrap();
    let (id, facts) = board_of(&project);
    let fitting: Vec<&Part> =
        shop.catalog.parts().filter(|p| matches!(&p.kind, PartKind::Cpu(c) if c.socket.is_some() && c.socket == facts.socket)).collect();
    for (name, pick) in [("cpu1", cpus.0), ("cpu2", cpus.1)] {
        // One more than there are: none.
        if let Some(cpu) = fitting.get(pick % (fitting.len() + 1)) {
            project = Edit::place(&cpu.id, Some(SlotId::of(id, name))).apply(&shop.catalog, &project).unwrap_or(project);
        }
    }
    for choice in &facts.choices {
        if let Some(option) = choice.options.get(options % (choice.options.len() + 1)) {
            let edit = Edit::Set { what: id, key: format!("bios.{}", choice.key), value: Some(option.value.clone()) };
            project = edit.apply(&shop.catalog, &project).unwrap();
        }
    }
    project
}

/// Puts a device into some free connector: the first from a place of the list on that goes there.
fn plug(project: &Project, (device, place): (usize, usize)) -> Option<Project> {
    let shop = shop();
    let free: Vec<SlotId> = slots(&shop.catalog, &project.rig)
        .into_iter()
        .filter(|s| s.connector().is_some() && s.occupants.is_empty())
        .map(|s| s.id)
        .collect();
    let at = free.get(place % free.len().max(1))?;
    let devices = shop.devices.iter().cycle().skip(device % shop.devices.len()).step_by(37).take(40);
    devices.into_iter().find_map(|d| Edit::place(&d.id, Some(at.clone())).apply(&shop.catalog, project).ok())
}

fn look(project: &Project) -> Lanes {
    lanes(&shop().catalog, project)
}

/// Whether some row of the board's table, a choice or its tie to a processor may change this connector.
fn may_change(board: &Board, link: &Link) -> bool {
    let label = &*link.slot.name;
    board.rules.iter().any(|r| r.set.contains_key(label) || r.set.contains_key("*"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_are_never_invented(
        board in 0_usize..10_000,
        cpus in (0_usize..10_000, 0_usize..10_000),
        options in 0_usize..8,
        plugs in prop::collection::vec((0_usize..100_000, 0_usize..64), 0..14),
    ) {
        let mut project = start(board, cpus, options);
        let (id, facts) = board_of(&project);
        let mut before = look(&project);
        for plug_in in plugs {
            let Some(next) = plug(&project, plug_in) else { continue };
            let after = look(&next);

            // Links of a processor never take more lanes than it has.
            for (node, budget) in after.nodes.iter().zip(&after.budgets).filter(|(n, _)| n.kind == NodeKind::Cpu) {
                let direct = after.links.iter().filter(|l| l.hangs_on.as_ref() == Some(&node.id) && l.slot.host_part() == Some(id));
                let lanes: u16 = direct
                    .filter(|l| l.device.is_some() && l.kind != ConnectorKind::Sata)
                    .map(|l| u16::from(l.trained.lanes.unwrap_or(0)))
                    .sum();
                if let Some(have) = budget.lanes {
                    prop_assert!(lanes <= have, "{}: {} of {} lanes", node.label, lanes, have);
                }
            }

            // A further device widens no other link, unless a row of the board's table says so.
            for old in before.links.iter().filter(|l| l.device.is_some()) {
                let Some(new) = after.link(&old.slot) else { continue };
                if let (Some(was), Some(is)) = (old.trained.lanes, new.trained.lanes) {
                    let empty_riser = old.slot.host_part() == Some(id) && next.rig.placements().any(|(_, p)| p.slot.as_ref().and_then(SlotId::host_part) == old.device);
                    prop_assert!(is <= was || empty_riser || may_change(facts, new), "{}: x{was}, then x{is}", new.connector);
                }
            }

            // Unknown is not off: without a row of the table, or a processor that is missing, only what is wired with 0 is off.
            for link in after.links.iter().filter(|l| l.slot.host_part() == Some(id)) {
                let wired = facts.connectors.iter().find(|c| c.label == *link.slot.name).unwrap();
                if wired.lanes.is_none() && !may_change(facts, link) && wired.from.as_deref() != Some("cpu2") {
                    prop_assert!(link.trained.lanes.is_none(), "{}: {:?}", link.connector, link.trained);
                }
                if let (Some(able), Some(0)) = (link.able, link.trained.lanes) {
                    prop_assert!(link.expected.is_off() || able.lanes == Some(0), "{}: {}", link.connector, link.reason);
                }
                prop_assert!(link.reason.ends_with('.'), "{}", link.reason);
            }

            // Rates are unknown or no less than nothing, and together no card gets more than alone.
            for host in &after.hosts {
                if let (Some(alone), Some(together)) = (host.alone_gb_s, host.together_gb_s) {
                    prop_assert!(together <= alone + 1e-9 && alone.is_finite() && together >= 0.0, "{host:?}");
                }
            }
            project = next;
            before = after;
        }
    }
}
