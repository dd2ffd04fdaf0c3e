//! Catalog files in, parts out; and back. Every error names file, line, part and field, and all errors are collected.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::Catalog;
use super::kinds::KINDS;
use super::part::{Life, Part, PartId, PartKind, Price, Provenance, Source};
use super::rates::Rates;
use super::templates::Templates;

/// The catalog that ships with the program.
static EMBEDDED: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/catalogs");

/// One fault of a catalog file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub file: String,
    pub line: usize,
    /// Empty where the fault is in no part.
    pub part: String,
    /// Empty where the fault is in no field.
    pub field: String,
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        for name in [&self.part, &self.field] {
            if !name.is_empty() {
                write!(f, "{name}: ")?;
            }
        }
        f.write_str(&self.message)
    }
}

/// Fields that every kind has; the rest are facts and need a `from` entry.
const COMMON: [&str; 10] = ["id", "name", "maker", "part_number", "generic", "like", "notes", "from", "prices", "life"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    id: String,
    name: String,
    #[serde(default)]
    maker: Option<String>,
    #[serde(default)]
    part_number: Option<String>,
    #[serde(default)]
    generic: bool,
    #[serde(default)]
    notes: Option<String>,
    #[serde(default)]
    from: BTreeMap<String, Provenance>,
    #[serde(default)]
    prices: Vec<Price>,
    #[serde(default)]
    life: Life,
}

/// A part's table before inheritance.
struct Raw<'a> {
    file: &'a File<'a>,
    kind: &'static str,
    id: String,
    line: usize,
    table: DeTable<'a>,
    like: Option<String>,
}

struct File<'a> {
    name: &'a str,
    text: &'a str,
    sources: BTreeMap<String, Source>,
}

impl File<'_> {
    fn line(&self, span: Option<Range<usize>>) -> usize {
        let end = span.map_or(0, |s| s.start).min(self.text.len());
        self.text.as_bytes().iter().take(end).filter(|&&b| b == b'\n').count() + 1
    }
    fn fault(&self, line: usize, part: &str, field: &str, message: impl Into<String>) -> Fault {
        Fault { file: self.name.to_owned(), line, part: part.to_owned(), field: field.to_owned(), message: message.into() }
    }
}

/// Whether a path ends in exactly this file name.
fn is_file(path: &str, name: &str) -> bool {
    std::path::Path::new(path).file_name().is_some_and(|n| n == name)
}

/// Reads catalog files, `(name, text)` each; later files replace parts of earlier ones by id.
///
/// A broken part or file is left out and named; the rest loads.
pub fn load(files: &[(String, String)]) -> (Catalog, Vec<Fault>) {
    let mut faults = Vec::new();
    let mut templates = Templates::default();
    let mut rates = Rates::default();
    let mut sources = Vec::new();
    let mut tables = Vec::new();
    for (name, text) in files {
        if is_file(name, "templates.toml") {
            match Templates::parse(text) {
                Ok(read) => templates = read,
                Err(e) => faults.push(file_fault(name, text, &e)),
            }
            continue;
        }
        if is_file(name, "rates.toml") {
            match toml::from_str(text) {
                Ok(read) => rates = read,
                Err(e) => faults.push(file_fault(name, text, &e)),
            }
            continue;
        }
        if is_model_list(name) {
            continue; // read by import/model_list.rs
        }
        let (table, errors) = DeTable::parse_recoverable(text);
        faults.extend(errors.iter().map(|e| file_fault(name, text, e)));
        if errors.is_empty() {
            sources.push(File { name, text, sources: BTreeMap::new() });
            tables.push(table.into_inner());
        }
    }
    let parts = assemble(&mut sources, tables, &mut faults);
    faults.sort_by(|a, b| (&a.file, a.line, &a.field).cmp(&(&b.file, b.line, &b.field)));
    let version = super::fingerprint(files.iter().map(|(_, text)| text.as_str()));
    let catalog = Catalog::new(parts, templates, version).with_rates(rates);
    (catalog, faults)
}

/// Parts in a table of another file, such as a rig file's `[parts]`; faults name the lines of `text`, the whole file.
pub fn load_embedded(name: &str, text: &str, table: DeTable<'_>) -> (Vec<Part>, Vec<Fault>) {
    let mut faults = Vec::new();
    let parts = assemble(&mut [File { name, text, sources: BTreeMap::new() }], vec![table], &mut faults);
    (parts, faults)
}

/// In order of ids.
fn assemble<'a>(files: &mut [File<'a>], mut tables: Vec<DeTable<'a>>, faults: &mut Vec<Fault>) -> Vec<Part> {
    for (file, table) in files.iter_mut().zip(&mut tables) {
        read_sources(file, table, faults);
    }
    let mut raws = BTreeMap::new();
    for (file, table) in files.iter().zip(tables) {
        split_parts(file, table, &mut raws, faults);
    }
    raws.values().filter_map(|raw| build_part(raw, &raws, faults)).collect()
}

/// Files of a folder `models` list models instead of parts.
pub fn is_model_list(name: &str) -> bool {
    name.rsplit(['/', '\\']).nth(1) == Some("models")
}

fn file_fault(name: &str, text: &str, error: &toml::de::Error) -> Fault {
    let file = File { name, text, sources: BTreeMap::new() };
    file.fault(file.line(error.span()), "", "", error.message())
}

fn read_sources(file: &mut File<'_>, table: &mut DeTable<'_>, faults: &mut Vec<Fault>) {
    let Some((_, value)) = table.remove_entry("sources") else { return };
    match BTreeMap::<String, Source>::deserialize(ValueDeserializer::from(value)) {
        Ok(sources) => file.sources = sources,
        Err(e) => faults.push(file.fault(file.line(e.span()), "", "sources", e.message())),
    }
}

fn split_parts<'a>(file: &'a File<'a>, table: DeTable<'a>, raws: &mut BTreeMap<String, Raw<'a>>, faults: &mut Vec<Fault>) {
    for (key, value) in table {
        let kind = KINDS.iter().map(|k| k.0).find(|k| *k == key.get_ref().as_ref());
        let line = file.line(Some(key.span()));
        let (Some(kind), DeValue::Array(parts)) = (kind, value.into_inner()) else {
            let known: Vec<&str> = KINDS.iter().map(|k| k.0).collect();
            let text = format!("is no kind of part. Write [sources.…] or [[…]] with one of: {}", known.join(", "));
            faults.push(file.fault(line, "", key.get_ref(), text));
            continue;
        };
        for part in parts {
            let line = file.line(Some(part.span()));
            let DeValue::Table(table) = part.into_inner() else { continue };
            let text_of = |key: &str| table.get(key).and_then(|v| v.get_ref().as_str()).map(str::to_owned);
            let Some(id) = text_of("id") else {
                faults.push(file.fault(line, "", "id", "is missing. Give every part a text id such as \"gpu.maker.model\""));
                continue;
            };
            if let Some(other) = raws.get(&id).filter(|o| o.file.name == file.name) {
                faults.push(file.fault(line, &id, "id", format!("is used on line {} too. Give one of them another id", other.line)));
                continue;
            }
            let like = text_of("like");
            raws.insert(id.clone(), Raw { file, kind, id, line, table, like });
        }
    }
}

/// Follows `like` at most four steps.
fn ancestors<'r, 'a>(raw: &'r Raw<'a>, raws: &'r BTreeMap<String, Raw<'a>>) -> Result<Vec<&'r Raw<'a>>, String> {
    let mut chain = vec![raw];
    let mut at = raw;
    while let Some(like) = &at.like {
        at = raws.get(like).filter(|r| r.kind == raw.kind).ok_or_else(|| format!("names {like:?}, but there is no such {}", raw.kind))?;
        chain.push(at);
        if chain.len() > 5 {
            return Err("leads through more than four parts, or in a circle".to_owned());
        }
    }
    Ok(chain)
}

fn build_part(raw: &Raw<'_>, raws: &BTreeMap<String, Raw<'_>>, faults: &mut Vec<Fault>) -> Option<Part> {
    let before = faults.len();
    let chain = match ancestors(raw, raws) {
        Ok(chain) => chain,
        Err(text) => {
            faults.push(raw.file.fault(raw.line, &raw.id, "like", text));
            return None;
        }
    };
    let (mut head, mut facts) = (DeTable::new(), DeTable::new());
    for (key, value) in &raw.table {
        let into = if COMMON.contains(&key.get_ref().as_ref()) { &mut head } else { &mut facts };
        if key.get_ref() != "like" {
            into.insert(key.clone(), value.clone());
        }
    }
    for ancestor in chain.iter().skip(1) {
        for (key, value) in &ancestor.table {
            if !COMMON.contains(&key.get_ref().as_ref()) && !facts.contains_key(key.get_ref().as_ref()) {
                facts.insert(key.clone(), value.clone());
            }
        }
    }
    let own: Vec<(String, Range<usize>)> = raw.table.keys().map(|k| (k.get_ref().to_string(), k.span())).collect();
    let head: Option<Head> = decode(raw, head, faults);
    let kind = decode_kind(raw, facts, faults);
    let head = head?;
    let (mut from, mut sources) = (head.from, BTreeMap::new());
    check_provenance(raw, &own, &from, faults);
    keep_sources(raw.file, from.values().map(|p| &p.source), &mut sources);
    keep_sources(raw.file, head.prices.iter().map(|p| &p.source).chain(&head.life.source), &mut sources);
    for named in head.prices.iter().map(|p| &p.source).chain(&head.life.source) {
        if !raw.file.sources.contains_key(named) {
            faults.push(raw.file.fault(raw.line, &raw.id, "prices or life", format!("names source {named:?}, which the file lacks")));
        }
    }
    inherit_provenance(&chain, &mut from, &mut sources);
    let kind = kind?;
    (faults.len() == before).then(|| Part {
        id: PartId::new(&head.id),
        name: head.name,
        maker: head.maker,
        part_number: head.part_number,
        generic: head.generic,
        notes: head.notes,
        prices: head.prices,
        life: head.life,
        from,
        sources,
        kind,
    })
}

fn keep_sources<'s>(file: &File<'_>, named: impl Iterator<Item = &'s String>, into: &mut BTreeMap<String, Source>) {
    for key in named {
        if let Some(source) = file.sources.get(key) {
            into.insert(key.clone(), source.clone());
        }
    }
}

/// A variant's inherited fields keep the base part's origin; its source keys get the base's file as prefix where they would clash.
fn inherit_provenance(chain: &[&Raw<'_>], from: &mut BTreeMap<String, Provenance>, sources: &mut BTreeMap<String, Source>) {
    for ancestor in chain.iter().skip(1) {
        let Some(table) = ancestor.table.get("from") else { continue };
        let Ok(theirs) = BTreeMap::<String, Provenance>::deserialize(ValueDeserializer::from(table.clone())) else { continue };
        for (field, mut origin) in theirs {
            if from.contains_key(&field) {
                continue;
            }
            let Some(source) = ancestor.file.sources.get(&origin.source) else { continue };
            let mut key = origin.source.clone();
            if sources.get(&key).is_some_and(|s| s != source) {
                key = format!("{}:{key}", ancestor.id);
            }
            sources.insert(key.clone(), source.clone());
            origin.source = key;
            from.insert(field, origin);
        }
    }
}

/// Each fact of the part's own table needs an origin, and each origin a fact and a source.
fn check_provenance(raw: &Raw<'_>, own: &[(String, Range<usize>)], from: &BTreeMap<String, Provenance>, faults: &mut Vec<Fault>) {
    for (field, span) in own.iter().filter(|(f, _)| !COMMON.contains(&f.as_str())) {
        if !from.contains_key(field) {
            let line = raw.file.line(Some(span.clone()));
            let text = format!("has no source. Add {field} = {{source, as_of, confidence}} to [{}.from]", raw.kind);
            faults.push(raw.file.fault(line, &raw.id, field, text));
        }
    }
    for (field, origin) in from {
        if !own.iter().any(|(f, _)| f == field) {
            faults.push(raw.file.fault(raw.line, &raw.id, field, "has a source but no value. Remove it from `from` or give the value"));
        }
        if !raw.file.sources.contains_key(&origin.source) {
            let text = format!("names source {:?}, which the file lacks. Add [sources.{}]", origin.source, origin.source);
            faults.push(raw.file.fault(raw.line, &raw.id, field, text));
        }
    }
}

/// Reads a table into `T`. Where a field is wrong it is named, taken out, and the rest read on, so that no error hides another.
fn decode<T: DeserializeOwned>(raw: &Raw<'_>, mut table: DeTable<'_>, faults: &mut Vec<Fault>) -> Option<T> {
    let mut clean = true;
    loop {
        let value = Spanned::new(0..0, DeValue::Table(table.clone()));
        let error = match T::deserialize(ValueDeserializer::from(value)) {
            Ok(read) => return clean.then_some(read),
            Err(error) => error,
        };
        clean = false;
        let at = error.span().unwrap_or(0..0);
        let guilty = table
            .iter()
            .find(|(k, v)| k.span().contains(&at.start) || (v.span().start <= at.start && at.end <= v.span().end && v.span().end > 0))
            .map(|(k, _)| k.get_ref().to_string());
        let line = if at.end == 0 { raw.line } else { raw.file.line(Some(at)) };
        faults.push(raw.file.fault(line, &raw.id, guilty.as_deref().unwrap_or_default(), error.message()));
        match guilty {
            Some(field) => table.remove(field.as_str()),
            None => return None,
        };
    }
}

fn decode_kind(raw: &Raw<'_>, facts: DeTable<'_>, faults: &mut Vec<Fault>) -> Option<PartKind> {
    Some(match raw.kind {
        "gpu" => PartKind::Gpu(decode(raw, facts, faults)?),
        "cpu" => PartKind::Cpu(decode(raw, facts, faults)?),
        "board" => PartKind::Board(decode(raw, facts, faults)?),
        "ram" => PartKind::Ram(decode(raw, facts, faults)?),
        "drive" => PartKind::Drive(decode(raw, facts, faults)?),
        "psu" => PartKind::Psu(decode(raw, facts, faults)?),
        "cooler" => PartKind::Cooler(decode(raw, facts, faults)?),
        "fan" => PartKind::Fan(decode(raw, facts, faults)?),
        "case" => PartKind::Case(decode(raw, facts, faults)?),
        "nic" => PartKind::Nic(decode(raw, facts, faults)?),
        "riser" => PartKind::Riser(decode(raw, facts, faults)?),
        "carrier" => PartKind::Carrier(decode(raw, facts, faults)?),
        _ => PartKind::Bridge(decode(raw, facts, faults)?),
    })
}

/// A catalog file that holds these parts with all their sources, as a rig file embeds them.
///
/// # Errors
/// If a value has no TOML form, which no part read from TOML has.
pub fn write_parts<'a>(parts: impl Iterator<Item = &'a Part>) -> Result<toml::Table, toml::ser::Error> {
    let mut sources: Vec<Source> = Vec::new();
    let mut file = toml::Table::new();
    for part in parts {
        let mut key_of = |key: &String| -> String {
            let Some(source) = part.sources.get(key) else { return key.clone() };
            let at = sources.iter().position(|s| s == source).unwrap_or_else(|| {
                sources.push(source.clone());
                sources.len() - 1
            });
            format!("s{}", at + 1)
        };
        let table = part_table(part, &mut key_of)?;
        let list = file.entry(part.kind.key()).or_insert_with(|| toml::Value::Array(Vec::new()));
        if let toml::Value::Array(list) = list {
            list.push(toml::Value::Table(table));
        }
    }
    let sources: BTreeMap<String, Source> = sources.into_iter().enumerate().map(|(n, s)| (format!("s{}", n + 1), s)).collect();
    file.insert("sources".to_owned(), toml::Value::try_from(sources)?);
    Ok(file)
}

fn part_table(part: &Part, key_of: &mut dyn FnMut(&String) -> String) -> Result<toml::Table, toml::ser::Error> {
    let mut table = toml::Table::new();
    let mut put = |key: &str, value: toml::Value| table.insert(key.to_owned(), value);
    put("id", part.id.as_str().into());
    put("name", part.name.as_str().into());
    for (key, text) in [("maker", &part.maker), ("part_number", &part.part_number), ("notes", &part.notes)] {
        if let Some(text) = text {
            put(key, text.as_str().into());
        }
    }
    if part.generic {
        put("generic", true.into());
    }
    for (key, value) in kind_table(&part.kind)? {
        if part.from.contains_key(&key) {
            put(&key, value);
        }
    }
    let mut from = BTreeMap::new();
    for (field, origin) in &part.from {
        from.insert(field.clone(), Provenance { source: key_of(&origin.source), ..origin.clone() });
    }
    put("from", toml::Value::try_from(from)?);
    let prices: Vec<Price> = part.prices.iter().map(|p| Price { source: key_of(&p.source), ..p.clone() }).collect();
    if !prices.is_empty() {
        put("prices", toml::Value::try_from(prices)?);
    }
    if part.life != Life::default() {
        let life = Life { source: part.life.source.as_ref().map(key_of), ..part.life.clone() };
        put("life", toml::Value::try_from(life)?);
    }
    Ok(table)
}

/// The facts of a part as a table, unknown ones left out.
pub fn kind_table(kind: &PartKind) -> Result<toml::Table, toml::ser::Error> {
    fn of<T: Serialize>(kind: &T) -> Result<toml::Table, toml::ser::Error> {
        toml::Table::try_from(kind)
    }
    match kind {
        PartKind::Gpu(k) => of(k),
        PartKind::Cpu(k) => of(k),
        PartKind::Board(k) => of(k),
        PartKind::Ram(k) => of(k),
        PartKind::Drive(k) => of(k),
        PartKind::Psu(k) => of(k),
        PartKind::Cooler(k) => of(k),
        PartKind::Fan(k) => of(k),
        PartKind::Case(k) => of(k),
        PartKind::Nic(k) => of(k),
        PartKind::Riser(k) => of(k),
        PartKind::Carrier(k) => of(k),
        PartKind::Bridge(k) => of(k),
    }
}

/// Text files of the embedded catalog below `folder` ("" = all), with their paths, sorted.
pub fn embedded_files(folder: &str) -> Vec<(String, String)> {
    fn walk(dir: &include_dir::Dir<'_>, out: &mut Vec<(String, String)>) {
        for file in dir.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml")) {
            if let Some(text) = file.contents_utf8() {
                out.push((format!("catalogs/{}", file.path().display()), text.to_owned()));
            }
        }
        for dir in dir.dirs() {
            walk(dir, out);
        }
    }
    let mut out = Vec::new();
    walk(&EMBEDDED, &mut out);
    out.retain(|(name, _)| name.starts_with(&format!("catalogs/{folder}")));
    out.sort();
    out
}
