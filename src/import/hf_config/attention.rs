//! Attention with keys and values per head, and with one compressed vector per token.

use super::ConfigError;
use super::decoder::{Dims, Kind};
use super::families::{Family, Gate, QkNorm};
use super::keys::Keys;
use super::tally::{Tally, prod, small};
use crate::catalog::model::{Cache, TensorClass as T};

/// The attention of one layer.
#[derive(Clone, Copy)]
pub(super) struct Attention {
    pub heads: u64,
    pub kv_heads: u64,
    pub head_dim: u64,
    /// Has its own value projection; without one the keys serve as values.
    pub values: bool,
    /// Reads the keys and values of an earlier layer.
    pub shared: bool,
}

impl Attention {
    pub const fn plain(dims: &Dims) -> Self {
        Self { heads: dims.heads, kv_heads: dims.kv_heads, head_dim: dims.head_dim, values: true, shared: false }
    }
}

pub(super) fn grouped(
    keys: &Keys<'_>,
    family: &Family,
    dims: &Dims,
    kind: Kind,
    a: &Attention,
    tally: &mut Tally,
) -> Result<(), ConfigError> {
    let h = dims.hidden;
    let (q, kv) = (prod(&[a.heads, a.head_dim]), if a.shared { 0 } else { prod(&[a.kv_heads, a.head_dim]) });
    let v = if a.values { kv } else { 0 };
    let gate = match family.gate {
        Gate::Off => 0,
        Gate::InQuery => {
            if keys.flag("attn_output_gate", true)? {
                q
            } else {
                0
            }
        }
        Gate::Full => q,
        Gate::Gating => {
            if per_element(keys) {
                q
            } else {
                prod(&[a.heads])
            }
        }
    };
    let wide = prod(&[h]);
    if family.fused {
        tally.add(T::AttentionFused, "attention, query, key and value", wide * (q + kv + v));
    } else {
        tally.add(T::Attention, "attention, query and key", wide * (q + kv));
        tally.add(T::AttentionV, "attention, value", wide * v);
    }
    tally.add(T::Attention, "attention, output gate", wide * gate);
    tally.add(T::AttentionOut, "attention, output", wide * q);
    let query_gate = if matches!(family.gate, Gate::InQuery) { gate } else { 0 };
    let mut vectors = 0;
    if family.qkv_bias.on(keys)? {
        vectors += q + query_gate + kv + v;
    }
    if family.out_bias.on(keys)? {
        vectors += wide;
    }
    if family.sinks {
        vectors += prod(&[a.heads]);
    }
    tally.add(T::Norm, "attention biases", vectors);
    tally.add(T::Norm, "attention norms", head_norms(keys, family, a, q + kv)?);
    tally.cache(cache(keys, kind, a)?);
    Ok(())
}

fn per_element(keys: &Keys<'_>) -> bool {
    !matches!(keys.anywhere("gating"), None | Some(serde_json::Value::Bool(true))) && keys.text("gating").ok().flatten() != Some("per-head")
}

/// Norms of queries and keys. Layers that share keys have only the query's.
fn head_norms(keys: &Keys<'_>, family: &Family, a: &Attention, full: u128) -> Result<u128, ConfigError> {
    let head = prod(&[if a.shared { 1 } else { 2 }, a.head_dim]);
    Ok(match family.qk_norm {
        QkNorm::Off => 0,
        QkNorm::Head => head,
        QkNorm::Full => full,
        QkNorm::HeadIf(name) => {
            if keys.flag(name, false)? {
                head
            } else {
                0
            }
        }
        QkNorm::FullIf(name) => {
            if keys.flag(name, false)? {
                full
            } else {
                0
            }
        }
    })
}

fn cache(keys: &Keys<'_>, kind: Kind, a: &Attention) -> Result<Cache, ConfigError> {
    if a.shared {
        return Ok(Cache::Shared);
    }
    let (kv_heads, k_dim) = (small(a.kv_heads), small(a.head_dim));
    let window = if kind == Kind::Sliding { keys.opt(&["sliding_window", "attention_chunk_size", "window_size"])? } else { None };
    Ok(match window {
        Some(window) => Cache::Sliding { kv_heads, k_dim, v_dim: k_dim, window: small(window) },
        None => Cache::Full { kv_heads, k_dim, v_dim: k_dim },
    })
}

/// Multi-head latent attention, with the index of sparse attention where the file has one.
pub(super) fn latent(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    keys.require(&[&["kv_lora_rank"], &["qk_rope_head_dim"], &["qk_nope_head_dim"], &["v_head_dim"]])?;
    let (h, a) = (dims.hidden, dims.heads);
    let rank = keys.dim(&["kv_lora_rank"])?;
    let rope = keys.dim(&["qk_rope_head_dim"])?;
    let nope = keys.dim(&["qk_nope_head_dim"])?;
    let value = keys.dim(&["v_head_dim"])?;
    let mut vectors = prod(&[rank]);
    let bias = keys.flag("attention_bias", false)?;
    let query = match keys.opt(&["q_lora_rank"])? {
        Some(r) => {
            vectors += prod(&[if bias { 2 } else { 1 }, r]);
            prod(&[h, r]) + prod(&[r, a, nope + rope])
        }
        None => prod(&[h, a, nope + rope]),
    };
    if bias {
        vectors += prod(&[rank + rope + h]);
    }
    tally.add(T::Attention, "attention, query", query);
    tally.add(T::Attention, "attention, compression", prod(&[h, rank + rope]));
    tally.add(T::AttentionV, "attention, key and value from the latent", prod(&[rank, a, nope + value]));
    tally.add(T::AttentionOut, "attention, output", prod(&[a, value, h]));
    tally.add(T::Norm, "attention norms and biases", vectors);
    let index = index(keys, h, tally)?;
    tally.cache(Cache::Latent { rank: small(rank), rope_dim: small(rope + index) });
    Ok(())
}

/// The index that picks tokens for sparse attention; returns its elements per token.
fn index(keys: &Keys<'_>, hidden: u64, tally: &mut Tally) -> Result<u64, ConfigError> {
    let (Some(dim), Some(heads)) = (keys.opt(&["index_head_dim"])?, keys.opt(&["index_n_heads"])?) else { return Ok(0) };
    let from = keys.dim_or(&["q_lora_rank"], hidden)?;
    tally.add(T::Attention, "sparse attention index", prod(&[from, heads, dim]) + prod(&[hidden, dim]) + prod(&[hidden, heads]));
    tally.add(T::Norm, "sparse attention index norm", prod(&[2, dim]));
    Ok(dim)
}
