//! Quantities that must not be mixed up, and the only place that turns quantities into text.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of memory, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    pub const GIB: u64 = 1 << 30;

    /// From a maker's "24 GB" of graphics or main memory, which are binary gigabytes.
    pub fn from_gib(gib: f64) -> Self {
        Self((gib * Self::GIB as f64).round().max(0.0) as u64)
    }
    pub fn gib(self) -> f64 {
        self.0 as f64 / Self::GIB as f64
    }
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self(0), Add::add)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gib = self.gib();
        if gib >= 100.0 {
            write!(f, "{gib:.0} GiB")
        } else if gib >= 1.0 {
            write!(f, "{gib:.1} GiB")
        } else {
            write!(f, "{:.0} MiB", gib * 1024.0)
        }
    }
}

/// An ISO 4217 currency code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    pub const USD: Self = Self(*b"USD");
    pub const EUR: Self = Self(*b"EUR");

    /// `None` unless the text is three ASCII letters.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 3] = text.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_alphabetic).then(|| Self(bytes.map(|b| b.to_ascii_uppercase())))
    }
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("???")
    }
    /// "$", "€" … or the code and a space.
    pub fn symbol(&self) -> String {
        match &self.0 {
            b"USD" => "$".into(),
            b"EUR" => "€".into(),
            b"GBP" => "£".into(),
            b"JPY" | b"CNY" => "¥".into(),
            _ => format!("{} ", self.code()),
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("\"{text}\" is no currency code such as USD")))
    }
}

impl JsonSchema for Currency {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Currency".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-Za-z]{3}$" })
    }
}

/// An exact sum of money in one currency; two currencies are never added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    /// Hundredths of the currency's unit.
    pub cents: i64,
    pub currency: Currency,
}

impl Money {
    pub fn new(amount: f64, currency: Currency) -> Self {
        Self { cents: (amount * 100.0).round() as i64, currency }
    }
    pub fn zero(currency: Currency) -> Self {
        Self { cents: 0, currency }
    }
    pub fn amount(self) -> f64 {
        self.cents as f64 / 100.0
    }
    /// The price of `pieces` equal things.
    pub fn times(self, pieces: usize) -> Self {
        Self { cents: self.cents.saturating_mul(i64::try_from(pieces).unwrap_or(i64::MAX)), currency: self.currency }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = self.amount();
        let sign = if amount < 0.0 { "-" } else { "" };
        let digits = if self.cents % 100 == 0 || amount.abs() >= 1000.0 { 0 } else { 2 };
        write!(f, "{sign}{}{}", self.currency.symbol(), thousands(amount.abs(), digits))
    }
}

/// `1234567.8` with two decimals becomes "1,234,567.80".
pub fn thousands(value: f64, decimals: usize) -> String {
    let text = fixed(value.abs(), decimals);
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(w, r)| (w, Some(r)));
    let mut out = String::with_capacity(text.len() + text.len() / 3);
    if value < 0.0 && text.chars().any(|c| c.is_ascii_digit() && c != '0') {
        out.push('-');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(rest) = rest {
        out.push('.');
        out.push_str(rest);
    }
    out
}

/// A number without a fraction. Such numbers are frequent, and writing them as integers is several times faster.
fn integer(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}

fn fixed(value: f64, decimals: usize) -> String {
    match integer(value) {
        Some(whole) if decimals == 0 => whole.to_string(),
        _ => format!("{value:.decimals$}"),
    }
}

/// Millimetres: "267 mm", "2.5 mm".
pub fn mm(value: f64) -> String {
    format!("{} mm", plain(value, 1))
}

/// Watts: "1,240 W".
pub fn watts(value: f64) -> String {
    format!("{} W", thousands(value, 0))
}

/// Rounded, with its sign, and never "-0": "+0.4", "-1.2", "0".
pub fn signed(value: f64, decimals: usize) -> String {
    match plain(value, decimals) {
        text if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') => "0".to_owned(),
        text if value > 0.0 => format!("+{text}"),
        text => text,
    }
}

/// Air in m³/s as fans are sold: "42 CFM", "3.5 CFM".
pub fn cfm(m3_s: f64) -> String {
    let value = m3_s / 4.719_474e-4;
    format!("{} CFM", plain(value, usize::from(value.abs() < 9.95)))
}

/// Air in m³/s as "71 m³/h".
pub fn m3_h(m3_s: f64) -> String {
    format!("{} m³/h", thousands(m3_s * 3600.0, 0))
}

/// Parameters: "8.03 B", "271 M".
pub fn parameters(count: u64) -> String {
    let n = count as f64;
    if n >= 1e12 {
        format!("{:.2} T", n / 1e12)
    } else if n >= 1e11 {
        format!("{:.0} B", n / 1e9)
    } else if n >= 1e10 {
        format!("{:.1} B", n / 1e9)
    } else if n >= 1e9 {
        format!("{:.2} B", n / 1e9)
    } else {
        format!("{:.0} M", n / 1e6)
    }
}

/// "1 sequence", "4 sequences".
pub fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// At most `decimals` digits, without trailing zeros.
pub fn plain(value: f64, decimals: usize) -> String {
    if let Some(whole) = integer(value) {
        return whole.to_string();
    }
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_well() {
        assert_eq!(thousands(1_234_567.8, 2), "1,234,567.80");
        assert_eq!(thousands(999.0, 0), "999");
        assert_eq!(thousands(-0.2, 0), "0");
        assert_eq!(Money::new(1499.0, Currency::USD).to_string(), "$1,499");
        assert_eq!(Money::new(0.41, Currency::EUR).to_string(), "€0.41");
        assert_eq!(Bytes::from_gib(24.0).to_string(), "24.0 GiB");
        assert_eq!(parameters(8_030_261_248), "8.03 B");
        assert_eq!(plain(2.50, 2), "2.5");
        assert_eq!((cfm(0.02).as_str(), cfm(0.001).as_str(), m3_h(0.02).as_str()), ("42 CFM", "2.1 CFM", "72 m³/h"));
        assert_eq!((signed(0.4, 1).as_str(), signed(-1.24, 1).as_str(), signed(-0.001, 2).as_str()), ("+0.4", "-1.2", "0"));
    }

    #[test]
    fn a_currency_is_three_letters() {
        assert_eq!(Currency::parse("usd"), Some(Currency::USD));
        assert_eq!(Currency::parse("US"), None);
        assert_eq!(Currency::parse("U$D"), None);
    }
}
