//! What it takes to turn one build into another: what to buy, what to sell, at what cost.

use std::collections::BTreeMap;

use super::columns::joined;
use super::table::{Cell, Head, Section, Table, amount};
use super::{Format, Options, Rig, html, table_text, xlsx};
use crate::analysis::cost::{Asked, best_price, in_room_currency, total_text};
use crate::catalog::part::{Part, PartId};
use crate::catalog::vocab::PriceKind;
use crate::checks::Tally;
use crate::units::{Currency, Money, watts};

/// A part that comes or goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub part: PartId,
    pub kind: &'static str,
    pub name: String,
    pub part_number: String,
    pub pieces: usize,
    /// Of one piece: to buy it, or what a used one brings. `None` = unknown.
    pub asked: Option<Asked>,
    /// Of one piece, in the currency of the second build.
    pub counted: Option<Money>,
}

impl Change {
    fn total(&self) -> Option<Money> {
        self.counted.map(|one| one.times(self.pieces))
    }
}

/// The difference between two builds. Only placed parts count; the tray does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub from: String,
    pub to: String,
    pub currency: Currency,
    pub buy: Vec<Change>,
    pub sell: Vec<Change>,
    /// Pieces that both have.
    pub kept: usize,
    /// "Typical draw: 700 W, was 350 W"
    pub effects: Vec<String>,
    /// Parts that lie beside one of the builds.
    pub tray: Vec<String>,
}

/// Compares two builds part by part, wherever the parts sit.
pub fn difference(from: Rig<'_>, from_name: &str, to: Rig<'_>, to_name: &str) -> Difference {
    let (had, wanted) = (counts(from), counts(to));
    let mut difference = Difference {
        from: from_name.to_owned(),
        to: to_name.to_owned(),
        currency: to.project.room.currency,
        buy: Vec::new(),
        sell: Vec::new(),
        kept: 0,
        effects: effects(from, to),
        tray: [(from, from_name), (to, to_name)].into_iter().filter_map(|(rig, name)| tray(rig, name)).collect(),
    };
    for (id, (part, pieces)) in &wanted {
        let before = had.get(*id).map_or(0, |h| h.1);
        difference.kept += before.min(*pieces);
        if *pieces > before {
            difference.buy.push(change(to, part, pieces - before, best_price(to.catalog, to.project, &part.id)));
        }
    }
    for (id, (part, pieces)) in &had {
        let after = wanted.get(*id).map_or(0, |w| w.1);
        if *pieces > after {
            difference.sell.push(change(to, part, pieces - after, used_price(part)));
        }
    }
    for list in [&mut difference.buy, &mut difference.sell] {
        list.sort_by_key(|c| std::cmp::Reverse(c.total().map(|t| t.cents)));
        list.sort_by_key(|c| crate::catalog::kinds::KINDS.iter().position(|k| k.1 == c.kind));
    }
    difference
}

fn counts<'a>(rig: Rig<'a>) -> BTreeMap<&'a PartId, (&'a Part, usize)> {
    let mut out: BTreeMap<&PartId, (&Part, usize)> = BTreeMap::new();
    for (_, _, part) in rig.project.rig.placed(rig.catalog) {
        out.entry(&part.id).or_insert((part, 0)).1 += 1;
    }
    out
}

fn change(to: Rig<'_>, part: &Part, pieces: usize, asked: Option<Asked>) -> Change {
    let counted = asked.as_ref().and_then(|a| in_room_currency(to.catalog, to.project, a.price)).map(|c| c.0);
    Change {
        part: part.id.clone(),
        kind: part.kind.label(),
        name: part.name.clone(),
        part_number: part.part_number.clone().unwrap_or_default(),
        pieces,
        asked,
        counted,
    }
}

/// The newest price of a used piece; a price for a new one says nothing of what an old one brings.
fn used_price(part: &Part) -> Option<Asked> {
    let usable = part.prices.iter().filter(|p| p.kind == PriceKind::StreetUsed && p.amount.is_finite() && p.amount >= 0.0);
    let newest = usable.rev().max_by(|a, b| a.date.cmp(&b.date))?;
    let price = Money::new(newest.amount, Currency::parse(&newest.currency)?);
    let source = part.sources.get(&newest.source).map_or_else(|| newest.source.clone(), |s| s.title.clone());
    Some(Asked { price, date: newest.date.clone(), kind: newest.kind, source })
}

fn tray(rig: Rig<'_>, name: &str) -> Option<String> {
    let parts: Vec<&str> = rig.project.rig.tray(rig.catalog).map(|(_, p)| p.name.as_str()).collect();
    (!parts.is_empty()).then(|| format!("Beside {name}, not counted: {}.", parts.join(", ")))
}

/// What else changes, in sentences.
fn effects(from: Rig<'_>, to: Rig<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let mut put = |what: &str, was: String, is: String| {
        if was != is {
            out.push(format!("{what}: {is}, was {was}."));
        }
    };
    let (was, is) = (&from.report.facts, &to.report.facts);
    let known = |w: Option<f64>| w.map_or("unknown".to_owned(), watts);
    put("Purchase of the whole", was.cost.total_text(), is.cost.total_text());
    put("Typical draw", watts(was.power.typical_w), watts(is.power.typical_w));
    put("Draw from the wall", known(was.power.wall_w), known(is.power.wall_w));
    let month = |m: Option<Money>| m.map_or("unknown".to_owned(), |m| m.to_string());
    put("Energy per month", month(was.cost.energy_per_month), month(is.cost.energy_per_month));
    for speed in &is.speed {
        let text = |v: Option<f64>| v.map_or("unknown".to_owned(), |v| format!("{v:.1} {}", speed.unit));
        let before = was.speed.iter().find(|s| s.workload_name == speed.workload_name && s.metric == speed.metric);
        put(&format!("Speed of {}", speed.workload_name), before.map_or("not computed".to_owned(), |b| text(b.value)), text(speed.value));
    }
    let failing = |rig: Rig<'_>| {
        let t = Tally::of(&rig.report.findings);
        format!("{} blockers, {} problems, {} unknown", t.blockers, t.problems, t.unknown)
    };
    put("Findings", failing(from), failing(to));
    out
}

impl Difference {
    /// Sum of the known prices, and pieces without one.
    fn sum(&self, list: &[Change]) -> (Money, usize) {
        let mut sum = Money::zero(self.currency);
        let mut unknown = 0;
        for change in list {
            match change.total() {
                Some(total) => sum.cents = sum.cents.saturating_add(total.cents),
                None => unknown += change.pieces,
            }
        }
        (sum, unknown)
    }

    /// What the change costs, in a sentence.
    pub fn cost_text(&self) -> String {
        let ((buy, buy_unknown), (sell, sell_unknown)) = (self.sum(&self.buy), self.sum(&self.sell));
        let net = Money { cents: buy.cents.saturating_sub(sell.cents), currency: self.currency };
        let unknown = buy_unknown + sell_unknown;
        let text = match (net.cents, unknown) {
            (0.., 0) => format!("The change costs {}", amount(net)),
            (_, 0) => format!("The change brings {}", amount(Money { cents: -net.cents, ..net })),
            (0.., n) => format!("By the known prices the change costs {}; {n} without a price are not in it", amount(net)),
            (_, n) => {
                let brings = Money { cents: -net.cents, ..net };
                format!("By the known prices the change brings {}; {n} without a price are not in it", amount(brings))
            }
        };
        format!("{text}: buying {}, selling {}.", total_text(buy, buy_unknown), total_text(sell, sell_unknown))
    }

    /// The difference as a table: a section to buy, a section to sell.
    pub fn table(&self) -> Table {
        const HEADS: [Head; 9] = [
            Head::left("action", "Do"),
            Head::strong("kind", "Kind"),
            Head::right("quantity", "Qty"),
            Head::left("part", "Part"),
            Head::left("part_number", "Part number"),
            Head::right("counted_price", "Price of one"),
            Head::right("total", "Total"),
            Head::left("total_currency", "In"),
            Head::left("price_of", "Price of"),
        ];
        let row = |action: &str, c: &Change| {
            let asked = c.asked.as_ref();
            let of = asked.map_or("unknown".to_owned(), |a| {
                let foreign = if a.price.currency == self.currency { String::new() } else { amount(a.price) };
                joined(&[&foreign, &a.date, &a.kind.to_string(), &a.source], ", ")
            });
            vec![
                Cell::text(action),
                Cell::text(c.kind),
                Cell::Count(c.pieces),
                Cell::text(&c.name),
                Cell::text(&c.part_number),
                Cell::money(c.counted),
                Cell::money(c.total()),
                Cell::text(c.counted.map(|m| m.currency.to_string()).unwrap_or_default()),
                Cell::text(of),
            ]
        };
        let section = |name: &str, action: &str, list: &[Change]| {
            let (sum, unknown) = self.sum(list);
            let mut cells = vec![Cell::Empty; HEADS.len()];
            for (cell, head) in cells.iter_mut().zip(HEADS) {
                match head.key {
                    "quantity" => *cell = Cell::Count(list.iter().map(|c| c.pieces).sum()),
                    "total" => *cell = Cell::Money(sum).at_least(unknown > 0),
                    "total_currency" => *cell = Cell::text(self.currency.to_string()),
                    _ => {}
                }
            }
            Section { name: name.to_owned(), rows: list.iter().map(|c| row(action, c)).collect(), sum: cells }
        };
        let sections = [section("To buy", "buy", &self.buy), section("To sell", "sell", &self.sell)];
        let mut remarks = vec![self.cost_text(), format!("Both builds have {} parts in common.", self.kept)];
        if self.buy.is_empty() && self.sell.is_empty() {
            remarks = vec!["The builds have the same parts.".to_owned()];
        }
        if !self.sell.is_empty() {
            remarks.push(
                "What a used part brings is the newest price of a used one in the catalog; where there is none, it is unknown.".to_owned(),
            );
        }
        remarks.extend(self.effects.iter().chain(&self.tray).cloned());
        Table {
            title: format!("From {} to {}", self.from, self.to),
            heads: HEADS.to_vec(),
            sections: sections.into_iter().filter(|s| !s.rows.is_empty()).collect(),
            sum: Vec::new(),
            remarks,
        }
    }

    /// What the file holds.
    ///
    /// # Errors
    /// A sentence, for pictures.
    pub fn export(&self, format: Format, options: &Options) -> Result<Vec<u8>, String> {
        let table = self.table();
        match format {
            Format::Markdown | Format::Text | Format::Bbcode | Format::Csv => table_text(&table, format, options).map(String::into_bytes),
            Format::Xlsx => xlsx::single("Difference", &table),
            Format::Html => Ok(html::simple(&table.title, &[], &table).into_bytes()),
            Format::Json => self.json().map(String::into_bytes),
            Format::Svg | Format::Png => Err(format!("A difference has no picture. Choose another format than {}.", format.name())),
        }
    }

    /// As JSON.
    pub fn value(&self) -> serde_json::Value {
        let change = |c: &Change| {
            serde_json::json!({
                "part": c.part.as_str(),
                "name": c.name,
                "part_number": (!c.part_number.is_empty()).then_some(&c.part_number),
                "pieces": c.pieces,
                "price": c.counted.map(Money::amount),
                "price_date": c.asked.as_ref().map(|a| &a.date),
                "price_kind": c.asked.as_ref().map(|a| a.kind.to_string()),
                "price_source": c.asked.as_ref().map(|a| &a.source),
            })
        };
        let side = |list: &[Change]| {
            let (sum, unknown) = self.sum(list);
            let parts: Vec<serde_json::Value> = list.iter().map(change).collect();
            serde_json::json!({ "parts": parts, "known_total": sum.amount(), "without_price": unknown })
        };
        serde_json::json!({
            "from": self.from,
            "to": self.to,
            "currency": self.currency.code(),
            "buy": side(&self.buy),
            "sell": side(&self.sell),
            "in_common": self.kept,
            "effects": self.effects,
        })
    }

    fn json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(&self.value()).map(|t| format!("{t}\n")).map_err(|e| format!("The difference has no JSON form ({e})."))
    }
}
