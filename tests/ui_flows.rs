//! The window, driven by accessible names: start page, placing by keyboard and by drag, undo, opening a model, parts list, findings.
#![cfg(feature = "gui")]

#[path = "support/gguf.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod gguf;

use std::sync::{Arc, LazyLock};

use eframe::egui::{self, Key, Modifiers, Role, vec2};
use egui_kittest::{Harness, kittest::Queryable as _};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::model::ModelShape;
use rigbay::catalog::part::PartId;
use rigbay::import::model_list;
use rigbay::project::edit::Edit;
use rigbay::ui::action::Theme;
use rigbay::ui::{App, Options};
use rigbay::workload::training::{Method, Training};

type Data = (Arc<Catalog>, Arc<Vec<Arc<ModelShape>>>);

static DATA: LazyLock<Data> = LazyLock::new(|| {
    let (catalog, faults) = load(&embedded_files(""));
    assert!(faults.is_empty(), "{faults:?}");
    let lists = embedded_files("models");
    let models = lists.iter().flat_map(|(name, text)| model_list::builtin(text, name).unwrap()).map(Arc::new).collect();
    (Arc::new(catalog), Arc::new(models))
});

fn harness_of(size: egui::Vec2) -> Harness<'static, App> {
    let (catalog, models) = DATA.clone();
    let mut harness = Harness::builder().with_size(size).with_max_steps(12).build_eframe(move |cc| {
        let options = Options { today: "2026-11-30".to_owned(), theme: Some(Theme::Dark), ..Options::default() };
        let mut app = App::inline(cc, catalog, models, options);
        app.dialogs.without_system = true;
        app
    });
    harness.run();
    harness
}

/// Past the start page, in an empty rig.
fn empty_rig() -> Harness<'static, App> {
    let mut harness = harness_of(vec2(1280.0, 800.0));
    harness.get_by_role_and_label(Role::Button, "Empty rig").click();
    harness.run();
    harness
}

/// Opens the list of models, searches it, and takes the first row by Enter.
fn pick_first_model(harness: &mut Harness<'_, App>, search: &str) {
    harness.get_by_role_and_label(Role::ComboBox, "Model").click();
    harness.run();
    harness.get_by_label("Search models").type_text(search);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
}

fn place(harness: &mut Harness<'_, App>, ids: &[&str]) {
    for id in ids {
        let session = &mut harness.state_mut().session;
        let id = PartId::new(id);
        let slot = rigbay::search::best_slot(session.catalog(), session.project(), &id);
        session.apply(&Edit::place(&id, slot), false).unwrap();
    }
    harness.run();
}

const TOWER: [&str; 6] = [
    "case.phanteks.enthoo-pro-2-server-edition",
    "board.asrock-rack.romed8-2t",
    "cpu.amd.epyc-7443p",
    "psu.corsair.ax1600i",
    "ram.kingston.ksm32rd4-64hcr",
    "gpu.gigabyte.rtx-3090-turbo",
];

fn pieces(harness: &Harness<'_, App>) -> usize {
    harness.state().session.project().rig.placements().count()
}

fn cards_of(harness: &Harness<'_, App>) -> usize {
    harness.state().session.report().facts.space.cards.len()
}

fn search(harness: &mut Harness<'_, App>, text: &str) {
    harness.get_by_label("Search parts").focus();
    harness.run();
    harness.get_by_label("Search parts").type_text(text);
    harness.run();
}

#[test]
fn the_start_page_offers_four_ways_to_begin() {
    let harness = harness_of(vec2(1280.0, 800.0));
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
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
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
    harness.get_by_label("Edit").click();
    harness.run();
    harness.get_by_label("Undo: Place RTX 3090 Turbo").click();
    harness.run();
    assert_eq!(cards_of(&harness), 0);
}

#[test]
fn a_configuration_is_opened_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    let config = r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096}"#;
    rigbay::files::write_atomic(&path, config.as_bytes()).unwrap();
    let mut harness = empty_rig();
    harness.get_by_label("Rig").click();
    harness.run();
    harness.get_by_label("Open a model's file…").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let workloads = &harness.state().session.project().workloads;
    assert_eq!(workloads.len(), 1, "{:?}", harness.state().notices);
    assert_eq!(workloads[0].model.params(), 6_738_415_616);
}

#[test]
fn a_finding_is_accepted_with_a_reason_and_reopened() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER[..1]);
    let message = harness.state().session.report().findings[0].message.clone();
    let card = |h: &Harness<'_, App>| h.get_by_label_contains(&format!(": {message}")).rect().center();
    let at = card(&harness);
    click(&mut harness, at);
    harness.get_by_role_and_label(Role::Button, "Accept…").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Why you live with it").type_text("bench test");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let accepted = |h: &Harness<'_, App>| h.state().session.project().accepted.len();
    assert_eq!(accepted(&harness), 1, "{:?}", harness.state().notices);
    assert_eq!(harness.state().session.project().accepted[0].because, "bench test");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert_eq!(accepted(&harness), 0);
}

fn click(harness: &mut Harness<'_, App>, at: egui::Pos2) {
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
fn has_focus(harness: &Harness<'_, App>, name: &str) -> bool {
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
fn a_model_and_a_precision_are_chosen_by_keys() {
    let mut harness = empty_rig();
    pick_first_model(&mut harness, "qwen2.5 7b");
    let name = |h: &Harness<'_, App>| h.state().session.project().workloads[0].model.name.clone();
    let first = name(&harness);
    assert!(first.to_lowercase().contains("qwen2.5") && first.to_lowercase().contains("7b"), "{first}");
    assert!(harness.query_by_label("Search models").is_none(), "the list is closed");
    harness.get_by_role_and_label(Role::ComboBox, &format!("Model: {first}")).click();
    harness.run();
    // It opens at the model in force: the next one, and back to it.
    harness.key_press(Key::ArrowDown);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_ne!(name(&harness), first);
    harness.get_by_role_and_label(Role::ComboBox, &format!("Model: {}", name(&harness))).click();
    harness.run();
    harness.key_press(Key::ArrowUp);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(name(&harness), first);
    harness.get_by_label_contains("Precision: ").click();
    harness.run();
    harness.get_by_label("Search precisions").type_text("q5_k_m");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().session.project().workloads[0].precision.text(), "q5_k_m");
}

#[test]
fn a_workload_is_turned_to_training_and_back() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    pick_first_model(&mut harness, "llama-3.2 1b");
    let job = |h: &Harness<'_, App>| h.state().session.project().workloads[0].training.clone();
    let ledger = |h: &Harness<'_, App>| h.state().session.report().facts.memory[0].clone();
    let before = ledger(&harness);
    assert!(before.phases.is_none() && harness.query_by_label("Users").is_some());
    harness.get_by_role_and_label(Role::Button, "Training").click();
    harness.run();
    assert_eq!(job(&harness), Some(Training::default()));
    let after = ledger(&harness);
    assert!(after.phases.is_some() && after.total > before.total);
    for row in ["Trains", "Optimizer", "Sequence", "Micro-batch", "Attention", "Recompute", "Loss", "Spread", "Tensor", "Pipeline"] {
        assert!(harness.query_by_label(row).is_some(), "{row}");
    }
    assert!(harness.query_by_label("Rank").is_none(), "all weights train");
    harness.get_by_value("all weights").click();
    harness.run();
    harness.get_by_label("LoRA").click();
    harness.run();
    assert_eq!(job(&harness).map(|j| j.method), Some(Method::Lora));
    assert!(harness.query_by_label("Rank").is_some() && ledger(&harness).total < after.total);
    harness.get_by_role_and_label(Role::Button, "Inference").click();
    harness.run();
    assert_eq!((job(&harness), ledger(&harness).total), (None, before.total));
    harness.get_by_role_and_label(Role::Button, "Training").click();
    harness.run();
    assert_eq!(job(&harness).map(|j| j.method), Some(Method::Lora), "the settings come back");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert_eq!(job(&harness), None, "undone");
}

#[test]
fn a_configuration_opened_as_a_file_starts_a_rig_and_is_named_from_its_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    let config = r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096}"#;
    rigbay::files::write_atomic(&path, config.as_bytes()).unwrap();
    let open = |harness: &mut Harness<'_, App>| {
        harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
    };
    let mut harness = harness_of(vec2(1280.0, 800.0));
    harness.get_by_role_and_label(Role::Button, "Open a file…").click();
    harness.run();
    open(&mut harness);
    let models =
        |h: &Harness<'_, App>| -> Vec<String> { h.state().session.project().workloads.iter().map(|w| w.model.name.clone()).collect() };
    assert_eq!(models(&harness), ["llama 6.74 B (config.json)"], "{:?}", harness.state().notices);
    assert!(pieces(&harness) > 3, "an example that holds it");
    // In a rig it takes the place of the model shown.
    let before = pieces(&harness);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run();
    open(&mut harness);
    assert_eq!((models(&harness).len(), pieces(&harness)), (1, before));
}

#[test]
fn a_gguf_file_opens_as_a_model_with_its_own_precision() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.gguf");
    let (mut bytes, length) = gguf::llama(2, 256, 100).header();
    bytes.resize(usize::try_from(length).unwrap(), 0);
    rigbay::files::write_atomic(&path, &bytes).unwrap();
    let mut harness = empty_rig();
    pick_first_model(&mut harness, "qwen2.5 7b");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    let workload = harness.state().session.project().workloads[0].clone();
    assert_eq!((workload.name.as_str(), workload.precision.text()), ("Tiny", "gguf"), "{:?}", harness.state().notices);
    assert!(harness.query_by_label_contains("Precision: as in the file: Q4_K_M").is_some());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert_eq!(harness.state().session.project().workloads[0].precision.text(), "q4_k_m");
}

#[test]
fn a_model_is_built_by_hand_with_its_count_in_sight() {
    let mut harness = empty_rig();
    harness.get_by_role_and_label(Role::ComboBox, "Model").click();
    harness.run();
    harness.get_by_label("Build one by hand…").click();
    harness.run();
    assert!(harness.query_by_label("6,738,415,616 parameters").is_some());
    let layers = harness.get_by_label("Layers");
    layers.click();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.get_by_label("Layers").type_text("16");
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.query_by_label("3,500,281,856 parameters").is_some());
    harness.get_by_role_and_label(Role::Button, "Use this model").click();
    harness.run();
    let workload = harness.state().session.project().workloads[0].clone();
    assert_eq!((workload.model.params(), workload.model.layers, workload.name.as_str()), (3_500_281_856, 16, "My model"));
    // It opens again with its own sizes, and a size that contradicts another is told and cannot be used.
    harness.get_by_role_and_label(Role::ComboBox, "Model: My model").click();
    harness.run();
    harness.get_by_label("Build one by hand…").click();
    harness.run();
    assert!(harness.query_by_label("3,500,281,856 parameters").is_some());
    harness.get_by_label("KV heads").click();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.get_by_label("KV heads").type_text("5");
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.query_by_label_contains("divides the 32 heads").is_some());
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.state().session.project().workloads[0].model.layers, 16);
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
    let mut harness = harness_of(vec2(1280.0, 800.0));
    harness.get_by_role_and_label(Role::Button, "Everything wrong").click();
    harness.run();
    let message = harness.state().session.report().findings[0].message.clone();
    let card = |h: &Harness<'_, App>| h.get_by_label_contains(&format!(": {message}")).rect();
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
    for words in ["csv", "export markdown", "print list"] {
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
fn a_number_beyond_its_range_is_cut_and_said() {
    let mut harness = empty_rig();
    pick_first_model(&mut harness, "llama-3.1-8b");
    let most = harness.state().session.project().workloads[0].model.context.unwrap();
    harness.get_by_role_and_label(Role::SpinButton, "tokens").click();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run();
    harness.event(egui::Event::Text("500000".to_owned()));
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().session.project().workloads[0].context, most);
    let said: Vec<&str> = harness.state().notices.texts().filter(|t| t.contains("takes at most 131,072 tokens")).collect();
    assert_eq!(said.len(), 1, "{:?}", harness.state().notices);
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
    harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.state().session.history().is_saved(), "{:?}", harness.state().notices);
    assert_eq!(harness.state().prefs.recent, std::slice::from_ref(&path));
    let saved = harness.state().session.project().clone();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::N);
    harness.run();
    assert_eq!(pieces(&harness), 0);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(*harness.state().session.project(), saved);
}

#[test]
fn every_size_lays_out_and_comes_to_rest() {
    for (width, height) in [(480.0, 360.0), (640.0, 400.0), (800.0, 600.0), (1000.0, 640.0), (1280.0, 800.0), (1920.0, 1080.0)] {
        let mut harness = harness_of(vec2(width, height));
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

const MACHINE: &str = include_str!("data/observed/epyc-four-3090.txt");
const FIRMWARE: &str = include_str!("data/observed/epyc-dmi.txt");

/// Pastes into the field that has the keyboard.
fn paste(harness: &mut Harness<'_, App>, text: &str) {
    harness.get_by_label("Paste the output here").focus();
    harness.run();
    harness.event(egui::Event::Paste(text.to_owned()));
    harness.run();
}

#[test]
fn a_rig_starts_from_pasted_dumps_of_a_machine() {
    let mut harness = harness_of(vec2(1280.0, 800.0));
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
fn read_path(harness: &mut Harness<'_, App>, path: &str) {
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
    harness.get_by_label("Rig").click();
    harness.run();
    harness.get_by_label("Compare with the real machine…").click();
    harness.run();
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
    let mut harness = harness_of(vec2(1280.0, 800.0));
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/observed/smi-q-text.txt");
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    harness.run();
    harness.get_by_label("What was recognised");
    harness.get_by_label_contains("GeForce RTX 4090 at 06:00.0");
}

/// A rig with two cards and Llama 3.1 8B as its work.
fn two_cards_with_work() -> Harness<'static, App> {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    place(&mut harness, &["gpu.gigabyte.rtx-3090-turbo"]);
    pick_first_model(&mut harness, "llama-3.1-8b");
    harness
}

#[test]
fn how_a_model_is_served_is_set_and_undone() {
    let mut harness = two_cards_with_work();
    harness.get_by_label_contains("How it is served: llama.cpp").click();
    harness.run();
    assert!(harness.query_by_label_contains("In main memory").is_some());
    harness.get_by_value("as usual (llama.cpp)").click();
    harness.run();
    harness.get_by_label("vLLM").click();
    harness.run();
    let engine = |h: &Harness<'_, App>| h.state().session.project().workloads[0].serving.engine;
    assert_eq!(engine(&harness), Some(rigbay::workload::Engine::Vllm));
    let ledger = &harness.state().session.report().facts.memory[0];
    assert!(ledger.limit < ledger.capacity, "a server takes a share");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
    assert_eq!(engine(&harness), None);
}

#[test]
fn the_page_of_what_fits_marks_and_chooses() {
    let mut harness = two_cards_with_work();
    harness.get_by_label("What fits…").click();
    harness.run();
    assert!(harness.query_by_label_contains("Memory over tokens. GPU 1 holds").is_some());
    harness.get_by_label("over users").click();
    harness.run();
    assert!(harness.query_by_label_contains("Memory over users. GPU 1 holds").is_some());
    harness.get_by_label("q8_0 at 2,048 tokens: fits").click();
    harness.run();
    let workload = &harness.state().session.project().workloads[0];
    assert_eq!((workload.precision.text(), workload.context), ("q8_0", 2048));
    assert!(harness.query_by_label("The rig").is_some());
}

#[test]
fn measured_records_are_read_compared_and_calibrated_with() {
    let mut harness = two_cards_with_work();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.csv");
    let header = "model,precision_or_quant,engine,workload,context_tokens,batch,gpu,n_gpu,metric,value,unit,kind";
    let rows: String = [100.0, 95.0, 90.0]
        .iter()
        .map(|v| format!("\nLlama-3.1-8B,q4_k_m,llama.cpp,decode at depth,2048,1,RTX 3090,1,decode_tps,{v},tok/s,measured"))
        .collect();
    rigbay::files::write_atomic(&path, format!("{header}{rows}\n").as_bytes()).unwrap();
    harness.get_by_label("Rig").click();
    harness.run();
    harness.get_by_label("Measured records…").click();
    harness.run();
    harness.get_by_label("Open a table…").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    harness.run();
    assert!(harness.query_by_label_contains("3 measured rows, 3 judged").is_some());
    assert!(harness.query_by_label_contains("Predicted over measured").is_some());
    harness.get_by_label("Calibrate with my records").click();
    harness.run();
    assert!(!harness.state().prefs.own_factors.is_empty() && harness.state().session.project().calibration.is_empty());
    harness.get_by_label("Use my factors in this rig").click();
    harness.run();
    assert_eq!(harness.state().session.project().calibration, harness.state().prefs.own_factors);
    harness.get_by_label("Use the program's own factors").click();
    harness.run();
    assert!(harness.state().session.project().calibration.is_empty());
}
