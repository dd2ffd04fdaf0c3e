//! What a drop at the pointer would do: which place is meant, whether it takes the part, and the edit it makes.

use std::collections::BTreeMap;

use eframe::egui::{DragAndDrop, Modifiers, Pos2, Rect, Ui};

use super::view::View;
use crate::analysis::space::{Place, Position, Space};
use crate::build::fit::Fit;
use crate::build::slots::SlotKind;
use crate::build::{PlacementId, SlotId};
use crate::catalog::part::{PartId, PartKind};
use crate::project::edit::Edit;
use crate::search::fill;
use crate::session::Session;
use crate::ui::drag::{DragPart, DragPlacement};
use crate::ui::place_menu::is_for;

/// A drop this near to a place counts as meant for it, points.
const SNAP: f32 = 12.0;
/// What is being dragged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dragged {
    pub part: PartId,
    /// Set where a placed piece is dragged.
    pub piece: Option<PlacementId>,
}

impl Dragged {
    pub fn now(ui: &Ui, session: &Session) -> Option<Self> {
        if let Some(part) = DragAndDrop::payload::<DragPart>(ui) {
            return Some(Self { part: part.0.clone(), piece: None });
        }
        let id = DragAndDrop::payload::<DragPlacement>(ui)?.0;
        let part = session.project().rig.placement(id)?.part.clone();
        Some(Self { part, piece: Some(id) })
    }
}

/// The answer of every place to the part being dragged; computed once per drag and document state.
#[derive(Clone, Debug)]
pub struct Answers {
    revision: u64,
    dragged: Dragged,
    pub places: Vec<(Place, Fit)>,
}

impl Answers {
    pub fn of(cached: Option<Self>, session: &Session, dragged: &Dragged) -> Self {
        if let Some(same) = cached.filter(|a| a.revision == session.revision() && a.dragged == *dragged) {
            return same;
        }
        let (catalog, build) = (session.catalog(), &session.project().rig);
        let places = catalog.part(&dragged.part).map_or_else(Vec::new, |part| {
            let space = &session.report().facts.space;
            let answer = |place: &Place| (place.clone(), crate::search::answer(catalog, build, space, part, place, dragged.piece));
            space.places.iter().map(answer).collect()
        });
        Self { revision: session.revision(), dragged: dragged.clone(), places }
    }

    /// The place meant by the pointer: one that takes the part before one that refuses, near before far, small before large.
    pub fn target(&self, pointer: Pos2, view: &View, session: &Session) -> Option<&(Place, Fit)> {
        let space = &session.report().facts.space;
        let part = session.catalog().part(&self.dragged.part);
        let reach = |place: &Place| hit_boxes(place, view, space).iter().map(|r| r.distance_to_pos(pointer)).fold(f32::MAX, f32::min);
        let size = |place: &Place| place.rect.w * place.rect.h;
        self.places
            .iter()
            .map(|answer| (reach(&answer.0), answer))
            .filter(|(distance, (_, fit))| *distance <= if fit.possible() { SNAP } else { 0.0 })
            .min_by(|(d1, (p1, f1)), (d2, (p2, f2))| {
                // Of two that refuse, the one that is meant for such parts gives the telling reason.
                let suits = |p: &Place| part.is_some_and(|part| is_for(part, &p.slot));
                f2.possible().cmp(&f1.possible()).then(suits(p2).cmp(&suits(p1))).then(d1.total_cmp(d2)).then(size(p1).total_cmp(&size(p2)))
            })
            .map(|(_, answer)| answer)
    }
}

/// Where a pointer means this place. A slot's is the room of a card in it, since its connector is thin.
fn hit_boxes(place: &Place, view: &View, space: &Space) -> Vec<Rect> {
    let main = view.rect(&place.rect);
    let on_board = place.slot.is_pcie() && !matches!(place.position, Position::Strip(_));
    match &place.slot.kind {
        SlotKind::Connector(_) if on_board => {
            let half = 9.0 * view.scale();
            let left = space.board.map_or(main.left(), |b| view.rect(&b).left());
            let y = main.center().y;
            vec![Rect::from_x_y_ranges(left..=main.right().max(left + 250.0 * view.scale()), y - half..=y + half)]
        }
        _ => std::iter::once(main).chain(place.also.iter().map(|r| view.rect(r))).collect(),
    }
}

/// The edit of a drop on `slot`: a new piece, a move, a copy with Ctrl, or all free places of its kind with Shift.
pub fn edit(session: &Session, dragged: &Dragged, slot: &SlotId, modifiers: Modifiers) -> Edit {
    let settings = dragged.piece.and_then(|id| session.project().rig.placement(id)).map(|p| p.settings.clone()).unwrap_or_default();
    let place = |slot: &SlotId| Edit::Place { part: dragged.part.clone(), slot: Some(slot.clone()), settings: settings.clone() };
    if modifiers.shift
        && let Some(edit) = fill_like(session, dragged, slot, &settings)
    {
        return edit;
    }
    match dragged.piece {
        Some(what) if !modifiers.command => Edit::Move { what, to: Some(slot.clone()) },
        _ => place(slot),
    }
}

/// One edit that fills every free place like `slot`, and `slot` first.
fn fill_like(session: &Session, dragged: &Dragged, slot: &SlotId, settings: &BTreeMap<String, String>) -> Option<Edit> {
    let part = session.catalog().part(&dragged.part)?;
    let wanted = session.report().facts.space.place(slot)?.slot.kind.clone();
    let same = |kind: &SlotKind| match (kind, &wanted) {
        (SlotKind::Connector(a), SlotKind::Connector(b)) => a.kind == b.kind,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    fill(session.catalog(), session.project(), part, settings, Some(slot), |slot| same(&slot.kind))
}

/// Whole-rig parts may be dropped anywhere on the chassis.
pub fn anywhere(session: &Session, dragged: &Dragged) -> Option<SlotId> {
    match session.catalog().part(&dragged.part)?.kind {
        PartKind::Case(_) => Some(SlotId::rig("case")),
        PartKind::Board(_) => Some(SlotId::rig("board")),
        _ => None,
    }
}
