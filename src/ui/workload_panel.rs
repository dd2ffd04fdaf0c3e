//! What the rig is for: model, precision, sizes, and what comes of it in three figures.

use std::sync::Arc;

use eframe::egui::{Align, ComboBox, Label, Layout, RichText, Sense, Ui, vec2};

use super::Cx;
use super::action::{Action, Screen, Side};
use super::charts::origin_text;
use super::icons::Icon;
use super::pick_list::{Entry, Offer, PickState, Words, pick_ui};
use super::serving_ui::serving_ui;
use super::theme;
use super::training_settings;
use super::widgets::{bounded_drag, card, chip, empty, help_line, icon_button, row, sub, title};
use crate::analysis::Facts;
use crate::analysis::memory::ItemKind;
use crate::catalog::model::ModelShape;
use crate::catalog::part::PartKind;
use crate::catalog::precision::Precision;
use crate::catalog::precision::native::Support;
use crate::project::edit::Edit;
use crate::report::Report;
use crate::units::{Bytes, parameters, thousands};
use crate::workload::training::Training;
use crate::workload::{KvPrecision, Split, Workload};

/// Users at a time.
const MOST_USERS: u64 = 1_048_576;

/// View state of the panel.
#[derive(Debug, Default)]
pub struct WorkloadState {
    /// The workload that is shown.
    pub shown: usize,
    /// A workload was just asked for and is not in the project yet.
    adding: bool,
    models: PickState,
    /// Settings of a training job that was switched off, for when it comes back.
    training: Option<Training>,
    precisions: PickState,
}

pub fn workload_panel_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState, out: &mut Vec<Action>) {
    let workloads = &cx.session.project().workloads;
    state.adding &= state.shown >= workloads.len();
    if !state.adding {
        state.shown = state.shown.min(workloads.len().saturating_sub(1));
    }
    head_ui(ui, cx, out);
    help_line(ui, cx, "work", "Say what the rig is for: memory, speed and findings follow from the model and its sizes.", out);
    if workloads.len() > 1 {
        list_ui(ui, cx, state);
    }
    let Some(workload) = workloads.get(state.shown) else {
        empty(
            ui,
            cx.tokens,
            "No work yet",
            "Pick a model, open its config.json, .gguf or .safetensors file, or build one by hand, to see whether it fits and how fast it runs.",
        );
        row(ui, cx.tokens, "Model", |ui| model_ui(ui, cx, state, None, out));
        return;
    };
    let mut next = workload.clone();
    row(ui, cx.tokens, "Model", |ui| model_ui(ui, cx, state, Some(workload), out));
    training_settings::use_ui(ui, cx, &mut state.training, &mut next);
    if next.training.is_some() {
        training_settings::fields_ui(ui, cx, &mut next, out);
        row(ui, cx.tokens, "Cards", |ui| cards_ui(ui, cx, &mut next.gpus, ""));
    } else {
        fields_ui(ui, cx, state, &mut next, out);
    }
    super::sharing_ui::sharing_ui(ui, cx, state.shown, &mut next);
    if next != *workload {
        out.push(Action::EditMerged(Edit::Workload { index: state.shown, workload: Some(Box::new(next)) }));
    }
    ui.add_space(4.0);
    figures_ui(ui, cx, state.shown, out);
    notes_ui(ui, cx, state.shown);
    for remark in &workload.model.remarks {
        ui.add(Label::new(sub(cx.tokens, remark)).wrap());
    }
    ui.horizontal_wrapped(|ui| {
        if ui.button("What fits…").clicked() {
            out.push(Action::Show(Screen::Fit));
        }
        if ui.button("Add another workload").clicked() {
            let index = workloads.len();
            // Findings go by names, so two jobs must not share one.
            let name = format!("{} ({})", workload.name, index + 1);
            out.push(Action::Edit(Edit::Workload { index, workload: Some(Box::new(Workload { name, ..workload.clone() })) }));
            (state.shown, state.adding) = (index, true);
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
    ui.add(Label::new(sub(cx.tokens, "Judged one at a time: they do not share the memory yet.")).wrap());
}

/// The model's name; opens a list with a search field.
fn model_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState, now: Option<&Workload>, out: &mut Vec<Action>) {
    let index = state.shown;
    let words = Words {
        id: "model",
        shown: now.map_or("Pick a model", |w| w.model.short_name()),
        hint: "Search, such as qwen 32b",
        search: "Search models",
        none: "No model has these words. Open its file instead.",
    };
    let find = |words: &[String]| -> Vec<&Arc<ModelShape>> {
        cx.session.models().iter().filter(|m| words.iter().all(|w| m.name.to_lowercase().contains(w))).collect()
    };
    let entry = |m: &&Arc<ModelShape>| Entry { name: m.short_name().to_owned(), right: parameters(m.params()), hover: about(m) };
    let in_force = |m: &&Arc<ModelShape>| now.is_some_and(|w| w.model.name == m.name);
    let offer = Offer { words, find: &find, now: &in_force, entry: &entry };
    let (response, chosen) = pick_ui(ui, cx, &mut state.models, &offer, |ui| {
        if ui.button("Open a model file…").on_hover_text("A config.json, or the header of a .gguf or .safetensors file").clicked() {
            out.push(Action::ImportModelDialog(index));
            ui.close();
        }
        if ui.button("Build one by hand…").on_hover_text("Layers, width, heads and vocabulary of your own").clicked() {
            out.push(Action::BuildModel(index));
            ui.close();
        }
        ui.separator();
    });
    if let Some(model) = chosen {
        let workload = now.map_or_else(|| Workload::of(model.clone()), |old| old.with_model(model.clone()));
        out.push(Action::Edit(Edit::Workload { index, workload: Some(Box::new(workload)) }));
    }
    let name = now.map_or_else(|| "Model".to_owned(), |w| format!("Model: {}", w.model.name));
    let _ = response.on_hover_text(now.map_or_else(String::new, |w| about(&w.model))).accessible_name(name);
}

fn about(model: &ModelShape) -> String {
    let active =
        if model.active_params() < model.params() { format!(", {} active", parameters(model.active_params())) } else { String::new() };
    let file = model.weights.as_ref().map_or_else(String::new, |w| {
        let files = if w.files == 1 { String::new() } else { format!(" in {} files", w.files) };
        format!("\n{} {}: {} tensors, {}{files}", w.format.text(), w.label, w.tensors, Bytes(w.total()))
    });
    let (params, layers) = (parameters(model.params()), model.layers);
    format!("{}\n{params} parameters{active}, {layers} layers{file}\nRead from: {}", model.name, model.source)
}

fn fields_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState, next: &mut Workload, out: &mut Vec<Action>) {
    row(ui, cx.tokens, "Precision", |ui| precision_ui(ui, cx, state, &next.model.clone(), &mut next.precision));
    let most = next.model.context.unwrap_or(1 << 20).max(1);
    let name = next.model.short_name().to_owned();
    row(ui, cx.tokens, "Context", |ui| {
        if bounded_drag(ui, &mut next.context, 1..=most, |d| d.speed(64.0).suffix(" tokens")).above {
            out.push(Action::Notice(format!("{name} takes at most {} tokens.", thousands(most as f64, 0))));
        }
        ui.menu_button("Usual", |ui| {
            for size in [2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144].into_iter().filter(|s| *s <= most) {
                if ui.button(thousands(size as f64, 0)).clicked() {
                    next.context = size;
                    ui.close();
                }
            }
        });
    });
    row(ui, cx.tokens, "Users", |ui| {
        if bounded_drag(ui, &mut next.batch, 1..=MOST_USERS, |d| d.speed(0.05).suffix(" at a time")).above {
            out.push(Action::Notice(format!("At most {} users at a time can be reckoned.", thousands(MOST_USERS as f64, 0))));
        }
    });
    let how = match next.split() {
        Split::Layer => "layers over ",
        Split::Tensor => "slices over ",
    };
    row(ui, cx.tokens, "Split", |ui| cards_ui(ui, cx, &mut next.gpus, how));
    row(ui, cx.tokens, "KV cache", |ui| {
        ComboBox::from_id_salt("kv").selected_text(next.kv_precision.text()).show_ui(ui, |ui| {
            for &kv in KvPrecision::ALL {
                ui.selectable_value(&mut next.kv_precision, kv, kv.text());
            }
        });
    });
    serving_ui(ui, cx, next, cards(cx));
}

/// How many cards take part; `what` stands before the number.
fn cards_ui(ui: &mut Ui, cx: &Cx<'_>, gpus: &mut Option<u32>, what: &str) {
    let cards = cards(cx);
    let text = gpus.map_or_else(|| format!("{what}all cards ({cards})"), |n| format!("{what}{n}"));
    ComboBox::from_id_salt("split").selected_text(text).width(ui.available_width()).truncate().show_ui(ui, |ui| {
        ui.selectable_value(gpus, None, format!("{what}all cards"));
        for n in 1..=cards.max(1) {
            ui.selectable_value(gpus, Some(n), format!("{what}{n}"));
        }
    });
}

/// `q4_k_m` with 4.75 bit, say: what a weight of this model takes on average, its better kept tensors included.
fn precision_text(precision: Precision, model: &ModelShape) -> String {
    let bits = precision.model_bytes(model) as f64 * 8.0 / model.params().max(1) as f64;
    let bits = crate::units::plain(bits, 2);
    match &model.weights {
        Some(weights) if precision.of_file() == Some(weights.format) && weights.label.is_empty() => format!("as in the file ({bits} bit)"),
        Some(weights) if precision.of_file() == Some(weights.format) => format!("as in the file: {} ({bits} bit)", weights.label),
        _ => format!("{} ({bits} bit)", precision.text()),
    }
}

fn precision_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut WorkloadState, model: &ModelShape, precision: &mut Precision) {
    let shown = precision_text(*precision, model);
    let words = Words {
        id: "precision",
        shown: &shown,
        hint: "Search, such as q5",
        search: "Search precisions",
        none: "No precision has these words.",
    };
    let find = |words: &[String]| -> Vec<Precision> {
        let suits = Precision::ALL.iter().copied().filter(|p| p.suits(model));
        suits.filter(|p| words.iter().all(|w| precision_text(*p, model).to_lowercase().contains(w.as_str()))).collect()
    };
    let entry = |p: &Precision| Entry { name: precision_text(*p, model), right: String::new(), hover: String::new() };
    let now = *precision;
    let offer = Offer { words, find: &find, now: &|p| *p == now, entry: &entry };
    let (response, chosen) = pick_ui(ui, cx, &mut state.precisions, &offer, |_| {});
    let _ = response.accessible_name(format!("Precision: {shown}"));
    if let Some(chosen) = chosen {
        *precision = chosen;
    }
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

fn figures_ui(ui: &mut Ui, cx: &Cx<'_>, index: usize, out: &mut Vec<Action>) {
    if cx.awaits_guess() {
        ui.label(sub(cx.tokens, "Guess first: the figures come back with the result."));
        return;
    }
    let now = cx.session.report();
    let after = cx.preview.and_then(|p| p.outcome.as_ref().ok()).map(|(_, report)| report.as_ref());
    card(ui, cx.tokens, false, |ui| {
        ui.columns_const(|[a, b, c]| {
            a.vertical(|ui| speed_ui(ui, cx, now, after, index, out));
            b.vertical(|ui| memory_ui(ui, cx, now, after, index, out));
            c.vertical(|ui| cost_ui(ui, cx, now, after, out));
        });
    });
}

/// Arithmetic that the cards do not have, and what stays in main memory.
fn notes_ui(ui: &mut Ui, cx: &Cx<'_>, index: usize) {
    let facts = &cx.session.report().facts;
    let mut told: Vec<&str> = Vec::new();
    for ledger in facts.memory.iter().filter(|l| l.workload == index) {
        let Some(c) = ledger.capability.filter(|c| c.support != Support::Native && !told.contains(&c.effect)) else { continue };
        told.push(c.effect);
        let text = format!("{}: {} is {}. {}", ledger.gpu_name, ledger.arithmetic.text(), c.support.text(), c.effect);
        ui.add(Label::new(sub(cx.tokens, text)).wrap());
    }
    if let Some(host) = facts.host.iter().find(|h| h.workload == index) {
        let lines = host.items.iter().map(|i| format!("{}: {}\n{}", i.name, i.bytes, origin_text(&i.origin)));
        let hover = lines.collect::<Vec<_>>().join("\n\n");
        ui.add(Label::new(sub(cx.tokens, format!("In main memory: {}", host.total))).wrap()).on_hover_text(hover);
    }
}

/// What a large figure shows.
struct Figure<'a> {
    text: &'a str,
    unit: &'a str,
    /// What a preview would make of it.
    then: Option<&'a str>,
    hover: &'a str,
    /// What a right click copies, for the notice: "the speed".
    what: &'a str,
}

/// A large figure over its unit.
fn figure_ui(ui: &mut Ui, cx: &Cx<'_>, figure: &Figure<'_>, out: &mut Vec<Action>) {
    let Figure { text, unit, then, hover, what } = *figure;
    let width = ui.available_width();
    let size = if text.chars().count() > 6 { 15.0 } else { 20.0 };
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.set_max_width(width);
    let large = ui.allocate_ui(vec2(width, 26.0), |ui| {
        ui.set_min_height(26.0);
        ui.add(Label::new(RichText::new(text).font(theme::semibold(size))).truncate().selectable(false).sense(Sense::click()))
    });
    let below = ui.add(Label::new(sub(cx.tokens, unit)).wrap().selectable(false).sense(Sense::click()));
    for response in [large.inner, below] {
        if response.secondary_clicked() {
            out.push(Action::copy(what, format!("{text} {unit}\n{hover}")));
        }
        let _ = response.on_hover_text(hover);
    }
    if let Some(then) = then.filter(|t| *t != text) {
        ui.add(Label::new(RichText::new(format!("then {then}")).size(11.5).color(cx.tokens.accent)).truncate());
    }
}

fn speed_ui(ui: &mut Ui, cx: &Cx<'_>, now: &Report, after: Option<&Report>, index: usize, out: &mut Vec<Action>) {
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
    let (now, then) = (text(now), after.map(text));
    let figure = Figure { text: &now, unit: "tokens/s", then: then.as_deref(), hover: &hover, what: "the speed" };
    figure_ui(ui, cx, &figure, out);
}

fn memory_ui(ui: &mut Ui, cx: &Cx<'_>, now: &Report, after: Option<&Report>, index: usize, out: &mut Vec<Action>) {
    let text = |report: &Report| memory(&report.facts, index).map_or_else(|| "–".to_owned(), |(used, _)| format!("{:.1}", used.gib()));
    let unit = memory(&now.facts, index).map_or_else(|| "GiB".to_owned(), |(_, all)| format!("of {all}"));
    let hover = memory_hover(&now.facts, index);
    let (now, then) = (text(now), after.map(text));
    let figure = Figure { text: &now, unit: &unit, then: then.as_deref(), hover: &hover, what: "the memory use" };
    figure_ui(ui, cx, &figure, out);
}

/// What takes the memory, by kind.
fn memory_hover(facts: &Facts, index: usize) -> String {
    let ledgers = || facts.memory.iter().filter(|l| l.workload == index);
    let cards = ledgers().count();
    if cards == 0 {
        return "Unknown: no graphics card is placed.".to_owned();
    }
    let on = if cards == 1 { "On the card".to_owned() } else { format!("On all {cards} cards together") };
    let lines = ItemKind::ALL.iter().map(|&kind| (kind, ledgers().map(|l| l.bytes_of(kind)).sum::<Bytes>())).filter(|(_, b)| b.0 > 0);
    let lines = lines.map(|(kind, bytes)| format!("{bytes} {}", kind.text())).collect::<Vec<_>>().join("\n");
    let step = ledgers().find_map(|l| l.phases).map(|p| format!("\nTraining step: {}.", p.text())).unwrap_or_default();
    format!("{on}:\n{lines}{step}")
}

fn cost_ui(ui: &mut Ui, cx: &Cx<'_>, now: &Report, after: Option<&Report>, out: &mut Vec<Action>) {
    let text = |report: &Report| {
        let cost = &report.facts.cost;
        if cost.lines.is_empty() { "–".to_owned() } else { cost.known_total.to_string() }
    };
    let cost = &now.facts.cost;
    let unit = cost.energy_per_month.map_or_else(|| "to buy".to_owned(), |m| format!("and {m} a month"));
    let hover = format!("Purchase: {}.\nEnergy: {}", cost.total_text(), origin_text(&cost.energy_origin));
    let (now, then) = (text(now), after.map(text));
    let figure = Figure { text: &now, unit: &unit, then: then.as_deref(), hover: &hover, what: "the cost" };
    figure_ui(ui, cx, &figure, out);
}
