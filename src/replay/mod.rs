//! Measured records beside predictions: every row of a table is predicted as the ledgers would, or listed with the reason why it cannot be.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::project::Project;

pub mod calibrate;
pub mod links;
pub mod names;
pub mod page;
pub mod predict;
mod request;
mod speed;
pub mod summary;
pub mod table;
pub mod text;
pub mod thermal;
pub mod throughput;
mod torch;
pub mod training;

use names::Names;
use predict::{Ground, Prediction};
use table::{Record, Standing, TableKind};

/// One record with what the program says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub record: Record,
    /// Engine as summaries group it; the row's own text where no engine is known by it.
    pub engine: String,
    /// Card as the catalog names it; the row's own text where no card is known by it.
    pub gpu: String,
    /// The row's value in the base unit; `None` = no number.
    pub measured: Option<f64>,
    /// Half of the last digit that the row prints, in the base unit.
    pub rounding: f64,
    pub outcome: Result<Prediction, String>,
    /// A constant was chosen with such rows in view.
    pub fitted: bool,
    /// Simpler predictions to compare with, by name, in the base unit.
    pub beside: Vec<(&'static str, f64)>,
}

impl Judged {
    /// (predicted − measured) ÷ measured; `None` where either is unknown or the measured value is 0.
    pub fn error(&self) -> Option<f64> {
        let (predicted, measured) = (self.outcome.as_ref().ok()?.value, self.measured?);
        (measured.abs() > 0.0).then(|| (predicted - measured) / measured)
    }

    /// Whether prediction and measurement are both there, the row counted as measured.
    pub fn is_judged(&self) -> bool {
        self.record.standing == Standing::Measured && self.outcome.is_ok() && self.measured.is_some()
    }

    /// Whether the measurement lies in the predicted band, the row's own rounding allowed for.
    pub fn in_band(&self) -> Option<bool> {
        let (p, m) = (self.outcome.as_ref().ok()?, self.measured?);
        Some(p.low - self.rounding <= m && m <= p.high + self.rounding)
    }
}

/// Predicts every row of the tables, in their order. `project` holds the user's own factors, if any.
///
/// # Errors
/// Says where the shipped alias table is wrong.
pub fn replay(catalog: &Catalog, models: &[Arc<ModelShape>], project: &Project, records: Vec<Record>) -> Result<Vec<Judged>, String> {
    let names = Names::new(catalog, models)?;
    Ok(with_names(&names, project, records))
}

/// As [`replay`], with names of the caller's.
pub fn with_names(names: &Names, project: &Project, records: Vec<Record>) -> Vec<Judged> {
    let ground = Ground { names, project };
    let mut rows: Vec<Judged> = records.into_iter().map(|record| judge(ground, record)).collect();
    temperatures(&mut rows);
    rows
}

/// What summaries call the temperatures of rows that constants were chosen on: they are not counted with the others.
pub const FITTED_TEMPERATURE: &str = "gpu_temp_C, fitted rows";

/// Cards of one rig heat each other: their rows are predicted together.
fn temperatures(rows: &mut [Judged]) {
    let mut tables: BTreeMap<String, Vec<(usize, thermal::Row)>> = BTreeMap::new();
    for (at, row) in rows.iter_mut().enumerate().filter(|(_, r)| r.record.kind == TableKind::Thermal) {
        row.engine = "air".to_owned();
        match thermal::row(&row.record.cells) {
            Ok(read) => tables.entry(row.record.table.clone()).or_default().push((at, read)),
            Err(why) => row.outcome = Err(why),
        }
    }
    for list in tables.values() {
        let found = thermal::predict(&list.iter().map(|(_, row)| row.clone()).collect::<Vec<_>>());
        // Predictions come in the order of the rows.
        for ((at, _), said) in list.iter().zip(found) {
            let Some(row) = rows.get_mut(*at) else { continue };
            row.measured = Some(said.measured_c);
            row.fitted = said.fitted;
            if said.fitted {
                row.record.metric = FITTED_TEMPERATURE.to_owned();
            }
            row.beside = thermal::BASELINES.into_iter().zip(said.baselines).collect();
            row.outcome = Ok(Prediction { low: said.low_c, value: said.die_c, high: said.high_c });
        }
    }
}

fn judge(ground: Ground<'_>, record: Record) -> Judged {
    let names = ground.names;
    let engine = names.engine(&record.engine).map_or_else(|_| record.engine.clone(), |e| e.name);
    let cards = names.cards(&record.gpu, record.cards());
    let gpu = match &cards {
        Ok(cards) => {
            let mut list: Vec<&str> = cards.iter().map(|c| c.short_name()).collect();
            list.dedup();
            list.join(" + ")
        }
        Err(_) => record.gpu.clone(),
    };
    let (measured, rounding) = match measured(names, &record) {
        Ok((value, rounding)) => (Some(value), rounding),
        Err(_) => (None, 0.0),
    };
    let outcome = if measured.is_none() {
        Err(format!("the value {} {} is no number in a known unit", record.value, record.unit))
    } else {
        predict::predict(ground, &record)
    };
    let fitted = names.is_fitted(&record.source, &record.metric);
    Judged { engine, gpu, measured, rounding, outcome, fitted, record, beside: Vec::new() }
}

/// The row's value in its base unit, and half of its last printed digit.
fn measured(names: &Names, record: &Record) -> Result<(f64, f64), String> {
    let plain = record.value.trim().trim_start_matches(['~', '≈']).replace(',', "");
    let value: f64 = plain.parse().map_err(|_| "no number".to_owned())?;
    if !value.is_finite() {
        return Err("no number".to_owned());
    }
    let decimals = plain.split('.').nth(1).map_or(0, str::len);
    let unit = record.unit.split([' ', '(']).next().unwrap_or_default().to_lowercase();
    let scale = match unit.as_str() {
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "gb" => names.reading(&record.source, &record.model).gb.unwrap_or(1024.0 * 1024.0 * 1024.0),
        "mib" | "mb" => 1024.0 * 1024.0,
        "kib" => 1024.0,
        _ => 1.0,
    };
    Ok((value * scale, 0.5 * libm::pow(10.0, -(decimals as f64)) * scale))
}
