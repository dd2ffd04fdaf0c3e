//! Parts that stand for what a machine tells of: only facts that it tells or that hold for every maker's model.

use std::collections::BTreeMap;

use super::{card_maker, slug};
use crate::catalog::load::kind_table;
use crate::catalog::part::{Board, Connector, Cpu, Drive, Gpu, Nic, Part, PartId, PartKind, Provenance, Ram, Source};
use crate::catalog::vocab::{Confidence, ConnectorKind, DriveBus, GpuForm, GpuVendor, MemoryType, ModuleType};
use crate::import::observed::{Address, Device, FirmwareSlot, Module, Observed, vendor};
use crate::observed::identify::Identity;

/// Key of the source of what the machine told.
const TOLD: &str = "machine";

/// A part whose facts all come from the machine itself, as of this day.
fn told(id: &str, name: String, kind: PartKind, day: &str) -> Part {
    let from = fields(&kind).into_iter().map(|field| (field, provenance(day))).collect();
    Part {
        id: PartId::new(id),
        name,
        maker: None,
        part_number: None,
        aliases: Vec::new(),
        generic: false,
        notes: Some("Made from what a machine told of itself; what it does not tell is left out.".to_owned()),
        prices: Vec::new(),
        life: Default::default(),
        from,
        sources: BTreeMap::from([(TOLD.to_owned(), source())]),
        kind,
    }
}

fn source() -> Source {
    Source { title: "What the machine tells of itself (lspci, nvidia-smi, dmidecode)".to_owned(), url: None, date: None }
}

fn provenance(day: &str) -> Provenance {
    Provenance { source: TOLD.to_owned(), as_of: day.to_owned(), confidence: Confidence::Measured }
}

/// Names of the facts that are known.
fn fields(kind: &PartKind) -> Vec<String> {
    kind_table(kind).map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

/// A board that the catalog lacks: its slots as its firmware lists them.
pub(super) fn board(name: &str, observed: &Observed, day: &str) -> Part {
    let connectors: Vec<Connector> = observed.slots.iter().enumerate().filter_map(|(n, slot)| connector(n, slot)).collect();
    let sockets = u8::try_from(observed.processors.len()).ok().filter(|n| *n > 0);
    let memory = observed.modules.first().and_then(memory_type);
    let board = Board {
        socket_count: sockets,
        memory_type: memory,
        dimm_slots: observed.dimm_slots.and_then(|n| u8::try_from(n).ok()),
        connectors,
        ..Board::default()
    };
    let told_name = format!("{name}, as its firmware tells it");
    told(&format!("board.machine.{}", slug(name)), told_name, PartKind::Board(board), day)
}

fn connector(n: usize, slot: &FirmwareSlot) -> Option<Connector> {
    let m2 = slot.label.to_lowercase().contains("m2") || slot.label.to_lowercase().contains("m.2");
    let kind = if m2 { ConnectorKind::M2 } else { ConnectorKind::Pcie };
    if kind == ConnectorKind::Pcie && slot.r#gen.is_none() {
        return None;
    }
    let mut connector = Connector::new(slot.label.clone(), kind, slot.lanes, slot.r#gen);
    // What the slot takes mechanically is not told.
    connector.size = None;
    connector.order = u8::try_from(n + 1).ok();
    Some(connector)
}

pub(super) fn processor(name: &str, day: &str) -> Part {
    told(&format!("cpu.machine.{}", slug(name)), name.to_owned(), PartKind::Cpu(Cpu::default()), day)
}

/// Equal modules with their number, in the order of the firmware.
pub(super) fn kinds_of_modules(modules: &[Module]) -> Vec<(&Module, usize)> {
    let mut kinds: Vec<(&Module, usize)> = Vec::new();
    for module in modules {
        match kinds.iter_mut().find(|(known, _)| *known == module) {
            Some((_, count)) => *count += 1,
            None => kinds.push((module, 1)),
        }
    }
    kinds
}

/// "4 × 32 GB DDR4-3200 CMK64GX4M2E3200C16"
pub(super) fn module_text(module: &Module, count: usize) -> String {
    let speed = module.speed_mt_s.map_or(String::new(), |s| format!("-{s}"));
    let kind = module.kind.as_deref().unwrap_or("memory");
    let number = module.part_number.as_deref().map_or(String::new(), |n| format!(" {n}"));
    format!("{count} × {} GB {kind}{speed}{number}", module.size_mib as f64 / 1024.0)
}

fn memory_type(module: &Module) -> Option<MemoryType> {
    MemoryType::ALL.iter().copied().find(|t| Some(t.text()) == module.kind.as_deref())
}

pub(super) fn memory(module: &Module, count: usize, day: &str) -> Part {
    let text = module_text(module, count);
    // Unbuffered modules come with and without ECC, which the table does not tell.
    let module_type = module.registered.filter(|r| *r).map(|_| ModuleType::Rdimm);
    let ram = Ram {
        memory_type: memory_type(module),
        module_type,
        speed_mt_s: module.speed_mt_s,
        modules: u8::try_from(count).ok(),
        gb_per_module: Some(module.size_mib as f64 / 1024.0),
        ..Ram::default()
    };
    let mut part = told(&format!("ram.machine.{}", slug(&text.replace('×', "x"))), text, PartKind::Ram(ram), day);
    part.part_number.clone_from(&module.part_number);
    part
}

/// The catalog's own part if the machine's card can be no other: the chip's maker sells the only model, or it made this one.
pub(super) fn same_card<'a>(identity: &Identity<'a>, observed: &Observed, address: Address) -> Option<&'a Part> {
    let first = identity.parts.first()?;
    let product = |p: &Part| if let PartKind::Gpu(g) = &p.kind { g.product.clone() } else { None };
    if identity.parts.iter().any(|p| product(p) != product(first)) {
        return None;
    }
    let by_chip_maker = |p: &&&Part| matches!(&p.kind, PartKind::Gpu(g) if g.vendor.map(GpuVendor::text) == p.maker.as_deref());
    let own: Vec<&&Part> = identity.parts.iter().filter(by_chip_maker).collect();
    let [own] = own.as_slice() else { return None };
    let PartKind::Gpu(facts) = &own.kind else { return None };
    let one_model = facts.segment.as_deref().is_some_and(|s| s != "consumer");
    let maker = observed.devices.get(&address).and_then(|d| d.subsystem.as_deref()).and_then(card_maker);
    (one_model || maker.is_some() && maker == own.maker.as_deref()).then_some(own)
}

/// A card of which only the product is known, or not even that.
pub(super) fn card(identity: &Identity<'_>, observed: &Observed, address: Address, day: &str) -> Part {
    let device = observed.devices.get(&address);
    let edge = observed.devices.get(&observed.edge(address));
    let maker = device.and_then(|d| d.subsystem.as_deref()).and_then(card_maker);
    let log = observed.gpu(address);
    let mut part = match one_product(identity) {
        Some(model) => {
            let name = format!("{}{}, model not told", maker.map_or(String::new(), |m| format!("{m} ")), identity.name);
            without_body(
                model,
                &format!("gpu.machine.{}{}", slug(&identity.name), maker.map_or(String::new(), |m| format!("-{}", slug(m)))),
                name,
                day,
            )
        }
        None => {
            let gpu = Gpu {
                vendor: device.and_then(|d| d.vendor_id).and_then(gpu_vendor),
                product: Some(identity.name.clone()),
                form: Some(GpuForm::Card),
                memory_gb: log.and_then(|g| g.memory_mib).map(|mib| (mib as f64 / 1024.0).round()),
                pcie_gen: edge.and_then(|d| d.capability.r#gen),
                pcie_lanes: edge.and_then(|d| d.capability.lanes).filter(|l| *l > 0),
                ..Gpu::default()
            };
            told(&format!("gpu.machine.{}", slug(&identity.name)), identity.name.clone(), PartKind::Gpu(gpu), day)
        }
    };
    if let (PartKind::Gpu(gpu), Some(watts)) = (&mut part.kind, log.and_then(|g| g.default_power_w)) {
        gpu.tdp_w = Some(watts);
        part.from.insert("tdp_w".to_owned(), provenance(day));
        part.sources.insert(TOLD.to_owned(), source());
    }
    part.maker = part.maker.or(maker.map(str::to_owned));
    part
}

const fn gpu_vendor(id: u16) -> Option<GpuVendor> {
    match id {
        vendor::NVIDIA => Some(GpuVendor::Nvidia),
        vendor::ATI => Some(GpuVendor::Amd),
        vendor::INTEL => Some(GpuVendor::Intel),
        _ => None,
    }
}

/// A part of the one product that the device is; `None` if it may be several.
fn one_product<'a>(identity: &Identity<'a>) -> Option<&'a Part> {
    let product = |p: &&Part| if let PartKind::Gpu(g) = &p.kind { g.product.clone() } else { None };
    let first = identity.parts.first().copied()?;
    identity.parts.iter().all(|p| product(p) == product(&first)).then_some(first)
}

/// The product's facts without those of one maker's model: size, cooler, plugs, prices.
fn without_body(model: &Part, id: &str, name: String, day: &str) -> Part {
    let PartKind::Gpu(facts) = &model.kind else { return told(id, name, model.kind.clone(), day) };
    let gpu = Gpu {
        length_mm: None,
        height_mm: None,
        thickness_mm: None,
        slots: None,
        cooler: None,
        radiator_mm: None,
        plugs: None,
        suggested_psu_w: None,
        power_min_w: None,
        power_max_w: None,
        ..facts.clone()
    };
    let kind = PartKind::Gpu(gpu);
    let known = fields(&kind);
    let from: BTreeMap<String, Provenance> =
        model.from.iter().filter(|(f, _)| known.contains(f)).map(|(f, p)| (f.clone(), p.clone())).collect();
    let sources =
        model.sources.iter().filter(|(key, _)| from.values().any(|p| p.source == **key)).map(|(k, s)| (k.clone(), s.clone())).collect();
    Part { maker: None, part_number: None, prices: Vec::new(), life: Default::default(), from, sources, ..told(id, name, kind, day) }
}

/// A drive by its controller: how much it holds is not told, nor its body.
pub(super) fn drive(identity: &Identity<'_>, observed: &Observed, address: Address, day: &str) -> Part {
    let (r#gen, lanes) = able(observed.devices.get(&address));
    let drive = Drive { bus: Some(DriveBus::Nvme), pcie_gen: r#gen, pcie_lanes: lanes, ..Drive::default() };
    let name = format!("{}, capacity not told", identity.name);
    told(&format!("drive.machine.{}", slug(&identity.name)), name, PartKind::Drive(drive), day)
}

pub(super) fn network(identity: &Identity<'_>, observed: &Observed, address: Address, day: &str) -> Part {
    let (r#gen, lanes) = able(observed.devices.get(&address));
    let nic = Nic { pcie_gen: r#gen, pcie_lanes: lanes, ..Nic::default() };
    told(&format!("nic.machine.{}", slug(&identity.name)), identity.name.clone(), PartKind::Nic(nic), day)
}

fn able(device: Option<&Device>) -> (Option<u8>, Option<u8>) {
    let link = device.map(|d| d.capability).unwrap_or_default();
    (link.r#gen, link.lanes.filter(|l| *l > 0))
}

/// Chips that boards carry as often as cards do: without a word of the firmware they are taken for the board's own.
pub(super) fn is_on_boards(observed: &Observed, address: Address) -> bool {
    /// I210, I226, I350, X540, X550, X710-T, AQC107, AQC113, BCM57416 (boards of this catalog name them as their LAN).
    const ON_BOARDS: [(u16, u16); 13] = [
        (vendor::INTEL, 0x1533),
        (vendor::INTEL, 0x125b),
        (vendor::INTEL, 0x125c),
        (vendor::INTEL, 0x1521),
        (vendor::INTEL, 0x1528),
        (vendor::INTEL, 0x1563),
        (vendor::INTEL, 0x15ff),
        (0x1d6a, 0x07b1),
        (0x1d6a, 0xd107),
        (0x1d6a, 0x04c0),
        (0x1d6a, 0x94c0),
        (0x1d6a, 0x14c0),
        (0x14e4, 0x16d8),
    ];
    let ids = observed.devices.get(&address).and_then(|d| d.vendor_id.zip(d.device_id));
    ids.is_none_or(|ids| ON_BOARDS.contains(&ids))
}
