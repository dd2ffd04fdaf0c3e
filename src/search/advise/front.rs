//! Rigs of which none is both dearer and no faster than another.

use super::Wish;
use super::judge::{Passed, judge, noise};
use crate::analysis::Effort;
use crate::build::{Build, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::PartId;
use crate::project::Project;
use crate::units::{Bytes, Money};

/// A piece of a found rig.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPart {
    pub placement: PlacementId,
    pub part: PartId,
    pub kind: &'static str,
    pub name: String,
    pub slot: SlotId,
    /// What it costs; `None` for what is there already.
    pub price: Option<Money>,
}

/// A rig that passed the checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Sum of the new parts' prices.
    pub cost: Money,
    /// With tax and shipping of the cost settings.
    pub paid: Money,
    /// "2 x RTX 3090".
    pub cards: String,
    pub speed: f64,
    pub unit: &'static str,
    /// Graphics memory of all cards.
    pub memory: Bytes,
    /// From the wall; `None` = unknown.
    pub wall_w: Option<f64>,
    pub typical_w: f64,
    /// At one metre; `None` = unknown.
    pub noise_dba: Option<f64>,
    pub parts: Vec<FoundPart>,
    /// What the checks say that is no blocker.
    pub problems: Vec<String>,
    /// Blockers that could not be judged, where the wish allows them.
    pub unknown: Vec<String>,
    /// Why a cheaper rig does not do as well.
    pub why: Vec<String>,
    pub build: Build,
}

impl Found {
    pub(super) fn new(catalog: &Catalog, project: &Project, build: Build, passed: Passed, cards: String, paid: Money) -> Self {
        let facts = passed.facts;
        let kept = |id: PlacementId| project.rig.placement(id).is_some();
        let lines = &facts.cost.lines;
        let parts: Vec<FoundPart> = build
            .placed(catalog)
            .filter_map(|(placement, piece, part)| {
                let price = lines.iter().find(|l| l.placement == placement).and_then(|l| l.counted).filter(|_| !kept(placement));
                let slot = piece.slot.clone()?;
                Some(FoundPart { placement, part: part.id.clone(), kind: part.kind.key(), name: part.name.clone(), slot, price })
            })
            .collect();
        let cents = parts.iter().filter_map(|p| p.price).map(|m| m.cents).sum();
        let gb = |id: &PartId| match catalog.part(id).map(|p| &p.kind) {
            Some(crate::catalog::part::PartKind::Gpu(g)) => g.memory_gb.map(Bytes::from_gib),
            _ => None,
        };
        Self {
            cost: Money { cents, currency: project.room.currency },
            paid,
            cards,
            speed: passed.speed,
            unit: passed.unit,
            memory: parts.iter().filter_map(|p| gb(&p.part)).sum(),
            wall_w: facts.power.wall_w,
            typical_w: facts.power.typical_w,
            noise_dba: noise(&facts),
            parts,
            problems: passed.problems,
            unknown: passed.unknown,
            why: Vec::new(),
            build,
        }
    }
}

/// The rigs found so far of which none dominates another.
#[derive(Debug, Default)]
pub(super) struct Front {
    found: Vec<Found>,
}

impl Front {
    /// Cost of the cheapest rig that is at least this fast: whatever costs as much or more is dominated.
    pub fn cap(&self, speed: f64) -> Option<i64> {
        self.found.iter().filter(|f| f.speed >= speed).map(|f| f.cost.cents).min()
    }

    /// Speed of the fastest rig for at most this cost.
    fn speed_for(&self, cents: i64) -> Option<f64> {
        self.found.iter().filter(|f| f.cost.cents <= cents).map(|f| f.speed).reduce(f64::max)
    }

    /// By how much a rig of this speed and at least this cost could outdo the front.
    pub fn gap(&self, speed: f64, least: i64) -> f64 {
        if self.cap(speed).is_some_and(|cap| cap <= least) {
            return 0.0;
        }
        self.speed_for(least).map_or(f64::INFINITY, |best| (speed / best - 1.0).max(0.0))
    }

    /// By how much the fastest rig within `close` of this speed falls short of it; 0 where there is none.
    pub fn short_of(&self, speed: f64, close: f64) -> f64 {
        let near = self.found.iter().map(|f| f.speed).filter(|s| *s >= speed * (1.0 - close));
        near.reduce(f64::max).map_or(0.0, |best| (speed / best - 1.0).max(0.0))
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Takes a rig in unless one of the front is as cheap and as fast; drops those it dominates.
    pub fn add(&mut self, found: Found) {
        if self.cap(found.speed).is_some_and(|cap| cap <= found.cost.cents) {
            return;
        }
        self.found.retain(|f| f.cost.cents < found.cost.cents || f.speed > found.speed);
        self.found.push(found);
    }

    /// The front with every rig analysed as a report analyses it; those that then fail or are outdone go. The largest share by which such a
    /// look took speed from one of them.
    pub fn settled(self, catalog: &Catalog, project: &Project, wish: &Wish) -> (Self, f64) {
        let mut out = Self::default();
        let mut slower = 0.0_f64;
        for found in self.into_sorted() {
            let rig = Project { rig: found.build.clone(), ..project.clone() };
            let Ok(passed) = judge(catalog, &rig, wish, Effort::Full) else {
                slower = f64::INFINITY;
                continue;
            };
            slower = slower.max(found.speed / passed.speed - 1.0);
            out.add(Found::new(catalog, project, found.build, passed, found.cards, found.paid));
        }
        (out, slower)
    }

    pub fn into_sorted(mut self) -> Vec<Found> {
        self.found.sort_by_key(|f| f.cost.cents);
        self.found
    }
}
