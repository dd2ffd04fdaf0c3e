//! What a step is about, outlined on the chassis.

use eframe::egui::{Rect, Stroke, StrokeKind, Ui};

use crate::ui::Cx;
use crate::ui::chassis::view::View;

/// Outlines the parts and places that the present step names.
pub(in crate::ui) fn outline_ui(ui: &Ui, cx: &Cx<'_>, view: &View) {
    let Some(run) = cx.lesson.filter(|r| r.exploring.is_none()) else { return };
    let Some(step) = run.step() else { return };
    let space = &cx.session.report().facts.space;
    let seats = step.look.parts.iter().filter_map(|p| space.seat(*p)).flat_map(|s| std::iter::once(&s.rect).chain(&s.also));
    let places = step.look.slots.iter().filter_map(|s| space.place(s)).flat_map(|p| std::iter::once(&p.rect).chain(&p.also));
    for mm in seats.chain(places) {
        mark(ui, cx, view.rect(mm));
    }
}

/// Two lines, so that it stands out from an edge of any colour.
fn mark(ui: &Ui, cx: &Cx<'_>, rect: Rect) {
    let painter = ui.painter();
    painter.rect_stroke(rect.expand(3.0), 6.0, Stroke::new(5.0, cx.tokens.background), StrokeKind::Outside);
    painter.rect_stroke(rect.expand(3.5), 6.0, Stroke::new(2.6, cx.tokens.advice), StrokeKind::Outside);
}
