//! One record: values read out of its JSON with the rules that hold for every kind, and what was changed on the way.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::catalog::load::limits::out_of_range;

/// Why a value was not taken as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// 0 stands for "unknown" where no such part can have 0.
    Zero,
    /// No such part can have this value.
    Implausible,
    /// The value is in another unit or means another thing than the field says.
    OtherMeaning,
    /// Two values of the record contradict each other.
    Contradiction,
    /// A list repeats its entries.
    Repeated,
    /// A PCIe generation above what any processor or chipset of the socket has.
    SocketCap,
    /// The name says it, and the field says something else or nothing.
    Name,
    /// The program's catalog knows the product, of which there is one model.
    Product,
    /// Taken, but unusual.
    Unusual,
}

impl Rule {
    /// Every rule, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::Zero,
        Self::Implausible,
        Self::OtherMeaning,
        Self::Contradiction,
        Self::Repeated,
        Self::SocketCap,
        Self::Name,
        Self::Product,
        Self::Unusual,
    ];

    /// Name in JSON and in keys of sources.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Implausible => "implausible",
            Self::OtherMeaning => "other_meaning",
            Self::Contradiction => "contradiction",
            Self::Repeated => "repeated",
            Self::SocketCap => "socket_cap",
            Self::Name => "name",
            Self::Product => "product",
            Self::Unusual => "unusual",
        }
    }

    /// What the rule is, for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Zero => "0 or \"no\" stands for unknown",
            Self::Implausible => "no such part can have this value",
            Self::OtherMeaning => "the value has another unit or meaning",
            Self::Contradiction => "two values contradict each other",
            Self::Repeated => "the list repeats its entries",
            Self::SocketCap => "PCIe generation above that of the socket",
            Self::Name => "the name of the part says it",
            Self::Product => "the program's catalog knows the product",
            Self::Unusual => "unusual, taken with less confidence",
        }
    }
}

/// One value that was set aside, replaced or doubted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Field of the part.
    pub field: String,
    pub rule: Rule,
    /// As the record has it; `None` where it has nothing.
    pub was: Option<String>,
    /// What the part has; `None` = unknown.
    pub now: Option<String>,
    pub why: String,
}

/// A record while a part is made of it.
#[derive(Debug)]
pub(super) struct Record<'a> {
    /// Kind of part, as in [`crate::catalog::kinds::KINDS`].
    pub kind: &'static str,
    json: &'a Map<String, Value>,
    /// Cleaned: without signs and runs of blanks.
    pub name: String,
    pub changes: Vec<Change>,
}

impl<'a> Record<'a> {
    pub fn new(kind: &'static str, json: &'a Map<String, Value>, name: String) -> Self {
        Self { kind, json, name, changes: Vec::new() }
    }

    /// The value at a path of keys; `null` counts as absent.
    pub fn get(&self, path: &[&str]) -> Option<&'a Value> {
        let (first, rest) = path.split_first()?;
        let mut value = self.json.get(*first)?;
        for key in rest {
            value = value.get(key)?;
        }
        (!value.is_null()).then_some(value)
    }

    pub fn text(&self, path: &[&str]) -> Option<&'a str> {
        self.get(path)?.as_str().map(str::trim).filter(|t| !t.is_empty())
    }

    /// A number as the record has it, 0 included.
    pub fn raw(&self, path: &[&str]) -> Option<f64> {
        self.get(path)?.as_f64().filter(|n| n.is_finite())
    }

    pub fn list(&self, path: &[&str]) -> &'a [Value] {
        self.get(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// `true` is a fact; `false` often stands for unknown and is none.
    pub fn yes(&self, path: &[&str]) -> Option<bool> {
        self.get(path)?.as_bool().filter(|b| *b)
    }

    /// A number above 0 that `field` can have; else unknown, and said so.
    pub fn number(&mut self, path: &[&str], field: &str) -> Option<f64> {
        let value = self.get(path)?;
        let Some(number) = value.as_f64().filter(|n| n.is_finite()) else {
            self.drop(field, Rule::OtherMeaning, value, "it is no number");
            return None;
        };
        if number == 0.0 {
            self.drop(field, Rule::Zero, value, "0 stands for unknown");
            return None;
        }
        if let Some(why) = out_of_range(self.kind, field, number) {
            self.drop(field, Rule::Implausible, value, &why);
            return None;
        }
        Some(number)
    }

    /// As [`Self::number`], and within what such parts have.
    pub fn number_within(&mut self, path: &[&str], field: &str, low: f64, high: f64, why: &str) -> Option<f64> {
        let number = self.number(path, field)?;
        if (low..=high).contains(&number) {
            return Some(number);
        }
        self.drop(field, Rule::Implausible, &Value::from(number), why);
        None
    }

    /// A whole number above 0.
    pub fn whole<T: TryFrom<u64>>(&mut self, path: &[&str], field: &str) -> Option<T> {
        let number = self.number(path, field)?;
        let whole = (number.fract() == 0.0).then_some(number as u64).and_then(|n| T::try_from(n).ok());
        if whole.is_none() {
            self.drop(field, Rule::Implausible, &Value::from(number), "it is no such whole number");
        }
        whole
    }

    /// Sets a value aside: the fact is unknown.
    pub fn drop(&mut self, field: &str, rule: Rule, was: &Value, why: &str) {
        self.change(field, rule, Some(shown(was)), None, why);
    }

    /// Takes another value than the record's.
    pub fn correct(&mut self, field: &str, rule: Rule, was: Option<&Value>, now: &impl ToString, why: &str) {
        self.change(field, rule, was.map(shown), Some(now.to_string()), why);
    }

    pub fn change(&mut self, field: &str, rule: Rule, was: Option<String>, now: Option<String>, why: &str) {
        self.changes.push(Change { field: field.to_owned(), rule, was, now, why: why.to_owned() });
    }

    /// The name in small letters, for finding words in it.
    pub fn lower_name(&self) -> String {
        self.name.to_lowercase()
    }
}

/// A value for people, no longer than a line.
fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    super::super::short(&text)
}

/// Without trade-mark signs, control characters and runs of blanks.
pub(super) fn clean(text: &str) -> String {
    let kept: String =
        text.chars().filter(|c| !matches!(c, '™' | '®' | '©')).map(|c| if c.is_control() { ' ' } else { c }).take(MOST_NAME).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Longest name that is kept, in characters.
const MOST_NAME: usize = 200;

/// Amounts with one of these units in a name: "16GB", "16 GB", "1.2TB" for `["gb", 1.0], ["tb", 1000.0]`. Rates such as "6 Gb/s" are none.
pub(super) fn amounts(name: &str, units: &[(&str, f64)]) -> Vec<f64> {
    let lower = name.to_lowercase();
    let mut found = Vec::new();
    let mut rest = lower.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let before = rest.get(..at).and_then(|t| t.chars().last());
        let digits: String = rest.get(at..).unwrap_or_default().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let after = rest.get(at + digits.len()..).unwrap_or_default();
        let unit = after.trim_start();
        let named = units.iter().find_map(|(unit_name, factor)| {
            let tail = unit.strip_prefix(unit_name)?;
            let ends = !tail.starts_with(|c: char| c.is_alphanumeric() || c == '/');
            ends.then_some(*factor)
        });
        // "DDR5" and "RTX4090" are no amounts.
        let alone = !before.is_some_and(char::is_alphabetic) || before == Some('x');
        if let (Some(factor), true, Ok(number)) = (named, alone, digits.trim_end_matches('.').parse::<f64>()) {
            found.push(number * factor);
        }
        rest = after;
    }
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_in_names_are_found_and_rates_are_not() {
        let gb = [("gb", 1.0), ("tb", 1000.0)];
        assert_eq!(amounts("Example 4090 24GB GDDR6X", &gb), [24.0]);
        assert_eq!(amounts("Example 16 GB (2x8GB)", &gb), [8.0, 16.0]);
        assert_eq!(amounts("Example 1.2TB SSD SATA 6Gb/s 256MB", &gb), [1200.0]);
        assert_eq!(amounts("Example é 6 Gbps", &gb), Vec::<f64>::new());
        assert_eq!(clean("Example™  A\u{7}B  "), "Example A B");
    }
}
