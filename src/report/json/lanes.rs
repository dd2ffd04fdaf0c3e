//! Lanes in the report.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Origin;
use crate::analysis::lanes::rate::Width;
use crate::analysis::lanes::{Budget, Lanes, Link, Node, NodeKind, Pair, Share};

use super::known;

/// Who gets which PCIe lanes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonLanes {
    /// Connectors of the board in its order, each followed by the places on the part in it.
    pub links: Vec<JsonLink>,
    /// Processors, chipset and switches.
    pub nodes: Vec<JsonNode>,
    /// Every two cards.
    pub pairs: Vec<JsonPair>,
    /// Copies from the host's memory to each card.
    pub hosts: Vec<JsonHost>,
    /// Loading from each drive into each card, through the host's memory.
    pub drives: Vec<JsonDriveFlow>,
    /// What an all-reduce over all cards moves; null: unknown, or fewer than two cards.
    pub ring_gb_s: Option<f64>,
    /// How `ring_gb_s` was made; null: unknown.
    pub ring_origin: Option<JsonOrigin>,
    pub address_space: JsonAddressSpace,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonLink {
    /// The board's own label; "SLOT7/end" for a place on the part in SLOT7.
    pub connector: String,
    /// "pcie", "m2", "u2", "oculink", "slimsas", "mcio", "sata".
    pub kind: String,
    /// Id of the placed part; null: empty.
    pub device: Option<String>,
    /// What the connector offers after the board's rules; 0 = off, null = unknown.
    pub expected_lanes: Option<u8>,
    pub expected_gen: Option<u8>,
    /// What the link trains to; 0 = off, null = unknown. For an empty connector what a device that can use all of it would get.
    pub trained_lanes: Option<u8>,
    pub trained_gen: Option<u8>,
    /// "cpu", "cpu1", "cpu2", "chipset", "switch:ID", or the id of a placed part with a switch; null: unknown.
    pub hangs_on: Option<String>,
    /// Root complex of the processor, as firmware numbers it; null: unknown.
    pub root: Option<String>,
    /// NUMA node; null: unknown.
    pub numa: Option<u8>,
    /// Null: nothing on the way to the processor is shared, or the connector is empty.
    pub shares: Option<JsonShare>,
    /// Why, in one sentence.
    pub reason: String,
    /// What switched it off; null: it is on, or unknown.
    pub disabled_by: Option<String>,
}

/// An uplink that several devices use.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonShare {
    /// The chipset or switch whose uplink it is.
    pub uplink: String,
    pub lanes: Option<u8>,
    #[serde(rename = "gen")]
    pub generation: Option<u8>,
    /// Raw rate of the uplink in one direction.
    pub gb_s: Option<f64>,
    /// Ids of the other devices behind it.
    pub with: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonNode {
    pub id: String,
    /// "cpu", "chipset", "switch".
    pub kind: String,
    pub label: String,
    /// Null: a processor, or unknown.
    pub parent: Option<String>,
    pub uplink_lanes: Option<u8>,
    pub uplink_gen: Option<u8>,
    /// Lanes of a processor, else those of the uplink.
    pub lanes: Option<u16>,
    /// Lanes in use below it.
    pub used_lanes: Option<u16>,
    /// Raw rate of what hangs behind over that of the uplink.
    pub contention: Option<f64>,
}

/// Two cards.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonPair {
    pub a: String,
    pub b: String,
    /// As `nvidia-smi topo -m` names it: "NV4", "PIX", "PXB", "PHB", "NODE", "SYS"; null: unknown.
    pub class: Option<String>,
    /// One may reach the other's memory; null: unknown.
    pub p2p: Option<bool>,
    /// Large copies in one direction, nothing else running.
    pub gb_s: Option<f64>,
    /// Both directions at once, together.
    pub both_gb_s: Option<f64>,
    /// A small transfer.
    pub latency_us: Option<f64>,
    /// Why peer access is there or not, or what is unknown.
    pub why: String,
    /// How `gb_s` was made; null: unknown.
    pub rate_origin: Option<JsonOrigin>,
    pub latency_origin: Option<JsonOrigin>,
}

/// How a number was made.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonOrigin {
    pub formula: String,
    pub source: String,
    /// "exact", "derived", "fitted to measurements", "assumed".
    pub basis: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonHost {
    pub gpu: String,
    /// To the card, nothing else running.
    pub alone_gb_s: Option<f64>,
    /// To the card while all cards are fed.
    pub together_gb_s: Option<f64>,
    /// To the card while it also sends as much.
    pub duplex_gb_s: Option<f64>,
    /// Atomic operations of the card reach the processor; null: unknown.
    pub atomics: Option<bool>,
    /// How `alone_gb_s` was made; null: unknown.
    pub origin: Option<JsonOrigin>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonDriveFlow {
    pub drive: String,
    pub gpu: String,
    pub gb_s: Option<f64>,
    /// How `gb_s` was made; null: unknown.
    pub origin: Option<JsonOrigin>,
}

/// Memory windows of cards, which the BIOS must place.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonAddressSpace {
    /// Sum of the windows that cards open at start.
    pub need_gb: Option<f64>,
    pub have_gb: Option<f64>,
    /// The BIOS places windows above 4 GB.
    pub above_4g: Option<bool>,
    /// Cards whose window fits only above 4 GB.
    pub large: Vec<String>,
}

fn origin(origin: Origin) -> JsonOrigin {
    JsonOrigin { formula: origin.formula, source: origin.source.into_owned(), basis: origin.basis.text().to_owned() }
}

fn pair(lanes: &Lanes, pair: &Pair) -> JsonPair {
    JsonPair {
        a: pair.a.to_string(),
        b: pair.b.to_string(),
        class: pair.class.map(|c| c.text()),
        p2p: pair.p2p,
        gb_s: known(pair.gb_s),
        both_gb_s: known(pair.both_gb_s),
        latency_us: known(pair.latency_us),
        why: pair.why.to_owned(),
        rate_origin: pair.rate_origin(lanes).map(origin),
        latency_origin: pair.latency_origin().map(origin),
    }
}

pub(super) fn json(lanes: &Lanes) -> JsonLanes {
    JsonLanes {
        links: lanes.links.iter().map(link).collect(),
        nodes: lanes.nodes.iter().zip(&lanes.budgets).map(|(n, b)| node(n, b)).collect(),
        pairs: lanes.pairs.iter().map(|p| pair(lanes, p)).collect(),
        hosts: lanes
            .hosts
            .iter()
            .map(|h| JsonHost {
                gpu: h.gpu.to_string(),
                alone_gb_s: known(h.alone_gb_s),
                together_gb_s: known(h.together_gb_s),
                duplex_gb_s: known(h.duplex_gb_s),
                atomics: h.atomics,
                origin: h.origin(lanes).map(origin),
            })
            .collect(),
        drives: lanes
            .drives
            .iter()
            .map(|d| JsonDriveFlow {
                drive: d.drive.to_string(),
                gpu: d.gpu.to_string(),
                gb_s: known(d.gb_s),
                origin: d.origin().map(origin),
            })
            .collect(),
        ring_gb_s: known(lanes.ring_gb_s),
        ring_origin: lanes.ring_origin().map(origin),
        address_space: JsonAddressSpace {
            need_gb: known(lanes.address.need_gb),
            have_gb: known(lanes.address.have_gb),
            above_4g: lanes.address.above_4g,
            large: lanes.address.large.iter().map(ToString::to_string).collect(),
        },
    }
}

fn link(link: &Link) -> JsonLink {
    let Width { lanes: expected_lanes, r#gen: expected_gen } = link.expected;
    JsonLink {
        connector: link.connector.clone(),
        kind: link.kind.text().to_owned(),
        device: link.device.map(|d| d.to_string()),
        expected_lanes,
        expected_gen: expected_gen.filter(|_| !link.expected.is_off()),
        trained_lanes: link.trained.lanes,
        trained_gen: link.trained.r#gen,
        hangs_on: link.hangs_on.as_ref().map(ToString::to_string),
        root: link.root.as_ref().map(ToString::to_string),
        numa: link.numa,
        shares: link.shares.as_ref().map(share),
        reason: link.reason.clone(),
        disabled_by: link.disabled.as_ref().map(|d| d.why.clone()),
    }
}

fn share(share: &Share) -> JsonShare {
    JsonShare {
        uplink: share.node.to_string(),
        lanes: share.uplink.lanes,
        generation: share.uplink.r#gen,
        gb_s: known(share.uplink.raw_gb_s()),
        with: share.with.iter().map(ToString::to_string).collect(),
    }
}

fn node(node: &Node, budget: &Budget) -> JsonNode {
    let kind = match node.kind {
        NodeKind::Cpu => "cpu",
        NodeKind::Chipset => "chipset",
        NodeKind::Switch => "switch",
    };
    JsonNode {
        id: node.id.to_string(),
        kind: kind.to_owned(),
        label: node.label.clone(),
        parent: node.parent.as_ref().map(ToString::to_string),
        uplink_lanes: node.uplink.lanes,
        uplink_gen: node.uplink.r#gen,
        lanes: budget.lanes,
        used_lanes: budget.used,
        contention: known(budget.contention),
    }
}
