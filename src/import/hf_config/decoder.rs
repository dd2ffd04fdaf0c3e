//! A decoder, layer by layer: what mixes tokens, the feed-forward, the norms.

use super::attention::{self, Attention};
use super::families::{Extra, Family, Flag, LLAMA, Norm, Norms, Pattern, Positions, QkNorm, REFUSED, family};
use super::keys::{EXPERTS, HEAD_DIM, HEADS, HIDDEN, KV_HEADS, Keys, LAYERS, TOP_K, VOCAB, WIDTH};
use super::tally::{Tally, prod, small};
use super::{ConfigError, mixers, mlp, network, special};
use crate::catalog::model::{Cache, Experts, ModelShape, TensorClass as T};
use serde_json::Value;

/// Deeper than any model; a list of layers is built, so a bound is needed.
const MAX_LAYERS: u64 = 4096;

/// What one layer does with the tokens before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Full,
    Sliding,
    /// Linear attention, state space or convolution, as the family has it.
    Linear,
    /// Nemotron: a feed-forward alone.
    Dense,
    Sparse,
}

/// The widths every rule needs.
#[derive(Clone, Copy)]
pub(super) struct Dims {
    pub hidden: u64,
    pub heads: u64,
    pub kv_heads: u64,
    pub head_dim: u64,
    pub vocab: u64,
    pub layers: usize,
}

impl Flag {
    pub fn on(self, keys: &Keys<'_>) -> Result<bool, ConfigError> {
        match self {
            Self::No => Ok(false),
            Self::Yes => Ok(true),
            Self::Key(name, default) => keys.flag(name, default),
            Self::Not(name, default) => keys.flag(name, default).map(|b| !b),
        }
    }
}

impl Norm {
    /// Parameters of one norm of this width.
    fn params(self, keys: &Keys<'_>, width: u64) -> Result<u128, ConfigError> {
        Ok(match self {
            Self::Off => 0,
            Self::Rms => prod(&[width]),
            Self::Layer(bias) => prod(&[if bias.on(keys)? { 2 } else { 1 }, width]),
        })
    }
}

pub(super) fn decoder(keys: &Keys<'_>) -> Result<ModelShape, ConfigError> {
    let (family, mut remarks) = choose(keys)?;
    let keys = &keys.with_defaults(family.defaults);
    let kinds = kinds(keys, &family)?;
    let dims = dims(keys, &kinds)?;
    let mut tally = Tally::default();
    let tied = ends(keys, &family, &dims, &mut tally)?;
    let mut mlp_width = 0;
    let mut moe = None;
    for (i, kind) in kinds.iter().copied().enumerate() {
        tally.at(Some(i));
        norms(keys, &family, &dims, &mut tally)?;
        mixer(keys, &family, &dims, (i, kind), &mut tally)?;
        if let Some(ffn) = mlp::feed_forward(keys, &family, &dims, (i, kind), &mut tally)? {
            mlp_width = mlp_width.max(ffn.width);
            moe = moe.or(ffn.experts);
        }
        special::layer(keys, &family, &dims, (i, kind), &mut tally)?;
    }
    let network = network::decoder(keys, &family, &dims, &kinds)?;
    tally.at(None);
    special::model(keys, &family, &dims, &mut tally, &mut remarks)?;
    let (tensors, groups) = tally.finish(keys.file)?;
    Ok(ModelShape {
        name: keys.name(),
        model_type: keys.model_type().to_owned(),
        hidden: small(dims.hidden),
        layers: u32::try_from(dims.layers).unwrap_or(u32::MAX),
        heads: small(dims.heads),
        mlp_width: small(mlp_width),
        vocab: dims.vocab,
        context: keys.context()?,
        tied,
        experts: moe.map(|(total, active)| Experts { total: small(total), active: small(active) }),
        groups,
        tensors,
        published_precision: None,
        network: Some(Box::new(network)),
        source: keys.file.to_owned(),
        remarks,
        ..ModelShape::default()
    })
}

/// The family of the file, or, for an unknown type whose keys suffice, the plainest one.
fn choose(keys: &Keys<'_>) -> Result<(Family, Vec<String>), ConfigError> {
    let model_type = keys.model_type();
    if let Some(known) = family(model_type) {
        return Ok((*known, Vec::new()));
    }
    if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == model_type) {
        return Err(keys.unsupported(why));
    }
    if keys.anywhere("is_encoder_decoder") == Some(&Value::Bool(true)) {
        return Err(keys.unsupported("not known, and pairs an encoder with a decoder. Enter its parameter count by hand"));
    }
    if keys.any_key_with("mamba") || keys.any_key_with("rwkv") {
        return Err(keys.unsupported("not known, and mixes tokens by more than attention. Enter its parameter count by hand"));
    }
    let width: &[&str] = if keys.has(EXPERTS) { &["moe_intermediate_size", "intermediate_size"] } else { WIDTH };
    keys.require(&[HIDDEN, LAYERS, HEADS, width, VOCAB])?;
    let bias = if keys.has(&["qkv_bias"]) { Flag::Key("qkv_bias", false) } else { LLAMA.qkv_bias };
    let qk_norm = if keys.has(&["use_qk_norm"]) { QkNorm::HeadIf("use_qk_norm") } else { QkNorm::HeadIf("qk_norm") };
    let named =
        if model_type.is_empty() { "The file names no model type".to_owned() } else { format!("Model type `{model_type}` is not known") };
    let remark = format!(
        "{named}: counted by its keys as a decoder with RMS norms and a gated feed-forward; compare the total with the published one"
    );
    Ok((Family { qkv_bias: bias, qk_norm, pattern: Pattern::WindowIfUsed, ..LLAMA }, vec![remark]))
}

fn dims(keys: &Keys<'_>, kinds: &[Kind]) -> Result<Dims, ConfigError> {
    let attends = kinds.iter().any(|k| matches!(k, Kind::Full | Kind::Sliding));
    keys.require(if attends { &[HIDDEN, HEADS, VOCAB] } else { &[HIDDEN, VOCAB] })?;
    let hidden = keys.dim(HIDDEN)?;
    let heads = keys.count_or(HEADS, 0)?;
    if attends && heads == 0 {
        return Err(keys.wrong("num_attention_heads", &Value::from(0), "expected at least 1"));
    }
    let multi_query = keys.flag("multi_query", false)? && !keys.flag("new_decoder_architecture", false)?;
    let kv_heads = if multi_query { 1 } else { keys.dim_or(KV_HEADS, heads.max(1))? };
    let head_dim = keys.dim_or(HEAD_DIM, hidden.checked_div(heads).unwrap_or(0).max(1))?;
    Ok(Dims { hidden, heads, kv_heads, head_dim, vocab: keys.rows(VOCAB)?, layers: kinds.len() })
}

/// Embedding, learned positions, output head and the norms at both ends. Tells whether head and embedding are one.
fn ends(keys: &Keys<'_>, family: &Family, dims: &Dims, tally: &mut Tally) -> Result<bool, ConfigError> {
    let width = if family.extra == Extra::Opt { keys.dim_or(&["word_embed_proj_dim"], dims.hidden)? } else { dims.hidden };
    tally.add(T::Embedding, "token embedding", prod(&[dims.vocab, width]));
    let rows = match family.positions {
        Positions::Learned(names, extra) => keys.dim(names)?.saturating_add(extra),
        // Beside ALiBi the key has no effect.
        Positions::LearnedIf(name, default) if keys.flag(name, default)? && !alibi(keys)? => keys.dim(&["max_seq_len"])?,
        Positions::Rotary | Positions::LearnedIf(..) => 0,
    };
    tally.add(T::Table, "learned positions", prod(&[rows, dims.hidden]));
    let tied = keys.tied(family.tied)?;
    if !tied {
        tally.add(T::Head, "output head", prod(&[dims.vocab, width]));
    }
    if family.head_bias.on(keys)? {
        tally.add(T::Norm, "output head bias", prod(&[dims.vocab]));
    }
    let norm = family.norm.params(keys, dims.hidden)?;
    let ends = u128::from(family.final_norm && keys.flag("do_layer_norm_before", true)?) + u128::from(family.embed_norm);
    tally.add(T::Norm, "outer norms", norm * ends);
    Ok(tied)
}

fn alibi(keys: &Keys<'_>) -> Result<bool, ConfigError> {
    keys.within("attn_config").map_or(Ok(true), |inner| inner.flag("alibi", true))
}

fn norms(keys: &Keys<'_>, family: &Family, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let count = match family.norms {
        Norms::Of(n) => n,
        Norms::Parallel(name) => {
            if keys.flag(name, false)? {
                1
            } else {
                2
            }
        }
        Norms::Falcon if keys.flag("new_decoder_architecture", false)? => keys.dim_or(&["num_ln_in_parallel_attn"], 2)?,
        Norms::Falcon => {
            if keys.flag("parallel_attn", true)? {
                1
            } else {
                2
            }
        }
    };
    let one = family.norm.params(keys, dims.hidden)?;
    tally.add(T::Norm, "norms", prod(&[count]).saturating_mul(one));
    Ok(())
}

fn mixer(keys: &Keys<'_>, family: &Family, dims: &Dims, layer: (usize, Kind), tally: &mut Tally) -> Result<(), ConfigError> {
    match layer.1 {
        Kind::Linear => mixers::linear(keys, family, dims, tally),
        Kind::Dense | Kind::Sparse => {
            tally.cache(Cache::None);
            Ok(())
        }
        Kind::Full | Kind::Sliding if family.extra == Extra::DeepseekV4 => special::deepseek_v4_attention(keys, dims, layer.0, tally),
        Kind::Full | Kind::Sliding if keys.has(&["kv_lora_rank"]) => attention::latent(keys, dims, tally),
        Kind::Full | Kind::Sliding => {
            let shape = if matches!(family.extra, Extra::Gemma3n | Extra::Gemma4) {
                special::gemma_attention(keys, family, dims, layer)?
            } else {
                let heads = keys.opt_at(&["num_attention_heads_per_layer"], layer.0)?.unwrap_or(dims.heads);
                Attention { heads, ..Attention::plain(dims) }
            };
            attention::grouped(keys, family, dims, layer.1, &shape, tally)
        }
    }
}

/// The kind of every layer: from the file's list, or else by the family's pattern.
fn kinds(keys: &Keys<'_>, family: &Family) -> Result<Vec<Kind>, ConfigError> {
    if let Pattern::Nemotron = family.pattern
        && let Some(pattern) = keys.text("hybrid_override_pattern")?
    {
        return pattern.chars().take(MAX_LAYERS as usize).map(|c| nemotron(keys, c)).collect();
    }
    let listed = keys.items(&["layer_types", "layers_block_type", "attention_layers"])?;
    let count = match (keys.opt(LAYERS)?, listed) {
        (Some(n), _) if n > MAX_LAYERS => {
            return Err(keys.wrong("num_hidden_layers", &Value::from(n), &format!("expected at most {MAX_LAYERS}")));
        }
        (Some(n), _) => n as usize,
        (None, Some((_, list))) if list.len() <= MAX_LAYERS as usize => list.len(),
        _ => {
            keys.require(&[LAYERS, HIDDEN, VOCAB])?;
            0
        }
    };
    let Some((name, list)) = listed else { return (0..count).map(|i| pattern(keys, family, i)).collect() };
    if list.len() != count {
        let expected = format!("expected {count} entries, one per layer, found {}", list.len());
        return Err(keys.wrong(name, &Value::Array(Vec::new()), &expected));
    }
    list.iter().map(|v| named(keys, name, v)).collect()
}

fn nemotron(keys: &Keys<'_>, letter: char) -> Result<Kind, ConfigError> {
    Ok(match letter {
        'M' => Kind::Linear,
        '*' => Kind::Full,
        '-' => Kind::Dense,
        'E' => Kind::Sparse,
        _ => return Err(keys.wrong("hybrid_override_pattern", &Value::from(letter.to_string()), "expected only M, E, * and -")),
    })
}

fn named(keys: &Keys<'_>, list: &str, value: &Value) -> Result<Kind, ConfigError> {
    Ok(match value.as_str() {
        Some(
            "full_attention"
            | "attention"
            | "global"
            | "global_attention"
            | "compressed_sparse_attention"
            | "heavily_compressed_attention"
            | "indexed_attention",
        ) => Kind::Full,
        Some("sliding_attention" | "local" | "chunked_attention" | "reference_sliding_attention") => Kind::Sliding,
        Some("linear_attention" | "conv" | "mamba" | "recurrent") => Kind::Linear,
        Some("moe") => Kind::Sparse,
        Some("mlp") => Kind::Dense,
        _ => return Err(keys.wrong(list, value, "not a known kind of layer")),
    })
}

fn pattern(keys: &Keys<'_>, family: &Family, i: usize) -> Result<Kind, ConfigError> {
    let i = i as u64;
    let every = |name, default, other| {
        let n = keys.dim_or(&[name], default)?;
        Ok(if (i + 1).is_multiple_of(n) { Kind::Full } else { other })
    };
    match family.pattern {
        Pattern::Full => Ok(Kind::Full),
        Pattern::AllLinear => Ok(Kind::Linear),
        Pattern::Every(name, n) => every(name, n, Kind::Sliding),
        Pattern::EveryLinear(name, n) => every(name, n, Kind::Linear),
        Pattern::Nemotron => Err(keys.wrong("hybrid_override_pattern", &Value::Null, "expected a text of M, E, * and -")),
        Pattern::Jamba => {
            let (period, offset) = (keys.dim_or(&["attn_layer_period"], 8)?, keys.count_or(&["attn_layer_offset"], 4)?);
            Ok(if i % period == offset { Kind::Full } else { Kind::Linear })
        }
        Pattern::Window | Pattern::WindowIfUsed => {
            let by_default = matches!(family.pattern, Pattern::Window);
            let used = keys.flag("use_sliding_window", by_default)? && i >= keys.count_or(&["max_window_layers"], 0)?;
            Ok(if used && keys.has(&["sliding_window"]) { Kind::Sliding } else { Kind::Full })
        }
    }
}

/// Experts in all and per token, where the model has several.
pub(super) fn experts(keys: &Keys<'_>) -> Result<Option<(u64, u64)>, ConfigError> {
    match keys.count_or(EXPERTS, 0)? {
        0 | 1 => Ok(None),
        total => {
            let active = keys.dim(TOP_K)?;
            if active > total {
                return Err(keys.wrong(
                    TOP_K.first().unwrap_or(&""),
                    &Value::from(active),
                    &format!("expected at most {total}, the number of experts"),
                ));
            }
            Ok(Some((total, active)))
        }
    }
}
