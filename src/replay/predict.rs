//! One prediction for each metric that the program models.

use super::links;
use super::names::Names;
use super::request::{Needs, Request};
use super::speed;
use super::table::{Record, TableKind};
use crate::analysis::memory::band::Band;
use crate::analysis::memory::engine;
use crate::analysis::memory::plan::{Device, OnCard, Plan};
use crate::build::PlacementId;
use crate::catalog::model::Cache;
use crate::catalog::part::PartKind;
use crate::project::Project;
use crate::workload::{Engine, Split};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// A prediction with the ends of its band, in the base unit of its metric: bytes, tokens per second, tokens, bits, or 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    pub low: f64,
    pub value: f64,
    pub high: f64,
}

impl Prediction {
    pub const fn exact(value: f64) -> Self {
        Self { low: value, value, high: value }
    }
    fn of(band: Band) -> Self {
        Self { low: band.low as f64, value: band.value as f64, high: band.high as f64 }
    }
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { low: f(self.low), value: f(self.value), high: f(self.high) }
    }
}

/// What a prediction is made from.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    pub names: &'a Names,
    /// Holds the user's own factors, if any.
    pub project: &'a Project,
}

/// Predicts a record, or says why not.
pub type Predictor = fn(Ground<'_>, &Record) -> Result<Prediction, String>;

/// Which predictor serves a metric: by its beginning, the first that fits. Other areas add their lines here.
const METRICS: &[(&str, Predictor)] = &[
    ("weights", weights),
    ("kv_bytes_per_token", bytes_per_token),
    ("kv_cache_tokens_available", pool_tokens),
    ("kv_cache_available", pool_bytes),
    ("kv_cache_size", cache),
    ("kv_cache_in_use", cache),
    ("kv_or_context_buffer", cache),
    ("recurrent_state", state),
    ("compute_buffer", buffers),
    ("card_counters_total", card_total),
    ("process_peak", card_total),
    ("peak_vram", peak),
    ("peak_reserved_per_gpu", peak),
    ("peak_active_memory", peak),
    ("vram_per_gpu", peak),
    ("nvidia_smi_used", peak),
    ("nvml_used", peak),
    ("peak_torch_memory", profiled),
    ("peak_activation", activation),
    ("non_torch_memory", non_torch),
    ("device_total", visible),
    ("gguf_size", file),
    ("file_bytes", file),
    ("tensor_bytes", tensors),
    ("bits_per_weight", bits),
    ("decode_tps", speed::decode),
    ("aggregate_tps", speed::decode),
    ("generation_tps", speed::decode),
    ("output_tps", speed::decode),
    ("decode_tokens_per_s", speed::decode),
    ("prefill_tps", speed::prefill),
    ("prompt_tps", speed::prefill),
    ("prefill_tokens_per_s", speed::prefill),
    ("e2e_tps", speed::end_to_end),
    ("ttft@", speed::under_limit),
    ("ttft", speed::first_token),
    ("time_to_first_token", speed::first_token),
    ("time_per_output_token", speed::token_time),
    ("tpot", speed::token_time),
    ("itl", speed::token_time),
    ("tps@", speed::under_limit),
    ("relative_perf@", speed::relative),
    ("gflops", speed::product),
    ("achieved_tflops", speed::product),
    ("copy_bandwidth", speed::own_copy),
    ("speedup_", speed::ratio),
    ("throughput_gain", speed::ratio),
    ("throughput", speed::any_rate),
    ("tokens_per_s", speed::any_rate),
    ("samples_per_s", speed::training_rate),
    ("sequences_per_s", speed::training_rate),
    ("images_per_s", speed::training_rate),
    ("seconds_per_iteration", speed::training_time),
    ("time_per_1k_iterations", speed::training_time),
    ("iteration_time", speed::training_time),
    ("step_time", speed::training_time),
    ("train_runtime", speed::training_time),
    ("MFU", speed::utilization),
    ("HFU", speed::utilization),
    ("gpu_hours", speed::card_hours),
    ("busbw", links::bus),
    ("algbw", links::bus),
    ("bandwidth", links::copy),
    ("bidir_bandwidth", links::copy),
    ("unidir_bandwidth", links::copy),
    ("median_time", links::time),
    ("time", links::time),
    ("latency", links::latency),
    ("fits", fits),
];

/// Predicts a record.
///
/// # Errors
/// Says why it cannot be judged.
pub fn predict(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    if record.kind == TableKind::Torch {
        return super::torch::predict(ground, record);
    }
    if record.kind == TableKind::PcieScaling {
        return speed::narrower(record);
    }
    match METRICS.iter().find(|(metric, _)| record.metric.starts_with(metric)) {
        Some((_, predictor)) => predictor(ground, record),
        None => Err(format!("no model for this metric yet: {}", record.metric)),
    }
}

pub(super) const ALL: Needs = Needs { card: true, precision: true, engine: true };
const MODEL: Needs = Needs { card: false, precision: false, engine: false };

/// Rows of training are not for the inference ledger.
pub(super) fn serve(ground: Ground<'_>, record: &Record, needs: Needs) -> Result<Request, String> {
    if is_training(record) {
        return Err("training is not judged by this metric yet".to_owned());
    }
    Request::new(ground.names, record, needs)
}

pub(super) fn is_training(record: &Record) -> bool {
    const TRAINERS: [&str; 9] = ["torchtune", "torchtitan", "axolotl", "trainer", "factory", "foundry", "megatron", "unsloth", "qlora"];
    let (text, engine) = (record.workload.to_lowercase(), record.engine.to_lowercase());
    let says = ["lora", "finetun", "fine-tun", "train", "bs1", "full ft"].iter().any(|w| text.contains(w));
    says || TRAINERS.iter().any(|w| engine.contains(w))
}

/// Sum over the cards, or one card where the metric names it: `compute_buffer CUDA1`.
fn on_cards(plan: &Plan<'_>, record: &Record, of: impl Fn(&OnCard) -> Band) -> Result<Prediction, String> {
    let sizes = plan.sizes(plan.workload.context, plan.workload.batch);
    let device =
        record.metric.rsplit(' ').next().and_then(|d| d.strip_prefix("CUDA").or_else(|| d.strip_prefix("ROCm"))).map(str::parse::<usize>);
    let one = record.metric.contains("per_gpu");
    match device {
        Some(Ok(card)) if card < plan.cards.len() => Ok(Prediction::of(of(&plan.on_card(card, &sizes)))),
        Some(_) => Err("the row names a card that is not in it".to_owned()),
        None if one => {
            let each = (0..plan.cards.len()).map(|c| of(&plan.on_card(c, &sizes)));
            each.max_by_key(|b| b.value).map(Prediction::of).ok_or_else(|| "no card".to_owned())
        }
        None => Ok(Prediction::of((0..plan.cards.len()).map(|c| of(&plan.on_card(c, &sizes))).sum())),
    }
}

fn weights(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, Needs { card: record.cards().unwrap_or(1) > 1 && record.metric.contains("CUDA"), ..ALL })?;
    on_cards(&request.plan(), record, OnCard::weights)
}

fn cache(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, MODEL)?;
    on_cards(&request.plan(), record, |on| on.cache)
}

fn state(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let mut request = serve(ground, record, MODEL)?;
    let text = format!("{} {}", record.engine, record.notes).to_lowercase();
    if text.contains("4 sequences") || text.contains("3 rollback states") {
        request.workload.serving.slots = Some(4);
        request.workload.serving.engine = Some(Engine::LlamaCpp);
    }
    on_cards(&request.plan(), record, |on| on.state)
}

/// Keys and values of one more token in every layer; window layers count as long as the window is not full.
fn bytes_per_token(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, MODEL)?;
    let bytes = match record.precision.to_lowercase().as_str() {
        "fp8" => 1.0,
        _ => request.workload.kv_precision.bits() / 8.0,
    };
    let elements = request.workload.model.groups.iter().map(|g| {
        let one = match g.cache {
            Cache::Full { kv_heads, k_dim, v_dim } | Cache::Sliding { kv_heads, k_dim, v_dim, .. } => {
                f64::from(kv_heads) * (f64::from(k_dim) + f64::from(v_dim))
            }
            Cache::Latent { rank, rope_dim } => f64::from(rank) + f64::from(rope_dim),
            Cache::State { .. } | Cache::Shared | Cache::None => 0.0,
        };
        f64::from(g.count) * one
    });
    Ok(Prediction::exact(elements.sum::<f64>() * bytes))
}

fn buffers(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, Needs { card: false, precision: false, engine: true })?;
    if request.engine.rest.contains("small ubatch") {
        return Err("the row does not state the ubatch".to_owned());
    }
    on_cards(&request.plan(), record, |on| on.buffers)
}

/// What the cards' counters show: everything but what the driver keeps for itself.
fn card_total(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    on_cards(&request.plan(), record, |on| OnCard { reserve: Band::default(), ..*on }.total())
}

/// Peak of a run: `PyTorch`'s own count of it, or the card's counter where the source reads that.
fn peak(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    if is_training(record) {
        return training_bytes(ground, record, &record.metric);
    }
    let request = serve(ground, record, ALL)?;
    let plan = request.plan();
    if plan.engine.has_pool() {
        // The engine fills its share of the card, whatever the model needs.
        let taken = |card: usize| plan.limit(card).zip(plan.cards.get(card)).map(|(l, d)| l.0.saturating_sub(engine::reserve(d).value));
        let sum = (0..plan.cards.len()).map(taken).sum::<Option<u64>>().ok_or("the card's memory size is unknown")?;
        return Ok(Prediction { low: sum as f64 * 0.97, value: sum as f64, high: sum as f64 + 1.5 * GIB * plan.cards.len() as f64 });
    }
    if plan.engine == Engine::LlamaCpp || request.reading.whole_card {
        return on_cards(&plan, record, |on| OnCard { reserve: Band::default(), ..*on }.total());
    }
    Ok(torch_peak(&request, &plan))
}

/// Weights, and the greater of what the prompt needs at its peak and the cache after the last token. Prompt and cache do not peak together:
/// while the prompt is worked on, only its own keys and values exist.
pub(super) fn torch_peak(request: &Request, plan: &Plan<'_>) -> Prediction {
    let (context, batch) = (plan.workload.context, plan.workload.batch);
    let end = plan.sizes(context, batch);
    let weights: Band = (0..plan.cards.len()).map(|c| plan.on_card(c, &end).weights()).sum();
    let space: f64 = (0..plan.cards.len()).map(|c| engine::workspace(plan, c)).sum();
    let copies = if request.reading.cache_twice { 2.0 } else { 1.0 };
    let last = copies * (end.cache.value + end.state.value) as f64;
    let prompt = request.prompt.unwrap_or(context).min(context);
    let started = plan.sizes(prompt.max(1), batch);
    let first = (started.cache.value + started.state.value) as f64;
    let mut worked = engine::prompt_bytes(plan, prompt as f64, batch as f64);
    if request.reading.all_logits {
        worked = worked.max(6.0 * plan.workload.model.vocab as f64 * (prompt * batch) as f64);
    }
    let space = space + engine::unpacked(plan) + if request.reading.all_logits { rotary_tables(plan) } else { 0.0 };
    let peak = if request.reading.after_generation { last } else { last.max(first + worked) };
    let high = last.max(first + 1.15 * worked);
    Prediction {
        low: weights.low as f64 + last.max(0.9 * peak).min(peak) * 0.98,
        value: weights.value as f64 + peak + space,
        high: weights.high as f64 + high + 2.0 * space + 0.15 * GIB,
    }
}

/// Sines and cosines of every position up to the model's longest, which transformers kept in every layer at 16 bits before version 4.45.
fn rotary_tables(plan: &Plan<'_>) -> f64 {
    let positions = plan.workload.model.context.unwrap_or(0) as f64;
    let layer = |cache: Cache| match cache {
        Cache::Full { k_dim, .. } | Cache::Sliding { k_dim, .. } => 4.0 * positions * f64::from(k_dim),
        Cache::Latent { .. } | Cache::State { .. } | Cache::Shared | Cache::None => 0.0,
    };
    plan.workload.model.groups.iter().map(|g| f64::from(g.count) * layer(g.cache)).sum()
}

fn profiled(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    on_cards(&request.plan(), record, |on| on.weights() + on.buffers)
}

fn activation(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    let plan = request.plan();
    let sizes = plan.sizes(plan.workload.context, plan.workload.batch);
    let each = (0..plan.cards.len()).map(|c| plan.on_card(c, &sizes).buffers);
    each.max_by_key(|b| b.value).map(Prediction::of).ok_or_else(|| "no card".to_owned())
}

fn non_torch(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    if !request.plan().engine.has_pool() {
        return Err("known for servers only".to_owned());
    }
    let [low, value, high] = engine::NON_TORCH_GIB.map(|g| g * GIB);
    Ok(Prediction { low, value, high })
}

fn visible(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, Needs { card: true, precision: false, engine: false })?;
    let plan = request.plan();
    let card = plan.cards.first().ok_or("no card")?;
    let all = card.capacity().ok_or("the card's memory size is unknown")?.0 as f64;
    let kept = engine::reserve(card);
    Ok(Prediction { low: all - kept.high as f64, value: all - kept.value as f64, high: all - kept.low as f64 })
}

/// Bytes that a server leaves for its cache on each card: its share less weights, intermediate results and what is not `PyTorch`'s.
fn pool_bytes(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    let plan = request.plan();
    pool_left(&plan).ok_or_else(|| "known for servers on cards of known memory only".to_owned())
}

fn pool_left(plan: &Plan<'_>) -> Option<Prediction> {
    let pool = engine::pool(plan)?;
    let sizes = plan.sizes(plan.workload.context, plan.workload.batch);
    let left = |card: usize| {
        let device = plan.cards.get(card)?;
        let (all, kept, on) = (device.capacity()?.0 as f64, engine::reserve(device), plan.on_card(card, &sizes));
        let [low, value, high] = engine::NON_TORCH_GIB.map(|g| g * GIB);
        let (weights, work) = (on.weights(), on.buffers);
        Some(Prediction {
            low: (pool * (all - kept.high as f64) - (weights.high + work.high) as f64 - high).max(0.0),
            value: (pool * (all - kept.value as f64) - (weights.value + work.value) as f64 - value).max(0.0),
            high: (pool * (all - kept.low as f64) - (weights.low + work.low) as f64 - low).max(0.0),
        })
    };
    // The card with the least room decides for all.
    (0..plan.cards.len()).map(left).collect::<Option<Vec<_>>>()?.into_iter().min_by(|a, b| a.value.total_cmp(&b.value))
}

fn pool_tokens(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    let plan = request.plan();
    let left = pool_left(&plan).ok_or("known for servers on cards of known memory only")?;
    let (one, two) = (plan.sizes(4096, 1), plan.sizes(8192, 1));
    let each = |s: &crate::analysis::memory::plan::Sizes| if plan.split == Split::Tensor { s.each.value } else { s.cache.value };
    let per_token = (each(&two).saturating_sub(each(&one))) as f64 / 4096.0;
    if per_token <= 0.0 {
        return Err("the model's cache does not grow with its tokens".to_owned());
    }
    Ok(left.map(|bytes| bytes / per_token))
}

/// All weights of a file; the vocabulary adds a few megabytes.
fn file(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    if record.precision.to_lowercase().contains("file") {
        return Err("the row gives the file's size and no format to compute it from".to_owned());
    }
    tensors(ground, record)
}

fn tensors(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, Needs { precision: true, ..MODEL })?;
    let value = request.workload.precision.model_bytes(&request.workload.model) as f64;
    let error = request.plan().weights_error();
    Ok(Prediction { low: value * (1.0 - error), value, high: value * (1.0 + error) })
}

fn bits(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, Needs { precision: true, ..MODEL })?;
    let params = request.workload.model.params().max(1) as f64;
    Ok(tensors(ground, record)?.map(|b| b * 8.0 / params))
}

pub(super) fn runs(plan: &Plan<'_>) -> Result<(), String> {
    if plan.verdict(plan.workload.context, plan.workload.batch) == Some(false) {
        return Err("does not fit the cards as computed, so the run was partly elsewhere".to_owned());
    }
    Ok(())
}

/// Bytes of a training run, as a metric counts them.
fn training_bytes(ground: Ground<'_>, record: &Record, metric: &str) -> Result<Prediction, String> {
    let model = ground.names.model(&record.model)?;
    let row = super::training::Record {
        precision: &record.precision,
        engine: &record.engine,
        workload: &record.workload,
        notes: &record.notes,
        context_tokens: &record.context,
        batch: &record.batch,
        n_gpu: &record.n_gpu,
        metric,
    };
    super::training::predict(&model, &row).map(Prediction::of)
}

/// As [`fits`], of a training run: what the process takes of each card against what programs see of it.
fn training_fits(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let cards = ground.names.cards(&record.gpu, record.cards())?;
    let need = training_bytes(ground, record, "vram_per_gpu")?;
    let PartKind::Gpu(gpu) = &cards.first().ok_or("no card")?.kind else { return Err("no card".to_owned()) };
    let part = cards.first().ok_or("no card")?;
    let device = Device { id: PlacementId(0), part, gpu, display: 0 };
    let all = device.capacity().ok_or("the card's memory size is unknown")?.0 as f64;
    let kept = engine::reserve(&device);
    Ok(if need.low > all - kept.low as f64 {
        Prediction::exact(0.0)
    } else if need.high <= all - kept.high as f64 {
        Prediction::exact(1.0)
    } else {
        Prediction { low: 0.0, value: 0.0, high: 1.0 }
    })
}

/// 1 if the program says that it fits, 0 if it does not say so: no, or perhaps. The band tells which.
fn fits(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    if is_training(record) {
        return training_fits(ground, record);
    }
    let request = serve(ground, record, ALL)?;
    let plan = request.plan();
    let torch = matches!(plan.engine, Engine::Transformers | Engine::Exllama);
    let verdict = if torch { torch_verdict(&request, &plan) } else { plan.verdict(plan.workload.context, plan.workload.batch) };
    Ok(match verdict {
        Some(sure) => Prediction::exact(f64::from(u8::from(sure))),
        None => Prediction { low: 0.0, value: 0.0, high: 1.0 },
    })
}

/// The peak of the run, with what lies outside it, against all cards together.
fn torch_verdict(request: &Request, plan: &Plan<'_>) -> Option<bool> {
    let peak = torch_peak(request, plan);
    let used = Band { low: peak.low as u64, value: peak.value as u64, high: peak.high as u64 };
    let outside: Band = plan.cards.iter().map(|c| engine::runtime(plan, c) + engine::reserve(c)).sum();
    let total = used + engine::allocator(plan, used) + outside;
    let room = plan.cards.iter().map(|c| c.capacity().map(|b| b.0)).sum::<Option<u64>>()?;
    if total.high <= room {
        Some(true)
    } else if total.low > room {
        Some(false)
    } else {
        None
    }
}
