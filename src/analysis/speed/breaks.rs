//! What breaks first as the work grows (G1): each layer of the ledger with the value of the user's scale at which it gives way.

use serde::{Deserialize, Serialize};

use super::{Ledgers, Speed, power_share};
use crate::analysis::airflow::work::Class;
use crate::analysis::memory::plan::{Device, Plan, devices};
use crate::catalog::Catalog;
use crate::catalog::precision::native::Support;
use crate::project::Project;

/// What gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    Memory,
    Precision,
    Communication,
    Input,
    Power,
    Heat,
    Evaluation,
}

impl Layer {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Precision => "precision support",
            Self::Communication => "communication",
            Self::Input => "input",
            Self::Power => "power",
            Self::Heat => "heat",
            Self::Evaluation => "evaluation",
        }
    }
}

/// One rung: at this value of the scale the layer gives way.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub workload: usize,
    pub workload_name: String,
    pub layer: Layer,
    /// `None` = it does not, as far as is asked, or is unknown: the reason says which.
    pub at: Option<f64>,
    /// "tokens", "sequences", "cards", "parameters in billions", "items a day".
    pub unit: &'static str,
    pub reason: String,
    /// `at` over the value of today; what is below 1 has given way already. `None` as `at`.
    pub growth: Option<f64>,
}

/// A set of questions that is asked before and after a quantisation: 1,000 items of 2,048 tokens read and 256 written; chosen.
const ITEMS: f64 = 1000.0;
const ITEM_PROMPT: f64 = 2048.0;
const ITEM_ANSWER: f64 = 256.0;
/// Share of a step above which messages count as what breaks: half; chosen.
const MESSAGES: f64 = 0.5;
/// Share of the work lost to heat that counts as broken: 5 %; chosen.
const LOST: f64 = 0.05;

/// The ladder of every workload, the first to break first.
pub fn limits(catalog: &Catalog, project: &Project, ledgers: Ledgers<'_>, speeds: &[Speed]) -> Vec<Limit> {
    let all: Vec<Device<'_>> = devices(catalog, project).collect();
    let mut out = Vec::new();
    for (index, workload) in project.workloads.iter().enumerate() {
        let mut ladder = Ladder { index, name: &workload.name, rungs: Vec::with_capacity(10) };
        let mine = |metric: &str| speeds.iter().find(|s| s.workload == index && s.metric.starts_with(metric));
        let plan = Plan::new(workload, all.iter().copied());
        if plan.cards.is_empty() {
            continue;
        }
        ladder.memory(catalog, project, &plan);
        ladder.precision(ledgers);
        if let Some(speed) = mine("decode").or_else(|| mine("train")) {
            ladder.messages(speed, plan.cards.len());
            ladder.input(speed, workload.training.is_some());
        }
        ladder.power(ledgers, &all);
        ladder.heat(ledgers, &plan.cards);
        ladder.evaluation(mine("decode"), mine("prefill"), workload.batch, project.room.hours_per_day);
        ladder
            .rungs
            .sort_by(|a, b| a.growth.unwrap_or(f64::INFINITY).total_cmp(&b.growth.unwrap_or(f64::INFINITY)).then(a.layer.cmp(&b.layer)));
        out.append(&mut ladder.rungs);
    }
    out
}

struct Ladder<'a> {
    index: usize,
    name: &'a str,
    rungs: Vec<Limit>,
}

impl Ladder<'_> {
    fn add(&mut self, layer: Layer, at: Option<f64>, now: f64, unit: &'static str, reason: String) {
        let growth = at.map(|a| a / now.max(1e-9));
        self.rungs.push(Limit { workload: self.index, workload_name: self.name.to_owned(), layer, at, unit, reason, growth });
    }

    fn memory(&mut self, catalog: &Catalog, project: &Project, plan: &Plan<'_>) {
        use crate::analysis::memory::Limits;
        let workload = plan.workload;
        let known = plan.cards.iter().all(|c| c.capacity().is_some());
        if !known {
            self.add(Layer::Memory, None, 1.0, "tokens", "unknown: the memory size of a card".to_owned());
            return;
        }
        let context = Limits::largest_context(catalog, project, self.index);
        let now = workload.training.as_ref().map_or(workload.context, |t| t.sequence) as f64;
        let most = workload.model.context;
        match context {
            Some(c) if most == Some(c) => {
                self.add(Layer::Memory, None, now, "tokens", format!("holds the model's longest context of {c} tokens"));
            }
            Some(c) => self.add(Layer::Memory, Some(c as f64), now, "tokens", format!("longer sequences than {c} tokens do not fit")),
            None => self.add(Layer::Memory, Some(0.0), now, "tokens", "not even one token fits".to_owned()),
        }
        let batch = Limits::largest_batch(catalog, project, self.index);
        let (now, unit) =
            workload.training.as_ref().map_or((workload.batch as f64, "sequences"), |t| (t.micro_batch as f64, "samples a micro-batch"));
        let n = batch.unwrap_or(0);
        self.add(Layer::Memory, Some(n as f64), now, unit, format!("more than {n} at once do not fit"));
        if workload.training.is_none() {
            // Weights grow with the model, caches and buffers are taken to stay.
            let sizes = plan.sizes(plan.held_context(workload.context), workload.batch);
            let fullest = (0..plan.cards.len()).filter_map(|n| {
                let on = plan.on_card(n, &sizes);
                let weights = on.weights().value as f64;
                let room = plan.limit(n)?.0 as f64 - (on.total().value as f64 - weights);
                (weights > 0.0).then(|| room / weights)
            });
            if let Some(factor) = fullest.reduce(f64::min) {
                let now = workload.model.params() as f64 / 1e9;
                let at = (now * factor).max(0.0);
                self.add(
                    Layer::Memory,
                    Some(at),
                    now,
                    "billion parameters",
                    format!("a model like this of more than {at:.1} billion parameters does not fit"),
                );
            }
        }
    }

    fn precision(&mut self, ledgers: Ledgers<'_>) {
        let mine: Vec<_> = ledgers.memory.iter().filter(|l| l.workload == self.index).collect();
        if mine.iter().any(|l| l.capability.is_none()) {
            self.add(Layer::Precision, None, 1.0, "cards", "unknown: the compute capability of a card".to_owned());
            return;
        }
        let bad =
            mine.iter().filter(|l| l.capability.is_some_and(|c| matches!(c.support, Support::Absent | Support::Slow | Support::Emulated)));
        match bad.clone().next() {
            Some(ledger) => {
                let effect = ledger.capability.map_or("", |c| c.effect);
                let count = bad.count() as f64;
                self.add(
                    Layer::Precision,
                    Some(0.0),
                    count,
                    "cards",
                    format!("{} has no units for {}: {effect}", ledger.gpu_name, ledger.arithmetic.text()),
                );
            }
            None => self.add(Layer::Precision, None, 1.0, "cards", "all cards have units for it".to_owned()),
        }
    }

    /// Cards at which messages take half of a step: their share grows with the cards while computing shrinks with them.
    fn messages(&mut self, speed: &Speed, cards: usize) {
        let set = speed.ways.options.iter().find(|o| Some(o.way) == speed.ways.set);
        let Some(share) = set.map(|o| o.links).filter(|_| cards > 1) else {
            self.add(Layer::Communication, None, 1.0, "cards", "one card sends nothing".to_owned());
            return;
        };
        if share <= 0.0 {
            self.add(Layer::Communication, None, cards as f64, "cards", "all messages hide behind the computing".to_owned());
            return;
        }
        let n = cards as f64;
        // computing/messages falls with n where matrices or data are cut.
        let at = n * (1.0 - share) / share * MESSAGES / (1.0 - MESSAGES);
        self.add(
            Layer::Communication,
            Some(at),
            n,
            "cards",
            format!("messages take {:.0} % of a step on {cards} cards, half of it on {at:.0}", share * 100.0),
        );
    }

    fn input(&mut self, speed: &Speed, trains: bool) {
        if !trains {
            self.add(Layer::Input, None, 1.0, "cards", "prompts are small beside the work on them".to_owned());
            return;
        }
        let find = |name: &str| speed.terms.iter().find(|t| t.name == name).map_or(0.0, |t| t.seconds);
        let (shown, behind) = (find("input, not hidden"), find("input behind the step"));
        let step = speed.step_s();
        if shown > 0.0 {
            self.add(Layer::Input, Some(0.0), 1.0, "times the speed", format!("the step waits {:.1} ms for its samples", shown * 1e3));
        } else if behind > 0.0 {
            let at = step / behind;
            self.add(
                Layer::Input,
                Some(at),
                1.0,
                "times the speed",
                format!("input takes {:.1} ms behind a step of {:.1} ms", behind * 1e3, step * 1e3),
            );
        } else {
            self.add(Layer::Input, None, 1.0, "times the speed", "unknown: a drive, threads or host links".to_owned());
        }
    }

    fn power(&mut self, ledgers: Ledgers<'_>, cards: &[Device<'_>]) {
        let power = ledgers.power;
        let n = cards.len() as f64;
        let limit = |c: &Device<'_>| power.parts.iter().find(|d| d.placement == c.id).and_then(|d| d.limit_w);
        let each: Option<f64> = cards.iter().map(limit).try_fold(0.0, |sum, w| Some(sum + w?)).map(|sum| sum / n);
        let (Some(each), Some(supply)) = (each.filter(|e| *e > 0.0), power.supply_w) else {
            self.add(Layer::Power, None, n, "cards", "unknown: a card's limit or the supply's rating".to_owned());
            return;
        };
        let rest = power.limit_w - each * n;
        let wall = power.efficiency.map_or(f64::INFINITY, |e| power.circuit_w * e);
        let (least, what) = if wall < supply { (wall, "the circuit") } else { (supply, "the supply") };
        let at = ((least - rest) / each).max(0.0);
        let share = power_share(power, cards);
        let capped = if share < 1.0 { format!("; today the cards run at {:.0} % of their limits", share * 100.0) } else { String::new() };
        self.add(Layer::Power, Some(at), n, "cards", format!("{what} feeds {at:.1} such cards at their limits{capped}"));
    }

    fn heat(&mut self, ledgers: Ledgers<'_>, cards: &[Device<'_>]) {
        let n = cards.len() as f64;
        let lost = |c: &Device<'_>| ledgers.airflow.card(c.id)?.state.as_ref()?.lost.get(Class::ComputeBound as usize).copied();
        let each: Vec<Option<f64>> = cards.iter().map(lost).collect();
        if each.iter().all(Option::is_none) {
            self.add(Layer::Heat, None, n, "cards", "unknown: nothing is known of the cards' coolers".to_owned());
            return;
        }
        let worst = each.iter().flatten().copied().fold(0.0, f64::max);
        if worst > LOST {
            let cool = each.iter().flatten().filter(|l| **l <= LOST).count();
            self.add(
                Layer::Heat,
                Some(cool as f64),
                n,
                "cards",
                format!("the hottest card loses {:.0} % of its work to heat", worst * 100.0),
            );
        } else {
            self.add(Layer::Heat, None, n, "cards", format!("the hottest card loses {:.0} % of its work to heat", worst * 100.0));
        }
    }

    fn evaluation(&mut self, decode: Option<&Speed>, prefill: Option<&Speed>, batch: u64, hours: f64) {
        let Some(rate) = decode.and_then(|s| s.value).filter(|v| *v > 0.0) else { return };
        let read = prefill.and_then(|s| s.value).map_or(0.0, |p| ITEM_PROMPT / p.max(1e-9));
        let item = read + ITEM_ANSWER / rate;
        let at = hours * 3600.0 / item;
        let reason = format!(
            "at {batch} at once a set of {ITEMS:.0} items takes {:.1} h; {hours:.0} h a day hold {at:.0} items",
            ITEMS * item / 3600.0
        );
        self.add(Layer::Evaluation, Some(at), ITEMS, "items a day", reason);
    }
}
