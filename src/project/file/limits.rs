//! Values that a file may hold: the same limits as edits have, and numbers of a model that no sum can overflow.

use crate::catalog::Catalog;
use crate::catalog::load::limits;
use crate::catalog::model::{Cache, ExactTensors, ExactWeights, ModelShape};
use crate::project::Project;
use crate::project::edit::{Edit, Refusal, setting_fault};
use crate::project::piece_settings;
use crate::project::thresholds;
use crate::workload::Workload;
use crate::workload::training::Training;
use toml::de::DeTable;

/// What edits call the fields of `[room]`.
const ROOM: [(&str, &str); 8] = [
    ("tariff", "tariff_per_kwh"),
    ("mains voltage", "mains_v"),
    ("circuit", "circuit_a"),
    ("circuits", "circuits"),
    ("ambient temperature", "ambient_c"),
    ("altitude", "altitude_m"),
    ("hours a day", "hours_per_day"),
    ("years", "life_years"),
];

/// Field and fault of the first value out of range.
pub(super) fn check(catalog: &Catalog, project: &Project) -> Result<(), (String, String)> {
    let empty = Project::default();
    let try_edit = |field: String, edit: &Edit| match edit.apply(catalog, &empty) {
        Ok(_) => Ok(()),
        Err(Refusal::BadValue { field: what, why }) => Err((field, format!("{what}: {why}"))),
        Err(other) => Err((field, other.to_string())),
    };
    if let Err(refusal) = (Edit::Room(project.room.clone())).apply(catalog, &empty) {
        return Err(match refusal {
            Refusal::BadValue { field, why } => {
                let key = ROOM.iter().find(|r| r.0 == field).map_or(String::new(), |r| format!(".{}", r.1));
                (format!("room{key}"), format!("{field}: {why}"))
            }
            other => ("room".to_owned(), other.to_string()),
        });
    }
    for (id, piece) in project.rig.placements().chain(project.variants.values().flat_map(|b| b.placements())) {
        for (key, value) in &piece.settings {
            if let Some((field, why)) = setting_fault(key, value) {
                return Err((format!("rig.placements.{id}.settings.{field}"), why));
            }
            if let Some((field, why)) = piece_settings::fault(catalog.part(&piece.part), key, value) {
                return Err((format!("rig.placements.{id}.settings.{field}"), why));
            }
        }
    }
    for (index, workload) in project.workloads.iter().enumerate() {
        let field = format!("workloads.{index}");
        let at = format!("{field}{}", guilty(workload));
        try_edit(at, &Edit::Workload { index: 0, workload: Some(Box::new(workload.clone())) })?;
        model(&workload.model).map_err(|why| (format!("{field}.model"), why))?;
    }
    for (part, price) in &project.prices.parts {
        let field = format!("prices.parts.{part}");
        try_edit(format!("{field}.amount"), &Edit::Price { part: part.clone(), price: Some(price.clone()) })?;
        date(&field, &price.date)?;
    }
    for (currency, rate) in &project.prices.rates {
        let field = format!("prices.rates.{currency}");
        try_edit(format!("{field}.per_unit"), &Edit::Rate { currency: currency.clone(), rate: Some(rate.clone()) })?;
        date(&field, &rate.date)?;
    }
    if let Some((key, why)) = project.economy.fault(project.room.hours_per_day) {
        return Err((format!("economy.{key}"), why));
    }
    let named = project.economy.rents.iter().map(|r| ("rents", &r.date));
    for (list, day) in named.chain(project.economy.services.iter().map(|s| ("services", &s.date))) {
        date(&format!("economy.{list}"), day)?;
    }
    for (key, &value) in &project.thresholds {
        if !thresholds::ALL.iter().any(|t| t.key == key) {
            let known: Vec<&str> = thresholds::ALL.iter().map(|t| t.key).collect();
            return Err((format!("thresholds.{key}"), format!("is no threshold. Known are: {}", known.join(", "))));
        }
        try_edit(format!("thresholds.{key}"), &Edit::Threshold { key: key.clone(), value: Some(value) })?;
    }
    for (index, trial) in project.trials.iter().enumerate() {
        if let Some((field, why)) = trial.fault() {
            return Err((format!("trials.{index}.{field}"), why));
        }
    }
    for (key, value) in &project.calibration {
        if !value.is_finite() || *value <= 0.0 {
            return Err((format!("calibration.{key}"), format!("{value} is no factor above 0")));
        }
    }
    Ok(())
}

/// Field and fault of the first wrong value of `[exchange]`.
pub(super) fn check_rates(table: &DeTable<'_>) -> Result<(), (String, String)> {
    limits::check_rates(table).into_iter().next().map_or(Ok(()), |wrong| Err((format!("exchange.{}", wrong.field), wrong.why)))
}

/// The number that an edit would refuse.
fn guilty(workload: &Workload) -> String {
    if let Some((field, _)) = workload.training.as_ref().and_then(Training::fault) {
        return format!(".training.{field}");
    }
    if workload.context == 0 || workload.context > 1 << 30 {
        ".context".to_owned()
    } else if workload.batch == 0 || workload.batch > 1 << 20 {
        ".batch".to_owned()
    } else if let Err((field, _)) = workload.serving.check() {
        format!(".serving.{field}")
    } else if let Err((field, _)) = workload.sharing.check() {
        format!(".sharing.{field}")
    } else if !workload.precision.suits(&workload.model) {
        ".precision".to_owned()
    } else {
        ".gpus".to_owned()
    }
}

fn date(field: &str, text: &str) -> Result<(), (String, String)> {
    let why = || (format!("{field}.date"), format!("{text:?} is no date. Write YYYY-MM-DD, YYYY-MM or YYYY"));
    if limits::is_date(text) { Ok(()) } else { Err(why()) }
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
    if let Some(weights) = &model.weights {
        exact(weights)?;
    }
    let sizes = [model.hidden, model.heads, model.mlp_width].map(u64::from);
    let widest = model.groups.iter().map(|g| widest(g.cache)).chain(sizes).max().unwrap_or(0);
    if model.network.as_ref().is_some_and(|n| !n.within(MOST_WIDTH as u32)) {
        return Err(format!("has a size beyond {MOST_WIDTH} under `network`. Correct its sizes"));
    }
    if widest > MOST_WIDTH || model.vocab > MOST_WIDTH || model.context.is_some_and(|c| c > 1 << 40) {
        return Err(format!("has a size beyond {MOST_WIDTH}. Correct its sizes"));
    }
    Ok(())
}

/// A table of tensors as a file of weights may have it.
fn exact(weights: &ExactWeights) -> Result<(), String> {
    let sum = |of: &dyn Fn(&ExactTensors) -> u64| {
        weights.groups.iter().try_fold(0_u64, |sum, g| sum.checked_add(of(g).checked_mul(g.times())?)).filter(|sum| *sum <= MOST_PARAMS)
    };
    let ranges = weights.groups.iter().flat_map(|g| &g.layers).all(|[first, last]| first <= last && u64::from(*last) < MOST_LAYERS);
    if !ranges || weights.file_bytes > 1 << 60 || sum(&|g| g.bytes).is_none() || sum(&|g| g.elements).is_none() {
        return Err("has a table of tensors that no file has. Correct `weights`, or open the model's file again".to_owned());
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
