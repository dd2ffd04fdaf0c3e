//! Menus, the rig's name, layers, and the two totals.

use eframe::egui::{self, Align, Button, Layout, MenuBar, RichText, Ui, vec2};

use super::action::{Action, Layer, Screen, Side};
use super::commands::{self, MENUS};
use super::icons::Icon;
use super::theme;
use super::widgets::{chip, icon_toggle, sub};
use super::{Cx, Size};
use crate::units::watts;

/// Height of the bar in points.
pub const HEIGHT: f32 = 44.0;

pub fn top_bar_ui(ui: &mut Ui, cx: &Cx<'_>, size: Size, start: bool, out: &mut Vec<Action>) {
    ui.horizontal_centered(|ui| {
        menus_ui(ui, cx, size, out);
        if start {
            return;
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            totals_ui(ui, cx);
            ui.add_space(4.0);
            panels_ui(ui, cx, out);
            if size.width >= 1180.0 {
                find_ui(ui, cx, out);
            }
            if size.width >= 860.0 && ui.button("Parts list").clicked() {
                out.push(Action::Show(Screen::PartsList));
            }
            if size.width >= 740.0 {
                ui.add_space(6.0);
                layers_ui(ui, cx, out);
            }
            ui.add_space(6.0);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| name_ui(ui, cx, out));
        });
    });
}

fn menus_ui(ui: &mut Ui, cx: &Cx<'_>, size: Size, out: &mut Vec<Action>) {
    ui.allocate_ui_with_layout(vec2(0.0, HEIGHT), Layout::left_to_right(Align::Center), |ui| {
        MenuBar::new().ui(ui, |ui| {
            ui.spacing_mut().button_padding = vec2(8.0, 5.0);
            if size.is_small() {
                ui.menu_button("Menu", |ui| {
                    for menu in MENUS {
                        ui.menu_button(menu, |ui| commands::menu_ui(ui, cx, menu, out));
                    }
                });
                return;
            }
            for menu in MENUS {
                ui.menu_button(menu, |ui| commands::menu_ui(ui, cx, menu, out));
            }
        });
    });
}

fn name_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    ui.add_space(8.0);
    let saved = cx.session.history().is_saved();
    let room = ui.available_width() - if saved { 0.0 } else { 52.0 };
    if room < 40.0 {
        return;
    }
    let name = &cx.session.project().name;
    let label = RichText::new(name).font(theme::semibold(13.5));
    let response = ui
        .allocate_ui_with_layout(vec2(room, 28.0), Layout::left_to_right(Align::Center), |ui| {
            ui.set_max_width(room);
            ui.add(Button::new(label).frame(false).truncate())
        })
        .inner
        .on_hover_text("Rename the rig");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Name of the rig: {name}")));
    if response.clicked() {
        out.push(Action::Show(Screen::Rename));
    }
    if !saved {
        ui.label(sub(cx.tokens, "edited"));
    }
}

fn layers_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 4.0;
    for (layer, name) in
        [(Layer::Heat, "Heat"), (Layer::Airflow, "Air"), (Layer::Power, "Power"), (Layer::Lanes, "Lanes"), (Layer::Parts, "Parts")]
    {
        if chip(ui, cx.tokens, cx.prefs.layer == layer, name).on_hover_text("What the drawing emphasises").clicked() {
            out.push(Action::Layer(layer));
        }
    }
}

fn panels_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 2.0;
    let panels = [
        (Side::Work, Icon::RightPanel, "Work and findings panel"),
        (Side::Charts, Icon::BottomPanel, "Charts"),
        (Side::Parts, Icon::LeftPanel, "Parts panel"),
    ];
    for (side, icon, name) in panels {
        if icon_toggle(ui, cx.tokens, icon, name, cx.prefs.is_open(side)).clicked() {
            out.push(Action::Toggle(side));
        }
    }
    ui.spacing_mut().item_spacing.x = 8.0;
}

fn find_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    let label = RichText::new("Find a command").color(cx.tokens.sub).size(12.5);
    let response = ui.add(Button::new(label).min_size(vec2(120.0, 26.0)));
    if response.on_hover_text("Ctrl+K").clicked() {
        out.push(Action::Show(Screen::Palette));
    }
}

fn totals_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let facts = &cx.session.report().facts;
    let (power, cost) = (&facts.power, &facts.cost);
    let marked = |text: String, incomplete: bool| if incomplete { format!("{text}+") } else { text };
    let price = marked(cost.known_total.to_string(), !cost.unpriced.is_empty());
    let draw = marked(watts(power.typical_w), !power.unknown.is_empty());
    let text = format!("{draw} · {price}");
    let response = ui.label(RichText::new(&text).font(theme::semibold(13.5)));
    let oldest = cost.oldest.as_ref().map(|d| format!(" The oldest price is of {d}.")).unwrap_or_default();
    let converted = if cost.converted { " Some prices were converted." } else { "" };
    let unknown = match power.unknown.len() {
        0 => String::new(),
        n => format!(" The draw of {n} parts is unknown."),
    };
    response.on_hover_text(format!("Typical draw of all parts: {draw}.{unknown}\nPurchase: {}.{oldest}{converted}", cost.total_text()));
    if let Some(Ok((_, after))) = cx.preview.map(|p| p.outcome.as_ref()) {
        let change = after.facts.power.typical_w - power.typical_w;
        let cents = after.facts.cost.known_total.cents - cost.known_total.cents;
        let money = crate::units::Money { cents: cents.abs(), currency: cost.known_total.currency };
        let sign = |negative: bool| if negative { "-" } else { "+" };
        let unpriced = after.facts.cost.unpriced.len() > cost.unpriced.len();
        let price = match (cents, unpriced) {
            (0, true) => "+price unknown".to_owned(),
            (_, true) => format!("{}{money} and more, price unknown", sign(cents < 0)),
            (_, false) => format!("{}{money}", sign(cents < 0)),
        };
        let text = format!("{}{} · {price}", sign(change < 0.0), watts(change.abs()));
        ui.label(RichText::new(text).font(theme::medium(12.5)).color(cx.tokens.accent));
    }
}
