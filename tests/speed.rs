//! Speed of small rigs: steps that add up, strategies with reasons, what breaks first, several workloads on one rig.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::sync::Arc;

use rigbay::analysis::speed::Speed;
use rigbay::analysis::speed::breaks::Layer;
use rigbay::analysis::speed::strategy::Way;
use rigbay::analysis::{Effort, Facts, facts};
use rigbay::build::SlotId;
use rigbay::build::slots::slots;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::model::ModelShape;
use rigbay::catalog::part::PartId;
use rigbay::import::model_list::builtin;
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::workload::training::{Loader, Parallel, Training, Zero};
use rigbay::workload::{Hours, Part, Sharing, Split, Workload};

fn catalog() -> Catalog {
    load(&embedded_files("")).0
}

fn model(name: &str) -> Arc<ModelShape> {
    let models = embedded_files("models/").into_iter().flat_map(|(name, text)| builtin(&text, &name).unwrap());
    models.into_iter().find(|m| m.name == name).unwrap().into()
}

/// A board with room, a processor, and so many cards of a kind.
fn rig(catalog: &Catalog, card: &str, count: usize) -> Project {
    let place = |project: &Project, part: &str| {
        let id = PartId::new(part);
        let free = slots(catalog, &project.rig).into_iter().filter(|s| s.occupants.is_empty());
        free.into_iter().find_map(|s| Edit::place(&id, Some(s.id)).apply(catalog, project).ok())
    };
    let boards = catalog.parts().filter(|p| p.kind.key() == "board");
    let whole = boards.into_iter().find_map(|board| {
        let mut project = Edit::place(&board.id, Some(SlotId::rig("board"))).apply(catalog, &Project::default()).ok()?;
        for _ in 0..count {
            project = place(&project, card)?;
        }
        let cpu = catalog.parts().filter(|p| p.kind.key() == "cpu").find_map(|p| place(&project, p.id.as_str()))?;
        let known = facts(catalog, &cpu, Effort::Live);
        (count < 2 || known.lanes.ring_gb_s.is_some()).then_some(cpu)
    });
    whole.unwrap()
}

fn with(project: &Project, workloads: Vec<Workload>) -> Project {
    Project { workloads, ..project.clone() }
}

fn of(catalog: &Catalog, project: &Project) -> Facts {
    facts(catalog, project, Effort::Live)
}

fn shown(speed: &Speed) -> f64 {
    speed.step_s()
}

const CARD: &str = "gpu.nvidia.rtx-3090";

#[test]
fn steps_add_up_and_strategies_say_why_they_lose() {
    let catalog = catalog();
    let bare = rig(&catalog, CARD, 2);
    let workload = Workload { batch: 1, context: 4096, ..Workload::of(model("meta-llama/Llama-3.1-8B")) };
    let facts = of(&catalog, &with(&bare, vec![workload.clone()]));
    let decode = &facts.speed[0];
    assert_eq!(decode.metric, "decode_tokens_per_s");
    assert!((shown(decode) * decode.value.unwrap() - 1.0).abs() < 1e-6, "{:?}", decode.terms);
    assert_eq!(decode.over_cards.len(), 2);
    let ways = &decode.ways;
    assert!(ways.options.iter().any(|o| o.way == Way::Layers) && ways.options.iter().any(|o| o.way == Way::Matrices), "{ways:?}");
    let best = ways.best().unwrap();
    for other in ways.options.iter().filter(|o| o.way != best.way) {
        assert!(!other.fits || other.value <= best.value.map(|v| v * 1.006), "{other:?} beats {best:?}");
        assert!(!other.reason(best, "tokens/s").is_empty());
    }
    // What is set is what the value is of.
    let set = ways.options.iter().find(|o| Some(o.way) == ways.set).unwrap();
    assert!((set.value.unwrap() / decode.value.unwrap() - 1.0).abs() < 1e-9);
    let cut = Workload { serving: rigbay::workload::Serving { split: Some(Split::Tensor), ..Default::default() }, ..workload };
    let cut = of(&catalog, &with(&bare, vec![cut]));
    assert!(cut.speed[0].terms.iter().any(|t| t.name == "links between cards" && t.seconds > 1e-4), "{:?}", cut.speed[0].terms);
}

#[test]
fn training_sends_what_its_parallelism_says() {
    let catalog = catalog();
    let bare = rig(&catalog, CARD, 2);
    let job = |zero| Workload {
        training: Some(Training {
            micro_batch: 4,
            sequence: 512,
            parallel: Parallel { zero, ..Parallel::default() },
            ..Training::default()
        }),
        ..Workload::of(model("Qwen/Qwen2.5-0.5B"))
    };
    let speed = |zero| of(&catalog, &with(&bare, vec![job(zero)])).speed.remove(0);
    let (plain, spread) = (speed(Zero::None), speed(Zero::Parameters));
    assert_eq!(plain.metric, "train_tokens_per_s");
    let tokens = 2.0 * 4.0 * 512.0;
    assert!((plain.value.unwrap() - tokens / shown(&plain)).abs() < 1e-6 * plain.value.unwrap(), "{:?}", plain.terms);
    // Two gathers of the weights and a scatter of the gradients at 16 bits against a sum of gradients at 32: 3 × 2 to 2 × 4 bytes.
    let sent = |s: &Speed| s.ways.options.iter().find(|o| Some(o.way) == s.ways.set).unwrap().sent;
    assert!((sent(&spread) / sent(&plain) - 0.75).abs() < 0.01, "{} {}", sent(&spread), sent(&plain));
    let blocked = Workload { training: job(Zero::None).training.map(|t| Training { loader: Loader::Blocking, ..t }), ..job(Zero::None) };
    let blocked = of(&catalog, &with(&bare, vec![blocked])).speed.remove(0);
    assert!(blocked.value.unwrap() <= plain.value.unwrap());
}

#[test]
fn what_breaks_first_comes_first() {
    let catalog = catalog();
    let project = with(&rig(&catalog, CARD, 1), vec![Workload { context: 8192, ..Workload::of(model("meta-llama/Llama-3.1-8B")) }]);
    let limits = of(&catalog, &project).limits;
    let layers = [Layer::Memory, Layer::Precision, Layer::Communication, Layer::Input, Layer::Power, Layer::Heat, Layer::Evaluation];
    for layer in layers {
        assert!(limits.iter().any(|l| l.layer == layer && !l.reason.is_empty()), "{layer:?} is missing: {limits:?}");
    }
    let growth: Vec<f64> = limits.iter().filter_map(|l| l.growth).collect();
    assert!(growth.is_sorted(), "{growth:?}");
    let most = limits.iter().find(|l| l.layer == Layer::Memory && l.unit == "sequences").unwrap();
    let more = Workload { batch: most.at.unwrap() as u64 + 1, ..project.workloads[0].clone() };
    let over = of(&catalog, &with(&project, vec![more])).limits;
    assert!(over.iter().any(|l| l.layer == Layer::Memory && l.growth.is_some_and(|g| g < 1.0)), "{over:?}");
}

#[test]
fn several_workloads_share_a_day() {
    let catalog = catalog();
    let bare = rig(&catalog, CARD, 1);
    let named =
        |name: &str, sharing: Sharing| Workload { name: name.to_owned(), sharing, context: 2048, ..Workload::of(model("Qwen/Qwen2.5-7B")) };
    let day = |a: Sharing, b: Sharing| of(&catalog, &with(&bare, vec![named("first", a), named("second", b)]));
    let whole = Sharing::default();
    let broken = day(whole, whole).day.broken;
    assert_eq!(broken.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["second"], "order is priority");
    let at = |from, hours| Sharing { hours: Some(Hours { from, hours }), part: None };
    let apart = day(at(8.0, 10.0), at(20.0, 12.0)).day;
    assert!(apart.broken.is_empty() && (apart.cards[0].idle_hours - 2.0).abs() < 0.26, "{apart:?}");
    let half = |gib| Sharing { hours: None, part: Some(Part { memory_gib: Some(gib), time: 0.5 }) };
    let both = day(half(10.0), half(10.0));
    assert!(both.day.broken.is_empty(), "{:?}", both.day);
    let alone = day(whole, at(0.0, 1.0)).speed[0].value.unwrap();
    assert!((both.speed[0].value.unwrap() / alone - 0.5).abs() < 1e-9, "half of the time, half of the tokens");
    let over = day(half(10.0), half(20.0)).day.broken;
    assert!(over.len() == 1 && over[0].reason.contains("GiB"), "{over:?}");
    let time = Sharing { hours: None, part: Some(Part { memory_gib: Some(8.0), time: 0.7 }) };
    assert!(day(half(8.0), time).day.broken[0].reason.contains("of the time"));
    // Settings are edits, and out of range they are refused.
    let wrong = named("x", Sharing { hours: Some(Hours { from: 25.0, hours: 1.0 }), part: None });
    assert!(Edit::Workload { index: 0, workload: Some(Box::new(wrong)) }.apply(&catalog, &bare).is_err());
}
