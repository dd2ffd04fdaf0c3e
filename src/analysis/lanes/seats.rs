//! The rig as the board sees it: which part sits in which connector, the processors, the settings.

use std::collections::BTreeMap;

use crate::build::{Build, Placement, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Cpu, Part, PartKind};
use crate::catalog::topology::{Aspect, Choice, Test, alike};
use crate::catalog::vocab::{ConnectorKind, DriveBus};

/// A part in a connector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat<'a> {
    pub id: PlacementId,
    pub part: &'a Part,
}

/// Everything the rules may ask for.
#[derive(Debug)]
pub(super) struct World<'a> {
    pub board_id: PlacementId,
    pub board_part: &'a Part,
    pub board: &'a Board,
    /// The board's piece, with the BIOS settings.
    pub piece: &'a Placement,
    pub cpus: [Option<(&'a Part, &'a Cpu)>; 2],
    /// By host and name of the place.
    seats: BTreeMap<(PlacementId, &'a str), Seat<'a>>,
    /// Speed in MT/s and number of modules of each kit.
    kits: Vec<(Option<u32>, Option<u8>)>,
    /// Option in force per choice of the board, and whether somebody chose it.
    pub selected: Vec<(Option<&'a str>, bool)>,
}

/// A PCIe or SATA device as rules see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plugged {
    pcie: bool,
    sata: bool,
    lanes: Option<u8>,
}

impl<'a> World<'a> {
    pub(super) fn of(catalog: &'a Catalog, build: &'a Build) -> Option<Self> {
        let (board_id, board_part) = build.part_in(catalog, &SlotId::rig("board"))?;
        let PartKind::Board(board) = &board_part.kind else { return None };
        let piece = build.placement(board_id)?;
        let (mut seats, mut kits) = (BTreeMap::new(), Vec::new());
        for (id, piece, part) in build.placed(catalog) {
            if let PartKind::Ram(ram) = &part.kind {
                kits.push((ram.speed_mt_s, ram.modules));
            }
            if let Some(slot) = &piece.slot
                && let Some(host) = slot.host_part()
            {
                seats.insert((host, &*slot.name), Seat { id, part });
            }
        }
        let cpu = |name| match seats.get(&(board_id, name)).map(|s| s.part) {
            Some(part) => match &part.kind {
                PartKind::Cpu(cpu) => Some((part, cpu)),
                _ => None,
            },
            None => None,
        };
        let cpus = [cpu("cpu1"), cpu("cpu2")];
        let selected = board.choices.iter().map(|c| selected(c, piece)).collect();
        Some(Self { board_id, board_part, board, piece, cpus, seats, kits, selected })
    }

    pub(super) fn seat(&self, host: PlacementId, name: &str) -> Option<Seat<'a>> {
        self.seats.get(&(host, name)).copied()
    }

    /// Takes pieces out of the board's connectors, for trials.
    pub(super) fn clear(&mut self, pieces: &[PlacementId]) {
        let board = self.board_id;
        self.seats.retain(|(host, _), seat| *host != board || !pieces.contains(&seat.id));
    }
    pub(super) fn put(&mut self, label: &'a str, seat: Seat<'a>) {
        self.seats.insert((self.board_id, label), seat);
    }
    pub(super) fn take(&mut self, label: &'a str) {
        self.seats.remove(&(self.board_id, label));
    }

    /// What the rules can tell apart about the connectors: equal lists give equal tables.
    pub(super) fn sorts(&self) -> Vec<u16> {
        let sort = |label: &str| match self.on_board(label).map(|s| self.plugged(s)) {
            None => 0,
            Some(None) => 1,
            Some(Some(p)) => 2 + u16::from(p.pcie) + 2 * u16::from(p.sata) + 4 * p.lanes.map_or(0, |l| 1 + u16::from(l)),
        };
        self.board.connectors.iter().map(|c| sort(&c.label)).collect()
    }

    /// The part in a connector of the board.
    pub(super) fn on_board(&self, label: &str) -> Option<Seat<'a>> {
        self.seat(self.board_id, label)
    }

    /// What hangs at the end of a connector; a riser counts as what is on it.
    fn plugged(&self, seat: Seat<'a>) -> Option<Plugged> {
        let pcie = |lanes| Some(Plugged { pcie: true, sata: false, lanes });
        match &seat.part.kind {
            PartKind::Gpu(gpu) => pcie(gpu.pcie_lanes),
            PartKind::Nic(nic) => pcie(nic.pcie_lanes),
            PartKind::Carrier(carrier) => pcie(carrier.pcie_lanes),
            PartKind::Drive(drive) => match drive.bus {
                Some(DriveBus::Sata | DriveBus::Sas) => Some(Plugged { pcie: false, sata: true, lanes: drive.pcie_lanes }),
                Some(DriveBus::Nvme) => pcie(drive.pcie_lanes),
                None => Some(Plugged { pcie: false, sata: false, lanes: None }),
            },
            PartKind::Riser(riser) => match riser.ends.unwrap_or(1) {
                0 | 1 => self.seat(seat.id, "end").and_then(|end| self.plugged(end)),
                _ => pcie(riser.pcie_lanes),
            },
            PartKind::Cpu(_)
            | PartKind::Board(_)
            | PartKind::Ram(_)
            | PartKind::Psu(_)
            | PartKind::Cooler(_)
            | PartKind::Fan(_)
            | PartKind::Case(_)
            | PartKind::Bridge(_) => None,
        }
    }

    /// Slots of the board with a device in them.
    fn filled_slots(&self) -> u16 {
        let slots = self.board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie);
        slots.filter(|c| self.on_board(&c.label).and_then(|s| self.plugged(s)).is_some()).count() as u16
    }

    /// Answers one test of a rule; `None` = a fact of the processor or the drive is unknown.
    pub(super) fn ask(&self, test: &Test) -> Option<bool> {
        let cpu = self.cpus.first().copied().flatten().map(|(_, cpu)| cpu);
        match test {
            Test::Used(label, aspect) => {
                let Some(device) = self.on_board(label).and_then(|s| self.plugged(s)) else { return Some(false) };
                match aspect {
                    Aspect::Any => Some(true),
                    Aspect::Pcie if device.pcie || device.sata => Some(device.pcie),
                    Aspect::Sata if device.pcie || device.sata => Some(device.sata),
                    Aspect::Pcie | Aspect::Sata => None,
                    Aspect::Lanes(..) if device.sata => Some(false),
                    Aspect::Lanes(cmp, n) => Some(cmp.holds(u16::from(device.lanes?), *n)),
                }
            }
            Test::CpuLanes(cmp, n) => Some(cmp.holds(cpu.and_then(|c| c.rule_lanes.or(c.pcie_lanes))?, *n)),
            Test::CpuGeneration(equal, text) => Some((cpu?.generation.as_deref()? == &**text) == *equal),
            Test::CpuApu(equal, text) => Some((cpu?.apu.as_deref()? == &**text) == *equal),
            Test::Cpu2 => Some(self.cpus.get(1).copied().flatten().is_some()),
            Test::Bios(option) => self.bios(option),
            Test::Count(cmp, n) => Some(cmp.holds(self.filled_slots(), *n)),
        }
    }

    fn bios(&self, option: &str) -> Option<bool> {
        let at = self.board.choices.iter().position(|c| c.options.iter().any(|o| o.value == option))?;
        Some(self.selected.get(at)?.0? == option)
    }

    /// A setting that every board has: `above_4g`, `resizable_bar` ("on", "off"), `driver` ("stock", "patched"), `nps` ("1", "4").
    pub(super) fn choice(&self, key: &str) -> Option<&'a str> {
        self.piece.settings.get(&format!("bios.{key}")).map(String::as_str)
    }

    /// Access control on bridges sends peer traffic to the root. Linux turns it on together with an IOMMU that translates.
    pub(super) fn redirects(&self) -> bool {
        self.choice("acs") == Some("on") || self.choice("iommu") == Some("on")
    }

    /// Each quadrant of a processor is a NUMA node.
    pub(super) fn nps4(&self) -> bool {
        self.choice("nps") == Some("4")
    }

    /// Bandwidth of each socket's memory in GB/s: filled channels at the speed that kits and processor have in common, eight bytes each.
    /// `None` = unknown.
    pub(super) fn memory_gb_s(&self) -> [Option<f64>; 2] {
        let sockets = self.cpus.iter().flatten().count().max(1);
        let of = |cpu: &Cpu| {
            let modules: Option<u32> = self.kits.iter().map(|(_, n)| n.map(u32::from)).sum();
            let slowest = self.kits.iter().map(|(speed, _)| *speed).try_fold(u32::MAX, |least, speed| Some(least.min(speed?)))?;
            let speed = slowest.min(cpu.memory_mt_s?);
            let channels = (modules? / sockets as u32).min(u32::from(cpu.memory_channels?));
            (channels > 0).then(|| f64::from(channels) * f64::from(speed) * 8.0 / 1000.0)
        };
        self.cpus.map(|cpu| cpu.and_then(|(_, cpu)| of(cpu)))
    }

    /// A setting of the board, such as `bios.split.PCIEX16_1`.
    pub(super) fn setting(&self, key: &str, label: &str) -> Option<&'a str> {
        self.piece.settings.get(&format!("bios.{key}.{label}")).map(String::as_str)
    }
}

/// The option that settings name, else the default.
fn selected<'a>(choice: &'a Choice, piece: &Placement) -> (Option<&'a str>, bool) {
    let said = piece.settings.iter().find_map(|(key, value)| {
        let key = key.strip_prefix("bios.")?;
        if alike(key, &choice.key) || alike(key, &choice.label) {
            return choice.option(value);
        }
        // "slot4_x4 = on" names the option itself.
        let on = ["on", "yes", "true", "1", "enabled"].iter().any(|yes| alike(yes, value));
        choice.option(key).filter(|_| on)
    });
    match said {
        Some(option) => (Some(&option.value), true),
        None => (choice.default.as_deref(), false),
    }
}
