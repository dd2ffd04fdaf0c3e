//! A change of cooling that the user tried on the real rig: what was said before, and the readings before and after.

use serde::{Deserialize, Serialize};

/// What the hottest card read under full load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    pub celsius: f64,
    pub watts: f64,
}

/// One change with its two readings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// "Turn the front fan around".
    pub change: String,
    /// By how much the hottest card was said to get cooler, K, and the 80 % band of that.
    pub said_k: f64,
    pub low_k: f64,
    pub high_k: f64,
    pub before: Reading,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Reading>,
}

/// What came of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// By how much the card got cooler at the power of the second reading, K.
    pub measured_k: f64,
    pub in_band: bool,
}

/// Readings are good to this, K: the sensor's whole degrees, before and after.
const READING_K: f64 = 1.0;

impl Trial {
    /// Compares what was read with what was said; the rise over the room goes with the power. `None` until the second reading is there.
    pub fn outcome(&self, room_c: f64) -> Option<Outcome> {
        let after = self.after?;
        let at_same_power = room_c + (self.before.celsius - room_c) * after.watts / self.before.watts;
        let measured_k = at_same_power - after.celsius;
        Some(Outcome { measured_k, in_band: (self.low_k - READING_K..=self.high_k + READING_K).contains(&measured_k) })
    }

    /// What is wrong with its numbers.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        for reading in [Some(self.before), self.after].into_iter().flatten() {
            if !reading.celsius.is_finite() || !(0.0..=150.0).contains(&reading.celsius) {
                return Some(("celsius", format!("{} is no temperature from 0 to 150 °C", reading.celsius)));
            }
            if !reading.watts.is_finite() || !(1.0..=2000.0).contains(&reading.watts) {
                return Some(("watts", format!("{} is no power from 1 to 2000 W", reading.watts)));
            }
        }
        let said = [self.said_k, self.low_k, self.high_k];
        said.iter().any(|k| !k.is_finite() || k.abs() > 200.0).then(|| ("said_k", "is no difference of temperatures".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_compared_at_the_same_power() {
        let before = Reading { celsius: 80.0, watts: 300.0 };
        let mut trial = Trial { change: String::new(), said_k: 8.0, low_k: 5.0, high_k: 11.0, before, after: None };
        assert_eq!(trial.outcome(20.0), None);
        trial.after = Some(Reading { celsius: 78.0, watts: 330.0 });
        let found = trial.outcome(20.0).unwrap();
        assert!((found.measured_k - 8.0).abs() < 1e-9 && found.in_band, "{found:?}");
        trial.after = Some(Reading { celsius: 80.0, watts: 300.0 });
        assert!(!trial.outcome(20.0).unwrap().in_band);
        trial.after = Some(Reading { celsius: f64::NAN, watts: 300.0 });
        assert!(trial.fault().is_some());
    }
}
