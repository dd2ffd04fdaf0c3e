//! A model with the sizes of one step, and the pieces of its tape: what stands before the layers, the kinds of layers, what stands behind.

use super::layers::{self, LayerKind};
use super::ops::{Matrix, Role};
use super::tape::Flow::{New, Whole};
use super::tape::{Cost, Mode, Tag, Tape, V};
use super::{conv, seq2seq};
use crate::catalog::model::{Cache, ModelShape};
use crate::catalog::network::{Activation, AttentionStyle, Network, NetworkKind, NormStyle, Rotary};

/// How attention is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Flash,
    Efficient,
    /// The chain of operations, with the scores in memory.
    Eager,
    /// What fused attention falls back to.
    Math,
}

/// Sizes of one step of a model on one device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes<'a> {
    pub net: &'a Network,
    pub hidden: u64,
    pub heads: u64,
    pub kv_heads: u64,
    pub head_dim: u64,
    pub v_dim: u64,
    pub vocab: u64,
    pub tied: bool,
    pub batch: u64,
    pub sequence: u64,
    pub kernel: Kernel,
    /// Tokens see only those before them.
    pub causal: bool,
    /// Keys and values stay after the step: inference.
    pub caches: bool,
    /// Logits of the last token of each sequence only.
    pub last_logits: bool,
    pub norm_bias: bool,
    /// The class rounds the weights of the experts.
    pub router_narrow: bool,
    /// The class multiplies queries by a number of its own.
    pub scales_query: bool,
    /// Every layer makes its own tables of sines and cosines.
    pub own_tables: bool,
    /// Dropout inside the feed-forward.
    pub inner_dropout: bool,
    /// Logits are raised to FP32 before the loss.
    pub upcast: bool,
    /// Logits and loss are computed in pieces that are not kept.
    pub fused_loss: bool,
    /// Bytes of an element of the embedding's output.
    pub stream: u8,
}

/// Layers of one kind, in order.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub kind: LayerKind,
    pub count: u64,
}

impl<'a> Sizes<'a> {
    /// Sizes of a model; `sequence` = tokens, or the side of the picture for networks that see pictures.
    pub fn new(model: &ModelShape, net: &'a Network, batch: u64, sequence: u64, kernel: Kernel) -> Self {
        let attends = model.groups.iter().find_map(|g| match g.cache {
            Cache::Full { kv_heads, k_dim, v_dim } | Cache::Sliding { kv_heads, k_dim, v_dim, .. } => Some((kv_heads, k_dim, v_dim)),
            _ => None,
        });
        // Files allow wider ones; products of four sizes must stay countable.
        let (hidden, heads) = (u64::from(model.hidden).min(1 << 20), u64::from(model.heads).clamp(1, 1 << 14));
        let even = hidden / heads;
        let (kv_heads, head_dim, v_dim) = attends.map_or((heads, even, even), |(n, k, v)| (u64::from(n), u64::from(k), u64::from(v)));
        let decoder = matches!(net.kind, NetworkKind::Decoder);
        let sequence = match net.kind {
            NetworkKind::Vision { patch, image, .. } => u64::from(image / patch.max(1)).pow(2) + 1,
            _ => sequence,
        };
        Self {
            net,
            hidden,
            heads,
            kv_heads: kv_heads.clamp(1, heads),
            head_dim: head_dim.min(1 << 14),
            v_dim: v_dim.min(1 << 14),
            vocab: model.vocab.min(1 << 24),
            tied: model.tied,
            batch,
            sequence,
            kernel,
            causal: decoder,
            caches: false,
            last_logits: false,
            norm_bias: net.biases.norm,
            router_narrow: !matches!(model.model_type.as_str(), "mixtral"),
            scales_query: model.model_type == "opt",
            own_tables: model.model_type == "glm4",
            inner_dropout: matches!(net.kind, NetworkKind::EncoderDecoder { .. }) && net.dropouts.hidden,
            upcast: decoder,
            fused_loss: false,
            stream: 4,
        }
    }

    pub const fn sees_pictures(&self) -> bool {
        matches!(self.net.kind, NetworkKind::Vision { .. } | NetworkKind::Convolution(_))
    }

    pub fn tokens(&self) -> u64 {
        self.batch * self.sequence
    }
    pub const fn stream(&self) -> u8 {
        self.stream
    }

    /// Rotated dimensions of a head.
    pub fn rotary(&self) -> Option<u64> {
        match self.net.rotary {
            Rotary::None => None,
            Rotary::Full => Some(self.head_dim),
            Rotary::Part(dims) => Some(u64::from(dims)),
        }
    }

    /// The kinds of layers with their numbers. Where windows and full attention alternate the order is theirs by number.
    pub fn runs(&self, model: &ModelShape) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let all = u64::from(model.layers);
        let mut dense = self.net.experts.map_or(0, |e| all.saturating_sub(u64::from(e.layers)));
        let mut left = all;
        for group in &model.groups {
            // A layer with two kinds of cache is in two groups.
            let layers = u64::from(group.count).min(left);
            left -= layers;
            let window = match group.cache {
                Cache::Sliding { window, .. } => Some(u64::from(window)),
                _ => None,
            };
            let first = dense.min(layers);
            dense -= first;
            let experts = self.net.experts.is_some();
            for (count, experts) in [(first, false), (layers - first, experts)] {
                if count > 0 {
                    runs.push(Run { kind: LayerKind { window, experts }, count });
                }
            }
        }
        runs
    }

    /// Bytes of the tables that all layers share and keep: sines and cosines, once for each kind of positions.
    pub fn shared(&self, model: &ModelShape) -> u64 {
        let sets = if model.model_type == "gemma3_text" { 2 } else { 1 };
        if self.own_tables {
            return 0;
        }
        self.rotary().map_or(0, |dims| sets * 2 * self.sequence * dims * u64::from(self.stream))
    }

    /// What recomputation holds besides the inputs of the layers: masks, positions, and under adapters the output of the embedding.
    fn held(&self, model: &ModelShape, mode: Mode) -> u64 {
        let width = u64::from(self.stream);
        let positions = match self.net.attention {
            AttentionStyle::Alibi => self.batch * self.heads * self.sequence * width,
            _ if self.causal && self.net.positions == 0 => 8 * self.sequence,
            _ => 0,
        };
        let more = self.net.positions > 0 || self.net.embed_norm || self.net.dropouts.embedding;
        let embedding = if !mode.full && more { self.tokens() * self.hidden * width } else { 0 };
        self.masks(model) + positions + embedding
    }

    /// Masks that live through the forward pass.
    pub fn masks(&self, model: &ModelShape) -> u64 {
        let square = self.sequence * self.sequence;
        let eager = self.kernel == Kernel::Eager || matches!(self.net.attention, AttentionStyle::ChainOnly | AttentionStyle::Alibi);
        if !self.causal {
            return 0;
        }
        if eager {
            // One for each kind of layer, for every sequence.
            let sliding = model.groups.iter().filter(|g| matches!(g.cache, Cache::Sliding { .. })).count();
            let kinds = if sliding > 0 && sliding < model.groups.len() { 2 } else { 1 };
            return kinds * self.batch * square * u64::from(self.stream);
        }
        let windows = model.groups.iter().any(|g| matches!(g.cache, Cache::Sliding { window, .. } if self.sequence >= u64::from(window)));
        if windows || self.net.attention == AttentionStyle::Falcon { square } else { 0 }
    }

    /// One layer on a tape of its own. `grad` = its input has a gradient.
    pub fn layer(&self, mode: Mode, kind: LayerKind, grad: bool) -> Piece {
        let mut t = Tape::new(mode);
        let x = t.outside(self.tokens() * self.hidden, self.stream, grad);
        let y = layers::layer(&mut t, self, x, kind);
        Piece::of(&t, Some(x), y)
    }

    /// Embedding and what follows it before the first layer.
    pub fn start(&self, mode: Mode, checkpoint: bool) -> Piece {
        let mut t = Tape::new(mode);
        t.part(Tag::Other);
        let y = match &self.net.kind {
            NetworkKind::Vision { channels, patch, .. } => self.patches(&mut t, u64::from(*channels) * u64::from(*patch).pow(2)),
            kind => self.lookups(&mut t, kind, checkpoint),
        };
        Piece::of(&t, None, y)
    }

    fn lookups(&self, t: &mut Tape, kind: &NetworkKind, checkpoint: bool) -> V {
        let (h, tokens) = (self.hidden, self.tokens());
        // A head that is the embedding has its gradient already: the new one is added to it.
        let table = if self.tied {
            let width = t.mode.weights;
            let full = t.mode.full;
            t.outside(self.vocab * h, width, full)
        } else {
            t.weight(self.vocab * h)
        };
        let twice = if self.tied && !t.mode.in_place { self.vocab * h * u64::from(t.mode.weights) } else { 0 };
        let mut x = t.op(&[(table, New)], tokens * h, t.mode.weights, &[], twice);
        // Adapters with recomputation give the embedding's output a gradient of its own.
        if checkpoint && !t.mode.full && t.mode.record {
            x = t.outside(tokens * h, t.mode.weights, true);
        }
        if let NetworkKind::Encoder { segments } = kind {
            let table = t.weight(u64::from(*segments) * h);
            let segment = t.lookup(table, h, tokens, 8 * self.sequence);
            x = t.add(x, segment);
        }
        if self.net.positions > 0 {
            let table = t.weight(u64::from(self.net.positions) * h);
            // OPT counts positions for every sequence, BERT keeps its numbers in a buffer.
            let (rows, indices) = if self.scales_query {
                (tokens, 8 * tokens)
            } else if matches!(kind, NetworkKind::Encoder { .. }) {
                (self.sequence, 0)
            } else {
                (self.sequence, 8 * self.sequence)
            };
            let positions = t.lookup(table, h, rows, indices);
            x = t.op(&[(x, super::tape::Flow::Same), (positions, New)], tokens * h, t.width(x), &[], 0);
        }
        if self.net.embed_scale {
            x = t.map(x);
        }
        if self.net.embed_norm {
            x = t.norm(x, h, self.net.norm, self.norm_bias);
        }
        t.dropout(x, self.net.dropouts.embedding)
    }

    fn patches(&self, t: &mut Tape, pixels: u64) -> V {
        let h = self.hidden;
        let rows = self.tokens() - self.batch;
        let image = t.outside(rows * pixels, t.mode.weights, false);
        let image = t.narrow(image);
        let (weight, bias) = (t.weight(pixels * h), t.weight(h));
        let (weight, bias) = (t.weight_for_product(weight), t.weight_for_product(bias));
        // A convolution keeps its weight although the picture needs no gradient.
        let patches = t.op(&[(image, New), (weight, New), (bias, New)], rows * h, t.width(image), &[image, weight], 0);
        let class = t.weight(h);
        let width = t.mode.weights;
        let x = t.op(&[(class, New), (patches, New)], self.tokens() * h, width, &[], 0);
        let table = t.weight(self.sequence * h);
        let x = t.op(&[(x, super::tape::Flow::Same), (table, New)], self.tokens() * h, width, &[], 0);
        t.dropout(x, self.net.dropouts.embedding)
    }

    /// Last norm, head and loss.
    pub fn end(&self, mode: Mode) -> Piece {
        let mut t = Tape::new(mode);
        let x = t.outside(self.tokens() * self.hidden, self.stream, true);
        let mut y = x;
        if self.net.final_norm {
            y = t.norm(y, self.hidden, self.net.norm, self.norm_bias);
        }
        t.part(Tag::Loss);
        let mut rows = self.tokens();
        if matches!(self.net.kind, NetworkKind::Vision { .. }) || self.last_logits {
            rows = self.batch;
            y = t.first_rows(y, rows * self.hidden);
        }
        if matches!(self.net.kind, NetworkKind::Encoder { .. }) {
            y = t.linear(y, Matrix { input: self.hidden, output: self.hidden, bias: true, role: Role::Outer });
            y = t.activate(y, Activation::Gelu);
            y = t.norm(y, self.hidden, NormStyle::Layer, true);
            t.part(Tag::Loss);
        }
        let head = Matrix { input: self.hidden, output: self.vocab, bias: self.net.biases.head, role: Role::Outer };
        if self.fused_loss && mode.record {
            let loss = t.fused_loss(y, head);
            return Piece::of(&t, Some(x), loss);
        }
        let mut logits = t.linear(y, head);
        if self.net.logit_cap {
            logits = t.cap(logits);
        }
        if !mode.record {
            return Piece::of(&t, Some(x), logits);
        }
        let loss = t.cross_entropy(logits, self.upcast);
        if matches!(self.net.kind, NetworkKind::Decoder) {
            // The labels, moved by one: a view of a tensor one longer for a single sequence.
            let labels = if self.batch == 1 { rows + 1 } else { rows };
            let labels = t.beside(labels, 8);
            t.also_keep_if(loss, labels);
        }
        t.hold(&[logits]);
        Piece::of(&t, Some(x), loss)
    }

    /// All pieces in order.
    pub fn pieces(&self, model: &ModelShape, mode: Mode, checkpoint: bool) -> Pieces {
        match &self.net.kind {
            NetworkKind::Convolution(net) => conv::pieces(net, mode, self.batch),
            NetworkKind::EncoderDecoder { .. } => seq2seq::pieces(self, model, mode),
            _ => self.layered(model, mode, checkpoint),
        }
    }

    fn layered(&self, model: &ModelShape, mode: Mode, checkpoint: bool) -> Pieces {
        let mut runs = Vec::new();
        // Without a gradient at the embedding the first layer keeps less.
        let mut first = !mode.full && !checkpoint && mode.record;
        for run in self.runs(model) {
            let mut count = run.count;
            if first {
                runs.push((self.layer(mode, run.kind, false), 1));
                (first, count) = (false, count - 1);
            }
            if count > 0 {
                runs.push((self.layer(mode, run.kind, true), count));
            }
        }
        // The model's forward function holds the embedding's output to its end.
        let stream = self.tokens() * self.hidden * u64::from(self.stream);
        let first_keeps = runs.first().is_some_and(|(p, _)| p.cost.input_saved > 0);
        let embedding = if checkpoint || first_keeps { 0 } else { stream };
        Pieces {
            start: self.start(mode, checkpoint),
            runs,
            end: self.end(mode),
            shared: self.shared(model)
                + if checkpoint {
                    self.held(model, mode)
                } else if mode.record {
                    0
                } else {
                    8 * self.sequence
                },
            masks: if checkpoint { 0 } else { self.masks(model) } + embedding,
            stream,
        }
    }
}

/// What one piece of the tape costs and holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    pub cost: Cost,
    /// All parameters: bytes, elements.
    pub params: (u64, u64),
    /// Those that train: bytes, tensors, elements.
    pub trainable: (u64, u64, u64),
}

impl Piece {
    pub fn of(t: &Tape, x: Option<V>, y: V) -> Self {
        Self { cost: t.cost(x, y), params: t.params, trainable: t.trainable }
    }
}

/// A whole step in pieces.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    pub start: Piece,
    pub runs: Vec<(Piece, u64)>,
    pub end: Piece,
    /// Tables that all layers keep.
    pub shared: u64,
    /// Masks that live through the forward pass.
    pub masks: u64,
    /// What passes from layer to layer.
    pub stream: u64,
}

impl Tape {
    /// A view of the first elements; the gradient comes back as large as the whole.
    pub fn first_rows(&mut self, x: V, elements: u64) -> V {
        self.piece(x, elements, Whole)
    }
}
