//! Ways to spread a workload over the rig's cards, each with its speed and the reason why it loses.

use super::card::Rates;
use super::decode::{Decode, Setup, touched};
use super::fabric::Fabric;
use super::input::Source;
use super::train::{self, Loop};
use crate::analysis::memory::plan::{Device, Plan};
use crate::analysis::memory::training::Work;
use crate::workload::training::{Parallel, Recompute, Training, Zero};
use crate::workload::{Split, Workload};

/// A way to use the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    One,
    Copies,
    Layers,
    Matrices,
    Experts,
    Data,
    Zero1,
    Zero2,
    Zero3,
    Tensor,
    TensorData,
    Pipeline,
    ExpertData,
    /// As the user set it, where it is none of the others.
    AsSet,
}

impl Way {
    pub const fn text(self) -> &'static str {
        match self {
            Self::One => "one card",
            Self::Copies => "a copy on every card",
            Self::Layers => "whole layers, card after card",
            Self::Matrices | Self::Tensor => "every matrix over all cards (tensor parallel)",
            Self::Experts => "experts over the cards (expert parallel)",
            Self::Data => "data parallel",
            Self::Zero1 => "data parallel, optimizer states spread (ZeRO 1)",
            Self::Zero2 => "data parallel, states and gradients spread (ZeRO 2)",
            Self::Zero3 => "data parallel, everything spread (ZeRO 3, FSDP)",
            Self::TensorData => "matrices over pairs of cards, pairs data parallel",
            Self::Pipeline => "stages of layers (pipeline)",
            Self::ExpertData => "experts over the cards, the rest data parallel",
            Self::AsSet => "as set",
        }
    }
}

/// One way with what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub way: Way,
    /// Tokens or samples a second; `None` = a link or rate is unknown.
    pub value: Option<f64>,
    /// By the middle estimate; an unknown memory size does not count against it.
    pub fits: bool,
    /// Share of the step on the links.
    pub links: f64,
    /// Bytes that each card sends in a step.
    pub sent: f64,
    /// Bytes needed and available on the fullest card.
    pub need: f64,
    pub room: Option<f64>,
}

impl Candidate {
    /// Why it is not the best, in one sentence.
    pub fn reason(&self, best: &Self, unit: &str) -> String {
        const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
        if !self.fits {
            return match self.room {
                Some(room) => format!("does not fit: {:.1} GiB on a card where {:.1} may be used", self.need / GIB, room / GIB),
                None => "does not fit".to_owned(),
            };
        }
        let (Some(value), Some(other)) = (self.value, best.value) else {
            return "unknown: a rate or the links between the cards".to_owned();
        };
        let links = if self.links > 0.1 { format!("; the links take {:.0} % of the step", self.links * 100.0) } else { String::new() };
        if (value / other - 1.0).abs() < 0.005 {
            return format!("as fast; sends {} a step where the best sends {}", mb(self.sent), mb(best.sent));
        }
        format!("{} {unit} instead of {}{links}", figure(value), figure(other))
    }
}

fn mb(bytes: f64) -> String {
    if bytes >= 1e9 { format!("{:.1} GB", bytes / 1e9) } else { format!("{:.1} MB", bytes / 1e6) }
}

fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// The ways of one workload, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ways {
    pub set: Option<Way>,
    pub options: Vec<Candidate>,
}

impl Ways {
    pub fn best(&self) -> Option<&Candidate> {
        self.options.first().filter(|o| o.fits && o.value.is_some())
    }

    fn sorted(mut self) -> Self {
        let key = |o: &Candidate| if o.fits { o.value.unwrap_or(-1.0) } else { -2.0 };
        // Of equals the simpler way comes first.
        self.options.sort_by(|a, b| {
            let (x, y) = (key(a), key(b));
            if (x - y).abs() <= 0.005 * x.abs().max(y.abs()) { a.way.cmp(&b.way) } else { y.total_cmp(&x) }
        });
        self
    }
}

/// Ways to serve a model on the cards of its plan.
pub fn serving(plan: &Plan<'_>, setup: &Setup<'_>) -> Ways {
    let workload = plan.workload;
    let n = plan.cards.len();
    let set = if n < 2 {
        Way::One
    } else if plan.split == Split::Tensor {
        Way::Matrices
    } else {
        Way::Layers
    };
    let mut ways = Ways { set: Some(set), options: Vec::with_capacity(6) };
    let (context, batch) = (workload.context, workload.batch);
    let as_split = |split: Split| {
        let mut other = workload.clone();
        other.serving.split = Some(split);
        other
    };
    let on = |workload: &Workload, cards: &[Device<'_>], way: Way, batch: u64, times: f64| {
        let plan = Plan::new(workload, cards.iter().copied());
        let decode = Decode::new(&plan, setup).ok()?;
        let rate = decode.rate(context, batch);
        let step = decode.step(context, batch);
        let (need, room) = fullest(&plan, context, batch);
        let tokens = batch as f64 * 2.0 * f64::from(workload.model.hidden);
        let count = plan.cards.len() as f64;
        let sent = match way {
            Way::Matrices => 2.0 * f64::from(workload.model.layers) * 2.0 * (count - 1.0) / count * tokens,
            Way::Layers => tokens * 2.0,
            _ => 0.0,
        };
        Some(Candidate {
            way,
            value: Some(rate.value * times),
            fits: plan.fits(context, batch),
            links: step.links / step.total.max(1e-12),
            sent,
            need,
            room,
        })
    };
    let first = plan.cards.get(..1).unwrap_or_default();
    ways.options.extend(on(workload, first, Way::One, batch, 1.0));
    if n > 1 {
        let copies = batch.min(n as u64).max(1);
        if copies > 1 {
            ways.options.extend(on(
                workload,
                first,
                Way::Copies,
                batch.div_ceil(copies),
                copies as f64 * batch as f64 / (batch.div_ceil(copies) * copies) as f64,
            ));
        }
        ways.options.extend(on(&as_split(Split::Layer), &plan.cards, Way::Layers, batch, 1.0));
        ways.options.extend(on(&as_split(Split::Tensor), &plan.cards, Way::Matrices, batch, 1.0));
        if plan.weights.experts > 0 && plan.engine.has_pool() {
            ways.options.extend(experts(plan, setup));
        }
    }
    ways.sorted()
}

/// Every card holds all but the experts, of which each has its part; sequences are dealt out, tokens travel to their experts and back.
fn experts(plan: &Plan<'_>, setup: &Setup<'_>) -> Option<Candidate> {
    let (context, batch) = (plan.workload.context, plan.workload.batch);
    let n = plan.cards.len();
    let one = Plan::new(plan.workload, plan.cards.iter().take(1).copied());
    let decode = Decode::new(&one, setup).ok()?;
    let each = batch.div_ceil(n as u64).max(1);
    let step = decode.step(context, each);
    let (rates, (law, _)) = (decode.cards.first()?, decode.laws.first()?);
    let w = &plan.weights;
    let read = |tokens: u64, over: f64| {
        w.experts as f64 * touched(w.expert_share, tokens) / over * (law.read / rates.bytes + rates.lanes.map_or(0.0, |l| law.lanes / l))
    };
    let bytes = each as f64 * f64::from(plan.workload.model.hidden) * 2.0 * f64::from(plan.workload.model.experts.map_or(1, |e| e.active));
    let travel = 2.0 * f64::from(plan.workload.model.layers) * setup.fabric.all_to_all(bytes, n).unwrap_or_else(|| setup.fabric.start(n));
    let total = step.total - read(each, 1.0) + read(batch, n as f64) + travel;
    let sizes = plan.sizes(plan.held_context(context), each);
    let need = w.dense as f64 + w.head as f64 + w.embedding as f64 + w.experts as f64 / n as f64 + sizes.cache.value as f64 + 2e9;
    let room = plan.limit(0).map(|l| l.0 as f64);
    Some(Candidate {
        way: Way::Experts,
        value: Some(batch as f64 / total.max(1e-12)),
        fits: room.is_none_or(|r| need <= r),
        links: travel / total.max(1e-12),
        sent: 2.0 * f64::from(plan.workload.model.layers) * bytes * (n - 1) as f64 / n as f64,
        need,
        room,
    })
}

/// Need and room of the card that is fullest.
fn fullest(plan: &Plan<'_>, context: u64, batch: u64) -> (f64, Option<f64>) {
    let sizes = plan.sizes(plan.held_context(context), batch);
    let each = (0..plan.cards.len()).map(|n| (plan.on_card(n, &sizes).total().value as f64, plan.limit(n).map(|l| l.0 as f64)));
    each.max_by(|a, b| (a.0 / a.1.unwrap_or(f64::INFINITY)).total_cmp(&(b.0 / b.1.unwrap_or(f64::INFINITY)))).unwrap_or((0.0, None))
}

/// What a training job needs besides its settings.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    pub work: &'a Work,
    pub job: &'a Training,
    pub rates: &'a Rates,
    pub fabric: &'a Fabric,
    pub cards: usize,
    /// Bytes on the smallest card; `None` = unknown.
    pub capacity: Option<f64>,
    pub feed: Option<&'a Source>,
}

impl Job<'_> {
    /// Samples a second of one way, with what it needs and sends.
    pub fn with(&self, way: Way, parallel: Parallel, cards: usize) -> Candidate {
        let job = Training { parallel, ..self.job.clone() };
        let step = train::step(self.work, &job, self.rates, self.fabric, cards, Loop::Plain, self.feed);
        let cut = f64::from(parallel.tensor * parallel.pipeline).max(1.0);
        let data = (cards as f64 / cut).floor().max(1.0);
        let samples = self.work.samples as f64 * job.accumulation as f64 * data;
        let need = self.need(&job, cut, data);
        Candidate {
            way,
            value: step.map(|s| samples / s.total.max(1e-12)),
            fits: self.capacity.is_none_or(|c| need <= c),
            links: step.map_or(0.0, |s| (s.inner + s.exchange_shown) / s.total.max(1e-12)),
            sent: step.map_or(0.0, |s| s.sent),
            need,
            room: self.capacity,
        }
    }

    /// Bytes on a card, by closed forms; the memory ledger has the exact ones of the job as set.
    fn need(&self, job: &Training, cut: f64, data: f64) -> f64 {
        let (w, p) = (self.work, job.parallel);
        let spread = |from: Zero| if p.zero as u8 >= from as u8 { data } else { 1.0 };
        let experts = if p.expert > 1 { w.experts as f64 / w.params.max(1) as f64 * (1.0 - 1.0 / f64::from(p.expert)) } else { 0.0 };
        let rest = 1.0 - experts;
        let gathered = if p.zero == Zero::Parameters { 2.0 * w.param_bytes as f64 / f64::from(w.layers.max(1)) } else { 0.0 };
        let fixed = rest
            * (w.param_bytes as f64 / spread(Zero::Parameters)
                + w.grad_bytes as f64 / spread(Zero::Gradients)
                + w.state_bytes as f64 / spread(Zero::Optimizer))
            / cut
            + gathered;
        let layers = f64::from(w.layers.max(1));
        let kept = if job.recompute == Recompute::Full { w.stream_bytes * layers + w.saved_bytes / layers } else { w.saved_bytes };
        let flights = f64::from(p.pipeline).min(job.accumulation as f64);
        1.05 * (fixed + kept / cut * flights) + 1.2e9
    }
}

/// Ways to train on all cards.
pub fn training(of: &Job<'_>) -> Ways {
    let set = of.job.parallel;
    let n = of.cards;
    let plain = Parallel::default();
    let count = u32::try_from(n).unwrap_or(1);
    let mut ways = Ways { set: None, options: Vec::with_capacity(10) };
    let add = |way: Way, parallel: Parallel, cards: usize, ways: &mut Ways| {
        if parallel == set && cards == n {
            ways.set = Some(way);
        }
        ways.options.push(of.with(way, parallel, cards));
    };
    if n < 2 {
        add(Way::One, plain, 1, &mut ways);
        if ways.set.is_none() {
            add(Way::AsSet, set, 1, &mut ways);
        }
        return ways.sorted();
    }
    add(Way::One, plain, 1, &mut ways);
    add(Way::Data, plain, n, &mut ways);
    for (way, zero) in [(Way::Zero1, Zero::Optimizer), (Way::Zero2, Zero::Gradients), (Way::Zero3, Zero::Parameters)] {
        add(way, Parallel { zero, ..plain }, n, &mut ways);
    }
    add(Way::Tensor, Parallel { tensor: count, sequence: true, ..plain }, n, &mut ways);
    if n > 2 && n.is_multiple_of(2) {
        add(Way::TensorData, Parallel { tensor: 2, sequence: true, ..plain }, n, &mut ways);
    }
    if of.work.layers >= count {
        add(Way::Pipeline, Parallel { pipeline: count, ..plain }, n, &mut ways);
    }
    if of.work.experts > 0 {
        add(Way::ExpertData, Parallel { expert: count, ..plain }, n, &mut ways);
    }
    if ways.set.is_none() {
        ways.set = Some(Way::AsSet);
        ways.options.push(of.with(Way::AsSet, set, n));
    }
    ways.sorted()
}
