//! Charts of memory, cost and performance: what is, and what the edit under the pointer would make of it.

use eframe::egui::{self, Align, Color32, Label, Layout, Response, RichText, Sense, Ui, vec2};
use egui_plot::{AxisHints, GridInput, GridMark, Plot};

use super::Cx;
use super::action::Action;
use super::icons::Icon;
use super::theme::{self, Tokens};
use super::widgets::{chip, help_line, icon_button, sub, title};
use crate::analysis::{Basis, Origin};
use crate::report::Report;

pub(in crate::ui) mod cost;
mod memory;
mod performance;
mod performance_more;
mod power;

/// View state of the charts.
#[derive(Debug, Default)]
pub struct ChartsState {
    tab: Tab,
    cost: cost::CostState,
    performance: performance::PerformanceState,
    memory: memory::MemoryState,
    power: power::PowerState,
    /// The strip shows power in place of cost.
    shows_power: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Memory,
    Cost,
    Performance,
    Power,
}

impl ChartsState {
    /// Shows one of them where tabs choose: memory, cost, performance.
    pub(super) fn show(&mut self, number: usize) {
        self.tab = match number {
            1 => Tab::Cost,
            2 => Tab::Performance,
            _ => Tab::Memory,
        };
    }
}

/// The strip of charts, or one of them behind tabs. `workload` is the one shown, here and in the work panel.
pub fn charts_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ChartsState, workload: &mut usize, tabs: bool, out: &mut Vec<Action>) {
    *workload = (*workload).min(cx.session.project().workloads.len().saturating_sub(1));
    if cx.awaits_guess() {
        ui.centered_and_justified(|ui| ui.label(sub(cx.tokens, "Guess first: the charts come back with the result.")));
        return;
    }
    if tabs {
        ui.horizontal(|ui| {
            for (tab, name) in [(Tab::Memory, "Memory"), (Tab::Cost, "Cost"), (Tab::Performance, "Performance"), (Tab::Power, "Power")] {
                if chip(ui, cx.tokens, state.tab == tab, name).clicked() {
                    state.tab = tab;
                }
            }
        });
        match state.tab {
            Tab::Memory => memory::memory_ui(ui, cx, &mut state.memory, workload, out),
            Tab::Cost => cost::cost_ui(ui, cx, &mut state.cost, out),
            Tab::Performance => performance::performance_ui(ui, cx, &mut state.performance, workload, out),
            Tab::Power => power::power_ui(ui, cx, &mut state.power, out),
        }
        return;
    }
    let help =
        "Point at a number to see how it was made; a right click copies it. While you drag, the charts show what the drop would change.";
    help_line(ui, cx, "charts", help, out);
    // A child of fixed size: what does not fit is cut, and never makes the panel grow.
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, Sense::hover());
    let mut strip = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    strip.shrink_clip_rect(rect);
    strip.spacing_mut().item_spacing.x = 20.0;
    strip.columns_const(|[a, b, c]| {
        for column in [&mut *a, &mut *b, &mut *c] {
            column.spacing_mut().item_spacing.x = 8.0;
        }
        // Columns justify their text; a vertical layout inside does not.
        a.vertical(|ui| memory::memory_ui(ui, cx, &mut state.memory, workload, out));
        b.vertical(|ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                for (power, name) in [(false, "Money"), (true, "Watts")] {
                    if chip(ui, cx.tokens, state.shows_power == power, name).clicked() {
                        state.shows_power = power;
                    }
                }
            });
            if state.shows_power {
                power::power_ui(ui, cx, &mut state.power, out);
            } else {
                cost::cost_ui(ui, cx, &mut state.cost, out);
            }
        });
        c.vertical(|ui| performance::performance_ui(ui, cx, &mut state.performance, workload, out));
    });
}

/// The report of the edit under the pointer.
fn after<'a>(cx: &Cx<'a>) -> Option<&'a Report> {
    cx.preview?.outcome.as_ref().ok().map(|(_, report)| report.as_ref())
}

/// How a number was made, as lines in plain words.
pub fn origin_text(origin: &Origin) -> String {
    let basis = match origin.basis {
        Basis::Exact => "Counted exactly.",
        Basis::Derived => "Follows from the facts by arithmetic.",
        Basis::Fitted => "With a constant fitted to measurements.",
        Basis::Assumed => "With a rule of thumb, so only roughly right.",
    };
    let source = if origin.source.is_empty() { String::new() } else { format!("Source: {}", origin.source) };
    let lines = [singular(&origin.formula), basis.to_owned(), source];
    lines.into_iter().filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
}

/// "1 sequences" reads "1 sequence".
fn singular(text: &str) -> String {
    let mut out = text.replace(" 1 sequences", " 1 sequence");
    if out.starts_with("1 sequences") {
        out = out.replacen("1 sequences", "1 sequence", 1);
    }
    out
}

/// What a chart is called: "Memory", and "the memory ledger" when copied.
#[derive(Clone, Copy, Debug)]
struct Name {
    title: &'static str,
    copied: &'static str,
}

/// Title, subtitle, which workload is shown, and a button that copies all figures as text.
fn head_ui(
    ui: &mut Ui,
    cx: &Cx<'_>,
    name: Name,
    about: &str,
    workload: Option<&mut usize>,
    figures: impl FnOnce() -> String,
    out: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing.y = 2.0;
    // In a small window a tab names the chart already.
    let small = cx.prefs.small;
    ui.horizontal(|ui| {
        if !small {
            ui.label(title(name.title));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if icon_button(ui, cx.tokens, Icon::Copy, &format!("Copy {} as text", name.copied)).clicked() {
                out.push(Action::copy(name.copied, figures()));
            }
            if let Some(shown) = workload {
                workloads_ui(ui, cx, shown);
            }
            if small {
                let text = Label::new(sub(cx.tokens, about)).truncate();
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(text).on_hover_text(about));
            }
        });
    });
    if !small {
        ui.add(Label::new(sub(cx.tokens, about)).wrap());
    }
}

/// One small tab a workload, by number, right to left; none for a single one.
fn workloads_ui(ui: &mut Ui, cx: &Cx<'_>, shown: &mut usize) {
    let workloads = &cx.session.project().workloads;
    if workloads.len() < 2 {
        return;
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        ui.spacing_mut().button_padding.x = 7.0;
        for (at, workload) in workloads.iter().enumerate().rev() {
            if chip(ui, cx.tokens, *shown == at, &(at + 1).to_string()).on_hover_text(&workload.name).clicked() {
                *shown = at;
            }
        }
    });
}

/// Quiet axis labels, close enough to each other for narrow charts.
fn x_axis<'a>(t: &Tokens) -> AxisHints<'a> {
    AxisHints::new_x().tick_label_font(theme::regular(11.0)).tick_label_color(t.sub).label_spacing(egui::Rangef::new(22.0, 30.0))
}

fn y_axis<'a>(t: &Tokens) -> AxisHints<'a> {
    AxisHints::new_y().tick_label_font(theme::regular(11.0)).tick_label_color(t.sub).label_spacing(egui::Rangef::new(14.0, 20.0))
}

/// Marks at multiples of `step` from 0 on.
fn marks(step: f64) -> impl Fn(GridInput) -> Vec<GridMark> {
    move |input| {
        let last = (input.bounds.1 / step).floor();
        if !(0.0..=64.0).contains(&last) {
            return Vec::new();
        }
        (0..=last as u32).map(|n| GridMark { value: f64::from(n) * step, step_size: step }).collect()
    }
}

/// A step of 1, 2 or 5 times a power of ten that gives at most `most` marks up to `top`.
fn round_step(top: f64, most: f64) -> f64 {
    let least = (top / most).max(1e-9);
    let power = 10.0_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= least).unwrap_or(10.0);
    factor * power
}

/// Marks that a height in points has room for.
fn most_marks(height: f32) -> f64 {
    f64::from((height / 34.0).clamp(2.0, 8.0))
}

/// A plot that stays put: no panning, no zooming, quiet grid.
pub(super) fn plain_plot<'a>(name: &'static str, t: &Tokens, height: f32) -> Plot<'a> {
    Plot::new(name)
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .allow_axis_zoom_drag(false)
        .show_background(false)
        .show_crosshair(false)
        .show_x(false)
        .show_y(false)
        .grid_color(t.line)
        .set_margin_fraction(vec2(0.02, 0.06))
        .sense(Sense::click())
}

/// Room for the plot above a row of choices.
fn plot_height(ui: &Ui) -> f32 {
    (ui.available_height() - 34.0).max(48.0)
}

/// Coloured squares with names.
fn legend_ui(ui: &mut Ui, t: &Tokens, entries: &[(Color32, &str)]) {
    ui.spacing_mut().interact_size.y = 16.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(10.0, 0.0);
        for (color, name) in entries {
            // Square and name in one piece, so that a line never breaks between them.
            let galley = ui.painter().layout_no_wrap((*name).to_owned(), theme::regular(11.5), t.sub);
            let (rect, response) = ui.allocate_exact_size(vec2(14.0 + galley.size().x, 16.0), Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, *name));
            let square = egui::Rect::from_min_size(egui::pos2(rect.left(), rect.center().y - 4.5), vec2(9.0, 9.0));
            ui.painter().rect_filled(square, 1.5, *color);
            ui.painter().galley(egui::pos2(rect.left() + 14.0, rect.center().y - galley.size().y / 2.0), galley, t.sub);
        }
    });
}

/// Shows `text` beside the pointer, and copies it, or all figures, from the context menu. The text that was under the pointer when the
/// menu opened is kept in `held`.
fn explain(response: &Response, name: Name, text: Option<String>, held: &mut String, all: impl FnOnce() -> String, out: &mut Vec<Action>) {
    let open = response.context_menu_opened();
    if !open {
        *held = text.clone().unwrap_or_default();
    }
    if let Some(text) = text.filter(|_| !open && response.hovered()) {
        // Above or below the whole chart, so that it does not cover what the pointer is on.
        let x = response.hover_pos().map_or(response.rect.center().x, |p| p.x);
        let anchor = egui::Rect::from_x_y_ranges(x - 40.0..=x + 40.0, response.rect.y_range());
        let mut tooltip = egui::Tooltip::for_enabled(response).gap(2.0).width(320.0);
        tooltip.popup = tooltip.popup.anchor(anchor);
        tooltip.show(|ui| {
            ui.set_max_width(320.0);
            ui.add(Label::new(RichText::new(text).size(12.5)).wrap());
        });
    }
    response.context_menu(|ui| {
        if ui.add_enabled(!held.is_empty(), egui::Button::new("Copy as text")).clicked() {
            let what = held.lines().next().unwrap_or_default().trim_end_matches(['.', ':']).to_owned();
            out.push(Action::copy(format!("\"{what}\""), held.clone()));
            ui.close();
        }
        if ui.button(format!("Copy {}", name.copied)).clicked() {
            out.push(Action::copy(name.copied, all()));
            ui.close();
        }
    });
}

/// What a chart says without numbers to show.
fn nothing_ui(ui: &mut Ui, cx: &Cx<'_>, text: &str) {
    ui.add_space((ui.available_height() * 0.3).min(40.0));
    ui.vertical_centered(|ui| ui.add(Label::new(sub(cx.tokens, text)).wrap()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!(round_step(24.0, 5.0), 5.0);
        assert_eq!(round_step(6832.0, 8.0), 1000.0);
        assert_eq!(round_step(0.9, 5.0), 0.2);
    }
}
