//! A lesson in a catalog: its rig before and after each step, and whether it works at all.

use std::sync::Arc;

use serde_json::Value;

use super::change::{Change, Parts, applied};
use super::test::{Solved, Test};
use super::{Fault, Lesson, Step};
use crate::analysis::Effort;
use crate::catalog::model::ModelShape;
use crate::catalog::{Catalog, Copies};
use crate::checks::finding::Verdict;
use crate::import::examples::example;
use crate::project::file::load_text;
use crate::project::{Project, Versions};
use crate::report::{Report, analyze};

/// What a lesson is taught with.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    pub catalog: &'a Arc<Catalog>,
    pub models: &'a [Arc<ModelShape>],
    /// Names of what drawings can emphasise.
    pub layers: &'a [&'a str],
}

/// The rig of one step, worked as the lesson says.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub before: Arc<Project>,
    /// With the changes that showing the prediction's result makes.
    pub shown: Arc<Project>,
    /// With the worked answer.
    pub after: Arc<Project>,
}

/// A lesson's rigs, and the catalog in force for them.
#[derive(Clone, Debug)]
pub struct Course {
    pub catalog: Arc<Catalog>,
    /// What the starting rig's file carries of its own, in force in `catalog`.
    pub copies: Copies,
    pub stages: Vec<Stage>,
}

/// Works the lesson through.
///
/// # Errors
/// The first change that cannot be made, or the rig that cannot be read.
pub fn course(world: World<'_>, lesson: &Lesson) -> Result<Course, Fault> {
    let (text, file) = match (&lesson.start.preset, &lesson.start.rig) {
        (Some(name), _) => {
            let found = example(name).ok_or_else(|| lesson.fault("start.preset", &format!("names no example: there is no {name}")))?;
            (found.text, found.file)
        }
        (None, rig) => (rig.as_deref().unwrap_or_default(), "start.rig"),
    };
    let field = if lesson.start.preset.is_some() { "start.preset" } else { "start.rig" };
    let loaded = load_text(world.catalog, text, file).map_err(|e| lesson.fault(field, &e.to_string()))?;
    let copies = loaded.copies;
    let catalog = if copies == Copies::default() { world.catalog.clone() } else { Arc::new(world.catalog.overlaid(copies.clone())) };
    let parts = Parts { catalog: &catalog, models: world.models };
    let make = |from: &Arc<Project>, changes: &[Change], field: String| -> Result<Arc<Project>, Fault> {
        if changes.is_empty() {
            return Ok(from.clone());
        }
        let made = applied(parts, from, changes, &lesson.title).map_err(|(n, why)| lesson.fault(&format!("{field}.{n}"), &why))?;
        Ok(Arc::new(made.1))
    };
    let begin = Arc::new(Project { name: lesson.title.clone(), notes: String::new(), ..loaded.project });
    let mut now = make(&begin, &lesson.start.changes, "start.changes".to_owned())?;
    let mut stages = Vec::new();
    for (n, step) in lesson.steps.iter().enumerate() {
        let changes = step.predict.as_ref().map(|p| p.changes.as_slice()).unwrap_or_default();
        let shown = make(&now, changes, format!("steps.{n}.predict.changes"))?;
        let after = make(&shown, &step.answer, format!("steps.{n}.answer"))?;
        stages.push(Stage { before: now, shown, after: after.clone() });
        now = after;
    }
    Ok(Course { catalog, copies, stages })
}

/// A rig solved in full, in both forms of its report.
#[derive(Clone, Debug)]
pub struct Solution {
    pub report: Report,
    pub json: Value,
}

/// The report as JSON without the versions that made it, so that the same rig gives the same text.
pub fn json_of(catalog: &Catalog, project: &Project, report: &Report) -> Value {
    serde_json::to_value(crate::report::json::json(catalog, project, report, &Versions::default())).unwrap_or_default()
}

impl Solution {
    pub fn of(catalog: &Catalog, project: &Project) -> Self {
        let report = analyze(catalog, project, Effort::Full);
        let json = json_of(catalog, project, &report);
        Self { report, json }
    }

    pub fn solved(&self) -> Solved<'_> {
        Solved { report: &self.report, json: &self.json }
    }
}

/// Solutions of the same rig are computed once.
#[derive(Debug, Default)]
pub struct Solutions(Vec<(Arc<Project>, Arc<Solution>)>);

impl Solutions {
    pub fn of(&mut self, catalog: &Catalog, project: &Arc<Project>) -> Arc<Solution> {
        if let Some((_, known)) = self.0.iter().find(|(p, _)| Arc::ptr_eq(p, project) || p == project) {
            return known.clone();
        }
        let made = Arc::new(Solution::of(catalog, project));
        self.0.push((project.clone(), made.clone()));
        made
    }
}

/// Everything that is wrong with a lesson in this catalog: changes that cannot be made, places and layers that are not there, checks that
/// pass before the worked answer or not after it, predictions without a result. Solves every step in full.
pub fn verify(world: World<'_>, lesson: &Lesson) -> Vec<Fault> {
    match course(world, lesson) {
        Ok(course) => verify_course(world, lesson, &course, &mut Solutions::default()),
        Err(fault) => vec![fault],
    }
}

/// The same for a lesson that was worked through; keeps the solutions.
pub fn verify_course(world: World<'_>, lesson: &Lesson, course: &Course, solutions: &mut Solutions) -> Vec<Fault> {
    let mut out = Vec::new();
    for (n, (step, stage)) in lesson.steps.iter().zip(&course.stages).enumerate() {
        let mut say = |field: &str, what: &str| out.push(lesson.fault(&format!("steps.{n}{field}"), what));
        places(world, &course.catalog, step, stage, &mut say);
        if let Some(predict) = step.predict.as_ref().filter(|p| p.path.is_some()) {
            let solution = solutions.of(&course.catalog, &stage.shown);
            if predict.result(&solution.json).is_none() {
                say(".predict.path", "names no number of this step's report, or several");
            }
        }
        if let Some(check) = &step.check {
            judged(check, &solutions.of(&course.catalog, &stage.shown), &solutions.of(&course.catalog, &stage.after), &mut say);
        }
    }
    out
}

fn places(world: World<'_>, catalog: &Catalog, step: &Step, stage: &Stage, say: &mut impl FnMut(&str, &str)) {
    if let Some(layer) = step.look.layer.as_ref().filter(|l| !world.layers.contains(&l.as_str())) {
        say(".look.layer", &format!("{layer} is none of {}", world.layers.join(", ")));
    }
    for part in &step.look.parts {
        if [&stage.before, &stage.after].iter().all(|p| p.rig.placement(*part).is_none()) {
            say(".look.parts", &format!("{part} is not in this step's rig"));
        }
    }
    let cut = |p: &Project| p.workloads.iter().any(|w| w.model.context.is_some_and(|most| w.context > most));
    if cut(&stage.shown) || cut(&stage.after) {
        say("", "has a job whose context is longer than its model takes; the window would cut it");
    }
    let slots = crate::build::slots::slots(catalog, &stage.before.rig);
    for slot in step.look.slots.iter().filter(|s| !slots.iter().any(|known| known.id == **s)) {
        say(".look.slots", &format!("{slot} is no place of this step's rig"));
    }
}

fn judged(check: &Test, before: &Solution, after: &Solution, say: &mut impl FnMut(&str, &str)) {
    for values in check.values() {
        if [&before.json, &after.json].iter().all(|json| values.path.find(json).is_empty()) && values.which != super::test::Which::Count {
            say(".check", &format!("{} names nothing in this step's report", values.path));
        }
    }
    if check.judge(before.solved()).verdict == Verdict::Pass {
        say(".check", "passes before anything is done. Ask for more, or begin with another rig");
    }
    let outcome = check.judge(after.solved());
    if outcome.verdict != Verdict::Pass {
        say(".check", &format!("does not pass after the worked answer: {}", outcome.why.join(" ")));
    }
}

/// Why an attempt is none yet: what the check says, then serious faults that the attempt brought in.
pub fn explain(check: &Test, before: &Report, now: Solved<'_>) -> Vec<String> {
    let outcome = check.judge(now);
    let mut out = outcome.why;
    let rules = check.rules();
    let serious = |f: &&crate::checks::finding::Finding| {
        f.verdict == Verdict::Fail && f.severity <= crate::checks::finding::Severity::Problem && !rules.contains(&f.rule)
    };
    let brought = now
        .report
        .findings
        .iter()
        .filter(serious)
        .filter(|f| !before.findings.iter().any(|b| b.verdict == f.verdict && b.key() == f.key()));
    out.extend(brought.take(3).map(|f| format!("New with this change: {}", f.message)));
    out
}
