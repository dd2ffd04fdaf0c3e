//! Cards in their slots: room and risers.

use super::candidates::{chassis, gpu, moves, riser, serves_as, swap};
use super::clearance::slots_text;
use super::finding::{Finding, Fix, MissingFact, Severity, Verdict};
use super::fit::open;
use super::fixes::{first_piece, pieces};
use super::rig::{about, missing, unknown};
use super::{Case, Check, Search};
use crate::analysis::space::Card;
use crate::build::PlacementId;
use crate::catalog::part::Part;
use crate::units::mm;

const NO_PLACE: &str = "No free slot, card or case in the catalog would do without displacing other parts.";

pub(super) const RULES: &[Check] = &[
    Check {
        id: "slot_overlap",
        title: "Room below a card",
        why: "A card covers two or more slots. Where the next card begins before it ends, one of them does not go in.",
        guide: &["G13"],
        run: slot_overlap,
        search: Some(Search { candidates: overlap_fixes, none: NO_PLACE }),
    },
    Check {
        id: "gpu_thickness",
        title: "Slots that a card covers",
        why: "A card in a low slot needs openings at the rear of the case that may not be there.",
        guide: &["G16"],
        run: gpu_thickness,
        search: Some(Search { candidates: thickness_fixes, none: NO_PLACE }),
    },
    Check {
        id: "riser_rating",
        title: "Riser rating",
        why: "A riser of an older generation, or with fewer lanes, slows the card down silently or makes it fail under load.",
        guide: &["G11"],
        run: riser_rating,
        search: Some(Search { candidates: riser_fixes, none: "No riser in the catalog carries all that this card can use." }),
    },
];

/// Free air below a card, as far as the facts give it.
pub(super) enum Gap {
    /// Negative = overlap.
    Known(f64),
    /// Rests on a guessed thickness.
    Guess(f64, MissingFact),
    Unknown(Vec<MissingFact>),
}

/// The next card below and the air between. Counts by millimetres, or by the maker's slot places where these leave more.
pub(super) fn gap_below(case: &Case<'_>, card: &Card) -> Option<(PlacementId, Gap)> {
    let (below, gap) = card.below?;
    let part = case.part_of(card.placement)?;
    let counted = gpu(part).and_then(|g| g.slots).filter(|_| !part.is_assumed("slots"));
    let opening = |id| case.facts.space.card(id).and_then(|c| c.opening);
    let by_slots = match (counted, card.opening, opening(below)) {
        (Some(slots), Some(own), Some(next)) => Some((f64::from(next) - f64::from(own) - slots) * PITCH_MM),
        _ => None,
    };
    let is_guess = card.thickness_assumed && counted.is_none() && gpu(part).is_some();
    let gap = match (gap, by_slots) {
        (Some(gap), by_slots) if !is_guess => Gap::Known(gap.max(by_slots.unwrap_or(gap))),
        (Some(gap), _) => Gap::Guess(gap, missing(part.short_name(), "thickness_mm")),
        (None, _) => Gap::Unknown(missing_for_gap(case, card, below)),
    };
    Some((below, gap))
}

/// Distance between neighbouring case openings, ATX specification.
const PITCH_MM: f64 = 20.32;

fn missing_for_gap(case: &Case<'_>, card: &Card, below: PlacementId) -> Vec<MissingFact> {
    let mut facts = Vec::new();
    let board = case.board().map_or("the board", |b| b.part.short_name());
    for at in [Some(card), case.facts.space.card(below)].into_iter().flatten().filter(|c| c.opening.is_none()) {
        facts.push(missing(board, &format!("opening of {}", at.slot.name)));
    }
    if facts.is_empty() {
        let name = case.part_of(card.placement).map_or("the card", Part::short_name);
        facts.push(missing(name, "thickness_mm"));
    }
    facts
}

fn slot_overlap(case: &Case<'_>, out: &mut Vec<Finding>) {
    let band = case.project.threshold("mm_band_thickness");
    for card in &case.facts.space.cards {
        let name = case.name(card.placement);
        let Some((below, gap)) = gap_below(case, card) else {
            let text = format!("No card sits below {name}.");
            out.push(Finding::new("slot_overlap", Verdict::Pass, Severity::Blocker, about([card.placement]), text));
            continue;
        };
        let next = case.name(below);
        let subjects = about([card.placement, below]);
        let ask =
            |facts| unknown("slot_overlap", Severity::Blocker, subjects.clone(), &format!("Whether {name} leaves room for {next}"), facts);
        let (gap, guess) = match gap {
            Gap::Known(gap) => (gap, None),
            Gap::Guess(gap, fact) => (gap, Some(fact)),
            Gap::Unknown(facts) => {
                out.push(ask(facts));
                continue;
            }
        };
        out.push(match guess {
            Some(fact) if gap.abs() <= band => ask(vec![fact]),
            _ if gap < 0.0 => {
                let text = format!("{name} reaches {} into the place of {next}.", mm(-gap));
                Finding::new("slot_overlap", Verdict::Fail, Severity::Blocker, subjects.clone(), text).number("gap_mm", gap)
            }
            _ => {
                let text = format!("{} lie between {name} and {next}.", mm(gap));
                Finding::new("slot_overlap", Verdict::Pass, Severity::Blocker, subjects.clone(), text).number("gap_mm", gap)
            }
        });
    }
}

fn overlap_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let mut groups: Vec<Vec<Fix>> = pieces(finding).into_iter().map(|id| moves(case, id)).collect();
    groups.extend(first_piece(finding).map(|id| thinner(case, id)));
    groups
}

/// The same product with a thinner cooler.
fn thinner(case: &Case<'_>, what: PlacementId) -> Vec<Fix> {
    let Some(old) = case.part_of(what).and_then(gpu) else { return Vec::new() };
    let good = |p: &Part| serves_as(old, p) && gpu(p).is_some_and(|g| g.product == old.product && g.slots.is_some() && g.slots < old.slots);
    swap(case, what, good)
}

fn gpu_thickness(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(chassis) = case.chassis() else { return };
    for piece in case.gpus() {
        let Some(card) = case.facts.space.card(piece.id) else { continue };
        let (name, inside) = (case.name(piece.id), chassis.part.short_name());
        let subjects = about([piece.id, chassis.id]);
        let say = |verdict, text: String| Finding::new("gpu_thickness", verdict, Severity::Blocker, subjects.clone(), text);
        if open(chassis.is) && chassis.is.expansion_slots.is_none() {
            out.push(say(Verdict::Pass, format!("{inside} is open: {name} may be of any thickness.")));
            continue;
        }
        let ask = |facts| {
            unknown("gpu_thickness", Severity::Blocker, subjects.clone(), &format!("Whether {inside} has openings for {name}"), facts)
        };
        let (Some(covers), Some(total)) = (card.openings, chassis.is.expansion_slots) else {
            let mut facts = Vec::new();
            if card.openings.is_none() {
                facts.push(missing(piece.part.short_name(), "slots"));
            }
            if chassis.is.expansion_slots.is_none() {
                facts.push(missing(inside, "expansion_slots"));
            }
            out.push(ask(facts));
            continue;
        };
        // A guess that just fits may be half a slot short.
        let guessed = piece.part.is_assumed("slots") && card.thickness_assumed;
        let thick = slots_text(piece.is.slots.unwrap_or(f64::from(covers)));
        let finding = match card.opening {
            Some(first) if u16::from(first) + u16::from(covers) - 1 > u16::from(total) => {
                let last = u16::from(first) + u16::from(covers) - 1;
                say(Verdict::Fail, format!("{name} ({thick}) covers openings {first} to {last}, {inside} has {total}."))
                    .number("last_opening", f64::from(last))
            }
            Some(first) if guessed && u16::from(first) + u16::from(covers) - 1 == u16::from(total) => {
                ask(vec![missing(piece.part.short_name(), "slots")])
            }
            Some(first) => {
                let last = u16::from(first) + u16::from(covers) - 1;
                say(Verdict::Pass, format!("{name} ({thick}) ends at opening {last} of {total}.")).number("last_opening", f64::from(last))
            }
            None if covers > total => say(Verdict::Fail, format!("{name} covers {covers} openings, {inside} has {total}.")),
            None => {
                let board = case.board().map_or("the board", |b| b.part.short_name());
                ask(vec![missing(board, &format!("opening of {}", card.slot.name))])
            }
        };
        out.push(finding.number("slots", f64::from(covers)).number("expansion_slots", f64::from(total)));
    }
}

fn thickness_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(host)) = (first_piece(finding), case.chassis()) else { return Vec::new() };
    let need = finding.numbers.get("last_opening").or_else(|| finding.numbers.get("slots")).copied().unwrap_or(f64::INFINITY);
    let form = case.board().and_then(|b| b.is.form_factor);
    let bigger = |p: &Part| {
        chassis(p).is_some_and(|c| {
            let takes = form.is_none_or(|f| c.board_forms.iter().flatten().any(|b| *b == f));
            takes && c.expansion_slots.is_some_and(|n| f64::from(n) >= need)
        })
    };
    vec![moves(case, what), thinner(case, what), swap(case, host.id, bigger)]
}

fn riser_rating(case: &Case<'_>, out: &mut Vec<Finding>) {
    for riser in case.risers() {
        for card in case.gpus() {
            if card.piece.slot.as_ref().and_then(crate::build::SlotId::host_part) != Some(riser.id) {
                continue;
            }
            let (name, lead) = (case.name(card.id), case.name(riser.id));
            let subjects = about([riser.id, card.id]);
            let say = |verdict, text: String| Finding::new("riser_rating", verdict, Severity::Advice, subjects.clone(), text);
            let gaps = [
                (riser.is.pcie_gen.is_none(), riser.part, "pcie_gen"),
                (riser.is.pcie_lanes.is_none(), riser.part, "pcie_lanes"),
                (card.is.pcie_gen.is_none(), card.part, "pcie_gen"),
                (card.is.pcie_lanes.is_none(), card.part, "pcie_lanes"),
            ];
            let short = riser.is.pcie_gen.zip(card.is.pcie_gen).is_some_and(|(r, c)| r < c)
                || riser.is.pcie_lanes.zip(card.is.pcie_lanes).is_some_and(|(r, c)| r < c);
            let rated = |generation: Option<u8>, lanes: Option<u8>| {
                let text = |n: Option<u8>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
                format!("gen {} x{}", text(generation), text(lanes))
            };
            let pair = format!(
                "{lead} carries {}, {name} can use {}.",
                rated(riser.is.pcie_gen, riser.is.pcie_lanes),
                rated(card.is.pcie_gen, card.is.pcie_lanes)
            );
            out.push(if short {
                say(Verdict::Fail, format!("{pair} Set the slot to the lower generation, or errors come under load."))
            } else if gaps.iter().any(|(gap, ..)| *gap) {
                let facts = gaps.iter().filter(|(gap, ..)| *gap).map(|(_, part, field)| missing(part.short_name(), field)).collect();
                unknown(
                    "riser_rating",
                    Severity::Advice,
                    subjects.clone(),
                    &format!("Whether {lead} carries all that {name} can use"),
                    facts,
                )
            } else {
                say(Verdict::Pass, pair)
            });
        }
    }
}

fn riser_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let [lead, card] = pieces(finding).as_slice().try_into().unwrap_or([PlacementId(u32::MAX); 2]);
    let (Some(old), Some(card)) = (case.part_of(lead).and_then(riser), case.part_of(card).and_then(gpu)) else { return Vec::new() };
    let good = |p: &Part| riser(p).is_some_and(|r| r.input == old.input && r.pcie_gen >= card.pcie_gen && r.pcie_lanes >= card.pcie_lanes);
    vec![swap(case, lead, good)]
}
