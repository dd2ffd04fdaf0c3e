//! What a rig must have, and what waits in the tray.

use super::candidates::{add, board, chassis, cooler, cpu, free_card_slots, gpu, kit_gb, moves, psu, ram};
use super::finding::{Finding, Fix, Safety, Severity, Verdict};
use super::fixes::first_piece;
use super::rig::{about, count, join};
use super::{Case, Check, Search};
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{PlacementId, SlotId};
use crate::catalog::part::{Part, PartKind};
use crate::catalog::vocab::{GpuCooler, GpuForm};
use crate::project::Subject;
use crate::project::edit::Edit;

pub(super) const RULES: &[Check] = &[
    Check {
        id: "no_gpu",
        title: "A GPU",
        why: "Deep learning without a GPU makes no sense: training and inference are tens of times slower on the CPU alone.",
        guide: &["G3"],
        run: no_gpu,
        search: Some(Search { candidates: gpu_fixes, none: "No card in the catalog goes into a free slot of this rig." }),
    },
    note(
        "no_board",
        "A board",
        "The board decides which CPU, memory and cards fit. Until it is there, most checks have nothing to judge.",
        no_board,
        board_fixes,
    ),
    note("no_cpu", "A CPU", "The CPU feeds the cards. Its socket must be the board's.", no_cpu, cpu_fixes),
    note("no_ram", "Main memory", "Without main memory the machine does not start.", no_ram, ram_fixes),
    note("no_psu", "A power supply", "Until there is a supply, watts and plugs cannot be judged.", no_psu, psu_fixes),
    note("no_cooler", "A CPU cooler", "Most CPUs for workstations are sold without a cooler.", no_cooler, cooler_fixes),
    note(
        "no_case",
        "A case",
        "Until there is a case, lengths and slots are judged against nothing, as on a test bench.",
        no_case,
        case_fixes,
    ),
    Check {
        id: "tray_not_empty",
        title: "Parts in the tray",
        why: "Parts in the tray count neither in the price nor in any ledger.",
        guide: &[],
        run: tray,
        search: Some(Search { candidates: tray_fixes, none: "No free place of this rig takes it." }),
    },
];

type Run = fn(&Case<'_>, &mut Vec<Finding>);
type Candidates = fn(&Case<'_>, &Finding) -> Vec<Vec<Fix>>;

const fn note(id: &'static str, title: &'static str, why: &'static str, run: Run, candidates: Candidates) -> Check {
    Check { id, title, why, guide: &[], run, search: Some(Search { candidates, none: "No part in the catalog fits this rig as it is." }) }
}

fn no_gpu(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cards = case.gpus();
    let names: Vec<String> = cards.iter().map(|c| case.name(c.id)).collect();
    let finding = if cards.is_empty() {
        Finding::new("no_gpu", Verdict::Fail, Severity::Problem, vec![Subject::Whole], no_gpu_text(case))
    } else {
        let text = format!("{} placed: {}.", count(cards.len(), "card"), join(&names));
        Finding::new("no_gpu", Verdict::Pass, Severity::Problem, vec![Subject::Whole], text)
    };
    let jobs = case.project.workloads.len();
    out.push(finding.number("gpus", cards.len() as f64).number("workloads", jobs as f64));
}

fn no_gpu_text(case: &Case<'_>) -> String {
    let waiting = case.project.rig.tray(case.catalog).find(|(_, p)| gpu(p).is_some());
    let gpu = waiting.map_or_else(
        || "The rig has no GPU.".to_owned(),
        |(_, p)| format!("The rig has no GPU: {} still lies in the tray.", p.short_name()),
    );
    case.workload_names().map_or_else(|| format!("{gpu} It has no workload either."), |names| format!("{gpu} It is meant to run {names}."))
}

fn gpu_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let waiting = case.project.rig.tray(case.catalog).filter(|(_, p)| gpu(p).is_some());
    let seats: Vec<Fix> = waiting.flat_map(|(id, _)| moves(case, id)).collect();
    let floor = case.project.threshold("gpu_memory_floor_gb");
    let good = |p: &Part| {
        gpu(p).is_some_and(|g| {
            let modern = g.compute_capability.as_deref().and_then(|c| c.parse::<f64>().ok()).is_some_and(|c| c >= 7.0);
            g.form == Some(GpuForm::Card)
                && modern
                && g.memory_gb.is_some_and(|m| m >= floor)
                && g.cooler.is_some_and(|c| c != GpuCooler::Passive)
        })
    };
    let new = free_card_slots(case).first().map(|slot| add(case, slot, good)).unwrap_or_default();
    vec![seats, new]
}

/// Reports a kind as present with its names, or as missing.
fn presence(case: &Case<'_>, rule: &'static str, here: &[PlacementId], lacking: &str, out: &mut Vec<Finding>) {
    let names: Vec<String> = here.iter().map(|id| case.name(*id)).collect();
    let finding = if here.is_empty() {
        Finding::new(rule, Verdict::Fail, Severity::Note, vec![Subject::Whole], lacking)
    } else {
        Finding::new(rule, Verdict::Pass, Severity::Note, vec![Subject::Whole], format!("{} placed.", join(&names)))
    };
    out.push(finding.number("count", here.len() as f64));
}

fn ids(case: &Case<'_>, is: fn(&PartKind) -> bool) -> Vec<PlacementId> {
    case.project.rig.placed(case.catalog).filter(|(_, _, p)| is(&p.kind)).map(|(id, ..)| id).collect()
}

fn no_board(case: &Case<'_>, out: &mut Vec<Finding>) {
    presence(case, "no_board", &ids(case, |k| matches!(k, PartKind::Board(_))), "The rig has no board yet.", out);
}

fn no_cpu(case: &Case<'_>, out: &mut Vec<Finding>) {
    presence(case, "no_cpu", &ids(case, |k| matches!(k, PartKind::Cpu(_))), "The rig has no CPU yet.", out);
}

fn no_ram(case: &Case<'_>, out: &mut Vec<Finding>) {
    presence(case, "no_ram", &ids(case, |k| matches!(k, PartKind::Ram(_))), "The rig has no main memory yet.", out);
}

fn no_psu(case: &Case<'_>, out: &mut Vec<Finding>) {
    presence(case, "no_psu", &ids(case, |k| matches!(k, PartKind::Psu(_))), "The rig has no power supply yet.", out);
}

fn no_cooler(case: &Case<'_>, out: &mut Vec<Finding>) {
    if case.cpus().is_empty() {
        return;
    }
    presence(case, "no_cooler", &ids(case, |k| matches!(k, PartKind::Cooler(_))), "The CPU has no cooler yet.", out);
}

fn no_case(case: &Case<'_>, out: &mut Vec<Finding>) {
    presence(case, "no_case", &ids(case, |k| matches!(k, PartKind::Case(_))), "The rig has no case: it stands on a bench.", out);
}

fn board_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let waiting = case.project.rig.tray(case.catalog).find_map(|(_, p)| cpu(p)).and_then(|c| c.socket);
    vec![add(case, &SlotId::rig("board"), |p| board(p).is_some_and(|b| waiting.is_none() || b.socket == waiting))]
}

fn cpu_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let Some(host) = case.board() else { return Vec::new() };
    vec![add(case, &SlotId::of(host.id, "cpu1"), |p| cpu(p).is_some_and(|c| c.socket.is_some() && c.socket == host.is.socket))]
}

fn ram_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let Some(host) = case.board() else { return Vec::new() };
    let largest = case.gpus().iter().filter_map(|g| g.is.memory_gb).fold(0.0, f64::max);
    let good = |p: &Part| {
        ram(p).is_some_and(|r| {
            let listed = host.is.module_types.as_ref().zip(r.module_type).is_some_and(|(list, t)| list.contains(&t));
            listed && r.memory_type == host.is.memory_type && kit_gb(r).is_some_and(|gb| gb >= largest)
        })
    };
    vec![add(case, &SlotId::of(host.id, "dimm"), good)]
}

fn psu_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let need = case.facts.power.with_margin_w.max(case.facts.power.typical_w);
    vec![add(case, &SlotId::rig("psu1"), |p| psu(p).is_some_and(|s| s.watts_at(case.project.room.mains_v).is_some_and(|w| w >= need)))]
}

fn cooler_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let Some(host) = case.board() else { return Vec::new() };
    let Some(socket) = host.is.socket else { return Vec::new() };
    let heat = case.cpus().iter().filter_map(|c| c.is.tdp_w).fold(0.0, f64::max);
    let good = |p: &Part| {
        cooler(p).is_some_and(|c| c.sockets.iter().flatten().any(|s| s.cooler_fits(socket)) && c.tdp_w.is_some_and(|w| w >= heat))
    };
    vec![add(case, &SlotId::of(host.id, "cooler1"), good)]
}

fn case_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let form = case.board().and_then(|b| b.is.form_factor);
    let longest = case.gpus().iter().filter_map(|g| g.is.length_mm).fold(0.0, f64::max);
    let good = |p: &Part| {
        chassis(p).is_some_and(|c| {
            let takes = form.is_none_or(|f| c.board_forms.iter().flatten().any(|b| *b == f));
            takes && c.max_gpu_length_mm.is_some_and(|mm| mm >= longest)
        })
    };
    vec![add(case, &SlotId::rig("case"), good)]
}

/// One finding for each part in the tray; a pass for an empty one.
fn tray(case: &Case<'_>, out: &mut Vec<Finding>) {
    let before = out.len();
    for (id, part) in case.project.rig.tray(case.catalog) {
        let text = format!("{} lies in the tray and does not count.", part.short_name());
        out.push(Finding::new("tray_not_empty", Verdict::Fail, Severity::Note, about([id]), text));
    }
    if out.len() == before {
        out.push(Finding::new("tray_not_empty", Verdict::Pass, Severity::Note, vec![Subject::Whole], "No part lies in the tray."));
    }
}

fn tray_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let name = case.name(what);
    let remove = Fix { label: format!("Remove {name}"), edits: vec![Edit::Remove(what)], safety: Safety::Ask };
    vec![moves(case, what), vec![remove]]
}

/// The place of a kind on the board, if it is free.
pub(super) fn free_place(case: &Case<'_>, kind: &SlotKind) -> Option<SlotId> {
    let all: Vec<Slot> = slots(case.catalog, &case.project.rig);
    all.into_iter().find(|s| s.kind == *kind && (s.occupants.is_empty() || s.kind == SlotKind::Dimm)).map(|s| s.id)
}
