//! Where everything is, in millimetres, seen from the side: x from the rear of the case to the front, y from the roof down.

use crate::build::slots::Slot;
use crate::build::{PlacementId, SlotId};

mod board;
mod cards;
mod frame;
mod layout;

pub use cards::{body_size, card_body};
pub use layout::space;

/// An axis-parallel box, millimetres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Rect {
    pub const fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }
    pub fn right(&self) -> f64 {
        self.x + self.w
    }
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }
    pub fn center(&self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }
    pub fn union(&self, o: &Self) -> Self {
        let (x, y) = (self.x.min(o.x), self.y.min(o.y));
        Self { x, y, w: self.right().max(o.right()) - x, h: self.bottom().max(o.bottom()) - y }
    }
    pub fn overlaps(&self, o: &Self) -> bool {
        self.x < o.right() && o.x < self.right() && self.y < o.bottom() && o.y < self.bottom()
    }
}

/// Whether a place on the drawing is where the thing really is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// From the board's or case's own facts.
    Known,
    /// From a template of the form factor.
    Assumed,
    /// Only the order of the slots is known; distances mean nothing.
    OrderOnly,
    /// Shown in the numbered strip beside the case: behind the tray or in depth.
    Strip(u16),
}

/// A placed part on the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Seat {
    pub placement: PlacementId,
    pub rect: Rect,
    /// Further boxes of the same part: the other modules of a memory kit.
    pub also: Vec<Rect>,
    pub position: Position,
    /// Fields whose values came from a template: `length_mm`.
    pub assumed: Vec<&'static str>,
}

/// A place on the drawing, filled or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub slot: Slot,
    pub rect: Rect,
    /// Further boxes of the same place: the other memory slots.
    pub also: Vec<Rect>,
    pub position: Position,
    /// The card that covers this free slot.
    pub covered_by: Option<PlacementId>,
}

/// A card in a slot, and what lies below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub placement: PlacementId,
    pub slot: SlotId,
    /// Case opening, 1 nearest the CPU; `None` = unknown.
    pub opening: Option<u8>,
    pub length_mm: Option<f64>,
    pub thickness_mm: Option<f64>,
    pub thickness_assumed: bool,
    /// The next card below and the free air between the two; the gap is `None` where a place or thickness is unknown. Negative = overlap.
    pub below: Option<(PlacementId, Option<f64>)>,
    /// Openings it covers, counted from its own.
    pub openings: Option<u8>,
}

/// Geometry of the whole rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    /// Inside of the case; a bench without one.
    pub case: Rect,
    pub case_known: bool,
    /// Height of the PSU cover's top edge from the roof, if there is one.
    pub shroud_y: Option<f64>,
    pub board: Option<Rect>,
    pub seats: Vec<Seat>,
    pub places: Vec<Place>,
    /// Top to bottom.
    pub cards: Vec<Card>,
    /// Everything drawn, strip included.
    pub bounds: Rect,
}

impl Space {
    pub fn seat(&self, id: PlacementId) -> Option<&Seat> {
        self.seats.iter().find(|s| s.placement == id)
    }
    pub fn place(&self, id: &SlotId) -> Option<&Place> {
        self.places.iter().find(|p| p.slot.id == *id)
    }
    pub fn card(&self, id: PlacementId) -> Option<&Card> {
        self.cards.iter().find(|c| c.placement == id)
    }
}
