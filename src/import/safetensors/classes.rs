//! Names of tensors in published checkpoints: which layer, and what for. Names follow the modules of transformers; what a quantiser adds
//! (`qweight`, `scales`, `weight_scale_inv`, `absmax` …) belongs to its matrix.

use crate::catalog::model::TensorClass as T;

/// Containers whose next word is the number of a layer.
const LAYERS: &[&str] = &["layers", "layer", "h", "blocks", "block", "blk", "encoder_layers", "decoder_layers"];
/// Beginnings of what is not the language model.
const BESIDE: &[&str] = &[
    "visual",
    "vision",
    "vision_tower",
    "vision_model",
    "vision_embed",
    "audio_tower",
    "audio",
    "audio_model",
    "embed_vision",
    "embed_audio",
    "multi_modal_projector",
    "mm_projector",
    "aligner",
    "image_newline",
];
/// What follows a matrix's name: the matrix itself, or what a quantiser keeps beside it.
const SUFFIXES: &[&str] = &[
    "weight",
    "bias",
    "qweight",
    "qzeros",
    "scales",
    "g_idx",
    "weight_scale",
    "weight_scale_inv",
    "weight_scale_2",
    "weight_packed",
    "weight_shape",
    "weight_zero_point",
    "weight_g_idx",
    "input_scale",
    "input_global_scale",
    "weight_global_scale",
    "absmax",
    "quant_map",
    "nested_absmax",
    "nested_quant_map",
    "quant_state",
    "SCB",
    "weight_format",
];

/// Layer and class of a tensor with so many dimensions.
pub(super) fn place(name: &str, rank: usize) -> (Option<u32>, T) {
    let words: Vec<&str> = name.split('.').collect();
    let outer = words.iter().take(3).any(|w| BESIDE.contains(w));
    if outer {
        return (None, T::Other);
    }
    let number = words.windows(2).find_map(|pair| match pair {
        [before, n] if LAYERS.contains(before) => n.parse::<u32>().ok(),
        _ => None,
    });
    (number, class(&words, rank))
}

fn class(words: &[&str], rank: usize) -> T {
    let has = |names: &[&str]| words.iter().any(|w| names.contains(w));
    let ends = |names: &[&str]| {
        let mut rest = words.iter().rev().skip_while(|w| SUFFIXES.contains(w));
        rest.next().is_some_and(|w| names.contains(w))
    };
    let plain = matches!(words.last(), Some(&"weight" | &"bias")) || !words.last().is_some_and(|w| SUFFIXES.contains(w));
    if has(&["embed_tokens_per_layer", "embed_positions", "wpe", "position_embeddings", "token_type_embeddings", "relative_attention_bias"])
    {
        return T::Table;
    }
    if plain && (rank <= 1 || words.last() == Some(&"bias")) {
        return T::Norm;
    }
    if ends(&["embed_tokens", "wte", "word_embeddings", "embed_in", "embeddings", "shared", "embed", "tok_embeddings", "embedding"]) {
        return T::Embedding;
    }
    if ends(&["lm_head", "embed_out", "classifier", "score"]) {
        return T::Head;
    }
    let experts = has(&["experts"]);
    let down = ends(&["down_proj", "w2", "fc2", "dense_4h_to_h", "wo", "output_linear", "down_proj_blocks", "down_proj_scales"]);
    if experts {
        return if down { T::ExpertDown } else { T::Expert };
    }
    let attention = has(&["self_attn", "attn", "attention", "self_attention", "SelfAttention", "EncDecAttention", "cross_attn"]);
    if has(&["linear_attn", "mamba", "conv", "short_conv", "kda", "mixer"]) && !ends(&["q_proj", "k_proj", "v_proj", "o_proj"]) {
        return mixer(words);
    }
    if attention || ends(&["q_proj", "k_proj", "v_proj", "o_proj"]) {
        return match () {
            () if ends(&["v_proj", "v", "value", "kv_b_proj"]) => T::AttentionV,
            () if ends(&["o_proj", "o", "out_proj", "wo", "dense", "c_proj"]) => T::AttentionOut,
            () if ends(&["qkv_proj", "c_attn", "query_key_value", "Wqkv", "qkv"]) => T::AttentionFused,
            () => T::Attention,
        };
    }
    if ends(&["gate", "router", "shared_expert_gate", "wg"]) {
        return T::Router;
    }
    let dense = has(&[
        "mlp",
        "feed_forward",
        "ffn",
        "block_sparse_moe",
        "DenseReluDense",
        "intermediate",
        "output",
        "shared_mlp",
        "shared_experts",
    ]);
    if down || ends(&["c_proj"]) {
        return T::MlpDown;
    }
    if dense || ends(&["gate_proj", "up_proj", "gate_up_proj", "fc1", "fc_in", "c_fc", "dense_h_to_4h", "w1", "w3"]) {
        return T::Mlp;
    }
    T::Other
}

/// Nemotron calls every block `mixer`, also its feed-forwards.
fn mixer(words: &[&str]) -> T {
    let has = |names: &[&str]| words.iter().any(|w| names.contains(w));
    if has(&["down_proj"]) {
        T::MlpDown
    } else if has(&["up_proj"]) {
        T::Mlp
    } else if has(&["gate"]) {
        T::Router
    } else {
        T::Mixer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_layer_and_class() {
        for (name, rank, expected) in [
            ("model.embed_tokens.weight", 2, (None, T::Embedding)),
            ("lm_head.weight", 2, (None, T::Head)),
            ("model.norm.weight", 1, (None, T::Norm)),
            ("model.layers.12.self_attn.q_proj.weight", 2, (Some(12), T::Attention)),
            ("model.layers.12.self_attn.v_proj.bias", 1, (Some(12), T::Norm)),
            ("model.layers.12.self_attn.v_proj.qweight", 2, (Some(12), T::AttentionV)),
            ("model.layers.12.self_attn.o_proj.g_idx", 1, (Some(12), T::AttentionOut)),
            ("model.layers.3.mlp.experts.17.down_proj.weight", 2, (Some(3), T::ExpertDown)),
            ("model.layers.3.mlp.experts.gate_up_proj_blocks", 4, (Some(3), T::Expert)),
            ("model.layers.3.mlp.gate.weight", 2, (Some(3), T::Router)),
            ("model.layers.3.mlp.shared_experts.down_proj.weight_scale_inv", 2, (Some(3), T::MlpDown)),
            ("model.layers.3.mlp.gate_proj.weight", 2, (Some(3), T::Mlp)),
            ("transformer.h.5.attn.c_attn.weight", 2, (Some(5), T::AttentionFused)),
            ("transformer.h.5.mlp.c_proj.weight", 2, (Some(5), T::MlpDown)),
            ("transformer.wpe.weight", 2, (None, T::Table)),
            ("backbone.layers.7.mixer.in_proj.weight", 2, (Some(7), T::Mixer)),
            ("model.visual.blocks.3.attn.qkv.weight", 2, (None, T::Other)),
            ("model.language_model.layers.0.self_attn.k_proj.weight", 2, (Some(0), T::Attention)),
            ("model.layers.4294967296.self_attn.k_proj.weight", 2, (None, T::Attention)),
        ] {
            assert_eq!(place(name, rank), expected, "{name}");
        }
    }
}
