//! The real checks on a whole rig, and on what their refusals depend.

use super::Wish;
use super::pool::Role;
use crate::analysis::cost::rates;
use crate::analysis::{Effort, Facts, facts, lanes, power, space};
use crate::catalog::Catalog;
use crate::checks::finding::{Finding, Severity, Verdict};
use crate::checks::{Case, check, run};
use crate::project::Project;

/// Bits beside those of the roles: the kind of card, and the whole choice of cards.
pub(super) const CARD: u16 = 1 << 7;
pub(super) const CARDS: u16 = 1 << 8;
/// Everything.
pub(super) const ALL: u16 = (1 << 9) - 1;

/// A refusal: what it says, and the roles on whose parts alone it depends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refused {
    pub why: String,
    pub on: u16,
}

const B: u16 = Role::Board.bit();
const C: u16 = Role::Cpu.bit();
const R: u16 = Role::Ram.bit();
const K: u16 = Role::Cooler.bit();
const X: u16 = Role::Case.bit();
const P: u16 = Role::Psu.bit();

/// Rules of fit with the roles on whose parts alone their verdict depends. They read neither heat nor speed nor cost, so a rig of these
/// parts alone answers them.
pub(super) const PAIRS: [(u16, &[&str]); 11] = [
    (CARDS | B, &["slot_overlap", "slot_power"]),
    (B | C, &["socket", "cpu_pair", "bios_version"]),
    (CARD | B | C, &["no_display_output"]),
    (CARDS | B | C, &["bar_space"]),
    (B | C | R, &["ram_type", "ram_module_type"]),
    (B | X, &["board_form"]),
    (CARD | X, &["gpu_length", "passive_gpu_airflow"]),
    (CARDS | B | X, &["gpu_thickness"]),
    (K | X, &["cooler_height", "radiator_mount"]),
    (P | X, &["psu_form", "psu_length"]),
    (CARDS | B | P, &["gpu_plug_type"]),
];

/// Parts on which the verdict of a rule depends; all of them for a rule that is not listed.
fn depends(rule: &str) -> u16 {
    match rule {
        "model_fits" => CARDS,
        // Draws of all parts but the case.
        "psu_capacity" | "circuit_continuous" => ALL & !X,
        _ => PAIRS.iter().find(|p| p.1.contains(&rule)).map_or(ALL, |p| p.0),
    }
}

/// What rules of fit say of a rig of a few parts: the first refusal.
pub(super) fn refused_by(catalog: &Catalog, project: &Project, wish: &Wish, rules: &[&str], still: &Facts) -> Option<String> {
    let space = space::space(catalog, &project.rig);
    let lanes = lanes::lanes(catalog, project);
    let power = power::power(catalog, project);
    let facts = Facts { space, lanes, power, ..still.clone() };
    let case = Case { catalog, project, facts: &facts };
    let mut findings = Vec::new();
    for check in rules.iter().filter_map(|id| check(id)) {
        (check.run)(&case, &mut findings);
    }
    findings.into_iter().find(|f| refuses(f, wish)).map(|f| f.message)
}

/// A rig that passed.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    pub facts: Facts,
    pub speed: f64,
    pub unit: &'static str,
    pub problems: Vec<String>,
    pub unknown: Vec<String>,
}

fn refuses(finding: &Finding, wish: &Wish) -> bool {
    if finding.accepted.is_some() {
        return false;
    }
    match (finding.verdict, finding.severity) {
        (Verdict::Fail, Severity::Blocker) => true,
        (Verdict::Fail, Severity::Problem) => wish.without_problems,
        (Verdict::Unknown, Severity::Blocker) => !wish.allow_unknown,
        (Verdict::Pass | Verdict::Fail | Verdict::Unknown, _) => false,
    }
}

/// Analyses and judges a whole rig.
pub(super) fn judge(catalog: &Catalog, project: &Project, wish: &Wish, effort: Effort) -> Result<Passed, Vec<Refused>> {
    let facts = facts(catalog, project, effort);
    let findings = run(&Case { catalog, project, facts: &facts });
    let refused: Vec<Refused> = findings
        .iter()
        .filter(|f| refuses(f, wish))
        .map(|f| Refused { why: f.message.clone(), on: if f.severity == Severity::Blocker { depends(f.rule) } else { ALL } })
        .collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let all = |why: String| Err(vec![Refused { why, on: ALL }]);
    let (rate, unit) = match rates::main(&facts.speed, 0) {
        Ok(found) => found,
        Err(missing) => return all(format!("Its speed is unknown: {missing}.")),
    };
    if let Some(most) = wish.max_watts {
        match facts.power.wall_w {
            Some(watts) if watts <= most => {}
            Some(watts) => return all(format!("It draws {} from the wall.", crate::units::watts(watts))),
            None => return all("Its draw from the wall is unknown.".to_owned()),
        }
    }
    if let Some(most) = wish.max_dba {
        match noise(&facts) {
            Some(dba) if dba <= most => {}
            Some(dba) => return all(format!("It makes {} dB(A) at one metre.", crate::units::plain(dba, 0))),
            None => return all("Its noise is unknown.".to_owned()),
        }
    }
    let texts = |verdict: Verdict, severity: Severity| {
        let of = findings.iter().filter(|f| f.verdict == verdict && f.severity == severity && f.accepted.is_none());
        of.map(|f| f.message.clone()).collect::<Vec<_>>()
    };
    let (problems, unknown) = (texts(Verdict::Fail, Severity::Problem), texts(Verdict::Unknown, Severity::Blocker));
    Ok(Passed { speed: rate.value, unit, problems, unknown, facts })
}

/// Noise of the whole rig at one metre, dB(A).
pub(super) fn noise(facts: &Facts) -> Option<f64> {
    facts.airflow.case.noise_dba
}
