//! The precision a model is published in.

use super::keys::Keys;
use serde_json::Value;

/// From `quantization_config`, else from the data type of the weights; `None` if the file does not say.
pub(super) fn published(keys: &Keys<'_>) -> Option<String> {
    if let Some(Value::Object(q)) = keys.anywhere("quantization_config") {
        let number = |name: &str| q.get(name).and_then(Value::as_u64);
        let on = |name: &str| q.get(name) == Some(&Value::Bool(true));
        let method = q.get("quant_method").and_then(Value::as_str).unwrap_or_default();
        let grouped = |name: &str| {
            let bits = number("bits").unwrap_or(4);
            number("group_size").map_or_else(|| format!("{name}-{bits}bit"), |g| format!("{name}-{bits}bit-g{g}"))
        };
        return Some(match method {
            "gptq" | "awq" => grouped(method),
            "bitsandbytes" if on("load_in_8bit") => "int8".to_owned(),
            "bitsandbytes" => "nf4".to_owned(),
            "fp8" | "fbgemm_fp8" | "finegrained_fp8" => "fp8".to_owned(),
            "compressed-tensors" => compressed(q),
            _ if q.get("quant_algo").is_some() => q.get("quant_algo").and_then(Value::as_str).unwrap_or_default().to_lowercase(),
            other => other.to_owned(),
        })
        .filter(|p| !p.is_empty());
    }
    let dtype = keys.anywhere("torch_dtype").or_else(|| keys.anywhere("dtype"))?.as_str()?;
    Some(match dtype.trim_start_matches("torch.") {
        "bfloat16" => "bf16".to_owned(),
        "float16" | "half" => "f16".to_owned(),
        "float32" | "float" => "f32".to_owned(),
        other => other.to_owned(),
    })
}

/// First group of a compressed-tensors file: number of bits, and float or integer.
fn compressed(q: &serde_json::Map<String, Value>) -> String {
    let weights = q.get("config_groups").and_then(Value::as_object).and_then(|g| g.values().next()).and_then(|g| g.get("weights"));
    let bits = weights.and_then(|w| w.get("num_bits")).and_then(Value::as_u64).unwrap_or(8);
    let float = weights.and_then(|w| w.get("type")).and_then(Value::as_str) == Some("float");
    let group = weights.and_then(|w| w.get("group_size")).and_then(Value::as_u64);
    match (float, bits, group) {
        (true, 4, _) => "nvfp4".to_owned(),
        (true, ..) => "fp8".to_owned(),
        (false, 8, _) => "int8".to_owned(),
        (false, bits, Some(g)) => format!("gptq-{bits}bit-g{g}"),
        (false, bits, None) => format!("gptq-{bits}bit"),
    }
}
