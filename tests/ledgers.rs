//! Power, memory, speed and cost of small rigs with parts made here, and of models from the shipped list against measurements.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::sync::Arc;

use rigbay::analysis::cost::{best_price, energy_cost};
use rigbay::analysis::memory::limits::formats;
use rigbay::analysis::memory::{CardLedger, ItemKind, Limits};
use rigbay::analysis::power::{POWER_LIMIT, efficiency_at};
use rigbay::analysis::speed::Bound;
use rigbay::analysis::{Basis, Effort, Facts, facts};
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::embedded_files;
use rigbay::catalog::model::{Cache, LayerGroup, ModelShape, TensorClass, Tensors};
use rigbay::catalog::part::{Board, Connector, Cpu, Gpu, Part, PartId, PartKind, Price, Psu, Ram};
use rigbay::catalog::precision::Precision;
use rigbay::catalog::vocab::{ConnectorKind, Efficiency, GpuVendor, PriceKind, Sale};
use rigbay::import::model_list::builtin;
use rigbay::project::edit::Edit;
use rigbay::project::{Project, Rate, UserPrice};
use rigbay::units::{Bytes, Currency, Money};
use rigbay::workload::{Attention, Engine, KvPrecision, Serving, Split, Workload};

fn part(id: &str, kind: PartKind) -> Part {
    Part::bare(PartId::new(id), id, kind)
}

fn price(amount: f64, currency: &str, date: &str, kind: PriceKind) -> Price {
    Price { amount, currency: currency.to_owned(), date: date.to_owned(), kind, source: "shop".to_owned(), note: None }
}

fn gpu(gb: f64) -> Gpu {
    Gpu {
        vendor: Some(GpuVendor::Nvidia),
        memory_gb: Some(gb),
        bandwidth_gb_s: Some(936.0),
        tdp_w: Some(350.0),
        tensor_fp16_tflops: Some(71.0),
        pcie_lanes: Some(16),
        ..Gpu::default()
    }
}

fn slot(n: u8) -> Connector {
    Connector::new(format!("S{n}"), ConnectorKind::Pcie, Some(16), Some(4))
}

fn catalog() -> Catalog {
    let priced = |mut p: Part, prices: Vec<Price>| {
        p.prices = prices;
        p
    };
    let board = PartKind::Board(Board { connectors: (1..=8).map(slot).collect(), ..Board::default() });
    let mut used = part("gpu.used", PartKind::Gpu(gpu(24.0)));
    used.life.sale = Some(Sale::UsedOnly);
    let launched = price(1499.0, "USD", "2020-09", PriceKind::Launch);
    let parts = [
        priced(part("board", board), vec![price(500.0, "USD", "2025-01-02", PriceKind::List)]),
        part("cpu", PartKind::Cpu(Cpu { tdp_w: Some(180.0), max_turbo_w: Some(280.0), ..Cpu::default() })),
        part("cpu.unknown", PartKind::Cpu(Cpu::default())),
        priced(part("gpu", PartKind::Gpu(gpu(24.0))), vec![launched.clone(), price(700.0, "USD", "2025-06-01", PriceKind::StreetUsed)]),
        priced(
            used,
            vec![launched, price(700.0, "USD", "2025-06-01", PriceKind::StreetUsed), price(9.0, "USD", "2021", PriceKind::StreetUsed)],
        ),
        priced(part("gpu.small", PartKind::Gpu(gpu(12.0))), vec![price(300.0, "EUR", "2025-03-01", PriceKind::StreetNew)]),
        part("gpu.80", PartKind::Gpu(gpu(80.0))),
        part("gpu.unknown", PartKind::Gpu(Gpu { memory_gb: None, bandwidth_gb_s: None, tdp_w: None, ..gpu(1.0) })),
        part("psu", PartKind::Psu(Psu { watts: Some(1000.0), efficiency: Some(Efficiency::Gold), ..Psu::default() })),
        part("psu.plain", PartKind::Psu(Psu { watts: Some(1000.0), ..Psu::default() })),
        part("ram", PartKind::Ram(Ram { modules: Some(2), gb_per_module: Some(16.0), ..Ram::default() })),
    ];
    Catalog::new(parts, rigbay::catalog::templates::Templates::default(), "test".to_owned())
}

/// A rig of these parts: the board first, cards in its slots from the top.
fn rig(catalog: &Catalog, parts: &[&str]) -> Project {
    let mut project = Edit::place(&PartId::new("board"), Some(SlotId::rig("board"))).apply(catalog, &Project::default()).unwrap();
    let (mut slots, mut supplies) = (0, 0);
    for name in parts {
        let on_board = |n: &str| SlotId::of(PlacementId(0), n);
        let place = match name.split('.').next().unwrap() {
            "gpu" => {
                slots += 1;
                on_board(&format!("S{slots}"))
            }
            "cpu" => on_board("cpu1"),
            "ram" => on_board("dimm"),
            "psu" => {
                supplies += 1;
                SlotId::rig(&format!("psu{supplies}"))
            }
            other => panic!("no place for {other}"),
        };
        project = Edit::place(&PartId::new(name), Some(place)).apply(catalog, &project).unwrap();
    }
    project
}

fn of(catalog: &Catalog, project: &Project) -> Facts {
    facts(catalog, project, Effort::Live)
}

fn models() -> Vec<ModelShape> {
    embedded_files("models/").iter().flat_map(|(name, text)| builtin(text, name).unwrap()).collect()
}

fn model(name: &str) -> Arc<ModelShape> {
    models().into_iter().find(|m| m.name == name).unwrap_or_else(|| panic!("{name} is not in the list")).into()
}

/// 32 layers as Llama 3.1 8B has them, with other caches if given.
fn shape(groups: Vec<LayerGroup>) -> ModelShape {
    let tensors = |class, params, active| Tensors { class, name: String::new(), params, active };
    ModelShape {
        name: "test/8b".to_owned(),
        model_type: "llama".to_owned(),
        hidden: 4096,
        layers: 32,
        heads: 32,
        mlp_width: 14_336,
        vocab: 128_256,
        context: Some(131_072),
        tied: false,
        experts: None,
        groups,
        tensors: vec![
            tensors(TensorClass::Embedding, 525_336_576, 525_336_576),
            tensors(TensorClass::Mlp, 6_979_321_856, 6_979_321_856),
            tensors(TensorClass::Head, 525_336_576, 525_336_576),
        ],
        published_precision: None,
        network: None,
        source: String::new(),
        remarks: Vec::new(),
        ..ModelShape::default()
    }
}

const FULL: Cache = Cache::Full { kv_heads: 8, k_dim: 128, v_dim: 128 };

fn with_workload(mut project: Project, workload: Workload) -> Project {
    project.workloads.push(workload);
    project
}

fn kv(ledgers: &[CardLedger]) -> u64 {
    ledgers.iter().map(|l| l.bytes_of(ItemKind::KvCache).0).sum()
}

/// Cache bytes of all cards at a precision, context and batch.
fn cache_of(cards: &[&str], model: Arc<ModelShape>, precision: Precision, kv_precision: KvPrecision, context: u64, batch: u64) -> u64 {
    let catalog = catalog();
    let workload = Workload { precision, kv_precision, context, batch, ..Workload::of(model) };
    kv(&of(&catalog, &with_workload(rig(&catalog, cards), workload)).memory)
}

#[test]
fn caches_are_exact() {
    let (p, kv16) = (Precision::Q4KM, KvPrecision::F16);
    let llama = || model("meta-llama/Llama-3.1-8B");
    // 2 × 8 heads × 128 × 2 bytes × 32 layers = 131,072 bytes a token.
    assert_eq!(cache_of(&["gpu"], llama(), p, kv16, 8192, 1), 131_072 * 8192);
    assert_eq!(cache_of(&["gpu"], llama(), p, KvPrecision::Q8_0, 8192, 1), 131_072 * 8192 * 17 / 32);
    assert_eq!(cache_of(&["gpu", "gpu.small", "gpu"], llama(), p, kv16, 8192, 3), 3 * 131_072 * 8192);
    // github: a stored log of ik_llama.cpp shows 1098.00 MiB at 16,384 tokens.
    assert_eq!(cache_of(&["gpu"], model("deepseek-ai/DeepSeek-V3"), p, kv16, 16_384, 1), 70_272 * 16_384);
    assert_eq!(70_272 * 16_384, 1098 * 1024 * 1024);
}

#[test]
fn windows_and_states_stop_growing() {
    let half = |cache| shape(vec![LayerGroup { count: 16, cache: FULL }, LayerGroup { count: 16, cache }]);
    let window = || Arc::new(half(Cache::Sliding { kv_heads: 8, k_dim: 128, v_dim: 128, window: 1024 }));
    let at = |model, context| cache_of(&["gpu"], model, Precision::Q4KM, KvPrecision::F16, context, 1);
    let per_token = 16 * 4096;
    assert_eq!(at(window(), 512), 2 * per_token * 512);
    assert_eq!(at(window(), 32_768), per_token * 32_768 + per_token * (1024 + 512));
    let state = || Arc::new(half(Cache::State { elements: 1000 }));
    assert_eq!(at(state(), 32_768), per_token * 32_768 + 16 * 4000);
    let shared = || Arc::new(half(Cache::Shared));
    assert_eq!(at(shared(), 32_768), per_token * 32_768);
}

#[test]
fn layers_are_split_by_free_memory_and_add_up() {
    let catalog = catalog();
    let workload = Workload { precision: Precision::Q4KM, ..Workload::of(model("meta-llama/Llama-3.1-8B")) };
    let weights = |cards: &[&str]| {
        let ledgers = of(&catalog, &with_workload(rig(&catalog, cards), workload.clone())).memory;
        ledgers.iter().map(|l| l.bytes_of(ItemKind::Weights).0).collect::<Vec<_>>()
    };
    let one = weights(&["gpu"]);
    let two = weights(&["gpu", "gpu.small"]);
    assert_eq!(one.iter().sum::<u64>(), two.iter().sum::<u64>());
    // The input embedding stays in main memory: file less 128,256 × 4,096 weights of 4.5 bits.
    let file = Precision::Q4KM.model_bytes(&workload.model);
    assert_eq!(one[0], file - 128_256 * 4096 * 144 / 256);
    assert!(two[0] > two[1], "{two:?}");
    // 24 GB and 12 GB: 22 or 23 of the 32 layers on the first.
    let first = of(&catalog, &with_workload(rig(&catalog, &["gpu", "gpu.small"]), workload)).memory[0].items[0].name.clone();
    assert!(first.ends_with(", layers 1–23"), "{first}");
}

#[test]
fn a_tied_head_counts_once_on_one_card() {
    let mut tied = shape(vec![LayerGroup { count: 32, cache: FULL }]);
    tied.tied = true;
    tied.tensors.pop();
    let catalog = catalog();
    let workload = Workload { precision: Precision::Bf16, ..Workload::of(Arc::new(tied)) };
    let weights = |cards: &[&str], split: Split| -> u64 {
        let serving = Serving { split: Some(split), ..Serving::default() };
        let ledgers = of(&catalog, &with_workload(rig(&catalog, cards), Workload { serving, ..workload.clone() })).memory;
        ledgers.iter().map(|l| l.bytes_of(ItemKind::Weights).0).sum()
    };
    let once = 2 * (525_336_576 + 6_979_321_856);
    assert_eq!(weights(&["gpu"], Split::Layer), once);
    assert_eq!(weights(&["gpu", "gpu"], Split::Layer), once + 2 * 525_336_576);
    // Sliced, it is in the same place as the embedding.
    assert_eq!(weights(&["gpu", "gpu"], Split::Tensor), once);
}

#[test]
fn items_add_up_and_name_their_origin() {
    let catalog = catalog();
    let project = with_workload(rig(&catalog, &["gpu", "gpu"]), Workload::of(model("openai/gpt-oss-20b")));
    for ledger in of(&catalog, &project).memory {
        let sums = ledger.items.iter().fold((0, 0, 0), |a, i| (a.0 + i.low.0, a.1 + i.bytes.0, a.2 + i.high.0));
        assert_eq!(sums, (ledger.low.0, ledger.total.0, ledger.high.0));
        for item in &ledger.items {
            assert!(item.low <= item.bytes && item.bytes <= item.high, "{item:?}");
            assert!(!item.origin.formula.is_empty() && !item.origin.source.is_empty(), "{item:?}");
        }
    }
    let one =
        with_workload(rig(&catalog, &["gpu"]), Workload { precision: Precision::Bf16, ..Workload::of(model("meta-llama/Llama-3.2-3B")) });
    assert_eq!(of(&catalog, &one).memory[0].items[0].origin.basis, Basis::Exact);
}

#[test]
fn largest_context_is_the_last_that_fits() {
    let catalog = catalog();
    let mut project = with_workload(rig(&catalog, &["gpu.small"]), Workload::of(model("meta-llama/Llama-3.1-8B")));
    let largest = Limits::largest_context(&catalog, &project, 0).unwrap();
    assert!((8192..131_072).contains(&largest), "{largest}");
    let total_at = |project: &mut Project, context| {
        project.workloads[0].context = context;
        of(&catalog, project).memory[0].total
    };
    assert!(total_at(&mut project, largest) <= Bytes::from_gib(12.0));
    assert!(total_at(&mut project, largest + 1) > Bytes::from_gib(12.0));
    assert_eq!(
        Limits::largest_context(&catalog, &with_workload(rig(&catalog, &["gpu.80"]), project.workloads[0].clone()), 0),
        Some(131_072)
    );
    assert_eq!(Limits::largest_context(&catalog, &with_workload(rig(&catalog, &["gpu.unknown"]), project.workloads[0].clone()), 0), None);
    assert_eq!(Limits::largest_context(&catalog, &with_workload(rig(&catalog, &[]), project.workloads[0].clone()), 0), None);
    project.workloads[0].context = 1024;
    assert!(Limits::largest_batch(&catalog, &project, 0).is_some_and(|b| b > 1));
}

fn served(cards: &[&str], model: &str, precision: Precision, serving: Serving) -> Facts {
    let catalog = catalog();
    let workload = Workload { precision, serving, ..Workload::of(self::model(model)) };
    of(&catalog, &with_workload(rig(&catalog, cards), workload))
}

fn item(ledger: &CardLedger, name: &str) -> u64 {
    ledger.items.iter().filter(|i| i.name.starts_with(name)).map(|i| i.bytes.0).sum()
}

#[test]
fn a_server_takes_its_share_of_a_card_and_no_more() {
    let at = |pool| {
        let serving = Serving { engine: Some(Engine::Vllm), pool: Some(pool), ..Serving::default() };
        served(&["gpu"], "meta-llama/Llama-3.1-8B", Precision::Bf16, serving).memory.remove(0)
    };
    let (most, least) = (at(0.9), at(0.5));
    // What the driver keeps lies outside the share.
    let kept = item(&most, "kept by the driver");
    let visible = Bytes::from_gib(24.0).0 - kept;
    assert_eq!(most.limit.unwrap().0, kept + (visible as f64 * 0.9) as u64);
    assert_eq!((most.total, most.fits(), least.fits()), (least.total, Some(true), Some(false)));
    assert!(most.limit < most.capacity);
}

#[test]
fn every_matrix_sliced_over_cards_adds_up() {
    let split = |split, shares: Vec<f64>| {
        let serving = Serving { engine: Some(Engine::LlamaCpp), split: Some(split), shares, ..Serving::default() };
        served(&["gpu", "gpu.small"], "meta-llama/Llama-3.1-8B", Precision::Q4KM, serving).memory
    };
    let weights = |ledgers: &[CardLedger]| ledgers.iter().map(|l| l.bytes_of(ItemKind::Weights).0).collect::<Vec<_>>();
    let (layers, slices, uneven) = (split(Split::Layer, vec![]), split(Split::Tensor, vec![]), split(Split::Tensor, vec![3.0, 1.0]));
    let sum = |w: &[u64]| w.iter().sum::<u64>();
    assert!(weights(&slices).iter().sum::<u64>().abs_diff(sum(&weights(&layers))) < 8);
    let w = weights(&uneven);
    assert!((w[0] as f64 / sum(&w) as f64 - 0.75).abs() < 1e-6, "{w:?}");
    assert_eq!(kv(&uneven), 131_072 * 8192);
    // One latent cannot be dealt out: every card of a server holds it whole.
    let latent = |cards: &[&str]| {
        kv(&served(cards, "deepseek-ai/DeepSeek-V2-Lite", Precision::Bf16, Serving { engine: Some(Engine::Vllm), ..Serving::default() })
            .memory)
    };
    assert_eq!(latent(&["gpu", "gpu"]), 2 * latent(&["gpu"]));
}

#[test]
fn what_stays_in_main_memory_is_on_its_line() {
    let facts = |serving| served(&["gpu", "ram"], "Qwen/Qwen3-30B-A3B", Precision::Q4KM, serving);
    let whole = facts(Serving::default());
    let half = facts(Serving { cpu_expert_layers: 24, ..Serving::default() });
    let on_card = |f: &Facts| item(&f.memory[0], "experts");
    let on_host = |f: &Facts| f.host[0].items.iter().find(|i| i.name == "experts").map_or(0, |i| i.bytes.0);
    assert_eq!((on_host(&whole), on_card(&half)), (0, on_card(&whole) - on_host(&half)));
    assert!(on_host(&half).abs_diff(on_card(&whole) / 2) < 64);
    assert!(whole.host[0].items.iter().any(|i| i.name == "input embedding"));
    let layers = facts(Serving { cpu_layers: 12, ..Serving::default() });
    let cache: u64 = layers.host[0].items.iter().filter(|i| i.name == "KV cache").map(|i| i.bytes.0).sum();
    assert_eq!(cache + kv(&layers.memory), kv(&whole.memory));
    for host in [&whole.host[0], &layers.host[0]] {
        assert_eq!(host.items.iter().map(|i| i.bytes.0).sum::<u64>(), host.total.0);
    }
    // Reading from main memory needs its bandwidth, which these kits do not state.
    assert_eq!(layers.speed[0].missing.as_deref(), Some("speed_mt_s of ram"));
}

#[test]
fn the_screen_takes_its_part_of_one_card() {
    let catalog = catalog();
    let mut project = with_workload(rig(&catalog, &["gpu", "gpu"]), Workload::of(model("meta-llama/Llama-3.1-8B")));
    let set = Edit::Set { what: PlacementId(1), key: "display_mib".to_owned(), value: Some("600".to_owned()) };
    project = set.apply(&catalog, &project).unwrap();
    let ledgers = of(&catalog, &project).memory;
    let desktop: Vec<u64> = ledgers.iter().map(|l| item(l, "desktop")).collect();
    assert_eq!(desktop, [600 << 20, 0]);
}

#[test]
fn what_still_fits_is_the_last_that_does() {
    let catalog = catalog();
    let mut project = with_workload(rig(&catalog, &["gpu.small", "gpu"]), Workload::of(model("Qwen/Qwen2.5-32B")));
    let (rig_limits, cards) = Limits::all(&catalog, &project, 0).unwrap();
    assert_eq!(rig_limits.context, cards.iter().filter_map(|c| c.context).min());
    assert_eq!(rig_limits.context, Limits::largest_context(&catalog, &project, 0));
    let best = rig_limits.precision.unwrap();
    assert_eq!(Some(best), Limits::largest_precision(&catalog, &project, 0));
    let fits = |project: &Project| of(&catalog, project).memory.iter().all(|l| l.total <= l.limit.unwrap());
    let bytes = |p: Precision| p.model_bytes(&project.workloads[0].model);
    let larger: Vec<Precision> = formats(Engine::LlamaCpp, &project.workloads[0].model).filter(|p| bytes(*p) > bytes(best)).collect();
    assert!(!larger.is_empty());
    project.workloads[0].serving.engine = Some(Engine::LlamaCpp);
    project.workloads[0].precision = best;
    assert!(fits(&project));
    for precision in larger {
        project.workloads[0].precision = precision;
        assert!(!fits(&project), "{precision}");
    }
    let table = Limits::table(&catalog, &project, 0, &[Precision::Bf16, Precision::Q2K], &[1024, 8192]).unwrap();
    assert_eq!(table[0], [Some(false), Some(false)]);
    assert_eq!(table[1][0], Some(true));
}

#[test]
fn drafts_slots_and_kernels_cost_what_they_should() {
    let at = |serving: Serving| served(&["gpu.80"], "Qwen/Qwen3.6-27B", Precision::Q4KM, serving).memory.remove(0);
    let plain = at(Serving::default());
    // 149.62 MiB of state for each sequence, and for each of the six guesses.
    let state = item(&plain, "recurrent state");
    assert_eq!(item(&at(Serving { slots: Some(4), ..Serving::default() }), "recurrent state"), 4 * state);
    let drafting = at(Serving { draft_tokens: 6, ..Serving::default() });
    assert_eq!(item(&drafting, "recurrent state"), 7 * state);
    assert!(item(&drafting, "draft layer") > 0 && item(&plain, "draft layer") == 0);
    let eager = at(Serving { attention: Some(Attention::Eager), ..Serving::default() });
    assert!(item(&eager, "buffers") > item(&plain, "buffers"));
}

#[test]
fn speed_follows_bandwidth_and_names_what_is_missing() {
    let catalog = catalog();
    let workload = Workload::of(model("meta-llama/Llama-3.1-8B"));
    let speed = |cards: &[&str], workload: &Workload| of(&catalog, &with_workload(rig(&catalog, cards), workload.clone())).speed.remove(0);
    let one = speed(&["gpu"], &workload);
    let (low, value, high) = (one.low.unwrap(), one.value.unwrap(), one.high.unwrap());
    assert!(low < value && value < high, "{one:?}");
    // 936 GB/s over 4.6 GB of weights and 1.1 GB of cache: below 164 tokens/s.
    assert!((90.0..164.0).contains(&value), "{value}");
    let two = speed(&["gpu", "gpu"], &workload).value.unwrap();
    assert!((two / value - 1.0).abs() < 0.01, "cards work one after the other: {value} {two}");
    let batch = speed(&["gpu"], &Workload { batch: 4, context: 512, ..workload.clone() }).value.unwrap();
    assert!(batch > 2.0 * speed(&["gpu"], &Workload { context: 512, ..workload.clone() }).value.unwrap());
    assert_eq!((one.over_context.len(), one.over_batch.len()), (12, 7));
    assert_eq!(one.over_context.last().map(|p| p.x), Some(131_072.0));
    let missing = speed(&["gpu.unknown"], &workload);
    assert_eq!((missing.value, missing.missing.as_deref()), (None, Some("bandwidth_gb_s of gpu.unknown")));
    assert_eq!(speed(&[], &workload).missing.as_deref(), Some("a graphics card"));
    let large = speed(&["gpu"], &Workload::of(model("meta-llama/Llama-3.1-70B")));
    assert_eq!((large.value, large.bound, large.missing), (None, Bound::MemorySize, None));
    assert!(large.over_context.iter().all(|p| !p.fits));
}

#[test]
fn experts_are_read_in_part() {
    let catalog = catalog();
    let value = |name: &str| of(&catalog, &with_workload(rig(&catalog, &["gpu.80"]), Workload::of(model(name)))).speed[0].value.unwrap();
    // 30.5 B parameters of which 3.3 B are read, against 32.8 B all read.
    assert!(value("Qwen/Qwen3-30B-A3B") > 4.0 * value("Qwen/Qwen3-32B"));
}

#[test]
fn power_adds_up_and_unknown_is_not_zero() {
    let catalog = catalog();
    let project = rig(&catalog, &["cpu", "gpu", "gpu", "psu"]);
    let power = of(&catalog, &project).power;
    assert_eq!(power.cpu_gpu_w, 180.0 + 2.0 * 350.0);
    assert!((power.with_margin_w - power.typical_w * 1.1).abs() < 1e-9, "G15: the sum and 10 %");
    assert_eq!(power.typical_w, 880.0 + 40.0);
    assert_eq!(power.supply_w, Some(1000.0));
    // Gold at 92 % load, 120 V: between 90 % at half and 87 % at full load.
    let efficiency = 0.90 - 0.03 * (0.92 - 0.5) / 0.5;
    assert!((power.efficiency.unwrap() - efficiency).abs() < 1e-12);
    assert!((power.wall_w.unwrap() - 920.0 / efficiency).abs() < 1e-9);
    assert!((power.circuit_w - 120.0 * 15.0 * 0.8).abs() < 1e-9);

    let limit = Edit::Set { what: PlacementId(2), key: POWER_LIMIT.to_owned(), value: Some("250".to_owned()) };
    assert_eq!(of(&catalog, &limit.apply(&catalog, &project).unwrap()).power.cpu_gpu_w, 780.0);

    for unknown in ["gpu.unknown", "cpu.unknown"] {
        let facts = of(&catalog, &rig(&catalog, &[unknown, "psu"]));
        assert_eq!(facts.power.unknown, vec![PlacementId(1)]);
        assert_eq!((facts.power.parts[1].typical_w, facts.power.load, facts.power.wall_w), (None, None, None));
        assert_eq!((facts.cost.energy_per_month, facts.cost.over_months.len()), (None, 0));
    }
    let plain = of(&catalog, &rig(&catalog, &["gpu", "psu.plain"])).power;
    assert!(plain.load.is_some() && plain.efficiency.is_none() && plain.wall_w.is_none());
    let two = of(&catalog, &rig(&catalog, &["gpu", "psu", "psu"])).power;
    assert_eq!(two.supply_w, Some(2000.0));
    assert_eq!(of(&catalog, &rig(&catalog, &["gpu"])).power.supply_w, None);
}

#[test]
fn efficiency_is_interpolated() {
    let cases = [
        (Efficiency::Gold, 0.2, 115.0, 0.87),
        (Efficiency::Gold, 0.35, 115.0, 0.885),
        (Efficiency::Gold, 0.5, 115.0, 0.90),
        (Efficiency::Gold, 1.3, 115.0, 0.87),
        (Efficiency::White, 0.7, 115.0, 0.80),
        (Efficiency::Titanium, 0.1, 115.0, 0.90),
        (Efficiency::Titanium, 0.15, 115.0, 0.91),
        (Efficiency::Platinum, 0.5, 230.0, 0.94),
        (Efficiency::Bronze, 0.05, 115.0, 0.82),
    ];
    for (certificate, load, mains, expected) in cases {
        let found = efficiency_at(certificate, load, mains);
        assert!((found - expected).abs() < 1e-12, "{certificate} at {load}: {found}");
    }
}

#[test]
fn prices_are_chosen_by_kind_and_day() {
    let catalog = catalog();
    let mut project = rig(&catalog, &["gpu"]);
    let best = |project: &Project, id: &str| best_price(&catalog, project, &PartId::new(id)).map(|a| (a.price.cents, a.kind));
    // A used price does not stand for a part that is sold new.
    assert_eq!(best(&project, "gpu"), Some((149_900, PriceKind::Launch)));
    assert_eq!(best(&project, "gpu.used"), Some((70_000, PriceKind::StreetUsed)));
    assert_eq!(best(&project, "board"), Some((50_000, PriceKind::List)));
    assert_eq!(best(&project, "gpu.80"), None);
    let own = UserPrice::new(1.005, Currency::EUR, "2026-01-01");
    project.prices.parts.insert(PartId::new("gpu"), own);
    assert_eq!(best(&project, "gpu").map(|b| b.1), Some(PriceKind::User));
}

#[test]
fn currencies_are_never_mixed() {
    let catalog = catalog();
    let mut project = rig(&catalog, &["gpu.used", "gpu.small", "gpu.80"]);
    let cost = of(&catalog, &project).cost;
    // 500 + 700 dollars; euros wait for a rate, the last card has no price.
    assert_eq!(cost.known_total, Money::new(1200.0, Currency::USD));
    assert_eq!(cost.unpriced, vec![PlacementId(2), PlacementId(3)]);
    assert_eq!(cost.total_text(), "at least $1,200, 2 parts without price");
    assert_eq!(cost.oldest.as_deref(), Some("2025-01-02"));
    assert!(!cost.converted && cost.lines[2].asked.is_some() && cost.lines[2].counted.is_none());
    let rate = |to| Rate { to, per_unit: 1.1, date: "2025-06-01".to_owned() };
    project.prices.rates.insert("EUR".to_owned(), rate(Currency::parse("GBP").unwrap()));
    assert_eq!(of(&catalog, &project).cost.unpriced.len(), 2);
    project.prices.rates.insert("EUR".to_owned(), rate(Currency::USD));
    let cost = of(&catalog, &project).cost;
    assert_eq!(cost.known_total.cents, 120_000 + 33_000);
    assert!(cost.converted && cost.lines[2].converted && !cost.lines[1].converted);
}

/// The guide's sum: a four-card rig of 1,000 to 1,500 W over two weeks is 300 to 500 kWh, 60 to 100 euros at 0.20 a kWh, and an 80 %
/// efficient supply adds 18 to 26 euros. Its figures are rounded: a fifth of the supply's input is lost, a quarter of its output.
#[test]
fn the_guides_energy_sum() {
    let hours = 14.0 * 24.0;
    for (watts, kwh, euros, lost) in [(1000.0, 336.0, 67.2, 16.8), (1500.0, 504.0, 100.8, 25.2)] {
        assert!((energy_cost(watts, hours, 1.0) - kwh).abs() < 1e-9);
        assert!((energy_cost(watts, hours, 0.20) - euros).abs() < 1e-9);
        let added = energy_cost(watts / efficiency_at(Efficiency::White, 0.7, 115.0), hours, 0.20) - euros;
        assert!((added - lost).abs() < 1e-9 && (16.0..=26.0).contains(&added), "{added}");
    }
}

#[test]
fn energy_runs_over_the_rooms_years() {
    let catalog = catalog();
    let mut project = rig(&catalog, &["cpu", "gpu", "psu"]);
    (project.room.hours_per_day, project.room.tariff_per_kwh, project.room.life_years) = (10.0, 0.2, 2.0);
    let facts = of(&catalog, &project);
    let month = facts.power.wall_w.unwrap() / 1000.0 * 10.0 * 30.44 * 0.2;
    assert_eq!(facts.cost.energy_per_month, Some(Money::new(month, Currency::USD)));
    let (first, last) = (facts.cost.over_months[0], *facts.cost.over_months.last().unwrap());
    assert_eq!(first, (0.0, facts.cost.known_total.amount()));
    assert!((last.1 - first.1 - 24.0 * month).abs() < 1e-6 && last.0 == 24.0);
}
