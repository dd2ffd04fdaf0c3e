//! The screen of air and heat: the two layers, a card's air in the inspector, advice on cooling with readings, the flow network.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use std::time::Duration;

use eframe::egui::{Role, vec2};
use egui_kittest::kittest::Queryable as _;
use rigbay::analysis::airflow::{CoolerBasis, Cut};
use rigbay::build::PlacementId;
use rigbay::catalog::part::PartKind;
use rigbay::drawing::Layer;
use rigbay::project::Subject;
use window::{DATA, Window, press, start_page, undo};

/// An example rig, past the start page.
fn example(size: (f32, f32), name: &str) -> Window {
    let mut harness = start_page(vec2(size.0, size.1));
    let text = std::fs::read_to_string(format!("assets/presets/{name}.toml")).unwrap();
    let project = rigbay::project::file::load_text(&DATA.0, &text, name).unwrap().project;
    press(&mut harness, "Empty rig");
    harness.state_mut().session.open(project, rigbay::catalog::Copies::default(), None, Vec::new());
    harness.run();
    harness
}

fn two_cards() -> Window {
    example((1280.0, 800.0), "3-two-cards-2021")
}

fn first(harness: &Window, wanted: fn(&PartKind) -> bool) -> PlacementId {
    let session = &harness.state().session;
    session.project().rig.placed(&DATA.0).find(|(_, _, p)| wanted(&p.kind)).unwrap().0
}

fn gpu(kind: &PartKind) -> bool {
    matches!(kind, PartKind::Gpu(_))
}

fn select(harness: &mut Window, id: PlacementId) {
    harness.state_mut().session.select(Some(Subject::Placement(id)));
    harness.run();
}

fn layer(harness: &mut Window, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click();
    harness.run();
}

#[test]
fn the_layers_say_what_the_air_does() {
    let mut harness = two_cards();
    assert!(harness.query_by_label_contains("through the case. ").is_none());
    layer(&mut harness, "Air");
    assert_eq!(harness.state().prefs.layer, Layer::Airflow);
    harness.get_by_label_contains("CFM through the case. ");
    assert!(harness.get_all_by_label_contains("CFM in").next().is_some(), "fans name their flow");
    let air = harness.state().session.report().facts.airflow.clone();
    // The worker has answered: tests run it at once.
    assert_eq!(air.cut, Cut::Grid);
    let die = air.cards[0].state.as_ref().unwrap().die.value;
    assert!(harness.get_all_by_label_contains(&format!(", {die:.0} °C")).next().is_some());
    layer(&mut harness, "Heat");
    assert_eq!(harness.state().prefs.layer, Layer::Heat);
    harness.get_by_label_contains("CFM through the case. ");
}

/// How soon the window wants to be drawn again.
fn next_frame(harness: &Window) -> Duration {
    harness.output().viewport_output.values().map(|v| v.repaint_delay).min().unwrap_or(Duration::MAX)
}

#[test]
fn smoke_moves_only_while_its_layer_is_on() {
    let mut harness = two_cards();
    harness.step();
    assert!(next_frame(&harness) > Duration::from_secs(1), "nothing moves: {:?}", next_frame(&harness));
    layer(&mut harness, "Air");
    harness.step();
    let delay = next_frame(&harness);
    assert!(delay > Duration::ZERO && delay < Duration::from_millis(60), "{delay:?}");
    press(&mut harness, "Hold still");
    assert!(harness.state().prefs.reduce_motion);
    harness.step();
    assert!(next_frame(&harness) > Duration::from_secs(1), "{:?}", next_frame(&harness));
    press(&mut harness, "Move smoke");
    layer(&mut harness, "Heat");
    harness.step();
    assert!(next_frame(&harness) > Duration::from_secs(1), "{:?}", next_frame(&harness));
}

#[test]
fn a_card_tells_its_air_and_takes_a_reading() {
    let mut harness = two_cards();
    let id = first(&harness, gpu);
    select(&mut harness, id);
    for key in ["Die", "Clock", "Work lost", "Its heat"] {
        assert!(harness.query_by_label(key).is_some(), "{key}");
    }
    assert!(harness.query_by_label_contains("Measured elsewhere: ").is_some());
    harness.get_by_label("Fan and own reading").click_accesskit();
    harness.run();
    press(&mut harness, "Use this reading");
    let card = |h: &Window| h.state().session.report().facts.airflow.card(id).unwrap().basis;
    assert_eq!(card(&harness), CoolerBasis::Reading);
    assert!(harness.query_by_label_contains("Set by your own reading.").is_some());
    press(&mut harness, "Forget it");
    assert_ne!(card(&harness), CoolerBasis::Reading);
    undo(&mut harness);
    assert_eq!(card(&harness), CoolerBasis::Reading);
}

#[test]
fn a_fan_is_turned_around_and_back() {
    let mut harness = two_cards();
    let id = first(&harness, |k| matches!(k, PartKind::Fan(_)));
    select(&mut harness, id);
    let flow = |h: &Window| h.state().session.report().facts.airflow.fans.iter().find(|f| f.placement == id).unwrap().flow;
    let before = flow(&harness);
    press(&mut harness, "Turn it around");
    assert!(flow(&harness) * before < 0.0, "{before} {}", flow(&harness));
    undo(&mut harness);
    assert!((flow(&harness) - before).abs() < 1e-9);
}

#[test]
fn the_case_has_its_own_air() {
    let mut harness = two_cards();
    let id = first(&harness, |k| matches!(k, PartKind::Case(_)));
    select(&mut harness, id);
    harness.get_by_role_and_label(Role::ComboBox, "Side panel").click();
    harness.run();
    let through = |h: &Window| h.state().session.report().facts.airflow.case.through;
    let before = through(&harness);
    harness.get_by_role_and_label(Role::Button, "off").click();
    harness.run();
    assert!(through(&harness) > before);
    undo(&mut harness);
    assert!((through(&harness) - before).abs() < 1e-9);
}

#[test]
fn advice_is_applied_by_one_click_and_tried_for_real() {
    let mut harness = two_cards();
    layer(&mut harness, "Heat");
    press(&mut harness, "Advise cooling…");
    harness.run();
    let list = rigbay::search::cooling::advise(harness.state().session.catalog(), harness.state().session.project());
    let advice = list.iter().find(|a| !a.in_noise && a.work_pct.low > 0.0).unwrap().clone();
    press(&mut harness, &format!("Try for real: {}", advice.label));
    press(&mut harness, "Keep the reading before");
    assert_eq!(harness.state().session.project().trials.len(), 1);
    harness.run();
    press(&mut harness, "Keep the reading after");
    let trial = harness.state().session.project().trials[0].clone();
    assert!(trial.after.is_some() && trial.change == advice.label);
    assert!(harness.query_by_label_contains("what was said.").is_some());
    // The advice itself, and back.
    let before = harness.state().session.project().rig.clone();
    press(&mut harness, &format!("Apply: {}", advice.label));
    assert_ne!(harness.state().session.project().rig, before);
    let label = format!("Undo: {}", advice.label);
    press(&mut harness, &label);
    assert_eq!(harness.state().session.project().rig, before);
}

#[test]
fn the_flow_network_is_a_circuit_and_a_table() {
    let mut harness = two_cards();
    layer(&mut harness, "Air");
    press(&mut harness, "Flow network…");
    harness.get_by_label_contains("Circuit of ");
    press(&mut harness, "Table");
    assert!(harness.query_by_label("front grille").is_some());
    press(&mut harness, "Copy as text");
    assert!(harness.state().notices.texts().any(|t| t == "Copied the flow network."));
    press(&mut harness, "Close");
    assert!(harness.query_by_label("Flow network").is_none());
}

#[test]
fn the_layers_lay_out_at_every_size() {
    for size in [(480.0, 360.0), (800.0, 600.0), (1280.0, 800.0), (1920.0, 1080.0)] {
        let mut harness = example(size, "4-four-blowers-epyc");
        for layer in [Layer::Airflow, Layer::Heat] {
            harness.state_mut().prefs.layer = layer;
            harness.run();
            assert!(harness.query_by_label_contains("CFM through the case. ").is_some(), "{size:?}");
        }
    }
}
