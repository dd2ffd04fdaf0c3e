//! What of the air is drawn: lines that follow the solved flow, the map of temperatures, openings with their flows, the circuit of zones; and
//! readings of the user, which stay true when cards move.

use std::sync::LazyLock;

use rigbay::analysis::Effort;
use rigbay::analysis::airflow::field::Through;
use rigbay::analysis::airflow::network::{Element, End, network};
use rigbay::analysis::airflow::{CoolerBasis, Cut, reading_factor};
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::PartKind;
use rigbay::drawing::air::circuit::circuit;
use rigbay::drawing::palette::Theme;
use rigbay::drawing::{Drawing, Layer, Role, Shape, rig, svg};
use rigbay::project::edit::Edit;
use rigbay::project::{Project, file::load_text};
use rigbay::report::{Report, analyze};
use rigbay::search::cooling::{Progress, advise_watched};

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| load(&embedded_files("")).0);

fn preset(name: &str) -> Project {
    let text = std::fs::read_to_string(format!("assets/presets/{name}.toml")).unwrap();
    load_text(&CATALOG, &text, name).unwrap().project
}

/// The rig with four blowers, and its report of the worker.
static BLOWERS: LazyLock<(Project, Report)> = LazyLock::new(|| {
    let project = preset("4-four-blowers-epyc");
    let report = analyze(&CATALOG, &project, Effort::Full);
    (project, report)
});

fn drawn(layer: Layer) -> Drawing {
    rig::draw(&CATALOG, &BLOWERS.0, &BLOWERS.1, layer)
}

fn tags(drawing: &Drawing) -> Vec<String> {
    let tag = |s: &Shape| if let Shape::Tag { text, .. } = s { Some(text.clone()) } else { None };
    drawing.pieces.iter().filter_map(|p| tag(&p.shape)).collect()
}

fn texts(drawing: &Drawing) -> String {
    let text = |s: &Shape| if let Shape::Text { text, .. } = s { Some(text.clone()) } else { None };
    drawing.pieces.iter().filter_map(|p| text(&p.shape)).collect::<Vec<_>>().join("\n")
}

#[test]
fn lines_follow_the_flow_and_stay_in_the_case() {
    let air = &BLOWERS.1.facts.airflow;
    let field = &air.field;
    assert_eq!((air.cut, field.nx > 20, field.ny > 20), (Cut::Grid, true, true));
    let lines = field.lines(80);
    assert!(lines.len() > 50, "{}", lines.len());
    assert_eq!(lines, field.lines(80), "the same lines each time");
    let (mut steps, mut astray) = (0, 0);
    for line in &lines {
        assert_eq!((line.points.len(), line.points.len()), (line.seconds.len(), line.kelvin.len()));
        assert!(line.seconds.windows(2).all(|w| w[1] > w[0]));
        assert!(line.points.iter().all(|&(x, y)| field.is_air(x, y)));
        // A step goes where the air goes; in a bend narrower than a cell its chord may not.
        for w in line.points.windows(2).step_by(7) {
            let Some((u, v)) = field.velocity(w[0].0, w[0].1) else { continue };
            let (dx, dy) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
            let along = (dx * u + dy * v) / (dx.hypot(dy) * u.hypot(v)).max(1e-9);
            (steps, astray) = (steps + 1, astray + usize::from(along < 0.7));
        }
    }
    assert!(steps > 500 && astray * 50 < steps, "{astray} of {steps}");
}

#[test]
fn what_comes_in_goes_out() {
    let air = &BLOWERS.1.facts.airflow;
    let sum: f64 = air.field.vents.iter().map(|v| v.flow).sum();
    assert!(sum.abs() < 1e-5 * air.case.through.max(1e-6) + 1e-9, "{sum} of {}", air.case.through);
    // Each case fan moves what the ledger says.
    for fan in &air.fans {
        let vent = air.field.vents.iter().find(|v| v.through == Through::Fan(fan.placement)).unwrap();
        assert!((vent.flow - fan.flow).abs() < 1e-12);
    }
    // Four blowers put their air out of the case, warm.
    let out: Vec<_> = air.field.vents.iter().filter(|v| matches!(v.through, Through::Card(_))).collect();
    assert_eq!(out.len(), 4);
    assert!(out.iter().all(|v| v.flow < 0.0 && v.kelvin > 5.0), "{out:?}");
}

#[test]
fn the_airflow_layer_names_every_flow() {
    let drawing = drawn(Layer::Airflow);
    assert!(drawing.streams.len() > 40, "{}", drawing.streams.len());
    let cfm = tags(&drawing).iter().filter(|t| t.ends_with("CFM")).count();
    assert!(cfm >= 7, "two fans, four exhausts and grilles: {:?}", tags(&drawing));
    assert!(tags(&drawing).iter().any(|t| t.starts_with("gap 1.6 mm: ") && t.contains("less air")), "{:?}", tags(&drawing));
    let text = texts(&drawing);
    for part in [" through", "over the room", "pressure: ", "dB(A)", "Each line carries", "Solved on"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let air =
        drawing.pieces.iter().filter(|p| matches!(&p.shape, Shape::Line { stroke, .. } if matches!(stroke.role, Role::Air(_)))).count();
    assert!(air >= drawing.streams.len());
    // Parts that were in the drawing before still are.
    assert_eq!(tags(&drawn(Layer::Parts)).len(), 0);
    assert!(drawn(Layer::Parts).streams.is_empty() && drawn(Layer::Heat).streams.is_empty());
}

#[test]
fn the_heat_layer_has_a_map_a_scale_and_cards_by_their_die() {
    let drawing = drawn(Layer::Heat);
    let heat = |p: &&rigbay::drawing::Piece| matches!(&p.shape, Shape::Rect { fill: Some(Role::Heat(_)), .. });
    let map = drawing.pieces.iter().filter(heat).filter(|p| p.target.is_none()).count();
    assert!(map > 300, "{map}");
    let cards = drawing.pieces.iter().filter(heat).filter(|p| p.target.is_some()).count();
    assert_eq!(cards, 4);
    let celsius = tags(&drawing).iter().filter(|t| t.ends_with("°C")).count();
    assert_eq!(celsius, 4);
    let text = texts(&drawing);
    for part in ["Air", "Dies of the cards", "limit ", "fan ", "% work"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for theme in [Theme::Dark, Theme::Light] {
        let picture = svg::svg(&drawing, theme);
        assert!(picture.len() > 50_000 && picture.ends_with("</svg>\n"));
    }
}

#[test]
fn live_numbers_are_marked_as_estimates() {
    let project = &BLOWERS.0;
    let report = analyze(&CATALOG, project, Effort::Live);
    let drawing = rig::draw(&CATALOG, project, &report, Layer::Airflow);
    assert!(texts(&drawing).contains("Estimate; exact flow"), "{}", texts(&drawing));
    assert!(tags(&drawing).iter().filter(|t| t.ends_with("CFM")).count() >= 7);
}

#[test]
fn every_example_is_drawn_without_cards_too() {
    for file in ["1-guide-2018-one-card", "5-one-rtx-5090", "7-everything-wrong"] {
        let project = preset(file);
        let report = analyze(&CATALOG, &project, Effort::Live);
        for layer in [Layer::Airflow, Layer::Heat] {
            assert!(!rig::draw(&CATALOG, &project, &report, layer).pieces.is_empty(), "{file}");
        }
    }
    let empty = Project::default();
    let report = analyze(&CATALOG, &empty, Effort::Live);
    for layer in [Layer::Airflow, Layer::Heat] {
        let drawing = rig::draw(&CATALOG, &empty, &report, layer);
        assert!(drawing.bounds.w.is_finite() && drawing.bounds.w > 0.0);
    }
}

#[test]
fn the_circuit_obeys_kirchhoff() {
    let net = network(&CATALOG, &BLOWERS.0);
    assert!(net.zones.len() > 8 && net.converged);
    let fans = net.branches.iter().filter(|b| matches!(b.element, Element::Fan(_))).count();
    let coolers = net.branches.iter().filter(|b| matches!(b.element, Element::Cooler(Some(_)))).count();
    assert_eq!((fans, coolers), (2, 4));
    // What comes from the room goes there.
    let room: f64 = net
        .branches
        .iter()
        .map(|b| {
            if b.from == End::Room {
                b.flow
            } else if b.to == End::Room {
                -b.flow
            } else {
                0.0
            }
        })
        .sum();
    let through: f64 = net.branches.iter().filter(|b| b.from == End::Room).map(|b| b.flow.max(0.0)).sum();
    assert!(room.abs() < 1e-6 * through, "{room} of {through}");
    // A gap loses pressure in the direction of its flow.
    for b in net.branches.iter().filter(|b| b.element == Element::Gap) {
        assert!(b.loss * b.flow >= 0.0);
        assert!(b.resistance().is_none_or(|r| r > 0.0));
    }
    let drawing = circuit(&net);
    assert_eq!(drawing.pieces.iter().filter(|p| matches!(p.shape, Shape::Circle { .. })).count(), fans + coolers + 1, "the CPU's too");
    let text = texts(&drawing);
    assert!(text.contains("1: ") && text.contains(" Pa") && text.contains("front grille"), "{text}");
}

fn card_and_free_slot(project: &Project) -> (PlacementId, SlotId) {
    let card = project.rig.placed(&CATALOG).find(|(_, _, p)| matches!(p.kind, PartKind::Gpu(_))).unwrap().0;
    let part = CATALOG.part(&project.rig.placement(card).unwrap().part).unwrap();
    let free = rigbay::build::slots::slots(&CATALOG, &project.rig).into_iter();
    let fits = |s: &rigbay::build::slots::Slot| {
        s.is_pcie() && s.occupants.is_empty() && rigbay::build::fit::fit(&CATALOG, &project.rig, part, s, Some(card)).possible()
    };
    (card, free.filter(fits).last().unwrap().id)
}

#[test]
fn a_reading_stays_true_when_the_card_moves() {
    let project = preset("3-two-cards-2021");
    let (card, free) = card_and_free_slot(&project);
    let factor = reading_factor(&CATALOG, &project, card, (60.0, 300.0, Some(0.7))).unwrap();
    let set = |key: &str, value: String| Edit::Set { what: card, key: key.to_owned(), value: Some(value) };
    let edits = vec![
        set("reading_c", "60".to_owned()),
        set("reading_w", "300".to_owned()),
        set("reading_fan_pct", "70".to_owned()),
        set("reading_factor", format!("{factor:.6}")),
        set("power_limit_w", "300".to_owned()),
        set("fan_pct", "70".to_owned()),
    ];
    let read = Edit::Many { label: "read".to_owned(), edits }.apply(&CATALOG, &project).unwrap();
    let die = |p: &Project| {
        let air = analyze(&CATALOG, p, Effort::Live).facts.airflow;
        let found = air.card(card).unwrap();
        assert_eq!(found.basis, CoolerBasis::Reading);
        found.state.clone().unwrap().die.value
    };
    assert!((die(&read) - 60.0).abs() < 0.6, "{}", die(&read));
    // In another place the same cooler breathes other air: the reading is of the cooler, not of the place.
    let moved = Edit::Move { what: card, to: Some(free) }.apply(&CATALOG, &read).unwrap();
    assert!((die(&moved) - die(&read)).abs() > 0.3, "{} {}", die(&moved), die(&read));
}

#[test]
fn a_steeper_curve_cools() {
    let project = preset("3-two-cards-2021");
    let (card, _) = card_and_free_slot(&project);
    let with = |curve: &str| {
        let edit = Edit::Set { what: card, key: "fan_curve".to_owned(), value: Some(curve.to_owned()) };
        let project = edit.apply(&CATALOG, &project).unwrap();
        analyze(&CATALOG, &project, Effort::Live).facts.airflow.card(card).unwrap().state.clone().unwrap()
    };
    let (slow, fast) = (with("40:20,90:40"), with("30:60,70:100"));
    assert!(fast.fan > slow.fan && (fast.die.value < slow.die.value || fast.power_w > slow.power_w), "{fast:?} {slow:?}");
    let wrong = Edit::Set { what: card, key: "fan_curve".to_owned(), value: Some("90:20,40:40".to_owned()) };
    assert!(wrong.apply(&CATALOG, &project).is_err());
}

#[test]
fn a_search_for_advice_can_be_stopped() {
    let progress = Progress::default();
    progress.stop();
    assert_eq!(advise_watched(&CATALOG, &preset("3-two-cards-2021"), &progress), None);
    assert_eq!(progress.state().0, 0);
}
