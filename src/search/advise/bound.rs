//! Choices of cards with what bounds them: the speed that the model core gives them at best, and the least that a rig with them costs.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Wish;
use super::pool::{Pool, Role, board, cooler, cpu, kit_gb, ram};
use super::seat::card_slots;
use crate::analysis::cost::rates;
use crate::analysis::memory::ledgers;
use crate::analysis::speed::ideal;
use crate::build::{Build, Placement, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::project::Project;

/// One kind of card, so many times, beside those that stay.
#[derive(Clone, Debug)]
pub(super) struct Config<'a> {
    /// Number of this choice.
    pub at: u16,
    pub card: Option<&'a Part>,
    /// Number of its kind, from 1; 0 = no new card.
    pub kind: u16,
    pub count: usize,
    pub kept: usize,
    pub cents: i64,
    /// No rig with these cards is faster.
    pub speed: f64,
    /// No rig with these cards costs less.
    pub least: i64,
    /// Main memory that the rig needs, GB: that of the largest card (G9), and what stays in it.
    pub ram_gb: f64,
    /// Sum of the cards' board power, W; unknown counts as 0.
    pub watts: f64,
}

impl Config<'_> {
    pub fn text(&self) -> String {
        super::cards_text(self.card, self.count, self.kept)
    }
}

/// All choices of cards that run the work, by their least cost.
pub(super) struct Configs<'a> {
    pub configs: Vec<Config<'a>>,
    pub least: Least,
    pub remarks: Vec<String>,
}

/// Cards of one kind at most.
const MOST_CARDS: usize = 8;

pub(super) fn configs<'a>(catalog: &'a Catalog, project: &'a Project, wish: &Wish, pool: &Pool<'a>) -> Configs<'a> {
    let kept = pool.kept_cards.len();
    let none = (kept > 0).then_some((0_u16, None, 0_i64, 0_usize));
    let cards = (1_u16..).zip(&pool.cards).flat_map(|(kind, (card, price))| {
        let choice = move |count: usize| (kind, Some(*card), price.saturating_mul(count as i64), count);
        (1..=MOST_CARDS).map(choice).take_while(|c| c.2 <= wish.budget.cents)
    });
    let choices: Vec<Choice<'a>> = none.into_iter().chain(cards).collect();
    let cores = cores(catalog, project, pool, &choices);
    let mut out: Vec<Config<'a>> = Vec::new();
    let (mut small, mut unknown) = (0_usize, None::<String>);
    for ((kind, card, cents, count), core) in choices.into_iter().zip(cores) {
        let (speed, memory) = match core {
            Ok(found) => found,
            Err(Why::TooSmall) => {
                small += 1;
                continue;
            }
            Err(Why::Unknown(what)) => {
                unknown.get_or_insert(what);
                continue;
            }
        };
        let largest = pool.kept_cards.iter().map(|k| k.1).chain(card).filter_map(gb).fold(0.0, f64::max);
        let watts = pool.kept_cards.iter().filter_map(|k| tdp(k.1)).sum::<f64>() + card.and_then(tdp).unwrap_or(0.0) * count as f64;
        let enough = wish.min_memory_gb.is_none_or(|gb| memory as f64 >= gb * (1_u64 << 30) as f64);
        if enough && wish.max_watts.is_none_or(|most| watts <= most) {
            out.push(Config { at: 0, card, kind, count, kept, cents, speed, least: 0, ram_gb: largest.max(pool.host_gb), watts });
        }
    }
    let mut remarks = Vec::new();
    if out.is_empty() {
        remarks.push(match unknown {
            Some(what) => format!("The speed of the work is unknown: {what}."),
            None if small > 0 => format!("None of {small} choices of cards within the budget has the memory that the work asks for."),
            None => "No card with a price is within the budget.".to_owned(),
        });
    }
    let table = Least::new(pool);
    for config in &mut out {
        config.least = table.least(pool, config);
    }
    out.retain(|c| c.least < i64::MAX);
    out.sort_by(|a, b| (a.least, b.speed).partial_cmp(&(b.least, a.speed)).unwrap_or(std::cmp::Ordering::Equal));
    for (at, config) in (0_u16..).zip(out.iter_mut()) {
        config.at = at;
    }
    Configs { configs: out, least: table, remarks }
}

/// Number of the kind, the card, the price of all, and how many.
type Choice<'a> = (u16, Option<&'a Part>, i64, usize);
type Core = Result<(f64, u64), Why>;

/// What the model core says of each choice. Cards that differ in size, cooler and plugs only are the same to it.
fn cores(catalog: &Catalog, project: &Project, pool: &Pool<'_>, choices: &[Choice<'_>]) -> Vec<Core> {
    let plain = |part: &Part| match &part.kind {
        PartKind::Gpu(g) => Gpu {
            length_mm: None,
            height_mm: None,
            thickness_mm: None,
            slots: None,
            cooler: None,
            radiator_mm: None,
            plugs: None,
            suggested_psu_w: None,
            ..g.clone()
        },
        _ => Gpu::default(),
    };
    let mut kinds: Vec<(Gpu, u16)> = Vec::new();
    // For each choice the kind of card that stands for it.
    let first: Vec<u16> = choices
        .iter()
        .map(|(kind, card, ..)| {
            let Some(card) = card else { return 0 };
            let own = plain(card);
            match kinds.iter().find(|k| k.0 == own) {
                Some(same) => same.1,
                None => {
                    kinds.push((own, *kind));
                    *kind
                }
            }
        })
        .collect();
    let mut wanted: BTreeMap<(u16, usize), Option<&Part>> = BTreeMap::new();
    for ((_, card, _, count), first) in choices.iter().zip(&first) {
        wanted.entry((*first, *count)).or_insert(*card);
    }
    let wanted: Vec<_> = wanted.into_iter().collect();
    let found: Vec<Core> = wanted.par_iter().map(|((_, count), card)| core(catalog, project, pool, *card, *count)).collect();
    let by_kind: BTreeMap<(u16, usize), &Core> = wanted.iter().map(|w| w.0).zip(&found).collect();
    let of = |(choice, first): (&Choice<'_>, &u16)| by_kind.get(&(*first, choice.3)).map_or(Err(Why::TooSmall), |core| (*core).clone());
    choices.iter().zip(&first).map(of).collect()
}

fn gb(part: &Part) -> Option<f64> {
    if let PartKind::Gpu(g) = &part.kind { g.memory_gb } else { None }
}

fn tdp(part: &Part) -> Option<f64> {
    if let PartKind::Gpu(g) = &part.kind { g.tdp_w } else { None }
}

#[derive(Clone, Debug)]
enum Why {
    TooSmall,
    Unknown(String),
}

/// Speed and memory of the cards alone, without a board around them: nothing that a rig adds makes them faster.
fn core(catalog: &Catalog, project: &Project, pool: &Pool<'_>, card: Option<&Part>, count: usize) -> Result<(f64, u64), Why> {
    let kept = pool.kept_cards.iter().map(|k| k.1);
    let cards = kept.chain(std::iter::repeat_n(card, count).flatten());
    let mut build = Build::default();
    let mut memory = 0_u64;
    for (n, part) in (0_u32..).zip(cards) {
        memory += gb(part).map_or(0, |g| crate::units::Bytes::from_gib(g).0);
        let slot = Some(SlotId::rig(&format!("bench{n}")));
        build.placements.insert(PlacementId(n), Placement { part: part.id.clone(), slot, settings: BTreeMap::new() });
        build.next = n + 1;
    }
    // Weights alone that exceed all memory fit no way of splitting; a twentieth for what a rule of sizes may be off.
    if memory < pool.weights / 20 * 19 {
        return Err(Why::TooSmall);
    }
    let bare = Project { rig: build, workloads: project.workloads.clone(), calibration: project.calibration.clone(), ..Project::default() };
    let (cards, _) = ledgers(catalog, &bare);
    // A card whose fit is not certain passes no check.
    if cards.is_empty() || cards.iter().any(|l| l.fits() == Some(false)) {
        return Err(Why::TooSmall);
    }
    let speeds = ideal(catalog, &bare, &cards);
    rates::main(&speeds, 0).map(|(rate, _)| (rate.value, memory)).map_err(Why::Unknown)
}

/// What decides where a card sits: its lanes and its thickness in slots.
fn body(card: &Part) -> (Option<u8>, u8) {
    match &card.kind {
        PartKind::Gpu(g) => (g.pcie_lanes, g.slots.unwrap_or(2.0).ceil().clamp(1.0, 8.0) as u8),
        _ => (None, 0),
    }
}

/// Cards that each board of the pool seats, for every shape of card in it.
fn seats(pool: &Pool<'_>) -> BTreeMap<(Option<u8>, u8), Vec<usize>> {
    let mut out: BTreeMap<(Option<u8>, u8), Vec<usize>> = BTreeMap::new();
    for (card, _) in &pool.cards {
        out.entry(body(card)).or_insert_with(|| {
            let seated = |b: &crate::catalog::part::Board| card_slots(b, card, MOST_CARDS, &[]).len();
            pool.of(Role::Board).iter().map(|i| board(i.part).map_or(0, seated)).collect()
        });
    }
    out
}

/// The cheapest processor, cooler and memory for each board.
#[derive(Debug)]
pub(super) struct Least {
    /// By the place of the board in the pool: what board and these cost without memory, and its memory kits by size: (GB, cents).
    boards: Vec<(i64, Vec<(f64, i64)>)>,
    /// Supplies: (W, cents).
    supplies: Vec<(f64, i64)>,
    case: i64,
    drive: i64,
    /// How many cards each board seats, by the card's lanes and thickness in slots.
    seats: BTreeMap<(Option<u8>, u8), Vec<usize>>,
}

impl Least {
    fn new(pool: &Pool<'_>) -> Self {
        let least = |role: Role| pool.of(role).first().map_or(i64::MAX, |i| i.cents);
        let boards = pool.of(Role::Board).iter().map(|item| {
            let Some(b) = board(item.part) else { return (i64::MAX, Vec::new()) };
            let fits_cpu = |p: &Part| cpu(p).is_some_and(|c| c.socket.zip(b.socket).is_none_or(|(x, y)| x == y));
            let fits_cooler = |p: &Part| {
                cooler(p).is_some_and(|c| c.sockets.as_ref().zip(b.socket).is_none_or(|(list, s)| list.iter().any(|l| l.cooler_fits(s))))
            };
            let fits_ram = |p: &Part| ram(p).is_some_and(|r| r.memory_type.zip(b.memory_type).is_none_or(|(x, y)| x == y));
            let first =
                |role: Role, fits: &dyn Fn(&Part) -> bool| pool.of(role).iter().find(|i| fits(i.part)).map_or(i64::MAX, |i| i.cents);
            let sum = item.cents.saturating_add(first(Role::Cpu, &fits_cpu)).saturating_add(first(Role::Cooler, &fits_cooler));
            // What stays counts as enough.
            let size = |i: &super::pool::Item<'_>| {
                if i.count == 0 { f64::INFINITY } else { kit_gb(i.part).map_or(f64::INFINITY, |g| g * i.count as f64) }
            };
            let kits = pool.of(Role::Ram).iter().filter(|i| fits_ram(i.part)).map(|i| (size(i), i.cents)).collect();
            (sum, kits)
        });
        let watts = |p: &Part| if let PartKind::Psu(s) = &p.kind { s.watts } else { None };
        Self {
            boards: boards.collect(),
            supplies: pool.of(Role::Psu).iter().map(|i| (watts(i.part).unwrap_or(f64::INFINITY), i.cents)).collect(),
            case: least(Role::Case),
            drive: least(Role::Drive),
            seats: seats(pool),
        }
    }

    /// The least that a rig with these cards costs.
    fn least(&self, pool: &Pool<'_>, config: &Config<'_>) -> i64 {
        self.boards(pool, config).first().map_or(i64::MAX, |b| b.1)
    }

    /// Boards that seat the cards, by their place in the pool, with the least that a rig on each costs; cheapest first.
    pub fn boards(&self, pool: &Pool<'_>, config: &Config<'_>) -> Vec<(u16, i64)> {
        let supply = self.supplies.iter().find(|(w, _)| *w >= config.watts).map_or(i64::MAX, |s| s.1);
        let others = [supply, self.case, self.drive].iter().fold(config.cents, |sum, c| sum.saturating_add(*c));
        let all = (0_u16..).zip(pool.of(Role::Board)).zip(&self.boards);
        let seats = config.card.and_then(|card| self.seats.get(&body(card)));
        let mut out: Vec<(u16, i64)> = all
            .filter_map(|((at, item), (sum, kits))| {
                let seated = seats.and_then(|s| s.get(usize::from(at))).copied().unwrap_or(0);
                let room = config.card.is_none() || item.count == 0 || seated >= config.count;
                let kit = kits.iter().find(|(gb, _)| *gb >= config.ram_gb)?;
                Some((at, sum.saturating_add(kit.1).saturating_add(others))).filter(|b| room && b.1 < i64::MAX)
            })
            .collect();
        out.sort_by_key(|b| (b.1, b.0));
        out
    }
}
