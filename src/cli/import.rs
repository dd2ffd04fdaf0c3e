//! `rigbay import`: what other programs and people wrote becomes parts and rigs.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use serde::Serialize;

use super::{Out, catalog};
use crate::catalog::Copies;
use crate::catalog::folder::load_all;
use crate::catalog::kinds::KINDS;
use crate::catalog::part::PartId;
use crate::files;
use crate::import::opendb::write::{ReportJson, Summary};
use crate::import::opendb::{Import, NOTICE, Progress, Verdict, import, write};
use crate::import::own_parts::table;
use crate::import::parts_list::{self, Line};
use crate::project::Project;
use crate::report::snapshot::rig_text;
use crate::search::assemble::assemble;

#[derive(Debug, Subcommand)]
pub(super) enum ImportCommand {
    /// Read your own copy of BuildCores OpenDB into your catalog: a folder, or a zip archive of it
    Opendb(OpenDbArgs),
    /// Make a rig of a parts list as pasted from part pickers: Markdown, plain text, HTML table
    List(ListArgs),
    /// Read parts of your own from a CSV table into your catalog, or write the table to fill in
    Csv(CsvArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// File with the list
    file: PathBuf,
    /// Rig file to write
    #[arg(short, long, value_name = "FILE", required_unless_present = "json")]
    output: Option<PathBuf>,
    /// Name of the rig; without one that of the list's file
    #[arg(long)]
    name: Option<String>,
    /// Report as JSON: every item with the part it was taken for
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CsvArgs {
    /// Table with one part a row
    #[arg(required_unless_present = "template")]
    file: Option<PathBuf>,
    /// Print the table to fill in for parts of this kind
    #[arg(long, value_name = "KIND", value_parser = clap::builder::PossibleValuesParser::new(KINDS.iter().map(|k| k.0)))]
    template: Option<String>,
    /// Folder of catalog files to write into; without one your own catalog
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
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
        ImportCommand::List(args) => list(args, today, out),
        ImportCommand::Csv(args) => csv(args, today, out),
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

/// An item of a list, and where its pieces went.
#[derive(Serialize)]
struct ItemJson<'a> {
    #[serde(flatten)]
    line: &'a Line,
    /// Labels of places, "tray" for what found none.
    places: Vec<String>,
}

#[derive(Serialize)]
struct ListJson<'a> {
    items: Vec<ItemJson<'a>>,
    /// Items that belong into a rig, and those of which the catalog has the part.
    parts: usize,
    matched: usize,
    placeholders: usize,
}

fn list(args: &ListArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let text = files::read_text(&args.file, parts_list::LIMIT).map_err(|e| e.to_string())?;
    let base = catalog(out);
    let read = parts_list::read(&base, &text, today).map_err(|e| format!("{}: {e}", args.file.display()))?;
    let stem = args.file.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = args.name.clone().or(stem).unwrap_or_else(|| "New rig".to_owned());
    let full = base.overlaid(Copies { parts: read.placeholders.clone(), rates: None });
    let pieces: Vec<(usize, PartId)> = read
        .lines
        .iter()
        .enumerate()
        .flat_map(|(n, l)| std::iter::repeat_n((n, l.part.clone()), l.count))
        .filter_map(|(n, p)| Some((n, p?)))
        .collect();
    let ids: Vec<PartId> = pieces.iter().map(|p| p.1.clone()).collect();
    let (project, seated) = assemble(&full, &Project { name, ..Project::default() }, &ids);
    let places = |n: usize| -> Vec<String> {
        let of = pieces.iter().zip(&seated).filter(|((line, _), _)| *line == n);
        of.map(|(_, s)| s.place.clone().unwrap_or_else(|| "tray".to_owned())).collect()
    };
    if args.json {
        let items: Vec<ItemJson<'_>> = read.lines.iter().enumerate().map(|(n, line)| ItemJson { line, places: places(n) }).collect();
        let (matched, parts) = read.matched();
        let json = ListJson { items, parts, matched, placeholders: parts - matched };
        let text = serde_json::to_string_pretty(&json).map_err(|e| format!("The report has no JSON form ({e})."))?;
        out.say(&format!("{text}\n"));
    } else {
        for (n, line) in read.lines.iter().enumerate() {
            let part = line.part_name.as_deref().map_or(String::new(), |p| format!(" = {p}"));
            let sure = if line.confidence > 0.0 { format!(" ({:.0} %)", line.confidence * 100.0) } else { String::new() };
            let place = places(n).join(", ");
            let place = if place.is_empty() { String::new() } else { format!(" -> {place}") };
            out.say(&format!("{}: {}{part}, {}{sure}{place}\n", line.r#type, line.item, line.how.text()));
        }
        out.say(&format!("{}\n", read.summary()));
    }
    let Some(path) = &args.output else { return Ok(()) };
    let text = rig_text(&full, &project).map_err(|e| e.to_string())?;
    files::write_atomic(path, text.as_bytes()).map_err(|e| e.to_string())
}

fn csv(args: &CsvArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    if let Some(kind) = &args.template {
        out.say(&table::template(kind));
        return Ok(());
    }
    let Some(file) = &args.file else { return Err("No table is named.".to_owned()) };
    let text = files::read_text(file, files::LIMIT).map_err(|e| e.to_string())?;
    let base = catalog(out);
    let (parts, faults) = table::read(&base, &text, today).map_err(|e| format!("{}: {e}", file.display()))?;
    for fault in &faults {
        out.warn(&format!("left out: {}: {fault}", file.display()));
    }
    if parts.is_empty() {
        return Err(format!("{}: holds no sound part; nothing was written.", file.display()));
    }
    let path = table::save(&parts, file, &catalog_folder(args.into.as_deref())?).map_err(|e| e.to_string())?;
    out.say(&format!("{} parts written to {}, {} faults.\n", parts.len(), path.display(), faults.len()));
    Ok(())
}
