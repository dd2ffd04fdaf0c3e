//! Does a part go into a place, and if not, why? Only mechanics decide here; what is unwise is for the checks to say.

use super::slots::{Slot, SlotKind};
use super::{Build, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Connector, Cpu, Drive, Part, PartKind, Ram};
use crate::catalog::vocab::{ConnectorKind, DriveBus, DriveForm, GpuForm};

/// The answer, in words for the person who drags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    Fits,
    /// Fits, but this follows.
    FitsBut(String),
    Never(String),
}

impl Fit {
    pub fn possible(&self) -> bool {
        !matches!(self, Self::Never(_))
    }
    /// "fits", "fits, but …", "cannot: …".
    pub fn text(&self) -> String {
        match self {
            Self::Fits => "fits".to_owned(),
            Self::FitsBut(why) => format!("fits, but {why}"),
            Self::Never(why) => format!("cannot: {why}"),
        }
    }
}

fn never(why: impl Into<String>) -> Fit {
    Fit::Never(why.into())
}

/// Whether `part` goes into `slot`. `moving` is the placement that would move there, if it is one.
pub fn fit(catalog: &Catalog, build: &Build, part: &Part, slot: &Slot, moving: Option<super::PlacementId>) -> Fit {
    let others: Vec<_> = slot.occupants.iter().filter(|&&o| Some(o) != moving).collect();
    let mechanical = match_kinds(catalog, build, part, slot, moving);
    if !mechanical.possible() || slot.kind == SlotKind::Dimm {
        return mechanical;
    }
    let Some(other) = others.first() else { return mechanical };
    let name = build.placement(**other).and_then(|p| catalog.part(&p.part)).map_or("another part", |p| p.short_name());
    if slot.replaces() { Fit::FitsBut(format!("it replaces {name}")) } else { never(format!("{} is taken by {name}", slot.label)) }
}

fn match_kinds(catalog: &Catalog, build: &Build, part: &Part, slot: &Slot, moving: Option<super::PlacementId>) -> Fit {
    match (&part.kind, &slot.kind) {
        (PartKind::Case(_), SlotKind::Case) | (PartKind::Board(_), SlotKind::Board) | (PartKind::Psu(_), SlotKind::Psu) => Fit::Fits,
        (PartKind::Cpu(cpu), SlotKind::Socket) => cpu_fit(cpu, host_board(catalog, build, &slot.id)),
        (PartKind::Cooler(cooler), SlotKind::CoolerSeat) => {
            let Some(socket) = host_board(catalog, build, &slot.id).and_then(|b| b.socket) else {
                return unsure("the board's socket is unknown");
            };
            match &cooler.sockets {
                None => unsure("its list of sockets is unknown"),
                Some(list) if list.iter().any(|s| s.cooler_fits(socket)) => Fit::Fits,
                Some(_) => never(format!("it has no mounting kit for {socket}")),
            }
        }
        (PartKind::Ram(ram), SlotKind::Dimm) => {
            ram_fit(ram, host_board(catalog, build, &slot.id), free_dimms(catalog, build, slot, moving))
        }
        (PartKind::Fan(fan), SlotKind::FanMount { size_mm, .. }) => match fan.size_mm {
            Some(size) if size > f64::from(*size_mm) => never(format!("the mount takes {size_mm} mm, the fan has {size} mm")),
            Some(size) if size < f64::from(*size_mm) - 21.0 && size < 120.0 => {
                never(format!("the mount is for {size_mm} mm fans, this one has {size} mm"))
            }
            Some(size) if size < f64::from(*size_mm) - 21.0 => Fit::FitsBut(format!("the mount is for {size_mm} mm; check its holes")),
            Some(_) => Fit::Fits,
            None => unsure("the size of the fan is unknown"),
        },
        (PartKind::Bridge(bridge), SlotKind::Bridge) => {
            let product = slot.id.host_part().and_then(|h| gpu_product(catalog, build, h));
            match (&bridge.products, product) {
                (Some(list), Some(product)) if list.iter().any(|p| p == product) => Fit::Fits,
                (Some(_), Some(product)) => never(format!("it is not made for {product}")),
                _ => unsure("which cards it joins is unknown"),
            }
        }
        (PartKind::Drive(drive), SlotKind::Bay { inch35 }) => bay_fit(drive, *inch35),
        (_, SlotKind::Connector(connector)) => connector_fit(part, connector),
        _ => never(format!("{} takes no {}", slot.label, part.kind.label())),
    }
}

fn unsure(why: &str) -> Fit {
    Fit::FitsBut(format!("{why}; check it"))
}

/// The board that offers a slot.
pub fn host_board<'a>(catalog: &'a Catalog, build: &Build, slot: &SlotId) -> Option<&'a Board> {
    let placement = build.placement(slot.host_part()?)?;
    match &catalog.part(&placement.part)?.kind {
        PartKind::Board(board) => Some(board),
        _ => None,
    }
}

fn gpu_product<'a>(catalog: &'a Catalog, build: &Build, host: super::PlacementId) -> Option<&'a str> {
    match &catalog.part(&build.placement(host)?.part)?.kind {
        PartKind::Gpu(gpu) => gpu.product.as_deref(),
        _ => None,
    }
}

/// Memory slots that no kit fills, the one that moves or is exchanged not counted.
fn free_dimms(catalog: &Catalog, build: &Build, slot: &Slot, moving: Option<super::PlacementId>) -> Option<i32> {
    let total = i32::from(host_board(catalog, build, &slot.id)?.dimm_slots?);
    let used: i32 = slot.occupants.iter().filter(|&&o| Some(o) != moving).map(|o| modules(catalog, build, *o)).sum();
    Some(total - used)
}

fn modules(catalog: &Catalog, build: &Build, id: super::PlacementId) -> i32 {
    match build.placement(id).and_then(|p| catalog.part(&p.part)).map(|p| &p.kind) {
        Some(PartKind::Ram(ram)) => i32::from(ram.modules.unwrap_or(1)),
        _ => 0,
    }
}

fn cpu_fit(cpu: &Cpu, board: Option<&Board>) -> Fit {
    match (cpu.socket, board.and_then(|b| b.socket)) {
        (Some(cpu), Some(board)) if cpu == board => Fit::Fits,
        (Some(cpu), Some(board)) => never(format!("it needs socket {cpu}, the board has {board}")),
        _ => unsure("a socket is unknown"),
    }
}

fn ram_fit(ram: &Ram, board: Option<&Board>, free: Option<i32>) -> Fit {
    let Some(board) = board else { return unsure("the board is unknown") };
    match (ram.memory_type, board.memory_type) {
        (Some(kit), Some(takes)) if kit != takes => return never(format!("it is {kit}, the board takes {takes}")),
        (Some(_), Some(_)) => {}
        _ => return unsure("a memory type is unknown"),
    }
    let wanted = i32::from(ram.modules.unwrap_or(1));
    match free {
        Some(free) if free < wanted => {
            let slots = if free == 1 { "1 memory slot is".to_owned() } else { format!("{} memory slots are", free.max(0)) };
            return never(format!("{slots} free, the kit needs {wanted}"));
        }
        Some(_) => {}
        None => return unsure("the number of memory slots is unknown"),
    }
    match (ram.module_type, &board.module_types) {
        (Some(kit), Some(list)) if !list.iter().any(|t| t.is_registered() == kit.is_registered()) => {
            Fit::FitsBut(format!("{kit} modules do not run in this board"))
        }
        _ => Fit::Fits,
    }
}

fn bay_fit(drive: &Drive, inch35: bool) -> Fit {
    match drive.form {
        Some(DriveForm::Inch25) => Fit::Fits,
        Some(DriveForm::Inch35) if inch35 => Fit::Fits,
        Some(DriveForm::Inch35) => never("a 3.5-inch drive needs a 3.5-inch bay"),
        Some(DriveForm::U2) => Fit::FitsBut("it also needs a U.2 connector; place it there instead".into()),
        Some(form) => never(format!("a {form} drive goes to a connector, not to a bay")),
        None => unsure("the size of the drive is unknown"),
    }
}

fn connector_fit(part: &Part, connector: &Connector) -> Fit {
    match (&part.kind, connector.kind) {
        (PartKind::Gpu(gpu), ConnectorKind::Pcie) => match gpu.form {
            Some(GpuForm::Card) => slot_fit(gpu.pcie_lanes, connector),
            Some(form) => never(format!("it is a {form} module, not a card for a slot")),
            None => unsure("whether it is a card is unknown"),
        },
        (PartKind::Nic(nic), ConnectorKind::Pcie) => slot_fit(nic.pcie_lanes, connector),
        (PartKind::Carrier(carrier), ConnectorKind::Pcie) => slot_fit(carrier.pcie_lanes, connector),
        (PartKind::Riser(riser), kind) => match riser.input {
            Some(input) if input == kind => slot_fit(riser.pcie_lanes, connector),
            Some(input) => never(format!("it plugs into {input}, this is {kind}")),
            None => unsure("what it plugs into is unknown"),
        },
        (PartKind::Drive(drive), kind) => drive_fit(drive, kind, connector),
        (_, kind) => never(format!("{} is a {kind} connector", connector.label)),
    }
}

/// A long card goes into a short slot only if the slot's end is open.
fn slot_fit(lanes: Option<u8>, connector: &Connector) -> Fit {
    match (lanes, connector.size) {
        (Some(card), Some(slot)) if card > slot && connector.open != Some(true) => {
            never(format!("an x{card} card does not go into a closed x{slot} slot; use a riser"))
        }
        (Some(card), Some(_)) => match connector.lanes {
            Some(0) => Fit::FitsBut("the slot has no lanes".into()),
            Some(wired) if wired < card => Fit::FitsBut(format!("the slot is wired for x{wired}, the card could use x{card}")),
            _ => Fit::Fits,
        },
        _ => unsure("a slot width is unknown"),
    }
}

fn drive_fit(drive: &Drive, kind: ConnectorKind, connector: &Connector) -> Fit {
    let m2_length = match drive.form {
        Some(DriveForm::M2_2230) => Some(30),
        Some(DriveForm::M2_2242) => Some(42),
        Some(DriveForm::M2_2280) => Some(80),
        Some(DriveForm::M2_22110) => Some(110),
        _ => None,
    };
    match (drive.form, kind) {
        (_, ConnectorKind::M2) if m2_length.is_some() => {
            if let (Some(drive), Some(max)) = (m2_length, connector.max_length_mm)
                && drive > max
            {
                return never(format!("it is {drive} mm long, the socket takes {max} mm"));
            }
            match (drive.bus, connector.sata) {
                (Some(DriveBus::Sata), Some(false)) => never(format!("{} takes no SATA drive", connector.label)),
                (Some(DriveBus::Sata), None) => unsure("whether the socket takes SATA drives is unknown"),
                _ => Fit::Fits,
            }
        }
        (Some(DriveForm::AddIn), ConnectorKind::Pcie) => slot_fit(drive.pcie_lanes, connector),
        (Some(DriveForm::U2), ConnectorKind::U2 | ConnectorKind::SlimSas | ConnectorKind::Mcio | ConnectorKind::Oculink) => Fit::Fits,
        (Some(DriveForm::Inch25 | DriveForm::Inch35), ConnectorKind::Sata) => match drive.bus {
            Some(DriveBus::Sata) => Fit::Fits,
            Some(bus) => never(format!("it is a {bus} drive, this is a SATA port")),
            None => unsure("the bus of the drive is unknown"),
        },
        (Some(DriveForm::Inch25 | DriveForm::Inch35), _) => never("a SATA drive goes to a bay"),
        (Some(form), _) => never(format!("a {form} drive does not go into a {kind} connector")),
        (None, _) => unsure("the form of the drive is unknown"),
    }
}
