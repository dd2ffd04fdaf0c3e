//! The search for fixes: candidates are tried as edits on a copy of the rig, and what does not hold is not offered.

use std::collections::BTreeSet;

use super::finding::{Finding, Fix, Safety, Severity, Verdict};
use super::stake::measure;
use super::{Case, check, run, sort};
use crate::analysis::cost::{best_price, in_room_currency};
use crate::analysis::{Effort, Facts, facts};
use crate::build::PlacementId;
use crate::catalog::part::PartId;
use crate::project::edit::Edit;
use crate::project::power_settings::LEADS;
use crate::project::{FindingKey, Project, Subject};
use crate::units::Money;

/// Where a rule's fixes come from.
#[derive(Debug)]
pub struct Search {
    /// Groups of alternatives, each best first; the first that holds of each group is offered.
    pub candidates: fn(&Case<'_>, &Finding) -> Vec<Vec<Fix>>,
    /// Said when none holds.
    pub none: &'static str,
}

/// Candidates tried of one group.
const TRIES: usize = 6;

/// Fills fixes, stakes and "no fix" of failing findings, then puts them in order again. Costly: for `Effort::Full`.
pub fn mend(case: &Case<'_>, findings: &mut [Finding]) {
    let serious = serious(findings);
    for finding in findings.iter_mut().filter(|f| f.verdict == Verdict::Fail && f.accepted.is_none()) {
        mend_one(case, finding, &serious);
    }
    sort(findings);
}

fn mend_one(case: &Case<'_>, finding: &mut Finding, before: &BTreeSet<FindingKey>) {
    let Some(search) = check(finding.rule).and_then(|c| c.search.as_ref()) else {
        measure(case, finding, None);
        return;
    };
    let mut first: Option<Facts> = None;
    let mut spoilt: Option<String> = None;
    for group in (search.candidates)(case, finding) {
        let Some((fix, tried)) = best(case, finding, group, before, &mut spoilt) else { continue };
        finding.fixes.push(fix);
        first.get_or_insert(tried.facts);
    }
    measure(case, finding, first.as_ref());
    if first.is_none() {
        finding.no_fix = Some(spoilt.unwrap_or_else(|| search.none.to_owned()));
    }
}

/// The first fix of a group without ill effect, else the first whose ill effect is milder than what it mends; its label then says so.
/// What would mend the finding at too high a price is told in `spoilt`.
fn best(
    case: &Case<'_>,
    finding: &Finding,
    group: Vec<Fix>,
    before: &BTreeSet<FindingKey>,
    spoilt: &mut Option<String>,
) -> Option<(Fix, Tried)> {
    let mut second = None;
    for mut fix in group.into_iter().take(TRIES) {
        let Some(tried) = try_fix(case, finding, &fix, before) else { continue };
        match tried.added {
            None => {
                if is_harmless(&fix) {
                    fix.safety = Safety::Safe;
                }
                return Some((fix, tried));
            }
            Some((severity, title)) if severity > finding.severity => {
                fix.label = format!("{}; leaves a milder fault: {title}", fix.label);
                second.get_or_insert((fix, tried));
            }
            Some((_, title)) => {
                spoilt.get_or_insert_with(|| format!("\"{}\" would mend it, but another check then fails: {title}.", fix.label));
            }
        }
    }
    second
}

/// It only moves what is there, or mounts a radiator elsewhere: nothing is bought, replaced or slowed.
fn is_harmless(fix: &Fix) -> bool {
    fix.edits.iter().all(|e| match e {
        Edit::Move { to, .. } => to.is_some(),
        Edit::Set { key, .. } => key == "radiator" || key == LEADS,
        _ => false,
    })
}

/// One fix made of the safe fixes of all findings, in their order; what would spoil something, or mends nothing any more, is left out.
pub fn mend_safe(case: &Case<'_>, findings: &[Finding]) -> Option<Fix> {
    let mut project = case.project.clone();
    let mut now = findings.to_vec();
    let (mut edits, mut mended_ones) = (Vec::new(), 0);
    for finding in findings.iter().filter(|f| f.verdict == Verdict::Fail && f.accepted.is_none()) {
        let still = |f: &&Finding| f.key() == finding.key() && f.verdict == Verdict::Fail;
        let (Some(fix), Some(_)) = (finding.fixes.iter().find(|f| f.safety == Safety::Safe), now.iter().find(still)) else { continue };
        let here = facts(case.catalog, &project, Effort::Live);
        let at = Case { catalog: case.catalog, project: &project, facts: &here };
        let Some(tried) = try_fix(&at, finding, fix, &serious(&now)).filter(|t| t.added.is_none()) else { continue };
        let Some(next) = apply_all(&at, &fix.edits) else { continue };
        now = run(&Case { catalog: case.catalog, project: &next, facts: &tried.facts });
        project = next;
        edits.extend(fix.edits.iter().cloned());
        mended_ones += 1;
    }
    let label = format!("Mend {} without buying anything", crate::units::count(mended_ones, "finding"));
    (mended_ones > 0).then_some(Fix { label, edits, safety: Safety::Ask })
}

/// A candidate that mends the finding.
struct Tried {
    facts: Facts,
    /// The worst failure that comes with it.
    added: Option<(Severity, &'static str)>,
}

/// Failures that hurt.
fn serious(findings: &[Finding]) -> BTreeSet<FindingKey> {
    findings.iter().filter(|f| hurts(f)).map(Finding::key).collect()
}

fn hurts(finding: &Finding) -> bool {
    finding.verdict == Verdict::Fail && finding.severity <= Severity::Problem
}

/// What comes of a fix, if it mends the finding and pushes nothing out of its place.
fn try_fix(case: &Case<'_>, finding: &Finding, fix: &Fix, before: &BTreeSet<FindingKey>) -> Option<Tried> {
    let project = apply_all(case, &fix.edits)?;
    if placed(case.project).iter().any(|id| project.rig.placement(*id).is_some_and(|p| p.slot.is_none())) {
        return None;
    }
    let after = facts(case.catalog, &project, Effort::Live);
    if overlaps(&after) > overlaps(case.facts) + 0.5 {
        return None;
    }
    let findings = run(&Case { catalog: case.catalog, project: &project, facts: &after });
    if !mended(finding, &findings) {
        return None;
    }
    let added = findings.iter().filter(|f| hurts(f) && !before.contains(&f.key())).min_by_key(|f| f.severity);
    let added = added.map(|f| (f.severity, check(f.rule).map_or("another one", |c| c.title)));
    Some(Tried { facts: after, added })
}

/// How far cards stand in each other's place, mm together: a fix must not push one deeper into another.
fn overlaps(facts: &Facts) -> f64 {
    let gaps = facts.space.cards.iter().filter_map(|c| c.below.and_then(|(_, gap)| gap));
    gaps.filter(|gap| *gap < 0.0).map(f64::abs).sum()
}

/// Whether nothing of the same rule about the same first subject fails or is unknown any more.
fn mended(old: &Finding, now: &[Finding]) -> bool {
    let key = old.key();
    let first = old.subjects.first();
    let same = |f: &&Finding| f.rule == old.rule && (f.key() == key || f.subjects.first() == first);
    now.iter().filter(same).all(|f| f.verdict == Verdict::Pass)
}

/// The project after several edits, if all apply.
fn apply_all(case: &Case<'_>, edits: &[Edit]) -> Option<Project> {
    let mut project = case.project.clone();
    for edit in edits {
        project = edit.apply(case.catalog, &project).ok()?;
    }
    Some(project)
}

fn placed(project: &Project) -> Vec<PlacementId> {
    project.rig.placements().filter(|(_, p)| p.slot.is_some()).map(|(id, _)| id).collect()
}

/// What a part costs in the room's currency, if that is known.
pub(super) fn counted(case: &Case<'_>, part: &PartId) -> Option<Money> {
    let asked = best_price(case.catalog, case.project, part)?;
    in_room_currency(case.catalog, case.project, asked.price).map(|(money, _)| money)
}

/// The placed piece that a finding is about first.
pub(super) fn first_piece(finding: &Finding) -> Option<PlacementId> {
    pieces(finding).first().copied()
}

/// All pieces that a finding is about.
pub(super) fn pieces(finding: &Finding) -> Vec<PlacementId> {
    let piece = |s: &Subject| match s {
        Subject::Placement(id) => Some(*id),
        Subject::Slot(_) | Subject::Workload(_) | Subject::Whole => None,
    };
    finding.subjects.iter().filter_map(piece).collect()
}
