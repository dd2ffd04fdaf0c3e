//! What holds for every rig, whatever is in it.

use std::collections::{BTreeMap, BTreeSet};

use super::bench::{Kit, Rig, rig};
use super::fixtures::rows;
use rigbay::analysis::{Effort, facts};
use rigbay::checks::finding::{Finding, Safety, Severity, Verdict};
use rigbay::project::{FindingKey, Project};
use rigbay::report::analyze;

/// A small generator of numbers that repeats itself on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

/// Several mistakes of the fixtures at once. Changes that name a part which an earlier one took away would not apply: those only set facts.
fn random(seed: u64) -> Option<Rig> {
    let mut dice = Dice(seed);
    let all = rows();
    let picks: Vec<usize> = (0..1 + dice.roll(4)).map(|_| dice.roll(all.len())).collect();
    let change = move |kit: &mut Kit| {
        for n in picks {
            (all[n].fires)(kit);
        }
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| rig(change))).ok()
}

fn contradictions(list: &[Finding]) -> Vec<FindingKey> {
    let mut seen: BTreeMap<FindingKey, BTreeSet<Verdict>> = BTreeMap::new();
    for finding in list {
        seen.entry(finding.key()).or_default().insert(finding.verdict);
    }
    seen.into_iter().filter(|(_, verdicts)| verdicts.len() > 1).map(|(key, _)| key).collect()
}

#[test]
fn a_thousand_random_rigs_contradict_themselves_nowhere() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut made = 0;
    let mut wrong = Vec::new();
    for seed in 0..1500 {
        let Some(rig) = random(seed) else { continue };
        made += 1;
        let list = rig.findings();
        wrong.extend(contradictions(&list).into_iter().map(|key| format!("{seed}: {key:?}")));
        if seed % 10 == 0 && rig.findings() != list {
            wrong.push(format!("{seed}: another order"));
        }
    }
    let _ = std::panic::take_hook();
    assert!(made >= 1000, "{made} rigs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn live_and_full_judge_alike() {
    for row in rows() {
        let rig = rig(row.fires);
        let verdicts = |effort| -> BTreeMap<FindingKey, (Verdict, Severity)> {
            analyze(&rig.catalog, &rig.project, effort).findings.iter().map(|f| (f.key(), (f.verdict, f.severity))).collect()
        };
        // Temperatures of the grid may differ from those of the zones; what they lead to is not compared here.
        let apart = |map: BTreeMap<FindingKey, (Verdict, Severity)>| -> BTreeMap<_, _> {
            map.into_iter().filter(|(key, _)| !key.rule.starts_with("gpu_heat") && !key.rule.starts_with("gpu_memory_heat")).collect()
        };
        assert_eq!(apart(verdicts(Effort::Live)), apart(verdicts(Effort::Full)), "{}", row.rule);
    }
}

#[test]
fn safe_fixes_spend_nothing_and_add_no_failure() {
    let mut safe = 0;
    for row in rows() {
        let before = rig(row.fires);
        let list = before.mended();
        let facts = facts(&before.catalog, &before.project, Effort::Live);
        let case = rigbay::checks::Case { catalog: &before.catalog, project: &before.project, facts: &facts };
        let Some(fix) = rigbay::checks::mend_safe(&case, &list) else { continue };
        assert!(list.iter().any(|f| f.fixes.iter().any(|x| x.safety == Safety::Safe)));
        safe += 1;
        let project = fix.edits.iter().fold(before.project.clone(), |p, e| e.apply(&before.catalog, &p).expect("applies"));
        let after = analyze(&before.catalog, &project, Effort::Live);
        // What lay in the tray counts once it is placed, yet nothing is bought: no piece is there that was not there before.
        let pieces = |p: &Project| p.rig.placements().map(|(id, piece)| (id, piece.part.clone())).collect::<BTreeSet<_>>();
        assert!(pieces(&project).is_subset(&pieces(&before.project)), "{}: something was bought", row.rule);
        let blockers = |l: &[Finding]| l.iter().filter(|f| f.verdict == Verdict::Fail && f.severity == Severity::Blocker).count();
        assert!(blockers(&after.findings) <= blockers(&list), "{}", row.rule);
    }
    assert!(safe >= 3, "{safe}");
}

#[test]
fn a_changed_limit_tells_what_it_flips() {
    let rig = rig(|_| {});
    let mut after = rig.project.clone();
    after.thresholds.insert("gpu_memory_floor_gb".to_owned(), 48.0);
    let flips = rigbay::checks::flips(&rig.catalog, &rig.project, &after);
    assert_eq!(flips, [("gpu_memory_floor", Verdict::Pass, Verdict::Fail)]);
    assert!(rigbay::checks::flips(&rig.catalog, &rig.project, &rig.project).is_empty());
}

#[test]
fn the_manual_page_is_that_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md");
    let text = rigbay::checks::manual::text();
    if std::env::var_os("UPDATE_RULES").is_some() {
        std::fs::write(path, &text).expect("the page is written");
    }
    assert!(std::fs::read_to_string(path).unwrap_or_default() == text, "the page is old: run with UPDATE_RULES=1");
}
