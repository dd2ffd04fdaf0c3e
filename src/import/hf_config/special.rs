//! Parts that one family alone has: per-layer inputs, side streams, hyper-connections, n-gram tables.

use super::ConfigError;
use super::attention::Attention;
use super::decoder::{Dims, Kind};
use super::families::{Extra, Family};
use super::keys::Keys;
use super::mlp::{self, FeedForward};
use super::tally::{Tally, prod, small};
use crate::catalog::model::{Cache, TensorClass as T};
use serde_json::Value;

/// What the family adds to layer `i`.
pub(super) fn layer(keys: &Keys<'_>, family: &Family, dims: &Dims, layer: (usize, Kind), tally: &mut Tally) -> Result<(), ConfigError> {
    match family.extra {
        Extra::None | Extra::Opt => {}
        Extra::Apertus => tally.add(T::Norm, "activation", 2),
        Extra::Gemma3n => {
            side_streams(keys, dims, tally)?;
            per_layer_input(keys, dims, tally)?;
        }
        Extra::Gemma4 => per_layer_input(keys, dims, tally)?,
        Extra::DeepseekV4 => {
            let m = keys.dim_or(&["hc_mult"], 4)?;
            tally.add(T::Other, "hyper-connections", prod(&[2, m + 2, m, m, dims.hidden]));
            tally.add(T::Norm, "hyper-connection vectors", prod(&[2, m + 2, m]) + 6);
        }
        Extra::Qwen4 => qwen4_layer(keys, dims, layer, tally)?,
    }
    Ok(())
}

/// What the family adds outside the layers.
pub(super) fn model(
    keys: &Keys<'_>,
    family: &Family,
    dims: &Dims,
    tally: &mut Tally,
    remarks: &mut Vec<String>,
) -> Result<(), ConfigError> {
    let h = dims.hidden;
    match family.extra {
        Extra::None | Extra::Apertus => {}
        Extra::Opt => {
            let width = keys.dim_or(&["word_embed_proj_dim"], h)?;
            if width != h {
                tally.add(T::Other, "embedding projections", prod(&[2, h, width]));
            }
        }
        Extra::Gemma3n => {
            let streams = keys.dim_or(&["altup_num_inputs"], 4)?;
            tally.add(T::Other, "side stream projections", prod(&[2, streams - 1, h, h]));
            per_layer_table(keys, dims, tally)?;
        }
        Extra::Gemma4 => per_layer_table(keys, dims, tally)?,
        Extra::DeepseekV4 => {
            let m = keys.dim_or(&["hc_mult"], 4)?;
            tally.add(T::Other, "hyper-connection head", prod(&[m, m, h]));
            tally.add(T::Norm, "hyper-connection vectors", prod(&[m + 1]));
            let window = keys.dim_or(&["sliding_window"], 128)?;
            remarks.push(format!("Cache per token is the compressed part; the last {window} tokens are also kept uncompressed in every layer, which is not counted"));
        }
        Extra::Qwen4 => {
            gated_residual(keys, dims, false, tally)?;
            remarks.push("The keys of the sparse attention index are not counted in the cache".to_owned());
        }
    }
    Ok(())
}

/// Whether layer `i` uses the keys and values, or also the width, of an earlier layer.
fn shares_cache(keys: &Keys<'_>, dims: &Dims, i: usize) -> Result<bool, ConfigError> {
    let shared = keys.count_or(&["num_kv_shared_layers"], 0)?;
    Ok(i as u64 >= (dims.layers as u64).saturating_sub(shared))
}

/// Gemma 3n and 4: late layers share caches; the global layers of Gemma 4 have other heads.
pub(super) fn gemma_attention(keys: &Keys<'_>, family: &Family, dims: &Dims, layer: (usize, Kind)) -> Result<Attention, ConfigError> {
    let mut a = Attention { shared: shares_cache(keys, dims, layer.0)?, ..Attention::plain(dims) };
    if family.extra == Extra::Gemma4 && layer.1 == Kind::Full {
        a.head_dim = keys.dim_or(&["global_head_dim"], 512)?;
        if keys.flag("attention_k_eq_v", false)? {
            a.kv_heads = keys.dim_or(&["num_global_key_value_heads"], dims.kv_heads)?;
            a.values = false;
        }
    }
    Ok(a)
}

/// Gemma 4 doubles the feed-forward of layers that share a cache.
pub(super) fn gemma4_factor(keys: &Keys<'_>, dims: &Dims, i: usize) -> Result<u64, ConfigError> {
    Ok(if keys.flag("use_double_wide_mlp", false)? && shares_cache(keys, dims, i)? { 2 } else { 1 })
}

/// Gemma 4 runs experts beside the dense feed-forward.
pub(super) fn gemma4_experts(
    keys: &Keys<'_>,
    family: &Family,
    dims: &Dims,
    i: usize,
    experts: (u64, u64),
    tally: &mut Tally,
) -> Result<FeedForward, ConfigError> {
    let dense = mlp::width(keys, family, dims, i)?;
    mlp::dense(keys, family, dims, dense, tally)?;
    if !keys.flag("enable_moe_block", false)? {
        return Ok(FeedForward { width: dense, experts: None });
    }
    let width = mlp::expert_width(keys)?;
    let (total, active) = experts;
    mlp::routed(tally, (dims.hidden, width, 2), experts);
    tally.add(T::Router, "router", prod(&[dims.hidden, total]));
    tally.add(T::Norm, "router scales", prod(&[dims.hidden + total]));
    tally.add(T::Norm, "norms around the experts", prod(&[3, dims.hidden]));
    Ok(FeedForward { width: active.saturating_mul(width).saturating_add(dense), experts: Some(experts) })
}

fn per_layer_width(keys: &Keys<'_>) -> Result<u64, ConfigError> {
    let unified = keys.model_type() == "gemma4_unified_text";
    if unified { Ok(0) } else { keys.count_or(&["hidden_size_per_layer_input"], 256) }
}

fn per_layer_input(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let width = per_layer_width(keys)?;
    if width > 0 {
        tally.add(T::Other, "per-layer inputs", prod(&[2, dims.hidden, width]));
        tally.add(T::Norm, "per-layer input norms", prod(&[dims.hidden]));
    }
    Ok(())
}

fn per_layer_table(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let width = per_layer_width(keys)?;
    if width > 0 {
        let row = prod(&[dims.layers as u64, width]);
        let rows = keys.dim_or(&["vocab_size_per_layer_input"], 262_144)?;
        tally.add_active(T::Table, "per-layer embeddings", row * u128::from(rows), row);
        tally.add(T::Other, "per-layer projection", row * u128::from(dims.hidden));
        tally.add(T::Norm, "per-layer projection norm", prod(&[width]));
    }
    Ok(())
}

/// Gemma 3n: parallel copies of the residual stream and a low-rank residual.
fn side_streams(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let (h, n, rank) = (dims.hidden, keys.dim_or(&["altup_num_inputs"], 4)?, keys.dim_or(&["laurel_rank"], 64)?);
    tally.add(T::Other, "side streams", prod(&[n, n]) + prod(&[n, n, n]) + prod(&[n, h]) + prod(&[2, h, rank]));
    tally.add(T::Norm, "side stream norms", prod(&[3, h]));
    Ok(())
}

/// How the fourth `DeepSeek` condenses the tokens before the window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compression {
    WindowOnly,
    /// One entry for 4 tokens, found through an index.
    Sparse,
    /// One entry for 128 tokens.
    Heavy,
}

fn compression(keys: &Keys<'_>, i: usize) -> Result<Compression, ConfigError> {
    let Some((name, list)) = keys.items(&["layer_types", "compress_ratios"])? else {
        return Ok(if i >= 2 && !i.is_multiple_of(2) { Compression::Sparse } else { Compression::Heavy });
    };
    let value = list.get(i).unwrap_or(&Value::Null);
    match (value.as_str(), value.as_u64()) {
        (Some("sliding_attention"), _) | (_, Some(0)) => Ok(Compression::WindowOnly),
        (Some("compressed_sparse_attention"), _) | (_, Some(4)) => Ok(Compression::Sparse),
        (Some("heavily_compressed_attention"), _) | (_, Some(128)) => Ok(Compression::Heavy),
        _ => Err(keys.wrong(name, value, "expected 0, 4 or 128, one per layer")),
    }
}

pub(super) fn deepseek_v4_attention(keys: &Keys<'_>, dims: &Dims, i: usize, tally: &mut Tally) -> Result<(), ConfigError> {
    let (h, d) = (dims.hidden, dims.head_dim);
    let (rank, groups, out) = (keys.dim(&["q_lora_rank"])?, keys.dim(&["o_groups"])?, keys.dim(&["o_lora_rank"])?);
    let wide = dims.heads.saturating_mul(d);
    tally.add(T::Attention, "attention, query", prod(&[h, rank]) + prod(&[rank, wide]));
    tally.add(T::AttentionV, "attention, key and value", prod(&[h, d]));
    tally.add(T::AttentionOut, "attention, output", prod(&[wide / groups, groups, out]) + prod(&[groups, out, h]));
    tally.add(T::Norm, "attention vectors", prod(&[rank + d + dims.heads]));
    let kind = compression(keys, i)?;
    let (heads, dim) = (keys.dim_or(&["index_n_heads"], 64)?, keys.dim_or(&["index_head_dim"], 128)?);
    match kind {
        Compression::WindowOnly => {
            let window = small(keys.dim_or(&["sliding_window"], 128)?);
            tally.cache(Cache::Sliding { kv_heads: 1, k_dim: small(d), v_dim: 0, window });
            return Ok(());
        }
        Compression::Sparse => {
            tally.add(T::Attention, "attention, compression", prod(&[4, h, d]) + prod(&[4, h, dim]));
            tally.add(T::Attention, "attention, index", prod(&[rank, heads, dim]) + prod(&[h, heads]));
            tally.add(T::Norm, "attention, compression vectors", prod(&[8 + 1, d]) + prod(&[8 + 1, dim]));
            tally.cache(Cache::Latent { rank: small(d / 4), rope_dim: small(dim / 4) });
        }
        Compression::Heavy => {
            tally.add(T::Attention, "attention, compression", prod(&[2, h, d]));
            tally.add(T::Norm, "attention, compression vectors", prod(&[128 + 1, d]));
            tally.cache(Cache::Latent { rank: small(d / 128), rope_dim: 0 });
        }
    }
    Ok(())
}

fn gated_residual(keys: &Keys<'_>, dims: &Dims, combine: bool, tally: &mut Tally) -> Result<(), ConfigError> {
    let (n, rank) = (keys.dim_or(&["hc_count"], 4)?, keys.dim_or(&["hc_lowrank"], 320)?);
    let inject = if combine { prod(&[n, dims.hidden, n]) } else { 0 };
    tally.add(T::Other, "gated residuals", prod(&[2, n, dims.hidden, rank]) + inject);
    tally.add(T::Norm, "gated residual norms", prod(&[n, dims.hidden]));
    Ok(())
}

fn qwen4_layer(keys: &Keys<'_>, dims: &Dims, (i, kind): (usize, Kind), tally: &mut Tally) -> Result<(), ConfigError> {
    gated_residual(keys, dims, true, tally)?;
    gated_residual(keys, dims, true, tally)?;
    if kind == Kind::Full {
        let heads = keys.dim(&["indexer_n_heads"])? + keys.dim_or(&["indexer_kv_heads"], 1)?;
        let dim = keys.dim(&["indexer_head_dim"])?;
        tally.add(T::Attention, "sparse attention index", prod(&[dims.hidden, heads, dim]));
        tally.add(T::Norm, "sparse attention index norms", prod(&[2, dim]));
    }
    let Some((_, list)) = keys.items(&["ple_layer_ids"])? else { return Ok(()) };
    match list.iter().position(|v| v.as_u64() == Some(i as u64 + 1)) {
        Some(index) => ngram_table(keys, dims, index as u64, tally),
        None => Ok(()),
    }
}

/// A table looked up by the last few tokens, and what carries its rows into the layer.
fn ngram_table(keys: &Keys<'_>, dims: &Dims, index: u64, tally: &mut Tally) -> Result<(), ConfigError> {
    let wide = keys.dim_or(&["hc_count"], 4)?.saturating_mul(dims.hidden);
    let embed = keys.dim_or(&["ple_embed_dim"], dims.hidden)?;
    let kernel = keys.dim_or(&["ple_conv_kernel_size"], 4)?;
    let heads = (keys.dim(&["ngram_size"])? - 1).saturating_mul(keys.dim(&["heads_per_ngram"])?);
    let base = keys.rows(&["ngram_vocab_size_base"])?;
    if !(1..=64).contains(&heads) || index > 4 || base > 1 << 31 {
        return Err(keys.wrong(
            "heads_per_ngram",
            &Value::from(heads),
            "expected at most 64 heads of less than 2^31 rows in at most 5 layers",
        ));
    }
    let padding = keys.dim_or(&["make_ngram_vocab_size_divisible_by"], 128)?;
    let primes = primes_from(base).skip((index * heads) as usize).take(heads as usize);
    let rows = primes.fold(0_u64, u64::saturating_add).next_multiple_of(padding);
    let head = embed / heads;
    tally.add_active(T::Table, "n-gram table", prod(&[rows, head]), prod(&[heads, head]));
    tally.add(T::Other, "n-gram projections", prod(&[embed, wide]) + prod(&[embed, dims.hidden]) + prod(&[wide, kernel]));
    tally.add(T::Norm, "n-gram norms", prod(&[3, wide]));
    Ok(())
}

/// Each head of the table has a prime number of rows, so that they collide differently.
fn primes_from(start: u64) -> impl Iterator<Item = u64> {
    (start..).filter(|n| *n > 1 && (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d)))
}
