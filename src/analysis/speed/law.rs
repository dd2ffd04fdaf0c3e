//! Constants of the engines, fitted to published measurements. `catalogs/aliases.toml` lists the tables they were fitted to,
//! and docs/accuracy.md what leaving out whole cards and whole models gives.

use super::card::Make;
use crate::catalog::precision::Precision;
use crate::workload::Engine;

/// When the engine was built: launches of kernels became cheaper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Age {
    Y2023,
    Y2024,
    #[default]
    Today,
}

/// How the weights are stored, as kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Whole,
    Eight,
    Four,
}

impl Width {
    pub fn of(precision: Precision) -> Self {
        let bits = precision.bits_per_weight();
        if bits > 12.0 {
            Self::Whole
        } else if bits > 7.0 {
            Self::Eight
        } else {
            Self::Four
        }
    }
    const fn pick(self, [whole, eight, four]: [f64; 3]) -> f64 {
        match self {
            Self::Whole => whole,
            Self::Eight => eight,
            Self::Four => four,
        }
    }
}

/// Times of one decoding step: reading, unpacking, and what every layer and every step cost besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Time over bytes ÷ bandwidth, of weights and of the cache.
    pub read: f64,
    pub cache: f64,
    /// Time over operations ÷ FP32 rate, and over bytes ÷ (clock × multiprocessors).
    pub vector: f64,
    pub lanes: f64,
    /// Seconds a layer; more for a layer with experts; a step.
    pub layer_s: f64,
    pub expert_s: f64,
    pub step_s: f64,
    /// Starting kernels takes longer than running them, so that only the longer of the two counts.
    pub launches: bool,
    /// Four of five rows lie within this factor.
    pub band: f64,
    pub source: &'static str,
}

const LLAMA: &str = "fitted: XiongjieDai/GPU-Benchmarks-on-LLM-Inference (2024), geerlingguy/ai-benchmarks (2025), mlc-ai/llm-perf-bench (2023); cards left out 7.7 %, models left out 7.0 % (median)";
const SERVERS: &str =
    "fitted: QwenLM/Qwen2.5 and Qwen3 speed benchmarks (vLLM, SGLang), mlc-ai/llm-perf-bench; models left out 10.7 % (median)";
const TRANSFORMERS: &str = "fitted: QwenLM/Qwen2.5, Qwen and Qwen3 speed benchmarks (transformers); models left out 7.9 % (median)";
const EXLLAMA: &str =
    "fitted: turboderp-org/exllamav2, casper-hansen/AutoAWQ, mlc-ai/llm-perf-bench; cards left out 12 %, models left out 6.7 % (median)";

impl Law {
    /// Of an engine of an age on a make of card with weights of a format.
    pub fn of(engine: Engine, age: Age, make: Make, precision: Precision) -> Self {
        let width = Width::of(precision);
        let newer = |old: f64, new: f64| if age == Age::Today { new } else { old };
        match engine {
            Engine::LlamaCpp => Self {
                read: match make {
                    // Few rows: 0.62 to 0.69 of the bandwidth on desktop hosts, 0.33 on one (geerlingguy/ai-benchmarks, llama.cpp#28863).
                    Make::Amd => 1.5,
                    Make::Intel => 3.0,
                    _ => 1.04,
                },
                cache: 1.04,
                vector: width.pick([7.82, 2.09, 2.09]),
                lanes: 0.0,
                layer_s: match age {
                    Age::Y2023 => 74e-6,
                    Age::Y2024 => 102e-6,
                    Age::Today => 51e-6,
                },
                expert_s: 0.0,
                step_s: 0.0,
                launches: false,
                band: if matches!(make, Make::Amd | Make::Intel) { 1.5 } else { 1.16 },
                source: LLAMA,
            },
            Engine::Vllm | Engine::Sglang => Self {
                read: 1.05,
                cache: 1.11,
                vector: 0.0,
                lanes: width.pick([0.0244, 0.0158, 0.0220]),
                layer_s: 76e-6 + if width == Width::Whole { 0.0 } else { 18e-6 },
                // SGLang 0.4.6 has no fused kernel for experts in GPTQ.
                expert_s: if matches!(precision, Precision::Gptq4 | Precision::Gptq4g64 | Precision::Gptq4g32) { 608e-6 } else { 23e-6 },
                step_s: newer(1.18e-3, 0.0),
                launches: false,
                band: 1.25,
                source: SERVERS,
            },
            Engine::Transformers => Self {
                read: 1.59,
                cache: 5.45,
                vector: 0.0,
                lanes: width.pick([0.0, 0.094, 0.094]),
                layer_s: match precision {
                    Precision::Gptq4 => 848e-6,
                    Precision::Gptq8 => newer(1122e-6, 1402e-6),
                    Precision::Awq4 => newer(1080e-6, 535e-6),
                    Precision::Fp8 => 2126e-6,
                    Precision::Int8 | Precision::Nf4 => 1600e-6,
                    Precision::Nf4Double => 1750e-6,
                    _ => 860e-6,
                },
                expert_s: 10_900e-6,
                step_s: 0.0,
                launches: true,
                band: 1.3,
                source: TRANSFORMERS,
            },
            Engine::Exllama => Self {
                read: 1.05,
                cache: 1.05,
                vector: 0.0,
                lanes: width.pick([0.0312, 0.0276, 0.0276]),
                layer_s: 33e-6,
                expert_s: 0.0,
                step_s: 0.0,
                launches: false,
                band: 1.25,
                source: EXLLAMA,
            },
        }
    }
}

/// Times of working on a prompt: over operations ÷ matrix rate, over operations ÷ watts in tera, over scores ÷ FP32 or matrix rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prompt {
    pub matrix: f64,
    /// Products with 16-bit sums.
    pub narrow: bool,
    pub watts: f64,
    pub scores: f64,
    pub scores_by_vector: bool,
    /// Seconds a layer and micro-batch, and share of reading the weights.
    pub layer_s: f64,
    pub read: f64,
    /// Tokens at once.
    pub chunk: f64,
    pub band: f64,
    pub source: &'static str,
}

impl Prompt {
    pub fn of(engine: Engine, age: Age, make: Make, precision: Precision) -> Self {
        let quantised = Width::of(precision) != Width::Whole;
        let q = |extra: f64| if quantised { extra } else { 0.0 };
        match engine {
            Engine::LlamaCpp => Self {
                matrix: 0.586 + q(0.140),
                narrow: true,
                watts: match make {
                    Make::Gddr | Make::Amd | Make::Intel => 3.43,
                    Make::GddrNew => 2.03,
                    Make::Hbm | Make::HbmNew => 1.08,
                } + q(0.873),
                scores: 1.12,
                scores_by_vector: true,
                layer_s: if age == Age::Today { 100e-6 } else { 436e-6 },
                read: 0.16,
                chunk: 512.0,
                band: 1.3,
                source: "fitted: XiongjieDai/GPU-Benchmarks-on-LLM-Inference (2024); cards left out 14.1 %, models left out 13.1 % (median)",
            },
            Engine::Vllm | Engine::Sglang => Self {
                matrix: 2.43 + q(0.24),
                narrow: false,
                watts: 0.0,
                scores: 1.2,
                scores_by_vector: false,
                layer_s: 76e-6,
                read: 1.05,
                chunk: 2048.0,
                band: 1.5,
                source: SERVERS,
            },
            Engine::Transformers => Self {
                matrix: 11.9 + q(1.5),
                narrow: false,
                watts: 0.0,
                scores: 6.0,
                scores_by_vector: false,
                layer_s: 860e-6,
                read: 1.59,
                chunk: f64::INFINITY,
                band: 2.0,
                source: TRANSFORMERS,
            },
            Engine::Exllama => Self {
                // AutoAWQ on RTX 4090: 0.32 to 0.44 of the rate with FP32 sums at 512 tokens and more, 1.8 ms a layer at 64.
                matrix: 2.4,
                narrow: false,
                watts: 0.0,
                scores: 1.2,
                scores_by_vector: false,
                layer_s: 1.4e-3,
                read: 1.05,
                chunk: 2048.0,
                band: 1.6,
                source: "chosen with casper-hansen/AutoAWQ's table in view",
            },
        }
    }
}
