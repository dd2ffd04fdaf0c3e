//! Two parts of the catalog side by side, fact by fact.

use eframe::egui::{Button, Grid, Label, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::Cx;
use super::action::Action;
use super::dialogs::close_row;
use super::inspector::facts_of;
use super::part_text::{field_name, has_words};
use super::price_ui;
use super::side_by_side::left;
use super::widgets::{strong, sub, title};
use crate::catalog::part::{Part, PartId};

#[derive(Debug)]
pub(super) struct PartCompareState {
    left: PartId,
    right: Option<PartId>,
    search: String,
    only_differences: bool,
}

impl PartCompareState {
    pub fn of(left: PartId) -> Self {
        Self { left, right: None, search: String::new(), only_differences: false }
    }
}

pub(super) fn part_compare_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartCompareState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let catalog = cx.session.catalog();
    let Some(left) = catalog.part(&state.left) else { return true };
    ui.label(title(format!("{} beside another part", left.short_name())));
    choose_ui(ui, cx, state, left);
    let Some(right) = state.right.as_ref().and_then(|id| catalog.part(id)) else { return close_row(ui, fresh) };
    ui.checkbox(&mut state.only_differences, "Only what differs");
    let height = (ui.ctx().content_rect().height() - 280.0).max(120.0);
    ScrollArea::vertical()
        .max_height(height)
        .auto_shrink([false, true])
        .show(ui, |ui| facts_ui(ui, cx, left, right, state.only_differences));
    ui.horizontal(|ui| {
        for part in [left, right] {
            if ui.button(format!("Show {}", part.short_name())).clicked() {
                out.push(Action::ShowPart(Some(part.id.clone())));
                out.push(Action::Close);
            }
        }
    });
    close_row(ui, fresh)
}

/// The other part: favourites first, then whatever the words find among parts of the same kind.
fn choose_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartCompareState, left: &Part) {
    let catalog = cx.session.catalog();
    let field = TextEdit::singleline(&mut state.search).hint_text("Search the other part").desired_width(f32::INFINITY);
    ui.add(field).accessible_name("Search the other part");
    if state.right.is_some() && state.search.trim().is_empty() {
        return;
    }
    let words: Vec<String> = state.search.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let mut found: Vec<&Part> =
        catalog.parts().filter(|p| p.kind.index() == left.kind.index() && p.id != left.id && has_words(p, &words)).collect();
    found.sort_by_key(|p| !cx.prefs.favourites.contains(p.id.as_str()));
    let most = if state.right.is_some() { 120.0 } else { 320.0 };
    ScrollArea::vertical().id_salt("others").max_height(most).auto_shrink([false, true]).show_rows(ui, 26.0, found.len(), |ui, rows| {
        for part in found.iter().skip(rows.start).take(rows.len()) {
            let star = if cx.prefs.favourites.contains(part.id.as_str()) { "favourite, " } else { "" };
            let price = price_ui::shown(cx, &part.id).text;
            let button = Button::new(part.short_name()).right_text(sub(cx.tokens, format!("{star}{price}"))).truncate();
            if ui.add(button.min_size(vec2(ui.available_width(), 26.0))).accessible_name(format!("Beside {}", part.short_name())).clicked()
            {
                state.right = Some(part.id.clone());
                state.search.clear();
            }
        }
    });
}

fn facts_ui(ui: &mut Ui, cx: &Cx<'_>, one: &Part, other: &Part, only_differences: bool) {
    let t = cx.tokens;
    let all = |part: &Part| {
        let price = price_ui::shown(cx, &part.id).text;
        let outlook = part.life.outlook.map_or_else(|| "unknown".to_owned(), |o| o.text().to_owned());
        let mut facts = vec![("price".to_owned(), price), ("in two years".to_owned(), outlook)];
        facts.extend(facts_of(part));
        facts
    };
    let (a, b) = (all(one), all(other));
    let mut fields: Vec<&String> = a.iter().map(|f| &f.0).collect();
    fields.extend(b.iter().map(|f| &f.0).filter(|f| !a.iter().any(|x| x.0 == **f)));
    let width = ((ui.available_width() - 220.0) / 2.0 - 14.0).max(120.0);
    Grid::new("two-parts").num_columns(3).spacing(vec2(12.0, 4.0)).striped(true).show(ui, |ui| {
        ui.label("");
        for part in [one, other] {
            left(ui, width, strong(part.short_name()));
        }
        ui.end_row();
        for field in fields {
            let of =
                |facts: &[(String, String)]| facts.iter().find(|f| f.0 == *field).map_or_else(|| "unknown".to_owned(), |f| f.1.clone());
            let (x, y) = (of(&a), of(&b));
            let differs = x != y;
            if only_differences && !differs {
                continue;
            }
            left(ui, 200.0, sub(t, field_name(field)));
            for text in [x, y] {
                let shown = if differs { RichText::new(text).color(t.text) } else { sub(t, text) };
                ui.scope(|ui| {
                    ui.set_width(width);
                    ui.add(Label::new(shown).wrap());
                });
            }
            ui.end_row();
        }
    });
    let notes = |part: &Part| cx.session.project().part_notes.get(&part.id).cloned();
    for part in [one, other] {
        if let Some(note) = notes(part) {
            ui.add(Label::new(RichText::new(format!("Your note on {}: {note}", part.short_name())).color(t.advice)).wrap());
        }
    }
}
