//! The window, driven by accessible names: start page, placing by keyboard and by drag, undo, findings, files.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use eframe::egui::{self, Key, Modifiers, Role, vec2};
use egui_kittest::kittest::Queryable as _;
use window::{TOWER, Window, cards_of, empty_rig, enter_path, menu, pieces, place, start_page, undo};

fn search(harness: &mut Window, text: &str) {
    harness.get_by_label("Search parts").focus();
    harness.run();
    harness.get_by_label("Search parts").type_text(text);
    harness.run();
}

#[test]
fn the_start_page_offers_four_ways_to_begin() {
    let harness = start_page(vec2(1280.0, 800.0));
    for name in ["Empty rig", "Open a file…"] {
        assert!(harness.query_by_role_and_label(Role::Button, name).is_some(), "{name}");
    }
    assert!(harness.query_by_label("Search models").is_some());
    assert!(harness.query_by_label("Examples").is_some());
    assert!(harness.query_by_label("Where will it stand?").is_some());
}

#[test]
fn an_empty_case_says_what_to_do() {
    let harness = empty_rig();
    assert_eq!(pieces(&harness), 0);
    assert!(harness.query_by_label("No work yet").is_some());
}

#[test]
fn a_part_is_placed_by_keyboard_and_undone() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    let before = harness.state().session.report().facts.cost.known_total;
    search(&mut harness, "gigabyte 3090 turbo");
    let card = harness.get_by_label_contains("RTX 3090 Turbo, Gigabyte, fits");
    card.focus();
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.get_all_by_label_contains("Place in PCIE").count() >= 5);
    // The first possible place has the keyboard.
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(cards_of(&harness), 2);
    assert!(harness.state().session.report().facts.cost.known_total.cents > before.cents);
    undo(&mut harness);
    assert_eq!(cards_of(&harness), 1);
    assert_eq!(harness.state().session.report().facts.cost.known_total, before);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    harness.run();
    assert_eq!(cards_of(&harness), 2);
}

#[test]
fn a_card_dragged_from_the_panel_lands_in_the_chassis() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    search(&mut harness, "gigabyte 3090 turbo");
    let start = harness.get_by_label_contains("RTX 3090 Turbo, Gigabyte, fits").rect().center();
    let target = harness.get_all_by_label_contains("PCIE3").next().unwrap().rect().center();
    harness.hover_at(start);
    harness.drag_at(start);
    for t in [0.3, 0.6, 0.9, 1.0] {
        harness.hover_at(start.lerp(target, t));
    }
    harness.step();
    harness.step();
    assert!(harness.state().session.current_preview().is_some(), "a drop is previewed");
    harness.drop_at(target);
    harness.run();
    assert_eq!(cards_of(&harness), 2);
}

#[test]
fn the_menu_undoes_by_name() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    menu(&mut harness, "Edit", "Undo: Place RTX 3090 Turbo");
    assert_eq!(cards_of(&harness), 0);
}

#[test]
fn a_finding_is_accepted_with_a_reason_and_reopened() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER[..1]);
    let message = harness.state().session.report().findings[0].message.clone();
    let card = |h: &Window| h.get_by_label_contains(&format!(": {message}")).rect().center();
    let at = card(&harness);
    click(&mut harness, at);
    harness.get_by_role_and_label(Role::Button, "Accept…").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Why you live with it").type_text("bench test");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let accepted = |h: &Window| h.state().session.project().accepted.len();
    assert_eq!(accepted(&harness), 1, "{:?}", harness.state().notices);
    assert_eq!(harness.state().session.project().accepted[0].because, "bench test");
    undo(&mut harness);
    assert_eq!(accepted(&harness), 0);
}

fn click(harness: &mut Window, at: egui::Pos2) {
    harness.hover_at(at);
    harness.drag_at(at);
    harness.drop_at(at);
    harness.run();
}

#[test]
fn the_command_palette_finds_and_runs() {
    let mut harness = empty_rig();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::K);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Find a command").type_text("about");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.query_by_label_contains("model core").is_some());
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.query_by_label_contains("model core").is_none());
}

#[test]
fn leaving_unsaved_changes_asks_first() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER[..2]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::N);
    harness.run();
    assert!(harness.query_by_label_contains("Save the changes to").is_some());
    harness.get_by_role_and_label(Role::Button, "Cancel").click();
    harness.run();
    assert_eq!(pieces(&harness), 2);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::N);
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Leave without saving").click();
    harness.run();
    assert_eq!(pieces(&harness), 0);
}

/// Whether the button of that name has the keyboard.
fn has_focus(harness: &Window, name: &str) -> bool {
    harness.get_by_role_and_label(Role::Button, name).is_focused()
}

#[test]
fn the_main_button_of_a_dialog_has_the_keyboard() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept.toml");
    let mut harness = empty_rig();
    place(&mut harness, &TOWER[..2]);
    harness.state_mut().session.path = Some(path.clone());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::N);
    harness.run();
    assert!(has_focus(&harness, "Save"));
    // Giving up comes last.
    harness.key_press(Key::Tab);
    harness.run();
    assert!(has_focus(&harness, "Cancel"));
    harness.key_press(Key::Tab);
    harness.run();
    assert!(has_focus(&harness, "Leave without saving"));
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.query_by_label_contains("Save the changes to").is_none());
    assert_eq!(pieces(&harness), 2);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::N);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(pieces(&harness), 0, "saved, then a new rig");
    assert!(rigbay::files::read_text(&path, 1 << 20).unwrap().contains("enthoo"));
    harness.key_press(Key::F1);
    harness.run();
    assert!(has_focus(&harness, "Close"));
}

#[test]
fn the_search_is_cleared_by_its_button_and_from_the_empty_list() {
    let mut harness = empty_rig();
    search(&mut harness, "gigabyte 3090 turbo");
    harness.get_by_role_and_label(Role::Button, "Case").click();
    harness.run();
    assert!(harness.query_by_label_contains("switch off").is_none(), "no switch is on");
    harness.get_by_role_and_label(Role::Button, "Clear the search").click();
    harness.run();
    assert!(harness.query_by_label_contains("none has").is_none());
    assert!(harness.get_all_by_label_contains(", fits").count() > 2);
    search(&mut harness, "zzz");
    harness.get_by_role_and_label(Role::Button, "sold new").click();
    harness.run();
    assert!(harness.query_by_label_contains("switch off \"sold new\"").is_some());
    harness.get_by_role_and_label(Role::Button, "Clear the search of parts").click();
    harness.run();
    assert!(harness.query_by_role_and_label(Role::Button, "Clear the search").is_none());
}

#[test]
fn going_to_a_part_leaves_the_findings_where_they_are() {
    let mut harness = start_page(vec2(1280.0, 800.0));
    harness.get_by_role_and_label(Role::Button, "Everything wrong").click();
    harness.run();
    let message = harness.state().session.report().findings[0].message.clone();
    let card = |h: &Window| h.get_by_label_contains(&format!(": {message}")).rect();
    harness.get_by_label_contains(&format!(": {message}")).scroll_to_me();
    harness.run();
    let at = card(&harness).center();
    click(&mut harness, at);
    harness.get_by_role_and_label(Role::Button, "Go to").scroll_to_me();
    harness.run();
    let before = harness.get_by_role_and_label(Role::Button, "Go to").rect();
    click(&mut harness, before.center());
    assert!(harness.state().session.selection().is_some());
    assert!(harness.query_by_label("Close part details").is_some(), "the inspector is open");
    let after = harness.get_by_role_and_label(Role::Button, "Go to").rect();
    assert!((after.top() - before.top()).abs() < 1.0, "{before} {after}");
    harness.get_by_label("Close part details").click();
    harness.run();
    let after = harness.get_by_role_and_label(Role::Button, "Go to").rect();
    assert!((after.top() - before.top()).abs() < 1.0, "{before} {after}");
}

#[test]
fn the_palette_knows_commands_by_other_words() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER[..2]);
    for words in ["list csv", "export markdown", "print list"] {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::K);
        harness.run();
        harness.get_by_role_and_label(Role::TextInput, "Find a command").type_text(words);
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
        assert!(harness.query_by_role_and_label(Role::Button, "CSV").is_some(), "{words}");
        harness.key_press(Key::Escape);
        harness.run();
    }
}

#[test]
fn a_rig_is_saved_and_opened_by_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rig.toml");
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Path of the file");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run();
    enter_path(&mut harness, &path);
    assert!(harness.state().session.history().is_saved(), "{:?}", harness.state().notices);
    assert_eq!(harness.state().prefs.recent, std::slice::from_ref(&path));
    let saved = harness.state().session.project().clone();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::N);
    harness.run();
    assert_eq!(pieces(&harness), 0);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run();
    enter_path(&mut harness, &path);
    assert_eq!(*harness.state().session.project(), saved);
}

#[test]
fn every_size_lays_out_and_comes_to_rest() {
    for (width, height) in [(480.0, 360.0), (640.0, 400.0), (800.0, 600.0), (1000.0, 640.0), (1280.0, 800.0), (1920.0, 1080.0)] {
        let mut harness = start_page(vec2(width, height));
        harness.get_by_role_and_label(Role::Button, "Empty rig").click_accesskit();
        harness.run();
        place(&mut harness, &TOWER);
        // Drawers open and close; nothing asks for frames without end.
        for key in [Key::Num1, Key::Num2, Key::Num3, Key::Num1, Key::Num2, Key::Num3] {
            harness.key_press_modifiers(Modifiers::COMMAND, key);
            harness.run();
        }
    }
}
