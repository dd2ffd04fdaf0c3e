//! The catalog: kinds, search, filters, sorting, and cards that say whether a part fits this rig.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::{self, Align2, ComboBox, DragAndDrop, Rect, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::{Action, Side};
use super::drag::DragPlacement;
use super::icons::Icon;
use super::part_card::{self, CARD_HEIGHT};
use super::part_text::searched;
use super::place_menu::{MenuState, verdict};
use super::price_ui;
use super::theme;
use super::widgets::{chip, empty, help_line, icon_button, title};
use crate::build::fit::Fit;
use crate::catalog::Catalog;
use crate::catalog::kinds::KINDS;
use crate::catalog::part::{Part, PartId, PartKind};
use crate::catalog::vocab::{GpuForm, Sale};
use crate::drawing::Role;
use crate::project::edit::Edit;
use crate::search::index::Index;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sort {
    #[default]
    Name,
    Price,
    Memory,
    PricePerGb,
    BandwidthPerPrice,
}

impl Sort {
    const fn text(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Price => "price",
            Self::Memory => "memory",
            Self::PricePerGb => "price per GB",
            Self::BandwidthPerPrice => "bandwidth per price",
        }
    }
    /// What makes sense for a kind.
    fn of(kind: &str) -> &'static [Self] {
        match kind {
            "gpu" => &[Self::Name, Self::Price, Self::Memory, Self::PricePerGb, Self::BandwidthPerPrice],
            "ram" | "drive" => &[Self::Name, Self::Price, Self::Memory, Self::PricePerGb],
            _ => &[Self::Name, Self::Price],
        }
    }
}

/// Between cards, points.
const GAP: f32 = 8.0;

/// What decides the list; equal filters over an equal document give an equal list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Filter {
    kind: usize,
    search: String,
    sort: Sort,
    fits_only: bool,
    new_only: bool,
    favourites: Option<BTreeSet<String>>,
}

/// View state of the panel.
#[derive(Debug, Default)]
pub struct PartsState {
    filter: Filter,
    listed: Option<(u64, Filter)>,
    list: Vec<PartId>,
    /// Fit of parts in the document of this revision.
    verdicts: (u64, BTreeMap<PartId, Fit>),
    /// What is searched of the parts of a kind in a catalog.
    index: Option<(Arc<Catalog>, usize, Index)>,
    /// Heights of the list's cards for a document and a width of the panel; of cards never in view, [`CARD_HEIGHT`].
    heights: ((u64, u32), Vec<f32>),
    pub(super) chosen: Option<PartId>,
    pub(super) menu: MenuState,
}

pub fn parts_panel_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsState, out: &mut Vec<Action>) {
    let area = ui.max_rect();
    ui.horizontal(|ui| {
        ui.label(title("Parts"));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if icon_button(ui, cx.tokens, Icon::Close, "Close the parts panel").clicked() {
                out.push(Action::Toggle(Side::Parts));
            }
        });
    });
    help_line(ui, cx, "parts", "Drag a part onto the rig, or press Enter on it to choose its place from a list.", out);
    kinds_ui(ui, cx, state);
    refresh(cx, state);
    search_ui(ui, cx, state);
    filters_ui(ui, cx, state);
    if state.list.is_empty() {
        none_ui(ui, cx, state);
    }
    cards_ui(ui, cx, state, out);
    removal_ui(ui, cx, area.expand(f32::from(theme::PANEL_MARGIN)), out);
}

/// Nothing matches: which switch or word may be the reason.
fn none_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsState) {
    let filter = &mut state.filter;
    let kind = KINDS.get(filter.kind).map_or("Parts", |k| k.2);
    let searched = !filter.search.trim().is_empty();
    let mut ways = Vec::new();
    if searched {
        ways.push("use fewer words".to_owned());
    }
    for (on, name) in [(filter.fits_only, "fits this rig"), (filter.new_only, "sold new"), (filter.favourites.is_some(), "favourites")] {
        if on {
            ways.push(format!("switch off \"{name}\""));
        }
    }
    let text = ways.join(", or ");
    let mut chars = text.chars();
    let text: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    let head = if searched { format!("{kind}: none has \"{}\"", filter.search.trim()) } else { format!("{kind}: none matches") };
    empty(ui, cx.tokens, &head, &if text.is_empty() { text } else { format!("{text}.") });
    if searched {
        ui.vertical_centered(|ui| {
            if ui.button("Clear the search").clicked() {
                filter.search.clear();
            }
        });
    }
}

/// The cards that are in view. Cards differ in height; one that was never in view counts as [`CARD_HEIGHT`].
fn cards_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsState, out: &mut Vec<Action>) {
    let key = (cx.session.revision(), ui.available_width().to_bits());
    if state.heights.0 != key || state.heights.1.len() != state.list.len() {
        state.heights = (key, vec![CARD_HEIGHT; state.list.len()]);
    }
    ScrollArea::vertical().id_salt("cards").auto_shrink([false, false]).show_viewport(ui, |ui, viewport| {
        let (left, top, width) = (ui.max_rect().left(), ui.max_rect().top(), ui.available_width());
        let mut y = 0.0;
        let list = std::mem::take(&mut state.list);
        let mut heights = std::mem::take(&mut state.heights.1);
        for (id, height) in list.iter().zip(&mut heights) {
            if y + *height >= viewport.top()
                && y <= viewport.bottom()
                && let Some(part) = cx.session.catalog().part(id)
            {
                let fit = fit_of(cx, state, part);
                *height = part_card::height(ui, cx, part, &fit, width);
                let rect = Rect::from_min_size(egui::pos2(left, top + y), egui::vec2(width, *height));
                ui.scope_builder(egui::UiBuilder::new().max_rect(rect), |ui| part_card::card_ui(ui, cx, state, part, &fit, out));
            }
            y += *height + GAP;
        }
        state.heights.1 = heights;
        state.list = list;
        ui.set_height((y - GAP).max(0.0));
    });
}

fn kinds_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsState) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        ui.spacing_mut().button_padding.x = 7.0;
        ui.horizontal_wrapped(|ui| {
            for (at, (key, label, _)) in KINDS.iter().enumerate() {
                if chip(ui, cx.tokens, state.filter.kind == at, label).clicked() {
                    state.filter.kind = at;
                    if !Sort::of(key).contains(&state.filter.sort) {
                        state.filter.sort = Sort::Name;
                    }
                }
            }
        });
    });
}

fn search_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsState) {
    let count = egui::RichText::new(state.list.len().to_string()).color(cx.tokens.sub).size(12.0);
    let searched = !state.filter.search.is_empty();
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let width = ui.available_width() - if searched { 26.0 } else { 0.0 };
        let field =
            TextEdit::singleline(&mut state.filter.search).hint_text("Search, such as 24 GB blower").suffix(count).desired_width(width);
        let field = ui.add(field).accessible_name("Search parts");
        if searched && icon_button(ui, cx.tokens, Icon::Close, "Clear the search of parts").clicked() {
            state.filter.search.clear();
            field.request_focus();
        }
    });
}

fn filters_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsState) {
    let t = cx.tokens;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        if chip(ui, t, state.filter.fits_only, "fits this rig").clicked() {
            state.filter.fits_only = !state.filter.fits_only;
        }
        if chip(ui, t, state.filter.new_only, "sold new").clicked() {
            state.filter.new_only = !state.filter.new_only;
        }
        if chip(ui, t, state.filter.favourites.is_some(), "favourites").clicked() {
            state.filter.favourites = if state.filter.favourites.is_some() { None } else { Some(cx.prefs.favourites.clone()) };
        }
        let key = KINDS.get(state.filter.kind).map_or("gpu", |k| k.0);
        let text = egui::RichText::new(format!("by {}", state.filter.sort.text())).size(12.0);
        let combo = ComboBox::from_id_salt("sort").selected_text(text).width(96.0);
        let shown = combo.show_ui(ui, |ui| {
            for &sort in Sort::of(key) {
                ui.selectable_value(&mut state.filter.sort, sort, format!("by {}", sort.text()));
            }
        });
        let _ = shown.response.accessible_name("Sort parts");
    });
}

fn fit_of(cx: &Cx<'_>, state: &mut PartsState, part: &Part) -> Fit {
    let revision = cx.session.revision() + 1;
    if state.verdicts.0 != revision {
        state.verdicts = (revision, BTreeMap::new());
    }
    if let Some(fit) = state.verdicts.1.get(&part.id) {
        return fit.clone();
    }
    let (catalog, build) = (cx.session.catalog(), &cx.session.project().rig);
    let fit = verdict(catalog, build, &cx.session.report().facts.space, part);
    state.verdicts.1.insert(part.id.clone(), fit.clone());
    fit
}

/// Rebuilds the list if document or filter changed.
fn refresh(cx: &Cx<'_>, state: &mut PartsState) {
    if let Some(favourites) = state.filter.favourites.as_mut().filter(|f| **f != cx.prefs.favourites) {
        favourites.clone_from(&cx.prefs.favourites);
    }
    let key = (cx.session.revision() + 1, state.filter.clone());
    if state.listed.as_ref() == Some(&key) {
        return;
    }
    let filter = &key.1;
    let words: Vec<String> = filter.search.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let catalog = cx.session.catalog();
    if state.index.as_ref().is_none_or(|(of, kind, _)| !Arc::ptr_eq(of, catalog) || *kind != filter.kind) {
        let index = Index::of(catalog, |p| p.kind.index() == filter.kind && is_card(p), searched);
        state.index = Some((catalog.clone(), filter.kind, index));
    }
    let ids = state.index.as_ref().map(|(.., index)| index.find(&words)).unwrap_or_default();
    let mut found: Vec<&Part> = ids.into_iter().filter_map(|id| catalog.part(id)).collect();
    found.retain(|p| filter.favourites.as_ref().is_none_or(|f| f.contains(p.id.as_str())));
    found.retain(|p| !filter.new_only || matches!(p.life.sale, Some(Sale::New) | None));
    if filter.fits_only {
        found.retain(|p| fit_of(cx, state, p).possible());
    }
    // The index is in order of names already.
    if filter.sort != Sort::Name {
        sort(cx, &mut found, filter.sort);
    }
    state.list = found.into_iter().map(|p| p.id.clone()).collect();
    state.heights = (state.heights.0, vec![CARD_HEIGHT; state.list.len()]);
    state.listed = Some(key);
}

/// Modules for other carriers are no cards and never go into a rig.
fn is_card(part: &Part) -> bool {
    match &part.kind {
        PartKind::Gpu(gpu) => matches!(gpu.form, Some(GpuForm::Card) | None),
        _ => true,
    }
}

fn gigabytes(part: &Part) -> Option<f64> {
    match &part.kind {
        PartKind::Gpu(g) => g.memory_gb,
        PartKind::Ram(r) => Some(r.gb_per_module? * f64::from(r.modules.unwrap_or(1))),
        PartKind::Drive(d) => d.capacity_gb,
        _ => None,
    }
}

fn bandwidth(part: &Part) -> Option<f64> {
    match &part.kind {
        PartKind::Gpu(g) => g.bandwidth_gb_s,
        _ => None,
    }
}

/// Smallest first; parts without the number last, by name.
fn sort(cx: &Cx<'_>, parts: &mut Vec<&Part>, by: Sort) {
    let key = |part: &Part| -> Option<f64> {
        let price = || price_ui::shown(cx, &part.id).amount;
        match by {
            Sort::Name => None,
            Sort::Price => price(),
            Sort::Memory => gigabytes(part).map(|gb| -gb),
            Sort::PricePerGb => Some(price()? / gigabytes(part).filter(|gb| *gb > 0.0)?),
            Sort::BandwidthPerPrice => Some(-bandwidth(part)? / price().filter(|p| *p > 0.0)?),
        }
    };
    let mut keyed: Vec<(Option<f64>, &Part)> = parts.iter().map(|p| (key(p), *p)).collect();
    keyed.sort_by(|(a, p), (b, q)| {
        let by_key = match (a, b) {
            (Some(a), Some(b)) => a.total_cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        let by_name = |p: &Part| (p.generic, p.short_name().to_lowercase());
        by_key.then_with(|| by_name(p).cmp(&by_name(q)))
    });
    *parts = keyed.into_iter().map(|(_, p)| p).collect();
}

/// While a placed part is dragged, the panel takes it out of the rig.
fn removal_ui(ui: &Ui, cx: &Cx<'_>, area: Rect, out: &mut Vec<Action>) {
    let Some(dragged) = DragAndDrop::payload::<DragPlacement>(ui.ctx()) else { return };
    let t = cx.tokens;
    let over = ui.ctx().pointer_latest_pos().is_some_and(|p| area.contains(p));
    let painter = ui.painter();
    painter.rect_filled(area, 0.0, t.panel.gamma_multiply(0.86));
    let color = if over { t.problem } else { t.sub };
    painter.rect_stroke(area.shrink(6.0), 8.0, egui::Stroke::new(if over { 2.0 } else { 1.0 }, color), egui::StrokeKind::Inside);
    painter.rect_filled(area.shrink(6.0), 8.0, t.tint(Role::Problem, if over { 0.16 } else { 0.06 }).gamma_multiply(0.5));
    painter.text(area.center(), Align2::CENTER_CENTER, "Drop here to remove it", theme::medium(14.0), color);
    if over && ui.input(|i| i.pointer.any_released()) {
        DragAndDrop::clear_payload(ui.ctx());
        out.push(Action::Edit(Edit::Remove(dragged.0)));
    }
}
