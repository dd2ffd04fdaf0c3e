//! Encoder and decoder with relative positions (T5) on the tape.

use super::model::{Kernel, Piece, Pieces, Sizes};
use super::ops::{Matrix, Role};
use super::tape::Flow::{New, Whole};
use super::tape::{Mode, Tag, Tape, V};
use crate::catalog::model::ModelShape;
use crate::catalog::network::NetworkKind;

/// What scores get added, and whether a tensor of it stands outside the layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Positions {
    /// Relative positions, added to a mask or copied for every layer.
    Own,
    /// Zeros made once and shared (attention of the decoder to the encoder).
    Zeros,
}

/// One attention of T5: `keys` are the encoder's output, or the input itself.
fn attention(t: &mut Tape, m: &Sizes<'_>, x: V, keys: V, positions: Positions) -> V {
    t.part(Tag::Attention);
    let inner = m.heads * m.head_dim;
    let matrix = |role| Matrix { input: m.hidden, output: inner, bias: false, role };
    let q = t.linear(x, matrix(Role::QueryValue));
    let k = t.linear(keys, matrix(Role::Attention));
    let v = t.linear(keys, matrix(Role::QueryValue));
    let (q, k, v) = (t.narrow(q), t.narrow(k), t.narrow(v));
    let scores = m.heads * m.sequence * m.sequence;
    t.part(Tag::Score);
    let bias = t.outside(scores, m.stream(), positions == Positions::Own && t.mode.full);
    let out = if m.kernel == Kernel::Eager {
        let s = t.op(&[(q, New), (k, New)], m.batch * scores, t.width(q), &[q, k], 0);
        let s = t.map(s);
        let s = t.add(s, bias);
        let s = t.wide(s);
        let soft = t.keep_out(s);
        let soft = t.dropout(soft, m.net.dropouts.attention);
        let soft = t.narrow(soft);
        t.part(Tag::Attention);
        let out = t.op(&[(soft, New), (v, New)], m.tokens() * inner, t.width(v), &[soft, v], 0);
        t.map(out)
    } else {
        let mask = if positions == Positions::Own { t.map(bias) } else { bias };
        let mask = t.narrow(mask);
        t.part(Tag::Attention);
        let lse = t.beside(m.batch * m.heads * m.sequence.next_multiple_of(32), 4);
        let state = t.beside(16, 1);
        let out = t.op(&[(q, New), (k, New), (v, New), (mask, New)], m.tokens() * inner, t.width(q), &[q, k, v, mask, lse, state], 0);
        t.also_keep(out);
        out
    };
    let out = t.linear(out, Matrix { input: inner, output: m.hidden, bias: false, role: Role::Attention });
    t.dropout(out, m.net.dropouts.hidden)
}

fn block(m: &Sizes<'_>, mode: Mode, decoder: bool, grad: bool) -> Piece {
    let mut t = Tape::new(mode);
    let x = t.outside(m.tokens() * m.hidden, m.stream(), grad);
    let n = t.norm(x, m.hidden, m.net.norm, false);
    let a = attention(&mut t, m, n, n, Positions::Own);
    let mut y = t.add(x, a);
    if decoder {
        let encoder = t.outside(m.tokens() * m.hidden, m.stream(), true);
        let n = t.norm(y, m.hidden, m.net.norm, false);
        let a = attention(&mut t, m, n, encoder, Positions::Zeros);
        y = t.add(y, a);
    }
    let n = t.norm(y, m.hidden, m.net.norm, false);
    let f = super::layers::feed_forward(&mut t, m, n, u64::from(m.net.width));
    let f = t.dropout(f, m.net.dropouts.hidden);
    let y = t.add(y, f);
    Piece::of(&t, Some(x), y)
}

pub(super) fn pieces(m: &Sizes<'_>, model: &ModelShape, mode: Mode) -> Pieces {
    let NetworkKind::EncoderDecoder { decoder, buckets } = m.net.kind else {
        return Pieces { start: m.start(mode, false), runs: Vec::new(), end: m.end(mode), shared: 0, masks: 0, stream: 0 };
    };
    let scores = m.heads * m.sequence * m.sequence * u64::from(m.stream());
    let encoder = u64::from(model.layers.saturating_sub(decoder));
    let half = block(m, mode, false, true);
    let whole = block(m, mode, true, true);
    let mut start = {
        let mut t = Tape::new(mode);
        t.part(Tag::Other);
        let x = embedding(&mut t, m, u64::from(buckets));
        Piece::of(&t, None, x)
    };
    // What lies between the stacks: the encoder's last norm, the decoder's embedding with its indices.
    let between = {
        let mut t = Tape::new(mode);
        let x = t.outside(m.tokens() * m.hidden, m.stream(), true);
        let n = t.norm(x, m.hidden, m.net.norm, false);
        let n = t.dropout(n, m.net.dropouts.hidden);
        let _ = n;
        t.part(Tag::Other);
        let y = embedding(&mut t, m, u64::from(buckets));
        Piece::of(&t, Some(x), y)
    };
    let mut end = Tape::new(mode);
    let x = end.outside(m.tokens() * m.hidden, m.stream(), true);
    let n = end.norm(x, m.hidden, m.net.norm, false);
    let n = end.dropout(n, m.net.dropouts.hidden);
    end.part(Tag::Loss);
    let n = if m.tied { end.map(n) } else { n };
    let logits = end.linear(n, Matrix { input: m.hidden, output: m.vocab, bias: false, role: Role::Outer });
    let loss = if mode.record { end.cross_entropy(logits, false) } else { logits };
    end.hold(&[logits]);
    // The head is the embedding: counted with it.
    if m.tied {
        let table = m.vocab * m.hidden * u64::from(mode.weights);
        start.cost.backward_peak += if mode.in_place { table } else { 2 * table };
    }
    Pieces {
        start,
        runs: vec![(half, encoder), (between, 1), (whole, u64::from(decoder))],
        end: Piece::of(&end, Some(x), loss),
        // With fused kernels the decoder's zeros and its causal masks; and the encoder's output.
        shared: if m.kernel == Kernel::Eager { 0 } else { scores + u64::from(decoder) * m.sequence * m.sequence }
            + m.tokens() * m.hidden * u64::from(m.stream()),
        masks: 0,
        stream: m.tokens() * m.hidden * u64::from(m.stream()),
    }
}

/// Rows of the embedding (the head's own matrix, where they are one) and the table of relative positions.
fn embedding(t: &mut Tape, m: &Sizes<'_>, buckets: u64) -> V {
    let table = if m.tied { t.outside(m.vocab * m.hidden, t.mode.weights, t.mode.full) } else { t.weight(m.vocab * m.hidden) };
    let x = t.op(&[(table, New)], m.tokens() * m.hidden, t.mode.weights, &[], 0);
    let relative = t.weight(buckets * m.heads);
    let index = t.beside(m.sequence * m.sequence, 8);
    let values = t.op(&[(relative, New)], m.heads * m.sequence * m.sequence, t.mode.weights, &[index], 0);
    let _ = t.piece(values, m.heads, Whole);
    t.dropout(x, m.net.dropouts.embedding)
}
