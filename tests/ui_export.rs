//! The export dialog, driven by accessible names: formats, columns, layouts of one's own, files that cannot be written, differences.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use eframe::egui::{self, Key, Modifiers, Role, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use rigbay::export::columns::Column;
use rigbay::project::edit::{Edit, VariantChange};
use rigbay::ui::action::Format;
use window::{Window, empty_rig_of, enter_path, place, press};

const PARTS: [&str; 5] = [
    "case.phanteks.enthoo-pro-2-server-edition",
    "board.asrock-rack.romed8-2t",
    "cpu.amd.epyc-7443p",
    "psu.corsair.ax1600i",
    "gpu.gigabyte.rtx-3090-turbo",
];

/// A rig with the dialog open on it.
fn dialog_of(size: egui::Vec2) -> Window {
    let mut harness = empty_rig_of(size);
    place(&mut harness, &PARTS);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::E);
    harness.run();
    harness
}

fn dialog() -> Window {
    dialog_of(vec2(1280.0, 800.0))
}

fn shows(harness: &Window, text: &str) -> bool {
    harness.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn every_format_has_a_preview_and_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = dialog();
    let seen = [
        (Format::Markdown, "| **GPU** |"),
        (Format::Text, "-----"),
        (Format::Bbcode, "[b]GPU:[/b]"),
        (Format::Csv, "position,kind,quantity"),
        (Format::Xlsx, "sums are formulas"),
        (Format::Html, "prints on A4 and Letter"),
        (Format::Json, "\"placements\""),
        (Format::Svg, "Picture of the rig"),
        (Format::Png, "Picture of the rig"),
    ];
    for (format, text) in seen {
        press(&mut harness, format.name());
        assert!(shows(&harness, text), "{format:?}");
        press(&mut harness, "Save as…");
        let path = folder.path().join(format!("out.{}", format.extension()));
        enter_path(&mut harness, &path);
        assert!(rigbay::files::exists(&path), "{format:?}: {:?}", harness.state().notices);
        harness.key_press_modifiers(Modifiers::COMMAND, Key::E);
        harness.run();
    }
    // What was exported as JSON opens again, as unsaved work.
    let project = harness.state().session.project().clone();
    harness.key_press(Key::Escape);
    harness.run();
    harness.state_mut().session.mark_saved(folder.path().join("kept.toml").as_path());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run();
    enter_path(&mut harness, &folder.path().join("out.json"));
    assert_eq!(*harness.state().session.project(), project);
    assert!(!harness.state().session.history().is_saved());
    assert_eq!(harness.state().session.path, None);
}

#[test]
fn what_is_copied_is_what_is_shown() {
    let mut harness = dialog();
    assert!(harness.get_by_role_and_label(Role::Button, "Copy to clipboard").is_focused());
    // One frame holds both the key and what it copies.
    harness.key_down(Key::Enter);
    harness.step();
    let copied = harness.output().platform_output.commands.iter().find_map(|c| match c {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    harness.key_up(Key::Enter);
    assert!(copied.unwrap().starts_with("# New rig\n\n| Kind | Part |"));
    harness.run();
    assert_eq!(harness.state().notices.texts().next(), Some("Copied the list as Markdown."));
    for format in ["XLSX", "PNG"] {
        press(&mut harness, format);
        assert!(harness.get_by_role_and_label(Role::Button, "Copy to clipboard").accesskit_node().is_disabled());
    }
}

#[test]
fn columns_are_chosen_and_ordered() {
    let mut harness = dialog();
    let columns = |h: &Window| h.state().prefs.export.layout.clone().unwrap().columns;
    harness.get_by_role_and_label(Role::CheckBox, "Notes").click_accesskit();
    harness.run();
    assert!(!columns(&harness).contains(&Column::Notes));
    harness.get_by_role_and_label(Role::CheckBox, "Warnings").click_accesskit();
    harness.run();
    assert_eq!(columns(&harness).last(), Some(&Column::Warnings));
    press(&mut harness, "Move Part up");
    assert_eq!(columns(&harness)[..2], [Column::Part, Column::Kind]);
    press(&mut harness, "Move Part down");
    assert_eq!(columns(&harness)[..2], [Column::Kind, Column::Part]);
    assert!(shows(&harness, "| Kind | Part |") && shows(&harness, "| Warnings |"));
    harness.get_by_role_and_label(Role::TextInput, "Rows with").focus();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Rows with").type_text("kind=gpu");
    harness.run();
    assert!(shows(&harness, "1 of 5 rows are shown and summed"));
    harness.get_by_role_and_label(Role::TextInput, "Rows with").type_text("; colour=red");
    harness.run();
    assert!(shows(&harness, "No column is named \"colour\""));
}

#[test]
fn a_layout_is_kept_found_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rigbay/export-presets.toml");
    let mut harness = dialog();
    harness.state_mut().presets_file = Some(file.clone());
    harness.get_by_role_and_label(Role::CheckBox, "Notes").click_accesskit();
    harness.run();
    press(&mut harness, "Keep as…");
    harness.get_by_role_and_label(Role::TextInput, "Name of the layout").type_text("without notes");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let kept = rigbay::export::presets::load(Some(&file)).unwrap();
    assert_eq!(kept.keys().collect::<Vec<_>>(), ["without notes"], "{:?}", harness.state().notices);
    assert!(!kept["without notes"].columns.contains(&Column::Notes));
    assert!(shows(&harness, "without notes"));
    press(&mut harness, "Forget");
    assert!(rigbay::export::presets::load(Some(&file)).unwrap().is_empty());
}

#[test]
fn a_file_that_cannot_be_written_says_why_and_asks_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = dialog();
    press(&mut harness, "Save as…");
    enter_path(&mut harness, &folder.path().join("no such folder/parts.md"));
    assert!(shows(&harness, "cannot be written"));
    let field = harness.get_by_role_and_label(Role::TextInput, "Path of the file");
    assert!(field.value().unwrap().ends_with("parts.md"));
    let path = folder.path().join("parts.md");
    enter_path(&mut harness, &path);
    assert!(rigbay::files::read_text(&path, 1 << 20).unwrap().contains("AX1600i"));
}

#[test]
fn a_build_is_compared_with_a_file_and_with_a_variant() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.toml");
    let mut harness = dialog();
    harness.key_press(Key::Escape);
    harness.run();
    {
        let session = &harness.state().session;
        let text = rigbay::report::snapshot::rig_text(session.catalog(), session.project()).unwrap();
        rigbay::files::write_atomic(&path, text.as_bytes()).unwrap();
    }
    place(&mut harness, &["gpu.gigabyte.rtx-3090-turbo", "ram.kingston.ksm32rd4-64hcr"]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::E);
    harness.run();
    press(&mut harness, "Compare with file…");
    enter_path(&mut harness, &path);
    assert!(shows(&harness, "**To buy**") && shows(&harness, "| buy | **GPU** | 1 |"));
    assert!(!shows(&harness, "**To sell**"));
    press(&mut harness, "what is wanted");
    assert!(shows(&harness, "**To sell**") && shows(&harness, "| sell | **RAM** | 1 |"));
    press(&mut harness, "XLSX");
    press(&mut harness, "Save as…");
    let book = folder.path().join("diff.xlsx");
    enter_path(&mut harness, &book);
    assert!(rigbay::files::exists(&book), "{:?}", harness.state().notices);
    let keep = Edit::Variant { name: "two cards".to_owned(), change: VariantChange::Keep };
    harness.state_mut().session.apply(&keep, false).unwrap();
    place(&mut harness, &["gpu.gigabyte.rtx-3090-turbo"]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::E);
    harness.run();
    press(&mut harness, "Markdown");
    harness.get_by_label("Compare with…").click();
    harness.run();
    harness.get_by_label("Variant two cards").click();
    harness.run();
    assert!(shows(&harness, "| buy | **GPU** | 1 |") && !shows(&harness, "**RAM**"));
    press(&mut harness, "Back to the list");
    assert!(shows(&harness, "| **GPU** |"));
}

#[test]
fn the_dialog_fits_every_window() {
    for (width, height) in [(480.0, 360.0), (640.0, 400.0), (800.0, 600.0), (1000.0, 640.0), (1920.0, 1080.0)] {
        let mut harness = dialog_of(vec2(width, height));
        for format in Format::ALL {
            press(&mut harness, format.name());
            let close = harness.get_by_role_and_label(Role::Button, "Close").rect();
            assert!(close.max.y <= height && close.max.x <= width, "{format:?} in {width} x {height}: {close:?}");
        }
    }
}
