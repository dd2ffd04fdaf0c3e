//! `rigbay evals`: one evaluation set before and after quantisation.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Out;
use crate::analysis::evals::compare;
use crate::files;
use crate::import::evals::{Item, read};

#[derive(Debug, Args)]
pub(super) struct EvalsArgs {
    /// Results before, item by item: CSV, or samples of lm-evaluation-harness
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// Results after
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

fn items(path: &Path) -> Result<Vec<Item>, String> {
    let text = files::read_text(path, files::LIMIT).map_err(|e| e.to_string())?;
    read(&path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned()), &text)
}

pub(super) fn run(args: &EvalsArgs, out: &mut Out<'_>) -> Result<(), String> {
    let comparison = compare(&items(&args.before)?, &items(&args.after)?)?;
    let text = if args.json { serde_json::to_string_pretty(&comparison).map_err(|e| e.to_string())? + "\n" } else { comparison.text() };
    out.say(&text);
    Ok(())
}
