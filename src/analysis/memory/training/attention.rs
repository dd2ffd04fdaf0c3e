//! Attention by kernel: what each keeps for the backward pass.

use super::model::{Kernel, Sizes};
use super::ops::{Matrix, Role};
use super::tape::Flow::{New, Same};
use super::tape::{Tag, Tape, V};
use crate::catalog::network::{AttentionStyle, NormStyle, QkNorm, Rotary};

/// Bytes of the random state that the flash kernel returns.
const FLASH_STATE: u64 = 24;
/// Seed and offset that the memory-efficient kernel returns.
const EFFICIENT_STATE: u64 = 16;

/// Query, key and value, projected and rotated.
#[derive(Clone, Copy)]
pub(super) struct Qkv {
    pub q: V,
    pub k: V,
    pub v: V,
}

/// Projects and rotates; `x` is the normed input.
pub(super) fn project(t: &mut Tape, m: &Sizes<'_>, x: V) -> Qkv {
    t.part(Tag::Attention);
    let (h, q, k, v) = (m.hidden, m.heads * m.head_dim, m.kv_heads * m.head_dim, m.kv_heads * m.v_dim);
    let bias = m.net.biases.qkv;
    let tokens = m.tokens();
    let matrix = |output, role| Matrix { input: h, output, bias, role };
    let (mut q, mut k, v) = if m.net.fused_qkv {
        let all = t.linear(x, matrix(q + k + v, Role::QueryValue));
        let [q, k, v] = t.split(all, [tokens * q, tokens * k, tokens * v]);
        // Falcon picks its one head by a list of indices, which copies.
        let picks = m.net.attention == AttentionStyle::Falcon && m.kv_heads == 1;
        if picks {
            (q, t.map(k), t.map(v))
        } else if m.net.attention == AttentionStyle::Falcon && m.kv_heads < m.heads {
            // Several heads are repeated in front of everything else.
            (t.map(q), repeat(t, m, k), repeat(t, m, v))
        } else {
            (q, k, v)
        }
    } else {
        (t.linear(x, matrix(q, Role::QueryValue)), t.linear(x, matrix(k, Role::Attention)), t.linear(x, matrix(v, Role::QueryValue)))
    };
    if let Some(kind) = m.net.qk_norm {
        let width = |n: u64| if kind == QkNorm::Head { m.head_dim } else { n * m.head_dim };
        let style = if m.net.norm == NormStyle::Layer { NormStyle::Layer } else { m.net.norm };
        q = t.norm(q, width(m.heads), style, false);
        k = t.norm(k, width(m.kv_heads), style, false);
        t.part(Tag::Attention);
    }
    if m.scales_query {
        q = t.map(q);
    }
    if let Some(dims) = m.rotary() {
        let elements = m.sequence * dims;
        // GLM 4 spreads its tables anew in every layer.
        let table = |t: &mut Tape| if m.own_tables { t.beside(elements, m.stream()) } else { t.outside(elements, m.stream(), false) };
        let (cos, sin) = (table(t), table(t));
        q = rotate(t, m, q, cos, sin);
        k = rotate(t, m, k, cos, sin);
    }
    if m.caches {
        // The cache holds copies of its own.
        for tensor in [k, v] {
            t.kept += t.elements(tensor) * u64::from(t.width(tensor));
        }
    }
    Qkv { q, k, v }
}

/// `x·cos + turned(x)·sin`.
fn rotate(t: &mut Tape, m: &Sizes<'_>, x: V, cos: V, sin: V) -> V {
    let part = match m.net.rotary {
        Rotary::Part(dims) => t.elements(x) * u64::from(dims) / m.head_dim.max(1),
        _ => t.elements(x),
    };
    let width = t.width(x).max(t.width(cos));
    let a = t.op(&[(x, New)], part, width, &[cos], 0);
    let negated = t.op(&[(x, New)], part / 2, t.width(x), &[], 0);
    let turned = t.op(&[(negated, Same), (x, New)], part, t.width(x), &[], part * u64::from(width));
    let b = t.op(&[(turned, New)], part, width, &[sin], 0);
    let y = t.add(a, b);
    if matches!(m.net.rotary, Rotary::Part(_)) { t.op(&[(y, New), (x, New)], t.elements(x), width, &[], 0) } else { y }
}

/// The kernel that runs, given what is asked for and what the class passes (transformers' `integrations/sdpa_attention.py` and the
/// choice in `PyTorch`'s `sdp_utils.cpp`): flash takes 16 bits, no mask and heads of up to 256; the memory-efficient kernel takes the rest.
pub(super) fn kernel(m: &Sizes<'_>, window: Option<u64>, width: u8) -> Kernel {
    let masked = window.is_some_and(|w| m.sequence >= w);
    match (m.kernel, m.net.attention) {
        (_, AttentionStyle::ChainOnly | AttentionStyle::Alibi) | (Kernel::Eager, _) => Kernel::Eager,
        (_, AttentionStyle::Falcon) if m.kv_heads == 1 && m.heads > 1 => Kernel::Math,
        (_, AttentionStyle::Falcon) => Kernel::Efficient,
        (Kernel::Flash, _) if width == 2 && !masked && m.head_dim <= 256 && m.head_dim == m.v_dim => Kernel::Flash,
        _ => Kernel::Efficient,
    }
}

/// Attention without its output projection.
pub(super) fn attend(t: &mut Tape, m: &Sizes<'_>, qkv: Qkv, window: Option<u64>) -> V {
    t.part(Tag::Attention);
    let Qkv { q, k, v } = qkv;
    let matrix_width = if t.mode.autocast { 2 } else { t.width(q) };
    match kernel(m, window, matrix_width) {
        Kernel::Flash => {
            let (q, k, v) = (t.narrow(q), t.narrow(k), t.narrow(v));
            let lse = t.beside(m.batch * m.heads * m.sequence, 4);
            let state = t.beside(FLASH_STATE, 1);
            let out = fused(t, m, [q, k, v], &[lse, state]);
            // The result has the layout of the query: one put together head by head must be copied.
            if matches!(m.net.rotary, Rotary::Part(_)) { t.map(out) } else { out }
        }
        Kernel::Efficient => {
            let (q, mut k, mut v) = (t.narrow(q), k, v);
            let masked = m.net.attention == AttentionStyle::Falcon || window.is_some_and(|w| m.sequence >= w);
            let lse = t.beside(m.batch * m.heads * m.sequence.next_multiple_of(32), 4);
            let state = t.beside(EFFICIENT_STATE, 1);
            if masked {
                (k, v) = (repeat(t, m, k), repeat(t, m, v));
                (k, v) = (narrow_repeated(t, m, k), narrow_repeated(t, m, v));
                t.part(Tag::Score);
                // The boolean mask becomes one of numbers for every call.
                let mask = t.beside(m.batch * m.sequence * m.sequence.next_multiple_of(16), t.width(q));
                t.part(Tag::Attention);
                fused(t, m, [q, k, v], &[lse, state, mask])
            } else {
                (k, v) = (t.narrow(k), t.narrow(v));
                fused(t, m, [q, k, v], &[lse, state])
            }
        }
        Kernel::Math => math(t, m, [q, k, v]),
        Kernel::Eager => eager(t, m, [q, k, v]),
    }
}

fn fused(t: &mut Tape, m: &Sizes<'_>, [q, k, v]: [V; 3], more: &[V]) -> V {
    let mut keeps = vec![q, k, v];
    keeps.extend_from_slice(more);
    let out = t.op(&[(q, New), (k, New), (v, New)], m.tokens() * m.heads * m.v_dim, t.width(q), &keeps, 0);
    t.also_keep(out);
    out
}

/// Keys or values repeated for every query head.
fn repeat(t: &mut Tape, m: &Sizes<'_>, x: V) -> V {
    // One head repeated is a view.
    if m.kv_heads == m.heads || m.kv_heads == 1 || t.elements(x) == m.tokens() * m.heads * m.head_dim {
        return x;
    }
    let times = m.heads / m.kv_heads.max(1);
    t.op(&[(x, New)], t.elements(x) * times, t.width(x), &[], 0)
}

/// What autocast makes of keys or values that may be one head repeated: the copy is no view any more.
fn narrow_repeated(t: &mut Tape, m: &Sizes<'_>, x: V) -> V {
    if t.mode.autocast && t.width(x) == 4 && m.kv_heads == 1 && m.heads > 1 {
        t.op(&[(x, New)], t.elements(x) * m.heads, 2, &[], 0)
    } else {
        t.narrow(x)
    }
}

/// A matrix product of heads; operands whose layout does not allow a view are copied.
fn product(t: &mut Tape, a: V, b: V, elements: u64) -> V {
    let (a, b) = (t.narrow(a), t.narrow(b));
    let keeps: Vec<V> = [(a, b), (b, a)].into_iter().filter(|(_, other)| t.grad(*other)).map(|(v, _)| v).collect();
    t.op(&[(a, New), (b, New)], elements, t.width(a), &keeps, 0)
}

fn copied(t: &mut Tape, m: &Sizes<'_>, x: V) -> V {
    if m.batch > 1 { t.map(x) } else { x }
}

/// Keys or values in front of a product: laid out head by head already if they were repeated.
fn operand(t: &mut Tape, m: &Sizes<'_>, x: V) -> V {
    let full = m.tokens() * m.heads * m.head_dim;
    if t.elements(x) < full && m.batch > 1 {
        t.op(&[(x, New)], t.elements(x) * m.heads, t.width(x), &[], 0)
    } else if m.kv_heads == m.heads || m.net.attention == AttentionStyle::Falcon {
        copied(t, m, x)
    } else {
        x
    }
}

fn eager(t: &mut Tape, m: &Sizes<'_>, [q, k, v]: [V; 3]) -> V {
    let style = m.net.attention;
    let scores = m.batch * m.heads * m.sequence * m.sequence;
    let query_width = t.width(q);
    let q = t.narrow(q);
    let q = copied(t, m, q);
    let (k, v) = (repeat(t, m, k), repeat(t, m, v));
    let (k, v) = (narrow_repeated(t, m, k), narrow_repeated(t, m, v));
    let k = operand(t, m, k);
    t.part(Tag::Score);
    let mut s = product(t, q, k, scores);
    if !matches!(style, AttentionStyle::Alibi) {
        s = t.map(s);
    }
    if m.net.score_cap {
        s = t.cap(s);
    }
    if m.causal {
        let mask = t.outside(m.sequence * m.sequence, m.stream(), false);
        s = t.add(s, mask);
    }
    let narrow = matches!(style, AttentionStyle::NarrowSoftmax | AttentionStyle::Falcon);
    let input = s;
    let s = if narrow { t.wide(s) } else { t.cast(s, 4) };
    let soft = t.keep_out(s);
    t.hold(&[input]);
    let soft = if narrow { soft } else { t.cast(soft, query_width) };
    let soft = t.narrow(soft);
    let soft = t.dropout(soft, m.net.dropouts.attention && style != AttentionStyle::Falcon);
    let v = operand(t, m, v);
    let out = product(t, soft, v, m.tokens() * m.heads * m.v_dim);
    t.part(Tag::Attention);
    t.map(out)
}

/// The fallback of fused attention: in FP32 but for the products that autocast narrows, keys and values repeated.
fn math(t: &mut Tape, m: &Sizes<'_>, [q, k, v]: [V; 3]) -> V {
    let scores = m.batch * m.heads * m.sequence * m.sequence;
    let (q, k, v) = (t.narrow(q), t.narrow(k), t.narrow(v));
    let width = t.width(q);
    let (q, k, v) = (t.cast(q, 4), t.cast(k, 4), t.cast(v, 4));
    let (q, k) = (t.map(q), t.map(k));
    let (k, v) = (repeat(t, m, k), repeat(t, m, v));
    let (k, v) = (operand(t, m, k), operand(t, m, v));
    t.part(Tag::Score);
    let s = product(t, q, k, scores);
    let mask = t.outside(m.sequence * m.sequence, t.width(s), false);
    let s = t.add(s, mask);
    let soft = t.keep_out(s);
    let out = product(t, soft, v, m.tokens() * m.heads * m.v_dim);
    t.part(Tag::Attention);
    let out = t.cast(out, width);
    t.map(out)
}
