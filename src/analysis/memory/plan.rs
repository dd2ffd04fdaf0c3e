//! Which bytes of a workload lie on which card. What does not depend on context and batch is summed once; the rest is closed forms, so
//! curves and drags can ask for any context and batch.

use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::catalog::model::{Cache, TensorClass};
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::catalog::precision::Precision;
use crate::catalog::vocab::GpuVendor;
use crate::project::Project;
use crate::units::Bytes;
use crate::workload::Workload;

/// Tokens that llama.cpp works on at once, its default `--ubatch-size`.
pub const UBATCH: u64 = 512;
const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;

/// An amount of bytes with the ends of what is plausible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Band {
    pub low: u64,
    pub value: u64,
    pub high: u64,
}

impl Band {
    /// Without uncertainty.
    pub const fn exact(value: u64) -> Self {
        Self { low: value, value, high: value }
    }
    pub(super) fn of(low: f64, value: f64, high: f64) -> Self {
        Self { low: low.round() as u64, value: value.round() as u64, high: high.round() as u64 }
    }
    pub(super) fn within(value: u64, share: f64) -> Self {
        Self { low: (value as f64 * (1.0 - share)) as u64, value, high: (value as f64 * (1.0 + share)).ceil() as u64 }
    }
}

impl std::ops::Add for Band {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let sum = u64::saturating_add;
        Self { low: sum(self.low, o.low), value: sum(self.value, o.value), high: sum(self.high, o.high) }
    }
}

/// Which program the figures are modelled after; it follows from the precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// GGUF files: llama.cpp with flash attention, split by layers.
    LlamaCpp,
    /// All others: a `PyTorch` server as vLLM, split by layers.
    Framework,
}

impl Engine {
    /// F16 and BF16 also exist as GGUF; they count as published for frameworks, which need more.
    pub const fn of(precision: Precision) -> Self {
        use Precision as P;
        match precision {
            P::F32 | P::F16 | P::Bf16 | P::Fp8 | P::Int8 | P::Gptq8 | P::Gptq4 | P::Gptq4g32 | P::Gptq3 | P::Awq4 | P::Awq4g64 => {
                Self::Framework
            }
            P::Nf4 | P::Nf4Double | P::Nvfp4 | P::Mxfp4 | P::Safetensors => Self::Framework,
            _ => Self::LlamaCpp,
        }
    }
}

/// A card that takes part.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    pub id: PlacementId,
    pub part: &'a Part,
    pub gpu: &'a Gpu,
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
}

/// A workload laid out over cards.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    pub workload: &'a Workload,
    pub cards: Vec<Device<'a>>,
    pub engine: Engine,
    pub weights: Weights,
    /// Number of the first layer behind each card's share.
    ends: Vec<u32>,
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
    /// Largest and smallest layer of the cache, in bytes.
    largest_layer: f64,
    smallest_layer: f64,
    /// One layer's keys and values at 16 bits: scratch where the cache is quantised.
    pub scratch: u64,
}

/// Bytes on one card.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OnCard {
    pub layers: Band,
    pub embedding: Band,
    pub head: Band,
    pub cache: Band,
    pub state: Band,
    pub buffers: Band,
    pub runtime: Band,
    pub reserve: Band,
}

impl OnCard {
    pub fn total(&self) -> Band {
        self.layers + self.embedding + self.head + self.cache + self.state + self.buffers + self.runtime + self.reserve
    }
}

/// Placed cards in the order of their ids.
pub fn devices<'a>(catalog: &'a Catalog, project: &'a Project) -> impl Iterator<Item = Device<'a>> {
    project.rig.placed(catalog).filter_map(|(id, _, part)| match &part.kind {
        PartKind::Gpu(gpu) => Some(Device { id, part, gpu }),
        _ => None,
    })
}

/// The first cards of `cards` that a workload may use.
pub fn used<'a>(workload: &Workload, cards: impl Iterator<Item = Device<'a>>) -> Vec<Device<'a>> {
    cards.take(workload.gpus.map_or(usize::MAX, |n| n as usize)).collect()
}

impl<'a> Plan<'a> {
    /// Lays a workload out over the first cards of `cards` that it may use.
    pub fn new(workload: &'a Workload, cards: impl Iterator<Item = Device<'a>>) -> Self {
        let cards = used(workload, cards);
        let engine = Engine::of(workload.precision);
        let ends = split(engine, &cards, workload.model.layers);
        Self { workload, cards, engine, weights: weigh(workload, engine), ends }
    }

    /// First and last-but-one layer of a card: `from..to`.
    pub fn layers(&self, card: usize) -> std::ops::Range<u32> {
        let from = card.checked_sub(1).and_then(|c| self.ends.get(c)).copied().unwrap_or(0);
        from..self.ends.get(card).copied().unwrap_or(from)
    }

    pub fn is_last(&self, card: usize) -> bool {
        card + 1 == self.cards.len()
    }

    /// Whether the head is the very matrix that already lies on the only card as embedding.
    fn head_is_embedding(&self) -> bool {
        self.workload.model.tied && self.engine == Engine::Framework && self.cards.len() == 1
    }

    /// The part of a sum over all layers that lies on one card. The parts add up exactly.
    fn share(&self, total: u64, card: usize) -> u64 {
        let layers = u128::from(self.workload.model.layers.max(1));
        let until = |n: u32| u128::from(total) * u128::from(n) / layers;
        let range = self.layers(card);
        u64::try_from(until(range.end).saturating_sub(until(range.start))).unwrap_or(u64::MAX)
    }

    /// Relative error of a sum of stored weights. Widths of number formats are exact. GGUF mixtures and group formats follow rules of
    /// thumb of their writers: docs/accuracy.md lists files against predictions.
    pub fn weights_error(&self) -> f64 {
        match (self.engine, self.workload.precision) {
            // A file's own table is no rule of thumb.
            (_, Precision::F32 | Precision::F16 | Precision::Bf16 | Precision::Gguf | Precision::Safetensors) => 0.0,
            (Engine::LlamaCpp, _) => 0.02,
            (Engine::Framework, _) => 0.03,
        }
    }

    /// Cache and states of all layers at a context and batch.
    pub fn sizes(&self, context: u64, batch: u64) -> Sizes {
        let mut low = 0.0;
        let mut value = 0.0;
        let mut high = 0.0;
        let mut state = 0.0;
        let (mut largest, mut smallest, mut scratch) = (0.0_f64, f64::INFINITY, 0.0_f64);
        let bytes_per_element = self.workload.kv_precision.bits() / 8.0;
        let (tokens, sequences) = (context as f64 * batch as f64, batch as f64);
        for group in &self.workload.model.groups {
            let count = f64::from(group.count);
            let (elements, cells) = match group.cache {
                Cache::Full { kv_heads, k_dim, v_dim } => (pairs(kv_heads, k_dim, v_dim), [tokens; 3]),
                Cache::Latent { rank, rope_dim } => (f64::from(rank) + f64::from(rope_dim), [tokens; 3]),
                Cache::Sliding { kv_heads, k_dim, v_dim, window } => {
                    (pairs(kv_heads, k_dim, v_dim), self.window_cells(f64::from(window), tokens, sequences, context as f64))
                }
                Cache::State { elements } => {
                    state += count * elements as f64 * 4.0 * sequences;
                    (0.0, [0.0; 3])
                }
                Cache::Shared | Cache::None => (0.0, [0.0; 3]),
            };
            let layer = cells.map(|c| c * elements * bytes_per_element);
            let [l, v, h] = layer;
            (low, value, high) = (low + count * l, value + count * v, high + count * h);
            (largest, smallest) = (largest.max(v), smallest.min(v));
            scratch = scratch.max(cells[1] * elements * 2.0);
        }
        // PyTorch servers may keep states at 16 bits.
        let state_low = if self.engine == Engine::Framework { state / 2.0 } else { state };
        Sizes {
            context,
            batch,
            cache: Band::of(low, value, high),
            state: Band::of(state_low, state, state),
            largest_layer: largest,
            smallest_layer: if smallest.is_finite() { smallest } else { 0.0 },
            scratch: if self.workload.kv_precision.bits() < 16.0 { scratch as u64 } else { 0 },
        }
    }

    /// Tokens a window layer keeps: low, value, high. llama.cpp keeps `sequences × window + ubatch` cells, rounded up to 256
    /// (github:ggml-org/llama.cpp src/llama-kv-cache-iswa.cpp), or that much for each sequence if they are kept apart; measured at 32k
    /// tokens on Gemma 4 12B 1.91 GiB, computed 1.91. Servers without a window cache keep everything.
    fn window_cells(&self, window: f64, tokens: f64, sequences: f64, context: f64) -> [f64; 3] {
        let padded = |cells: f64| (cells / 256.0).ceil() * 256.0;
        let least = sequences * window.min(context);
        match self.engine {
            Engine::LlamaCpp => {
                let unified = padded(sequences * window + UBATCH as f64);
                let apart = sequences * padded(window + UBATCH as f64);
                [least, unified.min(tokens), apart.min(tokens)]
            }
            Engine::Framework => [least, least, tokens],
        }
    }

    /// Bytes on one card.
    pub fn on_card(&self, card: usize, sizes: &Sizes) -> OnCard {
        let range = self.layers(card);
        let layers = f64::from(range.end.saturating_sub(range.start));
        let error = self.weights_error();
        let at = |yes: bool, bytes: u64| if yes { Band::within(bytes, error) } else { Band::default() };
        let mut cache = Band {
            low: self.share(sizes.cache.low, card),
            value: self.share(sizes.cache.value, card),
            high: self.share(sizes.cache.high, card),
        };
        if self.cards.len() > 1 && layers > 0.0 {
            // Where kinds of layers alternate, one layer more or less of the larger kind may fall to this card.
            let mean = cache.value as f64 / layers;
            cache.high += (sizes.largest_layer - mean).max(0.0) as u64;
            cache.low = cache.low.saturating_sub((mean - sizes.smallest_layer).max(0.0) as u64);
        }
        let state = [sizes.state.low, sizes.state.value, sizes.state.high].map(|s| self.share(s, card));
        OnCard {
            layers: Band::within(self.share(self.weights.dense.saturating_add(self.weights.experts), card), error),
            embedding: at(card == 0, self.weights.embedding),
            head: at(self.is_last(card) && !self.head_is_embedding(), self.weights.head),
            cache,
            state: Band { low: state[0], value: state[1], high: state[2] },
            buffers: self.buffers(card, sizes),
            runtime: self.cards.get(card).map_or_else(Band::default, |c| runtime(self.engine, c.gpu.vendor, self.cards.len())),
            reserve: self.cards.get(card).map_or_else(Band::default, |c| reserve(c.gpu.vendor)),
        }
    }

    /// Buffers for intermediate results on one card.
    ///
    /// llama.cpp with flash attention, fitted to a corpus of measured loads (github:tmac1973/llama-toolchest, its test corpus): one card
    /// 4·ub·(2f + 5h) + 2·ub·tokens, 21 rows within −16 % and +18 %; layer split, for each card 4·ub·(2f + 5h) + 4·(2·ub·tokens + 4·ub·h),
    /// 8 rows within 4 %, the copies being its pipeline's four; a quantised cache adds one layer of keys and values at 16 bits. Chosen
    /// experts add their outputs before they are summed, 4·ub·k·h, on several cards twice: six rows of three models within 27 %. Builds
    /// before June 2026 also reserve 4·ub·vocabulary for logits (github:ggml-org/llama.cpp pull request 23861): upper end.
    ///
    /// `PyTorch` servers: 2·(3f + 3h) bytes for each token of a prompt worked on at once. From the peaks that vLLM logs for Llama 3.1 8B:
    /// 2.07 GiB at 20,000 tokens and 2.99 GiB at 29,000 (github:vllm-project/vllm issue 10517), computed 2.06 and 2.99. vLLM cuts prompts
    /// into pieces of 2,048 tokens by default (`max_num_batched_tokens`); 512 to the whole prompt are in use.
    fn buffers(&self, card: usize, sizes: &Sizes) -> Band {
        let model = &self.workload.model;
        let (f, h, vocab) = (f64::from(model.mlp_width), f64::from(model.hidden), model.vocab as f64);
        let tokens = sizes.context as f64 * sizes.batch as f64;
        let ub = UBATCH as f64;
        let chosen = model.experts.map_or(0.0, |e| f64::from(e.active));
        match self.engine {
            Engine::LlamaCpp => {
                let several = self.cards.len() > 1;
                let base = 4.0 * ub * (2.0 * f + 5.0 * h + chosen * h * if several { 2.0 } else { 1.0 });
                let copies = if several { 4.0 * (2.0 * ub * tokens + 4.0 * ub * h) } else { 2.0 * ub * tokens };
                let error = if several { 0.1 } else { 0.2 };
                let value = base + copies + sizes.scratch as f64;
                let logits = if self.is_last(card) { 4.0 * ub * vocab } else { 0.0 };
                Band::of((base + copies) * (1.0 - error), value, value * (1.0 + error) + logits)
            }
            Engine::Framework => {
                let each = 2.0 * (3.0 * f + 3.0 * h);
                let at_once = |limit: f64| tokens.min(limit) * each;
                let logits = if self.is_last(card) { 4.0 * vocab * sizes.batch as f64 } else { 0.0 };
                Band::of(at_once(512.0), at_once(2048.0) + logits, at_once((sizes.context as f64).max(8192.0)) + 2.0 * logits)
            }
        }
    }

    /// Whether the middle estimate of every card lies within its memory; an unknown memory size does not count against it.
    pub fn fits(&self, context: u64, batch: u64) -> bool {
        let sizes = self.sizes(context, batch);
        self.cards.iter().enumerate().all(|(n, card)| card.capacity().is_none_or(|c| self.on_card(n, &sizes).total().value <= c.0))
    }
}

fn pairs(kv_heads: u32, k_dim: u32, v_dim: u32) -> f64 {
    f64::from(kv_heads) * (f64::from(k_dim) + f64::from(v_dim))
}

/// Context of driver and engine on one card. llama.cpp: what card counters show beyond the itemised buffers, same corpus as the buffers:
/// CUDA 0.50–0.52 GiB on one card and 0.55–0.59 GiB over three together; `ROCm` 0.21–0.36 GiB on one, 2.28–2.32 GiB over four. `PyTorch`
/// servers: 0.25–0.6 GiB outside `PyTorch` (vLLM logs: github:vllm-project/vllm issues 10517 and 13061) and 0.1–1.5 GiB of CUDA graphs.
fn runtime(engine: Engine, vendor: Option<GpuVendor>, cards: usize) -> Band {
    let [low, value, high] = match (engine, vendor, cards) {
        (Engine::LlamaCpp, Some(GpuVendor::Nvidia), 1) => [0.45, 0.51, 0.65],
        (Engine::LlamaCpp, Some(GpuVendor::Nvidia), _) => [0.15, 0.19, 0.55],
        (Engine::LlamaCpp, Some(GpuVendor::Amd), 1) => [0.20, 0.29, 0.60],
        (Engine::LlamaCpp, Some(GpuVendor::Amd), _) => [0.20, 0.57, 0.70],
        (Engine::LlamaCpp, Some(GpuVendor::Intel | GpuVendor::Other) | None, _) => [0.15, 0.50, 0.80],
        (Engine::Framework, _, _) => [0.35, 0.80, 2.10],
    };
    Band::of(low * GIB, value * GIB, high * GIB)
}

/// Memory that the driver keeps from every program. One figure is known: of an RTX 3090's 24,576 MiB programs see 24,124, and find 23,755
/// free (github:ollama/ollama issue 17482, github:ggml-org/llama.cpp issue 23395); other cards are assumed alike, other makers down to 0.
pub(super) fn reserve(vendor: Option<GpuVendor>) -> Band {
    let low = if vendor == Some(GpuVendor::Nvidia) { 200.0 } else { 0.0 };
    Band::of(low * MIB, 452.0 * MIB, 821.0 * MIB)
}

/// Sums the weights by where they go. llama.cpp keeps the input embedding and lookup tables in main memory, and a head that is the
/// embedding twice.
fn weigh(workload: &Workload, engine: Engine) -> Weights {
    let model = &*workload.model;
    let mut w = Weights::default();
    let (mut experts, mut chosen) = (0_u64, 0_u64);
    for tensors in workload.precision.stored(model) {
        let (bytes, mut active) = (tensors.bytes, tensors.active);
        match tensors.class {
            TensorClass::Embedding | TensorClass::Table => {
                let tied = model.tied && tensors.class == TensorClass::Embedding;
                if tied {
                    w.head = w.head.saturating_add(bytes);
                } else {
                    active = 0;
                }
                match engine {
                    Engine::LlamaCpp => w.host = w.host.saturating_add(bytes),
                    Engine::Framework => w.embedding = w.embedding.saturating_add(bytes),
                }
            }
            TensorClass::Head => w.head = w.head.saturating_add(bytes),
            TensorClass::Expert | TensorClass::ExpertDown => {
                w.experts = w.experts.saturating_add(bytes);
                experts = experts.saturating_add(tensors.params);
                chosen = chosen.saturating_add(tensors.active);
            }
            _ => w.dense = w.dense.saturating_add(bytes),
        }
        w.active_params = w.active_params.saturating_add(active);
    }
    w.expert_share = if experts == 0 { 0.0 } else { chosen as f64 / experts as f64 };
    w
}

/// Ends of the layer ranges: in proportion to free memory, as llama.cpp splits (github:ggml-org/llama.cpp src/llama-model.cpp), the
/// output counting as one more layer; evenly where a memory size is unknown.
fn split(engine: Engine, cards: &[Device<'_>], layers: u32) -> Vec<u32> {
    let taken = |c: &Device<'_>| runtime(engine, c.gpu.vendor, cards.len()).value + reserve(c.gpu.vendor).value;
    let free: Option<Vec<f64>> = cards.iter().map(|c| Some(c.capacity()?.0.saturating_sub(taken(c)) as f64)).collect();
    let free = free.filter(|f| f.iter().sum::<f64>() > 0.0).unwrap_or_else(|| vec![1.0; cards.len()]);
    let total: f64 = free.iter().sum();
    let mut until = 0.0;
    free.iter()
        .map(|f| {
            until += f / total;
            // 1e-9 keeps a share that is whole but for rounding from taking one layer more.
            ((until * (f64::from(layers) + 1.0) - 1e-9).ceil() as u32).min(layers)
        })
        .collect()
}
