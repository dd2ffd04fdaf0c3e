//! The board's table applied: what each connector has after rules, processor, second socket and BIOS had their say.

use crate::catalog::part::Connector;
use crate::catalog::topology::{Change, Expr, Rule, SWITCH, Test};
use crate::catalog::vocab::ConnectorKind;

use super::rate::{Width, lower};
use super::seats::World;

/// Why a connector has what it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cause {
    /// As wired.
    #[default]
    Wired,
    /// This row of the board's table.
    Rule(usize),
    /// This socket is empty.
    NoCpu(usize),
    /// The processor gives its graphics slots fewer lanes.
    SmallCpu,
    /// Nobody wrote down what this processor does on this board.
    UntoldCpu,
    /// More lanes in use than the processor has, so a table is missing.
    TooMany,
    /// Which processor feeds it is unknown, and one is missing.
    UntoldSocket,
}

/// What limits the generation at the slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum GenCause {
    #[default]
    Slot,
    Rule(usize),
    Cpu,
    Bios,
}

/// A connector of the board after the rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<'a> {
    pub is: &'a Connector,
    /// What a device finds here.
    pub width: Width,
    pub from: Option<&'a str>,
    pub lanes_cause: Cause,
    pub gen_cause: GenCause,
}

/// The uplink of a switch after the rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uplink {
    pub width: Width,
}

/// The whole board after the rules.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub connectors: Vec<State<'a>>,
    /// In the order of the board's switches.
    pub uplinks: Vec<Uplink>,
}

pub(super) fn table<'a>(world: &mut World<'a>) -> Table<'a> {
    settle_choices(world);
    let mut table = apply(world);
    second_socket(world, &mut table);
    small_cpu(world, &mut table);
    generations(world, &mut table);
    too_many(world, &mut table);
    table
}

/// Where nobody chose and the manual names no default, the option that switches off the fewest connectors in use counts.
fn settle_choices(world: &mut World<'_>) {
    for at in 0..world.board.choices.len() {
        let open = world.selected.get(at).is_some_and(|s| s.0.is_none());
        let Some(choice) = world.board.choices.get(at).filter(|_| open) else { continue };
        let mut best: Option<(usize, &str)> = None;
        for option in &choice.options {
            if let Some(selected) = world.selected.get_mut(at) {
                selected.0 = Some(&option.value);
            }
            let off = apply(world).connectors.iter().filter(|c| c.width.is_off() && world.on_board(&c.is.label).is_some()).count();
            if best.is_none_or(|(least, _)| off < least) {
                best = Some((off, &option.value));
            }
        }
        if let Some(selected) = world.selected.get_mut(at) {
            selected.0 = best.map(|(_, value)| value);
        }
    }
}

fn apply<'a>(world: &World<'a>) -> Table<'a> {
    let start = |is: &'a Connector| State {
        is,
        width: Width { lanes: is.lanes, r#gen: is.r#gen },
        from: is.from.as_deref(),
        lanes_cause: Cause::Wired,
        gen_cause: GenCause::Slot,
    };
    let mut table = Table {
        connectors: world.board.connectors.iter().map(start).collect(),
        uplinks: world.board.switches.iter().map(|s| Uplink { width: Width { lanes: s.uplink_lanes, r#gen: s.uplink_gen } }).collect(),
    };
    let ask = |test: &Test| world.ask(test);
    for (n, rule) in world.board.rules.iter().enumerate() {
        match rule.when.expr.holds(&ask) {
            Some(false) => {}
            holds => row(world, &mut table, n, rule, holds == Some(true)),
        }
    }
    table
}

/// Applies one row. Where it is unknown whether the row holds, what it would change becomes unknown.
fn row<'a>(world: &World<'a>, table: &mut Table<'a>, n: usize, rule: &'a Rule, sure: bool) {
    for (target, change) in &rule.set {
        if let Some(id) = target.strip_prefix(SWITCH) {
            let at = world.board.switches.iter().position(|s| s.id == id);
            if let Some(uplink) = at.and_then(|at| table.uplinks.get_mut(at)) {
                uplink.width = changed(uplink.width, change, sure).0;
            }
            continue;
        }
        for state in table.connectors.iter_mut().filter(|s| target == "*" || s.is.label == *target) {
            let (width, from) = changed(state.width, change, sure);
            // A later row that confirms what an earlier one did is the reason now.
            let confirmed = sure && matches!(change, Change::Lanes(_)) && state.lanes_cause != Cause::Wired;
            if width.lanes != state.width.lanes || confirmed {
                state.lanes_cause = Cause::Rule(n);
            }
            if width.r#gen != state.width.r#gen {
                state.gen_cause = GenCause::Rule(n);
            }
            state.width = width;
            match (from, sure) {
                (Some(from), true) => state.from = Some(from),
                (Some(from), false) if state.from != Some(from) => state.from = None,
                _ => {}
            }
        }
    }
}

fn changed(old: Width, change: &Change, sure: bool) -> (Width, Option<&str>) {
    let (new, from) = match change {
        Change::Lanes(lanes) => (Width { lanes: Some(*lanes), ..old }, None),
        Change::Link(link) => (Width { lanes: link.lanes.or(old.lanes), r#gen: link.r#gen.or(old.r#gen) }, link.from.as_deref()),
        Change::Unknown(_) => (Width { lanes: None, ..old }, None),
    };
    let keep = |new: Option<u8>, old: Option<u8>| if sure || new == old { new } else { None };
    (Width { lanes: keep(new.lanes, old.lanes), r#gen: keep(new.r#gen, old.r#gen) }, from)
}

/// The socket, counted from 0, whose processor feeds an origin directly.
pub(super) fn socket_of(from: &str) -> Option<usize> {
    match from {
        "cpu" | "cpu1" => Some(0),
        "cpu2" => Some(1),
        _ => None,
    }
}

/// The socket behind an origin, through switches and the chipset.
pub(super) fn socket_behind(world: &World<'_>, from: &str) -> Option<usize> {
    let mut at = from;
    for _ in 0..=world.board.switches.len() {
        if let Some(socket) = socket_of(at) {
            return Some(socket);
        }
        if at == "chipset" {
            return Some(0);
        }
        let id = at.strip_prefix(SWITCH)?;
        at = world.board.switches.iter().find(|s| s.id == id)?.from.as_deref()?;
    }
    None
}

/// What hangs on an empty socket is off.
fn second_socket(world: &World<'_>, table: &mut Table<'_>) {
    let sockets = usize::from(world.board.socket_count.unwrap_or(1));
    for state in &mut table.connectors {
        let empty = |socket: usize| world.cpus.get(socket).is_none_or(|c| c.is_none());
        match state.from.map(|from| socket_behind(world, from)) {
            Some(Some(socket)) if socket > 0 && empty(socket) => {
                if state.lanes_cause == Cause::Wired || !state.width.is_off() {
                    state.lanes_cause = Cause::NoCpu(socket);
                }
                state.width.lanes = Some(0);
            }
            None if sockets > 1 && empty(1) && !state.width.is_off() => {
                state.width.lanes = None;
                state.lanes_cause = Cause::UntoldSocket;
            }
            _ => {}
        }
    }
}

fn asks_for_apu(expr: &Expr) -> bool {
    expr.tests().iter().any(|t| matches!(t, Test::CpuApu(..)))
}

/// A processor with a large graphics unit gives its slots fewer lanes. How the board then splits them only its table can say.
fn small_cpu(world: &World<'_>, table: &mut Table<'_>) {
    let Some((_, cpu)) = world.cpus.first().copied().flatten() else { return };
    let Some(most) = cpu.slot_lanes else { return };
    let told = |cause: Cause| matches!(cause, Cause::Rule(n) if world.board.rules.get(n).is_some_and(|r| asks_for_apu(&r.when.expr)));
    let from_cpu = |s: &State<'_>| s.is.kind == ConnectorKind::Pcie && s.from.and_then(socket_of) == Some(0);
    let mut first = true;
    for state in table.connectors.iter_mut().filter(|s| from_cpu(s)) {
        let is_first = std::mem::take(&mut first);
        if told(state.lanes_cause) || state.width.is_off() {
            continue;
        }
        if is_first {
            if state.width.lanes.is_some_and(|l| l > most) {
                state.width.lanes = Some(most);
                state.lanes_cause = Cause::SmallCpu;
            }
        } else {
            state.width.lanes = None;
            state.lanes_cause = Cause::UntoldCpu;
        }
    }
}

/// No link of a processor is newer than the processor, and the BIOS may hold a slot at an older generation.
fn generations(world: &World<'_>, table: &mut Table<'_>) {
    for state in &mut table.connectors {
        if let Some(socket) = state.from.and_then(socket_of) {
            let cpu = world.cpus.get(socket).copied().flatten().map(|(_, c)| c.pcie_gen);
            if let Some(limit) = cpu {
                let capped = lower(state.width.r#gen, limit);
                if capped != state.width.r#gen {
                    state.gen_cause = GenCause::Cpu;
                }
                state.width.r#gen = capped;
            }
        }
        let set = world.setting("gen", &state.is.label).and_then(|text| text.parse::<u8>().ok());
        if let Some(limit) = set.filter(|limit| state.width.r#gen.is_none_or(|g| g > *limit)) {
            state.width.r#gen = Some(limit);
            state.gen_cause = GenCause::Bios;
        }
        if state.width.is_off() {
            state.width.r#gen = None;
        }
    }
}

/// Where filled connectors would take more lanes than the processor has, the board must share them by a table that is not in the catalog:
/// what no row of the table settled becomes unknown.
fn too_many(world: &World<'_>, table: &mut Table<'_>) {
    for socket in 0..world.cpus.len() {
        let Some(have) = world.cpus.get(socket).copied().flatten().and_then(|(_, c)| c.pcie_lanes) else { continue };
        let direct = |s: &State<'_>| {
            s.is.kind != ConnectorKind::Sata && s.from.and_then(socket_of) == Some(socket) && world.on_board(&s.is.label).is_some()
        };
        let slots: u16 = table.connectors.iter().filter(|s| direct(s)).map(|s| u16::from(s.width.lanes.unwrap_or(0))).sum();
        let uplinks = world.board.switches.iter().zip(&table.uplinks).filter(|(s, _)| {
            let ours = s.from.as_deref().and_then(socket_of) == Some(socket);
            let behind = format!("{SWITCH}{}", s.id);
            ours && table.connectors.iter().any(|c| c.from == Some(behind.as_str()) && world.on_board(&c.is.label).is_some())
        });
        let uplinks: u16 = uplinks.map(|(_, u)| u16::from(u.width.lanes.unwrap_or(0))).sum();
        if slots + uplinks > have {
            for state in table.connectors.iter_mut().filter(|s| direct(s) && !s.width.is_off()) {
                state.width.lanes = None;
                state.lanes_cause = Cause::TooMany;
            }
        }
    }
}
