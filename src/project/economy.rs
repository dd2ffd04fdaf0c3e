//! What the user assumes about money beyond prices: tax, duty cycle, tariffs by the hour, repair, resale, and what renting costs.

use serde::{Deserialize, Serialize};

use crate::units::Currency;

/// Assumptions of the cost ledger. Every default is one that the user can change; none of them is measured on this rig.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Economy {
    /// Percent added to every price: sales tax where prices are given without it.
    #[serde(skip_serializing_if = "is_zero")]
    pub tax_pct: f64,
    /// For all parts together, in the room's currency.
    #[serde(skip_serializing_if = "is_zero")]
    pub shipping: f64,
    /// Which prices count: where a piece has a setting `condition`, that wins.
    #[serde(skip_serializing_if = "Condition::is_usual")]
    pub condition: Condition,
    /// Hours on an average day that the rig is on without work.
    #[serde(skip_serializing_if = "is_zero")]
    pub idle_hours_per_day: f64,
    /// Draw without work, percent of that under load.
    pub idle_pct: f64,
    /// Clock hour at which the day's work begins, 0 to 24; matters with tariffs by the hour.
    pub work_from_h: f64,
    /// Hours with a tariff of their own; outside them the room's counts, and of several the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tariffs: Vec<Tariff>,
    /// Energy that carries the heat out of the room, percent of what the rig draws.
    #[serde(skip_serializing_if = "is_zero")]
    pub cooling_pct: f64,
    /// Repairs a year, percent of the purchase.
    pub repair_pct: f64,
    /// What graphics cards lose of their value a year, percent.
    pub card_loss_pct: f64,
    /// What all other parts lose of their value a year, percent.
    pub part_loss_pct: f64,
    /// Tokens of one epoch of a training job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch_tokens: Option<f64>,
    /// Epochs of a whole training run.
    pub epochs: f64,
    /// Days of a run without a stop, for the sum of its energy.
    pub run_days: f64,
    /// Machines for hire.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rents: Vec<Rent>,
    /// Services that take money by the token.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<Service>,
}

impl Default for Economy {
    /// Prices as asked, nothing idle, no overhead. Cards lose 19 % a year: the median of the 35 cards of the program's catalog that have both
    /// a launch price and a later used price in dollars (a tenth lose over 27 %, a tenth under 6 %). 25 % for the rest, 2 % of the purchase
    /// for repairs and a fifth of the load's draw when idle are chosen. A run of two weeks is the guide's (G15).
    fn default() -> Self {
        Self {
            tax_pct: 0.0,
            shipping: 0.0,
            condition: Condition::Usual,
            idle_hours_per_day: 0.0,
            idle_pct: 20.0,
            work_from_h: 9.0,
            tariffs: Vec::new(),
            cooling_pct: 0.0,
            repair_pct: 2.0,
            card_loss_pct: 19.0,
            part_loss_pct: 25.0,
            epoch_tokens: None,
            epochs: 1.0,
            run_days: 14.0,
            rents: Vec::new(),
            services: Vec::new(),
        }
    }
}

/// Which of a part's prices counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// New, used only where the part is no longer sold new.
    #[default]
    Usual,
    New,
    /// Used, new where nobody asked for a used one.
    Used,
}

/// Setting of a placed part that says which of its prices counts: "new" or "used".
pub const CONDITION: &str = "condition";

impl Condition {
    pub const ALL: &[Self] = &[Self::Usual, Self::New, Self::Used];

    pub const fn text(self) -> &'static str {
        match self {
            Self::Usual => "new, used where no longer sold new",
            Self::New => "new",
            Self::Used => "used",
        }
    }

    /// Of a setting; `None` = no such condition.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "new" => Some(Self::New),
            "used" => Some(Self::Used),
            _ => None,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_usual(&self) -> bool {
        *self == Self::Usual
    }
}

/// A price of energy for some hours of the day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tariff {
    /// Clock hours, 0 to 24; past midnight where `from_h` is the larger.
    pub from_h: f64,
    pub to_h: f64,
    /// In the room's currency.
    pub per_kwh: f64,
}

/// A machine for hire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rent {
    pub name: String,
    /// Of the whole machine.
    pub per_hour: f64,
    pub currency: Currency,
    /// `YYYY-MM-DD`
    pub date: String,
    /// What it does in an hour, in hours of this rig.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub speed: f64,
}

/// A service that answers for money by the token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    pub name: String,
    /// For a million tokens generated.
    pub per_million: f64,
    pub currency: Currency,
    /// `YYYY-MM-DD`
    pub date: String,
}

const fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(value: &f64) -> bool {
    *value == 1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Most entries of a list of tariffs, rents or services.
pub const MOST: usize = 12;

impl Economy {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Key of the first value out of range, and why. `hours` are the room's hours under load a day.
    pub fn fault(&self, hours: f64) -> Option<(&'static str, String)> {
        let plain = [
            ("tax_pct", self.tax_pct, 0.0, 100.0),
            ("shipping", self.shipping, 0.0, 1e6),
            ("idle_hours_per_day", self.idle_hours_per_day, 0.0, 24.0),
            ("idle_pct", self.idle_pct, 0.0, 100.0),
            ("work_from_h", self.work_from_h, 0.0, 24.0),
            ("cooling_pct", self.cooling_pct, 0.0, 500.0),
            ("repair_pct", self.repair_pct, 0.0, 100.0),
            ("card_loss_pct", self.card_loss_pct, 0.0, 100.0),
            ("part_loss_pct", self.part_loss_pct, 0.0, 100.0),
            ("epoch_tokens", self.epoch_tokens.unwrap_or(1.0), 1.0, 1e15),
            ("epochs", self.epochs, 0.001, 1e6),
            ("run_days", self.run_days, 0.01, 3660.0),
        ];
        let say = |(v, low, high): (f64, f64, f64)| (!within(v, low, high)).then(|| format!("{v} is outside {low} to {high}"));
        let tariffs =
            || self.tariffs.iter().flat_map(|t| [(t.from_h, 0.0, 24.0), (t.to_h, 0.0, 24.0), (t.per_kwh, 0.0, 1e6)]).find_map(say);
        let rents = || self.rents.iter().flat_map(|r| [(r.per_hour, 0.0, 1e6), (r.speed, 0.001, 1000.0)]).find_map(say);
        let services = || self.services.iter().map(|s| (s.per_million, 0.0, 1e6)).find_map(say);
        let lists = [("tariffs", self.tariffs.len()), ("rents", self.rents.len()), ("services", self.services.len())];
        plain
            .iter()
            .find_map(|&(key, v, low, high)| say((v, low, high)).map(|why| (key, why)))
            .or_else(|| tariffs().map(|why| ("tariffs", why)))
            .or_else(|| rents().map(|why| ("rents", why)))
            .or_else(|| services().map(|why| ("services", why)))
            .or_else(|| lists.iter().find(|l| l.1 > MOST).map(|l| (l.0, format!("has {} entries, {MOST} at most", l.1))))
            .or_else(|| {
                let day = self.idle_hours_per_day + hours;
                (day > 24.0 + 1e-9).then(|| ("idle_hours_per_day", format!("with {hours} hours under load the day has {day} hours")))
            })
    }
}

fn within(value: f64, low: f64, high: f64) -> bool {
    value.is_finite() && (low..=high).contains(&value)
}
