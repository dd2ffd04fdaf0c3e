//! Which part of the catalog an item means: by part number, else by the words of its name, rare ones counting most.

use std::collections::{BTreeSet, HashMap};

use super::How;
use super::named::amounts;
use super::parse::Item;
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartKind};

/// From here on, words of a name are taken for the same part.
const SURE: f64 = 0.72;
/// Shortest part number that is looked for inside a text.
const LEAST_NUMBER: usize = 6;

/// A catalog made ready for finding parts.
#[derive(Debug)]
pub struct Matcher<'c> {
    pub(super) catalog: &'c Catalog,
    /// By letters and digits of part numbers.
    numbers: HashMap<String, Vec<&'c Part>>,
    /// Parts with their words, by kind.
    parts: HashMap<&'static str, Vec<(&'c Part, BTreeSet<String>)>>,
    /// In how many parts of a kind a word occurs.
    common: HashMap<(&'static str, String), usize>,
}

/// A part that was found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'c> {
    pub part: &'c Part,
    pub how: How,
    pub confidence: f64,
}

impl<'c> Matcher<'c> {
    pub fn new(catalog: &'c Catalog) -> Self {
        let mut matcher = Self { catalog, numbers: HashMap::new(), parts: HashMap::new(), common: HashMap::new() };
        for part in catalog.parts().filter(|p| !p.generic) {
            let kind = part.kind.key();
            for number in part.part_number.iter().chain(&part.aliases).map(|n| squeezed(n)).filter(|n| n.len() >= LEAST_NUMBER) {
                matcher.numbers.entry(number).or_default().push(part);
            }
            let words = words(&part.name);
            for word in &words {
                *matcher.common.entry((kind, word.clone())).or_default() += 1;
            }
            matcher.parts.entry(kind).or_default().push((part, words));
        }
        matcher
    }

    /// The part that an item of a kind means, if one does.
    pub fn find(&self, kind: &'static str, item: &Item) -> Option<Found<'c>> {
        self.by_number(kind, item).or_else(|| self.by_name(kind, &item.name))
    }

    fn by_number(&self, kind: &str, item: &Item) -> Option<Found<'c>> {
        let of_kind = |number: &str| self.numbers.get(number)?.iter().find(|p| p.kind.key() == kind).copied();
        let slug: Vec<&str> = item.slug.as_deref().unwrap_or_default().split('-').collect();
        let tails = (1..=slug.len().min(8)).rev().map(|n| slug.iter().skip(slug.len() - n).copied().collect::<String>());
        let in_name = item.name.split([' ', '(', ')', ',']).map(squeezed);
        let found = tails.chain(in_name).filter(|t| t.len() >= LEAST_NUMBER).find_map(|t| of_kind(&t))?;
        // A number that several sizes share decides nothing against the name.
        agrees(found, &item.name).then_some(Found { part: found, how: How::PartNumber, confidence: 1.0 })
    }

    fn by_name(&self, kind: &'static str, name: &str) -> Option<Found<'c>> {
        let wanted = words(name);
        let list = self.parts.get(kind)?;
        let weight = |word: &String| {
            let of = self.common.get(&(kind, word.clone())).copied().unwrap_or(0);
            libm::log((list.len() + 1) as f64 / (of + 1) as f64) + 0.1
        };
        let all: f64 = wanted.iter().map(weight).sum();
        let mut best: Option<(f64, usize, &Part)> = None;
        for (part, own) in list {
            let shared: f64 = wanted.intersection(own).map(weight).sum();
            if shared <= 0.0 || !maker_agrees(part, name) || !model_agrees(part, &wanted, own) || !agrees(part, name) {
                continue;
            }
            let theirs: f64 = own.iter().map(weight).sum();
            // Names of lists have more words than ours: what of ours is missing there counts more than the reverse.
            let score = 0.7 * shared / theirs + 0.3 * shared / all;
            if best.is_none_or(|(s, facts, _)| score > s + 1e-9 || (score - s).abs() <= 1e-9 && part.from.len() > facts) {
                best = Some((score, part.from.len(), part));
            }
        }
        let (score, _, part) = best.filter(|b| b.0 >= SURE)?;
        Some(Found { part, how: How::Name, confidence: (score * 100.0).round() / 100.0 })
    }
}

/// Letters and digits only, small.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Words that lists add to every item of a kind, and that people write or leave out.
const FILLER: [&str; 46] = [
    "processor",
    "motherboard",
    "memory",
    "video",
    "card",
    "graphics",
    "power",
    "supply",
    "certified",
    "fully",
    "full",
    "modular",
    "semi",
    "case",
    "tower",
    "mid",
    "mini",
    "solid",
    "state",
    "drive",
    "internal",
    "hard",
    "cpu",
    "cooler",
    "fan",
    "fans",
    "nvme",
    "ssd",
    "hdd",
    "geforce",
    "radeon",
    "edition",
    "black",
    "white",
    "silver",
    "gaming",
    "with",
    "and",
    "the",
    "w",
    "tempered",
    "glass",
    "rpm",
    "pcie",
    "x4",
    "cfm",
];

/// Words of a name for comparing. A number and the unit behind it are one word.
fn words(name: &str) -> BTreeSet<String> {
    let lower = name.to_lowercase().replace("western digital", "wd");
    let split: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '+').filter(|w| !w.is_empty()).collect();
    let mut out = BTreeSet::new();
    let mut skip = false;
    for (at, word) in split.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let next = split.get(at + 1).copied().unwrap_or_default();
        let number = word.chars().all(|c| c.is_ascii_digit() || c == '.');
        let unit = matches!(next, "gb" | "tb" | "ghz" | "w" | "mm" | "mhz" | "cfm" | "g");
        let clock = |unit: &str| matches!(unit, "ghz" | "cfm" | "mhz");
        if number && unit {
            skip = true;
            if !clock(next) {
                out.insert(format!("{word}{}", next.replace("tb", "000gb")));
            }
        } else if !FILLER.contains(word) && !word.ends_with("core") {
            out.insert(word.trim_matches('.').to_owned());
        }
    }
    out.remove("");
    out
}

/// A list names the maker; another maker's card of the product is another part.
fn maker_agrees(part: &Part, name: &str) -> bool {
    let name = squeezed(&name.to_lowercase().replace("western digital", "wd"));
    part.maker.as_deref().is_none_or(|maker| name.contains(&squeezed(maker)))
}

/// Model numbers (words with digits) must not differ: "5700X" is not "5700X3D", "3080" not "3080 Ti".
fn model_agrees(part: &Part, wanted: &BTreeSet<String>, own: &BTreeSet<String>) -> bool {
    const MARKS: [&str; 15] =
        ["ti", "super", "xt", "xtx", "gre", "max", "pro", "plus", "evo", "elite", "xl", "ultra", "led", "rgb", "argb"];
    let numbered = |w: &&String| w.chars().any(|c| c.is_ascii_digit()) && !w.ends_with("gb") && !w.ends_with("mm");
    let marks = |set: &BTreeSet<String>| MARKS.map(|m| set.contains(m));
    match &part.kind {
        PartKind::Cpu(_) => own.iter().filter(numbered).all(|w| wanted.contains(w)),
        PartKind::Gpu(g) => {
            let product = g.product.as_deref().map(words).unwrap_or_default();
            let same = |m: &str| wanted.contains(m) == own.contains(m);
            product.iter().filter(numbered).all(|w| wanted.contains(w)) && ["ti", "super", "xt", "xtx", "gre"].iter().all(|m| same(m))
        }
        PartKind::Board(_) | PartKind::Psu(_) | PartKind::Case(_) | PartKind::Cooler(_) | PartKind::Drive(_) => {
            own.iter().filter(numbered).any(|w| wanted.contains(w)) == own.iter().any(|w| numbered(&w)) && marks(wanted) == marks(own)
        }
        _ => true,
    }
}

/// Whether amounts that the name states are those of the part; what either does not tell is no objection.
fn agrees(part: &Part, name: &str) -> bool {
    let said = amounts(name);
    let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a / b - 1.0).abs() < 0.03,
        _ => true,
    };
    match &part.kind {
        PartKind::Gpu(g) => same(said.memory_gb, g.memory_gb),
        PartKind::Ram(r) => {
            let total = r.gb_per_module.zip(r.modules).map(|(gb, n)| gb * f64::from(n));
            same(said.memory_gb, total)
                && same(said.modules, r.modules.map(f64::from))
                && same(said.speed_mt_s, r.speed_mt_s.map(f64::from))
                && same(said.cas, r.cas.map(f64::from))
        }
        PartKind::Drive(d) => same(said.memory_gb, d.capacity_gb),
        PartKind::Psu(p) => same(said.watts, p.watts),
        PartKind::Fan(f) => same(said.mm, f.size_mm),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_join_numbers_with_units_and_drop_fillers() {
        let all = |name: &str| words(name).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(all("AMD Ryzen 7 5700X 3.4 GHz 8-Core Processor"), "5700x 7 8 amd ryzen");
        assert_eq!(all("Example GeForce RTX 3090 24 GB Video Card"), "24gb 3090 example rtx");
        assert_eq!(squeezed("F4-3000C16D-16GISB"), "f43000c16d16gisb");
    }
}
