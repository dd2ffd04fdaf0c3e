//! `rigbay check`: described builds, each judged by all rules.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{Out, catalog};
use crate::analysis::Effort;
use crate::catalog::Catalog;
use crate::checks::finding::{Finding, Verdict};
use crate::files;
use crate::import::whatif::{WhatIf, read};
use crate::report::analyze;
use crate::report::json::{JsonFinding, finding};

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// JSON file with one case or a list of them, as docs/cases.md describes it
    cases: PathBuf,
    /// Write a list of objects with the case's id and its findings as in the report
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Judged {
    id: String,
    findings: Vec<JsonFinding>,
    /// What was left out or assumed.
    notes: Vec<String>,
}

pub(super) fn check(args: &CheckArgs, out: &mut Out<'_>) -> Result<(), String> {
    let text = files::read_text(&args.cases, files::LIMIT).map_err(|e| e.to_string())?;
    let base = catalog(out);
    let cases = read(&base, &text).map_err(|e| format!("{}: {e}.", args.cases.display()))?;
    let mut judged = Vec::new();
    for case in cases {
        let findings = findings(&base, &case);
        for note in &case.notes {
            out.warn(&format!("note: {}: {note}.", case.id));
        }
        if args.json {
            let findings = findings.iter().map(finding).collect();
            judged.push(Judged { id: case.id, findings, notes: case.notes });
        } else {
            out.say(&text_of(&case.id, &findings));
        }
    }
    if args.json {
        let text = serde_json::to_string_pretty(&judged).map_err(|e| format!("The findings have no JSON form ({e})."))?;
        out.say(&format!("{text}\n"));
    }
    Ok(())
}

/// All findings but those about kinds that the case does not speak of.
fn findings(base: &Catalog, case: &WhatIf) -> Vec<Finding> {
    let catalog = base.overlaid(case.copies.clone());
    let mut findings = analyze(&catalog, &case.project, Effort::Live).findings;
    findings.retain(|f| !case.silent.contains(&f.rule));
    findings
}

fn text_of(id: &str, findings: &[Finding]) -> String {
    let line = |f: &Finding| {
        let verdict = match f.verdict {
            Verdict::Fail => f.severity.text(),
            Verdict::Unknown => "unknown",
            Verdict::Pass => "pass",
        };
        format!("  {verdict:<8} {}: {}\n", f.rule, f.message)
    };
    format!("{id}\n{}\n", findings.iter().map(line).collect::<String>())
}
