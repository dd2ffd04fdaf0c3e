//! `rigbay import`: what other programs and people wrote becomes parts and rigs.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::Out;
use crate::catalog::folder::load_all;
use crate::files;
use crate::import::opendb::write::{ReportJson, Summary};
use crate::import::opendb::{Import, NOTICE, Progress, Verdict, import, write};

#[derive(Debug, Subcommand)]
pub(super) enum ImportCommand {
    /// Read your own copy of BuildCores OpenDB into your catalog: a folder, or a zip archive of it
    Opendb(OpenDbArgs),
}

#[derive(Debug, Args)]
pub(super) struct OpenDbArgs {
    /// Folder or zip archive of the data set, or one record
    path: PathBuf,
    /// Folder of catalog files to write into; without one your own catalog
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Write nothing, only report
    #[arg(long)]
    dry_run: bool,
    /// Report as JSON: every record with what became of it
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &ImportCommand, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    match command {
        ImportCommand::Opendb(args) => opendb(args, today, out),
    }
}

/// The folder that catalog files go to: the one named, else the user's own.
fn catalog_folder(into: Option<&Path>) -> Result<PathBuf, String> {
    into.map(Path::to_owned)
        .or_else(files::user_catalog)
        .ok_or_else(|| "This system has no home folder for your catalog. Name a folder with --into DIR.".to_owned())
}

fn opendb(args: &OpenDbArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let (program, _) = load_all(None);
    let made = import(&args.path, &program, today, &Progress::default()).map_err(|e| e.to_string())?;
    let folder =
        if args.dry_run { None } else { Some(write::write(&made, &catalog_folder(args.into.as_deref())?).map_err(|e| e.to_string())?) };
    if args.json {
        let text = serde_json::to_string_pretty(&ReportJson::of(&made)).map_err(|e| format!("The report has no JSON form ({e})."))?;
        out.say(&format!("{text}\n"));
    } else {
        out.say(&opendb_text(&made));
    }
    if let Some(folder) = folder {
        out.warn(&format!("note: wrote {} parts to {}", made.parts.len(), folder.display()));
    }
    Ok(())
}

fn opendb_text(made: &Import) -> String {
    let summary = Summary::of(made);
    let mut text = format!("{}\n", summary.text());
    for (kind, count) in &summary.parts {
        text.push_str(&format!("{count:>8} {kind}\n"));
    }
    text.push_str("Values changed, by reason\n");
    for (rule, count) in &summary.changes {
        text.push_str(&format!("{count:>8} {}\n", rule.text()));
    }
    let other: usize = summary.other_categories.values().sum();
    if other > 0 {
        let list: Vec<String> = summary.other_categories.iter().map(|(c, n)| format!("{c} {n}")).collect();
        text.push_str(&format!("{other} files are of things that have no place in a rig: {}\n", list.join(", ")));
    }
    let left: Vec<_> = made.outcomes.iter().filter(|o| o.verdict == Verdict::LeftOut).collect();
    const SHOWN: usize = 20;
    for outcome in left.iter().take(SHOWN) {
        text.push_str(&format!("left out: {}: {}\n", outcome.file, outcome.why.as_deref().unwrap_or_default()));
    }
    if left.len() > SHOWN {
        text.push_str(&format!("left out: {} more; --json lists all\n", left.len() - SHOWN));
    }
    text + NOTICE + "\n"
}
