//! An ML model's shape, reduced to what the ledgers need: parameters by tensor class, and what each layer keeps per token.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::network::Network;

/// Role of a group of parameters. It decides which precision they get, where they live and whether a token touches them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TensorClass {
    /// Token embedding; also the output head where the model ties them.
    Embedding,
    /// Learned positions and other tables looked up by row.
    Table,
    /// Query and key projections, output gates, low-rank projections.
    Attention,
    /// Value projections. Apart because quantised files give them more bits.
    AttentionV,
    /// Query, key and value in one matrix, as the file stores them.
    AttentionFused,
    AttentionOut,
    /// Dense feed-forward without its last matrix, also shared experts.
    Mlp,
    /// Last matrix of the dense feed-forward.
    MlpDown,
    /// Routed experts, all of them, without their last matrices.
    Expert,
    ExpertDown,
    Router,
    /// Norms, biases and every other vector: quantised files keep them in FP32.
    Norm,
    /// Recurrent or state-space mixers.
    Mixer,
    /// Kernels of convolutional networks.
    Convolution,
    Head,
    Other,
}

/// Parameters of one class, summed over all layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tensors {
    pub class: TensorClass,
    /// "attention projections, 32 layers"
    pub name: String,
    pub params: u64,
    /// Of these, the parameters one token reads (routed experts: the chosen ones). Equal to `params` for dense classes.
    pub active: u64,
}

/// A file format whose own table of tensors gives exact bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeightsFormat {
    Gguf,
    Safetensors,
}

impl WeightsFormat {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Gguf => "GGUF",
            Self::Safetensors => "safetensors",
        }
    }
}

/// What the weights take according to the tables of the files that hold them, to the byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExactWeights {
    pub format: WeightsFormat,
    /// How the file calls its mixture: `Q4_K_M`; empty if it does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Files of a split model.
    pub files: u32,
    /// Bytes of all files, headers and vocabulary included.
    pub file_bytes: u64,
    /// Tensors in the files.
    pub tensors: u64,
    pub groups: Vec<ExactTensors>,
}

/// Tensors of one class and storage type that are alike in several layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExactTensors {
    pub class: TensorClass,
    /// Storage type in the file's words: `Q4_K`, `BF16`.
    pub kind: String,
    /// First and last of each run of layers, counted from 0; empty for what lies outside the layers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<[u32; 2]>,
    /// Stored numbers in one such layer, or in all where `layers` is empty. Packed types count their containers.
    pub elements: u64,
    /// Bytes in one such layer, or in all where `layers` is empty.
    pub bytes: u64,
}

impl ExactTensors {
    /// Layers it stands for; 1 outside the layers.
    pub fn times(&self) -> u64 {
        if self.layers.is_empty() {
            return 1;
        }
        self.layers.iter().map(|[first, last]| u64::from(last.saturating_sub(*first)).saturating_add(1)).fold(0, u64::saturating_add)
    }

    /// Whether layer `n` is one of them.
    pub fn in_layer(&self, n: u32) -> bool {
        self.layers.iter().any(|[first, last]| (*first..=*last).contains(&n))
    }

    /// Bytes in all layers together.
    pub fn total(&self) -> u64 {
        self.bytes.saturating_mul(self.times())
    }
}

impl ExactWeights {
    /// Bytes of all tensors.
    pub fn total(&self) -> u64 {
        self.groups.iter().map(ExactTensors::total).fold(0, u64::saturating_add)
    }

    /// Bytes of one class in all layers.
    pub fn bytes_of(&self, class: TensorClass) -> u64 {
        self.groups.iter().filter(|g| g.class == class).map(ExactTensors::total).fold(0, u64::saturating_add)
    }

    /// Bytes of the layer with this number, counted from 0.
    pub fn layer_bytes(&self, n: u32) -> u64 {
        self.groups.iter().filter(|g| g.in_layer(n)).map(|g| g.bytes).fold(0, u64::saturating_add)
    }
}

/// What one layer keeps in the cache per sequence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, tag = "kind")]
pub enum Cache {
    /// Keys and values of every token: `kv_heads × (k_dim + v_dim)` elements per token.
    Full { kv_heads: u32, k_dim: u32, v_dim: u32 },
    /// As `Full`, but only the last `window` tokens.
    Sliding { kv_heads: u32, k_dim: u32, v_dim: u32, window: u32 },
    /// One compressed vector per token (MLA): `rank + rope_dim` elements; `rope_dim` includes the keys of a sparse index.
    Latent { rank: u32, rope_dim: u32 },
    /// A fixed number of elements per sequence, however long (linear attention, state space); held in FP32.
    State { elements: u64 },
    /// Reads another layer's cache.
    Shared,
    /// No cache.
    None,
}

/// `count` layers that keep the same kind of cache. A layer that keeps two kinds is counted in two groups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerGroup {
    pub count: u32,
    pub cache: Cache,
}

/// A model, whatever file it came from. Counts are exact for its configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelShape {
    /// "meta-llama/Llama-3.1-8B"
    pub name: String,
    /// `model_type` of the configuration.
    pub model_type: String,
    pub hidden: u32,
    pub layers: u32,
    pub heads: u32,
    /// Width of one feed-forward block as a token sees it (dense width, or active experts times their width).
    pub mlp_width: u32,
    pub vocab: u64,
    /// Longest context of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    pub tied: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experts: Option<Experts>,
    pub groups: Vec<LayerGroup>,
    pub tensors: Vec<Tensors>,
    /// Precision the weights are published in, as in [`crate::catalog::precision::Precision`]: "bf16", "f16", "fp8", "mxfp4" …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_precision: Option<String>,
    /// How its class computes; `None` = not known, as from files that hold tensors only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Box<Network>>,
    /// Where the shape was read: a path or a public page.
    pub source: String,
    /// Anything the reader must know: an unknown `model_type` read by its keys, a part left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Exact bytes, where the shape was read together with the weights' own table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<ExactWeights>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experts {
    pub total: u32,
    pub active: u32,
}

impl ModelShape {
    /// All parameters.
    pub fn params(&self) -> u64 {
        self.tensors.iter().map(|t| t.params).sum()
    }
    /// Parameters that one token reads, the embedding's unread rows included.
    pub fn active_params(&self) -> u64 {
        self.tensors.iter().map(|t| t.active).sum()
    }
    /// Parameters of one class.
    pub fn params_of(&self, class: TensorClass) -> u64 {
        self.tensors.iter().filter(|t| t.class == class).map(|t| t.params).sum()
    }
    /// Short name for lists: what follows the last slash.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}
