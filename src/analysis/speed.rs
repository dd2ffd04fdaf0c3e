//! How fast workloads run: answering as a roofline of memory and arithmetic with what engines cost besides, training as a step of passes,
//! messages and input; over the links that the rig has, at the clocks that heat and power leave.

use crate::analysis::airflow::{Airflow, work::Class};
use crate::analysis::lanes::Lanes;
use crate::analysis::memory::CardLedger;
use crate::analysis::memory::plan::{Device, Plan, devices, used};
use crate::analysis::memory::training::work;
use crate::analysis::power::Power;
use crate::analysis::{Basis, Effort, Origin};
use crate::catalog::Catalog;
use crate::catalog::network::NetworkKind;
use crate::catalog::part::PartKind;
use crate::project::Project;
use crate::workload::Workload;
use crate::workload::training::Training;

pub mod breaks;
pub mod card;
pub mod decode;
pub mod fabric;
pub mod input;
pub mod law;
pub mod share;
pub mod strategy;
pub mod train;

pub use card::{CALIBRATION, Rates};
pub use decode::{Decode, Setup};
use fabric::Fabric;
use input::Source;
use strategy::Ways;

/// What bounds a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    MemoryBandwidth,
    /// Many sequences at once keep the arithmetic busier than the memory.
    Arithmetic,
    /// The model does not fit, so it does not run.
    MemorySize,
    /// Messages between cards.
    Communication,
    /// Starting kernels takes longer than running them.
    Launches,
    /// Weights that stay in main memory.
    MainMemory,
    /// Reading, preparing or copying samples.
    Input,
}

impl Bound {
    pub const fn text(self) -> &'static str {
        match self {
            Self::MemoryBandwidth => "memory bandwidth",
            Self::Arithmetic => "arithmetic",
            Self::MemorySize => "memory size",
            Self::Communication => "communication",
            Self::Launches => "starting kernels",
            Self::MainMemory => "main memory",
            Self::Input => "input",
        }
    }
}

/// A line of a waterfall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    pub name: &'static str,
    pub seconds: f64,
    pub source: &'static str,
    /// It runs beside other lines and does not add to their sum.
    pub overlapped: bool,
}

/// Where a workload stands in the roofline of its slowest card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roof {
    /// Operations a byte, and operations a second.
    pub intensity: f64,
    pub ops: f64,
    /// Of the card: operations and bytes a second.
    pub peak_ops: f64,
    pub peak_bytes: f64,
}

/// Speed of one workload; `None` = unknown, with the missing fact named.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    pub workload: usize,
    pub workload_name: String,
    /// `decode_tokens_per_s`: all sequences together; `prefill_tokens_per_s`; `first_token_s`; `train_tokens_per_s`, `train_samples_per_s`.
    pub metric: &'static str,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: &'static str,
    pub bound: Bound,
    /// The fact that is missing when `value` is `None`.
    pub missing: Option<String>,
    pub origin: Origin,
    /// Seconds of a step, by what takes them.
    pub terms: Vec<Term>,
    /// Speed over context, for the chart.
    pub over_context: Vec<CurvePoint>,
    /// Speed over batch at the workload's context.
    pub over_batch: Vec<CurvePoint>,
    /// Speed over the number of cards, 1 to all.
    pub over_cards: Vec<CurvePoint>,
    pub roof: Option<Roof>,
    /// Ways to spread it over the cards, best first.
    pub ways: Ways,
    /// Bytes that each card sends in a second while it runs.
    pub sent_per_s: Option<f64>,
}

impl Speed {
    fn unknown(workload: usize, name: &str, metric: &'static str, unit: &'static str) -> Self {
        Self {
            workload,
            workload_name: name.to_owned(),
            metric,
            value: None,
            low: None,
            high: None,
            unit,
            bound: Bound::MemoryBandwidth,
            missing: None,
            origin: Origin::new(Basis::Assumed, "", ""),
            terms: Vec::new(),
            over_context: Vec::new(),
            over_batch: Vec::new(),
            over_cards: Vec::new(),
            roof: None,
            ways: Ways::default(),
            sent_per_s: None,
        }
    }

    fn lacks(mut self, missing: String) -> Self {
        self.origin.formula = format!("unknown: {missing}");
        self.missing = Some(missing);
        self
    }

    /// Seconds of a step: all lines that do not run beside others.
    pub fn step_s(&self) -> f64 {
        self.terms.iter().filter(|t| !t.overlapped).map(|t| t.seconds).sum()
    }
}

/// One point of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    pub x: f64,
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// Whether the memory of all cards suffices there.
    pub fits: bool,
}

/// A rate with its band, and what bounds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub low: f64,
    pub value: f64,
    pub high: f64,
    pub bound: Bound,
}

/// Ledgers of the same rig that speed rests on.
#[derive(Clone, Copy, Debug)]
pub struct Ledgers<'a> {
    pub memory: &'a [CardLedger],
    pub lanes: &'a Lanes,
    pub airflow: &'a Airflow,
    pub power: &'a Power,
}

/// Stated bandwidth of the main memory in GB/s: channels in use × transfers × 8 bytes.
///
/// # Errors
/// Names the fact that is missing.
pub fn host_bandwidth(catalog: &Catalog, project: &Project) -> Result<f64, String> {
    let (mut channels, mut modules, mut speed) = (0_u32, 0_u32, f64::INFINITY);
    for (_, _, part) in project.rig.placed(catalog) {
        match &part.kind {
            PartKind::Cpu(cpu) => {
                let own = cpu.memory_channels.ok_or_else(|| format!("memory_channels of {}", part.short_name()))?;
                channels += u32::from(own);
                speed = cpu.memory_mt_s.map_or(speed, |s| speed.min(f64::from(s)));
            }
            PartKind::Ram(ram) => {
                modules += u32::from(ram.modules.ok_or_else(|| format!("modules of {}", part.short_name()))?);
                let own = ram.speed_mt_s.ok_or_else(|| format!("speed_mt_s of {}", part.short_name()))?;
                speed = speed.min(f64::from(own));
            }
            _ => {}
        }
    }
    match channels.min(modules) {
        0 => Err("a processor and main memory".to_owned()),
        used => Ok(f64::from(used) * speed * 8.0 / 1000.0),
    }
}

/// Share of the cards' power limits that supply and circuit can feed, 0..1; 1 where one of them is unknown.
pub fn power_share(power: &Power, cards: &[Device<'_>]) -> f64 {
    let limit = |c: &Device<'_>| power.parts.iter().find(|d| d.placement == c.id).and_then(|d| d.limit_w).unwrap_or(0.0);
    let gpus: f64 = cards.iter().map(limit).sum();
    if gpus <= 0.0 {
        return 1.0;
    }
    let rest = power.limit_w - gpus;
    let supply = power.supply_w.unwrap_or(f64::INFINITY);
    let wall = power.efficiency.map_or(f64::INFINITY, |e| power.circuit_w * e);
    ((supply.min(wall) - rest) / gpus).clamp(0.1, 1.0)
}

/// Share of the work that heat and power leave each card, by class.
fn work_left(ledgers: Ledgers<'_>, all: &[Device<'_>], cards: &[Device<'_>]) -> Vec<[f64; 3]> {
    let share = power_share(ledgers.power, all);
    let fed = if share < 1.0 { card::at_power(share) } else { [1.0; 3] };
    let of = |card: &Device<'_>| {
        let heat = ledgers.airflow.card(card.id).and_then(|c| c.state.as_ref()).map_or([1.0; 3], |s| s.work);
        let [a, b, c] = heat;
        let [x, y, z] = fed;
        [a.min(x), b.min(y), c.min(z)]
    };
    cards.iter().map(of).collect()
}

/// Speed of every workload, in their order. [`Effort::Full`] computes finer curves.
pub fn speeds(catalog: &Catalog, project: &Project, ledgers: Ledgers<'_>, effort: Effort) -> Vec<Speed> {
    if project.workloads.is_empty() {
        return Vec::new();
    }
    let main = host_bandwidth(catalog, project);
    let all: Vec<Device<'_>> = devices(catalog, project).collect();
    let threads = threads(catalog, project);
    let mut speeds = Vec::with_capacity(3 * project.workloads.len());
    for (index, workload) in project.workloads.iter().enumerate() {
        let cards = used(workload, all.iter().copied());
        let work = work_left(ledgers, &all, &cards);
        let too_large = ledgers.memory.iter().any(|l| l.workload == index && l.fits() == Some(false));
        let fabric = Fabric::of(ledgers.lanes, &cards);
        let one = One { index, workload, project, work: &work, fabric, too_large, effort, threads };
        match &workload.training {
            Some(job) => speeds.push(one.training(job, &cards)),
            None => {
                let plan = Plan::new(workload, all.iter().copied());
                one.serving(&plan, main.clone(), &mut speeds);
            }
        }
    }
    speeds
}

/// Threads of all processors; `None` = unknown.
fn threads(catalog: &Catalog, project: &Project) -> Option<f64> {
    let each = project.rig.placed(catalog).filter_map(|(_, _, p)| if let PartKind::Cpu(cpu) = &p.kind { Some(cpu.threads) } else { None });
    each.map(|t| t.map(f64::from)).try_fold(0.0, |sum, t| Some(sum + t?)).filter(|t| *t > 0.0)
}

/// One workload with what its speed rests on.
struct One<'a> {
    index: usize,
    workload: &'a Workload,
    project: &'a Project,
    work: &'a [[f64; 3]],
    fabric: Fabric,
    too_large: bool,
    effort: Effort,
    threads: Option<f64>,
}

impl One<'_> {
    fn serving(&self, plan: &Plan<'_>, main: Result<f64, String>, speeds: &mut Vec<Speed>) {
        let workload = self.workload;
        let mut speed = Speed::unknown(self.index, &workload.name, "decode_tokens_per_s", "tokens/s");
        let setup = Setup { host_gb_s: main, fabric: self.fabric, work: self.work, ..Setup::plain(self.project) };
        let decode = match Decode::new(plan, &setup) {
            Ok(decode) => decode,
            Err(missing) => {
                speeds.push(speed.lacks(missing));
                return;
            }
        };
        let share = workload.sharing.time();
        let (context, batch) = (workload.context, workload.batch);
        let step = decode.step(context, batch);
        speed.origin = origin(&decode, &step, share);
        speed.ways = strategy::serving(plan, &setup);
        if self.too_large {
            speed.bound = Bound::MemorySize;
        } else {
            let rate = decode.rate(context, batch);
            (speed.value, speed.low, speed.high, speed.bound) =
                (Some(rate.value * share), Some(rate.low * share), Some(rate.high * share), rate.bound);
            speed.terms = decode.terms(&step);
            let sent = speed.ways.options.iter().find(|o| Some(o.way) == speed.ways.set).map(|o| o.sent);
            speed.sent_per_s = sent.map(|s| s / step.total.max(1e-12));
            speed.roof = roof(&decode, &step, batch, context);
        }
        let point = |x: f64, rate: Rate, fits: bool| CurvePoint {
            x,
            value: rate.value * share,
            low: rate.low * share,
            high: rate.high * share,
            fits,
        };
        let steps = if self.effort == Effort::Full { 48 } else { 12 };
        let last = workload.model.context.unwrap_or(131_072).max(2);
        speed.over_context = spread(last, steps).map(|x| point(x as f64, decode.rate(x, batch), plan.fits(x, batch))).collect();
        let users: &[u64] = if self.effort == Effort::Full {
            &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]
        } else {
            &[1, 2, 4, 8, 16, 32, 64]
        };
        speed.over_batch = users.iter().map(|&x| point(x as f64, decode.rate(context, x), plan.fits(context, x))).collect();
        speed.over_cards = (1..=plan.cards.len())
            .filter_map(|n| {
                let fewer = Plan::new(workload, plan.cards.iter().take(n).copied());
                let rate = Decode::new(&fewer, &setup).ok()?.rate(context, batch);
                Some(point(n as f64, rate, fewer.fits(context, batch)))
            })
            .collect();
        speeds.push(speed);
        speeds.extend(self.prompt(&decode, share));
    }

    /// Prompts and the wait for the first token.
    fn prompt(&self, decode: &Decode<'_>, share: f64) -> [Speed; 2] {
        let (prompt, batch) = (self.workload.context.max(1), self.workload.batch);
        let mut speed = Speed::unknown(self.index, &self.workload.name, "prefill_tokens_per_s", "tokens/s");
        let mut first = Speed::unknown(self.index, &self.workload.name, "first_token_s", "s");
        let step = match decode.fill(prompt, batch) {
            Ok(step) => step,
            Err(missing) => return [speed.lacks(missing.clone()), first.lacks(missing)],
        };
        let band = decode.laws.iter().map(|l| l.1.band).fold(1.0, f64::max);
        let source = decode.laws.first().map_or("", |l| l.1.source);
        speed.bound = if self.too_large { Bound::MemorySize } else { step.bound() };
        first.bound = speed.bound;
        let tokens = (prompt * batch) as f64;
        let formula = format!(
            "{tokens:.0} tokens ÷ ({:.3} s matrices + {:.3} s scores + {:.3} s kernels + {:.3} s links)",
            step.arithmetic.max(step.weights),
            step.cache,
            step.launch,
            step.links
        );
        speed.origin = Origin::new(Basis::Fitted, formula, source);
        first.origin = Origin::new(Basis::Fitted, format!("a prompt of {prompt} tokens, {batch} at once: {:.3} s", step.total), source);
        if !self.too_large {
            let value = tokens / step.total.max(1e-12) * share;
            (speed.value, speed.low, speed.high) = (Some(value), Some(value / band), Some(value * band));
            let wait = step.total / share;
            (first.value, first.low, first.high) = (Some(wait), Some(wait / band), Some(wait * band));
            let line = |name, seconds, source| Term { name, seconds, source, overlapped: false };
            speed.terms = vec![
                line("matrices", step.arithmetic.max(step.weights), source),
                line("scores of attention", step.cache, source),
                line("starting kernels", step.launch, source),
                line("links between cards", step.links, fabric::SOURCE),
                line("main memory", step.host, source),
            ];
            speed.terms.retain(|t| t.seconds > 0.0);
            first.terms.clone_from(&speed.terms);
        }
        [speed, first]
    }

    fn training(&self, job: &Training, cards: &[Device<'_>]) -> Speed {
        let work = work(self.workload, job);
        let pictures = work.pictures;
        let (metric, unit) = if pictures { ("train_samples_per_s", "samples/s") } else { ("train_tokens_per_s", "tokens/s") };
        let mut speed = Speed::unknown(self.index, &self.workload.name, metric, unit);
        if cards.is_empty() {
            return speed.lacks("a graphics card".to_owned());
        }
        let left = |n: usize| self.work.get(n).copied().unwrap_or([1.0; 3]);
        let rates = cards.iter().enumerate().map(|(n, c)| Rates::of(c.gpu, c.part.short_name(), self.project, left(n)));
        let rates: Vec<Rates> = match rates.collect() {
            Ok(rates) => rates,
            Err(missing) => return speed.lacks(missing),
        };
        // The slowest card sets the pace of all.
        let pace = |r: &Rates| r.matrix.unwrap_or(f64::INFINITY) * r.left(Class::ComputeBound);
        let Some(slowest) = rates.iter().min_by(|a, b| pace(a).total_cmp(&pace(b))) else { return speed };
        if slowest.matrix.is_none() {
            let name = cards.first().map_or("the card", |c| c.part.short_name());
            return speed.lacks(format!("tensor_fp16_tflops of {name}"));
        }
        let side = self.workload.model.network.as_ref().and_then(|n| match &n.kind {
            NetworkKind::Vision { image, .. } => Some(*image),
            NetworkKind::Convolution(net) => Some(net.image),
            _ => None,
        });
        let feed = Source::of(side, job.sequence, self.threads, self.fabric.drive, self.fabric.host);
        let capacity = cards.iter().map(|c| c.capacity().map(|b| b.0 as f64)).try_fold(f64::INFINITY, |a, b| Some(a.min(b?)));
        let all = strategy::Job { work: &work, job, rates: slowest, fabric: &self.fabric, cards: cards.len(), capacity, feed: Some(&feed) };
        speed.ways = strategy::training(&all);
        let per_sample = if pictures { 1.0 } else { work.tokens as f64 / work.samples.max(1) as f64 };
        for option in &mut speed.ways.options {
            option.value = option.value.map(|v| v * per_sample);
        }
        let share = self.workload.sharing.time();
        let cut = (job.parallel.tensor * job.parallel.pipeline).max(1) as usize;
        let data = cards.len() / cut;
        if data == 0 {
            return speed.lacks("more cards: the degrees of parallelism need them".to_owned());
        }
        let Some(step) = train::step(&work, job, slowest, &self.fabric, cards.len(), train::Loop::Plain, Some(&feed)) else {
            return speed.lacks("the rate of the links between the cards".to_owned());
        };
        let samples = work.samples as f64 * job.accumulation as f64 * data as f64;
        speed.bound = if self.too_large { Bound::MemorySize } else { step.bound() };
        speed.origin = Origin::new(
            Basis::Fitted,
            format!(
                "{:.0} {} ÷ {:.3} s a step on {} cards",
                samples * per_sample,
                if pictures { "samples" } else { "tokens" },
                step.total,
                cards.len()
            ),
            train::SOURCE,
        );
        let ops = (work.matrix_flops + work.attention_flops) * 3.0 * job.accumulation as f64 / cut as f64;
        if !self.too_large {
            let value = samples * per_sample / step.total.max(1e-12) * share;
            let band = if job.method == crate::workload::training::Method::Full { 1.35 } else { 1.8 };
            (speed.value, speed.low, speed.high) = (Some(value), Some(value / band), Some(value * band));
            speed.terms = step.terms();
            speed.sent_per_s = Some(step.sent / step.total.max(1e-12));
            speed.roof = slowest.matrix.map(|peak| Roof {
                intensity: ops / (step.reading.max(1e-12) * slowest.bytes),
                ops: ops / step.total.max(1e-12),
                peak_ops: peak,
                peak_bytes: slowest.bytes,
            });
            let curve = |n: usize| {
                let fabric = Fabric { cards: n, ..self.fabric };
                let option = strategy::Job { fabric: &fabric, cards: n, ..all }.with(strategy::Way::AsSet, job.parallel, n);
                let value = option.value? * per_sample * share;
                Some(CurvePoint { x: n as f64, value, low: value / band, high: value * band, fits: option.fits })
            };
            speed.over_cards = (1..=cards.len()).filter(|n| n % cut == 0).filter_map(curve).collect();
            let with = |micro: u64| {
                let other = Training { micro_batch: micro, ..job.clone() };
                let scale = micro as f64 / job.micro_batch.max(1) as f64;
                let mut more = work;
                more.samples = micro;
                more.tokens = (work.tokens as f64 * scale) as u64;
                for part in [&mut more.matrix_flops, &mut more.attention_flops, &mut more.saved_bytes, &mut more.stream_bytes] {
                    *part *= scale;
                }
                let option = strategy::Job { work: &more, job: &other, ..all }.with(strategy::Way::AsSet, job.parallel, cards.len());
                let value = option.value? * per_sample * share;
                Some(CurvePoint { x: micro as f64, value, low: value / band, high: value * band, fits: option.fits })
            };
            speed.over_batch = [1, 2, 4, 8, 16, 32, 64].into_iter().filter_map(with).collect();
        }
        speed
    }
}

/// Operations and bytes of a decoding step beside those of the slowest card.
fn roof(decode: &Decode<'_>, step: &decode::Step, batch: u64, context: u64) -> Option<Roof> {
    let plan = decode.plan;
    let slowest = decode.cards.iter().min_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
    let sizes = plan.sizes(context, batch);
    let w = &plan.weights;
    let bytes = (w.dense + w.head) as f64 + w.experts as f64 * decode::touched(w.expert_share, batch) + sizes.cache.low as f64;
    let ops = 2.0 * w.active_params as f64 * batch as f64;
    let at_once = if decode.together() { decode.cards.len() as f64 } else { 1.0 };
    Some(Roof {
        intensity: ops / bytes.max(1.0),
        ops: ops / step.total.max(1e-12) / at_once,
        peak_ops: slowest.matrix?,
        peak_bytes: slowest.bytes,
    })
}

/// `steps` numbers from about 1/64 of `last` up to it, each a fixed factor above the one before.
fn spread(last: u64, steps: u32) -> impl Iterator<Item = u64> {
    let first = (last as f64 / 64.0).max(1.0);
    let factor = last as f64 / first;
    (0..steps).map(move |n| (first * libm::pow(factor, f64::from(n) / f64::from(steps - 1))).round() as u64)
}

fn origin(decode: &Decode<'_>, step: &decode::Step, share: f64) -> Origin {
    use std::fmt::Write as _;
    let workload = decode.plan.workload;
    let ms = |s: f64| s * 1e3;
    let mut formula = format!("{} ÷ (", crate::units::count(workload.batch, "sequence"));
    for (n, term) in decode.terms(step).iter().enumerate() {
        _ = write!(formula, "{}{:.2} ms {}", if n == 0 { "" } else { " + " }, ms(term.seconds), term.name);
    }
    formula.push(')');
    if share < 1.0 {
        _ = write!(formula, " × {share} of the time");
    }
    if let [card] = decode.cards.as_slice() {
        _ = write!(formula, "; the card reads {:.0} GB/s at most", card.bytes / 1e9);
    }
    if decode.cards.iter().any(|c| c.own.is_some()) {
        return Origin::new(Basis::Fitted, formula, "your own share of the bandwidth; time a layer from public tables");
    }
    Origin::new(Basis::Fitted, formula, decode.laws.first().map_or("", |l| l.0.source))
}
