//! The airflow ledger in the JSON report.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{known, rounded};
use crate::analysis::airflow::work::Class;
use crate::analysis::airflow::{Airflow, CardAir, Cut, Held};

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonAirflow {
    /// Top to bottom.
    pub cards: Vec<JsonCardAir>,
    pub fans: Vec<JsonFanAir>,
    pub case: JsonCaseAir,
    /// What stands in for facts that the catalog lacks.
    pub assumed: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonCardAir {
    /// Id of the placed part.
    pub placement: String,
    pub slot: Option<String>,
    /// Temperature of the die, and the band in which it lies four times of five.
    pub die_c: Option<f64>,
    pub low_c: Option<f64>,
    pub high_c: Option<f64>,
    pub limit_c: Option<f64>,
    /// Null: nothing is known of this card's memory.
    pub memory_c: Option<f64>,
    /// What it draws in the long run, held down by its limits.
    pub power_w: Option<f64>,
    /// Null: it has no fan of its own.
    pub fan_pct: Option<f64>,
    /// Of the clock at rated power.
    pub clock_pct: Option<f64>,
    /// Work lost to heat by class of workload: "compute-bound", "balanced", "memory-bound".
    pub work_lost_pct: BTreeMap<String, f64>,
    /// What holds the power down: "nothing", "die", "memory"; null: unknown.
    pub held_by: Option<String>,
    /// Warming of the air it breathes.
    pub intake_rise_k: Option<f64>,
    pub gap_mm: Option<f64>,
    /// What the cooler is known by and how the case was cut: "measured card, grid".
    pub quality: String,
    /// Nearest published reading.
    pub nearest: Option<String>,
    /// The fact that is missing where the numbers are null.
    pub missing: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonFanAir {
    pub placement: String,
    pub edge: String,
    /// "in", "out"
    pub direction: String,
    /// Into the case; below 0 for air that leaves.
    pub flow_m3h: f64,
    pub speed_pct: f64,
    pub noise_dba: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonCaseAir {
    /// Over the room; below 0 the case draws air through its gaps.
    pub pressure_pa: f64,
    pub through_flow_m3h: f64,
    /// Null: nothing turns.
    pub noise_dba: Option<f64>,
    pub loudest: Option<String>,
    /// False: the solution did not settle, and the numbers are its last state.
    pub converged: bool,
    pub residuals: JsonResiduals,
    /// Die temperatures by placed card with all fans slowed or sped up to 40 dB(A) together.
    pub die_at_40_dba: BTreeMap<String, f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonResiduals {
    /// Worst cell over the through-flow.
    pub mass: f64,
    /// Over all heat.
    pub energy: f64,
}

const PER_HOUR: f64 = 3600.0;

pub(super) fn airflow(air: &Airflow) -> JsonAirflow {
    let case = &air.case;
    JsonAirflow {
        cards: air.cards.iter().map(|c| card(c, air.cut)).collect(),
        fans: air
            .fans
            .iter()
            .map(|f| JsonFanAir {
                placement: f.placement.to_string(),
                edge: f.edge.to_string(),
                direction: if f.inward { "in" } else { "out" }.to_owned(),
                flow_m3h: rounded(f.flow * PER_HOUR),
                speed_pct: rounded(f.speed * 100.0),
                noise_dba: rounded(f.noise_dba),
            })
            .collect(),
        case: JsonCaseAir {
            pressure_pa: rounded(case.pressure_pa),
            through_flow_m3h: rounded(case.through * PER_HOUR),
            noise_dba: known(case.noise_dba),
            loudest: case.loudest.clone(),
            converged: case.converged,
            residuals: JsonResiduals { mass: rounded(case.mass_residual), energy: rounded(case.energy_residual) },
            die_at_40_dba: case.quiet_c.iter().flatten().map(|(id, t)| (id.to_string(), rounded(*t))).collect(),
        },
        assumed: air.assumed.clone(),
    }
}

fn card(card: &CardAir, cut: Cut) -> JsonCardAir {
    let s = card.state.as_ref();
    let lost = s.map(|s| Class::ALL.iter().zip(s.lost).map(|(c, v)| (c.text().to_owned(), rounded(v * 100.0))).collect());
    JsonCardAir {
        placement: card.placement.to_string(),
        slot: card.slot.as_ref().map(ToString::to_string),
        die_c: known(s.map(|s| s.die.value)),
        low_c: known(s.map(|s| s.die.low)),
        high_c: known(s.map(|s| s.die.high)),
        limit_c: known(s.map(|s| s.limit_c)),
        memory_c: known(s.and_then(|s| s.memory_c)),
        power_w: known(s.map(|s| s.power_w)),
        fan_pct: known(s.and_then(|s| s.fan).map(|f| f * 100.0)),
        clock_pct: known(s.map(|s| s.clock * 100.0)),
        work_lost_pct: lost.unwrap_or_default(),
        held_by: s.map(|s| {
            match s.held {
                Held::Free => "nothing",
                Held::Die => "die",
                Held::Memory => "memory",
            }
            .to_owned()
        }),
        intake_rise_k: known(s.map(|s| s.intake_k)),
        gap_mm: known(s.map(|s| s.gap_mm)),
        quality: format!(
            "{}, {}",
            card.basis.text(),
            match cut {
                Cut::Zones => "zones",
                Cut::Grid => "grid",
            }
        ),
        nearest: card.nearest.clone(),
        missing: card.missing.as_ref().map(|(part, field)| format!("{part}: {field}")),
    }
}
