//! What the names in measured tables mean: an alias table of our own, and rules that only strip what says nothing. No guessing by
//! likeness: a name that fits two entries is ambiguous, one that fits none is unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::catalog::Catalog;
use crate::catalog::load::embedded_files;
use crate::catalog::model::ModelShape;
use crate::catalog::part::{Gpu, Part, PartId, PartKind};
use crate::catalog::precision::Precision;
use crate::catalog::vocab::GpuVendor;
use crate::workload::Engine;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    model: Vec<Alias>,
    #[serde(default)]
    card: Vec<Alias>,
    #[serde(default)]
    machine: Vec<Machine>,
    #[serde(default)]
    precision: Vec<Alias>,
    #[serde(default)]
    engine: Vec<EngineAlias>,
    #[serde(default)]
    unknown: Vec<Unknown>,
    #[serde(default)]
    reading: Vec<Reading>,
    #[serde(default)]
    fitted: Vec<Fitted>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Alias {
    is: String,
    names: Vec<String>,
    /// Why, where it is not plain.
    #[serde(default)]
    #[expect(dead_code, reason = "for the reader of the file")]
    why: Option<String>,
}

/// A card or machine that measurements name and the catalog lacks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    is: String,
    names: Vec<String>,
    #[serde(default)]
    vendor: Option<GpuVendor>,
    #[serde(default)]
    memory_gb: Option<f64>,
    #[serde(default)]
    memory_type: Option<String>,
    #[serde(default)]
    bandwidth_gb_s: Option<f64>,
    #[serde(default)]
    tensor_fp16_tflops: Option<f64>,
    #[serde(default)]
    fp32_tflops: Option<f64>,
    #[serde(default)]
    tdp_w: Option<f64>,
    #[serde(default)]
    compute_capability: Option<String>,
    #[expect(dead_code, reason = "for the reader of the file")]
    source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineAlias {
    is: String,
    /// The engine whose memory and speed it is taken to have; none = not modelled.
    #[serde(default)]
    like: Option<Engine>,
    names: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unknown {
    kind: String,
    names: Vec<String>,
    why: String,
}

/// How a source takes its measurements, where that is not what everybody does.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Part of the source's text.
    pub source: String,
    /// Part of the model's name; empty = all.
    #[serde(default)]
    pub model: String,
    /// Bytes of a "GB"; 2^30 where none is given, as tools print.
    #[serde(default)]
    pub gb: Option<f64>,
    /// Memory is read after the last token: intermediate results of the prompt are not in it.
    #[serde(default)]
    pub after_generation: bool,
    /// The engine computed logits for every token of the prompt, in 16 bit and again in FP32.
    #[serde(default)]
    pub all_logits: bool,
    /// The engine kept the cache of the last token beside that of the next: twice the bytes.
    #[serde(default)]
    pub cache_twice: bool,
    /// The engine had no flash attention yet.
    #[serde(default)]
    pub no_flash: bool,
    /// The card's own counter was read: context of driver and engine included.
    #[serde(default)]
    pub whole_card: bool,
    /// When the engine was built, where the text does not say it.
    #[serde(default)]
    pub year: Option<u16>,
    /// Generated tokens are divided by the time of prompt and answer.
    #[serde(default)]
    pub includes_prompt: bool,
    /// Set aside, and why.
    #[serde(default)]
    pub not_judged: Option<String>,
    #[expect(dead_code, reason = "for the reader of the file")]
    why: String,
}

/// Rows that a constant was chosen with: their errors say less.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fitted {
    source: String,
    metrics: Vec<String>,
}

/// Precision of the weights as a record states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stored {
    As(Precision),
    /// Bits a weight, of the layers.
    Bits(f64),
    /// A GGUF file whose size the notes give.
    FileSize,
}

/// An engine as a record names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// "llama.cpp", "vllm" …, as summaries group.
    pub name: String,
    pub like: Option<Engine>,
    /// What follows the name: choices.
    pub rest: String,
}

/// The alias table with the catalog's cards and the list of models.
#[derive(Debug)]
pub struct Names {
    models: BTreeMap<String, Vec<Arc<ModelShape>>>,
    absent: BTreeMap<String, String>,
    cards: BTreeMap<String, Vec<Arc<Part>>>,
    /// What the table says of whole names.
    named_cards: BTreeMap<String, Arc<Part>>,
    precisions: BTreeMap<String, String>,
    engines: Vec<(String, EngineAlias)>,
    unknown: BTreeMap<(String, String), String>,
    readings: Vec<Reading>,
    fitted: Vec<Fitted>,
}

/// Words after a model's name that do not change its shape.
const TAGS: &[&str] = &[
    "instruct",
    "chat",
    "it",
    "base",
    "hf",
    "gguf",
    "gguf2",
    "awq",
    "gptq",
    "int4",
    "int8",
    "fp8",
    "nvfp4",
    "mxfp4",
    "4bit",
    "8bit",
    "bf16",
    "f16",
    "fp16",
    "class",
    "ggml",
    "mtp",
    "qat",
    "dpo",
    "shape",
    "autoround",
    "exl2",
    "exl3",
    "marlin",
    "dynamic",
    "w4a16",
    "w8a8",
    "unsloth",
    "bnb",
];

/// Words of a card's name that tell nothing: makers and their brands.
const MAKERS: &[&str] =
    &["nvidia", "amd", "intel", "geforce", "radeon", "instinct", "graphics", "quadro", "tesla", "card", "gpu", "generation"];

/// Lower case words and numbers; a number before a lone "b" or "gb" takes it along: `7 B` is `7b`.
fn words(text: &str) -> Vec<String> {
    let plain = text.to_lowercase();
    let mut out: Vec<String> = Vec::new();
    for word in plain.split(|c: char| !(c.is_alphanumeric() || c == '.')) {
        let word = word.trim_matches('.');
        if word.is_empty() {
            continue;
        }
        let is_number = |w: &String| w.chars().all(|c| c.is_ascii_digit() || c == '.');
        match out.last_mut() {
            Some(last) if matches!(word, "b" | "gb" | "gib") && is_number(last) => last.push_str(if word == "b" { "b" } else { "gb" }),
            _ => out.push(word.to_owned()),
        }
    }
    out
}

fn key(text: &str) -> String {
    words(text).join("-")
}

/// The name without what stands in parentheses at its end.
fn bare(text: &str) -> &str {
    text.split(" (").next().unwrap_or(text).trim()
}

/// Ways to write a model's name, from the exact one to the barest.
fn model_keys(name: &str) -> Vec<String> {
    let mut keys = vec![key(name)];
    let short = bare(name).rsplit('/').next().unwrap_or(name);
    let short = short.strip_suffix(".gguf").unwrap_or(short);
    let mut parts = words(short);
    keys.push(parts.join("-"));
    // Formats first: `Llama-3.2-1B-Instruct-Q4_0` has one at its end.
    while let Some(last) = parts.last() {
        let format = |n: usize| parts.len() > n && Precision::parse(&parts.get(parts.len() - n..).unwrap_or_default().join("_")).is_some();
        let cut = match (1..=3).rev().find(|&n| format(n)) {
            Some(n) => n,
            None if TAGS.contains(&last.as_str()) && parts.len() > 1 => 1,
            None => break,
        };
        parts.truncate(parts.len() - cut);
        keys.push(parts.join("-"));
    }
    keys.dedup();
    keys
}

/// Name and memory size of a card: "RTX 3060 12GB" is (`rtx-3060`, 12).
fn card_key(text: &str) -> (String, Option<f64>) {
    let mut memory = None;
    let mut kept = Vec::new();
    for word in words(text) {
        match word.strip_suffix("gb").and_then(|n| n.parse::<f64>().ok()) {
            Some(gb) => memory = Some(gb),
            None if MAKERS.contains(&word.as_str()) => {}
            None => kept.push(word),
        }
    }
    (kept.join("-"), memory)
}

fn names_no_size(part: &Part) -> bool {
    if let PartKind::Gpu(gpu) = &part.kind { gpu.product.as_deref().is_some_and(|p| card_key(p).1.is_none()) } else { false }
}

fn memory(part: &Part) -> Option<f64> {
    if let PartKind::Gpu(gpu) = &part.kind { gpu.memory_gb } else { None }
}

impl Names {
    /// Names of the shipped alias table, the catalog and the models.
    ///
    /// # Errors
    /// Says where the alias table is wrong.
    pub fn new(catalog: &Catalog, models: &[Arc<ModelShape>]) -> Result<Self, String> {
        let text = embedded_files("aliases.toml").into_iter().next().map(|f| f.1).ok_or("The program lacks its alias table.")?;
        Self::with(&text, catalog, models)
    }

    /// # Errors
    /// Says where the alias table is wrong.
    pub fn with(aliases_toml: &str, catalog: &Catalog, models: &[Arc<ModelShape>]) -> Result<Self, String> {
        let file: File = toml::from_str(aliases_toml).map_err(|e| format!("aliases.toml: {e}"))?;
        let mut names = Self {
            models: BTreeMap::new(),
            absent: BTreeMap::new(),
            cards: BTreeMap::new(),
            named_cards: BTreeMap::new(),
            precisions: BTreeMap::new(),
            engines: Vec::new(),
            unknown: BTreeMap::new(),
            readings: file.reading,
            fitted: file.fitted,
        };
        for model in models {
            for key in model_keys(&model.name) {
                let known = names.models.entry(key).or_default();
                if !known.iter().any(|m| m.name == model.name) {
                    known.push(model.clone());
                }
            }
        }
        for alias in file.model {
            let found = models.iter().find(|m| m.name == alias.is);
            for name in alias.names {
                match found {
                    // What the table says counts more than what the rules find.
                    Some(model) => _ = names.models.insert(key(&name), vec![model.clone()]),
                    None => _ = names.absent.insert(key(&name), alias.is.clone()),
                }
            }
        }
        names.add_cards(catalog, file.card, file.machine);
        for alias in file.precision {
            names.precisions.extend(alias.names.into_iter().map(|n| (key(&n), alias.is.clone())));
        }
        for alias in file.engine {
            names.engines.extend(alias.names.clone().into_iter().map(|n| (n.to_lowercase(), alias.clone())));
        }
        // The longest name first: "llama.cpp" before "llama".
        names.engines.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
        for one in file.unknown {
            names.unknown.extend(one.names.into_iter().map(|n| ((one.kind.clone(), key(&n)), one.why.clone())));
        }
        Ok(names)
    }

    fn add_cards(&mut self, catalog: &Catalog, aliases: Vec<Alias>, machines: Vec<Machine>) {
        let mut products: BTreeMap<String, Arc<Part>> = BTreeMap::new();
        for part in catalog.parts() {
            let PartKind::Gpu(gpu) = &part.kind else { continue };
            if let Some(product) = &gpu.product {
                products.entry(product.clone()).or_insert_with(|| Arc::new(part.clone()));
            }
        }
        let mut insert = |key: String, part: &Arc<Part>| {
            let known = self.cards.entry(key).or_default();
            if !known.iter().any(|p| p.id == part.id) {
                known.push(part.clone());
            }
        };
        for (product, part) in &products {
            insert(key(product), part);
            insert(card_key(product).0, part);
        }
        for machine in machines {
            let gpu = Gpu {
                vendor: machine.vendor,
                product: Some(machine.is.clone()),
                memory_gb: machine.memory_gb,
                memory_type: machine.memory_type,
                bandwidth_gb_s: machine.bandwidth_gb_s,
                tensor_fp16_tflops: machine.tensor_fp16_tflops,
                fp32_tflops: machine.fp32_tflops,
                tdp_w: machine.tdp_w,
                compute_capability: machine.compute_capability,
                ..Gpu::default()
            };
            let part = Arc::new(Part::bare(PartId::new(&format!("measured.{}", key(&machine.is))), &machine.is, PartKind::Gpu(gpu)));
            self.named_cards.extend(machine.names.iter().chain([&machine.is]).map(|n| (key(n), part.clone())));
        }
        for alias in aliases {
            let Some(part) = products.get(&alias.is) else { continue };
            self.named_cards.extend(alias.names.into_iter().map(|n| (key(&n), part.clone())));
        }
    }

    fn unknown(&self, kind: &str, name: &str) -> Option<String> {
        self.unknown.get(&(kind.to_owned(), key(name))).cloned()
    }

    /// # Errors
    /// Says why the name means no model or more than one.
    pub fn model(&self, name: &str) -> Result<Arc<ModelShape>, String> {
        if name.trim().is_empty() {
            return Err("the row names no model".to_owned());
        }
        if let Some(why) = self.unknown("model", name) {
            return Err(format!("model {name}: {why}"));
        }
        for key in model_keys(name) {
            match self.models.get(&key).map(Vec::as_slice) {
                Some([one]) => return Ok(one.clone()),
                Some([]) | None => {}
                Some(many) => {
                    let list: Vec<&str> = many.iter().map(|m| m.name.as_str()).collect();
                    return Err(format!("model {name} is ambiguous: {}", list.join(", ")));
                }
            }
            if let Some(shape) = self.absent.get(&key) {
                return Err(format!("model {name}: its shape {shape} is not in the list"));
            }
        }
        Err(format!("no model is known by the name {name}"))
    }

    /// The cards a record names, `count` of them where it names one kind.
    ///
    /// # Errors
    /// Says why the name means no card or more than one.
    pub fn cards(&self, name: &str, count: Option<u64>) -> Result<Vec<Arc<Part>>, String> {
        let (stated, name) = if self.named_cards.contains_key(&key(name)) { (None, name) } else { counted(name) };
        if name.contains(" + ") && !self.named_cards.contains_key(&key(name)) {
            return name.split(" + ").map(|one| self.card(one)).collect();
        }
        let one = self.card(name)?;
        let count = count.or(stated).unwrap_or(1).clamp(1, 4096);
        Ok((0..count).map(|_| one.clone()).collect())
    }

    fn card(&self, name: &str) -> Result<Arc<Part>, String> {
        if name.trim().is_empty() {
            return Err("the row names no card".to_owned());
        }
        if let Some(why) = self.unknown("gpu", name) {
            return Err(format!("card {name}: {why}"));
        }
        if let Some(part) = self.named_cards.get(&key(name)) {
            return Ok(part.clone());
        }
        let (bare_key, gb) = card_key(name);
        let (short_key, short_gb) = card_key(bare(name));
        for (key, gb) in [(key(name), None), (bare_key, gb), (short_key, short_gb)] {
            let Some(found) = self.cards.get(&key) else { continue };
            let fitting: Vec<&Arc<Part>> =
                found.iter().filter(|p| gb.is_none_or(|gb| memory(p).is_none_or(|m| (m - gb).abs() < 0.51))).collect();
            match fitting.as_slice() {
                [] => return Err(format!("card {name}: no such memory size is known")),
                [one] => return Ok((*one).clone()),
                many => {
                    // Both sizes of a card share its words; without a size the one named without one is meant.
                    let plain: Vec<&&Arc<Part>> = many.iter().filter(|p| gb.is_none() && names_no_size(p)).collect();
                    if let [one] = plain.as_slice() {
                        return Ok((**one).clone());
                    }
                    let list: Vec<&str> = many.iter().map(|p| p.short_name()).collect();
                    return Err(format!("card {name} is ambiguous: {}", list.join(", ")));
                }
            }
        }
        Err(format!("no card is known by the name {name}"))
    }

    /// Any card, for what does not depend on it.
    pub fn any_card(&self) -> Option<Arc<Part>> {
        self.cards.values().flatten().find(|p| memory(p).is_some()).cloned()
    }

    /// # Errors
    /// Says why the text names no precision.
    pub fn precision(&self, text: &str, engine: Option<Engine>) -> Result<Stored, String> {
        if text.trim().is_empty() {
            return Err("the row states no precision".to_owned());
        }
        if let Some(why) = self.unknown("precision", text) {
            return Err(format!("precision {text}: {why}"));
        }
        let known = self.precisions.get(&key(text)).map_or(text, String::as_str);
        let lower = known.to_lowercase();
        let llama = engine == Some(Engine::LlamaCpp);
        match lower.as_str() {
            "file size" => return Ok(Stored::FileSize),
            "int8" if llama => return Ok(Stored::As(Precision::Q8_0)),
            "int4" if llama => return Ok(Stored::As(Precision::Q4_0)),
            "int4" if engine == Some(Engine::Transformers) => return Ok(Stored::As(Precision::Nf4)),
            _ => {}
        }
        if let Some(precision) = Precision::parse(known) {
            return Ok(Stored::As(precision));
        }
        let bpw = lower.replace("bpw", " bpw");
        let before = bpw.split(" bpw").next().and_then(|t| t.rsplit([' ', '~']).find(|w| !w.is_empty()));
        match before.and_then(|n| n.parse::<f64>().ok()).filter(|b| (1.0..=16.0).contains(b) && lower.contains("bpw")) {
            Some(_) if text.contains('~') => Err(format!("precision {text}: the bits a weight are given roughly")),
            Some(bits) => Ok(Stored::Bits(bits)),
            None => Err(format!("no such precision: {text}")),
        }
    }

    /// # Errors
    /// If the text begins with no known engine.
    pub fn engine(&self, text: &str) -> Result<Named, String> {
        if text.trim().is_empty() {
            return Err("the row names no engine".to_owned());
        }
        if let Some(why) = self.unknown("engine", text) {
            return Err(format!("engine {text}: {why}"));
        }
        let lower = text.trim().to_lowercase();
        let ends = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        let found = self.engines.iter().find_map(|(name, alias)| {
            let rest = lower.strip_prefix(name.as_str())?;
            ends(rest).then(|| Named { name: alias.is.clone(), like: alias.like, rest: rest.trim().to_owned() })
        });
        found.ok_or_else(|| format!("no engine is known by the name {text}"))
    }

    /// How a source measures; the plain way where nothing is known.
    pub fn reading(&self, source: &str, model: &str) -> Reading {
        let (source, model) = (source.to_lowercase(), model.to_lowercase());
        let fits =
            |r: &&Reading| source.contains(&r.source.to_lowercase()) && (r.model.is_empty() || model.starts_with(&r.model.to_lowercase()));
        // The one that says more about the model wins.
        self.readings.iter().filter(fits).max_by_key(|r| r.model.len()).cloned().unwrap_or_default()
    }

    /// Whether a constant was chosen with such rows in view.
    pub fn is_fitted(&self, source: &str, metric: &str) -> bool {
        let source = source.to_lowercase();
        self.fitted.iter().any(|f| source.contains(&f.source.to_lowercase()) && f.metrics.iter().any(|m| metric.starts_with(m.as_str())))
    }
}

/// A count before the name: "4x RTX 3090".
fn counted(name: &str) -> (Option<u64>, &str) {
    let name = name.trim();
    let Some((count, rest)) = name.split_once(['x', '×']) else { return (None, name) };
    match count.trim().parse::<u64>() {
        Ok(n) if (1..=4096).contains(&n) && rest.starts_with(' ') => (Some(n), rest.trim()),
        _ => (None, name),
    }
}
