//! Why a link is as it is, in one sentence.

use crate::build::PlacementId;
use crate::catalog::topology::{Aspect, Cmp, Expr, Test};
use crate::catalog::vocab::Confidence;

use super::rules::{Cause, GenCause, State};
use super::seats::World;

/// What the board's table rests on.
pub(super) fn table_name(world: &World<'_>) -> &'static str {
    match world.board_part.confidence("rules") {
        Some(Confidence::Maker | Confidence::Manual) => "manual table",
        Some(Confidence::Measured) => "measured by an owner",
        Some(Confidence::Database) => "table of a review or shop",
        Some(Confidence::Judgement | Confidence::Assumed) | None => "general knowledge",
    }
}

/// Why the connector has these lanes; `None` where it has all that are wired.
pub(super) fn lanes_because(world: &World<'_>, state: &State<'_>) -> Option<String> {
    cause(world, state.lanes_cause)
}

pub(super) fn cause(world: &World<'_>, cause: Cause) -> Option<String> {
    let cpu = |socket: usize| world.cpus.get(socket).copied().flatten().map_or("the CPU", |(part, _)| part.short_name());
    match cause {
        Cause::Wired => None,
        Cause::Rule(n) => {
            let rule = world.board.rules.get(n)?;
            let open = rule.when.expr.holds(&|t| world.ask(t)).is_none();
            let text = if open { unknown_of(world, &rule.when.expr) } else { holding(world, &rule.when.expr) };
            Some(format!("{text} ({})", table_name(world)))
        }
        Cause::NoCpu(socket) => Some(format!("CPU {} is not fitted", socket + 1)),
        Cause::SmallCpu => Some(format!("{} has no more lanes for the slots", cpu(0))),
        Cause::UntoldCpu => Some(format!("what {} gives the second slot is not recorded for this board", cpu(0))),
        Cause::TooMany => {
            Some("the connectors in use want more lanes than the CPU has, and how the board shares them is not recorded".to_owned())
        }
        Cause::UntoldSocket => Some("which CPU feeds it is not recorded, and one is missing".to_owned()),
    }
}

pub(super) fn gen_because(world: &World<'_>, state: &State<'_>) -> Option<String> {
    match state.gen_cause {
        GenCause::Slot => None,
        GenCause::Rule(n) => cause(world, Cause::Rule(n)),
        GenCause::Cpu => world.cpus.first().copied().flatten().map(|(part, _)| format!("{} ends there", part.short_name())),
        GenCause::Bios => Some("the BIOS holds the slot there".to_owned()),
    }
}

/// Parts whose presence makes a cause hold.
pub(super) fn culprits(world: &World<'_>, cause: Cause) -> Vec<PlacementId> {
    let Cause::Rule(n) = cause else { return Vec::new() };
    let Some(rule) = world.board.rules.get(n) else { return Vec::new() };
    let mut out = Vec::new();
    for test in rule.when.expr.tests() {
        if let Test::Used(label, _) = test
            && world.ask(test) == Some(true)
            && let Some(seat) = world.on_board(label)
            && !out.contains(&seat.id)
        {
            out.push(seat.id);
        }
    }
    out
}

/// The tests that make a true condition true, in words.
fn holding(world: &World<'_>, expr: &Expr) -> String {
    match expr {
        Expr::Test(test) => said(world, test, true),
        Expr::Not(inner) => match &**inner {
            Expr::Test(test) => said(world, test, false),
            other => format!("not: {}", holding(world, other)),
        },
        Expr::All(list) => join(list.iter().map(|e| holding(world, e))),
        Expr::Any(list) => {
            let ask = |t: &Test| world.ask(t);
            let first = list.iter().find(|e| e.holds(&ask) == Some(true)).or_else(|| list.first());
            first.map(|e| holding(world, e)).unwrap_or_default()
        }
    }
}

fn unknown_of(world: &World<'_>, expr: &Expr) -> String {
    let test = expr.tests().into_iter().find(|t| world.ask(t).is_none());
    let cpu = world.cpus.first().copied().flatten().map(|(part, _)| part.short_name());
    match (test, cpu) {
        (Some(Test::CpuLanes(..) | Test::CpuGeneration(..) | Test::CpuApu(..)), None) => {
            "it depends on the CPU, and none is placed".to_owned()
        }
        (Some(Test::CpuLanes(..)), Some(cpu)) => format!("it depends on the lanes of {cpu}, which are unknown"),
        (Some(Test::CpuGeneration(..) | Test::CpuApu(..)), Some(cpu)) => format!("it depends on the family of {cpu}, which is unknown"),
        (Some(Test::Bios(_)), _) => "it depends on a BIOS choice".to_owned(),
        (Some(Test::Used(label, _)), _) => format!("it depends on what {label} holds, which is unknown"),
        _ => "a fact is unknown".to_owned(),
    }
}

fn said(world: &World<'_>, test: &Test, yes: bool) -> String {
    let not = if yes { "" } else { "no " };
    match test {
        Test::Used(label, Aspect::Any) => format!("{label} is {}", if yes { "filled" } else { "empty" }),
        Test::Used(label, Aspect::Pcie) => format!("{label} holds {}", if yes { "a PCIe drive" } else { "no PCIe drive" }),
        Test::Used(label, Aspect::Sata) => format!("{label} holds {}", if yes { "a SATA drive" } else { "no SATA drive" }),
        Test::Used(label, Aspect::Lanes(cmp, n)) => format!("{label} holds {not}card with {} lanes", compared(*cmp, *n)),
        Test::CpuLanes(cmp, n) if yes => format!("the CPU has {} lanes", compared(*cmp, *n)),
        Test::CpuLanes(cmp, n) => format!("the CPU does not have {} lanes", compared(*cmp, *n)),
        Test::CpuGeneration(..) | Test::CpuApu(..) => {
            let name = world.cpus.first().copied().flatten().map_or("this one", |(part, _)| part.short_name());
            format!("the CPU is {name}")
        }
        Test::Cpu2 => if yes { "CPU 2 is fitted" } else { "CPU 2 is not fitted" }.to_owned(),
        Test::Bios(option) => {
            let found =
                world.board.choices.iter().enumerate().find_map(|(n, c)| Some((n, c, c.options.iter().find(|o| o.value == **option)?)));
            let Some((n, choice, option)) = found else { return format!("BIOS: {option}") };
            let chosen = world.selected.get(n).is_some_and(|s| s.1) || choice.default.is_some();
            let place = if choice.jumper { "jumpers" } else { "BIOS" };
            let text = format!("{place}: {} {}{}", choice.label, if yes { "" } else { "not " }, option.label);
            if chosen { text } else { format!("{text}, assumed to suit what is fitted") }
        }
        Test::Count(cmp, n) => format!("{} slots are filled", compared(*cmp, *n)),
    }
}

fn compared(cmp: Cmp, n: u16) -> String {
    match cmp {
        Cmp::Eq => n.to_string(),
        Cmp::Ne => format!("other than {n}"),
        Cmp::Lt => format!("less than {n}"),
        Cmp::Le => format!("at most {n}"),
        Cmp::Gt => format!("more than {n}"),
        Cmp::Ge => format!("at least {n}"),
    }
}

/// "a", "a and b", "a, b and c".
pub(super) fn join(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// An origin as people say it: "cpu1" is "CPU 1".
pub fn origin_text(from: &str) -> String {
    match from {
        "cpu" => "CPU".to_owned(),
        "cpu1" => "CPU 1".to_owned(),
        "cpu2" => "CPU 2".to_owned(),
        "switch:?" => "a switch, which one is unknown".to_owned(),
        _ => match from.strip_prefix("switch:") {
            Some(id) => format!("switch {id}"),
            None => from.to_owned(),
        },
    }
}
