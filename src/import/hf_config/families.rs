//! What each family of decoders does differently, as data.

/// A yes or no that the family fixes or a key decides.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    No,
    Yes,
    /// The key's value, with the class default.
    Key(&'static str, bool),
    /// The opposite of the key's value.
    Not(&'static str, bool),
}

#[derive(Clone, Copy)]
pub(super) enum Norm {
    Rms,
    /// Layer norm, with a bias or without.
    Layer(Flag),
    /// Without parameters.
    Off,
}

/// Norms of model width in one layer.
#[derive(Clone, Copy)]
pub(super) enum Norms {
    Of(u64),
    /// One where attention and feed-forward run side by side and the key says so.
    Parallel(&'static str),
    /// Falcon: two in the new architecture or in sequence, else one.
    Falcon,
}

#[derive(Clone, Copy)]
pub(super) enum QkNorm {
    Off,
    /// Over one head, shared by all heads.
    Head,
    /// Over the whole projection.
    Full,
    /// As `Head`, if the key says so.
    HeadIf(&'static str),
    /// One per head, if the key says so.
    FullIf(&'static str),
}

/// Width of the dense feed-forward.
#[derive(Clone, Copy)]
pub(super) enum Width {
    Key,
    /// Four times the model width, unless a key gives it.
    Four,
    /// Qwen 1 writes the two gated halves together.
    Half,
    /// `expansion_ratio` times the model width.
    Ratio,
    /// LFM2: two thirds, rounded up.
    Rounded,
    /// Granite 4: the shared feed-forward, also where there are no experts beside it.
    Shared,
}

#[derive(Clone, Copy)]
pub(super) enum Positions {
    Rotary,
    /// A learned table with this many rows beyond the context.
    Learned(&'static [&'static str], u64),
    /// A learned table if the key says so.
    LearnedIf(&'static str, bool),
}

/// Which layers attend to everything, where the file has no list of layer types.
#[derive(Clone, Copy)]
pub(super) enum Pattern {
    /// All full, or all sliding where the file sets a window.
    Window,
    /// Sliding only where `use_sliding_window` says so.
    WindowIfUsed,
    Full,
    /// Every n-th full, the others sliding; the key may change n.
    Every(&'static str, u64),
    /// Every n-th full, the others linear.
    EveryLinear(&'static str, u64),
    /// `attn_layer_period` and `attn_layer_offset`, the others state space.
    Jamba,
    AllLinear,
    /// `hybrid_override_pattern`.
    Nemotron,
}

/// What the linear layers of a hybrid are.
#[derive(Clone, Copy)]
pub(super) enum Linear {
    None,
    Mamba,
    /// As Mamba, with norms on the inner projections.
    MambaNormed,
    Mamba2,
    DeltaNet,
    Kimi,
    ShortConv,
}

/// Additional projection that gates what attention returns.
#[derive(Clone, Copy)]
pub(super) enum Gate {
    Off,
    /// The query projection is twice as wide, unless the key says no.
    InQuery,
    Full,
    /// Laguna: one value per head or per element.
    Gating,
}

/// Parts that no other family has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    None,
    Gemma3n,
    Gemma4,
    Apertus,
    DeepseekV4,
    Qwen4,
    Opt,
}

#[derive(Clone, Copy)]
pub(super) struct Moe {
    /// Shared experts where the file gives no number.
    pub shared: u64,
    /// A gate in front of the shared expert.
    pub shared_gate: bool,
    /// One trained number per expert in the router.
    pub router_bias: bool,
    /// Biases in the experts.
    pub biases: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Family {
    pub norm: Norm,
    pub norms: Norms,
    pub final_norm: bool,
    /// A norm after the embedding.
    pub embed_norm: bool,
    pub qkv_bias: Flag,
    pub out_bias: Flag,
    pub mlp_bias: Flag,
    pub head_bias: Flag,
    pub qk_norm: QkNorm,
    pub gate: Gate,
    /// One number per head that attention may attend to instead of tokens.
    pub sinks: bool,
    /// Query, key and value in one matrix.
    pub fused: bool,
    pub gated: bool,
    pub width: Width,
    pub moe: Moe,
    pub tied: bool,
    pub positions: Positions,
    pub pattern: Pattern,
    pub linear: Linear,
    pub extra: Extra,
    pub defaults: &'static [(&'static str, u64)],
}

/// RMS norms, no biases, gated feed-forward, rotary positions. Also the reading of an unknown type.
pub(super) const LLAMA: Family = Family {
    norm: Norm::Rms,
    norms: Norms::Of(2),
    final_norm: true,
    embed_norm: false,
    qkv_bias: Flag::Key("attention_bias", false),
    out_bias: Flag::Key("attention_bias", false),
    mlp_bias: Flag::Key("mlp_bias", false),
    head_bias: Flag::No,
    qk_norm: QkNorm::Off,
    gate: Gate::Off,
    sinks: false,
    fused: false,
    gated: true,
    width: Width::Key,
    moe: Moe { shared: 0, shared_gate: false, router_bias: false, biases: false },
    tied: false,
    positions: Positions::Rotary,
    pattern: Pattern::Window,
    linear: Linear::None,
    extra: Extra::None,
    defaults: &[],
};

const QWEN2: Family = Family { qkv_bias: Flag::Key("qkv_bias", true), out_bias: Flag::No, pattern: Pattern::WindowIfUsed, ..LLAMA };
const QWEN3: Family = Family { qk_norm: QkNorm::Head, pattern: Pattern::WindowIfUsed, ..LLAMA };
const SHARED_GATE: Moe = Moe { shared_gate: true, ..LLAMA.moe };
const QWEN3_NEXT: Family = Family {
    gate: Gate::InQuery,
    moe: SHARED_GATE,
    pattern: Pattern::EveryLinear("full_attention_interval", 4),
    linear: Linear::DeltaNet,
    ..QWEN3
};
const GEMMA: Family = Family { tied: true, ..LLAMA };
const GEMMA2: Family = Family { norms: Norms::Of(4), pattern: Pattern::Every("sliding_window_pattern", 2), ..GEMMA };
const GEMMA3: Family = Family {
    qk_norm: QkNorm::Head,
    pattern: Pattern::Every("sliding_window_pattern", 6),
    defaults: &[("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("vocab_size", 262_208)],
    ..GEMMA2
};
const GEMMA3N: Family = Family {
    extra: Extra::Gemma3n,
    pattern: Pattern::Every("sliding_window_pattern", 5),
    defaults: &[
        ("num_attention_heads", 8),
        ("num_key_value_heads", 2),
        ("head_dim", 256),
        ("vocab_size", 262_400),
        ("num_kv_shared_layers", 15),
    ],
    ..GEMMA3
};
const GEMMA4: Family = Family {
    extra: Extra::Gemma4,
    defaults: &[("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256), ("vocab_size", 262_144)],
    ..GEMMA3
};
/// Layer norms with biases, biases everywhere, plain feed-forward.
const BIASED: Family = Family {
    norm: Norm::Layer(Flag::Yes),
    qkv_bias: Flag::Yes,
    out_bias: Flag::Yes,
    mlp_bias: Flag::Yes,
    gated: false,
    width: Width::Four,
    ..LLAMA
};
const GPT2: Family = Family {
    fused: true,
    tied: true,
    pattern: Pattern::Full,
    positions: Positions::Learned(&["n_positions", "max_position_embeddings"], 0),
    ..BIASED
};
const OPT: Family = Family {
    fused: false,
    qkv_bias: Flag::Key("enable_bias", true),
    out_bias: Flag::Key("enable_bias", true),
    mlp_bias: Flag::Key("enable_bias", true),
    positions: Positions::Learned(&["max_position_embeddings"], 2),
    extra: Extra::Opt,
    ..GPT2
};
const MPT: Family = Family {
    norm: Norm::Layer(Flag::Not("no_bias", true)),
    qkv_bias: Flag::Not("no_bias", true),
    out_bias: Flag::Not("no_bias", true),
    mlp_bias: Flag::Not("no_bias", true),
    width: Width::Ratio,
    positions: Positions::LearnedIf("learned_pos_emb", false),
    ..GPT2
};
const FALCON: Family = Family {
    norms: Norms::Falcon,
    qkv_bias: Flag::Key("bias", false),
    out_bias: Flag::Key("bias", false),
    mlp_bias: Flag::Key("bias", false),
    positions: Positions::Rotary,
    ..GPT2
};
const STARCODER2: Family = Family {
    qkv_bias: Flag::Key("use_bias", true),
    out_bias: Flag::Key("use_bias", true),
    mlp_bias: Flag::Key("use_bias", true),
    width: Width::Key,
    tied: true,
    ..BIASED
};
const STABLELM: Family = Family {
    norm: Norm::Layer(Flag::Yes),
    norms: Norms::Parallel("use_parallel_residual"),
    qkv_bias: Flag::Key("use_qkv_bias", false),
    out_bias: Flag::No,
    qk_norm: QkNorm::FullIf("qk_layernorm"),
    ..LLAMA
};
const PHI: Family = Family { norms: Norms::Of(1), head_bias: Flag::Yes, qk_norm: QkNorm::Off, pattern: Pattern::Full, ..BIASED };
const GPTJ: Family =
    Family { norms: Norms::Of(1), qkv_bias: Flag::No, out_bias: Flag::No, head_bias: Flag::Yes, pattern: Pattern::Full, ..BIASED };
const COHERE: Family =
    Family { norm: Norm::Layer(Flag::No), norms: Norms::Of(1), qk_norm: QkNorm::FullIf("use_qk_norm"), tied: true, ..LLAMA };
const GPT_OSS: Family = Family {
    qkv_bias: Flag::Key("attention_bias", true),
    out_bias: Flag::Key("attention_bias", true),
    sinks: true,
    moe: Moe { router_bias: true, biases: true, ..LLAMA.moe },
    pattern: Pattern::Every("sliding_window_pattern", 2),
    ..LLAMA
};
const MAMBA: Family = Family { norms: Norms::Of(1), pattern: Pattern::AllLinear, linear: Linear::Mamba, tied: true, ..LLAMA };
const LFM2: Family = Family { qk_norm: QkNorm::Head, linear: Linear::ShortConv, tied: true, ..LLAMA };

/// Families by `model_type`.
const FAMILIES: &[(&[&str], Family)] = &[
    (&["llama", "mistral", "ministral", "ministral3", "mixtral", "mistral4", "granite", "granitemoe", "granitemoeshared"], LLAMA),
    (&["deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "glm4_moe_lite", "glm_moe_dsa"], LLAMA),
    (&["phi3"], Family { fused: true, ..LLAMA }),
    (&["phimoe"], Family { norm: Norm::Layer(Flag::Yes), head_bias: Flag::Key("lm_head_bias", false), ..LLAMA }),
    (&["arcee"], Family { gated: false, ..LLAMA }),
    (&["nemotron"], Family { norm: Norm::Layer(Flag::Yes), gated: false, ..LLAMA }),
    (&["jais2"], Family { norm: Norm::Layer(Flag::Yes), gated: false, mlp_bias: Flag::Key("mlp_bias", true), ..LLAMA }),
    (&["ernie4_5", "ernie4_5_moe"], Family { moe: Moe { router_bias: true, ..LLAMA.moe }, ..LLAMA }),
    (&["exaone4", "exaone_moe"], Family { pattern: Pattern::Every("sliding_window_pattern", 4), ..QWEN3 }),
    (&["mellum"], QWEN3),
    (&["hyperclovax"], Family { norms: Norms::Of(4), ..LLAMA }),
    (&["flex_olmo"], Family { qk_norm: QkNorm::Full, ..LLAMA }),
    (&["glm"], Family { qkv_bias: Flag::Key("attention_bias", true), out_bias: Flag::No, ..LLAMA }),
    (&["gptj"], GPTJ),
    (&["codegen"], Family { fused: true, ..GPTJ }),
    (&["gpt_neo"], Family { fused: false, qkv_bias: Flag::No, pattern: Pattern::Every("sliding_window_pattern", 2), ..GPT2 }),
    (&["minicpm3", "smollm3"], Family { tied: true, ..LLAMA }),
    (&["qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"], QWEN2),
    (&["qwen2_moe"], Family { moe: SHARED_GATE, ..QWEN2 }),
    (&["qwen"], Family { qkv_bias: Flag::Yes, out_bias: Flag::No, width: Width::Half, fused: true, ..LLAMA }),
    (&["qwen3", "qwen3_moe", "qwen3_vl_text", "qwen3_vl_moe_text"], QWEN3),
    (&["qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"], QWEN3_NEXT),
    (&["qwen4_exp_text"], Family { norms: Norms::Of(0), final_norm: false, extra: Extra::Qwen4, ..QWEN3_NEXT }),
    (&["gemma"], GEMMA),
    (&["gemma2"], GEMMA2),
    (&["gemma3_text"], GEMMA3),
    (&["gemma3n_text"], GEMMA3N),
    (&["gemma4_text", "gemma4_unified_text"], GEMMA4),
    (&["seed_oss"], Family { qkv_bias: Flag::Key("attention_bias", true), out_bias: Flag::Key("attention_out_bias", false), ..LLAMA }),
    (&["glm4"], Family { norms: Norms::Of(4), qkv_bias: Flag::Key("attention_bias", true), out_bias: Flag::No, ..LLAMA }),
    (&["glm4_moe"], Family { qk_norm: QkNorm::HeadIf("use_qk_norm"), out_bias: Flag::No, ..LLAMA }),
    (&["hy_v3", "dots1"], QWEN3),
    (&["hunyuan_v1_moe"], Family { moe: Moe { shared: 1, ..LLAMA.moe }, ..QWEN3 }),
    (&["minimax_m2"], Family { qk_norm: QkNorm::Full, ..LLAMA }),
    (&["olmo"], Family { norm: Norm::Off, ..LLAMA }),
    (&["olmo2", "olmoe"], Family { qk_norm: QkNorm::Full, ..LLAMA }),
    (&["olmo3"], Family { qk_norm: QkNorm::Full, pattern: Pattern::Every("sliding_window_pattern", 4), ..LLAMA }),
    (&["cohere"], COHERE),
    (&["cohere2"], Family { pattern: Pattern::Every("sliding_window_pattern", 4), ..COHERE }),
    (&["cohere2_moe"], Family { qk_norm: QkNorm::Off, pattern: Pattern::Every("sliding_window_pattern", 4), ..COHERE }),
    (&["llama4_text"], Family { moe: Moe { shared: 1, ..LLAMA.moe }, pattern: Pattern::Every("no_rope_layer_interval", 4), ..LLAMA }),
    (&["gpt_oss"], GPT_OSS),
    (&["apertus"], Family { qk_norm: QkNorm::Head, gated: false, extra: Extra::Apertus, ..LLAMA }),
    (
        &["afmoe"],
        Family {
            norms: Norms::Of(4),
            gate: Gate::Full,
            moe: Moe { router_bias: true, ..LLAMA.moe },
            pattern: Pattern::Every("global_attn_every_n_layers", 4),
            ..QWEN3
        },
    ),
    (&["laguna"], Family { gate: Gate::Gating, moe: Moe { router_bias: true, ..LLAMA.moe }, ..QWEN3 }),
    (&["kimi_linear"], Family { pattern: Pattern::Full, linear: Linear::Kimi, ..LLAMA }),
    (&["lfm2"], Family { width: Width::Rounded, ..LFM2 }),
    (&["lfm2_moe"], LFM2),
    (
        &["granitemoehybrid"],
        Family {
            width: Width::Shared,
            // Without a list no layer attends.
            pattern: Pattern::EveryLinear("full_attention_interval", u64::MAX),
            linear: Linear::Mamba2,
            defaults: &[("mamba_n_heads", 128), ("mamba_n_groups", 1), ("mamba_d_state", 256), ("shared_intermediate_size", 1024)],
            ..LLAMA
        },
    ),
    (&["jamba"], Family { pattern: Pattern::Jamba, linear: Linear::MambaNormed, ..LLAMA }),
    (&["mamba", "falcon_mamba"], MAMBA),
    (
        &["mamba2"],
        Family {
            linear: Linear::Mamba2,
            tied: false,
            defaults: &[("num_heads", 128), ("head_dim", 64), ("hidden_size", 4096), ("num_hidden_layers", 64), ("vocab_size", 32_768)],
            ..MAMBA
        },
    ),
    (&["nemotron_h"], Family { norms: Norms::Of(1), gated: false, pattern: Pattern::Nemotron, linear: Linear::Mamba2, ..LLAMA }),
    (&["deepseek_v4"], Family { extra: Extra::DeepseekV4, ..LLAMA }),
    (&["gpt2", "gpt_bigcode"], GPT2),
    (&["opt"], OPT),
    (&["bloom"], Family { embed_norm: true, positions: Positions::Rotary, ..GPT2 }),
    (&["mpt"], MPT),
    (&["falcon"], FALCON),
    (
        &["gpt_neox"],
        Family { fused: true, qkv_bias: Flag::Key("attention_bias", true), out_bias: Flag::Key("attention_bias", true), ..BIASED },
    ),
    (&["starcoder2"], STARCODER2),
    (&["stablelm"], STABLELM),
    (&["phi"], PHI),
];

/// Model types that are no transformers, or whose parameters do not follow from the usual keys.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("convnext", CONVOLUTION),
    ("convnextv2", CONVOLUTION),
    ("efficientnet", CONVOLUTION),
    ("mobilenet_v2", CONVOLUTION),
    ("regnet", CONVOLUTION),
    ("ssd", CONVOLUTION),
    ("gnmt", "not a transformer: a recurrent network. Enter its parameter count by hand"),
    ("transfo-xl", "not supported: its adaptive embeddings need a table of cut-offs. Enter its parameter count by hand"),
];
const CONVOLUTION: &str = "not a transformer: a convolutional network. Enter its parameter count by hand";

pub(super) fn family(model_type: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|(types, _)| types.contains(&model_type)).map(|(_, family)| family)
}

/// How many model types are read by a rule of their own.
#[cfg(test)]
pub(super) fn known_types() -> Vec<&'static str> {
    FAMILIES.iter().flat_map(|(types, _)| types.iter().copied()).collect()
}
