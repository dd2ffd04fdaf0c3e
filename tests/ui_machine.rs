//! The real machine in the window: rigs made of its dumps, and the open rig beside it.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use std::sync::Arc;

use eframe::egui::{self, Key, Role, vec2};
use egui_kittest::kittest::Queryable as _;
use window::{TOWER, Window, cards_of, empty_rig, menu, pieces, place, start_page};

const MACHINE: &str = include_str!("data/observed/epyc-four-3090.txt");

const FIRMWARE: &str = include_str!("data/observed/epyc-dmi.txt");

/// Pastes into the field that has the keyboard.
fn paste(harness: &mut Window, text: &str) {
    harness.get_by_label("Paste the output here").focus();
    harness.run();
    harness.event(egui::Event::Paste(text.to_owned()));
    harness.run();
}

#[test]
fn a_rig_starts_from_pasted_dumps_of_a_machine() {
    let mut harness = start_page(vec2(1280.0, 800.0));
    harness.get_by_role_and_label(Role::Button, "Start from my machine…").click();
    harness.run();
    assert!(harness.query_by_label("What was recognised").is_none(), "nothing is there yet");
    paste(&mut harness, FIRMWARE);
    paste(&mut harness, MACHINE);
    harness.get_by_label("What was recognised");
    harness.get_by_label("ASRock Rack ROMED8-2T");
    harness.get_by_label("goes to PCIE7");
    harness.get_by_label("Remove pasted text 2").click();
    harness.run();
    assert!(harness.query_by_label("goes to PCIE7").is_none(), "without the dump its cards are gone");
    paste(&mut harness, MACHINE);
    harness.get_by_role_and_label(Role::Button, "Make the rig").click();
    harness.run();
    assert_eq!((pieces(&harness), cards_of(&harness)), (8, 4), "{:?}", harness.state().notices);
    assert!(!harness.state().session.history().is_saved(), "it is nowhere on disk");
}

/// Types a path into the dialog about the real machine and reads it by Enter.
fn read_path(harness: &mut Window, path: &str) {
    let field = harness.get_by_role_and_label(Role::TextInput, "Path of a file");
    field.focus();
    field.type_text(path);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
}

#[test]
fn the_open_rig_is_compared_with_dumps_by_path() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    menu(&mut harness, "Rig", "Compare with the real machine…");
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("notes.txt");
    rigbay::files::write_atomic(&wrong, b"nothing of use").unwrap();
    read_path(&mut harness, "/nowhere/lspci.txt");
    harness.get_by_label_contains("/nowhere/lspci.txt: cannot be read");
    read_path(&mut harness, wrong.to_str().unwrap());
    harness.get_by_label_contains("notes.txt, line 1: \"nothing of use\" begins none");
    harness.get_by_label("Remove notes.txt").click();
    harness.run();
    read_path(&mut harness, &format!("{}/tests/data/observed/epyc-four-3090.txt", env!("CARGO_MANIFEST_DIR")));
    harness.get_by_label("The link runs as expected.");
    harness.get_by_label("as expected");
    harness.get_by_label("Not in the rig");
    harness.get_by_role_and_label(Role::Button, "Close").click();
    harness.run();
    assert!(harness.query_by_label("Not in the rig").is_none());
}

/// A file as the window's system hands it over.
#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }
    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("the window reads it by its path".to_owned())
    }
}

#[test]
fn a_dump_dropped_on_the_start_page_opens_its_dialog() {
    let mut harness = start_page(vec2(1280.0, 800.0));
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/observed/smi-q-text.txt");
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    harness.run();
    harness.get_by_label("What was recognised");
    harness.get_by_label_contains("GeForce RTX 4090 at 06:00.0");
}
