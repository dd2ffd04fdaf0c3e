//! Imports and the form of parts in the window: BuildCores OpenDB, parts lists, tables of one's own.
#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail by panicking and write files as they are")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use std::path::Path;

use eframe::egui::{self, Key, Role, vec2};
use egui_kittest::kittest::Queryable as _;
use rigbay::catalog::part::{PartId, PartKind};
use window::{TOWER, Window, empty_rig, enter_path, menu, pieces, place, press, start_page};

fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn type_into(harness: &mut Window, label: &str, text: &str) {
    harness.get_by_role_and_label(Role::TextInput, label).focus();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, label).type_text(text);
    harness.run();
}

#[test]
fn a_copy_of_opendb_becomes_parts_and_the_document_stays() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("open-db");
    put(&data, "PSU/a.json", r#"{"metadata": {"name": "Example Works P850"}, "wattage": 850, "length": 86, "form_factor": "ATX"}"#);
    put(&data, "PSU/b.json", "broken");
    put(&data, "Mouse/c.json", "{}");
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    harness.state_mut().catalog_folder = Some(folder.path().join("own"));
    let before = harness.state().session.catalog().len();
    menu(&mut harness, "File", "Import BuildCores OpenDB…");
    harness.get_by_label_contains("made available under the ODC Attribution License");
    type_into(&mut harness, "Path of the folder, or of a zip archive of it", "/nowhere/at-all");
    harness.key_press(Key::Enter);
    harness.run();
    harness.get_by_label_contains("/nowhere/at-all: cannot be read");
    harness.get_by_role_and_label(Role::TextInput, "Path of the folder, or of a zip archive of it").focus();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    harness.run();
    type_into(&mut harness, "Path of the folder, or of a zip archive of it", data.to_str().unwrap());
    harness.key_press(Key::Enter);
    harness.run();
    harness.get_by_label("2 records: 0 taken as they stand, 1 with corrections, 1 left out.");
    harness.get_by_label_contains("PSU/b.json: is no readable JSON");
    press(&mut harness, "Close");
    assert_eq!(harness.state().session.catalog().len(), before + 1);
    assert_eq!(pieces(&harness), TOWER.len(), "the rig is still there");
    assert!(harness.state().session.catalog().part(&PartId::new("psu.opendb.a")).is_some());
}

const LIST: &str = "CPU: AMD Ryzen 9 7950X 4.5 GHz 16-Core Processor ($500.00 @ Shop)\n\
    Video Card: Example Whirl GeForce RTX 3090 24 GB Video Card\nMonitor: Example View 27 inch\n";

#[test]
fn a_rig_starts_from_a_pasted_list() {
    let mut harness = start_page(vec2(1280.0, 800.0));
    press(&mut harness, "Start from a parts list…");
    harness.get_by_label("Parts list").focus();
    harness.run();
    harness.event(egui::Event::Paste(LIST.to_owned()));
    harness.run();
    harness.get_by_label("1 of 2 parts found in the catalog, 1 placeholders.");
    harness.get_by_label("not known, placeholder");
    harness.get_by_label("no part of a rig");
    press(&mut harness, "Make the rig");
    assert_eq!(pieces(&harness), 2, "{:?}", harness.state().notices);
    assert!(!harness.state().session.history().is_saved(), "it is nowhere on disk");
    let catalog = harness.state().session.catalog().clone();
    assert!(catalog.parts().any(|p| p.id.as_str().starts_with("gpu.list.")));
}

#[test]
fn a_placed_part_is_changed_by_its_form() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    harness.state_mut().catalog_folder = Some(folder.path().to_owned());
    let psu = PartId::new("psu.corsair.ax1600i");
    let placed = harness.state().session.project().rig.placements().find(|(_, p)| p.part == psu).map(|(id, _)| id).unwrap();
    harness.state_mut().session.select(Some(rigbay::project::Subject::Placement(placed)));
    harness.run();
    menu(&mut harness, "Edit", "Change the selected part…");
    harness.get_by_label("Change a part");
    type_into(&mut harness, "Find a fact", "length");
    harness.get_by_role_and_label(Role::TextInput, "Length").focus();
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Length").type_text("9999");
    harness.run();
    harness.get_by_label_contains("out of range");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Length").type_text("201");
    harness.run();
    press(&mut harness, "Report missing facts");
    assert!(folder.path().join("missing/psu.corsair.ax1600i.txt").is_file());
    press(&mut harness, "Save part");
    assert!(harness.query_by_label("Change a part").is_none());
    let state = harness.state();
    let part = state.session.catalog().part(&psu).unwrap();
    assert!(matches!(&part.kind, PartKind::Psu(p) if p.length_mm == Some(201.0)), "{:?}", state.notices);
    assert_eq!(pieces(&harness), TOWER.len());
}

#[test]
fn a_new_part_needs_a_name_and_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = empty_rig();
    harness.state_mut().catalog_folder = Some(folder.path().to_owned());
    menu(&mut harness, "Edit", "New part…");
    type_into(&mut harness, "Name", "Example Works G1");
    type_into(&mut harness, "Find a fact", "tdp");
    type_into(&mut harness, "TDP", "250");
    harness.get_by_label("Say where you read these facts.");
    type_into(&mut harness, "Read where", "Data sheet of the G1");
    press(&mut harness, "Save part");
    let part = harness.state().session.catalog().part(&PartId::new("gpu.own.example-works-g1")).cloned().unwrap();
    assert!(matches!(&part.kind, PartKind::Gpu(g) if g.tdp_w == Some(250.0)));
}

#[test]
fn a_table_is_saved_to_fill_in_and_imported() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = empty_rig();
    harness.state_mut().catalog_folder = Some(folder.path().join("own"));
    menu(&mut harness, "Edit", "Save a table for own parts…");
    let path = folder.path().join("gpus.csv");
    enter_path(&mut harness, &path);
    let template = std::fs::read_to_string(&path).unwrap();
    assert!(template.starts_with("kind,id,name,maker"), "{template}");
    std::fs::write(&path, "kind,name,memory_gb\ngpu,Example Works G2,24\ngpu,Example Works G3,lots\n").unwrap();
    menu(&mut harness, "File", "Import parts from CSV…");
    enter_path(&mut harness, &path);
    assert!(harness.state().session.catalog().part(&PartId::new("gpu.own.example-works-g2")).is_some());
    assert!(format!("{:?}", harness.state().notices).contains("no number"));
}
