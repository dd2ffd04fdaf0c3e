//! Each rule on three rigs: one on which it fires, one that passes, one that lacks a fact; and what is common to all rules.

#[cfg(test)]
mod bench;
#[cfg(test)]
mod build_cases;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod properties;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bench::{Rig, findings, rig, sound};
use fixtures::{Row, Third, rows};
use rigbay::checks::finding::{Finding, Severity, Verdict};
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::project::history::History;

fn of<'f>(list: &'f [Finding], rule: &str, verdict: Verdict) -> Vec<&'f Finding> {
    list.iter().filter(|f| f.rule == rule && f.verdict == verdict).collect()
}

#[test]
fn ids_are_unique_and_each_rule_has_its_fixtures() {
    let ids: Vec<&str> = rigbay::checks::all().map(|c| c.id).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id occurs twice");
    assert!(ids.len() >= 22, "{} rules", ids.len());
    let covered: BTreeSet<&str> = rows().iter().map(|r| r.rule).collect();
    assert_eq!(unique, covered);
    for check in rigbay::checks::all() {
        assert!(check.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{}", check.id);
        assert!(check.title.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit()), "{}", check.title);
        assert!(check.why.ends_with('.') && !check.why.contains("  "), "{}", check.why);
    }
}

#[test]
fn every_rule_fires_passes_and_says_what_it_lacks() {
    let mut text = String::new();
    for row in rows() {
        let Row { rule, fires, passes, third, numbers, .. } = row;
        let firing = rig(fires).of(rule);
        let failed = of(&firing, rule, Verdict::Fail);
        let first = failed.first().unwrap_or_else(|| panic!("{rule} does not fire: {firing:#?}"));
        for (key, value) in numbers {
            let got = first.numbers.get(key).copied().unwrap_or(f64::NAN);
            assert!((got - value).abs() < 0.5, "{rule}: {key} is {got}, expected {value}");
        }
        let passing = rig(passes).of(rule);
        assert!(!passing.is_empty(), "{rule} says nothing about a rig that passes");
        assert!(passing.iter().all(|f| f.verdict == Verdict::Pass), "{rule} does not pass: {passing:#?}");
        let _ = writeln!(text, "{rule} [{}] {}", first.severity.text(), first.message);
        let _ = writeln!(text, "  pass: {}", passing[0].message);
        match third {
            Third::Unknown(change, field) => {
                let asked = rig(change).of(rule);
                let unknown = of(&asked, rule, Verdict::Unknown);
                let unknown = unknown.first().unwrap_or_else(|| panic!("{rule} is not unknown: {asked:#?}"));
                assert!(unknown.missing.iter().any(|m| m.field == field), "{rule} names {:?}", unknown.missing);
                assert!(of(&asked, rule, Verdict::Fail).is_empty(), "{rule} fails on an unknown fact: {asked:#?}");
                let _ = writeln!(text, "  unknown: {}", unknown.message);
            }
            Third::Never(reason) => assert!(!reason.is_empty()),
        }
    }
    insta::assert_snapshot!("messages", text);
}

#[test]
fn the_sound_rig_has_no_failure() {
    let list = rig(|_| {}).findings();
    let failed: Vec<&str> = list.iter().filter(|f| f.verdict == Verdict::Fail).map(|f| f.rule).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(list.iter().all(|f| f.verdict == Verdict::Pass), "{list:#?}");
}

#[cfg(test)]
fn apply(rig: &Rig, edits: &[Edit]) -> Project {
    edits.iter().fold(rig.project.clone(), |project, edit| edit.apply(&rig.catalog, &project).expect("a fix applies"))
}

#[test]
fn every_fix_mends_its_finding_and_can_be_undone() {
    let mut text = String::new();
    for row in rows() {
        let before = rig(row.fires);
        let mended = before.mended();
        let finding = of(&mended, row.rule, Verdict::Fail)[0];
        assert_eq!(!finding.fixes.is_empty(), row.mends, "{}: {:?} / {:?}", row.rule, finding.fixes, finding.no_fix);
        let has_search = rigbay::checks::check(row.rule).is_some_and(|c| c.search.is_some());
        assert_eq!(finding.no_fix.is_some(), has_search && !row.mends, "{}", row.rule);
        for fix in &finding.fixes {
            let project = apply(&before, &fix.edits);
            let after = findings(&before.catalog, &project);
            let still: Vec<&Finding> = after.iter().filter(|f| f.key() == finding.key() && f.verdict != Verdict::Pass).collect();
            assert!(still.is_empty(), "{}: \"{}\" leaves {still:#?}", row.rule, fix.label);
            let mut history = History::open(before.project.clone());
            let edit = Edit::Many { label: fix.label.clone(), edits: fix.edits.clone() };
            assert!(history.commit(&fix.label, edit.apply(&before.catalog, &before.project).expect("as one edit"), false));
            history.undo();
            assert_eq!(**history.now(), before.project, "{}", row.rule);
            let _ = writeln!(text, "{}: {}", row.rule, fix.label);
        }
        if let Some(none) = &finding.no_fix {
            let _ = writeln!(text, "{}: {none}", row.rule);
        }
    }
    insta::assert_snapshot!("fixes", text);
}

#[test]
fn a_fix_adds_no_failure_as_bad_as_what_it_mends() {
    for row in rows() {
        let before = rig(row.fires);
        let mended = before.mended();
        let failed = |list: &[Finding], worst: Severity| -> BTreeSet<_> {
            list.iter().filter(|f| f.verdict == Verdict::Fail && f.severity <= worst).map(Finding::key).collect()
        };
        for (finding, fix) in mended.iter().flat_map(|f| f.fixes.iter().map(move |fix| (f, fix))) {
            let after = findings(&before.catalog, &apply(&before, &fix.edits));
            let worst = finding.severity.min(Severity::Problem);
            assert!(failed(&after, worst).is_subset(&failed(&mended, Severity::Note)), "{}: {}", row.rule, fix.label);
        }
    }
}

#[test]
fn blockers_come_first_then_what_wastes_most() {
    let list = rig(|kit| {
        kit.instead("ram", "ram.fast");
        kit.psu("psu").watts = Some(400.0);
        kit.psu("psu").efficiency = Some(rigbay::catalog::vocab::Efficiency::White);
        kit.gpu("gpu").memory_gb = Some(6.0);
    })
    .mended();
    let order: Vec<(Verdict, bool)> = list.iter().map(|f| (f.verdict, f.severity != Severity::Blocker)).collect();
    assert!(order.is_sorted(), "{order:?}");
    let wasted: Vec<i64> = list
        .iter()
        .filter(|f| f.verdict == Verdict::Fail && f.severity != Severity::Blocker)
        .map(|f| f.stake.as_ref().and_then(|s| s.waste_per_year).map_or(0, |m| m.cents))
        .collect();
    assert!(wasted.iter().filter(|w| **w > 0).count() >= 2 && wasted.is_sorted_by(|a, b| a >= b), "{wasted:?}");
}

#[test]
fn stakes_are_measured() {
    let list = rig(|kit| kit.instead("ram", "ram.fast")).mended();
    let speed = of(&list, "ram_speed", Verdict::Fail)[0];
    assert_eq!(speed.stake.as_ref().and_then(|s| s.money).map(|m| m.to_string()).as_deref(), Some("$60"), "{speed:#?}");
    // $60 over three years.
    let stake = speed.stake.as_ref().expect("a stake");
    assert_eq!(stake.waste_per_year.map(|m| m.cents), Some(2000), "{stake:?}");
    assert!(stake.how.as_deref().is_some_and(|h| h.contains("$60 ÷ 3 years")), "{stake:?}");
    assert!(speed.fixes[0].label.starts_with("Replace ram.fast by ram.slow, saves $60"), "{}", speed.fixes[0].label);

    let list = rig(|kit| kit.psu("psu").watts = Some(500.0)).mended();
    let capacity = of(&list, "psu_capacity", Verdict::Fail)[0];
    assert_eq!(capacity.stake.as_ref().and_then(|s| s.money).map(|m| m.to_string()).as_deref(), Some("-$230"));
    assert_eq!(capacity.fixes[0].label, "Replace psu by psu.big, costs $230 more");
    // A blocker: what cannot be used is the supply.
    if capacity.severity == Severity::Blocker {
        assert_eq!(capacity.stake.as_ref().and_then(|s| s.waste_per_year).map(|m| m.to_string()).as_deref(), Some("$170"));
    }
}

#[test]
fn money_of_unknown_prices_stays_unknown() {
    let list = rig(|kit| {
        kit.instead("ram", "ram.fast");
        kit.unprice("ram.fast");
    })
    .mended();
    let speed = of(&list, "ram_speed", Verdict::Fail)[0];
    assert_eq!(speed.stake.as_ref().and_then(|s| s.money), None);
    assert!(speed.message.contains("unknown"), "{}", speed.message);
}

#[test]
fn an_accepted_finding_is_left_alone() {
    let mut before = rig(|kit| kit.psu("psu").watts = Some(500.0));
    let key = of(&before.findings(), "psu_capacity", Verdict::Fail)[0].key();
    let edit = Edit::Accept { finding: key, because: Some("it is a spare".to_owned()) };
    before.project = edit.apply(&before.catalog, &before.project).expect("a finding can be accepted");
    let list = before.mended();
    let finding = of(&list, "psu_capacity", Verdict::Fail)[0];
    assert_eq!(finding.accepted.as_deref(), Some("it is a spare"));
    assert!(finding.fixes.is_empty());
}

#[test]
fn a_guess_near_a_limit_decides_nothing() {
    for (length, verdict) in [(310.0, Verdict::Pass), (326.0, Verdict::Unknown), (334.0, Verdict::Unknown), (336.0, Verdict::Fail)] {
        let list = rig(|kit| {
            kit.gpu("gpu").length_mm = Some(length);
            kit.assume("gpu", "length_mm");
        })
        .of("gpu_length");
        assert_eq!(list[0].verdict, verdict, "{length}: {}", list[0].message);
    }
}

#[test]
fn an_empty_rig_gets_a_list_of_what_to_do() {
    let mut kit = sound();
    kit.places.clear();
    let list = bench::assemble(kit).findings();
    let failed: Vec<&str> = list.iter().filter(|f| f.verdict == Verdict::Fail).map(|f| f.rule).collect();
    assert_eq!(failed, ["no_gpu", "no_board", "no_case", "no_cpu", "no_psu", "no_ram"]);
    assert!(list.iter().all(|f| f.verdict != Verdict::Unknown), "{list:#?}");
}

#[test]
fn neighbours_without_air_weigh_more_with_three_cards() {
    let pair = rig(|kit| kit.seat("gpu", "board/P3")).of("gpu_adjacent_open_air");
    assert_eq!((pair[0].verdict, pair[0].severity), (Verdict::Fail, Severity::Advice));
    let three = rig(|kit| {
        kit.seat("gpu", "board/P3");
        kit.seat("gpu", "board/P5");
        kit.job(8.0);
    })
    .of("gpu_adjacent_open_air");
    let failed = of(&three, "gpu_adjacent_open_air", Verdict::Fail);
    assert_eq!(failed.len(), 2);
    assert!(failed.iter().all(|f| f.severity == Severity::Problem && f.message.contains("Model-8B")), "{failed:#?}");
    let blowers = rig(|kit| {
        kit.instead("gpu", "gpu.blower");
        kit.seat("gpu.blower", "board/P3");
    })
    .of("gpu_adjacent_open_air");
    assert!(blowers.iter().all(|f| f.verdict == Verdict::Pass), "{blowers:#?}");
}

#[test]
fn missing_16_pin_leads_can_come_from_adapters() {
    use rigbay::catalog::part::Plugs;
    use rigbay::catalog::vocab::Plug;
    let leads = |eight: u8| {
        rig(move |kit| {
            kit.gpu("gpu").plugs = Some(vec![Plugs { plug: Plug::Hpwr16, count: 1 }]);
            kit.psu("psu").plugs = Some(vec![Plugs { plug: Plug::Pcie8, count: eight }, Plugs { plug: Plug::Eps8, count: 2 }]);
        })
        .of("gpu_plug_type")
        .remove(0)
    };
    // 350 W ask for three leads of 150 W.
    assert_eq!((leads(3).verdict, leads(3).severity), (Verdict::Fail, Severity::Advice), "{}", leads(3).message);
    assert_eq!((leads(2).verdict, leads(2).severity), (Verdict::Fail, Severity::Blocker), "{}", leads(2).message);
}

#[test]
fn memory_floors_come_in_two_steps() {
    for (gb, verdict, severity) in
        [(6.0, Verdict::Fail, Severity::Problem), (8.0, Verdict::Fail, Severity::Note), (11.0, Verdict::Pass, Severity::Problem)]
    {
        let list = rig(|kit| kit.gpu("gpu").memory_gb = Some(gb)).of("gpu_memory_floor");
        assert_eq!((list[0].verdict, list[0].severity), (verdict, severity), "{gb} GB");
    }
    let stricter = rig(|kit| {
        kit.project.thresholds.insert("gpu_memory_floor_gb".to_owned(), 32.0);
    });
    assert_eq!(stricter.of("gpu_memory_floor")[0].severity, Severity::Problem, "thresholds are the user's");
}

#[test]
fn a_rig_without_gpu_says_what_it_is_for() {
    let list = rig(|kit| {
        kit.drop("gpu");
        kit.tray("gpu.blower");
        kit.job(8.0);
    })
    .of("no_gpu");
    assert_eq!(list[0].message, "The rig has no GPU: gpu.blower still lies in the tray. It is meant to run Model-8B.");
}

#[test]
fn a_faster_kit_that_costs_no_more_passes() {
    let cheap = rig(|kit| {
        kit.instead("ram", "ram.fast");
        kit.part("ram.fast").prices[0].amount = 70.0;
    });
    let list = cheap.of("ram_speed");
    assert_eq!(list[0].verdict, Verdict::Pass, "a faster kit that costs no more wastes nothing: {}", list[0].message);
}
