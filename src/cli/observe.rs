//! `rigbay observe`: a rig beside what the real machine tells of itself.

use std::path::PathBuf;

use clap::Args;

use super::{Out, catalog, open};
use crate::analysis::lanes::lanes;
use crate::files;
use crate::import::observed::{Dump, LIMIT, Observed, decode, read};
use crate::observed::begin::{Recognised, begin};
use crate::observed::compare::{Expected, compare};
use crate::observed::text::text;

#[derive(Debug, Args)]
pub(super) struct ObserveArgs {
    /// Rig file, then output of lspci -vv, nvidia-smi topo -m, nvidia-smi -q -x, dmidecode, in any number of files; without a rig file what
    /// is recognised is told
    #[arg(required = true, value_name = "RIG.toml FILE")]
    files: Vec<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Reads all dumps of one machine.
pub(super) fn read_dumps(paths: &[PathBuf]) -> Result<Observed, String> {
    let dump = |path: &PathBuf| {
        let bytes = files::read_bytes(path, LIMIT).map_err(|e| e.to_string())?;
        Ok(Dump::new(path.display().to_string(), decode(&bytes)))
    };
    let dumps: Vec<Dump> = paths.iter().map(dump).collect::<Result<_, String>>()?;
    read(&dumps).map_err(|errors| match errors.as_slice() {
        [] => "No dump is named. Give the output of lspci -vv, nvidia-smi topo -m, nvidia-smi -q -x or dmidecode.".to_owned(),
        errors => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    })
}

/// What became of each thing, one line each.
pub(super) fn recognised_text(lines: &[Recognised]) -> String {
    let mut text = String::new();
    for line in lines {
        let part = line.part.as_ref().filter(|p| !line.seen.contains(p.as_str())).map_or(String::new(), |p| format!(" = {p}"));
        text.push_str(&format!("{:<13} {}{part} {}\n", line.what, line.seen, line.outcome.text()));
    }
    text
}

/// Prints the comparison.
pub(super) fn observe(args: &ObserveArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let is_rig = |p: &PathBuf| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    let Some((rig, dumps)) = args.files.split_first().filter(|(first, _)| is_rig(first)) else {
        return recognised(args, today, out);
    };
    if dumps.is_empty() {
        return Err(format!("{}: no dump is named after the rig. Give the output of lspci -vv and the like.", rig.display()));
    }
    let rig = open(rig, out)?;
    let observed = read_dumps(dumps)?;
    let comparison = compare(&rig.catalog, &rig.project, &Expected::of(&lanes(&rig.catalog, &rig.project)), &observed);
    if args.json {
        out.say(&format!("{}\n", json(&comparison)?));
    } else {
        out.say(&text(&comparison));
    }
    Ok(())
}

fn recognised(args: &ObserveArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let catalog = catalog(out);
    let observed = read_dumps(&args.files)?;
    let made = begin(&catalog, &observed, today);
    if args.json {
        out.say(&format!("{}\n", json(&made.lines)?));
        return Ok(());
    }
    for remark in &made.remarks {
        out.warn(&format!("note: {remark}"));
    }
    out.say(&recognised_text(&made.lines));
    Ok(())
}

fn json(value: &impl serde::Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map_err(|e| format!("The comparison has no JSON form ({e})."))
}
