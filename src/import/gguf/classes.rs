//! Names of tensors in GGUF files: which layer, and what for. Names: github:ggml-org/llama.cpp src/llama-arch.cpp.

use crate::catalog::model::TensorClass as T;

/// Layer and the name inside it: `blk.3.attn_q.weight` is `(Some(3), "attn_q.weight")`. Layers of a decoder behind an encoder follow it.
pub(super) fn place(name: &str, encoder_layers: u32) -> (Option<u32>, &str) {
    let (rest, first) = if let Some(rest) = name.strip_prefix("blk.").or_else(|| name.strip_prefix("enc.blk.")) {
        (rest, 0)
    } else if let Some(rest) = name.strip_prefix("dec.blk.") {
        (rest, encoder_layers)
    } else {
        return (None, name);
    };
    match rest.split_once('.') {
        Some((number, inner)) => match number.parse::<u32>() {
            Ok(n) => (n.checked_add(first), inner),
            Err(_) => (None, name),
        },
        None => (None, name),
    }
}

/// What a tensor is for, from its name inside the layer. `rank` tells vectors from matrices.
pub(super) fn class(inner: &str, rank: u32) -> T {
    let stem = inner.strip_suffix(".weight").unwrap_or(inner);
    // A second scale of NVFP4 and its like, or a bias.
    if rank <= 1 || inner.ends_with(".bias") || inner.ends_with(".scale") || stem.ends_with("_norm") {
        return T::Norm;
    }
    match stem {
        "token_embd" => T::Embedding,
        "output" => T::Head,
        "position_embd" | "token_types" | "per_layer_token_embd" => T::Table,
        "attn_v" | "attn_v_b" | "attn_kv_b" | "cross_attn_v" => T::AttentionV,
        "attn_qkv" => T::AttentionFused,
        "attn_output" | "attn_o" | "cross_attn_o" => T::AttentionOut,
        "ffn_down" | "ffn_down_shexp" | "ffn_down_chexps" => T::MlpDown,
        "ffn_down_exps" => T::ExpertDown,
        "ffn_gate_exps" | "ffn_up_exps" | "ffn_gate_up_exps" => T::Expert,
        "ffn_gate_inp" | "ffn_gate_inp_shexp" => T::Router,
        _ if stem.starts_with("attn_rel_b") => T::Table,
        _ if starts(stem, &["attn_", "indexer.", "cross_attn_"]) => T::Attention,
        _ if numbered_expert(stem, "ffn_down.") => T::ExpertDown,
        _ if numbered_expert(stem, "ffn_gate.") || numbered_expert(stem, "ffn_up.") => T::Expert,
        _ if starts(stem, &["ffn_", "channel_mix_"]) => T::Mlp,
        _ if starts(stem, &["ssm_", "shortconv.", "time_mix_"]) => T::Mixer,
        _ => T::Other,
    }
}

fn starts(stem: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|p| stem.starts_with(p))
}

/// Early files of mixtures have one tensor for each expert: `ffn_up.7`.
fn numbered_expert(stem: &str, prefix: &str) -> bool {
    stem.strip_prefix(prefix).is_some_and(|n| n.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_layer_and_class() {
        assert_eq!(place("blk.31.attn_v.weight", 0), (Some(31), "attn_v.weight"));
        assert_eq!(place("dec.blk.2.cross_attn_q.weight", 12), (Some(14), "cross_attn_q.weight"));
        assert_eq!(place("blk.4294967295.x", 7), (Some(u32::MAX), "x"));
        assert_eq!(place("dec.blk.4294967295.x", 7), (None, "x"));
        for (name, rank, expected) in [
            ("token_embd.weight", 2, T::Embedding),
            ("output.weight", 2, T::Head),
            ("output_norm.weight", 1, T::Norm),
            ("attn_q.weight", 2, T::Attention),
            ("attn_q.bias", 1, T::Norm),
            ("attn_kv_a_mqa.weight", 2, T::Attention),
            ("attn_k_b.weight", 3, T::Attention),
            ("attn_qkv.weight", 2, T::AttentionFused),
            ("ffn_gate_inp.weight", 2, T::Router),
            ("ffn_down_exps.weight", 3, T::ExpertDown),
            ("ffn_up.7.weight", 2, T::Expert),
            ("ffn_up.weight", 2, T::Mlp),
            ("ssm_conv1d.weight", 2, T::Mixer),
            ("ssm_a", 1, T::Norm),
            ("per_layer_token_embd.weight", 2, T::Table),
            ("inp_gate.weight", 2, T::Other),
        ] {
            assert_eq!(class(name, rank), expected, "{name}");
        }
    }
}
