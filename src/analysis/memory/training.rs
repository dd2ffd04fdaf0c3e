//! Memory of a training job on each card: the step is recorded once as a tape of tensors, cut to the card's share, and walked through.

use super::band::Band;
use super::plan::Device;
use super::{CardLedger, Item};
use crate::catalog::precision::native::{Arithmetic, capability};
use crate::units::Bytes;
use crate::workload::Workload;
use crate::workload::training::{TrainPrecision, Training};

mod attention;
mod conv;
mod items;
mod job;
mod layers;
mod model;
mod ops;
mod seq2seq;
mod shard;
mod step;
mod tape;

pub mod accounting;
mod work;

pub use step::Peak;
pub use work::{Work, matrix_params, scores, work};

use job::Job;
use shard::{Layout, Share};

/// Where in a training step memory is highest, and what its parts reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    pub at: Peak,
    /// Highest sums of tensors in each part of the step; context of driver and framework not counted.
    pub forward: Bytes,
    pub backward: Bytes,
    pub optimizer: Bytes,
    /// What waits for the backward pass when the forward pass ends.
    pub activations: Bytes,
}

impl Phases {
    /// "highest in the backward pass of layer 3"
    pub fn text(&self) -> String {
        match self.at {
            Peak::Forward => "highest at the end of the forward pass, in the loss".to_owned(),
            Peak::LossBackward => "highest when the backward pass begins, in the loss".to_owned(),
            Peak::Layer(n) => format!("highest in the backward pass of layer {n}"),
            Peak::EmbeddingBackward => "highest at the end of the backward pass, in the embedding".to_owned(),
            Peak::Optimizer => "highest in the optimizer's step".to_owned(),
        }
    }
}

/// Ledgers of a training workload on the cards it may use, in their order.
pub(super) fn ledgers(index: usize, workload: &Workload, training: &Training, cards: &[Device<'_>]) -> Vec<CardLedger> {
    let Some(layout) = Layout::of(training, cards.len()) else { return Vec::new() };
    let job = Job::new(workload, training, &layout);
    let stages: Vec<(Share, Vec<Item>)> = (0..layout.pipeline)
        .map(|stage| {
            let share = job.share(&layout, stage);
            let items = items::of(&job, &layout, &share, stage);
            (share, items)
        })
        .collect();
    let of = |(n, device): (usize, &Device<'_>)| {
        let (share, shared_items) = stages.get(layout.stage(n))?;
        let mut items = shared_items.clone();
        items.extend(items::around(share, device, cards.len()));
        let sum = |of: fn(&Item) -> Bytes| items.iter().map(of).fold(Bytes(0), |a, b| Bytes(a.0.saturating_add(b.0)));
        Some(CardLedger {
            workload: index,
            workload_name: workload.name.clone(),
            gpu: device.id,
            gpu_name: format!("GPU {} · {}", n + 1, device.part.short_name()),
            capacity: device.capacity(),
            limit: device.capacity(),
            arithmetic: arithmetic(training.precision),
            capability: capability(device.gpu, arithmetic(training.precision)),
            total: sum(|i| i.bytes),
            low: sum(|i| i.low),
            high: sum(|i| i.high),
            items,
            phases: Some(share.phases()),
        })
    };
    cards.iter().enumerate().filter_map(of).collect()
}

/// What a job takes on the fullest of `cards` cards, whichever they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Tensors at their highest, which `PyTorch` calls allocated.
    pub tensors: Band,
    /// And what the allocator holds besides, which it calls reserved.
    pub reserved: Band,
    /// And context and libraries, as the driver counts.
    pub process: Band,
}

/// Estimates a job; `None` if its degrees of parallelism need more cards.
pub fn estimate(workload: &Workload, training: &Training, cards: usize) -> Option<Estimate> {
    let layout = Layout::of(training, cards)?;
    let job = Job::new(workload, training, &layout);
    let of = |stage: u64| {
        let share = job.share(&layout, stage);
        let own = items::of(&job, &layout, &share, stage);
        let sum = |bytes: fn(&Item) -> Bytes| own.iter().map(|i| bytes(i).0).fold(0, u64::saturating_add);
        Band { low: sum(|i| i.low), value: share.outcome.peak, high: sum(|i| i.high) }
    };
    let tensors = (0..layout.pipeline).map(of).max_by_key(|b| b.value)?;
    let reserved = tensors + items::allocator(tensors.value);
    Some(Estimate { tensors, reserved, process: reserved + items::context(cards) })
}

/// What the matrices of a step are multiplied in.
const fn arithmetic(precision: TrainPrecision) -> Arithmetic {
    match precision {
        TrainPrecision::Fp32 => Arithmetic::Fp32,
        TrainPrecision::Fp16Mixed => Arithmetic::Fp16,
        TrainPrecision::Bf16Mixed | TrainPrecision::Bf16 => Arithmetic::Bf16,
        TrainPrecision::Fp8 => Arithmetic::Fp8,
    }
}

/// Whether the middle estimate of every card lies within its memory; an unknown memory size does not count against it.
pub(super) fn fits(workload: &Workload, training: &Training, cards: &[Device<'_>]) -> bool {
    let Some(layout) = Layout::of(training, cards.len()) else { return false };
    let job = Job::new(workload, training, &layout);
    let need: Vec<u64> = (0..layout.pipeline).map(|stage| job.share(&layout, stage).outcome.peak).collect();
    let fits = |(n, device): (usize, &Device<'_>)| {
        let around: Band = items::surroundings(need.get(layout.stage(n)).copied().unwrap_or(0), device, cards.len());
        device.capacity().is_none_or(|c| need.get(layout.stage(n)).is_some_and(|b| b.saturating_add(around.value) <= c.0))
    };
    cards.iter().enumerate().all(fits)
}
