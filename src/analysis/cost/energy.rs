//! What the energy costs: duty cycle, tariffs by the hour, the supply's loss, and carrying the heat away.

use crate::analysis::power::Power;
use crate::analysis::{Basis, Origin};
use crate::project::Project;
use crate::project::economy::Economy;
use crate::units::{Money, plain, watts};

/// Days of a mean month: 365.25 / 12, rounded.
pub const DAYS_PER_MONTH: f64 = 30.44;

/// Cost of drawing `watts_drawn` from the wall for `hours` at `tariff` per kWh, in units of the tariff's currency.
pub fn energy_cost(watts_drawn: f64, hours: f64, tariff: f64) -> f64 {
    watts_drawn / 1000.0 * hours * tariff
}

/// Energy of an average day and month in the room's duty cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Draw from the wall under load and idle, W.
    pub load_w: f64,
    pub idle_w: f64,
    /// Mean tariff of the hours under load and of the idle ones, per kWh.
    pub load_tariff: f64,
    pub idle_tariff: f64,
    /// What an hour under load costs, heat carried away included, in units of the room's currency.
    pub load_hour: f64,
    /// Of a mean month, heat carried away included.
    pub kwh_month: f64,
    pub month: Money,
    /// Part of `month` that the idle hours cost.
    pub idle_month: Money,
    /// Part of `month` that the supply turns into heat under load.
    pub supply_month: Money,
    /// Part of `month` that carries the heat away.
    pub cooling_month: Money,
}

/// A run without a stop, as the guide reckons it (G15).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    pub days: f64,
    /// What the parts take.
    pub kwh: f64,
    pub cost: Money,
    /// What the supply loses on top.
    pub lost_kwh: f64,
    pub lost: Money,
}

/// Mean tariff of `hours` from a clock hour on; the room's where none of the list holds.
fn mean_tariff(project: &Project, from_h: f64, hours: f64) -> f64 {
    let room = project.room.tariff_per_kwh;
    let list = &project.economy.tariffs;
    if list.is_empty() || hours <= 0.0 {
        return room;
    }
    // The day is cut wherever a tariff begins or ends; within a piece one tariff holds.
    let mut cuts: Vec<f64> = list.iter().flat_map(|t| [t.from_h, t.to_h]).flat_map(|h| [h, h + 24.0, h + 48.0]).collect();
    let (first, last) = (from_h, from_h + hours);
    cuts.extend([first, last]);
    cuts.retain(|h| (first..=last).contains(h));
    cuts.sort_by(f64::total_cmp);
    let holds = |from: f64, to: f64, h: f64| if from <= to { (from..to).contains(&h) } else { h >= from || h < to };
    let at = |h: f64| list.iter().find(|t| holds(t.from_h, t.to_h, h % 24.0)).map_or(room, |t| t.per_kwh);
    let sum: f64 = cuts.iter().zip(cuts.iter().skip(1)).map(|(a, b)| (b - a) * at(f64::midpoint(*a, *b))).sum();
    sum / hours
}

/// Energy of the duty cycle; `None` while the draw from the wall is unknown.
pub(super) fn energy(project: &Project, power: &Power) -> Option<Energy> {
    let (room, economy) = (&project.room, &project.economy);
    let load_w = power.wall_w?;
    let idle_w = load_w * economy.idle_pct / 100.0;
    let load_tariff = mean_tariff(project, economy.work_from_h, room.hours_per_day);
    let idle_tariff = mean_tariff(project, economy.work_from_h + room.hours_per_day, economy.idle_hours_per_day);
    let carried = 1.0 + economy.cooling_pct / 100.0;
    let load = energy_cost(load_w, room.hours_per_day * DAYS_PER_MONTH, load_tariff);
    let idle = energy_cost(idle_w, economy.idle_hours_per_day * DAYS_PER_MONTH, idle_tariff);
    let money = |amount: f64| Money::new(amount, room.currency);
    let kwh_day = (load_w * room.hours_per_day + idle_w * economy.idle_hours_per_day) / 1000.0;
    Some(Energy {
        load_w,
        idle_w,
        load_tariff,
        idle_tariff,
        load_hour: energy_cost(load_w, 1.0, load_tariff) * carried,
        kwh_month: kwh_day * DAYS_PER_MONTH * carried,
        month: money((load + idle) * carried),
        idle_month: money(idle * carried),
        supply_month: money(load * (1.0 - power.efficiency.unwrap_or(1.0))),
        cooling_month: money((load + idle) * (carried - 1.0)),
    })
}

/// The run's sum at the mean tariff of a whole day; `None` while the draw or the supply's efficiency is unknown.
pub(super) fn run(project: &Project, power: &Power) -> Option<Run> {
    let (wall, efficiency) = (power.wall_w?, power.efficiency?);
    let days = project.economy.run_days;
    Some(run_of(wall * efficiency, efficiency, days, mean_tariff(project, 0.0, 24.0), project))
}

/// `inside_w` drawn by the parts for `days`, through a supply of this efficiency (0..1).
fn run_of(inside_w: f64, efficiency: f64, days: f64, tariff: f64, project: &Project) -> Run {
    let (kwh, hours) = (inside_w / 1000.0 * days * 24.0, days * 24.0);
    let money = |w: f64| Money::new(energy_cost(w, hours, tariff), project.room.currency);
    let lost_w = inside_w / efficiency - inside_w;
    Run { days, kwh, cost: money(inside_w), lost_kwh: lost_w / 1000.0 * hours, lost: money(lost_w) }
}

pub(super) fn origin(project: &Project, power: &Power) -> Origin {
    let (room, economy) = (&project.room, &project.economy);
    let Some(energy) = energy(project, power) else {
        return Origin::new(Basis::Assumed, "unknown: the draw from the wall is unknown", "");
    };
    let symbol = room.currency.symbol();
    let mut formula = format!(
        "{} × {} h × {DAYS_PER_MONTH} days × {symbol}{}/kWh",
        watts(energy.load_w),
        plain(room.hours_per_day, 2),
        plain(energy.load_tariff, 4),
    );
    if economy.idle_hours_per_day > 0.0 {
        let (w, h, t) = (watts(energy.idle_w), plain(economy.idle_hours_per_day, 2), plain(energy.idle_tariff, 4));
        formula = format!("{formula} + {w} idle × {h} h × {DAYS_PER_MONTH} days × {symbol}{t}/kWh");
    }
    if economy.cooling_pct > 0.0 {
        formula = format!("({formula}) × {}", plain(1.0 + economy.cooling_pct / 100.0, 3));
    }
    Origin::new(Basis::Assumed, formula, assumptions(economy))
}

fn assumptions(economy: &Economy) -> String {
    let mut said = vec!["your tariff and hours under load"];
    if economy.idle_hours_per_day > 0.0 {
        said.push("your share for idle hours");
    }
    if economy.cooling_pct > 0.0 {
        said.push("your share for carrying the heat away");
    }
    said.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::economy::Tariff;

    #[test]
    fn tariffs_are_averaged_over_the_hours_they_hold() {
        let mut project = Project::default();
        project.room.tariff_per_kwh = 0.30;
        project.economy.tariffs = vec![Tariff { from_h: 22.0, to_h: 6.0, per_kwh: 0.10 }];
        // 20 to 4 o'clock: two hours at 0.30, six at 0.10.
        assert!((mean_tariff(&project, 20.0, 8.0) - (2.0 * 0.30 + 6.0 * 0.10) / 8.0).abs() < 1e-12);
        // A whole day: eight hours cheap, from wherever it is counted.
        for from in [0.0, 5.5, 23.0] {
            assert!((mean_tariff(&project, from, 24.0) - (8.0 * 0.10 + 16.0 * 0.30) / 24.0).abs() < 1e-12, "{from}");
        }
        assert!((mean_tariff(&project, 9.0, 8.0) - 0.30).abs() < 1e-12);
    }

    /// The guide's 1,000 to 1,500 W over two weeks at 0.20: 336 to 504 kWh and 67 to 101 euros, which it rounds to "300 to 500 kWh" and
    /// "60 to 100 euros"; a supply of 80 % adds 17 to 25 euros, "18 to 26" there.
    #[test]
    fn the_guides_two_weeks() {
        let project = Project::default();
        for (w, kwh, cents, lost) in [(1000.0, 336.0, 6720, 1680), (1500.0, 504.0, 10_080, 2520)] {
            let run = run_of(w, 0.8, 14.0, 0.20, &project);
            assert!((run.kwh - kwh).abs() < 1e-9);
            assert_eq!((run.cost.cents, run.lost.cents), (cents, lost));
        }
    }
}
