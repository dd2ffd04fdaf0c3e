//! Feed-forward blocks: dense, or experts behind a router.

use super::ConfigError;
use super::decoder::{Dims, Kind, experts};
use super::families::{Extra, Family, Width};
use super::keys::{EXPERTS, Keys, WIDTH};
use super::special;
use super::tally::{Tally, prod};
use crate::catalog::model::TensorClass as T;

/// What a token meets in one feed-forward.
pub(super) struct FeedForward {
    pub width: u64,
    /// In all and per token.
    pub experts: Option<(u64, u64)>,
}

/// Adds the feed-forward of one layer, if it has one.
pub(super) fn feed_forward(
    keys: &Keys<'_>,
    family: &Family,
    dims: &Dims,
    layer: (usize, Kind),
    tally: &mut Tally,
) -> Result<Option<FeedForward>, ConfigError> {
    let (i, kind) = layer;
    let sparse = match (kind, experts(keys)?) {
        (Kind::Sparse, Some(e)) => Some(e),
        (Kind::Sparse, None) => {
            return Err(keys.require(&[EXPERTS]).err().unwrap_or_else(|| keys.unsupported("without experts for its sparse layers")));
        }
        (Kind::Dense, _) => None,
        // A state-space block without a feed-forward of its own.
        _ if matches!(family.pattern, super::families::Pattern::Nemotron | super::families::Pattern::AllLinear) => return Ok(None),
        (_, Some(e)) if family.extra == Extra::Gemma4 => return special::gemma4_experts(keys, family, dims, i, e, tally).map(Some),
        (_, Some(e)) => is_sparse(keys, i)?.then_some(e),
        (_, None) => None,
    };
    match sparse {
        Some(e) => moe(keys, family, dims, e, tally).map(Some),
        None => {
            let width = width(keys, family, dims, i)?;
            dense(keys, family, dims, width, tally)?;
            Ok(Some(FeedForward { width, experts: None }))
        }
    }
}

pub(super) fn dense(keys: &Keys<'_>, family: &Family, dims: &Dims, width: u64, tally: &mut Tally) -> Result<(), ConfigError> {
    let up = if family.gated { 2 } else { 1 };
    tally.add(T::Mlp, "feed-forward, first matrices", prod(&[up, dims.hidden, width]));
    tally.add(T::MlpDown, "feed-forward, last matrix", prod(&[dims.hidden, width]));
    if family.mlp_bias.on(keys)? {
        tally.add(T::Norm, "feed-forward biases", prod(&[up, width]) + prod(&[dims.hidden]));
    }
    Ok(())
}

/// Width of the dense feed-forward of layer `i`.
pub(super) fn width(keys: &Keys<'_>, family: &Family, dims: &Dims, i: usize) -> Result<u64, ConfigError> {
    const DENSE: &[&str] = &["intermediate_size_mlp", "prefix_dense_intermediate_size"];
    let given = match keys.opt_at(DENSE, i)? {
        Some(n) => Some(n),
        None => keys.opt_at(WIDTH, i)?,
    };
    let need = || given.map_or_else(|| keys.dim(WIDTH), Ok);
    match family.width {
        Width::Key if family.extra == Extra::Gemma4 => Ok(need()? * special::gemma4_factor(keys, dims, i)?),
        Width::Four => Ok(given.unwrap_or(dims.hidden * 4)),
        Width::Half => Ok(need()? / 2),
        Width::Ratio => Ok(dims.hidden * keys.dim_or(&["expansion_ratio"], 4)?),
        Width::Shared => keys.dim(&["shared_intermediate_size"]),
        Width::Rounded if keys.flag("block_auto_adjust_ff_dim", true)? => rounded(keys, need()?),
        Width::Key | Width::Rounded => need(),
    }
}

/// LFM2: two thirds of the written width, times a factor, up to the next multiple.
fn rounded(keys: &Keys<'_>, written: u64) -> Result<u64, ConfigError> {
    let base = written * 2 / 3;
    let Some(value) = keys.anywhere("block_ffn_dim_multiplier") else { return Ok(base) };
    let factor = value.as_f64().filter(|f| (0.01..=100.0).contains(f));
    let factor = factor.ok_or_else(|| keys.wrong("block_ffn_dim_multiplier", value, "expected a number from 0.01 to 100"))?;
    Ok(((base as f64 * factor) as u64).next_multiple_of(keys.dim_or(&["block_multiple_of"], 256)?))
}

/// Whether layer `i` has experts, by whichever of the usual keys the file has.
pub(super) fn is_sparse(keys: &Keys<'_>, i: usize) -> Result<bool, ConfigError> {
    if let Some((name, list)) = keys.items(&["mlp_layer_types"])? {
        let value = list.get(i).ok_or_else(|| keys.wrong(name, &serde_json::Value::Array(Vec::new()), "expected one entry per layer"))?;
        return Ok(value.as_str() != Some("dense"));
    }
    let at = i as u64;
    if let Some((_, list)) = keys.items(&["moe_layers"])? {
        return Ok(list.iter().any(|v| v.as_u64() == Some(at)));
    }
    if let Some((_, list)) = keys.items(&["mlp_only_layers"])?
        && list.iter().any(|v| v.as_u64() == Some(at))
    {
        return Ok(false);
    }
    if at < keys.count_or(&["first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"], 0)? {
        return Ok(false);
    }
    if keys.has(&["expert_layer_period"]) {
        return Ok(at % keys.dim(&["expert_layer_period"])? == keys.count_or(&["expert_layer_offset"], 0)?);
    }
    if keys.has(&["decoder_sparse_step", "interleave_moe_layer_step"]) {
        return Ok((at + 1).is_multiple_of(keys.dim(&["decoder_sparse_step", "interleave_moe_layer_step"])?));
    }
    Ok(match keys.opt_at(&["moe_layer_freq"], i)? {
        Some(0) => false,
        Some(n) => at.is_multiple_of(n),
        None => true,
    })
}

/// Router, routed experts and shared experts.
pub(super) fn moe(
    keys: &Keys<'_>,
    family: &Family,
    dims: &Dims,
    experts: (u64, u64),
    tally: &mut Tally,
) -> Result<FeedForward, ConfigError> {
    let (total, active) = experts;
    let width = expert_width(keys)?;
    let hidden = dims.hidden;
    let input = keys.dim_or(&["moe_latent_size"], hidden)?;
    let up = if family.gated { 2 } else { 1 };
    routed(tally, (input, width, up), experts);
    if input != hidden {
        tally.add(T::Mlp, "experts, compression", prod(&[2, hidden, input]));
    }
    tally.add(T::Router, "router", prod(&[hidden, total]));
    if family.moe.router_bias {
        tally.add(T::Norm, "router biases", prod(&[total]));
    }
    if family.moe.biases {
        let one = prod(&[up, width]) + prod(&[hidden]);
        tally.add_active(T::Norm, "expert biases", one * u128::from(total), one * u128::from(active));
    }
    let shared = shared_width(keys, family, width)?;
    if shared > 0 {
        dense(keys, family, dims, shared, tally)?;
        if family.moe.shared_gate {
            tally.add(T::Router, "gate of the shared expert", prod(&[hidden]));
        }
    }
    Ok(FeedForward { width: active.saturating_mul(width).saturating_add(shared), experts: Some(experts) })
}

/// The matrices of the routed experts: `(input, width, matrices before the last)`.
pub(super) fn routed(tally: &mut Tally, (input, width, up): (u64, u64, u64), (total, active): (u64, u64)) {
    let first = |n| prod(&[n, up, input, width]);
    let last = |n| prod(&[n, input, width]);
    tally.add_active(T::Expert, "experts, first matrices", first(total), first(active));
    tally.add_active(T::ExpertDown, "experts, last matrix", last(total), last(active));
}

pub(super) fn expert_width(keys: &Keys<'_>) -> Result<u64, ConfigError> {
    let own = keys.opt(&["moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"])?;
    own.map_or_else(|| keys.dim(WIDTH), Ok)
}

/// Width of all shared experts together.
pub(super) fn shared_width(keys: &Keys<'_>, family: &Family, expert: u64) -> Result<u64, ConfigError> {
    const WIDTH: &[&str] = &["shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"];
    const COUNT: &[&str] = &["n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"];
    if keys.has(WIDTH) {
        return keys.count_or(WIDTH, 0);
    }
    Ok(keys.count_or(COUNT, family.moe.shared)?.saturating_mul(expert))
}
