//! One object of a described build: its values by any of several keys, and the keys that nobody asked for.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// An object whose keys are ticked off as they are read. A plain text stands for an object with that name.
pub(super) struct Keys<'v> {
    map: Option<&'v Map<String, Value>>,
    name: Option<&'v str>,
    path: String,
    read: RefCell<BTreeSet<&'v str>>,
}

impl<'v> Keys<'v> {
    pub(super) fn of(value: &'v Value, path: &str) -> Self {
        Self { map: value.as_object(), name: value.as_str(), path: path.to_owned(), read: RefCell::default() }
    }

    pub(super) fn is_text(&self) -> bool {
        self.name.is_some()
    }

    /// The first of these keys that is there; `null` counts as there.
    pub(super) fn get(&self, keys: &[&str]) -> Option<&'v Value> {
        let mut found = None;
        for wanted in keys {
            let hit = self.map.and_then(|m| m.get_key_value(*wanted));
            if let Some((key, value)) = hit {
                self.read.borrow_mut().insert(key.as_str());
                found = found.or(Some(value));
            }
        }
        found
    }

    /// A number, or a text that begins with one: "350 W".
    pub(super) fn number(&self, keys: &[&str]) -> Option<f64> {
        self.get(keys).and_then(number)
    }

    pub(super) fn count(&self, keys: &[&str]) -> Option<u8> {
        self.number(keys).filter(|n| (0.0..=64.0).contains(n)).map(|n| n as u8)
    }

    pub(super) fn text(&self, keys: &[&str]) -> Option<&'v str> {
        self.get(keys).and_then(Value::as_str)
    }

    /// Yes or no, also as a word.
    pub(super) fn flag(&self, keys: &[&str]) -> Option<bool> {
        let value = self.get(keys)?;
        value.as_bool().or_else(|| match value.as_str()?.to_lowercase().as_str() {
            "yes" | "true" | "on" => Some(true),
            "no" | "false" | "off" | "none" => Some(false),
            _ => None,
        })
    }

    pub(super) fn name(&self) -> Option<&'v str> {
        self.name.or_else(|| self.text(&["name", "model", "part", "product"]))
    }

    /// Names of keys that no reader asked for.
    pub(super) fn unread(&self, notes: &mut Vec<String>) {
        let read = self.read.borrow();
        for key in self.map.into_iter().flat_map(Map::keys).filter(|k| !read.contains(k.as_str())) {
            notes.push(format!("{}.{key} is not known and was left out", self.path));
        }
    }
}

pub(super) fn number(value: &Value) -> Option<f64> {
    let plain = value.as_f64().or_else(|| {
        let text = value.as_str()?.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        text.get(..end)?.parse().ok()
    });
    plain.filter(|n| n.is_finite())
}

/// A list, or one value as a list of one.
pub(super) fn list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    }
}
