//! Where weights, cache and buffers of each workload live, and what is left.

use rayon::prelude::*;

use crate::analysis::Origin;
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::catalog::precision::native::{Arithmetic, Capability, capability};
use crate::project::Project;
use crate::units::Bytes;
use crate::workload::Workload;

pub mod band;
pub mod engine;
pub mod fits;
pub mod host;
mod items;
pub mod limits;
pub mod plan;
pub mod training;

pub use host::HostLedger;
pub use limits::Limits;
use plan::{Plan, Sizes, devices};

/// Stack of the memory chart, bottom up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Weights,
    KvCache,
    Gradients,
    /// States of the optimizer and what else only it needs.
    Optimizer,
    /// What a training step keeps for its backward pass.
    Activations,
    /// Activations and compute buffers.
    Buffers,
    /// Context of driver and framework.
    Overhead,
}

impl ItemKind {
    pub const ALL: [Self; 7] =
        [Self::Weights, Self::KvCache, Self::Gradients, Self::Optimizer, Self::Activations, Self::Buffers, Self::Overhead];
    pub const fn text(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::KvCache => "KV cache",
            Self::Gradients => "gradients",
            Self::Optimizer => "optimizer",
            Self::Activations => "activations",
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
    /// What may be used of it: less than the capacity where the engine takes a pool. `None` = unknown.
    pub limit: Option<Bytes>,
    /// The arithmetic that the precision asks for, and how this card does it; `None` = unknown.
    pub arithmetic: Arithmetic,
    pub capability: Option<Capability>,
    pub items: Vec<Item>,
    pub total: Bytes,
    pub low: Bytes,
    pub high: Bytes,
    /// Parts of a training step; `None` for inference.
    pub phases: Option<training::Phases>,
}

impl CardLedger {
    /// Whether it fits: yes or no only where the whole band lies on one side of the capacity.
    pub fn fits(&self) -> Option<bool> {
        let limit = self.limit?;
        if self.high <= limit {
            Some(true)
        } else if self.low > limit {
            Some(false)
        } else {
            None
        }
    }
    pub fn bytes_of(&self, kind: ItemKind) -> Bytes {
        self.items.iter().filter(|i| i.kind == kind).map(|i| i.bytes).sum()
    }
    /// What is left below the limit, 0 if over: room for more tokens where the engine has a pool.
    pub fn free(&self) -> Option<Bytes> {
        Some(self.limit?.saturating_sub(self.total))
    }
}

/// One ledger per workload and card it uses, in order of workloads, then of the cards' ids, and one of main memory per workload.
pub fn ledgers(catalog: &Catalog, project: &Project) -> (Vec<CardLedger>, Vec<HostLedger>) {
    let each = project.workloads.par_iter().enumerate();
    let (cards, hosts): (Vec<_>, Vec<_>) = each.map(|(index, workload)| of_workload(catalog, project, index, workload)).unzip();
    (cards.into_iter().flatten().collect(), hosts.into_iter().flatten().collect())
}

fn of_workload(catalog: &Catalog, project: &Project, index: usize, workload: &Workload) -> (Vec<CardLedger>, Option<HostLedger>) {
    if let Some(job) = &workload.training {
        return (training::ledgers(index, workload, job, &plan::used(workload, devices(catalog, project))), None);
    }
    let plan = Plan::new(workload, devices(catalog, project));
    let sizes = plan.sizes(plan.held_context(workload.context), workload.batch);
    let cards = (0..plan.cards.len()).filter_map(|card| ledger(index, &plan, card, &sizes)).collect();
    (cards, Some(host::ledger(index, &plan, &sizes)))
}

fn ledger(workload: usize, plan: &Plan<'_>, card: usize, sizes: &Sizes) -> Option<CardLedger> {
    let device = plan.cards.get(card)?;
    let on = plan.on_card(card, sizes);
    let total = on.total();
    Some(CardLedger {
        workload,
        workload_name: plan.workload.name.clone(),
        gpu: device.id,
        gpu_name: format!("GPU {} · {}", card + 1, device.part.short_name()),
        capacity: device.capacity(),
        limit: plan.limit(card),
        arithmetic: Arithmetic::of(plan.workload.precision),
        capability: capability(device.gpu, Arithmetic::of(plan.workload.precision)),
        items: items::of(plan, card, sizes, &on),
        total: Bytes(total.value),
        low: Bytes(total.low),
        high: Bytes(total.high),
        phases: None,
    })
}
