//! Which bytes of a workload lie on which card. What does not depend on context and batch is summed once; the rest is closed forms, so
//! curves and drags can ask for any context and batch.

use super::band::Band;
use super::engine;
use crate::build::{Placement, PlacementId};
use crate::catalog::Catalog;
use crate::catalog::model::{Cache, TensorClass};
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::catalog::precision::Precision;
use crate::project::Project;
use crate::units::Bytes;
use crate::workload::{Engine, Split, Workload};

pub use crate::project::piece_settings::DISPLAY;

const MIB: f64 = 1024.0 * 1024.0;

/// A card that takes part.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    pub id: PlacementId,
    pub part: &'a Part,
    pub gpu: &'a Gpu,
    /// Bytes that the desktop on its screen takes, as the user says.
    pub display: u64,
}

impl Device<'_> {
    /// Bytes on the card; `None` = unknown.
    pub fn capacity(&self) -> Option<Bytes> {
        self.gpu.memory_gb.filter(|gb| *gb > 0.0).map(Bytes::from_gib)
    }
}

/// Bytes of the weights by where they go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Of all layers, routed experts not counted.
    pub dense: u64,
    /// `dense` by kind, in the order of [`DENSE`].
    pub kinds: [u64; 4],
    /// Routed experts of all layers.
    pub experts: u64,
    /// Share of the experts that one token reads, 0..1.
    pub expert_share: f64,
    /// Input embedding and lookup tables, where they lie on a card.
    pub embedding: u64,
    /// Output head, also where it is the input embedding.
    pub head: u64,
    /// Input embedding and tables that stay in main memory.
    pub host: u64,
    /// Parameters that one token multiplies with, the head included.
    pub active_params: u64,
    /// Whether the feed-forward has a gate: three matrices instead of two.
    pub gated: bool,
}

/// Names of the kinds in [`Weights::kinds`].
pub const DENSE: [&str; 4] = ["attention", "feed-forward", "recurrent mixers", "norms, routers and the rest"];

/// A workload laid out over cards.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    pub workload: &'a Workload,
    pub cards: Vec<Device<'a>>,
    pub engine: Engine,
    pub split: Split,
    pub weights: Weights,
    /// Split by layers: number of the first layer behind each card's share.
    ends: Vec<u32>,
    /// Bytes of the first layers, where the model's own file says it: other weights, experts.
    first: Vec<[u64; 2]>,
    /// Split of every matrix: sum of the shares up to each card, the last 1.
    until: Vec<f64>,
}

/// Everything that context and batch decide, for all cards together.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub context: u64,
    pub batch: u64,
    /// Keys and values of all layers.
    pub cache: Band,
    /// Fixed states of recurrent layers.
    pub state: Band,
    /// Keys, values and states on each card where every matrix is split and heads or latents cannot be.
    pub each: Band,
    /// Largest and smallest layer of the cache, in bytes.
    largest_layer: f64,
    smallest_layer: f64,
    /// One layer's keys and values at 16 bits: scratch where the cache is quantised.
    pub scratch: u64,
}

/// Bytes on one card.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OnCard {
    /// Layers without routed experts.
    pub layers: Band,
    pub experts: Band,
    pub embedding: Band,
    pub head: Band,
    /// The model's own draft layer.
    pub draft: Band,
    pub cache: Band,
    pub state: Band,
    pub buffers: Band,
    /// What the engine's allocator holds beyond what is in use.
    pub slack: Band,
    pub runtime: Band,
    pub reserve: Band,
    pub display: Band,
}

impl OnCard {
    pub fn weights(&self) -> Band {
        self.layers + self.experts + self.embedding + self.head + self.draft
    }
    /// What the engine itself counts.
    pub fn used(&self) -> Band {
        self.weights() + self.cache + self.state + self.buffers
    }
    pub fn total(&self) -> Band {
        self.used() + self.slack + self.runtime + self.reserve + self.display
    }
}

/// Placed cards in the order of their ids.
pub fn devices<'a>(catalog: &'a Catalog, project: &'a Project) -> impl Iterator<Item = Device<'a>> {
    project.rig.placed(catalog).filter_map(|(id, piece, part)| match &part.kind {
        PartKind::Gpu(gpu) => Some(Device { id, part, gpu, display: display(piece) }),
        _ => None,
    })
}

/// The first cards of `cards` that a workload may use.
pub fn used<'a>(workload: &Workload, cards: impl Iterator<Item = Device<'a>>) -> Vec<Device<'a>> {
    cards.take(workload.gpus.map_or(usize::MAX, |n| n as usize)).collect()
}

fn display(piece: &Placement) -> u64 {
    let text = piece.settings.get(DISPLAY);
    let mib = text.and_then(|t| t.trim().parse::<f64>().ok()).filter(|m| (0.0..=1e6).contains(m));
    mib.map_or(0, |m| (m * MIB) as u64)
}

impl<'a> Plan<'a> {
    /// Lays a workload out over the first cards of `cards` that it may use.
    pub fn new(workload: &'a Workload, cards: impl Iterator<Item = Device<'a>>) -> Self {
        let cards = used(workload, cards);
        let (engine, split) = (workload.engine(), workload.split());
        let mut plan = Self {
            workload,
            cards,
            engine,
            split,
            weights: weigh(workload, engine),
            ends: Vec::new(),
            first: by_layer(workload),
            until: Vec::new(),
        };
        let shares = plan.shares();
        let total: f64 = shares.iter().sum();
        let mut sum = 0.0;
        plan.until = shares
            .iter()
            .map(|share| {
                sum += share / total;
                sum.min(1.0)
            })
            .collect();
        // The output counts as one more layer: github:ggml-org/llama.cpp src/llama-model.cpp. 1e-9 keeps a share that is whole but for
        // rounding from taking one layer more.
        let (first, last) = (plan.on_host(), workload.model.layers);
        let placed = f64::from(last - first);
        plan.ends = plan.until.iter().map(|u| (first + (u * (placed + 1.0) - 1e-9).ceil() as u32).min(last)).collect();
        plan
    }

    /// What each card gets, in any unit: as the user says, else what it has free, evenly where a memory size is unknown or the engine
    /// slices matrices evenly.
    fn shares(&self) -> Vec<f64> {
        let count = self.cards.len();
        let even = || vec![1.0; count];
        let own = &self.workload.serving.shares;
        if !own.is_empty() {
            let shares: Vec<f64> = (0..count).map(|n| own.get(n).copied().unwrap_or(0.0)).collect();
            return if shares.iter().sum::<f64>() > 0.0 { shares } else { even() };
        }
        if self.split == Split::Tensor && self.engine != Engine::LlamaCpp {
            return even();
        }
        let taken = |c: &Device<'_>| engine::runtime(self, c).value + engine::reserve(c).value + c.display;
        let free: Option<Vec<f64>> = self.cards.iter().map(|c| Some(c.capacity()?.0.saturating_sub(taken(c)) as f64)).collect();
        free.filter(|f| f.iter().sum::<f64>() > 0.0).unwrap_or_else(even)
    }

    /// Makes all weights larger or smaller by a factor, where the size of the file is known.
    pub fn scale_weights(&mut self, factor: f64) {
        let w = &mut self.weights;
        for bytes in [&mut w.embedding, &mut w.head, &mut w.host] {
            *bytes = (*bytes as f64 * factor).round() as u64;
        }
        self.scale_layers(factor);
    }

    /// Makes the layers' weights larger or smaller by a factor, where their bits are known.
    pub fn scale_layers(&mut self, factor: f64) {
        let w = &mut self.weights;
        for bytes in w.kinds.iter_mut().chain([&mut w.experts]) {
            *bytes = (*bytes as f64 * factor).round() as u64;
        }
        w.dense = w.kinds.iter().sum();
    }

    /// Layers that stay in main memory: the first ones.
    pub fn on_host(&self) -> u32 {
        self.workload.serving.cpu_layers.min(self.workload.model.layers)
    }

    /// First and last-but-one layer of a card: `from..to`; all layers on the cards where every matrix is split.
    pub fn layers(&self, card: usize) -> std::ops::Range<u32> {
        let first = self.on_host();
        if self.split == Split::Tensor {
            return first..self.workload.model.layers;
        }
        let from = card.checked_sub(1).and_then(|c| self.ends.get(c)).copied().unwrap_or(first);
        from..self.ends.get(card).copied().unwrap_or(from)
    }

    /// Part of every layer that lies on a card: 1 where whole layers are given away.
    pub fn slice(&self, card: usize) -> f64 {
        if self.split == Split::Layer {
            return 1.0;
        }
        let until = |c: Option<usize>| c.and_then(|c| self.until.get(c)).copied().unwrap_or(0.0);
        until(Some(card)) - until(card.checked_sub(1))
    }

    pub fn is_last(&self, card: usize) -> bool {
        card + 1 == self.cards.len()
    }

    /// Sequences whose states and windows are kept apart.
    pub fn sequences(&self, batch: u64) -> u64 {
        match self.engine {
            Engine::LlamaCpp => u64::from(self.workload.serving.slots.unwrap_or(0)).max(batch),
            Engine::Vllm | Engine::Sglang | Engine::Transformers | Engine::Exllama => batch,
        }
    }

    /// Whether the head is the very matrix that already lies on the card as embedding. An FP8 checkpoint for transformers stores the two
    /// apart: Qwen3 0.6B, 1.7B and 4B take one embedding more in FP8 than their parts (github:QwenLM/Qwen3 speed benchmark).
    fn head_is_embedding(&self) -> bool {
        let apart = self.engine == Engine::Transformers && self.workload.precision == Precision::Fp8;
        let together = self.cards.len() == 1 || self.split == Split::Tensor;
        self.workload.model.tied && self.engine != Engine::LlamaCpp && together && !apart
    }

    /// The part of a sum over all layers that lies in layers `from..to`, or in a card's slice of them. Parts add up exactly.
    fn share(&self, total: u64, card: usize) -> u64 {
        let range = self.layers(card);
        if self.split == Split::Tensor {
            let placed = self.of_layers(total, &range);
            let until = |c: Option<usize>| c.and_then(|c| self.until.get(c)).map_or(0, |u| (placed as f64 * u).round() as u64);
            return until(Some(card)).saturating_sub(until(card.checked_sub(1)));
        }
        self.of_layers(total, &range)
    }

    /// The part of a sum over all layers that lies in some of them.
    pub fn of_layers(&self, total: u64, range: &std::ops::Range<u32>) -> u64 {
        let layers = u128::from(self.workload.model.layers.max(1));
        let until = |n: u32| u128::from(total) * u128::from(n) / layers;
        u64::try_from(until(range.end).saturating_sub(until(range.start))).unwrap_or(u64::MAX)
    }

    /// Weights of some layers without their experts: as the file says, else in proportion. What belongs to no layer is with the last.
    pub fn dense_in(&self, range: &std::ops::Range<u32>) -> u64 {
        let Some(in_layers) = self.first.last().map(|f| f[0]) else { return self.of_layers(self.weights.dense, range) };
        let until = |n: u32| self.first.get(n as usize).map_or(in_layers, |f| f[0]);
        let rest =
            if range.end == self.workload.model.layers && !range.is_empty() { self.weights.dense.saturating_sub(in_layers) } else { 0 };
        until(range.end).saturating_sub(until(range.start)).saturating_add(rest)
    }

    /// Experts of some layers.
    pub fn experts_in(&self, range: &std::ops::Range<u32>) -> u64 {
        let Some(all) = self.first.last().map(|f| f[1]) else { return self.of_layers(self.weights.experts, range) };
        let until = |n: u32| self.first.get(n as usize).map_or(all, |f| f[1]);
        until(range.end).saturating_sub(until(range.start))
    }

    /// Layers of a card whose experts are on it.
    pub fn expert_layers(&self, card: usize) -> std::ops::Range<u32> {
        let range = self.layers(card);
        range.start.max(self.workload.serving.cpu_expert_layers).min(range.end)..range.end
    }

    /// Relative error of a sum of stored weights. Widths of number formats are exact. GGUF mixtures and group formats follow rules of
    /// thumb of their writers: docs/accuracy.md lists files against predictions.
    pub fn weights_error(&self) -> f64 {
        match (self.engine, self.workload.precision) {
            // A file's own table is no rule of thumb.
            (_, Precision::F32 | Precision::F16 | Precision::Bf16 | Precision::Gguf | Precision::Safetensors) => 0.0,
            (Engine::LlamaCpp, _) => 0.02,
            (Engine::Vllm | Engine::Sglang | Engine::Transformers | Engine::Exllama, _) => 0.03,
        }
    }

    /// Cache and states of all layers on cards at a context and batch.
    pub fn sizes(&self, context: u64, batch: u64) -> Sizes {
        let mut sums = [0.0_f64; 3];
        let (mut state, mut each, mut each_state) = (0.0, [0.0_f64; 3], 0.0);
        let (mut largest, mut smallest, mut scratch) = (0.0_f64, f64::INFINITY, 0.0_f64);
        let bytes_per_element = self.workload.kv_precision.bits() / 8.0;
        let (tokens, sequences) = (context as f64 * batch as f64, self.sequences(batch) as f64);
        let cards = self.cards.len().max(1) as f64;
        // A rejected guess is undone from a copy of the state: measured 4 × 149.6 MiB and 4 × 7 × 149.6 MiB with six guesses.
        let copies = 1.0 + f64::from(self.workload.serving.draft_tokens);
        for group in &self.workload.model.groups {
            let count = f64::from(group.count);
            // Part of the layer on each card when every matrix is split: heads can be dealt out, one latent cannot.
            let (elements, cells, part) = match group.cache {
                Cache::Full { kv_heads, k_dim, v_dim } => {
                    (pairs(kv_heads, k_dim, v_dim), [tokens; 3], (1.0 / cards).max(1.0 / f64::from(kv_heads.max(1))))
                }
                Cache::Latent { rank, rope_dim } => (f64::from(rank) + f64::from(rope_dim), [tokens; 3], 1.0),
                Cache::Sliding { kv_heads, k_dim, v_dim, window } => {
                    let cells = self.window_cells(f64::from(window), tokens, sequences, context as f64);
                    (pairs(kv_heads, k_dim, v_dim), cells, (1.0 / cards).max(1.0 / f64::from(kv_heads.max(1))))
                }
                Cache::State { elements } => {
                    let bytes = count * elements as f64 * 4.0 * sequences * copies;
                    (state, each_state) = (state + bytes, each_state + bytes / cards);
                    continue;
                }
                Cache::Shared | Cache::None => continue,
            };
            let layer = cells.map(|c| c * elements * bytes_per_element);
            for ((sum, each), bytes) in sums.iter_mut().zip(&mut each).zip(layer) {
                (*sum, *each) = (*sum + count * bytes, *each + count * bytes * part);
            }
            let [_, value, _] = layer;
            (largest, smallest) = (largest.max(value), smallest.min(value));
            scratch = scratch.max(cells[1] * elements * 2.0);
        }
        let [low, value, high] = sums;
        let [each_low, each_value, each_high] = each;
        // PyTorch servers may keep states at 16 bits.
        let half = if self.engine == Engine::LlamaCpp { 1.0 } else { 0.5 };
        Sizes {
            context,
            batch,
            cache: Band::of(low, value, high),
            state: Band::of(state * half, state, state),
            each: Band::of(each_low + each_state * half, each_value + each_state, each_high + each_state),
            largest_layer: largest,
            smallest_layer: if smallest.is_finite() { smallest } else { 0.0 },
            scratch: if self.workload.kv_precision.bits() < 16.0 { scratch as u64 } else { 0 },
        }
    }

    /// Tokens a window layer keeps: low, value, high. llama.cpp keeps `sequences × window + ubatch` cells, rounded up to 256
    /// (github:ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp), or that much for each sequence if they are kept apart; measured at 32k
    /// tokens on Gemma 4 12B 1.91 GiB, computed 1.91. vLLM keeps the window in its hybrid cache, older ones everything; transformers keeps
    /// the whole prompt until the next token (its window is a view on it).
    fn window_cells(&self, window: f64, tokens: f64, sequences: f64, context: f64) -> [f64; 3] {
        let padded = |cells: f64| (cells / 256.0).ceil() * 256.0;
        let least = (sequences * window.min(context)).min(tokens);
        match self.engine {
            Engine::LlamaCpp => {
                let ubatch = engine::chunk(self, context as u64) as f64;
                let unified = padded(sequences * window + ubatch);
                let apart = sequences * padded(window + ubatch);
                [least, unified.min(tokens), apart.min(tokens)]
            }
            Engine::Vllm | Engine::Sglang => [least, least, tokens],
            Engine::Transformers | Engine::Exllama => {
                let prompt = engine::chunk(self, context as u64) as f64 * (tokens / context.max(1.0));
                [least, least.max(prompt).min(tokens), tokens]
            }
        }
    }

    /// Bytes on one card.
    pub fn on_card(&self, card: usize, sizes: &Sizes) -> OnCard {
        let Some(device) = self.cards.get(card) else { return OnCard::default() };
        let range = self.layers(card);
        let layers = f64::from(range.end.saturating_sub(range.start));
        let error = self.weights_error();
        let cut = |bytes: u64| self.slice_of(bytes, card);
        let at = |yes: bool, bytes: u64| match self.split {
            Split::Layer if yes => Band::within(bytes, error),
            Split::Layer => Band::default(),
            Split::Tensor => Band::within(cut(bytes), error),
        };
        let expert_range = self.expert_layers(card);
        let experts = self.experts_in(&expert_range);
        let experts = if self.split == Split::Tensor { cut(experts) } else { experts };
        let dense = self.dense_in(&range);
        let dense = if self.split == Split::Tensor { cut(dense) } else { dense };
        let (cache, state) = if self.split == Split::Tensor && self.engine != Engine::LlamaCpp {
            (sizes.each.map(|b| self.of_layers(b, &range)), Band::default())
        } else {
            let mut cache = sizes.cache.map(|b| self.share(b, card));
            if self.split == Split::Layer && (self.cards.len() > 1 || self.on_host() > 0) && layers > 0.0 {
                // Where kinds of layers alternate, one layer more or less of the larger kind may fall to this card.
                let mean = cache.value as f64 / layers;
                cache.high = cache.high.saturating_add((sizes.largest_layer - mean).max(0.0) as u64);
                cache.low = cache.low.saturating_sub((mean - sizes.smallest_layer).max(0.0) as u64);
            }
            (cache, sizes.state.map(|b| self.share(b, card)))
        };
        let drafts = self.workload.serving.draft_tokens > 0;
        let draft_cache = if drafts { at(self.is_last(card), sizes.largest_layer as u64) } else { Band::default() };
        let mut on = OnCard {
            layers: Band::within(dense, error),
            experts: Band::within(experts, error),
            embedding: at(card == 0, self.weights.embedding),
            head: if self.head_is_embedding() { Band::default() } else { at(self.is_last(card), self.weights.head) },
            draft: if drafts { at(self.is_last(card), self.draft_weights()) } else { Band::default() },
            cache: cache + Band { low: draft_cache.value, ..draft_cache },
            state,
            buffers: engine::buffers(self, card, sizes),
            slack: Band::default(),
            runtime: engine::runtime(self, device),
            reserve: engine::reserve(device),
            display: Band::exact(device.display),
        };
        on.slack = engine::allocator(self, on.used());
        on
    }

    /// A card's slice of an amount, the slices adding up.
    fn slice_of(&self, bytes: u64, card: usize) -> u64 {
        let until = |c: Option<usize>| c.and_then(|c| self.until.get(c)).map_or(0, |u| (bytes as f64 * u).round() as u64);
        until(Some(card)).saturating_sub(until(card.checked_sub(1)))
    }

    /// A draft layer: as large as an average layer, and a projection of two hidden states to one.
    pub fn draft_weights(&self) -> u64 {
        let model = &self.workload.model;
        let layer = (self.weights.dense.saturating_add(self.weights.experts)) / u64::from(model.layers.max(1));
        let bits = self.workload.precision.bits_per_weight();
        layer.saturating_add((2.0 * f64::from(model.hidden) * f64::from(model.hidden) * bits / 8.0) as u64)
    }

    /// What may be used of a card: all of it, or what an engine with a pool takes and what lies outside; `None` = size unknown.
    pub fn limit(&self, card: usize) -> Option<Bytes> {
        let device = self.cards.get(card)?;
        let capacity = device.capacity()?.0;
        let Some(pool) = engine::pool(self) else { return Some(Bytes(capacity)) };
        let outside = engine::reserve(device).value.saturating_add(device.display);
        let visible = capacity.saturating_sub(engine::reserve(device).value);
        let taken = ((visible as f64 * pool) as u64).min(visible.saturating_sub(device.display));
        Some(Bytes(outside.saturating_add(taken).min(capacity)))
    }

    /// Sequence that the memory must hold: an engine with a pool may be told of longer ones.
    pub fn held_context(&self, context: u64) -> u64 {
        if self.engine.has_pool() { self.workload.serving.max_len.unwrap_or(context).max(context) } else { context }
    }

    /// Whether the middle estimate of one card lies within what may be used of it; an unknown memory size does not count against it.
    pub fn fits_on(&self, card: usize, context: u64, batch: u64) -> bool {
        let sizes = self.sizes(self.held_context(context), batch);
        self.limit(card).is_none_or(|limit| self.on_card(card, &sizes).total().value <= limit.0)
    }

    /// Whether the middle estimate of every card fits.
    pub fn fits(&self, context: u64, batch: u64) -> bool {
        let sizes = self.sizes(self.held_context(context), batch);
        (0..self.cards.len()).all(|n| self.limit(n).is_none_or(|limit| self.on_card(n, &sizes).total().value <= limit.0))
    }

    /// Yes or no where the whole band of every card lies on one side; `None` between, or where a card's size is unknown and the others fit.
    pub fn verdict(&self, context: u64, batch: u64) -> Option<bool> {
        let sizes = self.sizes(self.held_context(context), batch);
        let each = (0..self.cards.len()).map(|n| {
            let (limit, total) = (self.limit(n)?.0, self.on_card(n, &sizes).total());
            if total.high <= limit {
                Some(true)
            } else if total.low > limit {
                Some(false)
            } else {
                None
            }
        });
        let each: Vec<Option<bool>> = each.collect();
        if each.contains(&Some(false)) {
            Some(false)
        } else if each.is_empty() || each.contains(&None) {
            None
        } else {
            Some(true)
        }
    }
}

fn pairs(kv_heads: u32, k_dim: u32, v_dim: u32) -> f64 {
    f64::from(kv_heads) * (f64::from(k_dim) + f64::from(v_dim))
}

/// Kind of a class in [`Weights::kinds`].
const fn kind(class: TensorClass) -> usize {
    use TensorClass as T;
    match class {
        T::Attention | T::AttentionV | T::AttentionFused | T::AttentionOut => 0,
        T::Mlp | T::MlpDown => 1,
        T::Mixer => 2,
        _ => 3,
    }
}

/// Bytes of the first layers, of none up to all: what is not an expert, and experts. Empty where no file says it.
fn by_layer(workload: &Workload) -> Vec<[u64; 2]> {
    let Some(weights) = workload.precision.file_of(&workload.model) else { return Vec::new() };
    let layers = workload.model.layers as usize;
    let mut each = vec![[0_u64; 2]; layers];
    for group in &weights.groups {
        let at = usize::from(matches!(group.class, TensorClass::Expert | TensorClass::ExpertDown));
        for &[first, last] in &group.layers {
            let end = (last as usize).saturating_add(1).min(layers);
            for layer in each.get_mut((first as usize).min(end)..end).into_iter().flatten() {
                if let Some(sum) = layer.get_mut(at) {
                    *sum = sum.saturating_add(group.bytes);
                }
            }
        }
    }
    let mut sum = [0_u64; 2];
    std::iter::once(sum)
        .chain(each.into_iter().map(|[dense, experts]| {
            sum = [sum[0].saturating_add(dense), sum[1].saturating_add(experts)];
            sum
        }))
        .collect()
}

/// Sums the weights by where they go. llama.cpp keeps the input embedding and lookup tables in main memory, and a head that is the
/// embedding twice.
fn weigh(workload: &Workload, engine: Engine) -> Weights {
    let model = &*workload.model;
    let mut w = Weights::default();
    let (mut experts, mut chosen) = (0_u64, 0_u64);
    let (mut up, mut down) = (0_u64, 0_u64);
    for tensors in workload.precision.stored(model) {
        let (class, params, bytes, mut active) = (tensors.class, tensors.params, tensors.bytes, tensors.active);
        match class {
            TensorClass::Embedding | TensorClass::Table => {
                let tied = model.tied && class == TensorClass::Embedding;
                if tied {
                    w.head = w.head.saturating_add(bytes);
                } else {
                    active = 0;
                }
                if engine == Engine::LlamaCpp {
                    w.host = w.host.saturating_add(bytes);
                } else {
                    w.embedding = w.embedding.saturating_add(bytes);
                }
            }
            TensorClass::Head => w.head = w.head.saturating_add(bytes),
            TensorClass::Expert | TensorClass::ExpertDown => {
                w.experts = w.experts.saturating_add(bytes);
                experts = experts.saturating_add(params);
                chosen = chosen.saturating_add(active);
            }
            _ => {
                w.dense = w.dense.saturating_add(bytes);
                if let Some(sum) = w.kinds.get_mut(kind(class)) {
                    *sum = sum.saturating_add(bytes);
                }
            }
        }
        match class {
            TensorClass::Mlp | TensorClass::Expert => up = up.saturating_add(params),
            TensorClass::MlpDown | TensorClass::ExpertDown => down = down.saturating_add(params),
            _ => {}
        }
        w.active_params = w.active_params.saturating_add(active);
    }
    w.expert_share = if experts == 0 { 0.0 } else { chosen as f64 / experts as f64 };
    // Gate and up are twice the down matrix. A model without one counts as gated, the dearer case.
    w.gated = down == 0 || up > down.saturating_add(down / 2);
    w
}
