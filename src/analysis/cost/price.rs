//! Which price of a part counts, and its worth in the room's currency.

use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId, Price};
use crate::catalog::vocab::{PriceKind, Sale};
use crate::project::Project;
use crate::project::economy::Condition;
use crate::units::{Currency, Money};

/// A price with its day, kind and source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub price: Money,
    pub date: String,
    pub kind: PriceKind,
    pub source: String,
}

/// The price that counts for a part: the user's own first; then the newest street price, used ones only where the part is no longer sold
/// new or the project asks for used ones; then the newest list price; then the launch price. `None` = unknown; a generic part is no product
/// and has no price but the user's.
pub fn best_price(catalog: &Catalog, project: &Project, part: &PartId) -> Option<Asked> {
    price_for(catalog, project, part, project.economy.condition)
}

/// [`best_price`] of a piece that is bought in this condition.
pub fn price_for(catalog: &Catalog, project: &Project, part: &PartId, condition: Condition) -> Option<Asked> {
    if let Some(own) = project.prices.parts.get(part) {
        let price = Money::new(own.amount, own.currency);
        let source = if own.shop.is_empty() { "your own price".to_owned() } else { format!("your price book, {}", own.shop) };
        return Some(Asked { price, date: own.date.clone(), kind: PriceKind::User, source });
    }
    let part = catalog.part(part)?;
    if part.generic {
        return None;
    }
    let used_too = match condition {
        Condition::Usual => matches!(part.life.sale, Some(Sale::UsedOnly | Sale::Ended)),
        Condition::New | Condition::Used => false,
    };
    let used = || newest(part, |k| k == PriceKind::StreetUsed).filter(|_| condition == Condition::Used);
    let street = || newest(part, |k| k == PriceKind::StreetNew || (used_too && k == PriceKind::StreetUsed));
    let list = || newest(part, |k| k == PriceKind::List);
    let (price, money) = used().or_else(street).or_else(list).or_else(|| newest(part, |k| k == PriceKind::Launch))?;
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

/// Units of the room's currency for one unit of another: the user's own rate, else the catalog's.
pub fn rate_to_room(catalog: &Catalog, project: &Project, from: Currency) -> Option<f64> {
    let room = project.room.currency;
    let own = project.prices.rates.get(from.code()).filter(|r| r.to == room && r.per_unit.is_finite()).map(|r| r.per_unit);
    own.or_else(|| catalog.rates.between(from, room).map(|(rate, _)| rate))
}

/// A price in the room's currency, and whether a rate was used: the user's own, else the catalog's. `None` where neither has one.
pub fn in_room_currency(catalog: &Catalog, project: &Project, price: Money) -> Option<(Money, bool)> {
    let room = project.room.currency;
    if price.currency == room {
        return Some((price, false));
    }
    let rate = rate_to_room(catalog, project, price.currency)?;
    Some((Money { cents: (price.cents as f64 * rate).round() as i64, currency: room }, true))
}
