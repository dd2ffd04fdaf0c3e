//! The list of lessons: begin, go on, print, hand in.

use eframe::egui::{self, Align, Label, Layout, RichText, ScrollArea, TextEdit, Ui};

use super::LessonAction;
use super::record::RecordAction;
use crate::lesson::Lesson;
use crate::ui::Cx;
use crate::ui::action::Action;
use crate::ui::dialogs::close_row;
use crate::ui::theme;
use crate::ui::widgets::{card, primary_button, sub, title};

/// View state of the list.
#[derive(Debug, Default)]
pub struct ListState {
    pupil: String,
}

/// How far the user is with a lesson, in words; empty if it was not begun.
pub(in crate::ui) fn progress_text(cx: &Cx<'_>, lesson: &Lesson) -> String {
    let Some(progress) = cx.prefs.lessons.get(&lesson.id).filter(|p| p.fits(lesson)) else { return String::new() };
    match (progress.done(), progress.is_finished()) {
        (_, true) => "finished".to_owned(),
        (0, _) if progress.at == 0 => String::new(),
        (done, _) => format!("{done} of {} steps done", progress.steps.len()),
    }
}

/// The dialog; true = close it.
pub(in crate::ui) fn list_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ListState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Lessons"));
    ui.add(Label::new(sub(cx.tokens, "Each takes about ten minutes. Your own rig stays as it is and comes back when you leave.")).wrap());
    let height = (ui.ctx().content_rect().height() - 260.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        for lesson in cx.lessons {
            lesson_ui(ui, cx, lesson, out);
            ui.add_space(4.0);
        }
    });
    ui.add_space(6.0);
    ui.horizontal_wrapped(|ui| {
        let label = ui.label(sub(cx.tokens, "Name, if you like"));
        ui.add(TextEdit::singleline(&mut state.pupil).desired_width(160.0)).labelled_by(label.id);
        if ui.button("Export progress…").on_hover_text("A file for the teacher, with what was done in each step").clicked() {
            out.push(Action::Lesson(LessonAction::ProgressDialog(state.pupil.clone())));
        }
        if ui.button("Record a lesson…").on_hover_text("Make a lesson of your present rig").clicked() {
            out.push(Action::Lesson(LessonAction::Record(RecordAction::Begin)));
            out.push(Action::Close);
        }
    });
    close_row(ui, fresh)
}

fn lesson_ui(ui: &mut Ui, cx: &Cx<'_>, lesson: &Lesson, out: &mut Vec<Action>) {
    let progress = progress_text(cx, lesson);
    card(ui, cx.tokens, false, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            let word = if progress.is_empty() { "Begin" } else { "Go on" };
            let begin = primary_button(ui, cx.tokens, true, word);
            begin.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{word}: {}", lesson.title)));
            if begin.clicked() {
                out.push(Action::Lesson(LessonAction::Start(lesson.id.clone())));
            }
            let menu = ui.menu_button("Print", |ui| {
                for (name, answers) in [("Work sheet…", false), ("Work sheet with answers…", true)] {
                    if ui.button(name).clicked() {
                        out.push(Action::Lesson(LessonAction::SheetDialog(lesson.id.clone(), answers)));
                        ui.close();
                    }
                }
            });
            menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Print: {}", lesson.title)));
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                ui.add(Label::new(RichText::new(&lesson.title).font(theme::semibold(14.0))).wrap());
                ui.add(Label::new(&lesson.goal).wrap());
                let mut facts = format!("{} minutes, {}", lesson.minutes, lesson.level.text());
                if !progress.is_empty() {
                    facts = format!("{facts}, {progress}");
                }
                ui.label(sub(cx.tokens, facts));
            });
        });
    });
}
