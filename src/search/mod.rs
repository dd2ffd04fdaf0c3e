//! Tries edits and compares what they lead to.

pub mod advise;
pub mod arrange;
pub mod assemble;
pub mod index;

use std::collections::BTreeMap;

use crate::analysis::space::{Place, Position, Space, card_body, space};
use crate::build::fit::{Fit, fit};
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{Build, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId, PartKind, Ram};
use crate::catalog::vocab::ConnectorKind;
use crate::project::Project;
use crate::project::edit::Edit;

pub mod cooling;

/// Where a part goes if nobody says: a free place that takes it without remark, hides no slot in use, leaves the widest gaps, and is
/// wired widest; the first of the board among equals.
pub fn best_slot(catalog: &Catalog, project: &Project, part: &PartId) -> Option<SlotId> {
    let found = catalog.part(part)?;
    let offered = slots(catalog, &project.rig);
    let fits: Vec<(Fit, &Slot)> =
        offered.iter().map(|s| (fit(catalog, &project.rig, found, s, None), s)).filter(|(f, s)| f.possible() && !taken(s)).collect();
    let score = |fit: &Fit, slot: &Slot| {
        let crowding = if slot.is_pcie() { crowding(catalog, project, part, slot) } else { 0 };
        let lanes = slot.connector().and_then(|c| c.lanes).unwrap_or(0);
        // A SATA port is for a drive that finds no bay.
        let port = slot.connector().is_some_and(|c| c.kind == ConnectorKind::Sata);
        (crowding, port, matches!(fit, Fit::FitsBut(_)), std::cmp::Reverse(lanes))
    };
    fits.iter().min_by_key(|(f, s)| score(f, s)).map(|(_, s)| s.id.clone())
}

/// A single place that would swap its part out is not free.
fn taken(slot: &Slot) -> bool {
    slot.replaces() && !slot.occupants.is_empty()
}

/// Overlaps and tight neighbours that a card in this slot would make, in millimetres of missing air below one slot pitch.
fn crowding(catalog: &Catalog, project: &Project, part: &PartId, slot: &Slot) -> u32 {
    let Ok(after) = Edit::place(part, Some(slot.id.clone())).apply(catalog, project) else { return u32::MAX };
    missing_air(catalog, &after.rig)
}

fn missing_air(catalog: &Catalog, build: &Build) -> u32 {
    let space = space(catalog, build);
    let mut cards: Vec<_> = space.cards.iter().filter_map(|c| space.seat(c.placement)).map(|s| s.rect).collect();
    cards.sort_by(|a, b| a.y.total_cmp(&b.y));
    let pitch = catalog.templates.mm("slots.pitch_mm");
    let gaps = cards.iter().zip(cards.iter().skip(1)).map(|(upper, lower)| lower.y - upper.bottom());
    gaps.map(|gap| if gap < 0.0 { 1000 } else { (pitch - gap).max(0.0) as u32 }).sum()
}

/// Places filled at once at most.
const FILL: usize = 16;

/// One edit that puts the part into every free place that is `wanted` and takes it, `first` before all others; slots that a card would
/// hide are left out. `None` if that is not more than one.
pub fn fill(
    catalog: &Catalog,
    project: &Project,
    part: &Part,
    settings: &BTreeMap<String, String>,
    first: Option<&SlotId>,
    wanted: impl Fn(&Slot) -> bool,
) -> Option<Edit> {
    let mut project = project.clone();
    let mut edits = Vec::new();
    while edits.len() < FILL {
        let space = space(catalog, &project.rig);
        let free = |p: &&Place| wanted(&p.slot) && (p.slot.occupants.is_empty() || p.slot.kind == SlotKind::Dimm);
        let open = |p: &&Place| match answer(catalog, &project.rig, &space, part, p, None) {
            Fit::Fits => true,
            // Fewer lanes are no obstacle, a card in the way is one.
            Fit::FitsBut(_) => p.slot.is_pcie() && card_in_the_way(catalog, &project.rig, &space, part, p, None).is_none(),
            Fit::Never(_) => false,
        };
        let pointed = space.places.iter().filter(free).find(|p| Some(&p.slot.id) == first && open(p));
        let Some(next) = pointed.or_else(|| space.places.iter().filter(free).find(open)) else { break };
        let edit = Edit::Place { part: part.id.clone(), slot: Some(next.slot.id.clone()), settings: settings.clone() };
        let Ok(after) = edit.apply(catalog, &project) else { break };
        project = after;
        edits.push(edit);
    }
    let label = format!("Fill {} places with {}", edits.len(), part.short_name());
    (edits.len() > 1).then_some(Edit::Many { label, edits })
}

/// The answer of a place to a part here and now: what [`fit`] says, and what else of this rig is in the way.
pub fn answer(catalog: &Catalog, build: &Build, space: &Space, part: &Part, place: &Place, moving: Option<PlacementId>) -> Fit {
    let answer = fit(catalog, build, part, &place.slot, moving);
    if !answer.possible() {
        return answer;
    }
    let obstacle = match &part.kind {
        PartKind::Ram(ram) => registered_without_cpu(catalog, build, ram, place),
        _ if place.slot.is_pcie() => card_in_the_way(catalog, build, space, part, place, moving),
        _ => None,
    };
    match (obstacle, answer) {
        (None, answer) => answer,
        (Some(what), Fit::FitsBut(why)) => Fit::FitsBut(format!("{what}; {why}")),
        (Some(what), _) => Fit::FitsBut(what),
    }
}

/// Registered memory beside a processor that takes none.
fn registered_without_cpu(catalog: &Catalog, build: &Build, ram: &Ram, place: &Place) -> Option<String> {
    let board = place.slot.id.host_part()?;
    let (_, cpu) = build.part_in(catalog, &SlotId::of(board, "cpu1"))?;
    let PartKind::Cpu(facts) = &cpu.kind else { return None };
    let registered = ram.module_type?.is_registered();
    (registered && facts.registered == Some(false)).then(|| format!("{} takes no registered modules", cpu.short_name()))
}

/// A card over the slot, a card that this one would reach into, or openings that the case lacks.
fn card_in_the_way(
    catalog: &Catalog,
    build: &Build,
    space: &Space,
    part: &Part,
    place: &Place,
    moving: Option<PlacementId>,
) -> Option<String> {
    let name = |id: PlacementId| build.placement(id).and_then(|p| catalog.part(&p.part)).map_or("a card", |p| p.short_name());
    if let Some(by) = place.covered_by.filter(|by| Some(*by) != moving) {
        return Some(format!("{} covers this slot", name(by)));
    }
    let body = card_body(catalog, space, part, place)?;
    let mut others = space.cards.iter().filter(|c| Some(c.placement) != moving && !place.slot.occupants.contains(&c.placement));
    let below = others.find(|c| space.seat(c.placement).is_some_and(|s| s.rect.y > body.y && s.rect.y < body.bottom() - 0.5));
    if let Some(below) = below {
        return Some(format!("it reaches into {}", name(below.placement)));
    }
    let PartKind::Gpu(gpu) = &part.kind else { return None };
    let first = place.slot.connector()?.opening.filter(|_| place.position == Position::Known)?;
    let last = first.saturating_add((gpu.slots?.ceil() as u8).saturating_sub(1));
    let (_, case) = build.part_in(catalog, &SlotId::rig("case"))?;
    let PartKind::Case(facts) = &case.kind else { return None };
    let total = facts.expansion_slots?;
    (last > total).then(|| format!("it would cover opening {last}, {} has {total}", case.short_name()))
}
