//! A table for spreadsheets: RFC 4180, UTF-8, decimal points, cells that a spreadsheet would run as formulas made harmless.

use super::table::{Cell, Table};

/// What some spreadsheets need to take a file for UTF-8.
const BOM: &str = "\u{feff}";

/// The file's text: one row a group of parts, a row "sum", and one row a remark. Groups are not set apart; a column names them.
///
/// # Errors
/// If the writer refuses a record, which it does for none of this width.
pub fn csv(table: &Table, bom: bool) -> Result<String, ::csv::Error> {
    let mut writer = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(table.heads.iter().map(|h| h.key))?;
    for row in table.rows() {
        writer.write_record(row.iter().map(cell))?;
    }
    if !table.sum.is_empty() {
        writer.write_record(super::table::named(&table.sum, "sum").iter().map(cell))?;
    }
    for remark in &table.remarks {
        writer.write_record(remark_cells(table.heads.len(), remark))?;
    }
    let bytes = writer.into_inner().map_err(::csv::IntoInnerError::into_error)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(format!("{}{text}", if bom { BOM } else { "" }))
}

/// "remark" first, the sentence last.
fn remark_cells(width: usize, remark: &str) -> Vec<String> {
    let mut cells = vec![String::new(); width];
    match cells.as_mut_slice() {
        [first, .., last] => (*first, *last) = ("remark".to_owned(), harmless(remark)),
        [only] => *only = harmless(remark),
        [] => {}
    }
    cells
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(_) | Cell::Link { .. } => harmless(&cell.data()),
        Cell::Empty | Cell::Count(_) | Cell::Number { .. } | Cell::Money(_) | Cell::AtLeast(_) => cell.data(),
    }
}

/// A quote before what a spreadsheet would take for a formula.
fn harmless(value: &str) -> String {
    if value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) { format!("'{value}") } else { value.to_owned() }
}
