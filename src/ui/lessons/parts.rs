//! Pieces that the step panel and presenter mode share: a step's prediction, task and question, in whatever size the style has.

use eframe::egui::{self, Label, RichText, Ui};

use super::{LessonAction, Run};
use crate::export::worksheet::number;
use crate::lesson::{Predict, Question, Step};
use crate::ui::Cx;
use crate::ui::action::Action;
use crate::ui::icons::{self, Icon};
use crate::ui::theme;
use crate::ui::widgets::sub;

/// What the learner has typed and not yet sent.
#[derive(Debug, Default)]
pub struct LessonViews {
    pub guess: String,
    /// Why the guess could not be read.
    pub fault: Option<&'static str>,
    /// Name for exported progress.
    pub pupil: String,
    /// The parts panel is shown below the step.
    pub answers_open: bool,
}

impl LessonViews {
    pub(super) fn reset(&mut self) {
        self.guess.clear();
        self.fault = None;
    }
}

pub(super) fn paragraphs(ui: &mut Ui, text: &str, size: f32) {
    for paragraph in text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
        ui.add(Label::new(RichText::new(paragraph).size(size)).wrap());
        ui.add_space(3.0);
    }
}

/// The question, and a field or buttons while no guess was made.
pub(super) fn ask_ui(ui: &mut Ui, cx: &Cx<'_>, predict: &Predict, views: &mut LessonViews, out: &mut Vec<Action>) {
    let push = |out: &mut Vec<Action>, action| out.push(Action::Lesson(action));
    if predict.path.is_none() {
        for (n, choice) in (1..).zip(&predict.choices) {
            if ui.add(egui::Button::new(choice).wrap()).clicked() {
                push(out, LessonAction::GuessChoice(n));
            }
        }
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let field = egui::TextEdit::singleline(&mut views.guess).desired_width(80.0).hint_text("a number");
        let field = ui.add(field).accessible_name("Your guess");
        ui.label(predict.unit.as_deref().unwrap_or_default());
        let entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        let usable = !views.guess.trim().is_empty();
        if ui.add_enabled(usable, egui::Button::new("Show the result")).clicked() || entered && usable {
            match views.guess.trim().replace(',', ".").parse::<f64>() {
                Ok(value) if value.is_finite() => push(out, LessonAction::GuessNumber(value)),
                _ => views.fault = Some("That is no number. Type it with digits, such as 27.5."),
            }
        }
    });
    if let Some(fault) = views.fault {
        ui.colored_label(cx.tokens.problem, fault);
    }
}

/// Guess, result and why; `brief` leaves out choices that are neither right nor taken.
pub(super) fn result_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, predict: &Predict, brief: bool, size: f32) {
    let record = run.record();
    let unit = predict.unit.as_deref().unwrap_or_default();
    let guess = record.guess.clone().unwrap_or_default();
    let right = match (record.guess_right, guess.is_empty()) {
        (_, true) => None,
        (right, false) => right,
    };
    if predict.path.is_some() {
        let result = run.result().map_or_else(|| "computing …".to_owned(), |r| format!("{} {unit}", number(r)));
        ui.label(RichText::new(format!("Result: {}", result.trim_end())).font(theme::semibold(size + 2.0)));
        if !guess.is_empty() {
            let word = match right {
                Some(true) => ", close",
                Some(false) => ", not close",
                None => "",
            };
            ui.label(RichText::new(format!("Your guess: {guess} {unit}{word}")).size(size).color(cx.tokens.sub));
        }
    } else {
        let taken = predict.choices.iter().position(|c| *c == guess).map(|n| n + 1);
        choices_ui(ui, cx, &predict.choices, (predict.right, taken), brief, size);
    }
    ui.add_space(2.0);
    paragraphs(ui, &predict.why, size);
}

/// Choices with the right one marked, and the one taken.
fn choices_ui(ui: &mut Ui, cx: &Cx<'_>, choices: &[String], (right, taken): (Option<usize>, Option<usize>), brief: bool, size: f32) {
    for (n, choice) in (1..).zip(choices) {
        let (is_right, is_taken) = (right == Some(n), taken == Some(n));
        if brief && !is_right && !is_taken {
            continue;
        }
        ui.horizontal_top(|ui| {
            let (rect, _) = ui.allocate_exact_size(egui::vec2(size + 3.0, size + 3.0), egui::Sense::hover());
            if is_right {
                icons::paint(ui.painter(), Icon::Check, rect, cx.tokens.good);
            } else if is_taken {
                icons::paint(ui.painter(), Icon::Close, rect, cx.tokens.problem);
            }
            let color = if is_right || is_taken { cx.tokens.text } else { cx.tokens.sub };
            let font = if is_right { theme::semibold(size) } else { theme::regular(size) };
            ui.add(Label::new(RichText::new(choice).font(font).color(color)).wrap());
        });
    }
}

pub(super) fn question_ui(
    ui: &mut Ui,
    cx: &Cx<'_>,
    run: &Run,
    question: &Question,
    (answered, brief): (bool, bool),
    size: f32,
    out: &mut Vec<Action>,
) {
    if !brief {
        ui.add(Label::new(RichText::new(&question.ask).size(size)).wrap());
    }
    if !answered {
        for (n, choice) in (1..).zip(&question.choices) {
            if ui.add(egui::Button::new(RichText::new(choice).size(size)).wrap()).clicked() {
                out.push(Action::Lesson(LessonAction::Choose(n)));
            }
        }
        return;
    }
    choices_ui(ui, cx, &question.choices, (Some(question.right), run.record().choice), brief, size);
    ui.add_space(2.0);
    paragraphs(ui, &question.why, size);
}

/// Where the check stands: done, why not yet, or nothing tried.
pub(super) fn state_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run, step: &Step, size: f32) {
    let t = cx.tokens;
    if run.passes() {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(egui::vec2(size + 5.0, size + 5.0), egui::Sense::hover());
            icons::paint(ui.painter(), Icon::Check, rect, t.good);
            ui.label(RichText::new("Done").font(theme::semibold(size)).color(t.good));
        });
        if let Some(explain) = &step.explain {
            paragraphs(ui, explain, size);
        }
        return;
    }
    let solved = run.judged.as_ref().is_some_and(|j| j.revision == cx.session.revision());
    match &run.judged {
        Some(judged) if solved && run.touched => {
            ui.label(RichText::new("Not yet").font(theme::semibold(size)).color(t.advice));
            for why in judged.why.iter().take(4) {
                ui.add(Label::new(RichText::new(why).size(size)).wrap());
            }
        }
        _ if run.touched => {
            ui.label(sub(t, "Computing …"));
        }
        _ => {
            if let Some(check) = &step.check {
                ui.add(Label::new(sub(t, format!("Reached when: {}.", check.text()))).wrap());
            }
        }
    }
}
