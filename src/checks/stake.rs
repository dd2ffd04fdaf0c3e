//! What a mistake costs: the report of the mended copy beside the report of the rig, in money, work, degrees and watts.

use std::collections::BTreeMap;

use super::Case;
use super::finding::{Finding, Severity, Stake, Verdict};
use super::fixes::{counted, pieces};
use crate::analysis::Facts;
use crate::build::PlacementId;
use crate::catalog::part::PartId;
use crate::units::{Money, plain, watts};

/// Completes the stake of a failing finding; `after` is what its first fix leads to, if one was found.
pub(super) fn measure(case: &Case<'_>, finding: &mut Finding, after: Option<&Facts>) {
    let mut stake = finding.stake.clone().unwrap_or_default();
    if let Some(after) = after {
        compare(case.facts, after, &mut stake);
    }
    let (waste, how) = waste(case, finding, &stake);
    stake.waste_per_year = waste;
    stake.how = how;
    finding.stake = (finding.stake.is_some() || stake != Stake::default()).then_some(stake);
}

/// Fills what the rule itself has not said.
fn compare(before: &Facts, after: &Facts, stake: &mut Stake) {
    if stake.money.is_none() {
        stake.money = money_saved(before, after);
    }
    let speeds = before.speed.iter().zip(&after.speed).find_map(|(b, a)| Some((a.value? / b.value? - 1.0) * 100.0));
    stake.speed_pct = stake.speed_pct.or(speeds).filter(|p| p.is_finite() && p.abs() >= 0.05);
    let saved = Some(before.power.typical_w - after.power.typical_w).filter(|w| w.abs() >= 0.5);
    stake.watts = stake.watts.or(saved);
    let hottest = |facts: &Facts| facts.airflow.cards.iter().filter_map(|c| Some(c.state.as_ref()?.die.value)).reduce(f64::max);
    let cooler = hottest(before).zip(hottest(after)).map(|(b, a)| b - a).filter(|k| k.abs() >= 0.5);
    stake.celsius = stake.celsius.or(cooler);
}

/// Price of what goes minus price of what comes; `None` where one of them is unknown or nothing is exchanged.
fn money_saved(before: &Facts, after: &Facts) -> Option<Money> {
    fn lines(facts: &Facts) -> BTreeMap<(PlacementId, PartId), Option<Money>> {
        facts.cost.lines.iter().map(|l| ((l.placement, l.part.clone()), l.counted)).collect()
    }
    let (old, new) = (lines(before), lines(after));
    let gone = old.iter().filter(|(k, _)| !new.contains_key(*k)).map(|(_, m)| m.map(|m| m.cents));
    let come = new.iter().filter(|(k, _)| !old.contains_key(*k)).map(|(_, m)| m.map(|m| -m.cents));
    let changes: Vec<Option<i64>> = gone.chain(come).collect();
    if changes.is_empty() {
        return None;
    }
    let cents = changes.into_iter().sum::<Option<i64>>()?;
    Some(Money { cents, currency: before.cost.known_total.currency })
}

/// Money wasted, and how it was reckoned. Unknown where a price that it needs is.
fn waste(case: &Case<'_>, finding: &Finding, stake: &Stake) -> (Option<Money>, Option<String>) {
    if finding.verdict == Verdict::Fail && finding.severity == Severity::Blocker {
        return blocked(case, finding);
    }
    let room = &case.project.room;
    let currency = room.currency;
    let mut sum = 0.0;
    let mut terms: Vec<String> = Vec::new();
    if let Some(share) = lost_share(case, finding, stake) {
        match year_of_work(case) {
            Ok((year, text)) => {
                sum += share * year;
                terms.push(format!("{}% of the work lost × ({text})", plain(share * 100.0, 1)));
            }
            Err(why) => {
                return (None, Some(format!("{}% of the work is lost; what that costs is unknown: {why}", plain(share * 100.0, 1))));
            }
        }
    }
    match stake.money.filter(|m| m.cents > 0) {
        Some(money) if stake.per_year => {
            sum += money.amount();
            terms.push(format!("{money} a year"));
        }
        Some(money) => {
            sum += money.amount() / room.life_years;
            terms.push(format!("{money} ÷ {} years", plain(room.life_years, 1)));
        }
        None => {}
    }
    if let Some(saved) = stake.watts.filter(|w| *w > 0.0 && !stake.per_year) {
        sum += saved / 1000.0 * room.hours_per_day * 365.0 * room.tariff_per_kwh;
        terms.push(format!(
            "{} × {} h a day × 365 × {}{}/kWh",
            watts(saved),
            plain(room.hours_per_day, 1),
            currency.symbol(),
            plain(room.tariff_per_kwh, 3)
        ));
    }
    if terms.is_empty() {
        return (None, None);
    }
    let money = Money::new(sum, currency);
    (Some(money), Some(format!("{} = {money} a year", terms.join(" + "))))
}

/// A blocker's stake: the price of what cannot be used.
fn blocked(case: &Case<'_>, finding: &Finding) -> (Option<Money>, Option<String>) {
    let Some(what) = pieces(finding).first().copied() else { return (None, None) };
    let Some(part) = case.part_of(what) else { return (None, None) };
    match counted(case, &part.id) {
        Some(price) => (Some(price), Some(format!("{price}, the price of {}, which cannot be used like this", part.short_name()))),
        None => (None, Some(format!("the price of {}, which is unknown", part.short_name()))),
    }
}

/// Share of the rig's work that is lost, 0..1.
fn lost_share(case: &Case<'_>, finding: &Finding, stake: &Stake) -> Option<f64> {
    // Heat says itself what it takes, of one card.
    let heat = finding.numbers.get("lost_pct").map(|pct| pct / 100.0 / case.gpus().len().max(1) as f64);
    let speed = stake.speed_pct.filter(|p| *p > 0.0).map(|p| 1.0 - 1.0 / (1.0 + p / 100.0));
    heat.or(speed).filter(|s| *s > 0.0005)
}

/// What a year of the rig's work costs: an hour's value times its hours if the user gave one, else purchase over the years and energy.
fn year_of_work(case: &Case<'_>) -> Result<(f64, String), String> {
    let room = &case.project.room;
    let currency = room.currency;
    let hour = case.project.threshold("work_hour_value");
    if hour > 0.0 {
        let hours = room.hours_per_day * 365.0;
        return Ok((hour * hours, format!("{} a year × {}{} an hour", plain(hours, 0), currency.symbol(), plain(hour, 2))));
    }
    let cost = &case.facts.cost;
    if !cost.unpriced.is_empty() {
        return Err("a part has no price".to_owned());
    }
    let Some(month) = cost.energy_per_month else { return Err("the draw from the wall is unknown".to_owned()) };
    let (purchase, energy) = (cost.known_total, Money::new(month.amount() * 12.0, currency));
    let year = purchase.amount() / room.life_years + energy.amount();
    Ok((year, format!("{purchase} ÷ {} years + {energy} of energy a year", plain(room.life_years, 1))))
}
