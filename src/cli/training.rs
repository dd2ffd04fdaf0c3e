//! A training job named on the command line.

use clap::Args;

use crate::workload::training::{AttentionKernel, LossKernel, Method, Optimizer, Recompute, Targets, TrainPrecision, Training, Zero};

/// Settings of a training job.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Training")]
pub(super) struct TrainArgs {
    /// Train instead of answering: `full`, `lora`, `qlora`; `off` takes a job back
    #[arg(long, value_name = "METHOD", num_args = 0..=1, default_missing_value = "full")]
    train: Option<String>,
    /// Rank of the adapters
    #[arg(long, value_name = "N")]
    rank: Option<u32>,
    /// Matrices with adapters: `qv`, `attention`, `all`
    #[arg(long, value_name = "SET")]
    targets: Option<String>,
    /// `fp32`, `fp16_mixed`, `bf16_mixed`, `bf16`, `fp8`
    #[arg(long, value_name = "P")]
    train_precision: Option<String>,
    /// `sgd`, `momentum`, `adam`, `adamw`, `adamw_fused`, `adamw_8bit`, `paged_adamw`, `paged_adamw_8bit`, `adafactor`
    #[arg(long, value_name = "NAME")]
    optimizer: Option<String>,
    /// Sequences or pictures on one card at a time
    #[arg(long, value_name = "N")]
    train_batch: Option<u64>,
    /// Tokens per sequence
    #[arg(long, value_name = "N")]
    train_sequence: Option<u64>,
    /// Micro-batches per optimizer step
    #[arg(long, value_name = "N")]
    accumulate: Option<u64>,
    /// `flash`, `efficient`, `eager`
    #[arg(long, value_name = "KERNEL")]
    attention_kernel: Option<String>,
    /// What is computed again in the backward pass: `none`, `selective`, `full`
    #[arg(long, value_name = "WHAT")]
    recompute: Option<String>,
    /// `standard`, `fused`
    #[arg(long, value_name = "KIND")]
    loss: Option<String>,
    /// `ZeRO` stage: `none`, `1`, `2`, `3` (as FSDP)
    #[arg(long, value_name = "STAGE")]
    zero: Option<String>,
    /// Cards that share each matrix
    #[arg(long, value_name = "N")]
    tensor_parallel: Option<u32>,
    /// Cut norms and residuals along the sequence over those cards
    #[arg(long)]
    sequence_parallel: bool,
    /// Stages of layers
    #[arg(long, value_name = "N")]
    pipeline_parallel: Option<u32>,
    /// Cards over which experts are spread
    #[arg(long, value_name = "N")]
    expert_parallel: Option<u32>,
}

/// Reads a choice, or names the option and its values.
fn choice<T: Copy>(into: &mut T, option: &str, given: Option<&str>, all: &[T], key: fn(T) -> &'static str) -> Result<(), String> {
    let Some(given) = given else { return Ok(()) };
    let found = all.iter().copied().find(|v| key(*v) == given);
    *into = found.ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|v| key(*v)).collect();
        format!("{option}: no value `{given}`; one of {}", known.join(", "))
    })?;
    Ok(())
}

impl TrainArgs {
    pub(super) fn is_empty(&self) -> bool {
        let texts = [&self.train, &self.targets, &self.train_precision, &self.optimizer, &self.attention_kernel, &self.recompute];
        let numbers = [self.train_batch, self.train_sequence, self.accumulate];
        let degrees = [self.rank, self.tensor_parallel, self.pipeline_parallel, self.expert_parallel];
        texts.into_iter().chain([&self.loss, &self.zero]).all(Option::is_none)
            && numbers.iter().all(Option::is_none)
            && degrees.iter().all(Option::is_none)
            && !self.sequence_parallel
    }

    /// The job with these values; without any it stays as it is.
    pub(super) fn applied_to(&self, job: Option<Training>) -> Result<Option<Training>, String> {
        if self.is_empty() {
            return Ok(job);
        }
        if self.train.as_deref() == Some("off") {
            return Ok(None);
        }
        if job.is_none() && self.train.is_none() {
            return Err("--train is missing: the rig's work does not train. Name a method: full, lora, qlora.".to_owned());
        }
        let mut t = job.unwrap_or_default();
        choice(&mut t.method, "--train", self.train.as_deref(), Method::ALL, Method::key)?;
        choice(&mut t.targets, "--targets", self.targets.as_deref(), Targets::ALL, Targets::key)?;
        choice(&mut t.precision, "--train-precision", self.train_precision.as_deref(), TrainPrecision::ALL, TrainPrecision::key)?;
        choice(&mut t.optimizer, "--optimizer", self.optimizer.as_deref(), Optimizer::ALL, Optimizer::key)?;
        choice(&mut t.attention, "--attention-kernel", self.attention_kernel.as_deref(), AttentionKernel::ALL, AttentionKernel::key)?;
        choice(&mut t.recompute, "--recompute", self.recompute.as_deref(), Recompute::ALL, Recompute::key)?;
        choice(&mut t.loss, "--loss", self.loss.as_deref(), LossKernel::ALL, LossKernel::key)?;
        choice(&mut t.parallel.zero, "--zero", self.zero.as_deref(), Zero::ALL, Zero::key)?;
        t.rank = self.rank.unwrap_or(t.rank);
        t.micro_batch = self.train_batch.unwrap_or(t.micro_batch);
        t.sequence = self.train_sequence.unwrap_or(t.sequence);
        t.accumulation = self.accumulate.unwrap_or(t.accumulation);
        t.parallel.tensor = self.tensor_parallel.unwrap_or(t.parallel.tensor);
        t.parallel.pipeline = self.pipeline_parallel.unwrap_or(t.parallel.pipeline);
        t.parallel.expert = self.expert_parallel.unwrap_or(t.parallel.expert);
        t.parallel.sequence |= self.sequence_parallel;
        Ok(Some(t))
    }
}
