//! What the rig costs to buy and to run, what a result costs, and when it pays. Currencies are never mixed silently; sums are exact in
//! cents, and what is derived from a speed has the speed's band.

use crate::analysis::Origin;
use crate::analysis::memory::CardLedger;
use crate::analysis::power::Power;
use crate::analysis::speed::Speed;
use crate::build::{Placement, PlacementId};
use crate::catalog::Catalog;
use crate::catalog::part::PartId;
use crate::project::Project;
use crate::project::economy::{CONDITION, Condition};
use crate::units::Money;

pub mod energy;
pub mod even;
pub mod life;
pub mod price;
pub mod rates;
pub mod result;

pub use energy::{DAYS_PER_MONTH, energy_cost};
use energy::{Energy, Run};
use even::Even;
use life::Year;
pub use price::{Asked, best_price, in_room_currency, price_for};
use result::ResultCost;

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

/// The rig over the room's years, spread over its hours under load; in units of the room's currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    /// Purchase and repair less resale, and the energy of idle hours: what is paid whatever the rig does.
    pub standing: f64,
    /// Hours under load in the room's years.
    pub load_hours: f64,
    /// All hours in the room's years.
    pub all_hours: f64,
    /// What an hour under load costs in all.
    pub hour: f64,
}

/// The cost ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub lines: Vec<Line>,
    /// Sum of the known prices in the room's currency.
    pub known_total: Money,
    /// What the settings add to the prices.
    pub tax: Money,
    pub shipping: Money,
    /// Known prices, tax and shipping.
    pub paid: Money,
    /// Placed parts without a price that counts.
    pub unpriced: Vec<PlacementId>,
    /// Date of the oldest price that counts.
    pub oldest: Option<String>,
    /// Some price was converted.
    pub converted: bool,
    /// `None` while the draw from the wall is unknown.
    pub energy: Option<Energy>,
    /// Energy of a month at the room's tariff and hours; `None` while the draw from the wall is unknown.
    pub energy_per_month: Option<Money>,
    pub energy_origin: Origin,
    /// The guide's sum for a long run.
    pub run: Option<Run>,
    /// Purchase plus energy over the room's years, one point a month: (months, amount). Empty while the energy is unknown.
    pub over_months: Vec<(f64, f64)>,
    /// One to five years.
    pub years: Vec<Year>,
    /// `None` while the draw from the wall or the hours under load are unknown.
    pub life: Option<Life>,
    pub results: Vec<ResultCost>,
    pub even: Vec<Even>,
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

/// In which condition a piece is bought: as its own setting says, else as the project's.
pub fn condition(project: &Project, piece: &Placement) -> Condition {
    piece.settings.get(CONDITION).and_then(|t| Condition::parse(t)).unwrap_or(project.economy.condition)
}

/// Computes the cost ledger: lines of the placed parts (the tray is left out), their sum, what energy, repair and resale make of it over the
/// years, what a result costs and when the rig pays. `memory` and `speeds` are the ledgers of the same project.
pub fn cost(catalog: &Catalog, project: &Project, power: &Power, memory: &[CardLedger], speeds: &[Speed]) -> Cost {
    let mut cost = purchase(catalog, project);
    cost.energy_origin = energy::origin(project, power);
    cost.energy = energy::energy(project, power);
    cost.energy_per_month = cost.energy.map(|e| e.month);
    cost.run = energy::run(project, power);
    if let Some(energy) = &cost.energy {
        let months = (project.room.life_years * 12.0).round().clamp(1.0, 600.0) as u32;
        let (paid, month) = (cost.paid.amount(), month_amount(energy, project));
        cost.over_months = (0..=months).map(|m| (f64::from(m), paid + month * f64::from(m))).collect();
    }
    cost.years = life::years(catalog, project, &cost);
    cost.life = whole_life(catalog, project, &cost);
    cost.results = result::results(catalog, project, &cost, memory, speeds);
    cost.even = even::all(catalog, project, &cost, speeds);
    cost
}

/// A month of energy before it is rounded to cents.
fn month_amount(energy: &Energy, project: &Project) -> f64 {
    let carried = 1.0 + project.economy.cooling_pct / 100.0;
    let idle = energy_cost(energy.idle_w, project.economy.idle_hours_per_day * DAYS_PER_MONTH, energy.idle_tariff) * carried;
    energy.load_hour * project.room.hours_per_day * DAYS_PER_MONTH + idle
}

/// Lines and their sums; nothing else is filled in.
pub fn purchase(catalog: &Catalog, project: &Project) -> Cost {
    let currency = project.room.currency;
    let zero = Money::zero(currency);
    let mut cost = Cost {
        lines: Vec::new(),
        known_total: zero,
        tax: zero,
        shipping: zero,
        paid: zero,
        unpriced: Vec::new(),
        oldest: None,
        converted: false,
        energy: None,
        energy_per_month: None,
        energy_origin: Origin::new(crate::analysis::Basis::Assumed, "", ""),
        run: None,
        over_months: Vec::new(),
        years: Vec::new(),
        life: None,
        results: Vec::new(),
        even: Vec::new(),
    };
    for (id, placement, _) in project.rig.placed(catalog) {
        let asked = price_for(catalog, project, &placement.part, condition(project, placement));
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
    cost.tax.cents = (cost.known_total.cents as f64 * project.economy.tax_pct / 100.0).round() as i64;
    if !cost.lines.is_empty() {
        cost.shipping = Money::new(project.economy.shipping, currency);
    }
    cost.paid.cents = cost.known_total.cents.saturating_add(cost.tax.cents).saturating_add(cost.shipping.cents);
    cost
}

fn whole_life(catalog: &Catalog, project: &Project, cost: &Cost) -> Option<Life> {
    let energy = cost.energy.as_ref()?;
    let years = project.room.life_years;
    let at_end = life::after(catalog, project, cost, None, years);
    let idle = energy.idle_month.amount() * 12.0 * years;
    let standing = at_end.purchase.amount() + at_end.repair.amount() - at_end.resale.amount() + idle;
    let load_hours = project.room.hours_per_day * 365.25 * years;
    let all_hours = even::HOURS_A_YEAR * years;
    (load_hours > 0.0).then(|| Life { standing, load_hours, all_hours, hour: standing / load_hours + energy.load_hour })
}
