//! Lines of a ledger: the plan's bytes with their names and formulas.

use super::band::Band;
use super::engine::{self, chunk};
use super::plan::{DENSE, Device, OnCard, Plan, Sizes};
use super::{Item, ItemKind};
use crate::analysis::{Basis, Origin};
use crate::catalog::model::Cache;
use crate::units::{Bytes, count, plain, thousands};
use crate::workload::{Attention, Engine, Split};

/// All lines of one card; those of zero bytes are left out.
pub(super) fn of(plan: &Plan<'_>, card: usize, sizes: &Sizes, on: &OnCard) -> Vec<Item> {
    let mut items = Vec::with_capacity(14);
    let mut add = |name: String, kind: ItemKind, band: Band, origin: &dyn Fn() -> Origin| {
        if band.high > 0 {
            let Band { low, value, high } = band;
            items.push(Item { name, kind, bytes: Bytes(value), low: Bytes(low), high: Bytes(high), origin: origin() });
        }
    };
    let layers = layers_text(&plan.layers(card));
    for (name, band, whole) in weight_parts(plan, on) {
        let origin = || layer_origin(plan, card, whole, plan.layers(card).len());
        add(format!("{name}, {layers}"), ItemKind::Weights, band, &origin);
    }
    let experts = plan.expert_layers(card);
    let origin = || layer_origin(plan, card, plan.weights.experts, experts.len());
    add(format!("experts, {}", layers_text(&experts)), ItemKind::Weights, on.experts, &origin);
    let where_to = if plan.split == Split::Tensor { "sliced" } else { "on the first card" };
    add("input embedding".to_owned(), ItemKind::Weights, on.embedding, &|| {
        end_origin(plan, &format!("rows of the vocabulary; {where_to}"))
    });
    add("output head".to_owned(), ItemKind::Weights, on.head, &|| {
        let place = if plan.split == Split::Tensor { "sliced" } else { "on the last card" };
        let tied = if plan.workload.model.tied { "the input embedding serves as output head; " } else { "" };
        end_origin(plan, &format!("{tied}{place}"))
    });
    add("draft layer".to_owned(), ItemKind::Weights, on.draft, &|| draft_origin(plan));
    add("KV cache".to_owned(), ItemKind::KvCache, on.cache, &|| cache_origin(plan, card, sizes));
    add("recurrent state".to_owned(), ItemKind::KvCache, on.state, &|| state_origin(plan, sizes, &layers));
    add("buffers".to_owned(), ItemKind::Buffers, on.buffers, &|| buffer_origin(plan, card, sizes));
    add("held by the allocator".to_owned(), ItemKind::Overhead, on.slack, &|| {
        let used = Bytes(on.used().value);
        Origin::new(
            Basis::Assumed,
            format!("3 % of {used} (0 to 8 %)"),
            "PyTorch keeps blocks of 2 and 20 MiB that are not full; source not recorded",
        )
    });
    add("driver and engine context".to_owned(), ItemKind::Overhead, on.runtime, &|| runtime_origin(plan));
    if let Some(device) = plan.cards.get(card) {
        add("kept by the driver".to_owned(), ItemKind::Overhead, on.reserve, &|| reserve_origin(device));
    }
    add("desktop on the screen".to_owned(), ItemKind::Overhead, on.display, &|| {
        Origin::new(Basis::Assumed, "as set for this card", "the rig file, display_mib of the card")
    });
    items
}

pub(super) fn layers_text(range: &std::ops::Range<u32>) -> String {
    match range.len() {
        0 => "no layers".to_owned(),
        1 => format!("layer {}", range.end),
        _ => format!("layers {}–{}", range.start + 1, range.end),
    }
}

/// The layers' weights by kind, adding up exactly: name, band, and the sum over all layers.
fn weight_parts(plan: &Plan<'_>, on: &OnCard) -> Vec<(&'static str, Band, u64)> {
    let whole = plan.weights.dense.max(1);
    let part = |bytes: u64, until: u64| (u128::from(bytes) * u128::from(until) / u128::from(whole)) as u64;
    let mut sum = 0_u64;
    let mut parts = Vec::with_capacity(4);
    for (name, bytes) in DENSE.iter().zip(plan.weights.kinds) {
        let before = sum;
        sum = sum.saturating_add(bytes);
        if bytes > 0 {
            parts.push((*name, on.layers.map(|b| part(b, sum).saturating_sub(part(b, before))), bytes));
        }
    }
    parts
}

fn weights_basis(plan: &Plan<'_>) -> Basis {
    // Where layers differ in size, a share by their number is no count.
    if plan.weights_error() > 0.0 || plan.cards.len() > 1 || plan.on_host() > 0 { Basis::Derived } else { Basis::Exact }
}

fn layer_origin(plan: &Plan<'_>, card: usize, all: u64, layers: usize) -> Origin {
    let model = &plan.workload.model;
    let mut formula = format!("{layers} of {} layers × {} in {}", model.layers, Bytes(all), plan.workload.precision);
    if plan.cards.len() > 1 {
        let how = if plan.workload.serving.shares.is_empty() { "in proportion to free memory" } else { "by the shares set" };
        match plan.split {
            Split::Layer => formula.push_str(&format!("; layers taken as equal, split {how}")),
            Split::Tensor => formula.push_str(&format!(" × {} of every matrix", plain(plan.slice(card), 3))),
        }
    }
    Origin::new(weights_basis(plan), formula, plan.workload.precision.source())
}

fn end_origin(plan: &Plan<'_>, what: &str) -> Origin {
    let model = &plan.workload.model;
    let formula = format!("{} × {} in {}: {what}", thousands(model.vocab as f64, 0), model.hidden, plan.workload.precision);
    Origin::new(weights_basis(plan), formula, plan.workload.precision.source())
}

fn draft_origin(plan: &Plan<'_>) -> Origin {
    let h = plan.workload.model.hidden;
    let formula = format!("an average layer and 2·{h}·{h} weights of the projection; on the last card");
    Origin::new(Basis::Assumed, formula, "multi-token prediction as in the DeepSeek-V3 report, arXiv 2412.19437")
}

fn state_origin(plan: &Plan<'_>, sizes: &Sizes, layers: &str) -> Origin {
    let sequences = count(plan.sequences(sizes.batch), "sequence");
    let drafts = plan.workload.serving.draft_tokens;
    let copies = if drafts > 0 { format!(" × (1 + {drafts} guesses)") } else { String::new() };
    let formula = format!("{sequences} × fixed states of {layers}, 4 bytes an element{copies}");
    Origin::new(Basis::Derived, formula, "the model's configuration")
}

fn cache_origin(plan: &Plan<'_>, card: usize, sizes: &Sizes) -> Origin {
    let model = &plan.workload.model;
    let mut formula = String::with_capacity(160);
    let mut window = false;
    for group in &model.groups {
        let one = match group.cache {
            Cache::Full { kv_heads, k_dim, v_dim } => format!("{} × {kv_heads}·({k_dim} + {v_dim})", group.count),
            Cache::Sliding { kv_heads, k_dim, v_dim, window: w } => {
                window = true;
                format!("{} × {kv_heads}·({k_dim} + {v_dim}) in windows of {w}", group.count)
            }
            Cache::Latent { rank, rope_dim } => format!("{} × ({rank} + {rope_dim})", group.count),
            Cache::State { .. } | Cache::Shared | Cache::None => continue,
        };
        if !formula.is_empty() {
            formula.push_str(" + ");
        }
        formula.push_str(&one);
    }
    let bits = plain(plan.workload.kv_precision.bits(), 2);
    let tokens = thousands(sizes.context as f64, 0);
    formula = format!("{} × {tokens} tokens × ({formula}) elements × {bits} bits", count(sizes.batch, "sequence"));
    if plan.cards.len() > 1 {
        match plan.split {
            Split::Layer => formula.push_str(&format!(" × {} of {} layers", plan.layers(card).len(), model.layers)),
            Split::Tensor => formula.push_str(", heads dealt out to the cards; states with them"),
        }
    }
    let source = match (window, plan.engine) {
        (true, Engine::LlamaCpp) => {
            "window layers keep sequences × window + ubatch cells: github:ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp"
        }
        (true, Engine::Vllm | Engine::Sglang) => "window layers keep the window; upper end: an engine that keeps all tokens",
        (true, Engine::Transformers | Engine::Exllama) => {
            "window layers keep the whole prompt until the next token: PyTorch run on fake tensors"
        }
        (false, _) => "the model's configuration",
    };
    let basis = if window || plan.cards.len() > 1 || plan.on_host() > 0 { Basis::Derived } else { Basis::Exact };
    Origin::new(basis, formula, source)
}

fn buffer_origin(plan: &Plan<'_>, card: usize, sizes: &Sizes) -> Origin {
    let model = &plan.workload.model;
    let (f, h) = (model.mlp_width, model.hidden);
    let tokens = thousands(sizes.context as f64 * sizes.batch as f64, 0);
    let ub = chunk(plan, sizes.context);
    match plan.engine {
        Engine::LlamaCpp => llama_origin(plan, sizes, ub, &tokens),
        Engine::Vllm | Engine::Sglang => {
            let slice = plan.slice(card);
            let sliced = if slice < 1.0 { format!("·{}", plain(slice, 3)) } else { String::new() };
            let experts = model.experts.map_or_else(String::new, |e| format!(" + 2·{}·{h}", e.active));
            let sequences = count(sizes.batch, "sequence");
            let formula = format!("2·(3·{f}{sliced} + 3·{h}{experts}) × {} tokens, and logits of {sequences}", thousands(ub as f64, 0));
            Origin::new(
                Basis::Fitted,
                formula,
                "vLLM, fitted to the peaks in github:vllm-project/vllm issue 10517; 2,048 tokens is its default piece of a prompt, 8,192 on large cards",
            )
        }
        Engine::Transformers | Engine::Exllama => {
            let prompt = thousands(ub.min(sizes.context) as f64 * sizes.batch as f64, 0);
            let kernel = engine::kernel(plan);
            let wide = match (model.experts, plan.weights.gated) {
                (Some(e), _) => format!("8·{h} + the greater of 8·{}·{h} and 8·{f} + 2·{}·{h}", e.active, e.active),
                (None, true) => format!("6·{f} + 8·{h}"),
                (None, false) => format!("4·{f} + 8·{h}"),
            };
            let attention = match kernel {
                Attention::Flash => "",
                Attention::Efficient => ", and 3 bytes of mask for each pair of tokens where layers have windows",
                Attention::Eager => ", or 10 bytes a head for each pair of tokens if that is more",
            };
            let formula = format!("({wide}) bytes × {prompt} tokens of prompt{attention}, and cuBLAS's workspace");
            Origin::new(
                Basis::Derived,
                formula,
                "PyTorch 2.15 and transformers 5.24 run on fake tensors: what is alive at the layer that takes most",
            )
        }
    }
}

fn llama_origin(plan: &Plan<'_>, sizes: &Sizes, ub: u64, tokens: &str) -> Origin {
    let model = &plan.workload.model;
    let (f, h) = (model.mlp_width, model.hidden);
    let several = plan.cards.len() > 1 && plan.split == Split::Layer;
    let experts = match (model.experts, several) {
        (None, _) => String::new(),
        (Some(e), false) => format!(" + {}·{h}", e.active),
        (Some(e), true) => format!(" + 2·{}·{h}", e.active),
    };
    let scores = if engine::kernel(plan) == Attention::Eager { format!(" or {}·{tokens}", model.heads) } else { String::new() };
    let copies = if several { format!("4·(2·{ub}·{tokens} + 4·{ub}·{h})") } else { format!("2·{ub}·{tokens}") };
    let mut formula = format!("4·{ub}·(2·{f}{scores} + 5·{h}{experts}) + {copies}");
    if plan.workload.serving.draft_tokens > 0 {
        formula = format!("2·({formula}), the draft layer's context counting as much");
    }
    if sizes.scratch > 0 {
        formula.push_str(&format!(" + {} scratch for the quantised cache", Bytes(sizes.scratch)));
    }
    let moved = engine::moved_experts(plan);
    if moved > 0.0 {
        formula.push_str(&format!(" + {} of experts copied from main memory", Bytes(moved as u64)));
    }
    Origin::new(
        Basis::Fitted,
        formula,
        "llama.cpp, fitted to github:tmac1973/llama-toolchest's corpus of loads; upper end: logits, as builds before github:ggml-org/llama.cpp pull request 23861 reserve them",
    )
}

fn runtime_origin(plan: &Plan<'_>) -> Origin {
    match plan.engine {
        Engine::LlamaCpp => Origin::new(
            Basis::Fitted,
            "card counters less the itemised buffers",
            "github:tmac1973/llama-toolchest's corpus of loads: CUDA on RTX A4000, ROCm on RX 9070 XT",
        ),
        Engine::Vllm | Engine::Sglang => Origin::new(
            Basis::Assumed,
            "0.3 GiB outside PyTorch + 0.5 GiB of CUDA graphs",
            "github:vllm-project/vllm issues 10517 and 13061; graphs take 0.1 to 1.5 GiB",
        ),
        Engine::Transformers | Engine::Exllama => Origin::new(
            Basis::Assumed,
            "0.45 GiB of CUDA context",
            "general knowledge, source not recorded; upper end: 1,343 MiB on a V100, transformers documentation, model memory anatomy",
        ),
    }
}

pub(super) fn reserve_origin(card: &Device<'_>) -> Origin {
    let gib = card.gpu.memory_gb.unwrap_or(24.0);
    Origin::new(
        Basis::Assumed,
        format!("0.287 GiB + 0.65 % of {} GiB", plain(gib, 1)),
        "a line through 452 MiB of an RTX 3090 (github:ollama/ollama issue 17482) and 0.8 GiB of an 80 GB A100 (source not recorded); other cards assumed alike",
    )
}
