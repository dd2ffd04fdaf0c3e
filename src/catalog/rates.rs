//! Exchange rates that ship with the program (`catalogs/rates.toml`): used to convert prices until the user sets a rate of their own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::part::Source;
use crate::units::Currency;

/// What one unit of a currency was worth in US dollars on a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DollarRate {
    pub usd: f64,
    /// `YYYY-MM-DD`
    pub date: String,
    /// Key into [`Rates::sources`].
    pub source: String,
}

/// Rates by currency code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    #[serde(default)]
    pub sources: BTreeMap<String, Source>,
    #[serde(default)]
    pub rates: BTreeMap<String, DollarRate>,
}

impl Rates {
    /// Units of `to` for one unit of `from`, and the older of the two days. `None` where a rate is missing.
    pub fn between(&self, from: Currency, to: Currency) -> Option<(f64, &str)> {
        let (from, to) = (self.dollars(from)?, self.dollars(to)?);
        let day = match (from.1, to.1) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b).unwrap_or_default(),
        };
        Some((from.0 / to.0, day))
    }

    fn dollars(&self, currency: Currency) -> Option<(f64, Option<&str>)> {
        if currency == Currency::USD {
            return Some((1.0, None));
        }
        let rate = self.rates.get(currency.code()).filter(|r| r.usd.is_finite() && r.usd > 0.0)?;
        Some((rate.usd, Some(&rate.date)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_go_through_the_dollar_and_say_how_old_they_are() {
        let text = "[rates.EUR]\nusd = 1.2\ndate = \"2026-02-01\"\nsource = \"s\"\n[rates.GBP]\nusd = 1.5\ndate = \"2026-01-01\"\nsource = \"s\"\n";
        let rates: Rates = toml::from_str(text).unwrap();
        let euro = Currency::EUR;
        let pound = Currency::parse("GBP").unwrap();
        assert_eq!(rates.between(euro, Currency::USD), Some((1.2, "2026-02-01")));
        let (to_euro, day) = rates.between(pound, euro).unwrap();
        assert!((to_euro - 1.25).abs() < 1e-12);
        assert_eq!(day, "2026-01-01");
        assert_eq!(rates.between(Currency::parse("TWD").unwrap(), euro), None);
    }
}
