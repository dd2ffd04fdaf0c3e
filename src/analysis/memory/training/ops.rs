//! Operations of `PyTorch` and the modules of transformers that are made of them, on the tape.

use super::tape::Flow::{New, Same};
use super::tape::{Tag, Tape, V};
use crate::catalog::network::{Activation, NormStyle};
use crate::workload::training::Targets;

/// What a matrix is for: which adapters may sit on it, and whether `QLoRA` quantizes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Query, value, or both in one matrix.
    QueryValue,
    /// Key and output of attention.
    Attention,
    Mlp,
    /// Router, head, patches: no adapters, not quantized.
    Outer,
}

impl Role {
    const fn is_target(self, targets: Targets) -> bool {
        match targets {
            Targets::QueryValue => matches!(self, Self::QueryValue),
            Targets::Attention => matches!(self, Self::QueryValue | Self::Attention),
            Targets::AllLinear => !matches!(self, Self::Outer),
        }
    }
}

/// A matrix that tensors are multiplied with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    pub input: u64,
    pub output: u64,
    pub bias: bool,
    pub role: Role,
}

impl Tape {
    /// Elementwise on one tensor; keeps what it is told.
    pub fn map(&mut self, x: V) -> V {
        self.op(&[(x, New)], self.elements(x), self.width(x), &[], 0)
    }
    /// Elementwise, keeps its input.
    pub fn keep_in(&mut self, x: V) -> V {
        self.op(&[(x, New)], self.elements(x), self.width(x), &[x], 0)
    }
    /// Elementwise, keeps its result.
    pub fn keep_out(&mut self, x: V) -> V {
        let y = self.op(&[(x, New)], self.elements(x), self.width(x), &[], 0);
        self.also_keep(y);
        y
    }

    /// Sum of two tensors of one shape: both gradients are the incoming one, unless a width differs.
    pub fn add(&mut self, a: V, b: V) -> V {
        let width = self.width(a).max(self.width(b));
        let flow = |t: &Self, v: V| if t.width(v) == width { Same } else { New };
        let (fa, fb) = (flow(self, a), flow(self, b));
        self.op(&[(a, fa), (b, fb)], self.elements(a).max(self.elements(b)), width, &[], 0)
    }

    /// Product; each factor is kept if the other has a gradient. A smaller factor is repeated, and its gradient summed up again.
    pub fn mul(&mut self, a: V, b: V) -> V {
        let width = self.width(a).max(self.width(b));
        let elements = self.elements(a).max(self.elements(b));
        let keeps: Vec<V> = [(a, b), (b, a)].into_iter().filter(|(_, other)| self.grad(*other)).map(|(v, _)| v).collect();
        let repeated = [a, b].iter().any(|v| self.grad(*v) && self.elements(*v) < elements);
        let temp = if repeated { elements * u64::from(width) } else { 0 };
        self.op(&[(a, New), (b, New)], elements, width, &keeps, temp)
    }

    /// Dropout with a rate above zero: keeps a mask of bytes.
    pub fn dropout(&mut self, x: V, on: bool) -> V {
        if !on || !self.mode.record {
            return x;
        }
        let mask = self.beside(self.elements(x), 1);
        self.op(&[(x, New)], self.elements(x), self.width(x), &[mask], 0)
    }

    /// `x` times a matrix. With adapters: `B(A(x))` at 4 bytes beside it, added and rounded to the width of the result.
    pub fn linear(&mut self, x: V, m: Matrix) -> V {
        let x16 = self.narrow(x);
        let rows = self.elements(x16).checked_div(m.input).unwrap_or(0);
        let (made, w) = self.matrix(m);
        self.hold(&[made]);
        let mut ins = vec![(x16, New), (w, New)];
        if m.bias {
            let bias = self.weight(m.output);
            let bias = self.weight_for_product(bias);
            ins.push((bias, New));
        }
        let keeps: Vec<V> = [(w, x16), (x16, w)].into_iter().filter(|(_, other)| self.grad(*other)).map(|(v, _)| v).collect();
        let again = if made == w || self.width(w) != 1 { 0 } else { m.input * m.output * u64::from(self.width(x16)) };
        let y = self.op(&ins, rows * m.output, self.width(x16), &keeps, again);
        match self.mode.lora {
            Some((rank, targets)) if m.role.is_target(targets) => self.adapter(x, y, rows, rank, m),
            _ => y,
        }
    }

    /// The stored matrix, and what is multiplied with: `QLoRA` makes it anew from 4 bits for each product and keeps the 4 bits.
    pub fn matrix(&mut self, m: Matrix) -> (V, V) {
        let elements = m.input * m.output;
        if self.mode.quantized && m.role != Role::Outer {
            // NF4 with doubly quantized scales: 0.5 bytes and 0.127 bits a weight (arXiv 2305.14314, section 3).
            let bytes = elements / 2 + elements * 127 / 8000;
            let stored = self.stored(bytes, elements, 1, false);
            let width = if self.mode.autocast { 2 } else { self.mode.stream };
            let product = self.op(&[(stored, New)], elements, width, &[], 0);
            return (product, stored);
        }
        let weight = self.weight(elements);
        (weight, self.weight_for_product(weight))
    }

    fn adapter(&mut self, x: V, y: V, rows: u64, rank: u64, m: Matrix) -> V {
        let out_width = self.width(y);
        let x32 = self.cast(x, 4);
        let side = |t: &mut Self, x: V, input: u64, output: u64| {
            let x = t.narrow(x);
            let weight = t.param(input * output, 4, true);
            let w = t.weight_for_product(weight);
            let keeps: Vec<V> = [(w, x), (x, w)].into_iter().filter(|(_, other)| t.grad(*other)).map(|(v, _)| v).collect();
            t.op(&[(x, New), (w, New)], rows * output, t.width(x), &keeps, 0)
        };
        let a = side(self, x32, m.input, rank);
        let b = side(self, a, rank, m.output);
        let scaled = self.map(b);
        let sum = self.add(y, scaled);
        self.cast(sum, out_width)
    }

    /// A norm over groups of `width` elements with its weight.
    pub fn norm(&mut self, x: V, width: u64, style: NormStyle, bias: bool) -> V {
        self.part(Tag::Norm);
        let groups = self.elements(x).checked_div(width).unwrap_or(0);
        let from = self.width(x);
        match style {
            NormStyle::Layer => {
                let x = self.wide(x);
                let mean = self.beside(groups, 4);
                let rstd = self.beside(groups, 4);
                let w = self.weight(width);
                let mut ins = vec![(x, New), (w, New)];
                if bias {
                    let b = self.weight(width);
                    ins.push((b, New));
                }
                self.op(&ins, self.elements(x), self.width(x), &[x, mean, rstd], 0)
            }
            NormStyle::Rms | NormStyle::RmsWide | NormStyle::RmsPlusOne => {
                let x32 = self.cast(x, 4);
                let scaled = self.root_mean_square(x32, x32, groups);
                let w = self.weight(width);
                match style {
                    NormStyle::Rms => {
                        let back = self.cast(scaled, from);
                        self.mul(back, w)
                    }
                    NormStyle::RmsWide => {
                        let y = self.mul(scaled, w);
                        self.cast(y, from)
                    }
                    _ => {
                        let w32 = self.cast(w, 4);
                        let plus = self.map(w32);
                        let y = self.mul(scaled, plus);
                        self.cast(y, from)
                    }
                }
            }
            NormStyle::RmsT5 => {
                let x32 = self.cast(x, 4);
                let scaled = self.root_mean_square(x32, x, groups);
                let scaled = if self.mode.weights == 2 { self.cast(scaled, 2) } else { scaled };
                let w = self.weight(width);
                self.mul(scaled, w)
            }
            NormStyle::LayerChain => {
                let x32 = self.cast(x, 4);
                let mean = self.op(&[(x32, New)], groups, 4, &[], 0);
                // The class subtracts the mean twice, for the variance and for the result.
                let away = self.op(&[(x32, Same), (mean, New)], self.elements(x), 4, &[], 0);
                let again = self.op(&[(x32, Same), (mean, New)], self.elements(x), 4, &[], 0);
                let scaled = self.root_mean_square(away, again, groups);
                let w = self.weight(width);
                let w32 = self.cast(w, 4);
                let y = self.mul(scaled, w32);
                self.cast(y, from)
            }
        }
    }

    /// `x · rsqrt(mean(square²))`.
    fn root_mean_square(&mut self, square: V, x: V, groups: u64) -> V {
        let powered = self.keep_in(square);
        let mean = self.op(&[(powered, New)], groups, 4, &[], 0);
        let root = self.keep_out(mean);
        self.mul(x, root)
    }

    pub fn activate(&mut self, x: V, with: Activation) -> V {
        match with {
            Activation::Silu | Activation::Gelu | Activation::GeluOwn => self.keep_in(x),
            Activation::Relu => self.keep_out(x),
            Activation::ReluSquared => {
                let y = self.keep_out(x);
                let y = self.wide(y);
                self.keep_in(y)
            }
            // 0.5·x · (1 + tanh(c·(x + 0.044715·x³)))
            Activation::GeluNew => {
                let wide = self.wide(x);
                let cube = self.keep_in(wide);
                let cube = self.map(cube);
                let sum = self.add(x, cube);
                let inner = self.map(sum);
                let tanh = self.keep_out(inner);
                let one = self.op(&[(tanh, Same)], self.elements(tanh), self.width(tanh), &[], 0);
                let half = self.map(x);
                self.mul(half, one)
            }
            // 0.5·x · (1 + tanh(x·c·(1 + 0.044715·x·x)))
            Activation::GeluFast => {
                let scaled = self.map(x);
                let cubed = self.map(x);
                let cubed = self.mul(cubed, x);
                let one = self.op(&[(cubed, Same)], self.elements(cubed), self.width(cubed), &[], 0);
                let inner = self.mul(scaled, one);
                let tanh = self.keep_out(inner);
                let one = self.op(&[(tanh, Same)], self.elements(tanh), self.width(tanh), &[], 0);
                let half = self.map(x);
                self.mul(half, one)
            }
            Activation::QuickGelu => {
                let scaled = self.map(x);
                let gate = self.keep_out(scaled);
                self.mul(x, gate)
            }
        }
    }

    /// A tanh cap: `cap · tanh(x / cap)`.
    pub fn cap(&mut self, x: V) -> V {
        let y = self.map(x);
        let y = self.keep_out(y);
        self.map(y)
    }

    /// A table looked up by row for each of `rows` outputs; `indices` bytes are kept beside the input.
    pub fn lookup(&mut self, table: V, width: u64, rows: u64, indices: u64) -> V {
        let kept = self.beside(indices, 1);
        let keeps: &[V] = if indices > 0 { &[kept] } else { &[] };
        self.op(&[(table, New)], rows * width, self.width(table), keeps, 0)
    }

    /// Head and loss in one, as Liger's `fused_linear_cross_entropy.py`: pieces of `tokens ÷ (classes ÷ width)` rows, rounded up to a power
    /// of two; the gradient of the input is made at once and kept.
    pub fn fused_loss(&mut self, x: V, head: Matrix) -> V {
        let x = self.narrow(x);
        let rows = self.elements(x) / head.input.max(1);
        let pieces = head.output.div_ceil(head.input.max(1)).max(1);
        let piece = rows.div_ceil(pieces).max(1).next_power_of_two().min(rows.max(1));
        let weight = self.weight(head.input * head.output);
        let w = self.weight_for_product(weight);
        let logits = self.beside(piece * head.output, 4);
        self.hold(&[logits]);
        let gradient = self.beside(self.elements(x), self.width(x));
        self.op(&[(x, New), (w, New)], 1, 4, &[gradient], 0)
    }

    /// Mean cross entropy of logits, raised to FP32 before (`upcast`) or by autocast alone.
    pub fn cross_entropy(&mut self, logits: V, upcast: bool) -> V {
        self.part(Tag::Loss);
        let logits = if upcast { self.cast(logits, 4) } else { logits };
        let soft = self.keep_out(logits);
        // Autocast runs the negative log likelihood in FP32, the softmax before it at the width it finds.
        let soft = self.wide(soft);
        let total = self.beside(1, self.width(soft));
        let loss = self.op(&[(soft, New)], 1, self.width(soft), &[soft, total], 0);
        self.also_keep(loss);
        loss
    }
}
