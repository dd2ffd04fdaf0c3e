//! Parts of the user's own in a CSV table, one row a part, one column a fact.

use std::path::{Path, PathBuf};

use super::{Draft, Wrong, save_all};
use crate::catalog::Catalog;
use crate::catalog::fields::{Form, fields};
use crate::catalog::kinds::KINDS;
use crate::catalog::part::Part;
use crate::catalog::vocab::Confidence;
use crate::files::FileError;

/// Columns that every kind has.
const COMMON: [&str; 9] = ["kind", "id", "name", "maker", "part_number", "notes", "source", "source_url", "confidence"];
/// Rows at most.
const MOST_ROWS: usize = 20_000;

/// A row that is not taken, or a cell of it that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    pub line: usize,
    pub name: String,
    pub column: String,
    pub why: String,
}

impl std::fmt::Display for RowFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: ", self.line)?;
        for name in [&self.name, &self.column].into_iter().filter(|n| !n.is_empty()) {
            write!(f, "{name}: ")?;
        }
        f.write_str(&self.why)
    }
}

/// The table to fill in for a kind: its columns, and a row of what they mean, which the import skips.
pub fn template(kind: &str) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let all = fields(kind);
    let columns = COMMON.iter().copied().chain(all.iter().map(|f| f.name.as_str()));
    let about = |name: &str| match name {
        "kind" => format!("# {kind}"),
        "id" => "leave empty for a new part".to_owned(),
        "name" => "full name with its maker".to_owned(),
        "source" => "where you read the facts".to_owned(),
        "confidence" => Confidence::ALL.iter().map(|c| c.text()).collect::<Vec<_>>().join(" / "),
        other => all.iter().find(|f| f.name == other).map_or_else(String::new, |f| {
            let shape = match &f.form {
                Form::Flag => "yes / no".to_owned(),
                Form::Choice(words) => words.join(" / "),
                Form::Choices(words) => format!("some of {}, separated by ;", words.join(" / ")),
                Form::Words => "separated by ;".to_owned(),
                Form::Plugs(_) => "2 x PCIe 8-pin; 1 x EPS 8-pin".to_owned(),
                Form::Structure => "as in a catalog file".to_owned(),
                Form::Number | Form::Whole | Form::Text => f.unit.to_owned(),
            };
            if shape.is_empty() { f.help.clone() } else { shape }
        }),
    };
    let names: Vec<&str> = columns.collect();
    let written = writer.write_record(&names).and_then(|()| writer.write_record(names.iter().map(|n| about(n))));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Reads a table, as of `day` (`YYYY-MM-DD`). Rows with faults are left out and named.
///
/// # Errors
/// If it is no table of parts at all.
pub fn read(catalog: &Catalog, text: &str, day: &str) -> Result<(Vec<Part>, Vec<RowFault>), String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let head = text.lines().next().unwrap_or_default();
    let delimiter = if head.matches(';').count() > head.matches(',').count() { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let columns: Vec<String> =
        reader.headers().map_err(|e| format!("The table cannot be read ({e})."))?.iter().map(|c| c.trim().to_lowercase()).collect();
    for needed in ["kind", "name"] {
        if !columns.iter().any(|c| c == needed) {
            return Err(format!("The table has no column \"{needed}\". Start from the template: rigbay import csv --template KIND."));
        }
    }
    let (mut parts, mut faults): (Vec<Part>, Vec<RowFault>) = (Vec::new(), Vec::new());
    for (n, row) in reader.records().enumerate() {
        if n >= MOST_ROWS {
            return Err(format!("The table has more than {MOST_ROWS} rows. Split it."));
        }
        let row = row.map_err(|e| format!("The table cannot be read ({e})."))?;
        let line = row.position().map_or(n + 2, |p| p.line() as usize);
        if row.get(0).is_some_and(|c| c.trim_start().starts_with('#')) || row.iter().all(|c| c.trim().is_empty()) {
            continue;
        }
        let cells: Vec<(&str, &str)> = columns.iter().map(String::as_str).zip(row.iter().map(unguarded)).collect();
        match draft(&cells).and_then(|d| d.part(catalog, day)) {
            Ok(part) if parts.iter().any(|p| p.id == part.id) => {
                let why = "is in the table twice. Give one of them another name or id.".to_owned();
                faults.push(RowFault { line, name: part.name, column: String::new(), why });
            }
            Ok(part) => parts.push(part),
            Err(wrong) => {
                let name = cells.iter().find(|c| c.0 == "name").map_or("", |c| c.1).to_owned();
                faults.extend(wrong.into_iter().map(|w| RowFault { line, name: name.clone(), column: w.field, why: w.why }));
            }
        }
    }
    Ok((parts, faults))
}

/// Without the sign that guards a cell against being taken for a formula.
fn unguarded(cell: &str) -> &str {
    let cell = cell.trim();
    cell.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@'])).unwrap_or(cell)
}

fn draft(cells: &[(&str, &str)]) -> Result<Draft, Vec<Wrong>> {
    let cell = |name: &str| cells.iter().find(|c| c.0 == name).map_or("", |c| c.1);
    let fault = |field: &str, why: String| vec![Wrong { field: field.to_owned(), why }];
    let kind = KINDS.iter().map(|k| k.0).find(|k| k.eq_ignore_ascii_case(cell("kind")));
    let kinds = || KINDS.iter().map(|k| k.0).collect::<Vec<_>>().join(", ");
    let kind = kind.ok_or_else(|| fault("kind", format!("\"{}\" is none of: {}.", cell("kind"), kinds())))?;
    let mut draft = Draft::new(kind);
    let said = cell("confidence");
    if !said.is_empty() {
        let known = Confidence::ALL.iter().copied().find(|c| c.text() == said.to_lowercase());
        let words = || Confidence::ALL.iter().map(|c| c.text()).collect::<Vec<_>>().join(", ");
        draft.confidence = known.ok_or_else(|| fault("confidence", format!("\"{said}\" is none of: {}.", words())))?;
    }
    let [id, name, maker, part_number, notes, source, url] =
        ["id", "name", "maker", "part_number", "notes", "source", "source_url"].map(|c| cell(c).to_owned());
    let source = if source.is_empty() { "Table of parts of the user's own, source not recorded".to_owned() } else { source };
    let known: Vec<String> = fields(kind).into_iter().map(|f| f.name).collect();
    for (column, text) in cells.iter().filter(|c| !COMMON.contains(&c.0) && !c.1.is_empty()) {
        if !known.iter().any(|k| k == column) {
            return Err(fault(column, format!("{kind} has no such fact. Leave the cell empty, or take the column out.")));
        }
        draft.facts.insert((*column).to_owned(), (*text).to_owned());
    }
    Ok(Draft { id, name, maker, part_number, notes, source, url, ..draft })
}

/// Writes parts of a table into the user's catalog, in a file of the table's name. Returns the file.
///
/// # Errors
/// If the file cannot be written.
pub fn save(parts: &[Part], table: &Path, catalog: &Path) -> Result<PathBuf, FileError> {
    let stem = table.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    // Names that other files of a catalog have mean something else.
    save_all(parts, catalog, &format!("table-{}", plain.trim_matches('-')))
}
