//! The selected part: where it is, what can be done with it, its choices, its facts with their sources.

use std::collections::BTreeMap;

use eframe::egui::{self, Align, Button, CollapsingHeader, ComboBox, Label, Layout, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::air_ui::{AirDraft, air_ui};
use super::board_settings::board_ui;
use super::icons::Icon;
use super::part_text::{field_name, has_words, lines};
use super::place_menu::{MenuState, move_menu_ui, place_menu_ui};
use super::price_ui;
use super::widgets::{bounded_drag, card, icon_button, key_value, row, sub, title};
use crate::analysis::memory::plan::DISPLAY;
use crate::build::PlacementId;
use crate::build::fit::fit;
use crate::build::slots::slots;
use crate::catalog::load::kind_table;
use crate::catalog::part::{Part, PartId, PartKind};
use crate::catalog::vocab::{Confidence, Edge};
use crate::project::Subject;
use crate::project::edit::Edit;
use crate::units::watts;

/// View state of the inspector.
#[derive(Debug, Default)]
pub struct InspectorState {
    /// A part of the catalog to show instead of the selection.
    pub part: Option<PartId>,
    search: String,
    menu: MenuState,
    /// Facts as texts, by part.
    facts: Option<(PartId, Vec<(String, String)>)>,
    own_price: price_ui::OwnPrice,
    air: AirDraft,
    /// Only the name is shown.
    folded: bool,
    shown: Shown,
}

/// What is inspected: a part, and the piece of it in the rig.
type Shown = Option<(PartId, Option<PlacementId>)>;

/// What is inspected, at most `most` points high: its name stays, the rest scrolls and can be folded away.
pub fn inspector_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut InspectorState, most: f32, out: &mut Vec<Action>) {
    let catalog = cx.session.catalog();
    if let Some(part) = state.part.as_ref().and_then(|id| catalog.part(id)) {
        let shown = Some((part.id.clone(), None));
        card(ui, cx.tokens, false, |ui| {
            head_ui(ui, cx, state, part, out);
            body_ui(ui, state, shown, most, |ui, state| catalog_part_ui(ui, cx, state, part, out));
        });
        ui.add_space(12.0);
        return;
    }
    let Some(Subject::Placement(id)) = cx.session.selection() else { return };
    let Some(piece) = cx.session.project().rig.placement(*id) else { return };
    card(ui, cx.tokens, true, |ui| match catalog.part(&piece.part) {
        Some(part) => {
            head_ui(ui, cx, state, part, out);
            let shown = Some((part.id.clone(), Some(*id)));
            body_ui(ui, state, shown, most, |ui, state| placed_ui(ui, cx, state, *id, part, out));
        }
        None => {
            ui.label(format!("{} is not in the catalog.", piece.part));
        }
    });
    ui.add_space(12.0);
}

/// The name, which folds the rest, and a button that closes it.
fn head_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut InspectorState, part: &Part, out: &mut Vec<Action>) {
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        if icon_button(ui, cx.tokens, Icon::Close, "Close part details").clicked() {
            out.push(Action::ShowPart(None));
            out.push(Action::Select(None));
        }
        let (icon, name) =
            if state.folded { (Icon::Right, "Show the part's details") } else { (Icon::Down, "Fold the part's details away") };
        if icon_button(ui, cx.tokens, icon, name).clicked() {
            state.folded = !state.folded;
        }
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            ui.add(Label::new(title(part.short_name())).wrap());
            let generic = if part.generic { "stand-in, no product · " } else { "" };
            let maker = part.maker.as_ref().map(|m| format!(" by {m}")).unwrap_or_default();
            ui.label(sub(cx.tokens, format!("{generic}{}{maker}", part.kind.label())));
        });
    });
}

/// What is below the name; it starts at its top whenever something else is shown.
fn body_ui(ui: &mut Ui, state: &mut InspectorState, shown: Shown, most: f32, add: impl FnOnce(&mut Ui, &mut InspectorState)) {
    let fresh = state.shown != shown;
    state.shown = shown;
    if state.folded {
        return;
    }
    let mut area = ScrollArea::vertical().id_salt("inspector").max_height(most).auto_shrink([false, true]);
    if fresh {
        area = area.vertical_scroll_offset(0.0);
    }
    area.show(ui, |ui| add(ui, state));
}

fn catalog_part_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut InspectorState, part: &Part, out: &mut Vec<Action>) {
    ui.menu_button("Place in", |ui| place_menu_ui(ui, cx, &part.id, &mut state.menu, out));
    facts_ui(ui, cx, state, part, out);
}

fn placed_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut InspectorState, id: PlacementId, part: &Part, out: &mut Vec<Action>) {
    let build = &cx.session.project().rig;
    let slot = build.placement(id).and_then(|p| p.slot.clone());
    let place = slot.as_ref().map_or_else(
        || "put aside, not counted".to_owned(),
        |s| slots(cx.session.catalog(), build).into_iter().find(|x| x.id == *s).map_or_else(|| s.to_string(), |x| x.label),
    );
    key_value(ui, cx.tokens, "Place", place);
    ui.horizontal_wrapped(|ui| {
        ui.menu_button("Move to", |ui| move_menu_ui(ui, cx, id, out));
        ui.menu_button("Replace", |ui| replace_menu_ui(ui, cx, state, id, part, out));
        if ui.button("Remove").clicked() {
            out.push(Action::Edit(Edit::Remove(id)));
        }
    });
    choices_ui(ui, cx, id, part, out);
    if let Some(draw) = cx.session.report().facts.power.parts.iter().find(|d| d.placement == id) {
        let text = draw.typical_w.map_or_else(|| "unknown".to_owned(), watts);
        key_value(ui, cx.tokens, "Draw", text).on_hover_text(super::charts::origin_text(&draw.origin));
    }
    air_ui(ui, cx, &mut state.air, id, part, out);
    facts_ui(ui, cx, state, part, out);
}

/// Parts of the same kind that go into the same place.
fn replace_menu_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut InspectorState, id: PlacementId, part: &Part, out: &mut Vec<Action>) {
    let (catalog, build) = (cx.session.catalog(), &cx.session.project().rig);
    ui.set_min_width(280.0);
    let field = TextEdit::singleline(&mut state.search).hint_text("Search").desired_width(f32::INFINITY);
    ui.add(field).accessible_name("Search replacements");
    let words: Vec<String> = state.search.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let slot = build.placement(id).and_then(|p| p.slot.clone());
    let slot = slot.and_then(|s| slots(catalog, build).into_iter().find(|x| x.id == s));
    let fits = |other: &&Part| slot.as_ref().is_none_or(|s| fit(catalog, build, other, s, Some(id)).possible());
    let found: Vec<&Part> =
        catalog.parts().filter(|p| p.kind.index() == part.kind.index() && p.id != part.id && has_words(p, &words)).filter(fits).collect();
    if found.is_empty() {
        ui.label(sub(cx.tokens, "No other part of the catalog goes here."));
    }
    ScrollArea::vertical().max_height(320.0).auto_shrink([false, true]).show_rows(ui, 26.0, found.len(), |ui, rows| {
        for other in found.iter().skip(rows.start).take(rows.len()) {
            let price = price_ui::shown(cx, &other.id);
            let button = Button::new(other.short_name())
                .right_text(sub(cx.tokens, price.text))
                .truncate()
                .min_size(egui::vec2(ui.available_width(), 26.0));
            let response = ui.add(button).accessible_name(format!("Replace by {}", other.short_name()));
            let (first, second) = lines(other);
            if response.on_hover_text(format!("{first}\n{second}")).clicked() {
                out.push(Action::Edit(Edit::Replace { what: id, part: other.id.clone() }));
                ui.close();
            }
        }
    });
}

/// Choices of this one piece.
fn choices_ui(ui: &mut Ui, cx: &Cx<'_>, id: PlacementId, part: &Part, out: &mut Vec<Action>) {
    let none = BTreeMap::new();
    let settings = cx.session.project().rig.placement(id).map_or(&none, |p| &p.settings);
    let set = |key: &str, value: Option<String>| Edit::Set { what: id, key: key.to_owned(), value };
    match &part.kind {
        PartKind::Gpu(gpu) => {
            let own = settings.get(DISPLAY).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
            let mut mib = own;
            row(ui, cx.tokens, "Desktop", |ui| {
                bounded_drag(ui, &mut mib, 0.0..=8192.0, |d| d.speed(8.0).max_decimals(0).suffix(" MiB of its memory"));
            });
            if (mib - own).abs() > 0.5 {
                out.push(Action::EditMerged(set(DISPLAY, (mib >= 0.5).then(|| format!("{mib:.0}")))));
            }
            let Some(stock) = gpu.tdp_w else { return };
            let (low, high) = (gpu.power_min_w.unwrap_or(stock * 0.3), gpu.power_max_w.unwrap_or(stock).max(stock));
            let own = settings.get("power_limit_w").and_then(|v| v.parse::<f64>().ok());
            let mut value = own.unwrap_or(stock);
            row(ui, cx.tokens, "Power limit", |ui| {
                let before = value;
                let beyond = bounded_drag(ui, &mut value, low..=high, |d| d.speed(1.0).max_decimals(0).suffix(" W"));
                if beyond.above || beyond.below {
                    let text = format!("The power limit of {} goes from {} to {}.", part.short_name(), watts(low), watts(high));
                    out.push(Action::Notice(text));
                }
                if value != before {
                    out.push(Action::EditMerged(set("power_limit_w", Some(format!("{value:.0}")))));
                }
                if own.is_some() && ui.button(format!("Stock {}", watts(stock))).clicked() {
                    out.push(Action::Edit(set("power_limit_w", None)));
                }
            });
        }
        PartKind::Board(board) => board_ui(ui, cx, id, board, out),
        PartKind::Fan(_) => {
            let options = [("intake", "blows in"), ("exhaust", "blows out")];
            let now = settings.get("direction").map(String::as_str);
            choice_ui(ui, cx, "Direction", now, &options, "as the mount suggests", |v| out.push(Action::Edit(set("direction", v))));
        }
        PartKind::Cooler(cooler) if cooler.radiator_mm.is_some() => {
            let options: Vec<(&str, &str)> =
                [Edge::Front, Edge::Top, Edge::Rear, Edge::Bottom, Edge::Side].iter().map(|e| (e.text(), e.text())).collect();
            let now = settings.get("radiator").map(String::as_str);
            choice_ui(ui, cx, "Radiator", now, &options, "where it fits", |v| out.push(Action::Edit(set("radiator", v))));
        }
        _ => {}
    }
}

pub(super) fn choice_ui(
    ui: &mut Ui,
    cx: &Cx<'_>,
    name: &str,
    now: Option<&str>,
    options: &[(&str, &str)],
    default: &str,
    mut chosen: impl FnMut(Option<String>),
) {
    row(ui, cx.tokens, name, |ui| {
        let shown = options.iter().find(|o| Some(o.0) == now).map_or(default, |o| o.1);
        ComboBox::from_id_salt(name).selected_text(shown).show_ui(ui, |ui| {
            if ui.selectable_label(now.is_none(), default).clicked() {
                chosen(None);
            }
            for (value, text) in options {
                if ui.selectable_label(now == Some(*value), *text).clicked() {
                    chosen(Some((*value).to_owned()));
                }
            }
        });
    });
}

/// Price, life and every known fact with its source.
fn facts_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut InspectorState, part: &Part, out: &mut Vec<Action>) {
    let (first, second) = lines(part);
    ui.add(Label::new(sub(cx.tokens, format!("{first}\n{second}"))).wrap());
    own_ui(ui, cx, part, out);
    price_ui::prices_ui(ui, cx, &mut state.own_price, part, out);
    life_ui(ui, cx, part);
    if let Some(notes) = &part.notes {
        ui.add(Label::new(sub(cx.tokens, notes)).wrap());
    }
    if state.facts.as_ref().is_none_or(|(id, _)| *id != part.id) {
        state.facts = Some((part.id.clone(), facts_of(part)));
    }
    let Some((_, facts)) = &state.facts else { return };
    CollapsingHeader::new(format!("All facts with their sources ({})", facts.len())).id_salt(("facts", &part.id)).show(ui, |ui| {
        for (field, value) in facts {
            fact_ui(ui, cx, part, field, value);
        }
        ui.label(sub(cx.tokens, format!("Id: {}", part.id)));
    });
}

/// Favourite, another part beside it, and the user's note.
fn own_ui(ui: &mut Ui, cx: &Cx<'_>, part: &Part, out: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        let mut liked = cx.prefs.favourites.contains(part.id.as_str());
        if ui.checkbox(&mut liked, "Favourite").changed() {
            out.push(Action::Favourite(part.id.clone()));
        }
        if ui.button("Beside another part…").clicked() {
            out.push(Action::ComparePart(part.id.clone()));
        }
    });
    row(ui, cx.tokens, "Your note", |ui| {
        let mut note = cx.session.project().part_notes.get(&part.id).cloned().unwrap_or_default();
        let field = TextEdit::singleline(&mut note).hint_text("none").char_limit(500).desired_width(f32::INFINITY);
        let field = ui.add(field);
        if field.accessible_name("Your note").changed() {
            out.push(Action::EditMerged(Edit::PartNote { part: part.id.clone(), note }));
        }
    });
}

fn fact_ui(ui: &mut Ui, cx: &Cx<'_>, part: &Part, field: &str, value: &str) {
    let confidence = part.confidence(field);
    let color = if confidence.is_none_or(|c| c >= Confidence::Judgement) { cx.tokens.advice } else { cx.tokens.sub };
    ui.add(Label::new(field_name(field)).wrap());
    ui.indent(field, |ui| {
        ui.add(Label::new(value).wrap());
        let (source, how) = match part.from.get(field) {
            Some(p) => (part.source_text(&p.source), format!("{}, as of {}", p.confidence, p.as_of)),
            None => ("source not recorded".to_owned(), "assumed".to_owned()),
        };
        ui.add(Label::new(egui::RichText::new(format!("{how}: {source}")).size(11.0).color(color)).wrap());
    });
}

fn life_ui(ui: &mut Ui, cx: &Cx<'_>, part: &Part) {
    let life = &part.life;
    let sale: Vec<String> =
        [life.sale.map(|s| s.to_string()), life.launch.as_ref().map(|l| format!("launched {l}"))].into_iter().flatten().collect();
    if !sale.is_empty() {
        key_value(ui, cx.tokens, "Sale", sale.join(", "));
    }
    if let Some(outlook) = life.outlook {
        let response = key_value(ui, cx.tokens, "In two years", outlook.text());
        if let Some(reason) = &life.reason {
            response.on_hover_text(format!("{reason} ({})", life.as_of.as_deref().unwrap_or("no date")));
        }
    }
}

/// Every known fact as text, in the order of the part's fields.
pub(super) fn facts_of(part: &Part) -> Vec<(String, String)> {
    let Ok(table) = kind_table(&part.kind) else { return Vec::new() };
    table.into_iter().map(|(field, value)| (field, value_text(&value))).collect()
}

fn value_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(s) => s.clone(),
        toml::Value::Boolean(b) => if *b { "yes" } else { "no" }.to_owned(),
        toml::Value::Float(f) => crate::units::plain(*f, 3),
        toml::Value::Integer(i) => i.to_string(),
        toml::Value::Datetime(d) => d.to_string(),
        toml::Value::Array(items) if items.is_empty() => "none".to_owned(),
        toml::Value::Array(items) => {
            let nested = items.iter().any(toml::Value::is_table);
            items.iter().map(value_text).collect::<Vec<_>>().join(if nested { "\n" } else { ", " })
        }
        toml::Value::Table(t) => t.iter().map(|(k, v)| format!("{k} {}", value_text(v))).collect::<Vec<_>>().join(", "),
    }
}
