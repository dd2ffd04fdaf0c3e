//! From the table of connectors to links: what each device trains to, through risers, carriers and switches.

use std::sync::Arc;

use crate::build::{PlacementId, SlotId};
use crate::catalog::part::PartKind;
use crate::catalog::topology::SWITCH;
use crate::catalog::vocab::{ConnectorKind, DriveBus};

use super::flows::flows;
use super::rate::{Width, lower, trained_lanes};
use super::rules::{Cause, State, Table, socket_of, table};
use super::seats::{Seat, World};
use super::split::{Part as Piece, split};
use super::words::{culprits, gen_because, join, lanes_because, origin_text};
use super::{Budget, Disabled, Lanes, Link, Node, NodeId, NodeKind, Selected, Share};

pub(super) fn links(mut world: World<'_>) -> Lanes {
    let table = table(&mut world);
    let mut made = Maker { world: &world, nodes: nodes(&world, &table), links: Vec::new() };
    for state in &table.connectors {
        made.connector(state);
    }
    let Maker { nodes, mut links, .. } = made;
    share(&nodes, &mut links);
    let budgets = nodes.iter().map(|n| budget(&world, &nodes, &links, n)).collect();
    let selected = world.board.choices.iter().zip(&world.selected);
    let choices =
        selected.map(|(c, (value, chosen))| Selected { key: c.key.clone(), value: value.map(str::to_owned), chosen: *chosen }).collect();
    let mut lanes = Lanes { board: Some(world.board_id), nodes, links, budgets, choices, ..Lanes::default() };
    numa(&world, &mut lanes);
    flows(&world, &mut lanes);
    lanes
}

/// One node per socket, or four where the BIOS splits the processor.
fn numa(world: &World<'_>, lanes: &mut Lanes) {
    let of = |link: &Link| {
        let socket = lanes.path(link).last().and_then(|n| n.socket)? as u8;
        if !world.nps4() {
            return Some(socket);
        }
        let root = world.board.roots.iter().find(|r| Some(r.id.as_str()) == link.root.as_deref())?;
        Some(socket * 4 + root.nps4_node?)
    };
    let nodes: Vec<Option<u8>> = lanes.links.iter().map(of).collect();
    for (link, node) in lanes.links.iter_mut().zip(nodes) {
        link.numa = node;
    }
}

/// Processors, chipset and switches of the board.
pub(super) fn nodes(world: &World<'_>, table: &Table<'_>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    let mut add = |id: &str, kind, label: String, parent: Option<&str>, uplink, socket| {
        if !out.iter().any(|n| &*n.id == id) {
            out.push(Node { id: id.into(), kind, label, parent: parent.map(Arc::from), uplink, socket });
        }
    };
    let sockets = world.board.socket_count.unwrap_or(1).max(1);
    let used = |id: &str| {
        let slots = world.board.connectors.iter().any(|c| c.from.as_deref() == Some(id));
        slots || world.board.switches.iter().any(|s| s.from.as_deref() == Some(id))
    };
    for (id, socket, always) in [("cpu", 0, sockets == 1), ("cpu1", 0, sockets > 1), ("cpu2", 1, sockets > 1)] {
        if used(id) || always {
            add(id, NodeKind::Cpu, origin_text(id), None, Width::default(), Some(socket));
        }
    }
    let cpu = if sockets == 1 { "cpu" } else { "cpu1" };
    if world.board.chipset.is_some() || used("chipset") {
        let label = world.board.chipset.as_ref().map_or("chipset".to_owned(), |name| format!("chipset {name}"));
        let cpu_gen = world.cpus.first().copied().flatten().and_then(|(_, c)| c.pcie_gen);
        let uplink = Width {
            lanes: world.board.chipset_uplink_lanes,
            r#gen: match (world.board.chipset_uplink_gen, cpu_gen) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, _) => a,
            },
        };
        add("chipset", NodeKind::Chipset, label, Some(cpu), uplink, None);
    }
    for (switch, uplink) in world.board.switches.iter().zip(&table.uplinks) {
        let chip = switch.chip.as_ref().map_or(String::new(), |chip| format!(" ({chip})"));
        let id = format!("{SWITCH}{}", switch.id);
        add(&id, NodeKind::Switch, format!("switch {}{chip}", switch.id), switch.from.as_deref(), uplink.width, None);
    }
    out
}

/// What a place offers to what sits in it.
#[derive(Clone, Debug)]
struct Offer {
    width: Width,
    node: Option<NodeId>,
    /// Why not all wired lanes; `None` = they are all there.
    lanes_why: Option<String>,
    gen_why: Option<String>,
    off: Option<Disabled>,
    narrowed_by: Vec<PlacementId>,
    complex: Option<Arc<str>>,
    /// The board's connector at the root, and whether a processor feeds it.
    root: String,
    from_cpu: bool,
}

struct Maker<'w, 'a> {
    world: &'w World<'a>,
    nodes: Vec<Node>,
    links: Vec<Link>,
}

/// A place and what it is called.
struct Place {
    slot: SlotId,
    name: String,
    kind: ConnectorKind,
}

impl<'a> Maker<'_, 'a> {
    fn connector(&mut self, state: &State<'a>) {
        let because = lanes_because(self.world, state);
        let off = state.width.is_off().then(|| Disabled {
            by: culprits(self.world, state.lanes_cause),
            why: because.clone().unwrap_or_else(|| "no lanes are wired".to_owned()),
        });
        let offer = Offer {
            width: state.width,
            node: state.from.map(Arc::from),
            lanes_why: because,
            gen_why: gen_because(self.world, state),
            off,
            narrowed_by: if state.width.lanes < state.is.lanes { culprits(self.world, state.lanes_cause) } else { Vec::new() },
            complex: complex(self.world, state),
            root: state.is.label.clone(),
            from_cpu: state.from.and_then(socket_of).is_some(),
        };
        let place = Place { slot: SlotId::of(self.world.board_id, &state.is.label), name: state.is.label.clone(), kind: state.is.kind };
        self.attach(place, &offer, state.lanes_cause == Cause::Wired);
    }

    /// Makes the link of a place and of all places on the part in it; returns what it trained to.
    fn attach(&mut self, place: Place, offer: &Offer, wired: bool) -> Width {
        let seat = match place.slot.host_part() {
            Some(host) => self.world.seat(host, &place.slot.name),
            None => None,
        };
        let at = self.links.len();
        self.links.push(Link {
            slot: place.slot,
            connector: place.name.clone(),
            kind: place.kind,
            device: seat.map(|s| s.id),
            expected: offer.width,
            trained: offer.width,
            able: None,
            hangs_on: offer.node.clone(),
            root: offer.complex.clone(),
            numa: None,
            shares: None,
            reason: String::new(),
            narrowed_by: offer.narrowed_by.clone(),
            disabled: offer.off.clone(),
        });
        let (able, trained, more) = match seat {
            Some(seat) => self.seated(seat, &place.name, offer),
            None => (None, offer.width, None),
        };
        let trained = if trained.is_off() { Width::OFF } else { trained };
        let reason = reason(&place.name, offer, able, trained, wired, seat, more);
        if let Some(link) = self.links.get_mut(at) {
            link.able = able;
            link.trained = trained;
            link.reason = reason;
        }
        trained
    }

    /// What the part could use, what it trains to, and what else there is to say.
    fn seated(&mut self, seat: Seat<'a>, name: &str, offer: &Offer) -> (Option<Width>, Width, Option<String>) {
        let device = |lanes: Option<u8>, generation: Option<u8>| {
            let able = Width { lanes, r#gen: generation };
            (Some(able), meet(offer.width, able), None)
        };
        match &seat.part.kind {
            PartKind::Gpu(gpu) => device(gpu.pcie_lanes, gpu.pcie_gen),
            PartKind::Nic(nic) => device(nic.pcie_lanes, nic.pcie_gen),
            PartKind::Drive(drive) if matches!(drive.bus, Some(DriveBus::Sata | DriveBus::Sas)) => {
                // One SATA lane on an M.2 socket; a port with several SATA lanes gives all of them.
                let port = self.links.last().is_some_and(|l| l.kind == ConnectorKind::Sata);
                let lanes = match offer.width.lanes {
                    Some(lanes) if port || lanes == 0 => Some(lanes),
                    Some(_) => Some(1),
                    None => None,
                };
                (Some(Width { lanes: Some(1), r#gen: None }), Width { lanes, r#gen: None }, None)
            }
            PartKind::Drive(drive) => device(drive.pcie_lanes, drive.pcie_gen),
            PartKind::Carrier(carrier) => {
                let count = usize::from(carrier.m2_sockets.unwrap_or(0));
                let card = Width { lanes: carrier.pcie_lanes, r#gen: carrier.pcie_gen };
                let switch = (carrier.needs_bifurcation == Some(false) && count > 1).then_some("switch");
                let names = (1..=count).map(|n| format!("M2_{n}")).collect();
                self.several(seat, name, offer, card, Several { names, each: 4, kind: ConnectorKind::M2, switch })
            }
            PartKind::Riser(riser) if riser.ends.unwrap_or(1) > 1 => {
                let count = riser.ends.unwrap_or(1);
                let card = Width { lanes: riser.pcie_lanes, r#gen: riser.pcie_gen };
                let each = riser.end_lanes.or_else(|| riser.pcie_lanes.map(|l| (l / count).max(1))).unwrap_or(4);
                let names = (1..=count).map(|n| format!("end{n}")).collect();
                self.several(seat, name, offer, card, Several { names, each, kind: ConnectorKind::Pcie, switch: riser.switch.as_deref() })
            }
            PartKind::Riser(riser) => {
                let able = Width { lanes: riser.pcie_lanes, r#gen: riser.pcie_gen };
                let mut inner = offer.clone();
                inner.width = meet(offer.width, able);
                let riser_name = seat.part.short_name();
                if inner.width.lanes != offer.width.lanes {
                    inner.lanes_why = Some(format!("{riser_name} carries no more"));
                }
                if inner.width.r#gen != offer.width.r#gen {
                    inner.gen_why = Some(format!("{riser_name} is rated for it"));
                }
                let place = Place { slot: SlotId::of(seat.id, "end"), name: format!("{name}/end"), kind: ConnectorKind::Pcie };
                let trained = self.attach(place, &inner, false);
                (Some(able), trained, None)
            }
            PartKind::Cpu(_)
            | PartKind::Board(_)
            | PartKind::Ram(_)
            | PartKind::Psu(_)
            | PartKind::Cooler(_)
            | PartKind::Fan(_)
            | PartKind::Case(_)
            | PartKind::Bridge(_) => (None, offer.width, None),
        }
    }

    /// A card with several places: behind a switch of its own, or by a split of the slot.
    fn several(
        &mut self,
        seat: Seat<'a>,
        name: &str,
        offer: &Offer,
        card: Width,
        several: Several<'_>,
    ) -> (Option<Width>, Width, Option<String>) {
        let Several { names, each, kind, switch } = several;
        let trained = meet(offer.width, card);
        let place = |end: &str| Place { slot: SlotId::of(seat.id, end), name: format!("{name}/{end}"), kind };
        let mut inner = offer.clone();
        inner.lanes_why = None;
        let card_name = seat.part.short_name();
        if let Some(chip) = switch {
            let id: NodeId = seat.id.to_string().into();
            let label = if chip == "switch" { format!("switch of {card_name}") } else { format!("switch of {card_name} ({chip})") };
            self.nodes.push(Node {
                id: id.clone(),
                kind: NodeKind::Switch,
                label,
                parent: offer.node.clone(),
                uplink: trained,
                socket: None,
            });
            inner.node = Some(id);
            inner.from_cpu = false;
            inner.width = if trained.is_off() { Width::OFF } else { Width { lanes: Some(each), r#gen: card.r#gen } };
            inner.gen_why = Some(format!("{card_name} is rated for it"));
            for end in &names {
                self.attach(place(end), &inner, true);
            }
            return (Some(card), trained, Some(format!("{} places share its link", names.len())));
        }
        if offer.width.r#gen != trained.r#gen {
            inner.gen_why = Some(format!("{card_name} is rated for it"));
        }
        let parts = split(self.world, &offer.root, trained.lanes, offer.from_cpu, names.len(), each);
        let (mut seen, mut open) = (0, 0);
        for (end, part) in names.iter().zip(parts) {
            let mut inner = inner.clone();
            inner.width.r#gen = trained.r#gen;
            match part {
                Piece::Lanes(lanes) => {
                    inner.width.lanes = Some(lanes);
                    seen += 1;
                }
                Piece::Off(why) => {
                    inner.width = Width::OFF;
                    inner.off = Some(inner.off.unwrap_or(Disabled { by: Vec::new(), why: why.clone() }));
                    inner.lanes_why = Some(why);
                }
                Piece::Unknown(why) => {
                    inner.width.lanes = None;
                    inner.lanes_why = Some(why);
                    open += 1;
                }
            }
            self.attach(place(end), &inner, false);
        }
        let count = names.len();
        let more = match (seen, open) {
            _ if trained.is_off() => None,
            (seen, 0) => Some(format!("{seen} of its {count} places get lanes")),
            (seen, open) => Some(format!("{seen} of its {count} places get lanes for certain, {open} if the BIOS splits the slot")),
        };
        (Some(card), trained, more)
    }
}

/// The root complex behind a connector: its own, or that of the switch it hangs on.
fn complex(world: &World<'_>, state: &State<'_>) -> Option<Arc<str>> {
    let mut at = state.from?;
    let mut root = state.is.root.as_deref();
    for _ in 0..world.board.switches.len() {
        let Some(switch) = at.strip_prefix(SWITCH).and_then(|id| world.board.switches.iter().find(|s| s.id == id)) else { break };
        root = switch.root.as_deref();
        at = switch.from.as_deref()?;
    }
    root.map(Arc::from)
}

/// What a part could use of a link to the board; through a riser no more than what is on it.
pub(super) fn able_of(world: &World<'_>, seat: Seat<'_>) -> Width {
    match &seat.part.kind {
        PartKind::Gpu(gpu) => Width { lanes: gpu.pcie_lanes, r#gen: gpu.pcie_gen },
        PartKind::Nic(nic) => Width { lanes: nic.pcie_lanes, r#gen: nic.pcie_gen },
        PartKind::Drive(drive) => Width { lanes: drive.pcie_lanes, r#gen: drive.pcie_gen },
        PartKind::Carrier(carrier) => Width { lanes: carrier.pcie_lanes, r#gen: carrier.pcie_gen },
        PartKind::Riser(riser) => {
            let own = Width { lanes: riser.pcie_lanes, r#gen: riser.pcie_gen };
            match world.seat(seat.id, "end") {
                Some(end) if riser.ends.unwrap_or(1) == 1 => meet(own, able_of(world, end)),
                _ => own,
            }
        }
        PartKind::Cpu(_)
        | PartKind::Board(_)
        | PartKind::Ram(_)
        | PartKind::Psu(_)
        | PartKind::Cooler(_)
        | PartKind::Fan(_)
        | PartKind::Case(_)
        | PartKind::Bridge(_) => Width::default(),
    }
}

/// Places of a card that has several.
struct Several<'s> {
    names: Vec<String>,
    each: u8,
    kind: ConnectorKind,
    /// Chip of its switch.
    switch: Option<&'s str>,
}

/// What two ends have in common.
fn meet(a: Width, b: Width) -> Width {
    Width { lanes: trained_lanes(a.lanes, b.lanes), r#gen: lower(a.r#gen, b.r#gen) }
}

/// One sentence: what the link is, and what holds it there.
fn reason(
    name: &str,
    offer: &Offer,
    able: Option<Width>,
    trained: Width,
    wired: bool,
    seat: Option<Seat<'_>>,
    more: Option<String>,
) -> String {
    if trained.is_off() {
        let why = offer.off.as_ref().map(|o| o.why.clone()).or_else(|| offer.lanes_why.clone());
        return match why {
            Some(why) => format!("Off, because {why}."),
            None => "Off.".to_owned(),
        };
    }
    let part = seat.map(|s| s.part.short_name());
    let mut causes = Vec::new();
    match (trained.lanes, offer.width.lanes, able.map(|a| a.lanes)) {
        (None, None, _) => causes.push(offer.lanes_why.clone().unwrap_or_else(|| format!("the width of {name} is not recorded"))),
        (None, Some(_), _) => causes.push(format!("the width of {} is not recorded", part.unwrap_or("the device"))),
        // The device is the narrower end: only that counts.
        (Some(got), Some(offered), Some(Some(can))) if can < offered && got == can => {
            causes.push(format!("{} has {}", part.unwrap_or("the device"), lanes(can)));
        }
        (Some(got), _, _) => match &offer.lanes_why {
            Some(why) => causes.push(why.clone()),
            None if wired => causes.push(format!("{name} is wired for x{got}")),
            None => {}
        },
    }
    match (trained.r#gen, offer.width.r#gen, able.map(|a| a.r#gen)) {
        (Some(got), Some(slot), Some(Some(can))) if can < slot && got == can => {
            causes.push(format!("{} ends at Gen{can}", part.unwrap_or("the device")));
        }
        (Some(got), Some(slot), can) if got == slot => match &offer.gen_why {
            // What limits nothing is no reason: an empty place on a card, or a device that is no newer.
            Some(why) if can.flatten().is_some_and(|c| c > slot) || seat.is_none() && name == offer.root => {
                causes.push(format!("Gen{got} because {why}"));
            }
            None if can.flatten().is_some_and(|c| c > slot) => causes.push(format!("the slot ends at Gen{slot}")),
            _ => {}
        },
        _ => {}
    }
    causes.extend(more);
    let text = trained.text();
    let text = format!(
        "{}{}",
        text.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default(),
        text.chars().skip(1).collect::<String>()
    );
    let text = if trained.lanes.is_some() { text.to_lowercase().replace("gen", "Gen") } else { text };
    if causes.is_empty() { format!("{text}.") } else { format!("{text}: {}.", join(causes.into_iter())) }
}

fn lanes(n: u8) -> String {
    if n == 1 { "1 lane".to_owned() } else { format!("{n} lanes") }
}

/// Devices behind the same uplink know of each other.
fn share(nodes: &[Node], links: &mut [Link]) {
    let shared: Vec<Option<Share>> = links
        .iter()
        .map(|link| {
            let node = nodes.iter().find(|n| Some(&n.id) == link.hangs_on.as_ref())?;
            if node.kind == NodeKind::Cpu || link.device.is_none() {
                return None;
            }
            let with = behind(nodes, links, node).into_iter().filter(|d| Some(*d) != link.device).collect();
            Some(Share { node: node.id.clone(), uplink: node.uplink, with })
        })
        .collect();
    for (link, share) in links.iter_mut().zip(shared) {
        link.shares = share;
    }
}

/// Whether a node is this one or hangs behind it.
fn is_behind<'n>(nodes: &'n [Node], mut at: Option<&'n NodeId>, node: &Node) -> bool {
    for _ in 0..=nodes.len() {
        match at {
            Some(id) if *id == node.id => return true,
            Some(id) => at = nodes.iter().find(|n| n.id == *id).and_then(|n| n.parent.as_ref()),
            None => return false,
        }
    }
    false
}

/// Devices, not risers and carriers, whose way leads through a node.
fn behind(nodes: &[Node], links: &[Link], node: &Node) -> Vec<PlacementId> {
    let ours = links.iter().filter(|l| is_behind(nodes, l.hangs_on.as_ref(), node) && is_leaf(links, l) && !l.trained.is_off());
    let mut out: Vec<PlacementId> = ours.filter_map(|l| l.device).collect();
    out.sort();
    out
}

/// The part in it offers no places of its own.
pub(super) fn is_leaf(links: &[Link], link: &Link) -> bool {
    link.device.is_some_and(|d| !links.iter().any(|l| l.slot.host_part() == Some(d)))
}

fn budget(world: &World<'_>, nodes: &[Node], links: &[Link], node: &Node) -> Budget {
    // A riser or carrier on this node counts once, by its link to the slot.
    let direct: Vec<&Link> = links
        .iter()
        .filter(|l| l.hangs_on.as_ref() == Some(&node.id) && l.device.is_some() && l.kind != ConnectorKind::Sata)
        .filter(|l| l.slot.host_part() == Some(world.board_id) || node.id.starts_with('p'))
        .collect();
    let children: Vec<&Node> = nodes
        .iter()
        .filter(|n| n.parent.as_ref() == Some(&node.id) && !n.id.starts_with('p') && !behind(nodes, links, n).is_empty())
        .collect();
    let slots = direct.iter().map(|l| l.trained.lanes.map(u16::from));
    // The link to the chipset is not among the lanes that a processor's count names.
    let uplinks = children.iter().filter(|c| c.kind == NodeKind::Switch).map(|n| n.uplink.lanes.map(u16::from));
    // A device whose way is unknown may hang here.
    let lost = |l: &&Link| {
        l.kind != ConnectorKind::Sata
            && l.device.is_some()
            && !l.trained.is_off()
            && !nodes.iter().any(|n| Some(&n.id) == l.hangs_on.as_ref())
    };
    let open = node.kind == NodeKind::Cpu && links.iter().any(|l| lost(&l));
    let used: Option<u16> = slots.chain(uplinks).chain(open.then_some(None)).sum();
    let lanes = match node.kind {
        NodeKind::Cpu => node.socket.and_then(|s| world.cpus.get(s).copied().flatten()).and_then(|(_, c)| c.pcie_lanes),
        NodeKind::Chipset | NodeKind::Switch => node.uplink.lanes.map(u16::from),
    };
    let rates: Option<f64> = direct.iter().map(|l| l.trained.raw_gb_s()).chain(children.iter().map(|c| c.uplink.raw_gb_s())).sum();
    let contention = match node.kind {
        NodeKind::Cpu => None,
        NodeKind::Chipset | NodeKind::Switch => rates.zip(node.uplink.raw_gb_s()).filter(|(_, up)| *up > 0.0).map(|(all, up)| all / up),
    };
    Budget { node: node.id.clone(), label: node.label.clone(), lanes, used, devices: behind(nodes, links, node), contention }
}
