//! A lesson as a page to print and hand out: tasks with room to write, or with the worked answers. Everything is in the one file.

use std::sync::Arc;

use super::html::{document, escape, section};
use crate::checks::finding::Verdict;
use crate::drawing::Layer;
use crate::drawing::palette::Theme;
use crate::drawing::rig::draw;
use crate::drawing::svg::svg;
use crate::lesson::change::Parts;
use crate::lesson::walk::{Course, Solutions, Stage, World, course};
use crate::lesson::{Fault, Lesson, Predict, Question, Step};
use crate::project::Project;
use crate::units::plain;

/// The page. With `answers` it shows results, worked answers and explanations; without, lines to write on.
///
/// # Errors
/// Why the lesson does not work in this catalog.
pub fn worksheet(world: World<'_>, lesson: &Lesson, answers: bool) -> Result<String, Fault> {
    let course = course(world, lesson)?;
    let sheet = Sheet { world, course: &course, answers };
    let mut solutions = Solutions::default();
    let mut body = String::new();
    let guide = if lesson.guide.is_empty() { String::new() } else { format!(" · guide {}", lesson.guide.join(", ")) };
    body.push_str(&format!(
        "<header><h1>{}</h1>\n<p>{}</p>\n<p class=\"sub\">{} minutes · {}{}{}</p></header>\n",
        escape(&lesson.title),
        escape(&lesson.goal),
        lesson.minutes,
        lesson.level.text(),
        escape(&guide),
        if answers { " · with answers" } else { "" },
    ));
    let mut drawn: Option<(Arc<Project>, Layer)> = None;
    for (n, (step, stage)) in (1..).zip(lesson.steps.iter().zip(&course.stages)) {
        section(&mut body, &format!("{n}. {}", step.title), |out| {
            paragraphs(out, &step.text);
            let layer = layer_of(step);
            // A picture that would be the same as the last one is not printed again.
            if drawn.as_ref().is_none_or(|(p, l)| *p != stage.before || *l != layer) {
                sheet.picture(out, &stage.before, layer, &mut solutions, "The rig in this step");
                drawn = Some((stage.before.clone(), layer));
            }
            sheet.step(out, step, stage, &mut solutions, &mut drawn);
        });
    }
    Ok(document(&lesson.title, &body))
}

/// What a step's drawing emphasises.
pub fn layer_of(step: &Step) -> Layer {
    let named = step.look.layer.as_deref();
    Layer::ALL.iter().copied().find(|l| Some(l.text()) == named).unwrap_or_default()
}

struct Sheet<'a> {
    world: World<'a>,
    course: &'a Course,
    answers: bool,
}

impl Sheet<'_> {
    fn picture(&self, out: &mut String, project: &Arc<Project>, layer: Layer, solutions: &mut Solutions, caption: &str) {
        let solution = solutions.of(&self.course.catalog, project);
        let drawing = draw(&self.course.catalog, project, &solution.report, layer);
        out.push_str(&format!("<figure>{}<figcaption>{}</figcaption></figure>\n", svg(&drawing, Theme::Light), escape(caption)));
    }

    fn step(&self, out: &mut String, step: &Step, stage: &Stage, solutions: &mut Solutions, drawn: &mut Option<(Arc<Project>, Layer)>) {
        if let Some(predict) = &step.predict {
            self.predict(out, predict, stage, solutions);
        }
        if let Some(task) = &step.task {
            out.push_str(&format!("<h3>Task</h3>\n<p>{}</p>\n", escape(task)));
            if let Some(check) = &step.check {
                out.push_str(&format!("<p class=\"sub\">Reached when: {}</p>\n", escape(&check.text())));
            }
            if self.answers {
                self.answer(out, step, stage, solutions);
                let layer = layer_of(step);
                if stage.after != stage.shown {
                    self.picture(out, &stage.after, layer, solutions, "After the worked answer");
                    *drawn = Some((stage.after.clone(), layer));
                }
            } else {
                lines(out, 4);
            }
        }
        if let Some(question) = &step.question {
            self.question(out, question);
        }
    }

    fn predict(&self, out: &mut String, predict: &Predict, stage: &Stage, solutions: &mut Solutions) {
        out.push_str(&format!("<h3>Guess first</h3>\n<p>{}</p>\n", escape(&predict.ask)));
        let unit = predict.unit.as_deref().unwrap_or_default();
        choices(out, &predict.choices, predict.right.filter(|_| self.answers));
        if !self.answers {
            if predict.choices.is_empty() {
                out.push_str(&format!("<p>My guess: ______________ {}</p>\n", escape(unit)));
            }
            return;
        }
        if predict.path.is_some() {
            let result = predict.result(&solutions.of(&self.course.catalog, &stage.shown).json);
            let text = result.map_or_else(|| "unknown".to_owned(), |r| format!("{} {unit}", number(r)));
            out.push_str(&format!("<p><b>Result: {}</b></p>\n", escape(text.trim_end())));
        }
        paragraphs(out, &predict.why);
    }

    fn answer(&self, out: &mut String, step: &Step, stage: &Stage, solutions: &mut Solutions) {
        let parts = Parts { catalog: &self.course.catalog, models: self.world.models };
        out.push_str("<h3>One way to do it</h3>\n<ul>\n");
        let mut now = Project::clone(&stage.shown);
        for change in &step.answer {
            let Ok(edit) = change.edit(parts, &now) else { continue };
            out.push_str(&format!("<li>{}</li>\n", escape(&edit.label(&self.course.catalog, &now))));
            if let Ok(next) = edit.apply(&self.course.catalog, &now) {
                now = next;
            }
        }
        out.push_str("</ul>\n");
        if let Some(explain) = &step.explain {
            paragraphs(out, explain);
        }
        let (before, after) = (solutions.of(&self.course.catalog, &stage.shown), solutions.of(&self.course.catalog, &stage.after));
        let rules = step.check.as_ref().map(crate::lesson::test::Test::rules).unwrap_or_default();
        let said = |verdict: Verdict, of: &crate::report::Report| -> Vec<String> {
            of.findings.iter().filter(|f| rules.contains(&f.rule) && f.verdict == verdict).map(|f| f.message.clone()).collect()
        };
        for (head, messages) in [("Before", said(Verdict::Fail, &before.report)), ("After", said(Verdict::Pass, &after.report))] {
            for message in messages {
                out.push_str(&format!("<p class=\"sub\">{head}: {}</p>\n", escape(&message)));
            }
        }
    }

    fn question(&self, out: &mut String, question: &Question) {
        out.push_str(&format!("<h3>Question</h3>\n<p>{}</p>\n", escape(&question.ask)));
        choices(out, &question.choices, Some(question.right).filter(|_| self.answers));
        if self.answers {
            paragraphs(out, &question.why);
        }
    }
}

/// Boxes to tick; the right one is ticked where it is shown.
fn choices(out: &mut String, choices: &[String], right: Option<usize>) {
    for (n, choice) in (1..).zip(choices) {
        let text = escape(choice);
        let line = if right == Some(n) { format!("☒ <b>{text}</b>") } else { format!("☐ {text}") };
        out.push_str(&format!("<p>{line}</p>\n"));
    }
}

fn lines(out: &mut String, count: usize) {
    let line = "<div style=\"border-bottom:1px solid #999;height:26px\"></div>\n";
    out.push_str(&line.repeat(count));
}

fn paragraphs(out: &mut String, text: &str) {
    for paragraph in text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
        out.push_str(&format!("<p>{}</p>\n", escape(paragraph)));
    }
}

/// A result for people: three or four digits.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        a if a >= 100.0 => 0,
        a if a >= 10.0 => 1,
        a if a >= 1.0 => 2,
        _ => 3,
    };
    plain(value, decimals)
}
