//! A price book that was read: what its rows mean, those that could be several parts, and the prices this rig uses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::{ComboBox, Label, ScrollArea, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::buttons_ui;
use super::widgets::{row, strong, sub, title};
use crate::catalog::part::PartId;
use crate::import::price_book::{Book, Match};
use crate::project::UserPrice;
use crate::project::edit::Edit;
use crate::project::file::used_parts;
use crate::units::Money;

#[derive(Debug)]
pub(super) struct PriceBookState {
    book: Arc<Book>,
    /// Choices for rows that may be several parts, by line.
    chosen: BTreeMap<u64, PartId>,
}

impl PriceBookState {
    pub fn of(book: Arc<Book>) -> Self {
        Self { book, chosen: BTreeMap::new() }
    }

    /// All prices, the choices included.
    fn prices(&self) -> BTreeMap<PartId, UserPrice> {
        let mut prices = self.book.prices();
        for row in &self.book.rows {
            if let Some(part) = self.chosen.get(&row.line) {
                prices.entry(part.clone()).or_insert_with(|| row.price.clone());
            }
        }
        prices
    }
}

pub(super) fn price_book_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PriceBookState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let t = cx.tokens;
    let catalog = cx.session.catalog();
    let name = |id: &PartId| catalog.part(id).map_or_else(|| id.to_string(), |p| p.name.clone());
    let prices = state.prices();
    let here: BTreeSet<&PartId> = used_parts(catalog, cx.session.project()).map(|p| &p.id).filter(|id| prices.contains_key(*id)).collect();
    ui.label(title(format!("Prices of {}", state.book.name)));
    let text =
        format!("{} rows, prices of {} parts, {} of them in this rig and its variants.", state.book.rows.len(), prices.len(), here.len());
    ui.label(sub(t, text));
    ui.add_space(4.0);
    let height = (ui.ctx().content_rect().height() - 280.0).max(120.0);
    let book = state.book.clone();
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        let open: Vec<_> = book.rows.iter().filter(|r| matches!(r.found, Match::Several(_))).collect();
        if !open.is_empty() {
            ui.label(strong("Could be several parts: choose"));
        }
        for entry in open {
            let Match::Several(ids) = &entry.found else { continue };
            let price = Money::new(entry.price.amount, entry.price.currency);
            row(ui, t, &entry.part, |ui| {
                let shown = state.chosen.get(&entry.line).map_or_else(|| "none of them".to_owned(), name);
                ComboBox::from_id_salt(("row", entry.line)).selected_text(shown).width(360.0).show_ui(ui, |ui| {
                    if ui.selectable_label(!state.chosen.contains_key(&entry.line), "none of them").clicked() {
                        state.chosen.remove(&entry.line);
                    }
                    for id in ids {
                        if ui.selectable_label(state.chosen.get(&entry.line) == Some(id), name(id)).clicked() {
                            state.chosen.insert(entry.line, id.clone());
                        }
                    }
                });
                ui.label(price.to_string());
            });
        }
        let unknown: Vec<&str> = book.rows.iter().filter(|r| r.found == Match::None).map(|r| r.part.as_str()).collect();
        if !unknown.is_empty() {
            ui.label(strong("No part of the catalog"));
            ui.add(Label::new(sub(t, unknown.join(", "))).wrap());
        }
        ui.label(strong("Prices"));
        for (id, price) in &prices {
            let money = Money::new(price.amount, price.currency);
            let shop = if price.shop.is_empty() { String::new() } else { format!(", {}", price.shop) };
            let used = if here.contains(id) { ", in this rig" } else { "" };
            ui.add(Label::new(format!("{}: {money}, {}{shop}{used}", name(id), price.date)).wrap());
        }
    });
    let edits: Vec<Edit> = here
        .iter()
        .filter_map(|id| Some(((*id).clone(), prices.get(*id)?.clone())))
        .filter(|(id, price)| cx.session.project().prices.parts.get(id) != Some(price))
        .map(|(part, price)| Edit::Price { part, price: Some(price) })
        .collect();
    ui.add(Label::new(sub(t, "The search for the best rigs counts with all of them, until the window is closed.")).wrap());
    let label = format!("Use {} in this rig", crate::units::count(edits.len() as u64, "price"));
    let pressed = buttons_ui(ui, cx, &label, !edits.is_empty(), fresh, None);
    if pressed.main {
        out.push(Action::Edit(Edit::Many { label: format!("Prices of {}", state.book.name), edits }));
    }
    if pressed.main || pressed.cancel {
        out.push(Action::KeepBook(Box::new(prices)));
    }
    pressed.main || pressed.cancel
}
