//! The precision a model is published in.

use super::keys::Keys;
use serde_json::{Map, Value};

/// Id of the precision as in [`crate::catalog::precision::Precision`], from `quantization_config`, else from the data type of the weights,
/// `None` if the file does not say; and what the reader should know about it.
pub(super) fn published(keys: &Keys<'_>) -> (Option<String>, Option<String>) {
    if let Some(Value::Object(q)) = keys.anywhere("quantization_config") {
        let method = q.get("quant_method").and_then(Value::as_str).unwrap_or_default();
        return quantised(q, method);
    }
    let dtype = keys.anywhere("torch_dtype").or_else(|| keys.anywhere("dtype")).and_then(Value::as_str);
    let id = dtype.map(|d| match d.trim_start_matches("torch.") {
        "bfloat16" => "bf16".to_owned(),
        "float16" | "half" => "f16".to_owned(),
        "float32" | "float" => "f32".to_owned(),
        other => other.chars().take(40).collect(),
    });
    (id, None)
}

/// By method: a precision of ours; the nearest one with a remark; or the file's own word, with a remark that it is not known.
fn quantised(q: &Map<String, Value>, method: &str) -> (Option<String>, Option<String>) {
    let number = |name: &str| q.get(name).and_then(Value::as_u64);
    let on = |name: &str| q.get(name) == Some(&Value::Bool(true));
    let exact = |id: &str| (Some(id.to_owned()), None);
    let algorithm = q.get("quant_algo").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    match method {
        "gptq" | "auto-round" | "auto_round" | "intel/auto-round" => grouped("gptq", number("bits").unwrap_or(4), number("group_size")),
        "awq" => {
            grouped("awq", number("bits").or_else(|| number("w_bit")).unwrap_or(4), number("group_size").or_else(|| number("q_group_size")))
        }
        "bitsandbytes" if on("load_in_8bit") => exact("int8"),
        "bitsandbytes" if on("bnb_4bit_use_double_quant") => exact("nf4-double"),
        "bitsandbytes" => exact("nf4"),
        "fp8" | "fbgemm_fp8" | "finegrained_fp8" => exact("fp8"),
        "mxfp4" => exact("mxfp4"),
        "eetq" => exact("int8"),
        "compressed-tensors" => compressed(q),
        _ => match algorithm.as_str() {
            "fp8" | "fp8_pb_wo" | "fp8_per_channel_per_token" => exact("fp8"),
            "nvfp4" | "w4a8_nvfp4_fp8" => exact("nvfp4"),
            "w4a16_awq" | "w4a8_awq" => grouped("awq", 4, number("group_size").or(Some(128))),
            "w8a16" | "w8a8_sq_per_channel" => exact("int8"),
            other => unknown(if other.is_empty() { method } else { other }),
        },
    }
}

fn unknown(name: &str) -> (Option<String>, Option<String>) {
    let name: String = name.chars().take(40).filter(|c| !c.is_control()).collect();
    if name.is_empty() {
        return (None, Some("The file says that it is quantised, but not how: choose the precision".to_owned()));
    }
    let remark = format!("Published quantised by \"{name}\", whose bytes are not known here: choose the nearest precision");
    (Some(name), Some(remark))
}

/// Integers in groups with a scale each. Group sizes that are no precision of ours go to the nearest, which is told.
fn grouped(method: &str, bits: u64, group: Option<u64>) -> (Option<String>, Option<String>) {
    let found = group.map_or_else(|| format!("{method}-{bits}bit"), |g| format!("{method}-{bits}bit-g{g}"));
    let nearest = match (method, bits, group) {
        ("awq", 4, Some(64)) => "awq-4bit-g64",
        ("awq", 4, Some(128)) => "awq-4bit-g128",
        (_, 3, _) => "gptq-3bit-g128",
        (_, 4, Some(0..=47)) => "gptq-4bit-g32",
        (_, 4, Some(48..=95)) => "gptq-4bit-g64",
        (_, 4, _) => "gptq-4bit-g128",
        (_, 8, _) => "gptq-8bit-g128",
        _ => return unknown(&found),
    };
    // Both methods store alike.
    let same = found == nearest || group == Some(32) && nearest.ends_with("-g32");
    let remark = (!same).then(|| format!("Published as {found}, reckoned as {nearest}"));
    (Some(nearest.to_owned()), remark)
}

/// First group of a compressed-tensors file: number of bits, and float or integer.
fn compressed(q: &Map<String, Value>) -> (Option<String>, Option<String>) {
    let weights = q.get("config_groups").and_then(Value::as_object).and_then(|g| g.values().next()).and_then(|g| g.get("weights"));
    let bits = weights.and_then(|w| w.get("num_bits")).and_then(Value::as_u64).unwrap_or(8);
    let float = weights.and_then(|w| w.get("type")).and_then(Value::as_str) == Some("float");
    let group = weights.and_then(|w| w.get("group_size")).and_then(Value::as_u64);
    let exact = |id: &str| (Some(id.to_owned()), None);
    match (float, bits, group) {
        (true, 4, Some(32)) => exact("mxfp4"),
        (true, 4, _) => exact("nvfp4"),
        (true, ..) => exact("fp8"),
        (false, 8, _) => exact("int8"),
        (false, bits, group) => grouped("gptq", bits, group),
    }
}
