//! The header of one GGUF file: its keys and its table of tensors. Layout: github:ggml-org/ggml docs/gguf.md and
//! github:ggml-org/llama.cpp ggml/src/gguf.cpp, whose rules for a valid file are kept.

use std::collections::{BTreeMap, HashSet};
use std::io::{Read, Seek};

use super::bytes::Bytes;
use crate::catalog::precision::ggml::{GgmlType, ggml_type};
use crate::import::{ImportError, short};

/// Models have about fifty keys, and at most some thousands of tensors.
const MOST_KEYS: u64 = 1 << 12;
const MOST_TENSORS: u64 = 1 << 17;
/// llama.cpp allows 63 bytes in the name of a tensor.
const LONGEST_NAME: u64 = 128;
const LONGEST_KEY: u64 = 1024;
/// Lists longer than the number of layers of any model are skipped.
const LONGEST_LIST: u64 = 4096;
/// No file system holds such a file; sums stay within what rig files can say.
const LARGEST: u64 = 1 << 60;
/// `GGML_MAX_DIMS`
const MOST_DIMS: u32 = 4;

/// A value of the header. What nobody asks for is not kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Int(i64),
    Float(f64),
    Text(String),
    /// Whole numbers, or truth values as 0 and 1.
    Ints(Vec<i64>),
    /// A list of something else, or a long one: its length.
    List(u64),
    /// A text too long to be kept.
    Long,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    pub name: String,
    /// Row length first.
    pub dims: [u64; 4],
    pub rank: u32,
    pub kind: GgmlType,
    pub elements: u64,
    pub bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Header {
    pub keys: BTreeMap<String, Value>,
    pub tensors: Vec<Tensor>,
}

impl Header {
    /// A whole number of at least 0.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.keys.get(key)? {
            Value::Int(n) => u64::try_from(*n).ok(),
            Value::Float(f) if f.fract() == 0.0 && (0.0..=1e15).contains(f) => Some(*f as u64),
            _ => None,
        }
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        match self.keys.get(key)? {
            Value::Text(t) => Some(t),
            _ => None,
        }
    }
}

/// Reads the header of one file of `length` bytes; the data behind it is left alone.
pub(super) fn read(reader: impl Read + Seek, length: u64, file: &str) -> Result<Header, ImportError> {
    if length > LARGEST {
        return Err(ImportError::too_large(file, format!("has {length} bytes")));
    }
    let mut bytes = Bytes::new(reader, length, file);
    let magic = bytes.magic()?;
    if &magic != b"GGUF" {
        let found = magic.escape_ascii().to_string();
        return Err(ImportError::unsupported(file, format!("begins with \"{found}\", not with \"GGUF\""), "Choose a GGUF file"));
    }
    let version = version(&mut bytes)?;
    if version == 1 {
        return Err(ImportError::unsupported(file, "is GGUF version 1, which no program reads any more", "Convert the model anew"));
    }
    if !(2..=3).contains(&version) {
        let what = format!("is GGUF version {version}, this program knows 2 and 3");
        return Err(ImportError::unsupported(file, what, "Look for a newer Rigbay, or convert the model for version 3"));
    }
    let (tensors, keys) = (bytes.u64("the number of tensors")?, bytes.u64("the number of keys")?);
    if tensors > MOST_TENSORS || keys > MOST_KEYS {
        return Err(ImportError::too_large(file, format!("claims {tensors} tensors and {keys} keys")));
    }
    let mut header = Header::default();
    for _ in 0..keys {
        let key = bytes.text(LONGEST_KEY, "a key")?;
        let value = value(&mut bytes, &key)?;
        if header.keys.contains_key(&key) {
            return Err(ImportError::broken(file, format!("has the key \"{}\" twice", short(&key))));
        }
        header.keys.insert(key, value);
    }
    let alignment = alignment(&header, file)?;
    table(&mut bytes, tensors, alignment, &mut header)?;
    Ok(header)
}

/// Files for big-endian machines have the same first bytes, but a version that reads as a huge number.
fn version<R: Read + Seek>(bytes: &mut Bytes<'_, R>) -> Result<u32, ImportError> {
    let version = bytes.u32("the version")?;
    bytes.big = version & 0xffff == 0 && version != 0;
    Ok(if bytes.big { version.swap_bytes() } else { version })
}

fn alignment(header: &Header, file: &str) -> Result<u64, ImportError> {
    let Some(value) = header.keys.get("general.alignment") else { return Ok(32) };
    match value {
        Value::Int(n @ 1..=1_048_576) if n.count_ones() == 1 => Ok(n.unsigned_abs()),
        _ => Err(ImportError::broken(file, "has an alignment that is no power of two")),
    }
}

/// Size in bytes of the scalar types; texts and lists have none.
const fn scalar(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

fn value<R: Read + Seek>(bytes: &mut Bytes<'_, R>, key: &str) -> Result<Value, ImportError> {
    let kind = bytes.u32("the type of a value")?;
    match kind {
        8 => Ok(bytes.kept_text("a text")?.map_or(Value::Long, Value::Text)),
        9 => list(bytes, key, 0),
        _ => number(bytes, kind, key),
    }
}

fn number<R: Read + Seek>(bytes: &mut Bytes<'_, R>, kind: u32, key: &str) -> Result<Value, ImportError> {
    let what = "a value";
    Ok(match kind {
        0 | 7 => Value::Int(i64::from(bytes.u8(what)?)),
        1 => Value::Int(i64::from(bytes.u8(what)?.cast_signed())),
        2 => Value::Int(i64::from(bytes.u16(what)?)),
        3 => Value::Int(i64::from(bytes.u16(what)?.cast_signed())),
        4 => Value::Int(i64::from(bytes.u32(what)?)),
        5 => Value::Int(i64::from(bytes.u32(what)?.cast_signed())),
        6 => Value::Float(f64::from(f32::from_bits(bytes.u32(what)?))),
        10 => Value::Int(i64::try_from(bytes.u64(what)?).unwrap_or(i64::MAX)),
        11 => Value::Int(bytes.u64(what)?.cast_signed()),
        12 => Value::Float(f64::from_bits(bytes.u64(what)?)),
        _ => return Err(ImportError::broken(bytes.file, format!("has a value of unknown type {kind} at the key \"{}\"", short(key)))),
    })
}

/// Short lists of whole numbers are kept, of all others only the length.
fn list<R: Read + Seek>(bytes: &mut Bytes<'_, R>, key: &str, depth: u32) -> Result<Value, ImportError> {
    if depth > 2 {
        return Err(ImportError::broken(bytes.file, format!("has lists in lists in lists at the key \"{}\"", short(key))));
    }
    let (kind, count) = (bytes.u32("the type of a list")?, bytes.u64("the length of a list")?);
    let size = scalar(kind);
    // Every entry of a list takes bytes: a count beyond the file's own is a lie, whatever follows.
    if count > bytes.left() / size.unwrap_or(8) {
        return Err(ImportError::broken(bytes.file, format!("ends before the {count} entries of the list \"{}\"", short(key))));
    }
    if size.is_none() {
        bytes.spend(count)?;
    }
    match (kind, size) {
        (6 | 12, Some(size)) => bytes.skip(count.saturating_mul(size), "a list")?,
        (_, Some(_)) if count <= LONGEST_LIST => {
            let mut ints = Vec::new();
            for _ in 0..count {
                if let Value::Int(n) = number(bytes, kind, key)? {
                    ints.push(n);
                }
            }
            return Ok(Value::Ints(ints));
        }
        (_, Some(size)) => bytes.skip(count.saturating_mul(size), "a list")?,
        (8, None) => {
            for _ in 0..count {
                let length = bytes.u64("a text of a list")?;
                bytes.skip(length, "a text of a list")?;
            }
        }
        (9, None) => {
            for _ in 0..count {
                list(bytes, key, depth + 1)?;
            }
        }
        (_, None) => {
            return Err(ImportError::broken(bytes.file, format!("has a list of unknown type {kind} at the key \"{}\"", short(key))));
        }
    }
    Ok(Value::List(count))
}

/// Rows of the table; the data of each must follow that of the one before, and the file must be long enough for all.
fn table<R: Read + Seek>(bytes: &mut Bytes<'_, R>, count: u64, alignment: u64, header: &mut Header) -> Result<(), ImportError> {
    let file = bytes.file;
    let mut names = HashSet::new();
    let (mut next, mut end) = (0_u64, 0_u64);
    for _ in 0..count {
        let (tensor, offset) = tensor(bytes)?;
        if !names.insert(tensor.name.clone()) {
            return Err(ImportError::broken(file, format!("has the tensor \"{}\" twice", short(&tensor.name))));
        }
        if offset != next {
            let text = format!("puts the tensor \"{}\" at byte {offset} of the data, where {next} follows", short(&tensor.name));
            return Err(ImportError::broken(file, text));
        }
        let ends = offset.checked_add(tensor.bytes).and_then(|e| Some((e, e.checked_next_multiple_of(alignment)?)));
        let Some(ends) = ends else {
            return Err(ImportError::too_large(file, format!("has a tensor \"{}\" beyond 64 bits", short(&tensor.name))));
        };
        (end, next) = ends;
        header.tensors.push(tensor);
    }
    let start = bytes.at().next_multiple_of(alignment);
    let whole = start.saturating_add(end);
    let length = bytes.at().saturating_add(bytes.left());
    if whole > length {
        let text = format!("has {length} bytes of {whole}: the download is not complete");
        return Err(ImportError::broken(file, text));
    }
    Ok(())
}

fn tensor<R: Read + Seek>(bytes: &mut Bytes<'_, R>) -> Result<(Tensor, u64), ImportError> {
    let file = bytes.file;
    let name = bytes.text(LONGEST_NAME, "the name of a tensor")?;
    let rank = bytes.u32("the rank of a tensor")?;
    if rank > MOST_DIMS {
        return Err(ImportError::broken(
            file,
            format!("has a tensor \"{}\" of {rank} dimensions, where at most 4 are allowed", short(&name)),
        ));
    }
    let mut dims = [1_u64; 4];
    for dim in dims.iter_mut().take(rank as usize) {
        *dim = bytes.u64("a dimension")?;
    }
    let id = bytes.u32("the type of a tensor")?;
    let Some(kind) = ggml_type(id) else {
        let what = format!("stores the tensor \"{}\" as type {id}, which llama.cpp does not have", short(&name));
        return Err(ImportError::unsupported(file, what, "Look for a newer Rigbay, or for a file without types of a fork"));
    };
    let offset = bytes.u64("the place of a tensor")?;
    let elements = dims.iter().try_fold(1_u64, |product, dim| product.checked_mul(*dim)).filter(|n| *n < 1 << 50);
    let Some(elements) = elements else {
        return Err(ImportError::too_large(file, format!("has a tensor \"{}\" of {dims:?} numbers", short(&name))));
    };
    let [row, ..] = dims;
    let weights = u64::from(kind.block.weights);
    if !row.is_multiple_of(weights) {
        let text = format!("has a tensor \"{}\" with rows of {row}, which {} in blocks of {weights} cannot have", short(&name), kind.name);
        return Err(ImportError::broken(file, text));
    }
    // Below 2^50 numbers of at most 8 bytes.
    let size = elements / weights * u64::from(kind.block.bytes);
    Ok((Tensor { name, dims, rank, kind, elements, bytes: size }, offset))
}
