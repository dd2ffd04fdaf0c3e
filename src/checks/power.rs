//! Watts: the supply, its short peaks, the room's circuit.

use super::candidates::{limit_power, psu, swap};
use super::finding::{Finding, Fix, MissingFact, Severity, Stake, Verdict};
use super::rig::{Piece, about, count, missing, unknown};
use super::{Case, Check, Search};
use crate::catalog::part::{Gpu, Part, Psu};
use crate::project::Subject;
use crate::units::{Money, plain, watts};

const NO_SUPPLY: &str = "No supply in the catalog that fits this rig would do.";

pub(super) const RULES: &[Check] = &[
    Check {
        id: "psu_capacity",
        title: "Power supply capacity",
        why: "A supply that is too small switches the machine off under load. The rule: watts of all parts plus 10%.",
        guide: &["G15"],
        run: psu_capacity,
        search: Some(Search { candidates: capacity_fixes, none: NO_SUPPLY }),
    },
    Check {
        id: "transient_headroom",
        title: "Short peaks of the cards",
        why: "Cards draw up to about twice their power for less than a millisecond. Supplies after ATX 3 must bear that; older ones may switch off although the sum of watts is fine.",
        guide: &["G15"],
        run: transients,
        search: Some(Search { candidates: transient_fixes, none: NO_SUPPLY }),
    },
    Check {
        id: "power_limit_not_transient",
        title: "Power limit and short peaks",
        why: "A power limit holds on average over milliseconds. It does not stop the short peaks that make a supply switch off.",
        guide: &["G15"],
        run: power_limit,
        search: Some(Search { candidates: transient_fixes, none: NO_SUPPLY }),
    },
    Check {
        id: "circuit_continuous",
        title: "The room's circuit",
        why: "A breaker bears 80% of its rating for hours. A second supply on the same circuit adds nothing: count by circuit, not by supply.",
        guide: &["G15"],
        run: circuit,
        search: Some(Search {
            candidates: circuit_fixes,
            none: "No power limit that the cards allow brings the rig below the circuit's limit.",
        }),
    },
    Check {
        id: "psu_efficiency",
        title: "Supply efficiency",
        why: "On a rig that runs all day a better supply pays for itself through the electricity bill.",
        guide: &["G15"],
        run: efficiency,
        search: Some(Search { candidates: efficiency_fixes, none: NO_SUPPLY }),
    },
];

/// The supplies as subjects, and their ratings that are unknown.
fn supplies<'a>(case: &Case<'a>) -> (Vec<Piece<'a, Psu>>, Vec<Subject>, Vec<MissingFact>) {
    let list = case.psus();
    let subjects = about(list.iter().map(|p| p.id));
    let mains = case.project.room.mains_v;
    let field = |p: &Piece<'_, Psu>| if p.is.watts.is_none() { "watts".to_owned() } else { format!("watts at {mains:.0} V") };
    let gaps = list.iter().filter(|p| p.is.watts_at(mains).is_none()).map(|p| missing(p.part.short_name(), &field(p))).collect();
    (list, subjects, gaps)
}

/// Parts whose draw the power ledger does not know.
fn unknown_draws(case: &Case<'_>) -> Vec<MissingFact> {
    let name = |id| case.part_of(id).map(|p| missing(p.short_name(), "tdp_w"));
    case.facts.power.unknown.iter().filter_map(|id| name(*id)).collect()
}

/// What the supply must give: the guide's sum with margin, and no less than everything together.
fn need_w(case: &Case<'_>) -> f64 {
    case.facts.power.with_margin_w.max(case.facts.power.typical_w)
}

fn psu_capacity(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (list, subjects, mut facts) = supplies(case);
    if list.is_empty() {
        return;
    }
    let power = &case.facts.power;
    let (sum, need) = (power.typical_w, need_w(case));
    let Some(supply) = power.supply_w.filter(|_| facts.is_empty()) else {
        out.push(unknown("psu_capacity", Severity::Blocker, subjects, "Whether the supply is large enough", facts));
        return;
    };
    facts.extend(unknown_draws(case));
    let margin = (case.project.threshold("psu_margin") - 1.0) * 100.0;
    let text = format!(
        "{} drawn by all parts, {} with {}% margin; {} supplied",
        watts(sum),
        watts(power.with_margin_w),
        plain(margin, 1),
        watts(supply)
    );
    let say = |verdict, severity, text: String| {
        Finding::new("psu_capacity", verdict, severity, subjects.clone(), text)
            .number("sum_w", sum)
            .number("need_w", need)
            .number("psu_w", supply)
    };
    out.push(if sum > supply {
        say(Verdict::Fail, Severity::Blocker, format!("{text}: {} short.", watts(need.max(sum) - supply)))
    } else if need > supply {
        say(Verdict::Fail, Severity::Problem, format!("{text}: {} short of the margin.", watts(need - supply)))
    } else if facts.is_empty() {
        say(Verdict::Pass, Severity::Blocker, format!("{text}."))
    } else {
        unknown("psu_capacity", Severity::Blocker, subjects.clone(), "Whether the supply is large enough", facts)
    });
}

/// Supplies of at least `need` watts in place of the first one, the others staying.
fn larger(case: &Case<'_>, need: f64, keep: impl Fn(&Psu) -> bool) -> Vec<Fix> {
    let list = case.psus();
    let Some(first) = list.first() else { return Vec::new() };
    let mains = case.project.room.mains_v;
    let rest: f64 = list.iter().skip(1).filter_map(|p| p.is.watts_at(mains)).sum();
    let form = first.is.form;
    let good = |p: &Part| psu(p).is_some_and(|s| s.form == form && keep(s) && s.watts_at(mains).is_some_and(|w| w + rest >= need));
    swap(case, first.id, good)
}

fn capacity_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let number = |key| finding.numbers.get(key).copied().unwrap_or(0.0);
    let margin = case.project.threshold("psu_margin").max(1.0);
    let over = ((number("need_w") - number("psu_w")) / margin).max(number("sum_w") - number("psu_w"));
    vec![larger(case, number("need_w"), |_| true), limit_power(case, over)]
}

/// The highest short peak of the rig: one card at its peak, all else as usual.
struct Peak<'a> {
    card: Piece<'a, Gpu>,
    card_w: f64,
    total_w: f64,
}

fn peak<'a>(case: &Case<'a>) -> Option<Peak<'a>> {
    let factor = case.project.threshold("transient_factor");
    let highest = |card: &Piece<'_, Gpu>| card.is.peaks.map(|p| p.below_1ms_w).or_else(|| Some(card.is.tdp_w? * factor));
    let draw = |id| case.facts.power.parts.iter().find(|d| d.placement == id).and_then(|d| d.typical_w);
    let extra = |card: &Piece<'a, Gpu>| Some(highest(card)? - draw(card.id).or(card.is.tdp_w)?);
    let cards = case.gpus().into_iter().filter_map(|card| Some((extra(&card)?, card)));
    let (extra, card) = cards.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let card_w = highest(&card)?;
    Some(Peak { card, card_w, total_w: case.facts.power.typical_w + extra })
}

/// What all supplies bear for less than a millisecond; the facts that are missing otherwise.
fn bearable(case: &Case<'_>) -> Result<(f64, bool), Vec<MissingFact>> {
    let excursion = case.project.threshold("atx3_excursion");
    let (mut sum, mut modern, mut facts) = (0.0, true, Vec::new());
    for supply in case.psus() {
        let name = supply.part.short_name();
        match (supply.is.watts_at(case.project.room.mains_v), supply.is.atx_version.as_deref()) {
            (Some(rated), Some(version)) => {
                let atx3 = version.starts_with('3');
                modern &= atx3;
                sum += if atx3 { rated * excursion } else { rated };
            }
            (rated, version) => {
                if rated.is_none() {
                    facts.push(missing(name, "watts"));
                }
                if version.is_none() {
                    facts.push(missing(name, "atx_version"));
                }
            }
        }
    }
    if facts.is_empty() { Ok((sum, modern)) } else { Err(facts) }
}

fn transients(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (list, subjects, _) = supplies(case);
    let cards = case.gpus();
    if list.is_empty() || cards.is_empty() {
        return;
    }
    let question = "Whether the supply bears the cards' short peaks";
    let ask = |facts| unknown("transient_headroom", Severity::Problem, subjects.clone(), question, facts);
    let mut facts = unknown_draws(case);
    let (Some(peak), bears) = (peak(case), bearable(case)) else {
        out.push(ask(facts));
        return;
    };
    let (bears, modern) = match bears {
        Ok(bears) => bears,
        Err(gaps) => {
            facts.extend(gaps);
            out.push(ask(facts));
            return;
        }
    };
    let kind = if modern { "ATX 3, for 100 microseconds" } else { "older than ATX 3, which sets no limit to peaks" };
    let text = format!(
        "{} may draw about {} for less than a millisecond: {} with all else, {} borne ({kind}).",
        case.name(peak.card.id),
        watts(peak.card_w),
        watts(peak.total_w),
        watts(bears)
    );
    let verdict = if peak.total_w > bears { Verdict::Fail } else { Verdict::Pass };
    if verdict == Verdict::Pass && !facts.is_empty() {
        out.push(ask(facts));
        return;
    }
    let mut finding = Finding::new("transient_headroom", verdict, Severity::Problem, subjects.clone(), text)
        .number("suggested_w", peak.total_w)
        .number("bears_w", bears)
        .number("gpu_peak_w", peak.card_w)
        .number("sum_w", case.facts.power.typical_w);
    if let Some(rated) = case.facts.power.supply_w {
        finding = finding.number("psu_w", rated);
    }
    if let Some(own) = case.facts.power.parts.iter().find(|d| d.placement == peak.card.id).and_then(|d| d.typical_w) {
        finding = finding.number("gpu_w", own);
    }
    if let Some(measured) = peak.card.is.peaks {
        finding =
            finding.number("avg_w", measured.average_w).number("le_10ms_w", measured.below_10ms_w).number("lt_1ms_w", measured.below_1ms_w);
    }
    out.push(finding);
}

fn transient_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let need = need_w(case);
    let is_atx3 = |s: &Psu| s.atx_version.as_deref().is_some_and(|v| v.starts_with('3'));
    vec![larger(case, need, is_atx3)]
}

fn power_limit(case: &Case<'_>, out: &mut Vec<Finding>) {
    let limit = |c: &Piece<'_, Gpu>| c.piece.settings.get("power_limit_w").and_then(|w| w.parse::<f64>().ok());
    let limited: Vec<_> = case.gpus().into_iter().filter(|c| limit(c).zip(c.is.tdp_w).is_some_and(|(limit, tdp)| limit < tdp)).collect();
    if limited.is_empty() || case.psus().is_empty() {
        return;
    }
    let sum: f64 = limited.iter().filter_map(limit).sum();
    let subjects = about(limited.iter().map(|c| c.id));
    let rule = "power_limit_not_transient";
    let cards = count(limited.len(), "card");
    let spared: f64 = limited.iter().filter_map(|c| Some(c.is.tdp_w? - limit(c)?)).sum();
    let unlimited = (case.facts.power.typical_w + spared) * case.project.threshold("psu_margin");
    let relies = case.facts.power.supply_w.is_some_and(|rated| unlimited > rated);
    let (Some(peak), Ok((bears, modern))) = (peak(case), bearable(case)) else {
        if relies {
            let text = format!(
                "{cards} limited to {} in all: the supply suffices only under this limit ({} without it, margin included), and a limit does not stop short peaks.",
                watts(sum),
                watts(unlimited)
            );
            out.push(
                Finding::new(rule, Verdict::Fail, Severity::Advice, subjects, text).number("gpu_w", sum).number("unlimited_w", unlimited),
            );
            return;
        }
        let facts = bearable(case).err().unwrap_or_default();
        out.push(unknown(rule, Severity::Advice, subjects, "Whether the limited cards' short peaks are borne", facts));
        return;
    };
    let finding = if peak.total_w > bears || relies && !modern {
        let text = format!(
            "{cards} limited to {} in all may still peak: about {} with all else, {} borne.",
            watts(sum),
            watts(peak.total_w),
            watts(bears)
        );
        Finding::new(rule, Verdict::Fail, Severity::Advice, subjects, text)
    } else {
        let text = format!(
            "{cards} limited to {} in all; peaks of about {} with all else are borne even without the limit.",
            watts(sum),
            watts(peak.total_w)
        );
        Finding::new(rule, Verdict::Pass, Severity::Advice, subjects, text)
    };
    out.push(finding.number("gpu_w", sum).number("peak_w", peak.total_w).number("bears_w", bears));
}

/// Efficiency that no certified supply exceeds or stays below at its tested loads: 80 PLUS Titanium at 230 V, and the plain certificate.
const BEST_EFFICIENCY: f64 = 0.96;
const LEAST_EFFICIENCY: f64 = 0.80;

/// What one circuit bears and what is asked of it.
struct OnCircuit {
    /// From the wall where the supply's efficiency is known, else drawn inside.
    demand: f64,
    is_wall: bool,
    limit: f64,
    hard: f64,
    text: String,
}

/// The fullest of the circuits: supplies are divided among them as evenly as they can be.
fn on_circuit(case: &Case<'_>) -> OnCircuit {
    let (power, room) = (&case.facts.power, &case.project.room);
    let hard = room.mains_v * room.circuit_a;
    let share = case.project.threshold("circuit_continuous");
    let limit = hard * share;
    let supplies = case.psus().len().max(1);
    let circuits = usize::from(room.circuits.max(1)).min(supplies);
    let part = supplies.div_ceil(circuits) as f64 / supplies as f64;
    let (all, is_wall) = power.wall_w.map_or((power.typical_w, false), |w| (w, true));
    let demand = all * part;
    let line = format!("{} V x {} A x {} = {}", plain(room.mains_v, 0), plain(room.circuit_a, 1), plain(share, 2), watts(limit));
    let of = if circuits > 1 { format!(" on the fuller of {circuits} circuits") } else { String::new() };
    let what = if is_wall { "drawn from the wall" } else { "drawn inside, more from the wall" };
    OnCircuit { demand, is_wall, limit, hard, text: format!("{} {what}{of}; a circuit bears {line} for long", watts(demand)) }
}

fn circuit(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "circuit_continuous";
    let power = &case.facts.power;
    if power.parts.is_empty() {
        return;
    }
    let OnCircuit { demand, is_wall, limit, hard, text } = on_circuit(case);
    let (least, most) = if is_wall { (demand, demand) } else { (demand / BEST_EFFICIENCY, demand / LEAST_EFFICIENCY) };
    let inside = if is_wall { power.typical_w * demand / power.wall_w.unwrap_or(demand) } else { demand };
    let say = |verdict, severity, text: String| {
        Finding::new(RULE, verdict, severity, vec![Subject::Whole], text)
            .number("demand_w", demand)
            .number("limit_w", limit)
            .number("hard_limit_w", hard)
    };
    // What is drawn inside alone is too much: no supply helps.
    out.push(if least > hard {
        say(Verdict::Fail, Severity::Blocker, format!("{text} and {} at all.", watts(hard)))
    } else if inside > limit {
        say(Verdict::Fail, Severity::Blocker, format!("{text}: {} too much.", watts(demand - limit)))
    } else if least > limit {
        say(Verdict::Fail, Severity::Problem, format!("{text}: {} too much.", watts(least - limit)))
    } else if most <= limit && power.unknown.is_empty() {
        say(Verdict::Pass, Severity::Problem, format!("{text}."))
    } else {
        let mut facts = unknown_draws(case);
        if facts.is_empty() {
            facts.extend(case.psus().iter().map(|p| missing(p.part.short_name(), "efficiency")));
        }
        if facts.is_empty() {
            facts.push(missing("rig", "supply"));
        }
        unknown(RULE, Severity::Problem, vec![Subject::Whole], "Whether the circuit bears the rig", facts)
    });
}

fn circuit_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let number = |key| finding.numbers.get(key).copied().unwrap_or(0.0);
    vec![limit_power(case, number("demand_w") - number("limit_w"))]
}

/// Gold at half load and 115 V, what a better supply is compared with (80 PLUS).
const GOOD_EFFICIENCY: f64 = 0.90;

fn efficiency(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (list, subjects, _) = supplies(case);
    if list.is_empty() {
        return;
    }
    let least = case.project.threshold("psu_efficiency");
    let (Some(share), Some(wall)) = (case.facts.power.efficiency, case.facts.power.wall_w) else {
        let facts = list.iter().map(|p| missing(p.part.short_name(), "efficiency")).collect();
        out.push(unknown("psu_efficiency", Severity::Advice, subjects, "How much the supply wastes", facts));
        return;
    };
    let lost = wall * (1.0 - share);
    let text = format!("The supply is {}% efficient at this load and loses {} of {}", plain(share * 100.0, 1), watts(lost), watts(wall));
    let say = |verdict, text| {
        Finding::new("psu_efficiency", verdict, Severity::Advice, subjects.clone(), text).number("efficiency", share).number("lost_w", lost)
    };
    if share >= least {
        out.push(say(Verdict::Pass, format!("{text}.")));
        return;
    }
    let room = &case.project.room;
    let saved_w = wall - wall * share / GOOD_EFFICIENCY;
    let a_year = Money::new(saved_w / 1000.0 * room.hours_per_day * 365.0 * room.tariff_per_kwh, room.currency);
    let stake = Stake { money: Some(a_year), per_year: true, watts: Some(saved_w), ..Stake::default() };
    let text = format!("{text}: one of {}% would save {a_year} a year.", plain(GOOD_EFFICIENCY * 100.0, 0));
    out.push(say(Verdict::Fail, text).number("saved_w", saved_w).stake(stake));
}

fn efficiency_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let now = case.psus().first().and_then(|p| p.is.efficiency);
    vec![larger(case, need_w(case), |s| s.efficiency.is_some() && s.efficiency > now)]
}
