//! The cheapest parts around a choice of cards, by branch and bound. Rules of fit are asked of the few parts they depend on, once; a whole
//! rig is analysed last, and what its checks refuse is learned.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Wish;
use super::bound::{Config, Least};
use super::front::{Found, Front};
use super::judge::{ALL, CARD, CARDS, PAIRS, Refused, judge, refused_by};
use super::pool::{Item, Pool, Role, board, cooler, cpu, kit_gb, ram};
use super::seat::{assemble, card_slots};
use crate::analysis::cost::purchase;
use crate::analysis::power::{efficiency_at, power};
use crate::analysis::{Effort, Facts, facts};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartKind};
use crate::project::Project;
use crate::units::Money;

/// Whole rigs analysed for one choice of cards at most.
const MOST: usize = 400;
/// The same where a limit rests on the whole rig, so that one refusal teaches nothing of the next.
const MOST_WHOLE: usize = 40;
/// The roles' bits.
const ROLES: u16 = (1 << 7) - 1;
/// A refusal of a rig that would have been cheaper than any that passed.
#[derive(Clone, Debug)]
pub(super) struct Rejected {
    /// What it would cost at least.
    pub cents: i64,
    pub why: String,
}

/// Roles, and the item of each, the kind of card and the choice of cards; 0 where it does not matter.
type Key = (u16, [u16; 9]);

pub(super) struct Tree<'a, 't> {
    catalog: &'a Catalog,
    project: &'a Project,
    wish: &'a Wish,
    pool: &'t Pool<'a>,
    least: &'t Least,
    /// Prices may sum to this, tax and shipping taken off.
    budget: i64,
    /// Facts of a rig without parts, for rules that read none of them.
    still: Facts,
    /// What the rules of fit said: `None` = nothing against it.
    asked: FxHashMap<Key, Option<String>>,
    /// Combinations that the checks of whole rigs refuse, whatever is beside them.
    nogoods: FxHashSet<Key>,
    masks: Vec<u16>,
    pub analysed: usize,
    /// The cheapest refusals of each choice of cards.
    pub rejected: BTreeMap<u16, Vec<Rejected>>,
}

/// The search for one choice of cards on one board.
struct Run<'r, 'a> {
    config: &'r Config<'a>,
    /// By role: place in the pool, and the item; cheapest first.
    lists: [Vec<(u16, Item<'a>)>; 7],
    /// The least that the roles from here on cost.
    rest: [i64; 8],
    chosen: [Option<(u16, Item<'a>)>; 7],
    /// Whole rigs that may still be analysed.
    left: usize,
    /// Cost of the cheapest rig that passed with these cards though slower than the bound: only cheaper ones are looked for then.
    slower: Option<i64>,
    /// Stopped for want of analyses.
    cut: bool,
}

impl<'a, 't> Tree<'a, 't> {
    pub fn new(catalog: &'a Catalog, project: &'a Project, wish: &'a Wish, pool: &'t Pool<'a>, least: &'t Least) -> Self {
        let economy = &project.economy;
        let shipping = Money::new(economy.shipping, project.room.currency).cents;
        let free = (wish.budget.cents - shipping) as f64 / (1.0 + economy.tax_pct / 100.0);
        Self {
            catalog,
            project,
            wish,
            pool,
            least,
            budget: free.floor() as i64,
            still: facts(catalog, &Project { rig: crate::build::Build::default(), ..project.clone() }, Effort::Live),
            asked: FxHashMap::default(),
            nogoods: FxHashSet::default(),
            masks: Vec::new(),
            analysed: 0,
            rejected: BTreeMap::new(),
        }
    }

    pub fn budget(&self) -> i64 {
        self.budget
    }

    /// Rigs for one choice of cards, before anything is ruled out.
    pub fn size(&self) -> f64 {
        Role::ALL.iter().map(|r| self.pool.of(*r).len() as f64).product()
    }

    /// Searches the rigs of one choice of cards; the gap that is left.
    pub fn search(&mut self, config: &Config<'a>, front: &mut Front, go_on: &mut dyn FnMut(usize, usize) -> bool) -> f64 {
        let whole = self.wish.max_dba.is_some() || self.wish.without_problems;
        let most = if self.wish.close == 0.0 {
            usize::MAX
        } else if whole {
            MOST_WHOLE
        } else {
            MOST
        };
        let (mut gap, mut left, mut slower) = (0.0_f64, most, None);
        if self.hopeless(config, front, config.least) {
            return self.short_of(config, front, None);
        }
        for (at, least) in self.least.boards(self.pool, config) {
            if self.hopeless(config, front, least) || slower.is_some_and(|cost| least >= cost) {
                break;
            }
            if !go_on(self.analysed, front.len()) || left == 0 || self.analysed >= self.wish.most_analyses {
                return gap.max(front.gap(config.speed, least));
            }
            let Some(mut run) = self.run(config, at) else { continue };
            (run.left, run.slower) = (left, slower);
            let price = run.chosen.first().copied().flatten().map_or(0, |b| b.1.cents);
            if self.ask(&run, 1, least).is_none() {
                self.descend(&mut run, 1, config.cents.saturating_add(price), front);
            }
            (left, slower) = (run.left, run.slower);
            if run.cut {
                gap = gap.max(front.gap(config.speed, least));
            }
        }
        gap.max(self.short_of(config, front, slower))
    }

    /// By how much a rig with these cards that was not looked at could outdo the front: what bettered none of the near ones, and what would
    /// cost more than the slower one that passed.
    fn short_of(&self, config: &Config<'_>, front: &Front, slower: Option<i64>) -> f64 {
        let beyond = slower.map_or(0.0, |cost| front.gap(config.speed, cost));
        front.short_of(config.speed, self.wish.close).max(beyond)
    }

    /// Whether rigs of this cost or more are of no use.
    fn hopeless(&self, config: &Config<'_>, front: &Front, least: i64) -> bool {
        least > self.budget || front.cap(config.speed * (1.0 - self.wish.close)).is_some_and(|cap| least >= cap)
    }

    /// The lists for a board; `None` where a role has no part for it.
    fn run<'r>(&self, config: &'r Config<'a>, at: u16) -> Option<Run<'r, 'a>> {
        let host = (at, *self.pool.of(Role::Board).get(usize::from(at))?);
        let b = board(host.1.part)?;
        let strict = !self.wish.allow_unknown;
        if let Some(card) = config.card.filter(|_| host.1.count > 0)
            && card_slots(b, card, config.count, &[]).len() < config.count
        {
            return None;
        }
        let equal = |same: Option<bool>| same.unwrap_or(!strict);
        let takes = |role: Role, item: &Item<'a>| -> bool {
            let part = item.part;
            item.count == 0
                || match role {
                    Role::Board | Role::Drive | Role::Case => true,
                    Role::Cpu => cpu(part).is_some_and(|c| equal(c.socket.zip(b.socket).map(|(x, y)| x == y))),
                    Role::Cooler => cooler(part)
                        .is_some_and(|c| equal(c.sockets.as_ref().zip(b.socket).map(|(list, s)| list.iter().any(|l| l.cooler_fits(s))))),
                    Role::Ram => ram(part).is_some_and(|r| {
                        let fits = equal(r.memory_type.zip(b.memory_type).map(|(x, y)| x == y));
                        let modules = r.modules.map(|m| usize::from(m) * item.count);
                        let room = modules.zip(b.dimm_slots).is_none_or(|(m, n)| m <= usize::from(n));
                        fits && room && kit_gb(part).is_some_and(|gb| gb * item.count as f64 >= config.ram_gb)
                    }),
                    Role::Psu => self.rated(part).map_or(!strict, |w| w >= config.watts),
                }
        };
        let list = |role: Role| -> Vec<(u16, Item<'a>)> {
            if role == Role::Board {
                return vec![host];
            }
            (0_u16..).zip(self.pool.of(role)).filter(|(_, i)| takes(role, i)).map(|(at, i)| (at, *i)).collect()
        };
        let lists = Role::ALL.map(list);
        let (mut rest, mut sum) = ([0_i64; 8], 0_i64);
        for (slot, list) in rest.iter_mut().take(7).zip(&lists).rev() {
            sum = sum.saturating_add(list.first()?.1.cents);
            *slot = sum;
        }
        let mut chosen = [None; 7];
        if let Some(first) = chosen.first_mut() {
            *first = Some(host);
        }
        Some(Run { config, lists, rest, chosen, left: 0, slower: None, cut: false })
    }

    /// What a supply gives at the room's mains.
    fn rated(&self, part: &Part) -> Option<f64> {
        if let PartKind::Psu(s) = &part.kind { s.watts_at(self.project.room.mains_v) } else { None }
    }

    /// Chooses a part for the role at `depth` and those after it. Gives the roles before it that the refusals below rest on: as lists are
    /// tried from the cheapest on, another part of a role that is not among them can only make the rig dearer.
    fn descend(&mut self, run: &mut Run<'_, 'a>, depth: usize, partial: i64, front: &mut Front) -> u16 {
        let Some(count) = run.lists.get(depth).map(Vec::len) else {
            return self.leaf(run, partial, front);
        };
        let own = 1_u16 << depth;
        let rest = run.rest.get(depth + 1).copied().unwrap_or(0);
        // Supplies come last: what all else draws is known then.
        let (draw, inside) = if own == Role::Psu.bit() { self.draw(run) } else { (0.0, f64::INFINITY) };
        let processor = run.chosen.get(Role::Cpu as usize).copied().flatten().and_then(|c| cpu(c.1.part)?.tdp_w).unwrap_or(0.0);
        let hungry = run.config.watts + processor;
        let mut rests_on = 0_u16;
        for n in 0..count {
            let Some(item) = run.lists.get(depth).and_then(|l| l.get(n)).copied() else { break };
            let sum = partial.saturating_add(item.1.cents);
            let least = sum.saturating_add(rest);
            if run.cut || self.hopeless(run.config, front, least) || run.slower.is_some_and(|cost| least >= cost) {
                break;
            }
            if let Some(mask) = self.known_bad(run, depth) {
                return mask & ROLES;
            }
            if item.1.count > 0 && own == Role::Psu.bit() {
                // Too small for the draw, or too lossy for the circuit; by cards and processor alone, or by all there is.
                let feeds = |watts: f64| self.feeds(item.1.part, watts, inside);
                if !feeds(draw) {
                    rests_on |= if feeds(hungry) { ROLES & !Role::Case.bit() } else { Role::Cpu.bit() };
                    continue;
                }
            }
            if run.left == 0 || self.analysed >= self.wish.most_analyses {
                run.cut = true;
                break;
            }
            if let Some(place) = run.chosen.get_mut(depth) {
                *place = Some(item);
            }
            let below = match self.ask(run, depth + 1, least).or_else(|| self.known_bad(run, depth + 1)) {
                Some(mask) => mask & ROLES,
                None => self.descend(run, depth + 1, sum, front),
            };
            if let Some(place) = run.chosen.get_mut(depth) {
                *place = None;
            }
            if below & own == 0 {
                return below;
            }
            rests_on |= below;
        }
        rests_on & !own
    }

    /// What the rig draws without a supply, unknown draws counted as 0, and what the circuit bears for long, W.
    fn draw(&self, run: &Run<'_, 'a>) -> (f64, f64) {
        let chosen = run.chosen.map(|c| c.map(|c| c.1));
        let build = assemble(self.catalog, self.project, self.pool, run.config, &chosen, ALL & !Role::Psu.bit());
        let power = build.map(|rig| power(self.catalog, &Project { rig, ..self.bare() }));
        power.map_or((0.0, f64::INFINITY), |p| (p.typical_w, p.circuit_w))
    }

    /// Whether a supply gives these watts, `inside` at most, without taking more from the wall than the breaker and the wish allow; yes where
    /// a fact is missing.
    fn feeds(&self, part: &Part, watts: f64, inside: f64) -> bool {
        let PartKind::Psu(supply) = &part.kind else { return true };
        let Some(rated) = self.rated(part) else { return true };
        let room = &self.project.room;
        let most = (room.mains_v * room.circuit_a).min(self.wish.max_watts.unwrap_or(f64::INFINITY));
        let wall = supply.efficiency.map_or(watts, |e| watts / efficiency_at(e, watts / rated, room.mains_v));
        watts <= rated.min(inside) && wall <= most
    }

    /// The project without its build.
    fn bare(&self) -> Project {
        let p = self.project;
        Project {
            room: p.room.clone(),
            workloads: p.workloads.clone(),
            prices: p.prices.clone(),
            economy: p.economy.clone(),
            thresholds: p.thresholds.clone(),
            calibration: p.calibration.clone(),
            accepted: p.accepted.clone(),
            ..Project::default()
        }
    }

    fn key(run: &Run<'_, 'a>, mask: u16) -> Key {
        let mut key = [0_u16; 9];
        let ids = run.chosen.iter().map(|c| c.map_or(0, |c| c.0)).chain([run.config.kind, run.config.at]);
        for (n, (place, id)) in key.iter_mut().zip(ids).enumerate() {
            if mask & (1 << n) != 0 {
                *place = id + 1;
            }
        }
        (mask, key)
    }

    /// Asks the rules of fit that the role chosen last completes; `least` is what the rig would cost. The roles on which a refusal rests.
    fn ask(&mut self, run: &Run<'_, 'a>, depth: usize, least: i64) -> Option<u16> {
        let roles = (1_u16 << depth) - 1;
        let last = 1_u16 << (depth - 1);
        for (mask, rules) in PAIRS {
            let own = mask & ROLES;
            if own & !roles != 0 || own & last == 0 {
                continue;
            }
            let key = Self::key(run, mask);
            if !self.asked.contains_key(&key) {
                let answer = self.answer(run, mask, rules);
                if let Some(why) = &answer {
                    self.note(run.config.at, least, why);
                }
                self.asked.insert(key, answer);
            }
            if self.asked.get(&key).is_some_and(Option::is_some) {
                return Some(mask);
            }
        }
        None
    }

    /// What these rules say of a rig of the roles of `mask` on the board.
    fn answer(&self, run: &Run<'_, 'a>, mask: u16, rules: &[&str]) -> Option<String> {
        let chosen = run.chosen.map(|c| c.map(|c| c.1));
        match assemble(self.catalog, self.project, self.pool, run.config, &chosen, mask | Role::Board.bit()) {
            Err(_) => Some("A part finds no place.".to_owned()),
            Ok(rig) => refused_by(self.catalog, &Project { rig, ..self.bare() }, self.wish, rules, &self.still),
        }
    }

    /// The roles of a combination among what is chosen before `depth` that was refused in a whole rig.
    fn known_bad(&self, run: &Run<'_, 'a>, depth: usize) -> Option<u16> {
        let here: u16 = ((1_u16 << depth) - 1) | CARD | CARDS;
        self.masks.iter().copied().filter(|m| m & !here == 0).find(|m| self.nogoods.contains(&Self::key(run, *m)))
    }

    fn learn(&mut self, run: &Run<'_, 'a>, mask: u16) {
        if !self.masks.contains(&mask) {
            self.masks.push(mask);
        }
        self.nogoods.insert(Self::key(run, mask));
    }

    /// Analyses a whole rig; the roles on which a refusal rests.
    fn leaf(&mut self, run: &mut Run<'_, 'a>, cents: i64, front: &mut Front) -> u16 {
        let chosen = run.chosen.map(|c| c.map(|c| c.1));
        let build = match assemble(self.catalog, self.project, self.pool, run.config, &chosen, ALL) {
            Ok(build) => build,
            Err(role) => {
                let own = Role::Board.bit() | role.bit();
                let mask = match role {
                    Role::Board => own | CARDS,
                    Role::Drive => own | Role::Case.bit(),
                    Role::Cpu | Role::Ram | Role::Cooler | Role::Case | Role::Psu => own,
                };
                self.learn(run, mask);
                return mask & ROLES;
            }
        };
        let rig = Project { rig: build.clone(), ..self.bare() };
        self.analysed += 1;
        run.left = run.left.saturating_sub(1);
        match judge(self.catalog, &rig, self.wish, Effort::Live) {
            Err(refused) => self.reject(run, cents, &refused),
            Ok(passed) => {
                if self.wish.close > 0.0 && passed.speed < run.config.speed * (1.0 - self.wish.close) {
                    run.slower = Some(run.slower.map_or(cents, |cost| cost.min(cents)));
                }
                let paid = self.paid(&rig);
                front.add(Found::new(self.catalog, self.project, build, passed, run.config.text(), paid));
                ROLES
            }
        }
    }

    /// What the new parts come to with tax and shipping.
    fn paid(&self, rig: &Project) -> Money {
        let all = purchase(self.catalog, rig);
        let is_new = |l: &&crate::analysis::cost::Line| self.project.rig.placement(l.placement).is_none();
        let new: i64 = all.lines.iter().filter(is_new).filter_map(|l| l.counted).map(|m| m.cents).sum();
        let tax = (new as f64 * self.project.economy.tax_pct / 100.0).round() as i64;
        let shipping = if new > 0 { all.shipping.cents } else { 0 };
        Money { cents: new.saturating_add(tax).saturating_add(shipping), currency: all.paid.currency }
    }

    fn reject(&mut self, run: &Run<'_, 'a>, cents: i64, refused: &[Refused]) -> u16 {
        for refusal in refused {
            self.learn(run, refusal.on & ALL);
        }
        if let Some(first) = refused.first() {
            self.note(run.config.at, cents, &first.why);
        }
        // Each has to be mended: one is reason enough.
        refused.iter().map(|r| r.on & ROLES).min_by_key(|m| m.count_ones()).unwrap_or(ROLES)
    }

    /// Remembers why a rig with these cards that would cost this much was refused.
    fn note(&mut self, config: u16, cents: i64, why: &str) {
        let list = self.rejected.entry(config).or_default();
        if list.len() < 3 && !list.iter().any(|r| r.why == why) {
            list.push(Rejected { cents, why: why.to_owned() });
        }
    }
}
