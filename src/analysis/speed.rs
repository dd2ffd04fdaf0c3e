//! How fast a workload runs. In this version decode only, as a memory-bandwidth roofline.

use crate::analysis::memory::CardLedger;
use crate::analysis::memory::plan::{Device, Engine, Plan, devices};
use crate::analysis::{Basis, Effort, Origin};
use crate::catalog::Catalog;
use crate::catalog::model::Cache;
use crate::catalog::part::Gpu;
use crate::project::Project;
use crate::workload::Workload;

/// What bounds a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    MemoryBandwidth,
    /// Many sequences at once keep the arithmetic busier than the memory.
    Arithmetic,
    /// The model does not fit, so it does not run.
    MemorySize,
}

/// Speed of one workload; `None` = unknown, with the missing fact named.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    pub workload: usize,
    pub workload_name: String,
    /// `decode_tokens_per_s`: all sequences together.
    pub metric: &'static str,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: &'static str,
    pub bound: Bound,
    /// The fact that is missing when `value` is `None`.
    pub missing: Option<String>,
    pub origin: Origin,
    /// Speed over context, for the chart: (tokens, tokens/s, fits).
    pub over_context: Vec<CurvePoint>,
    /// Speed over batch at the workload's context.
    pub over_batch: Vec<CurvePoint>,
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

/// Share of the stated memory bandwidth that decoding reaches, the time every layer costs besides, and the share of the stated matrix rate
/// that batches reach: low, middle, high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    pub efficiency: [f64; 3],
    /// Seconds a layer, high first: it is the slow end.
    pub layer_s: [f64; 3],
    pub arithmetic: [f64; 3],
    /// Whether the user measured `efficiency`.
    pub own: bool,
}

/// Name under which a project's `calibration` holds the user's own efficiency, 0..1.
pub const CALIBRATION: &str = "decode_efficiency";

impl Factors {
    /// For one card.
    ///
    /// GDDR cards: 0.85 (0.70–0.95) of the bandwidth. HBM cards have more of it than small matrices can use: 0.65 (0.50–0.85). Round
    /// figures, no card has its own; chosen with these tables in view: fits by card on github:XiongjieDai/GPU-Benchmarks-on-LLM-Inference
    /// (llama.cpp of May 2024) give 0.82–0.95 and 81–121 µs a layer, A100 PCIe 0.56, H100 PCIe 0.73; those on
    /// github:geerlingguy/ai-benchmarks (2025) 0.72–0.89 and 12–28 µs.
    ///
    /// Time a layer: llama.cpp of today 25 µs (10–100, the slow end for engines of 2024 and slow hosts). `PyTorch` servers 60 µs (10–150):
    /// vLLM of 2024 loses 36 to 103 µs with Qwen2.5 0.5B, 3B and 7B in BF16 on an A100 (github:QwenLM/Qwen2.5 speed benchmark).
    ///
    /// Arithmetic: prompts of 1,024 tokens in the first table reach 0.2–0.8 of the cards' FP16 matrix rate with FP32 sums.
    pub fn of(gpu: &Gpu, engine: Engine, project: &Project) -> Self {
        let own = project.calibration.get(CALIBRATION).copied().filter(|e| *e > 0.0 && *e <= 1.5);
        let hbm = gpu.memory_type.as_deref().is_some_and(|m| m.starts_with("HBM"));
        let efficiency = match own {
            Some(e) => [e * 0.95, e, e * 1.05],
            None if hbm => [0.50, 0.65, 0.85],
            None => [0.70, 0.85, 0.95],
        };
        let layer_s = match engine {
            Engine::LlamaCpp => [100e-6, 25e-6, 10e-6],
            Engine::Framework => [150e-6, 60e-6, 10e-6],
        };
        Self { efficiency, layer_s, arithmetic: [0.2, 0.4, 0.8], own: own.is_some() }
    }
}

/// One third of a [`Factors`]: which end of the band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Low,
    Middle,
    High,
}

impl End {
    fn pick(self, [low, middle, high]: [f64; 3]) -> f64 {
        match self {
            Self::Low => low,
            Self::Middle => middle,
            Self::High => high,
        }
    }
}

/// A rate with its band, and what bounds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub low: f64,
    pub value: f64,
    pub high: f64,
    pub bound: Bound,
}

/// Decoding of one planned workload: what each card reads and how fast.
#[derive(Debug)]
pub struct Decode<'a> {
    plan: &'a Plan<'a>,
    /// Bytes per second, matrix operations per second if known, and factors of each card.
    cards: Vec<(f64, Option<f64>, Factors)>,
}

impl<'a> Decode<'a> {
    /// # Errors
    /// Names the fact that is missing.
    pub fn new(plan: &'a Plan<'a>, project: &Project) -> Result<Self, String> {
        let model = &plan.workload.model;
        if plan.cards.is_empty() {
            return Err("a graphics card".to_owned());
        }
        if model.groups.iter().all(|g| g.cache == Cache::None) {
            return Err("nothing: the model does not generate text".to_owned());
        }
        let rate = |card: &Device<'_>| {
            let gb_s = card.gpu.bandwidth_gb_s.filter(|b| *b > 0.0);
            let gb_s = gb_s.ok_or_else(|| format!("bandwidth_gb_s of {}", card.part.short_name()))?;
            let tflops = [card.gpu.tensor_fp16_tflops, card.gpu.fp16_tflops, card.gpu.fp32_tflops].into_iter().flatten().reduce(f64::max);
            Ok((gb_s * 1e9, tflops.filter(|t| *t > 0.0).map(|t| t * 1e12), Factors::of(card.gpu, plan.engine, project)))
        };
        Ok(Self { plan, cards: plan.cards.iter().map(rate).collect::<Result<_, String>>()? })
    }

    /// Tokens per second of all sequences together, with `context` tokens already in each one's cache.
    pub fn rate(&self, context: u64, batch: u64) -> Rate {
        let (value, by_arithmetic) = self.step(context, batch, End::Middle);
        let (low, high) = (self.step(context, batch, End::Low).0, self.step(context, batch, End::High).0);
        let tokens = batch as f64;
        let bound = if by_arithmetic { Bound::Arithmetic } else { Bound::MemoryBandwidth };
        // Without a known matrix rate a batch may gain nothing over one sequence after the other.
        let low =
            if batch > 1 && self.cards.iter().any(|c| c.1.is_none()) { 1.0 / self.step(context, 1, End::Low).0 } else { tokens / low };
        Rate { low, value: tokens / value, high: tokens / high, bound }
    }

    /// Seconds of one step over all layers, card after card, and whether arithmetic takes longer than reading.
    fn step(&self, context: u64, batch: u64, end: End) -> (f64, bool) {
        let sizes = self.plan.sizes(context, batch);
        let weights = &self.plan.weights;
        let layers = f64::from(self.plan.workload.model.layers.max(1));
        let body = touched(weights.dense, weights.experts, weights.expert_share, batch);
        // States are read and written.
        let growing = sizes.cache.low as f64 + 2.0 * sizes.state.low as f64;
        let work = 2.0 * weights.active_params as f64 * batch as f64;
        let (mut time, mut reading, mut computing) = (0.0, 0.0, 0.0);
        for (card, (bytes_s, flops, factors)) in self.cards.iter().enumerate() {
            let count = self.plan.layers(card).len() as f64;
            let head = if self.plan.is_last(card) { weights.head as f64 } else { 0.0 };
            let read = ((body + growing) * count / layers + head) / (end.pick(factors.efficiency) * bytes_s);
            // One sequence is never bound by arithmetic; its kernels do not use matrix units.
            let compute = flops.filter(|_| batch > 1).map_or(0.0, |f| work * count / layers / (end.pick(factors.arithmetic) * f));
            // In the slow case the two do not overlap.
            time += if end == End::Low { read + compute } else { read.max(compute) } + count * end.pick(factors.layer_s);
            (reading, computing) = (reading + read, computing + compute);
        }
        (time, computing > reading)
    }
}

/// Bytes of the layers that one step reads: experts that any of `batch` tokens chose, if each chooses at random, `1 − (1 − share)^batch`.
fn touched(dense: u64, experts: u64, share: f64, batch: u64) -> f64 {
    let chosen = 1.0 - libm::pow(1.0 - share.clamp(0.0, 1.0), batch as f64);
    dense as f64 + experts as f64 * chosen
}

/// Speed of every workload, in their order: tokens per second while decoding, at the end of the workload's context.
///
/// `memory` are the ledgers of the same project. [`Effort::Full`] computes finer curves.
pub fn speeds(catalog: &Catalog, project: &Project, memory: &[CardLedger], effort: Effort) -> Vec<Speed> {
    let of = |(index, workload): (usize, &Workload)| {
        let plan = Plan::new(workload, devices(catalog, project));
        let too_large = memory.iter().any(|l| l.workload == index && l.fits() == Some(false));
        speed(index, &plan, project, too_large, effort)
    };
    project.workloads.iter().enumerate().map(of).collect()
}

fn speed(index: usize, plan: &Plan<'_>, project: &Project, too_large: bool, effort: Effort) -> Speed {
    let workload = plan.workload;
    let mut speed = Speed {
        workload: index,
        workload_name: workload.name.clone(),
        metric: "decode_tokens_per_s",
        value: None,
        low: None,
        high: None,
        unit: "tokens/s",
        bound: Bound::MemoryBandwidth,
        missing: None,
        origin: Origin::new(Basis::Assumed, "", ""),
        over_context: Vec::new(),
        over_batch: Vec::new(),
    };
    if workload.training.is_some() {
        let missing = "the speed of training, which this version does not compute";
        speed.origin.formula = format!("unknown: {missing}");
        speed.missing = Some(missing.to_owned());
        return speed;
    }
    let decode = match Decode::new(plan, project) {
        Ok(decode) => decode,
        Err(missing) => {
            speed.origin.formula = format!("unknown: {missing}");
            speed.missing = Some(missing);
            return speed;
        }
    };
    speed.origin = origin(&decode);
    if too_large {
        speed.bound = Bound::MemorySize;
    } else {
        let rate = decode.rate(workload.context, workload.batch);
        (speed.value, speed.low, speed.high, speed.bound) = (Some(rate.value), Some(rate.low), Some(rate.high), rate.bound);
    }
    let point = |x: u64, context: u64, batch: u64| {
        let rate = decode.rate(context, batch);
        CurvePoint { x: x as f64, value: rate.value, low: rate.low, high: rate.high, fits: plan.fits(context, batch) }
    };
    let steps = if effort == Effort::Full { 48 } else { 12 };
    let last = workload.model.context.unwrap_or(131_072).max(2);
    speed.over_context = spread(last, steps).map(|x| point(x, x, workload.batch)).collect();
    speed.over_batch = [1, 2, 4, 8, 16, 32, 64].into_iter().map(|x| point(x, workload.context, x)).collect();
    speed
}

/// `steps` numbers from about 1/64 of `last` up to it, each a fixed factor above the one before.
fn spread(last: u64, steps: u32) -> impl Iterator<Item = u64> {
    let first = (last as f64 / 64.0).max(1.0);
    let factor = last as f64 / first;
    (0..steps).map(move |n| (first * libm::pow(factor, f64::from(n) / f64::from(steps - 1))).round() as u64)
}

fn origin(decode: &Decode<'_>) -> Origin {
    let plan = decode.plan;
    let (workload, weights) = (plan.workload, &plan.weights);
    let sizes = plan.sizes(workload.context, workload.batch);
    let body = touched(weights.dense, weights.experts, weights.expert_share, workload.batch);
    let read = (body + weights.head as f64) / 1e9;
    let cache = (sizes.cache.low as f64 + 2.0 * sizes.state.low as f64) / 1e9;
    let mut formula = format!("{} ÷ (({read:.2} GB weights + {cache:.2} GB cache)", crate::units::count(workload.batch, "sequence"));
    match decode.cards.as_slice() {
        [(bytes_s, _, f)] => formula.push_str(&format!(" ÷ ({} × {:.0} GB/s)", f.efficiency[1], bytes_s / 1e9)),
        cards => {
            let rates: Vec<String> = cards.iter().map(|(b, _, f)| format!("{} × {:.0}", f.efficiency[1], b / 1e9)).collect();
            formula.push_str(&format!(" split over cards one after the other, ÷ ({}) GB/s", rates.join(", ")));
        }
    }
    let layer_us = decode.cards.first().map_or(0.0, |c| c.2.layer_s[1] * 1e6);
    formula.push_str(&format!(" + {} layers × {layer_us:.0} µs)", workload.model.layers));
    if decode.cards.iter().any(|c| c.2.own) {
        return Origin::new(Basis::Fitted, formula, "your own efficiency; time a layer from public tables");
    }
    let source = "general efficiencies, not of this card: 0.85 of GDDR bandwidth (0.70–0.95), 0.65 of HBM's (0.50–0.85), 25 µs a layer for llama.cpp (10–100), 60 µs for PyTorch servers (10–150); round figures chosen with github:XiongjieDai/GPU-Benchmarks-on-LLM-Inference, github:geerlingguy/ai-benchmarks and github:QwenLM/Qwen2.5 in view";
    Origin::new(Basis::Assumed, formula, source)
}
