//! Answering: what one decoding step reads, unpacks, computes and sends, on one card, card after card, or sliced over all.

use super::card::Rates;
use super::fabric::Fabric;
use super::law::{Age, Law, Prompt};
use super::{Bound, Rate, Term};
use crate::analysis::airflow::work::Class;
use crate::analysis::memory::host;
use crate::analysis::memory::plan::Plan;
use crate::analysis::memory::training::scores;
use crate::catalog::model::Cache;
use crate::project::Project;
use crate::workload::Split;

/// Share of the main memory's stated bandwidth that a processor reaches while reading weights; assumed.
const HOST_EFFICIENCY: f64 = 0.7;
/// Share of guessed tokens that are kept: low, middle, high. Two guesses gain 1.78 to 1.94 times (sudoingX/qwen38-mtp pull request 24), three
/// 2.6 on code; 0.7 gives 1.9 and 2.2 before what the guesses cost.
const KEPT: [f64; 3] = [0.5, 0.7, 0.85];
/// Layer-split prompts of llama.cpp travel in micro-batches of one logical batch (`--batch-size`, default 2,048).
const LOGICAL_BATCH: f64 = 2048.0;

/// What a prediction needs to know about the rig and the program besides the plan.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    pub project: &'a Project,
    /// Bandwidth of main memory in GB/s, or what is missing to know it; asked only where weights are read from there.
    pub host_gb_s: Result<f64, String>,
    pub fabric: Fabric,
    /// Share of the work that heat and power leave each card, by class; all of it where empty.
    pub work: &'a [[f64; 3]],
    pub age: Age,
    /// Seconds more a layer on slow hosts.
    pub slow_host_s: f64,
    /// Seconds a layer of an engine that is like a modelled one but for this.
    pub layer_s: Option<f64>,
}

impl<'a> Setup<'a> {
    /// Today's engine on a cool, quick rig whose links are unknown.
    pub fn plain(project: &'a Project) -> Self {
        Self {
            project,
            host_gb_s: Err("bandwidth of main memory".to_owned()),
            fabric: Fabric::ALONE,
            work: &[],
            age: Age::Today,
            slow_host_s: 0.0,
            layer_s: None,
        }
    }
}

/// Seconds of one step by what takes them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    pub weights: f64,
    pub cache: f64,
    pub unpack: f64,
    pub arithmetic: f64,
    pub launch: f64,
    pub links: f64,
    pub host: f64,
    pub draft: f64,
    pub total: f64,
}

impl Step {
    fn add(&mut self, o: &Self) {
        self.weights += o.weights;
        self.cache += o.cache;
        self.unpack += o.unpack;
        self.arithmetic += o.arithmetic;
        self.launch += o.launch;
        self.total += o.total;
    }

    /// What takes longest.
    pub fn bound(&self) -> Bound {
        let memory = self.weights + self.cache + self.unpack;
        let gpu = memory.max(self.arithmetic);
        if self.host > gpu.max(self.launch).max(self.links) {
            Bound::MainMemory
        } else if self.links > gpu.max(self.launch) {
            Bound::Communication
        } else if self.launch > gpu {
            Bound::Launches
        } else if self.arithmetic > memory {
            Bound::Arithmetic
        } else {
            Bound::MemoryBandwidth
        }
    }
}

/// Decoding and prompts of one planned workload.
#[derive(Debug)]
pub struct Decode<'a> {
    pub plan: &'a Plan<'a>,
    pub cards: Vec<Rates>,
    pub laws: Vec<(Law, Prompt)>,
    /// Bytes per second of main memory, where weights in it are read.
    pub host: Option<f64>,
    pub fabric: Fabric,
    slow_host_s: f64,
}

impl<'a> Decode<'a> {
    /// # Errors
    /// Names the fact that is missing.
    pub fn new(plan: &'a Plan<'a>, setup: &Setup<'_>) -> Result<Self, String> {
        let model = &plan.workload.model;
        if plan.cards.is_empty() {
            return Err("a graphics card".to_owned());
        }
        if model.groups.iter().all(|g| g.cache == Cache::None) {
            return Err("nothing: the model does not generate text".to_owned());
        }
        let work = |n: usize| setup.work.get(n).copied().unwrap_or([1.0; 3]);
        let cards = plan.cards.iter().enumerate().map(|(n, c)| Rates::of(c.gpu, c.part.short_name(), setup.project, work(n)));
        let cards = cards.collect::<Result<Vec<_>, String>>()?;
        let reads_host = plan.on_host() > 0 || (host::experts(plan) > 0 && plan.weights.experts > 0);
        let host = if reads_host { Some(setup.host_gb_s.clone()? * 1e9) } else { None };
        let precision = plan.workload.precision;
        let law = |c: &Rates| {
            let mut law = Law::of(plan.engine, setup.age, c.make, precision);
            law.layer_s = setup.layer_s.unwrap_or(law.layer_s);
            (law, Prompt::of(plan.engine, setup.age, c.make, precision))
        };
        let laws = cards.iter().map(law).collect();
        let fabric = Fabric { cards: plan.cards.len(), ..setup.fabric };
        Ok(Self { plan, cards, laws, host, fabric, slow_host_s: setup.slow_host_s })
    }

    /// Every matrix is sliced over several cards.
    pub fn together(&self) -> bool {
        self.plan.split == Split::Tensor && self.cards.len() > 1
    }

    fn band(&self) -> f64 {
        self.laws.iter().map(|l| l.0.band).fold(1.0, f64::max)
    }

    /// Tokens per second of all sequences together, with `context` tokens already in each one's cache.
    pub fn rate(&self, context: u64, batch: u64) -> Rate {
        let step = self.step(context, batch);
        let guesses = i32::try_from(self.plan.workload.serving.draft_tokens).unwrap_or(0);
        // 1 + a + a² + … tokens a step.
        let gain = |a: f64| (0..=guesses).map(|n| libm::pow(a, f64::from(n))).sum::<f64>();
        let value = batch as f64 / step.total.max(1e-12);
        let band = if self.cards.iter().all(|c| c.own.is_some()) { 1.05 } else { self.band() };
        let [low, middle, high] = KEPT.map(|a| if guesses > 0 { gain(a) } else { 1.0 });
        // Batches of cards with an unknown matrix rate may gain nothing over one sequence after the other.
        let unknown = batch > 1 && self.cards.iter().any(|c| c.matrix.is_none());
        let lowest = if unknown { 1.0 / self.step(context, 1).total.max(1e-12) } else { value };
        Rate { low: lowest * low / band, value: value * middle, high: value * high * band, bound: step.bound() }
    }

    /// Seconds of one step over all layers for `batch` sequences with `context` tokens each.
    pub fn step(&self, context: u64, batch: u64) -> Step {
        let plan = self.plan;
        let weights = &plan.weights;
        let sizes = plan.sizes(context, batch);
        let layers = f64::from(plan.workload.model.layers.max(1));
        let guesses = u64::from(plan.workload.serving.draft_tokens);
        let tokens = batch.saturating_mul(1 + guesses);
        let chosen = touched(weights.expert_share, tokens);
        // States are read and written.
        let growing = sizes.cache.low as f64 + 2.0 * sizes.state.low as f64;
        let together = self.together();
        let class = if batch > 1 { Class::Balanced } else { Class::MemoryBound };
        let mut sum = Step::default();
        for (card, (rates, (law, prompt))) in self.cards.iter().zip(&self.laws).enumerate() {
            let (count, slice) = (plan.layers(card).len() as f64, plan.slice(card));
            let head = if together {
                weights.head as f64 * slice
            } else if plan.is_last(card) {
                weights.head as f64
            } else {
                0.0
            };
            let expert_layers = plan.expert_layers(card).len() as f64;
            let experts = weights.experts as f64 * chosen * expert_layers / layers;
            let read = (weights.dense as f64 * count / layers + experts) * slice + head;
            let cached = growing * count / layers * slice;
            let part = count / layers * slice;
            let left = rates.left(class);
            let (by_read, by_cache) = rates.own.map_or((law.read, law.cache), |own| (1.0 / own, 1.0 / own));
            let ops = 2.0 * weights.active_params as f64 * part;
            let arithmetic = if tokens > 1 { Self::arithmetic(rates, prompt, ops * tokens as f64).unwrap_or(0.0) } else { 0.0 };
            let mut unpack = 0.0;
            if rates.own.is_none() {
                unpack += rates.vector.map_or(0.0, |v| law.vector * ops / v) + rates.lanes.map_or(0.0, |l| law.lanes * read / l);
            }
            if tokens > 1 && law.vector > 0.0 {
                // Kernels for few tokens unpack for each of them, until those for many take over.
                unpack = (unpack * tokens as f64).min(unpack + arithmetic);
            }
            let expert_s = if weights.experts > 0 { expert_layers * law.expert_s } else { 0.0 };
            let launch = count * (law.layer_s + self.slow_host_s) + expert_s;
            let one = Step {
                weights: by_read * read / rates.bytes / left,
                cache: by_cache * cached / rates.bytes / left,
                unpack: unpack / left,
                arithmetic,
                launch,
                ..Step::default()
            };
            let gpu = (one.weights + one.cache + one.unpack).max(one.arithmetic);
            let total = if law.launches { gpu.max(launch) } else { gpu + launch };
            let one = Step { total, ..one };
            if !together {
                sum.add(&one);
            } else if one.total > sum.total {
                sum = one;
            }
        }
        sum.launch += self.laws.first().map_or(0.0, |l| l.0.step_s);
        sum.total += self.laws.first().map_or(0.0, |l| l.0.step_s);
        sum.links = self.links(tokens, layers);
        if let Some(bytes_s) = self.host {
            let kept = (weights.dense as f64 + growing) * f64::from(plan.on_host()) / layers;
            sum.host = (kept + host::experts(plan) as f64 * chosen) / (HOST_EFFICIENCY * bytes_s);
        }
        if guesses > 0
            && let Some((rates, (law, _))) = self.cards.iter().zip(&self.laws).next_back()
        {
            let each = (plan.draft_weights() as f64 + weights.head as f64) * if together { plan.slice(0) } else { 1.0 };
            sum.draft = guesses as f64 * (law.read * each / rates.bytes / rates.left(class) + law.layer_s);
        }
        sum.total += sum.links + sum.host + sum.draft;
        sum
    }

    /// Seconds of `ops` operations in matrices.
    fn arithmetic(rates: &Rates, prompt: &Prompt, ops: f64) -> Option<f64> {
        let rate = if prompt.narrow { rates.narrow? } else { rates.matrix? };
        let by_power = rates.watts.map_or(0.0, |w| prompt.watts * ops / (w * 1e12));
        Some((prompt.matrix * ops / rate + by_power) / rates.left(Class::ComputeBound))
    }

    /// Seconds on the links in one step: two sums a layer where matrices are sliced, one hand-over a card where layers are.
    fn links(&self, tokens: u64, layers: f64) -> f64 {
        let bytes = f64::from(self.plan.workload.model.hidden) * tokens as f64 * 2.0;
        let n = self.cards.len();
        if n < 2 {
            return 0.0;
        }
        if self.together() {
            let sum = self.fabric.all_reduce(bytes, n).unwrap_or_else(|| self.fabric.start(n));
            return 2.0 * layers * sum;
        }
        (n - 1) as f64 * self.fabric.hand_on(2.0 * bytes).unwrap_or(15e-6)
    }

    /// Seconds of working on prompts of `prompt` tokens in `batch` sequences, by what takes them.
    ///
    /// # Errors
    /// Names the fact that is missing.
    pub fn fill(&self, prompt: u64, batch: u64) -> Result<Step, String> {
        let plan = self.plan;
        let model = &plan.workload.model;
        let layers = f64::from(model.layers.max(1));
        let tokens = (prompt * batch) as f64;
        let ops = 2.0 * plan.weights.active_params as f64 * tokens;
        let seen = scores(model, prompt as f64, true) * tokens;
        let together = self.together();
        let n = self.cards.len() as f64;
        let mut sum = Step::default();
        for (card, (rates, (_, law))) in self.cards.iter().zip(&self.laws).enumerate() {
            let name = plan.cards.get(card).map_or("the card", |c| c.part.short_name());
            let part = plan.layers(card).len() as f64 / layers * plan.slice(card);
            let matrix = Self::arithmetic(rates, law, ops * part).ok_or_else(|| format!("tensor_fp16_tflops of {name}"))?;
            let rate = if law.scores_by_vector { rates.vector } else { rates.matrix }.or(rates.matrix);
            let attention = rate.map_or(0.0, |r| law.scores * seen * part / r) / rates.left(Class::ComputeBound);
            let chunks = (tokens / law.chunk).max(1.0);
            let read = (plan.weights.dense as f64
                + plan.weights.experts as f64 * touched(plan.weights.expert_share, (tokens / chunks) as u64))
                * part;
            let weights = law.read * read * chunks / rates.bytes;
            let launch = plan.layers(card).len() as f64 * (law.layer_s + self.slow_host_s) * chunks;
            let one = Step { weights, cache: attention, arithmetic: matrix, launch, ..Step::default() };
            let total = matrix.max(weights) + attention + launch;
            let one = Step { total, ..one };
            if !together {
                sum.add(&one);
            } else if one.total > sum.total {
                sum = one;
            }
        }
        if together {
            let bytes = f64::from(model.hidden) * tokens * 2.0;
            let one = self.fabric.all_reduce(bytes, self.cards.len());
            let one =
                one.ok_or("the links between the cards").or_else(|e| if self.fabric.ring.is_none() { Ok(bytes / 8e9) } else { Err(e) })?;
            sum.links = 2.0 * layers * one;
            sum.total += sum.links;
        } else if n > 1.0 && plan.engine == crate::workload::Engine::LlamaCpp {
            // Micro-batches follow each other through the cards.
            let chunk = self.laws.first().map_or(512.0, |l| l.1.chunk);
            let m = (tokens.min(LOGICAL_BATCH) / chunk).max(1.0);
            let share = (m + n - 1.0) / (m * n);
            for part in [&mut sum.weights, &mut sum.cache, &mut sum.arithmetic, &mut sum.launch, &mut sum.total] {
                *part *= share;
            }
        }
        if let Some(bytes_s) = self.host {
            let kept = plan.weights.dense as f64 * f64::from(plan.on_host()) / layers + host::experts(plan) as f64;
            sum.host = kept * (tokens / 512.0).max(1.0) / (HOST_EFFICIENCY * bytes_s);
            sum.total += sum.host;
        }
        Ok(sum)
    }

    /// Tokens per second while prompts are worked on: low, middle, high.
    ///
    /// # Errors
    /// Names the fact that is missing.
    pub fn prefill(&self, prompt: u64, batch: u64) -> Result<[f64; 3], String> {
        let value = (prompt * batch) as f64 / self.fill(prompt, batch)?.total.max(1e-12);
        let band = self.laws.iter().map(|l| l.1.band).fold(1.0, f64::max);
        Ok([value / band, value, value * band])
    }

    /// Lines of a waterfall: they add up to the step.
    pub fn terms(&self, step: &Step) -> Vec<Term> {
        let source = self.laws.first().map_or("", |l| l.0.source);
        let gpu = step.weights + step.cache + step.unpack;
        let hidden = (step.arithmetic - gpu).max(0.0);
        let mut terms = Vec::with_capacity(8);
        let mut add = |name, seconds, source| {
            if seconds > 0.0 {
                terms.push(Term { name, seconds, source, overlapped: false });
            }
        };
        let launches = self.laws.first().is_some_and(|l| l.0.launches) && step.launch > gpu.max(step.arithmetic);
        add("reading weights", step.weights, source);
        add("reading the cache", step.cache, source);
        add("unpacking weights", step.unpack, source);
        add("arithmetic beyond reading", hidden, source);
        add(
            "starting kernels",
            if launches {
                step.launch - gpu.max(step.arithmetic)
            } else if self.laws.first().is_some_and(|l| l.0.launches) {
                0.0
            } else {
                step.launch
            },
            source,
        );
        add("links between cards", step.links, super::fabric::SOURCE);
        add("main memory", step.host, "channels × transfers × 8 bytes × 0.7, assumed");
        add("guessing ahead", step.draft, "the draft layer's weights and the head, once a guess");
        terms
    }
}

/// Share of the experts that any of `batch` tokens chose, if each chooses at random.
pub fn touched(share: f64, batch: u64) -> f64 {
    1.0 - libm::pow(1.0 - share.clamp(0.0, 1.0), batch as f64)
}
