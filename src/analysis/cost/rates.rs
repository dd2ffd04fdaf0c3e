//! What the speed ledger offers to the cost of a result: the one place that knows the names of its metrics.

use crate::analysis::Facts;
use crate::analysis::speed::Speed;
use crate::workload::Workload;

/// A rate with its band, or the fact that is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What a rig does with a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    Generate,
    Prefill,
    Train,
}

impl Does {
    /// Metrics of the speed ledger that measure it, in tokens per second.
    const fn metrics(self) -> &'static [&'static str] {
        match self {
            Self::Generate => &["decode_tokens_per_s"],
            Self::Prefill => &["prefill_tokens_per_s"],
            Self::Train => &["train_tokens_per_s", "training_tokens_per_s"],
        }
    }
}

/// Tokens per second of the workload at `index`.
///
/// # Errors
/// The fact that is missing.
pub fn rate(facts: &Facts, index: usize, does: Does) -> Result<Rate, String> {
    speed_rate(&facts.speed, index, does)
}

/// The headline of the workload at `index`: what it generates, or trains where it trains; and its unit.
///
/// # Errors
/// The fact that is missing.
pub fn main(speeds: &[Speed], index: usize) -> Result<(Rate, &'static str), String> {
    let trains = |s: &&Speed| s.workload == index && Does::Train.metrics().contains(&s.metric);
    let does = if speeds.iter().any(|s| trains(&s)) { Does::Train } else { Does::Generate };
    let rate = speed_rate(speeds, index, does)?;
    let unit = speeds.iter().find(|s| s.workload == index && does.metrics().contains(&s.metric)).map_or("", |s| s.unit);
    Ok((rate, unit))
}

/// [`rate`] out of the speed ledger alone.
pub(super) fn speed_rate(speeds: &[Speed], index: usize, does: Does) -> Result<Rate, String> {
    let found = speeds.iter().find(|s| s.workload == index && does.metrics().contains(&s.metric));
    let Some(speed) = found else {
        let what = match does {
            Does::Generate => "generating",
            Does::Prefill => "reading prompts",
            Does::Train => "training",
        };
        return Err(format!("the speed of {what}, which this version does not compute for this workload"));
    };
    match speed.value.filter(|v| v.is_finite() && *v > 0.0) {
        Some(value) => Ok(Rate { value, low: speed.low.unwrap_or(value), high: speed.high.unwrap_or(value) }),
        None => Err(speed.missing.clone().unwrap_or_else(|| "memory: the model does not fit".to_owned())),
    }
}

/// Operations for one token: two for each parameter it touches, and four more where it trains (memory of the derivation in the usual
/// count of 2 forward and 4 backward, <https://arxiv.org/abs/2001.08361>).
pub fn flop_per_token(workload: &Workload) -> f64 {
    let passes = if workload.training.is_some() { 6.0 } else { 2.0 };
    passes * workload.model.active_params() as f64
}
