//! Air and heat: how hot each card gets, what clock and work that leaves, and how sure the numbers are.
//!
//! A scene of the rig ([`rig`]) is cut into a network of quadratic flow resistors ([`net`]): some thirty zones on every edit, a grid on the
//! worker. Fans and grilles are elements on it, each cooler a branch, heat goes with the same flows ([`solve`]). Then a card's fan, power
//! limit and temperature limit settle its power, and measured sweeps tell the work at that power ([`work`]). `docs/airflow.md` has the
//! equations, what was measured, and the comparison of solvers.

use std::sync::Arc;

use crate::analysis::power::Power;
use crate::analysis::space::Space;
use crate::analysis::{Effort, Origin};
use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::vocab::Edge;
use crate::project::Project;

pub mod arr;
pub mod band;
pub mod cards;
pub mod chassis;
pub mod coolers;
pub mod field;
pub mod krylov;
pub mod measured;
pub mod net;
pub mod network;
pub mod noise;
mod outcome;
pub mod rig;
pub mod sampling;
pub mod scene;
pub mod solve;
pub mod work;

pub use outcome::{solved, with_readings};

/// Loss of the gap between cards on the gap's velocity: entry and turn. Fitted on the pairs that the accuracy page lists.
pub const K_GAP: f64 = 3.0;
/// Heat through each side panel: free convection and radiation of a painted sheet, W/m²K.
pub const WALL: f64 = 3.0;
/// Free share of the depth beside a card: a card of 130 to 140 mm in a case 200 mm deep.
pub const CORRIDOR: f64 = 0.30;
/// Cell of the grid for numbers, m: half a slot's pitch.
pub const CELL: f64 = 0.010_16;
/// Cell of the grid for pictures, m.
pub const PICTURE_CELL: f64 = 0.005_08;

/// Which cut of the case gave the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Some thirty zones: an estimate within 3 K of the grid.
    Zones,
    Grid,
}

/// What a card's cooler is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoolerBasis {
    /// The user's own reading of this card.
    Reading,
    /// A published reading of the product.
    Measured,
    /// The class of cooler.
    Class,
}

impl CoolerBasis {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Reading => "your reading",
            Self::Measured => "measured card",
            Self::Class => "class of cooler",
        }
    }
}

/// A temperature with its band in which it lies four times of five, °C.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Degrees {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What holds a card's power down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing but its power limit.
    Free,
    Die,
    Memory,
}

/// One card under full load in the steady state, which takes five to ten minutes to reach.
#[derive(Clone, Debug, PartialEq)]
pub struct CardAir {
    pub placement: PlacementId,
    pub slot: Option<SlotId>,
    /// `None` where a fact is missing.
    pub state: Option<CardState>,
    /// The fact that is missing: part and field.
    pub missing: Option<(String, String)>,
    pub basis: CoolerBasis,
    /// Nearest measured row, as a sentence.
    pub nearest: Option<String>,
    pub origin: Origin,
}

/// Numbers of a card.
#[derive(Clone, Debug, PartialEq)]
pub struct CardState {
    pub die: Degrees,
    pub memory_c: Option<f64>,
    pub memory_limit_c: Option<f64>,
    pub limit_c: f64,
    /// What it draws in the long run, what it may draw, and what its board is rated for, W.
    pub power_w: f64,
    pub allowed_w: f64,
    pub rated_w: f64,
    /// Share of full speed; `None` for a card without a fan.
    pub fan: Option<f64>,
    /// Clock over the clock at rated power.
    pub clock: f64,
    /// Work lost to heat by [`work::Class`], share of the work at the allowed power; and its 80 % band.
    pub lost: [f64; 3],
    pub lost_high: [f64; 3],
    /// Work over the work at rated power, by class.
    pub work: [f64; 3],
    pub held: Held,
    /// Rise of the air it breathes over the room, K, and the air through it, m³/s.
    pub intake_k: f64,
    pub flow: f64,
    /// Free air below it, mm.
    pub gap_mm: f64,
    /// Flow over the flow with nothing below it at the same speed.
    pub gap_share: f64,
    /// What the gap costs, beside the same card with nothing below it that breathes the same air: K, and the share of compute-bound work.
    pub gap_k: f64,
    pub gap_lost: f64,
    /// Shares of its heat that leave the case at once, and that other cards breathe in again; the second by the worker only.
    pub straight_out: f64,
    pub to_neighbours: Option<f64>,
}

/// One fan of the case.
#[derive(Clone, Debug, PartialEq)]
pub struct FanAir {
    pub placement: PlacementId,
    pub edge: Edge,
    pub inward: bool,
    /// Into the case, m³/s; below 0 for one that blows out.
    pub flow: f64,
    pub speed: f64,
    pub noise_dba: f64,
}

/// The case as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseAir {
    /// Mean pressure over the room, Pa.
    pub pressure_pa: f64,
    /// Air that passes, m³/s.
    pub through: f64,
    pub noise_dba: Option<f64>,
    pub loudest: Option<String>,
    pub mass_residual: f64,
    pub energy_residual: f64,
    pub converged: bool,
    /// Cards' die temperatures with all fans slowed to 40 dB(A) together, by card; by the worker only.
    pub quiet_c: Option<Vec<(PlacementId, f64)>>,
}

/// The whole ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Airflow {
    pub cut: Cut,
    /// Top to bottom, then those without a place in the side view.
    pub cards: Vec<CardAir>,
    pub fans: Vec<FanAir>,
    pub case: CaseAir,
    /// The flow itself, for pictures.
    pub field: Arc<field::Field>,
    /// What stands in for facts the catalog lacks, as sentences.
    pub assumed: Vec<String>,
}

impl Airflow {
    pub fn card(&self, id: PlacementId) -> Option<&CardAir> {
        self.cards.iter().find(|c| c.placement == id)
    }
    /// Work lost by all cards together, share, by class; `None` without a judged card.
    pub fn lost(&self, class: work::Class) -> Option<f64> {
        let all: Vec<f64> = self.cards.iter().filter_map(|c| c.state.as_ref()?.lost.get(class as usize).copied()).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }
}

/// What a reading of a placed card says of its cooler, with the rig as it is: a factor on its resistance. `None` if the card is not judged.
pub fn reading_factor(catalog: &Catalog, project: &Project, card: PlacementId, reading: (f64, f64, Option<f64>)) -> Option<f64> {
    let space = crate::analysis::space::space(catalog, &project.rig);
    let rig = rig::scene(catalog, project, &space, &crate::analysis::power::power(catalog, project));
    outcome::reading_factor(&rig, card, reading)
}

/// The flow of a rig on the finer grid for pictures, with the ledger's numbers at its openings; some tenths of a second.
pub fn picture(catalog: &Catalog, project: &Project, of: &Airflow) -> field::Field {
    let space = crate::analysis::space::space(catalog, &project.rig);
    let rig = with_readings(rig::scene(catalog, project, &space, &crate::analysis::power::power(catalog, project)));
    outcome::picture(&rig, &of.field)
}

/// The ledger of a rig: zones for [`Effort::Live`], the grid and the slower figures for [`Effort::Full`].
pub fn airflow(catalog: &Catalog, project: &Project, space: &Space, power: &Power, effort: Effort) -> Airflow {
    let rig = rig::scene(catalog, project, space, power);
    outcome::outcome(&rig, effort)
}
