//! How far somebody got: kept between runs, exported to a file, gathered as CSV for a class. No name is asked for; one typed in is kept.

use serde::{Deserialize, Serialize};

use super::{FORMAT, Fault, Lesson};
use crate::catalog::fingerprint;
use crate::project::file::Reader;

/// One lesson's progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Progress {
    /// Id of the lesson.
    pub lesson: String,
    /// Names the lesson's text: progress of an edited lesson begins anew.
    pub mark: String,
    /// The present step, counted from 0.
    pub at: usize,
    pub steps: Vec<StepProgress>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StepProgress {
    /// The check passed; or the step has none and was read.
    pub done: bool,
    /// Attempts that did not pass.
    pub tries: u32,
    pub hints: usize,
    /// The worked answer was asked for before the check passed.
    pub answer_shown: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess_right: Option<bool>,
    /// The choice taken first in the question, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice_right: Option<bool>,
}

/// Names the text of a lesson.
pub fn mark(lesson: &Lesson) -> String {
    fingerprint([lesson.text.as_str()])
}

impl Progress {
    pub fn new(lesson: &Lesson) -> Self {
        Self { lesson: lesson.id.clone(), mark: mark(lesson), at: 0, steps: vec![StepProgress::default(); lesson.steps.len()] }
    }

    /// Whether it belongs to this text of the lesson.
    pub fn fits(&self, lesson: &Lesson) -> bool {
        self.lesson == lesson.id
            && self.mark == mark(lesson)
            && self.steps.len() == lesson.steps.len()
            && self.at < lesson.steps.len().max(1)
    }

    pub fn done(&self) -> usize {
        self.steps.iter().filter(|s| s.done).count()
    }

    pub fn is_finished(&self) -> bool {
        !self.steps.is_empty() && self.done() == self.steps.len()
    }
}

/// Progress as a file that a pupil hands in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    pub format: i64,
    /// Whatever the pupil typed, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default)]
    pub progress: Vec<Progress>,
}

impl Sheet {
    pub fn new(name: &str, progress: Vec<Progress>) -> Self {
        let name = name.trim();
        Self { format: FORMAT, name: (!name.is_empty()).then(|| name.to_owned()), progress }
    }

    /// # Errors
    /// If it has no TOML form, which none has that was read or made here.
    pub fn text(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|e| format!("The progress cannot be written ({e})."))
    }
}

/// Reads a file of progress.
///
/// # Errors
/// Its first fault, with line and field.
pub fn read(text: &str, file: &str) -> Result<Sheet, Fault> {
    let reader = Reader { text, file };
    let sheet: Sheet = reader.decode(reader.parse()?, "")?;
    if sheet.format != FORMAT {
        return Err(reader.error("format", &format!("is {}, but this program reads {FORMAT}", sheet.format)));
    }
    Ok(sheet)
}

/// A row a pupil and step. A file without a name counts as "pupil 1", "pupil 2" by its place in the list.
///
/// # Errors
/// If the writer refuses a record, which it does for none of this width.
pub fn csv(sheets: &[Sheet], lessons: &[Lesson]) -> Result<String, String> {
    let say = |e: &dyn std::fmt::Display| format!("The results cannot be written ({e}).");
    let mut writer = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
    let heads =
        ["pupil", "lesson", "step", "title", "done", "tries", "hints", "answer_shown", "guess", "guess_right", "choice", "choice_right"];
    writer.write_record(heads).map_err(|e| say(&e))?;
    for (n, sheet) in (1..).zip(sheets) {
        let pupil = sheet.name.clone().unwrap_or_else(|| format!("pupil {n}"));
        for progress in &sheet.progress {
            let lesson = lessons.iter().find(|l| l.id == progress.lesson);
            for (at, step) in progress.steps.iter().enumerate() {
                let title = lesson.filter(|l| progress.fits(l)).and_then(|l| l.steps.get(at)).map_or("", |s| s.title.as_str());
                let row = [
                    harmless(&pupil),
                    harmless(&progress.lesson),
                    (at + 1).to_string(),
                    harmless(title),
                    yes(Some(step.done)),
                    step.tries.to_string(),
                    step.hints.to_string(),
                    yes(Some(step.answer_shown)),
                    harmless(step.guess.as_deref().unwrap_or_default()),
                    yes(step.guess_right),
                    step.choice.map(|c| c.to_string()).unwrap_or_default(),
                    yes(step.choice_right),
                ];
                writer.write_record(row).map_err(|e| say(&e))?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|e| say(&e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn yes(value: Option<bool>) -> String {
    value.map_or("", |v| if v { "yes" } else { "no" }).to_owned()
}

/// A quote before what a spreadsheet would take for a formula; numbers stay numbers.
fn harmless(value: &str) -> String {
    let formula = value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && value.parse::<f64>().is_err();
    if formula { format!("'{value}") } else { value.to_owned() }
}
