//! What the chassis says about a thing under the pointer, and what can be done with it.

use eframe::egui::{RichText, Ui};

use super::{air, is_exact, lanes};
use crate::analysis::space::{Place, Position, Seat};
use crate::build::PlacementId;
use crate::catalog::part::Part;
use crate::checks::finding::{Finding, Severity, Verdict};
use crate::project::Subject;
use crate::project::edit::Edit;
use crate::ui::Cx;
use crate::ui::action::Action;
use crate::ui::theme::semibold;
use crate::units::mm;

fn part<'a>(cx: &Cx<'a>, id: PlacementId) -> Option<&'a Part> {
    cx.session.catalog().part(&cx.session.project().rig.placement(id)?.part)
}

fn slot_label(cx: &Cx<'_>, id: PlacementId) -> Option<String> {
    let slot = cx.session.project().rig.placement(id)?.slot.as_ref()?;
    cx.session.report().facts.space.place(slot).map(|p| p.slot.label.clone())
}

/// "RTX 3090 Turbo in PCIE7"
pub fn seat_name(cx: &Cx<'_>, seat: &Seat) -> String {
    let name = part(cx, seat.placement).map_or("part", Part::short_name);
    let link = lanes::name_suffix(cx, seat.placement) + &air::name_suffix(cx, seat.placement);
    slot_label(cx, seat.placement).map_or_else(|| name.to_owned(), |slot| format!("{name} in {slot}{link}"))
}

/// "Free slot PCIE3, x16 Gen4"
pub fn place_name(cx: &Cx<'_>, place: &Place) -> String {
    let lanes = place.slot.connector().and_then(|c| c.lanes).map(|l| format!(", x{l}")).unwrap_or_default();
    let state = match place.covered_by.and_then(|id| part(cx, id)) {
        Some(card) => format!("covered by {}", card.short_name()),
        None => "free".to_owned(),
    };
    format!("{}{lanes}, {state}", place.slot.label)
}

fn about<'r>(cx: &Cx<'r>, subject: &Subject) -> Vec<&'r Finding> {
    let of = |f: &&Finding| f.verdict != Verdict::Pass && f.accepted.is_none() && f.subjects.contains(subject);
    cx.session.report().findings.iter().filter(of).collect()
}

/// Name, sizes, neighbours and findings of a part.
pub fn seat_ui(ui: &mut Ui, cx: &Cx<'_>, seat: &Seat) {
    ui.label(RichText::new(seat_name(cx, seat)).font(semibold(13.0)));
    let facts = &cx.session.report().facts;
    if let Some(link) = facts.lanes.of(seat.placement) {
        lanes::link_ui(ui, cx, link);
    }
    if let Some(card) = facts.space.card(seat.placement) {
        let size = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), mm);
        let assumed = if card.thickness_assumed { " (assumed)" } else { "" };
        ui.label(format!("Length {}, thickness {}{assumed}", size(card.length_mm), size(card.thickness_mm)));
        if let Some((below, gap)) = card.below {
            let below = part(cx, below).map_or("card", Part::short_name);
            let gap = gap.map_or_else(
                || "at an unknown distance".to_owned(),
                |g| if g < -0.5 { format!("overlapping by {}", mm(-g)) } else { format!("{} away", mm(g.max(0.0))) },
            );
            ui.label(format!("Next card below: {below}, {gap}"));
        }
    }
    if let Some(watts) = facts.power.parts.iter().find(|d| d.placement == seat.placement).and_then(|d| d.typical_w) {
        let watts = if watts < 10.0 { format!("{} W", crate::units::plain(watts, 1)) } else { crate::units::watts(watts) };
        ui.label(format!("Draws {watts} under load"));
    }
    for line in air::part_lines(cx, seat.placement) {
        ui.label(line);
    }
    if !seat.assumed.is_empty() {
        ui.label(RichText::new(format!("Assumed: {}", seat.assumed.join(", ").replace("_mm", "").replace('_', " "))).color(cx.tokens.sub));
    }
    let urgent = |f: &&Finding| f.verdict == Verdict::Fail && f.severity <= Severity::Advice;
    for finding in about(cx, &Subject::Placement(seat.placement)).into_iter().filter(urgent).take(2) {
        ui.label(RichText::new(&finding.message).color(cx.tokens.finding(finding)));
    }
    ui.label(RichText::new("Drag to move, Ctrl copies, Shift fills; drop beside the rig to remove").size(11.0).color(cx.tokens.sub));
}

/// What a free place takes.
pub fn place_ui(ui: &mut Ui, cx: &Cx<'_>, place: &Place) {
    ui.label(RichText::new(place_name(cx, place)).font(semibold(13.0)));
    if let Some(c) = place.slot.connector() {
        let number = |n: Option<u8>| n.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        ui.label(format!("Mechanical x{}, wired x{}, generation {}", number(c.size), number(c.lanes), number(c.r#gen)));
        ui.label(format!("Lanes come from: {}", c.from.as_deref().unwrap_or("unknown")));
        if let Some(link) = cx.session.report().facts.lanes.link(&place.slot.id) {
            lanes::link_ui(ui, cx, link);
        }
        if let Some(note) = &c.note {
            ui.label(note);
        }
    }
    let where_ = match place.position {
        p if is_exact(p) => return,
        Position::OrderOnly => "Only the order of the slots is known, not their places.",
        Position::Strip(_) => "Shown beside the case: a side view does not reach it.",
        _ => "Its place is assumed from the form factor.",
    };
    ui.label(RichText::new(where_).color(cx.tokens.sub));
}

/// Remove and put aside; the full choice is in the inspector.
pub fn seat_menu(ui: &mut Ui, cx: &Cx<'_>, seat: &Seat, out: &mut Vec<Action>) {
    let what = seat.placement;
    if ui.button("Show in the inspector").clicked() {
        out.push(Action::Select(Some(Subject::Placement(what))));
        ui.close();
    }
    if ui.button("Put aside").clicked() {
        out.push(Action::Edit(Edit::Move { what, to: None }));
        ui.close();
    }
    if ui.button("Remove").clicked() {
        out.push(Action::Edit(Edit::Remove(what)));
        ui.close();
    }
    let _ = cx;
}
