//! How fast a workload runs. In this version decode only, as a memory-bandwidth roofline.

use crate::analysis::memory::CardLedger;
use crate::analysis::{Effort, Origin};
use crate::catalog::Catalog;
use crate::project::Project;

/// What bounds a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    MemoryBandwidth,
    /// The model does not fit, so it does not run.
    MemorySize,
}

/// Speed of one workload; `None` = unknown, with the missing fact named.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    pub workload: usize,
    pub workload_name: String,
    /// "decode_tokens_per_s": all sequences together.
    pub metric: &'static str,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: &'static str,
    pub bound: Bound,
    /// The fact that is missing when `value` is `None`.
    pub missing: Option<String>,
    pub origin: Origin,
    /// Speed over context, for the chart: (tokens, tokens/s, fits).
    pub over_context: Vec<CurvePoint>,
    /// Speed over batch at the workload's context.
    pub over_batch: Vec<CurvePoint>,
}

/// One point of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    pub x: f64,
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// Whether the memory of all cards suffices there.
    pub fits: bool,
}

/// Speed of every workload.
pub fn speeds(catalog: &Catalog, project: &Project, memory: &[CardLedger], effort: Effort) -> Vec<Speed> {
    let _ = (catalog, project, memory, effort);
    Vec::new()
}
