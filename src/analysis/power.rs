//! Electrical power: draw by part, what the supply gives, what the wall sees.

use crate::analysis::Origin;
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::project::Project;

/// Draw of one placed part; `None` = unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    pub placement: PlacementId,
    pub typical_w: Option<f64>,
    pub limit_w: Option<f64>,
    pub origin: Origin,
}

/// The power ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Power {
    pub parts: Vec<Draw>,
    /// Sum of known typical draws.
    pub typical_w: f64,
    /// Sum of known limits.
    pub limit_w: f64,
    /// CPU and cards alone, typical: what the guide's rule multiplies.
    pub cpu_gpu_w: f64,
    /// `cpu_gpu_w` times the margin threshold (G15).
    pub with_margin_w: f64,
    /// Parts whose draw is unknown.
    pub unknown: Vec<PlacementId>,
    /// Sum of the supplies' ratings; `None` without a supply or with an unknown one.
    pub supply_w: Option<f64>,
    /// Share of the supply that the typical draw takes, 0..
    pub load: Option<f64>,
    /// Supply efficiency at that load, 0..1, and the draw from the wall.
    pub efficiency: Option<f64>,
    pub wall_w: Option<f64>,
    pub wall_origin: Origin,
    /// What the room's circuit carries for long.
    pub circuit_w: f64,
}

/// Computes the power ledger.
pub fn power(catalog: &Catalog, project: &Project) -> Power {
    let _ = catalog;
    Power {
        parts: Vec::new(),
        typical_w: 0.0,
        limit_w: 0.0,
        cpu_gpu_w: 0.0,
        with_margin_w: 0.0,
        unknown: Vec::new(),
        supply_w: None,
        load: None,
        efficiency: None,
        wall_w: None,
        wall_origin: Origin::new(crate::analysis::Basis::Assumed, "", ""),
        circuit_w: project.room.mains_v * project.room.circuit_a,
    }
}
