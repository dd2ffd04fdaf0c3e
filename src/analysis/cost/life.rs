//! What the rig costs over its years: purchase, energy, repair, less what it sells for.

use super::{Cost, energy::Energy};
use crate::catalog::Catalog;
use crate::catalog::part::PartKind;
use crate::project::Project;
use crate::units::Money;

/// The sum after so many years, each part of it in the room's currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Year {
    /// 1 to 5, or the room's years.
    pub years: f64,
    /// Parts, tax and shipping.
    pub purchase: Money,
    /// `None` = the draw from the wall is unknown.
    pub energy: Option<Money>,
    pub repair: Money,
    /// What the parts then sell for.
    pub resale: Money,
    /// Purchase and energy and repair less resale.
    pub total: Option<Money>,
}

/// Whole years that every ledger shows.
const YEARS: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];

/// One to five years.
pub(super) fn years(catalog: &Catalog, project: &Project, cost: &Cost) -> Vec<Year> {
    YEARS.iter().map(|y| after(catalog, project, cost, cost.energy.as_ref(), *y)).collect()
}

/// The sum after this many years.
pub(super) fn after(catalog: &Catalog, project: &Project, cost: &Cost, energy: Option<&Energy>, years: f64) -> Year {
    let (economy, currency) = (&project.economy, project.room.currency);
    let money = |cents: f64| Money { cents: cents.round() as i64, currency };
    let keeps = |loss: f64| libm::pow(1.0 - loss / 100.0, years);
    let (card, part) = (keeps(economy.card_loss_pct), keeps(economy.part_loss_pct));
    let worth = cost.lines.iter().map(|line| {
        let is_card = catalog.part(&line.part).is_some_and(|p| matches!(p.kind, PartKind::Gpu(_)));
        line.counted.map_or(0, |m| m.cents) as f64 * if is_card { card } else { part }
    });
    let resale = money(worth.sum());
    let repair = money(cost.paid.cents as f64 * economy.repair_pct / 100.0 * years);
    let energy = energy.map(|e| money(e.month.cents as f64 * 12.0 * years));
    let total = energy.map(|e| Money {
        cents: cost.paid.cents.saturating_add(e.cents).saturating_add(repair.cents).saturating_sub(resale.cents),
        currency,
    });
    Year { years, purchase: cost.paid, energy, repair, resale, total }
}
