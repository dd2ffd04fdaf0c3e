//! How the model class of a configuration computes: rows of facts by `model_type`, read from the classes of transformers 5.24.

use serde_json::Value;

use super::ConfigError;
use super::decoder::{Dims, Kind};
use super::families::{Extra, Family, Gate, Linear, Norm, QkNorm as FamilyQkNorm};
use super::keys::Keys;
use super::mlp;
use super::tally::small;
use crate::catalog::network::{
    Activation, AttentionStyle, Biases, Dropouts, ExpertMlp, Network, NetworkKind, NormOrder, NormStyle, QkNorm, Rotary,
};

/// What the class fixes that the table of families does not hold.
struct Class {
    types: &'static [&'static str],
    norm: NormStyle,
    order: NormOrder,
    attention: AttentionStyle,
    activation: Activation,
    /// Share of a head that is rotated, unless the file says otherwise; 0 = none.
    rotary: f64,
    fused_mlp: bool,
    embed_scale: bool,
    dropouts: Dropouts,
    /// Default rates are above zero for the first three, the dropout keys of the class.
    keys: [&'static str; 3],
}

const NO_DROPOUT: Dropouts = Dropouts { embedding: false, attention: false, hidden: false };
const LLAMA: Class = Class {
    types: &[],
    norm: NormStyle::Rms,
    order: NormOrder::Before,
    attention: AttentionStyle::Fused,
    activation: Activation::Silu,
    rotary: 1.0,
    fused_mlp: false,
    embed_scale: false,
    dropouts: NO_DROPOUT,
    keys: ["", "attention_dropout", ""],
};
const GEMMA: Class = Class { norm: NormStyle::RmsPlusOne, activation: Activation::Gelu, embed_scale: true, ..LLAMA };
const OLMO2: Class = Class { norm: NormStyle::RmsWide, order: NormOrder::AfterBranch, ..LLAMA };
const GPT2: Class = Class {
    norm: NormStyle::Layer,
    attention: AttentionStyle::NarrowSoftmax,
    activation: Activation::GeluNew,
    rotary: 0.0,
    dropouts: Dropouts { embedding: true, attention: true, hidden: true },
    keys: ["embd_pdrop", "attn_pdrop", "resid_pdrop"],
    ..LLAMA
};
const NEOX: Class = Class {
    norm: NormStyle::Layer,
    order: NormOrder::ParallelTwo,
    activation: Activation::Gelu,
    rotary: 0.25,
    keys: ["hidden_dropout", "attention_dropout", "hidden_dropout"],
    ..LLAMA
};
const CLASSES: &[Class] = &[
    Class { types: &["gemma"], ..GEMMA },
    Class { types: &["gemma2"], order: NormOrder::Around, attention: AttentionStyle::ChainOnly, ..GEMMA },
    Class { types: &["gemma3_text"], order: NormOrder::Around, ..GEMMA },
    Class { types: &["gemma3n_text", "gemma4_text", "gemma4_unified_text"], norm: NormStyle::RmsWide, order: NormOrder::Around, ..GEMMA },
    Class { types: &["glm4"], order: NormOrder::Around, rotary: 0.5, fused_mlp: true, ..LLAMA },
    Class { types: &["glm4_moe"], rotary: 0.5, ..LLAMA },
    Class { types: &["afmoe"], order: NormOrder::Around, ..LLAMA },
    Class { types: &["phi3"], fused_mlp: true, keys: ["", "attention_dropout", "resid_pdrop"], ..LLAMA },
    Class { types: &["olmo2", "olmo3"], ..OLMO2 },
    Class { types: &["olmo"], norm: NormStyle::Layer, ..LLAMA },
    Class { types: &["gpt_oss"], norm: NormStyle::RmsWide, attention: AttentionStyle::ChainOnly, ..LLAMA },
    Class { types: &["granite", "granitemoe"], embed_scale: true, ..LLAMA },
    Class { types: &["cohere", "cohere2", "cohere2_moe"], norm: NormStyle::LayerChain, order: NormOrder::Parallel, ..LLAMA },
    Class { types: &["gpt2", "gpt_bigcode"], ..GPT2 },
    Class {
        types: &["opt"],
        attention: AttentionStyle::Fused,
        activation: Activation::Relu,
        dropouts: Dropouts { embedding: false, attention: false, hidden: true },
        keys: ["", "attention_dropout", "dropout"],
        ..GPT2
    },
    Class {
        types: &["bloom"],
        attention: AttentionStyle::Alibi,
        activation: Activation::GeluOwn,
        dropouts: NO_DROPOUT,
        keys: ["", "attention_dropout", "hidden_dropout"],
        ..GPT2
    },
    Class {
        types: &["mpt"],
        attention: AttentionStyle::Alibi,
        activation: Activation::Gelu,
        dropouts: NO_DROPOUT,
        keys: ["emb_pdrop", "attn_pdrop", "resid_pdrop"],
        ..GPT2
    },
    Class { types: &["gpt_neox"], ..NEOX },
    Class { types: &["falcon"], order: NormOrder::Parallel, attention: AttentionStyle::Falcon, rotary: 1.0, ..NEOX },
    Class {
        types: &["starcoder2"],
        order: NormOrder::Before,
        rotary: 1.0,
        keys: ["embedding_dropout", "attention_dropout", "residual_dropout"],
        ..NEOX
    },
    Class { types: &["stablelm"], order: NormOrder::Before, activation: Activation::Silu, ..NEOX },
    Class {
        types: &["phi"],
        order: NormOrder::Parallel,
        activation: Activation::GeluNew,
        rotary: 0.5,
        keys: ["embd_pdrop", "attention_dropout", "resid_pdrop"],
        ..NEOX
    },
];

/// Model types whose layers are all of a kind that the tape knows, besides those of [`CLASSES`].
const LIKE_LLAMA: &[&str] = &[
    "llama",
    "mistral",
    "ministral",
    "ministral3",
    "mixtral",
    "qwen",
    "qwen2",
    "qwen2_moe",
    "qwen3",
    "qwen3_moe",
    "smollm3",
    "seed_oss",
    "qwen2_vl_text",
    "qwen2_5_vl_text",
    "qwen3_vl_text",
];

pub(super) fn activation(keys: &Keys<'_>, default: Activation) -> (Activation, bool) {
    const NAMES: [&str; 6] = ["hidden_activation", "hidden_act", "activation_function", "activation", "mlp_hidden_act", "dense_act_fn"];
    let name = NAMES.iter().find_map(|n| keys.anywhere(n)).and_then(Value::as_str);
    name.map_or((default, true), |n| Activation::parse(n).map_or((default, false), |a| (a, true)))
}

/// Whether a rate is above zero: the file's, or the class default.
pub(super) fn dropout(keys: &Keys<'_>, name: &str, default: bool) -> bool {
    if name.is_empty() {
        return default;
    }
    keys.anywhere(name).and_then(Value::as_f64).map_or(default, |rate| rate > 0.0)
}

/// Share of a head that is rotated.
fn rotary(keys: &Keys<'_>, default: f64, head_dim: u64) -> Rotary {
    let nested = keys.anywhere("rope_parameters").and_then(|v| v.get("partial_rotary_factor"));
    let given = ["partial_rotary_factor", "rotary_pct"].iter().find_map(|n| keys.anywhere(n)).or(nested).and_then(Value::as_f64);
    let share = if default == 0.0 { 0.0 } else { given.unwrap_or(default) };
    if share <= 0.0 {
        Rotary::None
    } else if share >= 1.0 {
        Rotary::Full
    } else {
        Rotary::Part(small((head_dim as f64 * share) as u64))
    }
}

/// Width of the dense feed-forward, and what layers with experts have.
fn feed_forward(keys: &Keys<'_>, family: &Family, dims: &Dims, kinds: &[Kind]) -> Result<(u64, Option<ExpertMlp>), ConfigError> {
    let model_type = keys.model_type();
    let experts = super::decoder::experts(keys)?;
    let mut layers = 0_u32;
    let mut width = 0;
    for (i, kind) in kinds.iter().enumerate() {
        let sparse = match kind {
            Kind::Sparse => true,
            Kind::Dense => false,
            _ => experts.is_some() && mlp::is_sparse(keys, i)?,
        };
        if sparse {
            layers += 1;
        } else {
            width = width.max(mlp::width(keys, family, dims, i).unwrap_or(0));
        }
    }
    let experts = match experts {
        Some((total, active)) if layers > 0 => {
            let one = mlp::expert_width(keys)?;
            // Mixtral has no such key and always does.
            let normalised = keys.flag("norm_topk_prob", matches!(model_type, "mixtral" | "minimax_m2" | "glm4_moe"))?;
            let router_wide = model_type.starts_with("deepseek") || model_type.starts_with("glm4_moe") || model_type == "minimax_m2";
            let shared = mlp::shared_width(keys, family, one)?;
            Some(ExpertMlp {
                layers,
                total: small(total),
                active: small(active),
                width: small(one),
                shared: small(shared),
                normalised,
                shared_gate: family.moe.shared_gate,
                router_wide,
            })
        }
        _ => None,
    };
    Ok((width, experts))
}

/// Where the norms stand, as keys of the class decide.
fn order(keys: &Keys<'_>, default: NormOrder) -> Result<NormOrder, ConfigError> {
    Ok(match (default, keys.model_type()) {
        (NormOrder::ParallelTwo, "gpt_neox") if !keys.flag("use_parallel_residual", true)? => NormOrder::Before,
        (_, "stablelm") if keys.flag("use_parallel_residual", false)? => NormOrder::Parallel,
        (NormOrder::Parallel, "falcon") if keys.flag("new_decoder_architecture", false)? => {
            if keys.count_or(&["num_ln_in_parallel_attn"], 2)? == 2 { NormOrder::ParallelTwo } else { NormOrder::Parallel }
        }
        (NormOrder::Parallel, "falcon") if !keys.flag("parallel_attn", true)? => NormOrder::Before,
        (_, "opt") if !keys.flag("do_layer_norm_before", true)? => NormOrder::AfterSum,
        (order, _) => order,
    })
}

/// The network of a decoder; `kinds` in order of layers.
pub(super) fn decoder(keys: &Keys<'_>, family: &Family, dims: &Dims, kinds: &[Kind]) -> Result<Network, ConfigError> {
    let model_type = keys.model_type();
    let known = CLASSES.iter().find(|c| c.types.contains(&model_type));
    let class = known.unwrap_or(&LLAMA);
    let (activation, understood) = activation(keys, class.activation);
    let (width, experts) = feed_forward(keys, family, dims, kinds)?;
    let norm = match family.norm {
        Norm::Layer(_) if class.norm == NormStyle::Rms => NormStyle::Layer,
        _ => class.norm,
    };
    let order = order(keys, class.order)?;
    let cap = |name: &str, default: bool| match keys.anywhere(name) {
        Some(v) => v.as_f64().is_some_and(|c| c > 0.0),
        None => default,
    };
    let positions = match family.positions {
        super::families::Positions::Learned(names, extra) => keys.dim(names)?.saturating_add(extra),
        super::families::Positions::LearnedIf(name, default) if keys.flag(name, default)? => keys.dim(&["max_seq_len"])?,
        _ => 0,
    };
    let plain = kinds.iter().all(|k| matches!(k, Kind::Full | Kind::Sliding)) && matches!(family.linear, Linear::None);
    let [embedding, attention, hidden] = class.keys;
    let d = class.dropouts;
    Ok(Network {
        kind: NetworkKind::Decoder,
        norm,
        order,
        activation,
        gated: family.gated,
        fused_mlp: class.fused_mlp,
        fused_qkv: family.fused,
        width: small(width),
        experts,
        biases: Biases {
            qkv: family.qkv_bias.on(keys)?,
            out: family.out_bias.on(keys)?,
            mlp: family.mlp_bias.on(keys)?,
            head: family.head_bias.on(keys)?,
            norm: if let Norm::Layer(bias) = family.norm { bias.on(keys)? } else { false },
        },
        qk_norm: match family.qk_norm {
            FamilyQkNorm::Off => None,
            FamilyQkNorm::Head => Some(QkNorm::Head),
            FamilyQkNorm::Full => Some(QkNorm::Full),
            FamilyQkNorm::HeadIf(name) | FamilyQkNorm::FullIf(name) => keys.flag(name, false)?.then_some(QkNorm::Head),
        },
        // Phi 3 puts its heads together anew even where all of them is rotated.
        rotary: match rotary(keys, class.rotary, dims.head_dim) {
            Rotary::Full if model_type == "phi3" => Rotary::Part(small(dims.head_dim)),
            other => other,
        },
        attention: class.attention,
        dropouts: Dropouts {
            embedding: dropout(keys, embedding, d.embedding),
            attention: dropout(keys, attention, d.attention),
            hidden: dropout(keys, hidden, d.hidden),
        },
        embed_norm: family.embed_norm,
        final_norm: family.final_norm,
        embed_scale: class.embed_scale,
        score_cap: model_type == "gemma2" && cap("attn_logit_softcapping", true),
        logit_cap: (model_type == "gemma2" && cap("final_logit_softcapping", true)) || cap("final_logit_softcapping", false),
        positions: small(positions),
        approximate: !understood
            || !plain
            || family.sinks
            || family.moe.biases
            || !matches!(family.gate, Gate::Off)
            || matches!(family.norm, Norm::Off)
            || (known.is_none() && !LIKE_LLAMA.contains(&model_type))
            || !matches!(family.extra, Extra::None | Extra::Opt)
            || keys.has(&["kv_lora_rank"]),
    })
}

/// The network of an encoder of text.
pub(super) fn bert(keys: &Keys<'_>, segments: u64, positions: u64, width: u64) -> Network {
    let (activation, understood) = activation(keys, Activation::Gelu);
    let nomic = keys.model_type() == "nomic_bert";
    Network {
        kind: NetworkKind::Encoder { segments: small(segments) },
        norm: NormStyle::Layer,
        order: NormOrder::AfterSum,
        activation,
        gated: nomic,
        width: small(width),
        biases: Biases { qkv: !nomic, out: !nomic, mlp: !nomic, head: true, norm: true },
        rotary: if nomic { Rotary::Full } else { Rotary::None },
        attention: AttentionStyle::NarrowSoftmax,
        dropouts: Dropouts {
            embedding: dropout(keys, "hidden_dropout_prob", true),
            attention: dropout(keys, "attention_probs_dropout_prob", true),
            hidden: dropout(keys, "hidden_dropout_prob", true),
        },
        embed_norm: true,
        positions: small(positions),
        approximate: nomic || !understood,
        ..Network::default()
    }
}

/// The network of an encoder of pictures.
pub(super) fn vit(keys: &Keys<'_>, channels: u64, patch: u64, image: u64, width: u64) -> Network {
    let (activation, understood) = activation(keys, Activation::Gelu);
    Network {
        kind: NetworkKind::Vision { channels: small(channels), patch: small(patch), image: small(image) },
        norm: NormStyle::Layer,
        activation,
        width: small(width),
        biases: Biases { qkv: true, out: true, mlp: true, head: true, norm: true },
        rotary: Rotary::None,
        dropouts: Dropouts {
            embedding: dropout(keys, "hidden_dropout_prob", false),
            attention: dropout(keys, "attention_probs_dropout_prob", false),
            hidden: dropout(keys, "hidden_dropout_prob", false),
        },
        final_norm: true,
        approximate: !understood,
        ..Network::default()
    }
}

/// The network of T5.
pub(super) fn t5(keys: &Keys<'_>, decoder: u64, width: u64, gated: bool) -> Network {
    let on = dropout(keys, "dropout_rate", true);
    let default = if gated { Activation::GeluNew } else { Activation::Relu };
    Network {
        kind: NetworkKind::EncoderDecoder {
            decoder: small(decoder),
            buckets: small(keys.dim_or(&["relative_attention_num_buckets"], 32).unwrap_or(32)),
        },
        norm: NormStyle::RmsT5,
        activation: default,
        gated,
        width: small(width),
        rotary: Rotary::None,
        attention: AttentionStyle::NarrowSoftmax,
        dropouts: Dropouts { embedding: on, attention: on, hidden: on },
        final_norm: true,
        approximate: keys.model_type() != "t5",
        ..Network::default()
    }
}
