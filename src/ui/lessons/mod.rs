//! Lessons in the window: the one that runs, beside the user's own document, which waits untouched until it ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::Effort;
use crate::catalog::Catalog;
use crate::checks::finding::Verdict;
use crate::drawing::Layer;
use crate::lesson::change::{Parts, applied};
use crate::lesson::progress::{Progress, StepProgress};
use crate::lesson::test::Solved;
use crate::lesson::walk::{Course, Stage, World, course, explain, json_of};
use crate::lesson::{Lesson, Step};
use crate::project::Project;
use crate::project::edit::Edit;
use crate::report::{Report, analyze};
use crate::session::Session;
use crate::ui::prefs::Prefs;
use crate::worker::Worker;

mod apply;
pub(super) mod list;
pub(super) mod outline;
pub(super) mod panel;
mod parts;
pub(super) mod presenter;
pub(super) mod record;
mod split;

use record::Recorder;

/// Requests of the lesson's views.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonAction {
    /// By id.
    Start(String),
    /// Back to the user's own document.
    Leave,
    Next,
    Back,
    Go(usize),
    /// What one key does in front of a class: the next paragraph, result, answer, step.
    Forward,
    Rearward,
    Hint,
    ShowAnswer,
    ResetStep,
    ResetLesson,
    Explore,
    Return,
    GuessNumber(f64),
    GuessChoice(usize),
    Choose(usize),
    Present,
    Split,
    /// Ask where to write the work sheet of a lesson; true = with answers.
    SheetDialog(String, bool),
    Sheet(std::path::PathBuf, bool),
    /// Ask where to write the progress, with the name typed in, if any.
    ProgressDialog(String),
    Progress(std::path::PathBuf),
    Record(record::RecordAction),
}

/// Everything the window knows of lessons.
#[derive(Debug)]
pub struct Lessons {
    pub all: Vec<Arc<Lesson>>,
    pub run: Option<Run>,
    /// Lessons left in this run of the program, as they were.
    parked: BTreeMap<String, Run>,
    kept: Option<Kept>,
    /// Solves the two rigs of a split.
    solver: Worker<split::Request, split::Answer>,
    pub recorder: Option<Recorder>,
    /// What the next work sheet is of, and the name that goes into the next file of progress.
    sheet_of: Option<String>,
    pupil: String,
}

/// What the user had before the lesson began.
#[derive(Debug)]
struct Kept {
    session: Session,
    start: bool,
    panels: (bool, bool, bool),
    layer: Layer,
    zoom: Option<f32>,
}

/// A lesson that runs.
#[derive(Debug)]
pub struct Run {
    pub lesson: Arc<Lesson>,
    pub course: Course,
    pub progress: Progress,
    /// Rigs as the pupil left them, by step.
    left: Vec<Option<Arc<Project>>>,
    results: Vec<Option<f64>>,
    /// The rig to return to from free exploration.
    pub exploring: Option<Arc<Project>>,
    /// What the check says about the present rig.
    pub judged: Option<Judged>,
    /// Report of the rig that the step began with.
    begun: Arc<Report>,
    pub presenting: bool,
    /// What of the step is shown in front of a class.
    pub beat: usize,
    pub split: Option<split::Split>,
    /// This step began with the rig of the worked answer, not with the pupil's own.
    pub swapped: bool,
    /// The user did something in this step.
    touched: bool,
}

/// A verdict on one state of the document.
#[derive(Clone, Debug)]
pub struct Judged {
    revision: u64,
    pub verdict: Verdict,
    pub why: Vec<String>,
}

impl Lessons {
    pub(super) fn new(all: Vec<Lesson>, solver: Worker<split::Request, split::Answer>) -> Self {
        let all = all.into_iter().map(Arc::new).collect();
        Self { all, run: None, parked: BTreeMap::new(), kept: None, solver, recorder: None, sheet_of: None, pupil: String::new() }
    }

    /// What is remembered between runs: the panels as they were before the lesson, and the zoom before presenter mode.
    pub(super) fn own_prefs(&self, prefs: &Prefs) -> Prefs {
        let mut own = prefs.clone();
        if let Some(kept) = &self.kept {
            (own.parts_open, own.work_open, own.charts_open) = kept.panels;
            (own.layer, own.zoom) = (kept.layer, kept.zoom);
        }
        own
    }

    /// The user's own document while a lesson runs.
    pub(super) fn own_session(&self) -> Option<&Session> {
        self.kept.as_ref().map(|k| &k.session)
    }
}

pub(super) use parts::LessonViews;
pub(super) use split::{solve, split_ui};

impl Run {
    fn new(lesson: Arc<Lesson>, course: Course, progress: Option<Progress>, begun: Arc<Report>) -> Self {
        let progress = progress.filter(|p| p.fits(&lesson)).unwrap_or_else(|| Progress::new(&lesson));
        let count = lesson.steps.len();
        Self {
            lesson,
            course,
            progress,
            left: vec![None; count],
            results: vec![None; count],
            exploring: None,
            judged: None,
            begun,
            presenting: false,
            beat: 0,
            split: None,
            swapped: false,
            touched: false,
        }
    }

    pub fn at(&self) -> usize {
        self.progress.at
    }
    pub fn step(&self) -> Option<&Step> {
        self.lesson.steps.get(self.at())
    }
    pub fn stage(&self) -> Option<&Stage> {
        self.course.stages.get(self.at())
    }
    pub fn record(&self) -> StepProgress {
        self.progress.steps.get(self.at()).cloned().unwrap_or_default()
    }
    fn record_mut(&mut self) -> Option<&mut StepProgress> {
        let at = self.at();
        self.progress.steps.get_mut(at)
    }
    /// The result of this step's prediction, once it is shown and solved.
    pub fn result(&self) -> Option<f64> {
        self.results.get(self.at()).copied().flatten()
    }
    pub fn is_last(&self) -> bool {
        self.at() + 1 >= self.lesson.steps.len()
    }
    pub fn passes(&self) -> bool {
        self.judged.as_ref().is_some_and(|j| j.verdict == Verdict::Pass)
    }
    /// Whether a guess is asked for that the charts would give away: the rig as it stands has the result.
    pub fn awaits_guess(&self) -> bool {
        let number = self.step().and_then(|s| s.predict.as_ref()).is_some_and(|p| p.path.is_some());
        let shows = self.stage().is_some_and(|s| s.before == s.shown);
        let told = self.record().guess.is_some() || self.presenting && self.beat >= presenter::RESULT;
        number && shows && !told && self.exploring.is_none()
    }
    /// Whether nothing is left to do in this step; a step that is only read is done by going on.
    pub fn is_complete(&self) -> bool {
        let Some(step) = self.step() else { return true };
        let record = self.record();
        (step.check.is_none() || record.done || self.passes())
            && (step.predict.is_none() || record.guess.is_some())
            && (step.question.is_none() || record.choice.is_some())
    }

    /// The rig that a step begins with.
    fn entry(&self, at: usize) -> Option<Arc<Project>> {
        if let Some(own) = self.left.get(at).cloned().flatten() {
            return Some(own);
        }
        let stage = self.course.stages.get(at)?;
        let guessed = self.progress.steps.get(at).is_some_and(|s| s.guess.is_some());
        Some(if guessed { stage.shown.clone() } else { stage.before.clone() })
    }

    /// Judges the present rig, once it is solved in full.
    fn judge(&mut self, session: &Session) -> bool {
        let revision = session.revision();
        if self.exploring.is_some() || !session.is_full() || self.judged.as_ref().is_some_and(|j| j.revision == revision) {
            return false;
        }
        let Some(step) = self.lesson.steps.get(self.progress.at).cloned() else { return false };
        let json = json_of(session.catalog(), session.project(), session.report());
        let record = self.record();
        let at = self.at();
        if let (Some(predict), true, Some(result @ None)) = (&step.predict, record.guess.is_some(), self.results.get_mut(at)) {
            *result = predict.result(&json);
            let close = record.guess.as_ref().and_then(|g| g.parse::<f64>().ok()).zip(*result).map(|(g, r)| predict.is_close(g, r));
            if let (Some(record), true) = (self.progress.steps.get_mut(at), predict.path.is_some()) {
                record.guess_right = record.guess_right.or(close);
            }
        }
        let solved = Solved { report: session.report(), json: &json };
        let judged = step.check.as_ref().map(|check| {
            let verdict = check.judge(solved).verdict;
            let why = if verdict == Verdict::Pass { Vec::new() } else { explain(check, &self.begun, solved) };
            Judged { revision, verdict, why }
        });
        let passes = judged.as_ref().is_some_and(|j| j.verdict == Verdict::Pass);
        let touched = self.touched;
        if let (Some(record), Some(_), true) = (self.record_mut(), &step.check, touched)
            && !passes
            && !record.done
        {
            record.tries += 1;
        }
        self.judged = Some(judged.unwrap_or(Judged { revision, verdict: Verdict::Unknown, why: Vec::new() }));
        self.note_done();
        true
    }

    /// A step with something to do is done once all of it is.
    fn note_done(&mut self) {
        let only_read = self.step().is_none_or(|s| s.check.is_none() && s.predict.is_none() && s.question.is_none());
        let complete = self.is_complete();
        if let Some(record) = self.record_mut()
            && complete
            && !only_read
        {
            record.done = true;
        }
    }
}

/// Names of what drawings can emphasise.
fn layers() -> Vec<&'static str> {
    Layer::ALL.iter().map(|l| l.text()).collect()
}

fn begin(lesson: &Arc<Lesson>, base: &Arc<Catalog>, session: &Session, progress: Option<Progress>) -> Result<Run, String> {
    let layers = layers();
    let world = World { catalog: base, models: session.models(), layers: &layers };
    let course = course(world, lesson).map_err(|fault| fault.to_string())?;
    let first = course.stages.first().ok_or_else(|| format!("{}: has no steps.", lesson.title))?;
    let begun = Arc::new(analyze(&course.catalog, &first.before, Effort::Live));
    Ok(Run::new(lesson.clone(), course, progress, begun))
}

/// The edit that leads from the present rig by a lesson's changes; `None` where they make no sense in it.
fn edit_of(session: &Session, changes: &[crate::lesson::change::Change], label: &str) -> Option<Edit> {
    let parts = Parts { catalog: session.catalog(), models: session.models() };
    applied(parts, session.project(), changes, label).ok().map(|(edit, _)| edit)
}
