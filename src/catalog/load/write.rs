//! Parts back into catalog files, as rig files embed them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::catalog::part::{Life, Part, PartKind, Price, Provenance, Source};

/// A catalog file that holds these parts with all their sources, as a rig file embeds them.
///
/// # Errors
/// If a value has no TOML form, which no part read from TOML has.
pub fn write_parts<'a>(parts: impl Iterator<Item = &'a Part>) -> Result<toml::Table, toml::ser::Error> {
    let mut sources: Vec<Source> = Vec::new();
    let mut file = toml::Table::new();
    for part in parts {
        let mut key_of = |key: &String| -> String {
            let Some(source) = part.sources.get(key) else { return key.clone() };
            let at = sources.iter().position(|s| s == source).unwrap_or_else(|| {
                sources.push(source.clone());
                sources.len() - 1
            });
            format!("s{}", at + 1)
        };
        let table = part_table(part, &mut key_of)?;
        let list = file.entry(part.kind.key()).or_insert_with(|| toml::Value::Array(Vec::new()));
        if let toml::Value::Array(list) = list {
            list.push(toml::Value::Table(table));
        }
    }
    let sources: BTreeMap<String, Source> = sources.into_iter().enumerate().map(|(n, s)| (format!("s{}", n + 1), s)).collect();
    file.insert("sources".to_owned(), toml::Value::try_from(sources)?);
    Ok(file)
}

fn part_table(part: &Part, key_of: &mut dyn FnMut(&String) -> String) -> Result<toml::Table, toml::ser::Error> {
    let mut table = toml::Table::new();
    let mut put = |key: &str, value: toml::Value| table.insert(key.to_owned(), value);
    put("id", part.id.as_str().into());
    put("name", part.name.as_str().into());
    if !part.aliases.is_empty() {
        put("aliases", part.aliases.clone().into());
    }
    for (key, text) in [("maker", &part.maker), ("part_number", &part.part_number), ("notes", &part.notes)] {
        if let Some(text) = text {
            put(key, text.as_str().into());
        }
    }
    if part.generic {
        put("generic", true.into());
    }
    for (key, value) in kind_table(&part.kind)? {
        if part.from.contains_key(&key) {
            put(&key, value);
        }
    }
    let mut from = BTreeMap::new();
    for (field, origin) in &part.from {
        from.insert(field.clone(), Provenance { source: key_of(&origin.source), ..origin.clone() });
    }
    put("from", toml::Value::try_from(from)?);
    let prices: Vec<Price> = part.prices.iter().map(|p| Price { source: key_of(&p.source), ..p.clone() }).collect();
    if !prices.is_empty() {
        put("prices", toml::Value::try_from(prices)?);
    }
    if part.life != Life::default() {
        let life = Life { source: part.life.source.as_ref().map(key_of), ..part.life.clone() };
        put("life", toml::Value::try_from(life)?);
    }
    Ok(table)
}

/// The facts of a part as a table, unknown ones left out.
pub fn kind_table(kind: &PartKind) -> Result<toml::Table, toml::ser::Error> {
    fn of<T: Serialize>(kind: &T) -> Result<toml::Table, toml::ser::Error> {
        toml::Table::try_from(kind)
    }
    match kind {
        PartKind::Gpu(k) => of(k),
        PartKind::Cpu(k) => of(k),
        PartKind::Board(k) => of(k),
        PartKind::Ram(k) => of(k),
        PartKind::Drive(k) => of(k),
        PartKind::Psu(k) => of(k),
        PartKind::Cooler(k) => of(k),
        PartKind::Fan(k) => of(k),
        PartKind::Case(k) => of(k),
        PartKind::Nic(k) => of(k),
        PartKind::Riser(k) => of(k),
        PartKind::Carrier(k) => of(k),
        PartKind::Bridge(k) => of(k),
    }
}
