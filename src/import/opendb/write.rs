//! An import into files of the user's catalog, and its report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Change, Import, Imported, NOTICE, Outcome, Rule, Verdict};
use crate::catalog::kinds::KINDS;
use crate::catalog::load::file_text;
use crate::catalog::part::PartId;
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
            files::write_atomic(&path, file_text(&format!("# {NOTICE}\n\n"), chunk.iter().map(|i| &i.part)).as_bytes())?;
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
