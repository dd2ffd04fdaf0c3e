//! One plain struct per kind of part. Field names are those of the catalog files and carry their unit; `None` means unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::topology::{Choice, Root, Rule};
use super::vocab::{
    CaseKind, Confidence, ConnectorKind, CoolerKind, DriveBus, DriveForm, Edge, Efficiency, FormFactor, GpuCooler, GpuForm, GpuVendor,
    MemoryType, ModuleType, Outlook, Plug, PriceKind, PsuForm, Rails, Sale, Socket,
};

/// Stable text that names a part in files: `gpu.nvidia.rtx-3090-fe`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PartId(pub Arc<str>);

impl PartId {
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for PartId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where facts were read. Without `url` no reader can open it: shown as "source not recorded".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Day of reading, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// Origin of one field's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Key into the file's `[sources]`; after loading, the source itself is in [`Part::sources`].
    pub source: String,
    pub as_of: String,
    pub confidence: Confidence,
}

/// A price somebody asked on a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// In whole units of `currency`, with decimals.
    pub amount: f64,
    /// ISO 4217 code.
    pub currency: String,
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    pub date: String,
    pub kind: PriceKind,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Launch, sale and what to expect in two years (G22).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Life {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sale: Option<Sale>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// Why that outlook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What every part has, whatever its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub id: PartId,
    /// Full name, maker included: "NVIDIA GeForce RTX 3090 Founders Edition".
    pub name: String,
    /// Other names that mean this part, as people write them: "x1 card".
    pub aliases: Vec<String>,
    pub maker: Option<String>,
    pub part_number: Option<String>,
    /// A stand-in for what-if rigs, not a product.
    pub generic: bool,
    pub notes: Option<String>,
    pub prices: Vec<Price>,
    pub life: Life,
    /// By field name.
    pub from: BTreeMap<String, Provenance>,
    /// Those that `from`, `prices` and `life` name.
    pub sources: BTreeMap<String, Source>,
    pub kind: PartKind,
}

impl Part {
    /// A part of which nothing else is known: no maker, no price, no sources.
    pub fn bare(id: PartId, name: &str, kind: PartKind) -> Self {
        Self {
            id,
            name: name.to_owned(),
            aliases: Vec::new(),
            maker: None,
            part_number: None,
            generic: false,
            notes: None,
            prices: Vec::new(),
            life: Life::default(),
            from: BTreeMap::new(),
            sources: BTreeMap::new(),
            kind,
        }
    }
}

/// What a part is. Closed: every stage of the analysis must think about each kind.
#[expect(clippy::large_enum_variant, reason = "parts live behind an Arc and are not moved about")]
#[derive(Clone, Debug, PartialEq)]
pub enum PartKind {
    Gpu(Gpu),
    Cpu(Cpu),
    Board(Board),
    Ram(Ram),
    Drive(Drive),
    Psu(Psu),
    Cooler(Cooler),
    Fan(Fan),
    Case(Case),
    Nic(Nic),
    Riser(Riser),
    Carrier(Carrier),
    Bridge(Bridge),
}

/// `count` plugs of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plugs {
    pub plug: Plug,
    pub count: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gpu {
    pub vendor: Option<GpuVendor>,
    /// Marketing name of the chip's product, shared by all partner cards: "GeForce RTX 3090". Measurements refer to it.
    pub product: Option<String>,
    pub architecture: Option<String>,
    pub chip: Option<String>,
    pub segment: Option<String>,
    pub form: Option<GpuForm>,
    /// GB as makers print them (GiB of address space).
    pub memory_gb: Option<f64>,
    pub memory_type: Option<String>,
    pub memory_bus_bits: Option<u32>,
    pub bandwidth_gb_s: Option<f64>,
    pub fp32_tflops: Option<f64>,
    /// Outside tensor cores.
    pub fp16_tflops: Option<f64>,
    /// Dense, FP32 accumulate.
    pub tensor_fp16_tflops: Option<f64>,
    pub tensor_bf16_tflops: Option<f64>,
    pub tensor_tf32_tflops: Option<f64>,
    pub tensor_int8_tops: Option<f64>,
    pub tensor_fp8_tflops: Option<f64>,
    pub tensor_fp4_tflops: Option<f64>,
    pub tdp_w: Option<f64>,
    pub power_min_w: Option<f64>,
    pub power_max_w: Option<f64>,
    pub suggested_psu_w: Option<f64>,
    pub length_mm: Option<f64>,
    /// From the slot's edge to the top edge, plug not counted.
    pub height_mm: Option<f64>,
    pub thickness_mm: Option<f64>,
    /// Slot places covered, as the maker counts: 2, 2.5, 3 …
    pub slots: Option<f64>,
    pub cooler: Option<GpuCooler>,
    pub radiator_mm: Option<f64>,
    /// An empty list means: fed by the slot alone.
    pub plugs: Option<Vec<Plugs>>,
    pub pcie_gen: Option<u8>,
    pub pcie_lanes: Option<u8>,
    pub compute_capability: Option<String>,
    /// Last CUDA release that supports it, "current" if the newest does.
    pub last_cuda: Option<String>,
    pub nvlink: Option<String>,
    pub ecc: Option<bool>,
    pub p2p: Option<String>,
    /// Draw of the whole card as measured with fast probes; absent = nobody measured it.
    pub peaks: Option<Peaks>,
    /// Size of the memory window (BAR1) in GB where resizable BAR is on; absent = that of the memory.
    pub bar_gb: Option<f64>,
    /// Chip of a switch on the card.
    pub switch: Option<String>,
}

/// Draw of a card under full load, measured: on average, and its highest for longer and shorter times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Peaks {
    pub average_w: f64,
    /// For up to 10 ms.
    pub below_10ms_w: f64,
    /// For less than 1 ms.
    pub below_1ms_w: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cpu {
    pub socket: Option<Socket>,
    pub max_sockets: Option<u8>,
    pub cores: Option<u16>,
    pub threads: Option<u16>,
    pub base_ghz: Option<f64>,
    pub boost_ghz: Option<f64>,
    pub tdp_w: Option<f64>,
    pub max_turbo_w: Option<f64>,
    /// Usable from the socket, links to the chipset not counted.
    pub pcie_lanes: Option<u16>,
    pub pcie_gen: Option<u8>,
    /// Lanes by which tables of board manuals call this processor, where that is not [`Self::pcie_lanes`].
    pub rule_lanes: Option<u16>,
    /// Lanes that the graphics slots get at most, where that is below 16: 8 or 4 for processors with large graphics units.
    pub slot_lanes: Option<u8>,
    /// Family as tables of board manuals name it: "zen+", "zen2", "10".
    pub generation: Option<String>,
    /// Class of a processor with a large graphics unit, as tables of board manuals name it; "none" for all others.
    pub apu: Option<String>,
    /// How it can split its slots: "x8x8", "x4x4x4x4". An empty list = not at all, absent = unknown.
    pub splits: Option<Vec<String>>,
    pub memory_types: Option<Vec<MemoryType>>,
    pub memory_mt_s: Option<u32>,
    pub memory_channels: Option<u8>,
    pub memory_max_gb: Option<f64>,
    pub ecc: Option<bool>,
    /// Takes registered modules.
    pub registered: Option<bool>,
    /// Has a graphics unit of its own.
    pub graphics: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Board {
    pub socket: Option<Socket>,
    pub socket_count: Option<u8>,
    pub chipset: Option<String>,
    pub form_factor: Option<FormFactor>,
    /// From the rear edge towards the front of the case.
    pub depth_mm: Option<f64>,
    /// Along the rear edge, from the top down.
    pub height_mm: Option<f64>,
    pub memory_type: Option<MemoryType>,
    pub module_types: Option<Vec<ModuleType>>,
    pub dimm_slots: Option<u8>,
    pub memory_channels: Option<u8>,
    pub memory_max_gb: Option<f64>,
    pub ecc: Option<bool>,
    pub sata_ports: Option<u8>,
    /// EPS 8-pin inputs.
    pub eps_plugs: Option<u8>,
    /// Has a button that writes a BIOS without a processor or memory.
    pub flash_button: Option<bool>,
    /// What its box says it starts with as sold: "Ryzen 3000".
    pub ready_for: Option<String>,
    pub lan: Option<String>,
    pub connectors: Vec<Connector>,
    pub switches: Vec<Switch>,
    pub chipset_uplink_lanes: Option<u8>,
    pub chipset_uplink_gen: Option<u8>,
    /// The BIOS can place memory windows of devices above 4 GB.
    pub above_4g: Option<bool>,
    /// Address space that the BIOS gives to memory windows of devices, in GB.
    pub mmio_gb: Option<f64>,
    /// Root complexes, where the board's sources tell them apart.
    pub roots: Vec<Root>,
    /// The manual's table of lanes, as far as it was read: without a row every connector keeps what is wired.
    pub rules: Vec<Rule>,
    pub choices: Vec<Choice>,
}

/// A slot, M.2 socket or cable connector of a board, labelled as in its manual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connector {
    pub label: String,
    pub kind: ConnectorKind,
    /// Mechanical width in lanes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u8>,
    /// Lanes wired at most; how many are live depends on the rules of the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#gen: Option<u8>,
    /// `cpu`, `cpu1`, `cpu2`, `chipset`, `switch:ID`, `switch:?` (one of the board's); absent = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Root complex of the processor, an id of [`Board::roots`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Case opening in front of it, 1 nearest the CPU. Only where a manual, a picture or a measurement
    /// shows it, or a rule gives it that the board's notes name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<u8>,
    /// Order of the slots from the CPU down, for boards whose openings are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u8>,
    /// Longest M.2 card in mm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length_mm: Option<u16>,
    /// The slot's end is open: longer cards go in. Absent = it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<bool>,
    /// How the BIOS can split the slot: "x8x8", "x4x4x4x4". An empty list = not at all, absent = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits: Option<Vec<String>>,
    /// An M.2 socket that takes SATA drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sata: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Connector {
    /// As wide as it is wired; everything else is unknown.
    pub fn new(label: impl Into<String>, kind: ConnectorKind, lanes: Option<u8>, r#gen: Option<u8>) -> Self {
        Self {
            label: label.into(),
            kind,
            size: lanes,
            lanes,
            r#gen,
            from: None,
            root: None,
            opening: None,
            order: None,
            max_length_mm: None,
            open: None,
            splits: None,
            sata: None,
            note: None,
        }
    }
}

/// A PCIe switch on a board, or a second chipset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chip: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uplink_lanes: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uplink_gen: Option<u8>,
    /// Where its uplink goes, as in [`Connector::from`]; a second chipset is a switch from `chipset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// A kit of one or more modules sold together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ram {
    pub memory_type: Option<MemoryType>,
    pub module_type: Option<ModuleType>,
    pub speed_mt_s: Option<u32>,
    pub cas: Option<u8>,
    pub modules: Option<u8>,
    pub gb_per_module: Option<f64>,
    pub ecc: Option<bool>,
    pub height_mm: Option<f64>,
    pub voltage_v: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Drive {
    pub capacity_gb: Option<f64>,
    pub form: Option<DriveForm>,
    pub bus: Option<DriveBus>,
    pub pcie_gen: Option<u8>,
    pub pcie_lanes: Option<u8>,
    pub read_mb_s: Option<f64>,
    pub write_mb_s: Option<f64>,
    pub rotating: Option<bool>,
    pub power_w: Option<f64>,
    pub tbw: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Psu {
    pub watts: Option<f64>,
    /// Gives its rating only from this mains voltage up; absent = at any.
    pub full_power_from_v: Option<f64>,
    pub efficiency: Option<Efficiency>,
    /// "2.x", "3.0", "3.1".
    pub atx_version: Option<String>,
    pub form: Option<PsuForm>,
    pub length_mm: Option<f64>,
    pub modular: Option<String>,
    /// Plugs the supply can feed at the same time; a kind not listed is absent, an absent field is unknown.
    pub plugs: Option<Vec<Plugs>>,
    /// Rating of each 16-pin lead.
    pub hpwr_w: Option<f64>,
    /// Separate leads that carry PCIe plugs; absent = unknown. One lead may carry several plugs.
    pub pcie_leads: Option<u8>,
    /// How its 12 V output is divided.
    pub rails: Option<Rails>,
    /// What each 12 V rail bears, where there are several.
    pub rail_a: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cooler {
    pub kind: Option<CoolerKind>,
    pub height_mm: Option<f64>,
    pub radiator_mm: Option<f64>,
    pub radiator_thickness_mm: Option<f64>,
    pub tdp_w: Option<f64>,
    /// Tallest module under the front fan.
    pub ram_clearance_mm: Option<f64>,
    /// The same with that fan raised as far as it goes.
    pub ram_clearance_raised_mm: Option<f64>,
    pub sockets: Option<Vec<Socket>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fan {
    pub size_mm: Option<f64>,
    pub thickness_mm: Option<f64>,
    pub max_rpm: Option<f64>,
    pub airflow_m3_h: Option<f64>,
    pub pressure_pa: Option<f64>,
    pub power_w: Option<f64>,
    pub noise_dba: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Case {
    pub kind: Option<CaseKind>,
    /// Outer sizes; front to rear, across, floor to roof, standing as a tower.
    pub depth_mm: Option<f64>,
    pub width_mm: Option<f64>,
    pub height_mm: Option<f64>,
    pub board_forms: Option<Vec<FormFactor>>,
    /// Deepest board, from the rear edge to the front.
    pub max_board_depth_mm: Option<f64>,
    pub expansion_slots: Option<u8>,
    pub max_gpu_length_mm: Option<f64>,
    pub max_gpu_length_radiator_mm: Option<f64>,
    pub max_cooler_height_mm: Option<f64>,
    pub max_psu_length_mm: Option<f64>,
    /// The same with the drive cage in its place.
    pub max_psu_length_cage_mm: Option<f64>,
    pub psu_forms: Option<Vec<PsuForm>>,
    pub psu_count: Option<u8>,
    /// "bottom", "top", "front", "behind the tray".
    pub psu_place: Option<String>,
    pub bays_35: Option<u8>,
    pub bays_25: Option<u8>,
    /// Free room below the last slot line, down to the PSU cover or the floor.
    pub space_below_last_slot_mm: Option<f64>,
    /// "mesh", "solid", "glass", "open".
    pub front_face: Option<String>,
    pub mounts: Option<Vec<Mount>>,
    /// Measured or stated losses and openings for the airflow model.
    pub air: Option<CaseAir>,
    pub radiators: Option<Vec<Radiator>>,
}

/// How air gets through a case. An absent value means that of its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CaseAir {
    /// Loss coefficient of grille and filter before a front fan, on the fan's area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front_k: Option<f64>,
    /// Open share of the faces beside their fans, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front_open: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_open: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rear_open: Option<f64>,
}

/// `count` fans of up to `size_mm` on one side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mount {
    pub edge: Edge,
    pub count: u8,
    pub size_mm: u16,
}

/// The longest radiators that one side takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Radiator {
    pub edge: Edge,
    pub sizes_mm: Vec<u16>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Nic {
    pub ports: Option<u8>,
    pub speed_gbit_s: Option<f64>,
    pub media: Option<String>,
    pub pcie_gen: Option<u8>,
    pub pcie_lanes: Option<u8>,
    pub power_w: Option<f64>,
    pub low_profile: Option<bool>,
    pub rdma: Option<String>,
}

/// A cable or board that moves a slot to another place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Riser {
    /// What it plugs into and what it ends in.
    pub input: Option<ConnectorKind>,
    pub pcie_gen: Option<u8>,
    pub pcie_lanes: Option<u8>,
    pub length_mm: Option<f64>,
    /// Slots at its end; absent = 1. Several without a switch need the slot split in the BIOS.
    pub ends: Option<u8>,
    /// Lanes of each end, where there are several.
    pub end_lanes: Option<u8>,
    /// Chip of a switch on it: its ends share the way to the slot and need no split.
    pub switch: Option<String>,
}

/// A card that carries M.2 drives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Carrier {
    pub m2_sockets: Option<u8>,
    pub pcie_gen: Option<u8>,
    pub pcie_lanes: Option<u8>,
    /// Works only where the slot can be split into four links; `false` = it has a switch, or one socket.
    pub needs_bifurcation: Option<bool>,
    pub length_mm: Option<f64>,
}

/// An NVLink bridge over two cards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bridge {
    /// NVLink products it joins, as in [`Gpu::product`].
    pub products: Option<Vec<String>>,
    /// Slot places from one card to the next.
    pub spacing_slots: Option<u8>,
    /// Both directions together.
    pub bandwidth_gb_s: Option<f64>,
}
