//! Layers that keep a state of fixed size: state space, linear attention, short convolution.

use super::ConfigError;
use super::decoder::Dims;
use super::families::{Family, Linear};
use super::keys::Keys;
use super::tally::{Tally, prod};
use crate::catalog::model::TensorClass as T;
use serde_json::Value;

pub(super) fn linear(keys: &Keys<'_>, family: &Family, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    match family.linear {
        Linear::None => Err(keys.unsupported("known only with attention in every layer. Enter its parameter count by hand")),
        Linear::Mamba => mamba(keys, dims, tally, false),
        Linear::MambaNormed => mamba(keys, dims, tally, true),
        Linear::Mamba2 => mamba2(keys, dims, tally),
        Linear::DeltaNet => delta_net(keys, dims, tally),
        Linear::Kimi => kimi(keys, dims, tally),
        Linear::ShortConv => short_conv(keys, dims, tally),
    }
}

const CONV: &[&str] = &["conv_kernel", "mamba_d_conv", "linear_conv_kernel_dim", "d_conv"];
const STATE: &[&str] = &["state_size", "mamba_d_state", "ssm_state_size"];

fn mamba(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally, normed: bool) -> Result<(), ConfigError> {
    let h = dims.hidden;
    let expand = keys.dim_or(&["expand", "mamba_expand"], 2)?;
    let inner = if normed { h.saturating_mul(expand) } else { keys.dim_or(&["intermediate_size", "d_inner"], h.saturating_mul(expand))? };
    let (state, kernel) = (keys.dim_or(STATE, 16)?, keys.dim_or(CONV, 4)?);
    let rank = match keys.anywhere("time_step_rank").or_else(|| keys.anywhere("mamba_dt_rank")) {
        Some(v) if v.as_str() == Some("auto") => h.div_ceil(16),
        _ => keys.dim_or(&["time_step_rank", "mamba_dt_rank"], h.div_ceil(16))?,
    };
    let bias = if keys.flag("use_bias", false)? || keys.flag("mamba_proj_bias", false)? { 2 * inner + h } else { 0 };
    let conv_bias = if keys.flag("use_conv_bias", true)? && keys.flag("mamba_conv_bias", true)? { inner } else { 0 };
    let matrices = prod(&[h, 2, inner]) + prod(&[inner, rank + 2 * state]) + prod(&[rank, inner]) + prod(&[inner, h]);
    tally.add(T::Mixer, "state space projections", matrices);
    tally.add(T::Mixer, "state space convolution", prod(&[inner, kernel]));
    let norms = if normed { rank + 2 * state } else { 0 };
    let vectors = prod(&[inner, state + 2]) + prod(&[bias + conv_bias + norms]);
    tally.add(T::Norm, "state space vectors", vectors);
    tally.state(prod(&[inner, state + kernel - 1]));
    Ok(())
}

fn mamba2(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let heads = keys.dim(&["mamba_num_heads", "mamba_n_heads", "num_heads"])?;
    // Granite 4: "auto", or left out, is what makes the heads as wide as the expansion.
    let given = keys.has(&["mamba_head_dim"]) || keys.anywhere("mamba_d_head").is_some_and(Value::is_number);
    let head_dim = if given || !keys.has(&["mamba_n_heads"]) {
        keys.dim(&["mamba_head_dim", "mamba_d_head", "head_dim"])?
    } else {
        keys.dim_or(&["mamba_expand"], 2)?.saturating_mul(dims.hidden) / heads
    };
    let (state, kernel) = (keys.dim_or(STATE, 128)?, keys.dim_or(CONV, 4)?);
    let groups = keys.dim_or(&["n_groups", "mamba_n_groups"], 8)?;
    let inner = prod(&[heads, head_dim]);
    let conv = inner + prod(&[2, groups, state]);
    let h = prod(&[dims.hidden]);
    tally.add(T::Mixer, "state space projections", h * (2 * inner + (conv - inner) + u128::from(heads)) + inner * h);
    tally.add(T::Mixer, "state space convolution", conv * u128::from(kernel));
    let biased = keys.flag("use_bias", false)? || keys.flag("mamba_proj_bias", false)?;
    let bias = if biased { inner + conv + u128::from(heads) + h } else { 0 };
    let conv_bias = if keys.flag("use_conv_bias", true)? && keys.flag("mamba_conv_bias", true)? { conv } else { 0 };
    tally.add(T::Norm, "state space vectors", prod(&[3, heads]) + inner + bias + conv_bias);
    tally.state(prod(&[heads, head_dim, state]) + conv * u128::from(kernel - 1));
    Ok(())
}

/// Gated delta rule of Qwen3-Next and its successors.
fn delta_net(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let value_heads = keys.dim(&["linear_num_value_heads"])?;
    let value_dim = keys.dim(&["linear_value_head_dim"])?;
    let key_dim = keys.dim(&["linear_key_head_dim"])?;
    let key = prod(&[keys.dim(&["linear_num_key_heads"])?, key_dim]);
    let value = prod(&[value_heads, value_dim]);
    let kernel = keys.dim_or(CONV, 4)?;
    let conv = 2 * key + value;
    let h = prod(&[dims.hidden]);
    tally.add(T::Mixer, "linear attention projections", h * (2 * key + 2 * value + prod(&[2, value_heads])) + value * h);
    tally.add(T::Mixer, "linear attention convolution", conv * u128::from(kernel));
    tally.add(T::Norm, "linear attention vectors", prod(&[2, value_heads]) + prod(&[value_dim]));
    tally.state(prod(&[value_heads, key_dim, value_dim]) + conv * u128::from(kernel - 1));
    Ok(())
}

/// Kimi delta attention: decay per channel, through low-rank projections.
fn kimi(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let inner = keys.within("linear_attn_config");
    let read = |flat, nested, default| match &inner {
        Some(k) if k.has(&[nested]) => k.dim(&[nested]),
        _ => keys.dim_or(&[flat], default),
    };
    let dim = read("linear_head_dim", "head_dim", 128)?;
    let heads = read("linear_num_heads", "num_heads", 32)?;
    let kernel = read("linear_conv_kernel_dim", "short_conv_kernel_size", 4)?;
    let (h, wide) = (prod(&[dims.hidden]), prod(&[heads, dim]));
    let gates = 2 * (h * u128::from(dim) + u128::from(dim) * wide);
    tally.add(T::Mixer, "linear attention projections", 4 * h * wide + gates + h * u128::from(heads));
    tally.add(T::Mixer, "linear attention convolution", 3 * wide * u128::from(kernel));
    tally.add(T::Norm, "linear attention vectors", wide + prod(&[heads]) + prod(&[dim]));
    tally.state(prod(&[heads, dim, dim]) + 3 * wide * u128::from(kernel - 1));
    Ok(())
}

/// Gated convolution over the last few tokens (LFM2).
fn short_conv(keys: &Keys<'_>, dims: &Dims, tally: &mut Tally) -> Result<(), ConfigError> {
    let h = dims.hidden;
    let kernel = keys.dim_or(&["conv_L_cache"], 3)?;
    tally.add(T::Mixer, "convolution projections", prod(&[4, h, h]));
    tally.add(T::Mixer, "convolution", prod(&[h, kernel]));
    if keys.flag("conv_bias", false)? {
        tally.add(T::Norm, "convolution biases", prod(&[5, h]));
    }
    tally.state(prod(&[h, kernel - 1]));
    Ok(())
}
