//! A radiator that takes the place of something else.

use super::candidates::{moves, setting};
use super::finding::{Finding, Fix, Severity, Verdict};
use super::fixes::{first_piece, pieces};
use super::rig::{about, missing, unknown};
use super::{Case, Check, Search};
use crate::catalog::vocab::{CoolerKind, Edge};
use crate::units::mm;

pub(super) const RULES: &[Check] = &[Check {
    id: "radiator_vs_slots",
    title: "Radiator at the bottom and low slots",
    why: "A radiator on the floor or on the cover of the supply stands where cards in the lowest slots would be. A mount in the list is free only while no card needs its room.",
    guide: &["G16"],
    run: low_slots,
    search: Some(Search { candidates: fixes, none: "No higher slot and no other side for the radiator would do." }),
}];

/// Distance between neighbouring case openings, ATX specification.
const PITCH_MM: f64 = 20.32;
/// The usual radiator with its fans: 27 and 25 mm.
const STACK_MM: f64 = 52.0;
/// Openings of an ATX case, where nothing is said.
const OPENINGS: u8 = 7;

fn low_slots(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "radiator_vs_slots";
    let at_bottom = |side: Option<&String>| side.is_some_and(|s| s == Edge::Bottom.text());
    let coolers = case.coolers();
    let Some(cooler) = coolers.iter().find(|c| c.is.kind == Some(CoolerKind::Aio) && at_bottom(c.piece.settings.get("radiator"))) else {
        return;
    };
    let chassis = case.chassis();
    let free = chassis.as_ref().and_then(|c| c.is.space_below_last_slot_mm).unwrap_or(0.0);
    let stack = cooler.is.radiator_thickness_mm.map_or(STACK_MM, |t| t + 25.0);
    let blocked = ((stack - free) / PITCH_MM).ceil().max(0.0) as u16;
    let total = u16::from(chassis.as_ref().and_then(|c| c.is.expansion_slots).unwrap_or(OPENINGS));
    let last_free = total.saturating_sub(blocked);
    for card in case.gpus() {
        let name = case.name(card.id);
        let subjects = about([card.id, cooler.id]);
        let drawn = case.facts.space.card(card.id);
        let opening = drawn.and_then(|c| c.opening).map(u16::from);
        let covers = drawn.and_then(|c| c.openings).map_or(1, u16::from);
        let Some(first) = opening else {
            let slot = drawn.map_or_else(|| "its slot".to_owned(), |c| c.slot.name.to_string());
            let board = case.board().map_or("the board", |b| b.part.short_name());
            let facts = vec![missing(board, &format!("opening of {slot}"))];
            out.push(unknown(RULE, Severity::Blocker, subjects, &format!("Whether {name} clears the radiator at the bottom"), facts));
            continue;
        };
        let last = first + covers.max(1) - 1;
        let (verdict, clause) = if last > last_free { (Verdict::Fail, "into its place") } else { (Verdict::Pass, "above it") };
        let text = format!(
            "The radiator at the bottom takes {} with its fans, which leaves openings 1 to {last_free} of {total}; {name} ends at opening {last}, {clause}.",
            mm(stack)
        );
        let finding = Finding::new(RULE, verdict, Severity::Blocker, subjects, text);
        out.push(finding.number("last_free_opening", f64::from(last_free)).number("last_opening", f64::from(last)));
    }
}

/// Another slot for the card, then another side for the radiator.
fn fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(card), Some(cooler)) = (first_piece(finding), pieces(finding).get(1).copied()) else { return Vec::new() };
    let size = case.coolers().into_iter().find(|c| c.id == cooler).and_then(|c| c.is.radiator_mm);
    let chassis = case.chassis();
    let takes = |sizes: &[u16]| size.is_some_and(|r| sizes.iter().any(|s| (f64::from(*s) - r).abs() < 0.5));
    let sides = chassis.iter().flat_map(|c| c.is.radiators.iter().flatten()).filter(|r| r.edge != Edge::Bottom && takes(&r.sizes_mm));
    let sides = sides.map(|r| setting(cooler, "radiator", r.edge.text(), format!("Mount the radiator at the {}", r.edge))).collect();
    vec![moves(case, card), sides]
}
