//! Main memory that a workload takes.

use super::band::Band;
use super::engine::chunk;
use super::items::layers_text;
use super::plan::{Plan, Sizes};
use super::{Item, ItemKind};
use crate::analysis::{Basis, Origin};
use crate::units::{Bytes, thousands};
use crate::workload::Engine;

/// What one workload keeps in main memory.
#[derive(Clone, Debug, PartialEq)]
pub struct HostLedger {
    /// Index into the project's workloads.
    pub workload: usize,
    pub workload_name: String,
    pub items: Vec<Item>,
    pub total: Bytes,
    pub low: Bytes,
    pub high: Bytes,
}

/// Bytes of weights that stay in main memory: input embedding, layers, experts.
pub fn weights(plan: &Plan<'_>) -> u64 {
    let layers = plan.dense_in(&(0..plan.on_host()));
    plan.weights.host.saturating_add(layers).saturating_add(experts(plan))
}

/// Of the layers that stay, and of those whose experts alone do.
pub fn experts(plan: &Plan<'_>) -> u64 {
    let most = plan.workload.model.layers;
    let until = plan.on_host().max(plan.workload.serving.cpu_expert_layers).min(most);
    plan.experts_in(&(0..until))
}

pub(super) fn ledger(workload: usize, plan: &Plan<'_>, sizes: &Sizes) -> HostLedger {
    let mut items = Vec::with_capacity(6);
    let error = plan.weights_error();
    let mut add = |name: &str, kind: ItemKind, band: Band, basis: Basis, formula: String, source: &'static str| {
        if band.high > 0 {
            let Band { low, value, high } = band;
            let origin = Origin::new(basis, formula, source);
            items.push(Item { name: name.to_owned(), kind, bytes: Bytes(value), low: Bytes(low), high: Bytes(high), origin });
        }
    };
    let (model, precision) = (&plan.workload.model, plan.workload.precision);
    let source = precision.source();
    let formula = format!("{} × {} in {precision}, and lookup tables", thousands(model.vocab as f64, 0), model.hidden);
    add("input embedding", ItemKind::Weights, Band::within(plan.weights.host, error), Basis::Derived, formula, source);
    let range = 0..plan.on_host();
    let kept = plan.dense_in(&range);
    let formula = format!("{} of {} layers × {}", range.len(), model.layers, Bytes(plan.weights.dense));
    add(&layers_text(&range), ItemKind::Weights, Band::within(kept, error), Basis::Derived, formula, source);
    let formula = format!("experts of the first layers, of {} in all", Bytes(plan.weights.experts));
    add("experts", ItemKind::Weights, Band::within(experts(plan), error), Basis::Derived, formula, source);
    let cache = (sizes.cache + sizes.state).map(|b| plan.of_layers(b, &range));
    let formula = format!("{} of {} layers' cache and states", range.len(), model.layers);
    add("KV cache", ItemKind::KvCache, cache, Basis::Derived, formula, "llama.cpp keeps a layer's cache where the layer is");
    match plan.engine {
        Engine::LlamaCpp => {
            let ub = chunk(plan, sizes.context) as f64;
            let tokens = sizes.context as f64 * sizes.batch as f64;
            let value = 4.0 * ub * f64::from(model.hidden) + 2.0 * ub * tokens;
            let formula = format!("4·{ub}·{} + 2·{ub}·{} of inputs and mask", model.hidden, thousands(tokens, 0));
            add(
                "buffers",
                ItemKind::Buffers,
                Band::of(0.5 * value, value, 2.0 * value),
                Basis::Assumed,
                formula,
                "llama.cpp: what its graph reads from main memory",
            );
            let value = 0.4 * GIB;
            let formula = "the program, its driver and vocabulary".to_owned();
            add(
                "program",
                ItemKind::Overhead,
                Band::of(0.2 * GIB, value, 1.0 * GIB),
                Basis::Assumed,
                formula,
                "general knowledge, source not recorded",
            );
        }
        Engine::Vllm | Engine::Sglang | Engine::Transformers | Engine::Exllama => {
            let formula = format!("Python, PyTorch and CUDA libraries, about 3 GiB a process × {}", plan.cards.len().max(1));
            let n = plan.cards.len().max(1) as f64;
            add(
                "program",
                ItemKind::Overhead,
                Band::of(2.0 * GIB * n, 3.0 * GIB * n, 6.0 * GIB * n),
                Basis::Assumed,
                formula,
                "general knowledge, source not recorded",
            );
        }
    }
    let total: Band = items.iter().map(|i| Band { low: i.low.0, value: i.bytes.0, high: i.high.0 }).sum();
    HostLedger {
        workload,
        workload_name: plan.workload.name.clone(),
        items,
        total: Bytes(total.value),
        low: Bytes(total.low),
        high: Bytes(total.high),
    }
}

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
