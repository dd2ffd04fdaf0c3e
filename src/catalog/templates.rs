//! Millimetres that the facts about single parts lack, by form factor (`catalogs/templates.toml`). Whatever comes from here is assumed.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::vocab::Socket;

/// Values by dotted path: `gpu.length_blower_mm`, `board.ATX.height_mm`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Templates {
    values: BTreeMap<String, f64>,
    zones: Vec<Zone>,
}

/// Where socket and memory lie on a board without a layout of its own; mm from the board's rear (`u`) and top (`v`) edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    name: String,
    sockets: Vec<Socket>,
    socket_count: u8,
    pub dimms: Vec<ZoneRect>,
    /// Modules stand parallel to the rear edge.
    pub upright: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct ZoneRect {
    pub u: f64,
    pub v: f64,
    pub w: f64,
    pub h: f64,
}

impl Templates {
    /// Reads the file; keys that hold no number are for readers.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let table: toml::Table = toml::from_str(text)?;
        let mut read = Self::default();
        for (key, value) in table.iter().filter(|(k, _)| *k != "sources") {
            read.collect(key, value);
        }
        if let Some(toml::Value::Table(zones)) = table.get("zone") {
            read.zones = zones.iter().filter_map(|(name, z)| zone(name, z)).collect();
        }
        Ok(read)
    }

    fn collect(&mut self, path: &str, value: &toml::Value) {
        let toml::Value::Table(table) = value else { return };
        let number = table.get("value").and_then(|v| v.as_float().or_else(|| v.as_integer().map(|n| n as f64)));
        if let Some(number) = number {
            self.values.insert(path.to_owned(), number);
            return;
        }
        for (key, inner) in table {
            self.collect(&format!("{path}.{key}"), inner);
        }
    }

    /// The value at a path, if the file has one.
    pub fn get(&self, path: &str) -> Option<f64> {
        self.values.get(path).copied()
    }

    /// The value at a path, or 0 mm where the file has lost it: a drawing then shows a flat part instead of failing.
    pub fn mm(&self, path: &str) -> f64 {
        self.get(path).unwrap_or(0.0)
    }

    /// The zone for boards with `sockets` sockets of this kind.
    pub fn zone(&self, socket: Option<Socket>, sockets: u8) -> Option<&Zone> {
        if sockets >= 2 {
            return self.zones.iter().find(|z| z.socket_count >= 2);
        }
        let own = |z: &&Zone| z.socket_count < 2 && socket.is_some_and(|s| z.sockets.contains(&s));
        self.zones.iter().find(own).or_else(|| self.zones.first())
    }

    /// A number of a zone: `socket_u_mm` …
    pub fn zone_mm(&self, zone: &Zone, key: &str) -> f64 {
        self.mm(&format!("zone.{}.{key}", zone.name))
    }
}

fn zone(name: &str, value: &toml::Value) -> Option<Zone> {
    let inner = |key: &str| value.get(key)?.get("value").cloned();
    let sockets: Vec<Socket> = value.get("sockets").cloned().and_then(|s| s.try_into().ok()).unwrap_or_default();
    Some(Zone {
        name: name.to_owned(),
        sockets,
        socket_count: value.get("socket_count").and_then(toml::Value::as_integer).and_then(|n| n.try_into().ok()).unwrap_or(1),
        dimms: inner("dimms")?.try_into().ok()?,
        upright: inner("dimm_axis").is_some_and(|a| a.as_str() == Some("along the rear edge")),
    })
}
