//! Who gets which PCIe lanes on this board with these parts, where each device hangs, and why.
//!
//! The board's table (catalog/topology.rs) is applied to what is fitted; links train to what both ends, the riser and the processor have in
//! common. What a fact is missing for is unknown (`None`), never 0: 0 lanes means off.

use std::sync::Arc;

use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::vocab::ConnectorKind;
use crate::project::Project;

mod address;
mod example;
pub mod fair;
mod flows;
mod links;
mod origin;
mod peers;
pub mod plan;
pub mod rate;
mod rules;
mod seats;
mod split;
mod words;

pub use address::AddressSpace;
pub use example::{GUIDE_BYTES, GUIDE_DIFFERENCE, GuideRow, guide_example};
pub use flows::{DriveFlow, HostFlow, Pair};
pub use origin::{Narrow, Route};
pub use peers::{Bridged, PathClass, Span};
use rate::Width;
pub use words::origin_text;

/// Where links begin: `cpu`, `cpu1`, `cpu2`, `chipset`, `switch:ID` as the board names them, or `p5` for a switch on the placed
/// part p5.
pub type NodeId = Arc<str>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    Cpu,
    Chipset,
    Switch,
}

/// A processor, chipset or switch of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub id: NodeId,
    pub kind: NodeKind,
    /// "CPU 1", "chipset X570", "switch PLX (PEX8747)".
    pub label: String,
    /// `None` for processors, and where the origin is unknown.
    pub parent: Option<NodeId>,
    /// Link to the parent; for processors the socket's own lanes are in [`Budget::lanes`].
    pub uplink: Width,
    /// Socket of a processor, counted from 0.
    pub socket: Option<usize>,
}

/// What switched a connector off.
#[derive(Clone, Debug, PartialEq)]
pub struct Disabled {
    /// Parts whose presence does it; empty for a BIOS choice, a missing processor and the like.
    pub by: Vec<PlacementId>,
    /// A clause: "slot 2 is filled (manual table)".
    pub why: String,
}

/// A link that several devices use on the way to the processor.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The node whose uplink it is.
    pub node: NodeId,
    pub uplink: Width,
    /// The other devices behind that uplink, in order of ids.
    pub with: Vec<PlacementId>,
}

/// One connector with the device in it, or empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The place: a connector of the board, the end of a riser, a socket of a carrier.
    pub slot: SlotId,
    /// The board's own label; `SLOT7/M2_1` for place `M2_1` on the part in `SLOT7`.
    pub connector: String,
    pub kind: ConnectorKind,
    /// Who sits in it; `None` = empty.
    pub device: Option<PlacementId>,
    /// What the connector offers after the board's rules. Lanes 0 = off.
    pub expected: Width,
    /// What the link trains to: the least of both ends, riser and processor. For an empty connector what a device that can use all of it
    /// would get.
    pub trained: Width,
    /// What the device could use; `None` for empty connectors.
    pub able: Option<Width>,
    /// Nearest processor, chipset or switch; `None` = unknown.
    pub hangs_on: Option<NodeId>,
    /// Root complex of the processor behind it, where the board's sources tell them apart.
    pub root: Option<Arc<str>>,
    /// NUMA node, where the BIOS settings and the board's facts tell it.
    pub numa: Option<u8>,
    /// Set where the way to the processor is shared.
    pub shares: Option<Share>,
    /// Why, in one sentence.
    pub reason: String,
    /// Parts whose presence leaves the connector fewer lanes than are wired; empty where it has all.
    pub narrowed_by: Vec<PlacementId>,
    /// Set where lanes are 0.
    pub disabled: Option<Disabled>,
}

impl Link {
    /// Trained below what the device could use: `Some(false)` if it has all, `None` if unknown.
    pub fn is_short(&self) -> Option<bool> {
        let able = self.able?;
        let less = |got: Option<u8>, want: Option<u8>| Some(got? < want?);
        match (less(self.trained.lanes, able.lanes), less(self.trained.r#gen, able.r#gen)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            (Some(false), None) if self.kind == ConnectorKind::Sata || able.r#gen.is_none() && able.lanes == Some(1) => Some(false),
            _ => None,
        }
    }
    /// It has a device that gets nothing.
    pub fn is_dead(&self) -> bool {
        self.device.is_some() && self.trained.is_off()
    }
}

/// Lanes of a processor or chipset: used, left, shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    pub node: NodeId,
    pub label: String,
    /// Lanes of a processor; for a chipset or switch those of its uplink. `None` = unknown.
    pub lanes: Option<u16>,
    /// Sum of the trained links of devices and of uplinks in use; `None` if one of them is unknown.
    pub used: Option<u16>,
    /// Devices behind it.
    pub devices: Vec<PlacementId>,
    /// Raw rate of what hangs behind over that of the uplink; above 1 the devices share. `None` for processors and where unknown.
    pub contention: Option<f64>,
}

impl Budget {
    pub fn left(&self) -> Option<u16> {
        Some(self.lanes?.saturating_sub(self.used?))
    }
}

/// The option in force of a BIOS choice or jumper.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// Key of the choice.
    pub key: String,
    /// Value of the option; `None` = no option is known to be in force.
    pub value: Option<String>,
    /// Somebody chose it; else it is the default, or what suits the parts.
    pub chosen: bool,
}

/// The allocation of a rig's lanes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// The board; `None` = no board, and everything else is empty.
    pub board: Option<PlacementId>,
    /// Processors, chipset, switches of the board, switches on parts.
    pub nodes: Vec<Node>,
    /// Connectors of the board in its order, each followed by the places on the part in it.
    pub links: Vec<Link>,
    /// One per node.
    pub budgets: Vec<Budget>,
    pub choices: Vec<Selected>,
    /// Every two cards.
    pub pairs: Vec<Pair>,
    /// Host and card, in the order of the links.
    pub hosts: Vec<HostFlow>,
    /// Every drive and card.
    pub drives: Vec<DriveFlow>,
    /// What an all-reduce moves: the slowest neighbour of a ring over all cards, GB/s; `None` = unknown, or fewer than two cards.
    pub ring_gb_s: Option<f64>,
    /// NVLink bridges by the card that carries them.
    pub bridges: Vec<(PlacementId, Span)>,
    pub address: AddressSpace,
}

impl Lanes {
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|n| &*n.id == id)
    }
    /// The link at a place.
    pub fn link(&self, slot: &SlotId) -> Option<&Link> {
        self.links.iter().find(|l| l.slot == *slot)
    }
    /// The link of a device.
    pub fn of(&self, device: PlacementId) -> Option<&Link> {
        self.links.iter().find(|l| l.device == Some(device))
    }
    /// The link of a connector by its label.
    pub fn at(&self, connector: &str) -> Option<&Link> {
        self.links.iter().find(|l| l.connector == connector)
    }
    /// Two cards, in either order.
    pub fn pair(&self, a: PlacementId, b: PlacementId) -> Option<&Pair> {
        self.pairs.iter().find(|p| (p.a, p.b) == (a, b) || (p.a, p.b) == (b, a))
    }
    /// Nodes from the one a link hangs on up to the processor.
    pub fn path(&self, link: &Link) -> Vec<&Node> {
        let mut path = Vec::new();
        let mut at = link.hangs_on.as_deref();
        while let Some(node) = at.and_then(|id| self.node(id)).filter(|_| path.len() <= self.nodes.len()) {
            path.push(node);
            at = node.parent.as_deref();
        }
        path
    }
}

/// The allocation for the rig as it is.
pub fn lanes(catalog: &Catalog, project: &Project) -> Lanes {
    match seats::World::of(catalog, &project.rig) {
        Some(world) => links::links(world),
        None => Lanes::default(),
    }
}
