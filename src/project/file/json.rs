//! Rig files as JSON: the same document, key for key, for programs that do not read TOML. Its schema is `docs/rig.schema.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Number, Value};

use super::{SaveError, Snapshot, document};
use crate::catalog::Catalog;
use crate::catalog::load::shortened;
use crate::catalog::part::{
    Board, Bridge, Carrier, Case, Cooler, Cpu, Drive, Fan, Gpu, Life, Nic, Price, Provenance, Psu, Ram, Riser, Source,
};
use crate::catalog::rates::Rates;
use crate::project::{Project, Versions};

/// The text of a rig file as JSON; reads back as what `save_text` writes does.
///
/// # Errors
/// If a number has no JSON form.
pub fn save_json(catalog: &Catalog, project: &Project, snapshot: &Snapshot) -> Result<String, SaveError> {
    let value = json(&toml::Value::Table(document(catalog, project, snapshot)?)).ok_or(SaveError::NoNumber)?;
    Ok(format!("{value:#}\n"))
}

/// Whether a text is meant as JSON, which no TOML document is that begins so.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

/// Whether a JSON text is a rig rather than something else, such as a model's configuration.
pub fn is_rig(text: &str) -> bool {
    let Ok(Value::Object(file)) = serde_json::from_str(text.trim_start_matches('\u{feff}')) else { return false };
    file.contains_key("format") && file.contains_key("rig")
}

/// The document of a JSON text.
///
/// # Errors
/// Line and fault.
pub(super) fn read(text: &str) -> Result<toml::Table, (usize, String)> {
    let file: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| {
        let message = e.to_string();
        let what = message.split(" at line ").next().unwrap_or(&message);
        (e.line().max(1), format!("is no valid JSON: {}. Correct the text or export it again", shortened(what)))
    })?;
    match toml_of(&file, "") {
        Ok(toml::Value::Table(table)) => Ok(table),
        Ok(_) => Err((1, "is no JSON object. A rig file is one object".to_owned())),
        Err(why) => Err((1, why)),
    }
}

fn json(value: &toml::Value) -> Option<Value> {
    Some(match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(n) => Value::Number((*n).into()),
        toml::Value::Float(n) => Value::Number(Number::from_f64(*n)?),
        toml::Value::Boolean(b) => Value::Bool(*b),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(items) => Value::Array(items.iter().map(json).collect::<Option<_>>()?),
        toml::Value::Table(table) => Value::Object(table.iter().map(|(k, v)| Some((k.clone(), json(v)?))).collect::<Option<Map<_, _>>>()?),
    })
}

/// Unknown is absent in TOML, so a null is left out.
fn toml_of(value: &Value, path: &str) -> Result<toml::Value, String> {
    let inner = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    Ok(match value {
        Value::Null => return Err(format!("{path} is null where a value is needed. Leave it out")),
        Value::Bool(b) => toml::Value::Boolean(*b),
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(n), _) => toml::Value::Integer(n),
            (None, Some(n)) => toml::Value::Float(n),
            (None, None) => return Err(format!("{path}: {n} is no number that a rig file can hold")),
        },
        Value::Array(items) => {
            let items = items.iter().enumerate().map(|(n, v)| toml_of(v, &inner(&n.to_string())));
            toml::Value::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let known = fields.iter().filter(|(_, v)| !v.is_null());
            let table = known.map(|(k, v)| Ok((k.clone(), toml_of(v, &inner(k))?))).collect::<Result<toml::Table, String>>()?;
            toml::Value::Table(table)
        }
    })
}

/// A rig file. Fields are those of docs/rig-file.md.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "read by the schema's generator alone")]
struct RigFile {
    /// Number of the format: 1.
    format: u32,
    #[serde(flatten)]
    project: Project,
    /// What wrote the file.
    #[serde(default)]
    made_with: Versions,
    /// Exchange rates that the report was made with.
    exchange: Option<Rates>,
    #[serde(default)]
    parts: Parts,
    #[serde(default)]
    snapshot: Snapshot,
}

/// Copies of the parts used.
#[derive(Default, serde::Serialize, JsonSchema)]
#[schemars(default)]
#[expect(dead_code, reason = "read by the schema's generator alone")]
struct Parts {
    #[serde(skip)]
    unused: (),
    sources: BTreeMap<String, Source>,
    gpu: Vec<Part<Gpu>>,
    cpu: Vec<Part<Cpu>>,
    board: Vec<Part<Board>>,
    ram: Vec<Part<Ram>>,
    drive: Vec<Part<Drive>>,
    psu: Vec<Part<Psu>>,
    cooler: Vec<Part<Cooler>>,
    fan: Vec<Part<Fan>>,
    case: Vec<Part<Case>>,
    nic: Vec<Part<Nic>>,
    riser: Vec<Part<Riser>>,
    carrier: Vec<Part<Carrier>>,
    bridge: Vec<Part<Bridge>>,
}

/// A part with its facts and where each of them is from.
#[derive(serde::Serialize, JsonSchema)]
struct Part<K> {
    id: String,
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    maker: Option<String>,
    part_number: Option<String>,
    notes: Option<String>,
    #[serde(default)]
    generic: bool,
    #[serde(default)]
    from: BTreeMap<String, Provenance>,
    #[serde(default)]
    prices: Vec<Price>,
    #[serde(default)]
    life: Life,
    #[serde(flatten)]
    facts: K,
}

/// The schema as text, as `docs/rig.schema.json` holds it.
pub fn schema_text() -> String {
    let schema = schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<RigFile>();
    format!("{:#}\n", schema.as_value())
}
