//! What heat costs: cards at a temperature limit, and hot memory beside the die.

use super::candidates::{gpu, moves, serves_as, setting, swap};
use super::finding::{Finding, Fix, Severity, Verdict};
use super::fixes::{first_piece, pieces};
use super::rig::{about, missing, unknown};
use super::{Case, Check, Search};
use crate::analysis::airflow::work::Class;
use crate::analysis::airflow::{CardAir, CardState, Held};
use crate::catalog::part::{Part, PartKind};
use crate::catalog::vocab::GpuCooler;
use crate::project::air_settings::FAN_SPEED;
use crate::units::{plain, watts};

pub(super) const RULES: &[Check] = &[
    Check {
        id: "gpu_heat_loss",
        title: "Work lost to heat",
        why: "A card at its temperature limit draws less power and clocks lower until it holds that limit: its temperature then looks harmless and the work is gone. How much depends on the kind of work; what is said holds for compute-bound work such as training.",
        guide: &["G7", "G17"],
        run: loss,
        search: Some(Search {
            candidates: loss_fixes,
            none: "No other slot, no faster case fan and no blower of the same product brings the loss below the limit.",
        }),
    },
    Check {
        id: "gpu_memory_heat",
        title: "Hot graphics memory",
        why: "Memory beside the die can reach its limit while the die looks cool; the card then lowers its clock. Stacked and fast graphics memory runs 15 to 50 K above the die.",
        guide: &["G7"],
        run: memory,
        search: Some(Search { candidates: memory_fixes, none: "No lower power limit or other slot keeps the memory away from its limit." }),
    },
];

/// Every judged card of a rule; those that lack a fact are asked for.
fn each(
    case: &Case<'_>,
    rule: &'static str,
    question: &str,
    out: &mut Vec<Finding>,
    judge: impl Fn(&CardAir, &CardState) -> Option<Finding>,
) {
    for card in &case.facts.airflow.cards {
        match (&card.state, &card.missing) {
            (Some(state), _) => out.extend(judge(card, state)),
            (None, Some((part, field))) => {
                let text = format!("{question} {}", case.name(card.placement));
                out.push(unknown(rule, Severity::Advice, about([card.placement]), &text, vec![missing(part, field)]));
            }
            (None, None) => {}
        }
    }
}

fn celsius(state: &CardState) -> String {
    let d = state.die;
    format!("{} °C ({} to {})", plain(d.value, 0), plain(d.low, 0), plain(d.high, 0))
}

fn loss(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "gpu_heat_loss";
    let limit = case.project.threshold("heat_loss_pct");
    each(case, RULE, "What heat costs", out, |card, state| {
        let name = case.name(card.placement);
        let at = |list: &[f64; 3], class: Class| list.get(class as usize).copied().unwrap_or(0.0) * 100.0;
        let (lost, high) = (at(&state.lost, Class::ComputeBound), at(&state.lost_high, Class::ComputeBound));
        // As with cards side by side: a rig of three and more is built for long runs.
        let severity = if lost > 15.0 && case.gpus().len() > 2 { Severity::Problem } else { Severity::Advice };
        let subjects = about([card.placement]);
        let verdict = match (lost > limit, high > limit) {
            (true, _) => Verdict::Fail,
            (false, true) => {
                let facts = vec![missing(&name, "a reading of its temperature under load")];
                return Some(unknown(
                    RULE,
                    severity,
                    subjects,
                    &format!("Whether heat costs {name} more than {} % of its work", plain(limit, 0)),
                    facts,
                ));
            }
            (false, false) => Verdict::Pass,
        };
        let text = match state.held {
            Held::Free => format!("{name} reaches {} under load at {} and loses nothing to heat.", celsius(state), watts(state.power_w)),
            Held::Die | Held::Memory => format!(
                "{name} holds {} of {} at its {} limit of {} °C and loses {} % of compute-bound, {} % of memory-bound work.",
                watts(state.power_w),
                watts(state.allowed_w),
                if state.held == Held::Die { "temperature" } else { "memory's" },
                plain(if state.held == Held::Die { state.limit_c } else { state.memory_limit_c.unwrap_or(state.limit_c) }, 0),
                plain(lost, 0),
                plain(at(&state.lost, Class::MemoryBound), 0),
            ),
        };
        Some(
            Finding::new(RULE, verdict, severity, subjects, text)
                .number("die_c", state.die.value)
                .number("lost_pct", lost)
                .number("limit_pct", limit),
        )
    });
}

fn loss_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let mut groups = vec![moves(case, what)];
    let below = case.facts.space.card(what).and_then(|c| c.below).map(|b| b.0);
    groups.extend(below.map(|id| moves(case, id)));
    let fans = case.project.rig.placed(case.catalog).filter(|(_, _, p)| matches!(p.kind, PartKind::Fan(_)));
    groups.push(fans.map(|(id, _, _)| setting(id, FAN_SPEED, "100", format!("Run {} at full speed", case.name(id)))).collect());
    let blower = case.part_of(what).and_then(gpu).map(|old| {
        let good = |p: &Part| serves_as(old, p) && gpu(p).is_some_and(|g| g.product == old.product && g.cooler == Some(GpuCooler::Blower));
        swap(case, what, good)
    });
    groups.extend(blower);
    groups
}

fn memory(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "gpu_memory_heat";
    let margin = case.project.threshold("memory_margin_k");
    each(case, RULE, "How hot the memory gets of", out, |card, state| {
        // Of memory that nobody measured nothing is said.
        let (found, limit) = state.memory_c.zip(state.memory_limit_c)?;
        let name = case.name(card.placement);
        let verdict = if found > limit - margin { Verdict::Fail } else { Verdict::Pass };
        let text = format!("The memory of {name} reaches {} °C, its limit is {} °C.", plain(found, 0), plain(limit, 0));
        let finding = Finding::new(RULE, verdict, Severity::Advice, about([card.placement]), text);
        Some(finding.number("memory_c", found).number("limit_c", limit))
    });
}

fn memory_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let mut groups: Vec<Vec<Fix>> = pieces(finding).into_iter().map(|id| moves(case, id)).collect();
    let limits = first_piece(finding).and_then(|id| {
        let gpu = case.part_of(id).and_then(gpu)?;
        let (rated, least) = (gpu.tdp_w?, gpu.power_min_w.unwrap_or(0.0));
        let steps = [0.9, 0.8, 0.7, 0.6].map(|share| (rated * share / 10.0).round() * 10.0);
        let fix = |w: f64| {
            setting(id, crate::analysis::power::POWER_LIMIT, &format!("{w:.0}"), format!("Limit {} to {}", case.name(id), watts(w)))
        };
        Some(steps.into_iter().filter(|w| *w >= least).map(fix).collect())
    });
    groups.extend(limits);
    groups
}
