//! A lesson made by building it: the rig is captured, edits become the worked answer, checks are picked from a list, the file is TOML.

use super::change::Change;
use super::test::{Relation, Scalar, Test, Values, Wanted, Which};
use super::walk::Solution;
use super::{Lesson, Level, Start, Step};
use crate::checks::check as rule_of;
use crate::checks::finding::Verdict;
use crate::project::Project;
use crate::project::edit::Edit;

/// A step whose text is still to be written.
pub fn empty_step() -> Step {
    Step {
        title: String::new(),
        text: String::new(),
        look: super::Look::default(),
        predict: None,
        task: None,
        check: None,
        hints: Vec::new(),
        answer: Vec::new(),
        explain: None,
        question: None,
    }
}

/// The changes that lead from one rig to the next, by the edits that were made; `None` if one of them has no place in a lesson.
pub fn answer_of(edits: &[(Edit, Project)]) -> Option<Vec<Change>> {
    let all: Option<Vec<Vec<Change>>> = edits.iter().map(|(edit, before)| Change::of(edit, before)).collect();
    all.map(|a| a.into_iter().flatten().collect())
}

/// Checks that fail on one rig and pass on the other, with a text each: rules first, then figures of the report.
pub fn offered(before: &Solution, after: &Solution) -> Vec<(String, Test)> {
    let mut out = Vec::new();
    let mut offer = |test: Test| {
        let turned = test.judge(before.solved()).verdict != Verdict::Pass && test.judge(after.solved()).verdict == Verdict::Pass;
        if turned && !out.iter().any(|(_, t)| *t == test) {
            out.push((test.text(), test));
        }
    };
    let mut rules: Vec<&str> = after.report.findings.iter().map(|f| f.rule).collect();
    rules.sort_by_key(|r| rule_of(r).map_or(*r, |c| c.title));
    rules.dedup();
    for rule in rules {
        offer(Test::Rule { rule: rule.to_owned(), verdict: Wanted::Pass });
    }
    for (path, what, unit) in FIGURES {
        let Ok(path) = path.parse::<super::path::Path>() else { continue };
        let found = path.find(&after.json);
        let numbers: Vec<f64> = found.iter().filter_map(|v| v.as_f64()).collect();
        if numbers.is_empty() || numbers.len() < found.len() {
            continue;
        }
        let was: Vec<f64> = path.find(&before.json).iter().filter_map(|v| v.as_f64()).collect();
        let (low, high) = range(&numbers);
        let (old_low, old_high) = range(&was);
        let (is, value) =
            if was.is_empty() || high < old_high { (Relation::AtMost, rounded_up(high)) } else { (Relation::AtLeast, rounded_down(low)) };
        if (low, high) == (old_low, old_high) {
            continue;
        }
        let unit = (!unit.is_empty()).then(|| (*unit).to_owned());
        offer(Test::Values(Values { path, which: Which::All, is, value: Scalar::Number(value), what: Some((*what).to_owned()), unit }));
    }
    for (path, what) in FLAGS {
        let Ok(path) = path.parse() else { continue };
        offer(Test::Values(Values {
            path,
            which: Which::All,
            is: Relation::Equal,
            value: Scalar::Flag(true),
            what: Some((*what).to_owned()),
            unit: None,
        }));
    }
    out
}

/// Figures of the report that a check may ask for.
const FIGURES: &[(&str, &str, &str)] = &[
    ("airflow.cards[*].die_c", "Temperature of every card", "°C"),
    ("airflow.cards[*].clock_pct", "Clock of every card", "%"),
    ("airflow.case.noise_dba", "Noise", "dB(A)"),
    ("memory[*].total_bytes", "Memory on every card", "bytes"),
    ("power.wall_w", "Draw from the wall", "W"),
    ("power.total_w", "Typical draw", "W"),
    ("cost.known_total", "Purchase", ""),
    ("lanes.hosts[*].alone_gb_s", "Rate from the host to every card", "GB/s"),
    ("lanes.pairs[*].gb_s", "Rate between every two cards", "GB/s"),
    ("performance[*].value", "Speed", ""),
];

const FLAGS: &[(&str, &str)] =
    &[("memory[*].fits", "The work fits on every card"), ("lanes.pairs[*].p2p", "Every two cards reach each other")];

fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
}

/// The next number of three digits, so that a check does not hang on the last one.
fn rounded_up(value: f64) -> f64 {
    step_of(value).map_or(value, |s| (value / s).ceil() * s)
}
fn rounded_down(value: f64) -> f64 {
    step_of(value).map_or(value, |s| (value / s).floor() * s)
}
fn step_of(value: f64) -> Option<f64> {
    let magnitude = value.abs();
    (magnitude > 0.0).then(|| libm::pow(10.0, libm::floor(libm::log10(magnitude)) - 2.0))
}

/// The lesson's file. Long texts stand on lines of their own.
///
/// # Errors
/// If it has no TOML form.
pub fn text(lesson: &Lesson) -> Result<String, String> {
    let table = toml::Table::try_from(lesson).map_err(|e| format!("The lesson cannot be written ({e})."))?;
    toml::to_string_pretty(&table).map_err(|e| format!("The lesson cannot be written ({e})."))
}

/// A new lesson that begins with this rig; `rig` is the text of its file.
pub fn begin(title: &str, rig: String) -> Lesson {
    Lesson { level: Level::Start, ..Lesson::new(title, Start { preset: None, rig: Some(rig), changes: Vec::new() }) }
}
