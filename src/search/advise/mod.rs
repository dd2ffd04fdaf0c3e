//! The best rigs for the money: cards, platform, supply, case, memory and drive out of the catalog's priced parts, by cost and speed.
//!
//! The space: one kind of card, one to eight of them, beside the cards that stay; one board, processor, cooler, supply, case and drive; one
//! or more kits of one memory. The case gets the cheapest fan of the right size on each front and rear mount. Cards sit in the slots of the board from the top, each in the first that the one above does not hide.
//! For each choice of cards the model core gives the speed that no rig with them exceeds, and the cheapest parts around them a cost that no
//! rig with them falls below; what can be neither cheaper nor faster than a rig already found is not looked at. The rest is searched by
//! branch and bound, and every rig that is named has passed the real checks.

use std::collections::BTreeMap;

use crate::catalog::Catalog;
use crate::catalog::part::Part;
use crate::project::Project;
use crate::units::Money;

mod bound;
mod exhaustive;
mod front;
mod judge;
mod pool;
mod seat;
mod tree;
mod why;

pub use exhaustive::exhaustive;
use front::Front;
pub use front::{Found, FoundPart};
pub use pool::LeftOut;
use pool::Pool;
use tree::Tree;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// Most that new parts may cost, in the room's currency, tax and shipping of the cost settings included.
    pub budget: Money,
    /// Most draw from the wall, W.
    pub max_watts: Option<f64>,
    /// Most noise at one metre, dB(A).
    pub max_dba: Option<f64>,
    /// Least graphics memory of all cards together, GB.
    pub min_memory_gb: Option<f64>,
    /// Also refuse rigs with a problem that is no blocker.
    pub without_problems: bool,
    /// Take rigs on which a blocker cannot be judged for want of a fact.
    pub allow_unknown: bool,
    /// A rig within this share of the speed that its cards reach at best is not bettered; what is left of it counts as gap. 0 = exact, and
    /// slow where heat and links make every rig differ a little.
    pub close: f64,
    /// Analyses of whole rigs at most; keeps the answer the same on every machine.
    pub most_analyses: usize,
}

impl Wish {
    pub fn new(budget: Money) -> Self {
        Self {
            budget,
            max_watts: None,
            max_dba: None,
            min_memory_gb: None,
            without_problems: false,
            allow_unknown: false,
            close: 0.03,
            most_analyses: 3000,
        }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Choices of cards that are settled, and all of them.
    pub done: usize,
    pub all: usize,
    /// Whole rigs analysed.
    pub analysed: usize,
    /// Rigs on the front so far.
    pub front: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Cheapest first; each dearer one is faster.
    pub front: Vec<Found>,
    /// 0: no rig of the space that passes is both cheaper and as fast, or faster and as cheap, as one of the front. Else no such rig is
    /// faster by more than this share; infinite where that is unknown.
    pub gap: f64,
    /// Priced parts of the catalog that took part, by kind, and those without a price.
    pub priced: BTreeMap<&'static str, usize>,
    pub left_out: LeftOut,
    /// Rigs of the space, those bounded away counted.
    pub candidates: f64,
    pub analysed: usize,
    /// Why there is nothing, or what limits the answer.
    pub remarks: Vec<String>,
    /// The search was stopped.
    pub cancelled: bool,
}

/// Searches the front. `project` gives room, prices, settings and workloads; what is placed in its rig stays. `tick` is told how far it is
/// and says whether to go on.
///
/// # Errors
/// A sentence where nothing can be compared.
pub fn advise(catalog: &Catalog, project: &Project, wish: &Wish, tick: &mut dyn FnMut(Progress) -> bool) -> Result<Advice, String> {
    let Some(workload) = project.workloads.first() else {
        return Err("There is no work to judge rigs by. Name a model.".to_owned());
    };
    if wish.budget.currency != project.room.currency {
        return Err(format!("The budget is in {}, the room in {}.", wish.budget.currency, project.room.currency));
    }
    let pool = Pool::new(catalog, project, workload);
    let bound::Configs { configs, least, remarks } = bound::configs(catalog, project, wish, &pool);
    let mut advice = Advice {
        front: Vec::new(),
        gap: 0.0,
        priced: pool.counts(),
        left_out: pool.left_out.clone(),
        candidates: 0.0,
        analysed: 0,
        remarks,
        cancelled: false,
    };
    let mut front = Front::default();
    let mut tree = Tree::new(catalog, project, wish, &pool, &least);
    let all = configs.len();
    advice.candidates = tree.size() * all as f64;
    for (done, config) in configs.iter().enumerate() {
        let mut go_on = |analysed, front| {
            let more = tick(Progress { done, all, analysed, front });
            advice.cancelled |= !more;
            more
        };
        let left = tree.search(config, &mut front, &mut go_on);
        advice.gap = advice.gap.max(left);
    }
    advice.analysed = tree.analysed;
    if wish.close > 0.0 {
        // The grid of the full report sees heat that the live one does not.
        let (settled, slower) = front.settled(catalog, project, wish);
        front = settled;
        advice.gap = (1.0 + advice.gap) * (1.0 + slower.max(0.0)) - 1.0;
    }
    advice.front = front.into_sorted();
    why::explain(&mut advice.front, &tree.rejected, &configs);
    if advice.front.is_empty() {
        advice.remarks.extend(why::nothing(&tree.rejected, &configs, tree.budget(), project.room.currency));
    }
    Ok(advice)
}

/// "2 x RTX 3090", "the cards there are".
fn cards_text(card: Option<&Part>, count: usize, kept: usize) -> String {
    let new = card
        .filter(|_| count > 0)
        .map(|part| if count == 1 { part.short_name().to_owned() } else { format!("{count} x {}", part.short_name()) });
    match (new, kept) {
        (Some(new), 0) => new,
        (Some(new), _) => format!("{new} beside what is there"),
        (None, _) => "the cards that are there".to_owned(),
    }
}
