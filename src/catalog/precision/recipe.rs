//! Blocks of quantised weights, and which of them a file type gives to which tensors.

use super::Mixing;
use Pick::{All, First, Grouped, Layers, Middle, Outer, Start};

/// A number of weights stored together in a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub bytes: u32,
    pub weights: u32,
}

pub(super) const fn block(bytes: u32, weights: u32) -> Block {
    Block { bytes, weights }
}

impl Block {
    pub fn bits_per_weight(self) -> f64 {
        8.0 * f64::from(self.bytes) / f64::from(self.weights)
    }
}

pub(super) const F32: Block = block(4, 1);
pub(super) const B16: Block = block(2, 1);
pub(super) const B8: Block = block(1, 1);
/// One FP32 scale for 128 × 128 weights.
pub(super) const FP8: Block = block(128 * 128 + 4, 128 * 128);
/// An FP16 scale and a zero point as wide as a weight per group.
pub(super) const INT4_G128: Block = block(133, 256);
pub(super) const INT4_G64: Block = block(69, 128);
pub(super) const INT4_G32: Block = block(37, 64);
pub(super) const INT3_G128: Block = block(403, 1024);
pub(super) const INT8_G128: Block = block(131, 128);
/// An FP32 scale per 64 weights; double-quantised, an 8-bit one and an FP32 one per 256 of those.
pub(super) const NF4: Block = block(36, 64);
pub(super) const NF4_DOUBLE: Block = block(8192 + 256 + 4, 256 * 64);
// Block layouts of ggml, github:ggml-org/ggml src/ggml-common.h.
pub(super) const MXFP4: Block = block(17, 32);
pub(super) const NVFP4: Block = block(36, 64);
pub(super) const Q4_0: Block = block(18, 32);
pub(super) const Q4_1: Block = block(20, 32);
pub(super) const Q5_0: Block = block(22, 32);
pub(super) const Q5_1: Block = block(24, 32);
pub(super) const Q8_0: Block = block(34, 32);
pub(super) const Q2_K: Block = block(84, 256);
pub(super) const Q3_K: Block = block(110, 256);
pub(super) const Q4_K: Block = block(144, 256);
pub(super) const Q5_K: Block = block(176, 256);
pub(super) const Q6_K: Block = block(210, 256);
pub(super) const IQ1_S: Block = block(50, 256);
pub(super) const IQ1_M: Block = block(56, 256);
pub(super) const IQ2_XXS: Block = block(66, 256);
pub(super) const IQ2_XS: Block = block(74, 256);
pub(super) const IQ2_S: Block = block(82, 256);
pub(super) const IQ3_XXS: Block = block(98, 256);
pub(super) const IQ3_S: Block = block(110, 256);
pub(super) const IQ4_XS: Block = block(136, 256);
pub(super) const IQ4_NL: Block = block(18, 32);
pub(super) const TQ1_0: Block = block(54, 256);
pub(super) const TQ2_0: Block = block(66, 256);

/// Which block one class of tensors gets, as llama.cpp decides by layer.
#[derive(Clone, Copy)]
pub(super) enum Pick {
    All(Block),
    /// The first block in the first and last eighth of the layers and every third between, else the second.
    Outer(Block, Block),
    /// The first block in the first eighth of the layers, else the second.
    First(Block, Block),
    /// The first block in the first sixteenth.
    Start(Block, Block),
    /// The first block in so many layers.
    Layers(u32, Block, Block),
    /// The first block in the middle three quarters of the layers, else the second.
    Middle(Block, Block),
    /// The first block where four or more query heads share one key, else the second.
    Grouped(Block, Block),
}

/// A recipe: one pick per group of classes.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    /// Query and key projections, and every matrix no other rule names.
    pub base: Pick,
    pub query: Pick,
    pub value: Pick,
    pub out: Pick,
    /// First matrices of the feed-forward.
    pub up: Pick,
    pub down: Pick,
    pub embedding: Pick,
    pub head: Pick,
    pub router: Block,
    pub vectors: Block,
    pub gguf: bool,
}

impl Recipe {
    /// Every matrix in one block type.
    pub const fn all(b: Block, vectors: Block) -> Self {
        let p = All(b);
        Self { base: p, query: p, value: p, out: p, up: p, down: p, embedding: p, head: p, router: b, vectors, gguf: false }
    }

    /// Matrices of the layers in one block type, the rest at 16 bits.
    pub const fn layers(b: Block) -> Self {
        let half = All(B16);
        Self { embedding: half, head: half, router: B16, ..Self::all(b, B16) }
    }

    /// A GGUF file: output in `Q6_K`, routers and vectors in FP32.
    pub const fn gguf(b: Block) -> Self {
        Self { head: All(Q6_K), router: F32, gguf: true, ..Self::all(b, F32) }
    }
}

pub(super) const fn first(pick: Pick) -> Block {
    match pick {
        All(b) | Outer(b, _) | First(b, _) | Start(b, _) | Layers(_, b, _) | Middle(b, _) | Grouped(b, _) => b,
    }
}

/// The blocks of a pick and the number of layers that get each.
pub(super) fn shares(pick: Pick, m: &Mixing) -> [(Block, u32); 2] {
    let n = m.layers.clamp(1, 4096);
    let eighth = n / 8;
    let split = |a, b, layers: u32| [(a, layers.min(n)), (b, n.saturating_sub(layers))];
    match pick {
        All(b) => [(b, 1), (b, 0)],
        Outer(a, b) => {
            let late = 7 * n / 8;
            let layers = (0..n).filter(|i| *i < eighth || *i >= late || (*i - eighth) % 3 == 2).count();
            split(a, b, u32::try_from(layers).unwrap_or(n))
        }
        First(a, b) => split(a, b, eighth),
        Start(a, b) => split(a, b, n / 16),
        Layers(count, a, b) => split(a, b, count),
        Middle(a, b) => split(a, b, 7 * n / 8 - eighth),
        Grouped(a, b) => [(if m.grouped >= 4 { a } else { b }, 1), (b, 0)],
    }
}

/// A block that divides the row: the given one, or llama.cpp's substitute with 32 weights.
pub(super) fn fit(b: Block, row: u32) -> Block {
    if row.is_multiple_of(b.weights) {
        return b;
    }
    let substitute = match b {
        Q4_K => Q5_0,
        Q5_K => Q5_1,
        Q6_K => Q8_0,
        Q2_K | TQ1_0 | TQ2_0 => Q4_0,
        // `Q3_K` shares its size with `IQ3_S`, `Q4_0` with `IQ4_NL`.
        _ => IQ4_NL,
    };
    if row.is_multiple_of(substitute.weights) { substitute } else { B16 }
}
