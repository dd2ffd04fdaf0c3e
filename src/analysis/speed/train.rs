//! A training step: forward, backward, recomputation, optimizer, messages and input, each with its time, and what hides behind what.

use super::card::{Make, Rates};
use super::fabric::Fabric;
use super::input::{Feed, Hidden};
use super::{Bound, Term};
use crate::analysis::airflow::work::Class;
use crate::analysis::memory::training::Work;
use crate::workload::training::{AttentionKernel, Loader, Method, Parallel, Recompute, TrainPrecision, Training, Zero};

/// Where [`step`]'s constants come from.
pub const SOURCE: &str = "fitted: mosaicml/llm-foundry (MPT on A100 and H100), lambdal/deeplearning-benchmark (BERT, ResNet-50), QwenLM/Qwen, Lightning-AI/litgpt, pytorch/torchtune; cards left out: decoders 11 %, BERT 10 %, ResNet-50 20 %, adapters 38 % (median)";

/// Time over matrix operations ÷ rate, and more of it for TF32 and FP32; for convolutions.
const MATRIX: f64 = 1.05;
const MATRIX_FULL: f64 = 0.634;
const MATRIX_PICTURES: f64 = 2.61;
/// Time over kept bytes ÷ bandwidth: passes over tensors between the matrix products. With scores in memory, and for convolutions, more.
const PASSES: f64 = 1.49;
const PASSES_EAGER: f64 = 6.5;
const PASSES_PICTURES: f64 = 12.0;
/// Seconds a layer that starting kernels takes in one pass: trained whole, with adapters, under `DeepSpeed`.
const LAUNCH_S: f64 = 434e-6;
const LAUNCH_ADAPTERS_S: f64 = 2.2e-3;
const LAUNCH_DEEPSPEED_S: f64 = 2.25e-3;
/// `DeepSpeed`'s own passes and its optimizer over those of a plain loop.
const DEEPSPEED: f64 = 1.585;
const DEEPSPEED_OPTIMIZER: f64 = 4.98;

/// Seconds over (operations ÷ watts in tera).
const fn watts(make: Make) -> f64 {
    match make {
        Make::Gddr => 0.08,
        Make::GddrNew | Make::Amd | Make::Intel => 0.755,
        Make::Hbm => 0.776,
        Make::HbmNew => 0.916,
    }
}

/// Share of a gradient exchange that hides behind the backward pass: chosen with the multi-card rows of lambdal/deeplearning-benchmark in
/// view (two RTX 3090 lose 14 % with BERT large, two RTX 6000 Ada 3 %, eight H100 over NVLink 2 %).
fn hides(fabric: &Fabric) -> f64 {
    if fabric.nvlink {
        0.9
    } else if fabric.peers == Some(false) {
        0.4
    } else {
        0.7
    }
}

/// Which program runs the loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loop {
    #[default]
    Plain,
    DeepSpeed,
}

/// Seconds of one optimizer step by what takes them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    pub forward: f64,
    pub recompute: f64,
    pub backward: f64,
    pub optimizer: f64,
    /// Sums of slices, hand-overs between stages, tokens to experts.
    pub inner: f64,
    /// Exchange of gradients and weights: all of it, and what is not hidden.
    pub exchange: f64,
    pub exchange_shown: f64,
    /// Stages that wait.
    pub bubble: f64,
    pub input: Feed,
    pub total: f64,
    /// Bytes that each card sends in a step.
    pub sent: f64,
    /// Starting kernels takes longer than running them.
    pub launches: bool,
    pub reading: f64,
    pub computing: f64,
}

impl Step {
    pub fn bound(&self) -> Bound {
        let busy = self.forward + self.recompute + self.backward + self.optimizer;
        if self.input.shown > busy {
            Bound::Input
        } else if self.inner + self.exchange_shown + self.bubble > busy {
            Bound::Communication
        } else if self.launches {
            Bound::Launches
        } else if self.reading > self.computing {
            Bound::MemoryBandwidth
        } else {
            Bound::Arithmetic
        }
    }

    /// Lines of a waterfall; what is overlapped does not add to the step.
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::with_capacity(10);
        let mut add = |name, seconds: f64, source, overlapped| {
            if seconds > 0.0 {
                terms.push(Term { name, seconds, source, overlapped });
            }
        };
        add("forward", self.forward, SOURCE, false);
        add("recomputing", self.recompute, SOURCE, false);
        add("backward", self.backward, SOURCE, false);
        add("optimizer", self.optimizer, "states read and written, weights and gradients once, over the bandwidth", false);
        add("messages inside layers", self.inner, super::fabric::SOURCE, false);
        add("waiting stages", self.bubble, "(stages − 1) ÷ micro-batches of the computing", false);
        add("exchange, not hidden", self.exchange_shown, super::fabric::SOURCE, false);
        add("exchange behind the backward pass", self.exchange - self.exchange_shown, super::fabric::SOURCE, true);
        add("input, not hidden", self.input.shown, self.input.source, false);
        add("input behind the step", self.input.total - self.input.shown, self.input.source, true);
        terms
    }
}

/// One step of a job on `cards` cards like `rates`, the slowest of them. `None` = a rate or link that counts is unknown.
pub fn step(
    work: &Work,
    job: &Training,
    rates: &Rates,
    fabric: &Fabric,
    cards: usize,
    of: Loop,
    feed: Option<&super::input::Source>,
) -> Option<Step> {
    let p: Parallel = job.parallel;
    let (tensor, pipeline) = (f64::from(p.tensor.max(1)), f64::from(p.pipeline.max(1)));
    let cut = tensor * pipeline;
    let data = (cards as f64 / cut).floor().max(1.0);
    let micro = job.accumulation.max(1) as f64;
    let adapters = job.method != Method::Full;
    let passes = 1.0 + if adapters { 1.0 } else { 2.0 } + if job.recompute == Recompute::Full { 1.0 } else { 0.0 };
    let full = job.precision == TrainPrecision::Fp32;
    let rate = if full { rates.full? } else { rates.matrix? };
    let rate = if job.precision == TrainPrecision::Fp8 { rates.fp8.map_or(rate, |f| 0.5 * (f + rate)) } else { rate };
    let pictures = work.pictures && work.tokens == 0;
    let left = rates.left(Class::ComputeBound);
    // One pass of one micro-batch on one card.
    let matrix = if pictures { MATRIX_PICTURES } else { MATRIX } + if full { MATRIX_FULL } else { 0.0 };
    let power = rates.watts.map_or(0.0, |w| watts(rates.make) * work.matrix_flops / (w * 1e12)) * if full { 2.0 } else { 1.0 };
    let compute = ((work.matrix_flops + work.attention_flops) * matrix / rate + power) / cut / left;
    let eager = job.attention == AttentionKernel::Eager;
    let kept = if pictures {
        PASSES_PICTURES
    } else if eager {
        PASSES_EAGER
    } else {
        PASSES
    };
    let again = if job.recompute == Recompute::Full { 1.5 } else { 1.0 };
    let memory = work.saved_bytes * kept * again / rates.bytes / cut / rates.left(Class::Balanced);
    let busy = (compute * passes + memory) * if of == Loop::DeepSpeed { DEEPSPEED } else { 1.0 };
    let each = match (of, adapters) {
        (Loop::DeepSpeed, _) => LAUNCH_DEEPSPEED_S,
        (Loop::Plain, true) => LAUNCH_ADAPTERS_S,
        (Loop::Plain, false) => LAUNCH_S,
    };
    let launch = if pictures { 0.0 } else { f64::from(work.layers) / pipeline * each * passes };
    let gpu = busy.max(launch) * micro;
    let pass = gpu / passes;
    let states = work.state_bytes as f64 * 2.0 + work.param_bytes as f64 * if adapters { 0.0 } else { 3.0 };
    let spread = if p.zero == Zero::None { 1.0 } else { data };
    let optimizer = states / cut / spread / rates.bytes * if of == Loop::DeepSpeed && !adapters { DEEPSPEED_OPTIMIZER } else { 1.0 };
    let (mut inner, mut sent) = (0.0, 0.0);
    // Between cards 16 bits travel, whatever autocast keeps.
    let wide = !full && work.param_bytes >= work.params.saturating_mul(4);
    let stream = work.stream_bytes * if wide { 0.5 } else { 1.0 };
    if tensor > 1.0 {
        let sums =
            2.0 * passes.min(2.0 + f64::from(u8::from(job.recompute == Recompute::Full))) * f64::from(work.layers) / pipeline * micro;
        inner += sums * fabric.all_reduce(stream, p.tensor as usize)?;
        sent += sums * 2.0 * (tensor - 1.0) / tensor * stream;
    }
    if pipeline > 1.0 {
        // Forward and backward each hand on once a micro-batch; the first in line shows, the rest goes beside the computing.
        inner += 2.0 * fabric.hand_on(stream)? * pipeline;
        sent += 2.0 * micro * stream;
    }
    if p.expert > 1 && work.experts > 0 {
        let ways = 4.0 * f64::from(work.layers) * micro;
        inner += ways * fabric.all_to_all(stream, p.expert as usize)?;
        sent += ways * (f64::from(p.expert) - 1.0) / f64::from(p.expert) * stream;
    }
    let bubble = gpu * (pipeline - 1.0) / micro;
    let copies = data as usize;
    let grads = work.grad_bytes as f64 / cut;
    let mut exchange = 0.0;
    if copies > 1 {
        exchange = if p.zero == Zero::Parameters {
            // Weights are gathered for both passes of every micro-batch, gradients scattered once.
            let weights = work.params as f64 * 2.0 / cut;
            2.0 * micro * fabric.gather(weights, copies)? + fabric.gather(grads, copies)?
        } else {
            fabric.all_reduce(grads, copies)?
        };
        let volume = if p.zero == Zero::Parameters { 2.0 * micro * work.params as f64 * 2.0 / cut + grads } else { 2.0 * grads };
        sent += volume * (data - 1.0) / data;
    }
    // A gradient can only hide behind computing that is there: behind two thirds of it, all passes where weights are gathered.
    let room = hides(fabric) * if p.zero == Zero::Parameters { gpu } else { gpu * 2.0 / 3.0 / micro };
    let exchange_shown = (exchange - room.min(exchange * hides(fabric))).max(0.0);
    let mut out = Step {
        forward: pass,
        recompute: if job.recompute == Recompute::Full { pass } else { 0.0 },
        backward: pass * if adapters { 1.0 } else { 2.0 },
        optimizer,
        inner,
        exchange,
        exchange_shown,
        bubble,
        sent,
        launches: launch > busy,
        reading: memory,
        computing: compute * passes,
        ..Step::default()
    };
    let beside = gpu + optimizer + inner + exchange_shown + bubble;
    if let Some(source) = feed {
        let samples = work.samples as f64 * micro;
        out.input = source.feed(samples * data, samples, hidden(job.loader), beside);
    }
    out.total = beside + out.input.shown;
    Some(out)
}

const fn hidden(loader: Loader) -> Hidden {
    match loader {
        Loader::Ahead => Hidden::All,
        Loader::Pageable => Hidden::ReadsOnly,
        Loader::Blocking => Hidden::Nothing,
    }
}
