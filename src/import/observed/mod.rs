//! What a real machine says of itself: text of `lspci`, `nvidia-smi` and `dmidecode` becomes one [`Observed`] machine.
//!
//! Dumps come from terminals, mails and forums, cut short, quoted, in several files. What is not there stays unknown. Serial numbers,
//! UUIDs and addresses of network cards are never kept.

use std::collections::BTreeMap;

mod dmi;
mod lspci;
mod machine;
pub mod pci_ids;
mod processor;
mod smi_text;
mod smi_xml;
#[cfg(test)]
mod tests;
mod text;
mod topo;
mod tree;

pub use text::decode;

/// Largest dump in bytes; a full `lspci -vvvxxx` of a machine with eight cards has about 1 MiB.
pub const LIMIT: u64 = 16 << 20;
/// Most devices, cards or modules that one machine may have here.
const MANY: usize = 4096;
/// Most remarks kept.
const REMARKS: usize = 40;

/// One text to read, and how messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    pub name: String,
    pub text: String,
}

impl Dump {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// A dump that cannot be used at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObservedError {
    #[error("{file}: {bytes} bytes is more than the {limit} bytes that a dump may have. Cut it to one machine.")]
    TooLarge { file: String, bytes: u64, limit: u64 },
    #[error(
        "{file}, line {line}: \"{begins}\" begins none of the texts that can be read: lspci -vv, nvidia-smi topo -m, nvidia-smi -q -x, \
         dmidecode. Give the output of one of them."
    )]
    NotRecognised { file: String, line: usize, begins: String },
    #[error("{file}: is empty. Give the output of lspci -vv, nvidia-smi topo -m, nvidia-smi -q -x or dmidecode.")]
    Empty { file: String },
}

/// Something a reader of the result should know, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    pub file: String,
    pub line: usize,
    pub text: String,
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, line {}: {}", self.file, self.line, self.text)
    }
}

/// A bus address. Written `01:00.0`, with its domain in front unless that is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    pub domain: u32,
    pub bus: u8,
    pub device: u8,
    pub function: u8,
}

impl Address {
    /// Reads `01:00.0`, `0000:01:00.0` or `00000000:01:00.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':').rev();
        let (slot, bus) = (parts.next()?, parts.next()?);
        let domain = parts.next();
        let (device, function) = slot.split_once('.')?;
        let hex = |t: &str, lengths: &[usize]| {
            let plain = lengths.contains(&t.len()) && t.bytes().all(|b| b.is_ascii_hexdigit());
            plain.then(|| u32::from_str_radix(t, 16).ok()).flatten()
        };
        let (bus, device, function) = (hex(bus, &[2])?, hex(device, &[2])?, hex(function, &[1])?);
        if parts.next().is_some() || device > 31 || function > 7 {
            return None;
        }
        let domain = domain.map_or(Some(0), |d| hex(d, &[4, 5, 6, 8]))?;
        Some(Self { domain, bus: bus as u8, device: device as u8, function: function as u8 })
    }

    /// The same device's other functions differ in the last digit only.
    pub const fn same_device(self, other: Self) -> bool {
        self.domain == other.domain && self.bus == other.bus && self.device == other.device
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.domain != 0 {
            write!(f, "{:04x}:", self.domain)?;
        }
        write!(f, "{:02x}:{:02x}.{:x}", self.bus, self.device, self.function)
    }
}

/// Width and generation of a link, as far as shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Lanes; 0 = no link.
    pub lanes: Option<u8>,
    /// PCIe generation.
    pub r#gen: Option<u8>,
}

impl Link {
    pub const fn is_known(self) -> bool {
        self.lanes.is_some() || self.r#gen.is_some()
    }
    /// "x8 Gen4", with "x?" or "Gen?" for what is not shown.
    pub fn text(self) -> String {
        let part = |sign: &str, value: Option<u8>| value.map_or(format!("{sign}?"), |v| format!("{sign}{v}"));
        if self.lanes == Some(0) { "no link".to_owned() } else { format!("{} {}", part("x", self.lanes), part("Gen", self.r#gen)) }
    }
}

/// Transfer rates by generation, in GT/s (PCI Express Base Specification 6.0, 1.2).
const RATES: [(&str, u8); 7] = [("2.5", 1), ("5", 2), ("8", 3), ("16", 4), ("32", 5), ("64", 6), ("128", 7)];

/// Generation of "8GT/s", "2.5 GT/s", "8.0 GT/s"; `None` for others.
fn generation(text: &str) -> Option<u8> {
    let text = text.trim().trim_end_matches("GT/s").trim_end().replace(',', ".");
    let number = text.strip_suffix(".0").unwrap_or(&text);
    RATES.iter().find(|(rate, _)| *rate == number).map(|(_, generation)| *generation)
}

/// Lanes of "x16" or "16x".
fn lanes(text: &str) -> Option<u8> {
    let number: u8 = text.trim().trim_matches(['x', 'X']).parse().ok()?;
    matches!(number, 0 | 1 | 2 | 4 | 8 | 12 | 16 | 32).then_some(number)
}

/// What kind of device it is, as far as matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Cards and on-board graphics, also without a display.
    Graphics,
    Nvme,
    /// Wired networks.
    Network,
    Wireless,
    /// SATA, SAS and RAID controllers.
    Storage,
    Bridge,
    Host,
    Audio,
    Other,
}

/// The end of a PCIe link that a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    Endpoint,
    Root,
    /// Of a switch, towards the CPU.
    Upstream,
    /// Of a switch, towards a device.
    Downstream,
    /// Inside the chip, without a link.
    Integrated,
}

/// Vendor ids that decide something (pci.ids).
pub mod vendor {
    pub const NVIDIA: u16 = 0x10de;
    /// Graphics of AMD; its processors have another.
    pub const ATI: u16 = 0x1002;
    pub const AMD: u16 = 0x1022;
    pub const INTEL: u16 = 0x8086;
    pub const MELLANOX: u16 = 0x15b3;
}

/// One device on the PCI bus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    pub class: Option<Class>,
    /// Vendor and device as the dump names them.
    pub name: String,
    pub vendor_id: Option<u16>,
    pub device_id: Option<u16>,
    /// Maker and model of the card, if the dump names them.
    pub subsystem: Option<String>,
    pub port: Option<Port>,
    /// What this end of the link is able to.
    pub capability: Link,
    /// What the link runs at in this moment.
    pub status: Link,
    /// lspci's own marks: runs below its capability.
    pub slower: bool,
    pub narrower: bool,
    pub numa: Option<u16>,
    /// Number of the slot as the firmware reports it.
    pub physical_slot: Option<String>,
    /// Bus behind a bridge.
    pub secondary: Option<u8>,
    /// Last bus behind a bridge.
    pub subordinate: Option<u8>,
    pub driver: Option<String>,
    /// lspci ran without the rights to read capabilities.
    pub denied: bool,
}

/// One card as `nvidia-smi -q` shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gpu {
    pub address: Option<Address>,
    pub name: String,
    /// Highest generation that card and host can both do.
    pub max_gen: Option<u8>,
    /// Highest generation of the card alone, and of the host alone.
    pub device_gen: Option<u8>,
    pub host_gen: Option<u8>,
    pub max_lanes: Option<u8>,
    pub current: Link,
    pub memory_mib: Option<u64>,
    pub power_limit_w: Option<f64>,
    pub default_power_w: Option<f64>,
    /// 0 = fastest, 15 = slowest.
    pub pstate: Option<u8>,
}

/// How two devices reach each other, in `nvidia-smi`'s words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    Itself,
    /// Number of links in the bond.
    NvLink(u8),
    Pix,
    Pxb,
    Phb,
    Node,
    Sys,
}

impl Path {
    /// Reads a cell of the matrix; `SOC` is what older drivers called `SYS`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "X" => Some(Self::Itself),
            "PIX" => Some(Self::Pix),
            "PXB" => Some(Self::Pxb),
            "PHB" => Some(Self::Phb),
            "NODE" => Some(Self::Node),
            "SYS" | "SOC" => Some(Self::Sys),
            _ => text.strip_prefix("NV").filter(|n| (1..=2).contains(&n.len()))?.parse().ok().map(Self::NvLink),
        }
    }
    pub fn text(self) -> String {
        match self {
            Self::Itself => "X".to_owned(),
            Self::NvLink(n) => format!("NV{n}"),
            Self::Pix => "PIX".to_owned(),
            Self::Pxb => "PXB".to_owned(),
            Self::Phb => "PHB".to_owned(),
            Self::Node => "NODE".to_owned(),
            Self::Sys => "SYS".to_owned(),
        }
    }
}

/// The matrix of `nvidia-smi topo -m`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// "GPU0", "GPU1", "NIC0" …
    pub names: Vec<String>,
    /// By names, the smaller place in `names` first.
    pub pairs: BTreeMap<(usize, usize), Path>,
    /// NUMA node by place in `names`.
    pub numa: BTreeMap<usize, u16>,
}

impl Topology {
    /// How the GPUs number `a` and `b` reach each other.
    pub fn gpus(&self, a: usize, b: usize) -> Option<Path> {
        let place = |n: usize| self.names.iter().position(|name| *name == format!("GPU{n}"));
        let (a, b) = (place(a)?, place(b)?);
        self.pairs.get(&(a.min(b), a.max(b))).copied()
    }
    pub fn gpu_count(&self) -> usize {
        self.names.iter().filter(|n| n.starts_with("GPU")).count()
    }
}

/// Maker and model of the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardName {
    pub maker: String,
    pub product: String,
}

/// A slot as the firmware describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirmwareSlot {
    pub label: String,
    pub lanes: Option<u8>,
    pub r#gen: Option<u8>,
    pub in_use: Option<bool>,
    pub address: Option<Address>,
}

/// A memory module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    pub size_mib: u64,
    /// "DDR4"
    pub kind: Option<String>,
    pub registered: Option<bool>,
    /// As set now.
    pub speed_mt_s: Option<u32>,
    pub maker: Option<String>,
    pub part_number: Option<String>,
}

/// Everything that the dumps of one machine say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    pub devices: BTreeMap<Address, Device>,
    /// In the order of `nvidia-smi`.
    pub gpus: Vec<Gpu>,
    pub topology: Option<Topology>,
    pub board: Option<BoardName>,
    pub slots: Vec<FirmwareSlot>,
    pub modules: Vec<Module>,
    /// One name for each socket in use.
    pub processors: Vec<String>,
    /// Memory slots of the board, filled or not.
    pub dimm_slots: Option<u16>,
    pub remarks: Vec<Remark>,
    /// What was recognised in which file, for people: "rig.txt: lspci with 63 devices".
    pub found: Vec<String>,
}

/// Reads all dumps of one machine.
///
/// # Errors
/// Every dump in which nothing was recognised, or that is too large.
pub fn read(dumps: &[Dump]) -> Result<Observed, Vec<ObservedError>> {
    let mut all = Observed::default();
    let mut errors = Vec::new();
    for dump in dumps {
        match read_one(dump) {
            Ok(one) => all.merge(one, &dump.name),
            Err(error) => errors.push(error),
        }
    }
    all.join_gpus();
    if errors.is_empty() && !dumps.is_empty() { Ok(all) } else { Err(errors) }
}

fn read_one(dump: &Dump) -> Result<Observed, ObservedError> {
    let (file, bytes) = (dump.name.clone(), dump.text.len() as u64);
    if bytes > LIMIT {
        return Err(ObservedError::TooLarge { file, bytes, limit: LIMIT });
    }
    let lines = text::lines(&dump.text);
    let mut out = Reading { file: &dump.name, found: Observed::default() };
    lspci::read(&lines, &mut out);
    tree::read(&lines, &mut out);
    topo::read(&lines, &mut out);
    smi_xml::read(&lines, &mut out);
    smi_text::read(&lines, &mut out);
    dmi::read(&lines, &mut out);
    processor::read(&lines, &mut out);
    if out.found.found.is_empty() {
        let first = lines.iter().find(|l| !l.text.trim().is_empty());
        return Err(match first {
            Some(line) => ObservedError::NotRecognised { file, line: line.number, begins: text::short(line.text.trim()) },
            None => ObservedError::Empty { file },
        });
    }
    Ok(out.found)
}

/// The reading of one dump.
struct Reading<'a> {
    file: &'a str,
    found: Observed,
}

impl Reading<'_> {
    fn remark(&mut self, line: usize, text: impl Into<String>) {
        if self.found.remarks.len() < REMARKS {
            self.found.remarks.push(Remark { file: self.file.to_owned(), line, text: text.into() });
        }
    }
    fn found(&mut self, what: impl std::fmt::Display) {
        self.found.found.push(format!("{}: {what}", self.file));
    }
}

/// "1 device", "3 devices"
fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
