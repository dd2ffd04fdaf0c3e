//! Nothing is lost: files changed by others are not overwritten unseen.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use eframe::egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable as _;
use rigbay::files::{LIMIT, read_text, write_atomic};
use rigbay::project::edit::Edit;
use window::{Window, empty_rig, enter_path, menu, press};

fn save(harness: &mut Window) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run();
}

fn rename(harness: &mut Window, name: &str) {
    let edit = Edit::Name(name.to_owned());
    harness.state_mut().session.apply(&edit, false).unwrap();
    harness.run();
}

#[test]
fn a_file_that_somebody_else_changed_is_not_overwritten_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("rig.toml"), folder.path().join("mine.toml"));
    let mut harness = empty_rig();
    rename(&mut harness, "Mine");
    save(&mut harness);
    enter_path(&mut harness, &path);
    rename(&mut harness, "Mine, changed");
    save(&mut harness);
    let mine = read_text(&path, LIMIT).unwrap();
    assert!(mine.contains("Mine, changed"), "what this window wrote itself is no reason to ask");

    let theirs = mine.replace("Mine, changed", "Theirs");
    write_atomic(&path, theirs.as_bytes()).unwrap();
    rename(&mut harness, "Mine again");
    save(&mut harness);
    harness.get_by_label("Overwrite rig.toml?");
    assert_eq!(read_text(&path, LIMIT).unwrap(), theirs);
    press(&mut harness, "Cancel");
    assert!(!harness.state().session.history().is_saved());

    save(&mut harness);
    press(&mut harness, "Save as…");
    enter_path(&mut harness, &other);
    assert!(read_text(&other, LIMIT).unwrap().contains("Mine again"));
    assert_eq!(read_text(&path, LIMIT).unwrap(), theirs);

    write_atomic(&other, theirs.as_bytes()).unwrap();
    rename(&mut harness, "Mine at last");
    save(&mut harness);
    press(&mut harness, "Overwrite");
    assert!(read_text(&other, LIMIT).unwrap().contains("Mine at last"));
    assert!(harness.state().session.history().is_saved());
}

#[test]
fn a_save_that_fails_keeps_the_document() {
    let mut harness = empty_rig();
    rename(&mut harness, "Kept");
    save(&mut harness);
    enter_path(&mut harness, std::path::Path::new("/proc/no-such-folder/rig.toml"));
    assert!(!harness.state().session.history().is_saved());
    assert_eq!(harness.state().session.project().name, "Kept");
    assert!(format!("{:?}", harness.state().notices).contains("cannot be written"));
    menu(&mut harness, "File", "Save as…");
    assert!(harness.query_by_role_and_label(Role::TextInput, "Path of the file").is_some());
}
