//! Reads the `config.json` of a published model and counts its parameters and caches exactly.
//!
//! The counts equal `sum(p.numel() for p in model.parameters())` of the model class in transformers 5.24, tied weights once.
//! What a family shares with others is a row of `families`; what only it has is a function in `special`.

mod attention;
mod convolution;
mod decoder;
mod encoder;
mod families;
mod keys;
mod mixers;
mod mlp;
mod network;
mod precision;
mod special;
mod tally;

use crate::catalog::model::ModelShape;
use crate::units::parameters;
use keys::Keys;
use serde_json::Value;

/// The largest vocabulary that rig files may hold.
const MOST_ROWS: u64 = 1 << 24;

/// Why a configuration cannot be read. Every variant names the file and what to change in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("{file}, line {line}, column {column}: not valid JSON ({what}). Download the file again or repair that line")]
    Json { file: String, line: usize, column: usize, what: String },
    #[error("{file}, line {line}, column {column}: not valid TOML ({what}). Repair that line")]
    Toml { file: String, line: usize, column: usize, what: String },
    #[error("{file}: not a model configuration (a JSON object with \"model_type\" and \"hidden_size\"). Choose the model's config.json")]
    NotAnObject { file: String },
    #[error("{file}: {} missing ({model_type}). Add {} from the model's page", list(keys), if keys.len() == 1 { "it" } else { "them" })]
    Missing { file: String, model_type: String, keys: Vec<String> },
    #[error("{file}{}: `{key}` is {found}; {expected}", at(*line))]
    Value { file: String, line: Option<usize>, key: String, found: String, expected: String },
    #[error("{file}: model type `{model_type}` is {why}")]
    Unsupported { file: String, model_type: String, why: String },
    #[error("{file}: more parameters than 2^50, more than any model has. Check the widths and counts in the file")]
    TooLarge { file: String },
}

fn list(keys: &[String]) -> String {
    let quoted: Vec<String> = keys.iter().map(|k| format!("`{k}`")).collect();
    format!("{} {}", quoted.join(", "), if keys.len() == 1 { "is" } else { "are" })
}

fn at(line: Option<usize>) -> String {
    line.map_or_else(String::new, |l| format!(", line {l}"))
}

impl ConfigError {
    /// Adds the line on which `text` first sets the key in question.
    fn with_line(mut self, text: &str) -> Self {
        if let Self::Value { key, line, .. } = &mut self {
            let quoted = format!("\"{key}\"");
            *line = text.lines().position(|l| l.contains(&quoted)).map(|n| n + 1);
        }
        self
    }
}

/// Reads the text of a `config.json`. `file_name` is used in messages, as source and, without a better one, as name.
pub fn parse(text: &str, file_name: &str) -> Result<ModelShape, ConfigError> {
    let value = read(text).map_err(|e| ConfigError::Json {
        file: file_name.to_owned(),
        line: e.line(),
        column: e.column(),
        what: strip_position(&e.to_string()),
    })?;
    parse_value(&value, file_name).map_err(|e| e.with_line(text))
}

/// Python writes infinities and NaN as bare words, which JSON does not have: files of Mamba models hold `[0.0, Infinity]`. No count needs
/// them; they are read as null, at the same place.
fn read(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| {
        let plain = without_bare_words(text);
        if plain == text { Err(error) } else { serde_json::from_str(&plain) }
    })
}

fn without_bare_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        let word = ["-Infinity", "Infinity", "NaN"].into_iter().find(|w| !quoted && rest.starts_with(w));
        let taken = match word {
            Some(word) => {
                out.push_str(&format!("{:<1$}", "null", word.len().max(4)));
                word.len()
            }
            None if quoted && c == '\\' => rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at),
            None => {
                quoted ^= c == '"';
                c.len_utf8()
            }
        };
        let (piece, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        if word.is_none() {
            out.push_str(piece);
        }
        rest = after;
    }
    out
}

/// As [`parse`], for a configuration that is already a JSON value.
pub fn parse_value(value: &Value, file_name: &str) -> Result<ModelShape, ConfigError> {
    let outer = value.as_object().ok_or_else(|| ConfigError::NotAnObject { file: file_name.to_owned() })?;
    let keys = Keys::new(file_name, outer)?;
    let mut shape = match keys.model_type() {
        "bert" | "nomic_bert" | "roberta" | "xlm-roberta" | "camembert" => encoder::bert(&keys),
        "vit" => encoder::vit(&keys),
        "resnet" => convolution::resnet(&keys),
        "t5" | "mt5" | "umt5" => encoder::t5(&keys),
        _ if encoder::is_unknown(&keys) => encoder::unknown(&keys),
        _ => decoder::decoder(&keys),
    }?;
    if shape.vocab > MOST_ROWS {
        return Err(keys.wrong("vocab_size", &Value::from(shape.vocab), &format!("expected at most {MOST_ROWS}")));
    }
    if shape.name.is_empty() {
        // "llama 8.0B (config.json)": a folder's name says less than the contents do.
        shape.name = format!("{} {} ({})", shape.model_type, parameters(shape.params()), keys.file_name());
    }
    let (precision, remark) = precision::published(&keys);
    shape.published_precision = precision;
    shape.remarks.extend(keys.remarks());
    shape.remarks.extend(remark);
    Ok(shape)
}

/// `serde_json` repeats the position at the end of its message.
fn strip_position(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

#[cfg(test)]
mod tests;
