//! What is in the case: parts at places. Small plain data; every change is an `Edit` (project/edit.rs).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId};

pub mod fit;
pub mod slots;

/// One placed thing; never reused within a document. Written `p7` in files and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlacementId(pub u32);

impl std::fmt::Display for PlacementId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl std::str::FromStr for PlacementId {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.strip_prefix('p').and_then(|n| n.parse().ok()).map(Self).ok_or_else(|| format!("\"{text}\" is no placement such as p7"))
    }
}

/// Who offers a slot: the rig itself (case, board, supply) or a placed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    Rig,
    Part(PlacementId),
}

/// A slot is named by who offers it: "slot PCIE3 of p2". Written `rig/case` or `p2/PCIE3`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId {
    pub host: Host,
    pub name: Arc<str>,
}

impl SlotId {
    pub fn rig(name: &str) -> Self {
        Self { host: Host::Rig, name: name.into() }
    }
    pub fn of(host: PlacementId, name: &str) -> Self {
        Self { host: Host::Part(host), name: name.into() }
    }
    pub fn host_part(&self) -> Option<PlacementId> {
        match self.host {
            Host::Rig => None,
            Host::Part(id) => Some(id),
        }
    }
}

impl std::fmt::Display for SlotId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host {
            Host::Rig => write!(f, "rig/{}", self.name),
            Host::Part(id) => write!(f, "{id}/{}", self.name),
        }
    }
}

impl std::str::FromStr for SlotId {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (host, name) = text.split_once('/').ok_or_else(|| format!("\"{text}\" is no slot such as p2/PCIE3 or rig/board"))?;
        let host = if host == "rig" { Host::Rig } else { Host::Part(host.parse()?) };
        Ok(Self { host, name: name.into() })
    }
}

macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}
as_text!(PlacementId, SlotId);

macro_rules! text_schema {
    ($($name:ident = $pattern:literal),+) => {$(
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": $pattern })
            }
        }
    )+};
}
text_schema!(PlacementId = "^p[0-9]+$", SlotId = "^(rig|p[0-9]+)/");

/// A part at a place. Without a slot it lies in the tray "not placed" and takes no part in the ledgers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    pub part: PartId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotId>,
    /// Choices of this one piece: `direction` of a fan, `power_limit_w` of a card, `radiator` side of a cooler, `bios.*` of a board.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

/// The parts of one rig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// Number of the next placement.
    pub(crate) next: u32,
    pub(crate) placements: BTreeMap<PlacementId, Placement>,
}

impl Build {
    pub fn placement(&self, id: PlacementId) -> Option<&Placement> {
        self.placements.get(&id)
    }

    /// All placements in order of their ids, those in the tray included.
    pub fn placements(&self) -> impl Iterator<Item = (PlacementId, &Placement)> {
        self.placements.iter().map(|(&id, p)| (id, p))
    }

    /// Parts at places, in order of their ids; the tray is left out.
    pub fn placed<'a>(&'a self, catalog: &'a Catalog) -> impl Iterator<Item = (PlacementId, &'a Placement, &'a Part)> {
        self.placements.iter().filter(|(_, p)| p.slot.is_some()).filter_map(|(&id, p)| Some((id, p, catalog.part(&p.part)?)))
    }

    /// Parts that lie in the tray.
    pub fn tray<'a>(&'a self, catalog: &'a Catalog) -> impl Iterator<Item = (PlacementId, &'a Part)> {
        self.placements.iter().filter(|(_, p)| p.slot.is_none()).filter_map(|(&id, p)| Some((id, catalog.part(&p.part)?)))
    }

    /// Who sits in a slot, in order of their ids.
    pub fn occupants(&self, slot: &SlotId) -> impl Iterator<Item = PlacementId> {
        self.placements.iter().filter(move |(_, p)| p.slot.as_ref() == Some(slot)).map(|(&id, _)| id)
    }

    /// The part in a slot that takes one.
    pub fn part_in<'a>(&self, catalog: &'a Catalog, slot: &SlotId) -> Option<(PlacementId, &'a Part)> {
        let id = self.occupants(slot).next()?;
        Some((id, catalog.part(&self.placement(id)?.part)?))
    }

    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }
}
