//! A training job before it is cut: the pieces of its step, its parameters, what its optimizer keeps.

use super::model::{Kernel, Piece, Pieces, Sizes};
use super::shard::Layout;
use super::tape::{Mode, Tag};
use crate::catalog::model::ModelShape;
use crate::catalog::network::Network;
use crate::workload::Workload;
use crate::workload::training::{AttentionKernel, LossKernel, Method, Optimizer, Recompute, TrainPrecision, Training, Zero};

/// Bytes of an optimizer's states and of the passing tensors of its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct States {
    pub bytes: u64,
    pub temp: u64,
}

pub(super) struct Job<'a> {
    pub workload: &'a Workload,
    pub training: &'a Training,
    pub pieces: Pieces,
    pub mode: Mode,
    /// Tokens of one micro-batch.
    pub tokens: u64,
    pub batch: u64,
    pub sequence: u64,
    /// Pictures have no tokens: what a micro-batch counts.
    pub pictures: bool,
    /// Parameters: bytes and elements, adapters included.
    pub params: (u64, u64),
    /// Those that train: bytes, tensors, elements.
    pub trainable: (u64, u64, u64),
    /// Of the parameters' bytes and elements, those of routed experts.
    pub experts: (u64, u64),
    /// Largest layer: parameters' bytes and elements.
    pub largest: (u64, u64),
    /// The layers are not all of a kind that the tape knows.
    pub approximate: bool,
    /// `DeepSpeed` keeps FP32 copies of 16-bit weights, in the optimizer's share.
    pub master: bool,
}

/// How the job stores and computes. ZeRO in its first two stages is `DeepSpeed`'s: weights and gradients at 16 bits, FP32 copies beside
/// them; in the third the gathered weights are at 16 bits.
fn mode(training: &Training, layout: &Layout) -> Mode {
    let mixed = matches!(training.precision, TrainPrecision::Fp16Mixed | TrainPrecision::Bf16Mixed);
    let spread = layout.zero != Zero::None;
    let weights = if training.precision == TrainPrecision::Fp32 || (mixed && !spread) { 4 } else { 2 };
    let adapters = training.method != Method::Full;
    Mode {
        weights,
        stream: weights,
        autocast: mixed && !spread,
        record: true,
        full: !adapters,
        lora: adapters.then_some((u64::from(training.rank), training.targets)),
        quantized: training.method == Method::Qlora,
        in_place: true,
    }
}

/// The network of a shape, or the nearest kind for one that came without.
pub(super) fn network(model: &ModelShape) -> std::borrow::Cow<'_, Network> {
    model.network.as_deref().map_or_else(|| std::borrow::Cow::Owned(Network::assumed(model)), std::borrow::Cow::Borrowed)
}

impl<'a> Job<'a> {
    pub fn new(workload: &'a Workload, training: &'a Training, layout: &Layout) -> Self {
        let model = &*workload.model;
        let network = network(model);
        let mode = mode(training, layout);
        let kernel = match training.attention {
            AttentionKernel::Flash => Kernel::Flash,
            AttentionKernel::Efficient => Kernel::Efficient,
            AttentionKernel::Eager => Kernel::Eager,
        };
        let mut sizes = Sizes::new(model, &network, training.micro_batch, training.sequence, kernel);
        sizes.stream = mode.stream;
        sizes.fused_loss = training.loss == LossKernel::Fused;
        let checkpoint = training.recompute == Recompute::Full;
        let mut pieces = sizes.pieces(model, mode, checkpoint);
        if training.recompute == Recompute::Selective {
            for (piece, _) in &mut pieces.runs {
                // The scores are made again in the backward pass of their layer.
                if let Some(score) = piece.cost.saved.get_mut(Tag::Score.index()) {
                    *score = 0;
                }
            }
        }
        let counted = counted(&pieces);
        let (batch, sequence, tokens) = (training.micro_batch, sizes.sequence, sizes.tokens());
        let experts = network.experts.map_or((0, 0), |e| {
            let matrices = if network.gated { 3 } else { 2 };
            let elements = u64::from(e.layers) * u64::from(e.total) * matrices * u64::from(e.width) * u64::from(model.hidden);
            let bits = if mode.quantized { 4127 } else { u64::from(mode.weights) * 8000 };
            ((u128::from(elements) * u128::from(bits) / 8000) as u64, elements)
        });
        let largest = pieces.runs.iter().map(|(p, _)| p.params).max().unwrap_or_default();
        let mut job = Self {
            workload,
            training,
            mode,
            tokens,
            batch,
            sequence,
            pictures: sizes.sees_pictures(),
            params: counted.0,
            trainable: counted.1,
            experts,
            largest,
            approximate: network.approximate,
            master: mode.weights == 2 && !mode.autocast && layout.zero != Zero::None && training.precision != TrainPrecision::Bf16,
            pieces,
        };
        if job.approximate {
            job.scale_to(model.params());
        }
        job
    }

    /// Layers of a kind that the tape does not know are counted by the model's own numbers.
    fn scale_to(&mut self, params: u64) {
        let had = self.params.1.max(1);
        let scale = |n: u64| (u128::from(n) * u128::from(params) / u128::from(had)).min(u128::from(u64::MAX)) as u64;
        self.params = (scale(self.params.0), params);
        if self.mode.full {
            self.trainable = (scale(self.trainable.0), self.trainable.1, params);
            let piece = |p: &mut Piece| {
                p.cost.grads = scale(p.cost.grads);
                p.trainable.0 = scale(p.trainable.0);
            };
            piece(&mut self.pieces.start);
            piece(&mut self.pieces.end);
            self.pieces.runs.iter_mut().for_each(|(p, _)| piece(p));
        }
    }

    pub const fn checkpoint(&self) -> bool {
        matches!(self.training.recompute, Recompute::Full)
    }

    /// Bytes of an element of the trained weights.
    pub const fn trained_width(&self) -> u64 {
        if self.mode.full { self.mode.weights as u64 } else { 4 }
    }

    /// States for `bytes` of trained weights in `tensors` tensors with `elements` elements.
    pub fn states(&self, (bytes, tensors, elements): (u64, u64, u64)) -> States {
        let width = if self.master { 4 } else { self.trained_width() };
        let all = elements.saturating_mul(width);
        let _ = bytes;
        match self.training.optimizer {
            Optimizer::Sgd => States::default(),
            Optimizer::Momentum => States { bytes: all, temp: 0 },
            // The square roots of all second moments at once.
            Optimizer::Adam | Optimizer::AdamW => States { bytes: 2 * all, temp: all },
            // A counter of 4 bytes on the card for each tensor.
            Optimizer::AdamWFused => States { bytes: 2 * all + 4 * tensors, temp: 0 },
            Optimizer::PagedAdamW => States { bytes: 2 * all, temp: 0 },
            // Two bytes a parameter, and a scale of 4 bytes for each block of 256 of both moments.
            Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => States { bytes: 2 * elements + elements / 32, temp: 0 },
            // Sums over rows and columns in FP32; the step makes the largest tensor's update in FP32, twice.
            Optimizer::Adafactor => {
                let side = u64::from(self.workload.model.hidden.max(1));
                States { bytes: 8 * elements / side, temp: 8 * self.workload.model.vocab * side }
            }
        }
    }
}

/// Sums of parameters over all pieces.
type Counted = ((u64, u64), (u64, u64, u64));
pub(super) fn counted(p: &Pieces) -> Counted {
    let all = p.runs.iter().map(|(piece, n)| (piece, *n)).chain([(&p.start, 1), (&p.end, 1)]);
    all.fold(((0, 0), (0, 0, 0)), |((b, e), (tb, tn, te)), (piece, n)| {
        let sum = |a: u64, x: u64| a.saturating_add(x.saturating_mul(n));
        let (p, t) = (piece.params, piece.trainable);
        ((sum(b, p.0), sum(e, p.1)), (sum(tb, t.0), sum(tn, t.1), sum(te, t.2)))
    })
}
