//! Convolutional networks on the tape, layer by layer.

use super::model::{Piece, Pieces};
use super::ops::{Matrix, Role};
use super::tape::Flow::New;
use super::tape::{Mode, Tag, Tape, V};
use crate::catalog::network::{Conv, ConvNet};

/// A picture between layers: tensor, channels, pixels along a side.
#[derive(Clone, Copy)]
struct Plane {
    v: V,
    channels: u64,
    side: u64,
}

/// Convolution and batch norm; the norm keeps its input, mean and deviation of each channel.
fn conv_norm(t: &mut Tape, x: Plane, c: Conv, batch: u64) -> Plane {
    let (out, kernel, stride) = (u64::from(c.out), u64::from(c.kernel), u64::from(c.stride.max(1)));
    let padding = kernel / 2;
    let side = (x.side + 2 * padding).saturating_sub(kernel) / stride + 1;
    t.part(Tag::Mlp);
    let input = t.narrow(x.v);
    let weight = t.weight(out * x.channels / u64::from(c.groups.max(1)) * kernel * kernel);
    let w = t.weight_for_product(weight);
    let keeps: Vec<V> = [(w, input), (input, w)].into_iter().filter(|(_, other)| t.grad(*other)).map(|(v, _)| v).collect();
    let y = t.op(&[(input, New), (w, New)], batch * out * side * side, t.width(input), &keeps, 0);
    t.part(Tag::Norm);
    let (scale, shift) = (t.weight(out), t.weight(out));
    let (mean, deviation) = (t.beside(out, 4), t.beside(out, 4));
    let y = t.op(&[(y, New), (scale, New), (shift, New)], t.elements(y), t.width(y), &[y, mean, deviation], 0);
    Plane { v: y, channels: out, side }
}

/// In place: the result takes the storage of its input, and is kept.
fn relu(t: &mut Tape, x: Plane) -> Plane {
    t.part(Tag::Mlp);
    let v = t.piece(x.v, t.elements(x.v), New);
    t.also_keep(v);
    Plane { v, ..x }
}

/// One residual block.
fn block(t: &mut Tape, x: Plane, convs: &[Conv], first: bool, batch: u64) -> Plane {
    let mut y = x;
    for (n, conv) in convs.iter().enumerate() {
        let conv = Conv { stride: if first { conv.stride } else { 1 }, ..*conv };
        y = conv_norm(t, y, conv, batch);
        if n + 1 < convs.len() {
            y = relu(t, y);
        }
    }
    let shortcut = if first && (y.channels != x.channels || y.side != x.side) {
        let stride = convs.iter().map(|c| c.stride.max(1)).product();
        conv_norm(t, x, Conv { out: y.channels as u32, kernel: 1, stride, groups: 1 }, batch)
    } else {
        x
    };
    // `out += identity`, in place.
    let v = t.joined(y.v, shortcut.v);
    relu(t, Plane { v, ..y })
}

/// The whole network as one piece: a step has hundreds of operations only.
pub(super) fn pieces(net: &ConvNet, mode: Mode, batch: u64) -> Pieces {
    let mut t = Tape::new(mode);
    let side = u64::from(net.image);
    let image = t.outside(batch * u64::from(net.channels) * side * side, mode.weights, false);
    let mut x = conv_norm(&mut t, Plane { v: image, channels: u64::from(net.channels), side }, net.stem, batch);
    x = relu(&mut t, x);
    if net.pool {
        let side = (x.side + 2 - 3) / 2 + 1;
        let elements = batch * x.channels * side * side;
        t.part(Tag::Other);
        let index = t.beside(elements, 8);
        x = Plane { v: t.op(&[(x.v, New)], elements, t.width(x.v), &[x.v, index], 0), side, ..x };
    }
    for stage in &net.stages {
        for n in 0..stage.blocks {
            x = block(&mut t, x, &stage.convs, n == 0, batch);
        }
    }
    t.part(Tag::Loss);
    let mean = t.op(&[(x.v, New)], batch * x.channels, t.width(x.v), &[], 0);
    let head = Matrix { input: x.channels, output: u64::from(net.classes), bias: true, role: Role::Outer };
    let logits = t.linear(mean, head);
    let y = if mode.record { t.cross_entropy(logits, false) } else { logits };
    t.hold(&[logits]);
    let whole = Piece::of(&t, None, y);
    let nothing = Piece::of(&Tape::new(mode), None, image);
    Pieces { start: nothing, runs: vec![(whole, 1)], end: nothing, shared: 0, masks: 0, stream: 0 }
}
