//! Guided mode: the step panel, with the parts panel below it where a step needs parts.

use eframe::egui::{self, Align, Label, Layout, Panel, RichText, ScrollArea, Ui};

use super::{LessonAction, Run, parts};
use crate::lesson::Step;
use crate::ui::action::{Action, Side};
use crate::ui::icons::Icon;
use crate::ui::parts_panel::parts_panel_ui;
use crate::ui::theme;
use crate::ui::widgets::{card, chip, icon_button, primary_button, sub, title};
use crate::ui::{Cx, Views};

/// Size of the step's text.
const TEXT: f32 = 13.5;

fn push(out: &mut Vec<Action>, action: LessonAction) {
    out.push(Action::Lesson(action));
}

/// The left column while a lesson runs.
pub(in crate::ui) fn column_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, views: &mut Views, out: &mut Vec<Action>) {
    if cx.prefs.parts_open {
        let height = (ui.available_height() * 0.42).max(180.0);
        let below = Panel::bottom("lesson-parts").resizable(true).default_size(height).size_range(140.0..=ui.available_height() * 0.6);
        below.frame(egui::Frame::new().inner_margin(egui::Margin { top: 8, ..egui::Margin::ZERO })).show(ui, |ui| {
            parts_panel_ui(ui, cx, &mut views.parts, out);
        });
    }
    egui::CentralPanel::no_frame().show(ui, |ui| step_ui(ui, cx, run, &mut views.lesson, out));
}

/// The step: head and buttons stay, the rest scrolls.
pub(in crate::ui) fn step_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, views: &mut parts::LessonViews, out: &mut Vec<Action>) {
    head_ui(ui, cx, run, out);
    if run.exploring.is_some() {
        exploring_ui(ui, cx, out);
        return;
    }
    let Some(step) = run.step() else { return };
    Panel::bottom("lesson-foot")
        .resizable(false)
        .frame(egui::Frame::new())
        .show_separator_line(false)
        .show(ui, |ui| foot_ui(ui, cx, run, step, out));
    let id = ("step", run.lesson.id.as_str(), run.at());
    ScrollArea::vertical().id_salt(id).auto_shrink([false, false]).show(ui, |ui| {
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(&step.title).font(theme::semibold(17.0))).wrap());
        ui.add_space(2.0);
        if run.swapped {
            let text = "This step begins with the rig of the worked answer; Back brings yours.";
            ui.add(Label::new(sub(cx.tokens, text)).wrap());
        }
        parts::paragraphs(ui, &step.text, TEXT);
        body_ui(ui, cx, run, step, views, out);
        ui.add_space(10.0);
    });
}

fn head_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, out: &mut Vec<Action>) {
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        if icon_button(ui, cx.tokens, Icon::Close, "Leave the lesson").clicked() {
            push(out, LessonAction::Leave);
        }
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            ui.add(Label::new(title(&run.lesson.title)).wrap());
        });
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (n, record) in run.progress.steps.iter().enumerate() {
            let here = n == run.at();
            let name = (n + 1).to_string();
            let response = chip(ui, cx.tokens, here, &name);
            if record.done {
                let mark = egui::Rect::from_center_size(response.rect.right_top() + egui::vec2(-3.0, 3.0), egui::vec2(10.0, 10.0));
                ui.painter().circle_filled(mark.center(), 4.0, cx.tokens.good);
            }
            let said = format!("Step {} of {}{}", n + 1, run.progress.steps.len(), if record.done { ", done" } else { "" });
            response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, here, &said));
            if response.on_hover_text(run.lesson.steps.get(n).map_or("", |s| s.title.as_str())).clicked() && !here {
                push(out, LessonAction::Go(n));
            }
        }
    });
}

fn exploring_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    ui.add_space(10.0);
    ui.add(Label::new("You explore freely. Nothing here counts; the lesson waits as you left it.").wrap());
    ui.add_space(6.0);
    if primary_button(ui, cx.tokens, true, "Return to the lesson").clicked() {
        push(out, LessonAction::Return);
    }
}

fn body_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, step: &Step, views: &mut parts::LessonViews, out: &mut Vec<Action>) {
    let record = run.record();
    if let Some(predict) = &step.predict {
        ui.add_space(4.0);
        card(ui, cx.tokens, record.guess.is_none(), |ui| {
            ui.label(RichText::new("Guess first").font(theme::semibold(12.5)).color(cx.tokens.accent));
            ui.add(Label::new(RichText::new(&predict.ask).size(TEXT)).wrap());
            if record.guess.is_some() {
                parts::result_ui(ui, cx, run, predict, false, TEXT);
            } else {
                parts::ask_ui(ui, cx, predict, views, out);
            }
        });
    }
    if step.predict.is_some() && record.guess.is_none() {
        return;
    }
    if let Some(task) = &step.task {
        ui.add_space(4.0);
        card(ui, cx.tokens, !run.passes(), |ui| task_ui(ui, cx, run, step, task, out));
    }
    if let Some(question) = &step.question {
        ui.add_space(4.0);
        card(ui, cx.tokens, record.choice.is_none(), |ui| {
            ui.label(RichText::new("Question").font(theme::semibold(12.5)).color(cx.tokens.accent));
            parts::question_ui(ui, cx, run, question, (record.choice.is_some(), false), TEXT, out);
        });
    }
}

fn task_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, step: &Step, task: &str, out: &mut Vec<Action>) {
    let record = run.record();
    ui.label(RichText::new("Your task").font(theme::semibold(12.5)).color(cx.tokens.accent));
    ui.add(Label::new(RichText::new(task).font(theme::medium(TEXT))).wrap());
    ui.add_space(2.0);
    parts::state_ui(ui, cx, run, step, TEXT);
    for hint in step.hints.iter().take(record.hints) {
        ui.add(Label::new(RichText::new(format!("Hint: {hint}")).size(TEXT).color(cx.tokens.sub)).wrap());
    }
    if run.passes() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let left = step.hints.len().saturating_sub(record.hints);
        let name = if record.hints == 0 { "Hint" } else { "Another hint" };
        if left > 0 && ui.button(name).clicked() {
            push(out, LessonAction::Hint);
        }
        if ui.button("Show the answer").on_hover_text("Makes the change for you; Undo takes it back").clicked() {
            push(out, LessonAction::ShowAnswer);
        }
        if !cx.prefs.parts_open && ui.button("Parts").on_hover_text("Show the parts panel below").clicked() {
            out.push(Action::Toggle(Side::Parts));
        }
    });
}

fn foot_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, step: &Step, out: &mut Vec<Action>) {
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        if ui.add_enabled(run.at() > 0, egui::Button::new("Back")).clicked() {
            push(out, LessonAction::Back);
        }
        let only_read = step.check.is_none() && step.predict.is_none() && step.question.is_none();
        let ready = only_read || run.is_complete();
        let name = match (run.is_last(), ready) {
            (true, true) => "Finish",
            (true, false) => "Leave unfinished",
            (false, true) => "Next",
            (false, false) => "Skip",
        };
        let clicked = if ready { primary_button(ui, cx.tokens, true, name).clicked() } else { ui.button(name).clicked() };
        if clicked {
            push(out, LessonAction::Next);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.menu_button("More", |ui| more_ui(ui, run, step, out));
        });
    });
}

fn more_ui(ui: &mut Ui, run: &Run, step: &Step, out: &mut Vec<Action>) {
    let id = run.lesson.id.clone();
    let changes = step.predict.as_ref().is_some_and(|p| !p.changes.is_empty()) || !step.answer.is_empty();
    let split = if run.split.is_some() { "Hide before and after" } else { "Before and after" };
    let entries = [
        ("Explore freely", true, LessonAction::Explore),
        (split, changes, LessonAction::Split),
        ("Presenter mode", true, LessonAction::Present),
        ("Reset this step", true, LessonAction::ResetStep),
        ("Begin the lesson again", true, LessonAction::ResetLesson),
        ("Work sheet…", true, LessonAction::SheetDialog(id.clone(), false)),
        ("Work sheet with answers…", true, LessonAction::SheetDialog(id, true)),
    ];
    for (name, enabled, action) in entries {
        if ui.add_enabled(enabled, egui::Button::new(name)).clicked() {
            push(out, action);
            ui.close();
        }
    }
}
