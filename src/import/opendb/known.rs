//! What the program's catalog knows of a product: the chip's facts are those of every maker's card.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::catalog::Catalog;
use crate::catalog::part::{Cpu, Gpu, Part, PartKind, Provenance, Source};

/// Facts of a GPU that its product decides, whoever makes the card.
const GPU_FACTS: &[&str] = &[
    "architecture",
    "chip",
    "segment",
    "memory_type",
    "memory_bus_bits",
    "bandwidth_gb_s",
    "fp32_tflops",
    "fp16_tflops",
    "tensor_fp16_tflops",
    "tensor_bf16_tflops",
    "tensor_tf32_tflops",
    "tensor_int8_tops",
    "tensor_fp8_tflops",
    "tensor_fp4_tflops",
    "pcie_gen",
    "pcie_lanes",
    "compute_capability",
    "last_cuda",
    "nvlink",
    "ecc",
    "p2p",
    "bar_gb",
];

/// Facts of a processor that the data set lacks.
const CPU_FACTS: &[&str] = &[
    "max_sockets",
    "max_turbo_w",
    "pcie_lanes",
    "pcie_gen",
    "rule_lanes",
    "slot_lanes",
    "generation",
    "apu",
    "splits",
    "memory_mt_s",
    "memory_channels",
    "memory_max_gb",
    "ecc",
    "registered",
];

/// The catalog's products by their plain names.
#[derive(Debug)]
pub(super) struct Known<'c> {
    gpus: HashMap<String, Vec<&'c Part>>,
    cpus: HashMap<String, &'c Part>,
}

/// Facts with their origins, taken over from a part of the catalog.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub from: BTreeMap<String, Provenance>,
    pub sources: BTreeMap<String, Source>,
}

impl<'c> Known<'c> {
    pub fn of(catalog: &'c Catalog) -> Self {
        let (mut gpus, mut cpus) = (HashMap::<String, Vec<&Part>>::new(), HashMap::new());
        for part in catalog.parts().filter(|p| !p.generic && !is_imported(p)) {
            match &part.kind {
                PartKind::Gpu(gpu) => {
                    let names = gpu.product.iter().chain(&part.aliases);
                    for name in names.map(|n| plain(n)) {
                        gpus.entry(name).or_default().push(part);
                    }
                }
                PartKind::Cpu(_) => {
                    cpus.insert(plain(&part.name), part);
                }
                _ => {}
            }
        }
        Self { gpus, cpus }
    }

    /// Cards of a product, the chip maker's own first. Some products exist with several sizes of memory.
    pub fn gpu(&self, product: &str, memory_gb: Option<f64>) -> Option<(&'c Part, &'c Gpu)> {
        let sized = memory_gb.and_then(|gb| self.gpus.get(&plain(&format!("{product} {gb} GB"))));
        let list = sized.or_else(|| self.gpus.get(&plain(product)))?;
        let facts = |p: &&'c Part| if let PartKind::Gpu(g) = &p.kind { Some((*p, g)) } else { None };
        let fits = |g: &Gpu| memory_gb.is_none() || g.memory_gb.is_none() || g.memory_gb == memory_gb;
        let mut found: Vec<(&Part, &Gpu)> = list.iter().filter_map(facts).filter(|(_, g)| fits(g)).collect();
        found.sort_by_key(|(p, g)| g.vendor.map(|v| v.text()) != p.maker.as_deref());
        found.first().copied()
    }

    /// The card whose product is the longest that a name has.
    pub fn gpu_named(&self, name: &str, memory_gb: Option<f64>) -> Option<(&'c Part, &'c Gpu)> {
        let name = format!(" {} ", plain(name));
        let has = |product: &&String| name.contains(&format!(" {product} "));
        // "12gb" ends some products' names but not those of lists.
        let sized = memory_gb.map(|gb| format!(" {gb}gb"));
        let bare = |product: &String| {
            sized.as_ref().and_then(|s| product.strip_suffix(s.as_str())).is_some_and(|p| name.contains(&format!(" {p} ")))
        };
        let best = self.gpus.keys().filter(|p| has(p) || bare(p)).max_by_key(|p| (p.len(), (*p).clone()))?;
        self.gpu(best, memory_gb)
    }

    pub fn cpu(&self, name: &str) -> Option<&'c Part> {
        self.cpus.get(&plain(name)).copied()
    }
}

fn is_imported(part: &Part) -> bool {
    part.id.as_str().contains(".opendb.")
}

/// A name for comparing: small letters and digits, without words that some write and some don't.
fn plain(name: &str) -> String {
    const LEFT_OUT: [&str; 9] = ["geforce", "radeon", "nvidia", "amd", "intel", "generation", "processor", "edition", "boxed"];
    let lower = name.to_lowercase();
    // "24 GB" and "24GB" are one word.
    let joined = lower.replace(" gb", "gb");
    let words = joined.split(|c: char| !c.is_alphanumeric() && c != '+').filter(|w| !w.is_empty() && !LEFT_OUT.contains(w));
    words.collect::<Vec<_>>().join(" ")
}

/// Fills what `own` lacks of the product's facts from the catalog's part, with their origins.
pub(super) fn complete_gpu(own: &mut Gpu, part: &Part, theirs: &Gpu) -> Taken {
    complete(own, theirs, part, GPU_FACTS)
}

pub(super) fn complete_cpu(own: &mut Cpu, part: &Part) -> Taken {
    match &part.kind {
        PartKind::Cpu(theirs) => complete(own, theirs, part, CPU_FACTS),
        _ => Taken::default(),
    }
}

fn complete<T: Serialize + DeserializeOwned>(own: &mut T, theirs: &T, part: &Part, fields: &[&str]) -> Taken {
    let mut taken = Taken::default();
    let (Ok(mut table), Ok(other)) = (toml::Table::try_from(&*own), toml::Table::try_from(theirs)) else { return taken };
    for field in fields {
        let (Some(value), Some(origin), false) = (other.get(*field), part.from.get(*field), table.contains_key(*field)) else { continue };
        let Some(source) = part.sources.get(&origin.source) else { continue };
        table.insert((*field).to_owned(), value.clone());
        // Keys of the imported file must not clash with those of the catalog.
        let key = format!("catalog-{}", origin.source);
        taken.sources.insert(key.clone(), source.clone());
        taken.from.insert((*field).to_owned(), Provenance { source: key, ..origin.clone() });
    }
    match table.try_into() {
        Ok(full) => {
            *own = full;
            taken
        }
        Err(_) => Taken::default(),
    }
}
