//! From how much use on the rig is cheaper than a hired machine or a service that takes money by the token.

use super::rates::{Does, speed_rate};
use super::{Cost, price};
use crate::analysis::speed::Speed;
use crate::catalog::Catalog;
use crate::project::Project;
use crate::units::Currency;

/// An offer beside which the rig is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    Rent,
    Service,
}

/// The rig beside one offer; money in units of the room's currency.
#[derive(Clone, Debug, PartialEq)]
pub struct Even {
    pub offer: Offer,
    pub name: String,
    /// Day of the offer.
    pub date: String,
    /// Workload whose speed counts for a service.
    pub workload: Option<String>,
    /// What the work of one of the rig's hours costs there; `None` = unknown, with the missing fact.
    pub other_hour: Option<f64>,
    /// Hours under load after which the rig has paid for itself; `None` = never, or unknown.
    pub hours: Option<f64>,
    /// The same as a share of all hours of the room's years; above 1 = not within them.
    pub share: Option<f64>,
    pub missing: Option<String>,
}

/// What an hour under load costs at a share of all hours in use: the rig, and the offer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// 0..1 of all hours.
    pub share: f64,
    pub own: f64,
    pub other: f64,
}

/// Hours of a mean year.
pub const HOURS_A_YEAR: f64 = 365.25 * 24.0;

pub(super) fn all(catalog: &Catalog, project: &Project, cost: &Cost, speeds: &[Speed]) -> Vec<Even> {
    let economy = &project.economy;
    let convert = |amount: f64, currency: Currency| -> Result<f64, String> {
        if currency == project.room.currency {
            return Ok(amount);
        }
        let rate = price::rate_to_room(catalog, project, currency);
        rate.map(|r| amount * r).ok_or_else(|| format!("a rate from {currency} to {}", project.room.currency))
    };
    let rents = economy.rents.iter().map(|r| {
        let hour = convert(r.per_hour, r.currency).map(|h| h / r.speed);
        even(project, cost, Offer::Rent, (&r.name, &r.date), None, hour)
    });
    let jobs = || project.workloads.iter().enumerate().filter(|(_, w)| w.training.is_none());
    let services = economy.services.iter().flat_map(|s| {
        jobs().map(move |(index, workload)| {
            let hour = convert(s.per_million, s.currency)
                .and_then(|m| speed_rate(speeds, index, Does::Generate).map(|rate| m * rate.value * 3600.0 / 1e6));
            even(project, cost, Offer::Service, (&s.name, &s.date), Some(workload.name.clone()), hour)
        })
    });
    rents.chain(services).collect()
}

fn even(
    project: &Project,
    cost: &Cost,
    offer: Offer,
    (name, date): (&str, &str),
    workload: Option<String>,
    hour: Result<f64, String>,
) -> Even {
    let mut out =
        Even { offer, name: name.to_owned(), date: date.to_owned(), workload, other_hour: None, hours: None, share: None, missing: None };
    match (hour, &cost.life, &cost.energy) {
        (Err(missing), ..) => out.missing = Some(missing),
        (_, None, _) | (_, _, None) => out.missing = Some("the draw from the wall".to_owned()),
        (Ok(hour), Some(life), Some(energy)) => {
            out.other_hour = Some(hour);
            let gain = hour - energy.load_hour;
            if gain > 0.0 {
                let hours = (life.standing / gain).max(0.0);
                out.hours = Some(hours);
                out.share = Some(hours / (HOURS_A_YEAR * project.room.life_years));
            }
        }
    }
    out
}

impl Even {
    /// What an hour costs from a twentieth of all hours to all of them; empty while something is unknown.
    pub fn over_use(&self, cost: &Cost) -> Vec<Point> {
        let (Some(other), Some(life), Some(energy)) = (self.other_hour, &cost.life, &cost.energy) else { return Vec::new() };
        let point = |n: u32| {
            let share = f64::from(n) / 20.0;
            Point { share, own: life.standing / (life.all_hours * share) + energy.load_hour, other }
        };
        (1..=20).map(point).collect()
    }

    /// When the rig pays, in a sentence.
    pub fn text(&self) -> String {
        let what = match &self.workload {
            Some(workload) => format!("{} for {workload}", self.name),
            None => self.name.clone(),
        };
        match (&self.missing, self.hours, self.share) {
            (Some(missing), ..) => format!("Whether the rig is cheaper than {what} is unknown: {missing}."),
            (None, Some(hours), Some(share)) if share <= 1.0 => format!(
                "The rig is cheaper than {what} from {} hours under load on, {} hours a day over its years.",
                crate::units::thousands(hours.ceil(), 0),
                crate::units::plain(share * 24.0, 1)
            ),
            (None, Some(hours), _) => format!(
                "The rig would be cheaper than {what} after {} hours under load, more than its years have.",
                crate::units::thousands(hours.ceil(), 0)
            ),
            (None, None, _) => format!("The rig is never cheaper than {what}: its energy alone costs more."),
        }
    }
}
