//! What the rig is for, in the window: models from lists and files, training, serving, what fits, measured records.
#![cfg(feature = "gui")]

#[path = "support/gguf.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod gguf;
#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use eframe::egui::{self, Key, Modifiers, Role, vec2};
use egui_kittest::kittest::Queryable as _;
use rigbay::workload::training::Method;
use rigbay::workload::training::Training;
use window::{TOWER, Window, empty_rig, enter_path, menu, pick_first_model, pieces, place, start_page, undo};

#[test]
fn a_configuration_is_opened_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    let config = r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096}"#;
    rigbay::files::write_atomic(&path, config.as_bytes()).unwrap();
    let mut harness = empty_rig();
    menu(&mut harness, "Rig", "Open a model's file…");
    enter_path(&mut harness, &path);
    let workloads = &harness.state().session.project().workloads;
    assert_eq!(workloads.len(), 1, "{:?}", harness.state().notices);
    assert_eq!(workloads[0].model.params(), 6_738_415_616);
}

#[test]
fn a_model_and_a_precision_are_chosen_by_keys() {
    let mut harness = empty_rig();
    pick_first_model(&mut harness, "qwen2.5 7b");
    let name = |h: &Window| h.state().session.project().workloads[0].model.name.clone();
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
    let job = |h: &Window| h.state().session.project().workloads[0].training.clone();
    let ledger = |h: &Window| h.state().session.report().facts.memory[0].clone();
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
    undo(&mut harness);
    assert_eq!(job(&harness), None, "undone");
}

#[test]
fn a_configuration_opened_as_a_file_starts_a_rig_and_is_named_from_its_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    let config = r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096}"#;
    rigbay::files::write_atomic(&path, config.as_bytes()).unwrap();
    let open = |harness: &mut Window| {
        harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
    };
    let mut harness = start_page(vec2(1280.0, 800.0));
    harness.get_by_role_and_label(Role::Button, "Open a file…").click();
    harness.run();
    open(&mut harness);
    let models = |h: &Window| -> Vec<String> { h.state().session.project().workloads.iter().map(|w| w.model.name.clone()).collect() };
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
    enter_path(&mut harness, &path);
    let workload = harness.state().session.project().workloads[0].clone();
    assert_eq!((workload.name.as_str(), workload.precision.text()), ("Tiny", "gguf"), "{:?}", harness.state().notices);
    assert!(harness.query_by_label_contains("Precision: as in the file: Q4_K_M").is_some());
    undo(&mut harness);
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

/// A rig with two cards and Llama 3.1 8B as its work.
fn two_cards_with_work() -> Window {
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
    let engine = |h: &Window| h.state().session.project().workloads[0].serving.engine;
    assert_eq!(engine(&harness), Some(rigbay::workload::Engine::Vllm));
    let ledger = &harness.state().session.report().facts.memory[0];
    assert!(ledger.limit < ledger.capacity, "a server takes a share");
    undo(&mut harness);
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
    menu(&mut harness, "Rig", "Measured records…");
    harness.get_by_label("Open a table…").click();
    harness.run();
    enter_path(&mut harness, &path);
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
