//! Opens whatever a user has of a model: `config.json`, GGUF, safetensors, or the folder that holds them.

use std::path::{Path, PathBuf};

use super::gguf::{self, Parts, ReadSeek};
use super::{ImportError, hf_config, safetensors};
use crate::catalog::model::ModelShape;
use crate::files;

/// Endings of the files that are models.
pub const ENDINGS: &[&str] = &["json", "gguf", "safetensors"];

/// Whether a path looks like a model.
pub fn is_model(path: &Path) -> bool {
    ending(path).is_some_and(|e| ENDINGS.contains(&e.as_str()))
}

fn ending(path: &Path) -> Option<String> {
    path.extension().map(|e| e.to_string_lossy().to_lowercase())
}

/// Reads a model. Of weights only the headers are read, however large the files are.
///
/// # Errors
/// If there is no such file, or it is no model; the message names the file and what to do.
pub fn model(path: &Path) -> Result<ModelShape, ImportError> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if files::is_folder(path) {
        return model(&in_folder(path)?);
    }
    match ending(path).as_deref() {
        Some("gguf") => open_gguf(path),
        Some("safetensors") => open_safetensors(path),
        Some("json") if name.ends_with(".index.json") => from_index(path),
        Some("json") => config(path),
        _ => {
            let advice = "Choose a config.json, a .gguf or a .safetensors file";
            Err(ImportError::unsupported(&path.display().to_string(), "is no model by its ending", advice))
        }
    }
}

/// What to open of a folder: weights before their bare configuration.
fn in_folder(folder: &Path) -> Result<PathBuf, ImportError> {
    let known = [INDEX, "model.safetensors", "config.json"].map(|n| folder.join(n));
    known.into_iter().find(|p| files::is_file(p)).ok_or_else(|| {
        let advice = "Choose a file inside it: config.json, .gguf or .safetensors";
        ImportError::unsupported(&folder.display().to_string(), "is a folder without config.json or model.safetensors", advice)
    })
}

const INDEX: &str = "model.safetensors.index.json";

fn config(path: &Path) -> Result<ModelShape, ImportError> {
    let text = files::read_text(path, files::LIMIT)?;
    Ok(hf_config::parse(&text, &path.display().to_string())?)
}

struct Disk;

impl Parts for Disk {
    fn open(&mut self, name: &str) -> Result<(Box<dyn ReadSeek>, u64), ImportError> {
        let (file, length) = files::open(Path::new(name))?;
        Ok((Box::new(file), length))
    }
}

fn open_gguf(path: &Path) -> Result<ModelShape, ImportError> {
    let (file, length) = files::open(path)?;
    gguf::read(file, length, &path.display().to_string(), &mut Disk)
}

/// One file, or a part of a model whose index lies beside it.
fn open_safetensors(path: &Path) -> Result<ModelShape, ImportError> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let index = path.with_file_name(INDEX);
    if name.contains("-of-") && files::is_file(&index) {
        return from_index(&index);
    }
    if name.contains("-of-") {
        let advice = format!("Put {INDEX} and all parts into its folder");
        return Err(ImportError::unsupported(&path.display().to_string(), "is one part of a model", advice));
    }
    from_files(path, &[name])
}

fn from_index(path: &Path) -> Result<ModelShape, ImportError> {
    let text = files::read_text(path, files::LIMIT)?;
    let names = safetensors::index(&text, &path.display().to_string())?;
    from_files(path, &names)
}

fn from_files(path: &Path, names: &[String]) -> Result<ModelShape, ImportError> {
    let source = path.display().to_string();
    let beside = path.with_file_name("config.json");
    if !files::is_file(&beside) {
        let advice = "Put the model's config.json into the same folder";
        return Err(ImportError::unsupported(&source, "tells the sizes of tensors, but not the architecture", advice));
    }
    let mut weights = safetensors::Weights::default();
    for name in names {
        let path = path.with_file_name(name);
        let (file, length) = files::open(&path)?;
        weights.add(std::io::BufReader::new(file), length, &path.display().to_string())?;
    }
    weights.attach(config(&beside)?, &source)
}
