//! `rigbay replay`: measured records beside predictions.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::{Out, catalog, models};
use crate::files;
use crate::project::Project;
use crate::replay::{page, replay, table, text};

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// Tables of measured records, as CSV
    #[arg(required = true, value_name = "FILE")]
    tables: Vec<PathBuf>,
    /// List every row with its prediction
    #[arg(long)]
    rows: bool,
    /// Write JSON: a summary, and all rows
    #[arg(long)]
    json: bool,
    /// Write the page docs/accuracy.md to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "rows"])]
    page: Option<PathBuf>,
}

pub(super) fn run(args: &ReplayArgs, out: &mut Out<'_>) -> Result<(), String> {
    let mut records = Vec::new();
    for path in &args.tables {
        let content = files::read_text(path, files::LIMIT).map_err(|e| e.to_string())?;
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        records.extend(table::read(&name, &content)?);
    }
    let models: Vec<Arc<_>> = models::builtin_models()?.into_iter().map(Arc::new).collect();
    let judged = replay(&catalog(out), &models, &Project::default(), records)?;
    if let Some(path) = &args.page {
        return files::write_atomic(path, page::markdown(&judged).as_bytes()).map_err(|e| e.to_string());
    }
    out.say(&if args.json { text::json(&judged)? + "\n" } else { text::text(&judged, args.rows) });
    Ok(())
}
