//! Which places a build offers. Slots come from what is placed: the rig offers case, board and supplies, a board its sockets and
//! connectors, a case its mounts and bays.

use std::sync::Arc;

use super::{Build, Host, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Case, Connector, Part, PartKind};
use crate::catalog::vocab::{ConnectorKind, Edge};

/// What a place takes.
#[derive(Clone, Debug, PartialEq)]
pub enum SlotKind {
    Case,
    Board,
    Psu,
    Socket,
    CoolerSeat,
    /// The memory group of a board; takes as many modules as it has slots.
    Dimm,
    /// A slot, M.2 socket or cable connector, with the catalog's facts about it.
    Connector(Arc<Connector>),
    /// A mount for one fan of up to this size.
    FanMount {
        edge: Edge,
        size_mm: u16,
    },
    Bay {
        inch35: bool,
    },
    /// NVLink edge of a card.
    Bridge,
}

/// A place for a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    pub id: SlotId,
    pub kind: SlotKind,
    /// `PCIEX16_1`, "front fan 2", "bay 1".
    pub label: String,
    pub occupants: Vec<PlacementId>,
}

impl Slot {
    /// Dropping on an occupied place of this kind swaps the part instead of being refused.
    pub fn replaces(&self) -> bool {
        matches!(self.kind, SlotKind::Case | SlotKind::Board | SlotKind::Socket | SlotKind::CoolerSeat | SlotKind::Psu)
    }
    pub fn is_pcie(&self) -> bool {
        self.connector().is_some_and(|c| c.kind == ConnectorKind::Pcie)
    }
    pub fn connector(&self) -> Option<&Connector> {
        match &self.kind {
            SlotKind::Connector(c) => Some(c),
            SlotKind::Case
            | SlotKind::Board
            | SlotKind::Psu
            | SlotKind::Socket
            | SlotKind::CoolerSeat
            | SlotKind::Dimm
            | SlotKind::FanMount { .. }
            | SlotKind::Bay { .. }
            | SlotKind::Bridge => None,
        }
    }
}

/// All places of a build, in the order rig, board, cards, case.
pub fn slots(catalog: &Catalog, build: &Build) -> Vec<Slot> {
    let mut out = Vec::new();
    let case = build.part_in(catalog, &SlotId::rig("case"));
    let mut add = |host: Host, name: &str, kind: SlotKind, label: String| {
        let id = SlotId { host, name: name.into() };
        let occupants = build.occupants(&id).collect();
        out.push(Slot { id, kind, label, occupants });
    };
    add(Host::Rig, "case", SlotKind::Case, "case".into());
    add(Host::Rig, "board", SlotKind::Board, "board tray".into());
    let supplies = case.and_then(|(_, p)| case_of(p)).map_or(2, |c| c.psu_count.unwrap_or(1)).max(1);
    for n in 1..=supplies {
        add(Host::Rig, &format!("psu{n}"), SlotKind::Psu, if supplies == 1 { "supply bay".into() } else { format!("supply bay {n}") });
    }
    if case.is_none() {
        for n in 1..=4 {
            add(Host::Rig, &format!("bench{n}"), SlotKind::Bay { inch35: true }, format!("place beside the board {n}"));
        }
    }
    for (id, _, part) in build.placed(catalog) {
        match &part.kind {
            PartKind::Board(board) => board_slots(id, board, &mut add),
            PartKind::Case(case) => case_slots(id, case, &mut add),
            PartKind::Gpu(gpu) if gpu.nvlink.is_some() => add(Host::Part(id), "nvlink", SlotKind::Bridge, "NVLink edge".into()),
            PartKind::Riser(riser) => {
                let ends = riser.ends.unwrap_or(1).max(1);
                for n in 1..=ends {
                    let name = if ends == 1 { "end".to_owned() } else { format!("end{n}") };
                    let label = if ends == 1 { format!("end of riser {id}") } else { format!("end {n} of riser {id}") };
                    let lanes = riser.end_lanes.or(riser.pcie_lanes).or(Some(16));
                    // Every riser in the catalog ends in a slot of full size.
                    let end = Connector { size: Some(16), ..Connector::new(name.as_str(), ConnectorKind::Pcie, lanes, riser.pcie_gen) };
                    add(Host::Part(id), &name, SlotKind::Connector(end.into()), label);
                }
            }
            PartKind::Carrier(carrier) => {
                for n in 1..=carrier.m2_sockets.unwrap_or(0) {
                    let label = format!("M2_{n}");
                    let socket = Connector::new(label.as_str(), ConnectorKind::M2, Some(4), carrier.pcie_gen);
                    add(Host::Part(id), &label, SlotKind::Connector(socket.into()), format!("M.2 {n} of carrier {id}"));
                }
            }
            PartKind::Gpu(_)
            | PartKind::Cpu(_)
            | PartKind::Ram(_)
            | PartKind::Drive(_)
            | PartKind::Psu(_)
            | PartKind::Cooler(_)
            | PartKind::Fan(_)
            | PartKind::Nic(_)
            | PartKind::Bridge(_) => {}
        }
    }
    out
}

fn case_of(part: &Part) -> Option<&Case> {
    if let PartKind::Case(case) = &part.kind { Some(case) } else { None }
}

fn board_slots(id: PlacementId, board: &Board, add: &mut impl FnMut(Host, &str, SlotKind, String)) {
    let sockets = board.socket_count.unwrap_or(1).max(1);
    for n in 1..=sockets {
        let suffix = if sockets == 1 { String::new() } else { format!(" {n}") };
        add(Host::Part(id), &format!("cpu{n}"), SlotKind::Socket, format!("CPU socket{suffix}"));
        add(Host::Part(id), &format!("cooler{n}"), SlotKind::CoolerSeat, format!("cooler seat{suffix}"));
    }
    add(Host::Part(id), "dimm", SlotKind::Dimm, "memory slots".into());
    for connector in &board.connectors {
        add(Host::Part(id), &connector.label, SlotKind::Connector(connector.clone().into()), connector.label.clone());
    }
}

fn case_slots(id: PlacementId, case: &Case, add: &mut impl FnMut(Host, &str, SlotKind, String)) {
    for mount in case.mounts.iter().flatten() {
        for n in 1..=mount.count {
            let name = format!("{}{n}", mount.edge);
            let kind = SlotKind::FanMount { edge: mount.edge, size_mm: mount.size_mm };
            add(Host::Part(id), &name, kind, format!("{} fan mount {n}", mount.edge));
        }
    }
    for (count, inch35, name) in [(case.bays_35, true, "bay35-"), (case.bays_25, false, "bay25-")] {
        for n in 1..=count.unwrap_or(0) {
            let size = if inch35 { "3.5-inch" } else { "2.5-inch" };
            add(Host::Part(id), &format!("{name}{n}"), SlotKind::Bay { inch35 }, format!("{size} bay {n}"));
        }
    }
}
