//! `rigbay compare`: up to four builds side by side.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Opened, Out, open, open_text};
use crate::export::compare::{MOST, compare, json};
use crate::export::{Format, Options, Rig};
use crate::files;
use crate::import::examples::examples;
use crate::report::Report;

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Rig files, names of examples, or FILE#VARIANT for a build kept in a rig file; two to four
    #[arg(required = true, num_args = 2..=MOST, value_name = "RIG")]
    rigs: Vec<String>,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// File to write instead of the standard output; its ending decides the format: .md, .txt, .bbcode, .csv, .xlsx, .html
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &CompareArgs, out: &mut Out<'_>) -> Result<(), String> {
    let format = match (&args.output, args.output.as_deref().and_then(Path::extension)) {
        (None, _) => None,
        (Some(path), ending) => {
            let found = ending.and_then(|e| Format::of_extension(&e.to_string_lossy()));
            Some(found.ok_or_else(|| format!("{}: has no known ending. Give -o one of .md, .txt, .csv, .xlsx, .html.", path.display()))?)
        }
    };
    let rigs: Vec<(String, Opened)> = args.rigs.iter().map(|name| build(name, out)).collect::<Result<_, String>>()?;
    let reports: Vec<Report> = rigs.iter().map(|r| r.1.report()).collect();
    let builds: Vec<(&str, Rig<'_>)> = rigs
        .iter()
        .zip(&reports)
        .map(|((name, rig), report)| (name.as_str(), Rig { catalog: &rig.catalog, project: &rig.project, report }))
        .collect();
    let comparison = compare(&builds);
    match (&args.output, format) {
        (Some(path), Some(format)) => {
            let data = comparison.export(format, &Options::default())?;
            files::write_atomic(path, &data).map_err(|e| e.to_string())
        }
        _ if args.json => {
            let value = json(&comparison, &builds);
            let text = serde_json::to_string_pretty(&value).map_err(|e| format!("The comparison has no JSON form ({e})."))?;
            out.say(&format!("{text}\n"));
            Ok(())
        }
        _ => {
            out.say(&comparison.text());
            Ok(())
        }
    }
}

/// A rig file, an example by name, or a variant of either; with the name to show.
fn build(name: &str, out: &mut Out<'_>) -> Result<(String, Opened), String> {
    let (file, variant) =
        if files::exists(Path::new(name)) { (name, None) } else { name.rsplit_once('#').map_or((name, None), |(f, v)| (f, Some(v))) };
    let example = if files::exists(Path::new(file)) { None } else { examples().iter().find(|e| e.is_named(file)) };
    let mut rig = match example {
        Some(example) => open_text(example.text, example.file, out)?,
        None => open(Path::new(file), out)?,
    };
    let shown = super::export::choose(&mut rig.project, variant, Path::new(file))?;
    Ok((shown, rig))
}
