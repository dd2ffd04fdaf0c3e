//! The report for people who read it in a terminal.

use std::collections::BTreeSet;

use crate::analysis::Facts;
use crate::analysis::cost::Cost;
use crate::analysis::memory::Limits;
use crate::analysis::memory::limits::Largest;
use crate::analysis::power::Power;
use crate::analysis::speed::{Bound, Speed};
use crate::build::slots::slots;
use crate::catalog::Catalog;
use crate::catalog::precision::native::Support;
use crate::checks::finding::{Finding, Severity, Stake, Verdict};
use crate::checks::{Tally, check};
use crate::project::{Project, Room, Subject, Versions};
use crate::report::Report;
use crate::units::{plain, thousands, watts};

/// Totals, memory by card, speed, then the findings in order of urgency.
pub(super) fn text(catalog: &Catalog, project: &Project, report: &Report, versions: &Versions) -> String {
    let Versions { program, catalog: parts, core } = versions;
    let mut out = format!("{}\nRigbay {program}, catalog {parts}, core {core}\n", project.name);
    if !project.notes.is_empty() {
        out.push_str(&format!("{}\n", project.notes));
    }
    parts_text(&mut out, catalog, project);
    cost_text(&mut out, &report.facts.cost, &project.room);
    power_text(&mut out, &report.facts.power);
    memory_text(&mut out, catalog, project, &report.facts);
    speed_text(&mut out, &report.facts.speed);
    findings_text(&mut out, catalog, project, &report.findings);
    out
}

fn parts_text(out: &mut String, catalog: &Catalog, project: &Project) {
    out.push_str("\nParts\n");
    let places = slots(catalog, &project.rig);
    for (id, piece) in project.rig.placements() {
        let name = catalog.part(&piece.part).map_or(piece.part.as_str(), |p| p.name.as_str());
        let place = piece.slot.as_ref().and_then(|slot| places.iter().find(|s| s.id == *slot));
        let settings: String = piece.settings.iter().map(|(k, v)| setting_text(k, v)).collect();
        out.push_str(&format!("  {id:<5} {name}, {}{settings}\n", place.map_or("not placed", |s| s.label.as_str()), id = id.to_string()));
    }
}

/// ", power limit 280 W", ", direction intake".
fn setting_text(key: &str, value: &str) -> String {
    match key.strip_suffix("_w") {
        Some(key) => format!(", {} {value} W", key.replace('_', " ")),
        None => format!(", {} {value}", key.replace('_', " ")),
    }
}

fn cost_text(out: &mut String, cost: &Cost, room: &Room) {
    out.push_str("\nCost\n");
    let age = cost.oldest.as_ref().map_or_else(String::new, |d| format!("; prices as old as {d}"));
    let converted = if cost.converted { "; some converted from other currencies" } else { "" };
    out.push_str(&format!("  purchase   {}{age}{converted}\n", cost.total_text()));
    let month = cost.energy_per_month.map_or("unknown".to_owned(), |m| format!("{m} a month"));
    let tariff = format!("{}{}/kWh", room.currency.symbol(), plain(room.tariff_per_kwh, 4));
    out.push_str(&format!("  energy     {month} at {tariff}, {} h a day\n", plain(room.hours_per_day, 1)));
    if cost.paid != cost.known_total {
        out.push_str(&format!("  with       {} tax, {} shipping: {}\n", cost.tax, cost.shipping, cost.paid));
    }
    if let Some(run) = &cost.run {
        let (days, kwh, lost) = (plain(run.days, 1), plain(run.kwh, 0), plain(run.lost_kwh, 0));
        out.push_str(&format!("  a run      {days} days: {kwh} kWh, {}; the supply loses {lost} kWh more, {}\n", run.cost, run.lost));
    }
    for year in cost.years.iter().filter(|y| y.total.is_some()) {
        let sum = year.total.map(|t| t.to_string()).unwrap_or_default();
        let energy = year.energy.map(|t| t.to_string()).unwrap_or_default();
        let years = crate::units::count(year.years as u64, "year");
        let text = format!("{} + {energy} energy + {} repair - {} resale", year.purchase, year.repair, year.resale);
        out.push_str(&format!("  {years:<10} {sum} = {text} (assumed)\n"));
    }
    let symbol = room.currency.symbol();
    for result in &cost.results {
        let of = if result.workload.is_some() { format!(", {}", result.workload_name) } else { String::new() };
        let what = result.thing.text();
        match (result.value, result.low, result.high) {
            (Some(value), Some(low), Some(high)) if low < high => {
                let (value, low, high) = (plain(value, 3), plain(low, 3), plain(high, 3));
                out.push_str(&format!("  {what}: {symbol}{value} ({low} to {high}){of}\n"));
            }
            (Some(value), ..) => out.push_str(&format!("  {what}: {symbol}{}{of}\n", plain(value, 3))),
            (None, ..) => out.push_str(&format!("  {what}: unknown, missing {}{of}\n", result.missing.as_deref().unwrap_or("?"))),
        }
    }
    for even in &cost.even {
        out.push_str(&format!("  {}\n", even.text()));
    }
}

fn power_text(out: &mut String, power: &Power) {
    let or_unknown = |w: Option<f64>| w.map_or("unknown".to_owned(), watts);
    out.push_str("\nPower\n");
    let unknown = if power.unknown.is_empty() {
        String::new()
    } else {
        format!(
            ", {} of unknown draw",
            if power.unknown.len() == 1 { "1 part".to_owned() } else { format!("{} parts", power.unknown.len()) }
        )
    };
    out.push_str(&format!("  typical    {}, limit {}{unknown}\n", watts(power.typical_w), watts(power.limit_w)));
    out.push_str(&format!("  supply     {}; all parts with margin {}\n", or_unknown(power.supply_w), watts(power.with_margin_w)));
    out.push_str(&format!("  wall       {}; the circuit carries {} for long\n", or_unknown(power.wall_w), watts(power.circuit_w)));
}

fn memory_text(out: &mut String, catalog: &Catalog, project: &Project, facts: &Facts) {
    if facts.memory.is_empty() {
        return;
    }
    out.push_str("\nMemory\n");
    for card in &facts.memory {
        let capacity = card.capacity.map_or("unknown size".to_owned(), |c| c.to_string());
        let fits = match card.fits() {
            Some(true) => "fits",
            Some(false) => "does not fit",
            None => "may fit",
        };
        let head = format!("{} on {} ({})", card.workload_name, card.gpu_name, card.gpu);
        let share = match (card.limit, card.capacity) {
            (Some(limit), Some(capacity)) if limit < capacity => format!(", of which {limit} may be used"),
            _ => String::new(),
        };
        out.push_str(&format!("  {head}: {} of {capacity}{share}, between {} and {}: {fits}\n", card.total, card.low, card.high));
        if let Some(phases) = card.phases {
            out.push_str(&format!("    {}\n", phases.text()));
        }
        for item in &card.items {
            out.push_str(&format!("    {:>10}  {}\n", item.bytes.to_string(), item.name));
        }
        if let Some(c) = card.capability.filter(|c| c.support != Support::Native) {
            out.push_str(&format!("    {} is {} on this card. {}\n", card.arithmetic.text(), c.support.text(), c.effect));
        }
    }
    for host in &facts.host {
        out.push_str(&format!("  {} in main memory: {}, between {} and {}\n", host.workload_name, host.total, host.low, host.high));
        for item in &host.items {
            out.push_str(&format!("    {:>10}  {}\n", item.bytes.to_string(), item.name));
        }
        if let Some((rig, cards)) = Limits::all(catalog, project, host.workload) {
            out.push_str(&format!("  {} at most: {}\n", host.workload_name, largest_text(&rig)));
            for (n, card) in cards.iter().enumerate().filter(|_| cards.len() > 1) {
                out.push_str(&format!("    GPU {}: {}\n", n + 1, largest_text(card)));
            }
        }
    }
}

/// "131,072 tokens, or 4 sequences, or bf16".
fn largest_text(l: &Largest) -> String {
    let count = |v: Option<u64>, what: &str| v.map_or(format!("no {what}"), |v| format!("{} {what}", thousands(v as f64, 0)));
    let format = l.precision.map_or("no format", |p| p.text());
    format!("{}, or {}, or {format}", count(l.context, "tokens"), count(l.batch, "sequences"))
}

fn speed_text(out: &mut String, speeds: &[Speed]) {
    if speeds.is_empty() {
        return;
    }
    out.push_str("\nSpeed\n");
    for speed in speeds {
        let bound = match speed.bound {
            Bound::MemorySize => ", does not fit in memory".to_owned(),
            _ if speed.value.is_none() => String::new(),
            bound => format!(", bound by {}", bound.text()),
        };
        let digits = |v: f64| if v >= 100.0 { thousands(v, 0) } else { plain(v, 1) };
        let value = match (speed.value, speed.low, speed.high) {
            (Some(v), Some(low), Some(high)) => format!("{} {} ({} to {})", digits(v), speed.unit, digits(low), digits(high)),
            (Some(v), _, _) => format!("{} {}", digits(v), speed.unit),
            (None, _, _) => speed.missing.as_ref().map_or("unknown".to_owned(), |m| format!("unknown: {m}")),
        };
        out.push_str(&format!("  {}, {}: {value}{bound}\n", speed.workload_name, speed.metric.replace('_', " ")));
    }
}

fn findings_text(out: &mut String, catalog: &Catalog, project: &Project, findings: &[Finding]) {
    let t = Tally::of(findings);
    let some = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let failed = [some(t.blockers, "blocker"), some(t.problems, "problem"), format!("{} advice", t.advice), some(t.notes, "note")];
    out.push_str(&format!("\nFindings: {}, {} unknown, {} passed\n", failed.join(", "), t.unknown, t.passed));
    for finding in findings.iter().filter(|f| f.verdict != Verdict::Pass) {
        finding_text(out, catalog, project, finding);
    }
}

fn finding_text(out: &mut String, catalog: &Catalog, project: &Project, finding: &Finding) {
    let rule = check(finding.rule);
    let level = match (finding.verdict, finding.severity) {
        (Verdict::Unknown, _) => "unknown",
        (_, Severity::Blocker) => "BLOCKER",
        (_, severity) => severity.text(),
    };
    let guide = if finding.guide.is_empty() { String::new() } else { format!(", {}", finding.guide.join(" ")) };
    let about = about(catalog, project, &finding.subjects);
    out.push_str(&format!("\n  {level}: {} [{}{guide}]\n", rule.map_or(finding.rule, |r| r.title), finding.rule));
    out.push_str(&format!("    {}\n    About {about}.\n", finding.message));
    let missing: BTreeSet<String> = finding.missing.iter().map(|m| format!("    Missing: {} of {}.\n", m.field, m.part)).collect();
    out.extend(missing);
    if let Some(rule) = rule {
        out.push_str(&format!("    Why: {}\n", rule.why));
    }
    if let Some(stake) = finding.stake.as_ref().map(stake_text).filter(|s| !s.is_empty()) {
        out.push_str(&format!("    At stake: {stake}.\n"));
    }
    for fix in &finding.fixes {
        out.push_str(&format!("    Fix: {}\n", fix.label));
    }
    if let Some(none) = &finding.no_fix {
        out.push_str(&format!("    {none}\n"));
    }
    if let Some(because) = &finding.accepted {
        out.push_str(&format!("    Accepted: {because}\n"));
    }
}

fn stake_text(stake: &Stake) -> String {
    let money = stake.money.map(|m| format!("{m}{}", if stake.per_year { " a year" } else { "" }));
    let speed = stake.speed_pct.map(|p| format!("{} % speed", plain(p, 1)));
    let heat = stake.celsius.map(|c| format!("{} °C", plain(c, 1)));
    [money, speed, heat, stake.watts.map(watts)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// "RTX 3090 (p3, p4), slot p1/PCIE1"
fn about(catalog: &Catalog, project: &Project, subjects: &[Subject]) -> String {
    let mut names: Vec<(String, Vec<String>)> = Vec::new();
    for subject in subjects {
        let (name, id) = match subject {
            Subject::Placement(id) => {
                let part = project.rig.placement(*id).and_then(|p| catalog.part(&p.part));
                (part.map_or("piece", |p| p.short_name()).to_owned(), Some(id.to_string()))
            }
            Subject::Slot(slot) => (format!("slot {slot}"), None),
            Subject::Workload(name) => (format!("workload {name}"), None),
            Subject::Whole => ("the rig".to_owned(), None),
        };
        match names.iter_mut().find(|(n, _)| *n == name) {
            Some((_, ids)) => ids.extend(id),
            None => names.push((name, id.into_iter().collect())),
        }
    }
    let text = |(name, ids): (String, Vec<String>)| if ids.is_empty() { name } else { format!("{name} ({})", ids.join(", ")) };
    names.into_iter().map(text).collect::<Vec<_>>().join(", ")
}
