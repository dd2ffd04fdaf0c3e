//! BuildCores OpenDB: a folder or zip archive of the user's own copy becomes parts of the user's catalog.
//!
//! The data set (ODC-By 1.0) has one JSON file a part. Its values are taken by rules that its known faults ask for (`docs/import.md`): 0 is
//! unknown, a connector's length is not its wired width, PCIe generations are capped by socket, and so on. What was set aside, replaced or
//! doubted is reported value by value; what the program does not read is kept beside the parts.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::catalog::Catalog;
use crate::catalog::load::kind_table;
use crate::catalog::part::{Part, PartId, PartKind, Provenance, Source as Origin};
use crate::catalog::vocab::Confidence;
use crate::files::FileError;

mod boards;
mod cards;
mod known;
pub mod product;
mod record;
mod rest;
mod source;
mod words;
pub mod write;

use known::{Known, Taken};
pub use record::{Change, Rule};
use record::{Record, clean};

/// What the licence asks of everybody who shows contents of the data set.
pub const NOTICE: &str = "Contains information from BuildCores OpenDB (https://github.com/buildcores/buildcores-open-db) which is made \
     available under the ODC Attribution License (https://opendatacommons.org/licenses/by/1-0/).";

/// Why nothing could be imported. Every message names the file and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenDbError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path}: {what}. Choose the data set's folder, or a zip archive of it.")]
    Archive { path: String, what: String },
    #[error(
        "{path}: holds no record of BuildCores OpenDB. Choose the folder that has GPU, PSU, Motherboard and so on in it, or a zip archive of it.{why}"
    )]
    Nothing { path: String, why: String },
    #[error("The records have more than {limit} bytes, five times what the data set has. Choose a smaller copy.")]
    TooMuch { limit: u64 },
    #[error("The import was cancelled; nothing was changed.")]
    Cancelled,
}

/// How far an import is, and the wish to end it; shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
    cancelled: AtomicBool,
}

impl Progress {
    /// Records read, and records in all; 0 of 0 while files are being listed.
    pub fn now(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it stands.
    Taken,
    /// With values set aside, replaced or doubted.
    Corrected,
    /// Not at all.
    LeftOut,
}

/// One record and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Path inside the data set.
    pub file: String,
    /// Name of its folder: "GPU".
    pub category: String,
    pub name: String,
    /// The part made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<PartId>,
    pub verdict: Verdict,
    /// Why it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub changes: Vec<Change>,
    /// Facts that the record could have told and does not.
    pub unknown: Vec<String>,
}

/// A part with what the program does not read of its record.
#[derive(Clone, Debug)]
pub struct Imported {
    pub part: Part,
    /// Keys of the record that are kept for later, prices and shop numbers left out.
    pub kept: Map<String, Value>,
}

/// A whole import.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// In order of ids.
    pub parts: Vec<Imported>,
    pub outcomes: Vec<Outcome>,
    /// Files of categories that the program has no part for, by category.
    pub other: BTreeMap<String, usize>,
}

/// Folder, kind of part, keys whose values are read whole, and the facts that such records can tell.
const CATEGORIES: [(&str, &str, &[&str], &[&str]); 10] = [
    (
        "GPU",
        "gpu",
        &[
            "chipset_manufacturer",
            "chipset",
            "memory",
            "memory_type",
            "memory_bus",
            "tdp",
            "interface",
            "length",
            "total_slot_width",
            "cooling",
        ],
        &[
            "product",
            "memory_gb",
            "memory_type",
            "memory_bus_bits",
            "tdp_w",
            "length_mm",
            "slots",
            "cooler",
            "plugs",
            "pcie_gen",
            "pcie_lanes",
        ],
    ),
    (
        "PSU",
        "psu",
        &["wattage", "form_factor", "efficiency_rating", "modular", "length"],
        &["watts", "form", "efficiency", "modular", "length_mm", "plugs"],
    ),
    (
        "PCCase",
        "case",
        &["max_video_card_length", "max_cpu_cooler_height", "max_psu_length", "expansion_slots", "internal_3_5_bays", "internal_2_5_bays"],
        &[
            "kind",
            "depth_mm",
            "width_mm",
            "height_mm",
            "board_forms",
            "psu_forms",
            "expansion_slots",
            "max_gpu_length_mm",
            "max_cooler_height_mm",
            "max_psu_length_mm",
            "bays_35",
            "bays_25",
        ],
    ),
    (
        "Motherboard",
        "board",
        &["socket", "chipset", "memory", "pcie_slots", "m2_slots"],
        &[
            "socket",
            "chipset",
            "form_factor",
            "memory_type",
            "dimm_slots",
            "memory_max_gb",
            "ecc",
            "sata_ports",
            "eps_plugs",
            "lan",
            "connectors",
        ],
    ),
    (
        "CPU",
        "cpu",
        &["socket"],
        &[
            "socket",
            "cores",
            "threads",
            "base_ghz",
            "boost_ghz",
            "tdp_w",
            "max_turbo_w",
            "memory_types",
            "memory_channels",
            "memory_max_gb",
            "ecc",
            "graphics",
        ],
    ),
    (
        "RAM",
        "ram",
        &["speed", "ram_type", "modules", "capacity", "cas_latency", "voltage", "ecc", "registered", "height"],
        &["memory_type", "module_type", "speed_mt_s", "cas", "modules", "gb_per_module", "ecc", "height_mm", "voltage_v"],
    ),
    (
        "Storage",
        "drive",
        &["capacity", "form_factor", "interface", "nvme", "storage_type", "type"],
        &["capacity_gb", "form", "bus", "pcie_gen", "pcie_lanes", "rotating"],
    ),
    ("CPUCooler", "cooler", &["height", "water_cooled", "radiator_size"], &["kind", "height_mm", "radiator_mm", "sockets"]),
    ("CaseFan", "fan", &["size", "static_pressure", "quantity"], &["size_mm", "airflow_m3_h", "pressure_pa", "noise_dba"]),
    ("NetworkCard", "nic", &[], &["speed_gbit_s", "ports", "media", "pcie_gen", "pcie_lanes", "power_w"]),
];

/// Folders of the data set whose things have no place in a rig.
const OTHER: [&str; 20] = [
    "ThermalCompound",
    "OS",
    "PrebuiltDesktop",
    "Laptop",
    "SoundCard",
    "CaptureCard",
    "Accessory",
    "Lighting",
    "Stand",
    "VRHeadset",
    "Monitor",
    "Keyboard",
    "Mouse",
    "Headphones",
    "Speaker",
    "Webcam",
    "Microphone",
    "Mousepad",
    "Chair",
    "Desk",
];

/// Keys that are dropped: shop numbers and offers, which the licence's limits and their errors speak against keeping.
const DROPPED: [&str; 2] = ["retailer_listings", "prices"];

/// Reads the user's copy, as of `day` (`YYYY-MM-DD`). `catalog` is the program's own, whose products complete the records.
///
/// # Errors
/// If nothing can be read, or the import was cancelled. Single records with faults are left out and named.
pub fn import(path: &Path, catalog: &Catalog, day: &str, progress: &Progress) -> Result<Import, OpenDbError> {
    let (mut source, items) = source::open(path)?;
    let known = Known::of(catalog);
    let mut made = Import::default();
    let wanted = |category: &str| CATEGORIES.iter().find(|c| c.0 == category);
    let total = items.iter().filter(|i| wanted(&i.category).is_some()).count();
    progress.total.store(total, Ordering::Relaxed);
    for item in &items {
        if progress.is_cancelled() {
            return Err(OpenDbError::Cancelled);
        }
        let Some((category, kind, keys, facts)) = wanted(&item.category) else {
            if OTHER.contains(&item.category.as_str()) {
                *made.other.entry(item.category.clone()).or_default() += 1;
            }
            continue;
        };
        let read = source.read(item)?.and_then(|bytes| parse(&bytes));
        let about = Category { kind, keys, facts };
        match read.and_then(|json| about.part(&item.stem, &json, &known, day)) {
            Ok(Made { imported, changes, unknown }) => {
                let verdict = if changes.is_empty() { Verdict::Taken } else { Verdict::Corrected };
                let (name, part) = (imported.part.name.clone(), Some(imported.part.id.clone()));
                let category = (*category).to_owned();
                made.outcomes.push(Outcome { file: item.name.clone(), category, name, part, verdict, why: None, changes, unknown });
                made.parts.push(imported);
            }
            Err(why) => made.outcomes.push(left_out(item, why)),
        }
        progress.done.fetch_add(1, Ordering::Relaxed);
    }
    if made.parts.is_empty() {
        let first = made.outcomes.first().and_then(|o| Some(format!(" {}: {}.", o.file, o.why.as_ref()?)));
        return Err(OpenDbError::Nothing { path: path.display().to_string(), why: first.unwrap_or_default() });
    }
    leave_out_doubles(&mut made);
    made.parts.sort_by(|a, b| a.part.id.cmp(&b.part.id));
    Ok(made)
}

fn left_out(item: &source::Item, why: String) -> Outcome {
    Outcome {
        file: item.name.clone(),
        category: item.category.clone(),
        name: String::new(),
        part: None,
        verdict: Verdict::LeftOut,
        why: Some(why),
        changes: Vec::new(),
        unknown: Vec::new(),
    }
}

/// A record's object. The reader ends at 128 levels.
fn parse(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("is no JSON object".to_owned()),
        Err(e) => Err(format!("is no readable JSON ({e})")),
    }
}

struct Category {
    kind: &'static str,
    keys: &'static [&'static str],
    facts: &'static [&'static str],
}

struct Made {
    imported: Imported,
    changes: Vec<Change>,
    unknown: Vec<String>,
}

/// Longest part number, in characters; longer ones are several run together.
const MOST_NUMBER: usize = 60;
/// Part numbers of one record that are kept.
const MOST_NUMBERS: usize = 12;

impl Category {
    fn part(&self, stem: &str, json: &Map<String, Value>, known: &Known<'_>, day: &str) -> Result<Made, String> {
        let meta = json.get("metadata");
        let word = |key: &str| meta.and_then(|m| m.get(key)).and_then(Value::as_str).map(clean).filter(|t| !t.is_empty());
        let name = word("name").ok_or("has no name")?;
        let maker = word("manufacturer");
        let id = json.get("opendb_id").and_then(Value::as_str).unwrap_or(stem).to_lowercase();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.is_empty() || id.len() > 64 || !id.chars().all(plain) {
            return Err("has no id of the data set".to_owned());
        }
        let mut record = Record::new(self.kind, json, full_name(&name, maker.as_deref()));
        let (kind, taken) = self.facts_of(&mut record, known);
        let mut numbers = part_numbers(meta);
        let as_of = word("last_manually_spec_verified_at").and_then(|t| t.get(..10).map(str::to_owned));
        let as_of = as_of.filter(|d| crate::catalog::load::limits::is_date(d)).unwrap_or_else(|| day.to_owned());
        let mut part = Part::bare(PartId::new(&format!("{}.opendb.{id}", self.kind)), &record.name, kind);
        part.maker = maker;
        part.part_number = if numbers.is_empty() { None } else { Some(numbers.remove(0)) };
        part.aliases = numbers;
        part.notes = notes(self.kind, &record);
        self.origins(&mut part, &record.changes, taken, &as_of, day);
        let unknown = self.facts.iter().filter(|f| !part.from.contains_key(**f)).map(|f| (*f).to_owned()).collect();
        Ok(Made { imported: Imported { part, kept: self.kept(json) }, changes: record.changes, unknown })
    }

    fn facts_of(&self, r: &mut Record<'_>, known: &Known<'_>) -> (PartKind, Taken) {
        let mut taken = Taken::default();
        let kind = match self.kind {
            "gpu" => {
                let mut gpu = cards::gpu(r, known);
                let model = gpu.product.as_deref().and_then(|p| known.gpu(p, gpu.memory_gb));
                if let Some((part, theirs)) = model {
                    // One name for one product, so that measurements of it are found.
                    gpu.product.clone_from(&theirs.product);
                    taken = known::complete_gpu(&mut gpu, part, theirs);
                }
                PartKind::Gpu(gpu)
            }
            "psu" => PartKind::Psu(rest::psu(r)),
            "case" => PartKind::Case(rest::case(r)),
            "board" => PartKind::Board(boards::board(r)),
            "cpu" => {
                let mut cpu = boards::cpu(r);
                if let Some(part) = known.cpu(&r.name) {
                    taken = known::complete_cpu(&mut cpu, part);
                }
                PartKind::Cpu(cpu)
            }
            "ram" => PartKind::Ram(boards::ram(r)),
            "drive" => PartKind::Drive(rest::drive(r)),
            "cooler" => PartKind::Cooler(boards::cooler(r)),
            "fan" => PartKind::Fan(boards::fan(r)),
            _ => PartKind::Nic(cards::nic(r)),
        };
        (kind, taken)
    }

    /// Says of each fact where it is from: the record, a rule of the import, or the catalog.
    fn origins(&self, part: &mut Part, changes: &[Change], taken: Taken, as_of: &str, day: &str) {
        let table = kind_table(&part.kind).unwrap_or_default();
        let empty = |v: &toml::Value| v.as_array().is_some_and(Vec::is_empty) && self.kind == "board";
        for (field, _) in table.iter().filter(|(f, v)| !taken.from.contains_key(*f) && !empty(v)) {
            let change = changes.iter().find(|c| c.now.is_some() && c.field == *field);
            let (key, confidence) = match change {
                Some(change) => (format!("opendb-{}", change.rule.key()), Confidence::Judgement),
                None => ("opendb".to_owned(), Confidence::Database),
            };
            let title = match change {
                Some(change) => format!("BuildCores OpenDB, corrected on import: {}", change.rule.text()),
                None => "BuildCores OpenDB".to_owned(),
            };
            let url = Some("https://github.com/buildcores/buildcores-open-db".to_owned());
            part.sources.entry(key.clone()).or_insert(Origin { title, url, date: Some(day.to_owned()) });
            part.from.insert(field.clone(), Provenance { source: key, as_of: as_of.to_owned(), confidence });
        }
        part.from.extend(taken.from);
        part.sources.extend(taken.sources);
    }

    fn kept(&self, json: &Map<String, Value>) -> Map<String, Value> {
        let mut kept = Map::new();
        for (key, value) in json {
            if self.keys.contains(&key.as_str()) || DROPPED.contains(&key.as_str()) || key == "opendb_id" || is_empty(value) {
                continue;
            }
            let mut value = value.clone();
            if let Some(inner) = value.as_object_mut() {
                inner.retain(|k, v| !k.ends_with("_sku") && !v.is_null());
                if key == "metadata" {
                    inner.retain(|k, _| !matches!(k.as_str(), "name" | "manufacturer" | "part_numbers"));
                }
            }
            if !is_empty(&value) {
                kept.insert(key.clone(), value);
            }
        }
        kept
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// The name with its maker in front, spelled as the maker is.
fn full_name(name: &str, maker: Option<&str>) -> String {
    let Some(maker) = maker else { return name.to_owned() };
    match name.get(..maker.len()) {
        Some(start) if start.to_lowercase() == maker.to_lowercase() => format!("{maker}{}", name.get(maker.len()..).unwrap_or_default()),
        _ => format!("{maker} {name}"),
    }
}

/// Part numbers, each once; some hold several with runs of blanks between.
fn part_numbers(meta: Option<&Value>) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    let list = meta.and_then(|m| m.get("part_numbers")).and_then(Value::as_array);
    for text in list.into_iter().flatten().filter_map(Value::as_str) {
        for number in text.split("  ").map(clean).filter(|n| !n.is_empty() && n.chars().count() <= MOST_NUMBER) {
            if numbers.len() < MOST_NUMBERS && !numbers.iter().any(|n| n.eq_ignore_ascii_case(&number)) {
                numbers.push(number);
            }
        }
    }
    numbers
}

fn notes(kind: &str, record: &Record<'_>) -> Option<String> {
    let pack = record.raw(&["quantity"]).filter(|n| kind == "fan" && *n > 1.0)?;
    Some(format!("Sold in packs of {pack}."))
}

/// One of several records of the same part is kept: of equal name, and with a part number in common or none at all. The one a person
/// checked wins, then the one that tells most.
fn leave_out_doubles(made: &mut Import) {
    let mut first: HashMap<(usize, String), Vec<usize>> = HashMap::new();
    let mut doubles: BTreeMap<PartId, PartId> = BTreeMap::new();
    let numbers = |part: &Part| -> Vec<String> { part.part_number.iter().chain(&part.aliases).map(|n| n.to_lowercase()).collect() };
    let same = |a: &Part, b: &Part| {
        let (a, b) = (numbers(a), numbers(b));
        a.is_empty() || b.is_empty() || a.iter().any(|n| b.contains(n))
    };
    let worth =
        |i: &Imported| (i.kept.get("metadata").is_some_and(|m| m.get("last_manually_spec_verified_at").is_some()), i.part.from.len());
    for (at, new) in made.parts.iter().enumerate() {
        let others = first.entry((new.part.kind.index(), new.part.name.to_lowercase())).or_default();
        let known = others.iter_mut().find(|n| made.parts.get(**n).is_some_and(|old| same(&old.part, &new.part)));
        match known {
            Some(old_at) => {
                let Some(old) = made.parts.get(*old_at) else { continue };
                let (lose, keep) = if worth(new) > worth(old) { (old, new) } else { (new, old) };
                doubles.insert(lose.part.id.clone(), keep.part.id.clone());
                if lose.part.id == old.part.id {
                    *old_at = at;
                }
            }
            None => others.push(at),
        }
    }
    made.parts.retain(|i| !doubles.contains_key(&i.part.id));
    for outcome in &mut made.outcomes {
        let kept = outcome.part.as_ref().and_then(|id| doubles.get(id));
        if let Some(kept) = kept {
            outcome.why = Some(format!("is a second record of {kept}"));
            (outcome.verdict, outcome.part) = (Verdict::LeftOut, None);
        }
    }
}
