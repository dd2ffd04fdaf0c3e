//! Room for air, and coolers that carry their heat.

use super::candidates::{cooler, gpu, moves, serves_as, swap};
use super::finding::{Finding, Fix, Severity, Verdict};
use super::fixes::{first_piece, pieces};
use super::rig::{Piece, about, count, missing, unknown};
use super::slots::{Gap, gap_below};
use super::{Case, Check, Search};
use crate::catalog::part::{Gpu, Part};
use crate::catalog::vocab::{CaseKind, CoolerKind, GpuCooler};
use crate::units::{mm, plain, watts};

pub(super) const RULES: &[Check] = &[
    Check {
        id: "gpu_adjacent_open_air",
        title: "Open-air cards side by side",
        why: "An open-air card draws its air through the gap below it. Without a free slot there it runs hot, loses speed and dies sooner; blowers and water do not mind. How much speed is lost depends on the work: a pair of cards without a gap was measured 20% lower in clock and 5% lower in tokens a second.",
        guide: &["G7"],
        run: adjacent,
        search: Some(Search {
            candidates: adjacent_fixes,
            none: "No free slot gives the card air, and the catalog has no blower of the same product that fits.",
        }),
    },
    Check {
        id: "passive_gpu_airflow",
        title: "Passive cards",
        why: "A card without a fan needs the forced air of a server chassis. In a desktop case it throttles within minutes unless a fan is ducted to it.",
        guide: &["G3", "G7"],
        run: passive,
        search: Some(Search { candidates: passive_fixes, none: "No card with a fan and as much memory in the catalog fits here." }),
    },
    Check {
        id: "cooler_capacity",
        title: "CPU cooler capacity",
        why: "A cooler made for less heat than the CPU gives off lets it throttle.",
        guide: &["G17"],
        run: capacity,
        search: Some(Search { candidates: capacity_fixes, none: "No cooler in the catalog that fits here carries that heat." }),
    },
    Check {
        id: "cpu_water",
        title: "Water for the CPU",
        why: "Air is enough for a CPU. A pump can leak or fail; water pays for graphics cards, from two hot ones on, where blowers are not to be had.",
        guide: &["G17"],
        run: cpu_water,
        search: Some(Search { candidates: air_fixes, none: "No air cooler in the catalog that fits here carries that heat." }),
    },
];

fn adjacent(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cards = case.gpus();
    for card in &cards {
        out.push(judge_adjacent(case, card, cards.len()));
    }
}

fn judge_adjacent(case: &Case<'_>, card: &Piece<'_, Gpu>, total: usize) -> Finding {
    const RULE: &str = "gpu_adjacent_open_air";
    let severity = if total > 2 { Severity::Problem } else { Severity::Advice };
    let name = case.name(card.id);
    let pass = |subjects, text: String| Finding::new(RULE, Verdict::Pass, severity, subjects, text);
    let drawn = case.facts.space.card(card.id);
    let neighbour = drawn.and_then(|c| gap_below(case, c)).filter(|(id, _)| case.part_of(*id).is_some_and(|p| gpu(p).is_some()));
    let Some((below, gap)) = neighbour else {
        return pass(about([card.id]), format!("No card sits below {name}."));
    };
    let next = case.name(below);
    let subjects = about([card.id, below]);
    let question = format!("Whether {name} gets air above {next}");
    let ask = |facts| unknown(RULE, severity, subjects.clone(), &question, facts);
    let kind = match card.is.cooler {
        None => return ask(vec![missing(card.part.short_name(), "cooler")]),
        Some(kind @ (GpuCooler::OpenAir | GpuCooler::FlowThrough)) => kind,
        Some(kind) => return pass(subjects.clone(), format!("{name} ({kind}) does not draw its air from the gap above {next}.")),
    };
    let limit = case.project.threshold("card_gap_open_air_mm");
    let gap = match gap {
        Gap::Guess(gap, fact) if (gap - limit).abs() <= case.project.threshold("mm_band_thickness") => return ask(vec![fact]),
        Gap::Known(gap) | Gap::Guess(gap, _) => gap,
        Gap::Unknown(facts) => return ask(facts),
    };
    let finding = if gap + 0.01 < limit {
        Finding::new(RULE, Verdict::Fail, severity, subjects.clone(), starved_text(case, card, kind, gap, &next, limit))
    } else {
        pass(subjects.clone(), format!("{name} ({kind}) has {} of air above {next}; {} are asked for.", mm(gap.max(0.0)), mm(limit)))
    };
    let mut finding = finding.number("gap_mm", gap).number("limit_mm", limit);
    if let Some(seen) = measured_pair(card.is).filter(|_| finding.verdict == Verdict::Fail) {
        finding.message.push_str(&format!(
            " A pair of them without a gap was measured: {} to {} MHz, and {} to {} tokens a second of a model that memory binds, {}% less.",
            plain(seen.clock_mhz.0, 0),
            plain(seen.clock_mhz.1, 0),
            plain(seen.tokens_s.0, 1),
            plain(seen.tokens_s.1, 1),
            plain(seen.loss_pct(), 0)
        ));
        finding = finding
            .number("tps_cold", seen.tokens_s.0)
            .number("tps_hot", seen.tokens_s.1)
            .number("loss_pct", seen.loss_pct().round())
            .number("clock_mhz_from", seen.clock_mhz.0)
            .number("clock_mhz_to", seen.clock_mhz.1);
    }
    finding
}

/// Two like open-air cards without a gap, as somebody measured them: the upper one cold and hot.
struct MeasuredPair {
    product: &'static str,
    clock_mhz: (f64, f64),
    tokens_s: (f64, f64),
}

impl MeasuredPair {
    fn loss_pct(&self) -> f64 {
        (1.0 - self.tokens_s.1 / self.tokens_s.0) * 100.0
    }
}

/// <https://github.com/noonghunna/club-3090/issues/178>: 90-91 °C, decoding of one stream.
const MEASURED_PAIRS: &[MeasuredPair] =
    &[MeasuredPair { product: "GeForce RTX 3090", clock_mhz: (1725.0, 1365.0), tokens_s: (68.5, 65.2) }];

fn measured_pair(card: &Gpu) -> Option<&'static MeasuredPair> {
    MEASURED_PAIRS.iter().find(|m| card.product.as_deref() == Some(m.product))
}

fn starved_text(case: &Case<'_>, card: &Piece<'_, Gpu>, kind: GpuCooler, gap: f64, next: &str, limit: f64) -> String {
    let name = case.name(card.id);
    let work = case.workload_names().map_or_else(|| "its work".to_owned(), |names| format!("the work of {names}"));
    let state = case.facts.airflow.card(card.id).and_then(|c| c.state.as_ref());
    let heat = state.map_or_else(String::new, |s| {
        let lost = s.lost.iter().copied().fold(0.0, f64::max) * 100.0;
        let cost = if lost < 0.5 { format!("loses nothing of {work}") } else { format!("loses up to {} % of {work}", plain(lost, 0)) };
        format!(" Under load it reaches {} °C and {cost}.", plain(s.die.value, 0))
    });
    format!("{name} ({kind}) has {} of air above {next}; {} are asked for.{heat}", mm(gap.max(0.0)), mm(limit))
}

fn adjacent_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let mut groups: Vec<Vec<Fix>> = pieces(finding).into_iter().map(|id| moves(case, id)).collect();
    let blower = first_piece(finding).and_then(|what| {
        let old = case.part_of(what).and_then(gpu)?;
        let good = |p: &Part| serves_as(old, p) && gpu(p).is_some_and(|g| g.product == old.product && g.cooler == Some(GpuCooler::Blower));
        Some(swap(case, what, good))
    });
    groups.extend(blower);
    groups
}

fn passive(case: &Case<'_>, out: &mut Vec<Finding>) {
    let kind = case.chassis().map(|c| (c.part.short_name(), c.is.kind));
    for card in case.gpus() {
        let name = case.name(card.id);
        let subjects = about([card.id]);
        let say = |verdict, text: String| Finding::new("passive_gpu_airflow", verdict, Severity::Blocker, subjects.clone(), text);
        let ask = |facts| unknown("passive_gpu_airflow", Severity::Blocker, subjects.clone(), &format!("Whether {name} gets air"), facts);
        let finding = match (card.is.cooler, kind) {
            (None, _) => ask(vec![missing(card.part.short_name(), "cooler")]),
            (Some(GpuCooler::Passive), None) => ask(vec![missing("rig", "case")]),
            (Some(GpuCooler::Passive), Some((inside, None))) => ask(vec![missing(inside, "kind")]),
            (Some(GpuCooler::Passive), Some((inside, Some(CaseKind::Rack | CaseKind::Rack4u)))) => {
                say(Verdict::Pass, format!("{name} has no fan; {inside} is made to blow air through it. Its fans must face the card."))
            }
            (Some(GpuCooler::Passive), Some((inside, Some(kind)))) => {
                let draw = card.is.tdp_w.map_or_else(String::new, |w| format!(" for {}", watts(w)));
                say(Verdict::Fail, format!("{name} has no fan{draw}, and {inside} ({kind}) forces no air through it."))
            }
            (Some(cooler), _) => say(Verdict::Pass, format!("{name} is cooled by its own {cooler} cooler.")),
        };
        out.push(card.is.tdp_w.into_iter().fold(finding, |f, w| f.number("power_w", w)));
    }
}

fn passive_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(gpu) else { return Vec::new() };
    vec![swap(case, what, |p| serves_as(old, p) && gpu(p).is_some_and(|g| g.cooler.is_some_and(|c| c != GpuCooler::Passive)))]
}

/// The largest heat of one CPU.
fn hottest_cpu(case: &Case<'_>) -> Option<(f64, String)> {
    let cpus = case.cpus();
    let draws = cpus.iter().filter_map(|c| Some((c.is.tdp_w?, c.part.short_name().to_owned())));
    draws.max_by(|a, b| a.0.total_cmp(&b.0))
}

fn capacity(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cpus = case.cpus();
    let Some(first) = cpus.first() else { return };
    for piece in case.coolers() {
        let name = case.name(piece.id);
        let subjects = about([piece.id, first.id]);
        let (Some(carries), Some((heat, cpu))) = (piece.is.tdp_w, hottest_cpu(case)) else {
            let mut facts = Vec::new();
            if piece.is.tdp_w.is_none() {
                facts.push(missing(piece.part.short_name(), "tdp_w"));
            }
            facts.extend(cpus.iter().filter(|c| c.is.tdp_w.is_none()).map(|c| missing(c.part.short_name(), "tdp_w")));
            out.push(unknown("cooler_capacity", Severity::Problem, subjects, &format!("Whether {name} carries the CPU's heat"), facts));
            continue;
        };
        let verdict = if heat > carries { Verdict::Fail } else { Verdict::Pass };
        let text = format!("{cpu} gives off {}, {name} carries {}.", watts(heat), watts(carries));
        out.push(
            Finding::new("cooler_capacity", verdict, Severity::Problem, subjects, text).number("cpu_w", heat).number("cooler_w", carries),
        );
    }
}

fn capacity_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let heat = finding.numbers.get("cpu_w").copied().unwrap_or(f64::INFINITY);
    first_piece(finding).map(|what| vec![swap(case, what, |p| carries(p, heat))]).unwrap_or_default()
}

fn carries(part: &Part, heat: f64) -> bool {
    cooler(part).is_some_and(|c| c.tdp_w.is_some_and(|w| w >= heat))
}

fn cpu_water(case: &Case<'_>, out: &mut Vec<Finding>) {
    let hot = case.gpus().len();
    for piece in case.coolers() {
        let name = case.name(piece.id);
        let subjects = about([piece.id]);
        let say = |verdict, text: String| Finding::new("cpu_water", verdict, Severity::Note, subjects.clone(), text);
        out.push(match piece.is.kind {
            None => {
                let facts = vec![missing(piece.part.short_name(), "kind")];
                unknown("cpu_water", Severity::Note, subjects.clone(), &format!("Whether {name} cools with water"), facts)
            }
            Some(CoolerKind::Aio | CoolerKind::Block) => {
                let cards = if hot > 1 { format!(" Water would serve the {} better.", count(hot, "card")) } else { String::new() };
                say(Verdict::Fail, format!("{name} cools the CPU with water, where air is enough and cannot leak.{cards}"))
            }
            Some(kind) => say(Verdict::Pass, format!("{name} ({kind}) cools the CPU with air.")),
        });
    }
}

fn air_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let heat = hottest_cpu(case).map_or(f64::INFINITY, |(heat, _)| heat);
    let is_air = |p: &Part| cooler(p).is_some_and(|c| c.kind.is_some_and(|k| !matches!(k, CoolerKind::Aio | CoolerKind::Block)));
    first_piece(finding).map(|what| vec![swap(case, what, |p| is_air(p) && carries(p, heat))]).unwrap_or_default()
}
