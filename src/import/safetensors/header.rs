//! Header of one safetensors file: eight bytes of length, then JSON. Format: github:huggingface/safetensors, README and
//! safetensors/src/tensor.rs, whose rules for a valid file are kept.

use std::fmt;
use std::io::Read;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::import::{ImportError, short};

/// The format's own limit: 100 MB.
const LONGEST: u64 = 100_000_000;
/// No file system holds such a file; sums stay within what rig files can say.
const LARGEST: u64 = 1 << 60;
/// Many times what any model has, experts one by one.
const MOST_TENSORS: usize = 1 << 20;
const LONGEST_NAME: usize = 512;

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    pub name: String,
    pub kind: &'static str,
    pub rank: usize,
    pub elements: u64,
    pub bytes: u64,
}

/// Names and bits of the types, github:huggingface/safetensors safetensors/src/tensor.rs `Dtype`.
const TYPES: &[(&str, u64)] = &[
    ("BOOL", 8),
    ("F4", 4),
    ("F6_E2M3", 6),
    ("F6_E3M2", 6),
    ("U8", 8),
    ("I8", 8),
    ("F8_E5M2", 8),
    ("F8_E4M3", 8),
    ("F8_E8M0", 8),
    ("F8_E4M3FNUZ", 8),
    ("F8_E5M2FNUZ", 8),
    ("I16", 16),
    ("U16", 16),
    ("F16", 16),
    ("BF16", 16),
    ("I32", 32),
    ("U32", 32),
    ("F32", 32),
    ("C64", 64),
    ("F64", 64),
    ("I64", 64),
    ("U64", 64),
];

/// Reads the header of one file of `length` bytes. Tensors come in the order of their data.
pub(super) fn read(mut reader: impl Read, length: u64, file: &str) -> Result<Vec<Tensor>, ImportError> {
    let unread = |e: std::io::Error| ImportError::broken(file, format!("cannot be read ({e})"));
    if length > LARGEST {
        return Err(ImportError::too_large(file, format!("has {length} bytes")));
    }
    let mut size = [0; 8];
    if length < 8 {
        return Err(ImportError::broken(file, format!("has {length} bytes, not even the 8 that begin a safetensors file")));
    }
    reader.read_exact(&mut size).map_err(unread)?;
    let size = u64::from_le_bytes(size);
    if size > LONGEST {
        return Err(ImportError::too_large(file, format!("claims a header of {size} bytes")));
    }
    let data = length.checked_sub(8 + size).ok_or_else(|| {
        ImportError::broken(file, format!("has {length} bytes, where the header alone takes {}: the download is not complete", 8 + size))
    })?;
    let mut text = Vec::new();
    reader.take(size).read_to_end(&mut text).map_err(unread)?;
    let mut rows = rows(&text, file)?;
    rows.sort_by_key(|r| r.span);
    let mut next = 0;
    let mut tensors = Vec::with_capacity(rows.len());
    for row in rows {
        let tensor = tensor(&row, next, file)?;
        next = row.span.1;
        tensors.push(tensor);
    }
    if next > data {
        let text = format!("has {length} bytes of {}: the download is not complete", next.saturating_add(8 + size));
        return Err(ImportError::broken(file, text));
    }
    if next < data {
        return Err(ImportError::broken(file, format!("has {} bytes behind its last tensor", data - next)));
    }
    Ok(tensors)
}

/// A row as it stands in the file.
struct Row {
    name: String,
    kind: String,
    rank: usize,
    /// `None` = beyond 64 bits.
    elements: Option<u64>,
    span: (u64, u64),
}

fn tensor(row: &Row, next: u64, file: &str) -> Result<Tensor, ImportError> {
    let name = short(&row.name);
    let Some((kind, bits)) = TYPES.iter().find(|(kind, _)| *kind == row.kind) else {
        let what = format!("stores the tensor \"{name}\" as \"{}\", a type that is not known", short(&row.kind));
        return Err(ImportError::unsupported(file, what, "Look for a newer Rigbay"));
    };
    if row.span.0 != next {
        let text = format!("puts the tensor \"{name}\" at byte {} of the data, where {next} follows", row.span.0);
        return Err(ImportError::broken(file, text));
    }
    let bytes = row.span.1.checked_sub(row.span.0);
    let (Some(bytes), Some(elements)) = (bytes, row.elements.filter(|n| *n < 1 << 50)) else {
        return Err(ImportError::too_large(file, format!("has a tensor \"{name}\" that ends before it begins or beyond 2^50 numbers")));
    };
    if elements.saturating_mul(*bits) != bytes.saturating_mul(8) {
        let text = format!("has a tensor \"{name}\" of {elements} numbers in {kind} and {bytes} bytes, which do not agree");
        return Err(ImportError::broken(file, text));
    }
    Ok(Tensor { name: row.name.clone(), kind, rank: row.rank, elements, bytes })
}

/// The rows of the JSON text. A map of the library would keep the last of two equal names; here they are a fault.
fn rows(text: &[u8], file: &str) -> Result<Vec<Row>, ImportError> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let broken = |e: serde_json::Error| {
        let what = e.to_string();
        ImportError::broken(file, format!("has a header that is no JSON table ({})", short(&what)))
    };
    let rows = json.deserialize_map(Rows).map_err(broken)?;
    // The header may be padded with spaces.
    json.end().map_err(broken)?;
    let mut names: Vec<&str> = rows.iter().map(|r| r.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair.first() == pair.last()).and_then(<[&str]>::first) {
        Some(twice) => Err(ImportError::broken(file, format!("has the tensor \"{}\" twice", short(twice)))),
        None => Ok(rows),
    }
}

struct Rows;

impl<'de> Visitor<'de> for Rows {
    type Value = Vec<Row>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one entry per tensor")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Row>, A::Error> {
        use serde::de::Error as _;
        let mut rows = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            if rows.len() >= MOST_TENSORS || name.len() > LONGEST_NAME {
                return Err(A::Error::custom("more tensors, or longer names, than any model has"));
            }
            let entry: Entry = map.next_value()?;
            let Shape(rank, elements) = entry.shape;
            rows.push(Row { name, kind: entry.dtype, rank, elements, span: entry.data_offsets });
        }
        Ok(rows)
    }
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Shape,
    data_offsets: (u64, u64),
}

/// Number of dimensions, and their product if 64 bits hold it.
struct Shape(usize, Option<u64>);

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Dims;
        impl<'de> Visitor<'de> for Dims {
            type Value = Shape;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of dimensions")
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
                let (mut rank, mut product) = (0_usize, Some(1_u64));
                while let Some(dim) = seq.next_element::<u64>()? {
                    rank = rank.saturating_add(1);
                    product = product.and_then(|p| p.checked_mul(dim));
                }
                Ok(Shape(rank, product))
            }
        }
        deserializer.deserialize_seq(Dims)
    }
}
