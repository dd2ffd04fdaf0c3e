//! What runs through one lead, one rail, one slot.

use super::candidates::{psu, setting, swap};
use super::finding::{Finding, Fix, Severity, Verdict};
use super::fixes::first_piece;
use super::rig::{Piece, about, count, missing, unknown};
use super::{Case, Check, Search};
use crate::catalog::part::{Gpu, Part};
use crate::catalog::vocab::{Plug, Rails};
use crate::project::power_settings::{ADAPTER_PLUGS, LEADS};
use crate::units::{plain, watts};

const NO_SUPPLY: &str = "No supply in the catalog that fits this rig would do.";

pub(super) const RULES: &[Check] = &[
    Check {
        id: "pigtail_load",
        title: "Separate leads for each plug",
        why: "Two plugs on one lead share its copper and its one connector at the supply, which is where leads burn. A card that draws more than slot and one lead give needs a lead of its own for every plug: count leads, not plugs.",
        guide: &["G15"],
        run: pigtails,
        search: Some(Search { candidates: lead_fixes, none: "No supply in the catalog is known to have enough separate leads." }),
    },
    Check {
        id: "psu_multi_rail",
        title: "Rails of the supply",
        why: "A supply with several 12 V rails switches off when one of them is overloaded, though its total is ample. Supplies of ready-made workstations often divide their output without saying how.",
        guide: &["G15"],
        run: rails,
        search: Some(Search { candidates: rail_fixes, none: NO_SUPPLY }),
    },
    Check {
        id: "slot_power",
        title: "Power from the slot",
        why: "A card without a plug takes all it draws from its slot. Small machines give 25 to 66 W there, less than the 75 W of the specification.",
        guide: &["G15"],
        run: slot_power,
        search: Some(Search {
            candidates: slot_fixes,
            none: "No lower power limit that the card allows stays within what the slot gives.",
        }),
    },
];

/// What one 8-pin plug carries, and what the slot gives, by the PCI Express card specification.
const PLUG_W: f64 = 150.0;
const SLOT_W: f64 = crate::analysis::power::slots::SLOT_W;

fn number(card: &Piece<'_, Gpu>, key: &str) -> Option<f64> {
    card.piece.settings.get(key)?.parse().ok()
}

/// 8-pin plugs that a card takes, those of its adapter included where the supply has no 16-pin lead for it.
fn plugs(card: &Piece<'_, Gpu>, sixteen_free: &mut u32) -> Option<u32> {
    let list = card.is.plugs.as_ref()?;
    let mut sum = 0;
    for plug in list {
        match plug.plug {
            Plug::Pcie8 | Plug::Pcie6 => sum += u32::from(plug.count),
            Plug::Hpwr16 | Plug::Hpwr2x6 => {
                for _ in 0..plug.count {
                    if *sixteen_free > 0 && number(card, ADAPTER_PLUGS).is_none() {
                        *sixteen_free -= 1;
                    } else {
                        let by_draw = (card.is.tdp_w.unwrap_or(600.0) / PLUG_W).ceil();
                        sum += number(card, ADAPTER_PLUGS).unwrap_or(by_draw) as u32;
                    }
                }
            }
            Plug::Eps8 | Plug::Sata => {}
        }
    }
    Some(sum)
}

fn pigtails(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "pigtail_load";
    let (cards, supplies) = (case.gpus(), case.psus());
    if supplies.is_empty() {
        return;
    }
    let leads: Option<u32> = supplies.iter().map(|p| p.is.pcie_leads.map(u32::from)).sum();
    let sixteen = |p: &Part| {
        psu(p).map_or(0, |s| {
            s.plugs.iter().flatten().filter(|p| matches!(p.plug, Plug::Hpwr16 | Plug::Hpwr2x6)).map(|p| u32::from(p.count)).sum::<u32>()
        })
    };
    let mut sixteen_free: u32 = supplies.iter().map(|p| sixteen(p.part)).sum();
    let mut left = leads;
    for card in &cards {
        let name = case.name(card.id);
        let subjects = about(std::iter::once(card.id).chain(supplies.iter().map(|p| p.id)));
        let say = |verdict, text: String| {
            let finding = Finding::new(RULE, verdict, Severity::Problem, subjects.clone(), text).number("per_plug_w", PLUG_W);
            card.is.tdp_w.into_iter().fold(finding, |f, w| f.number("card_w", w))
        };
        let ask = |facts| {
            unknown(RULE, Severity::Problem, subjects.clone(), &format!("Whether {name} has a lead of its own for every plug"), facts)
        };
        let draw = card.is.power_max_w.or(card.is.tdp_w);
        let stated = number(card, LEADS).map(|n| n as u32);
        let Some(need) = plugs(card, &mut sixteen_free) else {
            // Plugs unknown: what is stated of the leads still tells enough.
            match (stated, draw) {
                (Some(n), Some(w)) if (w - SLOT_W) / f64::from(n) > PLUG_W => {
                    out.push(say(Verdict::Fail, overload(&name, w, n)).number("cable_load_w", (w - SLOT_W) / f64::from(n)));
                }
                (_, Some(w)) if w <= SLOT_W => out.push(say(Verdict::Pass, format!("{name} is fed by its slot."))),
                _ => out.push(ask(vec![missing(card.part.short_name(), "plugs")])),
            }
            continue;
        };
        if need < 2 {
            let text = if need == 0 {
                format!("{name} takes no 8-pin plug.")
            } else {
                format!("{name} takes one plug, which has a lead of its own.")
            };
            let over = draw.filter(|w| stated.is_some() && need == 1 && (w - SLOT_W) > PLUG_W);
            out.push(match over {
                Some(w) => say(Verdict::Fail, overload(&name, w, 1)).number("cable_load_w", w - SLOT_W),
                None => say(Verdict::Pass, text),
            });
            left = left.map(|l| l.saturating_sub(need));
            continue;
        }
        let have = match (stated, left) {
            (Some(n), _) => Some(n.min(need)),
            (None, Some(left)) => Some(left.min(need)),
            (None, None) => None,
        };
        left = left.map(|l| l.saturating_sub(need));
        let Some(have) = have else {
            let facts = supplies.iter().filter(|p| p.is.pcie_leads.is_none()).map(|p| missing(p.part.short_name(), "pcie_leads")).collect();
            out.push(ask(facts));
            continue;
        };
        out.push(if have >= need {
            say(Verdict::Pass, format!("{name} takes {}, each from a lead of its own.", count(need as usize, "plug")))
        } else if have == 0 {
            say(Verdict::Fail, format!("{name} takes {}, and no lead of the supply is left for it.", count(need as usize, "plug")))
        } else {
            let each = need.div_ceil(have);
            let load = f64::from(each) * PLUG_W;
            say(
                Verdict::Fail,
                format!(
                    "{name} takes {} from {}: up to {} on a lead whose one plug is made for {}.",
                    count(need as usize, "plug"),
                    count(have as usize, "lead"),
                    watts(load),
                    watts(PLUG_W)
                ),
            )
            .number("cable_load_w", load)
            .number("leads", f64::from(have))
            .number("plugs", f64::from(need))
        });
    }
}

fn overload(name: &str, draw: f64, leads: u32) -> String {
    let load = (draw - SLOT_W) / f64::from(leads.max(1));
    format!(
        "{name} draws up to {}, {} of it over {}: {} each, more than the {} of one plug.",
        watts(draw),
        watts(draw - SLOT_W),
        count(leads as usize, "lead"),
        watts(load),
        watts(PLUG_W)
    )
}

/// As many leads as plugs: the user's own cabling, then a supply with more leads.
fn lead_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let plugs = finding.numbers.get("plugs").copied().unwrap_or(2.0);
    let own = case.gpus().into_iter().find(|c| c.id == what).filter(|c| number(c, LEADS).is_some_and(|n| n < plugs));
    let label = format!("Feed {} from {} separate leads", case.name(what), plain(plugs, 0));
    let own = own.map(|_| setting(what, LEADS, &plain(plugs, 0), label)).into_iter().collect();
    let list = case.psus();
    let Some(first) = list.first() else { return vec![own] };
    let more = |p: &Part| {
        psu(p).is_some_and(|s| {
            s.form == first.is.form && s.watts >= first.is.watts && s.pcie_leads.is_some() && s.pcie_leads > first.is.pcie_leads
        })
    };
    vec![own, swap(case, first.id, more)]
}

fn rails(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "psu_multi_rail";
    let cards = case.gpus();
    let fed: Vec<&Piece<'_, Gpu>> = cards.iter().filter(|c| c.is.tdp_w.is_none_or(|w| w > SLOT_W)).collect();
    for supply in case.psus() {
        let name = case.name(supply.id);
        let subjects = about([supply.id]);
        let question = format!("Whether {name} bears each card on one of its rails");
        let say = |verdict, text: String| {
            let finding = Finding::new(RULE, verdict, Severity::Problem, subjects.clone(), text);
            supply.is.watts.into_iter().fold(finding, |f, w| f.number("psu_w", w))
        };
        if fed.is_empty() {
            continue;
        }
        let largest = fed.iter().filter_map(|c| Some((c.is.tdp_w? - SLOT_W, c))).max_by(|a, b| a.0.total_cmp(&b.0));
        out.push(match (supply.is.rails, supply.is.rail_a, largest) {
            (Some(Rails::Single), ..) => say(Verdict::Pass, format!("{name} has one 12 V rail.")),
            (Some(Rails::Several), Some(amps), Some((load, card))) => {
                let bears = amps * 12.0;
                let verdict = if load > bears { Verdict::Fail } else { Verdict::Pass };
                let text = format!(
                    "The plugs of {} draw {}, each rail of {name} bears {} A x 12 V = {}.",
                    case.name(card.id),
                    watts(load),
                    plain(amps, 1),
                    watts(bears)
                );
                say(verdict, text).number("rail_w", bears).number("load_w", load)
            }
            (Some(Rails::Several), None, Some((load, card))) => say(
                Verdict::Fail,
                format!(
                    "{name} limits each rail, nobody says to what: {} draws {} over its plugs, and each rail must bear what hangs on it.",
                    case.name(card.id),
                    watts(load)
                ),
            )
            .number("load_w", load),
            (Some(Rails::Several), _, None) => {
                let facts = fed.iter().map(|c| missing(c.part.short_name(), "tdp_w")).collect();
                unknown(RULE, Severity::Problem, subjects.clone(), &question, facts)
            }
            (None, ..) => unknown(RULE, Severity::Problem, subjects.clone(), &question, vec![missing(supply.part.short_name(), "rails")]),
        });
    }
}

fn rail_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(psu) else { return Vec::new() };
    vec![swap(case, what, |p| psu(p).is_some_and(|s| s.form == old.form && s.watts >= old.watts && s.rails == Some(Rails::Single)))]
}

fn slot_power(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "slot_power";
    for feed in &case.facts.power.slots {
        let name = case.name(feed.device);
        let subjects = about([feed.device]);
        let finding = match feed.is_over() {
            None => {
                let part = case.part_of(feed.device).map_or("a card", Part::short_name);
                let gaps = case.part_of(feed.device).and_then(super::candidates::gpu);
                let field = if gaps.is_some_and(|g| g.plugs.is_none()) { "plugs" } else { "tdp_w" };
                unknown(RULE, Severity::Blocker, subjects, &format!("What {name} takes from {}", feed.label), vec![missing(part, field)])
            }
            Some(over) => {
                let verdict = if over { Verdict::Fail } else { Verdict::Pass };
                let takes = feed.draws_w.unwrap_or(0.0);
                let text = format!("{name} takes up to {} from {}, which gives {}.", watts(takes), feed.label, watts(feed.gives_w));
                Finding::new(RULE, verdict, Severity::Blocker, subjects, text)
            }
        };
        let finding = feed.draws_w.into_iter().fold(finding, |f, w| f.number("card_w", w));
        out.push(finding.number("slot_w", feed.gives_w));
    }
}

fn slot_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let gives = finding.numbers.get("slot_w").copied().unwrap_or(0.0);
    let least = case.part_of(what).and_then(super::candidates::gpu).and_then(|g| g.power_min_w);
    let limit = (gives / 5.0).floor() * 5.0;
    let limits = least.filter(|l| limit >= *l).map(|_| {
        setting(what, crate::analysis::power::POWER_LIMIT, &plain(limit, 0), format!("Limit {} to {}", case.name(what), watts(limit)))
    });
    vec![super::candidates::moves(case, what), limits.into_iter().collect()]
}
