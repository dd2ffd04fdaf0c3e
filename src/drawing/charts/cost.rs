//! Charts of the cost ledger: what was bought, what the years add, when the rig pays, and the best rigs for the money.

use std::collections::BTreeMap;

use super::{Bar, Curve, Dot, Titles, bars, curves, scatter};
use crate::analysis::cost::Cost;
use crate::analysis::cost::even::Even;
use crate::catalog::Catalog;
use crate::catalog::kinds::KINDS;
use crate::drawing::{Drawing, Role};
use crate::units::{Money, plain};

/// A chart of the cost ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CostChart {
    /// Purchase by kind of part.
    #[default]
    Purchase,
    /// Sum over one to five years.
    Years,
    /// Sum over the months beside what the same work costs elsewhere.
    Time,
    /// Cost of an hour over the share of hours in use, beside offers.
    Use,
}

impl CostChart {
    pub const ALL: &[Self] = &[Self::Purchase, Self::Years, Self::Time, Self::Use];

    /// Its name on the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Purchase => "purchase",
            Self::Years => "years",
            Self::Time => "time",
            Self::Use => "use",
        }
    }

    /// Its name on the screen.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Purchase => "by kind",
            Self::Years => "over years",
            Self::Time => "beside offers",
            Self::Use => "by use",
        }
    }

    /// The drawing; `None` where nothing is known to draw.
    pub fn draw(self, catalog: &Catalog, cost: &Cost) -> Option<Drawing> {
        match self {
            Self::Purchase => purchase(catalog, cost),
            Self::Years => years(cost),
            Self::Time => over_time(cost),
            Self::Use => over_use(cost),
        }
    }

    /// Why there is nothing to draw.
    pub const fn nothing(self) -> &'static str {
        match self {
            Self::Purchase => "No placed part has a price.",
            Self::Years | Self::Time => "What the energy costs is unknown, as the draw from the wall is.",
            Self::Use => "Add a rented machine or a service by the token in Settings to see from how much use on the rig pays.",
        }
    }
}

const KIND_ROLES: [Role; 8] =
    [Role::Accent, Role::Cold, Role::Cache, Role::Advice, Role::Gradient, Role::States, Role::Activation, Role::Neutral];

/// One bar a kind, dearest first, each in its own colour.
fn purchase(catalog: &Catalog, cost: &Cost) -> Option<Drawing> {
    let mut kinds: BTreeMap<&str, (i64, usize)> = BTreeMap::new();
    for line in &cost.lines {
        let Some(part) = catalog.part(&line.part) else { continue };
        let entry = kinds.entry(part.kind.key()).or_default();
        match line.counted {
            Some(money) => entry.0 = entry.0.saturating_add(money.cents),
            None => entry.1 += 1,
        }
    }
    let currency = cost.known_total.currency;
    let mut rows: Vec<(&str, i64, usize)> = kinds.into_iter().map(|(k, (cents, unknown))| (k, cents, unknown)).collect();
    rows.sort_by_key(|r| std::cmp::Reverse(r.1));
    let label = |key: &str| KINDS.iter().find(|k| k.0 == key).map_or_else(|| key.to_owned(), |k| k.1.to_owned());
    let list: Vec<Bar> = rows
        .iter()
        .zip(KIND_ROLES.iter().cycle())
        .map(|((key, cents, unknown), role)| {
            let money = Money { cents: *cents, currency };
            let text = match (*cents, *unknown) {
                (0, _) => "price unknown".to_owned(),
                (_, 0) => money.to_string(),
                (_, n) => format!("{money}, {n} unknown"),
            };
            Bar { name: label(key), parts: vec![(*role, money.amount())], text }
        })
        .collect();
    bars(&format!("Purchase by kind, {}", cost.total_text()), currency.code(), &list, &[])
}

fn years(cost: &Cost) -> Option<Drawing> {
    let list: Vec<Bar> = cost
        .years
        .iter()
        .filter_map(|y| {
            let total = y.total?;
            let parts = vec![
                (Role::Cold, y.purchase.amount()),
                (Role::Advice, y.energy?.amount()),
                (Role::Cache, y.repair.amount()),
                (Role::Good, -y.resale.amount()),
            ];
            let name = if y.years == 1.0 { "1 year".to_owned() } else { format!("{} years", plain(y.years, 1)) };
            Some(Bar { name, parts, text: total.to_string() })
        })
        .collect();
    let legend = [(Role::Cold, "purchase"), (Role::Advice, "energy"), (Role::Cache, "repair"), (Role::Good, "resale, taken off")];
    bars("Cost of owning the rig, with what it then sells for", cost.known_total.currency.code(), &list, &legend)
}

const OFFERS: [Role; 6] = [Role::Advice, Role::Cache, Role::Gradient, Role::States, Role::Activation, Role::Neutral];

fn offers(cost: &Cost) -> impl Iterator<Item = (&Even, f64, Role)> {
    cost.even.iter().filter_map(|e| Some((e, e.other_hour?))).zip(OFFERS.iter().cycle()).map(|((e, hour), role)| (e, hour, *role))
}

fn name(even: &Even) -> String {
    match &even.workload {
        Some(workload) => format!("{}, {workload}", even.name),
        None => even.name.clone(),
    }
}

/// Purchase and energy, and what the same hours cost elsewhere.
fn over_time(cost: &Cost) -> Option<Drawing> {
    let life = cost.life?;
    let months = cost.over_months.last()?.0;
    let own = Curve { name: "this rig".to_owned(), role: Role::Accent, dashed: false, points: cost.over_months.clone() };
    let per_month = life.load_hours / (life.all_hours / (365.25 * 2.0));
    let others = offers(cost).map(|(even, hour, role)| Curve {
        name: name(even),
        role,
        dashed: true,
        points: vec![(0.0, 0.0), (months, hour * per_month * months)],
    });
    let all: Vec<Curve> = std::iter::once(own).chain(others).collect();
    let currency = cost.known_total.currency;
    let titles = Titles { title: "Purchase and energy, beside what the same work costs elsewhere", x: "months", y: currency.code() };
    curves(titles, &all)
}

/// An hour's cost, by the share of hours in use.
fn over_use(cost: &Cost) -> Option<Drawing> {
    let first = cost.even.iter().find(|e| e.other_hour.is_some())?;
    let points = first.over_use(cost);
    let own = Curve {
        name: "this rig".to_owned(),
        role: Role::Accent,
        dashed: false,
        points: points.iter().map(|p| (p.share * 100.0, p.own)).collect(),
    };
    let others =
        offers(cost).map(|(even, hour, role)| Curve { name: name(even), role, dashed: true, points: vec![(0.0, hour), (100.0, hour)] });
    let all: Vec<Curve> = std::iter::once(own).chain(others).collect();
    let y = format!("{} an hour under load", cost.known_total.currency);
    curves(Titles { title: "What an hour costs, by how much the rig is used", x: "% of all hours under load", y: &y }, &all)
}

/// The best rigs by cost and speed, and the present rig beside them: (cost, speed, name).
pub fn pareto(front: &[(Money, f64, &str)], unit: &str, present: Option<(Money, f64)>) -> Option<Drawing> {
    let dot = |cost: &Money, speed: f64, name: &str, role| Dot { x: cost.amount(), y: speed, name: name.to_owned(), role };
    let best: Vec<Dot> = front.iter().map(|(cost, speed, name)| dot(cost, *speed, name, Role::Accent)).collect();
    let others: Vec<Dot> = present.iter().map(|(cost, speed)| dot(cost, *speed, "the present rig", Role::Advice)).collect();
    let currency = front.first().map(|f| f.0.currency).or(present.map(|p| p.0.currency))?;
    let x = format!("purchase, {currency}");
    scatter(Titles { title: "The fastest rig for each cost", x: &x, y: unit }, &best, &others)
}
