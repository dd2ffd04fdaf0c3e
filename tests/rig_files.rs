//! Rig files: what is saved opens as it was, whatever was done before; faults name file, line and field.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use rigbay::build::slots::slots;
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::load;
use rigbay::catalog::model::{Cache, ExactTensors, ExactWeights, Experts, LayerGroup, ModelShape, TensorClass, Tensors, WeightsFormat};
use rigbay::catalog::part::{Part, PartId};
use rigbay::project::edit::{Edit, VariantChange};
use rigbay::project::file::{Figure, Snapshot, differences, load_text, used_parts};
use rigbay::project::history::History;
use rigbay::project::trial::{Reading, Trial};
use rigbay::project::{FindingKey, Project, Rate, Room, Subject, UserPrice, Versions};
use rigbay::report::snapshot::{opening_notes, rig_text, same_facts, snapshot};
use rigbay::units::Currency;
use rigbay::workload::{Attention, Engine, KvPrecision, Serving, Split, Workload};

fn mini() -> Catalog {
    let (catalog, faults) = load(&[("mini.toml".to_owned(), include_str!("data/mini_catalog.toml").to_owned())]);
    assert!(faults.is_empty(), "{faults:?}");
    catalog
}

fn model() -> ModelShape {
    let tensor = |class, name: &str, params, active| Tensors { class, name: name.to_owned(), params, active };
    ModelShape {
        name: "maker/Tiny \"quoted\" 7B".to_owned(),
        model_type: "llama".to_owned(),
        hidden: 4096,
        layers: 32,
        heads: 32,
        mlp_width: 11008,
        vocab: 32000,
        context: Some(4096),
        tied: false,
        experts: Some(Experts { total: 8, active: 2 }),
        groups: vec![
            LayerGroup { count: 16, cache: Cache::Full { kv_heads: 8, k_dim: 128, v_dim: 128 } },
            LayerGroup { count: 8, cache: Cache::Sliding { kv_heads: 8, k_dim: 128, v_dim: 128, window: 512 } },
            LayerGroup { count: 4, cache: Cache::Latent { rank: 512, rope_dim: 64 } },
            LayerGroup { count: 2, cache: Cache::State { elements: 1 << 20 } },
            LayerGroup { count: 2, cache: Cache::Shared },
        ],
        tensors: vec![
            tensor(TensorClass::Embedding, "embedding", 131_072_000, 131_072_000),
            tensor(TensorClass::Expert, "experts, 32 layers", 6_000_000_000, 1_500_000_000),
        ],
        published_precision: Some("bf16".to_owned()),
        network: None,
        source: "made up for tests".to_owned(),
        remarks: vec!["line one\nline two".to_owned()],
        ..ModelShape::default()
    }
}

fn workload(context: u64) -> Workload {
    let serving = Serving {
        engine: Some(Engine::Vllm),
        split: Some(Split::Tensor),
        shares: vec![3.0, 1.5],
        micro_batch: Some(2048),
        attention: Some(Attention::Efficient),
        slots: Some(4),
        pool: Some(0.85),
        max_len: Some(32_768),
        cpu_layers: 2,
        cpu_expert_layers: 10,
        draft_tokens: 6,
    };
    // The file of the first version knows no choices of serving.
    let serving = if context == 2048 { Serving::default() } else { serving };
    Workload { kv_precision: KvPrecision::Q8_0, context, gpus: Some(2), serving, ..Workload::of(Arc::new(model())) }
}

/// Numbers from which [`edit`] makes an edit that mostly makes sense in the present document.
type Dice = (u8, u16, u16, u16, f64);

fn edit(catalog: &Catalog, project: &Project, (what, a, b, c, x): Dice) -> Edit {
    let pick = |n: u16, len: usize| if len == 0 { 0 } else { usize::from(n) % len };
    let parts: Vec<&PartId> = catalog.parts().map(|p| &p.id).collect();
    let part = parts[pick(a, parts.len())].clone();
    let places: Vec<SlotId> = slots(catalog, &project.rig).into_iter().map(|s| s.id).collect();
    let slot = if c % 5 == 0 { None } else { Some(places[pick(b, places.len())].clone()) };
    let ids: Vec<PlacementId> = project.rig.placements().map(|(id, _)| id).collect();
    let piece = ids.get(pick(b, ids.len())).copied().unwrap_or(PlacementId(u32::from(b)));
    let settings =
        BTreeMap::from([("power_limit_w".to_owned(), (1.0 + x.abs() % 900.0).to_string()), ("note.Above 4G".to_owned(), "on".to_owned())]);
    match what % 16 {
        0..5 => Edit::Place { part, slot, settings: if c % 3 == 0 { settings } else { BTreeMap::new() } },
        5 => Edit::Move { what: piece, to: slot },
        6 => Edit::Remove(piece),
        7 => Edit::Replace { what: piece, part },
        8 if c % 5 == 0 => {
            let before = Reading { celsius: x.abs().min(150.0), watts: 300.0 };
            let trial = Trial {
                change: "turn a fan".to_owned(),
                said_k: 3.0,
                low_k: -1.0,
                high_k: 7.0,
                before,
                after: (c % 2 == 0).then_some(before),
            };
            Edit::Trial { index: pick(a, 2), trial: (c % 3 != 0).then_some(trial) }
        }
        8 => Edit::Set { what: piece, key: "direction".to_owned(), value: (c % 2 == 0).then(|| "in \u{7f}\t\"".to_owned()) },
        9 => Edit::Workload { index: pick(b, 3), workload: (c % 4 != 0).then(|| Box::new(workload(u64::from(c)))) },
        10 => Edit::Room(Room { tariff_per_kwh: x.abs(), currency: Currency::EUR, ..Room::default() }),
        11 => Edit::Price { part, price: (c % 3 != 0).then(|| UserPrice::new(x.abs(), Currency::USD, "2026-11-30")) },
        12 => Edit::Rate { currency: "EUR".to_owned(), rate: Some(Rate { to: Currency::USD, per_unit: x, date: "2026-11-30".to_owned() }) },
        13 => Edit::Threshold { key: "psu_margin".to_owned(), value: (c % 2 == 0).then_some(x) },
        14 => {
            let change = match pick(c, 5) {
                0 => VariantChange::Keep,
                1 => VariantChange::Switch,
                2 => VariantChange::Put(Box::new(project.rig.clone())),
                3 => VariantChange::Rename(format!("r{}", c % 3)),
                _ => VariantChange::Drop,
            };
            Edit::Variant { name: ["plan b", "a.b", "x"][pick(a, 3)].to_owned(), change }
        }
        _ => {
            let subjects =
                [Subject::Whole, Subject::Placement(piece), Subject::Workload("w".to_owned())].into_iter().take(1 + pick(a, 3)).collect();
            let finding = FindingKey { rule: "psu_capacity".to_owned(), subjects };
            let named =
                Edit::Many { label: "both".to_owned(), edits: vec![Edit::Name(format!("rig {c}")), Edit::Notes("a\nb".to_owned())] };
            if c % 3 == 0 { named } else { Edit::Accept { finding, because: (c % 3 == 1).then(|| "known".to_owned()) } }
        }
    }
}

fn reopened(catalog: &Catalog, project: &Project) -> Project {
    let text = rig_text(catalog, project).unwrap();
    let loaded = load_text(&Catalog::default(), &text, "rig.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(loaded.notes, Vec::<String>::new(), "{text}");
    let used: Vec<&Part> = used_parts(catalog, project).collect();
    assert_eq!(loaded.copies.parts.len(), used.len());
    assert!(loaded.copies.parts.iter().zip(used).all(|(a, b)| same_facts(a, b) && a.kind == b.kind));
    // A second time round, nothing at all differs.
    let again = catalog.overlaid(loaded.copies.clone());
    assert_eq!(rig_text(&again, &loaded.project).unwrap(), text);
    loaded.project
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random edits never panic, undo is exact, and saving loses nothing.
    #[test]
    fn edits_undo_and_files_are_exact(dice in prop::collection::vec((any::<u8>(), any::<u16>(), any::<u16>(), any::<u16>(), any::<f64>()), 1..40)) {
        let catalog = mini();
        let mut history = History::open(Project::default());
        let mut states = vec![history.now().clone()];
        for roll in dice {
            let edit = edit(&catalog, history.now(), roll);
            let label = edit.label(&catalog, history.now());
            if let Ok(next) = edit.apply(&catalog, history.now())
                && history.commit(&label, next, false)
            {
                states.push(history.now().clone());
            }
        }
        let last = history.now().clone();
        prop_assert_eq!(&reopened(&catalog, &last), &*last);
        for state in states.iter().rev().skip(1) {
            prop_assert!(history.undo().is_some());
            prop_assert_eq!(history.now(), state);
        }
        prop_assert!(history.undo().is_none());
        while history.redo().is_some() {}
        prop_assert_eq!(history.now(), &last);
    }

    /// Whatever the bytes, opening answers and never panics.
    #[test]
    fn broken_files_are_refused_in_words(cut in 0_usize..6000, put in "[\\PC\n]{0,3}") {
        let mut text = saved();
        let at = (0..=cut.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap();
        text.insert_str(at, &put);
        if let Err(error) = load_text(&mini(), &text, "rig.toml") {
            prop_assert!(error.to_string().starts_with("rig.toml:"));
            prop_assert!(error.line >= 1 && !error.message.is_empty());
        }
    }
}

fn sample() -> Project {
    let catalog = mini();
    let place = |part: &str, slot: Option<SlotId>| Edit::place(&PartId::new(part), slot);
    let board = PlacementId(1);
    let edits = [
        place("case.t.tower", Some(SlotId::rig("case"))),
        place("board.t.server", Some(SlotId::rig("board"))),
        place("cpu.t.one", Some(SlotId::of(board, "cpu1"))),
        place("gpu.t.blower", Some(SlotId::of(board, "SLOT1"))),
        place("gpu.t.blower", Some(SlotId::of(board, "SLOT2"))),
        place("psu.t.1600", Some(SlotId::rig("psu1"))),
        place("drive.t.m2", None),
        Edit::Workload { index: 0, workload: Some(Box::new(workload(2048))) },
    ];
    edits.iter().fold(Project::default(), |p, e| e.apply(&catalog, &p).unwrap())
}

fn saved() -> String {
    rig_text(&mini(), &sample()).unwrap()
}

#[test]
fn a_saved_rig_opens_without_the_catalog() {
    assert_eq!(reopened(&mini(), &sample()), sample());
}

#[test]
fn the_file_of_format_1_opens() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/format-1.toml");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        rigbay::files::write_atomic(path.as_ref(), saved().as_bytes()).unwrap();
    }
    let text = rigbay::files::read_text(path.as_ref(), 1 << 20).unwrap();
    let loaded = load_text(&Catalog::default(), &text, path).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(loaded.project, sample());
    assert_eq!(loaded.copies.parts.len(), 6);
}

/// What a file of weights adds to a shape.
fn with_tables() -> Project {
    let model = ModelShape {
        weights: Some(ExactWeights {
            format: WeightsFormat::Gguf,
            label: "Q4_K_M".to_owned(),
            files: 2,
            file_bytes: 5_000_000_000,
            tensors: 291,
            groups: vec![
                ExactTensors { class: TensorClass::Head, kind: "Q6_K".to_owned(), layers: Vec::new(), elements: 256, bytes: 210 },
                ExactTensors { class: TensorClass::Mlp, kind: "Q4_K".to_owned(), layers: vec![[0, 3], [7, 31]], elements: 512, bytes: 288 },
            ],
        }),
        ..model()
    };
    let workload = Workload::of(Arc::new(model));
    assert_eq!(workload.precision.text(), "gguf");
    Edit::Workload { index: 0, workload: Some(Box::new(workload)) }.apply(&mini(), &sample()).unwrap()
}

#[test]
fn exact_tables_are_saved_and_checked() {
    assert_eq!(reopened(&mini(), &with_tables()), with_tables());
    let text = rig_text(&mini(), &with_tables()).unwrap();
    for (from, to, expected) in [
        ("bytes = 288", "bytes = 9000000000000000000", "has a table of tensors that no file has"),
        ("elements = 512", "elements = 4000000000000000000", "has a table of tensors that no file has"),
        ("format = \"gguf\"", "format = \"safetensors\"", "precision as in the file needs a model read from such a file"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let error = refused(&text.replace(from, to));
        assert!(error.contains(expected), "{error}");
    }
}

fn refused(text: &str) -> String {
    load_text(&mini(), text, "rig.toml").expect_err("refused").to_string()
}

#[test]
fn faults_name_line_and_field() {
    let text = saved();
    let line = |needle: &str| 1 + text.lines().position(|l| l.starts_with(needle)).unwrap_or_else(|| panic!("{needle} in {text}"));
    assert!(refused("").starts_with("rig.toml:1: format: is missing, so this is no rig file."));
    assert!(
        refused(&text.replace("format = 1\n", "format = 2\n"))
            .contains("format: is 2, but this program reads up to 1. Open the file with a newer Rigbay")
    );
    assert!(refused(&text.replace("format = 1\n", "format = \"1\"\n")).contains("is no format number"));
    let gone = refused(&text.replace("p3 = { part = \"gpu.t.blower\"", "p3 = { part = \"gpu.t.blowr\""));
    assert!(gone.starts_with(&format!("rig.toml:{}: rig.placements.p3.part: names gpu.t.blowr, which is neither", line("p3"))), "{gone}");
    let typo = refused(&text.replace("mains_v", "mains_volt"));
    assert!(typo.starts_with(&format!("rig.toml:{}: room.mains_volt: unknown field `mains_volt`", line("mains_v"))), "{typo}");
    let kind = refused(&text.replace("context = 2048", "context = \"2048\""));
    assert!(kind.starts_with(&format!("rig.toml:{}: workloads.0.context: invalid type", line("context"))), "{kind}");
    let zero = refused(&text.replace("context = 2048", "context = 0"));
    assert!(
        zero.starts_with(&format!(
            "rig.toml:{}: workloads.0.context: workload: context, batch and cards must be at least 1",
            line("context")
        )),
        "{zero}"
    );
    let pool = refused(&text.replace("[workloads.model]", "[workloads.serving]\npool = 1.5\n\n[workloads.model]"));
    assert!(pool.contains("workloads.0.serving.pool: pool: 0.05 to 1"), "{pool}");
    let range = refused(&text.replace("mains_v = 120.0", "mains_v = nan"));
    assert!(range.starts_with(&format!("rig.toml:{}: room.mains_v: mains voltage: NaN is outside 90 to 500", line("mains_v"))), "{range}");
    let slot = refused(&text.replace("slot = \"p1/SLOT1\"", "slot = \"SLOT1\""));
    assert!(slot.starts_with(&format!("rig.toml:{}: rig.placements.p3.slot: \"SLOT1\" is no slot", line("p3"))), "{slot}");
    let part = refused(&text.replace("memory_gb = 24.0", "memory_gb = \"24\""));
    assert!(part.starts_with(&format!("rig.toml:{}: parts: gpu.t.blower: memory_gb: invalid type", line("memory_gb"))), "{part}");
    let huge = refused(&text.replace("params = 6000000000", "params = 9000000000000000000"));
    assert!(huge.contains("workloads.0.model: has more parameters than any model"), "{huge}");
    assert!(refused("format = 1\nname = \"x").starts_with("rig.toml:2: "));
}

#[test]
fn what_is_missing_unknown_or_endless_is_named_by_itself() {
    let text = saved();
    let line = |needle: &str| 1 + text.lines().position(|l| l.starts_with(needle)).unwrap_or_else(|| panic!("{needle} in {text}"));
    let without = |start: &str| text.lines().filter(|l| !l.starts_with(start)).collect::<Vec<_>>().join("\n");
    let (before, after) = text.split_once("[room]").unwrap();
    let (_, after) = after.split_once("\n[").unwrap();
    let room = refused(&format!("{before}[{after}"));
    assert!(room.starts_with("rig.toml:1: room: is missing. Add a table [room]"), "{room}");
    assert!(refused(&without("name = \"New rig")).starts_with("rig.toml:1: name: is missing. Add `name = …`"));
    let field = refused(&without("mains_v"));
    assert!(field.starts_with(&format!("rig.toml:{}: room.mains_v: is missing", line("[room]"))), "{field}");
    let listed = refused(&without("context = 2048"));
    assert!(listed.starts_with(&format!("rig.toml:{}: workloads.0.context: is missing", line("[[workloads]]"))), "{listed}");
    let nested = refused(&text.replace("{ part = \"gpu.t.blower\", ", "{ "));
    assert!(nested.starts_with(&format!("rig.toml:{}: rig.placements.p3.part: is missing", line("p3"))), "{nested}");

    let huge = refused(&text.replace("mains_v = 120.0", "mains_v = 1e300"));
    assert!(huge.starts_with(&format!("rig.toml:{}: room.mains_v: ", line("mains_v"))) && huge.len() < 160, "{huge}");
    let digits = refused(&text.replace("mains_v = 120.0", &format!("mains_v = {}", "9".repeat(300))));
    assert!(digits.len() < 200, "{digits}");
    let long = refused(&text.replace("mains_v = 120.0", &format!("mains_v = \"{}\"", "x".repeat(5000))));
    assert!(long.contains("room.mains_v: invalid type") && long.len() < 200, "{long}");

    let with = |more: &str| refused(&format!("{text}\n{more}\n"));
    let end = text.lines().count() + 3;
    let unknown = with("[thresholds]\npsu_margins = 1.2");
    assert!(
        unknown.starts_with(&format!("rig.toml:{end}: thresholds.psu_margins: is no threshold. Known are: gpu_memory_floor_gb, ")),
        "{unknown}"
    );
    assert!(unknown.ends_with("price_age_days"), "{unknown}");
    let low = with("[thresholds]\npsu_margin = -1");
    assert!(low.starts_with(&format!("rig.toml:{end}: thresholds.psu_margin: threshold: -1 is outside")), "{low}");
    let amount = with("[prices.parts]\n\"gpu.t.blower\" = { amount = -5, currency = \"EUR\", date = \"2026-01-01\" }");
    assert!(amount.starts_with(&format!("rig.toml:{end}: prices.parts.gpu.t.blower.amount: price: -5 is outside")), "{amount}");
    let date = with("[prices.parts]\n\"gpu.t.blower\" = { amount = 5, currency = \"EUR\", date = \"2026-02-31\" }");
    assert!(date.contains(": prices.parts.gpu.t.blower.date: \"2026-02-31\" is no date."), "{date}");
    let part = refused(&text.replace("memory_gb = 24.0", "memory_gb = -24.0"));
    assert!(
        part.starts_with(&format!(
            "rig.toml:{}: parts: gpu.t.blower: memory_gb: -24.0 is out of range. Allowed: above 0",
            line("memory_gb")
        )),
        "{part}"
    );
}

#[test]
fn pieces_without_a_place_go_to_the_tray_with_a_note() {
    let catalog = mini();
    let text = saved().replace("slot = \"p1/SLOT2\"", "slot = \"p9/SLOT2\"").replace("next = 7", "next = 2");
    let loaded = load_text(&catalog, &text, "rig.toml").unwrap();
    assert_eq!(loaded.project.rig.placement(PlacementId(4)).unwrap().slot, None);
    let place = Edit::place(&PartId::new("fan.t.120"), None).apply(&catalog, &loaded.project).unwrap();
    assert!(place.rig.placement(PlacementId(7)).is_some());
    let expected = [
        "rig.next was 2, a number already in use; counted on from 7.",
        "T100 Blower (p4) no longer goes to p9/SLOT2; it lies in the tray.",
    ];
    assert_eq!(loaded.notes, expected);
}

#[test]
fn a_file_of_other_versions_lists_what_changed() {
    let catalog = mini();
    let same = load_text(&catalog, &saved(), "rig.toml").unwrap();
    assert_eq!(opening_notes(&catalog, &same), Vec::<String>::new());
    assert_eq!(same.snapshot, snapshot(&catalog, &same.project));
    let mut other = same;
    other.made_with = Versions { program: "0.0.1".to_owned(), catalog: "0".to_owned(), core: "0".to_owned() };
    other.snapshot.figures.push(Figure { name: "Typical draw of everything".to_owned(), value: "1 W".to_owned() });
    let notes = opening_notes(&catalog, &other);
    assert!(notes[0].starts_with("This file was made with Rigbay 0.0.1, catalog 0, core 0; this is Rigbay "), "{notes:?}");
    assert_eq!(notes[1..], ["Typical draw of everything: no longer computed, was 1 W"]);
}

#[test]
fn differences_are_told_once_each() {
    let shot = |mark: &str, figures: &[(&str, &str)]| {
        let figures = figures.iter().map(|(n, v)| Figure { name: (*n).to_owned(), value: (*v).to_owned() }).collect();
        Snapshot { mark: mark.to_owned(), figures, findings: Vec::new() }
    };
    assert!(differences(&shot("a", &[("x", "1")]), &shot("a", &[("x", "1")])).is_empty());
    assert_eq!(
        differences(&shot("a", &[("x", "1"), ("y", "2")]), &shot("b", &[("z", "3"), ("x", "4")])),
        ["z: 3, new", "x: 4, was 1", "y: no longer computed, was 2"]
    );
    assert_eq!(differences(&shot("a", &[]), &shot("b", &[])).len(), 1);
    let judged = |findings: &[(&str, &str)]| Snapshot { findings: shot("a", findings).figures, ..Snapshot::default() };
    let (before, after) =
        (judged(&[("x", "fail"), ("y", "pass")]), judged(&[("x", "pass"), ("z", "pass"), ("v", "unknown"), ("w", "pass")]));
    let expected = ["Finding x: pass, was fail", "Finding v: unknown, new", "Findings that pass: 2 new", "Findings that pass: 1 gone"];
    assert_eq!(differences(&before, &after), expected);
}
