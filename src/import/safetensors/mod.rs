//! Reads headers of safetensors files, alone or listed in a `model.safetensors.index.json`: exact bytes of every tensor. The architecture
//! comes from the `config.json` beside them. The data are never read.

mod classes;
mod header;

use std::collections::{BTreeSet, HashSet};
use std::io::Read;

use serde::Deserialize;

use super::table::Table;
use super::{ImportError, short};
use crate::catalog::model::{ExactWeights, ModelShape, TensorClass, WeightsFormat};
use crate::units::{Bytes, thousands};

/// The largest models come in some hundred files.
const MOST_FILES: usize = 4096;

/// Numbers, or bytes: as many as rig files may hold.
const MOST: u64 = 1 << 50;

/// What the headers of one model's files say.
#[derive(Debug, Default)]
pub struct Weights {
    table: Table,
    names: HashSet<String>,
    files: u32,
    bytes: u64,
    /// Bytes of what lies beside the language model.
    beside: u64,
}

impl Weights {
    /// Adds the header of one file of `length` bytes. `file` is used in messages.
    ///
    /// # Errors
    /// If the file is broken or cut short, or holds a tensor of a file before.
    pub fn add(&mut self, reader: impl Read, length: u64, file: &str) -> Result<(), ImportError> {
        let beyond = || ImportError::too_large(file, "has tensors beyond 64 bits");
        for tensor in header::read(reader, length, file)? {
            let (layer, class) = classes::place(&tensor.name, tensor.rank);
            self.table.add(layer, class, tensor.kind, tensor.elements, tensor.bytes).ok_or_else(beyond)?;
            if class == TensorClass::Other && layer.is_none() {
                self.beside = self.beside.saturating_add(tensor.bytes);
            }
            if self.names.contains(&tensor.name) {
                return Err(ImportError::broken(file, format!("has the tensor \"{}\" of another file", short(&tensor.name))));
            }
            self.names.insert(tensor.name);
        }
        self.files = self.files.saturating_add(1);
        self.bytes = self.bytes.checked_add(length).ok_or_else(beyond)?;
        Ok(())
    }

    /// Gives the model of the configuration these weights.
    ///
    /// # Errors
    /// If the files hold nothing.
    pub fn attach(self, mut shape: ModelShape, file: &str) -> Result<ModelShape, ImportError> {
        let sum = self.table.sum(|_| true).filter(|(elements, bytes)| *elements.max(bytes) <= MOST);
        let (elements, bytes) = sum.ok_or_else(|| ImportError::too_large(file, "has more than 2^50 numbers or bytes"))?;
        if bytes == 0 {
            return Err(ImportError::broken(file, "holds no tensors"));
        }
        let groups = self.table.groups();
        let main = groups.iter().max_by_key(|g| g.total()).map(|g| g.kind.clone()).unwrap_or_default();
        let floats = groups.iter().all(|g| matches!(g.kind.as_str(), "F32" | "F16" | "BF16" | "F64"));
        if self.beside > 0 && floats {
            shape.remarks.push(format!("The file also holds {} beside the language model", Bytes(self.beside)));
        } else if floats && elements != shape.params() {
            let (found, counted) = (thousands(elements as f64, 0), thousands(shape.params() as f64, 0));
            shape.remarks.push(format!("The file holds {found} numbers, the configuration means {counted}"));
        }
        file.clone_into(&mut shape.source);
        shape.weights = Some(ExactWeights {
            format: WeightsFormat::Safetensors,
            label: main,
            files: self.files,
            file_bytes: self.bytes,
            tensors: self.table.tensors,
            groups,
        });
        Ok(shape)
    }
}

/// The files that an index names, in order. `file` is used in messages.
///
/// # Errors
/// If the text is no index, or names anything but safetensors files beside it.
pub fn index(text: &str, file: &str) -> Result<Vec<String>, ImportError> {
    #[derive(Deserialize)]
    struct Index {
        weight_map: std::collections::BTreeMap<String, String>,
    }
    let index: Index = serde_json::from_str(text).map_err(|e| {
        let what = e.to_string();
        ImportError::broken(file, format!("is no index of safetensors files ({})", short(&what)))
    })?;
    let names: BTreeSet<String> = index.weight_map.into_values().collect();
    if names.is_empty() || names.len() > MOST_FILES {
        return Err(ImportError::broken(file, format!("names {} files", names.len())));
    }
    // An index that names itself or another index would go round in circles; a path would lead out of the folder.
    match names.iter().find(|n| !n.ends_with(".safetensors") || n.contains(['/', '\\', '\0']) || n.starts_with('.')) {
        Some(bad) => Err(ImportError::broken(file, format!("names \"{}\", which is no safetensors file beside it", short(bad)))),
        None => Ok(names.into_iter().collect()),
    }
}

#[cfg(test)]
mod tests;
