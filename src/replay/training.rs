//! Measured training runs beside predictions: the words of a record become settings, or the reason why they do not.

use crate::analysis::memory::band::Band;
use crate::analysis::memory::training::estimate;
use crate::catalog::model::ModelShape;
use crate::workload::Workload;
use crate::workload::training::{LossKernel, Method, Optimizer, Parallel, Recompute, Targets, TrainPrecision, Training, Zero};

/// One record, in the columns of the common tables. Texts are as the source has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record<'a> {
    pub precision: &'a str,
    pub engine: &'a str,
    pub workload: &'a str,
    pub notes: &'a str,
    pub context_tokens: &'a str,
    pub batch: &'a str,
    pub n_gpu: &'a str,
    pub metric: &'a str,
}

/// What a metric counts, and whether over all cards.
fn counted(metric: &str, e: &crate::analysis::memory::training::Estimate, engine: &str) -> Option<(Band, bool)> {
    Some(match metric {
        "peak_active_memory" => (e.tensors, false),
        // litgpt prints `torch.cuda.max_memory_allocated`.
        "peak_vram_per_gpu" if engine.contains("litgpt") => (e.tensors, false),
        "peak_reserved_per_gpu" | "peak_vram_per_gpu" => (e.reserved, false),
        "peak_vram_total_over_gpus" => (e.process, true),
        "nvidia_smi_used" | "nvml_used" | "vram_per_gpu" => (e.process, false),
        _ => return None,
    })
}

/// Predicts a record in bytes.
///
/// # Errors
/// Says why the record cannot be judged.
pub fn predict(model: &ModelShape, record: &Record<'_>) -> Result<Band, String> {
    let (job, cards) = settings(record)?;
    let workload = Workload { training: Some(job.clone()), ..Workload::of(model.clone().into()) };
    let estimate = estimate(&workload, &job, cards).ok_or("the degrees of parallelism need more cards")?;
    let (band, all) =
        counted(record.metric, &estimate, &record.engine.to_lowercase()).ok_or_else(|| format!("no such metric: {}", record.metric))?;
    let times = if all { cards as u64 } else { 1 };
    let many = |n: u64| n.saturating_mul(times);
    Ok(Band { low: many(band.low), value: many(band.value), high: many(band.high) })
}

/// Words that name what the ledger does not model.
const NOT_MODELLED: &[(&str, &str)] = &[
    ("llama-adapter", "LLaMA-Adapter"),
    ("(emb)", "training the embedding and the head besides adapters"),
    ("cpu offload", "weights in main memory"),
    ("offload_word_in_yaml=true", "weights or activations in main memory"),
    ("activation offload", "activations in main memory"),
    ("optimizer in backward", "an optimizer that steps in the backward pass"),
    ("memory-optimised", "an optimizer that steps in the backward pass"),
    ("selective ac", "recomputation of some operations"),
    ("target expert", "adapters on experts"),
    ("interleaved", "interleaved stages"),
    ("(unpacked)", "sequences of unstated length"),
    ("8-bit base", "weights at 8 bits"),
    ("nvfp4", "adapters on NVFP4 weights"),
    ("load only", "no training"),
    ("unspecified", "unstated sizes"),
];

/// The number behind the first `word` in a text: "TP8".
fn after(text: &str, word: &str) -> Option<u32> {
    text.match_indices(word).find_map(|(at, _)| {
        let digits: String = text.get(at + word.len()..)?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
}

/// What a record says, with the defaults of its engine's published recipes. Adapters: litgpt rank 8 on query and value
/// (`litgpt/finetune/lora.py`), others on every matrix; rank 64 in Qwen's `finetune.py`. torchtune's recipes recompute layers and, compiled,
/// have a chunked loss; axolotl's example configurations use its fused loss unless they say "w/o CCE".
fn settings(record: &Record<'_>) -> Result<(Training, usize), String> {
    let engine = record.engine.to_lowercase();
    let what = format!("{} {}", record.precision, record.workload).to_lowercase();
    let all = format!("{what} {engine} {}", record.notes).to_lowercase();
    let own = format!("{what} {}", if record.notes.contains("(emb) ") { "" } else { record.notes }).to_lowercase();
    if let Some((_, why)) = NOT_MODELLED.iter().find(|(word, _)| own.contains(word)) {
        return Err(format!("not modelled: {why}"));
    }
    if (1..=8).any(|n| what.contains(&format!(" cp{n} "))) {
        return Err("not modelled: context parallelism".to_owned());
    }
    let has = |words: &[&str]| words.iter().any(|w| all.contains(w));
    let quantized = ["qlora", "q-lora", "nf4", "4-bit", "int4"].iter().any(|w| what.contains(w));
    let method = if quantized {
        Method::Qlora
    } else if what.contains("lora") {
        Method::Lora
    } else if what.contains("full") || what.contains("fsdp") || what.contains("pretrain") || what.contains("finetune") {
        Method::Full
    } else {
        return Err("the record does not say what trains".to_owned());
    };
    let number = |text: &str| text.split(" x ").next().unwrap_or(text).trim().parse::<u64>().ok().filter(|n| *n > 0);
    let sequence = number(record.context_tokens).ok_or("the record states no length")?;
    let micro_batch = number(record.batch).ok_or("the record states no batch")?;
    let cards = number(record.n_gpu).unwrap_or(1);
    let deepspeed = engine.contains("deepspeed") || what.contains("deepspeed zero");
    let zero = if all.contains("zero3") || (deepspeed && method == Method::Full && cards > 1 && !all.contains("zero2")) {
        Zero::Parameters
    } else if all.contains("zero2") || (deepspeed && (method == Method::Full || cards > 1)) {
        Zero::Gradients
    } else if (what.contains("fsdp") && !what.contains("fsdp=false")) || (cards > 1 && !deepspeed) {
        Zero::Parameters
    } else {
        Zero::None
    };
    let mixed = engine.contains("torchtitan") || (deepspeed && method == Method::Full);
    let precision = if record.precision.to_lowercase().starts_with("fp32") {
        TrainPrecision::Fp32
    } else if mixed {
        TrainPrecision::Bf16Mixed
    } else {
        TrainPrecision::Bf16
    };
    let recomputes = !all.contains("no activation")
        && (has(&["checkpointing on", "grad_ckpt=true", "full ac", "+ activation checkpointing", "8-bit adamw", "cumulative flags"])
            || engine == "torchtune + compile");
    let fused = (engine == "axolotl" && !all.contains("w/o cce") && all.contains("grad_ckpt"))
        || has(&["litgpt", "chunked", "+ activation checkpointing", "8-bit adamw", "cumulative flags"])
        || (all.contains("compile") && engine.contains("torchtune"));
    let eight = has(&["8bit", "8-bit adamw", "cumulative flags"]);
    let tensor = after(&what, "tp").unwrap_or(1).max(1);
    let pipeline = after(&what, "pp").unwrap_or(1).max(1);
    let default_rank = if deepspeed { 64 } else { 8 };
    let rank = after(&what, "r=").or_else(|| after(&what, "lora r")).unwrap_or(default_rank);
    let job = Training {
        method,
        rank,
        targets: if engine.contains("litgpt") { Targets::QueryValue } else { Targets::AllLinear },
        precision,
        optimizer: if eight { Optimizer::AdamW8bit } else { Optimizer::AdamWFused },
        micro_batch,
        sequence,
        accumulation: if record.batch.contains("ga") { 8 } else { u64::from(pipeline) },
        recompute: if recomputes { Recompute::Full } else { Recompute::None },
        loss: if fused { LossKernel::Fused } else { LossKernel::Standard },
        parallel: Parallel { zero, tensor, sequence: tensor > 1, pipeline, expert: 1 },
        ..Training::default()
    };
    match job.fault() {
        Some((_, why)) => Err(why),
        None => Ok((job, usize::try_from(cards).unwrap_or(usize::MAX).min(4096))),
    }
}
