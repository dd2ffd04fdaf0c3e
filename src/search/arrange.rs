//! The best placement of cards and drives over the connectors of the board.
//!
//! Best in this order: nothing is switched off or in the way of another card; the narrowest link of a GPU is as wide as can be; heat costs the
//! least work, then the hottest card is coolest; cards have most air between them; fewest share an uplink; fewest pieces move. Temperatures are
//! computed for the [`FINALISTS`] that are best by the rest.

use std::cmp::{Ordering, Reverse};

use crate::analysis::airflow::work::{Class, work};
use crate::analysis::airflow::{Cut, solved};
use crate::analysis::lanes::plan::{Planner, Trial};
use crate::analysis::lanes::rate::Width;
use crate::build::fit::fit;
use crate::build::slots::{Slot, slots};
use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartKind};
use crate::project::Project;
use crate::project::edit::Edit;
use crate::units::{count, plain};

/// Trials at most; beyond, the best so far is given and [`Arrangement::exact`] is false.
const MOST_TRIALS: u32 = 400_000;

/// Placements whose temperatures are computed.
const FINALISTS: usize = 16;

/// What the cards of a placement come to under full load, by the zones of the case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heat {
    /// Compute-bound work lost to heat, mean of all cards, share.
    pub lost: f64,
    pub hottest_c: f64,
}

impl Heat {
    /// Halves of a per cent, then kelvins: less is inside what is uncertain.
    fn steps(self) -> (i64, i64) {
        ((self.lost * 200.0).round() as i64, self.hottest_c.round() as i64)
    }
}

/// Heat of a rig; `None` if a card's temperature is not known.
fn heat(catalog: &Catalog, project: &Project) -> Option<Heat> {
    let rig = super::cooling::rig(catalog, project);
    if rig.cards.is_empty() || rig.cards.iter().any(|c| c.cooler.is_none()) {
        return None;
    }
    let state = solved(&rig.scene, Cut::Zones).1;
    let mut out = Heat { lost: 0.0, hottest_c: f64::MIN };
    for card in &rig.cards {
        let index = card.cooler?;
        let (now, allowed) = (state.cards.get(index)?, rig.scene.coolers.get(index)?.power);
        let at = |watts: f64| work(Class::ComputeBound, watts / card.rated_w.max(1.0));
        out.lost += (1.0 - at(now.power) / at(allowed).max(1e-9)).max(0.0) / rig.cards.len() as f64;
        out.hottest_c = out.hottest_c.max(now.die_c);
    }
    Some(out)
}

/// What a placement is worth, better ones first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// Pieces that get no lanes or no place.
    pub dead: u32,
    /// Cards that reach into another or past the openings of the case.
    pub blocked: u32,
    /// Narrowest link of a GPU, raw GB/s; infinite without GPUs. Unknown counts as 0.
    pub narrowest_gb_s: f64,
    /// Sum over all pieces, raw GB/s.
    pub total_gb_s: f64,
    /// Free slot places below the tightest GPU and summed up; `None` = the places of the slots are unknown.
    pub gap: Option<(i32, i32)>,
    /// Computed for the best few only; `None` else, and where a card's temperature is not known.
    pub heat: Option<Heat>,
    /// GPUs, then other pieces, whose way to the processor is shared.
    pub shared: (u32, u32),
    pub moved: u32,
}

impl Worth {
    fn cmp(&self, other: &Self) -> Ordering {
        let milli = |gb_s: f64| Reverse(if gb_s.is_finite() { (gb_s * 1000.0).round() as i64 } else { i64::MAX });
        let heat = |w: &Self| self.heat.and(other.heat).and(w.heat).map(Heat::steps);
        let first = |w: &Self| (w.dead + w.blocked, milli(w.narrowest_gb_s), heat(w), Reverse(w.gap.unwrap_or_default()));
        // Wider links all in all decide between placements that are equal but for the number of moves.
        let then = |w: &Self| (w.shared, milli(w.total_gb_s), w.moved);
        first(self).cmp(&first(other)).then_with(|| then(self).cmp(&then(other)))
    }
}

/// A proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrangement {
    /// `None` = the present placement is already best.
    pub edit: Option<Edit>,
    /// What it gains, in sentences; that the present one is best if there is nothing to gain.
    pub gains: Vec<String>,
    pub before: Worth,
    pub after: Worth,
    /// Every placement was tried.
    pub exact: bool,
}

/// Cards and drives that can be arranged: those in connectors of the board, and those in the tray.
pub fn movable(catalog: &Catalog, project: &Project) -> Vec<PlacementId> {
    let board = project.rig.part_in(catalog, &SlotId::rig("board")).map(|(id, _)| id);
    let wanted = |kind: &PartKind| {
        matches!(kind, PartKind::Gpu(_) | PartKind::Nic(_) | PartKind::Carrier(_) | PartKind::Riser(_) | PartKind::Drive(_))
    };
    let all = project.rig.placements().filter_map(|(id, piece)| Some((id, piece, catalog.part(&piece.part)?)));
    all.filter(|(_, piece, part)| {
        let on_board = piece.slot.as_ref().is_none_or(|s| s.host_part() == board && board.is_some());
        wanted(&part.kind) && on_board
    })
    .map(|(id, ..)| id)
    .collect()
}

/// The best placement of the chosen pieces; the others stay. `None` if there is no board, or none of them goes anywhere.
pub fn arrange(catalog: &Catalog, project: &Project, chosen: &[PlacementId]) -> Option<Arrangement> {
    let mut search = Search::new(catalog, project, chosen)?;
    let present: Vec<Option<usize>> = search.pieces.iter().map(|p| p.now).collect();
    let before = search.worth(&present);
    search.best = Some((before, present.clone()));
    let mut placed = vec![None; search.pieces.len()];
    search.descend(0, &mut placed);
    let (mut after, mut best) = search.best.take()?;
    let exact = search.trials < MOST_TRIALS;
    let mut before = before;
    // The best few by everything else, and the present one, by what their cards come to.
    let mut finalists = std::mem::take(&mut search.finalists);
    if finalists.len() > 1 || best != present {
        before.heat = heat(catalog, project);
        for (worth, placed) in &mut finalists {
            let edit = search.edit(project, placed);
            worth.heat = if *placed == present { before.heat } else { edit.apply(catalog, project).ok().and_then(|p| heat(catalog, &p)) };
        }
        finalists.sort_by(|a, b| a.0.cmp(&b.0));
        if let Some((worth, placed)) = finalists.into_iter().next().filter(|f| f.0.heat.is_some()) {
            (after, best) = (worth, placed);
        }
    }
    if after.cmp(&before) != Ordering::Less || best == present {
        let text = if exact { "The present placement is already best." } else { "No better placement was found." };
        return Some(Arrangement { edit: None, gains: vec![text.to_owned()], before, after: before, exact });
    }
    let gains = gains(&before, &after);
    Some(Arrangement { edit: Some(search.edit(project, &best)), gains, before, after, exact })
}

/// A piece to place.
struct Piece<'a> {
    id: PlacementId,
    part: &'a Part,
    /// Connector that it sits in now.
    now: Option<usize>,
    /// Connectors that take it.
    fits: Vec<usize>,
    /// Pieces of one sort can change places without any difference.
    sort: usize,
    /// Slot places that it covers; 0 for what is not in a card slot.
    covers: u8,
    is_gpu: bool,
}

/// A connector with its place at the rear of the case.
struct Place {
    slot: SlotId,
    opening: Option<u8>,
    /// Slot places covered by a piece that stays; 0 = free.
    fixed: u8,
    taken: bool,
    fixed_gpu: bool,
}

struct Search<'a> {
    planner: Planner<'a>,
    pieces: Vec<Piece<'a>>,
    places: Vec<Place>,
    /// Openings of the case.
    openings: Option<u8>,
    best: Option<(Worth, Vec<Option<usize>>)>,
    /// The best by all but their heat, which is equal in what comes before it.
    finalists: Vec<(Worth, Vec<Option<usize>>)>,
    trials: u32,
}

impl<'a> Search<'a> {
    fn new(catalog: &'a Catalog, project: &'a Project, chosen: &[PlacementId]) -> Option<Self> {
        let build = &project.rig;
        let (board_id, _) = build.part_in(catalog, &SlotId::rig("board"))?;
        let planner = Planner::new(catalog, build, chosen)?;
        let offered = slots(catalog, build);
        let find = |label: &str| offered.iter().find(|s| s.id.host_part() == Some(board_id) && *s.id.name == *label);
        let slots: Vec<&Slot> = planner.labels().into_iter().filter_map(find).collect();
        if slots.len() != planner.labels().len() {
            return None;
        }
        let mut places = Vec::new();
        for slot in &slots {
            let stays = slot.occupants.iter().find(|o| !chosen.contains(o)).and_then(|o| catalog.part(&build.placement(*o)?.part));
            let connector = slot.connector()?;
            places.push(Place {
                slot: slot.id.clone(),
                opening: connector.opening,
                fixed: stays.map_or(0, covers),
                taken: stays.is_some(),
                fixed_gpu: stays.is_some_and(|p| matches!(p.kind, PartKind::Gpu(_))),
            });
        }
        let mut pieces: Vec<Piece<'a>> = Vec::new();
        for id in chosen {
            let Some(piece) = build.placement(*id) else { continue };
            let Some(part) = catalog.part(&piece.part) else { continue };
            let takes = |s: &&Slot| {
                let empty = Slot { occupants: Vec::new(), ..(*s).clone() };
                fit(catalog, build, part, &empty, Some(*id)).possible()
            };
            let fits: Vec<usize> =
                (0..slots.len()).filter(|n| places.get(*n).is_some_and(|p| !p.taken) && slots.get(*n).is_some_and(takes)).collect();
            let now = piece.slot.as_ref().and_then(|s| places.iter().position(|p| p.slot == *s));
            if fits.is_empty() && now.is_none() {
                continue;
            }
            let able = planner.able(*id);
            // A riser or carrier with something on it is not like one with something else on it.
            let alone = matches!(part.kind, PartKind::Gpu(_) | PartKind::Nic(_) | PartKind::Drive(_));
            let same = |p: &Piece<'_>| {
                let kind = p.part.kind.index() == part.kind.index() && p.fits == fits && p.covers == covers(part);
                alone && kind && planner.able(p.id) == able && p.is_gpu == matches!(part.kind, PartKind::Gpu(_))
            };
            let sort = pieces.iter().find(|p| same(p)).map_or(pieces.len(), |p| p.sort);
            let is_gpu = matches!(part.kind, PartKind::Gpu(_)) || planner.carries_gpu(*id);
            pieces.push(Piece { id: *id, part, now, fits, sort, covers: covers(part), is_gpu });
        }
        if pieces.is_empty() {
            return None;
        }
        // Those with the fewest places first: dead ends show early. Equal sorts stay together.
        pieces.sort_by_key(|p| (p.fits.len(), p.sort, p.now));
        let openings = build.part_in(catalog, &SlotId::rig("case")).and_then(|(_, part)| match &part.kind {
            PartKind::Case(case) => case.expansion_slots,
            _ => None,
        });
        Some(Self { planner, pieces, places, openings, best: None, finalists: Vec::new(), trials: 0 })
    }

    /// Tries every place for the pieces from `at` on. Pieces of one sort go to rising places only.
    fn descend(&mut self, at: usize, placed: &mut Vec<Option<usize>>) {
        if self.trials >= MOST_TRIALS {
            return;
        }
        let Some(piece) = self.pieces.get(at) else {
            self.trials += 1;
            let worth = self.worth(placed);
            self.keep(worth, placed);
            if self.best.as_ref().is_none_or(|(best, _)| worth.cmp(best) == Ordering::Less) {
                self.best = Some((worth, placed.clone()));
            }
            return;
        };
        let before = at.checked_sub(1).and_then(|n| self.pieces.get(n).zip(placed.get(n)));
        let floor = before.filter(|(p, _)| p.sort == piece.sort).map(|(_, place)| *place);
        let fits = piece.fits.clone();
        let free = |place: usize, placed: &[Option<usize>]| !placed.get(..at).unwrap_or_default().contains(&Some(place));
        let mut any = false;
        for place in fits {
            let rising = match floor {
                Some(Some(floor)) => place > floor,
                Some(None) => false,
                None => true,
            };
            if !rising || !free(place, placed) {
                continue;
            }
            any = true;
            if let Some(slot) = placed.get_mut(at) {
                *slot = Some(place);
            }
            if self.hopeless(at, placed) {
                continue;
            }
            self.descend(at + 1, placed);
        }
        // Without a place only where there is none left.
        if !any {
            if let Some(slot) = placed.get_mut(at) {
                *slot = None;
            }
            self.descend(at + 1, placed);
        }
        if let Some(slot) = placed.get_mut(at) {
            *slot = None;
        }
    }

    /// Keeps a placement among the finalists if it belongs there.
    fn keep(&mut self, worth: Worth, placed: &[Option<usize>]) {
        let key = |w: &Worth| {
            (w.dead + w.blocked, if w.narrowest_gb_s.is_finite() { (w.narrowest_gb_s * 1000.0).round() as i64 } else { i64::MAX })
        };
        let (mine, best) = (key(&worth), self.finalists.first().map(|f| key(&f.0)));
        if let Some(best) = best {
            let better = mine.0 < best.0 || mine.0 == best.0 && mine.1 > best.1;
            if better {
                self.finalists.clear();
            } else if mine != best {
                return;
            }
        }
        let at = self.finalists.partition_point(|f| f.0.cmp(&worth) != Ordering::Greater);
        if at < FINALISTS {
            self.finalists.insert(at, (worth, placed.to_vec()));
            self.finalists.truncate(FINALISTS);
        }
    }

    /// More cards in each other's way already than the best has of anything.
    fn hopeless(&self, at: usize, placed: &[Option<usize>]) -> bool {
        let Some((best, _)) = &self.best else { return false };
        let (blocked, _) = self.room(placed.get(..=at).unwrap_or(placed));
        blocked > best.dead + best.blocked
    }

    fn worth(&mut self, placed: &[Option<usize>]) -> Worth {
        let seated: Vec<(usize, PlacementId)> = self.pieces.iter().zip(placed).filter_map(|(p, at)| Some(((*at)?, p.id))).collect();
        let trials = self.planner.with(&seated);
        let mut worth =
            Worth { dead: 0, blocked: 0, narrowest_gb_s: f64::INFINITY, total_gb_s: 0.0, gap: None, heat: None, shared: (0, 0), moved: 0 };
        for (piece, at) in self.pieces.iter().zip(placed) {
            worth.moved += u32::from(*at != piece.now);
            let trial: Option<Trial> = at.and_then(|at| trials.get(at).copied());
            let width = trial.map_or(Width::OFF, |t| self.planner.trained(t, piece.id));
            worth.dead += u32::from(width.is_off());
            let rate = width.raw_gb_s().unwrap_or(0.0);
            worth.total_gb_s += rate;
            if piece.is_gpu {
                worth.narrowest_gb_s = worth.narrowest_gb_s.min(rate);
            }
            let shared = u32::from(trial.is_some_and(|t| t.shared));
            if piece.is_gpu {
                worth.shared.0 += shared;
            } else {
                worth.shared.1 += shared;
            }
        }
        (worth.blocked, worth.gap) = self.room(placed);
        worth
    }

    /// Cards in the way of others, and the free places below GPUs.
    fn room(&self, placed: &[Option<usize>]) -> (u32, Option<(i32, i32)>) {
        let moved = self.pieces.iter().zip(placed).filter_map(|(p, at)| Some((self.places.get((*at)?)?, p.covers, p.is_gpu)));
        let fixed = self.places.iter().filter(|p| p.fixed > 0).map(|p| (p, p.fixed, p.fixed_gpu));
        let mut cards: Vec<(Option<u8>, u8, bool)> =
            moved.chain(fixed).filter(|(_, c, _)| *c > 0).map(|(p, c, g)| (p.opening, c, g)).collect();
        cards.sort_unstable();
        let (mut blocked, mut tightest, mut sum, mut known) = (0, i32::MAX, 0, true);
        for (n, (opening, covers, gpu)) in cards.iter().enumerate() {
            let Some(opening) = opening else {
                known = false;
                continue;
            };
            let end = i32::from(*opening) + i32::from(*covers);
            blocked += u32::from(self.openings.is_some_and(|all| end - 1 > i32::from(all)));
            let Some((Some(next), ..)) = cards.get(n + 1) else { continue };
            let gap = i32::from(*next) - end;
            blocked += u32::from(gap < 0);
            if *gpu {
                tightest = tightest.min(gap.max(0));
                sum += gap.max(0);
            }
        }
        (blocked, known.then_some((tightest, sum)))
    }

    /// Out of their places first, then into the new ones; what a host carries follows it.
    fn edit(&self, project: &Project, best: &[Option<usize>]) -> Edit {
        let changed: Vec<(&Piece<'_>, Option<SlotId>)> = self
            .pieces
            .iter()
            .zip(best)
            .filter(|(p, at)| p.now != **at)
            .map(|(p, at)| (p, at.and_then(|at| self.places.get(at)).map(|p| p.slot.clone())))
            .collect();
        let mut edits: Vec<Edit> =
            changed.iter().filter(|(p, _)| p.now.is_some()).map(|(p, _)| Edit::Move { what: p.id, to: None }).collect();
        for (piece, to) in &changed {
            if to.is_some() {
                edits.push(Edit::Move { what: piece.id, to: to.clone() });
                follow(project, piece.id, &mut edits);
            }
        }
        Edit::Many { label: format!("Arrange {}", count(changed.len() as u64, "piece")), edits }
    }
}

/// Brings what sat on a host back to its place on it.
fn follow(project: &Project, host: PlacementId, edits: &mut Vec<Edit>) {
    for (id, piece) in project.rig.placements() {
        if let Some(slot) = piece.slot.as_ref().filter(|s| s.host_part() == Some(host)) {
            edits.push(Edit::Move { what: id, to: Some(slot.clone()) });
            follow(project, id, edits);
        }
    }
}

/// Slot places that a part in a card slot covers, its own included.
fn covers(part: &Part) -> u8 {
    match &part.kind {
        // Two is what most cards have.
        PartKind::Gpu(gpu) => gpu.slots.map_or(2, |s| s.ceil() as u8),
        PartKind::Nic(_) | PartKind::Carrier(_) => 1,
        PartKind::Drive(_)
        | PartKind::Riser(_)
        | PartKind::Cpu(_)
        | PartKind::Board(_)
        | PartKind::Ram(_)
        | PartKind::Psu(_)
        | PartKind::Cooler(_)
        | PartKind::Fan(_)
        | PartKind::Case(_)
        | PartKind::Bridge(_) => 0,
    }
}

fn gains(before: &Worth, after: &Worth) -> Vec<String> {
    let mut out = Vec::new();
    let pieces = |n: u32| count(u64::from(n), "piece");
    if after.dead != before.dead {
        out.push(format!("{} without lanes or place, now {}", pieces(after.dead), before.dead));
    }
    if after.blocked != before.blocked {
        out.push(format!("{} in the way of others, now {}", count(u64::from(after.blocked), "card"), before.blocked));
    }
    if after.narrowest_gb_s.is_finite() && (after.narrowest_gb_s - before.narrowest_gb_s).abs() > 1e-6 {
        out.push(format!("Narrowest link of a GPU {} GB/s, now {}", plain(after.narrowest_gb_s, 1), plain(before.narrowest_gb_s, 1)));
    }
    if let (Some(then), Some(now)) = (after.heat, before.heat) {
        if (then.lost - now.lost).abs() >= 0.005 {
            out.push(format!("Heat costs {} % of the work, now {} %", plain(then.lost * 100.0, 0), plain(now.lost * 100.0, 0)));
        }
        if (then.hottest_c - now.hottest_c).abs() >= 1.0 {
            out.push(format!("Hottest card {} °C, now {} °C", plain(then.hottest_c, 0), plain(now.hottest_c, 0)));
        }
    }
    if let (Some((a, sum_a)), Some((b, sum_b))) = (after.gap, before.gap)
        && (a, sum_a) != (b, sum_b)
    {
        out.push(if a == b || a == i32::MAX {
            format!("{sum_a} free slot places below GPUs, now {sum_b}")
        } else {
            format!("{a} free slot places below the tightest GPU, now {b}")
        });
    }
    if after.shared != before.shared {
        let text = |(gpus, others): (u32, u32)| format!("{gpus} GPUs and {others} other pieces");
        out.push(format!("{} share an uplink, now {}", text(after.shared), text(before.shared)));
    }
    if out.is_empty() {
        out.push(format!("All links together carry {} GB/s, now {}", plain(after.total_gb_s, 1), plain(before.total_gb_s, 1)));
    }
    out
}
