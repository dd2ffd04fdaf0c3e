//! An amount of bytes with its band.

/// An amount of bytes with the ends of what is plausible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Band {
    pub low: u64,
    pub value: u64,
    pub high: u64,
}

impl Band {
    /// Without uncertainty.
    pub const fn exact(value: u64) -> Self {
        Self { low: value, value, high: value }
    }
    pub fn of(low: f64, value: f64, high: f64) -> Self {
        Self { low: low.round() as u64, value: value.round() as u64, high: high.round() as u64 }
    }
    /// `share` (0..1) to both sides.
    pub fn within(value: u64, share: f64) -> Self {
        Self { low: (value as f64 * (1.0 - share)) as u64, value, high: (value as f64 * (1.0 + share)).ceil() as u64 }
    }
    /// Each end by a function that keeps their order.
    pub fn map(self, f: impl Fn(u64) -> u64) -> Self {
        Self { low: f(self.low), value: f(self.value), high: f(self.high) }
    }
}

impl std::ops::Add for Band {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let sum = u64::saturating_add;
        Self { low: sum(self.low, o.low), value: sum(self.value, o.value), high: sum(self.high, o.high) }
    }
}

impl std::iter::Sum for Band {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |a, b| a + b)
    }
}
