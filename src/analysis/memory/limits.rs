//! Where a workload stops to fit.

use super::plan::{Plan, devices};
use super::training;
use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::catalog::precision::Precision;
use crate::project::Project;
use crate::workload::training::Training;
use crate::workload::{Engine, Workload};

/// Questions about where a workload stops to fit. All by the middle estimate; every search is exact, since memory grows with context, batch
/// and bits.
#[derive(Clone, Copy, Debug)]
pub struct Limits;

/// Longest context asked about where a model states none.
const MOST_TOKENS: u64 = 1 << 20;
const MOST_BATCH: u64 = 1 << 20;

/// What still fits on one card of a workload, or on all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Largest {
    /// Tokens per sequence, at the workload's batch; `None` = none.
    pub context: Option<u64>,
    /// Sequences, at the workload's context; `None` = not even one.
    pub batch: Option<u64>,
    /// Format of the most bytes, at the workload's context and batch; `None` = none of them.
    pub precision: Option<Precision>,
}

impl Limits {
    /// Longest context in tokens per sequence at which a workload's middle estimate still fits on every card; the model's own limit where
    /// that fits (1,048,576 for a model that states none). `None` if no context fits, without a card, or with a card of unknown memory.
    pub fn largest_context(catalog: &Catalog, project: &Project, workload: usize) -> Option<u64> {
        let workload = project.workloads.get(workload)?;
        let plan = known(catalog, project, workload)?;
        if let Some(job) = &workload.training {
            let with = |sequence| Training { sequence, ..job.clone() };
            let most = workload.model.context.unwrap_or(MOST_TOKENS).max(1);
            return largest(most, |n| training::fits(workload, &with(n), &plan.cards));
        }
        context(&plan, None)
    }

    /// Most sequences at once, up to 1,048,576, that fit at the workload's context; `None` as in [`Self::largest_context`].
    pub fn largest_batch(catalog: &Catalog, project: &Project, workload: usize) -> Option<u64> {
        let workload = project.workloads.get(workload)?;
        let plan = known(catalog, project, workload)?;
        if let Some(job) = &workload.training {
            let with = |micro_batch| Training { micro_batch, ..job.clone() };
            return largest(MOST_BATCH, |n| training::fits(workload, &with(n), &plan.cards));
        }
        batch(&plan, None)
    }

    /// The format that takes most bytes and still fits, of those the workload's engine runs; `None` as in [`Self::largest_context`].
    pub fn largest_precision(catalog: &Catalog, project: &Project, workload: usize) -> Option<Precision> {
        let workload = project.workloads.get(workload).filter(|w| w.training.is_none())?;
        precision(&known(catalog, project, workload)?, None)
    }

    /// All three for the rig, and for each card alone: a card's own figures ask only whether this card overflows. `None` without a card
    /// or with a card of unknown memory, and for training.
    pub fn all(catalog: &Catalog, project: &Project, workload: usize) -> Option<(Largest, Vec<Largest>)> {
        let job = project.workloads.get(workload).filter(|w| w.training.is_none())?;
        let plan = known(catalog, project, job)?;
        let of = |card| Largest { context: context(&plan, card), batch: batch(&plan, card), precision: precision(&plan, card) };
        Some((of(None), (0..plan.cards.len()).map(|card| of(Some(card))).collect()))
    }

    /// Whether each format fits at each context: yes, no, or within the band. Formats as given, then contexts.
    pub fn table(
        catalog: &Catalog,
        project: &Project,
        workload: usize,
        formats: &[Precision],
        contexts: &[u64],
    ) -> Option<Vec<Vec<Option<bool>>>> {
        let workload = project.workloads.get(workload).filter(|w| w.training.is_none())?;
        known(catalog, project, workload)?;
        let row = |&format: &Precision| {
            let other = with(workload, format);
            let plan = Plan::new(&other, devices(catalog, project));
            contexts.iter().map(|&c| plan.verdict(c, workload.batch)).collect()
        };
        Some(formats.iter().map(row).collect())
    }
}

/// Formats that an engine runs: GGUF for llama.cpp, the rest for the others; the unquantised ones everywhere.
pub fn formats(engine: Engine, model: &ModelShape) -> impl Iterator<Item = Precision> {
    let whole = |p: Precision| matches!(p, Precision::F32 | Precision::F16 | Precision::Bf16);
    let gguf = move |p: Precision| Engine::usual(p) == Engine::LlamaCpp;
    Precision::ALL.iter().copied().filter(move |&p| p.suits(model) && (whole(p) || gguf(p) == (engine == Engine::LlamaCpp)))
}

fn with(workload: &Workload, precision: Precision) -> Workload {
    let mut other = workload.clone();
    other.serving.engine = Some(workload.engine());
    other.precision = precision;
    other
}

fn known<'a>(catalog: &'a Catalog, project: &'a Project, workload: &'a Workload) -> Option<Plan<'a>> {
    let plan = Plan::new(workload, devices(catalog, project));
    (!plan.cards.is_empty() && plan.cards.iter().all(|c| c.capacity().is_some())).then_some(plan)
}

fn fits(plan: &Plan<'_>, card: Option<usize>, context: u64, batch: u64) -> bool {
    match card {
        Some(card) => plan.fits_on(card, context, batch),
        None => plan.fits(context, batch),
    }
}

fn context(plan: &Plan<'_>, card: Option<usize>) -> Option<u64> {
    let most = plan.workload.model.context.unwrap_or(MOST_TOKENS).max(1);
    largest(most, |context| fits(plan, card, context, plan.workload.batch))
}

fn batch(plan: &Plan<'_>, card: Option<usize>) -> Option<u64> {
    largest(MOST_BATCH, |batch| fits(plan, card, plan.workload.context, batch))
}

fn precision(plan: &Plan<'_>, card: Option<usize>) -> Option<Precision> {
    let mut all: Vec<(u64, Precision)> =
        formats(plan.engine, &plan.workload.model).map(|p| (p.model_bytes(&plan.workload.model), p)).collect();
    all.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let (context, batch) = (plan.workload.context, plan.workload.batch);
    let good = |&(_, p): &(u64, Precision)| {
        let other = with(plan.workload, p);
        fits(&Plan::new(&other, plan.cards.iter().copied()), card, context, batch)
    };
    all.iter().find(|one| good(one)).map(|(_, p)| *p)
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
