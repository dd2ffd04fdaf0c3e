//! Lanes of real boards: recorded problems with the widths that a manual, a review or an owner gives.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use rigbay::analysis::lanes::{Lanes, lanes};
use rigbay::build::SlotId;
use rigbay::build::slots::slots;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::PartId;
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Recorded {
    id: String,
    title: String,
    source: String,
    board: String,
    cpu: String,
    #[serde(default)]
    cpu2: Option<String>,
    put: BTreeMap<String, String>,
    bios: BTreeMap<String, String>,
    expected: BTreeMap<String, (u8, Option<u8>)>,
}

fn catalog() -> Catalog {
    let (catalog, faults) = load(&embedded_files(""));
    assert_eq!(faults, []);
    catalog
}

/// Exact id, else what the name means.
fn part(catalog: &Catalog, text: &str, kind: Option<&str>) -> PartId {
    catalog.find(text, kind).unwrap_or_else(|e| panic!("{text}: {e:?}")).id.clone()
}

fn put(catalog: &Catalog, project: &mut Project, part: &PartId, slot: SlotId) {
    *project = Edit::place(part, Some(slot)).apply(catalog, project).unwrap_or_else(|e| panic!("{part}: {e}"));
}

fn rig(catalog: &Catalog, case: &Recorded) -> Project {
    let mut project = Project::default();
    put(catalog, &mut project, &part(catalog, &case.board, Some("board")), SlotId::rig("board"));
    let board = project.rig.placements().next().unwrap().0;
    put(catalog, &mut project, &part(catalog, &case.cpu, Some("cpu")), SlotId::of(board, "cpu1"));
    if let Some(cpu2) = &case.cpu2 {
        put(catalog, &mut project, &part(catalog, cpu2, Some("cpu")), SlotId::of(board, "cpu2"));
    }
    for (connector, device) in &case.put {
        let on_part = connector.rsplit_once('/').and_then(|(host, inner)| {
            let host = project.rig.occupants(&SlotId::of(board, host)).next()?;
            Some(SlotId::of(host, inner))
        });
        let slot = on_part.unwrap_or_else(|| SlotId::of(board, connector));
        assert!(slots(catalog, &project.rig).iter().any(|s| s.id == slot), "{}: no connector {connector}", case.id);
        put(catalog, &mut project, &part(catalog, device, None), slot);
    }
    for (key, value) in &case.bios {
        let edit = Edit::Set { what: board, key: format!("bios.{key}"), value: Some(value.clone()) };
        project = edit.apply(catalog, &project).unwrap();
    }
    project
}

fn cases() -> Vec<Recorded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/lane_cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text(lanes: &Lanes) -> String {
    lanes.links.iter().map(|l| format!("  {} {} {}\n", l.connector, l.trained.text(), l.reason)).collect()
}

#[test]
fn recorded_widths_are_met_exactly() {
    let catalog = catalog();
    let mut wrong = Vec::new();
    for case in cases() {
        let rig = std::panic::catch_unwind(|| rig(&catalog, &case));
        let Ok(rig) = rig else {
            wrong.push(format!("{} cannot be built", case.id));
            continue;
        };
        let lanes = lanes(&catalog, &rig);
        for (connector, (width, generation)) in &case.expected {
            let link = lanes.at(connector).unwrap_or_else(|| panic!("{}: no connector {connector}", case.id));
            let got = (link.trained.lanes, link.trained.r#gen);
            if got != (Some(*width), *generation) {
                let (title, source) = (&case.title, &case.source);
                wrong.push(format!(
                    "{} {title} ({source}): {connector} is {got:?}, recorded {width} {generation:?}\n{}",
                    case.id,
                    text(&lanes)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
