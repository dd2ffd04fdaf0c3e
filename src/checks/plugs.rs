//! Power plugs: what cards and board need, what the supplies offer.

use super::candidates::{psu, swap, tally};
use super::finding::{Finding, Fix, MissingFact, Severity, Verdict};
use super::rig::{Piece, about, join, missing, unknown};
use super::{Case, Check, Search};
use crate::catalog::part::{Gpu, Part, Plugs};
use crate::catalog::vocab::Plug;
use crate::project::Subject;
use crate::units::watts;

const NO_SUPPLY: &str = "No supply in the catalog that fits this rig has these plugs.";

pub(super) const RULES: &[Check] = &[
    Check {
        id: "gpu_plug_type",
        title: "Power plugs of the cards",
        why: "A card runs only with the plugs it has. Workstation cards may ask for a CPU-type (EPS) plug; a PCIe lead in it shorts the supply.",
        guide: &["G15"],
        run: gpu_plugs,
        search: Some(Search { candidates: plug_fixes, none: NO_SUPPLY }),
    },
    Check {
        id: "board_eps",
        title: "CPU power plugs of the board",
        why: "Boards with two CPU plugs mostly start with one, but strong CPUs need both under load.",
        guide: &["G15"],
        run: board_eps,
        search: Some(Search { candidates: plug_fixes, none: NO_SUPPLY }),
    },
    Check {
        id: "hpwr_rating",
        title: "Rating of the 16-pin lead",
        why: "16-pin leads are made for 150 to 600 W. A card on a weaker one is throttled or overheats the plug.",
        guide: &["G15"],
        run: hpwr_rating,
        search: Some(Search { candidates: plug_fixes, none: NO_SUPPLY }),
    },
];

/// What one 8-pin lead carries, and what the slot gives, by the PCIe card specification.
const EIGHT_PIN_W: f64 = 150.0;
const SLOT_W: f64 = 75.0;

/// Plugs by kind; both 16-pin kinds go into each other.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    six: u32,
    eight: u32,
    sixteen: u32,
    eps: u32,
}

impl Count {
    fn of<'p>(plugs: impl IntoIterator<Item = &'p Plugs>) -> Self {
        let by_kind = tally(plugs.into_iter().map(|p| (p.plug, u32::from(p.count))));
        let n = |plug| by_kind.get(&plug).copied().unwrap_or(0);
        Self { six: n(Plug::Pcie6), eight: n(Plug::Pcie8), sixteen: n(Plug::Hpwr16) + n(Plug::Hpwr2x6), eps: n(Plug::Eps8) }
    }
    fn text(self) -> String {
        let kinds = [(self.eight, "8-pin"), (self.six, "6-pin"), (self.sixteen, "16-pin"), (self.eps, "EPS")];
        let parts: Vec<String> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} × {kind}")).collect();
        if parts.is_empty() { "none".to_owned() } else { join(&parts) }
    }
}

/// Plugs that all supplies offer together, and the supplies whose plugs are unknown.
fn offered(case: &Case<'_>) -> (Count, Vec<MissingFact>) {
    let list = case.psus();
    let gaps = list.iter().filter(|p| p.is.plugs.is_none()).map(|p| missing(p.part.short_name(), "plugs")).collect();
    (Count::of(list.iter().flat_map(|p| p.is.plugs.iter().flatten())), gaps)
}

/// How the plugs come out.
enum Match {
    Enough,
    /// 16-pin plugs made from so many 8-pin leads.
    ByAdapter(u32),
    Short,
}

fn compare(need: Count, have: Count, adapter_leads: u32) -> Match {
    // 8-pin leads are "6+2" and serve 6-pin plugs too.
    let six_from_eight = need.six.saturating_sub(have.six);
    let spare = i64::from(have.eight) - i64::from(need.eight) - i64::from(six_from_eight);
    if spare < 0 || need.eps > have.eps {
        Match::Short
    } else if need.sixteen <= have.sixteen {
        Match::Enough
    } else if i64::from(adapter_leads) <= spare {
        Match::ByAdapter(adapter_leads)
    } else {
        Match::Short
    }
}

fn gpu_plugs(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (cards, supplies) = (case.gpus(), case.psus());
    if cards.is_empty() {
        return;
    }
    if supplies.is_empty() {
        eps_cards(&cards, out);
        return;
    }
    let subjects: Vec<Subject> = about(supplies.iter().map(|p| p.id).chain(cards.iter().map(|c| c.id)));
    let ask = |facts| unknown("gpu_plug_type", Severity::Blocker, subjects.clone(), "Whether the supply has the cards' plugs", facts);
    let mut need = Count::of(cards.iter().flat_map(|c| c.is.plugs.iter().flatten()));
    let cards_eps = need.eps;
    let (have, mut facts) = offered(case);
    if !facts.is_empty() {
        out.push(ask(facts));
        return;
    }
    let board = case.board();
    let board_eps = board.as_ref().map(|b| b.is.eps_plugs.map(u32::from));
    if cards_eps > 0 {
        need.eps += board_eps.map_or(0, |n| n.unwrap_or(1));
    }
    let short_sixteen = need.sixteen.saturating_sub(have.sixteen);
    let with_sixteen = cards.iter().filter(|c| c.is.plugs.iter().flatten().any(|p| matches!(p.plug, Plug::Hpwr16 | Plug::Hpwr2x6)));
    let mut leads: Vec<u32> = with_sixteen.map(|c| (c.is.tdp_w.unwrap_or(600.0) / EIGHT_PIN_W).ceil() as u32).collect();
    leads.sort_unstable();
    let adapter_leads = leads.iter().take(short_sixteen as usize).sum();
    let numbers = |f: Finding| {
        f.number("eps_needed", f64::from(cards_eps))
            .number("eps_total_needed", f64::from(need.eps))
            .number("eps_available", f64::from(have.eps))
            .number("pcie8_needed", f64::from(need.eight))
            .number("pcie8_available", f64::from(have.eight))
            .number("hpwr_needed", f64::from(need.sixteen))
            .number("hpwr_available", f64::from(have.sixteen))
    };
    let with_board = if need.eps > cards_eps { ", board included" } else { "" };
    let text = format!("Needed{with_board}: {}; offered: {}", need.text(), have.text());
    let say = |verdict, severity, text: String| numbers(Finding::new("gpu_plug_type", verdict, severity, subjects.clone(), text));
    facts.extend(cards.iter().filter(|c| c.is.plugs.is_none()).map(|c| missing(c.part.short_name(), "plugs")));
    if let Some(board) = board.filter(|b| cards_eps > 0 && b.is.eps_plugs.is_none() && have.eps < cards_eps + 2) {
        facts.push(missing(board.part.short_name(), "eps_plugs"));
    }
    out.push(match compare(need, have, adapter_leads) {
        Match::Short => say(Verdict::Fail, Severity::Blocker, format!("{text}: not enough.")),
        _ if !facts.is_empty() => ask(facts),
        Match::Enough => say(Verdict::Pass, Severity::Blocker, format!("{text}.")),
        Match::ByAdapter(n) => {
            say(Verdict::Fail, Severity::Advice, format!("{text}: adapters from {n} separate 8-pin leads are needed, none shared."))
        }
    });
}

/// Before a supply is chosen: cards whose plug is not the usual one.
fn eps_cards(cards: &[Piece<'_, Gpu>], out: &mut Vec<Finding>) {
    let eps = |c: &Piece<'_, Gpu>| Count::of(c.is.plugs.iter().flatten()).eps;
    let with: Vec<&Piece<'_, Gpu>> = cards.iter().filter(|c| eps(c) > 0).collect();
    let Some(first) = with.first() else { return };
    let need: u32 = with.iter().map(|c| eps(c)).sum();
    let text = format!(
        "{} takes a CPU-type (EPS) plug, {need} in all: choose a supply with as many beside the board's own. A PCIe lead does not go in.",
        first.part.short_name()
    );
    let finding = Finding::new("gpu_plug_type", Verdict::Fail, Severity::Advice, about(with.iter().map(|c| c.id)), text);
    out.push(finding.number("eps_needed", f64::from(need)));
}

fn plug_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let list = case.psus();
    let Some(first) = list.first() else { return Vec::new() };
    let number = |key| finding.numbers.get(key).copied().unwrap_or(0.0);
    let (eps, eight, sixteen, rating) = (number("eps_total_needed"), number("pcie8_needed"), number("hpwr_needed"), number("card_w"));
    let enough = |p: &Part| {
        psu(p).is_some_and(|s| {
            let have = Count::of(s.plugs.iter().flatten());
            let plugs = f64::from(have.eps) >= eps && f64::from(have.eight) >= eight && f64::from(have.sixteen) >= sixteen;
            let rated = rating == 0.0 || s.hpwr_w.is_some_and(|w| w >= rating);
            s.form == first.is.form && s.watts >= first.is.watts && s.plugs.is_some() && plugs && rated
        })
    };
    vec![swap(case, first.id, enough)]
}

fn board_eps(case: &Case<'_>, out: &mut Vec<Finding>) {
    let supplies = case.psus();
    let Some(board) = case.board().filter(|_| !supplies.is_empty()) else { return };
    let name = board.part.short_name();
    let subjects = about(supplies.iter().map(|p| p.id).chain([board.id]));
    let (have, mut facts) = offered(case);
    let Some(need) = board.is.eps_plugs.map(u32::from).filter(|_| facts.is_empty()) else {
        if board.is.eps_plugs.is_none() {
            facts.push(missing(name, "eps_plugs"));
        }
        out.push(unknown("board_eps", Severity::Note, subjects, &format!("Whether the supply has the CPU plugs of {name}"), facts));
        return;
    };
    let verdict = if need > have.eps { Verdict::Fail } else { Verdict::Pass };
    let text = format!("{name} has {need} CPU power plugs, the supply offers {}.", have.eps);
    let finding = Finding::new("board_eps", verdict, Severity::Note, subjects, text);
    out.push(finding.number("eps_total_needed", f64::from(need)).number("eps_available", f64::from(have.eps)));
}

fn hpwr_rating(case: &Case<'_>, out: &mut Vec<Finding>) {
    let supplies = case.psus();
    let leads = |p: &crate::catalog::part::Psu| Count::of(p.plugs.iter().flatten()).sixteen;
    let with_lead: Vec<_> = supplies.iter().filter(|p| leads(p.is) > 0).collect();
    if with_lead.is_empty() {
        return;
    }
    for card in case.gpus() {
        let inputs = Count::of(card.is.plugs.iter().flatten()).sixteen;
        if inputs == 0 {
            continue;
        }
        let name = case.name(card.id);
        let subjects = about(with_lead.iter().map(|p| p.id).chain([card.id]));
        let draw = card.is.power_max_w.or(card.is.tdp_w);
        let weakest = with_lead.iter().map(|p| p.is.hpwr_w).min_by(|a, b| a.unwrap_or(0.0).total_cmp(&b.unwrap_or(0.0))).flatten();
        let (Some(draw), Some(rated)) = (draw, weakest) else {
            let mut facts: Vec<MissingFact> =
                with_lead.iter().filter(|p| p.is.hpwr_w.is_none()).map(|p| missing(p.part.short_name(), "hpwr_w")).collect();
            if draw.is_none() {
                facts.push(missing(card.part.short_name(), "tdp_w"));
            }
            out.push(unknown("hpwr_rating", Severity::Problem, subjects, &format!("Whether the 16-pin lead carries {name}"), facts));
            continue;
        };
        let per_lead = (draw - SLOT_W).max(0.0) / f64::from(inputs);
        let verdict = if per_lead > rated { Verdict::Fail } else { Verdict::Pass };
        let text = format!("{name} draws up to {} through each 16-pin lead, which is rated {}.", watts(per_lead), watts(rated));
        let finding = Finding::new("hpwr_rating", verdict, Severity::Problem, subjects, text);
        out.push(finding.number("card_w", per_lead).number("rated_w", rated).number("hpwr_needed", f64::from(inputs)));
    }
}
