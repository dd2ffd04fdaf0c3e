//! What fits of one workload: curves with the ends of each card, and a table of formats by contexts.

use super::limits::{Largest, Limits, formats};
use super::plan::{Plan, devices};
use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::catalog::precision::Precision;
use crate::project::Project;
use crate::units::Bytes;
use crate::workload::Engine;

/// What is made larger until it no longer fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// Tokens per sequence, at the workload's batch.
    #[default]
    Context,
    /// Sequences at the same time, at the workload's context.
    Batch,
}

/// Everything about one served workload on this rig. Middle estimates, as [`Limits`].
#[derive(Clone, Debug, PartialEq)]
pub struct WhatFits {
    /// One a card.
    pub curves: Vec<Curve>,
    /// Where the curves end: tokens or sequences.
    pub most: u64,
    pub rig: Largest,
    /// Each card alone.
    pub cards: Vec<Largest>,
    /// Rows of the table, from the most bytes down.
    pub formats: Vec<Precision>,
    /// Columns of the table, tokens per sequence.
    pub contexts: Vec<u64>,
    /// Formats, then contexts; `None` = within the band.
    pub table: Vec<Vec<Option<bool>>>,
}

/// Memory of one card.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// (tokens or sequences, bytes)
    pub points: Vec<(u64, Bytes)>,
    /// What may be used of the card.
    pub limit: Option<Bytes>,
    /// Last number that still fits; `None` = none.
    pub last: Option<u64>,
}

/// Points of a curve.
const STEPS: u64 = 64;
/// Columns of the table, as far as the model's own limit goes.
const CONTEXTS: [u64; 8] = [2048, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576];
/// Where a curve over context ends for a model that states no limit.
const USUAL_LIMIT: u64 = 131_072;

impl WhatFits {
    /// `None` without a card, with a card of unknown memory, and for training.
    pub fn of(catalog: &Catalog, project: &Project, index: usize, along: Along) -> Option<Self> {
        let workload = project.workloads.get(index)?;
        let (rig, cards) = Limits::all(catalog, project, index)?;
        let plan = Plan::new(workload, devices(catalog, project));
        let longest = workload.model.context.unwrap_or(USUAL_LIMIT);
        let most = match along {
            Along::Context => longest.max(2),
            Along::Batch => rig.batch.unwrap_or(1).clamp(16, 4096) * 2,
        };
        let curves = (0..plan.cards.len()).map(|card| {
            let points = (0..=STEPS).map(|n| {
                let x = (u128::from(most) * u128::from(n) / u128::from(STEPS)).max(1) as u64;
                let (context, batch) = match along {
                    Along::Context => (x, workload.batch),
                    Along::Batch => (workload.context, x),
                };
                let total = plan.on_card(card, &plan.sizes(plan.held_context(context), batch)).total();
                (x, Bytes(total.value))
            });
            let last = cards.get(card).and_then(|l| match along {
                Along::Context => l.context,
                Along::Batch => l.batch,
            });
            Curve { points: points.collect(), limit: plan.limit(card), last }
        });
        let curves = curves.collect();
        let formats = offered(workload.engine(), &workload.model);
        let mut contexts: Vec<u64> = CONTEXTS.into_iter().filter(|c| *c <= longest).collect();
        if contexts.is_empty() {
            contexts.push(longest);
        }
        let table = Limits::table(catalog, project, index, &formats, &contexts)?;
        Some(Self { curves, most, rig, cards, formats, contexts, table })
    }
}

/// The engine's formats from the most bytes down, at most fourteen: of near ones the well-known.
fn offered(engine: Engine, model: &ModelShape) -> Vec<Precision> {
    use Precision as P;
    const KNOWN: [P; 22] = [
        P::F32,
        P::Bf16,
        P::Gguf,
        P::Safetensors,
        P::Fp8,
        P::Int8,
        P::Q8_0,
        P::Q6K,
        P::Q5KM,
        P::Q4KM,
        P::Q4_0,
        P::Iq4Xs,
        P::Q3KM,
        P::Iq3M,
        P::Q2K,
        P::Iq2M,
        P::Iq1S,
        P::Gptq4,
        P::Awq4,
        P::Nf4,
        P::Nvfp4,
        P::Mxfp4,
    ];
    let mut list: Vec<P> = formats(engine, model).filter(|p| KNOWN.contains(p)).collect();
    list.sort_by_key(|p| std::cmp::Reverse(p.model_bytes(model)));
    list.truncate(14);
    list
}
