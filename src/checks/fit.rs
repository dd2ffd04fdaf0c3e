//! Do CPU, board, case and supply belong together?

use super::candidates::{board, chassis, cpu, psu, swap, swap_and_seat};
use super::finding::{Finding, Fix, Safety, Severity, Verdict};
use super::fixes::first_piece;
use super::present::free_place;
use super::rig::{Fact, Piece, Room, about, missing, unknown, within};
use super::{Case, Check, Search};
use crate::build::SlotId;
use crate::build::slots::SlotKind;
use crate::catalog::part::{Board, Case as Chassis, Cpu, Part};
use crate::catalog::vocab::{CaseKind, FormFactor};
use crate::project::edit::Edit;

pub(super) const RULES: &[Check] = &[
    Check {
        id: "socket",
        title: "CPU socket",
        why: "A CPU goes into its own socket only. Names that look alike, such as TR4 and sTRX4, differ.",
        guide: &["G13"],
        run: socket,
        search: Some(Search { candidates: socket_fixes, none: "No board or CPU in the catalog would do without displacing other parts." }),
    },
    Check {
        id: "cpu_pair",
        title: "CPUs that work in pairs",
        why: "Only server CPUs talk to a second socket. Two others in one board do not start.",
        guide: &["G13"],
        run: cpu_pair,
        search: Some(Search { candidates: pair_fixes, none: "No CPU in the catalog runs in this board as a pair." }),
    },
    Check {
        id: "board_form",
        title: "Board in the case",
        why: "A board that is too deep or too tall does not reach its screw holes. \"E-ATX\" means anything from 257 to 330 mm: millimetres decide.",
        guide: &["G16"],
        run: board_form,
        search: Some(Search { candidates: form_fixes, none: "No case in the catalog takes this board and all else that is in the rig." }),
    },
    Check {
        id: "psu_form",
        title: "Supply in its bay",
        why: "A supply of another form has its screw holes elsewhere.",
        guide: &["G16"],
        run: psu_form,
        search: Some(Search { candidates: psu_form_fixes, none: "No supply of a form that the case takes would do." }),
    },
];

/// CPUs at a place or in the tray.
fn all_cpus<'a>(case: &Case<'a>) -> Vec<(crate::build::PlacementId, &'a Part, &'a Cpu)> {
    let placed = case.project.rig.placed(case.catalog).map(|(id, _, part)| (id, part));
    let both = placed.chain(case.project.rig.tray(case.catalog));
    both.filter_map(|(id, part)| Some((id, part, cpu(part)?))).collect()
}

fn socket(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(host) = case.board() else { return };
    for (id, part, cpu) in all_cpus(case) {
        let subjects = about([id, host.id]);
        let (name, host_name) = (part.short_name(), host.part.short_name());
        out.push(match (cpu.socket, host.is.socket) {
            (Some(own), Some(has)) if own == has => {
                Finding::new("socket", Verdict::Pass, Severity::Blocker, subjects, format!("{name} and {host_name} have socket {own}."))
            }
            (Some(own), Some(has)) => {
                let text = format!("{name} needs socket {own}, {host_name} has {has}.");
                Finding::new("socket", Verdict::Fail, Severity::Blocker, subjects, text)
            }
            (own, has) => {
                let gaps = [(own.is_none(), name), (has.is_none(), host_name)];
                let facts = gaps.iter().filter(|(gap, _)| *gap).map(|(_, n)| missing(n, "socket")).collect();
                unknown("socket", Severity::Blocker, subjects, &format!("Whether {name} goes into {host_name}"), facts)
            }
        });
    }
}

fn socket_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(host), Some(what)) = (case.board(), first_piece(finding)) else { return Vec::new() };
    let Some(own) = case.part_of(what).and_then(cpu) else { return Vec::new() };
    let seat = SlotId::of(host.id, "cpu1");
    let is_free = free_place(case, &SlotKind::Socket).is_some();
    let fits = |p: &Part| cpu(p).is_some_and(|c| c.socket.is_some() && c.socket == host.is.socket && c.threads >= own.threads);
    let cpus = if is_free { swap_and_seat(case, what, &seat, fits) } else { swap(case, what, fits) };
    let same = |p: &Part| board(p).is_some_and(|b| b.socket.is_some() && b.socket == own.socket && b.memory_type == host.is.memory_type);
    let mut boards = swap(case, host.id, same);
    for fix in &mut boards {
        fix.edits.push(Edit::Move { what, to: Some(seat.clone()) });
    }
    vec![boards, cpus]
}

fn cpu_pair(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cpus = case.cpus();
    let sockets = case.board().and_then(|b| b.is.socket_count).unwrap_or(1);
    if cpus.is_empty() || sockets < 2 {
        return;
    }
    let n = cpus.len();
    let subjects = about(cpus.iter().map(|c| c.id));
    let names = cpus.iter().map(|c| c.part.short_name()).next().unwrap_or_default();
    let say = |verdict, text: String| Finding::new("cpu_pair", verdict, Severity::Blocker, subjects.clone(), text).number("cpus", n as f64);
    if n == 1 {
        out.push(say(Verdict::Pass, format!("{names} works alone.")));
        return;
    }
    let least = cpus.iter().filter_map(|c| c.is.max_sockets).min();
    let unknown_ones: Vec<_> =
        cpus.iter().filter(|c| c.is.max_sockets.is_none()).map(|c| missing(c.part.short_name(), "max_sockets")).collect();
    let mixed = cpus.iter().any(|c| c.part.id != cpus.first().map_or_else(|| c.part.id.clone(), |f| f.part.id.clone()));
    out.push(match least {
        Some(most) if usize::from(most) < n => say(Verdict::Fail, format!("{n} CPUs are placed, {names} works with {most} in one board.")),
        _ if mixed => say(Verdict::Fail, format!("{n} CPUs of different kinds are placed; a pair must be equal.")),
        Some(most) if unknown_ones.is_empty() => say(Verdict::Pass, format!("{n} of {names} work together; up to {most} do.")),
        _ => unknown("cpu_pair", Severity::Blocker, subjects.clone(), &format!("Whether {n} CPUs work together"), unknown_ones),
    });
}

fn pair_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let cpus = case.cpus();
    let (Some(first), n) = (cpus.first(), cpus.len()) else { return Vec::new() };
    let good = |p: &Part| cpu(p).is_some_and(|c| c.socket == first.is.socket && c.max_sockets.is_some_and(|m| usize::from(m) >= n));
    let mut same = swap(case, first.id, good);
    for fix in &mut same {
        let Some(Edit::Replace { part, .. }) = fix.edits.first().cloned() else { continue };
        fix.edits.extend(cpus.iter().skip(1).map(|c| Edit::Replace { what: c.id, part: part.clone() }));
        fix.label = format!("{}, {n} times", fix.label);
    }
    let mut fewer = Vec::new();
    for extra in cpus.iter().skip(1) {
        fewer.push(Fix { label: format!("Remove {}", case.name(extra.id)), edits: vec![Edit::Remove(extra.id)], safety: Safety::Ask });
    }
    vec![same, fewer]
}

/// Boards by size; one that takes a bigger ATX-like form takes the smaller ones.
fn rank(form: FormFactor) -> u8 {
    match form {
        FormFactor::MiniItx => 0,
        FormFactor::MiniDtx => 1,
        FormFactor::MicroAtx => 2,
        FormFactor::Atx => 3,
        FormFactor::Ceb => 4,
        FormFactor::Eatx => 5,
        FormFactor::Eeb => 6,
        FormFactor::XlAtx => 7,
        FormFactor::EeAtx => 8,
        FormFactor::Proprietary => 9,
    }
}

fn board_form(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (Some(host), Some(chassis)) = (case.board(), case.chassis()) else { return };
    out.push(judge_form(case, &host, &chassis));
}

fn judge_form(case: &Case<'_>, host: &Piece<'_, Board>, chassis: &Piece<'_, Chassis>) -> Finding {
    let (name, inside) = (host.part.short_name(), chassis.part.short_name());
    let subjects = about([host.id, chassis.id]);
    let ask = |facts| unknown("board_form", Severity::Blocker, subjects.clone(), &format!("Whether {name} goes into {inside}"), facts);
    let Some(form) = host.is.form_factor else { return ask(vec![missing(name, "form_factor")]) };
    let depth =
        Fact::of(host.part, "depth_mm", host.is.depth_mm).or_template(case.catalog.templates.get(&format!("board.{form}.depth_mm")));
    let limit = Fact::of(chassis.part, "max_board_depth_mm", chassis.is.max_board_depth_mm);
    let say = |verdict, text: String| {
        let finding = Finding::new("board_form", verdict, Severity::Blocker, subjects.clone(), text);
        let with = |f: Finding, key, value: Option<f64>| if let Some(v) = value { f.number(key, v) } else { f };
        let finding = with(with(finding, "board_depth_mm", depth.value), "limit_mm", limit.value);
        // Makers call the same side a board's width.
        with(finding, "board_width_mm", depth.value)
    };
    let room = within(&depth, &limit, case.project.threshold("mm_band"));
    let is_listed = chassis.is.board_forms.iter().flatten().any(|f| *f == form);
    if let (true, None) = (is_listed, host.is.depth_mm) {
        return say(Verdict::Pass, format!("{inside} takes {form} boards such as {name}."));
    }
    if let (Room::Over(_), Some(d), Some(l)) = (&room, depth.value, limit.value) {
        return say(Verdict::Fail, format!("{name} is {d} mm deep, {inside} takes boards up to {l} mm."));
    }
    let listed = chassis.is.board_forms.iter().flatten();
    if listed.clone().any(|f| *f == form) {
        return say(Verdict::Pass, format!("{inside} takes {form} boards such as {name}."));
    }
    let largest = listed.max_by_key(|f| rank(**f));
    match (largest, room) {
        (_, Room::Fits(_)) if rank(form) > 3 => say(Verdict::Pass, format!("{name} ({form}) is within the depth that {inside} takes.")),
        (Some(max), _) if rank(form) <= 3 && rank(*max) >= rank(form) => {
            say(Verdict::Pass, format!("{inside} takes boards up to {max}, {name} is {form}."))
        }
        (Some(max), _) if rank(form) <= 3 => say(Verdict::Fail, format!("{name} is {form}, {inside} takes boards up to {max}.")),
        // Lists of large forms are often incomplete, so a missing one proves nothing.
        (Some(max), _) if rank(*max) < 3 => say(Verdict::Fail, format!("{name} is {form}, {inside} takes boards up to {max}.")),
        (Some(_), _) => ask(vec![missing(inside, "max_board_depth_mm")]),
        (None, _) => ask(vec![missing(inside, "board_forms")]),
    }
}

fn form_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let (Some(host), Some(chassis_piece)) = (case.board(), case.chassis()) else { return Vec::new() };
    let form = host.is.form_factor;
    let cases = swap(case, chassis_piece.id, |p| chassis(p).is_some_and(|c| c.board_forms.iter().flatten().any(|f| Some(*f) == form)));
    let most = chassis_piece.is.board_forms.iter().flatten().map(|f| rank(*f)).max().unwrap_or(0);
    let smaller = |p: &Part| {
        board(p).is_some_and(|b| {
            b.socket == host.is.socket && b.memory_type == host.is.memory_type && b.form_factor.is_some_and(|f| rank(f) <= most)
        })
    };
    vec![cases, swap(case, host.id, smaller)]
}

fn psu_form(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(chassis) = case.chassis() else { return };
    for supply in case.psus() {
        let (name, inside) = (case.name(supply.id), chassis.part.short_name());
        let subjects = about([supply.id, chassis.id]);
        let say = |verdict, text: String| Finding::new("psu_form", verdict, Severity::Blocker, subjects.clone(), text);
        out.push(match (supply.is.form, &chassis.is.psu_forms) {
            (Some(form), Some(list)) if list.contains(&form) => say(Verdict::Pass, format!("{inside} takes {form} supplies.")),
            (Some(form), Some(list)) if !list.is_empty() => {
                let forms: Vec<&str> = list.iter().map(|f| f.text()).collect();
                say(Verdict::Fail, format!("{name} is {form}, {inside} takes {}.", super::rig::join(&forms)))
            }
            (form, list) => {
                let mut facts = Vec::new();
                if form.is_none() {
                    facts.push(missing(&name, "form"));
                }
                if list.as_ref().is_none_or(Vec::is_empty) {
                    facts.push(missing(inside, "psu_forms"));
                }
                unknown("psu_form", Severity::Blocker, subjects.clone(), &format!("Whether {name} fits the bay of {inside}"), facts)
            }
        });
    }
}

fn psu_form_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(chassis_piece)) = (first_piece(finding), case.chassis()) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(psu) else { return Vec::new() };
    let forms = chassis_piece.is.psu_forms.clone().unwrap_or_default();
    let supplies = swap(case, what, |p| psu(p).is_some_and(|s| s.watts >= old.watts && s.form.is_some_and(|f| forms.contains(&f))));
    let cases = swap(case, chassis_piece.id, |p| chassis(p).is_some_and(|c| c.psu_forms.iter().flatten().any(|f| Some(*f) == old.form)));
    vec![supplies, cases]
}

/// Cases without walls: no length or slot count limits a card there.
pub(super) fn open(chassis: &Chassis) -> bool {
    matches!(chassis.kind, Some(CaseKind::OpenFrame | CaseKind::Bench))
}
