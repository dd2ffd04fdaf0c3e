//! What values of catalog files can be: one table of ranges by kind and field, and the forms of dates, ids, labels and currencies.
//!
//! The ranges are wider than any product, so that only slips are refused: a lost decimal point, another unit, a sign.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::units::Currency;

/// A range of numbers, both ends allowed unless said otherwise.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Within(f64, f64),
    /// Without the lower end.
    Above(f64, f64),
    OneOf(&'static [f64]),
}
use Limit::{Above, OneOf, Within};

/// Widths of a PCIe link or slot; 0 for slots without lanes.
const LANES: Limit = OneOf(&[0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);

/// Kind ("" = any), field ("*" before an ending; fields of lists after a dot), range, unit. The first row that fits counts.
const RANGES: &[(&str, &str, Limit, &str)] = &[
    ("case", "space_below_last_slot_mm", Within(0.0, 3000.0), "mm"),
    ("cooler", "ram_clearance_mm", Within(0.0, 3000.0), "mm"),
    ("", "*_mm", Above(0.0, 3000.0), "mm"),
    ("psu", "watts", Above(0.0, 5000.0), "W"),
    ("", "*_w", Within(0.0, 5000.0), "W"),
    ("gpu", "slots", Within(0.5, 8.0), "slots"),
    ("bridge", "spacing_slots", Within(1.0, 12.0), "slots"),
    ("", "*gen", Within(1.0, 7.0), ""),
    // What a whole socket offers, not a link.
    ("cpu", "pcie_lanes", Within(0.0, 512.0), "lanes"),
    ("cpu", "rule_lanes", Within(0.0, 512.0), "lanes"),
    ("board", "rules.set.*.gen", Within(1.0, 7.0), ""),
    ("board", "rules.set.*", LANES, "lanes"),
    ("board", "roots.socket", Within(1.0, 16.0), ""),
    ("board", "roots.nps4_node", Within(0.0, 3.0), ""),
    ("", "*lanes", LANES, "lanes"),
    ("board", "connectors.size", LANES, "lanes"),
    ("board", "connectors.opening", Within(1.0, 24.0), ""),
    ("board", "connectors.order", Within(1.0, 64.0), ""),
    ("", "*_gb", Above(0.0, 1e7), "GB"),
    ("", "gb_per_module", Above(0.0, 1e7), "GB"),
    ("", "*_gb_s", Above(0.0, 1e6), "GB/s"),
    ("", "*_mb_s", Above(0.0, 1e6), "MB/s"),
    ("", "*_ghz", Above(0.0, 20.0), "GHz"),
    ("", "*_mt_s", Within(100.0, 100_000.0), "MT/s"),
    ("", "*_tflops", Above(0.0, 1e6), "TFLOPS"),
    ("", "*_tops", Above(0.0, 1e6), "TOPS"),
    ("gpu", "memory_bus_bits", Within(8.0, 65_536.0), "bits"),
    ("cpu", "max_sockets", Within(1.0, 16.0), ""),
    ("cpu", "cores", Within(1.0, 4096.0), ""),
    ("cpu", "threads", Within(1.0, 16_384.0), ""),
    ("board", "socket_count", Within(1.0, 16.0), ""),
    ("board", "dimm_slots", Within(0.0, 128.0), ""),
    ("board", "sata_ports", Within(0.0, 64.0), ""),
    ("board", "eps_plugs", Within(0.0, 16.0), ""),
    ("", "memory_channels", Within(1.0, 64.0), ""),
    ("ram", "cas", Within(1.0, 200.0), ""),
    ("ram", "modules", Within(1.0, 64.0), ""),
    ("ram", "voltage_v", Within(0.5, 5.0), "V"),
    ("drive", "tbw", Above(0.0, 1e7), "TB"),
    ("psu", "full_power_from_v", Within(90.0, 500.0), "V"),
    ("psu", "pcie_leads", Within(0.0, 64.0), ""),
    ("psu", "rail_a", Above(0.0, 500.0), "A"),
    ("fan", "max_rpm", Above(0.0, 50_000.0), "1/min"),
    ("fan", "airflow_m3_h", Above(0.0, 10_000.0), "m³/h"),
    ("fan", "pressure_pa", Above(0.0, 10_000.0), "Pa"),
    ("fan", "noise_dba", Within(0.0, 150.0), "dBA"),
    ("case", "*front_k", Within(0.1, 1000.0), ""),
    ("case", "*_open", Within(0.0, 1.0), ""),
    ("case", "expansion_slots", Within(0.0, 64.0), ""),
    ("case", "bays_*", Within(0.0, 128.0), ""),
    ("", "*count", Within(0.0, 64.0), ""),
    ("nic", "ports", Within(1.0, 64.0), ""),
    ("nic", "speed_gbit_s", Above(0.0, 10_000.0), "Gbit/s"),
    ("riser", "ends", Within(1.0, 16.0), ""),
    ("carrier", "m2_sockets", Within(1.0, 32.0), ""),
    ("", "prices.amount", Within(0.0, 1e9), ""),
    ("rates", "rates.usd", Within(1e-9, 1e9), "US dollars"),
];

/// A value that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Where the value stands; `None` where it is missing.
    pub span: Option<Range<usize>>,
    /// `prices[2].amount`
    pub field: String,
    pub why: String,
}

/// Every wrong value of a part's own table. Values of the wrong type are left to the reading.
pub(super) fn check_part(kind: &str, table: &DeTable<'_>, is_source: &dyn Fn(&str) -> bool) -> Vec<Wrong> {
    let mut wrong = check(kind, table, is_source);
    if !table.contains_key("name") {
        wrong.push(Wrong { span: None, field: "name".to_owned(), why: "is missing. Give every part its full name".to_owned() });
    }
    wrong
}

/// Every wrong value of a file of exchange rates.
pub(crate) fn check_rates(table: &DeTable<'_>) -> Vec<Wrong> {
    let sources = table.get("sources").and_then(|s| s.get_ref().as_table());
    check("rates", table, &|key| sources.is_some_and(|s| s.contains_key(key)))
}

fn check(kind: &str, table: &DeTable<'_>, is_source: &dyn Fn(&str) -> bool) -> Vec<Wrong> {
    let mut leaves = Vec::new();
    for (key, value) in table {
        collect(key.get_ref(), key.get_ref(), value, &mut leaves);
    }
    let mut labels = BTreeMap::new();
    let mut wrong = Vec::new();
    for leaf in leaves {
        let why = match &leaf.value {
            Value::Number(written, number) => number_fault(kind, &leaf.pattern, written, *number),
            Value::Text(text) if matches!(leaf.pattern.as_str(), "connectors.label" | "switches.id" | "roots.id") => {
                let first = labels.insert((leaf.pattern.clone(), *text), leaf.path.clone());
                first.map(|first| format!("{} is that of {first} too. Give each its own", quoted(text)))
            }
            Value::Text(text) => text_fault(kind, &leaf.pattern, text, is_source),
        };
        wrong.extend(why.map(|why| Wrong { span: Some(leaf.span), field: leaf.path, why }));
    }
    wrong
}

enum Value<'t> {
    /// As written, and its amount.
    Number(String, f64),
    Text(&'t str),
}

/// A number or text somewhere in a part's table.
struct Leaf<'t> {
    path: String,
    /// The path without places in lists and without names of fields and keys that the files choose: `prices.amount`, `from.source`.
    pattern: String,
    span: Range<usize>,
    value: Value<'t>,
}

fn collect<'t>(path: &str, pattern: &str, value: &'t Spanned<DeValue<'_>>, out: &mut Vec<Leaf<'t>>) {
    let mut leaf = |found| out.push(Leaf { path: path.to_owned(), pattern: pattern.to_owned(), span: value.span(), value: found });
    match value.get_ref() {
        DeValue::String(text) => leaf(Value::Text(text)),
        DeValue::Integer(n) => {
            let amount = i128::from_str_radix(n.as_str(), n.radix()).map_or(f64::INFINITY, |n| n as f64);
            leaf(Value::Number(n.to_string(), amount));
        }
        DeValue::Float(x) => leaf(Value::Number(x.to_string(), x.as_str().parse().unwrap_or(f64::NAN))),
        DeValue::Boolean(_) | DeValue::Datetime(_) => {}
        DeValue::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                collect(&format!("{path}[{n}]"), pattern, item, out);
            }
        }
        DeValue::Table(inner) => {
            for (key, value) in inner {
                let path = format!("{path}.{}", key.get_ref());
                let named = matches!(pattern, "from" | "rates" | "sources");
                let pattern = if named { pattern.to_owned() } else { format!("{pattern}.{}", key.get_ref()) };
                collect_named(named, &path, &pattern, value, out);
            }
        }
    }
}

/// Below a name that the file chose, the next key is the field.
fn collect_named<'t>(named: bool, path: &str, pattern: &str, value: &'t Spanned<DeValue<'_>>, out: &mut Vec<Leaf<'t>>) {
    match value.get_ref() {
        DeValue::Table(inner) if named => {
            for (key, value) in inner {
                collect(&format!("{path}.{}", key.get_ref()), &format!("{pattern}.{}", key.get_ref()), value, out);
            }
        }
        _ => collect(path, pattern, value, out),
    }
}

/// What is wrong with a number for a field of a kind of part; `None` if nothing is.
pub(crate) fn out_of_range(kind: &str, field: &str, number: f64) -> Option<String> {
    number_fault(kind, field, &number.to_string(), number)
}

/// What a field of a kind of part may hold, for people: "above 0, up to 3000".
pub(crate) fn range_text(kind: &str, field: &str) -> Option<String> {
    let rule = RANGES.iter().find(|r| (r.0.is_empty() || r.0 == kind) && fits(r.1, field))?;
    Some(rule.2.text())
}

/// Whether a path is one that a row of the table means.
fn fits(row: &str, pattern: &str) -> bool {
    match row.split_once('*') {
        Some((start, end)) => pattern.starts_with(start) && pattern.ends_with(end),
        None => pattern == row,
    }
}

impl Limit {
    fn text(self) -> String {
        match self {
            Within(low, high) => format!("{low} to {high}"),
            Above(low, high) => format!("above {low}, up to {high}"),
            OneOf(all) => format!("one of {}", all.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
        }
    }
}

fn number_fault(kind: &str, pattern: &str, written: &str, number: f64) -> Option<String> {
    let rule = RANGES.iter().find(|r| (r.0.is_empty() || r.0 == kind) && fits(r.1, pattern));
    let Some(&(_, _, limit, unit)) = rule else {
        return (!number.is_finite()).then(|| format!("{} is no amount. Write a number", shortened(written)));
    };
    let inside = match limit {
        Within(low, high) => (low..=high).contains(&number),
        Above(low, high) => number > low && number <= high,
        OneOf(all) => all.contains(&number),
    };
    let range = limit.text();
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    (!inside).then(|| format!("{} is out of range. Allowed: {range}{unit}", shortened(written)))
}

fn text_fault(kind: &str, pattern: &str, text: &str, is_source: &dyn Fn(&str) -> bool) -> Option<String> {
    match pattern {
        "id" => {
            let clean = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-');
            let rest = text.strip_prefix(kind).and_then(|r| r.strip_prefix('.')).unwrap_or_default();
            (!clean || rest.is_empty()).then(|| format!("{} is no id. Write {kind}. and then a-z, 0-9, dots and hyphens", quoted(text)))
        }
        "name" => text.trim().is_empty().then(|| "is empty. Give every part its full name".to_owned()),
        "prices.currency" => {
            Currency::parse(text).is_none().then(|| format!("{} is no currency. Write three letters, as USD", quoted(text)))
        }
        "prices.date" | "life.launch" | "life.as_of" | "from.as_of" | "rates.date" | "sources.date" => {
            (!is_date(text)).then(|| format!("{} is no date. Write YYYY-MM-DD, YYYY-MM or YYYY", quoted(text)))
        }
        "prices.source" | "life.source" | "from.source" | "rates.source" => {
            (!is_source(text)).then(|| format!("names source {}, which the file lacks. Add [sources.{}]", quoted(text), shortened(text)))
        }
        _ => None,
    }
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, a day that there is.
pub(crate) fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |digits: usize| match parts.next() {
        None => Some(None),
        Some(p) if p.len() == digits && p.bytes().all(|b| b.is_ascii_digit()) => p.parse::<u32>().ok().map(Some),
        Some(_) => None,
    };
    let (Some(Some(year)), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let last = match month {
        Some(2) if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        Some(2) => 28,
        Some(4 | 6 | 9 | 11) => 30,
        _ => 31,
    };
    let in_year = month.is_none_or(|m| (1..=12).contains(&m)) && day.is_none_or(|d| (1..=last).contains(&d));
    (1900..3000).contains(&year) && in_year && parts.next().is_none()
}

fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text))
}

/// A message without endless words: a number of 300 digits keeps its first 24.
pub fn shortened(text: &str) -> String {
    const LONGEST_WORD: usize = 48;
    const LONGEST: usize = 1200;
    let word = |word: &str| match word.char_indices().nth(LONGEST_WORD) {
        Some(_) => word.chars().take(LONGEST_WORD / 2).chain(['…']).collect(),
        None => word.to_owned(),
    };
    let mut out: String = text.split_inclusive(char::is_whitespace).map(word).collect();
    if let Some((end, _)) = out.char_indices().nth(LONGEST) {
        out.truncate(end);
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_that_there_are() {
        for good in ["2026", "2026-01", "2026-12-31", "2024-02-29", "2000-02-29", "1999-04-30"] {
            assert!(is_date(good), "{good}");
        }
        for bad in ["", "26", "2026-13", "2026-00", "2026-1", "2026-02-30", "2025-02-29", "1900-02-29", "2026-04-31", "2026-01-01-01"] {
            assert!(!is_date(bad), "{bad}");
        }
        for bad in ["2026/01/01", "+026", "2026-+1", "today", "0000-01-01", "2026-", "2026-01-1é"] {
            assert!(!is_date(bad), "{bad}");
        }
    }

    #[test]
    fn endless_words_are_cut() {
        assert_eq!(shortened(&format!("{} is out", "9".repeat(300))), format!("{}…is out", "9".repeat(24)));
        assert_eq!(shortened("unknown field `a`, expected `b`"), "unknown field `a`, expected `b`");
        assert!(shortened(&"ab ".repeat(9999)).chars().count() <= 1201);
    }

    #[test]
    fn every_number_of_the_shipped_catalog_has_a_range() {
        for (name, text) in super::super::embedded_files("") {
            if name.contains("/models/") || ["rates.toml", "templates.toml", "aliases.toml"].iter().any(|f| name.ends_with(f)) {
                continue;
            }
            let file = DeTable::parse(&text).unwrap();
            for (kind, parts) in file.get_ref() {
                let DeValue::Array(parts) = parts.get_ref() else { continue };
                for (key, value) in parts.iter().filter_map(|p| p.get_ref().as_table()).flatten() {
                    let mut leaves = Vec::new();
                    collect(key.get_ref(), key.get_ref(), value, &mut leaves);
                    for leaf in leaves.iter().filter(|l| matches!(l.value, Value::Number(..))) {
                        let ruled = number_fault(kind.get_ref(), &leaf.pattern, "-1", -1.0).is_some();
                        assert!(ruled, "{name}: {} {}", kind.get_ref(), leaf.pattern);
                    }
                }
            }
        }
    }
}
