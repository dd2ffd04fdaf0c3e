//! What the rig costs to buy and to run. Currencies are never mixed silently.

use crate::analysis::power::Power;
use crate::analysis::{Basis, Origin};
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId, Price};
use crate::catalog::vocab::{PriceKind, Sale};
use crate::project::Project;
use crate::units::{Currency, Money, plain, watts};

/// The price that counts for one placed part.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub placement: PlacementId,
    pub part: PartId,
    /// As asked; `None` = unknown.
    pub asked: Option<Asked>,
    /// In the room's currency; `None` = unknown, or no rate to convert it.
    pub counted: Option<Money>,
    /// `counted` came through an exchange rate.
    pub converted: bool,
}

/// A price with its day, kind and source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub price: Money,
    pub date: String,
    pub kind: PriceKind,
    pub source: String,
}

/// The cost ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub lines: Vec<Line>,
    /// Sum of the known prices in the room's currency.
    pub known_total: Money,
    /// Placed parts without a price that counts.
    pub unpriced: Vec<PlacementId>,
    /// Date of the oldest price that counts.
    pub oldest: Option<String>,
    /// Some price was converted.
    pub converted: bool,
    /// Energy of a month at the room's tariff and hours; `None` while the draw from the wall is unknown.
    pub energy_per_month: Option<Money>,
    pub energy_origin: Origin,
    /// Purchase plus energy over the room's years, one point a month: (months, amount). Empty while the energy is unknown.
    pub over_months: Vec<(f64, f64)>,
}

impl Cost {
    /// "$9,412", "at least $9,412, 2 parts without price".
    pub fn total_text(&self) -> String {
        total_text(self.known_total, self.unpriced.len())
    }
}

/// A sum of prices and how many parts it leaves out.
pub fn total_text(known: Money, unpriced: usize) -> String {
    match unpriced {
        0 => known.to_string(),
        1 => format!("at least {known}, 1 part without price"),
        n => format!("at least {known}, {n} parts without price"),
    }
}

/// The price that counts for a part: the user's own first; then the newest street price, used ones only where the part is no longer sold
/// new; then the newest list price; then the launch price. `None` = unknown; a generic part is no product and has no price but the user's.
pub fn best_price(catalog: &Catalog, project: &Project, part: &PartId) -> Option<Asked> {
    if let Some(own) = project.prices.parts.get(part) {
        let price = Money::new(own.amount, own.currency);
        return Some(Asked { price, date: own.date.clone(), kind: PriceKind::User, source: "your own price".to_owned() });
    }
    let part = catalog.part(part)?;
    if part.generic {
        return None;
    }
    let used_only = matches!(part.life.sale, Some(Sale::UsedOnly | Sale::Ended));
    let street = newest(part, |k| k == PriceKind::StreetNew || (used_only && k == PriceKind::StreetUsed));
    let (price, money) = street.or_else(|| newest(part, |k| k == PriceKind::List)).or_else(|| newest(part, |k| k == PriceKind::Launch))?;
    let source = part.sources.get(&price.source).map_or_else(|| price.source.clone(), |s| s.title.clone());
    Some(Asked { price: money, date: price.date.clone(), kind: price.kind, source })
}

/// The newest price of these kinds; of several on one day the first that the catalog lists.
fn newest(part: &Part, wanted: impl Fn(PriceKind) -> bool) -> Option<(&Price, Money)> {
    let usable = |p: &Price| Some(Money::new(p.amount, Currency::parse(&p.currency)?)).filter(|_| p.amount.is_finite() && p.amount >= 0.0);
    let offers = part.prices.iter().filter(|p| wanted(p.kind)).filter_map(|p| Some((p, usable(p)?)));
    // `max_by` keeps the last of equals.
    offers.rev().max_by(|a, b| a.0.date.cmp(&b.0.date))
}

/// A price in the room's currency, and whether a rate was used: the user's own, else the catalog's. `None` where neither has one.
pub fn in_room_currency(catalog: &Catalog, project: &Project, price: Money) -> Option<(Money, bool)> {
    let room = project.room.currency;
    if price.currency == room {
        return Some((price, false));
    }
    let own = project.prices.rates.get(price.currency.code()).filter(|r| r.to == room && r.per_unit.is_finite()).map(|r| r.per_unit);
    let rate = own.or_else(|| catalog.rates.between(price.currency, room).map(|(rate, _)| rate))?;
    Some((Money { cents: (price.cents as f64 * rate).round() as i64, currency: room }, true))
}

/// Cost of drawing `watts_drawn` from the wall for `hours` at `tariff` per kWh, in units of the tariff's currency.
pub fn energy_cost(watts_drawn: f64, hours: f64, tariff: f64) -> f64 {
    watts_drawn / 1000.0 * hours * tariff
}

/// Days of a mean month: 365.25 / 12, rounded.
pub const DAYS_PER_MONTH: f64 = 30.44;

/// Computes the cost ledger: lines of the placed parts (the tray is left out), their sum, and what the energy adds.
pub fn cost(catalog: &Catalog, project: &Project, power: &Power) -> Cost {
    let mut cost = Cost {
        lines: Vec::new(),
        known_total: Money::zero(project.room.currency),
        unpriced: Vec::new(),
        oldest: None,
        converted: false,
        energy_per_month: None,
        energy_origin: energy_origin(project, power),
        over_months: Vec::new(),
    };
    for (id, placement, _) in project.rig.placed(catalog) {
        let asked = best_price(catalog, project, &placement.part);
        let counted = asked.as_ref().and_then(|a| in_room_currency(catalog, project, a.price));
        match (&asked, counted) {
            (Some(asked), Some((money, converted))) => {
                cost.known_total.cents = cost.known_total.cents.saturating_add(money.cents);
                cost.converted |= converted;
                if cost.oldest.as_ref().is_none_or(|o| asked.date < *o) {
                    cost.oldest = Some(asked.date.clone());
                }
            }
            (_, None) | (None, _) => cost.unpriced.push(id),
        }
        let converted = counted.is_some_and(|c| c.1);
        cost.lines.push(Line { placement: id, part: placement.part.clone(), asked, counted: counted.map(|c| c.0), converted });
    }
    if let Some(month) = power.wall_w.map(|w| month_cost(project, w)) {
        cost.energy_per_month = Some(Money::new(month, project.room.currency));
        let months = (project.room.life_years * 12.0).round().clamp(1.0, 600.0) as u32;
        let purchase = cost.known_total.amount();
        cost.over_months = (0..=months).map(|m| (f64::from(m), purchase + month * f64::from(m))).collect();
    }
    cost
}

fn month_cost(project: &Project, wall_w: f64) -> f64 {
    energy_cost(wall_w, project.room.hours_per_day * DAYS_PER_MONTH, project.room.tariff_per_kwh)
}

fn energy_origin(project: &Project, power: &Power) -> Origin {
    let room = &project.room;
    match power.wall_w {
        None => Origin::new(Basis::Assumed, "unknown: the draw from the wall is unknown", ""),
        Some(wall) => {
            let formula = format!(
                "{} × {} h × {DAYS_PER_MONTH} days × {}{}/kWh",
                watts(wall),
                plain(room.hours_per_day, 2),
                room.currency.symbol(),
                plain(room.tariff_per_kwh, 4),
            );
            Origin::new(Basis::Assumed, formula, "your tariff and hours under load")
        }
    }
}
