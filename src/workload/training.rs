//! Settings of a training job.

use serde::{Deserialize, Serialize};

/// A training job on the workload's model and cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    pub method: Method,
    /// Rank of the adapters of `LoRA` and `QLoRA`.
    pub rank: u32,
    pub targets: Targets,
    pub precision: TrainPrecision,
    pub optimizer: Optimizer,
    /// Sequences (pictures) on one card at a time.
    pub micro_batch: u64,
    /// Tokens per sequence; networks that see pictures have their own size.
    pub sequence: u64,
    /// Micro-batches per optimizer step.
    pub accumulation: u64,
    pub attention: AttentionKernel,
    pub recompute: Recompute,
    pub loss: LossKernel,
    /// How samples reach the cards.
    #[serde(skip_serializing_if = "Loader::is_default")]
    pub loader: Loader,
    pub parallel: Parallel,
}

impl Default for Training {
    fn default() -> Self {
        Self {
            method: Method::Full,
            rank: 16,
            targets: Targets::QueryValue,
            precision: TrainPrecision::Bf16Mixed,
            optimizer: Optimizer::AdamWFused,
            micro_batch: 1,
            sequence: 2048,
            accumulation: 1,
            attention: AttentionKernel::Flash,
            recompute: Recompute::None,
            loss: LossKernel::Standard,
            loader: Loader::Ahead,
            parallel: Parallel::default(),
        }
    }
}

/// A closed choice with its key in files and on the command line, and its text on the screen.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $key:literal, $text:literal;)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $key)] $variant,)+
        }
        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant,)+];
            /// The key in rig files and on the command line.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)+ }
            }
            /// What the screen says.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
            pub fn parse(key: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.key() == key)
            }
        }
    };
}

choice! {
    /// What trains.
    Method {
        Full = "full", "all weights";
        Lora = "lora", "LoRA";
        /// Adapters on weights stored as NF4 with doubly quantized scales.
        Qlora = "qlora", "QLoRA (NF4)";
    }
}
choice! {
    /// Matrices that get adapters.
    Targets {
        QueryValue = "qv", "query and value";
        Attention = "attention", "all of attention";
        AllLinear = "all", "every matrix of the layers";
    }
}
choice! {
    TrainPrecision {
        Fp32 = "fp32", "FP32";
        /// Weights, gradients and states in FP32, products in FP16 by autocast.
        Fp16Mixed = "fp16_mixed", "FP16 mixed";
        /// Weights, gradients and states in FP32, products in BF16 by autocast.
        Bf16Mixed = "bf16_mixed", "BF16 mixed";
        /// Everything in BF16.
        Bf16 = "bf16", "pure BF16";
        /// As BF16, with products in FP8 (torchao's dynamic scaling, which keeps their inputs at 16 bits).
        Fp8 = "fp8", "FP8";
    }
}
choice! {
    Optimizer {
        Sgd = "sgd", "SGD";
        Momentum = "momentum", "SGD with momentum";
        Adam = "adam", "Adam";
        /// `torch.optim.AdamW` with its default on CUDA: lists of tensors at once.
        AdamW = "adamw", "AdamW (foreach)";
        /// One kernel; the default of transformers' `Trainer`.
        AdamWFused = "adamw_fused", "AdamW (fused)";
        /// States at 8 bits (bitsandbytes).
        AdamW8bit = "adamw_8bit", "AdamW 8-bit";
        /// States in pages that move to main memory where the card runs short (bitsandbytes).
        PagedAdamW = "paged_adamw", "AdamW paged";
        PagedAdamW8bit = "paged_adamw_8bit", "AdamW paged 8-bit";
        /// Row and column sums instead of second moments.
        Adafactor = "adafactor", "Adafactor";
    }
}
choice! {
    AttentionKernel {
        Flash = "flash", "flash";
        Efficient = "efficient", "memory-efficient";
        Eager = "eager", "eager";
    }
}
choice! {
    /// What the backward pass computes again instead of keeping it.
    Recompute {
        None = "none", "nothing";
        /// Scores of attention.
        Selective = "selective", "scores of attention";
        /// Whole layers.
        Full = "full", "whole layers";
    }
}
choice! {
    Loader {
        /// Batches are read, decoded and copied from pinned memory while the cards compute.
        Ahead = "ahead", "ahead, pinned memory";
        Pageable = "pageable", "ahead, pageable memory";
        Blocking = "blocking", "blocking";
    }
}

impl Loader {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
    fn is_default(&self) -> bool {
        *self == Self::Ahead
    }
}

choice! {
    LossKernel {
        /// Logits raised to FP32, softmax kept.
        Standard = "standard", "standard (FP32 logits)";
        /// Head and loss in pieces, nothing of the size of the logits kept.
        Fused = "fused", "fused with the head";
    }
}
choice! {
    /// What is spread over cards that work on different data.
    Zero {
        None = "none", "nothing";
        Optimizer = "1", "ZeRO 1: optimizer states";
        Gradients = "2", "ZeRO 2: and gradients";
        Parameters = "3", "ZeRO 3, FSDP: and weights";
    }
}

/// How the job is spread over cards. What tensor and pipeline leave over works on different data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parallel {
    pub zero: Zero,
    /// Cards that share each matrix.
    pub tensor: u32,
    /// Norms and residuals are cut along the sequence over the cards that share matrices.
    pub sequence: bool,
    /// Stages of layers.
    pub pipeline: u32,
    /// Cards over which experts are spread.
    pub expert: u32,
}

impl Default for Parallel {
    fn default() -> Self {
        Self { zero: Zero::None, tensor: 1, sequence: false, pipeline: 1, expert: 1 }
    }
}

/// Largest degree of one kind of parallelism, rank, micro-batch, sequence, and tokens of a micro-batch: products of them stay countable.
pub const MOST_CARDS: u32 = 4096;
pub const MOST_RANK: u32 = 65_536;
pub const MOST_BATCH: u64 = 1 << 16;
pub const MOST_TOKENS: u64 = 1 << 22;
pub const MOST_TOGETHER: u64 = 1 << 26;

impl Training {
    /// The first field out of range, and what is allowed.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        let outside = |n: u64, most: u64| n == 0 || n > most;
        let p = &self.parallel;
        let degrees = [("parallel.tensor", p.tensor), ("parallel.pipeline", p.pipeline), ("parallel.expert", p.expert)];
        if outside(u64::from(self.rank), u64::from(MOST_RANK)) {
            Some(("rank", format!("the rank of adapters is from 1 to {MOST_RANK}")))
        } else if outside(self.micro_batch, MOST_BATCH) {
            Some(("micro_batch", "the micro-batch is from 1 to 65,536".to_owned()))
        } else if outside(self.sequence, MOST_TOKENS) {
            Some(("sequence", "the sequence is from 1 to 4,194,304 tokens".to_owned()))
        } else if self.micro_batch * self.sequence > MOST_TOGETHER {
            Some(("micro_batch", "micro-batch and sequence make at most 67,108,864 tokens".to_owned()))
        } else if outside(self.accumulation, 1 << 20) {
            Some(("accumulation", "micro-batches per step are from 1 to 1,048,576".to_owned()))
        } else {
            let bad = degrees.into_iter().find(|(_, n)| outside(u64::from(*n), u64::from(MOST_CARDS)));
            bad.map(|(name, _)| (name, format!("cards of one kind of parallelism are from 1 to {MOST_CARDS}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_back() {
        assert!(Optimizer::ALL.iter().all(|o| Optimizer::parse(o.key()) == Some(*o)));
        let job = Training {
            optimizer: Optimizer::PagedAdamW8bit,
            parallel: Parallel { zero: Zero::Parameters, ..Parallel::default() },
            ..Training::default()
        };
        let text = toml::to_string(&job).unwrap();
        assert_eq!(toml::from_str::<Training>(&text).unwrap(), job, "{text}");
        assert_eq!(toml::from_str::<Training>("method = \"lora\"").unwrap(), Training { method: Method::Lora, ..Training::default() });
    }

    #[test]
    fn ranges_name_the_field() {
        assert_eq!(Training::default().fault(), None);
        let fault = |job: Training| job.fault().map(|f| f.0);
        assert_eq!(fault(Training { rank: 0, ..Training::default() }), Some("rank"));
        assert_eq!(fault(Training { sequence: 1 << 31, ..Training::default() }), Some("sequence"));
        assert_eq!(fault(Training { sequence: 1 << 20, micro_batch: 1 << 10, ..Training::default() }), Some("micro_batch"));
        let parallel = Parallel { pipeline: 5000, ..Parallel::default() };
        assert_eq!(fault(Training { parallel, ..Training::default() }), Some("parallel.pipeline"));
    }
}
