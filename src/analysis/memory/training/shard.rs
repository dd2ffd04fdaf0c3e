//! What one card has of a job that is spread over several.

use super::Phases;
use super::job::{Job, States};
use super::model::{Piece, Pieces};
use super::step::{Fixed, Outcome, walk};
use super::tape::Tag;
use crate::units::Bytes;
use crate::workload::training::{Training, Zero};

/// Degrees that fit the number of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub cards: u64,
    pub tensor: u64,
    pub pipeline: u64,
    /// Copies that work on different data.
    pub data: u64,
    pub expert: u64,
    pub sequence: bool,
    pub zero: Zero,
    /// Micro-batches whose activations a stage holds at once, for the first stage.
    pub in_flight: u64,
}

impl Layout {
    /// `None` if the degrees need more cards than there are.
    pub fn of(training: &Training, cards: usize) -> Option<Self> {
        let p = training.parallel;
        let (cards, tensor, pipeline) = (cards as u64, u64::from(p.tensor), u64::from(p.pipeline));
        let data = cards.checked_div(tensor * pipeline).filter(|d| *d > 0)?;
        // On one card nothing is spread, but DeepSpeed stores as it does on several.
        let zero = p.zero;
        let expert = u64::from(p.expert).clamp(1, cards);
        Some(Self { cards, tensor, pipeline, data, expert, sequence: p.sequence, zero, in_flight: pipeline.min(training.accumulation) })
    }

    /// The stage that card `n` belongs to.
    pub fn stage(&self, n: usize) -> usize {
        ((n as u64 * self.pipeline / self.cards.max(1)) as usize).min(self.pipeline.saturating_sub(1) as usize)
    }
}

/// One card's part of a step.
#[derive(Clone, Debug)]
pub(super) struct Share {
    pub outcome: Outcome,
    /// Stored parameters: bytes, elements.
    pub params: (u64, u64),
    /// Of the trained ones, elements on this card before ZeRO spreads anything.
    pub trained: u64,
    pub states: States,
    /// FP32 copies of 16-bit weights.
    pub master: u64,
    /// Weights of layers gathered from other cards.
    pub gathered: u64,
    /// Buckets of communication.
    pub buckets: u64,
    /// Activations of further micro-batches in flight.
    pub in_flight: u64,
    pub input: u64,
    pub fixed: Fixed,
}

impl Share {
    pub const fn phases(&self) -> Phases {
        let o = &self.outcome;
        Phases {
            at: o.at,
            forward: Bytes(o.forward),
            backward: Bytes(o.backward),
            optimizer: Bytes(o.optimizer),
            activations: Bytes(o.end_of_forward.saturating_sub(self.fixed.always) + self.in_flight),
        }
    }
}

/// Elements that `DeepSpeed`'s third stage steps at once.
const SUB_GROUP: u64 = 1_000_000_000;
/// Elements of a reduction bucket: `reduce_bucket_size` of `DeepSpeed` (its configuration page, default 5e8).
const BUCKET: u64 = 500_000_000;

impl Job<'_> {
    /// The part of one pipeline stage. Stages have the same number of layers, the first one more where they do not divide.
    pub fn share(&self, layout: &Layout, stage: u64) -> Share {
        let pieces = self.cut(layout, stage);
        let (stored, trained) = super::job::counted(&pieces);
        let scale = |n: u64| {
            if self.approximate && layout.pipeline == 1 {
                self.params.1.max(1) as f64 / all(&self.pieces).max(1) as f64 * n as f64
            } else {
                n as f64
            }
        };
        let (bytes, elements) = (scale(stored.0) as u64, scale(stored.1) as u64);
        // Experts spread over cards.
        let spread = |n: u64, of: u64| n - of.min(n) * (layout.expert - 1) / layout.expert;
        let stage_experts = |n: u64| n / layout.pipeline / layout.tensor;
        let bytes = spread(bytes, stage_experts(self.experts.0));
        let elements = spread(elements, stage_experts(self.experts.1));
        let trained_elements = if self.mode.full { elements } else { trained.2 };
        let mine = |n: u64, from: Zero| if layout.zero as u8 >= from as u8 { n.div_ceil(layout.data) } else { n };
        let states = self.states((trained.0, trained.1, mine(trained_elements, Zero::Optimizer)));
        let params = mine(bytes, Zero::Parameters);
        let master = if self.master { mine(trained_elements, Zero::Optimizer) * 4 } else { 0 };
        let zero3 = layout.zero == Zero::Parameters;
        // Two layers at a time, one in use and one on its way; what lies outside the layers stays gathered.
        let outside = stored.0.saturating_sub(layers_bytes(&pieces));
        let gathered = if zero3 { 2 * self.largest.0 / layout.tensor + outside } else { 0 };
        let buckets = if matches!(layout.zero, Zero::Optimizer | Zero::Gradients) {
            BUCKET.min(trained_elements) * self.trained_width()
        } else if zero3 {
            self.largest.0 / layout.tensor
        } else {
            // DistributedDataParallel keeps gradients as views of its buckets.
            0
        };
        let input = 8 * self.tokens * 2;
        let held = pieces.runs.iter().map(|(p, n)| if self.checkpoint() { pieces.stream * n } else { p.cost.saved() * n }).sum::<u64>();
        let in_flight = held * layout.in_flight.saturating_sub(stage + 1);
        let always = params + states.bytes + master + gathered + buckets + in_flight + input;
        // DeepSpeed raises the gradients of its share to FP32 in the optimizer's step (runtime/zero/stage_1_and_2.py, `step`), in its
        // third stage a sub-group at a time (`sub_group_size`, default 1e9).
        let group = if zero3 { SUB_GROUP } else { u64::MAX };
        let raised = if self.master { mine(trained_elements, Zero::Optimizer).min(group) * 4 } else { 0 };
        let fixed = Fixed { always, step_temp: states.temp + raised, accumulates: self.training.accumulation > 1 && layout.pipeline == 1 };
        let outcome = walk(&pieces, fixed, true, self.checkpoint());
        Share { outcome, params: (params, elements), trained: trained_elements, states, master, gathered, buckets, in_flight, input, fixed }
    }

    /// The pieces of one stage, each cut over the cards that share its matrices, gradients spread by ZeRO.
    fn cut(&self, layout: &Layout, stage: u64) -> Pieces {
        let mut p = self.pieces.clone();
        let layers: u64 = p.runs.iter().map(|r| r.1).sum();
        let (first, last) = (stage == 0, stage + 1 == layout.pipeline);
        if layout.pipeline > 1 {
            let mut left = layers / layout.pipeline + u64::from(stage < layers % layout.pipeline);
            for (_, count) in &mut p.runs {
                let share = count.div_ceil(layout.pipeline).min(left);
                (*count, left) = (share, left - share);
            }
            if let Some((_, count)) = p.runs.last_mut() {
                *count += left;
            }
        }
        let nothing = Piece::default();
        if !first {
            p.start = nothing;
        }
        if !last {
            p.end = nothing;
        }
        if layout.tensor == 1 && layout.zero as u8 <= Zero::Optimizer as u8 {
            return p;
        }
        cut_piece(&mut p.start, layout);
        cut_piece(&mut p.end, layout);
        for (piece, _) in &mut p.runs {
            cut_piece(piece, layout);
        }
        if layout.sequence {
            p.stream /= layout.tensor;
        }
        p
    }
}

fn layers_bytes(p: &Pieces) -> u64 {
    p.runs.iter().map(|(piece, n)| piece.params.0 * n).sum()
}

fn all(p: &Pieces) -> u64 {
    super::job::counted(p).0.1
}

fn cut_piece(piece: &mut Piece, layout: &Layout) {
    let t = layout.tensor;
    let c = &mut piece.cost;
    let before = c.saved.iter().sum::<u64>();
    for tag in Tag::ALL {
        let whole = matches!(tag, Tag::Norm | Tag::Other) && !layout.sequence;
        if let Some(bytes) = c.saved.get_mut(tag.index()).filter(|_| !whole) {
            *bytes /= t;
        }
    }
    let after = c.saved.iter().sum::<u64>();
    let rest = |peak: u64| after + peak.saturating_sub(before) / t;
    (c.forward_peak, c.backward_peak) = (rest(c.forward_peak), rest(c.backward_peak));
    for bytes in [&mut c.copies, &mut c.frozen_copies, &mut c.held, &mut c.forward_free] {
        *bytes /= t;
    }
    if layout.sequence {
        (c.input_saved, c.grad_out) = (c.input_saved / t, c.grad_out / t);
    }
    let spread = if layout.zero as u8 >= Zero::Gradients as u8 { layout.data } else { 1 };
    c.grads /= t * spread;
    piece.params = (piece.params.0 / t, piece.params.1 / t);
    piece.trainable = (piece.trainable.0 / t / spread, piece.trainable.1, piece.trainable.2 / t);
}
