//! Parts of the user's own: a form with one text a fact becomes a part with its origins, kept in the user's catalog.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use crate::catalog::fields::{Field, fields, text, value};
use crate::catalog::kinds::KINDS;
use crate::catalog::load::{file_text, kind_table, load};
use crate::catalog::part::{Part, PartId, Provenance, Source};
use crate::catalog::vocab::Confidence;
use crate::files::{self, FileError};

pub mod table;

/// Folder of the user's catalog that holds parts of the user's own.
pub const FOLDER: &str = "own";
/// Key of the source of what the user entered.
const KEY: &str = "own";

/// A part while it is being written.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Key of its kind: "gpu".
    pub kind: &'static str,
    /// Empty for a new part.
    pub id: String,
    pub name: String,
    pub maker: String,
    pub part_number: String,
    pub notes: String,
    /// One text a fact, by name; absent or empty = unknown.
    pub facts: BTreeMap<String, String>,
    /// Where the user read it.
    pub source: String,
    pub url: String,
    pub confidence: Confidence,
    /// The part that is changed; its facts keep their origins where they stay as they are.
    pub base: Option<Part>,
}

/// What is wrong with a field; the field is empty for what concerns the whole part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub field: String,
    pub why: String,
}

impl Draft {
    /// A new part of a kind; of none that there is, a GPU.
    pub fn new(kind: &str) -> Self {
        let kind = KINDS.iter().map(|k| k.0).find(|k| *k == kind).unwrap_or("gpu");
        Self {
            kind,
            id: String::new(),
            name: String::new(),
            maker: String::new(),
            part_number: String::new(),
            notes: String::new(),
            facts: BTreeMap::new(),
            source: String::new(),
            url: String::new(),
            confidence: Confidence::Judgement,
            base: None,
        }
    }

    /// A part of the catalog, to be changed.
    pub fn of(part: &Part) -> Self {
        let kind = part.kind.key();
        let known = kind_table(&part.kind).unwrap_or_default();
        let fields = fields(kind);
        let shown = |f: &Field| Some((f.name.clone(), text(&f.form, known.get(&f.name).filter(|_| part.from.contains_key(&f.name))?)));
        let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            id: part.id.to_string(),
            name: part.name.clone(),
            maker: or_empty(&part.maker),
            part_number: or_empty(&part.part_number),
            notes: or_empty(&part.notes),
            facts: fields.iter().filter_map(shown).collect(),
            base: Some(part.clone()),
            ..Self::new(kind)
        }
    }

    /// The part, as of `day` (`YYYY-MM-DD`).
    ///
    /// # Errors
    /// Everything that is wrong, by field.
    pub fn part(&self, catalog: &Catalog, day: &str) -> Result<Part, Vec<Wrong>> {
        let mut wrong = Vec::new();
        let mut table = toml::Table::new();
        let id = if self.id.is_empty() { self.new_id(catalog) } else { self.id.clone() };
        table.insert("id".to_owned(), id.into());
        table.insert("name".to_owned(), self.name.trim().into());
        for (key, text) in [("maker", &self.maker), ("part_number", &self.part_number), ("notes", &self.notes)] {
            if !text.trim().is_empty() {
                table.insert(key.to_owned(), text.trim().into());
            }
        }
        let mut from = toml::Table::new();
        for field in fields(self.kind) {
            match value(&field.form, self.facts.get(&field.name).map_or("", String::as_str)) {
                Ok(Some(value)) => {
                    table.insert(field.name.clone(), value);
                    let origin = [("source", KEY), ("as_of", day), ("confidence", self.confidence.text())];
                    let origin: toml::Table = origin.into_iter().map(|(k, v)| (k.to_owned(), v.into())).collect();
                    from.insert(field.name, toml::Value::Table(origin));
                }
                Ok(None) => {}
                Err(why) => wrong.push(Wrong { field: field.name, why }),
            }
        }
        if self.source.trim().is_empty() && self.base.is_none() && !from.is_empty() {
            wrong.push(Wrong { field: "source".to_owned(), why: "Say where you read these facts.".to_owned() });
        }
        table.insert("from".to_owned(), toml::Value::Table(from));
        let mut file = toml::Table::new();
        let title = if self.source.trim().is_empty() { "Entered by the user, source not recorded" } else { self.source.trim() };
        let mut source: toml::Table = [("title", title), ("date", day)].into_iter().map(|(k, v)| (k.to_owned(), v.into())).collect();
        if !self.url.trim().is_empty() {
            source.insert("url".to_owned(), self.url.trim().into());
        }
        file.insert("sources".to_owned(), toml::Value::Table([(KEY.to_owned(), toml::Value::Table(source))].into_iter().collect()));
        file.insert(self.kind.to_owned(), toml::Value::Array(vec![toml::Value::Table(table)]));
        let (read, faults) = load(&[("part.toml".to_owned(), file.to_string())]);
        for fault in faults {
            // "plugs[0].count" is shown at the field of the plugs.
            let field = fault.field.split(['[', '.']).next().unwrap_or_default().to_owned();
            if field != "from" && !wrong.iter().any(|w| w.field == field) {
                wrong.push(Wrong { field, why: format!("{}.", fault.message.trim_end_matches('.')) });
            }
        }
        match read.parts().next() {
            Some(part) if wrong.is_empty() => Ok(self.with_origins(part.clone())),
            _ => Err(wrong),
        }
    }

    /// Facts that stay as they were keep their origins, and the part its prices, life and aliases.
    fn with_origins(&self, mut part: Part) -> Part {
        let Some(base) = &self.base else { return part };
        let (now, was) = (kind_table(&part.kind).unwrap_or_default(), kind_table(&base.kind).unwrap_or_default());
        for (field, origin) in &base.from {
            if let (Some(value), Some(source)) = (now.get(field), base.sources.get(&origin.source))
                && was.get(field) == Some(value)
            {
                let key = format!("base-{}", origin.source);
                part.sources.insert(key.clone(), source.clone());
                part.from.insert(field.clone(), Provenance { source: key, ..origin.clone() });
            }
        }
        let mut keep = |key: &String| {
            let renamed = format!("base-{key}");
            if let Some(source) = base.sources.get(key) {
                part.sources.insert(renamed.clone(), source.clone());
            }
            renamed
        };
        part.prices = base.prices.iter().map(|p| crate::catalog::part::Price { source: keep(&p.source), ..p.clone() }).collect();
        part.life = base.life.clone();
        part.life.source = base.life.source.as_ref().map(keep);
        part.aliases.clone_from(&base.aliases);
        part.generic = base.generic;
        let used: Vec<String> = part
            .from
            .values()
            .map(|o| o.source.clone())
            .chain(part.prices.iter().map(|p| p.source.clone()))
            .chain(part.life.source.clone())
            .collect();
        part.sources.retain(|key, _| used.contains(key));
        part
    }

    /// An id that no part has yet.
    fn new_id(&self, catalog: &Catalog) -> String {
        let words: Vec<String> =
            self.name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).take(10).collect();
        let stem = format!("{}.own.{}", self.kind, if words.is_empty() { "unnamed".to_owned() } else { words.join("-") });
        let numbered = (2..).map(|n| format!("{stem}-{n}"));
        std::iter::once(stem.clone()).chain(numbered).find(|id| catalog.part(&PartId::new(id)).is_none()).unwrap_or(stem)
    }
}

/// Writes a part into the user's catalog, in place of an earlier one of its id. Returns the file.
///
/// # Errors
/// If the file cannot be written.
pub fn save(part: &Part, catalog: &Path) -> Result<PathBuf, FileError> {
    save_all(std::slice::from_ref(part), catalog, part.id.as_str())
}

/// Writes parts into one file of the user's catalog.
fn save_all(parts: &[Part], catalog: &Path, stem: &str) -> Result<PathBuf, FileError> {
    let folder = catalog.join(FOLDER);
    files::make_folder(&folder)?;
    let path = folder.join(format!("{stem}.toml"));
    files::write_atomic(&path, file_text("# Parts of my own\n\n", parts.iter()).as_bytes())?;
    Ok(path)
}

/// A small file for the maintainers of the catalog: what a part lacks, and what the user knows of it. It names nobody.
pub fn missing_report(part: &Part, draft: Option<&Draft>, version: &str) -> String {
    let known = kind_table(&part.kind).unwrap_or_default();
    let all = fields(part.kind.key());
    let missing: Vec<&str> = all.iter().map(|f| f.name.as_str()).filter(|f| !part.from.contains_key(*f)).collect();
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let mut out = format!(
        "# Facts that the catalog of Rigbay lacks, for its maintainers\n\npart = {}\nname = {}\ncatalog = {}\n",
        quoted(part.id.as_str()),
        quoted(&part.name),
        quoted(version)
    );
    let list: Vec<String> = missing.iter().map(|m| quoted(m)).collect();
    out.push_str(&format!("missing = [{}]\n", list.join(", ")));
    let Some(draft) = draft else { return out };
    let mut offered = String::new();
    for field in &all {
        let Some(Ok(Some(new))) = draft.facts.get(&field.name).map(|t| value(&field.form, t)) else { continue };
        if known.get(&field.name) != Some(&new) || !part.from.contains_key(&field.name) {
            offered.push_str(&format!("{} = {new}\n", field.name));
        }
    }
    if !offered.is_empty() {
        let source = Source { title: draft.source.clone(), url: Some(draft.url.clone()).filter(|u| !u.is_empty()), date: None };
        out.push_str(&format!("source = {}\n", quoted(&source.title)));
        if let Some(url) = &source.url {
            out.push_str(&format!("url = {}\n", quoted(url)));
        }
        out.push_str(&format!("\n[offered]\n{offered}"));
    }
    out
}
