//! Small pictures of parts, true to scale within their kind: a card twice as long is twice as long.

use eframe::egui::{Painter, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};

use super::theme::Tokens;
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::catalog::templates::Templates;
use crate::catalog::vocab::GpuCooler;
use crate::drawing::Role;

/// Points that a thumbnail may take.
pub(super) const WIDTH: f32 = 54.0;
pub(super) const HEIGHT: f32 = 30.0;

/// Paints a part into a box of [`WIDTH`] by [`HEIGHT`] that starts at `at`.
pub(super) fn paint(painter: &Painter, t: &Tokens, templates: &Templates, part: &Part, at: Pos2) {
    let area = Rect::from_min_size(at, vec2(WIDTH, HEIGHT));
    match &part.kind {
        PartKind::Gpu(gpu) => card(painter, t, gpu, area),
        PartKind::Case(c) => {
            let size = (c.depth_mm.unwrap_or(450.0), c.height_mm.unwrap_or(450.0));
            plain(painter, t, area, size, 0.05, Role::CaseInside, Role::CaseWall);
        }
        PartKind::Board(b) => {
            let size = b.form_factor.map(|f| f.text()).unwrap_or("ATX");
            let of = |field: Option<f64>, key: &str, or: f64| field.or_else(|| templates.get(&format!("board.{size}.{key}"))).unwrap_or(or);
            let size = (of(b.depth_mm, "depth_mm", 244.0), of(b.height_mm, "height_mm", 305.0));
            plain(painter, t, area, size, 0.09, Role::Board, Role::BoardEdge);
        }
        PartKind::Psu(p) => plain(painter, t, area, (p.length_mm.unwrap_or(150.0), 86.0), 0.3, Role::Psu, Role::CaseWall),
        PartKind::Cooler(c) => {
            let size = c.radiator_mm.map_or((c.height_mm.unwrap_or(155.0), 120.0), |r| (r, 120.0));
            plain(painter, t, area, size, 0.15, Role::Cooler, Role::CardEdge);
        }
        PartKind::Fan(f) => fan(painter, t, area, f.size_mm.unwrap_or(120.0)),
        PartKind::Ram(r) => plain(painter, t, area, (133.0, r.height_mm.unwrap_or(32.0)), 0.3, Role::Ram, Role::BoardEdge),
        PartKind::Cpu(_) => plain(painter, t, area, (45.0, 45.0), 0.6, Role::Socket, Role::CardEdge),
        PartKind::Drive(d) => {
            use crate::catalog::vocab::DriveForm as F;
            let size = match d.form {
                Some(F::Inch35) => (147.0, 102.0),
                Some(F::Inch25 | F::U2) => (100.0, 70.0),
                Some(F::M2_22110) => (110.0, 22.0),
                Some(F::M2_2230) => (30.0, 22.0),
                Some(F::AddIn) => (167.0, 69.0),
                _ => (80.0, 22.0),
            };
            plain(painter, t, area, size, 0.28, Role::Drive, Role::CardEdge);
        }
        PartKind::Nic(_) => plain(painter, t, area, (167.0, 69.0), 0.4, Role::Card, Role::CardEdge),
        PartKind::Riser(r) => plain(painter, t, area, (r.length_mm.unwrap_or(200.0), 40.0), 0.18, Role::Card, Role::CardEdge),
        PartKind::Carrier(c) => plain(painter, t, area, (c.length_mm.unwrap_or(200.0), 111.0), 0.24, Role::Card, Role::CardEdge),
        PartKind::Bridge(_) => plain(painter, t, area, (80.0, 30.0), 0.4, Role::Card, Role::Accent),
    }
}

fn plain(painter: &Painter, t: &Tokens, area: Rect, (w, h): (f64, f64), scale: f32, fill: Role, edge: Role) {
    let scale = scale * 0.75;
    let size = vec2((w as f32 * scale).min(WIDTH), (h as f32 * scale).min(HEIGHT));
    let rect = Rect::from_min_size(pos2(area.left(), area.center().y - size.y / 2.0), size);
    painter.rect(rect, 2.0, t.role(fill), Stroke::new(1.0, t.role(edge)), StrokeKind::Inside);
}

/// A card from its edge: length and thickness, and its fans.
fn card(painter: &Painter, t: &Tokens, gpu: &Gpu, area: Rect) {
    const SCALE: f32 = 0.15;
    let thickness = gpu.thickness_mm.or_else(|| gpu.slots.map(|s| s * 20.32 - 2.0)).unwrap_or(38.0) as f32;
    let length = gpu.length_mm.unwrap_or(267.0) as f32;
    let size = vec2((length * SCALE).min(WIDTH), (thickness * SCALE * 2.1).clamp(6.0, HEIGHT));
    let rect = Rect::from_min_size(pos2(area.left(), area.center().y - size.y / 2.0), size);
    painter.rect(rect, 2.0, t.role(Role::Card), Stroke::new(1.0, t.role(Role::CardEdge)), StrokeKind::Inside);
    painter.rect_filled(Rect::from_min_max(rect.min, pos2(rect.left() + 3.0, rect.bottom())), 1.0, t.role(Role::Bracket));
    let radius = (size.y / 2.0 - 2.5).max(1.5);
    let fans: &[f32] = match gpu.cooler {
        Some(GpuCooler::Blower) => &[0.85],
        Some(GpuCooler::FlowThrough) => &[0.25, 0.75],
        Some(GpuCooler::Passive | GpuCooler::Water | GpuCooler::Hybrid) => &[],
        Some(GpuCooler::OpenAir) | None if length < 210.0 => &[0.5],
        Some(GpuCooler::OpenAir) | None if length < 270.0 => &[0.3, 0.7],
        Some(GpuCooler::OpenAir) | None => &[0.22, 0.5, 0.78],
    };
    for share in fans {
        let center = pos2(rect.left() + 3.0 + (rect.width() - 3.0) * share, rect.center().y);
        painter.circle_stroke(center, radius.min(rect.width() / 7.0), Stroke::new(1.0, t.role(Role::CardFan)));
    }
}

fn fan(painter: &Painter, t: &Tokens, area: Rect, size: f64) {
    let side = (size as f32 * 0.2).min(HEIGHT);
    let rect = Rect::from_min_size(pos2(area.left(), area.center().y - side / 2.0), vec2(side, side));
    painter.rect(rect, 3.0, t.role(Role::Fan), Stroke::new(1.0, t.role(Role::Mount)), StrokeKind::Inside);
    painter.circle_stroke(rect.center(), side / 2.0 - 3.0, Stroke::new(1.0, t.role(Role::CardFan)));
}
