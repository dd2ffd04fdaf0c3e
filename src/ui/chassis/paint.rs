//! Paints a drawing's shapes.

use eframe::egui::text::{LayoutJob, TextFormat};
use eframe::egui::{Align2, Color32, CornerRadius, FontId, Painter, Pos2, Rect, Shape as Paint, Stroke as Pen, StrokeKind, vec2};

use super::view::View;
use crate::drawing::svg::{FONT_OF_LINE, arrow_head};
use crate::drawing::{Anchor, Drawing, Role, Shape, Stroke};
use crate::ui::theme::{Tokens, regular, semibold};

/// Smallest and largest text on the chassis, points.
const TEXT: (f32, f32) = (9.5, 15.0);

fn pen(stroke: Stroke, tokens: &Tokens) -> Pen {
    Pen::new(stroke.width, tokens.role(stroke.role))
}

/// All shapes, back to front.
pub fn drawing(painter: &Painter, drawing: &Drawing, view: &View, tokens: &Tokens) {
    for piece in &drawing.pieces {
        match &piece.shape {
            Shape::Rect { rect, corner_mm, fill, stroke } => {
                let corner = CornerRadius::from((*corner_mm as f32 * view.scale()).min(12.0));
                boxed(painter, view.rect(rect), corner, fill.map(|f| tokens.role(f)), *stroke, tokens);
            }
            Shape::Circle { center, radius_mm, fill, stroke } => {
                let fill = fill.map_or(Color32::TRANSPARENT, |f| tokens.role(f));
                let stroke = stroke.map_or(Pen::NONE, |s| pen(s, tokens));
                painter.circle(view.pos(*center), *radius_mm as f32 * view.scale(), fill, stroke);
            }
            Shape::Line { points, stroke, arrow } => line(painter, points, *stroke, *arrow, view, tokens),
            Shape::Text { .. } => text(painter, &piece.shape, view, tokens),
            Shape::Tag { .. } => tag(painter, &piece.shape, view, tokens),
        }
    }
}

fn boxed(painter: &Painter, rect: Rect, corner: CornerRadius, fill: Option<Color32>, stroke: Option<Stroke>, tokens: &Tokens) {
    if let Some(fill) = fill {
        painter.rect_filled(rect, corner, fill);
    }
    let Some(stroke) = stroke else { return };
    if stroke.dashed {
        dashed_rect(painter, rect, pen(stroke, tokens));
    } else {
        painter.rect_stroke(rect, corner, pen(stroke, tokens), StrokeKind::Inside);
    }
}

/// A dashed outline.
pub fn dashed_rect(painter: &Painter, rect: Rect, pen: Pen) {
    let r = rect.shrink(pen.width / 2.0);
    let corners = [r.left_top(), r.right_top(), r.right_bottom(), r.left_bottom(), r.left_top()];
    painter.extend(Paint::dashed_line(&corners, pen, 5.0, 3.5));
}

fn line(painter: &Painter, points: &[(f64, f64)], stroke: Stroke, arrow: bool, view: &View, tokens: &Tokens) {
    let path: Vec<Pos2> = points.iter().map(|p| view.pos(*p)).collect();
    let pen = pen(stroke, tokens);
    if stroke.dashed {
        painter.extend(Paint::dashed_line(&path, pen, 4.0, 3.0));
    } else {
        painter.add(Paint::line(path, pen));
    }
    if let (true, [.., from, tip]) = (arrow, points) {
        let (a, b, c) = arrow_head(*from, *tip, 7.0);
        let head = [a, b, c].map(|p| view.pos(p)).to_vec();
        painter.add(Paint::convex_polygon(head, pen.color, Pen::NONE));
    }
}

fn text(painter: &Painter, shape: &Shape, view: &View, tokens: &Tokens) {
    let Shape::Text { at, text, size_mm, strong, role, anchor, room_mm } = shape else { return };
    let size = (*size_mm * FONT_OF_LINE) as f32 * view.scale();
    let room = *room_mm as f32 * view.scale();
    // Too small to read even enlarged: names go last, and the hover text says the rest.
    let least = TEXT.0 * if *strong { 0.42 } else { 0.62 };
    if size < least || room < 8.0 {
        return;
    }
    let size = size.clamp(TEXT.0, TEXT.1);
    let font = if *strong { semibold(size) } else { regular(size) };
    one_line(painter, view.pos(*at), align_of(*anchor), text, font, tokens.role(*role), room);
}

const fn align_of(anchor: Anchor) -> Align2 {
    match anchor {
        Anchor::LeftTop => Align2::LEFT_TOP,
        Anchor::LeftMiddle => Align2::LEFT_CENTER,
        Anchor::Center => Align2::CENTER_CENTER,
        Anchor::RightMiddle => Align2::RIGHT_CENTER,
        Anchor::CenterTop => Align2::CENTER_TOP,
    }
}

/// A text on a plate of its own width; too small to read, it goes.
fn tag(painter: &Painter, shape: &Shape, view: &View, tokens: &Tokens) {
    let Shape::Tag { at, text, size_mm, edge, anchor } = shape else { return };
    let size = (*size_mm * FONT_OF_LINE) as f32 * view.scale();
    if size < TEXT.0 * 0.5 {
        return;
    }
    let font = semibold(size.clamp(TEXT.0, TEXT.1));
    let color = tokens.role(Role::Label);
    let galley = painter.layout_no_wrap(text.clone(), font, color);
    let plate = align_of(*anchor).anchor_size(view.pos(*at), vec2(galley.size().x + 10.0, galley.size().y + 2.0));
    painter.rect(plate, plate.height() / 2.0, tokens.role(Role::Background), Pen::new(1.3, tokens.role(*edge)), StrokeKind::Inside);
    painter.galley(plate.center() - galley.size() / 2.0, galley, color);
}

/// One line of text, cut with "…" at `room`; returns its box.
pub fn one_line(painter: &Painter, at: Pos2, align: Align2, text: &str, font: FontId, color: Color32, room: f32) -> Rect {
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, color));
    job.wrap.max_width = room;
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    let galley = painter.layout_job(job);
    let rect = align.anchor_size(at, galley.size());
    painter.galley(rect.min, galley, color);
    rect
}

/// A label on a plate, for the consequence of a drop; kept inside the painter's clip. Returns its box.
pub fn plate(painter: &Painter, at: Pos2, lines: &[(&str, Color32)], edge: Color32, tokens: &Tokens) -> Rect {
    let galleys: Vec<_> = lines.iter().map(|(text, color)| painter.layout((*text).to_owned(), semibold(12.5), *color, 300.0)).collect();
    let width = galleys.iter().map(|g| g.size().x).fold(0.0, f32::max);
    let height: f32 = galleys.iter().map(|g| g.size().y + 2.0).sum();
    let size = vec2(width + 18.0, height + 12.0);
    let clip = painter.clip_rect().shrink(4.0);
    let min = at.max(clip.min).min((clip.max - size).max(clip.min));
    let rect = Rect::from_min_size(min, size);
    painter.rect(rect, 6.0, tokens.role(Role::Raised), Pen::new(1.2, edge), StrokeKind::Inside);
    let mut y = rect.top() + 6.0;
    for (galley, (_, color)) in galleys.into_iter().zip(lines) {
        let height = galley.size().y;
        painter.galley(Pos2::new(rect.left() + 9.0, y), galley, *color);
        y += height + 2.0;
    }
    rect
}
