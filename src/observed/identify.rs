//! Which parts of the catalog a device may be: by the name it reports, else by its PCI ids.

use std::collections::BTreeSet;

use crate::catalog::Catalog;
use crate::catalog::part::{Gpu as GpuFacts, Part, PartKind};
use crate::catalog::vocab::{DriveBus, GpuForm};
use crate::import::observed::pci_ids::{self, Kind};
use crate::import::observed::{Address, Class, Device, Observed, vendor};

/// How sure an identification is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// By product name or an id that only this product has.
    Product,
    /// By its chip, which other products carry too.
    Chip,
}

/// What a device may be.
#[derive(Clone, Debug)]
pub struct Identity<'a> {
    /// What to call it: the product if that is known, else what the machine calls it.
    pub name: String,
    pub sure: Option<Sure>,
    /// Parts that it may be; empty if the catalog has none.
    pub parts: Vec<&'a Part>,
}

impl Identity<'_> {
    pub fn may_be(&self, part: &Part) -> bool {
        self.parts.iter().any(|p| p.id == part.id)
    }
}

/// Whether a device is one that a rig has as a part, and of which kind; graphics of boards and processors are none.
pub fn kind(observed: &Observed, address: Address) -> Option<Kind> {
    let device = observed.devices.get(&address)?;
    match device.class? {
        Class::Graphics => (!is_built_in(device, address)).then_some(Kind::Gpu),
        Class::Nvme => Some(Kind::Drive),
        Class::Network => Some(Kind::Nic),
        Class::Wireless | Class::Storage | Class::Bridge | Class::Host | Class::Audio | Class::Other => None,
    }
}

/// Graphics of server boards (ASPEED, Matrox) and of processors.
fn is_built_in(device: &Device, address: Address) -> bool {
    /// Code names of AMD processors with graphics, as pci.ids names their graphics.
    const IN_PROCESSORS: [&str; 16] = [
        "Raphael",
        "Granite Ridge",
        "Cezanne",
        "Renoir",
        "Picasso",
        "Raven",
        "Phoenix",
        "Rembrandt",
        "Lucienne",
        "Barcelo",
        "HawkPoint",
        "Strix",
        "Mendocino",
        "Kaveri",
        "Carrizo",
        "Kabini",
    ];
    match device.vendor_id {
        Some(vendor::NVIDIA) => false,
        Some(vendor::INTEL) => address.bus == 0,
        Some(vendor::ATI) => IN_PROCESSORS.iter().any(|n| device.name.contains(n)),
        _ => true,
    }
}

/// What the device at this address may be.
pub fn identify<'a>(catalog: &'a Catalog, observed: &Observed, address: Address) -> Identity<'a> {
    let Some(device) = observed.devices.get(&address) else {
        return Identity { name: address.to_string(), sure: None, parts: Vec::new() };
    };
    match kind(observed, address) {
        Some(Kind::Gpu) => gpu(catalog, observed, address, device),
        Some(of) => by_chip(catalog, device, of),
        None => Identity { name: device.name.clone(), sure: None, parts: Vec::new() },
    }
}

fn gpu<'a>(catalog: &'a Catalog, observed: &Observed, address: Address, device: &Device) -> Identity<'a> {
    let log = observed.gpu(address);
    let memory = log.and_then(|g| g.memory_mib);
    let by_id = device.vendor_id.zip(device.device_id).and_then(|(v, d)| pci_ids::entry(v, d)).filter(|e| e.kind == Kind::Gpu);
    let logged = log.map(|g| vec![g.name.clone()]);
    let from_id = by_id.map(|e| e.names.into_iter().map(str::to_owned).collect());
    let bracketed = bracket(&device.name).map(alternatives);
    let ways: [Option<Vec<String>>; 3] = [logged, from_id, bracketed];
    for names in ways.into_iter().flatten() {
        let parts = products(catalog, &names, memory);
        let distinct: BTreeSet<&str> = parts.iter().filter_map(|p| product(p)).collect();
        let name = match (distinct.first(), distinct.len()) {
            (Some(one), 1) => (*one).to_owned(),
            (Some(_), _) => distinct.iter().copied().collect::<Vec<_>>().join(" or "),
            (None, _) => continue,
        };
        return Identity { name, sure: Some(Sure::Product), parts };
    }
    let shown = log.map(|g| g.name.as_str()).filter(|n| !n.is_empty()).or_else(|| bracket(&device.name)).unwrap_or(&device.name);
    Identity { name: shown.to_owned(), sure: None, parts: Vec::new() }
}

fn product(part: &Part) -> Option<&str> {
    match &part.kind {
        PartKind::Gpu(gpu) => gpu.product.as_deref(),
        _ => None,
    }
}

/// Cards whose product has one of the names; of two that differ in memory only, the one that the log's memory fits.
fn products<'a>(catalog: &'a Catalog, names: &[String], memory_mib: Option<u64>) -> Vec<&'a Part> {
    let wanted: Vec<Name> = names.iter().map(|n| Name::of(n)).collect();
    let named = catalog.parts().filter(|part| {
        let Some(product) = product(part) else { return false };
        let product = Name::of(product);
        !part.generic && wanted.iter().any(|w| w.words == product.words && (w.gb.is_none() || product.gb.is_none() || w.gb == product.gb))
    });
    let all: Vec<&Part> = named.collect();
    let fits = |part: &&Part| match (&part.kind, memory_mib) {
        // Drivers keep up to a tenth for themselves (ECC, reserved pages).
        (PartKind::Gpu(GpuFacts { memory_gb: Some(gb), .. }), Some(mib)) => (0.88..=1.02).contains(&(mib as f64 / 1024.0 / gb)),
        _ => true,
    };
    let fitting: Vec<&Part> = all.iter().copied().filter(fits).collect();
    if fitting.is_empty() { all } else { fitting }
}

/// A product's name without words that say nothing, for comparison.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    words: BTreeSet<String>,
    gb: Option<u32>,
}

impl Name {
    fn of(text: &str) -> Self {
        /// Makers, families that are clear without their name, and what a driver adds.
        const NOISE: [&str; 22] = [
            "nvidia",
            "corporation",
            "geforce",
            "radeon",
            "amd",
            "intel",
            "workstation",
            "edition",
            "generation",
            "pcie",
            "tesla",
            "instinct",
            "rev",
            "a",
            "gpu",
            "lite",
            "hash",
            "rate",
            "graphics",
            "gddr6x",
            "gddr5x",
            "card",
        ];
        let text = text.to_lowercase();
        // The driver names SXM modules by their memory.
        let text = match text.trim_start_matches("nvidia ").trim() {
            "h100 80gb hbm3" => "h100 sxm5 80gb".to_owned(),
            "h200" => "h200 sxm 141gb".to_owned(),
            other => other.replace("-sxm-", "-sxm4-"),
        };
        let mut words = BTreeSet::new();
        let mut gb = None;
        let mut before: Option<&str> = None;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
            if word == "gb" {
                gb = before.and_then(|n| n.parse().ok()).or(gb);
                if let Some(number) = before {
                    words.remove(number);
                }
            } else if let Some(number) = word.strip_suffix("gb").and_then(|n| n.parse().ok()) {
                gb = Some(number);
            } else if !NOISE.contains(&word) {
                words.insert(word.to_owned());
            }
            before = Some(word);
        }
        Self { words, gb }
    }
}

/// The marketing name in "NVIDIA Corporation GA102 [GeForce RTX 3090]"; a vendor's own brackets come first and do not count.
fn bracket(name: &str) -> Option<&str> {
    let inside = name.trim_end().strip_suffix(']')?.rsplit('[').next()?;
    (!matches!(inside, "AMD/ATI" | "AMD")).then_some(inside)
}

/// "Radeon RX 7900 XT/7900 XTX/7900 GRE": several products, the family said once.
fn alternatives(names: &str) -> Vec<String> {
    const FAMILY: [&str; 10] = ["radeon", "geforce", "quadro", "arc", "rx", "pro", "rtx", "gtx", "instinct", "titan"];
    let is_family = |w: &str| FAMILY.contains(&w.to_lowercase().as_str());
    let mut parts = names.split('/').map(str::trim);
    let first = parts.next().unwrap_or(names);
    let family: Vec<&str> = first.split_whitespace().take_while(|w| is_family(w)).collect();
    let rest = parts.map(|name| {
        let whole = name.split_whitespace().next().is_some_and(is_family);
        if whole { name.to_owned() } else { format!("{} {name}", family.join(" ")) }
    });
    std::iter::once(first.to_owned()).chain(rest).collect()
}

fn by_chip<'a>(catalog: &'a Catalog, device: &Device, of: Kind) -> Identity<'a> {
    let entry = device.vendor_id.zip(device.device_id).and_then(|(v, d)| pci_ids::entry(v, d)).filter(|e| e.kind == of);
    let key = match of {
        Kind::Gpu => "gpu",
        Kind::Drive => "drive",
        Kind::Nic => "nic",
    };
    let names = entry.map(|e| e.names).unwrap_or_default();
    let parts: Vec<&Part> = catalog
        .parts()
        .filter(|p| p.kind.key() == key && !p.generic && names.iter().any(|n| p.name.starts_with(n)))
        .filter(|p| !matches!(&p.kind, PartKind::Drive(d) if d.bus != Some(DriveBus::Nvme)))
        .collect();
    let sure = (!parts.is_empty()).then_some(Sure::Chip);
    Identity { name: plain(&device.name), sure, parts }
}

/// A device's name without the maker's legal form.
pub fn plain(name: &str) -> String {
    let mut name = name.to_owned();
    for form in [" Electronics Co Ltd", " Technologies", " Corporation", ", Inc.", " Inc. and subsidiaries", " Co., Ltd.", " Corp"] {
        name = name.replacen(form, "", 1);
    }
    name
}

/// Why a card has no slot: modules and chips on carrier boards.
pub fn not_a_card(identity: &Identity<'_>) -> Option<GpuForm> {
    let form = |p: &&Part| match &p.kind {
        PartKind::Gpu(gpu) => gpu.form.filter(|f| *f != GpuForm::Card),
        _ => None,
    };
    let named = ["SXM", "OAM", "MXM"].into_iter().find(|form| identity.name.contains(form));
    identity.parts.iter().find_map(form).or(match named {
        Some("SXM") => Some(GpuForm::Sxm),
        Some("OAM") => Some(GpuForm::Oam),
        Some("MXM") => Some(GpuForm::Mxm),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_drivers_and_of_the_catalog_meet() {
        for (seen, product) in [
            ("NVIDIA GeForce RTX 3090", "GeForce RTX 3090"),
            ("GeForce RTX 3060 Lite Hash Rate", "GeForce RTX 3060 12 GB"),
            ("NVIDIA A100-PCIE-40GB", "A100 PCIe 40 GB"),
            ("NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB"),
            ("NVIDIA H100 80GB HBM3", "H100 SXM5 80 GB"),
            ("Tesla V100-PCIE-32GB", "Tesla V100 PCIe 32 GB"),
            ("NVIDIA TITAN X (Pascal)", "TITAN X Pascal"),
            ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000 Blackwell Max-Q"),
            ("Radeon Pro W7900", "Radeon PRO W7900"),
            ("TU102 Quadro RTX 6000", "TU102 Quadro RTX 6000"),
        ] {
            assert_eq!(Name::of(seen).words, Name::of(product).words, "{seen}");
        }
        for (seen, product) in [
            ("NVIDIA GeForce RTX 3080 Ti", "GeForce RTX 3080"),
            ("NVIDIA GeForce RTX 3080 Laptop GPU", "GeForce RTX 3080"),
            ("NVIDIA RTX 6000 Ada Generation", "Quadro RTX 6000"),
            ("NVIDIA RTX A6000", "Quadro RTX 6000"),
            ("NVIDIA A100-SXM4-80GB", "A100 PCIe 80 GB"),
        ] {
            assert_ne!(Name::of(seen).words, Name::of(product).words, "{seen}");
        }
    }

    #[test]
    fn one_id_can_mean_several_products() {
        assert_eq!(alternatives("Radeon RX 7900 XT/7900 XTX/7900 GRE"), ["Radeon RX 7900 XT", "Radeon RX 7900 XTX", "Radeon RX 7900 GRE"]);
        assert_eq!(alternatives("Radeon Pro VII/Radeon Instinct MI50 32GB"), ["Radeon Pro VII", "Radeon Instinct MI50 32GB"]);
        assert_eq!(bracket("Advanced Micro Devices, Inc. [AMD/ATI]"), None);
        assert_eq!(bracket("NVIDIA Corporation GA102 [GeForce RTX 3090]"), Some("GeForce RTX 3090"));
    }
}
