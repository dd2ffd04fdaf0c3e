//! Prices as text, and the fields where the user gives their own.

use eframe::egui::{self, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::widgets::{row, strong, sub};
use crate::analysis::cost::{Asked, best_price, in_room_currency};
use crate::catalog::part::{Part, PartId};
use crate::project::UserPrice;
use crate::project::edit::Edit;
use crate::units::{Currency, Money, plain};

/// The price that counts, as a card shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shown {
    /// "$1,499", "≈$1,080" when converted, "price unknown".
    pub text: String,
    /// In the room's currency, for sorting; `None` = last.
    pub amount: Option<f64>,
    pub hover: String,
}

pub(super) fn shown(cx: &Cx<'_>, part: &PartId) -> Shown {
    let (catalog, project) = (cx.session.catalog(), cx.session.project());
    let Some(asked) = best_price(catalog, project, part) else {
        let hover = "No price is known. Enter your own with the part's facts.".to_owned();
        return Shown { text: "price unknown".to_owned(), amount: None, hover };
    };
    let from = format!("{}: {}, {}, {}", asked.kind, asked.price, asked.date, asked.source);
    match in_room_currency(cx.session.catalog(), project, asked.price) {
        Some((money, false)) => Shown { text: money.to_string(), amount: Some(money.amount()), hover: from },
        Some((money, true)) => {
            Shown {
                text: format!("≈{money}"), amount: Some(money.amount()), hover: format!("{from}; converted with the rate in Settings")
            }
        }
        None => {
            let hover = format!("{from}; there is no rate to {} in Settings, so it does not count", project.room.currency);
            Shown { text: asked.price.to_string(), amount: None, hover }
        }
    }
}

/// The price that counts, the user's own beside it, and the history.
pub(super) fn prices_ui(ui: &mut Ui, cx: &Cx<'_>, own: &mut OwnPrice, part: &Part, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let asked = best_price(cx.session.catalog(), cx.session.project(), &part.id);
    let price = shown(cx, &part.id);
    row(ui, t, "Price", |ui| {
        ui.label(strong(&price.text)).on_hover_text(&price.hover);
        if let Some(asked) = &asked {
            ui.label(sub(t, format!("{}, {}", asked.kind, asked.date)));
        }
    });
    own_ui(ui, cx, own, part, asked.as_ref(), out);
    if part.prices.is_empty() {
        return;
    }
    egui::CollapsingHeader::new(format!("Price history ({})", part.prices.len())).id_salt(("prices", &part.id)).show(ui, |ui| {
        let mut prices: Vec<_> = part.prices.iter().collect();
        prices.sort_by(|a, b| b.date.cmp(&a.date));
        for price in prices {
            let amount =
                Currency::parse(&price.currency).map_or_else(|| price.currency.clone(), |c| Money::new(price.amount, c).to_string());
            let note = price.note.as_ref().map(|n| format!("; {n}")).unwrap_or_default();
            ui.add(egui::Label::new(format!("{} · {amount} · {}", price.date, price.kind)).wrap());
            ui.add(egui::Label::new(sub(t, format!("{}{note}", part.source_text(&price.source)))).wrap());
        }
    });
}

/// The text in the field of the user's own price, while it is being written.
#[derive(Debug, Default)]
pub(super) struct OwnPrice {
    part: Option<PartId>,
    text: String,
}

/// "1,499.50" or "$1499.5".
fn parsed(text: &str, currency: Currency) -> Option<f64> {
    let digits: String =
        text.trim().trim_start_matches(currency.symbol().as_str()).chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    digits.parse::<f64>().ok().filter(|v| (0.0..=1e9).contains(v))
}

fn own_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut OwnPrice, part: &Part, asked: Option<&Asked>, out: &mut Vec<Action>) {
    let project = cx.session.project();
    let own = project.prices.parts.get(&part.id);
    let currency = own.map_or(project.room.currency, |p| p.currency);
    let written = own.map(|p| plain(p.amount, 2)).unwrap_or_default();
    let catalogs = asked.and_then(|a| in_room_currency(cx.session.catalog(), project, a.price));
    let hint = catalogs.map_or_else(|| "unknown".to_owned(), |(money, _)| plain(money.amount(), 0));
    row(ui, cx.tokens, "Your price", |ui| {
        ui.label(currency.symbol());
        let id = ui.scope_id().with(("own-price", &part.id));
        if state.part.as_ref() != Some(&part.id) || !ui.memory(|m| m.has_focus(id)) {
            *state = OwnPrice { part: Some(part.id.clone()), text: written.clone() };
        }
        let field = ui.add(TextEdit::singleline(&mut state.text).id(id).hint_text(hint).desired_width(64.0));
        if field.changed() {
            let amount = parsed(&state.text, currency);
            let price = amount.map(|amount| UserPrice::new(amount, currency, cx.today));
            if price.is_some() || state.text.trim().is_empty() && own.is_some() {
                out.push(Action::EditMerged(Edit::Price { part: part.id.clone(), price }));
            }
        }
        ui.label(sub(cx.tokens, format!("each{}", pieces_text(cx, &part.id))));
        if own.is_some() && ui.button("Back to the catalog's").clicked() {
            out.push(Action::Edit(Edit::Price { part: part.id.clone(), price: None }));
        }
    });
}

/// How many placed pieces the price counts for.
fn pieces_text(cx: &Cx<'_>, part: &PartId) -> String {
    match cx.session.report().facts.cost.lines.iter().filter(|l| l.part == *part).count() {
        0 => String::new(),
        1 => ", for 1 piece".to_owned(),
        n => format!(", for {n} pieces"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_prices_are_read_as_people_write_them() {
        assert_eq!(parsed("$1,499.50", Currency::USD), Some(1499.5));
        assert_eq!(parsed(" 20 ", Currency::USD), Some(20.0));
        assert_eq!(parsed("", Currency::USD), None);
        assert_eq!(parsed("-3", Currency::USD), None);
    }
}
