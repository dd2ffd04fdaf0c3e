//! An import into files of the user's catalog, and its report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Change, Import, Imported, NOTICE, Outcome, Rule, Verdict};
use crate::catalog::kinds::KINDS;
use crate::catalog::load::{ALL_OTHERS, kind_table};
use crate::catalog::part::{Part, PartId, Provenance, Source};
use crate::files::{self, FileError};

/// Folder of the user's catalog that an import fills, and replaces the next time.
pub const FOLDER: &str = "opendb";
/// Parts of one file.
const CHUNK: usize = 2000;

/// Writes the parts as catalog files below `catalog`, in place of those of an earlier import. Returns the folder.
///
/// # Errors
/// If a file cannot be written; earlier files may then be replaced already.
pub fn write(import: &Import, catalog: &Path) -> Result<PathBuf, FileError> {
    let folder = catalog.join(FOLDER);
    files::make_folder(&folder)?;
    let mut written = Vec::new();
    for (kind, ..) in KINDS {
        let of_kind: Vec<&Imported> = import.parts.iter().filter(|i| i.part.kind.key() == kind).collect();
        for (n, chunk) in of_kind.chunks(CHUNK).enumerate() {
            let path = folder.join(format!("{kind}-{}.toml", n + 1));
            files::write_atomic(&path, file_text(chunk.iter().map(|i| &i.part)).as_bytes())?;
            written.push(path);
        }
    }
    for old in files::toml_files(&folder).iter().filter(|p| !written.contains(p)) {
        files::remove(old);
    }
    files::write_atomic(&folder.join("LICENSE.md"), licence().as_bytes())?;
    files::write_atomic(&folder.join("kept.jsonl"), kept(import).as_bytes())?;
    Ok(folder)
}

fn licence() -> String {
    format!(
        "# Licence of this folder\n\n{NOTICE}\n\nThe files of this folder are a derived database under the same licence, ODC-By 1.0. Values \
         that the import set aside, replaced or doubted say so in their source; `kept.jsonl` has them as they were, together with what the \
         program does not read.\n"
    )
}

/// One line a part: its id, what was changed, and the keys that are kept.
fn kept(import: &Import) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        part: &'a PartId,
        #[serde(skip_serializing_if = "<[Change]>::is_empty")]
        changes: &'a [Change],
        kept: &'a Map<String, Value>,
    }
    let changes: BTreeMap<&PartId, &[Change]> =
        import.outcomes.iter().filter_map(|o| Some((o.part.as_ref()?, o.changes.as_slice()))).collect();
    let line = |i: &Imported| {
        let changes = changes.get(&i.part.id).copied().unwrap_or_default();
        serde_json::to_string(&Line { part: &i.part.id, changes, kept: &i.kept }).unwrap_or_default()
    };
    import.parts.iter().map(|i| line(i) + "\n").collect()
}

/// A catalog file with these parts. Sources are written once each, and the origin that most facts of a part share once a part.
pub fn file_text<'a>(parts: impl Iterator<Item = &'a Part>) -> String {
    let mut sources: Vec<&Source> = Vec::new();
    let mut body = String::new();
    for part in parts {
        part_text(part, &mut sources, &mut body);
    }
    let mut out = format!("# {NOTICE}\n\n");
    if !sources.iter().any(|s| s.title.contains("OpenDB")) {
        out.clear();
    }
    for (n, source) in sources.iter().enumerate() {
        out.push_str(&format!("[sources.s{}]\ntitle = {}\n", n + 1, quoted(&source.title)));
        for (key, value) in [("url", &source.url), ("date", &source.date)] {
            if let Some(value) = value {
                out.push_str(&format!("{key} = {}\n", quoted(value)));
            }
        }
        out.push('\n');
    }
    out + &body
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn part_text<'a>(part: &'a Part, sources: &mut Vec<&'a Source>, out: &mut String) {
    let kind = part.kind.key();
    out.push_str(&format!("[[{kind}]]\nid = {}\nname = {}\n", quoted(part.id.as_str()), quoted(&part.name)));
    if !part.aliases.is_empty() {
        let list: Vec<String> = part.aliases.iter().map(|a| quoted(a)).collect();
        out.push_str(&format!("aliases = [{}]\n", list.join(", ")));
    }
    for (key, text) in [("maker", &part.maker), ("part_number", &part.part_number), ("notes", &part.notes)] {
        if let Some(text) = text {
            out.push_str(&format!("{key} = {}\n", quoted(text)));
        }
    }
    if part.generic {
        out.push_str("generic = true\n");
    }
    for (field, value) in kind_table(&part.kind).unwrap_or_default() {
        if part.from.contains_key(&field) {
            out.push_str(&format!("{field} = {value}\n"));
        }
    }
    let mut key_of = |key: &str| {
        let source = part.sources.get(key)?;
        let at = sources.iter().position(|s| *s == source).unwrap_or_else(|| {
            sources.push(source);
            sources.len() - 1
        });
        Some(format!("s{}", at + 1))
    };
    origins_text(part, &mut key_of, out);
    for price in &part.prices {
        let source = key_of(&price.source).unwrap_or_default();
        out.push_str(&format!(
            "[[{kind}.prices]]\namount = {:?}\ncurrency = {}\ndate = {}\nkind = {}\nsource = {}\n",
            price.amount,
            quoted(&price.currency),
            quoted(&price.date),
            quoted(price.kind.text()),
            quoted(&source)
        ));
        if let Some(note) = &price.note {
            out.push_str(&format!("note = {}\n", quoted(note)));
        }
    }
    life_text(part, &mut key_of, out);
    out.push('\n');
}

fn origins_text(part: &Part, key_of: &mut dyn FnMut(&str) -> Option<String>, out: &mut String) {
    if part.from.is_empty() {
        return;
    }
    let mut counts: Vec<(&Provenance, usize)> = Vec::new();
    for origin in part.from.values() {
        match counts.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, n)) => *n += 1,
            None => counts.push((origin, 1)),
        }
    }
    let most = counts.iter().max_by_key(|(_, n)| *n).map(|(origin, _)| *origin);
    let mut line = |field: &str, origin: &Provenance| {
        let source = key_of(&origin.source).unwrap_or_default();
        let [source, as_of, confidence] = [&source, &origin.as_of, origin.confidence.text()].map(quoted);
        out.push_str(&format!("from.{field} = {{source = {source}, as_of = {as_of}, confidence = {confidence}}}\n"));
    };
    if let Some(most) = most {
        line(&quoted(ALL_OTHERS), most);
    }
    for (field, origin) in part.from.iter().filter(|(_, o)| Some(*o) != most) {
        line(field, origin);
    }
}

fn life_text(part: &Part, key_of: &mut dyn FnMut(&str) -> Option<String>, out: &mut String) {
    let life = &part.life;
    let source = life.source.as_deref().and_then(key_of);
    let words = [
        ("launch", life.launch.as_deref()),
        ("sale", life.sale.map(|s| s.text())),
        ("outlook", life.outlook.map(|o| o.text())),
        ("reason", life.reason.as_deref()),
        ("as_of", life.as_of.as_deref()),
        ("source", source.as_deref()),
    ];
    if words.iter().any(|(_, text)| text.is_some()) {
        out.push_str(&format!("[{}.life]\n", part.kind.key()));
    }
    for (key, text) in words {
        if let Some(text) = text {
            out.push_str(&format!("{key} = {}\n", quoted(text)));
        }
    }
}

/// Numbers of an import, and every record with what became of it; the form of `rigbay import opendb --json`.
#[derive(Debug, Serialize)]
pub struct ReportJson<'a> {
    pub attribution: &'static str,
    pub summary: Summary,
    pub records: &'a [Outcome],
}

/// Numbers of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub records: usize,
    pub taken: usize,
    pub corrected: usize,
    pub left_out: usize,
    /// Parts by kind.
    pub parts: BTreeMap<&'static str, usize>,
    /// Changes by rule.
    pub changes: BTreeMap<Rule, usize>,
    /// Files of categories without a part in this program, by category.
    pub other_categories: BTreeMap<String, usize>,
}

impl Summary {
    pub fn of(import: &Import) -> Self {
        let count = |verdict| import.outcomes.iter().filter(|o| o.verdict == verdict).count();
        let mut parts = BTreeMap::new();
        for i in &import.parts {
            *parts.entry(i.part.kind.key()).or_default() += 1;
        }
        let mut changes = BTreeMap::new();
        for change in import.outcomes.iter().filter(|o| o.verdict != Verdict::LeftOut).flat_map(|o| &o.changes) {
            *changes.entry(change.rule).or_default() += 1;
        }
        Self {
            records: import.outcomes.len(),
            taken: count(Verdict::Taken),
            corrected: count(Verdict::Corrected),
            left_out: count(Verdict::LeftOut),
            parts,
            changes,
            other_categories: import.other.clone(),
        }
    }

    /// "4 records: 2 taken as they stand, 1 with corrections, 1 left out."
    pub fn text(&self) -> String {
        format!(
            "{} records: {} taken as they stand, {} with corrections, {} left out.",
            self.records, self.taken, self.corrected, self.left_out
        )
    }
}

impl<'a> ReportJson<'a> {
    pub fn of(import: &'a Import) -> Self {
        Self { attribution: NOTICE, summary: Summary::of(import), records: &import.outcomes }
    }
}
