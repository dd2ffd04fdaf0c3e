//! The built-in list of models: TOML files with the configuration facts of each model, counted like any imported `config.json`.

use std::path::Path;

use super::hf_config::{ConfigError, parse_value};
use crate::catalog::folder::folder_files;
use crate::catalog::load::{embedded_files, is_model_list};
use crate::catalog::model::ModelShape;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The models that ship with the program, then those of the user's folder; and every entry that could not be read.
pub fn load_all(user: Option<&Path>) -> (Vec<ModelShape>, Vec<ConfigError>) {
    let mut texts = embedded_files("models");
    texts.extend(user.map(|f| folder_files(f).0).unwrap_or_default().into_iter().filter(|(name, _)| is_model_list(name)));
    let (mut models, mut errors) = (Vec::new(), Vec::new());
    for (name, text) in &texts {
        match builtin(text, name) {
            Ok(shapes) => models.extend(shapes),
            Err(faults) => errors.extend(faults),
        }
    }
    (models, errors)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelList {
    #[serde(default)]
    model: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    /// Page, repository or package the facts were read from.
    source: String,
    /// Year and month of publication.
    #[serde(default)]
    released: Option<String>,
    /// What a reader of the numbers should know.
    #[serde(default)]
    note: Option<String>,
    /// The keys of the model's `config.json` that decide its shape.
    config: Map<String, Value>,
}

/// Counts every model of one list. `file` is used in messages. All faults are reported, not only the first.
pub fn builtin(text: &str, file: &str) -> Result<Vec<ModelShape>, Vec<ConfigError>> {
    let list: ModelList = toml::from_str(text).map_err(|e| vec![malformed(text, file, &e)])?;
    let (mut shapes, mut errors) = (Vec::new(), Vec::new());
    for entry in list.model {
        match shape(entry, file) {
            Ok(shape) => shapes.push(shape),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(shapes) } else { Err(errors) }
}

fn shape(entry: Entry, file: &str) -> Result<ModelShape, ConfigError> {
    let place = format!("{file}, {}", entry.name);
    if let Some(released) = &entry.released
        && !is_month(released)
    {
        let (key, found) = ("released".to_owned(), format!("\"{released}\""));
        return Err(ConfigError::Value {
            file: place,
            line: None,
            key,
            found,
            expected: "expected a month such as \"2025-08\"".to_owned(),
        });
    }
    let mut shape = parse_value(&Value::Object(entry.config), &place)?;
    shape.name = entry.name;
    shape.source = entry.source;
    shape.remarks.extend(entry.note);
    Ok(shape)
}

fn is_month(text: &str) -> bool {
    text.split_once('-').is_some_and(|(year, month)| {
        year.len() == 4 && month.len() == 2 && year.parse::<u16>().is_ok() && month.parse().is_ok_and(|m: u8| (1..=12).contains(&m))
    })
}

fn malformed(text: &str, file: &str, error: &toml::de::Error) -> ConfigError {
    let before = error.span().and_then(|s| text.get(..s.start)).unwrap_or("");
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(1, |l| l.chars().count() + 1);
    ConfigError::Toml { file: file.to_owned(), line, column, what: error.message().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "[[model]]\nname = \"a/b\"\nsource = \"s\"\n[model.config]\nmodel_type = \"llama\"\nhidden_size = 64\nintermediate_size = 128\nnum_hidden_layers = 2\nnum_attention_heads = 4\nvocab_size = 100\n";

    #[test]
    fn an_entry_is_counted_and_named() {
        let shapes = builtin(ONE, "list.toml").unwrap();
        assert_eq!((shapes[0].name.as_str(), shapes[0].source.as_str()), ("a/b", "s"));
        assert_eq!(shapes[0].params(), 2 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64) + 64 + 2 * 100 * 64);
    }

    #[test]
    fn faults_name_the_line_or_the_model() {
        let typo = builtin(&ONE.replace("source", "sourze"), "list.toml").unwrap_err();
        assert!(typo[0].to_string().starts_with("list.toml, line 3, column 1: not valid TOML"), "{}", typo[0]);
        let missing = builtin(&ONE.replace("hidden_size = 64\n", ""), "list.toml").unwrap_err();
        assert!(missing[0].to_string().starts_with("list.toml, a/b: `hidden_size` is missing"), "{}", missing[0]);
        let month = builtin(&ONE.replace("source = \"s\"", "source = \"s\"\nreleased = \"2025-13\""), "list.toml").unwrap_err();
        assert!(month[0].to_string().contains("expected a month"), "{}", month[0]);
    }
}
