//! Where the window meets rig files, examples and exports: texts in and out, no file access.

use super::action::ExportFormat;
use crate::catalog::{Catalog, Copies};
use crate::drawing::Layer;
use crate::drawing::palette::Theme;
use crate::drawing::rig::draw;
use crate::drawing::svg::{png, svg};
use crate::export::ListFormat;
use crate::project::Project;
use crate::project::file::load_text;
use crate::report::snapshot::{opening_notes, rig_text};
use crate::session::Session;

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

/// The parts list as text.
pub(super) fn parts_list(session: &Session, format: ListFormat) -> Result<String, String> {
    crate::export::parts_list(session.catalog(), session.project(), session.report(), format)
}

/// What an export file holds.
pub(super) fn export(session: &Session, format: ExportFormat, dark: bool) -> Result<Vec<u8>, String> {
    match format {
        ExportFormat::Csv => parts_list(session, ListFormat::Csv).map(String::into_bytes),
        ExportFormat::Markdown => parts_list(session, ListFormat::Markdown).map(String::into_bytes),
        ExportFormat::Svg | ExportFormat::Png => picture(session, format, dark),
    }
}

fn picture(session: &Session, format: ExportFormat, dark: bool) -> Result<Vec<u8>, String> {
    let drawing = draw(session.catalog(), session.project(), session.report(), Layer::Parts);
    let theme = if dark { Theme::Dark } else { Theme::Light };
    match format {
        ExportFormat::Png => png(&svg(&drawing, theme), 1.0),
        _ => Ok(svg(&drawing, theme).into_bytes()),
    }
}
