//! The catalog: immutable parts with their facts, looked up by id, iterated in a fixed order.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

pub mod fields;
pub mod folder;
pub mod load;
pub mod model;
pub mod network;
pub mod part;
pub mod platform;
pub mod precision;
pub mod rates;
pub mod templates;
pub mod topology;
pub mod vocab;

pub mod kinds;

use part::{Part, PartId, PartKind};
use rates::Rates;
use templates::Templates;

/// What a rig file carries of the catalog it was made with, so that it alone reproduces its report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Copies {
    pub parts: Vec<Part>,
    /// Absent in hand-written files: the program's rates count.
    pub rates: Option<Rates>,
}

/// All parts the program knows, and the millimetres of form factors.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// In order of ids.
    parts: IndexMap<PartId, Arc<Part>, FxBuildHasher>,
    pub templates: Arc<Templates>,
    pub rates: Arc<Rates>,
    /// Names the content: equal catalogs have equal versions.
    version: String,
}

impl Catalog {
    /// `version` names the content; [`fingerprint`] makes one from the files' texts.
    pub fn new(parts: impl IntoIterator<Item = Part>, templates: Templates, version: String) -> Self {
        let mut parts: IndexMap<_, _, FxBuildHasher> = parts.into_iter().map(|p| (p.id.clone(), Arc::new(p))).collect();
        parts.sort_unstable_keys();
        Self { parts, templates: Arc::new(templates), rates: Arc::default(), version }
    }

    pub fn with_rates(self, rates: Rates) -> Self {
        Self { rates: Arc::new(rates), ..self }
    }

    pub fn part(&self, id: &PartId) -> Option<&Part> {
        self.parts.get(id).map(Arc::as_ref)
    }

    /// In order of ids.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.values().map(Arc::as_ref)
    }

    pub fn len(&self) -> usize {
        self.parts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// A short text that changes with any fact of any part.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// This catalog with what a rig file carries of its own in place of the program's.
    pub fn overlaid(&self, copies: Copies) -> Self {
        let mut next = self.clone();
        for part in copies.parts {
            next.parts.insert_sorted(part.id.clone(), Arc::new(part));
        }
        if let Some(rates) = copies.rates {
            next.rates = Arc::new(rates);
        }
        next
    }

    /// The part that `text` names: an exact id, name, or name without maker; else a unique part of the name.
    ///
    /// # Errors
    /// The candidates, empty when nothing matches.
    pub fn find(&self, text: &str, kind: Option<&str>) -> Result<&Part, Vec<String>> {
        let wanted = text.trim().to_lowercase();
        let all: Vec<(&Part, String)> =
            self.parts().filter(|p| kind.is_none_or(|k| p.kind.key() == k)).map(|p| (p, p.name.to_lowercase())).collect();
        let without_maker = |p: &Part, name: &str| {
            let maker = p.maker.as_ref().map(|m| m.to_lowercase()).unwrap_or_default();
            name.strip_prefix(&maker).unwrap_or(name).trim_start() == wanted || p.short_name().to_lowercase() == wanted
        };
        let alias = |p: &Part, _: &str| p.aliases.iter().any(|a| a.to_lowercase() == wanted);
        let part_of = |_: &Part, name: &str| !wanted.is_empty() && name.contains(&wanted);
        let steps: [Test<'_>; 5] = [&|p, _| p.id.as_str() == wanted, &|_, name| name == wanted, &without_maker, &alias, &part_of];
        for step in steps {
            let found: Vec<&Part> = all.iter().filter(|(p, name)| step(p, name)).map(|(p, _)| *p).collect();
            // "RTX A6000" is sold by NVIDIA and by others under one name: the chip's maker is meant.
            let own = |p: &&Part| matches!(&p.kind, PartKind::Gpu(g) if g.vendor.map(|v| v.text()) == p.maker.as_deref());
            let own: Vec<&Part> = found.iter().copied().filter(own).collect();
            match (found.as_slice(), own.as_slice()) {
                ([], _) => {}
                ([part], _) => return Ok(part),
                (_, [part]) if found.iter().all(|p| p.short_name() == part.short_name()) => return Ok(part),
                (many, _) => return Err(many.iter().map(|p| format!("{} ({})", p.name, p.id)).collect()),
            }
        }
        Err(Vec::new())
    }
}

/// Whether a part, with its name in small letters, is the one wanted.
type Test<'t> = &'t dyn Fn(&Part, &str) -> bool;

/// FNV-1a over texts: a short name for their content, no more.
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in texts.into_iter().flat_map(str::bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{:08x}", (hash ^ (hash >> 32)) as u32)
}
