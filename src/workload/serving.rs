//! How a workload is served: the program, how it spreads the model, and what it leaves in main memory.

use serde::{Deserialize, Serialize};

use crate::catalog::precision::Precision;

/// The program that runs the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// llama.cpp and what is built on it: GGUF files, the input embedding in main memory.
    LlamaCpp,
    /// vLLM: takes a share of each card at once and fills it with a pool of cache blocks.
    Vllm,
    /// `SGLang`: as vLLM, with another share.
    Sglang,
    /// Hugging Face transformers: `PyTorch` without a pool.
    Transformers,
    /// `ExLlama` 2 and 3: GPTQ and EXL files, a cache of fixed length.
    Exllama,
}

impl Engine {
    pub const ALL: &[Self] = &[Self::LlamaCpp, Self::Vllm, Self::Sglang, Self::Transformers, Self::Exllama];

    /// The usual engine for a format: GGUF files go to llama.cpp, the formats of bitsandbytes to transformers, the rest to vLLM. F16 and
    /// BF16 also exist as GGUF; they count as published.
    pub const fn usual(precision: Precision) -> Self {
        use Precision as P;
        let grouped = matches!(precision, P::Gptq8 | P::Gptq4 | P::Gptq4g64 | P::Gptq4g32 | P::Gptq3 | P::Awq4 | P::Awq4g64);
        match precision {
            P::Int8 | P::Nf4 | P::Nf4Double => Self::Transformers,
            P::F32 | P::F16 | P::Bf16 | P::Fp8 | P::Nvfp4 | P::Mxfp4 | P::Safetensors => Self::Vllm,
            _ if grouped => Self::Vllm,
            _ => Self::LlamaCpp,
        }
    }

    /// As in files and on the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::LlamaCpp => "llama_cpp",
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::Transformers => "transformers",
            Self::Exllama => "exllama",
        }
    }

    pub const fn text(self) -> &'static str {
        match self {
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::Transformers => "transformers",
            Self::Exllama => "ExLlama",
        }
    }

    /// The engine of this name, however it is written: `llama.cpp`, `llama-cpp`, `vLLM`.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |t: &str| t.trim().to_lowercase().replace(['.', '-', ' '], "_");
        Self::ALL.iter().copied().find(|e| plain(text) == e.key() || plain(text) == plain(e.text()))
    }

    /// Whether it takes a share of every card and fills what the model leaves with cache blocks.
    pub const fn has_pool(self) -> bool {
        matches!(self, Self::Vllm | Self::Sglang)
    }
}

/// How a model is spread over several cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Whole layers, card after card.
    Layer,
    /// Every matrix in slices, all cards at once.
    Tensor,
}

impl Split {
    pub const ALL: &[Self] = &[Self::Layer, Self::Tensor];
    pub const fn key(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Tensor => "tensor",
        }
    }
    pub const fn text(self) -> &'static str {
        match self {
            Self::Layer => "by layers",
            Self::Tensor => "every matrix (tensor parallel)",
        }
    }
}

/// Kernel of the attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// Scores are never stored.
    Flash,
    /// `PyTorch`'s memory-efficient kernel: scores are not stored, the mask may be.
    Efficient,
    /// The whole matrix of scores is stored.
    Eager,
}

impl Attention {
    pub const ALL: &[Self] = &[Self::Flash, Self::Efficient, Self::Eager];
    pub const fn key(self) -> &'static str {
        match self {
            Self::Flash => "flash",
            Self::Efficient => "efficient",
            Self::Eager => "eager",
        }
    }
    pub const fn text(self) -> &'static str {
        match self {
            Self::Flash => "flash attention",
            Self::Efficient => "memory-efficient",
            Self::Eager => "eager, scores stored",
        }
    }
}

/// Choices of serving. `None`, 0 and an empty list leave them to the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Serving {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// Part of the model for each card, in the order of the cards, in any unit (`3, 1`); empty = as much as each has free.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<f64>,
    /// Tokens worked on at once: llama.cpp's `--ubatch-size`, vLLM's `max_num_batched_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention: Option<Attention>,
    /// Sequences that llama.cpp's server keeps apart while they share one cache of `context` tokens: `--parallel` with `--kv-unified`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Share of a card that an engine with a pool takes, 0..1: vLLM's `gpu_memory_utilization`, `SGLang`'s `mem_fraction_static`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<f64>,
    /// Longest sequence that an engine with a pool is told to take (`max_model_len`); the pool must hold one. `None` = the context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_len: Option<u64>,
    /// Layers that stay in main memory and run on the processor.
    #[serde(skip_serializing_if = "is_zero")]
    pub cpu_layers: u32,
    /// Layers whose routed experts stay in main memory: llama.cpp's `--n-cpu-moe`.
    #[serde(skip_serializing_if = "is_zero")]
    pub cpu_expert_layers: u32,
    /// Tokens that the model's own draft layers (MTP) guess ahead; 0 = they are not loaded.
    #[serde(skip_serializing_if = "is_zero")]
    pub draft_tokens: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Serving {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// # Errors
    /// Names the first field that holds no sensible value, and the range.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let wrong = |field, why: &str| Err((field, why.to_owned()));
        if self.shares.len() > 64 || self.shares.iter().any(|s| !s.is_finite() || *s < 0.0 || *s > 1e9) {
            return wrong("shares", "at most 64 shares from 0 to 1,000,000,000");
        }
        if !self.shares.is_empty() && self.shares.iter().sum::<f64>() <= 0.0 {
            return wrong("shares", "one share at least must be above 0");
        }
        if self.micro_batch.is_some_and(|n| n == 0 || n > 1 << 20) {
            return wrong("micro_batch", "1 to 1,048,576 tokens");
        }
        if self.slots.is_some_and(|n| n == 0 || n > 4096) {
            return wrong("slots", "1 to 4,096");
        }
        if self.pool.is_some_and(|p| !(0.05..=1.0).contains(&p)) {
            return wrong("pool", "0.05 to 1");
        }
        if self.max_len.is_some_and(|n| n == 0 || n > 1 << 30) {
            return wrong("max_len", "1 to 1,073,741,824 tokens");
        }
        if self.cpu_layers > 1 << 16 {
            return wrong("cpu_layers", "at most 65,536");
        }
        if self.cpu_expert_layers > 1 << 16 {
            return wrong("cpu_expert_layers", "at most 65,536");
        }
        if self.draft_tokens > 64 {
            return wrong("draft_tokens", "at most 64");
        }
        Ok(())
    }
}
