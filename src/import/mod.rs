//! Foreign files become our types, one file or folder a format.

pub mod by_hand;
pub mod evals;
pub mod examples;
pub mod gguf;
pub mod hf_config;
pub mod model_list;
pub mod observed;
pub mod open;
pub mod opendb;
pub mod own_parts;
pub mod parts_list;
pub mod price_book;
pub mod safetensors;
mod table;
pub mod whatif;

use crate::files::FileError;

/// Why a file of weights cannot be read. Every variant names the file and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Config(#[from] hf_config::ConfigError),
    /// The bytes contradict the format.
    #[error("{file}: {what}. Download the file again, or convert the model anew")]
    Broken { file: String, what: String },
    /// More than any model has: the reader stops instead of filling the memory.
    #[error("{file}: {what}, more than any model has. Download the file again, or convert the model anew")]
    TooLarge { file: String, what: String },
    /// Sound, but not something the program works with.
    #[error("{file}: {what}. {advice}")]
    Unsupported { file: String, what: String, advice: String },
}

impl ImportError {
    fn broken(file: &str, what: impl Into<String>) -> Self {
        Self::Broken { file: file.to_owned(), what: what.into() }
    }
    fn too_large(file: &str, what: impl Into<String>) -> Self {
        Self::TooLarge { file: file.to_owned(), what: what.into() }
    }
    fn unsupported(file: &str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Unsupported { file: file.to_owned(), what: what.into(), advice: advice.into() }
    }
}

/// At most this much of a name out of a file, for messages.
fn short(name: &str) -> String {
    let mut text: String = name.chars().take(80).map(|c| if c.is_control() { '?' } else { c }).collect();
    if name.chars().nth(80).is_some() {
        text.push('…');
    }
    text
}
