//! The slow way: every rig of the space, assembled and judged. What the search finds is tested against it.

use super::bound::Config;
use super::front::{Found, Front};
use super::judge::{ALL, judge};
use super::pool::{Item, Pool, Role, kit_gb};
use super::seat::{Chosen, assemble};
use super::{Wish, cards_text};
use crate::analysis::Effort;
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartKind};
use crate::project::Project;
use crate::units::Money;

/// The front by trying everything, and how many rigs that were. For small catalogs: the effort is the product of the kinds' sizes. Tax and
/// shipping are taken as nought.
pub fn exhaustive(catalog: &Catalog, project: &Project, wish: &Wish) -> (Vec<Found>, usize) {
    let Some(workload) = project.workloads.first() else { return (Vec::new(), 0) };
    let pool = Pool::new(catalog, project, workload);
    let mut front = Front::default();
    let mut tried = 0;
    let gb = |part: &Part| if let PartKind::Gpu(g) = &part.kind { g.memory_gb.unwrap_or(0.0) } else { 0.0 };
    let kept = pool.kept_cards.iter().map(|k| gb(k.1)).fold(0.0, f64::max);
    let none = std::iter::once((None, 0, 0_i64)).filter(|_| !pool.kept_cards.is_empty());
    let cards = pool.cards.iter().flat_map(|(card, price)| (1..=8_usize).map(move |n| (Some(*card), n, price.saturating_mul(n as i64))));
    for (card, count, cents) in none.chain(cards) {
        let ram_gb = card.map_or(0.0, gb).max(kept).max(pool.host_gb);
        let config = Config { at: 0, kind: 0, card, count, kept: pool.kept_cards.len(), cents, speed: 0.0, least: 0, ram_gb, watts: 0.0 };
        each(&pool, &mut Vec::new(), &mut |choice| {
            let sum = choice.iter().flatten().fold(cents, |sum, i| sum.saturating_add(i.cents));
            let [_, _, ram, ..] = choice;
            let enough = ram.is_some_and(|r| r.count == 0 || kit_gb(r.part).is_some_and(|g| g * r.count as f64 >= ram_gb));
            if sum > wish.budget.cents || !enough {
                return;
            }
            let Ok(build) = assemble(catalog, project, &pool, &config, choice, ALL) else { return };
            tried += 1;
            let rig = Project { rig: build.clone(), ..project.clone() };
            let Ok(passed) = judge(catalog, &rig, wish, Effort::Live) else { return };
            let paid = Money { cents: sum, currency: project.room.currency };
            let found = Found::new(catalog, project, build, passed, cards_text(card, count, pool.kept_cards.len()), paid);
            let gb = found.memory.gib();
            if wish.min_memory_gb.is_none_or(|least| gb >= least) {
                front.add(found);
            }
        });
    }
    (front.into_sorted(), tried)
}

/// Calls `done` with every choice of one item for each role.
fn each<'a>(pool: &Pool<'a>, chosen: &mut Vec<Item<'a>>, done: &mut impl FnMut(&Chosen<'a>)) {
    let Some(role) = Role::ALL.get(chosen.len()) else {
        if let [a, b, c, d, e, f, g] = chosen.as_slice() {
            done(&[*a, *b, *c, *d, *e, *f, *g].map(Some));
        }
        return;
    };
    for item in pool.of(*role) {
        chosen.push(*item);
        each(pool, chosen, done);
        chosen.pop();
    }
}
