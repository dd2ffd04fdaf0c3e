//! Settings of placed parts outside the airflow model: the board's BIOS and slots, power limits, ways to mount. Their keys, and what they can be.

use crate::catalog::part::{Board, Part, PartKind};
use crate::catalog::topology::{alike, split_parts};
use crate::catalog::vocab::{ConnectorKind, Edge};

/// Of a card: its power limit in watts, as `nvidia-smi -pl` takes it.
pub const POWER_LIMIT: &str = "power_limit_w";
/// Of a card: MiB that the desktop on its screen takes.
pub const DISPLAY: &str = "display_mib";
/// Of a board, before the slot's label: watts that the slot gives. Small machines of makers feed 25 to 50 W.
pub const SLOT_LIMIT: &str = "slot_w.";
/// Of a board, before a key of [`BIOS`], a choice of the board, `gen.LABEL` or `split.LABEL`.
pub const BIOS_PREFIX: &str = "bios.";

/// What a slot gives an x16 graphics card at most, watts. Source: PCI Express card electromechanical specification.
pub const SLOT_W: f64 = 75.0;
/// Watts below which no slot is.
const SLOT_LEAST_W: f64 = 5.0;

/// Settings that every board has, and their values.
pub const BIOS: &[(&str, &[&str])] = &[
    ("above_4g", &["on", "off"]),
    ("resizable_bar", &["on", "off"]),
    ("iommu", &["on", "off", "pt"]),
    ("acs", &["on", "off"]),
    ("driver", &["stock", "patched"]),
    ("nps", &["1", "2", "4"]),
];

/// Numbers by key, with the range that makes sense.
const NUMBERS: [(&str, f64, f64); 2] = [(POWER_LIMIT, 1.0, 3000.0), (DISPLAY, 0.0, 1e6)];

/// What is wrong with a value that a computation reads. Keys that nothing reads may hold anything.
pub fn fault(part: Option<&Part>, key: &str, value: &str) -> Option<(String, String)> {
    let wrong = |why: String| Some((key.to_owned(), why));
    if let Some((_, low, high)) = NUMBERS.iter().find(|n| n.0 == key) {
        return number(value, *low, *high).and_then(wrong);
    }
    let words = |known: &[&str]| (!known.contains(&value)).then(|| format!("\"{value}\" is none of {}", known.join(", ")));
    match (key, part.map(|p| &p.kind)) {
        ("direction", Some(PartKind::Fan(_))) => return words(&["intake", "exhaust"]).and_then(wrong),
        ("radiator", Some(PartKind::Cooler(_))) => {
            let sides = [Edge::Front, Edge::Top, Edge::Rear, Edge::Bottom, Edge::Side].map(Edge::text);
            return words(&sides).and_then(wrong);
        }
        _ => {}
    }
    if key.starts_with(SLOT_LIMIT) {
        return number(value, SLOT_LEAST_W, SLOT_W).and_then(wrong);
    }
    let key = key.strip_prefix(BIOS_PREFIX)?;
    if let Some((_, known)) = BIOS.iter().find(|(k, _)| *k == key) {
        return words(known).and_then(wrong);
    }
    match key.split_once('.')?.0 {
        "gen" => number(value, 1.0, 7.0).or_else(|| whole(value)).and_then(wrong),
        "split" => {
            let known = value == "off" || split_parts(value).is_some();
            let why = (!known).then(|| format!("\"{value}\" is no split. Write it like x4x4x4x4, or off"));
            why.and_then(wrong)
        }
        _ => None,
    }
}

/// What this part lacks: a connector or a choice that a setting names. Files may hold those of another edition of the board; edits may not.
pub fn stranger(part: &Part, key: &str, value: &str) -> Option<(String, String)> {
    let PartKind::Board(board) = &part.kind else { return None };
    let label = [SLOT_LIMIT, "bios.gen.", "bios.split."].iter().find_map(|prefix| key.strip_prefix(prefix));
    if let Some(label) = label {
        return slot(board, label).map(|why| (key.to_owned(), why));
    }
    let name = key.strip_prefix(BIOS_PREFIX)?;
    if BIOS.iter().any(|(k, _)| *k == name) {
        return None;
    }
    let choice = board.choices.iter().find(|c| alike(name, &c.key) || alike(name, &c.label) || c.option(name).is_some());
    let Some(choice) = choice else {
        let known: Vec<&str> = board.choices.iter().map(|c| c.key.as_str()).chain(BIOS.iter().map(|(k, _)| *k)).collect();
        return Some((key.to_owned(), format!("{} has no such setting. It has {}", part.short_name(), known.join(", "))));
    };
    let named = choice.option(name).is_some() || choice.option(value).is_some();
    let options = || choice.options.iter().map(|o| o.value.as_str()).collect::<Vec<_>>().join(", ");
    (!named).then(|| (key.to_owned(), format!("\"{value}\" is none of {}", options())))
}

/// The board has no such connector.
fn slot(board: &Board, label: &str) -> Option<String> {
    let found = board.connectors.iter().any(|c| c.label == label);
    (!found).then(|| {
        let slots: Vec<&str> = board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie).map(|c| c.label.as_str()).collect();
        format!("the board has no connector {label}. Its slots are {}", slots.join(", "))
    })
}

fn number(value: &str, low: f64, high: f64) -> Option<String> {
    let fits = value.trim().parse::<f64>().is_ok_and(|v| v.is_finite() && (low..=high).contains(&v));
    (!fits).then(|| format!("\"{value}\" is no number from {low} to {high}"))
}

fn whole(value: &str) -> Option<String> {
    value.trim().parse::<u8>().is_err().then(|| format!("\"{value}\" is no whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::load::{embedded_files, load};

    #[test]
    fn what_a_computation_reads_has_a_range() {
        let (catalog, _) = load(&embedded_files(""));
        let board = catalog.find("ASRock Rack ROMED8-2T", Some("board")).unwrap();
        let wrong = |key: &str, value: &str| fault(Some(board), key, value).or_else(|| stranger(board, key, value));
        for (key, value) in [
            ("slot_w.PCIE1", "76"),
            ("slot_w.PCIE1", "-5"),
            ("slot_w.PCIE1", "NaN"),
            ("slot_w.PCIE99", "75"),
            ("bios.gen.PCIE1", "0"),
            ("bios.gen.PCIE1", "3.5"),
            ("bios.gen.PCIE99", "3"),
            ("bios.split.PCIE1", "x5x3"),
            ("bios.above_4g", "maybe"),
            ("bios.nps", "3"),
            ("bios.no such", "1"),
            ("power_limit_w", "1e9"),
            ("display_mib", "-1"),
        ] {
            assert!(wrong(key, value).is_some(), "{key} = {value}");
        }
        for (key, value) in [
            ("slot_w.PCIE1", "35"),
            ("bios.gen.PCIE1", "3"),
            ("bios.split.PCIE1", "x4x4x4x4"),
            ("bios.split.PCIE1", "off"),
            ("bios.iommu", "pt"),
            ("power_limit_w", "250"),
            ("my own note", "anything"),
        ] {
            assert_eq!(wrong(key, value), None, "{key} = {value}");
        }
        for part in catalog.parts() {
            let PartKind::Board(board) = &part.kind else { continue };
            for (choice, option) in board.choices.iter().flat_map(|c| c.options.iter().map(move |o| (c, o))) {
                assert_eq!(stranger(part, &format!("bios.{}", choice.key), &option.value), None, "{}", part.name);
            }
        }
    }
}
