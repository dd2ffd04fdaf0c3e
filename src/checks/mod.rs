//! Rules that judge a rig. A rule reads facts and never computes physics.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::analysis::Facts;
use crate::catalog::Catalog;
use crate::project::Project;

mod candidates;
mod clearance;
mod display;
pub mod finding;
mod fit;
mod fixes;
pub mod glossary;
mod heat;
mod lanes;
mod leads;
pub mod manual;
mod memory;
mod money;
mod platform;
mod plugs;
mod power;
mod present;
mod radiators;
mod rig;
mod slots;
mod stake;
mod thermal;
mod workload;

use finding::{Finding, Severity, Verdict};
pub use fixes::{Search, mend, mend_safe};

/// A rule: its id, its name, why it matters, and its function.
#[derive(Debug)]
pub struct Check {
    /// Stable: `psu_capacity`.
    pub id: &'static str,
    /// Names the class: "Power supply capacity".
    pub title: &'static str,
    /// The consequence, in plain sentences.
    pub why: &'static str,
    /// Rules of the buyer's guide behind it.
    pub guide: &'static [&'static str],
    /// Judges; costs little, as it runs on every edit.
    pub run: fn(&Case<'_>, &mut Vec<Finding>),
    /// Where fixes come from, if parts or places of the catalog can mend it; tried by [`mend`] only.
    pub search: Option<Search>,
}

/// What a rule may read.
#[derive(Debug)]
pub struct Case<'a> {
    pub catalog: &'a Catalog,
    pub project: &'a Project,
    pub facts: &'a Facts,
}

const THEMES: &[&[Check]] = &[
    present::RULES,
    fit::RULES,
    clearance::RULES,
    radiators::RULES,
    slots::RULES,
    lanes::RULES,
    memory::RULES,
    platform::RULES,
    power::RULES,
    plugs::RULES,
    leads::RULES,
    thermal::RULES,
    heat::RULES,
    workload::RULES,
    display::RULES,
    money::RULES,
];

/// All rules, by theme.
pub fn all() -> impl Iterator<Item = &'static Check> {
    THEMES.iter().copied().flatten()
}

/// The rule of an id.
pub fn check(id: &str) -> Option<&'static Check> {
    all().find(|c| c.id == id)
}

/// Every judgement on a rig, most urgent first: failures before unknowns before passes, by severity, then by money at stake.
pub fn run(case: &Case<'_>) -> Vec<Finding> {
    let of_theme = |rules: &&[Check]| rules.iter().flat_map(|check| judge(check, case)).collect::<Vec<_>>();
    let mut findings: Vec<Finding> = THEMES.par_iter().map(of_theme).collect::<Vec<_>>().into_iter().flatten().collect();
    join_equal(&mut findings);
    sort(&mut findings);
    findings
}

/// What one rule finds.
fn judge(check: &Check, case: &Case<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    (check.run)(case, &mut findings);
    for finding in &mut findings {
        if finding.guide.is_empty() {
            finding.guide.extend_from_slice(check.guide);
        }
        finding.accepted = case.project.accepted.iter().find(|a| a.finding == finding.key()).map(|a| a.because.clone());
    }
    findings
}

/// Says once what holds for several pieces alike, such as the kits of one memory; failures stay apart, since each is mended by itself.
fn join_equal(findings: &mut Vec<Finding>) {
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        let same = |f: &&mut Finding| f.rule == finding.rule && f.verdict == finding.verdict && f.message == finding.message;
        match kept.iter_mut().find(same).filter(|_| finding.verdict != Verdict::Fail) {
            Some(earlier) => {
                earlier.subjects.extend(finding.subjects.into_iter().filter(|s| !earlier.subjects.contains(s)).collect::<Vec<_>>());
            }
            None => kept.push(finding),
        }
    }
    *findings = kept;
}

/// Stable order: verdict, blockers, money wasted, severity, rule, subjects (G2). Money in another currency than the room's never occurs here.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|f| {
        let waste = f.stake.as_ref().and_then(|s| s.waste_per_year).map_or(0, |m| m.cents);
        (f.accepted.is_some(), f.verdict, f.severity != Severity::Blocker, Reverse(waste), f.severity, f.rule, f.subjects.clone())
    });
}

/// Rules whose verdict differs between two documents, with what each said and says.
pub fn flips(catalog: &Catalog, before: &Project, after: &Project) -> Vec<(&'static str, Verdict, Verdict)> {
    let verdicts = |project: &Project| {
        let facts = crate::analysis::facts(catalog, project, crate::analysis::Effort::Live);
        let mut worst: std::collections::BTreeMap<&'static str, Verdict> = std::collections::BTreeMap::new();
        for finding in run(&Case { catalog, project, facts: &facts }) {
            let known = worst.entry(finding.rule).or_insert(finding.verdict);
            *known = finding.verdict.min(*known);
        }
        worst
    };
    let (old, new) = (verdicts(before), verdicts(after));
    old.into_iter().filter_map(|(rule, was)| new.get(rule).filter(|now| **now != was).map(|now| (rule, was, *now))).collect()
}

/// Counts for the head of the panel: failures by severity, passes, unknowns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub blockers: usize,
    pub problems: usize,
    pub advice: usize,
    pub notes: usize,
    pub passed: usize,
    pub unknown: usize,
}

impl Tally {
    pub fn of(findings: &[Finding]) -> Self {
        let mut tally = Self::default();
        for finding in findings.iter().filter(|f| f.accepted.is_none()) {
            match (finding.verdict, finding.severity) {
                (Verdict::Pass, _) => tally.passed += 1,
                (Verdict::Unknown, _) => tally.unknown += 1,
                (Verdict::Fail, Severity::Blocker) => tally.blockers += 1,
                (Verdict::Fail, Severity::Problem) => tally.problems += 1,
                (Verdict::Fail, Severity::Advice) => tally.advice += 1,
                (Verdict::Fail, Severity::Note) => tally.notes += 1,
            }
        }
        tally
    }
}
