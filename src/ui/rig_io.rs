//! Where the window meets rig files and examples: texts in and out, no file access.

use crate::catalog::{Catalog, Copies};
pub(super) use crate::import::examples::examples as presets;
use crate::project::Project;
use crate::project::file::load_text;
use crate::report::snapshot::{opening_notes, rig_text};

/// An opened rig file.
#[derive(Debug)]
pub(super) struct Opened {
    pub project: Project,
    pub copies: Copies,
    /// What the reader should know: other versions, changed figures.
    pub notes: Vec<String>,
}

/// Reads a rig file; the notes name other versions and what changed under these.
pub(super) fn read(base: &Catalog, text: &str, file: &str) -> Result<Opened, String> {
    let loaded = load_text(base, text, file).map_err(|e| e.to_string())?;
    let notes = opening_notes(base, &loaded);
    Ok(Opened { project: loaded.project, copies: loaded.copies, notes })
}

pub(super) fn write(catalog: &Catalog, project: &Project) -> Result<String, String> {
    rig_text(catalog, project).map_err(|e| e.to_string())
}
