//! Main memory: kind, size, speed.

use super::candidates::{board, holds, kit_gb, moves, ram, swap, swap_and_seat};
use super::finding::{Finding, Fix, MissingFact, Severity, Stake, Verdict};
use super::fixes::{counted, first_piece};
use super::rig::{Piece, about, missing, unknown};
use super::{Case, Check, Search};
use crate::build::{PlacementId, SlotId};
use crate::catalog::part::{Part, PartId, Ram};
use crate::catalog::vocab::ModuleType;
use crate::project::edit::Edit;
use crate::units::{Money, plain};

const NO_KIT: &str = "No memory kit in the catalog would do without other changes.";

pub(super) const RULES: &[Check] = &[
    Check {
        id: "ram_type",
        title: "Memory generation",
        why: "DDR4 and DDR5 modules have their notch elsewhere: one does not go into slots for the other.",
        guide: &["G13"],
        run: ram_type,
        search: Some(Search { candidates: type_fixes, none: NO_KIT }),
    },
    Check {
        id: "ram_module_type",
        title: "Registered or unbuffered memory",
        why: "Registered modules do not run in boards for unbuffered ones, nor the reverse, though they look alike.",
        guide: &["G13"],
        run: module_type,
        search: Some(Search { candidates: module_fixes, none: NO_KIT }),
    },
    Check {
        id: "dimm_slots",
        title: "Memory slots",
        why: "A kit whose modules find no slot cannot be used.",
        guide: &["G13"],
        run: dimm_slots,
        search: Some(Search { candidates: slot_fixes, none: NO_KIT }),
    },
    Check {
        id: "ram_capacity",
        title: "Most memory that board and CPU take",
        why: "Memory beyond the limit of board or CPU is not seen, or the machine does not start.",
        guide: &["G9"],
        run: ram_capacity,
        search: Some(Search { candidates: capacity_fixes, none: NO_KIT }),
    },
    Check {
        id: "ram_speed",
        title: "Memory clock rate",
        why: "The clock rate of main memory brings 0-3%: copies to the card from pinned memory do not depend on it. Money for it is wasted.",
        guide: &["G8"],
        run: ram_speed,
        search: Some(Search { candidates: slower_kits, none: "No kit of the same size within the rated clock is in the catalog." }),
    },
    Check {
        id: "ram_vs_gpu_memory",
        title: "Main memory and card memory",
        why: "Main memory should hold what the largest card holds, so that a model or a batch can be staged there. More cards do not need more.",
        guide: &["G9"],
        run: ram_vs_gpu,
        search: Some(Search { candidates: larger_kits, none: NO_KIT }),
    },
];

/// Kits at a place or in the tray.
fn all_kits<'a>(case: &Case<'a>) -> Vec<(PlacementId, &'a Part, &'a Ram)> {
    let placed = case.project.rig.placed(case.catalog).map(|(id, _, part)| (id, part));
    let both = placed.chain(case.project.rig.tray(case.catalog));
    both.filter_map(|(id, part)| Some((id, part, ram(part)?))).collect()
}

fn gaps(pairs: &[(bool, &str, &str)]) -> Vec<MissingFact> {
    pairs.iter().filter(|(gap, ..)| *gap).map(|(_, part, field)| missing(part, field)).collect()
}

fn ram_type(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(host) = case.board() else { return };
    for (id, part, kit) in all_kits(case) {
        let (name, on) = (part.short_name(), host.part.short_name());
        let subjects = about([id, host.id]);
        let say = |verdict, text: String| Finding::new("ram_type", verdict, Severity::Blocker, subjects.clone(), text);
        out.push(match (kit.memory_type, host.is.memory_type) {
            (Some(own), Some(takes)) if own == takes => say(Verdict::Pass, format!("{name} is {own}, as {on} takes it.")),
            (Some(own), Some(takes)) => say(Verdict::Fail, format!("{name} is {own}, {on} takes {takes}.")),
            (own, takes) => {
                let facts = gaps(&[(own.is_none(), name, "memory_type"), (takes.is_none(), on, "memory_type")]);
                unknown("ram_type", Severity::Blocker, subjects.clone(), &format!("Whether {name} goes into {on}"), facts)
            }
        });
    }
}

/// Whether a kit suits the board by generation and build of module.
fn suits(case: &Case<'_>, part: &Part) -> bool {
    let Some(host) = case.board() else { return false };
    ram(part).is_some_and(|r| {
        let listed = host.is.module_types.as_ref().zip(r.module_type).is_some_and(|(list, t)| list.contains(&t));
        listed && r.memory_type.is_some() && r.memory_type == host.is.memory_type
    })
}

/// Exchanges a kit in its place, or from the tray into the memory slots.
fn exchange(case: &Case<'_>, what: PlacementId, keep: impl Fn(&Part) -> bool) -> Vec<Fix> {
    let seated = case.project.rig.placement(what).is_some_and(|p| p.slot.is_some());
    match case.board() {
        Some(host) if !seated => swap_and_seat(case, what, &SlotId::of(host.id, "dimm"), keep),
        _ => swap(case, what, keep),
    }
}

fn type_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(host)) = (first_piece(finding), case.board()) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(ram) else { return Vec::new() };
    let kits = exchange(case, what, |p| suits(case, p) && holds(old, p));
    let good = |p: &Part| board(p).is_some_and(|b| b.socket == host.is.socket && b.memory_type == old.memory_type);
    let mut boards = swap(case, host.id, good);
    for fix in &mut boards {
        fix.edits.push(Edit::Move { what, to: Some(SlotId::of(host.id, "dimm")) });
    }
    vec![kits, boards]
}

fn module_type(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(host) = case.board() else { return };
    let cpu = case.cpus().into_iter().next();
    for kit in case.kits() {
        let (name, on) = (case.name(kit.id), host.part.short_name());
        let subjects = about([kit.id, host.id]);
        let say = |verdict, severity, text: String| Finding::new("ram_module_type", verdict, severity, subjects.clone(), text);
        let ask = |facts| unknown("ram_module_type", Severity::Blocker, subjects.clone(), &format!("Whether {name} runs in {on}"), facts);
        let (Some(own), Some(list)) = (kit.is.module_type, &host.is.module_types) else {
            out.push(ask(gaps(&[
                (kit.is.module_type.is_none(), &name, "module_type"),
                (host.is.module_types.is_none(), on, "module_types"),
            ])));
            continue;
        };
        let takes: Vec<&str> = list.iter().map(|t| t.text()).collect();
        let refuses = cpu.as_ref().filter(|c| own.is_registered() && c.is.registered == Some(false));
        out.push(if let Some(cpu) = refuses {
            say(Verdict::Fail, Severity::Blocker, format!("{name} is {own}, {} takes no registered modules.", cpu.part.short_name()))
        } else if list.contains(&own) {
            say(Verdict::Pass, Severity::Blocker, format!("{name} is {own}, as {on} takes it."))
        } else if list.iter().all(|t| t.is_registered() != own.is_registered() || (*t == ModuleType::Sodimm) != (own == ModuleType::Sodimm))
        {
            say(Verdict::Fail, Severity::Blocker, format!("{name} is {own}, {on} takes {}.", super::rig::join(&takes)))
        } else if own == ModuleType::EccUdimm && host.is.ecc == Some(false) {
            say(Verdict::Fail, Severity::Advice, format!("{name} runs in {on}, but without error correction: the board has none."))
        } else if own == ModuleType::EccUdimm && list.contains(&ModuleType::Udimm) {
            // Whether errors are corrected is for bios_dependency.
            let corrects = if host.is.ecc == Some(true) { ", and it corrects errors" } else { "" };
            say(Verdict::Pass, Severity::Blocker, format!("{name} is {own}: it runs in {on}{corrects}."))
        } else {
            ask(vec![missing(on, "module_types")])
        });
    }
}

fn module_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(ram) else { return Vec::new() };
    let registered = case.cpus().first().and_then(|c| c.is.registered);
    let good = |p: &Part| {
        let allowed = ram(p).and_then(|r| r.module_type).is_some_and(|t| !(t.is_registered() && registered == Some(false)));
        suits(case, p) && holds(old, p) && allowed
    };
    vec![exchange(case, what, good)]
}

fn dimm_slots(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(host) = case.board() else { return };
    let on = host.part.short_name();
    let placed: u32 = case.kits().iter().map(|k| u32::from(k.is.modules.unwrap_or(1))).sum();
    let waiting: Vec<(PlacementId, &Part, u32)> = case
        .project
        .rig
        .tray(case.catalog)
        .filter_map(|(id, part)| Some((id, part, ram(part)?)))
        .filter(|(_, _, kit)| kit.memory_type == host.is.memory_type)
        .map(|(id, part, kit)| (id, part, u32::from(kit.modules.unwrap_or(1))))
        .collect();
    let ask = |subjects| {
        unknown(
            "dimm_slots",
            Severity::Problem,
            subjects,
            &format!("Whether {on} has slots for all modules"),
            vec![missing(on, "dimm_slots")],
        )
    };
    let Some(total) = host.is.dimm_slots.map(u32::from) else {
        out.push(ask(about([host.id])));
        return;
    };
    let numbers = |f: Finding, used: u32| f.number("modules", f64::from(used)).number("dimm_slots", f64::from(total));
    let verdict = if placed > total { Verdict::Fail } else { Verdict::Pass };
    let text = format!("{placed} of the {total} memory slots of {on} are filled.");
    out.push(numbers(Finding::new("dimm_slots", verdict, Severity::Problem, about([host.id]), text), placed));
    for (id, part, modules) in waiting.into_iter().filter(|(_, _, modules)| placed + modules > total) {
        let free = total.saturating_sub(placed);
        let text = format!("{} has {modules} modules, {on} has {free} of {total} memory slots free.", part.short_name());
        out.push(numbers(Finding::new("dimm_slots", Verdict::Fail, Severity::Problem, about([id, host.id]), text), placed + modules));
    }
}

fn slot_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(host)) = (first_piece(finding), case.board()) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(ram) else { return Vec::new() };
    let placed: u32 = case.kits().iter().map(|k| u32::from(k.is.modules.unwrap_or(1))).sum();
    let free = u32::from(host.is.dimm_slots.unwrap_or(0)).saturating_sub(placed);
    let fewer = |p: &Part| suits(case, p) && holds(old, p) && ram(p).and_then(|r| r.modules).is_some_and(|m| u32::from(m) <= free);
    vec![exchange(case, what, fewer), moves(case, what)]
}

/// All kits together; unknown ones are named.
fn total_gb(kits: &[Piece<'_, Ram>]) -> (f64, Vec<MissingFact>) {
    let sum = kits.iter().filter_map(|k| kit_gb(k.is)).sum();
    let field = |k: &Piece<'_, Ram>| if k.is.modules.is_none() { "modules" } else { "gb_per_module" };
    let gaps = kits.iter().filter(|k| kit_gb(k.is).is_none()).map(|k| missing(k.part.short_name(), field(k))).collect();
    (sum, gaps)
}

fn ram_capacity(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(host) = case.board() else { return };
    let kits = case.kits();
    if kits.is_empty() {
        return;
    }
    let (total, mut facts) = total_gb(&kits);
    let cpus = case.cpus();
    let by_cpu = cpus.first().and_then(|c| c.is.memory_max_gb).map(|gb| gb * cpus.len() as f64);
    let limits = [host.is.memory_max_gb.map(|gb| (gb, host.part.short_name())), by_cpu.zip(cpus.first().map(|c| c.part.short_name()))];
    let least = limits.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0));
    let subjects = about(kits.iter().map(|k| k.id).chain([host.id]));
    let say = |verdict, text: String, limit: f64| {
        Finding::new("ram_capacity", verdict, Severity::Problem, subjects.clone(), text).number("ram_gb", total).number("limit_gb", limit)
    };
    out.push(match least {
        Some((limit, who)) if total > limit => {
            say(Verdict::Fail, format!("{} GB are placed, {who} takes {} GB.", plain(total, 0), plain(limit, 0)), limit)
        }
        Some((limit, who)) if facts.is_empty() && host.is.memory_max_gb.is_some() => {
            say(Verdict::Pass, format!("{} GB of the {} GB that {who} takes are placed.", plain(total, 0), plain(limit, 0)), limit)
        }
        _ => {
            if host.is.memory_max_gb.is_none() {
                facts.push(missing(host.part.short_name(), "memory_max_gb"));
            }
            let question = format!("Whether {} GB are within the limit", plain(total, 0));
            unknown("ram_capacity", Severity::Problem, subjects.clone(), &question, facts)
        }
    });
}

fn capacity_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let limit = finding.numbers.get("limit_gb").copied().unwrap_or(0.0);
    let kits = case.kits();
    let (total, _) = total_gb(&kits);
    let swaps = kits.iter().map(|kit| {
        let rest = total - kit_gb(kit.is).unwrap_or(0.0);
        let mut fixes = swap(case, kit.id, |p| suits(case, p) && ram(p).and_then(kit_gb).is_some_and(|gb| rest + gb <= limit));
        fixes.sort_by_key(|f| std::cmp::Reverse(f.edits.iter().filter_map(|e| replaced_gb(case, e)).max()));
        fixes
    });
    swaps.collect()
}

/// Size of the kit that an edit puts in, in whole GB.
fn replaced_gb(case: &Case<'_>, edit: &Edit) -> Option<u64> {
    let Edit::Replace { part, .. } = edit else { return None };
    case.catalog.part(part).and_then(ram).and_then(kit_gb).map(|gb| gb as u64)
}

fn ram_speed(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cpus = case.cpus();
    let base = cpus.iter().filter_map(|c| c.is.memory_mt_s.map(|s| (s, c.part.short_name()))).min();
    let Some(first) = cpus.first() else { return };
    for kit in case.kits() {
        let name = case.name(kit.id);
        let subjects = about([kit.id]);
        let say = |verdict, text: String| Finding::new("ram_speed", verdict, Severity::Advice, subjects.clone(), text);
        let (Some(speed), Some((base, cpu))) = (kit.is.speed_mt_s, base) else {
            let facts =
                gaps(&[(kit.is.speed_mt_s.is_none(), &name, "speed_mt_s"), (base.is_none(), first.part.short_name(), "memory_mt_s")]);
            out.push(unknown("ram_speed", Severity::Advice, subjects, &format!("Whether {name} is faster than it need be"), facts));
            continue;
        };
        let finding = if speed <= base {
            say(Verdict::Pass, format!("{name} runs at {speed} MT/s, within the {base} MT/s of {cpu}."))
        } else {
            faster(case, &kit, &format!("{name} is rated {speed} MT/s, {cpu} is made for {base} MT/s"), &say)
        };
        out.push(finding.number("speed_mt_s", f64::from(speed)).number("base_mt_s", f64::from(base)));
    }
}

/// What a kit beyond the platform's speed wastes, as far as prices are known.
fn faster(case: &Case<'_>, kit: &Piece<'_, Ram>, fact: &str, say: &dyn Fn(Verdict, String) -> Finding) -> Finding {
    let slower = slower_alternatives(case, kit);
    let cheapest = slower.iter().filter_map(|id| Some((counted(case, id)?, id))).min_by_key(|(m, _)| m.cents);
    match (counted(case, &kit.part.id), cheapest) {
        (Some(own), Some((other, id))) => {
            let waste = Money { cents: own.cents - other.cents, currency: own.currency };
            let name = case.catalog.part(id).map_or_else(|| id.to_string(), |p| p.short_name().to_owned());
            if waste.cents <= 0 {
                return say(Verdict::Pass, format!("{fact}, yet it costs no more than {name}."));
            }
            let stake = Stake { money: Some(waste), ..Stake::default() };
            say(Verdict::Fail, format!("{fact}: {waste} more than {name} for 0-3%.")).stake(stake)
        }
        _ => say(Verdict::Fail, format!("{fact}: 0-3% faster. What the clock rate costs is unknown, for want of prices."))
            .stake(Stake::default()),
    }
}

/// Kits like this one but slower.
fn slower_alternatives(case: &Case<'_>, kit: &Piece<'_, Ram>) -> Vec<PartId> {
    let own = kit.is;
    let alike = |r: &Ram| {
        (r.memory_type, r.module_type, r.modules, r.gb_per_module) == (own.memory_type, own.module_type, own.modules, own.gb_per_module)
            && r.speed_mt_s.is_some()
            && r.speed_mt_s < own.speed_mt_s
    };
    case.catalog.parts().filter(|p| !p.generic && ram(p).is_some_and(alike)).map(|p| p.id.clone()).collect()
}

fn slower_kits(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let kits = case.kits();
    let Some(kit) = kits.iter().find(|k| Some(k.id) == first_piece(finding)) else { return Vec::new() };
    let slower = slower_alternatives(case, kit);
    let base = finding.numbers.get("base_mt_s").copied().unwrap_or(f64::INFINITY);
    let good = |p: &Part| slower.contains(&p.id) && ram(p).and_then(|r| r.speed_mt_s).is_some_and(|s| f64::from(s) <= base);
    vec![swap(case, kit.id, good)]
}

fn ram_vs_gpu(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (cards, kits) = (case.gpus(), case.kits());
    if cards.is_empty() || kits.is_empty() {
        return;
    }
    let (total, mut facts) = total_gb(&kits);
    facts.extend(cards.iter().filter(|c| c.is.memory_gb.is_none()).map(|c| missing(c.part.short_name(), "memory_gb")));
    let largest = cards.iter().filter_map(|c| Some((c.is.memory_gb?, c))).max_by(|a, b| a.0.total_cmp(&b.0));
    let subjects = about(kits.iter().map(|k| k.id));
    let say = |verdict, text: String, gpu: f64| {
        Finding::new("ram_vs_gpu_memory", verdict, Severity::Problem, subjects.clone(), text)
            .number("ram_gb", total)
            .number("largest_gpu_gb", gpu)
    };
    out.push(match largest {
        Some((gpu, card)) if facts.is_empty() => {
            let (verdict, than) = if total < gpu { (Verdict::Fail, "less than") } else { (Verdict::Pass, "no less than") };
            let text = format!("{} GB of main memory are {than} the {} GB of {}.", plain(total, 1), plain(gpu, 1), case.name(card.id));
            say(verdict, text, gpu)
        }
        _ => unknown("ram_vs_gpu_memory", Severity::Problem, subjects.clone(), "Whether main memory matches the largest card", facts),
    });
}

fn larger_kits(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let need = finding.numbers.get("largest_gpu_gb").copied().unwrap_or(f64::INFINITY);
    let kits = case.kits();
    let (total, _) = total_gb(&kits);
    let Some(kit) = kits.first() else { return Vec::new() };
    let rest = total - kit_gb(kit.is).unwrap_or(0.0);
    let larger = swap(case, kit.id, |p| suits(case, p) && ram(p).and_then(kit_gb).is_some_and(|gb| rest + gb >= need));
    let Some(host) = case.board() else { return vec![larger] };
    let more = super::candidates::add(case, &SlotId::of(host.id, "dimm"), |p| {
        suits(case, p) && ram(p).and_then(kit_gb).is_some_and(|gb| total + gb >= need)
    });
    vec![more, larger]
}
