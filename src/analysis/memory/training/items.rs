//! Lines of a training ledger: what is alive at the highest point of the step, with formulas.

use super::super::band::Band;
use super::super::engine::reserve;
use super::super::plan::Device;
use super::super::{Item, ItemKind};
use super::job::Job;
use super::shard::{Layout, Share};
use super::tape::Tag;
use crate::analysis::{Basis, Origin};
use crate::units::{Bytes, count, thousands};
use crate::workload::training::{Method, Optimizer, TrainPrecision, Zero};

const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;

const TORCH: &str = "PyTorch 2.15 autograd and autocast rules with the classes of transformers 5.24";

fn whole(n: u64) -> String {
    thousands(n as f64, 0)
}

struct Lines {
    items: Vec<Item>,
}

impl Lines {
    fn add(&mut self, name: impl Into<String>, kind: ItemKind, band: Band, origin: Origin) {
        if band.high > 0 {
            let Band { low, value, high } = band;
            self.items.push(Item { name: name.into(), kind, bytes: Bytes(value), low: Bytes(low), high: Bytes(high), origin });
        }
    }
    fn exact(&mut self, name: impl Into<String>, kind: ItemKind, bytes: u64, origin: Origin) {
        self.add(name, kind, Band::exact(bytes), origin);
    }
}

/// Activations of layers that are not of a known kind lie within this share: the kinds that were compared lie between −54 % and +33 %.
const APPROXIMATE: f64 = 0.5;

pub(super) fn of(job: &Job<'_>, layout: &Layout, share: &Share, stage: u64) -> Vec<Item> {
    let mut lines = Lines { items: Vec::with_capacity(16) };
    let counts = if job.approximate { Basis::Assumed } else { Basis::Exact };
    let stored = if layout.cards > 1 && (layout.pipeline > 1 || layout.tensor > 1) { Basis::Derived } else { counts };
    lines.exact("parameters", ItemKind::Weights, share.params.0, Origin::new(stored, weights_formula(job, layout, share), TORCH));
    lines.exact(
        "FP32 copies of the weights",
        ItemKind::Optimizer,
        share.master,
        Origin::new(
            Basis::Derived,
            format!("{} trained weights{} × 4 bytes", whole(share.trained), spread(layout, Zero::Optimizer)),
            "DeepSpeed, runtime/zero/stage_1_and_2.py",
        ),
    );
    states(&mut lines, job, layout, share);
    let live = &share.outcome.at_peak;
    lines.exact(
        "gradients",
        ItemKind::Gradients,
        live.grads,
        Origin::new(
            if job.approximate { Basis::Assumed } else { Basis::Exact },
            if live.grads == share.outcome.grads {
                format!("{} trained weights{} × {} bytes", whole(share.trained), spread(layout, Zero::Gradients), job.trained_width())
            } else {
                format!("those of {} that the backward pass has reached", Bytes(share.outcome.grads))
            },
            TORCH,
        ),
    );
    activations(&mut lines, job, share, stage);
    lines.exact(
        "activations of further micro-batches",
        ItemKind::Activations,
        share.in_flight,
        Origin::new(
            Basis::Derived,
            format!("{} more in flight on stage {} of {}", layout.in_flight.saturating_sub(stage + 1), stage + 1, layout.pipeline),
            "one forward, one backward schedule: Narayanan et al., arXiv 2104.04473",
        ),
    );
    passing(&mut lines, job, layout, share);
    lines.items
}

fn weights_formula(job: &Job<'_>, layout: &Layout, share: &Share) -> String {
    let elements = whole(share.params.1);
    let cut = spread(layout, Zero::Parameters);
    match job.training.method {
        Method::Qlora => format!(
            "{elements} weights{cut}; matrices of the layers as NF4 with 0.127 bits of scales, the others {} bytes each, adapters 4",
            job.mode.weights
        ),
        Method::Lora => format!("{elements} weights{cut} × {} bytes, adapters of rank {} × 4 bytes", job.mode.weights, job.training.rank),
        Method::Full => format!("{elements} weights{cut} × {} bytes", job.mode.weights),
    }
}

/// " ÷ 4 cards" where ZeRO spreads this.
fn spread(layout: &Layout, from: Zero) -> String {
    if layout.zero as u8 >= from as u8 && layout.zero != Zero::None { format!(" ÷ {}", count(layout.data, "card")) } else { String::new() }
}

fn states(lines: &mut Lines, job: &Job<'_>, layout: &Layout, share: &Share) {
    let n = whole(share.trained);
    let cut = spread(layout, Zero::Optimizer);
    let width = if job.master { 4 } else { job.trained_width() };
    let (text, basis) = match job.training.optimizer {
        Optimizer::Sgd => (String::new(), Basis::Exact),
        Optimizer::Momentum => (format!("one momentum × {n}{cut} × {width} bytes"), Basis::Exact),
        Optimizer::Adam | Optimizer::AdamW | Optimizer::PagedAdamW => (format!("two moments × {n}{cut} × {width} bytes"), Basis::Exact),
        Optimizer::AdamWFused => {
            (format!("two moments × {n}{cut} × {width} bytes, and a counter of 4 bytes for each tensor"), Basis::Exact)
        }
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => {
            (format!("two moments × {n}{cut} × 1 byte, and 4 bytes for each block of 256"), Basis::Derived)
        }
        Optimizer::Adafactor => (format!("sums over rows and columns of {n}{cut} weights, 4 bytes each"), Basis::Assumed),
    };
    let basis = if job.approximate { Basis::Assumed } else { basis };
    let bytes = share.states.bytes;
    let paged = matches!(job.training.optimizer, Optimizer::PagedAdamW | Optimizer::PagedAdamW8bit);
    let band = Band { low: if paged { 0 } else { bytes }, value: bytes, high: bytes };
    let name = format!("states of {}", job.training.optimizer.text());
    lines.add(name, ItemKind::Optimizer, band, Origin::new(basis, text, "torch.optim, bitsandbytes and torch.optim.Adafactor sources"));
}

fn activations(lines: &mut Lines, job: &Job<'_>, share: &Share, stage: u64) {
    let live = &share.outcome.at_peak;
    let turn = &share.outcome.turn;
    let unit = if job.pictures { count(job.batch, "picture") } else { format!("{} tokens", whole(job.tokens)) };
    let basis = if job.approximate { Basis::Assumed } else { Basis::Derived };
    let band = |bytes: u64| if job.approximate { Band::within(bytes, APPROXIMATE) } else { Band::exact(bytes) };
    for tag in Tag::ALL {
        let bytes = live.saved.get(tag.index()).copied().unwrap_or(0);
        let full = turn.saved.get(tag.index()).copied().unwrap_or(0);
        let (name, what) = match tag {
            Tag::Norm => ("norms", "inputs, statistics and results of norms"),
            Tag::Attention => ("attention", "queries, keys, values and results"),
            Tag::Score => ("scores of attention", "scores and masks"),
            Tag::Mlp => ("feed-forward", "inputs of its matrices and of its activation"),
            Tag::Loss => ("logits and loss", "the softmax of all words and the input of the head"),
            Tag::Other => ("embedding and dropout", "masks and indices"),
        };
        let each = full.checked_div(job.tokens.max(1)).unwrap_or(0);
        let squared =
            if tag == Tag::Score { format!(", growing with the square of {} tokens", whole(job.sequence)) } else { String::new() };
        let mut formula = format!("{unit} × {} bytes of {what}{squared}", whole(each));
        if bytes < full {
            formula.push_str(&format!("; {} of it still wait at the highest point", Bytes(bytes)));
        }
        lines.add(format!("activations: {name}"), ItemKind::Activations, band(bytes), Origin::new(basis, formula, TORCH));
    }
    let copies = format!("{} bytes for each weight that autocast multiplies with, kept for the backward pass", 2);
    lines.exact(
        "16-bit copies of weights",
        ItemKind::Activations,
        live.copies,
        Origin::new(basis, copies, "aten/src/ATen/autocast_mode.cpp"),
    );
    let inputs = format!("{unit} × {} bytes × layers of stage {}: the inputs of recomputed layers", whole(share_stream(job)), stage + 1);
    lines.exact(
        "inputs of recomputed layers",
        ItemKind::Activations,
        live.checkpoints,
        Origin::new(basis, inputs, "torch.utils.checkpoint"),
    );
    let shared = "sines, cosines and masks that all layers use";
    lines.exact("tables shared by the layers", ItemKind::Activations, live.shared, Origin::new(basis, shared, TORCH));
}

fn share_stream(job: &Job<'_>) -> u64 {
    u64::from(job.workload.model.hidden) * u64::from(job.mode.stream)
}

fn passing(lines: &mut Lines, job: &Job<'_>, layout: &Layout, share: &Share) {
    let o = &share.outcome;
    let live = o.at_peak.saved_total() + o.at_peak.grads;
    let temp = o.peak.saturating_sub(share.fixed.always + live);
    let text = match o.at {
        super::Peak::LossBackward => "gradients of the logits and of their softmax, 4 bytes each for every token and word",
        super::Peak::Forward => "logits at both widths and what the loss makes of them",
        super::Peak::Optimizer if job.master => "the gradients of its share at 4 bytes, for the step",
        super::Peak::Optimizer => "square roots of all second moments at once",
        super::Peak::Layer(_) => "gradients on their way through the layer, and what recomputation makes again",
        super::Peak::EmbeddingBackward => "the gradient of the embedding before it is added up",
    };
    lines.exact("passing tensors", ItemKind::Buffers, temp, Origin::new(Basis::Derived, text, TORCH));
    lines.exact(
        "gathered layers",
        ItemKind::Buffers,
        share.gathered,
        Origin::new(
            Basis::Derived,
            format!("two layers × {} and what lies outside the layers", Bytes(job.largest.0)),
            "PyTorch FSDP: one layer in use, one on its way",
        ),
    );
    let buckets = Band { low: 0, value: share.buckets, high: 2 * share.buckets };
    let about = if layout.zero == Zero::Parameters {
        "one layer's gradients before they are spread"
    } else {
        "up to 500,000,000 gradients in a bucket; twice that where sending overlaps"
    };
    lines.add("communication buckets", ItemKind::Buffers, buckets, Origin::new(Basis::Assumed, about, "DeepSpeed, reduce_bucket_size"));
    lines.exact("input", ItemKind::Buffers, share.input, Origin::new(Basis::Derived, "indices and labels, 8 bytes each", TORCH));
    if job.training.precision == TrainPrecision::Fp8 {
        let cast = job.largest.1;
        lines.add(
            "FP8 copies in use",
            ItemKind::Buffers,
            Band { low: 0, value: cast, high: 2 * cast },
            Origin::new(
                Basis::Assumed,
                format!("{} weights of one layer × 1 byte", whole(job.largest.1)),
                "torchao float8: casts are made anew for each product",
            ),
        );
    }
}

/// Allocator, context and what the driver keeps, on one card.
pub(super) fn around(share: &Share, device: &Device<'_>, cards: usize) -> Vec<Item> {
    let mut lines = Lines { items: Vec::with_capacity(3) };
    let dynamic = share.outcome.peak;
    lines.add(
        "allocator: rounding and gaps",
        ItemKind::Buffers,
        allocator(dynamic),
        Origin::new(
            Basis::Assumed,
            format!("0 to 15 % of {}, 3 % in the middle", Bytes(dynamic)),
            "blocks are rounded up to 512 bytes and cut from segments of 2 and 20 MiB (PyTorch CUDA caching allocator); gaps depend on the run",
        ),
    );
    lines.add(
        "CUDA context and libraries",
        ItemKind::Overhead,
        context(cards),
        Origin::new(
            Basis::Assumed,
            if cards > 1 {
                "0.35 to 1.6 GiB, 0.9 in the middle, with NCCL's buffers"
            } else {
                "0.35 to 1.0 GiB, 0.55 in the middle, with cuBLAS's workspace"
            },
            "vLLM logs 0.25–0.35 GiB outside PyTorch (github:vllm-project/vllm issue 10517); cuBLAS workspaces of 8 and 32 MiB",
        ),
    );
    let kept = reserve(device);
    lines.add("kept by the driver", ItemKind::Overhead, kept, super::super::items::reserve_origin(device));
    lines.items
}

/// Middle estimate of [`around`] in one sum.
pub(super) fn surroundings(dynamic: u64, device: &Device<'_>, cards: usize) -> Band {
    allocator(dynamic) + context(cards) + reserve(device)
}

pub(super) fn allocator(dynamic: u64) -> Band {
    let d = dynamic as f64;
    Band::of(0.0, d * 0.03, d * 0.15)
}

pub(super) fn context(cards: usize) -> Band {
    if cards > 1 { Band::of(0.35 * GIB, 0.9 * GIB, 1.6 * GIB) } else { Band::of(0.35 * GIB, 0.55 * GIB, 1.0 * GIB) }
}
