//! The file of the user's own layouts, which the window and the command line share.

use std::path::Path;

use super::layout::{Presets, read_presets, write_presets};
use crate::files;

/// More than any number of layouts takes.
const LIMIT: u64 = 1 << 20;

/// The layouts in the file; none if there is no file.
///
/// # Errors
/// What is wrong with the file, and what to do.
pub fn load(file: Option<&Path>) -> Result<Presets, String> {
    let Some(file) = file.filter(|f| files::exists(f)) else { return Ok(Presets::new()) };
    let text = files::read_text(file, LIMIT).map_err(|e| e.to_string())?;
    read_presets(&text, &file.display().to_string())
}

/// Writes the file, and its folder where that is missing.
///
/// # Errors
/// Why it cannot be written.
pub fn save(file: Option<&Path>, presets: &Presets) -> Result<(), String> {
    let file = file.ok_or("This system names no folder for the program's data, so presets cannot be kept.")?;
    if let Some(folder) = file.parent() {
        files::make_folder(folder).map_err(|e| e.to_string())?;
    }
    files::write_atomic(file, write_presets(presets)?.as_bytes()).map_err(|e| e.to_string())
}
