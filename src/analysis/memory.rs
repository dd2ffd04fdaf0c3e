//! Where weights, cache and buffers of each workload live, and what is left.

use crate::analysis::Origin;
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::project::Project;
use crate::units::Bytes;
use crate::workload::Workload;
use crate::workload::training::Training;

mod items;
pub mod plan;
pub mod training;

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

/// One ledger per workload and card it uses, in order of workloads, then of the cards' ids. Layers are split in proportion to free memory.
pub fn ledgers(catalog: &Catalog, project: &Project) -> Vec<CardLedger> {
    let mut out = Vec::new();
    for (index, workload) in project.workloads.iter().enumerate() {
        if let Some(job) = &workload.training {
            out.extend(training::ledgers(index, workload, job, &plan::used(workload, devices(catalog, project))));
            continue;
        }
        let plan = Plan::new(workload, devices(catalog, project));
        let sizes = plan.sizes(workload.context, workload.batch);
        out.extend((0..plan.cards.len()).filter_map(|card| ledger(index, &plan, card, &sizes)));
    }
    out
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
        items: items::of(plan, card, sizes, &on),
        total: Bytes(total.value),
        low: Bytes(total.low),
        high: Bytes(total.high),
        phases: None,
    })
}

/// Questions about where a workload stops to fit.
#[derive(Clone, Copy, Debug)]
pub struct Limits;

impl Limits {
    /// Longest context in tokens per sequence at which a workload's middle estimate still fits on every card; the model's own limit where
    /// that fits (1,048,576 for a model that states none). `None` if no context fits, without a card, or with a card of unknown memory.
    pub fn largest_context(catalog: &Catalog, project: &Project, workload: usize) -> Option<u64> {
        let workload = project.workloads.get(workload)?;
        let plan = plan_with_known_memory(catalog, project, workload)?;
        if let Some(job) = &workload.training {
            let with = |sequence| Training { sequence, ..job.clone() };
            return largest(workload.model.context.unwrap_or(1 << 20).max(1), |n| training::fits(workload, &with(n), &plan.cards));
        }
        largest(workload.model.context.unwrap_or(1 << 20).max(1), |context| plan.fits(context, workload.batch))
    }

    /// Most sequences at once, up to 1,048,576, that fit at the workload's context; `None` as in [`Self::largest_context`].
    pub fn largest_batch(catalog: &Catalog, project: &Project, workload: usize) -> Option<u64> {
        let workload = project.workloads.get(workload)?;
        let plan = plan_with_known_memory(catalog, project, workload)?;
        if let Some(job) = &workload.training {
            let with = |micro_batch| Training { micro_batch, ..job.clone() };
            return largest(1 << 20, |n| training::fits(workload, &with(n), &plan.cards));
        }
        largest(1 << 20, |batch| plan.fits(workload.context, batch))
    }
}

fn plan_with_known_memory<'a>(catalog: &'a Catalog, project: &'a Project, workload: &'a Workload) -> Option<Plan<'a>> {
    let plan = Plan::new(workload, devices(catalog, project));
    (!plan.cards.is_empty() && plan.cards.iter().all(|c| c.capacity().is_some())).then_some(plan)
}

/// Largest number in `1..=most` that fits, given that smaller ones fit wherever a larger one does.
fn largest(most: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if fits(most) {
        return Some(most);
    }
    let (mut yes, mut no) = (0, most);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if fits(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    (yes > 0).then_some(yes)
}
