//! Lines of a ledger: the plan's bytes with their names and formulas.

use super::plan::{Band, Engine, OnCard, Plan, Sizes, UBATCH};
use super::{Item, ItemKind};
use crate::analysis::{Basis, Origin};
use crate::catalog::model::Cache;
use crate::units::{Bytes, count, plain, thousands};

/// All lines of one card; those of zero bytes are left out.
pub(super) fn of(plan: &Plan<'_>, card: usize, sizes: &Sizes, on: &OnCard) -> Vec<Item> {
    let mut items = Vec::with_capacity(8);
    let mut add = |name: String, kind: ItemKind, band: Band, origin: Origin| {
        if band.high > 0 {
            let Band { low, value, high } = band;
            items.push(Item { name, kind, bytes: Bytes(value), low: Bytes(low), high: Bytes(high), origin });
        }
    };
    let range = plan.layers(card);
    let layers = if range.is_empty() { "no layers".to_owned() } else { format!("layers {}–{}", range.start + 1, range.end) };
    add(format!("weights, {layers}"), ItemKind::Weights, on.layers, layer_origin(plan, card));
    if on.embedding.value > 0 {
        add("input embedding".to_owned(), ItemKind::Weights, on.embedding, end_origin(plan, "rows of the vocabulary; on the first card"));
    }
    if on.head.value > 0 {
        let what =
            if plan.workload.model.tied { "the input embedding serves as output head; on the last card" } else { "on the last card" };
        add("output head".to_owned(), ItemKind::Weights, on.head, end_origin(plan, what));
    }
    if on.cache.high > 0 {
        add("KV cache".to_owned(), ItemKind::KvCache, on.cache, cache_origin(plan, card, sizes));
    }
    if on.state.high > 0 {
        let formula = format!("{} × fixed states of {layers}, 4 bytes an element", count(sizes.batch, "sequence"));
        add("recurrent state".to_owned(), ItemKind::KvCache, on.state, Origin::new(Basis::Derived, formula, "the model's configuration"));
    }
    add("buffers".to_owned(), ItemKind::Buffers, on.buffers, buffer_origin(plan, sizes));
    add("driver and engine context".to_owned(), ItemKind::Overhead, on.runtime, runtime_origin(plan));
    add("kept by the driver".to_owned(), ItemKind::Overhead, on.reserve, reserve_origin());
    items
}

fn weights_basis(plan: &Plan<'_>) -> Basis {
    // Where layers differ in size, a share by their number is no count.
    if plan.weights_error() > 0.0 || plan.cards.len() > 1 { Basis::Derived } else { Basis::Exact }
}

fn layer_origin(plan: &Plan<'_>, card: usize) -> Origin {
    let (model, range) = (&plan.workload.model, plan.layers(card));
    let all = plan.weights.dense.saturating_add(plan.weights.experts);
    let mut formula = format!("{} of {} layers × {} in {}", range.len(), model.layers, Bytes(all), plan.workload.precision);
    if plan.cards.len() > 1 {
        formula.push_str("; layers taken as equal, split in proportion to free memory");
    }
    if plan.weights.host > 0 {
        formula.push_str(&format!("; {} of input embedding stay in main memory", Bytes(plan.weights.host)));
    }
    Origin::new(weights_basis(plan), formula, plan.workload.precision.source())
}

fn end_origin(plan: &Plan<'_>, what: &str) -> Origin {
    let model = &plan.workload.model;
    let formula = format!("{} × {} in {}: {what}", thousands(model.vocab as f64, 0), model.hidden, plan.workload.precision);
    Origin::new(weights_basis(plan), formula, plan.workload.precision.source())
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
    formula =
        format!("{} × {} tokens × ({formula}) elements × {bits} bits", count(sizes.batch, "sequence"), thousands(sizes.context as f64, 0));
    if plan.cards.len() > 1 {
        formula.push_str(&format!(" × {} of {} layers", plan.layers(card).len(), model.layers));
    }
    let source = match (window, plan.engine) {
        (true, Engine::LlamaCpp) => {
            "window layers keep sequences × window + 512 cells: github:ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp"
        }
        (true, Engine::Framework) => "window layers keep the window; upper end: an engine that keeps all tokens",
        (false, _) => "the model's configuration",
    };
    let basis = if window || plan.cards.len() > 1 { Basis::Derived } else { Basis::Exact };
    Origin::new(basis, formula, source)
}

fn buffer_origin(plan: &Plan<'_>, sizes: &Sizes) -> Origin {
    let model = &plan.workload.model;
    let (f, h) = (model.mlp_width, model.hidden);
    let tokens = thousands(sizes.context as f64 * sizes.batch as f64, 0);
    match plan.engine {
        Engine::LlamaCpp => {
            let experts = match (model.experts, plan.cards.len()) {
                (None, _) => String::new(),
                (Some(e), 0 | 1) => format!(" + {}·{h}", e.active),
                (Some(e), _) => format!(" + 2·{}·{h}", e.active),
            };
            let copies = if plan.cards.len() > 1 {
                format!("4·(2·{UBATCH}·{tokens} + 4·{UBATCH}·{h})")
            } else {
                format!("2·{UBATCH}·{tokens}")
            };
            let mut formula = format!("4·{UBATCH}·(2·{f} + 5·{h}{experts}) + {copies}");
            if sizes.scratch > 0 {
                formula.push_str(&format!(" + {} scratch for the quantised cache", Bytes(sizes.scratch)));
            }
            Origin::new(
                Basis::Fitted,
                formula,
                "llama.cpp with flash attention and ubatch 512, fitted to github:tmac1973/llama-toolchest's corpus of loads; upper end: logits, as builds before github:ggml-org/llama.cpp pull request 23861 reserve them",
            )
        }
        Engine::Framework => {
            let formula =
                format!("2·(3·{f} + 3·{h}) × the lesser of {tokens} and 2,048 tokens, and logits of {}", count(sizes.batch, "sequence"));
            Origin::new(
                Basis::Fitted,
                formula,
                "vLLM, fitted to the peaks in github:vllm-project/vllm issue 10517; 2,048 tokens is its default piece of a prompt, 512 to a whole prompt are in use",
            )
        }
    }
}

fn runtime_origin(plan: &Plan<'_>) -> Origin {
    match plan.engine {
        Engine::LlamaCpp => Origin::new(
            Basis::Fitted,
            "card counters less the itemised buffers",
            "github:tmac1973/llama-toolchest's corpus of loads: CUDA on RTX A4000, ROCm on RX 9070 XT",
        ),
        Engine::Framework => Origin::new(
            Basis::Assumed,
            "0.3 GiB outside PyTorch + 0.5 GiB of CUDA graphs",
            "github:vllm-project/vllm issues 10517 and 13061; graphs take 0.1 to 1.5 GiB",
        ),
    }
}

pub(super) fn reserve_origin() -> Origin {
    Origin::new(Basis::Assumed, "24,576 − 24,124 MiB, as on an RTX 3090", "github:ollama/ollama issue 17482; other cards assumed alike")
}
