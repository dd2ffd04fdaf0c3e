//! What a parts list says, whatever the file: one row for equal parts at like places, a sum, and remarks.

use std::collections::{BTreeMap, BTreeSet};

use super::interface::interface;
use crate::analysis::cost::Line;
use crate::analysis::power::Draw;
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{Placement, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, Source};
use crate::catalog::vocab::PriceKind;
use crate::project::Project;
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
    pub oldest: Option<String>,
    /// Sums of the known draws.
    pub typical_w: f64,
    pub limit_w: f64,
    /// Sentences below the list: what is not counted, how prices were converted, whose data these are.
    pub remarks: Vec<String>,
}

/// Equal parts at like places.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Labels of the places, joined by semicolons.
    pub position: String,
    pub kind: String,
    pub part: String,
    pub maker: String,
    pub part_number: String,
    pub quantity: usize,
    pub interface: String,
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
    pub notes: String,
}

impl Row {
    /// What all pieces of the row count for.
    pub fn total(&self) -> Option<Money> {
        self.counted.map(|one| one.times(self.quantity))
    }
}

/// Pieces that share a row.
type Group<'a> = Vec<(PlacementId, &'a Placement, &'a Part)>;

/// Makes the list of a report.
pub fn parts_list(catalog: &Catalog, project: &Project, report: &Report) -> PartsList {
    let places: BTreeMap<SlotId, Slot> = slots(catalog, &project.rig).into_iter().map(|s| (s.id.clone(), s)).collect();
    let draws: BTreeMap<PlacementId, &Draw> = report.facts.power.parts.iter().map(|d| (d.placement, d)).collect();
    let lines: BTreeMap<PlacementId, &Line> = report.facts.cost.lines.iter().map(|l| (l.placement, l)).collect();
    let mut groups: Vec<(String, Group<'_>)> = Vec::new();
    for (id, piece, part) in project.rig.placed(catalog) {
        let place = piece.slot.as_ref().and_then(|s| places.get(s)).map_or_else(String::new, |s| like(&s.kind));
        let key = format!("{}/{place}/{:?}", part.id, piece.settings);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, group)) => group.push((id, piece, part)),
            None => groups.push((key, vec![(id, piece, part)])),
        }
    }
    groups.sort_by_key(|(_, group)| group.first().map(|(_, _, part)| part.kind.index()));
    let rows: Vec<Row> = groups.iter().filter_map(|(_, group)| row(group, &places, &draws, &lines)).collect();
    let (cost, power) = (&report.facts.cost, &report.facts.power);
    let age = cost.oldest.as_ref().map_or_else(String::new, |d| format!("; prices as old as {d}"));
    PartsList {
        title: project.name.clone(),
        pieces: rows.iter().map(|r| r.quantity).sum(),
        rows,
        total: cost.known_total,
        total_text: format!("{}{age}", cost.total_text()),
        oldest: cost.oldest.clone(),
        typical_w: power.typical_w,
        limit_w: power.limit_w,
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
        part_number: text(part.part_number.as_ref()),
        quantity: group.len(),
        interface: interface(&part.kind),
        typical_w: draw.and_then(|d| d.typical_w),
        limit_w: draw.and_then(|d| d.limit_w),
        unit_price: asked.map(|a| a.price),
        counted: lines.get(&id).and_then(|l| l.counted),
        price_date: asked.map(|a| a.date.clone()).unwrap_or_default(),
        price_kind: asked.map(|a| a.kind.to_string()).unwrap_or_default(),
        price_source: asked.map(|a| a.source.clone()).unwrap_or_default(),
        available_now: part.life.sale.map(|s| s.to_string()).unwrap_or_default(),
        available_later: available_later(part),
        notes: notes(piece, part),
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
        out.push(OPENDB_NOTICE.to_owned());
    }
    out
}

/// What the licence of BuildCores OpenDB asks of lists that show its contents.
const OPENDB_NOTICE: &str = "Contains information from BuildCores OpenDB (https://github.com/buildcores/buildcores-open-db) which is made \
     available under the ODC Attribution License (https://opendatacommons.org/licenses/by/1-0/).";

fn derives_from_opendb(part: &Part) -> bool {
    let is_opendb = |s: &Source| s.url.as_ref().is_some_and(|u| u.contains("buildcores")) || s.title.contains("OpenDB");
    part.sources.values().any(is_opendb)
}
