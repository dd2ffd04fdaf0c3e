//! Rig files: TOML that begins with `format = 1`, with the parts used embedded, so that a file opens without the catalog and under
//! later versions, and with a snapshot of its report, so that what changed can be told.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::settle::settle;
use super::toml_text;
use super::{Project, Versions};
use crate::build::{Build, PlacementId};
use crate::catalog::load::{load_embedded, missing, shortened, write_parts};
use crate::catalog::part::{Part, PartId};
use crate::catalog::{Catalog, Copies};

pub mod json;
mod limits;

/// The newest format that this program writes and reads.
pub const FORMAT: i64 = 1;

/// Steps from one format to the next: the first lifts a document of format 1 to format 2, and so on. Their number is `FORMAT - 1`.
const MIGRATIONS: &[fn(&mut toml::Table)] = &[];

/// A fault of a rig file and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RigFileError {
    pub file: String,
    /// 0 where the file tells no line: a field of a JSON file.
    pub line: usize,
    /// Dotted path, `rig.placements.p3.part`; empty where the fault is in no field.
    pub field: String,
    pub message: String,
}

impl std::fmt::Display for RigFileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        f.write_str(": ")?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for RigFileError {}

/// A document that has no TOML form, which none has whose values passed [`load_text`] or an edit.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("The rig cannot be written as TOML ({0}). Undo the last change and save again.")]
    Toml(#[from] toml::ser::Error),
    #[error("The rig cannot be written as JSON: one of its numbers is infinite. Undo the last change and export again.")]
    NoNumber,
}

/// Key figures of a report as texts, with enough digits to tell two reports apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Snapshot {
    /// Names the whole report: equal reports have equal marks.
    pub mark: String,
    pub figures: Vec<Figure>,
    pub findings: Vec<Figure>,
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    pub name: String,
    pub value: String,
}

/// An opened rig file.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub project: Project,
    /// The file's own copies of parts, in order of ids, and of exchange rates. [`Catalog::overlaid`] puts them over the program's.
    pub copies: Copies,
    pub made_with: Versions,
    pub snapshot: Snapshot,
    /// What had to be changed to make the rig consistent, in sentences.
    pub notes: Vec<String>,
}

/// The text of a rig file. `snapshot` is that of the project's report.
///
/// # Errors
/// If a number has no TOML form.
pub fn save_text(catalog: &Catalog, project: &Project, snapshot: &Snapshot) -> Result<String, SaveError> {
    Ok(toml_text::write(&document(catalog, project, snapshot)?))
}

fn document(catalog: &Catalog, project: &Project, snapshot: &Snapshot) -> Result<toml::Table, SaveError> {
    let mut file = toml::Table::new();
    file.insert("format".to_owned(), FORMAT.into());
    file.extend(toml::Table::try_from(project)?);
    file.insert("made_with".to_owned(), toml::Value::try_from(Versions::of(catalog))?);
    file.insert("exchange".to_owned(), toml::Value::try_from(&*catalog.rates)?);
    file.insert("parts".to_owned(), write_parts(used_parts(catalog, project))?.into());
    file.insert("snapshot".to_owned(), toml::Value::try_from(snapshot)?);
    Ok(file)
}

/// Every part of the rig, its tray and its variants, in order of ids.
pub fn used_parts<'a>(catalog: &'a Catalog, project: &Project) -> impl Iterator<Item = &'a Part> {
    let builds = std::iter::once(&project.rig).chain(project.variants.values());
    let ids: std::collections::BTreeSet<&PartId> = builds.flat_map(Build::placements).map(|(_, p)| &p.part).collect();
    ids.into_iter().filter_map(|id| catalog.part(id)).collect::<Vec<_>>().into_iter()
}

/// Reads a rig file, TOML or JSON. `base` is the program's catalog, for parts that the file does not embed; `file` is used in messages.
///
/// # Errors
/// The first fault, with line, field and what to do.
pub fn load_text(base: &Catalog, text: &str, file: &str) -> Result<Loaded, RigFileError> {
    if json::is_json(text) {
        let fault = |line, message| RigFileError { file: file.to_owned(), line, field: String::new(), message };
        let document = json::read(text).map_err(|(line, message)| fault(line, message))?;
        // Lines of the document as TOML are not those of the file.
        return load_toml(base, &toml_text::write(&document), file).map_err(|e| RigFileError { line: 0, ..e });
    }
    load_toml(base, text, file)
}

fn load_toml(base: &Catalog, text: &str, file: &str) -> Result<Loaded, RigFileError> {
    let migrated = migrate(text, file)?;
    let reader = Reader { text: migrated.as_deref().unwrap_or(text), file };
    let mut table = reader.parse()?;
    table.remove("format");
    let made_with = reader.take(&mut table, "made_with")?.unwrap_or_default();
    let snapshot = reader.take(&mut table, "snapshot")?.unwrap_or_default();
    if let Some(DeValue::Table(rates)) = table.get("exchange").map(Spanned::get_ref) {
        limits::check_rates(rates).map_err(|(field, why)| reader.error(&field, &why))?;
    }
    let rates = reader.take(&mut table, "exchange")?;
    let parts = match table.remove("parts").map(Spanned::into_inner) {
        Some(DeValue::Table(parts)) => reader.parts(parts)?,
        Some(_) => return Err(reader.error("parts", "is not a table. Write [[parts.gpu]], [[parts.board]] and so on")),
        None => Vec::new(),
    };
    let mut project: Project = reader.decode(table, "")?;
    let copies = Copies { parts, rates };
    let catalog = base.overlaid(copies.clone());
    limits::check(&catalog, &project).map_err(|(field, why)| reader.error(&field, &why))?;
    let mut notes = Vec::new();
    seat(&reader, &catalog, &mut project.rig, "rig", &mut notes)?;
    for (name, build) in &mut project.variants {
        seat(&reader, &catalog, build, &format!("variants.{name}"), &mut notes)?;
    }
    Ok(Loaded { project, copies, made_with, snapshot, notes })
}

/// Checks the format and lifts an older document to the present one; `None` if it is of the present one.
fn migrate(text: &str, file: &str) -> Result<Option<String>, RigFileError> {
    let reader = Reader { text, file };
    let table = reader.parse()?;
    let stated = table.get("format").and_then(|v| v.get_ref().as_integer()).and_then(|n| i64::from_str_radix(n.as_str(), n.radix()).ok());
    match (stated, table.get("format")) {
        (Some(FORMAT), _) => Ok(None),
        (Some(newer), _) if newer > FORMAT => {
            let why = format!("is {newer}, but this program reads up to {FORMAT}. Open the file with a newer Rigbay");
            Err(reader.error("format", &why))
        }
        (Some(older), _) if older >= 1 => {
            let mut document: toml::Table = toml::from_str(text).map_err(|e| reader.toml_error(&e, ""))?;
            for step in MIGRATIONS.iter().skip(usize::try_from(older - 1).unwrap_or(usize::MAX)) {
                step(&mut document);
            }
            Ok(Some(toml_text::write(&document)))
        }
        (_, Some(_)) => Err(reader.error("format", &format!("is no format number. Write `format = {FORMAT}`"))),
        (_, None) => {
            let why = format!("is missing, so this is no rig file. A rig file begins with `format = {FORMAT}`");
            Err(RigFileError { file: file.to_owned(), line: 1, field: "format".to_owned(), message: why })
        }
    }
}

/// The TOML text being read, for errors that name line and field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub text: &'a str,
    pub file: &'a str,
}

impl<'a> Reader<'a> {
    pub(crate) fn parse(&self) -> Result<DeTable<'a>, RigFileError> {
        DeTable::parse(self.text).map(Spanned::into_inner).map_err(|e| self.toml_error(&e, ""))
    }

    fn line(&self, at: usize) -> usize {
        self.text.as_bytes().iter().take(at).filter(|&&b| b == b'\n').count() + 1
    }

    /// A fault of the field with this dotted path.
    pub(crate) fn error(&self, field: &str, message: &str) -> RigFileError {
        let line = self.parse().ok().and_then(|t| span_of(&t, field)).map_or(1, |s| self.line(s.start));
        RigFileError { file: self.file.to_owned(), line, field: field.to_owned(), message: shortened(message) }
    }

    /// A fault that the parser or a type found; `within` is the field that was being read.
    fn toml_error(&self, error: &toml::de::Error, within: &str) -> RigFileError {
        let span = error.span().filter(|s| s.end > 0);
        let document = DeTable::parse(self.text).ok();
        let found = document.as_ref().zip(span.as_ref()).and_then(|(t, s)| path_at(t.get_ref(), s.start));
        let (line, mut field) = (span.map_or(1, |s| self.line(s.start)), found.unwrap_or_else(|| within.to_owned()));
        let Some(name) = missing(error.message()) else {
            return RigFileError { file: self.file.to_owned(), line, field, message: shortened(error.message()) };
        };
        let message = match name {
            "room" | "rig" if field.is_empty() => format!("is missing. Add a table [{name}]"),
            _ => format!("is missing. Add `{name} = …`"),
        };
        field = if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
        RigFileError { file: self.file.to_owned(), line, field, message }
    }

    pub(crate) fn decode<T: DeserializeOwned>(&self, table: DeTable<'a>, within: &str) -> Result<T, RigFileError> {
        let value = Spanned::new(0..0, DeValue::Table(table));
        T::deserialize(ValueDeserializer::from(value)).map_err(|e| self.toml_error(&e, within))
    }

    /// Takes a table out of the document.
    fn take<T: DeserializeOwned>(&self, table: &mut DeTable<'a>, key: &str) -> Result<Option<T>, RigFileError> {
        let Some(value) = table.remove(key) else { return Ok(None) };
        T::deserialize(ValueDeserializer::from(value)).map(Some).map_err(|e| self.toml_error(&e, key))
    }

    fn parts(&self, table: DeTable<'a>) -> Result<Vec<Part>, RigFileError> {
        let (parts, faults) = load_embedded(self.file, self.text, table);
        let Some(first) = faults.first() else { return Ok(parts) };
        let names: Vec<&str> = ["parts", &first.part, &first.field].into_iter().filter(|n| !n.is_empty()).collect();
        let more = if faults.len() > 1 { format!(" ({} more faults in the parts)", faults.len() - 1) } else { String::new() };
        let message = format!("{}{more}", first.message);
        Err(RigFileError { file: self.file.to_owned(), line: first.line, field: names.join(": "), message })
    }
}

/// Where the key of a dotted path stands; the longest part of the path that exists counts.
fn span_of(table: &DeTable<'_>, path: &str) -> Option<Range<usize>> {
    let (key, value) = table
        .iter()
        .filter(|(k, _)| path.strip_prefix(k.get_ref().as_ref()).is_some_and(|r| r.is_empty() || r.starts_with('.')))
        .max_by_key(|(k, _)| k.get_ref().len())?;
    let rest = path.get(key.get_ref().len() + 1..).unwrap_or_default();
    let deeper = match value.get_ref() {
        DeValue::Table(inner) if !rest.is_empty() => span_of(inner, rest),
        DeValue::Array(items) => {
            let (index, rest) = rest.split_once('.').unwrap_or((rest, ""));
            let item = index.parse::<usize>().ok().and_then(|n| items.get(n));
            item.and_then(|i| i.get_ref().as_table().and_then(|t| span_of(t, rest)).or(Some(i.span())))
        }
        _ => None,
    };
    deeper.or_else(|| Some(key.span()))
}

/// Dotted path of the innermost key whose text or value covers a position.
fn path_at(table: &DeTable<'_>, at: usize) -> Option<String> {
    for (key, value) in table {
        let inner = match value.get_ref() {
            DeValue::Table(inner) => path_at(inner, at),
            DeValue::Array(items) => {
                let found = items.iter().enumerate().find_map(|(n, i)| Some((n, path_at(i.get_ref().as_table()?, at)?)));
                let item = || items.iter().position(|i| i.span().contains(&at)).map(|n| n.to_string());
                found.map(|(n, path)| format!("{n}.{path}")).or_else(item)
            }
            _ => None,
        };
        if let Some(inner) = inner {
            return Some(format!("{}.{inner}", key.get_ref()));
        }
        if key.span().contains(&at) || value.span().contains(&at) {
            return Some(key.get_ref().to_string());
        }
    }
    None
}

/// Makes a build consistent: known parts only, a free next number, every piece in a place that takes it or in the tray.
fn seat(reader: &Reader<'_>, catalog: &Catalog, build: &mut Build, path: &str, notes: &mut Vec<String>) -> Result<(), RigFileError> {
    for (id, piece) in &build.placements {
        let field = format!("{path}.placements.{id}");
        if catalog.part(&piece.part).is_none() {
            let why =
                format!("names {}, which is neither under [parts] nor in the catalog. Correct the id or remove the piece", piece.part);
            return Err(reader.error(&format!("{field}.part"), &why));
        }
        if id.0 == u32::MAX {
            return Err(reader.error(&field, "is the last number there is. Give the piece a smaller one"));
        }
    }
    let free = build.placements.keys().last().map_or(0, |id| id.0 + 1);
    if build.next < free {
        notes.push(format!("{path}.next was {}, a number already in use; counted on from {free}.", build.next));
        build.next = free;
    }
    let before: BTreeMap<PlacementId, _> = build.placements.iter().map(|(&id, p)| (id, p.slot.clone())).collect();
    settle(catalog, build);
    for (id, piece) in &build.placements {
        let Some(Some(old)) = before.get(id).filter(|s| **s != piece.slot) else { continue };
        let name = catalog.part(&piece.part).map_or("?", |p| p.short_name());
        notes.push(match &piece.slot {
            Some(new) => format!("{name} ({id}) no longer goes to {old}; it is now at {new}."),
            None => format!("{name} ({id}) no longer goes to {old}; it lies in the tray."),
        });
    }
    Ok(())
}

/// What changed between two reports on the same rig, in sentences; empty if nothing did.
pub fn differences(saved: &Snapshot, now: &Snapshot) -> Vec<String> {
    let mut out = Vec::new();
    for (name, change) in compare(&saved.figures, &now.figures) {
        out.push(match change {
            (Some(was), Some(is)) => format!("{name}: {is}, was {was}"),
            (None, Some(is)) => format!("{name}: {is}, new"),
            (Some(was), None) => format!("{name}: no longer computed, was {was}"),
            (None, None) => continue,
        });
    }
    let mut passing = [0_usize; 2];
    let [new, gone] = &mut passing;
    for (name, change) in compare(&saved.findings, &now.findings) {
        match change {
            (Some(was), Some(is)) => out.push(format!("Finding {name}: {is}, was {was}")),
            (None, Some("pass")) => *new += 1,
            (Some("pass"), None) => *gone += 1,
            (None, Some(is)) => out.push(format!("Finding {name}: {is}, new")),
            (Some(was), None) => out.push(format!("Finding {name}: gone, was {was}")),
            (None, None) => {}
        }
    }
    for (count, what) in passing.into_iter().zip(["new", "gone"]).filter(|(n, _)| *n > 0) {
        out.push(format!("Findings that pass: {count} {what}"));
    }
    if out.is_empty() && saved.mark != now.mark {
        out.push("Details of the report differ; its key figures and verdicts are the same".to_owned());
    }
    out
}

/// A name with its value before and now.
type Change<'a> = (&'a str, (Option<&'a str>, Option<&'a str>));

/// Values that differ, in the order of `now`, then those that are gone.
fn compare<'a>(saved: &'a [Figure], now: &'a [Figure]) -> Vec<Change<'a>> {
    let mut left: BTreeMap<&str, &str> = saved.iter().map(|f| (f.name.as_str(), f.value.as_str())).collect();
    let mut out = Vec::new();
    for figure in now {
        let was = match left.entry(&figure.name) {
            Entry::Occupied(entry) => Some(entry.remove()),
            Entry::Vacant(_) => None,
        };
        if was != Some(figure.value.as_str()) {
            out.push((figure.name.as_str(), (was, Some(figure.value.as_str()))));
        }
    }
    let gone = saved.iter().filter(|f| left.contains_key(f.name.as_str()));
    out.extend(gone.map(|f| (f.name.as_str(), (Some(f.value.as_str()), None))));
    out
}
