//! Lessons: a rig, and steps with text, tasks and checks that a teacher runs from the front or a pupil alone. Data only, no window.

use std::path::Path as FilePath;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use crate::files;
use crate::project::file::Reader;

pub use crate::project::file::RigFileError as Fault;

pub mod change;
pub mod path;
pub mod progress;
pub mod record;
pub mod test;
pub mod walk;

use change::Change;
use path::Path;
use test::Test;

/// The newest format that this program writes and reads.
pub const FORMAT: i64 = 1;

/// One lesson. Its id is the name of its file without the ending.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    format: i64,
    pub title: String,
    /// What a pupil can do afterwards, in one sentence.
    pub goal: String,
    pub minutes: u32,
    pub level: Level,
    /// Rules of the buyer's guide that it teaches: "G7".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guide: Vec<String>,
    pub start: Start,
    pub steps: Vec<Step>,
    #[serde(skip)]
    pub id: String,
    /// The file's name, for messages.
    #[serde(skip)]
    pub file: String,
    /// The file's text, for lines of messages.
    #[serde(skip)]
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// No knowledge is needed.
    Start,
    Middle,
    Advanced,
}

impl Level {
    pub const ALL: &[Self] = &[Self::Start, Self::Middle, Self::Advanced];
    pub const fn text(self) -> &'static str {
        match self {
            Self::Start => "for a start",
            Self::Middle => "with some practice",
            Self::Advanced => "advanced",
        }
    }
}

/// The rig that a lesson begins with: an example or a whole rig file, with changes made to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// File name of an example rig, without its ending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// The text of a rig file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub title: String,
    /// Paragraphs are separated by empty lines.
    pub text: String,
    #[serde(default, skip_serializing_if = "Look::is_nowhere")]
    pub look: Look,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predict: Option<Predict>,
    /// What the pupil shall do; goes with `check` and `answer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Test>,
    /// Each says more than the one before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// One way to do it, and why it works.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<Change>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

/// What is in question: outlined on the chassis, or shown beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Look {
    /// What the drawing emphasises: "parts", "lanes" …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Placed parts, `p7`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<crate::build::PlacementId>,
    /// Places, `p1/PCIE3`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<crate::build::SlotId>,
    /// A chart that the step needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<Chart>,
    /// Panels that the step needs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<Panel>,
}

impl Look {
    pub fn is_nowhere(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chart {
    Memory,
    Cost,
    Performance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Panel {
    /// The catalog.
    Parts,
    /// Jobs and findings.
    Work,
}

/// A guess before the result is shown: a number of the report, or a choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predict {
    pub ask: String,
    /// Where the report has the number.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "path_text")]
    pub path: Option<Path>,
    /// The report's number times this is what is asked for; 1 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// A guess this close counts as right, per cent of the result; 10 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_pct: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The right choice, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<usize>,
    /// Made when the result is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    pub why: String,
}

impl Predict {
    pub fn result(&self, report: &serde_json::Value) -> Option<f64> {
        Some(self.path.as_ref()?.number(report)? * self.scale.unwrap_or(1.0))
    }

    /// Whether a guessed number is close to the result.
    pub fn is_close(&self, guess: f64, result: f64) -> bool {
        (guess - result).abs() <= result.abs() * self.within_pct.unwrap_or(10.0) / 100.0
    }
}

/// A question with choices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub ask: String,
    pub choices: Vec<String>,
    /// The right choice, counted from 1.
    pub right: usize,
    pub why: String,
}

mod path_text {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Path;

    pub(super) fn serialize<S: Serializer>(path: &Option<Path>, to: S) -> Result<S::Ok, S::Error> {
        match path {
            Some(path) => to.collect_str(path),
            None => to.serialize_none(),
        }
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Path>, D::Error> {
        String::deserialize(from)?.parse().map(Some).map_err(serde::de::Error::custom)
    }
}

/// Reads a lesson; `file` is used in messages and gives the id.
///
/// # Errors
/// Every fault of its text with line and field; whether it also works in a catalog is for [`walk::verify`].
pub fn read(text: &str, file: &str) -> Result<Lesson, Vec<Fault>> {
    let reader = Reader { text, file };
    let table = reader.parse().map_err(|e| vec![e])?;
    let stated = table.get("format").map(Spanned::get_ref).and_then(DeValue::as_integer).and_then(|n| n.as_str().parse::<i64>().ok());
    match stated {
        Some(FORMAT) => {}
        Some(newer) if newer > FORMAT => {
            let why = format!("is {newer}, but this program reads up to {FORMAT}. Open the lesson with a newer Rigbay");
            return Err(vec![reader.error("format", &why)]);
        }
        _ => {
            return Err(vec![reader.error("format", &format!("is missing or no format number. A lesson begins with `format = {FORMAT}`"))]);
        }
    }
    let mut lesson: Lesson = reader.decode(table, "").map_err(|e| vec![e])?;
    file.clone_into(&mut lesson.file);
    text.clone_into(&mut lesson.text);
    lesson.id = FilePath::new(file).file_stem().map_or_else(|| file.to_owned(), |s| s.to_string_lossy().into_owned());
    let faults = lesson.faults();
    if faults.is_empty() { Ok(lesson) } else { Err(faults) }
}

impl Lesson {
    /// A lesson without steps.
    pub fn new(title: &str, start: Start) -> Self {
        Self {
            format: FORMAT,
            title: title.to_owned(),
            goal: String::new(),
            minutes: 10,
            level: Level::Start,
            guide: Vec::new(),
            start,
            steps: Vec::new(),
            id: String::new(),
            file: String::new(),
            text: String::new(),
        }
    }

    /// A fault of the field with this dotted path.
    pub(crate) fn fault(&self, field: &str, message: &str) -> Fault {
        Reader { text: &self.text, file: &self.file }.error(field, message)
    }

    /// What a reader of the text alone can see to be wrong.
    fn faults(&self) -> Vec<Fault> {
        let mut out = Vec::new();
        let mut say = |field: &str, what: &str| out.push(self.fault(field, what));
        for (field, text) in [("title", &self.title), ("goal", &self.goal)] {
            if text.trim().is_empty() {
                say(field, "is empty. Write a sentence");
            }
        }
        if !(1..=240).contains(&self.minutes) {
            say("minutes", "is outside 1 to 240");
        }
        match (&self.start.preset, &self.start.rig) {
            (Some(_), Some(_)) => say("start", "names an example and has a rig of its own. Leave one out"),
            (None, None) => say("start", "has neither `preset` nor `rig`. Name an example"),
            (Some(_), None) | (None, Some(_)) => {}
        }
        for (n, change) in self.start.changes.iter().enumerate() {
            change.well_formed().err().into_iter().for_each(|why| say(&format!("start.changes.{n}"), &why));
        }
        if self.steps.is_empty() {
            say("steps", "is empty. Write at least one [[steps]]");
        }
        for (n, step) in self.steps.iter().enumerate() {
            step.faults(|field, what| say(&format!("steps.{n}{field}"), what));
        }
        out
    }
}

impl Step {
    fn faults(&self, mut say: impl FnMut(&str, &str)) {
        if self.title.trim().is_empty() || self.text.trim().is_empty() {
            say("", "needs a title and a text");
        }
        match (&self.task, &self.check) {
            (Some(_), None) => say(".task", "has no check. Write check = { … }"),
            (None, Some(_)) => say(".check", "has no task. Write what is to be done"),
            (Some(_), Some(_)) if self.answer.is_empty() => say(".task", "has no worked answer. Write answer = [ … ]"),
            (None, None) if !self.answer.is_empty() => say(".answer", "belongs to a task, and there is none"),
            (None, None) if !self.hints.is_empty() => say(".hints", "belong to a task, and there is none"),
            _ => {}
        }
        for (n, change) in self.answer.iter().enumerate() {
            change.well_formed().err().into_iter().for_each(|why| say(&format!(".answer.{n}"), &why));
        }
        if let Some(question) = &self.question
            && !(2..=8).contains(&question.choices.len())
        {
            say(".question.choices", "are not two to eight");
        }
        if let Some(question) = &self.question
            && !(1..=question.choices.len()).contains(&question.right)
        {
            say(".question.right", "names no choice. They are counted from 1");
        }
        let Some(predict) = &self.predict else { return };
        for (n, change) in predict.changes.iter().enumerate() {
            change.well_formed().err().into_iter().for_each(|why| say(&format!(".predict.changes.{n}"), &why));
        }
        match (&predict.path, predict.choices.len(), predict.right) {
            (Some(_), 0, None) => {}
            (None, 2..=8, Some(right)) if (1..=predict.choices.len()).contains(&right) => {}
            (None, 2..=8, _) => say(".predict.right", "names no choice. They are counted from 1"),
            _ => say(".predict", "asks for a number with `path`, or for one of two to eight `choices` with `right`"),
        }
        let numbers = [predict.scale, predict.within_pct].into_iter().flatten();
        if numbers.into_iter().any(|n| !n.is_finite() || n <= 0.0) {
            say(".predict", "has a scale or within_pct that is not above 0");
        }
    }
}

static SHIPPED: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/assets/lessons");

/// The texts of the lessons that ship with the program, by file name.
pub fn shipped() -> Vec<(String, String)> {
    let toml = SHIPPED.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml"));
    let mut out: Vec<_> = toml.filter_map(|f| Some((f.path().to_str()?.to_owned(), f.contents_utf8()?.to_owned()))).collect();
    out.sort();
    out
}

/// Largest lesson that is read: 8 MiB.
const LIMIT: u64 = 8 << 20;

/// The lessons that ship and those of the user's folder, by id; one of the user's own replaces a shipped one of its id. Those that cannot
/// be read are left out and named.
pub fn all(folder: Option<&FilePath>) -> (Vec<Lesson>, Vec<Fault>) {
    let (mut texts, mut faults) = (shipped(), Vec::new());
    for path in folder.map(files::toml_files).unwrap_or_default() {
        match open_text(&path) {
            Ok(text) => texts.push((path.display().to_string(), text)),
            Err(fault) => faults.push(fault),
        }
    }
    let mut lessons: Vec<Lesson> = Vec::new();
    for (file, text) in texts {
        match read(&text, &file) {
            Ok(lesson) => {
                lessons.retain(|l| l.id != lesson.id);
                lessons.push(lesson);
            }
            Err(wrong) => faults.extend(wrong),
        }
    }
    lessons.sort_by(|a, b| a.id.cmp(&b.id));
    (lessons, faults)
}

/// The text of a lesson's file.
///
/// # Errors
/// Why it cannot be read.
pub fn open_text(path: &FilePath) -> Result<String, Fault> {
    let file = path.display().to_string();
    files::read_text(path, LIMIT).map_err(|e| {
        let text = e.to_string();
        let message = text.strip_prefix(&format!("{file}: ")).unwrap_or(&text).to_owned();
        Fault { file, line: 0, field: String::new(), message }
    })
}
