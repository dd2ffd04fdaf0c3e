//! The screen of lanes: the layer, what a drop does to the links, topology, settings of the board.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use eframe::egui::{Key, Modifiers, Role, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::part::PartId;
use rigbay::drawing::Layer;
use rigbay::project::Subject;
use rigbay::project::edit::Edit;
use rigbay::ui::prefs::Prefs;
use window::{DATA, Window, empty_rig, empty_rig_of, undo};

/// Puts a part into a slot of the rig or, for a label of the board, into that connector.
fn put(harness: &mut Window, part: &str, slot: &str) -> PlacementId {
    let session = &mut harness.state_mut().session;
    let slot = match slot.strip_prefix("board/") {
        Some(name) => SlotId::of(board(session.project()), name),
        None => SlotId::rig(slot),
    };
    session.apply(&Edit::place(&PartId::new(part), Some(slot.clone())), false).unwrap();
    let id = session.project().rig.part_in(&DATA.0, &slot).unwrap().0;
    harness.run();
    id
}

fn board(project: &rigbay::project::Project) -> PlacementId {
    project.rig.part_in(&DATA.0, &SlotId::rig("board")).unwrap().0
}

fn layer(harness: &mut Window, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click();
    harness.run();
}

const CARD: &str = "gpu.gigabyte.rtx-3090-turbo";

/// Two cards on a board that splits its sixteen lanes between two slots.
fn desktop(cards: &[&str]) -> Window {
    let mut harness = empty_rig();
    put(&mut harness, "case.fractal-design.meshify-2-xl", "case");
    put(&mut harness, "board.asrock.x570-taichi", "board");
    put(&mut harness, "cpu.amd.ryzen-9-5950x", "board/cpu1");
    for slot in cards {
        put(&mut harness, CARD, &format!("board/{slot}"));
    }
    harness
}

#[test]
fn the_layer_names_widths_and_budgets() {
    let mut harness = desktop(&["PCIE1", "PCIE3"]);
    assert!(harness.query_all_by_label_contains("RTX 3090 Turbo in PCIE1, x8 Gen4").next().is_none());
    layer(&mut harness, "Lanes");
    assert_eq!(harness.state().prefs.layer, Layer::Lanes);
    for slot in ["PCIE1", "PCIE3"] {
        harness.get_by_role_and_label(Role::Button, &format!("RTX 3090 Turbo in {slot}, x8 Gen4"));
    }
    let lanes = &harness.state().session.report().facts.lanes;
    let (used, all) = (lanes.budgets[0].used.unwrap(), lanes.budgets[0].lanes.unwrap());
    assert_eq!(used, 16);
    harness.get_by_label(&format!("CPU: lanes {used} of {all} used, {} left", all - used));
}

#[test]
fn the_layer_is_remembered() {
    let mut harness = empty_rig();
    layer(&mut harness, "Lanes");
    let text = serde_json::to_string(&harness.state().prefs).unwrap();
    assert_eq!(serde_json::from_str::<Prefs>(&text).unwrap().layer, Layer::Lanes);
}

#[test]
fn empty_states_are_sentences() {
    let mut harness = empty_rig();
    layer(&mut harness, "Lanes");
    assert!(harness.query_by_label_contains("No board yet. ").is_some());
    put(&mut harness, "board.asus.ws-c621e-sage", "board");
    assert!(harness.query_by_label_contains("Lane table of this board is unknown. ").is_some());
    put(&mut harness, "board.asrock-rack.romed8-2t", "board");
    assert!(harness.query_by_label_contains("Lane table of this board is unknown").is_none());
    assert!(harness.query_by_label_contains("No board yet").is_none());
}

#[test]
fn a_hovering_card_says_which_link_falls() {
    let mut harness = desktop(&["PCIE1"]);
    layer(&mut harness, "Lanes");
    harness.get_by_label("Search parts").focus();
    harness.run();
    harness.get_by_label("Search parts").type_text("gigabyte 3090 turbo");
    harness.run();
    let start = harness.get_all_by_label_contains("RTX 3090 Turbo, Gigabyte").next().unwrap().rect().center();
    let target = harness.get_all_by_label_contains("PCIE3").next().unwrap().rect().center();
    harness.hover_at(start);
    harness.drag_at(start);
    for t in [0.3, 0.6, 0.9, 1.0] {
        harness.hover_at(start.lerp(target, t));
    }
    for _ in 0..4 {
        harness.step();
    }
    let said = harness.get_by_label_contains("PCIE1 falls to x8 Gen4").accesskit_node().value().unwrap();
    assert!(said.starts_with("RTX 3090 Turbo. PCIE3"), "{said}");
    harness.drop_at(target);
    harness.run();
    harness.get_by_role_and_label(Role::Button, "RTX 3090 Turbo in PCIE1, x8 Gen4");
}

#[test]
fn topology_is_a_tree_and_a_matrix_and_copies_as_text() {
    let mut harness = desktop(&["PCIE1", "PCIE3"]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::L);
    harness.run();
    harness.get_by_label("PCIE1: RTX 3090 Turbo,");
    assert!(harness.query_by_label("PCIE5: free,").is_none());
    harness.get_by_label("Free connectors too").click();
    harness.run();
    harness.get_by_label("PCIE5: free,");
    // The tabs take the keyboard.
    harness.get_by_role_and_label(Role::Button, "Pairs of cards").click();
    harness.run();
    let report = harness.state().session.report().clone();
    let pair = &report.facts.lanes.pairs[0];
    let class = pair.class.unwrap().text();
    let gb_s = rigbay::units::plain(pair.gb_s.unwrap(), 1);
    for (a, b) in [("PCIE1", "PCIE3"), ("PCIE3", "PCIE1")] {
        let name = format!("RTX 3090 Turbo in {a} to RTX 3090 Turbo in {b}: {class}, {gb_s} GB/s");
        let cell = harness.get_by_label_contains(&name);
        cell.focus();
    }
    harness.run();
    harness.get_by_role_and_label(Role::Button, "Copy as text").click();
    harness.run();
    assert!(harness.state().notices.texts().any(|t| t == "Copied the lanes and their topology."), "{:?}", harness.state().notices);
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.query_by_label("Free connectors too").is_none());
}

#[test]
fn topology_without_a_board_says_so() {
    let mut harness = empty_rig();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::L);
    harness.run();
    harness.get_by_label("No board yet");
}

#[test]
fn choices_of_the_board_are_set_in_the_inspector_and_undone() {
    let mut harness = empty_rig();
    put(&mut harness, "board.asrock-rack.romed8-2t", "board");
    put(&mut harness, "cpu.amd.epyc-7443p", "board/cpu1");
    let id = board(harness.state().session.project());
    harness.state_mut().session.select(Some(Subject::Placement(id)));
    harness.run();
    let rig = PartId::new("board.asrock-rack.romed8-2t");
    let part = DATA.0.part(&rig).unwrap();
    let rigbay::catalog::part::PartKind::Board(facts) = &part.kind else { panic!("no board") };
    let choice = &facts.choices[0];
    let setting = |h: &Window| h.state().session.project().rig.placement(id).unwrap().settings.clone();
    harness.get_by_role_and_label(Role::ComboBox, &choice.label).click();
    harness.run();
    let option = choice.options.iter().find(|o| Some(&o.value) != choice.default.as_ref()).unwrap();
    harness.get_by_role_and_label(Role::Button, &option.label).click();
    harness.run();
    assert_eq!(setting(&harness).get(&format!("bios.{}", choice.key)), Some(&option.value));
    undo(&mut harness);
    assert!(setting(&harness).is_empty());
}

#[test]
fn the_layer_lays_out_at_every_size() {
    for (width, height) in [(480.0, 360.0), (800.0, 600.0), (1280.0, 800.0), (1920.0, 1080.0)] {
        let mut harness = empty_rig_of(vec2(width, height));
        put(&mut harness, "board.supermicro.x11dpg-ot", "board");
        for socket in ["cpu1", "cpu2"] {
            put(&mut harness, "cpu.intel.xeon-gold-6130", &format!("board/{socket}"));
        }
        let slots = ["SLOT11", "SLOT10", "SLOT9", "SLOT8", "SLOT4", "SLOT3", "SLOT2", "SLOT1"];
        for slot in slots {
            put(&mut harness, "gpu.nvidia.rtx-a4000", &format!("board/{slot}"));
        }
        harness.state_mut().prefs.layer = Layer::Lanes;
        harness.run();
        for slot in slots {
            let named = harness.query_all_by_label_contains(&format!("RTX A4000 in {slot}")).count();
            assert!(named > 0, "{slot} at {width} x {height}");
        }
    }
}

#[test]
fn cards_are_arranged_after_a_look_and_brought_back_by_undo() {
    let mut harness = desktop(&["PCIE5"]);
    layer(&mut harness, "Lanes");
    let card = harness.state().session.report().facts.space.cards[0].placement;
    let place = |h: &Window| h.state().session.project().rig.placement(card).unwrap().slot.clone().unwrap().name.to_string();
    harness.get_by_role_and_label(Role::Button, "Arrange cards…").click();
    harness.run();
    assert!(harness.get_all_by_label("RTX 3090 Turbo in PCIE5, x4 Gen4").count() > 0);
    harness.get_by_label("What it gains");
    assert!(harness.query_by_label_contains("Narrowest link of a GPU").is_some());
    harness.get_by_label("RTX 3090 Turbo: PCIE5, x4 Gen4, then PCIE1, x16 Gen4");
    // Shown, not made.
    assert_eq!(place(&harness), "PCIE5");
    harness.get_by_role_and_label(Role::Button, "Move them").click();
    harness.run();
    assert_eq!(place(&harness), "PCIE1");
    undo(&mut harness);
    assert_eq!(place(&harness), "PCIE5");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    harness.run();
    // By the palette, once it is best.
    harness.key_press_modifiers(Modifiers::COMMAND, Key::K);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Find a command").type_text("best places");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    harness.get_by_label("The present placement is already best.");
    assert!(harness.query_by_label("What it gains").is_none());
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(place(&harness), "PCIE1");
}

#[test]
fn without_cards_there_is_nothing_to_arrange() {
    let mut harness = desktop(&[]);
    layer(&mut harness, "Lanes");
    harness.get_by_role_and_label(Role::Button, "Arrange cards…").click();
    harness.run();
    assert!(harness.query_by_label_contains("There is nothing to arrange").is_some());
}

#[test]
fn slots_say_what_they_feed_and_small_ones_are_set() {
    let mut harness = empty_rig();
    put(&mut harness, "board.asrock.x570-taichi", "board");
    put(&mut harness, "gpu.nvidia.tesla-p4", "board/PCIE1");
    let id = board(harness.state().session.project());
    harness.state_mut().session.select(Some(Subject::Placement(id)));
    harness.run();
    harness.get_by_label("Slots: split, speed, power").click_accesskit();
    harness.run();
    let feed = harness.state().session.report().facts.power.slots[0].clone();
    assert_eq!((feed.label.as_str(), feed.gives_w, feed.draws_w), ("PCIE1", 75.0, Some(75.0)));
    harness.get_by_label("Its card takes at most 75 W from the slot");
    let set = Edit::Set { what: id, key: "slot_w.PCIE1".to_owned(), value: Some("25".to_owned()) };
    harness.state_mut().session.apply(&set, false).unwrap();
    harness.run();
    harness.get_by_label("Its card may take 75 W from the slot: too much");
    harness.get_by_role_and_label(Role::ComboBox, "PCIE1 gives");
}
