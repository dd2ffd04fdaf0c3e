//! What a step is about, outlined on the chassis.

use eframe::egui::{Rect, Stroke, StrokeKind, Ui};

use crate::analysis::space::{Rect as Mm, Space};
use crate::drawing::Layer;
use crate::ui::Cx;
use crate::ui::chassis::view::View;

/// Millimetres between two outlined things that share one outline.
const CLOSE: f64 = 12.0;
/// Millimetres kept around what presenter mode shows, and beside the board where lanes are drawn.
const AROUND: f64 = 24.0;
const LANES: f64 = 190.0;

/// Outlines the parts and places that the present step names.
pub(in crate::ui) fn outline_ui(ui: &Ui, cx: &Cx<'_>, view: &View) {
    for mm in joined(named(cx)) {
        mark(ui, cx, view.rect(&mm));
    }
}

/// Millimetres of everything that the present step names.
fn named(cx: &Cx<'_>) -> Vec<Mm> {
    let Some(step) = cx.lesson.filter(|r| r.exploring.is_none()).and_then(|r| r.step()) else { return Vec::new() };
    let space = &cx.session.report().facts.space;
    let seats = step.look.parts.iter().filter_map(|p| space.seat(*p)).flat_map(|s| std::iter::once(s.rect).chain(s.also.iter().copied()));
    let places = step.look.slots.iter().filter_map(|s| space.place(s)).flat_map(|p| std::iter::once(p.rect).chain(p.also.iter().copied()));
    seats.chain(places).collect()
}

/// Neighbours share an outline, so that none runs across another's name.
fn joined(mut rects: Vec<Mm>) -> Vec<Mm> {
    let mut out: Vec<Mm> = Vec::new();
    while let Some(mut rect) = rects.pop() {
        let near = |r: &Mm| Mm::new(r.x - CLOSE, r.y - CLOSE, r.w + 2.0 * CLOSE, r.h + 2.0 * CLOSE);
        while let Some(n) = out.iter().position(|o| near(o).overlaps(&rect)) {
            rect = rect.union(&out.swap_remove(n));
        }
        out.push(rect);
    }
    out
}

/// What presenter mode fits into its view: the board with its cards and what the step names, large enough to be read from afar.
pub(in crate::ui) fn focus(cx: &Cx<'_>) -> Option<Mm> {
    let run = cx.lesson.filter(|r| r.presenting)?;
    let space = &cx.session.report().facts.space;
    Some(if run.exploring.is_some() { space.bounds } else { around(space, cx.prefs.layer, named(cx)) })
}

/// The board with its cards and these things.
pub(super) fn around(space: &Space, layer: Layer, things: Vec<Mm>) -> Mm {
    let board = space.board.unwrap_or(space.case);
    let board = if layer == Layer::Lanes { Mm::new(board.x, board.y, board.w + LANES, board.h) } else { board };
    let cards = space.cards.iter().filter_map(|c| space.seat(c.placement)).map(|s| s.rect);
    let shown = cards.chain(things).fold(board, |a, b| a.union(&b));
    Mm::new(shown.x - AROUND, shown.y - AROUND, shown.w + 2.0 * AROUND, shown.h + 2.0 * AROUND)
}

/// Two lines, so that it stands out from an edge of any colour.
fn mark(ui: &Ui, cx: &Cx<'_>, rect: Rect) {
    let painter = ui.painter();
    painter.rect_stroke(rect.expand(3.0), 6.0, Stroke::new(5.0, cx.tokens.background), StrokeKind::Outside);
    painter.rect_stroke(rect.expand(3.5), 6.0, Stroke::new(2.6, cx.tokens.advice), StrokeKind::Outside);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_an_outline() {
        let rects = vec![
            Mm::new(0.0, 0.0, 100.0, 40.0),
            Mm::new(0.0, 46.0, 100.0, 40.0),
            Mm::new(0.0, 92.0, 100.0, 40.0),
            Mm::new(300.0, 0.0, 9.0, 9.0),
        ];
        let mut out = joined(rects);
        out.sort_by(|a, b| a.x.total_cmp(&b.x));
        assert_eq!(out, [Mm::new(0.0, 0.0, 100.0, 132.0), Mm::new(300.0, 0.0, 9.0, 9.0)]);
    }
}
