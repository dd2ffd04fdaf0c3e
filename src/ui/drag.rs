//! What is carried while something is dragged: one type per meaning, so that drops cannot be confused.

use eframe::egui::{self, Align2, DragAndDrop, Id, LayerId, Order, StrokeKind, vec2};

use super::Cx;
use super::theme;
use crate::build::PlacementId;
use crate::catalog::part::PartId;

/// A part of the catalog on its way into the rig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DragPart(pub PartId);

/// A placed part on its way to another place or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragPlacement(pub PlacementId);

/// The name of what is dragged, if anything is.
pub fn dragged_name(ctx: &egui::Context, cx: &Cx<'_>) -> Option<String> {
    let catalog = cx.session.catalog();
    let name = |id: &PartId| catalog.part(id).map(|p| p.short_name().to_owned());
    if let Some(part) = DragAndDrop::payload::<DragPart>(ctx) {
        return name(&part.0);
    }
    let placement = DragAndDrop::payload::<DragPlacement>(ctx)?;
    name(&cx.session.project().rig.placement(placement.0)?.part)
}

/// A label at the pointer while something is dragged outside the chassis, which paints its own ghost.
pub fn ghost_ui(ctx: &egui::Context, cx: &Cx<'_>, chassis: egui::Rect) {
    let Some(name) = dragged_name(ctx, cx) else { return };
    let Some(at) = ctx.pointer_latest_pos().filter(|p| !chassis.contains(*p)) else { return };
    let painter = ctx.layer_painter(LayerId::new(Order::Tooltip, Id::unique("drag-ghost")));
    let galley = painter.layout_no_wrap(name, theme::semibold(13.0), cx.tokens.text);
    let rect = egui::Rect::from_min_size(at + vec2(14.0, 6.0), galley.size() + vec2(20.0, 12.0));
    painter.rect(rect, 6.0, cx.tokens.raised, egui::Stroke::new(1.5, cx.tokens.accent), StrokeKind::Inside);
    let text_at = Align2::LEFT_CENTER.align_size_within_rect(galley.size(), rect.shrink2(vec2(10.0, 0.0))).min;
    painter.galley(text_at, galley, cx.tokens.text);
}
