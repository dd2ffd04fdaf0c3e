//! Measured training speed: the words of a record become settings, one step is predicted, and the metric read off it.

use super::names::Names;
use super::table::Record;
use crate::workload::Workload;
use crate::workload::training::{
    AttentionKernel, Loader, LossKernel, Method, Optimizer, Parallel, Recompute, Targets, TrainPrecision, Training, Zero,
};

/// A record of a training run in the program's own terms.
#[derive(Clone, Debug)]
pub struct Run {
    pub workload: Workload,
    pub training: Training,
    pub cards: u64,
    /// Sequences of one step over all cards, where the row states it.
    pub global: Option<u64>,
    /// Kernels are fused by a compiler, or are the maker's own.
    pub fused: bool,
    /// The classifier's head in place of the vocabulary's: tuning on questions and answers.
    pub no_head: bool,
    /// Sequences are padded to the longest, so that the counted tokens are fewer than the computed ones.
    pub padded: bool,
    /// Cards of one machine.
    pub node: u64,
}

/// The number behind a word: "TP8", "ga16".
fn after(text: &str, word: &str) -> Option<u64> {
    text.match_indices(word).find_map(|(at, _)| {
        let starts = !text.get(..at).is_some_and(|t| t.ends_with(char::is_alphanumeric));
        let digits: String = text.get(at + word.len()..)?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|_| starts)
    })
}

/// What a record says, with the defaults of its engine's published recipes: litgpt trains adapters of rank 8 on query and value; Qwen's
/// `finetune.py` recomputes layers; torchtune's recipes do so too unless the row says otherwise; `SQuAD` is cut to 384 tokens
/// (NVIDIA/DeepLearningExamples, `PyTorch/LanguageModeling/BERT/scripts/run_squad.sh`).
///
/// # Errors
/// Says which fact is missing or not modelled.
#[expect(clippy::too_many_lines, reason = "one rule a setting, in the order of the record")]
pub fn run(names: &Names, record: &Record) -> Result<Run, String> {
    let model = names.model(&record.model)?;
    let engine = record.engine.to_lowercase();
    let what = format!("{} {}", record.precision, record.workload).to_lowercase();
    let all = format!("{what} {engine} {} {}", record.notes, record.model).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| all.contains(w));
    for (word, why) in [
        ("cpu offload", "weights in main memory"),
        ("activation offload", "activations in main memory"),
        ("tpu", "no card of this program"),
    ] {
        if what.contains(word) {
            return Err(format!("not modelled: {why}"));
        }
    }
    if (2..=8).any(|n| what.contains(&format!("cp{n} "))) {
        return Err("not modelled: context parallelism".to_owned());
    }
    let batch = record.batch.to_lowercase();
    let number = |t: &str| t.split_whitespace().next().and_then(|w| w.parse::<u64>().ok());
    let cards = record.cards().unwrap_or(1).clamp(1, 32_768);
    let global = after(&batch, "global ").or_else(|| number(&batch).filter(|_| batch.contains("global")));
    let tensor = after(&what, "tp").unwrap_or(1).max(1);
    let pipeline = after(&what, "pp").unwrap_or(1).max(1);
    let accumulation = after(&batch, "ga").unwrap_or(1).max(1);
    let micro = match global {
        Some(all) => (all / cards).max(1),
        None => number(&batch).unwrap_or(0),
    };
    let squad = has(&["squad"]);
    let sequence = record.tokens().unwrap_or(if squad { 384 } else { 2048 }).max(1);
    // Where the row does not say it, enough to keep a card busy.
    let micro = if micro == 0 { (16_384 / sequence).clamp(1, 64) } else { micro };
    let quantized = ["qlora", "q-lora", "nf4", "int4"].iter().any(|w| what.contains(w));
    let method = if quantized && what.contains("lora") {
        Method::Qlora
    } else if what.contains("lora") {
        Method::Lora
    } else {
        Method::Full
    };
    let p = record.precision.to_lowercase();
    let precision = if p.starts_with("fp32") || p.starts_with("tf32") || p.starts_with("float32") {
        TrainPrecision::Fp32
    } else if what.contains("float8") && !p.contains("where stated") || record.workload.contains("float8") || p.contains("fp8") {
        TrainPrecision::Fp8
    } else if p.contains("pure") || p.contains("true") || engine.contains("torchtune") || p.starts_with("bnb") || p.contains("base") {
        TrainPrecision::Bf16
    } else if p.contains("fp16") && !p.contains("bf16") {
        TrainPrecision::Fp16Mixed
    } else {
        TrainPrecision::Bf16Mixed
    };
    let recomputes = if has(&["no activation", "without checkpoint"]) {
        false
    } else {
        has(&["full activation checkpointing", "full recompute", "full ac", "+ activation checkpointing", "+ optimizer in backward"])
            || has(&["activation offloading", "8-bit adamw", "cumulative flags"])
            || engine == "torchtune + compile"
            || engine.contains("deepspeed")
    };
    let selective = has(&["selective"]);
    let sharded = has(&["fsdp", "zero3", "full_shard"]) || (engine.contains("torchtune") && cards > 1);
    let zero = if sharded {
        Zero::Parameters
    } else if engine.contains("deepspeed") && cards > 1 {
        Zero::Gradients
    } else if has(&["megatron", "own stack"]) {
        Zero::Optimizer
    } else {
        Zero::None
    };
    let u = |n: u64| u32::try_from(n).unwrap_or(1);
    let deepspeed = engine.contains("deepspeed");
    let training = Training {
        method,
        rank: u(after(&what, "r").unwrap_or(if deepspeed { 64 } else { 8 })),
        targets: if engine.contains("litgpt") { Targets::QueryValue } else { Targets::AllLinear },
        precision,
        optimizer: Optimizer::AdamWFused,
        micro_batch: micro,
        sequence,
        accumulation,
        attention: if has(&["deeplearningexamples"]) { AttentionKernel::Eager } else { AttentionKernel::Flash },
        recompute: if recomputes {
            Recompute::Full
        } else if selective {
            Recompute::Selective
        } else {
            Recompute::None
        },
        loader: Loader::Ahead,
        loss: if has(&["chunked"]) { LossKernel::Fused } else { LossKernel::Standard },
        parallel: Parallel { zero, tensor: u(tensor), sequence: tensor > 1, pipeline: u(pipeline), expert: 1 },
    };
    if let Some((_, why)) = training.fault() {
        return Err(why);
    }
    let fused = has(&["compile", "deeplearningexamples", "megatron", "own stack", "chunked", "optimizer in backward", "8-bit adamw"])
        || has(&["activation checkpointing, ", "activation offloading", "cumulative flags"]) && engine.contains("torchtune");
    Ok(Run {
        workload: Workload { training: Some(training.clone()), ..Workload::of(model) },
        training,
        cards,
        global,
        fused,
        no_head: squad,
        padded: has(&["unpacked"]),
        node: after(&all, "devices_per_node=").unwrap_or(8).max(1),
    })
}
