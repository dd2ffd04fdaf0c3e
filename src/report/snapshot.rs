//! What a rig file remembers of its report, and what to tell the reader of a file made by other versions.

use super::json::json;
use super::{Report, analyze};
use crate::analysis::Effort;
use crate::catalog::load::write_parts;
use crate::catalog::part::Part;
use crate::catalog::{Catalog, fingerprint};
use crate::checks::finding::Verdict;
use crate::project::file::json::save_json;
use crate::project::file::{Figure, Loaded, SaveError, Snapshot, differences, save_text};
use crate::project::{Project, Versions};

/// The text of a rig file with the snapshot of its report.
///
/// # Errors
/// If a number has no TOML form.
pub fn rig_text(catalog: &Catalog, project: &Project) -> Result<String, SaveError> {
    save_text(catalog, project, &snapshot(catalog, project))
}

/// The same as JSON.
///
/// # Errors
/// If a number has no JSON form.
pub fn rig_json(catalog: &Catalog, project: &Project) -> Result<String, SaveError> {
    save_json(catalog, project, &snapshot(catalog, project))
}

/// Key figures of the Live report.
pub fn snapshot(catalog: &Catalog, project: &Project) -> Snapshot {
    let report = analyze(catalog, project, Effort::Live);
    let whole = serde_json::to_string(&json(catalog, project, &report, &Versions::default())).unwrap_or_default();
    Snapshot { mark: fingerprint([whole.as_str()]), figures: figures(&report), findings: findings(&report) }
}

fn figures(report: &Report) -> Vec<Figure> {
    let facts = &report.facts;
    let mut out = Vec::new();
    let mut put = |name: String, value: String| out.push(Figure { name, value });
    let watts = |w: Option<f64>| w.map_or("unknown".to_owned(), |w| format!("{w:.1} W"));
    put("Purchase".to_owned(), facts.cost.total_text());
    put("Energy per month".to_owned(), facts.cost.energy_per_month.map_or("unknown".to_owned(), |m| m.to_string()));
    put("Typical draw".to_owned(), watts(Some(facts.power.typical_w)));
    put("Draw from the wall".to_owned(), watts(facts.power.wall_w));
    for card in &facts.memory {
        let fits = card.fits().map_or("may fit", |f| if f { "fits" } else { "does not fit" });
        put(format!("Memory of {} on {}", card.workload_name, card.gpu), format!("{:.3} GiB, {fits}", card.total.gib()));
    }
    for speed in &facts.speed {
        let value = speed.value.map_or("unknown".to_owned(), |v| format!("{v:.2} {}", speed.unit));
        put(format!("Speed of {}, {}", speed.workload_name, speed.metric), value);
    }
    out
}

/// Verdicts by rule and subjects; several findings of one key share a line.
fn findings(report: &Report) -> Vec<Figure> {
    let mut out: Vec<Figure> = Vec::new();
    for finding in &report.findings {
        let subjects: Vec<String> = finding.subjects.iter().map(ToString::to_string).collect();
        let (name, value) = (format!("{} about {}", finding.rule, subjects.join(", ")), verdict_text(finding.verdict));
        match out.iter_mut().find(|f| f.name == name) {
            Some(same) => same.value = format!("{}, {value}", same.value),
            None => out.push(Figure { name, value: value.to_owned() }),
        }
    }
    out
}

/// "pass", "fail", "unknown".
pub const fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Unknown => "unknown",
    }
}

/// What a reader should know about an opened file: what had to be moved, other versions, what changed by them, and parts whose facts
/// differ from the catalog's.
pub fn opening_notes(base: &Catalog, loaded: &Loaded) -> Vec<String> {
    let mut notes = loaded.notes.clone();
    let (saved, now) = (&loaded.made_with, Versions::of(base));
    // A file without versions, as the examples are, records no figures that could have changed.
    if *saved == now || *saved == Versions::default() {
        return notes;
    }
    let text = |v: &Versions| {
        if v.program.is_empty() {
            "unknown versions".to_owned()
        } else {
            format!("Rigbay {}, catalog {}, core {}", v.program, v.catalog, v.core)
        }
    };
    notes.push(format!("This file was made with {}; this is {}.", text(saved), text(&now)));
    let catalog = base.overlaid(loaded.copies.clone());
    let changed = differences(&loaded.snapshot, &snapshot(&catalog, &loaded.project));
    if changed.is_empty() {
        notes.push("Its report is the same.".to_owned());
    }
    notes.extend(changed);
    let differ: Vec<&str> =
        loaded.copies.parts.iter().filter(|p| base.part(&p.id).is_some_and(|b| !same_facts(b, p))).map(Part::short_name).collect();
    if !differ.is_empty() {
        let text = "The catalog now has other facts about these parts; the file's own are used until you update them";
        notes.push(format!("{text}: {}.", differ.join(", ")));
    }
    notes
}

/// Whether two copies of a part say the same; keys of sources do not matter.
pub fn same_facts(a: &Part, b: &Part) -> bool {
    write_parts([a].into_iter()).ok() == write_parts([b].into_iter()).ok()
}
