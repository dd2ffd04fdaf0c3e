//! What a parts list says, whatever the file: one row for equal parts at like places, a sum, and remarks.

use std::collections::{BTreeMap, BTreeSet};

use super::interface::interface;
use super::layout::RowsBy;
use crate::analysis::cost::{Line, total_text};
use crate::analysis::power::Draw;
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{Placement, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, Source};
use crate::catalog::vocab::{Confidence, PriceKind};
use crate::checks::finding::{Finding, Severity, Verdict};
use crate::import::opendb;
use crate::project::{Project, Subject};
use crate::report::Report;
use crate::units::{Currency, Money, plain};

/// The whole list.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsList {
    pub title: String,
    /// Placed parts by kind, then in order of ids.
    pub rows: Vec<Row>,
    pub pieces: usize,
    pub total: Money,
    /// "at least $9,412, 2 parts without price; prices as old as 2020-09"
    pub total_text: String,
    /// Sentences below the list: what is not counted, how prices were converted, whose data these are.
    pub remarks: Vec<String>,
}

/// Equal parts at like places.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Labels of the places, joined by semicolons.
    pub position: String,
    pub kind: String,
    /// Full name.
    pub part: String,
    pub maker: String,
    /// The name without the maker.
    pub model: String,
    pub part_number: String,
    pub quantity: usize,
    pub interface: String,
    /// It draws power of its own, known or not.
    pub draws: bool,
    /// Of one piece.
    pub typical_w: Option<f64>,
    pub limit_w: Option<f64>,
    /// Of one piece, as asked.
    pub unit_price: Option<Money>,
    /// Of one piece, what counts in the sum, in the rig's currency.
    pub counted: Option<Money>,
    pub price_date: String,
    pub price_kind: String,
    pub price_source: String,
    pub available_now: String,
    pub available_later: String,
    /// What the findings say, worst first: "problem: …", "unknown: …".
    pub warnings: Vec<String>,
    pub notes: String,
    /// Titles of the pages that the facts are from, those with most facts first; "source not recorded" for what no reader can open.
    pub data_sources: Vec<String>,
    /// A page about the part, the one with the best facts.
    pub link: Option<String>,
}

impl Row {
    /// What all pieces of the row count for.
    pub fn total(&self) -> Option<Money> {
        self.counted.map(|one| one.times(self.quantity))
    }
}

/// What some rows add up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    pub pieces: usize,
    /// Of the prices that count.
    pub total: Money,
    /// Pieces without a price that counts.
    pub unpriced: usize,
    /// Date of the oldest price that counts.
    pub oldest: Option<String>,
    /// Of the known draws.
    pub typical_w: f64,
    pub limit_w: f64,
    /// Pieces whose draw is unknown, and their names.
    pub undrawn: usize,
    pub undrawn_names: Vec<String>,
}

impl Sums {
    pub fn of<'a>(rows: impl Iterator<Item = &'a Row>, currency: Currency) -> Self {
        let mut sums = Self {
            pieces: 0,
            total: Money::zero(currency),
            unpriced: 0,
            oldest: None,
            typical_w: 0.0,
            limit_w: 0.0,
            undrawn: 0,
            undrawn_names: Vec::new(),
        };
        for row in rows {
            sums.pieces += row.quantity;
            match row.total() {
                Some(total) => {
                    sums.total.cents = sums.total.cents.saturating_add(total.cents);
                    let older = |o: &String| row.price_date < *o;
                    if !row.price_date.is_empty() && sums.oldest.as_ref().is_none_or(older) {
                        sums.oldest = Some(row.price_date.clone());
                    }
                }
                None => sums.unpriced += row.quantity,
            }
            sums.typical_w += row.typical_w.unwrap_or(0.0) * row.quantity as f64;
            sums.limit_w += row.limit_w.unwrap_or(0.0) * row.quantity as f64;
            if row.draws && row.typical_w.is_none() {
                sums.undrawn += row.quantity;
                sums.undrawn_names.push(row.part.clone());
            }
        }
        sums
    }

    /// "at least $9,412, 2 parts without price; prices as old as 2020-09"
    pub fn text(&self) -> String {
        let age = self.oldest.as_ref().map_or_else(String::new, |d| format!("; prices as old as {d}"));
        format!("{}{age}", total_text(self.total, self.unpriced))
    }
}

/// Pieces that share a row.
type Group<'a> = Vec<(PlacementId, &'a Placement, &'a Part)>;

/// Makes the list of a report.
pub fn parts_list(catalog: &Catalog, project: &Project, report: &Report, by: RowsBy) -> PartsList {
    let places: BTreeMap<SlotId, Slot> = slots(catalog, &project.rig).into_iter().map(|s| (s.id.clone(), s)).collect();
    let draws: BTreeMap<PlacementId, &Draw> = report.facts.power.parts.iter().map(|d| (d.placement, d)).collect();
    let lines: BTreeMap<PlacementId, &Line> = report.facts.cost.lines.iter().map(|l| (l.placement, l)).collect();
    let mut groups: Vec<(String, Group<'_>)> = Vec::new();
    for (id, piece, part) in project.rig.placed(catalog) {
        let place = match by {
            RowsBy::Place => piece.slot.as_ref().and_then(|s| places.get(s)).map_or_else(String::new, |s| like(&s.kind)),
            RowsBy::Part => String::new(),
        };
        let key = format!("{}/{place}/{:?}", part.id, piece.settings);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, group)) => group.push((id, piece, part)),
            None => groups.push((key, vec![(id, piece, part)])),
        }
    }
    groups.sort_by_key(|(_, group)| group.first().map(|(_, _, part)| part.kind.index()));
    let rows: Vec<Row> = groups.iter().filter_map(|(_, group)| row(group, &places, &draws, &lines, &report.findings)).collect();
    let cost = &report.facts.cost;
    PartsList {
        title: project.name.clone(),
        pieces: rows.iter().map(|r| r.quantity).sum(),
        total_text: Sums::of(rows.iter(), cost.known_total.currency).text(),
        rows,
        total: cost.known_total,
        remarks: remarks(catalog, project, report),
    }
}

/// Places of one sort share a row.
fn like(kind: &SlotKind) -> String {
    match kind {
        SlotKind::Connector(connector) => connector.kind.to_string(),
        SlotKind::FanMount { edge, .. } => format!("{edge} mount"),
        SlotKind::Bay { inch35 } => format!("bay {inch35}"),
        SlotKind::Case | SlotKind::Board | SlotKind::Psu | SlotKind::Socket | SlotKind::CoolerSeat | SlotKind::Dimm | SlotKind::Bridge => {
            String::new()
        }
    }
}

fn row(
    group: &Group<'_>,
    places: &BTreeMap<SlotId, Slot>,
    draws: &BTreeMap<PlacementId, &Draw>,
    lines: &BTreeMap<PlacementId, &Line>,
    findings: &[Finding],
) -> Option<Row> {
    let &(id, piece, part) = group.first()?;
    let mut positions: Vec<&str> = Vec::new();
    for (_, piece, _) in group {
        let label = piece.slot.as_ref().and_then(|s| places.get(s)).map_or("", |s| s.label.as_str());
        if !positions.contains(&label) {
            positions.push(label);
        }
    }
    let asked = lines.get(&id).and_then(|l| l.asked.as_ref());
    let draw = draws.get(&id);
    let text = |t: Option<&String>| t.cloned().unwrap_or_default();
    Some(Row {
        position: positions.join("; "),
        kind: part.kind.label().to_owned(),
        part: part.name.clone(),
        maker: text(part.maker.as_ref()),
        model: part.short_name().to_owned(),
        part_number: text(part.part_number.as_ref()),
        quantity: group.len(),
        interface: interface(&part.kind),
        draws: draw.is_some(),
        typical_w: draw.and_then(|d| d.typical_w),
        limit_w: draw.and_then(|d| d.limit_w),
        unit_price: asked.map(|a| a.price),
        counted: lines.get(&id).and_then(|l| l.counted),
        price_date: asked.map(|a| a.date.clone()).unwrap_or_default(),
        price_kind: asked.map(|a| a.kind.to_string()).unwrap_or_default(),
        price_source: asked.map(|a| a.source.clone()).unwrap_or_default(),
        available_now: part.life.sale.map(|s| s.to_string()).unwrap_or_default(),
        available_later: available_later(part),
        warnings: warnings(group, findings),
        notes: notes(piece, part),
        data_sources: data_sources(part),
        link: link(part),
    })
}

/// "likely sold new (current product line, as of 2026-11)"
fn available_later(part: &Part) -> String {
    let Some(outlook) = part.life.outlook else { return String::new() };
    let as_of = part.life.as_of.as_ref().map(|d| format!("as of {d}"));
    let reason = part.life.reason.as_ref().map(|r| r.trim_end_matches('.').to_owned());
    let why: Vec<String> = reason.into_iter().chain(as_of).collect();
    if why.is_empty() { outlook.to_string() } else { format!("{outlook} ({})", why.join(", ")) }
}

/// What is wrong or unknown with any of the pieces, unless somebody lives with it. Notes are no warnings.
fn warnings(group: &Group<'_>, findings: &[Finding]) -> Vec<String> {
    let about = |s: &Subject| matches!(s, Subject::Placement(id) if group.iter().any(|(g, ..)| g == id));
    let mut out: Vec<String> = Vec::new();
    for finding in findings.iter().filter(|f| f.accepted.is_none() && f.subjects.iter().any(about)) {
        let level = match finding.verdict {
            Verdict::Pass => continue,
            Verdict::Unknown => "unknown",
            Verdict::Fail if finding.severity == Severity::Note => continue,
            Verdict::Fail => finding.severity.text(),
        };
        let text = format!("{level}: {}", finding.message.trim_end_matches('.'));
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

/// The part's sources with the number of facts from each, most first, and the best confidence among them.
fn sources(part: &Part) -> Vec<(&Source, usize, Confidence)> {
    let mut found: Vec<(&Source, usize, Confidence)> = Vec::new();
    for origin in part.from.values() {
        let Some(source) = part.sources.get(&origin.source) else { continue };
        match found.iter_mut().find(|(s, ..)| *s == source) {
            Some((_, count, best)) => (*count, *best) = (*count + 1, (*best).min(origin.confidence)),
            None => found.push((source, 1, origin.confidence)),
        }
    }
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.title.cmp(&b.0.title)));
    found
}

fn data_sources(part: &Part) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (source, ..) in sources(part) {
        let title = if source.url.is_some() { source.title.as_str() } else { NOT_RECORDED };
        if !out.iter().any(|t| t == title) {
            out.push(title.to_owned());
        }
    }
    out
}

/// For sources that no reader can open.
pub(super) const NOT_RECORDED: &str = "source not recorded";

/// A page about this very part: its title names it.
fn link(part: &Part) -> Option<String> {
    let model = part.short_name().to_lowercase();
    let about = |s: &Source| s.title.to_lowercase().contains(&model) && !is_opendb(s);
    let pages = sources(part).into_iter().filter(|(s, ..)| about(s)).filter_map(|(s, count, best)| Some((s.url.clone()?, count, best)));
    let best = pages.min_by(|a, b| a.2.cmp(&b.2).then(b.1.cmp(&a.1)));
    best.map(|(url, ..)| url).filter(|u| u.starts_with("https://") || u.starts_with("http://"))
}

fn notes(piece: &Placement, part: &Part) -> String {
    let settings = piece.settings.iter().map(|(key, value)| format!("{} {value}", key.replace('_', " ")));
    let stand_in = part.generic.then(|| "a stand-in, not a product".to_owned());
    stand_in.into_iter().chain(settings).chain(part.notes.clone()).collect::<Vec<_>>().join("; ")
}

fn remarks(catalog: &Catalog, project: &Project, report: &Report) -> Vec<String> {
    let mut out = Vec::new();
    let tray: Vec<&str> = project.rig.tray(catalog).map(|(_, part)| part.name.as_str()).collect();
    if !tray.is_empty() {
        out.push(format!("Not placed and not counted: {}.", tray.join(", ")));
    }
    let cost = &report.facts.cost;
    let foreign: BTreeSet<Currency> =
        cost.lines.iter().filter(|l| l.converted).filter_map(|l| l.asked.as_ref()).map(|a| a.price.currency).collect();
    let room = project.room.currency;
    for currency in foreign {
        let own = project.prices.rates.get(currency.code()).filter(|r| r.to == room).map(|r| (r.per_unit, r.date.as_str()));
        if let Some((rate, date)) = own.or_else(|| catalog.rates.between(currency, room)) {
            out.push(format!("Prices in {currency} count at {} {room} each, the rate of {date}.", plain(rate, 4)));
        }
    }
    let left_out: BTreeSet<&str> =
        cost.lines.iter().filter(|l| l.counted.is_none()).filter_map(|l| l.asked.as_ref()).map(|a| a.price.currency.code()).collect();
    if !left_out.is_empty() {
        let list: Vec<&str> = left_out.into_iter().collect();
        out.push(format!("Prices in {} are not in the sum, as no exchange rate to {room} is set.", list.join(", ")));
    }
    if cost.lines.iter().filter_map(|l| l.asked.as_ref()).any(|a| a.kind == PriceKind::Launch) {
        out.push("Launch prices are what the maker asked at the start of sales, not what shops ask today.".to_owned());
    }
    if project.rig.placed(catalog).any(|(_, _, part)| derives_from_opendb(part)) {
        out.push(opendb::NOTICE.to_owned());
    }
    out
}

fn derives_from_opendb(part: &Part) -> bool {
    part.sources.values().any(is_opendb)
}

fn is_opendb(source: &Source) -> bool {
    source.url.as_ref().is_some_and(|u| u.contains("buildcores")) || source.title.contains("OpenDB")
}
