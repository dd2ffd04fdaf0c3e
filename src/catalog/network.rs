//! How the published class of a model computes: what the tensors of a training step depend on beyond the model's shape.

use serde::{Deserialize, Serialize};

/// Activation function of a feed-forward block. Which tensors the backward pass needs depends on how it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    #[default]
    Silu,
    /// One kernel: `gelu`, `gelu_pytorch_tanh`.
    Gelu,
    /// Tanh approximation as a chain of operations: `gelu_new`.
    GeluNew,
    /// `gelu_fast`.
    GeluFast,
    QuickGelu,
    /// A function of its own that keeps its input alone (BLOOM).
    GeluOwn,
    Relu,
    ReluSquared,
}

impl Activation {
    /// From the names in `config.json`; `None` for an unknown one.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "silu" | "swish" | "swiglu" => Self::Silu,
            "gelu" | "gelu_pytorch_tanh" => Self::Gelu,
            "gelu_new" | "gelu_accurate" | "gelu_python_tanh" => Self::GeluNew,
            "gelu_fast" => Self::GeluFast,
            "quick_gelu" => Self::QuickGelu,
            "relu" => Self::Relu,
            "relu2" => Self::ReluSquared,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NormStyle {
    /// Normalised in FP32, rounded, then scaled (Llama).
    #[default]
    Rms,
    /// Scaled in FP32, then rounded (`OLMo` 2).
    RmsWide,
    /// Scaled in FP32 by 1 + weight, then rounded (Gemma).
    RmsPlusOne,
    /// Normalised at the width of the input with the variance in FP32 (T5).
    RmsT5,
    /// One kernel: `nn.LayerNorm`.
    Layer,
    /// Layer norm as a chain of operations in FP32 (Cohere).
    LayerChain,
}

/// Where the norms of a layer stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NormOrder {
    /// Before attention and before the feed-forward.
    #[default]
    Before,
    /// Before and after both (Gemma 2).
    Around,
    /// After both, on the branch (`OLMo` 2).
    AfterBranch,
    /// After both, on the sum (BERT).
    AfterSum,
    /// One norm that attention and feed-forward share, side by side.
    Parallel,
    /// Side by side with a norm each (GPT-NeoX).
    ParallelTwo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QkNorm {
    /// Over each head.
    Head,
    /// Over the whole projection.
    Full,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rotary {
    None,
    /// Every dimension of a head.
    #[default]
    Full,
    /// The first dimensions of a head; the rest is copied beside them.
    Part(u32),
}

/// How the class writes its attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttentionStyle {
    /// Fused kernels, or softmax in FP32 rounded to the width of the query.
    #[default]
    Fused,
    /// As `Fused`, but the chain of operations has its softmax at the width of the scores (GPT-2, BERT).
    NarrowSoftmax,
    /// Chain of operations only (soft caps of Gemma 2).
    ChainOnly,
    /// Chain of operations only, with linear biases (BLOOM).
    Alibi,
    /// Always with a mask and keys of one head not repeated, so that fused kernels refuse (Falcon).
    Falcon,
}

/// Which dropouts have a rate above zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dropouts {
    pub embedding: bool,
    pub attention: bool,
    /// On the outputs of attention and feed-forward.
    pub hidden: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Biases {
    pub qkv: bool,
    pub out: bool,
    pub mlp: bool,
    pub head: bool,
    /// On layer norms.
    pub norm: bool,
}

/// Feed-forward of layers with experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpertMlp {
    /// Layers that have experts; the others are dense.
    pub layers: u32,
    pub total: u32,
    pub active: u32,
    /// Width of one expert.
    pub width: u32,
    /// Width of the shared experts together, 0 = none.
    pub shared: u32,
    /// The shares of the chosen experts are made to sum to one.
    pub normalised: bool,
    /// The shared experts have a gate.
    #[serde(default)]
    pub shared_gate: bool,
    /// The router computes in FP32.
    #[serde(default)]
    pub router_wide: bool,
}

/// What kind of network, and what only that kind has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "family")]
pub enum NetworkKind {
    /// Predicts the next token.
    #[default]
    Decoder,
    /// Predicts masked tokens (BERT); `segments` rows in the table of segments.
    Encoder {
        segments: u32,
    },
    /// Classifies images by patches of `patch` pixels.
    Vision {
        channels: u32,
        patch: u32,
        image: u32,
    },
    /// `decoder` of the layers attend to the output of the others (T5).
    EncoderDecoder {
        decoder: u32,
        /// Rows of the table of relative positions.
        buckets: u32,
    },
    Convolution(ConvNet),
}

/// One convolution without bias, followed by a batch norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conv {
    /// Channels out.
    pub out: u32,
    /// Pixels along one side.
    pub kernel: u32,
    /// Of the first block of a stage; 1 in the others.
    pub stride: u32,
    pub groups: u32,
}

/// Residual blocks alike but for the first, which may change size and then has a projection beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvStage {
    pub blocks: u32,
    pub convs: Vec<Conv>,
}

/// A residual convolutional network: stem, pooling, stages, mean over the picture, classifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvNet {
    pub channels: u32,
    /// Pixels along one side of the picture.
    pub image: u32,
    pub stem: Conv,
    /// A 3 × 3 maximum with stride 2 after the stem.
    pub pool: bool,
    pub stages: Vec<ConvStage>,
    pub classes: u32,
}

impl Network {
    /// The largest of its sizes, and whether its blocks and stages can be walked through one by one.
    pub fn within(&self, most: u32) -> bool {
        let e = self.experts.map_or([0; 5], |e| [e.layers, e.total, e.active, e.width, e.shared]);
        let rotary = if let Rotary::Part(dims) = self.rotary { dims } else { 0 };
        let own = match &self.kind {
            NetworkKind::Decoder => 0,
            NetworkKind::Encoder { segments } => *segments,
            NetworkKind::Vision { channels, patch, image } => (*channels).max(*patch).max(*image),
            NetworkKind::EncoderDecoder { decoder, buckets } => (*decoder).max(*buckets),
            NetworkKind::Convolution(net) => return net.within(most),
        };
        e.into_iter().chain([rotary, own, self.width, self.positions]).all(|n| n <= most)
    }

    /// The likeliest network of a shape that came without one: RMS norms, a gated feed-forward, rotary positions.
    pub fn assumed(model: &super::model::ModelShape) -> Self {
        let experts = model.experts.filter(|e| e.active > 0).map(|e| ExpertMlp {
            layers: model.layers,
            total: e.total,
            active: e.active,
            width: model.mlp_width / e.active,
            shared: 0,
            normalised: false,
            shared_gate: false,
            router_wide: false,
        });
        let width = if experts.is_some() { 0 } else { model.mlp_width };
        Self { gated: true, final_norm: true, width, experts, approximate: true, ..Self::default() }
    }
}

impl ConvNet {
    fn within(&self, most: u32) -> bool {
        let convs = self.stages.iter().flat_map(|s| &s.convs).chain([&self.stem]);
        let sizes = convs.flat_map(|c| [c.out, c.kernel, c.stride, c.groups]).chain([self.channels, self.image, self.classes]);
        let blocks: u64 = self.stages.iter().map(|s| u64::from(s.blocks) * (s.convs.len() as u64 + 1)).sum();
        sizes.into_iter().all(|n| n <= most.min(1 << 16)) && blocks <= 4096
    }
}

/// How a model computes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    pub kind: NetworkKind,
    pub norm: NormStyle,
    pub order: NormOrder,
    pub activation: Activation,
    /// The feed-forward has a gate beside its first matrix.
    pub gated: bool,
    /// Gate and first matrix are one.
    pub fused_mlp: bool,
    /// Query, key and value are one matrix.
    pub fused_qkv: bool,
    /// Width of the dense feed-forward, 0 = every layer has experts.
    pub width: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experts: Option<ExpertMlp>,
    pub biases: Biases,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qk_norm: Option<QkNorm>,
    pub rotary: Rotary,
    pub attention: AttentionStyle,
    pub dropouts: Dropouts,
    /// A norm after the embedding.
    pub embed_norm: bool,
    pub final_norm: bool,
    /// The embedding is multiplied by a number.
    pub embed_scale: bool,
    /// Scores of attention are capped by a tanh.
    pub score_cap: bool,
    /// Logits are capped by a tanh.
    pub logit_cap: bool,
    /// Rows of the table of learned positions, 0 = none.
    pub positions: u32,
    /// Parts of the class are not modelled: the figures come from the nearest known kind of layer.
    pub approximate: bool,
}
