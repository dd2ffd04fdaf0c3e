//! What the machine is for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalog::model::ModelShape;
use crate::catalog::precision::Precision;

mod serving;
mod sharing;
pub mod training;

pub use serving::{Attention, Engine, Serving, Split};
pub use sharing::{Hours, Part, Sharing};
use training::Training;

/// One job for the rig: a model with its precision and sizes. The shape travels with it, so a rig file alone reproduces its report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// The user's name for it.
    pub name: String,
    pub precision: Precision,
    pub kv_precision: KvPrecision,
    /// Tokens per sequence, prompt and answer together.
    pub context: u64,
    /// Sequences at the same time.
    pub batch: u64,
    /// Cards the model is split over; `None` = all cards of the rig.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
    /// The program that runs it, and how.
    #[serde(default, skip_serializing_if = "Serving::is_default")]
    pub serving: Serving,
    /// The job trains the model; `None` = it answers with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// When it runs, and what it claims of its cards.
    #[serde(default, skip_serializing_if = "Sharing::is_default")]
    pub sharing: Sharing,
    pub model: Arc<ModelShape>,
}

/// Element type of the key-value cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KvPrecision {
    #[default]
    F16,
    Q8_0,
    Q4_0,
    Fp8,
}

impl KvPrecision {
    pub const ALL: &[Self] = &[Self::F16, Self::Q8_0, Self::Q4_0, Self::Fp8];

    /// Bits per element, block scales included: ggml blocks of 32 with one FP16 scale (ggml-common.h).
    pub const fn bits(self) -> f64 {
        match self {
            Self::F16 => 16.0,
            Self::Q8_0 => 8.5,
            Self::Q4_0 => 4.5,
            Self::Fp8 => 8.0,
        }
    }
    pub const fn text(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Q8_0 => "q8_0",
            Self::Q4_0 => "q4_0",
            Self::Fp8 => "fp8",
        }
    }
}

impl Workload {
    /// A first guess for a model: weights as in its file, as published if that is a quantisation, else 4.8-bit GGUF; 8192 tokens or what
    /// the model takes, one sequence, all cards.
    pub fn of(model: Arc<ModelShape>) -> Self {
        Self {
            name: model.short_name().to_owned(),
            precision: Precision::default_of(&model),
            kv_precision: KvPrecision::default(),
            context: model.context.unwrap_or(8192).min(8192),
            batch: 1,
            gpus: None,
            serving: Serving::default(),
            training: None,
            sharing: Sharing::default(),
            model,
        }
    }

    /// The engine asked for, else the usual one of the precision.
    pub fn engine(&self) -> Engine {
        self.serving.engine.unwrap_or_else(|| Engine::usual(self.precision))
    }

    /// The split asked for, else the engine's own: servers of `PyTorch` models slice every matrix, the others give whole layers away.
    pub fn split(&self) -> Split {
        let usual = if self.engine().has_pool() { Split::Tensor } else { Split::Layer };
        self.serving.split.unwrap_or(usual)
    }

    /// The kernel asked for, else flash attention, the default of every engine here on cards of today.
    pub fn attention(&self) -> Attention {
        self.serving.attention.unwrap_or(Attention::Flash)
    }

    /// The same job with another model: sizes stay, the context is cut to what the model takes, and the precision gives way to that of the
    /// model's own file, or of its publisher where that is a quantisation.
    #[must_use]
    pub fn with_model(&self, model: Arc<ModelShape>) -> Self {
        let fresh = Self::of(model);
        let keeps = fresh.precision == Precision::default() && self.precision.suits(&fresh.model);
        Self {
            context: fresh.model.context.map_or(self.context, |most| self.context.min(most)),
            precision: if keeps { self.precision } else { fresh.precision },
            name: fresh.name,
            model: fresh.model,
            // An engine asked for with the old format may not read the new one.
            serving: if keeps { self.serving.clone() } else { Serving { engine: None, ..self.serving.clone() } },
            ..self.clone()
        }
    }
}
