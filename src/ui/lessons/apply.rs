//! Actions of lessons: starting, walking, leaving, files.

use std::path::Path;
use std::sync::Arc;

use eframe::egui;

use super::{Kept, LessonAction, Run, begin, edit_of, layers, split};
use crate::analysis::Effort;
use crate::export::worksheet::{layer_of, number, worksheet};
use crate::files;
use crate::lesson::progress::{Progress, Sheet};
use crate::lesson::walk::World;
use crate::lesson::{Chart, Panel};
use crate::project::Project;
use crate::project::edit::Edit;
use crate::report::analyze;
use crate::ui::App;
use crate::ui::apply::with_extension;
use crate::ui::dialogs::Purpose;

/// The window is as high as this many points in presenter mode, whatever its pixels: a line of text is then a twenty-fifth of its height.
const PRESENTER_HEIGHT: f32 = 327.0;
const PRESENTER_WIDTH: f32 = 582.0;

impl App {
    pub(in crate::ui) fn lesson(&mut self, ctx: &egui::Context, action: LessonAction) {
        match action {
            LessonAction::Start(id) => self.start_lesson(&id),
            LessonAction::Leave => self.leave_lesson(ctx),
            LessonAction::SheetDialog(id, answers) => {
                self.lessons.sheet_of = Some(id);
                self.ask_path(ctx, Purpose::Worksheet(answers));
            }
            LessonAction::Sheet(path, answers) => self.write_sheet(&path, answers),
            LessonAction::ProgressDialog(name) => {
                self.lessons.pupil = name;
                self.ask_path(ctx, Purpose::Progress);
            }
            LessonAction::Progress(path) => self.write_progress(&path),
            LessonAction::Record(action) => self.record_lesson(ctx, action),
            other => self.walk_lesson(ctx, &other),
        }
        self.keep_progress();
    }

    fn keep_progress(&mut self) {
        if let Some(run) = &self.lessons.run {
            self.prefs.lessons.insert(run.lesson.id.clone(), run.progress.clone());
        }
    }

    fn start_lesson(&mut self, id: &str) {
        self.dialogs.close();
        if self.lessons.run.as_ref().is_some_and(|r| r.lesson.id == id) {
            self.start = false;
            return;
        }
        let Some(lesson) = self.lessons.all.iter().find(|l| l.id == id).cloned() else {
            self.notices.problem(format!("There is no lesson {id}."));
            return;
        };
        let run = match self.lessons.parked.remove(id) {
            Some(run) => run,
            None => match begin(&lesson, &self.base, &self.session, self.prefs.lessons.get(id).cloned()) {
                Ok(run) => run,
                Err(text) => return self.notices.problem(text),
            },
        };
        if let Some(old) = self.lessons.run.take() {
            self.lessons.parked.insert(old.lesson.id.clone(), old);
        } else {
            let beside = self.session.beside();
            let prefs = &self.prefs;
            self.lessons.kept = Some(Kept {
                session: std::mem::replace(&mut self.session, beside),
                start: self.start,
                panels: (prefs.parts_open, prefs.work_open, prefs.charts_open),
                layer: prefs.layer,
                zoom: None,
            });
        }
        let at = run.at();
        self.lessons.run = Some(run);
        self.start = false;
        self.enter_step(at, false);
    }

    /// Back to the user's own document, as it was.
    pub(in crate::ui) fn leave_lesson(&mut self, ctx: &egui::Context) {
        self.present(ctx, false);
        let Some(mut run) = self.lessons.run.take() else { return };
        let at = run.at();
        let rig = run.exploring.take().unwrap_or_else(|| self.session.project().clone());
        if let Some(left) = run.left.get_mut(at) {
            *left = Some(rig);
        }
        run.split = None;
        self.prefs.lessons.insert(run.lesson.id.clone(), run.progress.clone());
        self.lessons.parked.insert(run.lesson.id.clone(), run);
        let Some(kept) = self.lessons.kept.take() else { return };
        let lesson = std::mem::replace(&mut self.session, kept.session);
        self.session.resume(&lesson);
        self.start = kept.start;
        (self.prefs.parts_open, self.prefs.work_open, self.prefs.charts_open) = kept.panels;
        self.prefs.layer = kept.layer;
        self.views.inspector.part = None;
        self.views.chassis.fit = true;
    }

    fn walk_lesson(&mut self, ctx: &egui::Context, action: &LessonAction) {
        let only_read = run_is_read(self.lessons.run.as_ref());
        let Some(run) = &mut self.lessons.run else { return };
        match action {
            LessonAction::Next => {
                if let Some(record) = run.record_mut().filter(|_| only_read) {
                    record.done = true;
                }
                self.step_to(1, ctx);
            }
            LessonAction::Back => self.step_to(-1, ctx),
            LessonAction::Go(at) => self.leave_and_enter(*at),
            LessonAction::Forward => self.forward(ctx),
            LessonAction::Rearward => {
                if run.beat > 0 {
                    run.beat -= 1;
                } else {
                    self.step_to(-1, ctx);
                }
            }
            LessonAction::Hint => {
                let most = run.step().map_or(0, |s| s.hints.len());
                if let Some(record) = run.record_mut() {
                    record.hints = (record.hints + 1).min(most);
                }
            }
            LessonAction::ShowAnswer => self.show_answer(),
            LessonAction::ResetStep => {
                let at = run.at();
                let record = run.record();
                if let (Some(left), Some(result), Some(old)) =
                    (run.left.get_mut(at), run.results.get_mut(at), run.progress.steps.get_mut(at))
                {
                    (*left, *result) = (None, None);
                    *old = crate::lesson::progress::StepProgress { tries: record.tries, ..Default::default() };
                }
                self.enter_step(at, false);
            }
            LessonAction::ResetLesson => {
                run.progress = Progress::new(&run.lesson);
                run.left.fill(None);
                run.results.fill(None);
                self.enter_step(0, false);
            }
            LessonAction::Explore => {
                run.exploring = Some(self.session.project().clone());
                self.notices.tell("Do what you like with this rig. Return brings back the lesson as you left it.");
            }
            LessonAction::Return => {
                if let Some(rig) = run.exploring.take() {
                    self.show_rig(&rig);
                }
            }
            LessonAction::GuessNumber(value) => self.guess(number(*value), None),
            &LessonAction::GuessChoice(choice) => {
                let predict = run.step().and_then(|s| s.predict.as_ref());
                let text = predict.and_then(|p| p.choices.get(choice.saturating_sub(1))).cloned().unwrap_or_default();
                let right = predict.and_then(|p| p.right).map(|r| r == choice);
                self.guess(text, right);
            }
            &LessonAction::Choose(choice) => {
                let right = run.step().and_then(|s| s.question.as_ref()).map(|q| q.right == choice);
                if let Some(record) = run.record_mut().filter(|r| r.choice.is_none()) {
                    (record.choice, record.choice_right) = (Some(choice), right);
                }
                run.note_done();
            }
            LessonAction::Present => {
                let on = !run.presenting;
                self.present(ctx, on);
            }
            LessonAction::Split => self.split(),
            _ => {}
        }
    }

    fn step_to(&mut self, by: isize, ctx: &egui::Context) {
        let Some(run) = &self.lessons.run else { return };
        match run.at().checked_add_signed(by) {
            Some(at) if at < run.lesson.steps.len() => self.leave_and_enter(at),
            Some(_) => {
                let title = run.lesson.title.clone();
                let done = run.progress.done();
                let of = run.lesson.steps.len();
                self.leave_lesson(ctx);
                self.notices.tell(format!("{title}: {done} of {of} steps done. Your own rig is back."));
            }
            None => {}
        }
    }

    fn leave_and_enter(&mut self, at: usize) {
        let Some(run) = &mut self.lessons.run else { return };
        let now = run.at();
        let rig = run.exploring.take().unwrap_or_else(|| self.session.project().clone());
        let differs = at > now
            && run.passes()
            && run.course.stages.get(at).is_some_and(|s| *s.before != *rig && run.left.get(at).is_some_and(Option::is_none));
        if let Some(left) = run.left.get_mut(now) {
            *left = Some(rig);
        }
        self.enter_step(at, differs);
    }

    /// Shows a step with the rig that belongs to it.
    fn enter_step(&mut self, at: usize, swapped: bool) {
        let Some(run) = &mut self.lessons.run else { return };
        run.progress.at = at;
        run.judged = None;
        run.exploring = None;
        run.split = None;
        run.beat = 0;
        run.swapped = swapped;
        run.touched = false;
        self.views.lesson.reset();
        let Some(rig) = run.entry(at) else { return };
        self.show_rig(&rig);
        let Some(run) = &mut self.lessons.run else { return };
        if let Some(stage) = run.stage() {
            let before = stage.before.clone();
            run.begun = if Arc::ptr_eq(&before, &rig) {
                self.session.report().clone()
            } else {
                Arc::new(analyze(self.session.catalog(), &before, Effort::Live))
            };
        }
        let Some(step) = run.step().cloned() else { return };
        let presenting = run.presenting;
        let has = |panel| step.look.panels.contains(&panel);
        self.prefs.layer = layer_of(&step);
        self.prefs.parts_open = has(Panel::Parts);
        self.prefs.work_open = has(Panel::Work) || !presenting;
        self.prefs.charts_open = step.look.chart.is_some() || step.check.is_some() && !presenting;
        self.views.charts.show(match step.look.chart {
            Some(Chart::Cost) => 1,
            Some(Chart::Performance) => 2,
            Some(Chart::Memory) | None => 0,
        });
        self.keep_progress();
    }

    fn show_rig(&mut self, rig: &Arc<Project>) {
        let copies = self.lessons.run.as_ref().map(|r| r.course.copies.clone()).unwrap_or_default();
        self.session.open(Project::clone(rig), copies, None, Vec::new());
        self.views.inspector.part = None;
        self.views.chassis.fit = true;
    }

    fn guess(&mut self, text: String, right: Option<bool>) {
        let Some(run) = &mut self.lessons.run else { return };
        if let Some(record) = run.record_mut().filter(|r| r.guess.is_none()) {
            (record.guess, record.guess_right) = (Some(text), right);
        }
        self.show_result();
    }

    /// Makes the changes that show what was guessed about.
    fn show_result(&mut self) {
        let Some(run) = &mut self.lessons.run else { return };
        run.judged = None;
        let Some((step, stage)) = run.step().cloned().zip(run.stage().cloned()) else { return };
        let changes = step.predict.as_ref().map(|p| p.changes.clone()).unwrap_or_default();
        if changes.is_empty() {
            return;
        }
        match edit_of(&self.session, &changes, "Show the result") {
            Some(edit) => self.edit(&edit, false),
            None => self.show_rig(&stage.shown),
        }
        if let Some(run) = &mut self.lessons.run {
            run.touched = false;
        }
    }

    fn show_answer(&mut self) {
        let Some(run) = &mut self.lessons.run else { return };
        let Some((step, stage)) = run.step().cloned().zip(run.stage().cloned()) else { return };
        let passes = run.passes();
        if let Some(record) = run.record_mut()
            && !passes
            && !record.done
        {
            record.answer_shown = true;
        }
        if **self.session.project() != *stage.shown {
            self.show_rig(&stage.shown);
        }
        match edit_of(&self.session, &step.answer, "Worked answer") {
            Some(edit) => self.edit(&edit, false),
            None => self.show_rig(&stage.after),
        }
    }

    /// What one key does in front of a class.
    fn forward(&mut self, ctx: &egui::Context) {
        use super::presenter::Beat;
        let Some(run) = &mut self.lessons.run else { return };
        let Some(step) = run.step().cloned() else { return };
        let beats = Beat::of(&step);
        let Some(next) = beats.get(run.beat + 1).copied() else { return self.step_to(1, ctx) };
        run.beat += 1;
        match next {
            Beat::Result => {
                let guessed = run.record().guess.is_some();
                if let Some(record) = run.record_mut().filter(|r| r.guess.is_none()) {
                    record.guess = Some(String::new());
                }
                if !guessed {
                    self.show_result();
                }
            }
            Beat::Answer if !run.passes() => self.show_answer(),
            Beat::Text | Beat::Predict | Beat::Task | Beat::Answer | Beat::Question | Beat::Why => {}
        }
    }

    fn present(&mut self, ctx: &egui::Context, on: bool) {
        let (Some(run), Some(kept)) = (&mut self.lessons.run, &mut self.lessons.kept) else { return };
        if run.presenting == on {
            return;
        }
        run.presenting = on;
        self.dialogs.close();
        if on {
            kept.zoom = Some(ctx.zoom_factor());
        } else if let Some(zoom) = kept.zoom.take() {
            ctx.set_zoom_factor(zoom);
        }
        crate::ui::theme::dress(ctx, on);
        self.tokens = crate::ui::theme::Tokens::of(self.tokens.theme).plain_if(on);
        let at = run.at();
        let step = run.step().cloned();
        let presenting = run.presenting;
        if let (Some(step), true) = (step, at < run.lesson.steps.len()) {
            self.prefs.work_open = step.look.panels.contains(&Panel::Work) || !presenting;
        }
        self.views.chassis.fit = true;
    }

    /// Keeps the presenter's window at the same number of points, whatever its pixels.
    pub(in crate::ui) fn fit_presenter(&self, ctx: &egui::Context) {
        if !self.lessons.run.as_ref().is_some_and(|r| r.presenting) {
            return;
        }
        let now = ctx.zoom_factor();
        let native = ctx.content_rect().size() * now;
        let wanted = (native.y / PRESENTER_HEIGHT).min(native.x / PRESENTER_WIDTH).clamp(0.5, 12.0);
        if (wanted / now - 1.0).abs() > 0.01 {
            ctx.set_zoom_factor(wanted);
            ctx.request_repaint();
        }
    }

    /// Solves what the split shows, or takes it away.
    fn split(&mut self) {
        let Some(run) = &mut self.lessons.run else { return };
        if run.split.take().is_some() {
            return;
        }
        let Some(stage) = run.stage().cloned() else { return };
        let (before, after) = if stage.shown == stage.after { (stage.before, stage.shown) } else { (stage.shown, stage.after) };
        run.split = Some(split::Split::new(before.clone(), after.clone()));
        self.lessons.solver.ask((run.course.catalog.clone(), before, after));
    }

    /// Takes what the workers found, and judges.
    pub(in crate::ui) fn tend_lesson(&mut self) {
        let answer = self.lessons.solver.answer();
        let Some(run) = &mut self.lessons.run else { return self.tend_recorder() };
        if let (Some(split), Some(answer)) = (&mut run.split, answer) {
            split.take(answer);
        }
        if run.judge(&self.session) {
            self.keep_progress();
        }
    }

    /// An edit of the user's in a lesson counts as an attempt.
    pub(in crate::ui) fn note_edit(&mut self, edit: &Edit, before: &Arc<Project>) {
        if let Some(run) = &mut self.lessons.run {
            run.touched = true;
        } else {
            self.record_edit(edit, before);
        }
    }

    fn write_sheet(&mut self, path: &Path, answers: bool) {
        let id = self.lessons.sheet_of.clone().or_else(|| self.lessons.run.as_ref().map(|r| r.lesson.id.clone()));
        let Some(lesson) = self.lessons.all.iter().find(|l| Some(&l.id) == id.as_ref()).cloned() else { return };
        let layers = layers();
        let world = World { catalog: &self.base, models: self.session.models(), layers: &layers };
        let page = worksheet(world, &lesson, answers).map_err(|fault| fault.to_string());
        self.write_text(path, Purpose::Worksheet(answers), page);
    }

    fn write_progress(&mut self, path: &Path) {
        let known = self.lessons.all.iter().filter_map(|l| self.prefs.lessons.get(&l.id).filter(|p| p.fits(l)));
        let text = Sheet::new(&self.lessons.pupil, known.cloned().collect()).text();
        self.write_text(path, Purpose::Progress, text);
    }

    pub(super) fn write_text(&mut self, path: &Path, purpose: Purpose, text: Result<String, String>) {
        let path = with_extension(path, purpose.extension());
        match text.and_then(|text| files::write_atomic(&path, text.as_bytes()).map_err(|e| e.to_string())) {
            Ok(()) => self.notices.tell(format!("Wrote {}.", path.display())),
            Err(why) => self.notices.problem(why),
        }
    }
}

/// Whether the present step asks for nothing.
fn run_is_read(run: Option<&Run>) -> bool {
    run.and_then(Run::step).is_some_and(|s| s.check.is_none() && s.predict.is_none() && s.question.is_none())
}
