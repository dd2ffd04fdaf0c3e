//! What is assumed of cost beyond prices: tax, duty cycle, tariffs by the hour, repair, resale, rents and services.

use eframe::egui::{self, ComboBox, DragValue, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::widgets::{bounded_drag, row, strong, sub};
use crate::project::economy::{Condition, Economy, MOST, Rent, Service, Tariff};
use crate::project::edit::Edit;

/// What is being written in the rows for new entries.
#[derive(Debug, Default)]
pub(super) struct EconomyState {
    rent: String,
    service: String,
}

pub(super) fn economy_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut EconomyState, out: &mut Vec<Action>) {
    ui.label(strong("Cost beyond prices"));
    ui.add(egui::Label::new(sub(cx.tokens, "Assumptions behind the cost over the years. Change them to what holds for you.")).wrap());
    let before = &cx.session.project().economy;
    let mut now = before.clone();
    numbers_ui(ui, cx, &mut now);
    tariffs_ui(ui, cx, &mut now);
    rents_ui(ui, cx, state, &mut now);
    services_ui(ui, cx, state, &mut now);
    if !before.is_default() && ui.button("Back to the usual assumptions").clicked() {
        now = Economy::default();
    }
    if now != *before {
        out.push(Action::EditMerged(Edit::Economy(Box::new(now))));
    }
}

fn numbers_ui(ui: &mut Ui, cx: &Cx<'_>, now: &mut Economy) {
    let t = cx.tokens;
    let room = &cx.session.project().room;
    row(ui, t, "Prices that count", |ui| {
        ComboBox::from_id_salt("condition").selected_text(now.condition.text()).show_ui(ui, |ui| {
            for condition in Condition::ALL {
                ui.selectable_value(&mut now.condition, *condition, condition.text());
            }
        });
    });
    let money = format!(" {}", room.currency.code());
    let most_idle = (24.0 - room.hours_per_day).max(0.0);
    let number = |ui: &mut Ui, key: &str, value: &mut f64, high: f64, speed: f64, unit: &str| {
        row(ui, t, key, |ui| bounded_drag(ui, value, 0.0..=high, |d| d.speed(speed).max_decimals(2).suffix(unit.to_owned())));
    };
    number(ui, "Tax on prices", &mut now.tax_pct, 100.0, 0.1, " %");
    number(ui, "Shipping", &mut now.shipping, 1e6, 1.0, &money);
    number(ui, "Idle but on", &mut now.idle_hours_per_day, most_idle, 0.1, " hours a day");
    number(ui, "Draw when idle", &mut now.idle_pct, 100.0, 0.5, " % of load");
    number(ui, "Work begins at", &mut now.work_from_h, 24.0, 0.25, " o'clock");
    number(ui, "Carrying heat away", &mut now.cooling_pct, 500.0, 0.5, " % of energy");
    number(ui, "Repair", &mut now.repair_pct, 100.0, 0.1, " % of purchase a year");
    number(ui, "Cards lose", &mut now.card_loss_pct, 100.0, 0.2, " % of value a year");
    number(ui, "Other parts lose", &mut now.part_loss_pct, 100.0, 0.2, " % of value a year");
    row(ui, t, "A run lasts", |ui| bounded_drag(ui, &mut now.run_days, 0.01..=3660.0, |d| d.speed(0.1).max_decimals(2).suffix(" days")));
    row(ui, t, "Epoch", |ui| {
        let mut millions = now.epoch_tokens.unwrap_or(0.0) / 1e6;
        bounded_drag(ui, &mut millions, 0.0..=1e9, |d| d.speed(1.0).max_decimals(3).suffix(" M tokens"));
        now.epoch_tokens = (millions > 0.0).then(|| (millions * 1e6).max(1.0));
        if now.epoch_tokens.is_none() {
            ui.label(sub(t, "unknown"));
        }
    });
    row(ui, t, "Training run", |ui| bounded_drag(ui, &mut now.epochs, 0.001..=1e6, |d| d.speed(0.1).max_decimals(3).suffix(" epochs")));
}

fn tariffs_ui(ui: &mut Ui, cx: &Cx<'_>, now: &mut Economy) {
    let per_kwh = format!(" {}/kWh", cx.session.project().room.currency.code());
    let mut gone = None;
    for (n, tariff) in now.tariffs.iter_mut().enumerate() {
        row(ui, cx.tokens, &format!("Tariff {}", n + 1), |ui| {
            ui.label("from");
            ui.add(DragValue::new(&mut tariff.from_h).speed(0.25).range(0.0..=24.0).max_decimals(2)).accessible_name("Tariff from hour");
            ui.label("to");
            ui.add(DragValue::new(&mut tariff.to_h).speed(0.25).range(0.0..=24.0).max_decimals(2)).accessible_name("Tariff to hour");
            let price = DragValue::new(&mut tariff.per_kwh).speed(0.005).range(0.0..=1e6).max_decimals(4).suffix(per_kwh.clone());
            ui.add(price).accessible_name("Price of the tariff");
            if ui.button("Remove").clicked() {
                gone = Some(n);
            }
        });
    }
    if let Some(n) = gone {
        now.tariffs.remove(n);
    }
    let tariff = cx.session.project().room.tariff_per_kwh;
    if now.tariffs.len() < MOST && ui.button("Add a tariff by the hour").clicked() {
        now.tariffs.push(Tariff { from_h: 22.0, to_h: 6.0, per_kwh: tariff });
    }
}

fn rents_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut EconomyState, now: &mut Economy) {
    let mut gone = None;
    for (n, rent) in now.rents.iter_mut().enumerate() {
        row(ui, cx.tokens, &rent.name.clone(), |ui| {
            let price = DragValue::new(&mut rent.per_hour).speed(0.01).range(0.0..=1e6).max_decimals(4);
            if ui.add(price.suffix(format!(" {} an hour", rent.currency.code()))).accessible_name("Rent an hour").changed() {
                cx.today.clone_into(&mut rent.date);
            }
            ui.add(DragValue::new(&mut rent.speed).speed(0.01).range(0.001..=1000.0).max_decimals(3).suffix(" x this rig"))
                .accessible_name("Speed of the rented machine");
            ui.label(sub(cx.tokens, format!("of {}", rent.date)));
            if ui.button("Remove").clicked() {
                gone = Some(n);
            }
        });
    }
    if let Some(n) = gone {
        now.rents.remove(n);
    }
    row(ui, cx.tokens, "Rented machine", |ui| {
        ui.add(TextEdit::singleline(&mut state.rent).hint_text("Name of the offer").desired_width(160.0));
        let named = !state.rent.trim().is_empty() && now.rents.len() < MOST;
        if ui.add_enabled(named, egui::Button::new("Add rent")).clicked() {
            let name = std::mem::take(&mut state.rent).trim().to_owned();
            let currency = cx.session.project().room.currency;
            now.rents.push(Rent { name, per_hour: 1.0, currency, date: cx.today.to_owned(), speed: 1.0 });
        }
    });
}

fn services_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut EconomyState, now: &mut Economy) {
    let mut gone = None;
    for (n, service) in now.services.iter_mut().enumerate() {
        row(ui, cx.tokens, &service.name.clone(), |ui| {
            let price = DragValue::new(&mut service.per_million).speed(0.01).range(0.0..=1e6).max_decimals(4);
            let suffix = format!(" {} a million tokens", service.currency.code());
            if ui.add(price.suffix(suffix)).accessible_name("Price of a million tokens").changed() {
                cx.today.clone_into(&mut service.date);
            }
            ui.label(sub(cx.tokens, format!("of {}", service.date)));
            if ui.button("Remove").clicked() {
                gone = Some(n);
            }
        });
    }
    if let Some(n) = gone {
        now.services.remove(n);
    }
    row(ui, cx.tokens, "Service by token", |ui| {
        ui.add(TextEdit::singleline(&mut state.service).hint_text("Name of the offer").desired_width(160.0));
        let named = !state.service.trim().is_empty() && now.services.len() < MOST;
        if ui.add_enabled(named, egui::Button::new("Add service")).clicked() {
            let name = std::mem::take(&mut state.service).trim().to_owned();
            let currency = cx.session.project().room.currency;
            now.services.push(Service { name, per_million: 1.0, currency, date: cx.today.to_owned() });
        }
    });
}
