//! What connectors would have with devices elsewhere: the board's table for many trial placements, without building each rig.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::build::{Build, PlacementId};
use crate::catalog::Catalog;
use crate::catalog::part::PartKind;

use super::NodeKind;
use super::links::{able_of, nodes};
use super::rate::{Width, lower, trained_lanes};
use super::rules::table;
use super::seats::{Seat, World};

/// A connector of the board in a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// What a device finds there.
    pub width: Width,
    /// Its way to the processor is shared with others: it hangs on the chipset or a switch, or on what is unknown.
    pub shared: bool,
}

/// Tries placements on the board of a build.
#[derive(Debug)]
pub struct Planner<'a> {
    world: World<'a>,
    seats: BTreeMap<PlacementId, Seat<'a>>,
    /// Options in force before a trial.
    chosen: Vec<(Option<&'a str>, bool)>,
    known: BTreeMap<Vec<u16>, Arc<[Trial]>>,
}

impl<'a> Planner<'a> {
    /// `movable` are the pieces that trials place; all others stay. `None` without a board.
    pub fn new(catalog: &'a Catalog, build: &'a Build, movable: &[PlacementId]) -> Option<Self> {
        let mut world = World::of(catalog, build)?;
        let seats =
            movable.iter().filter_map(|id| Some((*id, Seat { id: *id, part: catalog.part(&build.placement(*id)?.part)? }))).collect();
        world.clear(movable);
        let chosen = world.selected.clone();
        Some(Self { world, seats, chosen, known: BTreeMap::new() })
    }

    /// Labels of the board's connectors, in its order.
    pub fn labels(&self) -> Vec<&'a str> {
        self.world.board.connectors.iter().map(|c| c.label.as_str()).collect()
    }

    /// The connectors with these pieces in them, by index. Equal sorts of devices in equal places are computed once.
    pub fn with(&mut self, placed: &[(usize, PlacementId)]) -> Arc<[Trial]> {
        let connectors = &self.world.board.connectors;
        let labelled: Vec<(&'a str, Seat<'a>)> =
            placed.iter().filter_map(|(at, id)| Some((connectors.get(*at)?.label.as_str(), *self.seats.get(id)?))).collect();
        for (label, seat) in &labelled {
            self.world.put(label, *seat);
        }
        let sorts = self.world.sorts();
        let found = match self.known.get(&sorts) {
            Some(found) => found.clone(),
            None => {
                self.world.selected = self.chosen.clone();
                let made = trials(&mut self.world);
                self.known.insert(sorts, made.clone());
                made
            }
        };
        for (label, _) in &labelled {
            self.world.take(label);
        }
        found
    }

    /// What a piece could use of a link.
    pub fn able(&self, piece: PlacementId) -> Width {
        self.seats.get(&piece).map_or(Width::default(), |seat| able_of(&self.world, *seat))
    }

    /// A riser with a GPU on it, or on what hangs on it.
    pub fn carries_gpu(&self, piece: PlacementId) -> bool {
        let ends = ["end", "end1", "end2", "end3", "end4"];
        let on = |name: &&str| self.world.seat(piece, name);
        ends.iter().filter_map(on).any(|s| matches!(s.part.kind, PartKind::Gpu(_)) || self.carries_gpu(s.id))
    }

    /// What a piece trains to in a connector of a trial.
    pub fn trained(&self, trial: Trial, piece: PlacementId) -> Width {
        let able = self.able(piece);
        let is_drive = self.seats.get(&piece).is_some_and(|s| matches!(s.part.kind, PartKind::Drive(_)));
        match trial.width.lanes {
            // A SATA drive has no lanes of its own: it works or it does not.
            Some(lanes) if is_drive && able.lanes.is_none() => Width { lanes: Some(lanes.min(1)), r#gen: None },
            _ => Width { lanes: trained_lanes(trial.width.lanes, able.lanes), r#gen: lower(trial.width.r#gen, able.r#gen) },
        }
    }
}

fn trials(world: &mut World<'_>) -> Arc<[Trial]> {
    let table = table(world);
    let nodes = nodes(world, &table);
    let direct = |from: Option<&str>| from.and_then(|f| nodes.iter().find(|n| &*n.id == f)).is_some_and(|n| n.kind == NodeKind::Cpu);
    table.connectors.iter().map(|s| Trial { width: s.width, shared: !direct(s.from) }).collect()
}
