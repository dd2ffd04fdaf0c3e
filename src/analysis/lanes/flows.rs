//! What the links carry: from host to card alone and all at once, from card to card, from drive to card.
//!
//! Every flow is a list of directed resources: links, uplinks, the way between sockets, memory. Shares are max-min fair (fair.rs).

use crate::build::PlacementId;
use crate::catalog::part::PartKind;
use crate::catalog::vocab::{DriveBus, Socket};

use super::address::address_space;
use super::fair::{Flow, fair};
use super::origin::{Narrow, Route};
use super::peers::{
    Bridged, Card, PathClass, SharedSwitch, Span, access, bridges, cards, chipset_passes_atomics, class, completes_atomics, one_complex,
};
use super::rate::{Width, host_efficiency, peer_efficiency};
use super::seats::World;
use super::{Lanes, Link, Node, NodeKind};

/// Two cards.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub a: PlacementId,
    pub b: PlacementId,
    /// `None` = unknown.
    pub class: Option<PathClass>,
    /// One may reach the other's memory; `None` = unknown.
    pub p2p: Option<bool>,
    /// Large copies, one direction, nothing else running. Without peer access through the host's memory. `None` = unknown.
    pub gb_s: Option<f64>,
    /// What the links between them carry where peer access is on, one direction; `None` = unknown, or over a bridge.
    pub links_gb_s: Option<f64>,
    /// Both directions at once, together.
    pub both_gb_s: Option<f64>,
    /// A small transfer.
    pub latency_us: Option<f64>,
    /// Why peer access is there or not, or what is unknown.
    pub why: &'static str,
    /// What the rate rests on; told by [`Pair::rate_origin`].
    pub route: Option<Route>,
}

/// Copies between the host's memory and a card.
#[derive(Clone, Debug, PartialEq)]
pub struct HostFlow {
    pub gpu: PlacementId,
    /// To the card, nothing else running, GB/s.
    pub alone_gb_s: Option<f64>,
    /// To the card while all cards are fed.
    pub together_gb_s: Option<f64>,
    /// To the card while it also sends as much.
    pub duplex_gb_s: Option<f64>,
    /// What limits it alone.
    pub narrow: Option<Narrow>,
    /// Atomic operations of the card reach the processor, as `ROCm` may need them; `None` = unknown.
    pub atomics: Option<bool>,
}

/// Loading from a drive into a card through the host's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveFlow {
    pub drive: PlacementId,
    pub gpu: PlacementId,
    pub gb_s: Option<f64>,
    /// What the drive's data sheet says.
    pub read_gb_s: Option<f64>,
}

/// Rate of each direction when a host link carries both at once, over that alone: 18.6 of 26.0 GB/s, README of NVIDIA/nvbandwidth.
pub(super) const HOST_DUPLEX: f64 = 0.72;

/// Share of an NVLink bridge's raw rate that copies reach: about 101 of 112.5 GB/s.
pub(super) const NVLINK_EFFICIENCY: f64 = 0.9;
pub(super) const NVLINK_SOURCE: &str = "101.6 of 112.5 GB/s both ways over a bridge of A40, https://github.com/NVIDIA/nccl-tests/issues/74";

/// Time of a small transfer without peer access in microseconds: 14 to 15 (noonghunna/club-3090, `docs/PCIE_P2P.md`; local-inference-lab/rtx6kpro).
pub(super) const STAGED_LATENCY_US: f64 = 14.5;
pub(super) const STAGED_SOURCE: &str =
    "pieces of 1 MiB are chosen; latency and rates without peer access: https://github.com/noonghunna/club-3090, docs/PCIE_P2P.md";

pub(super) const PEER_SOURCE: &str = "PCI Express base specification; share that copies reach: https://github.com/noonghunna/club-3090, docs/PCIE_P2P.md, and \
     https://github.com/local-inference-lab/rtx6kpro, hardware/pcie-bandwidth.md";

pub(super) const LATENCY_SOURCE: &str = "https://github.com/local-inference-lab/rtx6kpro, hardware/pcie-bandwidth.md, and https://github.com/noonghunna/club-3090, docs/PCIE_P2P.md";

pub(super) const SOCKET_SOURCE: &str = "AMD: https://github.com/NVIDIA/nccl-tests/issues/74 (EPYC 7302) and https://github.com/local-inference-lab/rtx6kpro, \
     hardware/pcie-bandwidth.md (EPYC 9004); Intel: what NCCL counts with, https://github.com/NVIDIA/nccl/blob/master/src/graph/topo.h";

/// Piece of a copy through the host's memory: in, then out, then the next. Chosen: 1 MiB.
const STAGED_CHUNK_BYTES: f64 = 1_048_576.0;

/// What one pair reaches from socket to socket in one direction, GB/s.
///
/// SP3: 40 both ways together (NVIDIA/nccl-tests issue 74, EPYC 7302). SP5: 39, EPYC 9004 (local-inference-lab/rtx6kpro,
/// hardware/pcie-bandwidth.md; EPYC 9005 reaches 50). Intel: what NCCL counts with for traffic of cards, far below what the links carry of
/// other traffic, because the processors cut peer writes into small packets (NVIDIA/nccl, src/graph/topo.h): 10 over UPI of Skylake, 22 of
/// Sapphire Rapids (Emerald Rapids 40), 40 of Xeon 6 (issue 2107); 6 over QPI, where drivers allow it at all. Ice Lake: NCCL has no figure.
fn socket_link_gb_s(socket: Socket) -> Option<f64> {
    match socket {
        Socket::Sp3 => Some(20.0),
        Socket::Sp5 => Some(39.0),
        Socket::Lga1366 | Socket::Lga2011 | Socket::Lga2011v3 => Some(6.0),
        Socket::Lga3647 => Some(10.0),
        Socket::Lga4677 => Some(22.0),
        Socket::Lga4710 => Some(40.0),
        // Sockets of one processor, and those without a figure.
        _ => None,
    }
}

/// Time of a small transfer with peer access, in microseconds. Through a switch 0.72 to 0.80, inside a root complex 0.36 to 1.01, across root
/// complexes 1.40 to 1.63 (local-inference-lab/rtx6kpro, noonghunna/club-3090); the middle of each. Across sockets and NVLink: not recorded.
fn latency_us(class: PathClass) -> Option<f64> {
    match class {
        PathClass::Pix | PathClass::Pxb => Some(0.76),
        PathClass::Phb => Some(0.69),
        PathClass::Node => Some(1.5),
        PathClass::Nvlink(_) | PathClass::Sys => None,
    }
}

/// A device's way to its processor: the indices of nodes whose uplinks it takes, nearest first.
struct Way {
    link: usize,
    nodes: Vec<usize>,
    socket: Option<usize>,
    /// It hangs on a switch, but which one is unknown.
    lost: bool,
}

/// Everything that carries flows. A resource is a link or uplink in one direction, then the ways between the sockets, then memory per socket.
struct Net<'l> {
    links: &'l [Link],
    nodes: &'l [Node],
    socket: Option<Socket>,
    memory: [Option<f64>; 2],
    /// Access control sends what cards write to each other up to the processor, also behind one switch.
    redirected: bool,
}

const DOWN: usize = 0;
const UP: usize = 1;

impl Net<'_> {
    fn link(link: usize, direction: usize) -> usize {
        2 * link + direction
    }
    fn node(&self, node: usize, direction: usize) -> usize {
        2 * (self.links.len() + node) + direction
    }
    /// From socket `from` to the other.
    fn between(&self, from: usize) -> usize {
        2 * (self.links.len() + self.nodes.len()) + from.min(1)
    }
    fn memory(&self, socket: usize) -> usize {
        2 * (self.links.len() + self.nodes.len()) + 2 + socket.min(1)
    }
    fn capacities(&self, efficiency: fn(u8) -> f64) -> Vec<Option<f64>> {
        let of = |width: Width| Some(width.raw_gb_s()? * width.r#gen.map_or(1.0, efficiency));
        let links = self.links.iter().map(|l| of(l.trained));
        let nodes = self.nodes.iter().map(|n| of(n.uplink));
        let twice = links.chain(nodes).flat_map(|c| [c, c]);
        // Memory of unknown speed is taken as wide enough; no board feeds cards faster than its memory.
        let memory = self.memory.map(|m| m.or(Some(f64::INFINITY)));
        twice.chain([self.socket.and_then(socket_link_gb_s); 2]).chain(memory).collect()
    }

    fn way(&self, link: usize) -> Option<Way> {
        let mut at = self.links.get(link)?.hangs_on.clone();
        let lost = at.as_deref() == Some("switch:?");
        let mut nodes = Vec::new();
        while let Some(id) = at {
            let Some(n) = self.nodes.iter().position(|n| n.id == id) else { break };
            let node = self.nodes.get(n)?;
            if node.kind == NodeKind::Cpu {
                return Some(Way { link, nodes, socket: node.socket, lost });
            }
            if nodes.contains(&n) {
                break;
            }
            nodes.push(n);
            at = node.parent.clone();
        }
        Some(Way { link, nodes, socket: None, lost })
    }

    /// Resources from a device up to the root, or from the root down to it. `None` where the way is unknown.
    fn to_root(&self, way: &Way, direction: usize) -> Option<Vec<usize>> {
        way.socket?;
        let mut path = vec![Self::link(way.link, direction)];
        path.extend(way.nodes.iter().map(|n| self.node(*n, direction)));
        Some(path)
    }

    /// From memory of the card's own socket.
    fn host_path(&self, way: &Way, direction: usize) -> Option<Vec<usize>> {
        let mut path = self.to_root(way, direction)?;
        path.push(self.memory(way.socket?));
        Some(path)
    }

    /// From one device to the other, turning where their ways meet.
    fn peer_path(&self, a: &Way, b: &Way) -> Option<Vec<usize>> {
        let meet = a.nodes.iter().position(|n| b.nodes.contains(n)).filter(|_| !self.redirected);
        let (ours, theirs) = match meet {
            Some(at) => {
                let node = a.nodes.get(at)?;
                (a.nodes.get(..at)?, b.nodes.get(..b.nodes.iter().position(|n| n == node)?)?)
            }
            None => (a.nodes.as_slice(), b.nodes.as_slice()),
        };
        if a.lost || b.lost {
            return None;
        }
        let mut path = vec![Self::link(a.link, UP)];
        path.extend(ours.iter().map(|n| self.node(*n, UP)));
        if meet.is_none() {
            let (from, to) = (a.socket?, b.socket?);
            if from != to {
                path.push(self.between(from));
            }
        }
        path.extend(theirs.iter().map(|n| self.node(*n, DOWN)));
        path.push(Self::link(b.link, DOWN));
        Some(path)
    }

    /// Both hang on switches, unknown which, that all go to one host bridge.
    fn one_bridge(&self, world: &World<'_>, a: &Way, b: &Way) -> bool {
        let known = |w: &Way| w.lost || w.socket.is_some();
        let mut switches = self.nodes.iter().filter(|n| n.id.starts_with("switch:"));
        (a.lost || b.lost)
            && known(a)
            && known(b)
            && world.board.socket.is_some_and(one_complex)
            && switches.all(|n| n.parent.as_deref() == Some("cpu"))
    }

    /// The rate between two devices where it is the same whether they share a switch or not.
    fn either_way(&self, capacities: &[Option<f64>], a: &Way, b: &Way) -> Option<f64> {
        let inside = Self::narrowest(&[Self::link(a.link, UP), Self::link(b.link, DOWN)], capacities)?;
        let mut uplinks = self.nodes.iter().enumerate().filter(|(_, n)| n.id.starts_with("switch:"));
        let wide = uplinks.all(|(n, _)| capacities.get(self.node(n, UP)).copied().flatten().is_some_and(|c| c >= inside));
        ((a.lost && b.lost) && wide).then_some(inside)
    }

    fn shared(&self, a: &Way, b: &Way) -> SharedSwitch {
        if a.lost || b.lost {
            return SharedSwitch::Unknown;
        }
        let Some(at) = a.nodes.iter().find(|n| b.nodes.contains(n)).and_then(|n| self.nodes.get(*n)) else { return SharedSwitch::None };
        // Ports of a chipset lie on the host bridge: nvidia-smi calls them PHB (noonghunna/club-3090, `docs/PCIE_P2P.md`).
        if at.kind == NodeKind::Chipset {
            return SharedSwitch::None;
        }
        let first = |w: &Way| w.nodes.first().and_then(|n| self.nodes.get(*n)).map(|n| &n.id) == Some(&at.id);
        if first(a) && first(b) { SharedSwitch::Same } else { SharedSwitch::Chain }
    }

    fn narrowest(path: &[usize], capacities: &[Option<f64>]) -> Option<f64> {
        path.iter().try_fold(f64::INFINITY, |least, r| Some(capacities.get(*r).copied().flatten()?.min(least))).filter(|r| r.is_finite())
    }

    /// The resource that limits a way all of whose capacities are known.
    fn limit(&self, path: &[usize], capacities: &[Option<f64>]) -> Option<Narrow> {
        let capacity = |r: &usize| capacities.get(*r).copied().flatten().unwrap_or(f64::INFINITY);
        let at = *path.iter().min_by(|a, b| capacity(a).total_cmp(&capacity(b)))?;
        let (links, nodes) = (self.links.len(), self.nodes.len());
        Some(match at / 2 {
            n if n < links => Narrow::Link(n),
            n if n < links + nodes => Narrow::Uplink(n - links),
            n if n == links + nodes => Narrow::Sockets(self.socket?),
            _ => Narrow::Memory,
        })
    }
}

/// Fills in everything that flows.
pub(super) fn flows(world: &World<'_>, lanes: &mut Lanes) {
    let cards = cards(world, &lanes.links);
    lanes.bridges = bridges(world, &cards);
    let net = Net {
        links: &lanes.links,
        nodes: &lanes.nodes,
        socket: world.board.socket,
        memory: world.memory_gb_s(),
        redirected: world.redirects(),
    };
    let (host, peer) = (net.capacities(host_efficiency), net.capacities(peer_efficiency));
    let ways: Vec<Option<Way>> = cards.iter().map(|c| net.way(c.link)).collect();
    let hosts = hosts(world, &net, &host, &cards, &ways);
    let joined: Vec<Bridged> = lanes.bridges.iter().filter_map(|(_, s)| if let Span::Joins(b) = s { Some(*b) } else { None }).collect();
    let mut pairs = Vec::with_capacity(cards.len() * cards.len() / 2);
    for (n, (a, way_a)) in cards.iter().zip(&ways).enumerate() {
        for (b, way_b) in cards.iter().zip(&ways).skip(n + 1) {
            pairs.push(pair(world, &net, (&host, &peer), (a, b), (way_a.as_ref(), way_b.as_ref()), &joined));
        }
    }
    too_many_peers(&mut pairs);
    let ring = ring(&net, &peer, &cards, &ways, &pairs);
    let drives = drives(world, &net, &host, &cards, &ways);
    lanes.hosts = hosts;
    lanes.pairs = pairs;
    lanes.drives = drives;
    lanes.ring_gb_s = ring;
    lanes.address = address_space(world, &cards);
}

fn hosts(world: &World<'_>, net: &Net<'_>, capacities: &[Option<f64>], cards: &[Card<'_>], ways: &[Option<Way>]) -> Vec<HostFlow> {
    let paths: Vec<Option<Vec<usize>>> = ways.iter().map(|w| net.host_path(w.as_ref()?, DOWN)).collect();
    // A card whose way is unknown could take from any other.
    let all: Option<Vec<Flow>> = paths.iter().map(|p| Some(Flow { path: p.clone()?, demand: None })).collect();
    let together = all.map(|flows| fair(capacities, &flows));
    cards
        .iter()
        .zip(paths.iter().zip(ways))
        .enumerate()
        .map(|(n, (card, (path, way)))| {
            let alone = match path {
                Some(path) => Net::narrowest(path, capacities),
                None => way.as_ref().filter(|w| w.lost).and_then(|w| lost_alone(net, capacities, w)),
            };
            HostFlow {
                gpu: card.id,
                alone_gb_s: alone,
                together_gb_s: together.as_ref().and_then(|t| t.get(n).copied().flatten()),
                duplex_gb_s: alone.map(|a| a * HOST_DUPLEX),
                narrow: match path {
                    Some(path) => net.limit(path, capacities),
                    None => Some(Narrow::Link(card.link)),
                },
                atomics: way.as_ref().and_then(|way| atomics(world, net, way)),
            }
        })
        .collect()
}

/// Behind one of several switches that all have the same uplink it does not matter which, as long as nothing else runs.
fn lost_alone(net: &Net<'_>, capacities: &[Option<f64>], way: &Way) -> Option<f64> {
    let mut switches = net
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, n)| n.id.starts_with("switch:") && n.parent.as_deref().is_some_and(|p| p.starts_with("cpu")));
    let (first, node) = switches.next()?;
    if switches.any(|(_, other)| other.uplink != node.uplink) {
        return None;
    }
    Net::narrowest(&[Net::link(way.link, DOWN), net.node(first, DOWN)], capacities)
}

/// Whether atomic operations reach the processor: it completes them, and what lies between passes them on.
fn atomics(world: &World<'_>, net: &Net<'_>, way: &Way) -> Option<bool> {
    let socket = world.board.socket?;
    let between = way.nodes.iter().filter_map(|n| net.nodes.get(*n)).map(|node| match node.kind {
        NodeKind::Cpu => Some(true),
        NodeKind::Chipset => chipset_passes_atomics(socket),
        NodeKind::Switch => node.label.contains("PEX8747").then_some(true),
    });
    let ends = way.socket.and_then(|_| completes_atomics(socket));
    // One that refuses settles it, whatever the others do.
    between.chain([ends]).reduce(|a, b| match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    })?
}

/// CUDA opens so many peers of a card in one process: "at most 8", local-inference-lab/rtx6kpro.
const MOST_PEERS: usize = 8;

fn too_many_peers(pairs: &mut [Pair]) {
    let crowded: Vec<PlacementId> = {
        let of = |id: PlacementId| pairs.iter().filter(|p| p.p2p == Some(true) && (p.a == id || p.b == id)).count();
        let mut cards: Vec<PlacementId> = pairs.iter().flat_map(|p| [p.a, p.b]).collect();
        cards.sort_unstable();
        cards.dedup();
        cards.into_iter().filter(|id| of(*id) > MOST_PEERS).collect()
    };
    for pair in pairs.iter_mut().filter(|p| p.p2p == Some(true)) {
        if crowded.contains(&pair.a) || crowded.contains(&pair.b) {
            pair.why = "the cards have peer access, but CUDA opens at most eight peers of a card in one process";
        }
    }
}

fn pair(
    world: &World<'_>,
    net: &Net<'_>,
    (host, peer): (&[Option<f64>], &[Option<f64>]),
    (a, b): (&Card<'_>, &Card<'_>),
    (way_a, way_b): (Option<&Way>, Option<&Way>),
    joined: &[Bridged],
) -> Pair {
    let mut out = Pair {
        a: a.id,
        b: b.id,
        class: None,
        p2p: None,
        gb_s: None,
        links_gb_s: None,
        both_gb_s: None,
        latency_us: None,
        why: "",
        route: None,
    };
    let bridge = joined.iter().find(|j| (j.a, j.b) == (a.id, b.id) || (j.a, j.b) == (b.id, a.id));
    if let Some(bridge) = bridge {
        out.class = Some(PathClass::Nvlink(bridge.links));
        (out.p2p, out.why) = access(world, a, b, out.class);
        out.gb_s = Some(bridge.gb_s * NVLINK_EFFICIENCY);
        out.route = Some(Route::Bridge(bridge.gb_s));
        out.both_gb_s = out.gb_s.map(|g| 2.0 * g);
        return out;
    }
    let (Some(way_a), Some(way_b)) = (way_a, way_b) else { return out };
    let (Some(link_a), Some(link_b)) = (net.links.get(a.link), net.links.get(b.link)) else { return out };
    if link_a.trained.is_off() || link_b.trained.is_off() {
        out.why = "a card has no lanes";
        return out;
    }
    let mut because = None;
    match class(world, (link_a, link_b), net.shared(way_a, way_b), (way_a.socket, way_b.socket)) {
        Ok(class) => out.class = Some(class),
        Err(why) => because = Some(why),
    }
    // Behind one of several switches of one host bridge it does not matter which, for peer access.
    let reach = out.class.or_else(|| net.one_bridge(world, way_a, way_b).then_some(PathClass::Phb));
    (out.p2p, out.why) = access(world, a, b, reach);
    if let Some(why) = because.filter(|_| out.p2p != Some(false)) {
        out.why = why;
    }
    let path = net.peer_path(way_a, way_b);
    out.links_gb_s = path.as_ref().map_or_else(|| net.either_way(peer, way_a, way_b), |path| Net::narrowest(path, peer));
    match out.p2p {
        Some(true) => {
            out.gb_s = out.links_gb_s;
            out.both_gb_s = out.gb_s.map(|g| 2.0 * g);
            let links = [Net::link(way_a.link, UP), Net::link(way_b.link, DOWN)];
            out.route = net.limit(path.as_deref().unwrap_or(&links), peer).map(Route::Peer);
            // How much the detour over the processor adds behind a switch is not recorded.
            let detour = net.redirected && matches!(out.class, Some(PathClass::Pix | PathClass::Pxb));
            out.latency_us = out.class.filter(|_| !detour).and_then(latency_us);
            if detour {
                out.why = "access control (ACS) sends what they write up to the processor and back down";
            }
        }
        Some(false) => {
            let alone = |way: &Way, direction| Net::narrowest(&net.host_path(way, direction)?, host);
            let parts = alone(way_a, UP).zip(alone(way_b, DOWN));
            out.gb_s = parts.map(|(up, down)| staged(up, down, 1.0));
            out.route = parts.map(|(up, down)| Route::Staged(up, down));
            // With both directions running, each copy meets one on the same link half of the time.
            out.both_gb_s = parts.map(|(up, down)| 2.0 * staged(up, down, f64::midpoint(1.0, 1.0 / HOST_DUPLEX)));
            out.latency_us = Some(STAGED_LATENCY_US);
        }
        None => {}
    }
    out
}

/// A copy in chunks that go into the host's memory and out again, one after the other. `slower` stretches both halves.
fn staged(up_gb_s: f64, down_gb_s: f64, slower: f64) -> f64 {
    let chunk_gb = STAGED_CHUNK_BYTES / 1e9;
    let seconds = (chunk_gb / up_gb_s + chunk_gb / down_gb_s) * slower + STAGED_LATENCY_US * 1e-6;
    chunk_gb / seconds
}

/// A ring over all cards in order: what the slowest neighbour passes on while all pass on at once. An all-reduce moves at this rate.
fn ring(net: &Net<'_>, capacities: &[Option<f64>], cards: &[Card<'_>], ways: &[Option<Way>], pairs: &[Pair]) -> Option<f64> {
    if cards.len() < 2 {
        return None;
    }
    let mut flows = Vec::new();
    let mut slowest = f64::INFINITY;
    for n in 0..cards.len() {
        let m = (n + 1) % cards.len();
        let (a, b) = (cards.get(n)?, cards.get(m)?);
        let pair = pairs.iter().find(|p| (p.a, p.b) == (a.id, b.id) || (p.a, p.b) == (b.id, a.id))?;
        match (pair.p2p?, pair.class) {
            (true, Some(PathClass::Nvlink(_))) => slowest = slowest.min(pair.gb_s?),
            (true, _) => flows.push(Flow { path: net.peer_path(ways.get(n)?.as_ref()?, ways.get(m)?.as_ref()?)?, demand: None }),
            // Through the host every card sends and receives at once.
            (false, _) => slowest = slowest.min(pair.both_gb_s? / 2.0),
        }
    }
    for rate in fair(capacities, &flows) {
        slowest = slowest.min(rate?);
    }
    Some(slowest).filter(|s| s.is_finite())
}

fn drives(world: &World<'_>, net: &Net<'_>, capacities: &[Option<f64>], cards: &[Card<'_>], ways: &[Option<Way>]) -> Vec<DriveFlow> {
    let mut out = Vec::new();
    for (n, link) in net.links.iter().enumerate() {
        let Some(seat) = link.slot.host_part().and_then(|host| world.seat(host, &link.slot.name)) else { continue };
        let PartKind::Drive(drive) = &seat.part.kind else { continue };
        if drive.bus != Some(DriveBus::Nvme) || link.trained.is_off() {
            continue;
        }
        let up = net.way(n).and_then(|way| Net::narrowest(&net.host_path(&way, UP)?, capacities));
        let read = drive.read_mb_s.map(|mb| mb / 1000.0);
        for (card, way) in cards.iter().zip(ways) {
            let known = |way: &Way| Net::narrowest(&net.host_path(way, DOWN)?, capacities);
            let down = way.as_ref().and_then(|way| if way.lost { lost_alone(net, capacities, way) } else { known(way) });
            // The copy into memory and the one out of it overlap; the drive reads no faster than its data sheet says.
            let gb_s = up.zip(down).map(|(up, down)| up.min(down)).map(|rate| read.map_or(rate, |read| rate.min(read)));
            out.push(DriveFlow { drive: seat.id, gpu: card.id, gb_s, read_gb_s: read });
        }
    }
    out
}
