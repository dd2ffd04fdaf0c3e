//! Cards in slots: their boxes, and the free air between neighbours.

use super::{Card, Place, Position, Rect, Seat, Space};
use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::catalog::vocab::GpuCooler;

/// Length, height and thickness of a card in mm, and which of them are a template's.
#[derive(Clone, Debug)]
pub(super) struct CardSize {
    pub length: f64,
    pub thickness: f64,
    pub assumed: Vec<&'static str>,
}

fn cooler_key(gpu: &Gpu) -> &'static str {
    match gpu.cooler {
        Some(GpuCooler::Blower) => "blower",
        Some(GpuCooler::FlowThrough) => "flow_through",
        Some(GpuCooler::Passive) => "passive",
        Some(GpuCooler::Hybrid) => "hybrid",
        Some(GpuCooler::Water) => "water",
        Some(GpuCooler::OpenAir) | None => "open_air",
    }
}

/// Thickness that a count of slot places implies.
pub(super) fn thickness_of_slots(catalog: &Catalog, slots: f64) -> f64 {
    let half = (slots * 2.0).round().clamp(2.0, 8.0);
    let key = if half % 2.0 == 0.0 { format!("{:.0}", half / 2.0) } else { format!("{:.0}_5", (half - 1.0) / 2.0) };
    catalog.templates.mm(&format!("gpu.thickness_{key}_slot_mm"))
}

pub(super) fn card_size(catalog: &Catalog, part: &Part) -> CardSize {
    let t = &catalog.templates;
    let one_slot = thickness_of_slots(catalog, 1.0);
    let PartKind::Gpu(gpu) = &part.kind else {
        let length = match &part.kind {
            PartKind::Carrier(c) => c.length_mm,
            _ => None,
        };
        return CardSize { length: length.unwrap_or(167.65), thickness: one_slot, assumed: vec!["length_mm", "thickness_mm"] };
    };
    let mut assumed = Vec::new();
    let mut or = |value: Option<f64>, field: &'static str, template: f64| {
        if part.is_assumed(field) || value.is_none() {
            assumed.push(field);
        }
        value.unwrap_or(template)
    };
    let length = or(gpu.length_mm, "length_mm", t.mm(&format!("gpu.length_{}_mm", cooler_key(gpu))));
    // A thickness that is only slots times the pitch says no more than the count of slots does.
    let stated = gpu.thickness_mm.filter(|_| !part.is_assumed("thickness_mm") || gpu.slots.is_none());
    let thickness = or(stated, "thickness_mm", thickness_of_slots(catalog, gpu.slots.unwrap_or(2.0)));
    CardSize { length, thickness, assumed }
}

/// Box of a card whose plane is at `line`: from the rear sheet forwards, hanging below its plane.
pub(super) fn card_rect(catalog: &Catalog, board: Rect, line: f64, size: &CardSize) -> Rect {
    let t = &catalog.templates;
    Rect::new(board.x + t.mm("slots.rear_plane_mm"), line - t.mm("gpu.above_line_mm"), size.length, size.thickness)
}

/// A seated card before its neighbours are known.
pub(super) struct Seated<'a> {
    pub placement: PlacementId,
    pub slot: SlotId,
    pub part: &'a Part,
    pub opening: Option<u8>,
}

/// Cards from top to bottom with the gap below each.
pub(super) fn neighbours(mut seated: Vec<Seated<'_>>, seats: &[Seat]) -> Vec<Card> {
    let seat = |id: PlacementId| seats.iter().find(|s| s.placement == id);
    seated.sort_by(|a, b| {
        let y = |s: &Seated<'_>| seat(s.placement).map_or(0.0, |x| x.rect.y);
        y(a).total_cmp(&y(b)).then(a.placement.cmp(&b.placement))
    });
    let below: Vec<Option<(PlacementId, Option<f64>)>> = seated
        .iter()
        .zip(seated.iter().skip(1).map(Some).chain([None]))
        .map(|(card, next)| {
            let next = next?;
            let (upper, lower) = (seat(card.placement)?, seat(next.placement)?);
            let known = upper.position == Position::Known && lower.position == Position::Known && thickness_stated(card.part);
            Some((next.placement, known.then(|| lower.rect.y - upper.rect.bottom())))
        })
        .collect();
    seated.into_iter().zip(below).map(|(s, below)| card(s, below, seats)).collect()
}

fn thickness_stated(part: &Part) -> bool {
    match &part.kind {
        PartKind::Gpu(gpu) => gpu.thickness_mm.is_some() || gpu.slots.is_some(),
        _ => true,
    }
}

fn card(s: Seated<'_>, below: Option<(PlacementId, Option<f64>)>, seats: &[Seat]) -> Card {
    let seat = seats.iter().find(|x| x.placement == s.placement);
    let assumed = |field: &str| seat.is_some_and(|x| x.assumed.contains(&field));
    let stated = thickness_stated(s.part);
    let slots = match &s.part.kind {
        PartKind::Gpu(gpu) => gpu.slots.or_else(|| gpu.thickness_mm.map(|t| (t + 1.6) / 20.32)),
        _ => Some(1.0),
    };
    Card {
        placement: s.placement,
        slot: s.slot,
        opening: s.opening,
        length_mm: seat.filter(|_| !assumed("length_mm")).map(|x| x.rect.w),
        thickness_mm: seat.filter(|_| stated).map(|x| x.rect.h),
        thickness_assumed: assumed("thickness_mm"),
        below,
        openings: slots.map(|n| n.ceil() as u8),
    }
}

/// Box of a card if it sat in a slot of the board; `None` for what is no card and for slots off the board.
pub fn card_body(catalog: &Catalog, space: &Space, part: &Part, place: &Place) -> Option<Rect> {
    let card = matches!(part.kind, PartKind::Gpu(_) | PartKind::Nic(_) | PartKind::Carrier(_));
    let board = space.board.filter(|_| card && !matches!(place.position, Position::Strip(_)))?;
    let line = place.rect.y + place.rect.h / 2.0;
    Some(card_rect(catalog, board, line, &card_size(catalog, part)))
}

/// Width and height of a part as the side view shows it, mm, for what is dragged; `None` where that depends on its place.
pub fn body_size(catalog: &Catalog, part: &Part) -> Option<(f64, f64)> {
    let t = &catalog.templates;
    match &part.kind {
        PartKind::Gpu(_) | PartKind::Nic(_) | PartKind::Carrier(_) => {
            let size = card_size(catalog, part);
            Some((size.length, size.thickness))
        }
        PartKind::Board(b) => {
            let form = b.form_factor.map_or("ATX", |f| f.text());
            let template = |key: &str| t.mm(&format!("board.{form}.{key}"));
            Some((b.depth_mm.unwrap_or_else(|| template("depth_mm")), b.height_mm.unwrap_or_else(|| template("height_mm"))))
        }
        PartKind::Case(c) => Some((c.depth_mm?, c.height_mm?)),
        PartKind::Psu(p) => {
            let form = p.form.map_or("ATX", |f| f.text());
            let template = |key: &str| t.mm(&format!("psu.{form}.{key}"));
            Some((p.length_mm.unwrap_or_else(|| template("length_mm")), template("height_mm")))
        }
        PartKind::Fan(f) => Some((t.mm("fan.thickness_mm"), f.size_mm?)),
        PartKind::Cpu(_) | PartKind::Cooler(_) | PartKind::Ram(_) | PartKind::Drive(_) | PartKind::Riser(_) | PartKind::Bridge(_) => None,
    }
}
