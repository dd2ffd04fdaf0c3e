//! Predictions of what `PyTorch` itself counts: bytes of tensors by class, without allocator, context and workspaces.

use super::job::{counted, network};
use super::model::{Kernel, Sizes};
use super::step::{Fixed, walk};
use super::tape::Mode;
use crate::catalog::model::{Cache, ModelShape};
use crate::catalog::network::NetworkKind;
use crate::workload::training::{Optimizer, Targets};

/// One run whose tensors were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// With backward pass and optimizer; else a prompt is read into a cache without gradients.
    pub train: bool,
    pub batch: u64,
    /// Tokens, for pictures without meaning.
    pub sequence: u64,
    /// Bytes of an element of the weights: 2 or 4.
    pub weights: u8,
    pub autocast: bool,
    pub eager: bool,
    /// Layers are recomputed.
    pub checkpoint: bool,
    /// `None`: no optimizer.
    pub optimizer: Option<Optimizer>,
    /// Rank of adapters on query and value.
    pub lora: Option<u32>,
    /// The cache has its full size from the start, and the prompt has this many tokens.
    pub static_cache: Option<u64>,
    /// Logits of every token, not of the last alone.
    pub all_logits: bool,
    /// Bytes that the record states for buffers and inputs.
    pub outside: u64,
}

/// Bytes as the accounting has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub params: u64,
    pub grads: u64,
    pub optimizer: u64,
    /// Alive after the forward pass with only the loss kept.
    pub saved: u64,
    pub weight_copies: u64,
    pub logits: u64,
    pub peak: u64,
    pub forward: u64,
    pub backward: u64,
    pub step: u64,
    /// Keys and values that count, and the storage behind them.
    pub cache: u64,
    pub cache_storage: u64,
}

/// Predicts a run; gradients are added as with the fake tensors of the accounting, into new ones.
///
/// # Errors
/// Says why the model's step cannot be recorded.
pub fn predict(model: &ModelShape, run: &Run) -> Result<Count, String> {
    let network = network(model);
    let kernel = if run.eager { Kernel::Eager } else { Kernel::Flash };
    let decoder = matches!(network.kind, NetworkKind::Decoder);
    let mut sizes = Sizes::new(model, &network, run.batch, run.sequence, kernel);
    sizes.stream = run.weights;
    if !run.train && decoder {
        sizes.caches = run.static_cache.is_none();
        sizes.last_logits = !run.all_logits;
        sizes.sequence = run.static_cache.unwrap_or(run.sequence);
    }
    let mode = Mode {
        weights: run.weights,
        stream: run.weights,
        autocast: run.autocast,
        record: run.train,
        full: run.lora.is_none(),
        lora: run.lora.map(|r| (u64::from(r), Targets::QueryValue)),
        quantized: false,
        in_place: false,
    };
    let pieces = sizes.pieces(model, mode, run.checkpoint);
    let ((params, _), (trained, tensors, _)) = counted(&pieces);
    let (optimizer, temp) = match run.optimizer {
        None | Some(Optimizer::Sgd) => (0, 0),
        Some(Optimizer::AdamWFused) => (2 * trained + 4 * tensors, 0),
        Some(Optimizer::AdamW | Optimizer::Adam) => (2 * trained, trained),
        Some(other) => return Err(format!("no accounting of {}", other.text())),
    };
    let cache = cached(model, run, run.static_cache.is_none());
    let cache_storage = if run.static_cache.is_some() { cached(model, run, false) } else { 0 };
    let fixed = Fixed { always: params + optimizer + run.outside + cache_storage, step_temp: temp, accumulates: false };
    let out = walk(&pieces, fixed, run.train, run.checkpoint);
    // The class token's gradient is a view of the whole embedding's where there is one picture.
    let more = match network.kind {
        NetworkKind::Vision { .. } if run.train && run.batch == 1 && run.lora.is_none() => {
            (sizes.sequence - 1) * sizes.hidden * u64::from(run.weights)
        }
        _ => 0,
    };
    let rows = if !run.train && decoder && !run.all_logits || sizes.sees_pictures() { run.batch } else { sizes.tokens() };
    let width = if run.autocast { 2 } else { u64::from(run.weights) };
    let step = if run.train { out.optimizer + more } else { 0 };
    Ok(Count {
        params,
        grads: if run.train { out.grads + more } else { 0 },
        optimizer,
        saved: if run.train { out.turn.saved_total() } else { 0 },
        weight_copies: out.turn.copies,
        logits: rows * model.vocab * width,
        peak: out.forward.max(out.backward).max(step),
        forward: out.forward,
        backward: out.backward,
        step,
        cache: if run.train || !decoder { 0 } else { cache },
        cache_storage: if run.static_cache.is_some() { cache_storage } else { out.turn.kept },
    })
}

/// Bytes of keys and values. A window that moves keeps one token less than its width until the next one comes.
fn cached(model: &ModelShape, run: &Run, moving: bool) -> u64 {
    let layer = |cache: Cache| {
        let (heads, k, v, tokens) = match cache {
            Cache::Full { kv_heads, k_dim, v_dim } => (kv_heads, k_dim, v_dim, run.sequence),
            Cache::Sliding { kv_heads, k_dim, v_dim, window } => {
                (kv_heads, k_dim, v_dim, run.sequence.min(u64::from(window) - u64::from(moving && window > 0)))
            }
            _ => return 0,
        };
        u64::from(heads) * (u64::from(k) + u64::from(v)) * tokens
    };
    model.groups.iter().map(|g| u64::from(g.count) * layer(g.cache)).sum::<u64>() * run.batch * u64::from(run.weights)
}
