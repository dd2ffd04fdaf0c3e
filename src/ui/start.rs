//! The first page: an example, an empty rig, a rig for a model, the user's own machine, or a file; and, once, where the rig will stand.

use eframe::egui::{self, Align, Frame, Layout, Margin, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::Cx;
use super::action::Action;
use super::autosave::LeftBehind;
use super::lessons::LessonAction;
use super::rig_io;
use super::settings::room_ui;
use super::theme;
use super::widgets::{primary_button, strong, sub, title};
use crate::project::Room;
use crate::units::parameters;

/// View state of the start page.
#[derive(Debug, Default)]
pub struct StartState {
    /// Unsaved work of earlier runs.
    pub left_behind: Vec<LeftBehind>,
    pub room: Room,
    currency: Option<String>,
    search: String,
}

/// Widest that the page gets.
const WIDTH: f32 = 1040.0;

pub fn start_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut StartState, out: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        let room = ui.available_rect_before_wrap();
        let width = (room.width() - 32.0).min(WIDTH);
        let page = egui::Rect::from_min_size(egui::pos2(room.center().x - width / 2.0, room.top()), vec2(width, room.height()));
        ui.scope_builder(egui::UiBuilder::new().max_rect(page), |ui| {
            ui.set_width(width);
            ui.add_space(24.0);
            head_ui(ui, cx);
            if width > 780.0 {
                wide_ui(ui, cx, state, out);
            } else {
                recover_ui(ui, cx, &state.left_behind, out);
                begin_ui(ui, cx, out);
                lessons_ui(ui, cx, out);
                examples_ui(ui, cx, out);
                models_ui(ui, cx, state, out);
                place_ui(ui, cx, state, out);
            }
            ui.add_space(18.0);
        });
    });
}

/// How to begin and where the rig will stand at the left, examples and models at the right.
fn wide_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut StartState, out: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 16.0;
    ui.columns_const(|[left, right]| {
        for column in [&mut *left, &mut *right] {
            column.spacing_mut().item_spacing.x = 8.0;
        }
        left.vertical(|ui| {
            recover_ui(ui, cx, &state.left_behind, out);
            begin_ui(ui, cx, out);
            lessons_ui(ui, cx, out);
            place_ui(ui, cx, state, out);
        });
        right.vertical(|ui| {
            examples_ui(ui, cx, out);
            models_ui(ui, cx, state, out);
        });
    });
}

fn head_ui(ui: &mut Ui, cx: &Cx<'_>) {
    ui.label(RichText::new("Design a deep-learning workstation").font(theme::semibold(24.0)));
    let text = "Drag parts into a case drawn to scale. Memory, cost, speed and what would go wrong move with every part.";
    ui.add(egui::Label::new(RichText::new(text).color(cx.tokens.sub).size(14.0)).wrap());
    ui.add_space(14.0);
}

fn section(ui: &mut Ui, cx: &Cx<'_>, name: &str, add: impl FnOnce(&mut Ui)) {
    let frame = Frame::new().fill(cx.tokens.panel).stroke(egui::Stroke::new(1.0, cx.tokens.line));
    frame.corner_radius(theme::CARD_RADIUS).inner_margin(Margin::same(14)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(title(name));
        ui.add_space(2.0);
        add(ui);
    });
    ui.add_space(10.0);
}

fn examples_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    section(ui, cx, "Examples", |ui| {
        let presets = rig_io::presets();
        if presets.is_empty() {
            ui.label(sub(cx.tokens, "No examples came with this build."));
        }
        for preset in presets {
            let response = entry(ui, cx, &preset.name, preset.notes.lines().next().unwrap_or_default());
            if response.clicked() {
                out.push(Action::OpenExample(preset.name.clone()));
            }
        }
    });
}

/// A row that is one button: a name, and what it is about.
fn entry(ui: &mut Ui, cx: &Cx<'_>, name: &str, about: &str) -> egui::Response {
    let width = ui.available_width();
    let mut job = egui::text::LayoutJob::default();
    job.append(name, 0.0, egui::TextFormat::simple(theme::semibold(13.0), cx.tokens.text));
    if !about.is_empty() {
        job.append(&format!("\n{about}"), 0.0, egui::TextFormat::simple(theme::regular(12.0), cx.tokens.sub));
    }
    let button = egui::Button::new(job).frame_when_inactive(false).wrap().min_size(vec2(width, 30.0));
    let response = ui.with_layout(Layout::top_down_justified(Align::LEFT), |ui| ui.add(button)).inner;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
    response
}

/// Unsaved work of an earlier run that did not end as it should.
fn recover_ui(ui: &mut Ui, cx: &Cx<'_>, left_behind: &[LeftBehind], out: &mut Vec<Action>) {
    if left_behind.is_empty() {
        return;
    }
    section(ui, cx, "Unsaved work", |ui| {
        ui.label(sub(cx.tokens, "Rigbay ended before this was saved."));
        for LeftBehind { path, title } in left_behind {
            ui.add(egui::Label::new(title.as_str()).wrap());
            ui.horizontal_wrapped(|ui| {
                if primary_button(ui, cx.tokens, true, "Recover").on_hover_text(path.display().to_string()).clicked() {
                    out.push(Action::Recover(path.clone()));
                }
                if ui.button("Discard").clicked() {
                    out.push(Action::ForgetRecovered(path.clone()));
                }
            });
        }
    });
}

fn begin_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    section(ui, cx, "Begin", |ui| {
        ui.horizontal_wrapped(|ui| {
            if primary_button(ui, cx.tokens, true, "Empty rig").clicked() {
                out.push(Action::New);
            }
            if ui.button("Open a file…").clicked() {
                out.push(Action::OpenDialog);
            }
            if ui.button("Start from my machine…").clicked() {
                out.push(Action::Show(super::action::Screen::FromMachine));
            }
            if ui.button("Start from a parts list…").clicked() {
                out.push(Action::Show(super::action::Screen::FromList));
            }
            let project = cx.session.project();
            if (!project.rig.is_empty() || !project.workloads.is_empty() || cx.session.path.is_some())
                && ui.button(format!("Back to {}", project.name)).clicked()
            {
                out.push(Action::Show(super::action::Screen::Rig));
            }
        });
        if !cx.prefs.recent.is_empty() {
            ui.add_space(4.0);
            ui.label(sub(cx.tokens, "Recent files"));
        }
        for path in cx.prefs.recent.iter().take(5) {
            let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
            if ui.link(name).on_hover_text(path.display().to_string()).clicked() {
                out.push(Action::Open(path.clone()));
            }
        }
    });
}

/// The lesson to begin or go on with, and all of them.
fn lessons_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    let unfinished = |l: &&std::sync::Arc<crate::lesson::Lesson>| cx.prefs.lessons.get(&l.id).is_none_or(|p| !p.is_finished());
    let Some(next) = cx.lessons.iter().find(unfinished).or(cx.lessons.first()) else { return };
    section(ui, cx, "Lessons", |ui| {
        let progress = super::lessons::list::progress_text(cx, next);
        let about =
            if progress.is_empty() { format!("{} minutes. {}", next.minutes, next.goal) } else { format!("{progress}. {}", next.goal) };
        ui.label(strong(&next.title));
        ui.add(egui::Label::new(sub(cx.tokens, about)).wrap());
        let word = if progress.is_empty() { "Begin this lesson" } else { "Go on with this lesson" };
        if ui.button(word).clicked() {
            out.push(Action::Lesson(LessonAction::Start(next.id.clone())));
        }
        if ui.button(format!("All {} lessons…", cx.lessons.len())).clicked() {
            out.push(Action::Show(super::action::Screen::Lessons));
        }
    });
}

fn models_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut StartState, out: &mut Vec<Action>) {
    section(ui, cx, "By workload", |ui| {
        ui.label(sub(cx.tokens, "Pick a model; the cheapest example that holds it becomes your rig."));
        let field = TextEdit::singleline(&mut state.search).hint_text("Search models, such as llama 70b").desired_width(f32::INFINITY);
        ui.add(field).accessible_name("Search models");
        let words: Vec<String> = state.search.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let found: Vec<_> = cx.session.models().iter().filter(|m| words.iter().all(|w| m.name.to_lowercase().contains(w))).collect();
        if found.is_empty() {
            ui.label(sub(cx.tokens, "No model has these words."));
        }
        ScrollArea::vertical().id_salt("models").max_height(380.0).auto_shrink([false, true]).show_rows(
            ui,
            26.0,
            found.len(),
            |ui, rows| {
                for model in found.iter().skip(rows.start).take(rows.len()) {
                    let button = egui::Button::new(model.short_name())
                        .frame_when_inactive(false)
                        .right_text(sub(cx.tokens, parameters(model.params())))
                        .truncate()
                        .min_size(vec2(ui.available_width(), 26.0));
                    if ui.add(button).accessible_name(model.short_name()).clicked() {
                        out.push(Action::StartFromModel(model.name.clone()));
                    }
                }
            },
        );
    });
}

fn place_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut StartState, out: &mut Vec<Action>) {
    let name = if cx.prefs.room.is_none() { "Where will it stand?" } else { "Your room" };
    section(ui, cx, name, |ui| {
        if cx.prefs.room.is_none() {
            ui.label(sub(cx.tokens, "Asked once, for the energy bill and the circuit. Guessed from your system; correct it."));
        }
        let currency = state.currency.get_or_insert_with(|| state.room.currency.code().to_owned());
        let changed = room_ui(ui, cx, &mut state.room, currency, out);
        if cx.prefs.room.is_none() {
            ui.add_space(4.0);
            if ui.add(egui::Button::new(strong("Keep these"))).clicked() {
                out.push(Action::KeepRoom(state.room.clone()));
            }
        } else if changed {
            out.push(Action::KeepRoom(state.room.clone()));
        }
    });
}
