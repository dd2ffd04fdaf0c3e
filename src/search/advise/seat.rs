//! A choice of parts becomes a build: what stays stays where it is, everything new goes to its usual place.

use std::sync::Arc;

use super::bound::Config;
use super::judge::{CARD, CARDS};
use super::pool::{Item, Pool, Role};
use crate::build::fit::{Fit, fit};
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{Build, Placement, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Connector, Part, PartId, PartKind};
use crate::catalog::vocab::ConnectorKind;
use crate::project::Project;

/// A choice for every role, as far as it was made.
pub(super) type Chosen<'a> = [Option<Item<'a>>; 7];

/// Slots that cards go to, from the top: those wired for four lanes or more, each in the first that the card above does not hide; where
/// they do not suffice, all slots. Fewer than `count` labels: the board does not take so many.
pub(super) fn card_slots(board: &Board, card: &Part, count: usize, taken: &[Arc<str>]) -> Vec<Arc<str>> {
    let PartKind::Gpu(gpu) = &card.kind else { return Vec::new() };
    let takes = |c: &&Connector| {
        let long = gpu.pcie_lanes.zip(c.size).is_some_and(|(own, size)| own > size) && c.open != Some(true);
        c.kind == ConnectorKind::Pcie && !long && c.lanes != Some(0)
    };
    let mut all: Vec<&Connector> = board.connectors.iter().filter(takes).collect();
    all.sort_by_key(|c| (c.opening.is_none(), c.opening, c.order));
    let thick = gpu.slots.unwrap_or(2.0).ceil().clamp(1.0, 8.0) as u8;
    let used: Vec<Option<u8>> = board.connectors.iter().filter(|c| taken.iter().any(|t| **t == *c.label)).map(|c| c.opening).collect();
    let pick = |wired: u8| {
        let mut out: Vec<Arc<str>> = Vec::new();
        let mut next = 0_u8;
        for c in all.iter().filter(|c| c.lanes.is_none_or(|l| l >= wired)) {
            let free = !taken.iter().any(|t| **t == *c.label);
            let clear = c.opening.is_none_or(|at| {
                let last = at.saturating_add(thick - 1);
                at >= next && !used.iter().flatten().any(|u| (at..=last).contains(u))
            });
            if out.len() < count && free && clear {
                out.push(c.label.as_str().into());
                next = c.opening.map_or(next, |at| at.saturating_add(thick));
            }
        }
        out
    };
    let wide = pick(4);
    if wide.len() >= count { wide } else { pick(0) }
}

/// Puts pieces into a build.
struct Maker<'a> {
    catalog: &'a Catalog,
    build: Build,
}

impl Maker<'_> {
    fn put(&mut self, part: &PartId, slot: SlotId) -> PlacementId {
        let id = PlacementId(self.build.next);
        self.build.placements.insert(id, Placement { part: part.clone(), slot: Some(slot), settings: std::collections::BTreeMap::new() });
        self.build.next = self.build.next.saturating_add(1);
        id
    }

    fn first(&self, role_of: impl Fn(&PartKind) -> bool) -> Option<PlacementId> {
        self.build.placed(self.catalog).find(|(_, _, p)| role_of(&p.kind)).map(|(id, ..)| id)
    }

    /// Whether the place takes the part.
    fn takes(&self, places: &[Slot], slot: &SlotId, part: &Part) -> bool {
        places.iter().find(|s| s.id == *slot).is_some_and(|s| fit(self.catalog, &self.build, part, s, None).possible())
    }
}

/// The build of those roles of a choice that `mask` names, and of the cards if it names them; the role that finds no place otherwise.
pub(super) fn assemble(
    catalog: &Catalog,
    project: &Project,
    pool: &Pool<'_>,
    config: &Config<'_>,
    chosen: &Chosen<'_>,
    mask: u16,
) -> Result<Build, Role> {
    let mut maker = Maker { catalog, build: project.rig.clone() };
    let of = |role: Role| chosen.get(role as usize).copied().flatten().filter(|i| i.count > 0 && mask & role.bit() != 0);
    if let Some(case) = of(Role::Case) {
        let id = maker.put(&case.part.id, SlotId::rig("case"));
        for (place, fan) in pool.fans.get(&case.part.id).into_iter().flatten() {
            maker.put(&fan.id, SlotId::of(id, place));
        }
    }
    if let Some(board) = of(Role::Board) {
        maker.put(&board.part.id, SlotId::rig("board"));
    }
    if let Some(psu) = of(Role::Psu) {
        maker.put(&psu.part.id, SlotId::rig("psu1"));
    }
    let host = maker.first(|k| matches!(k, PartKind::Board(_))).ok_or(Role::Board)?;
    for (role, name) in [(Role::Cpu, "cpu1"), (Role::Cooler, "cooler1")] {
        if let Some(item) = of(role) {
            maker.put(&item.part.id, SlotId::of(host, name));
        }
    }
    if let Some(ram) = of(Role::Ram) {
        let slot = SlotId::of(host, "dimm");
        for _ in 0..ram.count {
            if !maker.takes(&slots(catalog, &maker.build), &slot, ram.part) {
                return Err(Role::Ram);
            }
            maker.put(&ram.part.id, slot.clone());
        }
    }
    if let Some(drive) = of(Role::Drive) {
        let slot = drive_slot(&maker, &slots(catalog, &maker.build), drive.part).ok_or(Role::Drive)?;
        maker.put(&drive.part.id, slot);
    }
    if mask & (CARD | CARDS) != 0 {
        let new_board = chosen.first().copied().flatten().is_some_and(|b| b.count > 0);
        seat_cards(&mut maker, pool, config, new_board, host)?;
    }
    Ok(maker.build)
}

/// The first free M.2 socket, cable connector or bay that takes the drive.
fn drive_slot(maker: &Maker<'_>, places: &[Slot], drive: &Part) -> Option<SlotId> {
    let rank = |s: &Slot| match (&s.kind, s.connector().map(|c| c.kind)) {
        (_, Some(ConnectorKind::M2)) => Some(0),
        (_, Some(ConnectorKind::U2 | ConnectorKind::SlimSas | ConnectorKind::Mcio | ConnectorKind::Oculink)) => Some(1),
        (SlotKind::Bay { .. }, _) => Some(2),
        (_, Some(ConnectorKind::Sata)) => Some(3),
        _ => None,
    };
    let takes = |s: &&Slot| s.occupants.is_empty() && fit(maker.catalog, &maker.build, drive, s, None) == Fit::Fits;
    let found = places.iter().filter(|s| rank(s).is_some()).filter(takes).min_by_key(|s| rank(s));
    found.map(|s| s.id.clone())
}

fn seat_cards(maker: &mut Maker<'_>, pool: &Pool<'_>, config: &Config<'_>, new_board: bool, host: PlacementId) -> Result<(), Role> {
    let part = maker.build.placement(host).and_then(|p| maker.catalog.part(&p.part));
    let facts = part.and_then(super::pool::board).ok_or(Role::Board)?;
    let on_host: Vec<Arc<str>> = maker
        .build
        .placements()
        .filter_map(|(_, p)| p.slot.as_ref())
        .filter(|s| s.host_part() == Some(host))
        .map(|s| s.name.clone())
        .collect();
    let mut taken = on_host;
    // Cards of a rig whose board is new move to it.
    let homeless: Vec<(PlacementId, &Part)> = if new_board { pool.kept_cards.clone() } else { Vec::new() };
    for (id, part) in homeless {
        let labels = card_slots(facts, part, 1, &taken);
        let label = labels.first().ok_or(Role::Board)?;
        if let Some(piece) = maker.build.placements.get_mut(&id) {
            piece.slot = Some(SlotId::of(host, label));
        }
        taken.push(label.clone());
    }
    let Some(card) = config.card else { return Ok(()) };
    let labels = card_slots(facts, card, config.count, &taken);
    if labels.len() < config.count {
        return Err(Role::Board);
    }
    for label in labels {
        maker.put(&card.id, SlotId::of(host, &label));
    }
    Ok(())
}
