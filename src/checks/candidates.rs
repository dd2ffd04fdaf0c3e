//! Candidates for fixes: other parts, other places, lower limits. Plain comparisons of fields; the search proves them.

use std::collections::BTreeMap;

use super::Case;
use super::finding::{Fix, Safety};
use super::fixes::counted;
use crate::build::fit::fit;
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{PlacementId, SlotId};
use crate::catalog::part::{Board, Case as Chassis, Cooler, Cpu, Gpu, Part, PartKind, Psu, Ram, Riser};
use crate::catalog::vocab::GpuForm;
use crate::project::edit::Edit;

macro_rules! as_kind {
    ($($name:ident: $variant:ident($kind:ty)),+ $(,)?) => {
        $(pub(super) fn $name(part: &Part) -> Option<&$kind> {
            if let PartKind::$variant(is) = &part.kind { Some(is) } else { None }
        })+
    };
}
as_kind!(
    gpu: Gpu(Gpu), cpu: Cpu(Cpu), board: Board(Board), ram: Ram(Ram), psu: Psu(Psu), cooler: Cooler(Cooler), chassis: Case(Chassis),
    riser: Riser(Riser),
);

/// Parts of the catalog that pass the filter: priced ones first, cheapest first.
fn cheapest<'a>(case: &Case<'a>, keep: impl Fn(&Part) -> bool) -> Vec<&'a Part> {
    let mut parts: Vec<&Part> = case.catalog.parts().filter(|p| keep(p)).collect();
    parts.sort_by_cached_key(|p| {
        let price = counted(case, &p.id).map_or(i64::MAX, |m| m.cents);
        (price, p.id.clone())
    });
    parts
}

/// Other parts for the place of `what`; stand-ins only in place of stand-ins.
pub(super) fn swap(case: &Case<'_>, what: PlacementId, keep: impl Fn(&Part) -> bool) -> Vec<Fix> {
    let Some(old) = case.part_of(what) else { return Vec::new() };
    let others = cheapest(case, |p| p.id != old.id && p.kind.index() == old.kind.index() && (!p.generic || old.generic) && keep(p));
    others.into_iter().map(|new| swap_fix(case, what, old, new, Vec::new())).collect()
}

/// As [`swap`], for a piece in the tray that then moves to a place.
pub(super) fn swap_and_seat(case: &Case<'_>, what: PlacementId, to: &SlotId, keep: impl Fn(&Part) -> bool) -> Vec<Fix> {
    let mut fixes = swap(case, what, keep);
    for fix in &mut fixes {
        fix.edits.push(Edit::Move { what, to: Some(to.clone()) });
    }
    fixes
}

/// The fix that replaces `what` by `new`, followed by other edits.
pub(super) fn swap_fix(case: &Case<'_>, what: PlacementId, old: &Part, new: &Part, then: Vec<Edit>) -> Fix {
    let mut edits = vec![Edit::Replace { what, part: new.id.clone() }];
    edits.extend(then);
    let label = format!("Replace {} by {}, {}", case.name(what), new.short_name(), difference(case, old, new));
    Fix { label, edits, safety: Safety::Ask }
}

/// "saves $30", "at the same price", "costs $120 more", "price unknown".
fn difference(case: &Case<'_>, old: &Part, new: &Part) -> String {
    match (counted(case, &old.id), counted(case, &new.id)) {
        (Some(old), Some(new)) => {
            let mut change = new;
            change.cents = (new.cents - old.cents).abs();
            if change.cents < 100 {
                return "at the same price".to_owned();
            }
            if new.cents <= old.cents { format!("saves {change}") } else { format!("costs {change} more") }
        }
        (None, Some(new)) => format!("costs {new}, the old price is unknown"),
        (_, None) => "price unknown".to_owned(),
    }
}

/// New parts for a free place.
pub(super) fn add(case: &Case<'_>, slot: &SlotId, keep: impl Fn(&Part) -> bool) -> Vec<Fix> {
    let parts = cheapest(case, |p| !p.generic && keep(p));
    parts.into_iter().map(|new| add_fix(case, slot, new)).collect()
}

fn add_fix(case: &Case<'_>, slot: &SlotId, new: &Part) -> Fix {
    let price = counted(case, &new.id).map_or_else(|| "price unknown".to_owned(), |m| m.to_string());
    let label = format!("Add {}, {price}", new.short_name());
    Fix { label, edits: vec![Edit::place(&new.id, Some(slot.clone()))], safety: Safety::Ask }
}

/// Free places that take the piece.
pub(super) fn moves(case: &Case<'_>, what: PlacementId) -> Vec<Fix> {
    let Some(part) = case.part_of(what) else { return Vec::new() };
    let here = case.project.rig.placement(what).and_then(|p| p.slot.clone());
    let all = slots(case.catalog, &case.project.rig);
    let free = |s: &&Slot| Some(&s.id) != here.as_ref() && s.id.host_part() != Some(what);
    let empty = |s: &&Slot| s.occupants.is_empty() || s.kind == SlotKind::Dimm;
    let takes = |s: &&Slot| fit(case.catalog, &case.project.rig, part, s, Some(what)).possible();
    all.iter()
        .filter(free)
        .filter(empty)
        .filter(takes)
        .map(|s| Fix {
            label: format!("Move {} to {}", case.name(what), s.label),
            edits: vec![Edit::Move { what, to: Some(s.id.clone()) }],
            safety: Safety::Ask,
        })
        .collect()
}

/// The first free place of the rig that takes a card.
pub(super) fn free_card_slots(case: &Case<'_>) -> Vec<SlotId> {
    let all = slots(case.catalog, &case.project.rig);
    all.iter().filter(|s| s.is_pcie() && s.occupants.is_empty()).map(|s| s.id.clone()).collect()
}

/// Whether a part is a card that can serve in the place of `old`: no less memory, same maker of chips.
pub(super) fn serves_as(old: &Gpu, new: &Part) -> bool {
    gpu(new)
        .is_some_and(|g| g.form == Some(GpuForm::Card) && g.memory_gb.is_some() && g.memory_gb >= old.memory_gb && g.vendor == old.vendor)
}

/// Kits that hold no less than `old`.
pub(super) fn holds(old: &Ram, new: &Part) -> bool {
    ram(new).is_some_and(|r| kit_gb(r).is_some() && kit_gb(r) >= kit_gb(old))
}

/// Size of a whole kit.
pub(super) fn kit_gb(kit: &Ram) -> Option<f64> {
    Some(f64::from(kit.modules?) * kit.gb_per_module?)
}

/// The same power limit on all cards so that the rig draws `over` watts less, not below what the cards allow.
pub(super) fn limit_power(case: &Case<'_>, over: f64) -> Vec<Fix> {
    let cards = case.gpus();
    if cards.is_empty() || over <= 0.0 {
        return Vec::new();
    }
    let share = over / cards.len() as f64;
    let mut edits = Vec::new();
    let mut lowest = f64::INFINITY;
    for card in &cards {
        let draw = case.facts.power.parts.iter().find(|d| d.placement == card.id).and_then(|d| d.typical_w);
        let (Some(draw), Some(least)) = (draw, card.is.power_min_w) else { return Vec::new() };
        let limit = ((draw - share) / 5.0).floor() * 5.0;
        if limit < least {
            return Vec::new();
        }
        lowest = lowest.min(limit);
        edits.push(Edit::Set { what: card.id, key: "power_limit_w".to_owned(), value: Some(format!("{limit}")) });
    }
    let label = format!("Limit each card to {lowest} W");
    vec![Fix { label, edits, safety: Safety::Ask }]
}

/// A change of one setting.
pub(super) fn setting(what: PlacementId, key: &str, value: &str, label: String) -> Fix {
    let edit = Edit::Set { what, key: key.to_owned(), value: Some(value.to_owned()) };
    Fix { label, edits: vec![edit], safety: Safety::Ask }
}

/// Plug counts by kind of one card or supply.
pub(super) fn tally<K: Ord, I: IntoIterator<Item = (K, u32)>>(items: I) -> BTreeMap<K, u32> {
    let mut sums = BTreeMap::new();
    for (key, n) in items {
        *sums.entry(key).or_insert(0) += n;
    }
    sums
}
