//! What a result costs: tokens, an epoch, a run, a gigabyte of graphics memory, a TFLOP that the work really reaches.

use super::rates::{Does, Rate, flop_per_token, speed_rate};
use super::{Cost, Life};
use crate::analysis::memory::CardLedger;
use crate::analysis::speed::Speed;
use crate::analysis::{Basis, Origin};
use crate::catalog::Catalog;
use crate::catalog::part::PartKind;
use crate::project::Project;
use crate::units::{Bytes, plain, thousands};
use crate::workload::Workload;

/// What is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    MillionTokensGenerated,
    MillionTokensPrefilled,
    Epoch,
    TrainingRun,
    GraphicsMemoryGb,
    TflopReached,
}

impl Thing {
    pub const fn text(self) -> &'static str {
        match self {
            Self::MillionTokensGenerated => "a million tokens generated",
            Self::MillionTokensPrefilled => "a million tokens of prompts read",
            Self::Epoch => "an epoch",
            Self::TrainingRun => "a training run",
            Self::GraphicsMemoryGb => "a GB of graphics memory that may be used",
            Self::TflopReached => "a TFLOP/s that the work reaches",
        }
    }
}

/// The cost of one result, in units of the room's currency.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultCost {
    pub thing: Thing,
    /// `None` = it is about the rig, not a workload.
    pub workload: Option<usize>,
    pub workload_name: String,
    /// `None` = unknown, with the missing fact.
    pub value: Option<f64>,
    /// From the band of the speed; the fast end is cheap.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub missing: Option<String>,
    pub origin: Origin,
}

const SHARED: &str = "purchase, repair and resale spread over the hours under load in the room's years; energy under load";

/// All results of all workloads.
pub(super) fn results(catalog: &Catalog, project: &Project, cost: &Cost, memory: &[CardLedger], speeds: &[Speed]) -> Vec<ResultCost> {
    let mut out = vec![per_gb(catalog, project, cost, memory)];
    for (index, workload) in project.workloads.iter().enumerate() {
        let maker = Maker { project, cost, index, workload, speeds };
        if workload.training.is_some() {
            out.push(maker.epoch(Thing::Epoch, 1.0));
            out.push(maker.epoch(Thing::TrainingRun, project.economy.epochs));
            out.push(maker.tflop(Does::Train));
        } else {
            out.push(maker.million(Thing::MillionTokensGenerated, Does::Generate));
            out.push(maker.million(Thing::MillionTokensPrefilled, Does::Prefill));
            out.push(maker.tflop(Does::Generate));
        }
    }
    out
}

fn unknown(thing: Thing, workload: Option<(usize, &str)>, missing: String) -> ResultCost {
    ResultCost {
        thing,
        workload: workload.map(|w| w.0),
        workload_name: workload.map(|w| w.1.to_owned()).unwrap_or_default(),
        value: None,
        low: None,
        high: None,
        origin: Origin::new(Basis::Assumed, format!("unknown: {missing}"), ""),
        missing: Some(missing),
    }
}

/// Cards' memory that may be used: less than all of it where an engine takes a share.
fn usable(catalog: &Catalog, project: &Project, memory: &[CardLedger]) -> Option<Bytes> {
    let mut sum = Bytes(0);
    for (id, _, part) in project.rig.placed(catalog) {
        let PartKind::Gpu(gpu) = &part.kind else { continue };
        let limit = memory.iter().filter(|l| l.gpu == id).map(|l| l.limit).min().flatten();
        sum += limit.or(gpu.memory_gb.map(Bytes::from_gib))?;
    }
    Some(sum)
}

fn per_gb(catalog: &Catalog, project: &Project, cost: &Cost, memory: &[CardLedger]) -> ResultCost {
    let thing = Thing::GraphicsMemoryGb;
    match usable(catalog, project, memory) {
        None => unknown(thing, None, "memory_gb of a card".to_owned()),
        Some(Bytes(0)) => unknown(thing, None, "a graphics card".to_owned()),
        Some(bytes) => {
            let value = cost.paid.amount() / bytes.gib();
            let formula = format!("{} ÷ {} GB", cost.paid, plain(bytes.gib(), 2));
            ResultCost {
                thing,
                workload: None,
                workload_name: String::new(),
                value: Some(value),
                low: Some(value),
                high: Some(value),
                missing: None,
                origin: Origin::new(Basis::Derived, formula, "purchase of the whole rig over the cards' memory in GB as makers print it"),
            }
        }
    }
}

struct Maker<'a> {
    project: &'a Project,
    cost: &'a Cost,
    index: usize,
    workload: &'a Workload,
    speeds: &'a [Speed],
}

impl Maker<'_> {
    fn unknown(&self, thing: Thing, missing: String) -> ResultCost {
        unknown(thing, Some((self.index, &self.workload.name)), missing)
    }

    fn life(&self) -> Result<&Life, String> {
        self.cost.life.as_ref().ok_or_else(|| {
            if self.project.room.hours_per_day <= 0.0 { "hours under load".to_owned() } else { "the draw from the wall".to_owned() }
        })
    }

    fn known(&self, thing: Thing, rate: &Rate, each: impl Fn(f64) -> f64, origin: Origin) -> ResultCost {
        ResultCost {
            thing,
            workload: Some(self.index),
            workload_name: self.workload.name.clone(),
            value: Some(each(rate.value)),
            low: Some(each(rate.high)),
            high: Some(each(rate.low)),
            missing: None,
            origin,
        }
    }

    /// Tokens at a rate, by the hour's cost.
    fn tokens(&self, thing: Thing, does: Does, tokens: f64) -> Result<ResultCost, String> {
        let rate = speed_rate(self.speeds, self.index, does)?;
        let hour = self.life()?.hour;
        let symbol = self.project.room.currency.symbol();
        let formula =
            format!("{symbol}{} an hour ÷ {} tokens/s ÷ 3,600 × {} tokens", plain(hour, 4), plain(rate.value, 2), thousands(tokens, 0));
        let each = |speed: f64| hour / (speed * 3600.0) * tokens;
        Ok(self.known(thing, &rate, each, Origin::new(Basis::Assumed, formula, SHARED)))
    }

    fn million(&self, thing: Thing, does: Does) -> ResultCost {
        self.tokens(thing, does, 1e6).unwrap_or_else(|missing| self.unknown(thing, missing))
    }

    fn epoch(&self, thing: Thing, epochs: f64) -> ResultCost {
        let done = match self.project.economy.epoch_tokens {
            None => Err("tokens of an epoch, in the cost settings".to_owned()),
            Some(tokens) => self.tokens(thing, Does::Train, tokens * epochs),
        };
        done.unwrap_or_else(|missing| self.unknown(thing, missing))
    }

    fn tflop(&self, does: Does) -> ResultCost {
        let thing = Thing::TflopReached;
        match speed_rate(self.speeds, self.index, does) {
            Err(missing) => self.unknown(thing, missing),
            Ok(rate) => {
                let paid = self.cost.paid;
                let flop = flop_per_token(self.workload);
                let formula = format!("{paid} ÷ ({} tokens/s × {} GFLOP a token)", plain(rate.value, 2), plain(flop / 1e9, 3));
                let each = |speed: f64| paid.amount() / (speed * flop / 1e12);
                let source = "purchase over the operations that the weights ask for, at the speed of the ledger";
                self.known(thing, &rate, each, Origin::new(Basis::Assumed, formula, source))
            }
        }
    }
}
