//! Reads the header of GGUF files, versions 2 and 3 in either byte order, also split ones: exact bytes of every tensor, and the architecture
//! from the keys. The data are never read.

mod bytes;
mod classes;
mod header;
mod layers;

use std::io::{Read, Seek};

use super::table::Table;
use super::{ImportError, short};
use crate::catalog::model::{ExactWeights, Experts, ModelShape, TensorClass as T, Tensors, WeightsFormat};
use crate::catalog::precision::ggml::file_type;
use header::{Header, Tensor, Value};
use layers::Keys;

/// Parameters, or bytes: as many as rig files may hold.
const MOST: u64 = 1 << 50;
const MOST_ROWS: u64 = 1 << 24;

/// Name and length of the other parts of a split file.
pub trait Parts {
    /// Opens the part of this name beside the file, with its length in bytes.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    fn open(&mut self, name: &str) -> Result<(Box<dyn ReadSeek>, u64), ImportError>;
}

/// What a part is read through.
pub trait ReadSeek: Read + Seek {}
impl<R: Read + Seek> ReadSeek for R {}

/// No other parts.
#[derive(Debug)]
pub struct Alone;

impl Parts for Alone {
    fn open(&mut self, name: &str) -> Result<(Box<dyn ReadSeek>, u64), ImportError> {
        Err(ImportError::unsupported(name, "is a part of a split model", "Open the model by its path, with all parts in one folder"))
    }
}

/// Reads the header of a GGUF file of `length` bytes. `file` is its path: for messages, as source, and for the names of other parts.
///
/// # Errors
/// If the file is broken, cut short, of another format, or of an architecture whose keys do not suffice.
pub fn read(reader: impl Read + Seek, length: u64, file: &str, parts: &mut dyn Parts) -> Result<ModelShape, ImportError> {
    let opened = header::read(reader, length, file)?;
    let count = opened.number("split.count").unwrap_or(0);
    if count < 2 {
        return shape(&opened, &[], length, file);
    }
    let (name, n, of) = split_name(file).ok_or_else(|| {
        let what = format!("is one of {count} parts, but not named as such");
        ImportError::unsupported(file, what, "Give it its name back, such as model-00001-of-00003.gguf")
    })?;
    if of != count || count > 9999 || opened.number("split.no").is_some_and(|no| no + 1 != n) {
        return Err(ImportError::broken(file, format!("is part {n} of {of} by its name, and says otherwise inside")));
    }
    let mut bytes = length;
    let mut headers = Vec::new();
    for part in (1..=count).filter(|part| *part != n) {
        let path = format!("{name}-{part:05}-of-{count:05}.gguf");
        let (reader, length) = parts.open(&path)?;
        let header = header::read(reader, length, &path)?;
        if header.number("split.no") != Some(part - 1) || header.number("split.count") != Some(count) {
            return Err(ImportError::broken(&path, format!("is not part {part} of {count} inside")));
        }
        bytes = bytes.checked_add(length).ok_or_else(|| ImportError::too_large(file, "has parts beyond 64 bits"))?;
        headers.push(header);
    }
    headers.insert(usize::try_from(n - 1).unwrap_or(0).min(headers.len()), opened);
    let (first, rest) = headers.split_first().ok_or_else(|| ImportError::broken(file, "has no first part"))?;
    let found: usize = headers.iter().map(|h| h.tensors.len()).sum();
    if let Some(claimed) = first.number("split.tensors.count")
        && claimed != found as u64
    {
        return Err(ImportError::broken(file, format!("has {found} tensors in its {count} parts, and claims {claimed}")));
    }
    shape(first, rest, bytes, file)
}

/// `dir/model-00002-of-00003.gguf` is `("dir/model", 2, 3)`.
fn split_name(file: &str) -> Option<(&str, u64, u64)> {
    let stem = file.strip_suffix(".gguf")?;
    let (rest, of) = stem.rsplit_once("-of-")?;
    let (name, n) = rest.rsplit_once('-')?;
    let number = |text: &str| (text.len() == 5).then(|| text.parse::<u64>().ok()).flatten();
    let (n, of) = (number(n)?, number(of)?);
    (n >= 1 && n <= of).then_some((name, n, of))
}

fn shape(first: &Header, rest: &[Header], file_bytes: u64, file: &str) -> Result<ModelShape, ImportError> {
    let arch = first.text("general.architecture").ok_or_else(|| ImportError::broken(file, "lacks the key \"general.architecture\""))?;
    refuse_parts_of_models(first, arch, file)?;
    let keys = Keys { header: first, arch, file };
    let (blocks, ahead) = layers::count(&keys)?;
    // An encoder's layers come before its decoder's.
    let decoder = keys.number("decoder_block_count")?.or(if arch == "t5" { Some(u64::from(blocks)) } else { None }).unwrap_or(0);
    let count = blocks.saturating_add(u32::try_from(decoder.min(4096)).unwrap_or(0));
    let mut table = Table::default();
    let (mut left_out, mut embedding, mut rope) = (0_u64, None, 0_u64);
    let tensors: Vec<&Tensor> = std::iter::once(first).chain(rest).flat_map(|h| &h.tensors).collect();
    unique(&tensors, rest, file)?;
    for tensor in &tensors {
        let (layer, inner) = classes::place(&tensor.name, blocks);
        if layer.is_some_and(|n| n >= count) {
            left_out = left_out.saturating_add(tensor.bytes);
            continue;
        }
        let class = classes::class(inner, tensor.rank);
        if tensor.name == "token_embd.weight" {
            embedding = Some(tensor.dims[1]);
        }
        if inner.starts_with("rope_f") {
            rope = rope.saturating_add(tensor.elements);
        }
        table
            .add(layer, class, tensor.kind.name, tensor.elements, tensor.bytes)
            .ok_or_else(|| ImportError::too_large(file, "has tensors beyond 64 bits"))?;
    }
    let placed = tensors.iter().filter_map(|t| {
        let (layer, inner) = classes::place(&t.name, blocks);
        Some((layer?, inner, *t))
    });
    // An encoder keeps nothing.
    let keeping = if decoder > 0 { blocks..count } else { 0..count };
    let groups = layers::caches(&keys, count, &keeping, placed)?;
    let dense = tensors.iter().any(|t| t.name.ends_with(".ffn_down.weight"));
    let experts = experts(&keys)?;
    let tied = embedding.is_some() && !table.classes().contains(&T::Head);
    let vocab = embedding.or_else(|| vocabulary(first, &keys)).unwrap_or(0);
    if vocab > MOST_ROWS {
        return Err(ImportError::too_large(file, format!("has a vocabulary of {vocab} tokens")));
    }
    let mlp_width = width(&keys, experts, dense)?;
    // What a rig file may hold: a model that opens must also be saved and opened again.
    if mlp_width > MOST_ROWS {
        return Err(ImportError::too_large(file, format!("has an MLP {mlp_width} numbers wide for one token")));
    }
    let mut remarks = remarks(arch, ahead, left_out);
    if rope > 0 {
        remarks.push(format!("The count includes {rope} rotary factors that the file stores"));
    }
    let weights = ExactWeights {
        format: WeightsFormat::Gguf,
        label: first.number("general.file_type").and_then(|n| file_type(u32::try_from(n & 1023).ok()?)).unwrap_or_default().to_owned(),
        files: u32::try_from(rest.len()).unwrap_or(u32::MAX).saturating_add(1),
        file_bytes,
        tensors: table.tensors,
        groups: table.groups(),
    };
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(ModelShape {
        name: name(first, file),
        model_type: arch.to_owned(),
        hidden: small(keys.need("embedding_length")?),
        layers: count,
        heads: small(keys.number("attention.head_count")?.unwrap_or(0)),
        mlp_width: small(mlp_width),
        vocab,
        context: keys.header.number(&format!("{arch}.context_length")).filter(|n| (1..=1 << 40).contains(n)),
        tied,
        experts,
        groups,
        tensors: rows(&table, experts, vocab, file)?,
        published_precision: Some("gguf".to_owned()),
        source: file.to_owned(),
        remarks,
        weights: Some(weights),
        ..ModelShape::default()
    })
}

/// Files beside a model that are none.
fn refuse_parts_of_models(header: &Header, arch: &str, file: &str) -> Result<(), ImportError> {
    let other = "Choose the file of the language model itself";
    match (arch, header.text("general.type")) {
        ("clip", _) | (_, Some("mmproj")) => Err(ImportError::unsupported(file, "holds the image or audio part of a model", other)),
        (_, Some("adapter")) => Err(ImportError::unsupported(file, "holds an adapter (LoRA)", other)),
        (_, Some("imatrix")) => Err(ImportError::unsupported(file, "holds the statistics of a quantisation", other)),
        _ => Ok(()),
    }
}

/// Within a file the reader has seen to it; between parts it is seen to here.
fn unique(tensors: &[&Tensor], rest: &[Header], file: &str) -> Result<(), ImportError> {
    if rest.is_empty() {
        return Ok(());
    }
    let mut names = std::collections::HashSet::new();
    match tensors.iter().find(|t| !names.insert(t.name.as_str())) {
        Some(twice) => Err(ImportError::broken(file, format!("has the tensor \"{}\" in two parts", short(&twice.name)))),
        None => Ok(()),
    }
}

/// The model's name inside the file, else the file's without folders and ending.
fn name(header: &Header, file: &str) -> String {
    let inside = header.text("general.name").map(short).filter(|n| !n.trim().is_empty());
    inside.unwrap_or_else(|| {
        let stem = split_name(file).map_or_else(|| file.strip_suffix(".gguf").unwrap_or(file), |s| s.0);
        stem.rsplit(['/', '\\']).next().unwrap_or(stem).to_owned()
    })
}

fn vocabulary(header: &Header, keys: &Keys<'_>) -> Option<u64> {
    let listed = match header.keys.get("tokenizer.ggml.tokens") {
        Some(Value::List(n)) => Some(*n),
        _ => None,
    };
    keys.header.number(&format!("{}.vocab_size", keys.arch)).or(listed).filter(|n| *n <= 1 << 24)
}

fn experts(keys: &Keys<'_>) -> Result<Option<Experts>, ImportError> {
    let Some(total) = keys.number("expert_count")?.filter(|n| *n > 1) else { return Ok(None) };
    let active = keys.need("expert_used_count")?;
    if active > total {
        return Err(ImportError::broken(keys.file, format!("uses {active} of {total} experts")));
    }
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(Some(Experts { total: small(total), active: small(active) }))
}

/// Width of the widest feed-forward as a token sees it; `dense` = some layers have one without experts.
fn width(keys: &Keys<'_>, experts: Option<Experts>, dense: bool) -> Result<u64, ImportError> {
    let plain = keys.number("feed_forward_length")?.unwrap_or(0);
    let Some(experts) = experts else { return Ok(plain) };
    let one = keys.number("expert_feed_forward_length")?.unwrap_or(plain);
    let shared = match keys.number("expert_shared_feed_forward_length")? {
        Some(n) => n,
        None => keys.number("expert_shared_count")?.unwrap_or(0).saturating_mul(one),
    };
    let sparse = one.saturating_mul(u64::from(experts.active)).saturating_add(shared);
    Ok(if dense { sparse.max(plain) } else { sparse })
}

const NAMES: &[(T, &str)] = &[
    (T::Embedding, "token embedding"),
    (T::Table, "lookup tables"),
    (T::Attention, "attention, query, key and low ranks"),
    (T::AttentionV, "attention, value"),
    (T::AttentionFused, "attention, query, key and value"),
    (T::AttentionOut, "attention, output"),
    (T::Mlp, "feed-forward, first matrices"),
    (T::MlpDown, "feed-forward, last matrix"),
    (T::Expert, "experts, first matrices"),
    (T::ExpertDown, "experts, last matrix"),
    (T::Router, "router"),
    (T::Norm, "norms, biases and other vectors"),
    (T::Mixer, "recurrent mixers"),
    (T::Convolution, "convolutions"),
    (T::Head, "output head"),
    (T::Other, "other matrices"),
];

/// One row of parameters for each class of the table.
fn rows(table: &Table, experts: Option<Experts>, vocab: u64, file: &str) -> Result<Vec<Tensors>, ImportError> {
    let too_large = || ImportError::too_large(file, "has more than 2^50 parameters or bytes");
    table.sum(|_| true).filter(|(elements, bytes)| *elements.max(bytes) <= MOST).ok_or_else(too_large)?;
    let mut rows = Vec::new();
    for class in table.classes() {
        let (params, _) = table.sum(|c| c == class).ok_or_else(too_large)?;
        let active = match (class, experts) {
            (T::Expert | T::ExpertDown, Some(e)) => params / u64::from(e.total.max(1)) * u64::from(e.active),
            // One row of each table that the vocabulary indexes.
            (T::Table, _) if vocab > 0 && params >= vocab => params / vocab,
            _ => params,
        };
        let name = NAMES.iter().find(|(c, _)| *c == class).map_or("tensors", |(_, name)| name);
        let layers = table.layers_of(class);
        let name = match layers {
            0 => name.to_owned(),
            1 => format!("{name}, 1 layer"),
            n => format!("{name}, {n} layers"),
        };
        rows.push(Tensors { class, name, params, active });
    }
    Ok(rows)
}

fn remarks(arch: &str, ahead: u32, left_out: u64) -> Vec<String> {
    let mut remarks = Vec::new();
    if left_out > 0 {
        let layers = if ahead == 1 { "the layer".to_owned() } else { format!("the {ahead} layers") };
        let bytes = crate::units::Bytes(left_out);
        remarks.push(format!("Without {bytes} of {layers} for predicting several tokens, which llama.cpp loads only on demand"));
    }
    if arch == "t5" {
        remarks.push("Encoder and decoder; the cache is the decoder's own, its view of the input comes on top".to_owned());
    }
    remarks
}

#[cfg(test)]
mod tests;
