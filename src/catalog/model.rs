//! An ML model's shape, reduced to what the ledgers need: parameters by tensor class, and what each layer keeps per token.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    Head,
    Other,
}

/// Parameters of one class, summed over all layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tensors {
    pub class: TensorClass,
    /// "attention projections, 32 layers"
    pub name: String,
    pub params: u64,
    /// Of these, the parameters one token reads (routed experts: the chosen ones). Equal to `params` for dense classes.
    pub active: u64,
}

/// What one layer keeps in the cache per sequence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

/// `count` layers that keep the same kind of cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerGroup {
    pub count: u32,
    pub cache: Cache,
}

/// A model, whatever file it came from. Counts are exact for its configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Where the shape was read: a path or a public page.
    pub source: String,
    /// Anything the reader must know: an unknown `model_type` read by its keys, a part left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
