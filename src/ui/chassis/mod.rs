//! The rig to scale, seen from the side. Everything on it has a name, takes the keyboard, and shows what a drop would do before it happens.

use std::sync::Arc;

use eframe::egui::{Align2, Color32, Key, Rect, Response, Role as AccessRole, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::Cx;
use super::action::Action;
use super::drag::DragPlacement;
use super::theme::{regular, semibold};
use crate::analysis::space::{Place, Position, Seat, Space};
use crate::build::fit::Fit;
use crate::build::slots::SlotKind;
use crate::catalog::part::PartKind;
use crate::drawing::{Drawing, Layer};
use crate::project::Subject;
use crate::project::edit::Edit;
use crate::report::Report;

mod air;
mod drop;
mod hover;
mod lanes;
pub(super) mod paint;
pub(super) mod view;

use drop::{Answers, Dragged};
use view::View;

/// Points that the buttons at the lower edge take.
const BUTTONS: f32 = 24.0;

/// View state of the chassis.
#[derive(Clone, Debug, Default)]
pub struct ChassisState {
    /// The edit that a drop here and now would make.
    pub hover_edit: Option<Edit>,
    /// Fit the whole rig into the view in the next frame.
    pub fit: bool,
    /// Bring this into view in the next frame.
    pub go_to: Option<Subject>,
    view: View,
    drawing: Option<Drawn>,
    answers: Option<Answers>,
}

/// A drawing and what it was made from: the report, the layer, and the report of the edit under the pointer where the layer shows it.
#[derive(Clone, Debug)]
struct Drawn {
    of: Arc<Report>,
    layer: Layer,
    after: Option<Arc<Report>>,
    drawing: Arc<Drawing>,
}

impl ChassisState {
    /// The drawing of the present report; made again only when the report changes.
    fn drawing(&mut self, cx: &Cx<'_>) -> Arc<Drawing> {
        let report = cx.session.report();
        let layer = cx.prefs.layer;
        let after = lanes::after(cx);
        let same = |d: &&Drawn| {
            let same_after = match (&d.after, after) {
                (None, None) => true,
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                _ => false,
            };
            Arc::ptr_eq(&d.of, report) && d.layer == layer && same_after
        };
        if let Some(drawn) = self.drawing.as_ref().filter(same) {
            return drawn.drawing.clone();
        }
        let after_ref = after.map(AsRef::as_ref);
        let drawing = crate::drawing::rig::draw_before(cx.session.catalog(), cx.session.project(), report, layer, after_ref);
        let drawing = Arc::new(drawing);
        self.drawing = Some(Drawn { of: report.clone(), layer, after: after.cloned(), drawing: drawing.clone() });
        drawing
    }
}

/// Paints the rig and takes drops.
pub fn chassis_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ChassisState, out: &mut Vec<Action>) {
    tray_ui(ui, cx, out);
    let (rect, background) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    background.widget_info(|| WidgetInfo::labeled(AccessRole::Pane, true, "Chassis"));
    let drawing = state.drawing(cx);
    if std::mem::take(&mut state.fit) {
        state.view.follow();
    }
    let focus = super::lessons::outline::focus(cx);
    state.view.update(focus.as_ref().unwrap_or(&drawing.bounds), rect.with_max_y(rect.bottom() - BUTTONS));
    state.view.pan_and_zoom(ui, &background);
    let space = &cx.session.report().facts.space;
    if let Some(Subject::Placement(id)) = state.go_to.take()
        && let Some(seat) = space.seat(id)
    {
        state.view.bring_into(&seat.rect, rect);
    }
    if background.clicked() {
        out.push(Action::Select(None));
    }
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, 0.0, cx.tokens.background);
    paint::drawing(&painter, &drawing, &state.view, cx.tokens);
    ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(rect), |ui| {
        ui.shrink_clip_rect(rect);
        things_ui(ui, cx, &state.view, space, out);
        lanes::layer_ui(ui, cx, &state.view, &drawing);
        air::smoke_ui(ui, cx, &state.view, &drawing.streams);
        air::layer_ui(ui, cx, &state.view, rect);
        super::lessons::outline::outline_ui(ui, cx, &state.view);
        if cx.session.project().rig.is_empty() {
            empty_ui(ui, cx, rect);
        }
        drops_ui(ui, cx, state, rect, out);
        if focus.is_none() {
            corner_ui(ui, cx, state, rect, out);
        }
    });
}

/// An empty rig says what to do.
fn empty_ui(ui: &Ui, cx: &Cx<'_>, rect: Rect) {
    let at = rect.center();
    let room = rect.width() - 40.0;
    paint::one_line(ui.painter(), at - vec2(0.0, 12.0), Align2::CENTER_CENTER, "An empty bench", semibold(18.0), cx.tokens.text, room);
    let hint = "Drag a case or a board here, or select one in the parts panel and press Enter";
    paint::one_line(ui.painter(), at + vec2(0.0, 14.0), Align2::CENTER_CENTER, hint, regular(13.0), cx.tokens.sub, room);
}

/// Makes every place and part hoverable, selectable, draggable and known to screen readers; what lies on top comes last.
fn things_ui(ui: &mut Ui, cx: &Cx<'_>, view: &View, space: &Space, out: &mut Vec<Action>) {
    let build = &cx.session.project().rig;
    let kind = |seat: &Seat| build.placement(seat.placement).and_then(|p| cx.session.catalog().part(&p.part)).map(|p| &p.kind);
    let flat = |seat: &&Seat| matches!(kind(seat), Some(PartKind::Case(_) | PartKind::Board(_)));
    for seat in space.seats.iter().filter(flat) {
        seat_ui(ui, cx, view, seat, Sense::click(), out);
    }
    for place in space.places.iter().filter(|p| p.slot.occupants.is_empty() || p.slot.kind == SlotKind::Dimm) {
        place_ui(ui, cx, view, place, out);
    }
    for seat in space.seats.iter().filter(|s| !flat(s)) {
        seat_ui(ui, cx, view, seat, Sense::click_and_drag(), out);
    }
}

fn seat_ui(ui: &mut Ui, cx: &Cx<'_>, view: &View, seat: &Seat, sense: Sense, out: &mut Vec<Action>) {
    let subject = Subject::Placement(seat.placement);
    let selected = cx.session.selection() == Some(&subject);
    for (n, mm) in std::iter::once(&seat.rect).chain(&seat.also).enumerate() {
        let rect = view.rect(mm);
        let id = ui.scope_id().with(("seat", seat.placement.0, n));
        let response = ui.interact(rect, id, sense);
        response.widget_info(|| WidgetInfo::selected(AccessRole::Button, true, selected, hover::seat_name(cx, seat)));
        if sense.senses_drag() {
            response.dnd_set_drag_payload(DragPlacement(seat.placement));
        }
        let ground = !sense.senses_drag();
        if selected || !ground {
            outline(ui, cx, rect, &response, selected);
        }
        if response.clicked() {
            out.push(Action::Select(Some(subject.clone())));
        }
        if response.has_focus() && ui.input(|i| i.key_pressed(Key::Delete) || i.key_pressed(Key::Backspace)) {
            out.push(Action::Edit(Edit::Remove(seat.placement)));
        }
        // Case and board fill the view and carry their names: a hover text would only be in the way.
        let still = ground || eframe::egui::DragAndDrop::has_any_payload(ui);
        let response = if still { response } else { response.on_hover_ui(|ui| hover::seat_ui(ui, cx, seat)) };
        response.context_menu(|ui| hover::seat_menu(ui, cx, seat, out));
    }
}

fn place_ui(ui: &mut Ui, cx: &Cx<'_>, view: &View, place: &Place, out: &mut Vec<Action>) {
    if matches!(place.slot.kind, SlotKind::Case | SlotKind::Board) {
        return;
    }
    let subject = Subject::Slot(place.slot.id.clone());
    let selected = cx.session.selection() == Some(&subject);
    let rect = view.rect(&place.rect);
    let response = ui.interact(rect, ui.scope_id().with(("place", &place.slot.id)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(AccessRole::Button, true, selected, hover::place_name(cx, place)));
    outline(ui, cx, rect, &response, selected);
    if response.clicked() {
        out.push(Action::Select(Some(subject)));
    }
    response.on_hover_ui(|ui| hover::place_ui(ui, cx, place));
}

/// Chosen, focused and hovered things carry an outline.
fn outline(ui: &Ui, cx: &Cx<'_>, rect: Rect, response: &Response, selected: bool) {
    let width = match (selected || response.has_focus(), response.hovered()) {
        (true, _) => 2.0,
        (false, true) => 1.2,
        (false, false) => return,
    };
    ui.painter().rect_stroke(rect.expand(1.5), 4.0, Stroke::new(width, cx.tokens.accent), StrokeKind::Outside);
}

/// Shows each place's answer to the dragged part, the ghost at its true size, and makes the drop.
fn drops_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ChassisState, rect: Rect, out: &mut Vec<Action>) {
    state.hover_edit = None;
    let Some(dragged) = Dragged::now(ui, cx.session) else {
        state.answers = None;
        return;
    };
    // A search field that kept the focus would take the Ctrl+Z after the drop.
    ui.memory_mut(|m| {
        if let Some(focused) = m.focused() {
            m.surrender_focus(focused);
        }
    });
    let answers = Answers::of(state.answers.take(), cx.session, &dragged);
    let (pointer, modifiers, released) = ui.input(|i| (i.pointer.interact_pos(), i.modifiers, i.pointer.any_released()));
    mark_places(ui, cx, &state.view, &answers);
    let space = &cx.session.report().facts.space;
    let inside = pointer.filter(|p| rect.contains(*p));
    let target = inside.and_then(|p| answers.target(p, &state.view, cx.session));
    let meant = target.map(|(place, fit)| (place.slot.id.clone(), fit.clone()));
    let meant = meant.or_else(|| inside.and(drop::anywhere(cx.session, &dragged)).map(|slot| (slot, Fit::Fits)));
    let off_case = |p: eframe::egui::Pos2| !state.view.rect(&space.case).expand(16.0).contains(p);
    let beside = meant.is_none() && inside.is_some_and(off_case);
    if let (Some((slot, fit)), true) = (&meant, inside.is_some())
        && fit.possible()
    {
        state.hover_edit = Some(drop::edit(cx.session, &dragged, slot, modifiers));
    }
    if let (Some(piece), true) = (dragged.piece, beside || (inside.is_none() && pointer.is_some())) {
        state.hover_edit = Some(Edit::Remove(piece));
    }
    if let Some(pointer) = inside {
        ghost_ui(ui, cx, &state.view, pointer, &dragged, meant.as_ref(), beside && dragged.piece.is_some());
    }
    if released {
        dropped(cx, &dragged, inside.is_some() && !beside, meant, state.hover_edit.take(), out);
    }
    state.answers = Some(answers);
}

fn answer_color(cx: &Cx<'_>, fit: &Fit) -> Color32 {
    match fit {
        Fit::Fits => cx.tokens.accent,
        Fit::FitsBut(_) => cx.tokens.advice,
        Fit::Never(_) => cx.tokens.problem,
    }
}

fn mark_places(ui: &Ui, cx: &Cx<'_>, view: &View, answers: &Answers) {
    let painter = ui.painter();
    for (place, fit) in &answers.places {
        let color = answer_color(cx, fit);
        let whole = matches!(place.slot.kind, SlotKind::Case | SlotKind::Board);
        for mm in std::iter::once(&place.rect).chain(&place.also) {
            let rect = view.rect(mm);
            if place.covered_by.is_some() {
                // Under a card: its name must stay readable.
                continue;
            }
            if fit.possible() {
                painter.rect_filled(rect, 3.0, color.gamma_multiply(if whole { 0.06 } else { 0.28 }));
                painter.rect_stroke(rect, 3.0, Stroke::new(1.6, color), StrokeKind::Inside);
            } else if place.slot.occupants.is_empty() {
                painter.rect_stroke(rect, 3.0, Stroke::new(1.0, color.gamma_multiply(0.55)), StrokeKind::Inside);
            }
        }
    }
}

/// The dragged part at its true size where it would sit, and the consequence in words.
fn ghost_ui(
    ui: &Ui,
    cx: &Cx<'_>,
    view: &View,
    pointer: eframe::egui::Pos2,
    dragged: &Dragged,
    meant: Option<&(crate::build::SlotId, Fit)>,
    beside: bool,
) {
    let painter = ui.painter();
    let Some(part) = cx.session.catalog().part(&dragged.part) else { return };
    let (words, color) = meant.map_or_else(
        || (if beside { "release to remove it; Esc cancels" } else { "no place here; Esc cancels" }.to_owned(), cx.tokens.sub),
        |(slot, fit)| {
            let label = cx.session.report().facts.space.place(slot).map_or("", |p| p.slot.label.as_str());
            let words = match fit {
                Fit::Never(why) => format!("cannot: {why}"),
                _ if label.is_empty() => fit.text(),
                _ => format!("{label}: {}", fit.text()),
            };
            (words, answer_color(cx, fit))
        },
    );
    if meant.is_none_or(|m| !m.1.possible())
        && let Some((w, h)) = crate::analysis::space::body_size(cx.session.catalog(), part)
    {
        let size = vec2(w as f32, h as f32) * view.scale();
        let body = Rect::from_min_size(pointer - vec2(size.x * 0.2, size.y * 0.5), size);
        painter.rect_filled(body, 3.0, cx.tokens.sub.gamma_multiply(0.12));
        paint::dashed_rect(painter, body, Stroke::new(1.2, color));
    }
    let after = cx.preview.and_then(|p| p.outcome.as_ref().ok());
    if let (Some((_, report)), Some((slot, _))) = (after, meant.filter(|m| m.1.possible())) {
        for seat in ghost_seats(cx, report, slot, dragged) {
            for mm in std::iter::once(&seat.rect).chain(&seat.also) {
                let rect = view.rect(mm);
                painter.rect_filled(rect, 3.0, cx.tokens.accent.gamma_multiply(0.22));
                paint::dashed_rect(painter, rect, Stroke::new(1.8, color));
            }
        }
    }
    let keys = ui.input(|i| i.modifiers);
    let hint = match (keys.shift, keys.command, dragged.piece) {
        (true, ..) => "Shift: fills every free place of this kind",
        (false, true, Some(_)) => "Ctrl: a copy",
        (false, _, Some(_)) => "Ctrl copies, Shift fills",
        (false, _, None) => "Shift fills every free place",
    };
    let mut changes = if meant.is_some_and(|m| m.1.possible()) { lanes::change_lines(cx) } else { Vec::new() };
    if meant.is_some_and(|m| m.1.possible()) || beside {
        changes.extend(air::change_lines(cx));
    }
    let mut lines = vec![(part.short_name(), cx.tokens.text), (words.as_str(), color)];
    lines.extend(changes.iter().map(|(text, color)| (text.as_str(), *color)));
    lines.push((hint, cx.tokens.sub));
    let plate = paint::plate(painter, pointer + vec2(16.0, 14.0), &lines, color, cx.tokens);
    let said = lines.iter().map(|l| l.0).collect::<Vec<_>>().join(". ");
    let response = ui.interact(plate, ui.scope_id().with("drop-plate"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(AccessRole::Label, true, &said));
}

/// Seats that the drop would add: those the present report lacks, or the moved piece.
fn ghost_seats<'r>(cx: &Cx<'_>, after: &'r Report, slot: &crate::build::SlotId, dragged: &Dragged) -> Vec<&'r Seat> {
    let now = &cx.session.report().facts.space;
    let at_slot = after.facts.space.place(slot).map(|p| p.slot.occupants.clone()).unwrap_or_default();
    let fresh = |seat: &&Seat| now.seat(seat.placement).is_none() || Some(seat.placement) == dragged.piece || at_slot == [seat.placement];
    after.facts.space.seats.iter().filter(fresh).collect()
}

/// Makes the edit of a drop, or says why nothing changes. A piece dropped beside the rig leaves it.
fn dropped(
    cx: &Cx<'_>,
    dragged: &Dragged,
    on_rig: bool,
    meant: Option<(crate::build::SlotId, Fit)>,
    edit: Option<Edit>,
    out: &mut Vec<Action>,
) {
    if let Some(edit) = edit {
        out.push(Action::Edit(edit));
        return;
    }
    let name = cx.session.catalog().part(&dragged.part).map_or("The part", |p| p.short_name());
    match (on_rig, meant, dragged.piece) {
        (true, Some((slot, Fit::Never(why))), _) => {
            let place = cx.session.report().facts.space.place(&slot).map_or("this place", |p| p.slot.label.as_str());
            out.push(Action::Notice(format!("{name} cannot go to {place}: {why}.")));
        }
        (true, _, _) => out.push(Action::Notice(format!("{name} was not placed: there is no place for it there."))),
        (false, _, Some(piece)) => out.push(Action::Edit(Edit::Remove(piece))),
        (false, _, None) => {}
    }
}

/// Zoom buttons and the scale.
fn corner_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ChassisState, rect: Rect, out: &mut Vec<Action>) {
    let scale = state.view.scale();
    let text = format!("1 mm = {scale:.2} points");
    let corner = Rect::from_min_max(pos2(rect.right() - 430.0, rect.bottom() - 30.0), rect.right_bottom() - vec2(8.0, 4.0));
    let layout = eframe::egui::Layout::right_to_left(eframe::egui::Align::Center);
    ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(corner).layout(layout), |ui| {
        if ui.button("Fit").on_hover_text("Show the whole rig").clicked() {
            state.view.follow();
        }
        if ui.button("+").on_hover_text("Zoom in").clicked() {
            state.view.zoom(1.25, rect.center());
        }
        if ui.button("-").on_hover_text("Zoom out").clicked() {
            state.view.zoom(0.8, rect.center());
        }
        match cx.prefs.layer {
            Layer::Lanes if rect.width() > 420.0 => lanes::actions_ui(ui, out),
            Layer::Airflow | Layer::Heat if rect.width() > 500.0 => air::actions_ui(ui, cx, out),
            Layer::Lanes | Layer::Airflow | Layer::Heat => {}
            Layer::Parts | Layer::Power => {
                ui.label(eframe::egui::RichText::new(text).size(11.0).color(cx.tokens.sub));
            }
        }
    });
}

/// Parts that lost their place wait here.
fn tray_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    let project = cx.session.project();
    let waiting: Vec<_> = project.rig.tray(cx.session.catalog()).collect();
    if waiting.is_empty() {
        return;
    }
    eframe::egui::Frame::new().inner_margin(eframe::egui::Margin::symmetric(10, 6)).fill(cx.tokens.panel).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label(eframe::egui::RichText::new("Not placed").font(semibold(12.5)).color(cx.tokens.advice));
            for (id, part) in waiting {
                let chip = eframe::egui::Button::new(part.short_name()).sense(Sense::click_and_drag());
                let response = ui.add(chip);
                response.dnd_set_drag_payload(DragPlacement(id));
                if response.clicked() {
                    out.push(Action::Select(Some(Subject::Placement(id))));
                }
                response.on_hover_text("Drag it onto the rig; select it for more choices");
            }
        });
    });
    ui.add_space(-ui.spacing().item_spacing.y);
}

/// Whether a place is shown at its real position.
fn is_exact(position: Position) -> bool {
    position == Position::Known
}
