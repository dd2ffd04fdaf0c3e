//! The rig as one self-contained page: picture, parts, lanes, ledgers as charts, findings, assumptions, sources. Prints on A4 and Letter.

use std::collections::BTreeMap;

use super::table::{Cell, Head, Section, Table, named};
use super::{Rig, sheets};
use crate::analysis::{Basis, Origin};
use crate::catalog::part::{Part, Source};
use crate::checks::finding::{Finding, Severity, Verdict};
use crate::checks::{Tally, check};
use crate::drawing::palette::{Theme, color};
use crate::drawing::svg::svg;
use crate::drawing::{Layer, Role};
use crate::project::Versions;
use crate::units::{plain, watts};

mod charts;

/// The page; `parts` is its list of parts.
pub fn page(rig: Rig<'_>, parts: &Table, layer: Layer) -> String {
    let mut body = String::new();
    head(&mut body, rig);
    picture(&mut body, rig, layer);
    section(&mut body, "Parts", |out| {
        table(out, parts);
        remarks(out, &parts.remarks);
    });
    let charts = charts::all(rig);
    if !charts.is_empty() {
        section(&mut body, "Ledgers", |out| out.push_str(&charts));
    }
    let speed = sheets::speed(rig);
    if !speed.is_empty() {
        section(&mut body, "Speed", |out| table(out, &speed));
    }
    let lanes = sheets::lanes(rig);
    if !lanes.is_empty() {
        section(&mut body, "Lanes", |out| {
            table(out, &lanes);
            remarks(out, &lanes.remarks);
            table(out, &sheets::budgets(rig));
        });
    }
    section(&mut body, "Power", |out| {
        table(out, &sheets::supply(rig));
    });
    let heat = sheets::heat(rig);
    if !heat.is_empty() {
        section(&mut body, "Heat", |out| table(out, &heat));
    }
    findings(&mut body, rig);
    assumptions(&mut body, rig);
    sources(&mut body, rig);
    document(&rig.project.name, &body)
}

/// A page of one table, with paragraphs above it.
pub fn simple(title: &str, paragraphs: &[String], content: &Table) -> String {
    let mut body = format!("<header><h1>{}</h1></header>\n", escape(title));
    remarks(&mut body, paragraphs);
    table(&mut body, content);
    remarks(&mut body, &content.remarks);
    document(title, &body)
}

pub(super) fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"generator\" content=\"Rigbay\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escape(title),
        style()
    )
}

/// Screen and paper. No page size is set: the printer's own, A4 or Letter, is right.
fn style() -> String {
    let c = |role| color(role, Theme::Light).hex();
    let (ink, sub, line, panel, raised) = (c(Role::Label), c(Role::SubLabel), c(Role::Line), c(Role::Panel), c(Role::Raised));
    let (accent, problem, advice, good) = (c(Role::Accent), c(Role::Problem), c(Role::Advice), c(Role::Good));
    format!(
        "@page {{ margin: 14mm 12mm; }}\n\
         html {{ background: {panel}; color: {ink}; font: 14px/1.45 Inter, system-ui, sans-serif; -webkit-print-color-adjust: exact; \
         print-color-adjust: exact; }}\n\
         body {{ margin: 0; }}\n\
         main {{ max-width: 1120px; margin: 0 auto; padding: 24px; }}\n\
         h1 {{ font-size: 26px; margin: 0 0 4px; }}\n\
         h2 {{ font-size: 18px; margin: 28px 0 8px; border-bottom: 1px solid {line}; padding-bottom: 4px; break-after: avoid; }}\n\
         h3 {{ font-size: 14px; margin: 14px 0 4px; break-after: avoid; }}\n\
         p {{ margin: 4px 0; }}\n\
         a {{ color: {accent}; }}\n\
         figure {{ margin: 16px 0; break-inside: avoid; }}\n\
         figure svg {{ max-width: 100%; height: auto; max-height: 250mm; }}\n\
         .chart svg {{ width: 100%; max-width: 900px; }}\n\
         figcaption, .sub {{ color: {sub}; font-size: .89em; }}\n\
         .facts {{ display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 12px 0; }}\n\
         .facts div b {{ display: block; font-size: 17px; }}\n\
         .scroll {{ overflow-x: auto; }}\n\
         table {{ border-collapse: collapse; width: 100%; font-size: 12px; margin: 8px 0; }}\n\
         th, td {{ text-align: left; vertical-align: top; padding: 4px 6px; border-bottom: 1px solid {line}; overflow-wrap: anywhere; }}\n\
         th {{ background: {raised}; font-weight: 600; overflow-wrap: normal; }}\n\
         .n {{ text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }}\n\
         td b.short {{ white-space: nowrap; }}\n\
         tr.sum td, tr.group td {{ font-weight: 600; background: {raised}; }}\n\
         tr {{ break-inside: avoid; }}\n\
         thead {{ display: table-header-group; }}\n\
         .finding {{ border-left: 4px solid {line}; padding: 2px 0 2px 10px; margin: 10px 0; break-inside: avoid; }}\n\
         .finding b.level {{ text-transform: uppercase; font-size: 11px; letter-spacing: .04em; }}\n\
         .blocker, .problem {{ border-color: {problem}; }} .blocker .level, .problem .level {{ color: {problem}; }}\n\
         .advice, .unknown {{ border-color: {advice}; }} .advice .level, .unknown .level {{ color: {advice}; }}\n\
         .passed .level {{ color: {good}; }}\n\
         .accepted {{ opacity: .65; }}\n\
         @media print {{ html {{ font-size: 10px; }} h1 {{ font-size: 18px; }} h2 {{ font-size: 13px; }} .facts div b {{ font-size: 12px; }} \
         figure {{ margin: 8px 0; }} main {{ max-width: none; padding: 0; }} table {{ font-size: 8.5px; }} \
         th, td {{ padding: 2px 3px; }} h2 {{ margin-top: 16px; }} .scroll {{ overflow: visible; }} a {{ text-decoration: none; }} }}\n"
    )
}

pub(super) fn section(out: &mut String, title: &str, content: impl FnOnce(&mut String)) {
    out.push_str(&format!("<section>\n<h2>{}</h2>\n", escape(title)));
    content(out);
    out.push_str("</section>\n");
}

fn head(out: &mut String, rig: Rig<'_>) {
    let Versions { program, catalog, core } = Versions::of(rig.catalog);
    let (cost, power) = (&rig.report.facts.cost, &rig.report.facts.power);
    out.push_str(&format!("<header>\n<h1>{}</h1>\n", escape(&rig.project.name)));
    for line in rig.project.notes.lines().filter(|l| !l.trim().is_empty()) {
        out.push_str(&format!("<p>{}</p>\n", escape(line)));
    }
    let known = |w: Option<f64>| w.map_or("unknown".to_owned(), watts);
    let mut facts = vec![
        ("Purchase", cost.total_text()),
        ("Energy per month", cost.energy_per_month.map_or("unknown".to_owned(), |m| m.to_string())),
        ("Typical draw", format!("{}{}", if power.unknown.is_empty() { "" } else { "at least " }, watts(power.typical_w))),
        ("From the wall", known(power.wall_w)),
    ];
    for speed in &rig.report.facts.speed {
        let value = speed.value.map_or("unknown".to_owned(), |v| format!("{} {}", plain(v, 1), speed.unit));
        facts.push((&speed.workload_name, value));
    }
    facts.push(("Findings", tally(&rig.report.findings)));
    let facts: String = facts.iter().map(|(name, value)| format!("<div>{}<b>{}</b></div>\n", escape(name), escape(value))).collect();
    out.push_str(&format!("<div class=\"facts\">\n{facts}</div>\n"));
    out.push_str(&format!("<p class=\"sub\">Rigbay {program}, catalog {catalog}, core {core}</p>\n</header>\n"));
}

fn tally(findings: &[Finding]) -> String {
    let t = Tally::of(findings);
    let list = [
        (t.blockers, "blockers"),
        (t.problems, "problems"),
        (t.advice, "advice"),
        (t.notes, "notes"),
        (t.unknown, "unknown"),
        (t.passed, "passed"),
    ];
    let some: Vec<String> = list.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {}", singular(*n, what))).collect();
    if some.is_empty() { "none".to_owned() } else { some.join(", ") }
}

fn singular(n: usize, what: &'static str) -> &'static str {
    match what {
        "blockers" | "problems" | "notes" if n == 1 => what.trim_end_matches('s'),
        _ => what,
    }
}

fn picture(out: &mut String, rig: Rig<'_>, layer: Layer) {
    let picture = svg(&super::drawn(rig, layer), Theme::Light);
    let about = "Side view of the rig to scale; dashed edges are assumed millimetres.";
    out.push_str(&format!("<figure>\n{}<figcaption>{about}</figcaption>\n</figure>\n", labelled(&picture, about)));
}

/// An SVG document as an element of the page, named for those who do not see it.
fn labelled(svg: &str, name: &str) -> String {
    svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{}\" ", escape(name)), 1)
}

fn table(out: &mut String, table: &Table) {
    if table.is_empty() {
        return;
    }
    let side = |h: &Head| if h.right { " class=\"n\"" } else { "" };
    let heads: String = table.heads.iter().map(|h| format!("<th scope=\"col\"{}>{}</th>", side(h), escape(h.title))).collect();
    out.push_str(&format!("<div class=\"scroll\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n"));
    let row = |out: &mut String, class: &str, cells: &[Cell]| {
        let cells: String = cells.iter().zip(&table.heads).map(|(c, h)| format!("<td{}>{}</td>", side(h), cell(c, *h))).collect();
        out.push_str(&format!("<tr{class}>{cells}</tr>\n"));
    };
    for Section { name, rows, sum } in &table.sections {
        if !name.is_empty() {
            row(out, " class=\"group\"", &named(sum, name));
        }
        for cells in rows {
            row(out, "", cells);
        }
    }
    if !table.sum.is_empty() {
        row(out, " class=\"sum\"", &named(&table.sum, "Sum"));
    }
    out.push_str("</tbody>\n</table></div>\n");
}

/// Characters of a name that stays on its line.
const SHORT: usize = 14;

fn cell(cell: &Cell, head: Head) -> String {
    match cell {
        Cell::Link { text, url } => link(url, text),
        _ if head.strong && !cell.is_empty() => {
            let text = cell.shown();
            // A name of one word is never broken.
            let class = if text.chars().count() <= SHORT { " class=\"short\"" } else { "" };
            format!("<b{class}>{}</b>", escape(&text))
        }
        _ => escape(&cell.shown()),
    }
}

/// Only addresses of pages become links.
fn link(url: &str, text: &str) -> String {
    if url.starts_with("https://") || url.starts_with("http://") {
        format!("<a href=\"{}\">{}</a>", escape(url), escape(text))
    } else {
        escape(text)
    }
}

fn remarks(out: &mut String, remarks: &[String]) {
    for remark in remarks {
        out.push_str(&format!("<p class=\"sub\">{}</p>\n", escape(remark)));
    }
}

fn findings(out: &mut String, rig: Rig<'_>) {
    let open: Vec<&Finding> = rig.report.findings.iter().filter(|f| f.verdict != Verdict::Pass).collect();
    section(out, "Findings", |out| {
        out.push_str(&format!("<p>{}</p>\n", escape(&tally(&rig.report.findings))));
        for finding in open {
            one_finding(out, rig, finding);
        }
        let passed: Vec<&str> =
            rig.report.findings.iter().filter(|f| f.verdict == Verdict::Pass).filter_map(|f| check(f.rule)).map(|r| r.title).fold(
                Vec::new(),
                |mut out, title| {
                    if !out.contains(&title) {
                        out.push(title);
                    }
                    out
                },
            );
        if !passed.is_empty() {
            out.push_str(&format!("<p class=\"sub\">Passed: {}.</p>\n", escape(&passed.join(", "))));
        }
    });
}

fn one_finding(out: &mut String, rig: Rig<'_>, finding: &Finding) {
    let rule = check(finding.rule);
    let level = sheets::level(finding);
    let class = match (finding.verdict, finding.severity) {
        (Verdict::Unknown, _) => "unknown",
        (_, Severity::Blocker) => "blocker",
        (_, Severity::Problem) => "problem",
        (_, Severity::Advice) => "advice",
        (_, Severity::Note) => "note",
    };
    let accepted = if finding.accepted.is_some() { " accepted" } else { "" };
    out.push_str(&format!(
        "<div class=\"finding {class}{accepted}\">\n<p><b class=\"level\">{level}</b> <b>{}</b> <span class=\"sub\">{}</span></p>\n<p>{}</p>\n",
        escape(rule.map_or(finding.rule, |r| r.title)),
        escape(&sheets::about(rig, finding)),
        escape(&finding.message)
    ));
    let mut line = |name: &str, text: &str| out.push_str(&format!("<p class=\"sub\">{name}: {}</p>\n", escape(text)));
    let mut missing: Vec<String> = finding.missing.iter().map(|m| format!("{} of {}", m.field, m.part)).collect();
    missing.dedup();
    if !missing.is_empty() {
        line("Missing", &missing.join("; "));
    }
    if let Some(rule) = rule {
        line("Why", rule.why);
    }
    for fix in &finding.fixes {
        line("Fix", &fix.label);
    }
    if let Some(none) = &finding.no_fix {
        line("Fix", none);
    }
    if let Some(because) = &finding.accepted {
        line("Accepted", because);
    }
    out.push_str("</div>\n");
}

/// Numbers that rest on a fitted constant, a rule of thumb or a template.
fn assumptions(out: &mut String, rig: Rig<'_>) {
    const HEADS: [Head; 4] =
        [Head::strong("what", "What"), Head::left("how", "How it was made"), Head::left("basis", "Basis"), Head::left("source", "Source")];
    let facts = &rig.report.facts;
    let mut found: Vec<(String, &Origin)> = Vec::new();
    found.extend(facts.power.parts.iter().map(|d| (format!("Draw of {}", sheets::name(rig, d.placement)), &d.origin)));
    found.push(("Draw from the wall".to_owned(), &facts.power.wall_origin));
    found.push(("Energy per month".to_owned(), &facts.cost.energy_origin));
    for ledger in &facts.memory {
        found.extend(ledger.items.iter().map(|i| (format!("{}, {}", sheets::ledger_name(ledger), i.name), &i.origin)));
    }
    found.extend(facts.speed.iter().map(|s| (format!("{}, {}", s.workload_name, s.metric.replace('_', " ")), &s.origin)));
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (what, origin) in found.iter().filter(|(_, o)| matches!(o.basis, Basis::Assumed | Basis::Fitted) && !o.formula.is_empty()) {
        let row = vec![Cell::text(what), Cell::text(&origin.formula), Cell::text(origin.basis.text()), Cell::text(&*origin.source)];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    for seat in facts.space.seats.iter().filter(|s| !s.assumed.is_empty()) {
        let what = format!("{} of {}", seat.assumed.join(", "), sheets::name(rig, seat.placement));
        let row = vec![Cell::text(what), Cell::text("from the template of its form"), Cell::text(Basis::Assumed.text()), Cell::Empty];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    for assumed in rig.report.facts.airflow.assumed.iter().filter(|_| !rig.report.facts.airflow.cards.is_empty()) {
        rows.push(vec![Cell::text("Air and heat"), Cell::text(assumed), Cell::text(Basis::Assumed.text()), Cell::Empty]);
    }
    if !rows.is_empty() {
        section(out, "Assumptions", |out| table(out, &Table::plain("Assumptions", &HEADS, rows)));
    }
}

/// Every page that a fact or price of the placed parts is from.
fn sources(out: &mut String, rig: Rig<'_>) {
    let mut found: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    let mut unrecorded: Vec<&str> = Vec::new();
    let mut parts: Vec<&Part> = rig.project.rig.placed(rig.catalog).map(|(_, _, p)| p).collect();
    parts.sort_by(|a, b| a.id.cmp(&b.id));
    parts.dedup_by(|a, b| a.id == b.id);
    for part in parts {
        for Source { title, url, .. } in part.sources.values() {
            match url {
                Some(url) => found.entry((title, url)).or_default().push(part.short_name()),
                None if unrecorded.contains(&part.short_name()) => {}
                None => unrecorded.push(part.short_name()),
            }
        }
    }
    section(out, "Sources", |out| {
        if found.is_empty() && unrecorded.is_empty() {
            out.push_str("<p class=\"sub\">No part is placed.</p>\n");
            return;
        }
        out.push_str("<ul>\n");
        for ((title, url), parts) in &found {
            out.push_str(&format!("<li>{} <span class=\"sub\">({})</span></li>\n", link(url, title), escape(&parts.join(", "))));
        }
        out.push_str("</ul>\n");
        if !unrecorded.is_empty() {
            out.push_str(&format!("<p class=\"sub\">Source not recorded for some facts of {}.</p>\n", escape(&unrecorded.join(", "))));
        }
    });
}

pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Control characters have no place in a page.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
