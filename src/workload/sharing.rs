//! Several jobs on one rig: when each runs, and what it asks of a card (G23).

use serde::{Deserialize, Serialize};

/// When a job runs and what it claims; by default always, and whole cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sharing {
    /// `None` = around the clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Hours>,
    /// `None` = its cards whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// Hours of a day, past midnight where they end after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hours {
    /// 0 to 24.
    pub from: f64,
    /// Above 0, at most 24.
    pub hours: f64,
}

/// Part of each of its cards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// GiB on each card; `None` = what the ledger says that it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
    /// Share of the card's time, above 0, at most 1.
    pub time: f64,
}

impl Sharing {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// # Errors
    /// Names the first field that holds no sensible value, and the range.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if let Some(h) = self.hours {
            if !(0.0..=24.0).contains(&h.from) {
                return Err(("hours.from", "0 to 24".to_owned()));
            }
            if !(h.hours > 0.0 && h.hours <= 24.0) {
                return Err(("hours.hours", "above 0, at most 24".to_owned()));
            }
        }
        if let Some(p) = self.part {
            if p.memory_gib.is_some_and(|m| !(m > 0.0 && m <= 4096.0)) {
                return Err(("part.memory_gib", "above 0, at most 4,096".to_owned()));
            }
            if !(p.time > 0.0 && p.time <= 1.0) {
                return Err(("part.time", "above 0, at most 1".to_owned()));
            }
        }
        Ok(())
    }

    /// Whether it runs at an hour of the day, 0 to 24.
    pub fn runs_at(&self, hour: f64) -> bool {
        self.hours.is_none_or(|h| (hour - h.from).rem_euclid(24.0) < h.hours)
    }

    /// Hour at which it starts.
    pub fn start(&self) -> f64 {
        self.hours.map_or(0.0, |h| h.from.rem_euclid(24.0))
    }

    /// Hours a day.
    pub fn hours_a_day(&self) -> f64 {
        self.hours.map_or(24.0, |h| h.hours)
    }

    /// Share of a card's time while it runs.
    pub fn time(&self) -> f64 {
        self.part.map_or(1.0, |p| p.time)
    }
}
