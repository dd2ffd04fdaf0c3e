//! The parts list as files that people paste and spreadsheets read. Same rig, same bytes.

use crate::catalog::Catalog;
use crate::project::Project;
use crate::report::Report;

pub mod csv;
pub mod interface;
pub mod markdown;
pub mod rows;

/// A kind of file for the parts list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    Csv,
    Markdown,
}

/// The parts list as text.
///
/// # Errors
/// If the CSV writer refuses, which it does for no text.
pub fn parts_list(catalog: &Catalog, project: &Project, report: &Report, format: ListFormat) -> Result<String, String> {
    let list = rows::parts_list(catalog, project, report);
    match format {
        ListFormat::Csv => csv::csv(&list).map_err(|e| format!("The parts list cannot be written as CSV ({e}).")),
        ListFormat::Markdown => Ok(markdown::markdown(&list)),
    }
}
