//! What can be computed about a rig: numbers with their origin, no judgement. Each stage is a pure function; this file only orders them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::project::Project;

pub mod airflow;
pub mod cost;
pub mod evals;
pub mod lanes;
pub mod memory;
pub mod power;
pub mod space;
pub mod speed;

/// How much time an analysis may take. Same function, same type, better numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Closed forms, well under a frame: on every edit and on every drag hover.
    Live,
    /// Also sweeps and the stakes of every finding: on the worker.
    Full,
}

/// How a number came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Counted; no uncertainty.
    Exact,
    /// Follows from facts by arithmetic.
    Derived,
    /// From a constant fitted to measurements.
    Fitted,
    /// A rule of thumb.
    Assumed,
}

impl Basis {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Derived => "derived",
            Self::Fitted => "fitted to measurements",
            Self::Assumed => "assumed",
        }
    }
}

/// How a number was made, for the hover text: the formula with the numbers filled in, and where its constants come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    pub formula: String,
    pub source: Cow<'static, str>,
    pub basis: Basis,
}

impl Origin {
    pub fn new(basis: Basis, formula: impl Into<String>, source: impl Into<Cow<'static, str>>) -> Self {
        Self { formula: formula.into(), source: source.into(), basis }
    }
}

/// Everything computed about one rig.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub space: space::Space,
    pub lanes: lanes::Lanes,
    pub power: power::Power,
    /// Air, temperatures and the work that heat costs.
    pub airflow: airflow::Airflow,
    /// One ledger per workload and card it uses.
    pub memory: Vec<memory::CardLedger>,
    /// Main memory of each workload, in their order.
    pub host: Vec<memory::HostLedger>,
    /// What each workload reaches.
    pub speed: Vec<speed::Speed>,
    /// What breaks first as the work grows, by workload.
    pub limits: Vec<speed::breaks::Limit>,
    /// Who runs when on which card.
    pub day: speed::share::Day,
    pub cost: cost::Cost,
}

/// Runs all stages, heat beside memory: the two longest need nothing of each other.
pub fn facts(catalog: &Catalog, project: &Project, effort: Effort) -> Facts {
    let ((space, power, airflow), (lanes, (memory, host))) = rayon::join(
        || {
            let space = space::space(catalog, &project.rig);
            let power = power::power(catalog, project);
            let airflow = airflow::airflow(catalog, project, &space, &power, effort);
            (space, power, airflow)
        },
        || (lanes::lanes(catalog, project), memory::ledgers(catalog, project)),
    );
    let ledgers = speed::Ledgers { memory: &memory, lanes: &lanes, airflow: &airflow, power: &power };
    let speed = speed::speeds(catalog, project, ledgers, effort);
    let limits = speed::breaks::limits(catalog, project, ledgers, &speed);
    let day = speed::share::day(project, &memory);
    let cost = cost::cost(catalog, project, &power, &memory, &speed);
    Facts { space, lanes, power, airflow, memory, host, speed, limits, day, cost }
}
