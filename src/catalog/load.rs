//! Catalog files in, parts out; and back. Every error names file, line, part and field, and all errors are collected.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Deserialize;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::Catalog;
use super::kinds::KINDS;
use super::part::{Life, Part, PartId, PartKind, Price, Provenance, Source};
use super::rates::Rates;
use super::templates::Templates;
use super::topology;

mod decode;
mod file_text;
pub(crate) mod limits;
mod write;

pub use decode::missing;
use decode::{Report, decode};
pub use file_text::file_text;
pub use limits::shortened;
pub use write::{kind_table, write_parts};

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
const COMMON: [&str; 11] = ["id", "name", "aliases", "maker", "part_number", "generic", "like", "notes", "from", "prices", "life"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    id: String,
    /// Its absence is named by the limits.
    #[serde(default)]
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
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

impl Raw<'_> {
    /// A fault of this part; without a place it is on the part's first line.
    fn fault(&self, span: Option<Range<usize>>, field: &str, why: &str) -> Fault {
        let line = span.map_or(self.line, |s| self.file.line(Some(s)));
        self.file.fault(line, &self.id, field, why)
    }
}

struct File<'a> {
    name: &'a str,
    /// Where its lines end, in bytes.
    ends: Vec<usize>,
    sources: BTreeMap<String, Source>,
}

impl<'a> File<'a> {
    fn new(name: &'a str, text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at).collect();
        Self { name, ends, sources: BTreeMap::new() }
    }
    fn line(&self, span: Option<Range<usize>>) -> usize {
        let start = span.map_or(0, |s| s.start);
        self.ends.partition_point(|end| *end < start) + 1
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
                Ok(read) => {
                    let wrong = rate_faults(name, text);
                    if wrong.is_empty() {
                        rates = read;
                    }
                    faults.extend(wrong);
                }
                Err(e) => faults.push(file_fault(name, text, &e)),
            }
            continue;
        }
        if is_model_list(name) || is_file(name, "aliases.toml") {
            continue; // read by import/model_list.rs and replay/names.rs
        }
        let (table, errors) = DeTable::parse_recoverable(text);
        faults.extend(errors.iter().map(|e| file_fault(name, text, e)));
        if errors.is_empty() {
            sources.push(File::new(name, text));
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
    let parts = assemble(&mut [File::new(name, text)], vec![table], &mut faults);
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
    let mut owns: BTreeMap<&str, Own> = raws.values().filter_map(|raw| Some((raw.id.as_str(), read_own(raw, faults)?))).collect();
    let clean: BTreeSet<&str> = owns.keys().copied().collect();
    raws.values().filter_map(|raw| build_part(raw, owns.remove(raw.id.as_str()), &raws, &clean, faults)).collect()
}

fn rate_faults(name: &str, text: &str) -> Vec<Fault> {
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let file = File::new(name, text);
    limits::check_rates(table.get_ref()).into_iter().map(|w| file.fault(file.line(w.span), "", &w.field, w.why)).collect()
}

/// Files of a folder `models` list models instead of parts.
pub fn is_model_list(name: &str) -> bool {
    name.rsplit(['/', '\\']).nth(1) == Some("models")
}

fn file_fault(name: &str, text: &str, error: &toml::de::Error) -> Fault {
    let file = File::new(name, text);
    file.fault(file.line(error.span()), "", "", shortened(error.message()))
}

/// A source with a fault stays known by its key, so that the parts that name it are not at fault too.
fn read_sources(file: &mut File<'_>, table: &mut DeTable<'_>, faults: &mut Vec<Fault>) {
    let Some((key, value)) = table.remove_entry("sources") else { return };
    let DeValue::Table(sources) = value.into_inner() else {
        faults.push(file.fault(file.line(Some(key.span())), "", "sources", "is no table. Write [sources.KEY] with a title"));
        return;
    };
    for (key, value) in sources {
        let (name, line) = (key.get_ref().to_string(), file.line(Some(key.span())));
        let mut source = None;
        if let DeValue::Table(table) = value.into_inner() {
            let dated = table.get("date").map(|d| (d.span(), d.get_ref().as_str().is_none_or(limits::is_date)));
            if let Some((span, false)) = dated {
                let why = "is no date. Write YYYY-MM-DD, YYYY-MM or YYYY";
                faults.push(file.fault(file.line(Some(span)), "", &format!("sources.{name}.date"), why));
            }
            source = decode(&table, &mut BTreeSet::new(), &mut |span, field, why| {
                let at = span.map_or(line, |s| file.line(Some(s)));
                faults.push(file.fault(at, "", &format!("sources.{name}.{field}"), why));
            });
        } else {
            faults.push(file.fault(line, "", &format!("sources.{name}"), "is no table. Write {title = \"…\", url = \"…\"}"));
        }
        file.sources.insert(name.clone(), source.unwrap_or(Source { title: name, url: None, date: None }));
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
            let DeValue::Table(table) = part.into_inner() else {
                faults.push(file.fault(line, "", kind, format!("holds something that is no part. Write [[{kind}]] and its fields below")));
                continue;
            };
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

/// What a part's own table says, free of faults.
struct Own {
    head: Head,
    kind: PartKind,
}

fn read_own(raw: &Raw<'_>, faults: &mut Vec<Fault>) -> Option<Own> {
    let before = faults.len();
    let mut named = BTreeSet::new();
    let mut report = |span: Option<Range<usize>>, field: &str, why: &str| faults.push(raw.fault(span, field, why));
    for wrong in limits::check_part(raw.kind, &raw.table, &|key| raw.file.sources.contains_key(key)) {
        report(wrong.span, &wrong.field, &wrong.why);
        named.insert(wrong.field);
    }
    let (mut head, mut facts) = (DeTable::new(), DeTable::new());
    for (key, value) in &raw.table {
        let into = if COMMON.contains(&key.get_ref().as_ref()) { &mut head } else { &mut facts };
        if key.get_ref() != "like" {
            into.insert(key.clone(), value.clone());
        } else if value.get_ref().as_str().is_none() {
            report(Some(value.span()), "like", "is no text. Name the part whose facts this one has");
        }
    }
    let mut head: Option<Head> = decode(&head, &mut named, &mut report);
    if let Some(head) = &mut head {
        spread(&raw.table, &mut head.from);
    }
    let kind = decode_kind(raw.kind, &facts, &mut named, &mut report);
    check_provenance(raw, faults);
    let own = Own { head: head?, kind: kind? };
    (faults.len() == before).then_some(own)
}

/// `own` is `None` for a part with faults; that of its `like` is named all the same.
fn build_part(
    raw: &Raw<'_>,
    own: Option<Own>,
    raws: &BTreeMap<String, Raw<'_>>,
    clean: &BTreeSet<&str>,
    faults: &mut Vec<Fault>,
) -> Option<Part> {
    let like = raw.table.get("like").map(toml::Spanned::span);
    let chain = match ancestors(raw, raws) {
        Ok(chain) => chain,
        Err(text) => {
            faults.push(raw.fault(like, "like", &text));
            return None;
        }
    };
    if let Some(broken) = chain.iter().skip(1).find(|a| !clean.contains(a.id.as_str())) {
        faults.push(raw.fault(like, "like", &format!("leads to {:?}, which has faults. Mend that part first", broken.id)));
        return None;
    }
    let Own { head, kind } = own?;
    let kind = if raw.like.is_some() { inherited(raw, &chain, faults)? } else { kind };
    if let PartKind::Board(board) = &kind {
        let wrong = topology::faults(board);
        for (field, why) in &wrong {
            faults.push(raw.fault(raw.table.get(*field).map(toml::Spanned::span), field, &format!("{why}. Correct the label")));
        }
        if !wrong.is_empty() {
            return None;
        }
    }
    let (mut from, mut sources) = (head.from, BTreeMap::new());
    keep_sources(raw.file, from.values().map(|p| &p.source), &mut sources);
    keep_sources(raw.file, head.prices.iter().map(|p| &p.source).chain(&head.life.source), &mut sources);
    inherit_provenance(&chain, &mut from, &mut sources);
    Some(Part {
        id: PartId::new(&head.id),
        name: head.name,
        aliases: head.aliases,
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

/// The facts of a part and, where it has none of its own, those of the parts that it is like.
fn inherited(raw: &Raw<'_>, chain: &[&Raw<'_>], faults: &mut Vec<Fault>) -> Option<PartKind> {
    let mut facts = DeTable::new();
    for (key, value) in chain.iter().flat_map(|r| &r.table) {
        if !COMMON.contains(&key.get_ref().as_ref()) && !facts.contains_key(key.get_ref().as_ref()) {
            facts.insert(key.clone(), value.clone());
        }
    }
    decode_kind(raw.kind, &facts, &mut BTreeSet::new(), &mut |_, field, why| faults.push(raw.fault(None, field, why)))
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
        let mut theirs = theirs;
        spread(&ancestor.table, &mut theirs);
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

/// The name in `from` that stands for every fact without an entry of its own.
pub(crate) const ALL_OTHERS: &str = "*";

/// Gives each fact of a table that has no origin of its own that of [`ALL_OTHERS`].
fn spread(table: &DeTable<'_>, from: &mut BTreeMap<String, Provenance>) {
    let Some(origin) = from.remove(ALL_OTHERS) else { return };
    for field in table.keys().map(toml::Spanned::get_ref).filter(|f| !COMMON.contains(&f.as_ref())) {
        from.entry(field.to_string()).or_insert_with(|| origin.clone());
    }
}

/// Each fact of the part's own table needs an origin, and each origin a fact.
fn check_provenance(raw: &Raw<'_>, faults: &mut Vec<Fault>) {
    let none = DeTable::new();
    let from = match raw.table.get("from").map(|f| f.get_ref().as_table()) {
        Some(Some(from)) => from,
        Some(None) => return, // not a table, which the reading has named
        None => &none,
    };
    let is_fact = |field: &str| !COMMON.contains(&field) && raw.table.contains_key(field);
    let told = |field: &str| from.contains_key(field) || from.contains_key(ALL_OTHERS);
    for field in raw.table.keys().filter(|k| is_fact(k.get_ref()) && !told(k.get_ref())) {
        let text = format!("has no source. Add {} = {{source, as_of, confidence}} to [{}.from]", field.get_ref(), raw.kind);
        faults.push(raw.fault(Some(field.span()), field.get_ref(), &text));
    }
    for field in from.keys().filter(|k| !is_fact(k.get_ref()) && k.get_ref() != ALL_OTHERS) {
        let text = "has a source but no value. Remove it from `from` or give the value";
        faults.push(raw.fault(Some(field.span()), &format!("from.{}", field.get_ref()), text));
    }
}

fn decode_kind(kind: &str, facts: &DeTable<'_>, named: &mut BTreeSet<String>, report: &mut Report<'_>) -> Option<PartKind> {
    Some(match kind {
        "gpu" => PartKind::Gpu(decode(facts, named, report)?),
        "cpu" => PartKind::Cpu(decode(facts, named, report)?),
        "board" => PartKind::Board(decode(facts, named, report)?),
        "ram" => PartKind::Ram(decode(facts, named, report)?),
        "drive" => PartKind::Drive(decode(facts, named, report)?),
        "psu" => PartKind::Psu(decode(facts, named, report)?),
        "cooler" => PartKind::Cooler(decode(facts, named, report)?),
        "fan" => PartKind::Fan(decode(facts, named, report)?),
        "case" => PartKind::Case(decode(facts, named, report)?),
        "nic" => PartKind::Nic(decode(facts, named, report)?),
        "riser" => PartKind::Riser(decode(facts, named, report)?),
        "carrier" => PartKind::Carrier(decode(facts, named, report)?),
        _ => PartKind::Bridge(decode(facts, named, report)?),
    })
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
