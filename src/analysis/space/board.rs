//! Places on the board: slot lines, sockets, memory slots.

use super::{Position, Rect};
use crate::catalog::Catalog;
use crate::catalog::part::Board;
use crate::catalog::vocab::ConnectorKind;

/// Opening of each slot connector, in the order of the board's list; not whole where it had to be interpolated.
pub(super) fn openings(catalog: &Catalog, board: &Board) -> Vec<(String, f64, Position)> {
    let mut slots: Vec<_> = board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie).collect();
    slots.sort_by_key(|c| c.opening.or(c.order).unwrap_or(u8::MAX));
    let form = board.form_factor.map_or_else(|| "ATX".to_owned(), |f| f.to_string());
    let last = catalog.templates.get(&format!("board.{form}.openings")).unwrap_or(7.0).max(1.0);
    let known: Vec<(usize, f64)> = slots.iter().enumerate().filter_map(|(n, c)| Some((n, f64::from(c.opening?)))).collect();
    let end = slots.len().saturating_sub(1);
    slots
        .iter()
        .enumerate()
        .map(|(n, c)| match c.opening {
            Some(opening) => (c.label.clone(), f64::from(opening), Position::Known),
            None => {
                let before = known.iter().rev().find(|(at, _)| *at < n).copied().unwrap_or((0, 1.0_f64.min(last)));
                let after = known.iter().find(|(at, _)| *at > n).copied().unwrap_or((end, last));
                let share = if after.0 > before.0 { (n - before.0) as f64 / (after.0 - before.0) as f64 } else { 0.0 };
                (c.label.clone(), before.1 + share * (after.1 - before.1), Position::OrderOnly)
            }
        })
        .collect()
}

/// y of the card plane of an opening.
pub(super) fn slot_line(catalog: &Catalog, board: Rect, opening: f64) -> f64 {
    let t = &catalog.templates;
    board.y + t.mm("slots.first_line_mm") + (opening - 1.0) * t.mm("slots.pitch_mm")
}

/// Box of a slot connector.
pub(super) fn connector_rect(catalog: &Catalog, board: Rect, opening: f64, size: Option<u8>) -> Rect {
    let t = &catalog.templates;
    let length = match size {
        Some(0..=1) => t.mm("slots.connector_length_x1_mm"),
        Some(2..=4) => t.mm("slots.connector_length_x4_mm"),
        Some(5..=8) => t.mm("slots.connector_length_x8_mm"),
        _ => t.mm("slots.connector_length_x16_mm"),
    };
    let thick = t.mm("slots.connector_width_mm");
    Rect::new(board.x + t.mm("slots.connector_start_mm"), slot_line(catalog, board, opening) - thick / 2.0, length, thick)
}

/// Box of CPU socket `n` (from 1).
pub(super) fn socket_rect(catalog: &Catalog, frame: Rect, board: &Board, n: u8) -> Rect {
    let t = &catalog.templates;
    let Some(zone) = t.zone(board.socket, board.socket_count.unwrap_or(1)) else {
        return Rect::new(frame.x + 90.0, frame.y + 50.0, 70.0, 70.0);
    };
    let (u, v) = if n >= 2 { ("socket2_u_mm", "socket2_v_mm") } else { ("socket_u_mm", "socket_v_mm") };
    let (w, h) = (t.zone_mm(zone, "socket_w_mm"), t.zone_mm(zone, "socket_h_mm"));
    Rect::new(frame.x + t.zone_mm(zone, u) - w / 2.0, frame.y + t.zone_mm(zone, v) - h / 2.0, w, h)
}

/// Boxes of the memory slots in the order in which kits fill them: zones take turns, so that both sides fill evenly.
pub(super) fn dimm_rects(catalog: &Catalog, frame: Rect, board: &Board) -> Vec<Rect> {
    let t = &catalog.templates;
    let Some(zone) = t.zone(board.socket, board.socket_count.unwrap_or(1)) else { return Vec::new() };
    let count = usize::from(board.dimm_slots.unwrap_or(4));
    let sides = zone.dimms.len().max(1);
    let used = if sides > 1 && count <= 4 && zone.upright { 1 } else { sides };
    let per_side = count.div_ceil(used);
    let mut boxes: Vec<(usize, usize, Rect)> = Vec::new();
    for (side, z) in zone.dimms.iter().rev().take(used).enumerate() {
        for n in 0..per_side.min(count.saturating_sub(side * per_side)) {
            boxes.push((n, side, dimm_in(z, n, per_side, zone.upright, frame)));
        }
    }
    boxes.sort_by_key(|b| (b.0, b.1));
    boxes.into_iter().map(|b| b.2).collect()
}

fn dimm_in(z: &crate::catalog::templates::ZoneRect, n: usize, of: usize, upright: bool, frame: Rect) -> Rect {
    let share = |length: f64| (length / of.max(1) as f64, length / of.max(1) as f64 * 0.62);
    if upright {
        let (pitch, thick) = share(z.w);
        Rect::new(frame.x + z.u + n as f64 * pitch, frame.y + z.v.max(2.0), thick, z.h)
    } else {
        let (pitch, thick) = share(z.h);
        Rect::new(frame.x + z.u, frame.y + z.v.max(2.0) + n as f64 * pitch, z.w, thick)
    }
}
