//! Values that a file may hold: the same limits as edits have, and numbers of a model that no sum can overflow.

use crate::catalog::Catalog;
use crate::catalog::model::{Cache, ModelShape};
use crate::project::Project;
use crate::project::edit::{Edit, Refusal};

/// Field and fault of the first value out of range.
pub(super) fn check(catalog: &Catalog, project: &Project) -> Result<(), (String, String)> {
    let empty = Project::default();
    let try_edit = |field: String, edit: &Edit| match edit.apply(catalog, &empty) {
        Ok(_) => Ok(()),
        Err(Refusal::BadValue { field: what, why }) => Err((field, format!("{what}: {why}"))),
        Err(other) => Err((field, other.to_string())),
    };
    try_edit("room".to_owned(), &Edit::Room(project.room.clone()))?;
    for (index, workload) in project.workloads.iter().enumerate() {
        let field = format!("workloads.{index}");
        try_edit(field.clone(), &Edit::Workload { index: 0, workload: Some(Box::new(workload.clone())) })?;
        model(&workload.model).map_err(|why| (format!("{field}.model"), why))?;
    }
    for (part, price) in &project.prices.parts {
        try_edit(format!("prices.parts.{part}"), &Edit::Price { part: part.clone(), price: Some(price.clone()) })?;
    }
    for (currency, rate) in &project.prices.rates {
        let edit = Edit::Rate { currency: currency.clone(), rate: Some(rate.clone()) };
        try_edit(format!("prices.rates.{currency}"), &edit)?;
    }
    for (key, &value) in &project.thresholds {
        try_edit(format!("thresholds.{key}"), &Edit::Threshold { key: key.clone(), value: Some(value) })?;
    }
    for (key, value) in &project.calibration {
        if !value.is_finite() || *value <= 0.0 {
            return Err((format!("calibration.{key}"), format!("{value} is no factor above 0")));
        }
    }
    Ok(())
}

/// More than any model has by a factor of a hundred, and small enough for every sum and product of the ledgers.
const MOST_PARAMS: u64 = 1 << 50;
const MOST_LAYERS: u64 = 1 << 16;
const MOST_WIDTH: u64 = 1 << 24;

fn model(model: &ModelShape) -> Result<(), String> {
    let tensors = model.tensors.iter().try_fold(0_u64, |sum, t| sum.checked_add(t.params.max(t.active)));
    if tensors.is_none_or(|sum| sum > MOST_PARAMS) {
        return Err("has more parameters than any model. Correct the counts under `tensors`".to_owned());
    }
    let layers = model.groups.iter().fold(0_u64, |sum, g| sum.saturating_add(u64::from(g.count)));
    if layers.max(u64::from(model.layers)) > MOST_LAYERS {
        return Err("has more layers than any model. Correct `layers` or the counts under `groups`".to_owned());
    }
    let sizes = [model.hidden, model.heads, model.mlp_width].map(u64::from);
    let widest = model.groups.iter().map(|g| widest(g.cache)).chain(sizes).max().unwrap_or(0);
    if widest > MOST_WIDTH || model.vocab > MOST_WIDTH || model.context.is_some_and(|c| c > 1 << 40) {
        return Err(format!("has a size beyond {MOST_WIDTH}. Correct its sizes"));
    }
    Ok(())
}

fn widest(cache: Cache) -> u64 {
    match cache {
        Cache::Full { kv_heads, k_dim, v_dim } | Cache::Sliding { kv_heads, k_dim, v_dim, .. } => u64::from(kv_heads.max(k_dim).max(v_dim)),
        Cache::Latent { rank, rope_dim } => u64::from(rank.max(rope_dim)),
        Cache::State { elements } => elements >> 16,
        Cache::Shared | Cache::None => 0,
    }
}
