//! Prices and how long parts can be had.

use super::finding::{Finding, MissingFact, Severity, Verdict};
use super::rig::{about, count, join, missing, unknown};
use super::{Case, Check};
use crate::build::PlacementId;
use crate::catalog::part::Part;
use crate::catalog::vocab::Outlook;
use crate::project::Subject;
use crate::units::plain;

pub(super) const RULES: &[Check] = &[
    Check {
        id: "lifecycle",
        title: "Parts in two years",
        why: "A part that cannot be bought in two years cannot be replaced when it fails, nor the rig extended.",
        guide: &["G22"],
        run: lifecycle,
        search: None,
    },
    Check {
        id: "price_unknown",
        title: "Parts without a price",
        why: "A total that leaves parts out is too low. A price that you know can be typed in.",
        guide: &["G2"],
        run: price_unknown,
        search: None,
    },
    Check {
        id: "price_old",
        title: "Old prices",
        why: "Prices of memory and drives double within months; a total of old prices misleads.",
        guide: &["G2", "G24"],
        run: price_old,
        search: None,
    },
];

fn lifecycle(case: &Case<'_>, out: &mut Vec<Finding>) {
    let parts: Vec<(PlacementId, &Part)> =
        case.project.rig.placed(case.catalog).map(|(id, _, p)| (id, p)).filter(|(_, p)| !p.generic).collect();
    if parts.is_empty() {
        return;
    }
    let of = |want: Option<Outlook>| parts.iter().filter(move |(_, p)| p.life.outlook == want).copied().collect::<Vec<_>>();
    for (id, part) in of(Some(Outlook::Gone)) {
        let reason = part.life.reason.as_deref().map_or_else(String::new, |r| format!(" {r}"));
        let text = format!("{} will be hard to find in two years.{reason}", part.short_name());
        out.push(Finding::new("lifecycle", Verdict::Fail, Severity::Advice, about([id]), text));
    }
    let used = of(Some(Outlook::UsedOnly));
    if !used.is_empty() {
        let text = format!("In two years {} will be sold used only: {}.", count(used.len(), "part"), names(&used));
        out.push(Finding::new("lifecycle", Verdict::Fail, Severity::Note, about(ids(&used)), text).number("used_only", used.len() as f64));
    }
    let mut open = of(Some(Outlook::Uncertain));
    open.extend(of(None));
    if !open.is_empty() {
        let facts: Vec<MissingFact> = open.iter().map(|(_, p)| missing(p.short_name(), "life.outlook")).collect();
        let question = format!("Whether {} can be bought in two years", names(&open));
        let mut finding = unknown("lifecycle", Severity::Note, about(ids(&open)), &question, facts);
        finding.message = format!("{question} is uncertain.");
        out.push(finding);
    }
    let good = of(Some(Outlook::Likely));
    if !good.is_empty() {
        let text = format!("In two years {} will likely be sold new.", count(good.len(), "part"));
        out.push(Finding::new("lifecycle", Verdict::Pass, Severity::Note, about(ids(&good)), text).number("sold_new", good.len() as f64));
    }
}

fn ids<'p>(parts: &'p [(PlacementId, &Part)]) -> impl Iterator<Item = PlacementId> + 'p {
    parts.iter().map(|(id, _)| *id)
}

/// Names, each once.
fn names(parts: &[(PlacementId, &Part)]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (_, part) in parts {
        if !names.contains(&part.short_name()) {
            names.push(part.short_name());
        }
    }
    join(&names)
}

fn price_unknown(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cost = &case.facts.cost;
    if cost.lines.is_empty() {
        return;
    }
    let open: Vec<(PlacementId, &Part)> = cost.unpriced.iter().filter_map(|id| Some((*id, case.part_of(*id)?))).collect();
    let finding = if open.is_empty() {
        let text = format!("All {} have a price: {} in all.", count(cost.lines.len(), "part"), cost.known_total);
        Finding::new("price_unknown", Verdict::Pass, Severity::Note, vec![Subject::Whole], text)
    } else {
        let text = format!("The total of {} leaves out {} without a price: {}.", cost.known_total, count(open.len(), "part"), names(&open));
        let mut finding = Finding::new("price_unknown", Verdict::Fail, Severity::Note, about(ids(&open)), text);
        finding.missing = open.iter().map(|(_, p)| missing(p.short_name(), "prices")).collect();
        finding
    };
    out.push(finding.number("unpriced", open.len() as f64));
}

/// Days since 1970 of `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; the middle of what is not given.
fn day(date: &str) -> Option<i64> {
    let mut fields = date.split('-').map(str::parse::<i64>);
    let year = fields.next()?.ok()?;
    let month = fields.next().transpose().ok()?;
    let of_month = fields.next().transpose().ok()?;
    let (month, of_month) = (month.unwrap_or(7), of_month.unwrap_or(if month.is_some() { 15 } else { 1 }));
    if !(1..=12).contains(&month) || !(1..=31).contains(&of_month) {
        return None;
    }
    // Days of the civil calendar, March-based.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * m + 2) / 5 + of_month - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// The newest day that any fact of the placed parts names: what counts as now, as a report must not depend on a clock.
fn newest<'a>(case: &'a Case<'_>) -> Option<(i64, &'a str)> {
    let placed = case.project.rig.placed(case.catalog);
    let facts = placed.flat_map(|(_, _, p)| p.from.values().map(|f| f.as_of.as_str()).chain(p.life.as_of.as_deref()));
    let asked = case.facts.cost.lines.iter().filter_map(|l| l.asked.as_ref()).map(|a| a.date.as_str());
    facts.chain(asked).filter_map(|d| Some((day(d)?, d))).max()
}

fn price_old(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some((now, now_text)) = newest(case) else { return };
    let limit = case.project.threshold("price_age_days");
    let mut old: Vec<(i64, PlacementId, &str)> = Vec::new();
    let mut undated: Vec<PlacementId> = Vec::new();
    let mut dated = 0_usize;
    for line in &case.facts.cost.lines {
        let Some(asked) = &line.asked else { continue };
        match day(&asked.date) {
            Some(then) if (now - then) as f64 > limit => old.push((now - then, line.placement, &asked.date)),
            Some(_) => dated += 1,
            None => undated.push(line.placement),
        }
    }
    let say = |verdict, subjects, text: String| Finding::new("price_old", verdict, Severity::Note, subjects, text);
    if let Some((age, _, date)) = old.iter().max() {
        let text = format!(
            "{} older than {} days; the oldest, of {date}, is {age} days before {now_text}.",
            if old.len() == 1 { "1 price is".to_owned() } else { format!("{} prices are", old.len()) },
            plain(limit, 0)
        );
        let finding = say(Verdict::Fail, about(old.iter().map(|(_, id, _)| *id)), text);
        out.push(finding.number("old", old.len() as f64).number("oldest_days", *age as f64));
    } else if !undated.is_empty() {
        let facts = undated.iter().filter_map(|id| Some(missing(case.part_of(*id)?.short_name(), "price date"))).collect();
        out.push(unknown("price_old", Severity::Note, about(undated.iter().copied()), "How old a price is", facts));
    } else if dated > 0 {
        out.push(say(
            Verdict::Pass,
            vec![Subject::Whole],
            format!("All {} are at most {} days old on {now_text}.", count(dated, "price"), plain(limit, 0)),
        ));
    }
}
