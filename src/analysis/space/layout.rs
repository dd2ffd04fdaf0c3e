//! Puts everything in its place.

use super::board::{connector_rect, dimm_rects, openings, slot_line, socket_rect};
use super::cards::{Seated, card_rect, card_size, neighbours};
use super::frame::{Frame, Strip, case_of, frame, mount};
use super::{Place, Position, Rect, Seat, Space};
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{Build, Host, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Cooler, Part, PartKind};
use crate::catalog::vocab::{ConnectorKind, CoolerKind};

/// Lays the rig out. Closed forms only; microseconds.
pub fn space(catalog: &Catalog, build: &Build) -> Space {
    let mut at = Layout::new(catalog, build);
    let slots = slots(catalog, build);
    let (strip, shown): (Vec<Slot>, Vec<Slot>) = slots.into_iter().partition(|s| at.in_strip(s));
    for slot in shown {
        at.seat_slot(slot);
    }
    at.cover_free_slots();
    let right = at.space.seats.iter().map(|s| s.rect.right()).fold(0.0, f64::max);
    at.strip = Strip::new(&at.frame, right);
    for slot in strip {
        at.strip_slot(slot);
    }
    at.finish()
}

struct Layout<'a> {
    catalog: &'a Catalog,
    build: &'a Build,
    frame: Frame,
    board: Option<(PlacementId, &'a Board)>,
    /// Opening of each slot label.
    openings: Vec<(String, f64, Position)>,
    cards: Vec<Seated<'a>>,
    strip: Strip,
    space: Space,
    /// Kinds of free strip places already shown once.
    shown_free: Vec<SlotKind>,
}

impl<'a> Layout<'a> {
    fn new(catalog: &'a Catalog, build: &'a Build) -> Self {
        let frame = frame(catalog, build);
        let found = build.part_in(catalog, &SlotId::rig("board"));
        let board = found.and_then(|(id, p)| if let PartKind::Board(b) = &p.kind { Some((id, b)) } else { None });
        let space = Space {
            case: frame.case,
            case_known: frame.case_known,
            shroud_y: frame.shroud_y,
            board: board.map(|_| frame.board),
            ..Space::default()
        };
        let openings = board.map_or_else(Vec::new, |(_, b)| openings(catalog, b));
        let strip = Strip::new(&frame, 0.0);
        Self { catalog, build, frame, board, openings, cards: Vec::new(), strip, space, shown_free: Vec::new() }
    }

    fn part(&self, id: PlacementId) -> Option<&'a Part> {
        self.catalog.part(&self.build.placement(id)?.part)
    }

    fn on_board(&self, slot: &Slot) -> bool {
        self.board.is_some_and(|(id, _)| slot.id.host == Host::Part(id))
    }

    /// Whether a side view cannot show the place.
    fn in_strip(&self, slot: &Slot) -> bool {
        match &slot.kind {
            SlotKind::Connector(c) => c.kind != ConnectorKind::Pcie || !self.on_board(slot),
            SlotKind::FanMount { edge, size_mm } => mount(&self.frame, *edge, 0, 1, f64::from(*size_mm), 25.0).is_none(),
            SlotKind::Bay { .. } | SlotKind::Bridge => true,
            SlotKind::Psu => self.frame.psu_hidden,
            SlotKind::Case | SlotKind::Board | SlotKind::Socket | SlotKind::CoolerSeat | SlotKind::Dimm => false,
        }
    }

    fn strip_slot(&mut self, slot: Slot) {
        if slot.occupants.is_empty() && !matches!(slot.kind, SlotKind::Connector(_) | SlotKind::Psu | SlotKind::Bridge) {
            if self.shown_free.contains(&slot.kind) {
                return;
            }
            self.shown_free.push(slot.kind.clone());
        }
        let (rect, position) = self.strip.next(!slot.occupants.is_empty());
        self.add(slot, rect, Vec::new(), position, |_, _| (rect, Vec::new()));
    }

    /// Adds the place, and a seat for each occupant whose box and template fields `size` tells.
    fn add(
        &mut self,
        slot: Slot,
        rect: Rect,
        also: Vec<Rect>,
        position: Position,
        size: impl Fn(&Self, &'a Part) -> (Rect, Vec<&'static str>),
    ) {
        for &id in &slot.occupants {
            let Some(part) = self.part(id) else { continue };
            let (rect, assumed) = size(self, part);
            self.space.seats.push(Seat { placement: id, rect, also: Vec::new(), position, assumed });
        }
        self.space.places.push(Place { slot, rect, also, position, covered_by: None });
    }

    fn seat_slot(&mut self, slot: Slot) {
        let assumed_board = if self.frame.board_known { Position::Known } else { Position::Assumed };
        match slot.kind.clone() {
            SlotKind::Case => {
                let rect = self.frame.case;
                let position = if self.frame.case_known { Position::Known } else { Position::Assumed };
                self.add(slot, rect, Vec::new(), position, |_, _| (rect, Vec::new()));
            }
            SlotKind::Board => {
                let rect = self.frame.board;
                self.add(slot, rect, Vec::new(), assumed_board, |_, _| (rect, Vec::new()));
            }
            SlotKind::Psu => self.seat_psu(slot),
            SlotKind::Socket | SlotKind::CoolerSeat => self.seat_socket(slot),
            SlotKind::Dimm => self.seat_memory(slot),
            SlotKind::Connector(connector) => self.seat_card(slot, connector.size),
            SlotKind::FanMount { edge, size_mm } => self.seat_fan(slot, edge, f64::from(size_mm)),
            SlotKind::Bay { .. } | SlotKind::Bridge => {}
        }
    }

    fn seat_psu(&mut self, slot: Slot) {
        let t = &self.catalog.templates;
        let nth = slot.id.name.trim_start_matches("psu").parse::<f64>().unwrap_or(1.0) - 1.0;
        let (length, height) = (t.mm("psu.ATX.length_mm"), t.mm("psu.ATX.height_mm"));
        let (x, y) = (self.frame.psu.0 + nth * (length + 60.0), self.frame.psu.1);
        let rect = Rect::new(x, y, length, height);
        self.add(slot, rect, Vec::new(), Position::Assumed, move |me, part| {
            let PartKind::Psu(psu) = &part.kind else { return (rect, Vec::new()) };
            let form = psu.form.map_or("ATX", |f| f.text());
            let body = |key: &str| me.catalog.templates.get(&format!("psu.{form}.{key}"));
            let own = psu.length_mm.filter(|_| !part.is_assumed("length_mm"));
            let length = psu.length_mm.or_else(|| body("length_mm")).unwrap_or(length);
            let height_here = body("height_mm").unwrap_or(height);
            let rect = Rect::new(x, y + height - height_here, length, height_here);
            (rect, if own.is_some() { Vec::new() } else { vec!["length_mm"] })
        });
    }

    fn seat_socket(&mut self, slot: Slot) {
        let Some((_, board)) = self.board else { return };
        let n = slot.id.name.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1) as u8;
        let socket = socket_rect(self.catalog, self.frame.board, board, n);
        let seat = slot.kind == SlotKind::CoolerSeat;
        let rect = if seat { Rect::new(socket.x - 8.0, socket.y - 8.0, socket.w + 16.0, socket.h + 16.0) } else { socket };
        let center = socket.center();
        self.add(slot, rect, Vec::new(), Position::Assumed, move |me, part| match &part.kind {
            PartKind::Cooler(cooler) => {
                let (w, h) = cooler_footprint(me.catalog, cooler);
                (Rect::new(center.0 - w / 2.0, center.1 - h / 2.0, w, h), vec!["footprint"])
            }
            _ => (rect, Vec::new()),
        });
    }

    fn seat_memory(&mut self, slot: Slot) {
        let Some((_, board)) = self.board else { return };
        let mut boxes = dimm_rects(self.catalog, self.frame.board, board).into_iter();
        let all: Vec<Rect> = boxes.clone().collect();
        for &id in &slot.occupants {
            let modules = match self.part(id).map(|p| &p.kind) {
                Some(PartKind::Ram(ram)) => usize::from(ram.modules.unwrap_or(1)),
                _ => 1,
            };
            let mut mine = boxes.by_ref().take(modules);
            if let Some(rect) = mine.next() {
                let also = mine.collect();
                self.space.seats.push(Seat { placement: id, rect, also, position: Position::Assumed, assumed: Vec::new() });
            }
        }
        if let Some((&rect, also)) = all.split_first() {
            self.space.places.push(Place { slot, rect, also: also.to_vec(), position: Position::Assumed, covered_by: None });
        }
    }

    fn seat_card(&mut self, slot: Slot, size: Option<u8>) {
        let Some((_, opening, position)) = self.openings.iter().find(|(label, _, _)| **label == *slot.id.name).cloned() else { return };
        let rect = connector_rect(self.catalog, self.frame.board, opening, size);
        let line = slot_line(self.catalog, self.frame.board, opening);
        for &id in &slot.occupants {
            let Some(part) = self.part(id) else { continue };
            if matches!(part.kind, PartKind::Riser(_)) {
                continue;
            }
            let whole = (position == Position::Known).then_some(opening as u8);
            self.cards.push(Seated { placement: id, slot: slot.id.clone(), part, opening: whole });
        }
        self.add(slot, rect, Vec::new(), position, move |me, part| {
            if matches!(part.kind, PartKind::Riser(_)) {
                return (rect, Vec::new());
            }
            let size = card_size(me.catalog, part);
            (card_rect(me.catalog, me.frame.board, line, &size), size.assumed)
        });
    }

    fn seat_fan(&mut self, slot: Slot, edge: crate::catalog::vocab::Edge, size: f64) {
        let mounts = case_of(self.catalog, self.build).and_then(|c| c.mounts.as_ref());
        let count = mounts.and_then(|m| m.iter().find(|m| m.edge == edge)).map_or(1, |m| m.count);
        let nth: usize = slot.id.name.trim_start_matches(edge.text()).parse::<usize>().unwrap_or(1).saturating_sub(1);
        let thick = self.catalog.templates.mm("fan.thickness_mm");
        let Some(rect) = mount(&self.frame, edge, nth, count, size, thick) else { return };
        self.add(slot, rect, Vec::new(), Position::Assumed, move |_, part| {
            let PartKind::Fan(fan) = &part.kind else { return (rect, Vec::new()) };
            let across = fan.size_mm.unwrap_or(size).min(rect.w.max(rect.h));
            let (x, y) = rect.center();
            let own = if rect.w > rect.h {
                Rect::new(x - across / 2.0, rect.y, across, rect.h)
            } else {
                Rect::new(rect.x, y - across / 2.0, rect.w, across)
            };
            (own, Vec::new())
        });
    }

    /// Marks the free slots that a card hides.
    fn cover_free_slots(&mut self) {
        let cards: Vec<(PlacementId, Rect)> =
            self.cards.iter().filter_map(|c| Some((c.placement, self.space.seat(c.placement)?.rect))).collect();
        // Where only the order is known, nobody can say what a card hides.
        let sure = |p: &&mut Place| p.slot.is_pcie() && p.slot.occupants.is_empty() && p.position != Position::OrderOnly;
        for place in self.space.places.iter_mut().filter(sure) {
            let line = place.rect.y + place.rect.h / 2.0;
            place.covered_by = cards.iter().find(|(_, r)| r.y < line && line < r.bottom()).map(|(id, _)| *id);
        }
    }

    fn finish(mut self) -> Space {
        self.space.cards = neighbours(std::mem::take(&mut self.cards), &self.space.seats);
        let boxes = self.space.seats.iter().map(|s| &s.rect).chain(self.space.places.iter().map(|p| &p.rect));
        self.space.bounds = boxes.fold(self.space.case, |all, r| all.union(r));
        self.space
    }
}

/// Footprint of a cooler along the board: w from rear to front, h from top down.
fn cooler_footprint(catalog: &Catalog, cooler: &Cooler) -> (f64, f64) {
    let key = match cooler.kind {
        Some(CoolerKind::DualTower) => "dual-tower",
        Some(CoolerKind::LowProfile) => "low-profile",
        Some(CoolerKind::Server) => "server",
        Some(CoolerKind::Aio) => "aio-block",
        Some(CoolerKind::Block) => "water-block",
        Some(CoolerKind::Tower) | None => "tower",
    };
    (catalog.templates.mm(&format!("cooler.{key}.u_mm")), catalog.templates.mm(&format!("cooler.{key}.v_mm")))
}
