//! Small widgets that several panels share.

use std::cell::Cell;
use std::ops::RangeInclusive;

use eframe::egui::emath::Numeric;
use eframe::egui::{
    Align, Button, Color32, CornerRadius, DragValue, Frame, InnerResponse, Layout, Margin, Response, RichText, Role, Sense, Stroke,
    TextStyle, Ui, UiBuilder, WidgetInfo, vec2,
};

use super::Cx;
use super::action::Action;
use super::icons::{self, Icon};
use super::theme::{self, CARD_RADIUS, RADIUS, Tokens};
use crate::drawing;

/// Text that carries weight.
pub fn strong(text: impl Into<String>) -> RichText {
    RichText::new(text).font(theme::semibold(13.0))
}

/// The name of a section.
pub fn title(text: impl Into<String>) -> RichText {
    RichText::new(text).font(theme::semibold(15.0))
}

/// Text that explains.
pub fn sub(t: &Tokens, text: impl Into<String>) -> RichText {
    RichText::new(text).text_style(TextStyle::Small).color(t.sub)
}

/// A square button with an icon; `name` is its tooltip and its accessible name.
pub fn icon_button(ui: &mut Ui, t: &Tokens, icon: Icon, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(24.0, 24.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    paint_icon_button(ui, t, icon, &response, rect);
    response.on_hover_text(name)
}

fn paint_icon_button(ui: &Ui, t: &Tokens, icon: Icon, response: &Response, rect: eframe::egui::Rect) {
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, RADIUS, t.tint(drawing::Role::Line, 0.75));
    }
    if response.has_focus() {
        ui.painter().rect_stroke(rect, RADIUS, Stroke::new(1.0, t.accent), eframe::egui::StrokeKind::Inside);
    }
    let color = if response.hovered() { t.text } else { t.sub };
    icons::paint(ui.painter(), icon, rect.shrink(4.0), color);
}

/// An icon button that stays pressed while `on`.
pub fn icon_toggle(ui: &mut Ui, t: &Tokens, icon: Icon, name: &str, on: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(26.0, 26.0), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), on, name));
    if on {
        ui.painter().rect_filled(rect, RADIUS, t.tint(drawing::Role::Line, 0.6));
    }
    paint_icon_button(ui, t, icon, &response, rect);
    response.on_hover_text(name)
}

/// A choice among several; filled when chosen.
pub fn chip(ui: &mut Ui, t: &Tokens, chosen: bool, text: &str) -> Response {
    let (fill, ink, edge) =
        if chosen { (t.tint(drawing::Role::Accent, 0.38), t.text, t.accent) } else { (t.raised, t.sub, Color32::TRANSPARENT) };
    let label = RichText::new(text).font(if chosen { theme::medium(12.0) } else { theme::regular(12.0) }).color(ink);
    let button = Button::new(label).fill(fill).stroke(Stroke::new(1.0, edge)).corner_radius(RADIUS).min_size(vec2(0.0, 24.0));
    let response = ui.add(button);
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), chosen, text));
    response
}

/// The main choice of a dialog or page.
pub fn primary_button(ui: &mut Ui, t: &Tokens, enabled: bool, text: &str) -> Response {
    let label = RichText::new(text).font(theme::medium(13.0)).color(t.on_accent);
    let response = ui.add_enabled(enabled, Button::new(label).fill(t.accent).stroke(Stroke::NONE));
    focus_ring(ui, t, &response);
    response
}

/// Shows which button has the keyboard where its own edge does not.
fn focus_ring(ui: &Ui, t: &Tokens, response: &Response) {
    if response.has_focus() {
        ui.painter().rect_stroke(response.rect.expand(2.0), RADIUS + 2, Stroke::new(1.5, t.accent), eframe::egui::StrokeKind::Outside);
    }
}

/// A quiet button that offers to change something: accent text on a raised surface.
pub fn offer_button(ui: &mut Ui, t: &Tokens, text: &str) -> Response {
    let label = RichText::new(text).font(theme::medium(12.5)).color(t.accent);
    let fill = t.tint(drawing::Role::Line, 0.55);
    let response = ui.add(Button::new(label).fill(fill).stroke(Stroke::NONE).wrap());
    focus_ring(ui, t, &response);
    response
}

/// A raised surface around something.
pub fn card<R>(ui: &mut Ui, t: &Tokens, chosen: bool, add: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    let edge = if chosen { t.accent } else { t.line };
    Frame::new()
        .fill(t.raised)
        .stroke(Stroke::new(1.0, edge))
        .corner_radius(CornerRadius::same(CARD_RADIUS))
        .inner_margin(Margin::same(10))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            add(ui)
        })
}

/// "Key    value": the value starts at the same place in every row and wraps.
pub fn key_value(ui: &mut Ui, t: &Tokens, key: &str, value: impl Into<RichText>) -> Response {
    row(ui, t, key, |ui| ui.label(value.into())).inner
}

/// A labelled row; inputs in it are named by the label.
pub fn row<R>(ui: &mut Ui, t: &Tokens, key: &str, add: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    ui.horizontal_top(|ui| {
        let width = (ui.available_width() * 0.3).clamp(74.0, 150.0);
        let height = ui.spacing().interact_size.y;
        let cell = UiBuilder::new()
            .max_rect(eframe::egui::Rect::from_min_size(ui.cursor().min, vec2(width, height)))
            .layout(Layout::left_to_right(Align::Center));
        let label = ui.scope_builder(cell, |ui| {
            ui.set_width(width);
            ui.add(eframe::egui::Label::new(RichText::new(key).size(12.5).color(t.sub)).truncate())
        });
        ui.label_inputs_by(label.inner.id, |ui| ui.vertical(|ui| ui.horizontal_centered_row(add)).inner)
    })
}

trait CenteredRow {
    fn horizontal_centered_row<R>(&mut self, add: impl FnOnce(&mut Ui) -> R) -> R;
}

impl CenteredRow for Ui {
    /// A row at least as tall as an input, so that labels and inputs share a middle line.
    fn horizontal_centered_row<R>(&mut self, add: impl FnOnce(&mut Self) -> R) -> R {
        self.horizontal_wrapped(|ui| {
            ui.set_min_height(ui.spacing().interact_size.y);
            add(ui)
        })
        .inner
    }
}

/// A bar from 0 to 1 with the share that is used.
pub fn meter(ui: &mut Ui, t: &Tokens, share: f64, color: Color32, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 6.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::ProgressIndicator, true, name));
    ui.painter().rect_filled(rect, 3.0, t.line);
    let mut filled = rect;
    filled.set_width(rect.width() * share.clamp(0.0, 1.0) as f32);
    ui.painter().rect_filled(filled, 3.0, color);
    response
}

/// A line of help that goes away for good when dismissed.
pub fn help_line(ui: &mut Ui, cx: &Cx<'_>, id: &'static str, text: &str, out: &mut Vec<Action>) {
    if cx.prefs.dismissed.contains(id) {
        return;
    }
    let t = cx.tokens;
    Frame::new().fill(t.tint(drawing::Role::Cold, 0.12)).corner_radius(RADIUS).inner_margin(Margin::symmetric(8, 5)).show(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            if icon_button(ui, t, Icon::Close, "Dismiss this help").clicked() {
                out.push(Action::Dismiss(id));
            }
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                ui.add_space(3.0);
                ui.add(eframe::egui::Label::new(sub(t, text)).wrap());
            });
        });
    });
}

/// What a panel says when it has nothing to show.
pub fn empty(ui: &mut Ui, t: &Tokens, head: &str, text: &str) {
    ui.add_space(12.0);
    ui.vertical_centered(|ui| {
        ui.label(strong(head));
        ui.add_space(2.0);
        ui.add(eframe::egui::Label::new(sub(t, text)).wrap());
    });
    ui.add_space(12.0);
}

/// What was asked of a [`bounded_drag`] beyond its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    pub below: bool,
    pub above: bool,
}

/// A number as people type it: "131,072", "0,30", "1 000".
fn typed_number(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let decimal = text.split_once(',').filter(|(whole, rest)| !text.contains('.') && (rest.len() != 3 || *whole == "0"));
    match decimal {
        Some((whole, rest)) if !rest.contains(',') => format!("{whole}.{rest}").parse().ok(),
        _ => text.replace(',', "").parse().ok(),
    }
}

/// A field for a number; tells whether a number outside its range was typed, which it then cuts to the range.
pub fn bounded_drag<N: Numeric>(
    ui: &mut Ui,
    value: &mut N,
    range: RangeInclusive<N>,
    with: impl FnOnce(DragValue<'_>) -> DragValue<'_>,
) -> Beyond {
    let beyond = Cell::new(Beyond::default());
    let (low, high) = (range.start().to_f64(), range.end().to_f64());
    let parser = |text: &str| {
        let number = typed_number(text)?;
        beyond.set(Beyond { below: number < low, above: number > high });
        Some(number)
    };
    ui.add(with(DragValue::new(value).range(range)).update_while_editing(false).custom_parser(parser));
    beyond.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for (text, number) in [("131,072", 131_072.0), ("0,30", 0.3), ("0,305", 0.305), ("1 000", 1000.0), ("1,000,000", 1e6), ("2.5", 2.5)]
        {
            assert_eq!(typed_number(text), Some(number), "{text}");
        }
        assert_eq!(typed_number("many"), None);
    }
}
