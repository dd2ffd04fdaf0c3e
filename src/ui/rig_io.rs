//! Where the window meets rig files and examples: texts in and out, no file access.

use crate::catalog::{Catalog, Copies};
use crate::project::Project;
use crate::project::file::load_text;
use crate::report::snapshot::{opening_notes, rig_text};

static PRESETS: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/assets/presets");

/// An example rig that ships with the program.
#[derive(Clone, Debug)]
pub(super) struct Preset {
    pub file: &'static str,
    pub name: String,
    pub notes: String,
    pub text: &'static str,
}

/// All examples, by file name.
pub(super) fn presets() -> Vec<Preset> {
    let mut found: Vec<Preset> = PRESETS
        .files()
        .filter_map(|f| {
            let (file, text) = (f.path().to_str()?, f.contents_utf8()?);
            let table: toml::Table = toml::from_str(text).ok()?;
            let field = |key: &str| table.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
            Some(Preset { file, name: field("name"), notes: field("notes"), text })
        })
        .filter(|p| p.file.ends_with(".toml"))
        .collect();
    found.sort_by_key(|p| p.file);
    found
}

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
