//! The document: everything a rig file holds. It changes only through an [`edit::Edit`].

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::build::{Build, PlacementId, SlotId};
use crate::catalog::part::PartId;
use crate::units::Currency;
use crate::workload::Workload;
use economy::Economy;

pub mod air_settings;
pub mod economy;
pub mod edit;
pub mod file;
pub mod history;
pub mod piece_settings;
pub mod power_settings;
pub mod settle;
pub mod thresholds;
mod toml_text;
pub mod trial;

/// A rig with its jobs, its room and the user's own figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Project {
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    pub rig: Build,
    /// Other builds kept in the same file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variants: BTreeMap<String, Build>,
    /// In order of priority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<Workload>,
    pub room: Room,
    #[serde(default, skip_serializing_if = "PriceBook::is_empty")]
    pub prices: PriceBook,
    /// What is assumed of cost beyond prices.
    #[serde(default, skip_serializing_if = "Economy::is_default")]
    pub economy: Economy,
    /// The user's own notes on parts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub part_notes: BTreeMap<PartId, String>,
    /// Values that differ from the defaults in [`thresholds::ALL`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub thresholds: BTreeMap<String, f64>,
    /// The user's own efficiency factors, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calibration: BTreeMap<String, f64>,
    /// Findings the user lives with, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Accepted>,
    /// Changes of cooling that were tried on the real rig.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<trial::Trial>,
}

impl Default for Project {
    fn default() -> Self {
        Self {
            name: "New rig".to_owned(),
            notes: String::new(),
            rig: Build::default(),
            variants: BTreeMap::new(),
            workloads: Vec::new(),
            room: Room::default(),
            prices: PriceBook::default(),
            economy: Economy::default(),
            part_notes: BTreeMap::new(),
            thresholds: BTreeMap::new(),
            calibration: BTreeMap::new(),
            accepted: Vec::new(),
            trials: Vec::new(),
        }
    }
}

/// Where the rig stands and what its power costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Room {
    pub currency: Currency,
    /// In `currency` per kWh.
    pub tariff_per_kwh: f64,
    pub mains_v: f64,
    pub circuit_a: f64,
    /// Circuits among which the supplies are divided.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub circuits: u8,
    pub ambient_c: f64,
    /// Height above the sea, m: thinner air carries less heat.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub altitude_m: f64,
    /// Hours under load on an average day.
    pub hours_per_day: f64,
    pub life_years: f64,
}

impl Default for Room {
    /// A US household: 120 V on a 15 A circuit, and an even $0.17 per kWh (about the US residential average of 2025,
    /// <https://www.eia.gov/electricity/monthly/>). The user is asked once.
    fn default() -> Self {
        Self {
            currency: Currency::USD,
            tariff_per_kwh: 0.17,
            mains_v: 120.0,
            circuit_a: 15.0,
            circuits: 1,
            ambient_c: 22.0,
            altitude_m: 0.0,
            hours_per_day: 8.0,
            life_years: 3.0,
        }
    }
}

const fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(value: &u8) -> bool {
    *value == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// What the user knows about money: prices of parts and rates between currencies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceBook {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<PartId, UserPrice>,
    /// One unit of the named currency in the room's currency.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rates: BTreeMap<String, Rate>,
}

impl PriceBook {
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.rates.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPrice {
    pub amount: f64,
    pub currency: Currency,
    /// `YYYY-MM-DD`
    pub date: String,
    /// Who asked it; empty = the user typed it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shop: String,
}

impl UserPrice {
    /// A price that the user typed.
    pub fn new(amount: f64, currency: Currency, date: &str) -> Self {
        Self { amount, currency, date: date.to_owned(), shop: String::new() }
    }
}

/// An exchange rate with its day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub to: Currency,
    pub per_unit: f64,
    pub date: String,
}

/// What a finding or a selection can be about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    Placement(PlacementId),
    Slot(SlotId),
    Workload(String),
    Whole,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Placement(id) => write!(f, "{id}"),
            Self::Slot(slot) => write!(f, "{slot}"),
            Self::Workload(name) => write!(f, "workload {name}"),
            Self::Whole => write!(f, "rig"),
        }
    }
}

/// Names a finding whatever its wording: which rule, about what.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindingKey {
    pub rule: String,
    pub subjects: BTreeSet<Subject>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    pub finding: FindingKey,
    pub because: String,
}

/// What made a report: the same three versions and the same file give the same report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Versions {
    pub program: String,
    pub catalog: String,
    pub core: String,
}

/// Raised whenever a formula or constant of the analysis or a rule changes.
pub const CORE_VERSION: &str = "7";

impl Versions {
    /// Those of this program with this catalog.
    pub fn of(catalog: &crate::catalog::Catalog) -> Self {
        Self { program: env!("CARGO_PKG_VERSION").to_owned(), catalog: catalog.version().to_owned(), core: CORE_VERSION.to_owned() }
    }
}
