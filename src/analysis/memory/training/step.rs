//! One step from the pieces of its tape: forward, backward, optimizer, and where memory peaks.

use super::model::{Piece, Pieces};
use super::tape::{Cost, Tag};

/// Where in the step memory is highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Peak {
    /// At the end of the forward pass, in the loss.
    #[default]
    Forward,
    /// In the loss's own backward pass.
    LossBackward,
    /// In the backward pass of a layer, counted from 1.
    Layer(u64),
    /// In the backward pass of the embedding.
    EmbeddingBackward,
    /// In the optimizer's step.
    Optimizer,
}

/// Bytes that are there all the time, and of the optimizer's step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fixed {
    /// Parameters, buffers, input, optimizer states.
    pub always: u64,
    /// Passing tensors of the optimizer's step.
    pub step_temp: u64,
    /// Gradients of earlier micro-batches are kept.
    pub accumulates: bool,
}

/// What is alive at one moment besides what always is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Live {
    /// Kept for the backward pass by part; copies of weights, shared tables and inputs of recomputed layers apart.
    pub saved: [u64; Tag::COUNT],
    pub copies: u64,
    pub shared: u64,
    /// Inputs of recomputed layers.
    pub checkpoints: u64,
    pub grads: u64,
    /// Keys and values left behind by inference.
    pub kept: u64,
}

impl Live {
    /// All that waits for the backward pass.
    pub fn saved_total(&self) -> u64 {
        self.saved.iter().sum::<u64>() + self.copies + self.shared + self.checkpoints
    }
    fn total(&self) -> u64 {
        self.saved_total() + self.grads + self.kept
    }
}

/// What a step takes, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// Between forward and backward pass.
    pub turn: Live,
    /// At the highest point; what is not itemised there passes.
    pub at_peak: Live,
    pub end_of_forward: u64,
    pub forward: u64,
    pub backward: u64,
    pub optimizer: u64,
    /// Gradients of all parameters.
    pub grads: u64,
    pub peak: u64,
    pub at: Peak,
}

struct Walk {
    out: Outcome,
    always: u64,
    live: Live,
    /// Masks, held copies and what else lives through the forward pass only.
    passing: u64,
    checkpoint: bool,
}

impl Walk {
    fn now(&self) -> u64 {
        self.always + self.live.total() + self.passing
    }

    /// Notes a moment with `more` bytes that pass.
    fn moment(&mut self, more: u64, at: Peak) {
        let bytes = self.now() + more;
        match at {
            Peak::Forward => self.out.forward = self.out.forward.max(bytes),
            Peak::Optimizer => self.out.optimizer = bytes,
            _ => self.out.backward = self.out.backward.max(bytes),
        }
        if bytes > self.out.peak {
            (self.out.peak, self.out.at, self.out.at_peak) = (bytes, at, self.live);
        }
    }

    fn forward(&mut self, piece: &Piece, count: u64, stream: u64, checkpoint: bool) {
        let c = &piece.cost;
        let highest = if checkpoint { c.forward_free } else { c.forward_peak };
        for n in 0..count {
            // All layers of a run cost the same; only the first and the last can set the highest point.
            if n == 0 || n + 1 == count {
                self.moment(stream + c.kept + highest, Peak::Forward);
            }
            let times = if n == 0 && count > 1 {
                count - 1
            } else if n + 1 == count {
                1
            } else {
                continue;
            };
            self.keep(c, times, stream, checkpoint);
        }
    }

    fn keep(&mut self, c: &Cost, times: u64, stream: u64, checkpoint: bool) {
        self.live.kept += c.kept * times;
        if checkpoint {
            self.live.checkpoints += stream * times;
            self.passing += c.held * times;
            return;
        }
        for (sum, one) in self.live.saved.iter_mut().zip(c.saved) {
            *sum += one * times;
        }
        self.live.copies += c.copies * times;
        self.passing += (c.held + c.frozen_copies).saturating_sub(c.copies) * times;
    }

    /// Takes out what one layer kept.
    fn release(&mut self, c: &Cost, stream: u64, checkpoint: bool) {
        if checkpoint {
            self.live.checkpoints = self.live.checkpoints.saturating_sub(stream);
            return;
        }
        for (sum, one) in self.live.saved.iter_mut().zip(c.saved) {
            *sum = sum.saturating_sub(one);
        }
        self.live.copies = self.live.copies.saturating_sub(c.copies);
    }

    fn backward(&mut self, piece: &Piece, stream: u64, checkpoint: bool, at: Peak, grads: bool) {
        let c = &piece.cost;
        let more = if checkpoint {
            // The layer runs forward again with the gradient of its output waiting.
            (c.forward_peak + c.grad_out).max(c.backward_peak.saturating_sub(c.input_saved))
        } else {
            c.backward_peak.saturating_sub(c.saved())
        };
        self.moment(more, at);
        self.release(c, stream, checkpoint);
        if grads {
            self.live.grads += c.grads;
        }
    }
}

/// Walks through a step. `train` = with backward pass and optimizer; `checkpoint` = layers are recomputed.
pub(super) fn walk(p: &Pieces, fixed: Fixed, train: bool, checkpoint: bool) -> Outcome {
    let mut w = Walk { out: Outcome::default(), always: fixed.always, live: Live::default(), passing: p.masks, checkpoint };
    let grads = p.start.trainable.0 + p.end.trainable.0 + p.runs.iter().map(|(piece, n)| piece.trainable.0 * n).sum::<u64>();
    w.out.grads = grads;
    // A second gradient of the same parameter is added to the first one, which is there already.
    let fresh = !fixed.accumulates;
    if !fresh && train {
        w.live.grads = grads;
    }
    w.live.shared = p.shared;
    w.forward(&p.start, 1, 0, false);
    for (piece, count) in &p.runs {
        w.forward(piece, *count, p.stream, w.checkpoint);
    }
    w.forward(&p.end, 1, p.stream, false);
    w.passing = 0;
    w.out.turn = w.live;
    w.out.end_of_forward = w.now();
    if !train {
        return w.out;
    }
    w.backward(&p.end, 0, false, Peak::LossBackward, fresh);
    let mut layer: u64 = p.runs.iter().map(|r| r.1).sum();
    for (piece, count) in p.runs.iter().rev() {
        for _ in 0..*count {
            w.backward(piece, p.stream, w.checkpoint, Peak::Layer(layer), fresh);
            layer -= 1;
        }
    }
    w.backward(&p.start, 0, false, Peak::EmbeddingBackward, false);
    w.live = Live { grads, ..Live::default() };
    w.moment(fixed.step_temp, Peak::Optimizer);
    w.out
}
