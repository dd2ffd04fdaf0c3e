//! The cost ledger as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::{known, rounded};
use crate::analysis::cost::energy::{Energy, Run};
use crate::analysis::cost::even::{Even, Offer};
use crate::analysis::cost::life::Year;
use crate::analysis::cost::result::{ResultCost, Thing};
use crate::analysis::cost::{Cost, Line};

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonCost {
    /// That of the totals.
    pub currency: String,
    pub purchase: Vec<JsonPurchase>,
    /// Sum of the known prices.
    pub known_total: f64,
    /// What the cost settings add to the prices.
    pub tax: f64,
    pub shipping: f64,
    /// Known prices, tax and shipping.
    pub paid_total: f64,
    /// Ids of placed parts without a price that counts.
    pub unpriced: Vec<String>,
    pub energy_per_month: Option<f64>,
    /// Null: the draw from the wall is unknown.
    pub energy: Option<JsonEnergy>,
    /// A run without a stop; null: the draw or the supply's efficiency is unknown.
    pub run: Option<JsonRun>,
    /// After one to five years.
    pub years: Vec<JsonYear>,
    /// What an hour under load costs in all, over the room's years. Null: the draw from the wall or the hours under load are unknown.
    pub per_hour: Option<f64>,
    /// What a result costs.
    pub results: Vec<JsonResult>,
    /// Offers that the rig is set beside.
    pub break_even: Vec<JsonEven>,
    /// Date of the oldest price that counts.
    pub oldest_price: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonPurchase {
    /// Id of the placed part.
    pub placement: String,
    /// Id in the catalog.
    pub part: String,
    /// As asked, in `currency`.
    pub price: Option<f64>,
    pub currency: Option<String>,
    pub date: Option<String>,
    /// "launch", "list", "street new", "street used", "your price".
    pub kind: Option<String>,
    pub source: Option<String>,
    /// What counts in the total, in the currency of the total.
    pub counted: Option<f64>,
    /// `counted` came through an exchange rate.
    pub converted: bool,
}

/// Energy in the room's duty cycle.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonEnergy {
    pub load_w: f64,
    pub idle_w: f64,
    /// Mean tariff per kWh of the hours under load.
    pub load_tariff: f64,
    /// What an hour under load costs.
    pub load_hour: f64,
    pub kwh_per_month: f64,
    /// Parts of `energy_per_month`.
    pub idle_per_month: f64,
    pub supply_loss_per_month: f64,
    pub cooling_per_month: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonRun {
    pub days: f64,
    /// What the parts take.
    pub kwh: f64,
    pub cost: f64,
    /// What the supply loses on top.
    pub supply_loss_kwh: f64,
    pub supply_loss: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonYear {
    pub years: f64,
    pub purchase: f64,
    pub energy: Option<f64>,
    pub repair: f64,
    /// What the parts then sell for.
    pub resale: f64,
    pub total: Option<f64>,
}

/// The cost of one result, in the currency of the totals.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonResult {
    pub thing: Thing,
    /// Null: it is about the rig.
    pub workload: Option<String>,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The fact that is missing where the value is null.
    pub missing: Option<String>,
    pub formula: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonEven {
    pub offer: Offer,
    pub name: String,
    pub date: String,
    /// Workload whose speed counts.
    pub workload: Option<String>,
    /// What the work of one of the rig's hours costs there.
    pub other_per_hour: Option<f64>,
    /// Hours under load from which on the rig is cheaper; null: never, or unknown.
    pub hours: Option<f64>,
    /// The same as a share of all hours of the room's years; above 1 = not within them.
    pub utilisation: Option<f64>,
    pub missing: Option<String>,
    /// What an hour costs over the share of hours in use.
    pub curve: Vec<JsonUse>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonUse {
    pub utilisation: f64,
    pub own_per_hour: f64,
    pub other_per_hour: f64,
}

pub(super) fn cost(cost: &Cost) -> JsonCost {
    JsonCost {
        currency: cost.known_total.currency.to_string(),
        purchase: cost.lines.iter().map(purchase).collect(),
        known_total: rounded(cost.known_total.amount()),
        tax: rounded(cost.tax.amount()),
        shipping: rounded(cost.shipping.amount()),
        paid_total: rounded(cost.paid.amount()),
        unpriced: cost.unpriced.iter().map(ToString::to_string).collect(),
        energy_per_month: known(cost.energy_per_month.map(|m| m.amount())),
        energy: cost.energy.as_ref().map(energy),
        run: cost.run.as_ref().map(run),
        years: cost.years.iter().map(year).collect(),
        per_hour: known(cost.life.map(|l| l.hour)),
        results: cost.results.iter().map(result).collect(),
        break_even: cost.even.iter().map(|e| even(e, cost)).collect(),
        oldest_price: cost.oldest.clone(),
    }
}

fn purchase(line: &Line) -> JsonPurchase {
    let asked = line.asked.as_ref();
    JsonPurchase {
        placement: line.placement.to_string(),
        part: line.part.to_string(),
        price: known(asked.map(|a| a.price.amount())),
        currency: asked.map(|a| a.price.currency.to_string()),
        date: asked.map(|a| a.date.clone()),
        kind: asked.map(|a| a.kind.to_string()),
        source: asked.map(|a| a.source.clone()),
        counted: known(line.counted.map(|m| m.amount())),
        converted: line.converted,
    }
}

fn energy(e: &Energy) -> JsonEnergy {
    JsonEnergy {
        load_w: rounded(e.load_w),
        idle_w: rounded(e.idle_w),
        load_tariff: rounded(e.load_tariff),
        load_hour: rounded(e.load_hour),
        kwh_per_month: rounded(e.kwh_month),
        idle_per_month: rounded(e.idle_month.amount()),
        supply_loss_per_month: rounded(e.supply_month.amount()),
        cooling_per_month: rounded(e.cooling_month.amount()),
    }
}

fn run(r: &Run) -> JsonRun {
    JsonRun {
        days: rounded(r.days),
        kwh: rounded(r.kwh),
        cost: rounded(r.cost.amount()),
        supply_loss_kwh: rounded(r.lost_kwh),
        supply_loss: rounded(r.lost.amount()),
    }
}

fn year(y: &Year) -> JsonYear {
    JsonYear {
        years: rounded(y.years),
        purchase: rounded(y.purchase.amount()),
        energy: known(y.energy.map(|m| m.amount())),
        repair: rounded(y.repair.amount()),
        resale: rounded(y.resale.amount()),
        total: known(y.total.map(|m| m.amount())),
    }
}

fn result(r: &ResultCost) -> JsonResult {
    JsonResult {
        thing: r.thing,
        workload: r.workload.map(|_| r.workload_name.clone()),
        value: known(r.value),
        low: known(r.low),
        high: known(r.high),
        missing: r.missing.clone(),
        formula: r.origin.formula.clone(),
    }
}

fn even(e: &Even, cost: &Cost) -> JsonEven {
    JsonEven {
        offer: e.offer,
        name: e.name.clone(),
        date: e.date.clone(),
        workload: e.workload.clone(),
        other_per_hour: known(e.other_hour),
        hours: known(e.hours),
        utilisation: known(e.share),
        missing: e.missing.clone(),
        curve: e
            .over_use(cost)
            .iter()
            .map(|p| JsonUse { utilisation: rounded(p.share), own_per_hour: rounded(p.own), other_per_hour: rounded(p.other) })
            .collect(),
    }
}
