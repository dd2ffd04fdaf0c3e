//! Settings: the room of this rig, limits of the rules, exchange rates, and the look of the window.

use std::collections::BTreeMap;

use eframe::egui::{self, DragValue, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::{close_row, theme_row_ui};
use super::widgets::{bounded_drag, row, strong, sub, title};
use crate::checks::finding::Verdict;
use crate::project::edit::Edit;
use crate::project::thresholds;
use crate::project::{Project, Rate, Room};
use crate::units::{Currency, plain};

#[derive(Debug)]
pub(super) struct SettingsState {
    currency: String,
    rate_code: String,
    rate_value: f64,
    economy: super::economy_ui::EconomyState,
    /// Verdicts that the user's limits change, by limit, for one revision of the document.
    flips: (u64, BTreeMap<&'static str, String>),
}

impl SettingsState {
    pub fn of(project: &Project) -> Self {
        Self {
            currency: project.room.currency.code().to_owned(),
            rate_code: String::new(),
            rate_value: 1.0,
            economy: super::economy_ui::EconomyState::default(),
            flips: (u64::MAX, BTreeMap::new()),
        }
    }
}

pub(super) fn settings_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut SettingsState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Settings"));
    let height = (ui.ctx().content_rect().height() - 180.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        ui.label(strong("Look"));
        row(ui, cx.tokens, "Theme", |ui| theme_row_ui(ui, cx, out));
        ui.add_space(8.0);
        ui.label(strong("Room of this rig"));
        let mut room = cx.session.project().room.clone();
        if room_ui(ui, cx, &mut room, &mut state.currency, out) {
            out.push(Action::EditMerged(Edit::Room(room.clone())));
        }
        if ui.button("Use these for new rigs too").clicked() {
            out.push(Action::KeepRoom(room));
            out.push(Action::Notice("New rigs will start with this room.".to_owned()));
        }
        ui.add_space(8.0);
        super::economy_ui::economy_ui(ui, cx, &mut state.economy, out);
        ui.add_space(8.0);
        rates_ui(ui, cx, state, out);
        ui.add_space(8.0);
        if state.flips.0 != cx.session.revision() {
            state.flips = (cx.session.revision(), flips_of(cx));
        }
        thresholds_ui(ui, cx, &state.flips.1, out);
    });
    close_row(ui, fresh)
}

/// Fields of a room; true when something changed to a usable value.
pub(super) fn room_ui(ui: &mut Ui, cx: &Cx<'_>, room: &mut Room, currency: &mut String, out: &mut Vec<Action>) -> bool {
    let t = cx.tokens;
    let before = room.clone();
    row(ui, t, "Currency", |ui| {
        let field = TextEdit::singleline(currency).desired_width(56.0).char_limit(3);
        if ui.add(field).changed()
            && let Some(code) = Currency::parse(currency)
        {
            room.currency = code;
        }
        if Currency::parse(currency).is_none() {
            ui.colored_label(t.problem, "three letters, such as USD");
        }
    });
    let per_kwh = format!(" {} per kWh", room.currency.code());
    let mut number = |ui: &mut Ui, key: &str, value: &mut f64, range: std::ops::RangeInclusive<f64>, speed: f64, unit: &str| {
        let (low, high) = (plain(*range.start(), 1), plain(*range.end(), 0));
        let beyond = row(ui, t, key, |ui| bounded_drag(ui, value, range, |d| d.speed(speed).max_decimals(3).suffix(unit.to_owned()))).inner;
        if beyond.above || beyond.below {
            out.push(Action::Notice(format!("{key} goes from {low} to {high}{unit}.")));
        }
    };
    number(ui, "Tariff", &mut room.tariff_per_kwh, 0.0..=1e6, 0.005, &per_kwh);
    number(ui, "Mains voltage", &mut room.mains_v, 90.0..=500.0, 1.0, " V");
    number(ui, "Circuit", &mut room.circuit_a, 1.0..=1000.0, 0.2, " A");
    let mut circuits = f64::from(room.circuits);
    number(ui, "Circuits for the supplies", &mut circuits, 1.0..=16.0, 0.05, "");
    room.circuits = circuits.round() as u8;
    number(ui, "Air in the room", &mut room.ambient_c, -20.0..=60.0, 0.2, " °C");
    number(ui, "Height above the sea", &mut room.altitude_m, -500.0..=6000.0, 10.0, " m");
    number(ui, "Under load", &mut room.hours_per_day, 0.0..=24.0, 0.1, " hours a day");
    number(ui, "Years of use", &mut room.life_years, 0.1..=50.0, 0.05, " years");
    *room != before
}

fn rates_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut SettingsState, out: &mut Vec<Action>) {
    let project = cx.session.project();
    ui.label(strong("Exchange rates"));
    let text = "A price in another currency counts through the rate given here, and is shown as converted.";
    ui.add(egui::Label::new(sub(cx.tokens, text)).wrap());
    let to = project.room.currency;
    for (code, rate) in &project.prices.rates {
        row(ui, cx.tokens, &format!("1 {code}"), |ui| {
            let mut value = rate.per_unit;
            let suffix = format!(" {}", rate.to.code());
            if ui.add(DragValue::new(&mut value).speed(0.001).range(1e-6..=1e9).max_decimals(5).suffix(suffix)).changed() {
                let rate = Rate { per_unit: value, date: cx.today.to_owned(), ..rate.clone() };
                out.push(Action::EditMerged(Edit::Rate { currency: code.clone(), rate: Some(rate) }));
            }
            ui.label(sub(cx.tokens, format!("of {}", rate.date)));
            if ui.button("Remove").clicked() {
                out.push(Action::Edit(Edit::Rate { currency: code.clone(), rate: None }));
            }
        });
    }
    row(ui, cx.tokens, "Add a rate", |ui| {
        ui.add(TextEdit::singleline(&mut state.rate_code).desired_width(48.0).char_limit(3).hint_text("EUR"))
            .accessible_name("Currency of the new rate");
        let value = DragValue::new(&mut state.rate_value).speed(0.001).range(1e-6..=1e9).max_decimals(5).suffix(format!(" {}", to.code()));
        ui.add(value).accessible_name("Value of the new rate");
        let code = Currency::parse(&state.rate_code).filter(|c| *c != to);
        if ui.add_enabled(code.is_some(), egui::Button::new("Add")).clicked()
            && let Some(code) = code
        {
            let rate = Rate { to, per_unit: state.rate_value, date: cx.today.to_owned() };
            out.push(Action::Edit(Edit::Rate { currency: code.code().to_owned(), rate: Some(rate) }));
        }
    });
}

/// What each limit that the user changed flips, compared with its default.
fn flips_of(cx: &Cx<'_>) -> BTreeMap<&'static str, String> {
    let (catalog, project) = (cx.session.catalog(), cx.session.project());
    let changed = thresholds::ALL.iter().filter(|t| project.thresholds.contains_key(t.key));
    let text = |t: &thresholds::Threshold| {
        let mut before = Project::clone(project);
        before.thresholds.remove(t.key);
        let list = crate::checks::flips(catalog, &before, project);
        let one = |(rule, was, now): &(&str, Verdict, Verdict)| {
            let title = crate::checks::check(rule).map_or(*rule, |c| c.title);
            format!("{title}: {} becomes {}", verdict_word(*was), verdict_word(*now))
        };
        if list.is_empty() {
            "No verdict differs from that of the default.".to_owned()
        } else {
            list.iter().map(one).collect::<Vec<_>>().join("; ")
        }
    };
    changed.map(|t| (t.key, text(t))).collect()
}

const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "fails",
        Verdict::Unknown => "unknown",
        Verdict::Pass => "passes",
    }
}

fn thresholds_ui(ui: &mut Ui, cx: &Cx<'_>, flips: &BTreeMap<&'static str, String>, out: &mut Vec<Action>) {
    ui.label(strong("Limits that the rules use"));
    for limit in thresholds::ALL {
        let mut value = cx.session.project().threshold(limit.key);
        let changed_by_user = cx.session.project().thresholds.contains_key(limit.key);
        ui.horizontal(|ui| {
            let field = DragValue::new(&mut value)
                .speed(limit.default.abs().max(0.1) * 0.01)
                .range(0.0..=1e9)
                .max_decimals(3)
                .suffix(format!(" {}", limit.unit));
            let response = ui.add_sized([104.0, 24.0], field).accessible_name(limit.title);
            if response.changed() {
                out.push(Action::EditMerged(Edit::Threshold { key: limit.key.to_owned(), value: Some(value) }));
            }
            ui.add(egui::Label::new(limit.title).truncate()).on_hover_text(limit.source);
            if changed_by_user && ui.button("Default").on_hover_text(format!("Back to {} {}", limit.default, limit.unit)).clicked() {
                out.push(Action::Edit(Edit::Threshold { key: limit.key.to_owned(), value: None }));
            }
        });
        if let Some(text) = flips.get(limit.key) {
            ui.add(egui::Label::new(sub(cx.tokens, text)).wrap());
        }
    }
}
