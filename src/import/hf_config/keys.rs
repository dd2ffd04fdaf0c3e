//! Typed reading of configuration keys, with their aliases across families.

use super::ConfigError;
use serde_json::{Map, Value};

/// Widths and counts beyond this are mistakes, not models; products of a few of them still fit 128 bits.
const MAX_DIM: u64 = 1 << 24;
const MAX_ROWS: u64 = 1 << 36;

pub(super) const HIDDEN: &[&str] = &["hidden_size", "n_embd", "d_model", "dim"];
pub(super) const LAYERS: &[&str] = &["num_hidden_layers", "n_layer", "n_layers", "num_layers"];
pub(super) const HEADS: &[&str] = &["num_attention_heads", "n_head", "n_heads", "num_heads"];
pub(super) const KV_HEADS: &[&str] = &["num_key_value_heads", "num_kv_heads", "multi_query_group_num"];
pub(super) const HEAD_DIM: &[&str] = &["head_dim", "kv_channels", "attention_head_dim"];
pub(super) const VOCAB: &[&str] = &["vocab_size", "padded_vocab_size"];
pub(super) const WIDTH: &[&str] = &["intermediate_size", "ffn_dim", "ffn_hidden_size", "n_inner", "d_ff"];
pub(super) const EXPERTS: &[&str] = &["num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts"];
pub(super) const TOP_K: &[&str] = &["num_experts_per_tok", "num_experts_per_token", "moe_topk", "top_k_experts", "moe_k", "moe_top_k"];
const CONTEXT: &[&str] =
    &["max_position_embeddings", "model_max_length", "n_positions", "max_seq_len", "seq_length", "max_sequence_length"];

/// The keys that describe the language model: those of `text_config` where there is one.
pub(super) struct Keys<'a> {
    pub file: &'a str,
    map: &'a Map<String, Value>,
    outer: &'a Map<String, Value>,
    defaults: &'static [(&'static str, u64)],
    model_type: &'a str,
}

impl<'a> Keys<'a> {
    pub fn new(file: &'a str, outer: &'a Map<String, Value>) -> Result<Self, ConfigError> {
        let nested = ["text_config", "llm_config", "language_config"].iter().find_map(|k| outer.get(*k)?.as_object());
        let map = nested.unwrap_or(outer);
        let mut keys = Self { file, map, outer, defaults: &[], model_type: "" };
        keys.model_type = keys.text("model_type")?.unwrap_or("");
        if keys.model_type.is_empty() && !map.contains_key("hidden_size") {
            return Err(ConfigError::NotAnObject { file: file.to_owned() });
        }
        Ok(keys)
    }

    /// Values that the model class supplies for keys left out.
    pub fn with_defaults(&self, defaults: &'static [(&'static str, u64)]) -> Self {
        Keys { file: self.file, map: self.map, outer: self.outer, defaults, model_type: self.model_type }
    }

    pub const fn model_type(&self) -> &'a str {
        self.model_type
    }

    /// First of `names` that is set and not null, with the name that matched.
    fn find(&self, names: &[&'static str]) -> Option<(&'static str, &'a Value)> {
        names.iter().find_map(|n| Some((*n, self.map.get(*n).filter(|v| !v.is_null())?)))
    }

    /// A value of the language model, or else of the whole file.
    pub fn anywhere(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|v| !v.is_null()).or_else(|| self.outer.get(name).filter(|v| !v.is_null()))
    }

    pub fn has(&self, names: &[&'static str]) -> bool {
        self.find(names).is_some() || self.default(names).is_some()
    }

    /// Whether a key begins like this.
    pub fn any_key_with(&self, prefix: &str) -> bool {
        self.map.keys().any(|k| k.starts_with(prefix))
    }

    fn default(&self, names: &[&'static str]) -> Option<u64> {
        self.defaults.iter().find(|(name, _)| names.contains(name)).map(|(_, value)| *value)
    }

    /// The keys of `groups` that are not set, each by its first alias.
    pub fn require(&self, groups: &[&[&'static str]]) -> Result<(), ConfigError> {
        let missing: Vec<String> = groups.iter().filter(|g| !self.has(g)).filter_map(|g| g.first()).map(|n| (*n).to_owned()).collect();
        if missing.is_empty() { Ok(()) } else { Err(self.missing(missing)) }
    }

    fn missing(&self, keys: Vec<String>) -> ConfigError {
        let model_type = if self.model_type.is_empty() { "no model type" } else { self.model_type };
        ConfigError::Missing { file: self.file.to_owned(), model_type: model_type.to_owned(), keys }
    }

    pub fn wrong(&self, key: &str, found: &Value, expected: &str) -> ConfigError {
        let found = match found {
            Value::String(s) => format!("\"{}\"", s.chars().take(40).collect::<String>()),
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object".to_owned(),
            other => other.to_string(),
        };
        let (file, key, expected) = (self.file.to_owned(), key.to_owned(), expected.to_owned());
        ConfigError::Value { file, line: None, key, found, expected }
    }

    fn number(&self, key: &str, value: &Value, min: u64, max: u64) -> Result<u64, ConfigError> {
        let whole = value.as_u64().or_else(|| value.as_f64().filter(|f| f.fract() == 0.0 && (0.0..=1e12).contains(f)).map(|f| f as u64));
        whole.filter(|n| (min..=max).contains(n)).ok_or_else(|| {
            let kind = if value.is_number() { "expected a whole number" } else { "expected a number, a whole one" };
            self.wrong(key, value, &format!("{kind} from {min} to {max}"))
        })
    }

    fn read(&self, names: &[&'static str], layer: Option<usize>, min: u64, max: u64) -> Result<Option<u64>, ConfigError> {
        let Some((key, value)) = self.find(names) else { return Ok(self.default(names)) };
        let value = match value {
            Value::Array(items) => items.get(layer.unwrap_or(0)).ok_or_else(|| self.wrong(key, value, "expected one number per layer"))?,
            one => one,
        };
        self.number(key, value, min, max).map(Some)
    }

    /// A width or count that must be there.
    pub fn dim(&self, names: &[&'static str]) -> Result<u64, ConfigError> {
        self.opt(names)?.ok_or_else(|| self.missing(names.first().map(|n| (*n).to_owned()).into_iter().collect()))
    }

    pub fn opt(&self, names: &[&'static str]) -> Result<Option<u64>, ConfigError> {
        self.read(names, None, 1, MAX_DIM)
    }

    pub fn dim_or(&self, names: &[&'static str], default: u64) -> Result<u64, ConfigError> {
        Ok(self.opt(names)?.unwrap_or(default))
    }

    /// As [`Self::dim_or`], zero allowed.
    pub fn count_or(&self, names: &[&'static str], default: u64) -> Result<u64, ConfigError> {
        Ok(self.read(names, None, 0, MAX_DIM)?.unwrap_or(default))
    }

    /// The value of one layer, from a list or for all layers alike.
    pub fn opt_at(&self, names: &[&'static str], layer: usize) -> Result<Option<u64>, ConfigError> {
        self.read(names, Some(layer), 0, MAX_DIM)
    }

    /// Rows of a vocabulary.
    pub fn rows(&self, names: &[&'static str]) -> Result<u64, ConfigError> {
        self.read(names, None, 1, MAX_ROWS)?.ok_or_else(|| self.missing(names.first().map(|n| (*n).to_owned()).into_iter().collect()))
    }

    /// Classes of an image classifier; 1000 where the file does not say.
    pub fn labels(&self) -> Result<u64, ConfigError> {
        let named = || self.anywhere("id2label").and_then(Value::as_object).map_or(1000, |m| (m.len() as u64).max(1));
        Ok(self.opt(&["num_labels"])?.unwrap_or_else(named))
    }

    pub fn context(&self) -> Result<Option<u64>, ConfigError> {
        self.read(CONTEXT, None, 1, 1 << 40)
    }

    pub fn flag(&self, name: &'static str, default: bool) -> Result<bool, ConfigError> {
        self.find(&[name]).map_or(Ok(default), |(_, v)| v.as_bool().ok_or_else(|| self.wrong(name, v, "expected true or false")))
    }

    /// Whether head and embedding share one matrix. Files of image models say so outside `text_config`.
    pub fn tied(&self, default: bool) -> Result<bool, ConfigError> {
        let name = "tie_word_embeddings";
        self.anywhere(name).map_or(Ok(default), |v| v.as_bool().ok_or_else(|| self.wrong(name, v, "expected true or false")))
    }

    pub fn text(&self, name: &'static str) -> Result<Option<&'a str>, ConfigError> {
        self.find(&[name]).map(|(_, v)| v.as_str().ok_or_else(|| self.wrong(name, v, "expected a text"))).transpose()
    }

    /// A list, its name and its values.
    pub fn items(&self, names: &[&'static str]) -> Result<Option<(&'static str, &'a [Value])>, ConfigError> {
        self.find(names)
            .map(|(key, v)| v.as_array().map(|a| (key, a.as_slice())).ok_or_else(|| self.wrong(key, v, "expected a list")))
            .transpose()
    }

    /// Keys of an object inside the language model's, such as `linear_attn_config`.
    pub fn within(&self, name: &str) -> Option<Self> {
        let map = self.map.get(name)?.as_object()?;
        Some(Keys { file: self.file, map, outer: self.outer, defaults: &[], model_type: self.model_type })
    }

    pub fn unsupported(&self, why: &str) -> ConfigError {
        let (file, model_type) = (self.file.to_owned(), self.model_type.to_owned());
        ConfigError::Unsupported { file, model_type, why: why.to_owned() }
    }

    /// The model's own name, else that of the file; empty if the file only says `config`.
    pub fn name(&self) -> String {
        if let Some(name) = self.outer.get("_name_or_path").and_then(Value::as_str)
            && !name.trim_matches(['.', '/', '\\']).is_empty()
        {
            return name.trim_end_matches(['/', '\\']).to_owned();
        }
        let stem = self.file_name();
        let stem = stem.strip_suffix(".json").unwrap_or(stem);
        if stem == "config" { String::new() } else { stem.replacen("__", "/", 1) }
    }

    /// The file's name without its folders.
    pub fn file_name(&self) -> &'a str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(self.file)
    }

    /// What the count leaves out, whatever the family.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if ["vision_config", "audio_config", "vision_tower"].iter().any(|k| self.outer.get(*k).is_some_and(Value::is_object)) {
            remarks.push("Language model only: the image or audio part of the file is not counted".to_owned());
        }
        if let Ok(Some(n)) = self.opt(&["num_nextn_predict_layers", "mtp_num_hidden_layers"]) {
            remarks.push(format!("Without the {n} layer{} for predicting several tokens", if n == 1 { "" } else { "s" }));
        }
        remarks
    }
}
