//! Layers of transformers on the tape, as the classes of transformers 5.24 compute them.

use super::attention::{attend, project};
use super::model::Sizes;
use super::ops::{Matrix, Role};
use super::tape::Flow::New;
use super::tape::{Tag, Tape, V};
use crate::catalog::network::{ExpertMlp, NormOrder};

/// What differs between the layers of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LayerKind {
    /// Attends to the last tokens only.
    pub window: Option<u64>,
    pub experts: bool,
}

fn norm(t: &mut Tape, m: &Sizes<'_>, x: V) -> V {
    t.norm(x, m.hidden, m.net.norm, m.norm_bias)
}

/// Attention with its output projection and dropout.
fn attention(t: &mut Tape, m: &Sizes<'_>, x: V, kind: LayerKind) -> V {
    let qkv = project(t, m, x);
    let values = [qkv.q, qkv.k, qkv.v];
    let out = attend(t, m, qkv, kind.window);
    t.part(Tag::Attention);
    let out = t.linear(out, Matrix { input: m.heads * m.v_dim, output: m.hidden, bias: m.net.biases.out, role: Role::Attention });
    t.hold(&values);
    t.hold(&[x]);
    t.dropout(out, m.net.dropouts.hidden)
}

/// Dense feed-forward of a width.
pub(super) fn feed_forward(t: &mut Tape, m: &Sizes<'_>, x: V, width: u64) -> V {
    t.part(Tag::Mlp);
    let rows = t.elements(x) / m.hidden.max(1);
    let matrix = |input, output| Matrix { input, output, bias: m.net.biases.mlp, role: Role::Mlp };
    let inner = if m.net.gated {
        let (gate, up) = if m.net.fused_mlp {
            let both = t.linear(x, matrix(m.hidden, 2 * width));
            let [gate, up] = t.split(both, [rows * width, rows * width]);
            (gate, up)
        } else {
            let gate = t.linear(x, matrix(m.hidden, width));
            let gate_active = t.activate(gate, m.net.activation);
            let up = t.linear(x, matrix(m.hidden, width));
            return finish(t, m, gate_active, up, width);
        };
        let active = t.activate(gate, m.net.activation);
        return finish(t, m, active, up, width);
    } else {
        let inner = t.linear(x, matrix(m.hidden, width));
        t.activate(inner, m.net.activation)
    };
    let inner = t.dropout(inner, m.inner_dropout);
    t.linear(inner, matrix(width, m.hidden))
}

fn finish(t: &mut Tape, m: &Sizes<'_>, active: V, up: V, width: u64) -> V {
    let inner = t.mul(active, up);
    let inner = t.dropout(inner, m.inner_dropout);
    t.linear(inner, Matrix { input: width, output: m.hidden, bias: m.net.biases.mlp, role: Role::Mlp })
}

/// Routed experts by grouped matrix products (transformers' `integrations/moe.py`), which autocast does not touch.
fn experts(t: &mut Tape, m: &Sizes<'_>, x: V, e: ExpertMlp) -> V {
    t.part(Tag::Mlp);
    let tokens = t.elements(x) / m.hidden.max(1);
    let [total, active, width] = [e.total, e.active, e.width].map(u64::from);
    let chosen = tokens * active;
    let logits = if e.router_wide {
        // `F.linear(x.float(), weight.float())`
        let (x, weight) = (t.cast(x, 4), t.weight(m.hidden * total));
        let keeps: &[V] = if t.grad(weight) { &[x] } else { &[] };
        t.op(&[(x, New), (weight, New)], tokens * total, 4, keeps, 0)
    } else {
        t.linear(x, Matrix { input: m.hidden, output: total, bias: false, role: Role::Outer })
    };
    let wide = t.cast(logits, 4);
    let soft = t.keep_out(wide);
    let index = t.beside(chosen, 8);
    let top = t.op(&[(soft, New)], chosen, 4, &[index], 0);
    let weights = if e.normalised {
        let sum = t.op(&[(top, New)], tokens, 4, &[], 0);
        t.op(&[(top, New), (sum, New)], chosen, 4, &[top, sum], 0)
    } else {
        top
    };
    let weights = if m.router_narrow { t.cast(weights, t.width(logits)) } else { weights };
    let order = t.beside(chosen, 8);
    let place = t.beside(chosen, 8);
    let rows = t.op(&[(x, New)], chosen * m.hidden, t.width(x), &[place], 0);
    let weights = t.op(&[(weights, New)], chosen, t.width(weights), &[order], 0);
    let rows = t.cast(rows, t.mode.weights);
    let first = if m.net.gated { 2 * width } else { width };
    let ends = t.beside(total, 4);
    let up = grouped(t, rows, ends, total, m.hidden, first);
    let inner = if m.net.gated {
        let [gate, up] = t.split(up, [chosen * width, chosen * width]);
        let gate = t.activate(gate, m.net.activation);
        t.mul(gate, up)
    } else {
        t.activate(up, m.net.activation)
    };
    let out = grouped(t, inner, ends, total, width, m.hidden);
    let weighted = t.mul(out, weights);
    let back = t.beside(chosen, 8);
    let sorted = t.op(&[(weighted, New)], chosen * m.hidden, t.width(weighted), &[back], 0);
    t.hold(&[rows, out]);
    let summed = t.op(&[(sorted, New)], tokens * m.hidden, t.width(sorted), &[], 0);
    let routed = t.cast(summed, t.width(x));
    if e.shared == 0 {
        return routed;
    }
    let mut shared = feed_forward(t, m, x, u64::from(e.shared));
    if e.shared_gate {
        let gate = t.linear(x, Matrix { input: m.hidden, output: 1, bias: false, role: Role::Outer });
        let gate = t.keep_out(gate);
        shared = t.mul(gate, shared);
    }
    t.add(routed, shared)
}

/// One product per expert over rows sorted by expert.
fn grouped(t: &mut Tape, rows: V, ends: V, experts: u64, input: u64, output: u64) -> V {
    let stored = Matrix { input: experts * input, output, bias: false, role: Role::Mlp };
    let weight = if t.mode.quantized { t.matrix(stored).1 } else { t.weight(stored.input * output) };
    let keeps: Vec<V> =
        [(weight, rows), (rows, weight), (ends, weight)].into_iter().filter(|(_, other)| t.grad(*other)).map(|(v, _)| v).collect();
    let elements = t.elements(rows) / input.max(1) * output;
    t.op(&[(rows, New), (weight, New)], elements, t.width(rows), &keeps, 0)
}

fn mlp(t: &mut Tape, m: &Sizes<'_>, x: V, kind: LayerKind) -> V {
    let out = match m.net.experts {
        Some(e) if kind.experts => experts(t, m, x, e),
        _ => feed_forward(t, m, x, u64::from(m.net.width)),
    };
    // The caller's names live until it returns.
    t.hold(&[x]);
    t.dropout(out, m.net.dropouts.hidden)
}

/// One layer of a decoder or encoder.
pub(super) fn layer(t: &mut Tape, m: &Sizes<'_>, x: V, kind: LayerKind) -> V {
    match m.net.order {
        NormOrder::Before => {
            let n = norm(t, m, x);
            let a = attention(t, m, n, kind);
            let x = t.add(x, a);
            let n = norm(t, m, x);
            let f = mlp(t, m, n, kind);
            t.add(x, f)
        }
        NormOrder::Around => {
            let n = norm(t, m, x);
            let a = attention(t, m, n, kind);
            let a = norm(t, m, a);
            let x = t.add(x, a);
            let n = norm(t, m, x);
            let f = mlp(t, m, n, kind);
            let f = norm(t, m, f);
            t.add(x, f)
        }
        NormOrder::AfterBranch => {
            let a = attention(t, m, x, kind);
            let a = norm(t, m, a);
            let x = t.add(x, a);
            let f = mlp(t, m, x, kind);
            let f = norm(t, m, f);
            t.add(x, f)
        }
        NormOrder::AfterSum => {
            let a = attention(t, m, x, kind);
            let x = t.add(x, a);
            let x = norm(t, m, x);
            let f = mlp(t, m, x, kind);
            let x = t.add(x, f);
            norm(t, m, x)
        }
        NormOrder::Parallel => {
            let n = norm(t, m, x);
            let a = attention(t, m, n, kind);
            let f = mlp(t, m, n, kind);
            let sum = t.add(f, a);
            t.add(sum, x)
        }
        NormOrder::ParallelTwo => {
            let n = norm(t, m, x);
            let a = attention(t, m, n, kind);
            let n = norm(t, m, x);
            let f = mlp(t, m, n, kind);
            let sum = t.add(f, a);
            t.add(sum, x)
        }
    }
}
