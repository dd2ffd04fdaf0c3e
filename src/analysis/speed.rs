//! How fast a workload runs. In this version decode only, as a memory-bandwidth roofline.

use crate::analysis::memory::plan::{Device, Plan, devices};
use crate::analysis::memory::{CardLedger, host};
use crate::analysis::{Basis, Effort, Origin};
use crate::catalog::Catalog;
use crate::catalog::model::Cache;
use crate::catalog::part::{Gpu, PartKind};
use crate::project::Project;
use crate::workload::{Engine, Split, Workload};

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

/// Name under which a project's `calibration` holds the user's own efficiency, 0..1; followed by "." and a product, that of one card.
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
    /// transformers starts its kernels from Python: 0.5 to 0.9 ms in BF16, 0.7 to 1.2 ms with quantised weights, in the same tables.
    /// `ExLlama` is taken as near llama.cpp.
    ///
    /// Arithmetic: prompts of 1,024 tokens in the first table reach 0.2–0.8 of the cards' FP16 matrix rate with FP32 sums.
    pub fn of(gpu: &Gpu, engine: Engine, project: &Project) -> Self {
        let card = gpu.product.as_ref().and_then(|p| project.calibration.get(&format!("{CALIBRATION}.{p}")));
        let own = card.or_else(|| project.calibration.get(CALIBRATION)).copied().filter(|e| *e > 0.0 && *e <= 1.5);
        let hbm = gpu.memory_type.as_deref().is_some_and(|m| m.starts_with("HBM"));
        let efficiency = match own {
            Some(e) => [e * 0.95, e, e * 1.05],
            None if hbm => [0.50, 0.65, 0.85],
            None => [0.70, 0.85, 0.95],
        };
        let layer_s = match engine {
            Engine::LlamaCpp => [100e-6, 25e-6, 10e-6],
            Engine::Vllm | Engine::Sglang => [150e-6, 60e-6, 10e-6],
            Engine::Transformers => [1600e-6, 900e-6, 300e-6],
            Engine::Exllama => [100e-6, 40e-6, 10e-6],
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

/// Seconds of one small sum over all cards, twice a layer where every matrix is split: NCCL on PCIe takes 19 µs on four RTX 4090 and 24 to
/// 48 µs on eight cards (github:voipmonitor/rtx6kpro), NVLink less. Slow end first.
const REDUCE_S: [f64; 3] = [50e-6, 25e-6, 8e-6];
/// Share of the main memory's stated bandwidth that a processor reaches while reading weights; assumed.
const HOST_EFFICIENCY: [f64; 3] = [0.5, 0.7, 0.9];

/// Decoding of one planned workload: what each card reads and how fast.
#[derive(Debug)]
pub struct Decode<'a> {
    plan: &'a Plan<'a>,
    /// Bytes per second, matrix operations per second if known, and factors of each card.
    cards: Vec<(f64, Option<f64>, Factors)>,
    /// Bytes per second of main memory, where weights in it are read.
    host: Option<f64>,
}

impl<'a> Decode<'a> {
    /// `host_gb_s`: bandwidth of main memory, or what is missing to know it; asked only where weights are read from there.
    ///
    /// # Errors
    /// Names the fact that is missing.
    pub fn new(plan: &'a Plan<'a>, project: &Project, host_gb_s: Result<f64, String>) -> Result<Self, String> {
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
        let reads_host = plan.on_host() > 0 || (host::experts(plan) > 0 && plan.weights.experts > 0);
        let host = if reads_host { Some(host_gb_s? * 1e9) } else { None };
        Ok(Self { plan, cards: plan.cards.iter().map(rate).collect::<Result<_, String>>()?, host })
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

    /// Tokens per second while prompts of `prompt` tokens in `batch` sequences are worked on: low, middle, high. Matrix operations of all
    /// weights and of causal attention over the rate of the cards, sliced or card after card; a rough figure, no kernel is modelled.
    ///
    /// # Errors
    /// Names the fact that is missing.
    pub fn prefill(&self, prompt: u64, batch: u64) -> Result<[f64; 3], String> {
        let plan = self.plan;
        let (model, layers) = (&plan.workload.model, f64::from(plan.workload.model.layers.max(1)));
        let scores: f64 = model
            .groups
            .iter()
            .map(|g| match g.cache {
                Cache::Full { k_dim, v_dim, .. } => f64::from(g.count) * f64::from(k_dim + v_dim) * prompt as f64,
                Cache::Sliding { k_dim, v_dim, window, .. } => {
                    f64::from(g.count) * f64::from(k_dim + v_dim) * (prompt as f64).min(2.0 * f64::from(window))
                }
                Cache::Latent { rank, rope_dim } => f64::from(g.count) * 2.0 * f64::from(rank + rope_dim) * prompt as f64,
                Cache::State { .. } | Cache::Shared | Cache::None => 0.0,
            })
            .sum();
        let each = 2.0 * plan.weights.active_params as f64 + f64::from(model.heads) * scores;
        let work = each * (prompt * batch) as f64;
        let together = plan.split == Split::Tensor && self.cards.len() > 1;
        let time = |end: End| -> Result<f64, String> {
            let mut time = 0.0_f64;
            for (card, (bytes_s, flops, factors)) in self.cards.iter().enumerate() {
                let name = plan.cards.get(card).map_or("the card", |c| c.part.short_name());
                let flops = flops.ok_or_else(|| format!("tensor_fp16_tflops of {name}"))?;
                let part = plan.layers(card).len() as f64 / layers * plan.slice(card);
                let read = (plan.weights.dense + plan.weights.experts) as f64 * part / (end.pick(factors.efficiency) * bytes_s);
                let one = (work * part / (end.pick(factors.arithmetic) * flops)).max(read) + layers * part * end.pick(factors.layer_s);
                time = if together { time.max(one) } else { time + one };
            }
            Ok(time)
        };
        let rate = |end| time(end).map(|t| (prompt * batch) as f64 / t.max(1e-12));
        Ok([rate(End::Low)?, rate(End::Middle)?, rate(End::High)?])
    }

    /// Seconds of one step over all layers, card after card, and whether arithmetic takes longer than reading.
    fn step(&self, context: u64, batch: u64, end: End) -> (f64, bool) {
        let sizes = self.plan.sizes(context, batch);
        let weights = &self.plan.weights;
        let layers = f64::from(self.plan.workload.model.layers.max(1));
        // Experts that any of `batch` tokens chose, if each chooses at random: 1 − (1 − share)^batch.
        let chosen = touched(weights.expert_share, batch);
        // States are read and written.
        let growing = sizes.cache.low as f64 + 2.0 * sizes.state.low as f64;
        let work = 2.0 * weights.active_params as f64 * batch as f64;
        let together = self.plan.split == Split::Tensor && self.cards.len() > 1;
        let (mut time, mut reading, mut computing) = (0.0, 0.0_f64, 0.0_f64);
        for (card, (bytes_s, flops, factors)) in self.cards.iter().enumerate() {
            let (count, slice) = (self.plan.layers(card).len() as f64, self.plan.slice(card));
            let head =
                if together { weights.head as f64 * slice } else { f64::from(u8::from(self.plan.is_last(card))) * weights.head as f64 };
            let experts = weights.experts as f64 * chosen * self.plan.expert_layers(card).len() as f64 / layers;
            let body = ((weights.dense as f64 + growing) * count / layers + experts) * slice;
            let read = (body + head) / (end.pick(factors.efficiency) * bytes_s);
            // One sequence is never bound by arithmetic; its kernels do not use matrix units.
            let compute = flops.filter(|_| batch > 1).map_or(0.0, |f| work * count * slice / layers / (end.pick(factors.arithmetic) * f));
            // In the slow case the two do not overlap.
            let one = if end == End::Low { read + compute } else { read.max(compute) } + count * end.pick(factors.layer_s);
            if together {
                time = f64::max(time, one);
                (reading, computing) = (reading.max(read), computing.max(compute));
            } else {
                time += one;
                (reading, computing) = (reading + read, computing + compute);
            }
        }
        if together {
            time += layers * 2.0 * end.pick(REDUCE_S);
        }
        if let Some(bytes_s) = self.host {
            let kept = (weights.dense as f64 + growing) * f64::from(self.plan.on_host()) / layers;
            let read = (kept + host::experts(self.plan) as f64 * chosen) / (end.pick(HOST_EFFICIENCY) * bytes_s);
            (time, reading) = (time + read, reading + read);
        }
        (time, computing > reading)
    }
}

/// Share of the experts that any of `batch` tokens chose, if each chooses at random.
fn touched(share: f64, batch: u64) -> f64 {
    1.0 - libm::pow(1.0 - share.clamp(0.0, 1.0), batch as f64)
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

/// Speed of every workload, in their order: tokens per second while decoding, at the end of the workload's context.
///
/// `memory` are the ledgers of the same project. [`Effort::Full`] computes finer curves.
pub fn speeds(catalog: &Catalog, project: &Project, memory: &[CardLedger], effort: Effort) -> Vec<Speed> {
    let main = host_bandwidth(catalog, project);
    let of = |(index, workload): (usize, &Workload)| {
        let plan = Plan::new(workload, devices(catalog, project));
        let too_large = memory.iter().any(|l| l.workload == index && l.fits() == Some(false));
        speed(index, &plan, project, main.clone(), too_large, effort)
    };
    project.workloads.iter().enumerate().map(of).collect()
}

fn speed(index: usize, plan: &Plan<'_>, project: &Project, main: Result<f64, String>, too_large: bool, effort: Effort) -> Speed {
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
    let decode = match Decode::new(plan, project, main) {
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
    let body = weights.dense as f64 + weights.experts as f64 * touched(weights.expert_share, workload.batch);
    let read = (body + weights.head as f64) / 1e9;
    let cache = (sizes.cache.low as f64 + 2.0 * sizes.state.low as f64) / 1e9;
    let mut formula = format!("{} ÷ (({read:.2} GB weights + {cache:.2} GB cache)", crate::units::count(workload.batch, "sequence"));
    match decode.cards.as_slice() {
        [(bytes_s, _, f)] => formula.push_str(&format!(" ÷ ({} × {:.0} GB/s)", f.efficiency[1], bytes_s / 1e9)),
        cards => {
            let rates: Vec<String> = cards.iter().map(|(b, _, f)| format!("{} × {:.0}", f.efficiency[1], b / 1e9)).collect();
            let how =
                if plan.split == Split::Tensor { "sliced over cards that work together" } else { "split over cards one after the other" };
            formula.push_str(&format!(" {how}, ÷ ({}) GB/s", rates.join(", ")));
        }
    }
    let layer_us = decode.cards.first().map_or(0.0, |c| c.2.layer_s[1] * 1e6);
    formula.push_str(&format!(" + {} layers × {layer_us:.0} µs)", workload.model.layers));
    if plan.split == Split::Tensor && decode.cards.len() > 1 {
        formula.push_str(&format!(", two sums over all cards a layer of {:.0} µs", REDUCE_S[1] * 1e6));
    }
    if let Some(bytes_s) = decode.host {
        formula.push_str(&format!("; what stays in main memory at {} × {:.0} GB/s", HOST_EFFICIENCY[1], bytes_s / 1e9));
    }
    if decode.cards.iter().any(|c| c.2.own) {
        return Origin::new(Basis::Fitted, formula, "your own efficiency; time a layer from public tables");
    }
    let source = "general efficiencies, not of this card: 0.85 of GDDR bandwidth (0.70–0.95), 0.65 of HBM's (0.50–0.85), 25 µs a layer for llama.cpp (10–100), 60 µs for PyTorch servers (10–150); round figures chosen with github:XiongjieDai/GPU-Benchmarks-on-LLM-Inference, github:geerlingguy/ai-benchmarks and github:QwenLM/Qwen2.5 in view";
    Origin::new(Basis::Assumed, formula, source)
}
