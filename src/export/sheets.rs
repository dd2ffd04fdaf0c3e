//! The report's ledgers as tables, for workbooks and pages: lanes, power, memory, speed, findings.

use super::Rig;
use super::table::{Cell, Head, Section, Table};
use crate::analysis::airflow::{CardAir, Held};
use crate::analysis::lanes::rate::Width;
use crate::analysis::lanes::{Link, NodeId};
use crate::analysis::memory::CardLedger;
use crate::analysis::power::Draw;
use crate::analysis::speed::Speed;
use crate::build::PlacementId;
use crate::checks::check;
use crate::checks::finding::{Finding, Verdict};
use crate::project::Subject;

/// A part's short name.
pub(super) fn name(rig: Rig<'_>, id: PlacementId) -> String {
    let part = rig.project.rig.placement(id).and_then(|p| rig.catalog.part(&p.part));
    part.map_or_else(|| id.to_string(), |p| p.short_name().to_owned())
}

fn names(rig: Rig<'_>, ids: &[PlacementId]) -> String {
    ids.iter().map(|id| name(rig, *id)).collect::<Vec<_>>().join(", ")
}

/// Connectors in the board's order: what they offer, what the link trains to, and why. Empty without a board.
pub fn lanes(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 12] = [
        Head::strong("connector", "Connector"),
        Head::left("kind", "Kind"),
        Head::left("device", "Device"),
        Head::right("offered_lanes", "Offered lanes"),
        Head::right("offered_gen", "Gen"),
        Head::right("trained_lanes", "Trained lanes"),
        Head::right("trained_gen", "Gen"),
        Head::right("able_lanes", "Device's lanes"),
        Head::right("able_gen", "Gen"),
        Head::left("hangs_on", "Hangs on"),
        Head::left("shares_with", "Shares its way with"),
        Head::left("why", "Why"),
    ];
    let rows = rig.report.facts.lanes.links.iter().map(|l| link(rig, l)).collect();
    let mut table = Table::plain("Lanes", &HEADS, rows);
    if !table.is_empty() {
        table.remarks.push("Trained is what both ends, the riser and the processor have in common; 0 lanes means off.".to_owned());
    }
    table
}

fn link(rig: Rig<'_>, link: &Link) -> Vec<Cell> {
    let lanes = |w: Width| Cell::count(w.lanes).or_unknown();
    let generation = |w: Width| if w.is_off() { Cell::Empty } else { Cell::count(w.r#gen).or_unknown() };
    let able = |cell: fn(Width) -> Cell| link.able.map_or(Cell::Empty, cell);
    vec![
        Cell::text(&link.connector),
        Cell::text(link.kind.to_string()),
        Cell::text(link.device.map(|d| name(rig, d)).unwrap_or_default()),
        lanes(link.expected),
        generation(link.expected),
        lanes(link.trained),
        generation(link.trained),
        able(|w| Cell::count(w.lanes).or_unknown()),
        able(|w| Cell::count(w.r#gen).or_unknown()),
        Cell::text(link.hangs_on.as_ref().map_or_else(|| "unknown".to_owned(), |n| node(rig, n))),
        Cell::text(link.shares.as_ref().map(|s| names(rig, &s.with)).unwrap_or_default()),
        Cell::text(&link.reason),
    ]
}

fn node(rig: Rig<'_>, id: &NodeId) -> String {
    rig.report.facts.lanes.node(id).map_or_else(|| id.to_string(), |n| n.label.clone())
}

/// Lanes of processors, chipset and switches.
pub fn budgets(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 6] = [
        Head::strong("node", "Node"),
        Head::right("lanes", "Lanes"),
        Head::right("used", "Used"),
        Head::right("left", "Left"),
        Head::right("contention", "Contention"),
        Head::left("devices", "Devices behind it"),
    ];
    let row = |b: &crate::analysis::lanes::Budget| {
        vec![
            Cell::text(&b.label),
            Cell::count(b.lanes).or_unknown(),
            Cell::count(b.used).or_unknown(),
            Cell::count(b.left()).or_unknown(),
            b.contention.map_or(Cell::Empty, |value| Cell::Number { value, decimals: 2 }),
            Cell::text(names(rig, &b.devices)),
        ]
    };
    Table::plain("Lanes by node", &HEADS, rig.report.facts.lanes.budgets.iter().map(row).collect())
}

/// Draw of every part with its sum.
pub fn power(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 6] = [
        Head::strong("part", "Part"),
        Head::right("typical_w", "Typical W"),
        Head::right("limit_w", "Limit W"),
        Head::left("how", "How"),
        Head::left("source", "Source"),
        Head::left("basis", "Basis"),
    ];
    let row = |d: &Draw| {
        vec![
            Cell::text(name(rig, d.placement)),
            Cell::watts(d.typical_w).or_unknown(),
            Cell::watts(d.limit_w).or_unknown(),
            Cell::text(&d.origin.formula),
            Cell::text(&*d.origin.source),
            Cell::text(d.origin.basis.text()),
        ]
    };
    let power = &rig.report.facts.power;
    let mut table = Table::plain("Power", &HEADS, power.parts.iter().map(row).collect());
    if !table.is_empty() {
        let least = !power.unknown.is_empty();
        table.sum = vec![
            Cell::Empty,
            Cell::watts(Some(power.typical_w)).at_least(least),
            Cell::watts(Some(power.limit_w)).at_least(least),
            Cell::Empty,
            Cell::Empty,
            Cell::Empty,
        ];
    }
    table
}

/// What the supply gives and the wall sees.
pub fn supply(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 3] = [Head::strong("quantity", "Quantity"), Head::right("value", "Value"), Head::left("how", "How")];
    let power = &rig.report.facts.power;
    let row = |what: &str, value: Option<f64>, decimals: usize, how: &str| {
        vec![Cell::text(what), value.map_or(Cell::Empty, |value| Cell::Number { value, decimals }).or_unknown(), Cell::text(how)]
    };
    let wall = &power.wall_origin;
    let rows = vec![
        row("Rating of the supplies, W", power.supply_w, 0, "sum of the placed supplies at this mains voltage"),
        row("All parts with the supply's margin, W", Some(power.with_margin_w), 0, "typical draw times the margin among the limits"),
        row("Load of the supplies, share", power.load, 3, "typical draw over rating"),
        row("Efficiency at that load", power.efficiency, 3, &wall.source),
        row("Draw from the wall, W", power.wall_w, 0, &wall.formula),
        row("What the circuit carries for long, W", Some(power.circuit_w), 0, "mains voltage times circuit times the share for long loads"),
    ];
    Table::plain("Supply and wall", &HEADS, rows)
}

/// What each card reaches in the air of the case.
pub fn heat(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 9] = [
        Head::strong("card", "Card"),
        Head::right("die_c", "Die °C"),
        Head::right("low_c", "Least"),
        Head::right("high_c", "Most"),
        Head::right("limit_c", "Limit °C"),
        Head::right("power_w", "Draws W"),
        Head::right("clock_pct", "Clock %"),
        Head::left("held_by", "Held by"),
        Head::left("rests_on", "Rests on"),
    ];
    let number = |v: Option<f64>| v.map_or(Cell::Empty, |value| Cell::Number { value, decimals: 0 });
    let row = |c: &CardAir| {
        let s = c.state.as_ref();
        let held = s.map_or("", |s| match s.held {
            Held::Free => "nothing",
            Held::Die => "die",
            Held::Memory => "memory",
        });
        let missing = c.missing.as_ref().map(|(part, field)| format!("missing: {field} of {part}"));
        vec![
            Cell::text(name(rig, c.placement)),
            number(s.map(|s| s.die.value)).or_unknown(),
            number(s.map(|s| s.die.low)),
            number(s.map(|s| s.die.high)),
            number(s.map(|s| s.limit_c)),
            number(s.map(|s| s.power_w)),
            number(s.map(|s| s.clock * 100.0)),
            Cell::text(held),
            Cell::text(missing.unwrap_or_else(|| c.basis.text().to_owned())),
        ]
    };
    Table::plain("Heat", &HEADS, rig.report.facts.airflow.cards.iter().map(row).collect())
}

/// One section a workload and card.
pub fn memory(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 8] = [
        Head::strong("item", "Item"),
        Head::left("kind", "Kind"),
        Head::right("gib", "GiB"),
        Head::right("low_gib", "Least"),
        Head::right("high_gib", "Most"),
        Head::left("how", "How"),
        Head::left("source", "Source"),
        Head::left("basis", "Basis"),
    ];
    let gib = |b: crate::units::Bytes| Cell::Number { value: b.gib(), decimals: 3 };
    let section = |l: &CardLedger| Section {
        name: ledger_name(l),
        rows: l
            .items
            .iter()
            .map(|i| {
                vec![
                    Cell::text(&i.name),
                    Cell::text(i.kind.text()),
                    gib(i.bytes),
                    gib(i.low),
                    gib(i.high),
                    Cell::text(&i.origin.formula),
                    Cell::text(&*i.origin.source),
                    Cell::text(i.origin.basis.text()),
                ]
            })
            .collect(),
        // Least and most of the whole are less far apart than the sums of their items, so only the middle is a sum.
        sum: vec![Cell::Empty, Cell::Empty, gib(l.total), Cell::Empty, Cell::Empty, Cell::text(band(l)), Cell::Empty, Cell::Empty],
    };
    let sections = rig.report.facts.memory.iter().map(section).collect();
    Table { title: "Memory".to_owned(), heads: HEADS.to_vec(), sections, ..Table::default() }
}

/// "Llama-3.1-8B on GPU 1 · RTX 3090"
pub(super) fn ledger_name(ledger: &CardLedger) -> String {
    format!("{} on {}", ledger.workload_name, ledger.gpu_name)
}

/// "21.3 GiB of 24.0 GiB, between 20.1 and 22.9 GiB: fits"
pub(super) fn band(l: &CardLedger) -> String {
    let capacity = l.capacity.map_or("unknown size".to_owned(), |c| c.to_string());
    let fits = match l.fits() {
        Some(true) => "fits",
        Some(false) => "does not fit",
        None => "may fit",
    };
    format!("{} of {capacity}, between {} and {}: {fits}", l.total, l.low, l.high)
}

/// What each workload reaches.
pub fn speed(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 8] = [
        Head::strong("workload", "Workload"),
        Head::left("metric", "Metric"),
        Head::right("value", "Value"),
        Head::right("low", "Least"),
        Head::right("high", "Most"),
        Head::left("unit", "Unit"),
        Head::left("bound_by", "Bound by"),
        Head::left("how", "How"),
    ];
    let number = |v: Option<f64>| v.map_or(Cell::Empty, |value| Cell::Number { value, decimals: 1 });
    let row = |s: &Speed| {
        let how = s.missing.as_ref().map_or_else(|| s.origin.formula.clone(), |m| format!("missing: {m}"));
        vec![
            Cell::text(&s.workload_name),
            Cell::text(s.metric.replace('_', " ")),
            number(s.value).or_unknown(),
            number(s.low),
            number(s.high),
            Cell::text(s.unit),
            Cell::text(if s.value.is_none() { "" } else { s.bound.text() }),
            Cell::text(how),
        ]
    };
    Table::plain("Speed", &HEADS, rig.report.facts.speed.iter().map(row).collect())
}

/// Everything that failed, is unknown or passed, most urgent first.
pub fn findings(rig: Rig<'_>) -> Table {
    const HEADS: [Head; 10] = [
        Head::strong("level", "Level"),
        Head::left("title", "What"),
        Head::left("message", "Finding"),
        Head::left("about", "About"),
        Head::left("missing", "Missing facts"),
        Head::left("why", "Why it matters"),
        Head::left("fixes", "Ways to mend it"),
        Head::right("money", "Money at stake"),
        Head::left("accepted", "Accepted because"),
        Head::left("rule", "Rule"),
    ];
    let row = |f: &Finding| {
        let rule = check(f.rule);
        let missing: Vec<String> = f.missing.iter().map(|m| format!("{} of {}", m.field, m.part)).collect();
        let fixes: Vec<&str> = f.fixes.iter().map(|x| x.label.as_str()).chain(f.no_fix.as_deref()).collect();
        vec![
            Cell::text(level(f)),
            Cell::text(rule.map_or(f.rule, |r| r.title)),
            Cell::text(&f.message),
            Cell::text(about(rig, f)),
            Cell::text(missing.join("; ")),
            Cell::text(if f.verdict == Verdict::Pass { "" } else { rule.map_or("", |r| r.why) }),
            Cell::text(fixes.join("; ")),
            Cell::money(f.stake.as_ref().and_then(|s| s.money)),
            Cell::text(f.accepted.as_deref().unwrap_or_default()),
            Cell::text(f.rule),
        ]
    };
    Table::plain("Findings", &HEADS, rig.report.findings.iter().map(row).collect())
}

/// "blocker" … "note", "unknown", "passed".
pub(super) const fn level(finding: &Finding) -> &'static str {
    match finding.verdict {
        Verdict::Fail => finding.severity.text(),
        Verdict::Unknown => "unknown",
        Verdict::Pass => "passed",
    }
}

/// "RTX 3090, slot PCIE2"
pub(super) fn about(rig: Rig<'_>, finding: &Finding) -> String {
    let mut out: Vec<String> = Vec::new();
    for subject in &finding.subjects {
        let text = match subject {
            Subject::Placement(id) => name(rig, *id),
            Subject::Slot(slot) => format!("slot {}", slot.name),
            Subject::Workload(name) => format!("workload {name}"),
            Subject::Whole => "the rig".to_owned(),
        };
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out.join(", ")
}
