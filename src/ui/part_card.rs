//! One card of the parts panel: picture, facts, verdict and price; dragged, focused or clicked as one thing.

use std::sync::Arc;

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{
    self, Color32, FontId, Galley, Id, Key, Painter, Popup, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::Cx;
use super::action::Action;
use super::drag::DragPart;
use super::icons::{self, Icon};
use super::part_text::lines;
use super::parts_panel::PartsState;
use super::place_menu::place_menu_ui;
use super::price_ui;
use super::theme::{self, CARD_RADIUS, RADIUS, Tokens};
use super::thumbnail;
use crate::build::fit::Fit;
use crate::catalog::part::{Part, PartKind};
use crate::drawing;

/// Height in points of a card whose verdict takes one line.
pub(super) const CARD_HEIGHT: f32 = 98.0;
/// Height of picture and name when the name takes at most two lines.
const HEAD: f32 = 33.0;
/// Lines of a name, and of a verdict, at most.
const NAME_LINES: usize = 3;
const VERDICT_LINES: usize = 3;
const PAD: f32 = 10.0;

/// One line of text, cut with "…" at `width`.
pub(super) fn line(painter: &Painter, text: &str, font: FontId, color: Color32, width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::default();
    job.append(text, 0.0, TextFormat::simple(font, color));
    job.wrap = TextWrapping::truncate_at_width(width);
    painter.layout_job(job)
}

fn verdict_color(t: &Tokens, fit: &Fit) -> Color32 {
    match fit {
        Fit::Fits => t.good,
        Fit::FitsBut(_) => t.advice,
        Fit::Never(_) => t.problem,
    }
}

/// The verdict in as many lines as it takes, beside the price.
fn verdict_galley(painter: &Painter, t: &Tokens, fit: &Fit, width: f32) -> Arc<Galley> {
    let text = match fit {
        Fit::Fits => "fits".to_owned(),
        Fit::FitsBut(why) => format!("fits, but {why}"),
        Fit::Never(why) => format!("no: {why}"),
    };
    let mut job = LayoutJob::default();
    job.append(&text, 0.0, TextFormat::simple(theme::medium(12.0), verdict_color(t, fit)));
    job.wrap = TextWrapping { max_width: width, max_rows: VERDICT_LINES, break_anywhere: false, ..TextWrapping::default() };
    painter.layout_job(job)
}

fn price_galley(painter: &Painter, t: &Tokens, price: &str) -> Arc<Galley> {
    let known = price != "price unknown";
    let font = if known { theme::semibold(13.0) } else { theme::regular(12.0) };
    line(painter, price, font, if known { t.text } else { t.sub }, 130.0)
}

/// How high the card of a part is at a width.
pub(super) fn height(ui: &Ui, cx: &Cx<'_>, part: &Part, fit: &Fit, width: f32) -> f32 {
    let head = head_height(&name_galley(ui.painter(), cx.tokens, part, width - 2.0 * PAD));
    let price = price_galley(ui.painter(), cx.tokens, &price_ui::shown(cx, &part.id).text);
    let verdict = verdict_galley(ui.painter(), cx.tokens, fit, width - 2.0 * PAD - price.size().x - 8.0);
    CARD_HEIGHT + head - HEAD + (verdict.size().y - 15.0).max(0.0)
}

pub(super) fn card_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsState, part: &Part, fit: &Fit, out: &mut Vec<Action>) {
    let (_, rect) = ui.allocate_space(ui.available_size());
    let response = ui.interact(rect, Id::unique(("part-card", &part.id)), Sense::click_and_drag());
    let price = price_ui::shown(cx, &part.id);
    let name = part.short_name();
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Button,
            true,
            format!("{name}, {}, {}, {}", part.maker.as_deref().unwrap_or("any maker"), fit.text(), price.text),
        )
    });
    response.dnd_set_drag_payload(DragPart(part.id.clone()));
    let chosen = state.chosen.as_ref() == Some(&part.id);
    if ui.is_rect_visible(rect) {
        frame(ui, cx, rect, &response, chosen);
        paint(ui, cx, rect, part, fit, &price.text);
    }
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    let plus = plus_ui(ui, cx, rect, part);
    let by_key = response.has_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    if by_key || response.double_clicked() {
        state.menu.focus = true;
        Popup::open_id(ui.ctx(), Popup::default_response_id(&plus));
    } else if response.clicked() {
        // Enter then opens the list of places, as the help line says.
        response.request_focus();
        state.chosen = Some(part.id.clone());
        out.push(Action::ShowPart(Some(part.id.clone())));
    }
    Popup::menu(&plus).show(|ui| place_menu_ui(ui, cx, &part.id, &mut state.menu, out));
    response.context_menu(|ui| place_menu_ui(ui, cx, &part.id, &mut state.menu, out));
    hover(response, fit, &price.hover, part);
}

fn hover(response: Response, fit: &Fit, price: &str, part: &Part) {
    let notes = part.notes.as_ref().map(|n| format!("\n{n}")).unwrap_or_default();
    response.on_hover_cursor(egui::CursorIcon::Grab).on_hover_text(format!("{}\n{}\n{price}{notes}", part.name, fit.text()));
}

fn frame(ui: &Ui, cx: &Cx<'_>, rect: Rect, response: &Response, chosen: bool) {
    let t = cx.tokens;
    let dragged = response.dragged();
    let edge = if chosen || response.has_focus() || dragged {
        t.accent
    } else if response.hovered() {
        t.tint(drawing::Role::Accent, 0.5)
    } else {
        t.line
    };
    let fill = if dragged { t.tint(drawing::Role::Accent, 0.16) } else { t.raised };
    ui.painter().rect(rect, CARD_RADIUS, fill, Stroke::new(1.0, edge), StrokeKind::Inside);
}

fn paint(ui: &Ui, cx: &Cx<'_>, rect: Rect, part: &Part, fit: &Fit, price: &str) {
    let (t, painter) = (cx.tokens, ui.painter());
    let inner = rect.shrink(PAD);
    let put = |galley: Arc<Galley>, x: f32, y: f32| painter.galley(pos2(x, y), galley, t.text);
    let name = name_galley(painter, t, part, inner.width());
    let head = head_height(&name);
    let middle = inner.top() + (head - 3.0) / 2.0;
    let at = pos2(inner.left(), middle - thumbnail::HEIGHT / 2.0);
    thumbnail::paint(painter, t, &cx.session.catalog().templates, part, at);
    put(name.clone(), inner.left() + name_left(part), middle - name.size().y / 2.0);
    let (first, second) = lines(part);
    put(line(painter, &first, theme::regular(12.0), t.sub, inner.width()), inner.left(), inner.top() + head);
    put(line(painter, &second, theme::regular(12.0), t.sub, inner.width()), inner.left(), inner.top() + head + 15.0);
    let price = price_galley(painter, t, price);
    let width = price.size().x;
    let bottom = inner.top() + CARD_HEIGHT + head - HEAD - 2.0 * PAD - 14.0;
    put(price, inner.right() - width, bottom);
    put(verdict_galley(painter, t, fit, inner.width() - width - 8.0), inner.left(), bottom);
}

/// Where the name starts: beside the picture, at the same place for all parts of a kind.
const fn name_left(part: &Part) -> f32 {
    match part.kind {
        PartKind::Cpu(_) | PartKind::Fan(_) | PartKind::Case(_) | PartKind::Board(_) | PartKind::Ram(_) | PartKind::Drive(_) => 44.0,
        _ => thumbnail::WIDTH + 10.0,
    }
}

/// The name in up to three lines, for a card of that inner width.
fn name_galley(painter: &Painter, t: &Tokens, part: &Part, inner: f32) -> Arc<Galley> {
    let mut job = LayoutJob::default();
    job.append(part.short_name(), 0.0, TextFormat::simple(theme::semibold(13.0), t.text));
    let max_width = inner - name_left(part) - 26.0;
    job.wrap = TextWrapping { max_width, max_rows: NAME_LINES, break_anywhere: false, ..TextWrapping::default() };
    painter.layout_job(job)
}

/// Height of picture and name together.
fn head_height(name: &Galley) -> f32 {
    HEAD.max(name.size().y + 2.0)
}

/// The button that lists the places; on top of the card.
fn plus_ui(ui: &Ui, cx: &Cx<'_>, card: Rect, part: &Part) -> Response {
    let t = cx.tokens;
    let rect = Rect::from_min_size(pos2(card.right() - 30.0, card.top() + 6.0), vec2(24.0, 24.0));
    let response = ui.interact(rect, Id::unique(("part-plus", &part.id)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Place {}", part.short_name())));
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, RADIUS, t.tint(drawing::Role::Line, 0.8));
    }
    icons::paint(ui.painter(), Icon::Plus, rect.shrink(4.0), if response.hovered() { t.text } else { t.sub });
    response.on_hover_text("Choose a place from a list")
}
