//! Prices as text, and the fields where the user gives their own.

use eframe::egui::{self, DragValue, Ui};

use super::Cx;
use super::action::Action;
use super::widgets::{row, strong, sub};
use crate::analysis::cost::{Asked, best_price, in_room_currency};
use crate::catalog::part::{Part, PartId};
use crate::project::UserPrice;
use crate::project::edit::Edit;
use crate::units::{Currency, Money};

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
pub(super) fn prices_ui(ui: &mut Ui, cx: &Cx<'_>, part: &Part, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let asked = best_price(cx.session.catalog(), cx.session.project(), &part.id);
    let price = shown(cx, &part.id);
    row(ui, t, "Price", |ui| {
        ui.label(strong(&price.text)).on_hover_text(&price.hover);
        if let Some(asked) = &asked {
            ui.label(sub(t, format!("{}, {}", asked.kind, asked.date)));
        }
    });
    own_ui(ui, cx, part, asked.as_ref(), out);
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

fn own_ui(ui: &mut Ui, cx: &Cx<'_>, part: &Part, asked: Option<&Asked>, out: &mut Vec<Action>) {
    let project = cx.session.project();
    let own = project.prices.parts.get(&part.id);
    let currency = own.map_or(project.room.currency, |p| p.currency);
    let same_currency = asked.map(|a| a.price).filter(|p| p.currency == currency);
    let mut amount = own.map_or_else(|| same_currency.map_or(0.0, Money::amount), |p| p.amount);
    row(ui, cx.tokens, "Your price", |ui| {
        let field = DragValue::new(&mut amount).speed(1.0).range(0.0..=1e9).max_decimals(2).prefix(currency.symbol());
        if ui.add(field).changed() {
            let price = UserPrice { amount, currency, date: cx.today.to_owned() };
            out.push(Action::EditMerged(Edit::Price { part: part.id.clone(), price: Some(price) }));
        }
        if own.is_some() && ui.button("Back to the catalog's").clicked() {
            out.push(Action::Edit(Edit::Price { part: part.id.clone(), price: None }));
        }
    });
}
