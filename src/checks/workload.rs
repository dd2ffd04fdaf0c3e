//! Does the rig suit its work?

use super::candidates::{cpu, gpu, serves_as, swap};
use super::finding::{Detail, Finding, Fix, MissingFact, Safety, Severity, Verdict};
use super::fixes::first_piece;
use super::rig::{Piece, about, count, join, missing, unknown};
use super::{Case, Check, Search};
use crate::analysis::memory::CardLedger;
use crate::catalog::part::{Gpu, Part};
use crate::catalog::vocab::GpuVendor;
use crate::project::Subject;
use crate::project::edit::Edit;
use crate::units::{Bytes, plain};
use crate::workload::Workload;
use crate::workload::training::{Method, Parallel, Recompute, Training, Zero};

const NO_CARD: &str = "No card in the catalog would do in this place.";

pub(super) const RULES: &[Check] = &[
    Check {
        id: "fp16_capable",
        title: "Training in 16 bit",
        why: "A card that can train in 16 bit holds models about twice as large as one that cannot. Cards before Volta compute 16 bit at a fraction of their speed.",
        guide: &["G5", "G4"],
        run: fp16,
        search: Some(Search { candidates: fp16_fixes, none: NO_CARD }),
    },
    Check {
        id: "gpu_memory_floor",
        title: "Memory of the card",
        why: "Too little memory is one of the three mistakes with GPUs: no speed makes a model fit.",
        guide: &["G6", "G3"],
        run: memory_floor,
        search: Some(Search { candidates: floor_fixes, none: NO_CARD }),
    },
    Check {
        id: "model_fits",
        title: "The model in the cards' memory",
        why: "A model that does not fit does not run, or runs from main memory at a small part of its speed.",
        guide: &["G18", "G23"],
        run: model_fits,
        search: Some(Search {
            candidates: model_fixes,
            none: "No shorter context, smaller batch or larger card in the catalog makes it fit in this rig.",
        }),
    },
    Check {
        id: "cpu_threads_per_gpu",
        title: "CPU threads for the cards",
        why: "Each card needs a thread that feeds it, two where data are prepared while training. Beyond that more cores bring little.",
        guide: &["G10"],
        run: threads,
        search: Some(Search { candidates: thread_fixes, none: "No CPU in the catalog for this socket has more threads." }),
    },
    Check {
        id: "cuda_mix",
        title: "Cards under one toolchain",
        why: "CUDA 13 no longer builds for cards before Turing. One build of current software cannot serve old and new cards together.",
        guide: &["G22"],
        run: cuda_mix,
        search: Some(Search { candidates: cuda_fixes, none: NO_CARD }),
    },
    Check {
        id: "drive_stream",
        title: "Drive for the data",
        why: "The data must stream. A loader that waits for a hard disk adds about 185 ms to a batch of images; one that works ahead hides them. An SSD is for comfort.",
        guide: &["G14"],
        run: drive_stream,
        search: None,
    },
];

/// Whether a card trains in 16 bit; `None` = unknown.
fn trains_in_16_bit(card: &Gpu) -> Option<bool> {
    if let Some(capability) = card.compute_capability.as_deref().and_then(|c| c.parse::<f64>().ok()) {
        // 6.0 is GP100, the one Pascal chip with full-rate FP16.
        return Some(capability >= 7.0 || (capability - 6.0).abs() < 1e-9);
    }
    let (half, full) = (card.tensor_fp16_tflops.or(card.fp16_tflops)?, card.fp32_tflops?);
    Some(half >= full)
}

fn fp16(case: &Case<'_>, out: &mut Vec<Finding>) {
    for card in case.gpus() {
        let name = case.name(card.id);
        let subjects = about([card.id]);
        let say = |verdict, text: String| Finding::new("fp16_capable", verdict, Severity::Advice, subjects.clone(), text);
        let holds = card
            .is
            .memory_gb
            .map_or_else(String::new, |gb| format!(": its {} GB hold what {} GB would in 16 bit", plain(gb, 1), plain(gb / 2.0, 1)));
        let finding = match trains_in_16_bit(card.is) {
            Some(true) => say(Verdict::Pass, format!("{name} trains in 16 bit.")),
            Some(false) => say(Verdict::Fail, format!("{name} cannot train in 16 bit{holds}.")),
            None => {
                let facts = vec![missing(card.part.short_name(), "compute_capability")];
                unknown("fp16_capable", Severity::Advice, subjects.clone(), &format!("Whether {name} trains in 16 bit"), facts)
            }
        };
        let capability = card.is.compute_capability.as_deref().and_then(|c| c.parse::<f64>().ok());
        out.push(capability.into_iter().fold(finding, |f, c| f.number("compute_capability", c)));
    }
}

fn fp16_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(gpu) else { return Vec::new() };
    vec![swap(case, what, |p| serves_as(old, p) && gpu(p).and_then(trains_in_16_bit) == Some(true))]
}

fn memory_floor(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (floor, research) = (case.project.threshold("gpu_memory_floor_gb"), case.project.threshold("gpu_memory_research_gb"));
    for card in case.gpus() {
        let name = case.name(card.id);
        let subjects = about([card.id]);
        let Some(gb) = card.is.memory_gb else {
            let facts = vec![missing(card.part.short_name(), "memory_gb")];
            out.push(unknown("gpu_memory_floor", Severity::Problem, subjects, &format!("Whether the memory of {name} suffices"), facts));
            continue;
        };
        let (own, least, most) = (plain(gb, 1), plain(floor, 1), plain(research, 1));
        let (verdict, severity, text) = if gb < floor {
            (Verdict::Fail, Severity::Problem, format!("{name} has {own} GB, less than the {least} GB that most work needs."))
        } else if gb < research {
            (
                Verdict::Fail,
                Severity::Note,
                format!("{name} has {own} GB: enough for most work, less than the {most} GB for research at the state of the art."),
            )
        } else {
            (
                Verdict::Pass,
                Severity::Problem,
                format!("{name} has {own} GB, no less than the {most} GB for research at the state of the art."),
            )
        };
        let finding = Finding::new("gpu_memory_floor", verdict, severity, subjects, text);
        out.push(finding.number("memory_gb", gb).number("floor_gb", floor).number("research_gb", research));
    }
}

fn floor_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(what) = first_piece(finding) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(gpu) else { return Vec::new() };
    let research = case.project.threshold("gpu_memory_research_gb");
    vec![swap(case, what, |p| serves_as(old, p) && gpu(p).and_then(|g| g.memory_gb).is_some_and(|gb| gb >= research))]
}

fn model_fits(case: &Case<'_>, out: &mut Vec<Finding>) {
    for (index, workload) in case.project.workloads.iter().enumerate() {
        let ledgers: Vec<&CardLedger> = case.facts.memory.iter().filter(|l| l.workload == index).collect();
        out.push(judge_model(case, workload, &ledgers));
    }
}

fn judge_model(case: &Case<'_>, workload: &Workload, ledgers: &[&CardLedger]) -> Finding {
    const RULE: &str = "model_fits";
    let job = vec![Subject::Workload(workload.name.clone())];
    let question = format!("Whether {} fits", workload.name);
    let ask = |facts| unknown(RULE, Severity::Blocker, job.clone(), &question, facts);
    if ledgers.is_empty() {
        let cards = case.gpus().len().min(workload.gpus.map_or(usize::MAX, |n| n as usize));
        return match &workload.training {
            Some(t) if cards > 0 => {
                let p = t.parallel;
                let need = u64::from(p.tensor) * u64::from(p.pipeline);
                let text = format!(
                    "{} is spread over {} cards that share matrices times {} stages: {need} cards, and it has {cards}.",
                    workload.name, p.tensor, p.pipeline
                );
                Finding::new(RULE, Verdict::Fail, Severity::Blocker, job, text)
                    .number("need_cards", need as f64)
                    .number("cards", cards as f64)
            }
            _ => ask(vec![missing("rig", "gpu")]),
        };
    }
    // The card with the least room decides.
    let tightest = ledgers.iter().filter_map(|l| Some((l.limit?, *l))).min_by_key(|(c, l)| i128::from(c.0) - i128::from(l.total.0));
    let over = tightest.filter(|(_, l)| l.fits() == Some(false));
    let say = |verdict, text: String, capacity: Bytes, ledger: &CardLedger| {
        Finding::new(RULE, verdict, Severity::Blocker, job.clone(), text)
            .number("need_gib", ledger.total.gib())
            .number("capacity_gib", capacity.gib())
            .number("cards", ledgers.len() as f64)
    };
    let on = |ledger: &CardLedger| format!("{} needs {} on {}", workload.name, ledger.total, ledger.gpu_name);
    // An engine with a pool takes no more than its share.
    let has = |ledger: &CardLedger, limit: Bytes| match ledger.capacity {
        Some(capacity) if capacity > limit => format!("which has {capacity}, of which {} takes {limit}", workload.engine().text()),
        _ => format!("which has {limit}"),
    };
    if let Some((capacity, ledger)) = over {
        let text = format!("{}, {}: {} too much.", on(ledger), has(ledger, capacity), ledger.total.saturating_sub(capacity));
        return say(Verdict::Fail, text, capacity, ledger);
    }
    let mut facts: Vec<MissingFact> = ledgers
        .iter()
        .filter(|l| l.capacity.is_none())
        .filter_map(|l| Some(missing(case.part_of(l.gpu)?.short_name(), "memory_gb")))
        .collect();
    if ledgers.iter().any(|l| l.capacity.is_some() && l.fits().is_none()) {
        facts.push(missing(&workload.name, "measured_memory"));
    }
    match tightest {
        Some((capacity, ledger)) if facts.is_empty() => {
            let text = format!("{}, {}: {} left.", on(ledger), has(ledger, capacity), capacity.saturating_sub(ledger.total));
            say(Verdict::Pass, text, capacity, ledger)
        }
        _ => ask(facts),
    }
}

fn model_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(Subject::Workload(name)) = finding.subjects.first() else { return Vec::new() };
    let Some((index, job)) = case.project.workloads.iter().enumerate().find(|(_, w)| w.name == *name) else { return Vec::new() };
    let change = |label: String, next: Workload| Fix {
        label,
        edits: vec![Edit::Workload { index, workload: Some(Box::new(next)) }],
        safety: Safety::Ask,
    };
    if let Some(training) = &job.training {
        return training_fixes(case, finding, index, job, training);
    }
    let halves = |from: u64, least: u64| (1..=6).map(move |n| from >> n).filter(move |v| *v >= least);
    let contexts =
        halves(job.context, 1024).map(|c| change(format!("Shorten the context to {c} tokens"), Workload { context: c, ..job.clone() }));
    let batches = halves(job.batch, 1).map(|b| change(format!("Reduce the batch to {b}"), Workload { batch: b, ..job.clone() }));
    let spread = job.gpus.filter(|n| (*n as usize) < case.gpus().len());
    let spread = spread.map(|_| change("Split the model over all cards".to_owned(), Workload { gpus: None, ..job.clone() }));
    vec![spread.into_iter().collect(), batches.collect(), contexts.collect(), bigger_cards(case, finding)]
}

/// What a training job can give up, the cheapest first.
fn training_fixes(case: &Case<'_>, finding: &Finding, index: usize, job: &Workload, training: &Training) -> Vec<Vec<Fix>> {
    let change = |label: &str, next: Training| Fix {
        label: label.to_owned(),
        edits: vec![Edit::Workload { index, workload: Some(Box::new(Workload { training: Some(next), ..job.clone() })) }],
        safety: Safety::Ask,
    };
    let with = |edit: &dyn Fn(&mut Training)| {
        let mut next = training.clone();
        edit(&mut next);
        next
    };
    let cards = case.gpus().len().min(job.gpus.map_or(usize::MAX, |n| n as usize));
    let mut fixes: Vec<Vec<Fix>> = Vec::new();
    let need = u64::from(training.parallel.tensor) * u64::from(training.parallel.pipeline);
    if need > cards as u64 {
        fixes.push(vec![change(
            "Spread the job over data only",
            with(&|t| t.parallel = Parallel { zero: t.parallel.zero, ..Parallel::default() }),
        )]);
        return fixes;
    }
    if training.recompute != Recompute::Full {
        fixes.push(vec![change("Recompute whole layers in the backward pass", with(&|t| t.recompute = Recompute::Full))]);
    }
    let halves = (1..=10).map(|n| training.micro_batch >> n).filter(|n| *n > 0);
    let less = halves.map(|n| {
        change(
            &format!("Reduce the micro-batch to {n}"),
            with(&|t| (t.micro_batch, t.accumulation, t.recompute) = (n, t.accumulation * (t.micro_batch / n), Recompute::Full)),
        )
    });
    fixes.push(less.collect());
    if cards > 1 && training.parallel.zero != Zero::Parameters {
        let spread = |t: &mut Training| (t.parallel.zero, t.recompute) = (Zero::Parameters, Recompute::Full);
        fixes.push(vec![change("Spread weights, gradients and states over the cards (ZeRO 3, FSDP)", with(&spread))]);
    }
    if training.method == Method::Full {
        let adapters = |method| move |t: &mut Training| (t.method, t.recompute) = (method, Recompute::Full);
        fixes.push(vec![
            change("Train adapters only (LoRA)", with(&adapters(Method::Lora))),
            change("Train adapters on 4-bit weights (QLoRA)", with(&adapters(Method::Qlora))),
        ]);
    }
    fixes.push(bigger_cards(case, finding));
    fixes
}

/// All cards that the job uses replaced by one larger kind.
fn bigger_cards(case: &Case<'_>, finding: &Finding) -> Vec<Fix> {
    let cards = case.gpus();
    let Some(first) = cards.first() else { return Vec::new() };
    let need = finding.numbers.get("need_gib").copied().unwrap_or(f64::INFINITY);
    let good = |p: &Part| serves_as(first.is, p) && gpu(p).and_then(|g| g.memory_gb).is_some_and(|gb| gb >= need);
    let mut fixes = swap(case, first.id, good);
    for fix in &mut fixes {
        let Some(Edit::Replace { part, .. }) = fix.edits.first().cloned() else { continue };
        fix.edits.extend(cards.iter().skip(1).map(|c| Edit::Replace { what: c.id, part: part.clone() }));
        if cards.len() > 1 {
            fix.label = format!("{}, {} times", fix.label, cards.len());
        }
    }
    fixes
}

fn threads(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (cards, cpus) = (case.gpus(), case.cpus());
    if cards.is_empty() || cpus.is_empty() {
        return;
    }
    let subjects = about(cpus.iter().map(|c| c.id));
    let facts: Vec<MissingFact> = cpus.iter().filter(|c| c.is.threads.is_none()).map(|c| missing(c.part.short_name(), "threads")).collect();
    if !facts.is_empty() {
        out.push(unknown("cpu_threads_per_gpu", Severity::Problem, subjects, "Whether the CPU feeds the cards", facts));
        return;
    }
    let (least, wished) = (case.project.threshold("threads_per_gpu_min"), case.project.threshold("threads_per_gpu"));
    let total: f64 = cpus.iter().filter_map(|c| c.is.threads).map(f64::from).sum();
    let each = total / cards.len() as f64;
    let text = format!("{} for {}: {} each", count(total as usize, "CPU thread"), count(cards.len(), "card"), plain(each, 1));
    let (verdict, severity, text) = if each < least {
        (Verdict::Fail, Severity::Problem, format!("{text}, {} at least are needed.", plain(least, 1)))
    } else if each < wished {
        (
            Verdict::Fail,
            Severity::Advice,
            format!("{text}. That does where data are prepared beforehand; else {} are advised.", plain(wished, 1)),
        )
    } else {
        (Verdict::Pass, Severity::Problem, format!("{text}, no less than the {} advised.", plain(wished, 1)))
    };
    let finding = Finding::new("cpu_threads_per_gpu", verdict, severity, subjects, text);
    out.push(finding.number("threads", total).number("gpus", cards.len() as f64).number("threads_per_gpu", each));
}

fn thread_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let cpus = case.cpus();
    let Some(first) = cpus.first() else { return Vec::new() };
    let rest: u16 = cpus.iter().skip(1).filter_map(|c| c.is.threads).sum();
    let need = case.project.threshold("threads_per_gpu") * case.gpus().len() as f64;
    let good = |p: &Part| cpu(p).is_some_and(|c| c.socket == first.is.socket && c.threads.is_some_and(|t| f64::from(t + rest) >= need));
    vec![swap(case, first.id, good)]
}

/// Oldest compute capability that CUDA 13 builds for: <https://docs.nvidia.com/cuda/archive/13.0.0/cuda-toolkit-release-notes/index.html>.
const CUDA_13_LEAST: &str = "7.5";

/// Cards whose support ended, and cards that need the newest release.
fn cuda_mix(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cards = case.gpus();
    if cards.is_empty() {
        return;
    }
    let subjects = about(cards.iter().map(|c| c.id));
    let say = |verdict, text: String| Finding::new("cuda_mix", verdict, Severity::Problem, subjects.clone(), text);
    let mut makers: Vec<&str> = cards.iter().filter_map(|c| c.is.vendor).map(GpuVendor::text).collect();
    makers.sort_unstable();
    makers.dedup();
    let nvidia: Vec<&Piece<'_, Gpu>> = cards.iter().filter(|c| c.is.vendor == Some(GpuVendor::Nvidia)).collect();
    let names = |keep: &dyn Fn(&Gpu) -> bool| nvidia.iter().filter(|c| keep(c.is)).map(|c| c.part.short_name()).collect::<Vec<_>>();
    let ended = names(&|g| g.last_cuda.as_deref().is_some_and(|v| v != "current"));
    let current = names(&|g| g.last_cuda.as_deref() == Some("current"));
    let mut facts: Vec<MissingFact> =
        cards.iter().filter(|c| c.is.vendor.is_none()).map(|c| missing(c.part.short_name(), "vendor")).collect();
    facts.extend(nvidia.iter().filter(|c| c.is.last_cuda.is_none()).map(|c| missing(c.part.short_name(), "last_cuda")));
    let last = nvidia.iter().filter_map(|c| c.is.last_cuda.as_deref()).find(|v| *v != "current").unwrap_or_default();
    let capability = nvidia.iter().filter_map(|c| c.is.compute_capability.as_deref()?.parse::<f64>().ok());
    let (low, high) = capability.fold((f64::INFINITY, 0.0), |(low, high), c| (c.min(low), c.max(high)));
    let finding = if makers.len() > 1 {
        say(Verdict::Fail, format!("Cards of {} share no toolchain: a job runs on one kind of them.", join(&makers)))
    } else if !ended.is_empty() && !current.is_empty() {
        say(
            Verdict::Fail,
            format!(
                "CUDA {last} is the last for {}, later ones serve {}: one build of current CUDA cannot serve both.",
                join(&ended),
                join(&current)
            ),
        )
    } else if facts.is_empty() || cards.len() == 1 {
        say(
            Verdict::Pass,
            format!(
                "{} can be served by one toolchain.",
                if cards.len() == 1 { "The card".to_owned() } else { count(cards.len(), "card") }
            ),
        )
    } else {
        unknown("cuda_mix", Severity::Problem, subjects.clone(), "Whether one toolchain serves all cards", facts)
    };
    let mut finding = if low.is_finite() { finding.number("lowest_capability", low).number("highest_capability", high) } else { finding };
    if finding.verdict == Verdict::Fail && !ended.is_empty() && !current.is_empty() {
        finding = finding.detail("dropped_below", Detail::Text(CUDA_13_LEAST.to_owned()));
        // The first toolchain for Blackwell desktop cards is 12.8; builds of the 13 series serve them on.
        let newest = nvidia
            .iter()
            .filter_map(|c| Some((c.is.compute_capability.as_deref()?.parse::<f64>().ok()?, c.is.compute_capability.as_deref()?)));
        if let Some((_, text)) = newest.max_by(|a, b| a.0.total_cmp(&b.0)) {
            finding = finding.detail("needs_13", Detail::Text(format!("sm_{}", text.replace('.', ""))));
        }
    }
    out.push(finding);
}

/// Every card that has fallen out of support replaced by a current one.
fn cuda_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let old: Vec<_> = case.gpus().into_iter().filter(|c| c.is.last_cuda.as_deref().is_some_and(|v| v != "current")).collect();
    let Some(first) = old.first() else { return Vec::new() };
    let good = |p: &Part| serves_as(first.is, p) && gpu(p).is_some_and(|g| g.last_cuda.as_deref() == Some("current"));
    let mut fixes = swap(case, first.id, good);
    for fix in &mut fixes {
        let Some(Edit::Replace { part, .. }) = fix.edits.first().cloned() else { continue };
        fix.edits.extend(old.iter().skip(1).map(|c| Edit::Replace { what: c.id, part: part.clone() }));
    }
    vec![fixes]
}

/// The guide's mini-batch: 32 images of 225 x 225 x 3 in FP32.
const BATCH_BYTES: f64 = 32.0 * 225.0 * 225.0 * 3.0 * 4.0;

fn drive_stream(case: &Case<'_>, out: &mut Vec<Finding>) {
    let drives = case.drives();
    if drives.is_empty() {
        return;
    }
    let subjects = about(drives.iter().map(|d| d.id));
    let fastest = drives.iter().filter_map(|d| Some((d.is.read_mb_s?, d))).max_by(|a, b| a.0.total_cmp(&b.0));
    let solid = drives.iter().find(|d| d.is.rotating == Some(false));
    let batch = fastest.as_ref().map(|(speed, _)| BATCH_BYTES / 1e6 / speed * 1000.0);
    let time = batch.map_or_else(|| "an unknown time".to_owned(), |ms| format!("{} ms", plain(ms, 0)));
    let say = |verdict, text: String| Finding::new("drive_stream", verdict, Severity::Note, subjects.clone(), text);
    let finding = match solid {
        Some(drive) => say(Verdict::Pass, format!("{} is solid-state; a batch of 19.4 MB takes {time} to read.", case.name(drive.id))),
        None if drives.iter().all(|d| d.is.rotating == Some(true)) => say(
            Verdict::Fail,
            format!("All drives rotate: a batch of 19.4 MB takes {time} to read. Load ahead of the work, or a card waits for it."),
        ),
        None => {
            let facts = drives.iter().filter(|d| d.is.rotating.is_none()).map(|d| missing(d.part.short_name(), "rotating")).collect();
            unknown("drive_stream", Severity::Note, subjects.clone(), "Whether the data stream", facts)
        }
    };
    out.push(batch.into_iter().fold(finding, |f, ms| f.number("batch_ms", ms)));
}
