//! From card to card: the class of the path as `nvidia-smi topo -m` names it, and whether one card may reach the other's memory.

use crate::build::PlacementId;
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::catalog::platform::is_desktop;
use crate::catalog::vocab::{GpuVendor, Socket};

use super::Link;
use super::seats::World;

/// Path between two cards. The legend is that of `nvidia-smi topo -m` (stas00/ml-engineering, network/README.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathClass {
    /// So many bonded `NVLink`s.
    Nvlink(u8),
    /// At most one PCIe bridge: both behind one switch.
    Pix,
    /// Several PCIe bridges, no host bridge.
    Pxb,
    /// One host bridge.
    Phb,
    /// Between host bridges of one NUMA node.
    Node,
    /// Between NUMA nodes.
    Sys,
}

impl PathClass {
    /// "NV4", "PIX", …
    pub fn text(self) -> String {
        match self {
            Self::Nvlink(n) => format!("NV{n}"),
            Self::Pix => "PIX".to_owned(),
            Self::Pxb => "PXB".to_owned(),
            Self::Phb => "PHB".to_owned(),
            Self::Node => "NODE".to_owned(),
            Self::Sys => "SYS".to_owned(),
        }
    }
}

/// Whether every root port of a processor lies on one host bridge.
///
/// Desktop processors and LGA2011 have one bus 0 with all ports. Threadripper and EPYC have one complex per quadrant of the I/O die (seen as NODE
/// between quadrants on a WRX90 board, local-inference-lab/rtx6kpro, hardware/wrx90-cpayne-16gpu-4switch.md); scalable Xeons have one per stack.
/// Which slot lies on which is a fact of the board.
pub(super) const fn one_complex(socket: Socket) -> bool {
    is_desktop(socket) || by_qpi(socket)
}

/// Processors joined by QPI, up to Broadwell.
const fn by_qpi(socket: Socket) -> bool {
    matches!(socket, Socket::Lga1366 | Socket::Lga2011 | Socket::Lga2011v3)
}

/// Root ports of the processor complete PCIe atomic operations: Intel since Haswell (and Xeon E5 v2), Ryzen, Threadripper, EPYC.
/// Source: <https://github.com/RadeonOpenCompute/ROCR-Runtime/issues/23>. LGA2011 holds processors of both kinds.
pub(super) const fn completes_atomics(socket: Socket) -> Option<bool> {
    match socket {
        Socket::Lga775 | Socket::Lga1155 | Socket::Lga1156 | Socket::Lga1366 => Some(false),
        Socket::Lga2011 | Socket::Am2 | Socket::Am3 | Socket::Fm2 => None,
        Socket::Lga1151
        | Socket::Lga1200
        | Socket::Lga1700
        | Socket::Lga1851
        | Socket::Lga1150
        | Socket::Lga2011v3
        | Socket::Lga2066
        | Socket::Lga3647
        | Socket::Lga4189
        | Socket::Lga4677
        | Socket::Lga4710
        | Socket::Am4
        | Socket::Am5
        | Socket::Tr4
        | Socket::Strx4
        | Socket::Swrx8
        | Socket::Str5
        | Socket::Sp3
        | Socket::Sp5
        | Socket::Sp6 => Some(true),
    }
}

/// Intel's chipsets do not pass them on: an H270 in <https://github.com/ROCm/legacy-rocm-build/issues/364>. AMD's: not recorded.
pub(super) fn chipset_passes_atomics(socket: Socket) -> Option<bool> {
    if socket.is_intel() { Some(false) } else { None }
}

/// A card in a slot.
#[derive(Debug)]
pub(super) struct Card<'a> {
    pub id: PlacementId,
    pub part: &'a Part,
    pub gpu: &'a Gpu,
    /// Index of its link.
    pub link: usize,
    /// Case opening of its slot on the board.
    pub opening: Option<u8>,
    /// The bridge on its NVLink edge.
    pub bridge: Option<&'a Part>,
}

pub(super) fn cards<'a>(world: &World<'a>, links: &[Link]) -> Vec<Card<'a>> {
    let seats = links.iter().enumerate().filter_map(|(n, link)| Some((n, link, world.seat(link.slot.host_part()?, &link.slot.name)?)));
    seats
        .filter_map(|(n, link, seat)| {
            let PartKind::Gpu(gpu) = &seat.part.kind else { return None };
            let on_board = (link.slot.host_part() == Some(world.board_id)).then_some(&link.slot.name);
            let opening = on_board.and_then(|name| world.board.connectors.iter().find(|c| c.label == **name)).and_then(|c| c.opening);
            let bridge = world.seat(seat.id, "nvlink").map(|s| s.part);
            Some(Card { id: seat.id, part: seat.part, gpu, link: n, opening, bridge })
        })
        .collect()
}

/// Two cards under one bridge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bridged {
    /// The card that carries the bridge.
    pub a: PlacementId,
    pub b: PlacementId,
    pub links: u8,
    /// One direction, raw.
    pub gb_s: f64,
}

/// How a bridge sits.
#[derive(Clone, Debug, PartialEq)]
pub enum Span {
    /// It joins the two cards.
    Joins(Bridged),
    /// No other card that it is made for lies at its distance; the distances there are, in slot places.
    Misses { spacing: u8, found: Vec<u8> },
    /// This field of this part is missing.
    Unknown { part: String, field: &'static str },
}

/// What each bridge of the rig joins, by the card that carries it.
pub(super) fn bridges(world: &World<'_>, cards: &[Card<'_>]) -> Vec<(PlacementId, Span)> {
    cards.iter().filter_map(|card| Some((card.id, span(world, cards, card, card.bridge?)))).collect()
}

fn span(world: &World<'_>, cards: &[Card<'_>], card: &Card<'_>, part: &Part) -> Span {
    let unknown = |part: &Part, field| Span::Unknown { part: part.short_name().to_owned(), field };
    let PartKind::Bridge(bridge) = &part.kind else { return unknown(part, "kind") };
    let Some(spacing) = bridge.spacing_slots else { return unknown(part, "spacing_slots") };
    let Some((links, both)) = card.gpu.nvlink.as_deref().and_then(nvlink) else {
        return unknown(card.part, "nvlink");
    };
    let made_for = |gpu: &Gpu| gpu.product.as_ref().zip(bridge.products.as_ref()).is_some_and(|(p, list)| list.contains(p));
    let partners = cards.iter().filter(|c| c.id != card.id && made_for(c.gpu) && c.gpu.product == card.gpu.product);
    let mut found = Vec::new();
    for other in partners {
        let (Some(a), Some(b)) = (card.opening, other.opening) else {
            return unknown(world.board_part, "openings of the slots");
        };
        if a.abs_diff(b) == spacing {
            let both = bridge.bandwidth_gb_s.map_or(both, |gb_s| gb_s.min(both));
            return Span::Joins(Bridged { a: card.id, b: other.id, links, gb_s: both / 2.0 });
        }
        found.push(a.abs_diff(b));
    }
    found.sort_unstable();
    Span::Misses { spacing, found }
}

/// Links and GB/s of both directions together, from "NVLink 3, bridge, 112.5 GB/s".
///
/// GB/s of one link, both directions: 40 (NVLink 1), 50 (NVLink 2 and 4, and 3 in data centres), 28.125 (NVLink 3 of GA102). Source: NVIDIA's
/// architecture papers, source not recorded.
fn nvlink(text: &str) -> Option<(u8, f64)> {
    let version: u8 = text.strip_prefix("NVLink ")?.chars().next()?.to_digit(10)?.try_into().ok()?;
    let total: f64 = text.rsplit(", ").next()?.strip_suffix(" GB/s")?.parse().ok()?;
    let each = match version {
        1 => 40.0,
        3 if total < 200.0 => 28.125,
        _ => 50.0,
    };
    Some(((total / each).round() as u8, total))
}

/// Class of the PCIe path, and why it is not known.
pub(super) fn class(
    world: &World<'_>,
    links: (&Link, &Link),
    switch: SharedSwitch,
    sockets: (Option<usize>, Option<usize>),
) -> Result<PathClass, &'static str> {
    match switch {
        SharedSwitch::Same => return Ok(PathClass::Pix),
        SharedSwitch::Chain => return Ok(PathClass::Pxb),
        SharedSwitch::None => {}
        SharedSwitch::Unknown => return Err("which switch a slot hangs on is unknown"),
    }
    let (Some(a), Some(b)) = sockets else { return Err("which CPU a slot hangs on is unknown") };
    if a != b {
        return Ok(PathClass::Sys);
    }
    if world.board.socket.is_some_and(one_complex) {
        return Ok(PathClass::Phb);
    }
    let node = |link: &Link| world.board.roots.iter().find(|r| Some(r.id.as_str()) == link.root.as_deref()).and_then(|r| r.nps4_node);
    match (&links.0.root, &links.1.root) {
        (Some(x), Some(y)) if x == y => Ok(PathClass::Phb),
        (Some(_), Some(_)) if world.nps4() => match (node(links.0), node(links.1)) {
            (Some(x), Some(y)) if x == y => Ok(PathClass::Node),
            (Some(_), Some(_)) => Ok(PathClass::Sys),
            _ => Err("which quadrant of the CPU a slot hangs on is unknown"),
        },
        (Some(_), Some(_)) => Ok(PathClass::Node),
        // The chipset hangs on one of the complexes, and a slot may on another.
        _ => Err("which root complex a slot hangs on is unknown: PHB or NODE"),
    }
}

/// What two paths have in common below the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SharedSwitch {
    /// Both hang on one switch.
    Same,
    /// They meet in a switch, over others.
    Chain,
    None,
    Unknown,
}

/// Whether one card may read and write the other's memory over PCIe, and why.
pub(super) fn access(world: &World<'_>, a: &Card<'_>, b: &Card<'_>, class: Option<PathClass>) -> (Option<bool>, &'static str) {
    if let Some(PathClass::Nvlink(_)) = class {
        return (Some(true), "over the NVLink bridge");
    }
    match (a.gpu.vendor, b.gpu.vendor) {
        (Some(x), Some(y)) if x != y => return (Some(false), "cards of two makers do not reach each other"),
        (Some(_), Some(_)) => {}
        _ => return (None, "the maker of a card is unknown"),
    }
    let across = class == Some(PathClass::Sys);
    if across && world.board.socket.is_some_and(by_qpi) {
        // http://blog.exxactcorp.com/exploring-the-complexities-of-pcie-connectivity-and-peer-to-peer-communication/; a machine of eight 1080 Ti
        // on two E5 answers "No" across: http://server-gear.com/shop/index.php/blog/10x1080ti-smi-query/.
        return (Some(false), "QPI between the processors carries no peer traffic");
    }
    if across && a.gpu.vendor == Some(GpuVendor::Amd) && world.board.socket.is_some_and(Socket::is_intel) {
        // https://github.com/ROCm/rocm_bandwidth_test/issues/18
        return (Some(false), "ROCm does not reach across two Intel processors");
    }
    let (allowed, why) = by_cards(world, a, b, class);
    match (allowed, world.choice("iommu")) {
        // https://github.com/NVIDIA/nccl/issues/841, https://github.com/NVIDIA/nccl-tests/issues/115
        (Some(true), Some("on")) => (None, "an IOMMU that translates makes copies between cards hang or crawl: set iommu=pt, or off"),
        _ => (allowed, why),
    }
}

/// What the cards and their driver allow.
fn by_cards(world: &World<'_>, a: &Card<'_>, b: &Card<'_>, class: Option<PathClass>) -> (Option<bool>, &'static str) {
    let (Some(one), Some(two)) = (a.gpu.p2p.as_deref(), b.gpu.p2p.as_deref()) else {
        return (None, "whether the card has peer access is unknown");
    };
    let able = |text: &str| text.starts_with("PCIe");
    if able(one) && able(two) {
        let near = one.contains("same root complex") || two.contains("same root complex");
        return match class {
            Some(PathClass::Pix | PathClass::Pxb | PathClass::Phb) => (Some(true), "the cards' class has peer access"),
            Some(_) if near => (Some(false), "these cards reach each other behind one root complex only"),
            None if near => (None, "the path is unknown, and these cards reach each other behind one root complex only"),
            _ if a.gpu.vendor == Some(GpuVendor::Nvidia) && a.gpu.architecture != b.gpu.architecture => {
                (None, "peer access between two architectures is not recorded")
            }
            _ => (Some(true), "the cards' class has peer access"),
        };
    }
    // GeForce since the 30 series: NVIDIA's driver refuses ("CNS"), a patched module allows it where BAR1 covers the memory
    // (noonghunna/club-3090, `docs/PCIE_P2P.md`).
    match (world.choice("driver"), class) {
        // Measured with cards of three architectures: https://github.com/aikitoria/open-gpu-kernel-modules/pull/5.
        (Some("patched"), _)
            if a.gpu.architecture.is_some() && b.gpu.architecture.is_some() && a.gpu.architecture != b.gpu.architecture =>
        {
            (Some(false), "the patched driver joins cards of one architecture only")
        }
        (Some("patched"), _) => match world.choice("resizable_bar") {
            Some("off") => (Some(false), "the patched driver needs resizable BAR"),
            Some(_) => (Some(true), "patched driver with resizable BAR"),
            None => (None, "the patched driver needs resizable BAR, and whether it is on is unknown"),
        },
        (_, Some(PathClass::Pix)) => (None, "the driver refuses these cards; behind one switch it may skip its list of chipsets"),
        _ => (Some(false), "the driver refuses these cards"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nvlinks_are_counted() {
        for (text, wanted) in [
            ("NVLink 3, bridge, 112.5 GB/s", Some((4, 112.5))),
            ("NVLink 2, bridge, 100 GB/s", Some((2, 100.0))),
            ("NVLink 2, bridge, 50 GB/s", Some((1, 50.0))),
            ("NVLink 3, bridge, 600 GB/s", Some((12, 600.0))),
            ("NVLink 3, bridge, 200 GB/s", Some((4, 200.0))),
            ("NVLink 4, bridge, 900 GB/s", Some((18, 900.0))),
            ("NVLink 1, bridge, 160 GB/s", Some((4, 160.0))),
            ("NVLink 3", None),
        ] {
            assert_eq!(nvlink(text), wanted, "{text}");
        }
    }
}
