//! Predictions of measured speeds: decoding, prompts, training steps, matrix products, and all of them under a power limit.

use super::links;
use super::predict::{ALL, Ground, Prediction, runs, serve};
use super::request::Request;
use super::table::Record;
use super::throughput::{self, Run};
use crate::analysis::airflow::work::{Class, work as work_at};
use crate::analysis::memory::plan::Plan;
use crate::analysis::memory::training::{Work, matrix_params, work};
use crate::analysis::speed::fabric::Fabric;
use crate::analysis::speed::input::{GUIDE_STEP_MS, PAGEABLE};
use crate::analysis::speed::law::Age;
use crate::analysis::speed::train::{self, Loop, step};
use crate::analysis::speed::{Decode, Rates, Setup, card};
use crate::catalog::part::PartKind;
use crate::workload::Split;
use crate::workload::training::{Method, TrainPrecision};

/// Pieces of the row's unit of time in a second.
pub(super) fn per_second(unit: &str) -> f64 {
    let unit = unit.trim().to_lowercase();
    match unit.split([' ', '/', '(']).next().unwrap_or_default() {
        "ms" => 1e3,
        "us" | "µs" => 1e6,
        "min" => 1.0 / 60.0,
        "h" | "hours" | "gpu-hours" => 1.0 / 3600.0,
        _ => 1.0,
    }
}

fn band(value: f64, factor: f64) -> Prediction {
    Prediction { low: value / factor, value, high: value * factor }
}

/// When the engine was built: a year in the engine's or the source's text, else what is known of the source.
fn age(record: &Record, request: &Request) -> Age {
    let text = format!("{} {}", record.engine, record.source);
    let year = |y: u16| text.contains(&y.to_string());
    let year = if let Some(known) = request.reading.year { known } else { (2022..=2030).rev().find(|y| year(*y)).unwrap_or(2030) };
    match year {
        0..=2023 => Age::Y2023,
        2024 => Age::Y2024,
        _ => Age::Today,
    }
}

/// Hosts whose processor or slot is slow: single-board computers and mini machines with a card on a narrow link.
const SLOW_HOSTS: [&str; 8] = ["pi 5", "pi 4", "pi cm", "hifive", "thelio astra", "minisforum", "radxa", "raspberry"];

/// Seconds a layer of engines that are like a modelled one but for this: MLC compiles whole models, `AutoAWQ` and litgpt run eagerly.
fn layer_s(engine: &str, request: &Request) -> Option<f64> {
    match engine {
        "mlc-llm" => Some(24e-6),
        "autoawq" => Some(67e-6),
        "litgpt" => Some(match request.workload.precision.bits_per_weight() {
            b if b > 12.0 => 1.0e-3,
            _ => 1.6e-3,
        }),
        _ => None,
    }
}

/// Watts in a metric or note: `tps@power_limit_250W`, `achieved_tflops@200W`, "power cap 230W".
fn watts(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    let at = ["power_limit_", "power cap ", "limit ", "@"].iter().find_map(|w| lower.find(w).map(|at| at + w.len()))?;
    let digits: String = lower.get(at..)?.chars().take_while(char::is_ascii_digit).collect();
    let rest = lower.get(at + digits.len()..)?.trim_start();
    digits.parse().ok().filter(|_| rest.starts_with('w'))
}

/// Share of the work that the row's power limit leaves each card.
fn limited(request: &Request, record: &Record) -> Vec<[f64; 3]> {
    let limit = watts(&record.metric).or_else(|| watts(&record.notes));
    let of = |watts: f64| {
        request
            .cards
            .iter()
            .map(|c| match &c.kind {
                PartKind::Gpu(gpu) => gpu.tdp_w.map_or([1.0; 3], |tdp| card::at_power((watts / tdp).min(1.0))),
                _ => [1.0; 3],
            })
            .collect()
    };
    limit.map(of).unwrap_or_default()
}

/// Runs `of` with the decoder of a row.
fn with<T>(
    ground: Ground<'_>,
    record: &Record,
    request: &Request,
    link: &str,
    of: impl Fn(&Decode<'_>, &Plan<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let plan = request.plan();
    runs(&plan)?;
    let left = limited(request, record);
    let slow = SLOW_HOSTS.iter().any(|w| record.gpu.to_lowercase().contains(w));
    let setup = Setup {
        fabric: links::fabric(link, &request.cards),
        work: &left,
        age: age(record, request),
        slow_host_s: if slow { 45e-6 } else { 0.0 },
        layer_s: layer_s(&request.engine.name, request),
        ..Setup::plain(ground.project)
    };
    let decode = Decode::new(&plan, &setup).map_err(|missing| format!("missing: {missing}"))?;
    of(&decode, &plan)
}

fn depth(request: &Request) -> u64 {
    match (request.prompt, request.generated) {
        (Some(p), Some(g)) => (p + g / 2).max(1),
        _ => request.workload.context,
    }
}

/// Tokens per second of all sequences while decoding, with on average half of the generated tokens in the cache.
pub(super) fn decode(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    with(ground, record, &request, &record.link, |decode, plan| {
        let batch = plan.workload.batch;
        let rate = decode.rate(depth(&request), batch);
        // The source divides what was generated by the time of prompt and answer.
        let slower = match (request.reading.includes_prompt, request.prompt, request.generated) {
            (true, Some(p), Some(g)) if g > 0 => {
                let answer = (g * batch) as f64 / rate.value;
                answer / (answer + decode.fill(p.max(1), batch)?.total)
            }
            _ => 1.0,
        };
        Ok(Prediction { low: rate.low * slower, value: rate.value * slower, high: rate.high * slower })
    })
}

pub(super) fn prefill(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    let prompt = request.prompt.filter(|p| *p > 0).unwrap_or(request.workload.context).max(1);
    // "at depth": 512 tokens on top of what the cache holds.
    let deep = record.workload.contains("at depth");
    with(ground, record, &request, &record.link, |decode, plan| {
        let [low, value, high] =
            if deep { decode.prefill(2048, plan.workload.batch)? } else { decode.prefill(prompt, plan.workload.batch)? };
        Ok(Prediction { low, value, high })
    })
}

/// Time to the first token, in the row's unit.
pub(super) fn first_token(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    let prompt = request.prompt.filter(|p| *p > 0).unwrap_or(request.workload.context).max(1);
    with(ground, record, &request, &record.link, |decode, plan| {
        Ok(band(decode.fill(prompt, plan.workload.batch)?.total * per_second(&record.unit), 1.6))
    })
}

/// Time of one token, in the row's unit.
pub(super) fn token_time(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    with(ground, record, &request, &record.link, |decode, plan| {
        let rate = decode.rate(depth(&request), plan.workload.batch);
        let batch = plan.workload.batch as f64 * per_second(&record.unit);
        Ok(Prediction { low: batch / rate.high, value: batch / rate.value, high: batch / rate.low })
    })
}

/// Prompt and answer over the time of both.
pub(super) fn end_to_end(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let request = serve(ground, record, ALL)?;
    let (prompt, generated) = request.prompt.zip(request.generated).ok_or("the row does not tell prompt and answer apart")?;
    with(ground, record, &request, &record.link, |decode, plan| {
        let batch = plan.workload.batch;
        let fill = decode.prefill(prompt.max(1), batch)?;
        let rate = decode.rate(depth(&request), batch);
        let tokens = ((prompt + generated) * batch) as f64;
        let time = |fill: f64, rate: f64| (prompt * batch) as f64 / fill + (generated * batch) as f64 / rate;
        let [low, value, high] = fill;
        Ok(Prediction { low: tokens / time(low, rate.low), value: tokens / time(value, rate.value), high: tokens / time(high, rate.high) })
    })
}

/// Tokens or milliseconds under a power limit: the workload's text says which.
pub(super) fn under_limit(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let text = record.workload.to_lowercase();
    if record.metric.starts_with("ttft") {
        first_token(ground, record)
    } else if text.contains("prefill") || text.starts_with("pp") {
        prefill(ground, record)
    } else {
        decode(ground, record)
    }
}

/// A ratio of two runs: links with and without, matrices cut and layers dealt out.
pub(super) fn ratio(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let mut request = serve(ground, record, ALL)?;
    let filling = record.metric.contains("prefill");
    let value = |request: &Request, link: &str| {
        with(ground, record, request, link, |decode, plan| {
            let batch = plan.workload.batch;
            Ok(if filling { decode.prefill(depth(request), batch)?[1] } else { decode.rate(depth(request), batch).value })
        })
    };
    let gain = match record.link.split_once(" vs ") {
        Some((with, without)) => {
            request.workload.serving.split = Some(Split::Tensor);
            value(&request, with)? / value(&request, &format!("{without} no p2p"))?
        }
        None => {
            request.workload.serving.split = Some(Split::Tensor);
            let cut = value(&request, &record.link)?;
            request.workload.serving.split = Some(Split::Layer);
            cut / value(&request, &record.link)?
        }
    };
    Ok(if record.unit.trim() == "%" {
        Prediction { low: (gain - 1.0) * 50.0, value: (gain - 1.0) * 100.0, high: (gain - 1.0) * 200.0 }
    } else {
        band(gain, 1.3)
    })
}

/// Work at one power limit over that at another: `relative_perf@power_limit_280W_vs_350W`.
pub(super) fn relative(_: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let numbers: Vec<f64> = record.metric.split(|c: char| !c.is_ascii_digit()).filter_map(|t| t.parse().ok()).collect();
    let [low, high] = numbers.as_slice() else { return Err("the metric names no two power limits".to_owned()) };
    let text = record.workload.to_lowercase();
    let class = if text.contains("decode") {
        Class::MemoryBound
    } else if text.contains("burn") || text.contains("gemm") || text.contains("prefill") {
        Class::ComputeBound
    } else {
        Class::Balanced
    };
    // The higher limit is that of the card, or below it by what it says.
    let value = 100.0 * work_at(class, low / high);
    Ok(Prediction { low: value - 10.0, value, high: value + 5.0 })
}

/// Share of the stated rate that the best matrix product reaches, by make: A100 0.81 and 0.87, H100 and GH200 0.80 and 0.84, B200 0.78,
/// MI300X 0.51, MI325X 0.60, MI355X 0.63 (stas00/ml-engineering); RTX 3090 0.92, RTX 5070 1.13 above its stated clock (calebcoffie.com).
const fn best_product(make: card::Make) -> f64 {
    match make {
        card::Make::Hbm | card::Make::HbmNew => 0.81,
        card::Make::Gddr | card::Make::GddrNew => 0.95,
        card::Make::Amd | card::Make::Intel => 0.58,
    }
}

fn one_card(ground: Ground<'_>, record: &Record) -> Result<(Rates, String), String> {
    let cards = ground.names.cards(&record.gpu, Some(1))?;
    let part = cards.first().ok_or("no card")?;
    let PartKind::Gpu(gpu) = &part.kind else { return Err("no card".to_owned()) };
    let share = watts(&record.metric).zip(gpu.tdp_w).map_or([1.0; 3], |(w, tdp)| card::at_power((w / tdp).min(1.0)));
    Ok((Rates::of(gpu, part.short_name(), ground.project, share).map_err(|m| format!("missing: {m}"))?, part.short_name().to_owned()))
}

/// Matrix products in TFLOP/s or GFLOP/s.
pub(super) fn product(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (rates, name) = one_card(ground, record)?;
    let p = record.precision.to_lowercase();
    let burn = record.engine.to_lowercase().contains("burn");
    let (rate, part) = if p.contains("fp8") {
        (rates.fp8, best_product(rates.make) * 0.91)
    } else if burn || p.contains("tf32") || p.contains("fp32") {
        // gpu_burn's tensor mode multiplies in TF32: 0.66 of the rate at 600 W.
        (rates.full, 0.66)
    } else {
        (rates.matrix, best_product(rates.make))
    };
    let rate = rate.ok_or_else(|| format!("missing: the matrix rate of {name}"))?;
    // A probe of single products stays below the power limit.
    let left = if burn { rates.left(Class::ComputeBound) } else { 1.0 };
    let scale = if record.unit.to_lowercase().starts_with('g') { 1e9 } else { 1e12 };
    Ok(band(rate * part * left / scale, 1.15))
}

/// Copies inside a card, bytes of one direction.
pub(super) fn own_copy(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (rates, _) = one_card(ground, record)?;
    Ok(band(0.83 * rates.bytes / 2.0 / 1e9, 1.1))
}

/// Sequences of litgpt's adapters are as long as the samples, which are shorter than the stated longest.
const LITGPT_LENGTH: f64 = 0.77;
/// Counted tokens over computed ones where samples are padded to the longest: 2,091 of 7,075 (pytorch/torchtune).
const PADDED: f64 = 0.30;

/// One training step of a record on its cards: seconds, the run, its work and the rate of a card.
fn step_of(ground: Ground<'_>, record: &Record) -> Result<(train::Step, Run, Work, f64), String> {
    let run = throughput::run(ground.names, record)?;
    let cards = ground.names.cards(&record.gpu, Some(run.cards.min(8)))?;
    let part = cards.first().ok_or("no card")?;
    let PartKind::Gpu(gpu) = &part.kind else { return Err("no card".to_owned()) };
    let rates = Rates::of(gpu, part.short_name(), ground.project, [1.0; 3]).map_err(|m| format!("missing: {m}"))?;
    let mut work = work(&run.workload, &run.training);
    if run.no_head {
        let head = run.workload.model.vocab as f64 * f64::from(run.workload.model.hidden);
        work.matrix_flops *= 1.0 - head / matrix_params(&run.workload.model).max(1) as f64;
    }
    if record.engine.to_lowercase().starts_with("litgpt") {
        for part in [&mut work.matrix_flops, &mut work.attention_flops, &mut work.saved_bytes] {
            *part *= LITGPT_LENGTH;
        }
    }
    let engine = record.engine.to_lowercase();
    let of = if engine.contains("deepspeed") { Loop::DeepSpeed } else { Loop::Plain };
    let full = run.training.precision == TrainPrecision::Fp32;
    let rate = if full { rates.full } else { rates.matrix }.ok_or_else(|| format!("missing: the matrix rate of {}", part.short_name()))?;
    let fabric = Fabric { cards: run.cards as usize, ..links::fabric(&record.link, &cards) };
    let mut job = run.training.clone();
    if let Some(global) = run.global {
        let copies = (run.cards / u64::from(job.parallel.tensor * job.parallel.pipeline).max(1)).max(1);
        job.accumulation = (global / copies / job.micro_batch.max(1)).max(1);
    }
    // Over several machines only what lies inside one is known; their networks are built to keep up.
    let inside = if run.cards > run.node { Fabric { nvlink: true, ..fabric } } else { fabric };
    let step = step(&work, &job, &rates, &inside, run.cards as usize, of, None).ok_or("the links between the cards are unknown")?;
    Ok((step, Run { training: job, ..run }, work, rate))
}

fn spread(run: &Run) -> f64 {
    if run.training.method == Method::Full { 1.35 } else { 1.8 }
}

/// Copies that work on different data.
fn copies(run: &Run) -> f64 {
    (run.cards as f64 / f64::from(run.training.parallel.tensor * run.training.parallel.pipeline).max(1.0)).floor().max(1.0)
}

/// Tokens, samples or pictures a second: of all cards, or of each.
pub(super) fn training_rate(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (step, run, work, _) = step_of(ground, record)?;
    let unit = record.unit.to_lowercase();
    let counts_tokens = unit.contains("tok") || record.metric.contains("tok");
    let each = if counts_tokens { work.tokens } else { work.samples } as f64;
    let mut value = each * run.training.accumulation as f64 * copies(&run) / step.total;
    if run.padded && counts_tokens {
        value *= PADDED;
    }
    if unit.contains("/gpu") || record.metric.contains("per_gpu") {
        value /= run.cards as f64;
    }
    if unit.contains("/min") {
        value *= 60.0;
    }
    Ok(band(value, spread(&run)))
}

/// Time of a step, of an iteration, of a thousand, or of as many steps as the row names.
pub(super) fn training_time(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    if let Some(bare) = by_size(ground, record) {
        return bare;
    }
    let (step, run, _, _) = step_of(ground, record)?;
    let steps = if record.metric.contains("1k") { 1000.0 } else { named_steps(&record.workload).unwrap_or(1.0) };
    Ok(band(step.total * steps * per_second(&record.unit), spread(&run)))
}

/// "200 steps"
fn named_steps(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).find_map(|w| if let [n, "steps"] = w { n.parse().ok() } else { None })
}

/// Operations of the model over those of the cards, percent.
pub(super) fn utilization(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (step, run, work, rate) = step_of(ground, record)?;
    let passes = if record.metric.starts_with("HFU") && step.recompute > 0.0 { 4.0 } else { 3.0 };
    let cut = f64::from(run.training.parallel.tensor * run.training.parallel.pipeline).max(1.0);
    let ops = (work.matrix_flops + 2.0 * work.attention_flops) * passes * run.training.accumulation as f64 / cut;
    Ok(band(100.0 * ops / step.total / rate, spread(&run)))
}

/// "params=6700000000.0 tokens=1e12"
fn named(text: &str, key: &str) -> Option<f64> {
    let at = text.find(key)? + key.len();
    let number: String = text.get(at..)?.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | 'e')).collect();
    number.trim_end_matches('.').parse().ok().filter(|n| *n > 0.0)
}

/// Share of the cards' rate that long runs of decoders reach over all billed hours: 0.30 to 0.46 in their papers, less with restarts.
const LONG_RUN: f64 = 0.33;

/// Runs that give parameters and tokens: 6 operations a parameter and token.
fn by_size(ground: Ground<'_>, record: &Record) -> Option<Result<Prediction, String>> {
    let (params, tokens) = (named(&record.workload, "params=")?, named(&record.workload, "tokens=")?);
    let (rates, name) = match one_card(ground, record) {
        Ok(card) => card,
        Err(why) => return Some(Err(why)),
    };
    let Some(rate) = rates.matrix else { return Some(Err(format!("missing: the matrix rate of {name}"))) };
    let seconds = 6.0 * params * tokens / (LONG_RUN * rate);
    let cards = if record.metric.contains("hours") { 1.0 } else { record.cards().unwrap_or(1) as f64 };
    Some(Ok(band(seconds / cards * per_second(&record.unit), 1.5)))
}

pub(super) fn card_hours(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    by_size(ground, record).unwrap_or_else(|| Err("the row does not name parameters and tokens".to_owned()))
}

/// Tokens or samples a second of what the row runs: a training engine or one that answers.
pub(super) fn any_rate(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let serves = ground.names.engine(&record.engine).is_ok_and(|e| e.like.is_some()) && !super::predict::is_training(record);
    if serves { decode(ground, record) } else { training_rate(ground, record) }
}

/// What narrower links do: the copies of the guide's example, and steps that wait for them.
pub(super) fn narrower(record: &Record) -> Result<Prediction, String> {
    let text = record.workload.to_lowercase();
    let link = record.cell("tested_link").to_lowercase();
    let lanes: Option<f64> = link.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|w| w.strip_prefix('x')?.parse().ok());
    let copy = |lanes: f64| crate::analysis::lanes::GUIDE_BYTES / (lanes * 1024.0 * 1024.0 * 1024.0) * 1e3 / PAGEABLE;
    match (record.metric.as_str(), lanes) {
        ("ms per mini-batch", Some(lanes)) => Ok(band(copy(lanes), 1.3)),
        ("step time", Some(lanes)) => Ok(band(GUIDE_STEP_MS + copy(lanes), 1.03)),
        ("score", _) if text.contains("llama") => Ok(band(100.0, 1.03)),
        _ => Err("no model for this: games, rendering, or a rig that the row does not describe".to_owned()),
    }
}
