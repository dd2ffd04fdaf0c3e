//! Loudness: levels add as powers, and fall with fifty times the logarithm of the speed.

/// A source at one metre.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub name: String,
    /// At full speed, dB(A).
    pub full_dba: f64,
    /// Share of full speed.
    pub speed: f64,
}

/// Textbook exponent; pairs of speeds on makers' sheets give 45 to 56.
const PER_DECADE: f64 = 50.0;
/// No sheet states less, and no room is as quiet, dB(A).
const FLOOR: f64 = 8.0;

impl Source {
    pub fn level(&self) -> f64 {
        (self.full_dba + PER_DECADE * libm::log10(self.speed.max(1e-3))).max(FLOOR)
    }
}

/// Level of all sources together, dB(A); `None` without a source.
pub fn total(sources: &[Source]) -> Option<f64> {
    let power: f64 = sources.iter().filter(|s| s.speed > 0.0).map(|s| libm::pow(10.0, s.level() / 10.0)).sum();
    (power > 0.0).then(|| 10.0 * libm::log10(power))
}

/// The loudest one.
pub fn loudest(sources: &[Source]) -> Option<&Source> {
    sources.iter().filter(|s| s.speed > 0.0).max_by(|a, b| a.level().total_cmp(&b.level()))
}
