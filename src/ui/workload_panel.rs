//! What the rig is for: model, precision, sizes, and what comes of it in three figures.

use std::sync::Arc;

use eframe::egui::{Align, Button, ComboBox, DragValue, Label, Layout, PopupCloseBehavior, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::Cx;
use super::action::{Action, Side};
use super::charts::origin_text;
use super::icons::Icon;
use super::theme;
use super::widgets::{card, chip, empty, help_line, icon_button, row, sub, title};
use crate::analysis::Facts;
use crate::catalog::model::ModelShape;
use crate::catalog::part::PartKind;
use crate::catalog::precision::Precision;
use crate::project::edit::Edit;
use crate::report::Report;
use crate::units::{Bytes, parameters};
use crate::workload::{KvPrecision, Workload};

/// View state of the panel.
#[derive(Debug, Default)]
pub struct WorkloadState {
    /// The workload that is shown.
    pub shown: usize,
    search: String,
    precision_search: String,
}

pub fn workload_panel_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState, out: &mut Vec<Action>) {
    let workloads = &cx.session.project().workloads;
    state.shown = state.shown.min(workloads.len().saturating_sub(1));
    head_ui(ui, cx, out);
    help_line(ui, cx, "work", "Say what the rig is for: memory, speed and findings follow from the model and its sizes.", out);
    if workloads.len() > 1 {
        list_ui(ui, cx, state);
    }
    let Some(workload) = workloads.get(state.shown) else {
        empty(ui, cx.tokens, "No work yet", "Pick a model, or open its config.json, to see whether it fits and how fast it runs.");
        row(ui, cx.tokens, "Model", |ui| model_ui(ui, cx, state, None, out));
        return;
    };
    let mut next = workload.clone();
    row(ui, cx.tokens, "Model", |ui| model_ui(ui, cx, state, Some(workload), out));
    fields_ui(ui, cx, state, &mut next);
    if next != *workload {
        out.push(Action::EditMerged(Edit::Workload { index: state.shown, workload: Some(Box::new(next)) }));
    }
    ui.add_space(4.0);
    figures_ui(ui, cx, state.shown);
    for remark in &workload.model.remarks {
        ui.add(Label::new(sub(cx.tokens, remark)).wrap());
    }
    ui.horizontal_wrapped(|ui| {
        if ui.button("Add another workload").clicked() {
            let index = workloads.len();
            out.push(Action::Edit(Edit::Workload { index, workload: Some(Box::new(workload.clone())) }));
            state.shown = index;
        }
        if ui.button("Remove this workload").clicked() {
            out.push(Action::Edit(Edit::Workload { index: state.shown, workload: None }));
        }
    });
}

fn head_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.label(title("Work"));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if icon_button(ui, cx.tokens, Icon::Close, "Close the work panel").clicked() {
                out.push(Action::Toggle(Side::Work));
            }
        });
    });
}

fn list_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState) {
    ui.horizontal_wrapped(|ui| {
        for (at, workload) in cx.session.project().workloads.iter().enumerate() {
            let name = format!("{}. {}", at + 1, workload.name);
            if chip(ui, cx.tokens, state.shown == at, &name).clicked() {
                state.shown = at;
            }
        }
    });
}

/// The model's name; opens a list with a search field.
fn model_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState, now: Option<&Workload>, out: &mut Vec<Action>) {
    let text = now.map_or("Pick a model", |w| w.model.short_name());
    let index = state.shown;
    let width = ui.available_width();
    let combo = ComboBox::from_id_salt("model")
        .selected_text(RichText::new(text))
        .width(width)
        .truncate()
        .height(420.0)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let shown = combo.show_ui(ui, |ui| {
        ui.set_min_width(280.0);
        let field = TextEdit::singleline(&mut state.search).hint_text("Search, such as qwen 32b").desired_width(f32::INFINITY);
        let field = ui.add(field).accessible_name("Search models");
        if !field.has_focus() && ui.memory(|m| m.focused().is_none()) {
            field.request_focus();
        }
        if ui.button("Open a config.json…").clicked() {
            out.push(Action::ImportModelDialog(index));
            ui.close();
        }
        ui.separator();
        let words: Vec<String> = state.search.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let found: Vec<&Arc<ModelShape>> =
            cx.session.models().iter().filter(|m| words.iter().all(|w| m.name.to_lowercase().contains(w))).collect();
        if found.is_empty() {
            ui.label(sub(cx.tokens, "No model has these words. Open its config.json instead."));
        }
        ScrollArea::vertical().max_height(300.0).auto_shrink([false, true]).show_rows(ui, 26.0, found.len(), |ui, rows| {
            for model in found.iter().skip(rows.start).take(rows.len()) {
                if model_row(ui, cx, model, now.is_some_and(|w| w.model.name == model.name)) {
                    let workload = with_model(now, (*model).clone());
                    out.push(Action::Edit(Edit::Workload { index, workload: Some(Box::new(workload)) }));
                    ui.close();
                }
            }
        });
    });
    let name = now.map_or_else(|| "Model".to_owned(), |w| format!("Model: {}", w.model.name));
    let _ = shown.response.on_hover_text(now.map_or_else(String::new, |w| about(&w.model))).accessible_name(name);
}

fn model_row(ui: &mut Ui, cx: &Cx<'_>, model: &ModelShape, chosen: bool) -> bool {
    let button = Button::selectable(chosen, model.short_name())
        .right_text(sub(cx.tokens, parameters(model.params())))
        .truncate()
        .min_size(vec2(ui.available_width(), 26.0));
    ui.add(button).on_hover_text(about(model)).accessible_name(model.short_name()).clicked()
}

fn about(model: &ModelShape) -> String {
    let active =
        if model.active_params() < model.params() { format!(", {} active", parameters(model.active_params())) } else { String::new() };
    format!("{}\n{} parameters{active}, {} layers\nRead from: {}", model.name, parameters(model.params()), model.layers, model.source)
}

/// The old choices with another model: sizes stay, the context is cut to what the model takes.
fn with_model(now: Option<&Workload>, model: Arc<ModelShape>) -> Workload {
    let fresh = Workload::of(model);
    match now {
        None => fresh,
        Some(old) => {
            let context = fresh.model.context.map_or(old.context, |most| old.context.min(most));
            Workload { context, precision: old.precision, kv_precision: old.kv_precision, batch: old.batch, gpus: old.gpus, ..fresh }
        }
    }
}

fn fields_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState, next: &mut Workload) {
    row(ui, cx.tokens, "Precision", |ui| precision_ui(ui, state, &mut next.precision));
    row(ui, cx.tokens, "Context", |ui| {
        let most = next.model.context.unwrap_or(1 << 20).max(1);
        ui.add(DragValue::new(&mut next.context).range(1..=most).speed(64.0).suffix(" tokens"));
        ui.menu_button("Usual", |ui| {
            for size in [2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144].into_iter().filter(|s| *s <= most) {
                if ui.button(crate::units::thousands(size as f64, 0)).clicked() {
                    next.context = size;
                    ui.close();
                }
            }
        });
    });
    row(ui, cx.tokens, "Users", |ui| ui.add(DragValue::new(&mut next.batch).range(1..=1_048_576).speed(0.05).suffix(" at a time")));
    let cards = cards(cx);
    row(ui, cx.tokens, "Split", |ui| {
        let text = next.gpus.map_or_else(|| format!("layers over all cards ({cards})"), |n| format!("layers over {n}"));
        ComboBox::from_id_salt("split").selected_text(text).width(ui.available_width()).truncate().show_ui(ui, |ui| {
            ui.selectable_value(&mut next.gpus, None, "layers over all cards");
            for n in 1..=cards.max(1) {
                ui.selectable_value(&mut next.gpus, Some(n), format!("layers over {n}"));
            }
        });
    });
    row(ui, cx.tokens, "KV cache", |ui| {
        ComboBox::from_id_salt("kv").selected_text(next.kv_precision.text()).show_ui(ui, |ui| {
            for &kv in KvPrecision::ALL {
                ui.selectable_value(&mut next.kv_precision, kv, kv.text());
            }
        });
    });
}

fn precision_text(precision: Precision) -> String {
    format!("{} ({} bit)", precision.text(), crate::units::plain(precision.bits_per_weight(), 2))
}

fn precision_ui(ui: &mut Ui, state: &mut WorkloadState, precision: &mut Precision) {
    let combo = ComboBox::from_id_salt("precision")
        .selected_text(precision_text(*precision))
        .width(ui.available_width())
        .truncate()
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    combo.show_ui(ui, |ui| {
        let field = TextEdit::singleline(&mut state.precision_search).hint_text("Search, such as q5").desired_width(200.0);
        ui.add(field).accessible_name("Search precisions");
        let wanted = state.precision_search.trim().to_lowercase();
        for &choice in Precision::ALL.iter().filter(|p| p.text().contains(&wanted)) {
            if ui.selectable_value(precision, choice, precision_text(choice)).clicked() {
                ui.close();
            }
        }
    });
}

/// Graphics cards in the rig.
fn cards(cx: &Cx<'_>) -> u32 {
    let placed = cx.session.project().rig.placed(cx.session.catalog());
    placed.filter(|(_, _, p)| matches!(p.kind, PartKind::Gpu(_))).count() as u32
}

/// Used and available memory of a workload over its cards; `None` without cards or with an unknown size.
fn memory(facts: &Facts, index: usize) -> Option<(Bytes, Bytes)> {
    let mut ledgers = facts.memory.iter().filter(|l| l.workload == index).peekable();
    ledgers.peek()?;
    ledgers.try_fold((Bytes(0), Bytes(0)), |(used, all), l| Some((used + l.total, all + l.capacity?)))
}

fn figures_ui(ui: &mut Ui, cx: &Cx<'_>, index: usize) {
    let now = cx.session.report();
    let after = cx.preview.and_then(|p| p.outcome.as_ref().ok()).map(|(_, report)| report.as_ref());
    card(ui, cx.tokens, false, |ui| {
        ui.columns_const(|[a, b, c]| {
            a.vertical(|ui| speed_ui(ui, cx, now, after, index));
            b.vertical(|ui| memory_ui(ui, cx, now, after, index));
            c.vertical(|ui| cost_ui(ui, cx, now, after));
        });
    });
}

/// A large figure over its unit, and what a preview would make of it.
fn figure(ui: &mut Ui, cx: &Cx<'_>, text: &str, unit: &str, then: Option<&str>, hover: &str) {
    let width = ui.available_width();
    let size = if text.chars().count() > 6 { 15.0 } else { 20.0 };
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.set_max_width(width);
    ui.allocate_ui(vec2(width, 26.0), |ui| {
        ui.set_min_height(26.0);
        ui.add(Label::new(RichText::new(text).font(theme::semibold(size))).truncate()).on_hover_text(hover);
    });
    ui.add(Label::new(sub(cx.tokens, unit)).wrap()).on_hover_text(hover);
    if let Some(then) = then.filter(|t| *t != text) {
        ui.add(Label::new(RichText::new(format!("then {then}")).size(11.5).color(cx.tokens.accent)).truncate());
    }
}

fn speed_ui(ui: &mut Ui, cx: &Cx<'_>, now: &Report, after: Option<&Report>, index: usize) {
    let of = |report: &Report| report.facts.speed.iter().find(|s| s.workload == index).cloned();
    let number = |v: f64| if v >= 100.0 { format!("{v:.0}") } else { format!("{v:.1}") };
    let text = |report: &Report| of(report).and_then(|s| s.value).map_or_else(|| "–".to_owned(), number);
    let speed = of(now);
    let hover = match &speed {
        None => "Unknown: no graphics card is placed.".to_owned(),
        Some(s) => {
            let band = s.low.zip(s.high).map(|(l, h)| format!("\nBetween {} and {}.", number(l), number(h))).unwrap_or_default();
            let missing = s.missing.as_ref().map(|m| format!("\nUnknown: {m}.")).unwrap_or_default();
            format!("{}{band}{missing}", origin_text(&s.origin))
        }
    };
    figure(ui, cx, &text(now), "tokens/s", after.map(text).as_deref(), &hover);
}

fn memory_ui(ui: &mut Ui, cx: &Cx<'_>, now: &Report, after: Option<&Report>, index: usize) {
    let text = |report: &Report| memory(&report.facts, index).map_or_else(|| "–".to_owned(), |(used, _)| format!("{:.1}", used.gib()));
    let unit = memory(&now.facts, index).map_or_else(|| "GiB".to_owned(), |(_, all)| format!("of {all}"));
    figure(ui, cx, &text(now), &unit, after.map(text).as_deref(), "Memory that the workload takes on all its cards, of what they have.");
}

fn cost_ui(ui: &mut Ui, cx: &Cx<'_>, now: &Report, after: Option<&Report>) {
    let text = |report: &Report| {
        let cost = &report.facts.cost;
        if cost.lines.is_empty() { "–".to_owned() } else { cost.known_total.to_string() }
    };
    let cost = &now.facts.cost;
    let unit = cost.energy_per_month.map_or_else(|| "to buy".to_owned(), |m| format!("and {m} a month"));
    let hover = format!("Purchase: {}.\nEnergy: {}", cost.total_text(), origin_text(&cost.energy_origin));
    figure(ui, cx, &text(now), &unit, after.map(text).as_deref(), &hover);
}
