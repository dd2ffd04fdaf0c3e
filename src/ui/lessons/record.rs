//! A lesson of one's own, made by building it: the rig is captured, what is done becomes the worked answer, the check is picked from a list.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{self, ComboBox, Label, RichText, ScrollArea, TextEdit, Ui};

use super::LessonAction;
use crate::lesson::record::{answer_of, begin, empty_step, offered, text};
use crate::lesson::test::Test;
use crate::lesson::walk::{Solution, json_of};
use crate::lesson::{Lesson, Step};
use crate::project::Project;
use crate::project::edit::Edit;
use crate::report::snapshot::rig_text;
use crate::ui::action::Action;
use crate::ui::dialogs::Purpose;
use crate::ui::icons::Icon;
use crate::ui::theme;
use crate::ui::widgets::{icon_button, primary_button, sub, title};
use crate::ui::{App, Cx};

/// Requests of the recorder's panel.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordAction {
    /// Capture the rig and open the panel.
    Begin,
    /// Texts of the lesson and of the present step.
    Texts(Box<Texts>),
    /// Take the check at this place of the list; none = no check.
    Check(Option<usize>),
    /// The step is ready: its edits become the worked answer, and the next one begins.
    KeepStep,
    DropStep,
    SaveDialog,
    Save(PathBuf),
    End,
}

/// What is typed into the panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    pub title: String,
    pub goal: String,
    pub step: String,
    pub text: String,
    pub task: String,
    pub hint: String,
}

/// The lesson in the making.
#[derive(Debug)]
pub struct Recorder {
    lesson: Lesson,
    texts: Texts,
    /// The rig that the present step began with, and its solution once there.
    begun: Arc<Project>,
    before: Option<Solution>,
    /// Edits with the documents before and after them.
    edits: Vec<(Edit, Arc<Project>, Arc<Project>)>,
    offers: Vec<(String, Test)>,
    offered_at: Option<u64>,
    check: Option<Test>,
    /// Why the step cannot be kept as it is.
    fault: Option<String>,
}

impl Recorder {
    /// Edits that lead from the step's beginning to the present document; what was undone is left out.
    fn path_to(&self, now: &Arc<Project>) -> Option<Vec<(Edit, Project)>> {
        let (mut at, mut chain) = (now.clone(), Vec::new());
        let mut rest = self.edits.as_slice();
        while *at != *self.begun {
            let n = rest.iter().rposition(|(_, _, after)| *after == at)?;
            let (edit, before, _) = rest.get(n)?;
            chain.push((edit.clone(), Project::clone(before)));
            at = before.clone();
            rest = rest.get(..n)?;
        }
        chain.reverse();
        Some(chain)
    }
}

impl App {
    pub(super) fn record_lesson(&mut self, ctx: &egui::Context, action: RecordAction) {
        match action {
            RecordAction::Begin => self.begin_recording(ctx),
            RecordAction::End => self.lessons.recorder = None,
            RecordAction::SaveDialog => self.ask_path(ctx, Purpose::Lesson),
            RecordAction::Save(path) => {
                let made = self.lessons.recorder.as_ref().map(|r| text(&r.lesson));
                if let Some(text) = made {
                    self.write_text(&path, Purpose::Lesson, text);
                }
            }
            other => self.change_recording(other),
        }
    }

    fn begin_recording(&mut self, ctx: &egui::Context) {
        if self.lessons.run.is_some() {
            self.leave_lesson(ctx);
        }
        self.start = false;
        match rig_text(self.session.catalog(), self.session.project()) {
            Ok(rig) => {
                let title = format!("Lesson on {}", self.session.project().name);
                self.lessons.recorder = Some(Recorder {
                    lesson: begin(&title, rig),
                    texts: Texts { title, ..Texts::default() },
                    begun: self.session.project().clone(),
                    before: None,
                    edits: Vec::new(),
                    offers: Vec::new(),
                    offered_at: None,
                    check: None,
                    fault: None,
                });
            }
            Err(error) => self.notices.problem(error.to_string()),
        }
    }

    fn change_recording(&mut self, action: RecordAction) {
        let Some(recorder) = &mut self.lessons.recorder else { return };
        recorder.fault = None;
        match action {
            RecordAction::Texts(texts) => {
                (recorder.lesson.title, recorder.lesson.goal) = (texts.title.clone(), texts.goal.clone());
                recorder.texts = *texts;
            }
            RecordAction::Check(n) => recorder.check = n.and_then(|n| recorder.offers.get(n)).map(|(_, t)| t.clone()),
            RecordAction::DropStep => {
                recorder.lesson.steps.pop();
            }
            RecordAction::KeepStep => {
                let now = self.session.project().clone();
                match step_of(recorder, &now) {
                    Ok(step) => {
                        recorder.lesson.steps.push(step);
                        let texts = &recorder.texts;
                        recorder.texts = Texts { title: texts.title.clone(), goal: texts.goal.clone(), ..Texts::default() };
                        (recorder.begun, recorder.before, recorder.check) = (now, None, None);
                        recorder.edits.clear();
                        recorder.offers.clear();
                        recorder.offered_at = None;
                    }
                    Err(why) => recorder.fault = Some(why),
                }
            }
            RecordAction::Begin | RecordAction::End | RecordAction::SaveDialog | RecordAction::Save(_) => {}
        }
    }

    pub(super) fn record_edit(&mut self, edit: &Edit, before: &Arc<Project>) {
        let after = self.session.project().clone();
        if let Some(recorder) = &mut self.lessons.recorder
            && after != *before
        {
            recorder.edits.push((edit.clone(), before.clone(), after));
        }
    }

    /// Keeps the solutions before and after, and what can be asked for between them.
    pub(super) fn tend_recorder(&mut self) {
        let session = &self.session;
        let Some(recorder) = &mut self.lessons.recorder else { return };
        if !session.is_full() || recorder.offered_at == Some(session.revision()) {
            return;
        }
        recorder.offered_at = Some(session.revision());
        let json = json_of(session.catalog(), session.project(), session.report());
        let now = Solution { report: crate::report::Report::clone(session.report()), json };
        if *session.project() == recorder.begun {
            recorder.before = Some(now);
            recorder.offers.clear();
        } else if let Some(before) = &recorder.before {
            recorder.offers = offered(before, &now);
        }
        if let Some(check) = &recorder.check
            && !recorder.offers.iter().any(|(_, t)| t == check)
        {
            recorder.check = None;
        }
    }
}

fn step_of(recorder: &Recorder, now: &Arc<Project>) -> Result<Step, String> {
    let texts = &recorder.texts;
    if texts.step.trim().is_empty() || texts.text.trim().is_empty() {
        return Err("A step needs a title and a text.".to_owned());
    }
    let edits =
        recorder.path_to(now).ok_or("What was done cannot be followed any more. Undo back to where the step began, and do it again.")?;
    let answer = answer_of(&edits).ok_or("One of the edits has no place in a lesson: a name, a note, a price, a variant. Undo it.")?;
    let task = texts.task.trim();
    if answer.is_empty() != task.is_empty() || answer.is_empty() != recorder.check.is_none() {
        return Err("A task goes with edits that do it, and with a check. Without a task leave the rig as it was.".to_owned());
    }
    let hint = texts.hint.trim();
    Ok(Step {
        title: texts.step.trim().to_owned(),
        text: texts.text.trim().to_owned(),
        task: (!task.is_empty()).then(|| task.to_owned()),
        check: recorder.check.clone(),
        hints: if hint.is_empty() || task.is_empty() { Vec::new() } else { vec![hint.to_owned()] },
        answer,
        ..empty_step()
    })
}

/// The recorder's column.
pub(in crate::ui) fn recorder_ui(ui: &mut Ui, cx: &Cx<'_>, recorder: &Recorder, out: &mut Vec<Action>) {
    let push = |out: &mut Vec<Action>, action| out.push(Action::Lesson(LessonAction::Record(action)));
    let mut texts = recorder.texts.clone();
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Min), |ui| {
        if icon_button(ui, cx.tokens, Icon::Close, "End recording").clicked() {
            push(out, RecordAction::End);
        }
        ui.with_layout(egui::Layout::top_down(egui::Align::Min), |ui| ui.label(title("Record a lesson")));
    });
    ScrollArea::vertical().id_salt("recorder").auto_shrink([false, false]).show(ui, |ui| {
        ui.add(Label::new(sub(cx.tokens, "The lesson begins with your rig as it was. What you do now becomes the worked answer of the step; your rig keeps it too, undo takes it back.")).wrap());
        field(ui, cx, "Title of the lesson", &mut texts.title, 1);
        field(ui, cx, "What a pupil can do afterwards", &mut texts.goal, 2);
        ui.separator();
        ui.label(RichText::new(format!("Step {}", recorder.lesson.steps.len() + 1)).font(theme::semibold(14.0)));
        field(ui, cx, "Title of the step", &mut texts.step, 1);
        field(ui, cx, "Text", &mut texts.text, 5);
        field(ui, cx, "Task, if any", &mut texts.task, 2);
        field(ui, cx, "A hint", &mut texts.hint, 1);
        let done = recorder.path_to(cx.session.project());
        let count = done.as_ref().map_or(0, Vec::len);
        ui.add(Label::new(sub(cx.tokens, format!("Edits in this step: {count}"))).wrap());
        check_ui(ui, cx, recorder, out);
        if let Some(fault) = &recorder.fault {
            ui.colored_label(cx.tokens.problem, fault);
        }
        ui.horizontal_wrapped(|ui| {
            if primary_button(ui, cx.tokens, true, "Keep this step").clicked() {
                push(out, RecordAction::KeepStep);
            }
            if ui.add_enabled(!recorder.lesson.steps.is_empty(), egui::Button::new("Drop the last step")).clicked() {
                push(out, RecordAction::DropStep);
            }
        });
        ui.separator();
        for (n, step) in (1..).zip(&recorder.lesson.steps) {
            ui.add(Label::new(format!("{n}. {}", step.title)).wrap());
        }
        let ready = !recorder.lesson.steps.is_empty() && !texts.goal.trim().is_empty() && !texts.title.trim().is_empty();
        if ui.add_enabled(ready, egui::Button::new("Save the lesson…")).on_disabled_hover_text("It needs a title, a goal and a step").clicked() {
            push(out, RecordAction::SaveDialog);
        }
    });
    if texts != recorder.texts {
        push(out, RecordAction::Texts(Box::new(texts)));
    }
}

fn field(ui: &mut Ui, cx: &Cx<'_>, name: &str, text: &mut String, rows: usize) {
    let label = ui.label(sub(cx.tokens, name));
    let edit = if rows == 1 { TextEdit::singleline(text) } else { TextEdit::multiline(text).desired_rows(rows) };
    ui.add(edit.desired_width(f32::INFINITY)).labelled_by(label.id);
}

fn check_ui(ui: &mut Ui, cx: &Cx<'_>, recorder: &Recorder, out: &mut Vec<Action>) {
    let shown = recorder.check.as_ref().map_or_else(|| "Pick a check".to_owned(), Test::text);
    let label = ui.label(sub(cx.tokens, "Done when"));
    let combo = ComboBox::from_id_salt("recorded-check").selected_text(shown).width(ui.available_width() - 8.0).truncate();
    let response = combo.show_ui(ui, |ui| {
        if ui.selectable_label(recorder.check.is_none(), "No check").clicked() {
            out.push(Action::Lesson(LessonAction::Record(RecordAction::Check(None))));
        }
        for (n, (text, test)) in recorder.offers.iter().enumerate() {
            if ui.selectable_label(recorder.check.as_ref() == Some(test), text).clicked() {
                out.push(Action::Lesson(LessonAction::Record(RecordAction::Check(Some(n)))));
            }
        }
    });
    response.response.labelled_by(label.id);
    if recorder.offers.is_empty() {
        ui.add(Label::new(sub(cx.tokens, "Checks appear once an edit turns a finding or a figure.")).wrap());
    }
}
