//! Presenter mode: the step in large type beside only what it needs, one key to go on. The whole window is zoomed, so that type, lines and
//! charts grow together; the points on the screen stay the same from 1280 x 720 to 4K.

use eframe::egui::{self, Align, Key, Layout, Modifiers, RichText, ScrollArea, Stroke, Ui};

use super::{LessonAction, Run, parts, split};
use crate::lesson::{Panel, Step};
use crate::ui::action::Action;
use crate::ui::icons::Icon;
use crate::ui::theme;
use crate::ui::widgets::{icon_button, primary_button, sub};
use crate::ui::{Cx, Views, charts, chassis, parts_panel, side_ui};

/// What one press of the key shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beat {
    Text,
    Predict,
    Result,
    Task,
    Answer,
    Question,
    Why,
}

/// Place of the result among the beats of a step that asks for a guess.
pub(super) const RESULT: usize = 2;

impl Beat {
    /// Of a step, in order.
    pub(super) fn of(step: &Step) -> Vec<Self> {
        let mut beats = vec![Self::Text];
        // Their places are those that RESULT counts with.
        if step.predict.is_some() {
            beats.extend([Self::Predict, Self::Result]);
        }
        if step.task.is_some() {
            beats.extend([Self::Task, Self::Answer]);
        }
        if step.question.is_some() {
            beats.extend([Self::Question, Self::Why]);
        }
        beats
    }

    const fn next_word(self) -> &'static str {
        match self {
            Self::Text | Self::Result | Self::Answer | Self::Why => "Next",
            Self::Predict => "Show the result",
            Self::Task => "Show the answer",
            Self::Question => "Show the right one",
        }
    }
}

/// Large and larger type, in points of the zoomed window.
const TEXT: f32 = 13.5;
const HEAD: f32 = 17.0;

pub(in crate::ui) fn presenter_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, views: &mut Views, out: &mut Vec<Action>) {
    keys(ui, out);
    let Some(step) = run.step() else { return };
    let frame = egui::Frame::new().fill(cx.tokens.panel).inner_margin(egui::Margin::symmetric(10, 8));
    let width = (ui.available_width() * 0.43).max(220.0);
    let text = egui::Panel::right("presenter").exact_size(width).resizable(false).frame(frame);
    text.show(ui, |ui| text_ui(ui, cx, run, step, views, out));
    if run.split.is_some() {
        egui::CentralPanel::no_frame()
            .frame(egui::Frame::new().fill(cx.tokens.panel).inner_margin(6))
            .show(ui, |ui| split::split_ui(ui, cx, run));
    } else {
        stage_ui(ui, cx, step, views, out);
    }
    pointer_ui(ui.ctx(), cx);
}

/// Space, the right arrow or a remote's Page Down go on; the left arrow and Page Up back; Esc ends it.
fn keys(ui: &Ui, out: &mut Vec<Action>) {
    if ui.ctx().text_edit_focused() {
        return;
    }
    let pressed = |keys: &[Key]| keys.iter().any(|k| ui.input_mut(|i| i.consume_key(Modifiers::NONE, *k)));
    if pressed(&[Key::ArrowRight, Key::PageDown, Key::Space]) {
        out.push(Action::Lesson(LessonAction::Forward));
    }
    if pressed(&[Key::ArrowLeft, Key::PageUp]) {
        out.push(Action::Lesson(LessonAction::Rearward));
    }
    if pressed(&[Key::Escape]) {
        out.push(Action::Lesson(LessonAction::Present));
    }
}

/// The chart that the step names, or the chassis; the parts below it where the task needs them.
fn stage_ui(ui: &mut Ui, cx: &Cx<'_>, step: &Step, views: &mut Views, out: &mut Vec<Action>) {
    let frame = egui::Frame::new().fill(cx.tokens.panel).inner_margin(egui::Margin::symmetric(8, 6));
    let tall = ui.available_height();
    let wants = |panel| step.look.panels.contains(&panel) && step.check.is_some();
    let chart = step.look.chart.is_some();
    let has_rig = !step.look.parts.is_empty() || !step.look.slots.is_empty() || step.look.layer.is_some();
    if wants(Panel::Work) && !chart && !has_rig {
        egui::CentralPanel::no_frame().frame(frame).show(ui, |ui| side_ui(ui, cx, views, out));
        return;
    }
    if chart {
        let shown = &mut views.workload.shown;
        egui::CentralPanel::no_frame().frame(frame).show(ui, |ui| charts::charts_ui(ui, cx, &mut views.charts, shown, true, out));
        return;
    }
    if wants(Panel::Parts) && cx.prefs.parts_open {
        let below = egui::Panel::bottom("presenter-parts").exact_size(tall * 0.42).resizable(false).frame(frame);
        below.show(ui, |ui| parts_panel::parts_panel_ui(ui, cx, &mut views.parts, out));
    }
    let shown = egui::CentralPanel::no_frame().frame(egui::Frame::new().fill(cx.tokens.background)).show(ui, |ui| {
        chassis::chassis_ui(ui, cx, &mut views.chassis, out);
    });
    views.center = Some(shown.response.rect);
    crate::ui::drag::ghost_ui(ui.ctx(), cx, shown.response.rect);
}

fn text_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, step: &Step, views: &mut Views, out: &mut Vec<Action>) {
    let beats = Beat::of(step);
    let beat = beats.get(run.beat).copied().unwrap_or(Beat::Text);
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        if icon_button(ui, cx.tokens, Icon::Close, "End presenter mode").clicked() {
            out.push(Action::Lesson(LessonAction::Present));
        }
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            let place = format!("{} of {} · {}", run.at() + 1, run.lesson.steps.len(), run.lesson.title);
            ui.add(egui::Label::new(sub(cx.tokens, place)).truncate());
        });
    });
    let foot = egui::Panel::bottom("presenter-foot").resizable(false).frame(egui::Frame::new()).show_separator_line(false);
    foot.show(ui, |ui| foot_ui(ui, cx, run, step, &beats, beat, out));
    ScrollArea::vertical().id_salt(("presented", run.at(), run.beat)).auto_shrink([false, false]).show(ui, |ui| {
        ui.add(egui::Label::new(RichText::new(&step.title).font(theme::semibold(HEAD))).wrap());
        ui.add_space(3.0);
        beat_ui(ui, cx, run, step, beat, &mut views.lesson, out);
    });
}

fn beat_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, step: &Step, beat: Beat, views: &mut parts::LessonViews, out: &mut Vec<Action>) {
    let strong = |ui: &mut Ui, text: &str| {
        ui.add(egui::Label::new(RichText::new(text).font(theme::semibold(TEXT + 1.0))).wrap());
        ui.add_space(3.0);
    };
    match (beat, &step.predict, &step.question) {
        (Beat::Text, ..) => parts::paragraphs(ui, &step.text, TEXT),
        (Beat::Predict, Some(predict), _) => {
            strong(ui, &predict.ask);
            if run.record().guess.is_none() {
                parts::ask_ui(ui, cx, predict, views, out);
            }
        }
        (Beat::Result, Some(predict), _) => parts::result_ui(ui, cx, run, predict, true, TEXT),
        (Beat::Task | Beat::Answer, ..) => {
            strong(ui, step.task.as_deref().unwrap_or_default());
            parts::state_ui(ui, cx, run, step, TEXT);
        }
        (Beat::Question, _, Some(question)) => {
            strong(ui, &question.ask);
            for choice in &question.choices {
                ui.add(egui::Label::new(RichText::new(choice).size(TEXT)).wrap());
                ui.add_space(2.0);
            }
        }
        (Beat::Why, _, Some(question)) => parts::question_ui(ui, cx, run, question, (true, true), TEXT, out),
        (Beat::Predict | Beat::Result, None, _) | (Beat::Question | Beat::Why, _, None) => {}
    }
}

fn foot_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, step: &Step, beats: &[Beat], beat: Beat, out: &mut Vec<Action>) {
    ui.add_space(4.0);
    let changes = step.predict.as_ref().is_some_and(|p| !p.changes.is_empty()) || !step.answer.is_empty();
    ui.horizontal_wrapped(|ui| {
        let last = run.beat + 1 >= beats.len();
        let word = if last && run.is_last() { "Finish" } else { beat.next_word() };
        if primary_button(ui, cx.tokens, true, word).clicked() {
            out.push(Action::Lesson(LessonAction::Forward));
        }
        if changes && ui.button(if run.split.is_some() { "Hide" } else { "Before and after" }).clicked() {
            out.push(Action::Lesson(LessonAction::Split));
        }
    });
    ui.label(sub(cx.tokens, "Space goes on"));
}

/// A still ring around the pointer, so that a class sees where it is.
fn pointer_ui(ctx: &egui::Context, cx: &Cx<'_>) {
    let Some(at) = ctx.input(|i| i.pointer.latest_pos()) else { return };
    let painter = ctx.layer_painter(egui::LayerId::new(egui::Order::Tooltip, egui::Id::unique("presenter-pointer")));
    painter.circle_filled(at, 15.0, cx.tokens.advice.gamma_multiply(0.22));
    painter.circle_stroke(at, 15.0, Stroke::new(2.0, cx.tokens.advice));
}
