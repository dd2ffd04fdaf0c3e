//! Rows of `PyTorch`'s own accounting: exact bytes of one step on fake tensors.

use super::predict::{Ground, Prediction};
use super::table::Record;
use crate::analysis::memory::training::accounting::{Run, predict as count};
use crate::workload::training::Optimizer;

/// Predicts one value of such a row.
///
/// # Errors
/// Says why it cannot be judged.
pub(super) fn predict(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let model = ground.names.model(&record.model)?;
    let made = count(&model, &run(record)?)?;
    let bytes = match record.metric.as_str() {
        "params_bytes" => made.params,
        "grads_bytes" => made.grads,
        "optimizer_bytes" => made.optimizer,
        "saved_activation_bytes" => made.saved,
        "kv_cache_bytes" => made.cache,
        "peak_bytes" => made.peak,
        other => return Err(format!("no model for this metric yet: {other}")),
    };
    // Parameters and what follows from their number are counts; the rest depends on what kernels and classes keep.
    let error = match record.metric.as_str() {
        "saved_activation_bytes" => 0.10,
        "peak_bytes" => 0.05,
        _ => 0.0,
    };
    let value = bytes as f64;
    Ok(Prediction { low: value * (1.0 - error), value, high: value * (1.0 + error) })
}

fn run(record: &Record) -> Result<Run, String> {
    let is = |key: &str, value: &str| record.cell(key) == value;
    let number = |key: &str| record.cell(key).parse::<f64>().map_or(0, |v| v as u64);
    let optimizer = match record.cell("optimizer") {
        "adamw" => Some(Optimizer::AdamW),
        "adamw_fused" => Some(Optimizer::AdamWFused),
        "sgd" => Some(Optimizer::Sgd),
        "" | "none" => None,
        other => return Err(format!("no accounting of the optimizer {other}")),
    };
    let lora = match record.cell("adapter") {
        "" | "none" => None,
        other => Some(other.trim_start_matches("lora").parse::<u32>().map_err(|_| format!("no accounting of the adapter {other}"))?),
    };
    Ok(Run {
        train: is("task", "train"),
        batch: record.sequences().unwrap_or(1).max(1),
        sequence: record.tokens().unwrap_or(1).max(1),
        weights: if is("param_dtype", "bf16") || is("param_dtype", "fp16") { 2 } else { 4 },
        autocast: record.cell("param_dtype") != record.cell("compute_dtype"),
        eager: is("attention", "eager"),
        checkpoint: is("checkpointing", "on"),
        optimizer,
        lora,
        static_cache: record.notes.contains("static_cache").then_some(16),
        all_logits: record.notes.contains("all_logits"),
        outside: number("buffers_bytes") + number("input_bytes"),
    })
}
