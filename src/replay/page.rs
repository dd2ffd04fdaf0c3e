//! The text of docs/accuracy.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Judged;
use super::summary::{coverage, group, reasons};
use super::table::{Standing, TableKind};
use super::text::percent;
use super::thermal::{self, Predicted};

/// A goal for some rows that no constant was chosen with.
struct Aim {
    name: &'static str,
    holds: fn(&Judged) -> bool,
    median: f64,
    p90: Option<f64>,
}

const LLAMA: [&str; 3] = ["llama.cpp", "ollama", "ik_llama.cpp"];

fn is_total(row: &Judged) -> bool {
    ["card_counters_total", "process_peak", "peak_vram"].iter().any(|m| row.record.metric.starts_with(m))
}

const AIMS: &[Aim] = &[
    Aim {
        name: "KV cache",
        holds: |r| {
            r.record.metric.starts_with("kv_or_context")
                || r.record.metric.starts_with("kv_cache_size")
                || r.record.metric == "kv_cache_bytes"
        },
        median: 0.005,
        p90: Some(0.005),
    },
    Aim {
        name: "weights and files",
        holds: |r| ["weights", "file_bytes", "tensor_bytes", "params_bytes"].iter().any(|m| r.record.metric.starts_with(m)),
        median: 0.005,
        p90: Some(0.005),
    },
    Aim { name: "llama.cpp, totals", holds: |r| is_total(r) && LLAMA.contains(&r.engine.as_str()), median: 0.02, p90: Some(0.06) },
    Aim { name: "other engines, totals", holds: |r| is_total(r) && !LLAMA.contains(&r.engine.as_str()), median: 0.06, p90: None },
    Aim {
        name: "PyTorch's own accounting: gradients and optimizer",
        holds: |r| r.record.metric == "grads_bytes" || r.record.metric == "optimizer_bytes",
        median: 0.0,
        p90: Some(0.0),
    },
    Aim {
        name: "llama.cpp, decoding (rows in view: see below)",
        holds: |r| r.record.metric.starts_with("decode_tps") && LLAMA.contains(&r.engine.as_str()),
        median: 0.08,
        p90: Some(0.20),
    },
    Aim { name: "prompts", holds: |r| r.record.metric.starts_with("prefill_tps"), median: 0.20, p90: None },
    Aim {
        name: "vLLM, transformers: decoding",
        holds: |r| r.record.metric.starts_with("decode_tps") && ["vllm", "transformers"].contains(&r.engine.as_str()),
        median: 0.20,
        p90: None,
    },
    Aim {
        name: "training of decoders, BERT, ViT, ResNet",
        holds: |r| {
            ["tokens_per_s", "throughput_total", "iteration_time", "seconds_per_iteration"].iter().any(|m| r.record.metric.starts_with(m))
                && !["vllm", "sglang", "llama.cpp"].contains(&r.engine.as_str())
        },
        median: 0.15,
        p90: Some(0.35),
    },
    Aim { name: "verdict \"does not fit\"", holds: |r| r.record.metric == "fits", median: 0.0, p90: Some(0.0) },
];

/// Rows shown of an aim that is missed.
const SHOWN: usize = 12;

/// The page: aims and how far they are met, errors by metric and engine, rows that could not be judged.
pub fn markdown(rows: &[Judged]) -> String {
    let mut out = String::from(INTRODUCTION);
    let c = coverage(rows);
    let share = (c.stated > 0).then(|| c.stated_judged as f64 / c.stated as f64);
    _ = writeln!(
        out,
        "{} measured rows, {} judged. Of the {} rows that state card, model, precision and engine {} are judged ({}). {} rows are suspect,\ncomputed or wrong on purpose and counted nowhere.\n",
        c.rows,
        c.judged,
        c.stated,
        c.stated_judged,
        percent(share, false),
        c.set_apart
    );
    aims(&mut out, rows);
    out.push_str(HELD_OUT);
    out.push_str(HELD_OUT_SPEED);
    temperatures(&mut out, rows);
    table(&mut out, rows);
    out.push_str("\n## Rows that could not be judged\n\n| Reason | Rows |\n|---|--:|\n");
    for (reason, count) in reasons(rows) {
        _ = writeln!(out, "| {reason} | {count} |");
    }
    out
}

fn aims(out: &mut String, rows: &[Judged]) {
    out.push_str("## Aims\n\nOn rows that no constant was chosen with.\n\n");
    out.push_str("| What | Rows | Median | Aim | 90th percentile | Aim | Met |\n|---|--:|--:|--:|--:|--:|---|\n");
    let mut missed = String::new();
    for aim in AIMS {
        let mine: Vec<&Judged> = rows.iter().filter(|r| r.is_judged() && !r.fitted && (aim.holds)(r)).collect();
        let g = group(String::new(), String::new(), None, None, &mine);
        let met = match (g.median, g.p90) {
            // An aim of zero allows no row to be off.
            (Some(_), Some(_)) if aim.p90 == Some(0.0) => mine.iter().all(|r| off(r) <= 1e-9),
            (Some(m), Some(p)) => m <= aim.median + 1e-9 && aim.p90.is_none_or(|a| p <= a + 1e-9),
            _ => false,
        };
        let word = if mine.is_empty() {
            "no rows"
        } else if met {
            "yes"
        } else {
            "no"
        };
        _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {word} |",
            aim.name,
            mine.len(),
            percent(g.median, false),
            percent(Some(aim.median), false),
            percent(g.p90, false),
            percent(aim.p90, false)
        );
        if !met && !mine.is_empty() {
            worst(&mut missed, aim.name, &mine);
        }
    }
    if !missed.is_empty() {
        out.push_str("\n### The rows that are off most, of the aims that are missed\n");
        out.push_str(&missed);
    }
}

fn worst(out: &mut String, name: &str, rows: &[&Judged]) {
    let size = |r: &Judged| r.error().map_or(0.0, f64::abs);
    let mut sorted: Vec<&&Judged> = rows.iter().collect();
    sorted.sort_by(|a, b| size(b).total_cmp(&size(a)));
    _ = writeln!(
        out,
        "\n{name}:\n\n| Model | Precision | Engine | Context × batch | Card | Metric | Error |\n|---|---|---|---|---|---|--:|"
    );
    for row in sorted.into_iter().take(SHOWN) {
        let r = &row.record;
        _ = writeln!(
            out,
            "| {} | {} | {} | {} × {} | {} ×{} | {} | {} |",
            r.model,
            r.precision,
            r.engine,
            r.context,
            r.batch,
            row.gpu,
            r.n_gpu,
            r.metric,
            if row.record.metric == "fits" {
                if off(row) > 0.5 { "said to fit" } else { "right" }.to_owned()
            } else {
                percent(row.error(), true)
            }
        );
    }
}

/// Size of the error; verdicts count as 0 or 1.
fn off(row: &Judged) -> f64 {
    let difference = || row.outcome.as_ref().ok().zip(row.measured).map(|(p, m)| p.value - m);
    row.error().or_else(difference).map_or(0.0, f64::abs)
}

fn table(out: &mut String, rows: &[Judged]) {
    let mut by: BTreeMap<(&str, &str, bool), Vec<&Judged>> = BTreeMap::new();
    for row in rows.iter().filter(|r| r.record.standing == Standing::Measured) {
        by.entry((row.record.metric.as_str(), row.engine.as_str(), row.fitted)).or_default().push(row);
    }
    out.push_str("\n## By metric and engine\n\n| What | Engine | In view | Rows | Judged | Bias | Median | 90th percentile | In band |\n");
    out.push_str("|---|---|---|--:|--:|--:|--:|--:|--:|\n");
    for ((metric, engine, fitted), rows) in by {
        let g = group(String::new(), String::new(), None, None, &rows);
        if g.judged == 0 {
            continue;
        }
        let view = if fitted { "yes" } else { "no" };
        _ = writeln!(
            out,
            "| {} | {engine} | {view} | {} | {} | {} | {} | {} | {} |",
            metric.replace('_', " "),
            g.rows,
            g.judged,
            percent(g.bias, true),
            percent(g.median, false),
            percent(g.p90, false),
            percent(g.in_band, false)
        );
    }
}

/// Temperatures of cards: in kelvin, beside three simpler predictions, with the number of rigs that are independent of each other.
fn temperatures(out: &mut String, rows: &[Judged]) {
    let read: Vec<thermal::Row> =
        rows.iter().filter(|r| r.record.kind == TableKind::Thermal).filter_map(|r| thermal::row(&r.record.cells).ok()).collect();
    if read.is_empty() {
        return;
    }
    let all = thermal::predict(&read);
    let free: Vec<&Predicted> = all.iter().filter(|r| !r.fitted).collect();
    let stated: Vec<&Predicted> = free.iter().copied().filter(|r| r.stated).collect();
    let rigs = |rows: &[&Predicted]| rows.iter().map(|r| r.rig).collect::<BTreeSet<_>>().len();
    let mae = |rows: &[&Predicted], of: &dyn Fn(&Predicted) -> f64| {
        if rows.is_empty() {
            "–".to_owned()
        } else {
            format!("{:.1} K", rows.iter().map(|r| (of(r) - r.measured_c).abs()).sum::<f64>() / rows.len() as f64)
        }
    };
    let inside = |rows: &[&Predicted]| rows.iter().filter(|r| (r.low_c..=r.high_c).contains(&r.measured_c)).count();
    _ = writeln!(
        out,
        "\n## Temperatures of cards\n\n{} rows of steady cards; constants were chosen on {} of them ({}), which are not counted. The rest: {} rows of {} rigs.\n\
         Of these {} rows of {} rigs state case, cooler and power of several loaded cards: too few rigs for a percentage, so they are listed.\n",
        all.len(),
        all.len() - free.len(),
        thermal::FITTED.join(", "),
        free.len(),
        rigs(&free),
        stated.len(),
        rigs(&stated)
    );
    out.push_str("| Prediction | Rows | Rigs | Mean error | Aim | In its 80 % band |\n|---|--:|--:|--:|--:|--:|\n");
    let n = free.len().max(1) as f64;
    _ = writeln!(
        out,
        "| the model, by zones | {} | {} | {} | 5.0 K | {} |",
        free.len(),
        rigs(&free),
        mae(&free, &|r| r.die_c),
        percent(Some(inside(&free) as f64 / n), false)
    );
    for (k, name) in thermal::BASELINES.iter().enumerate() {
        let said = mae(&free, &|r| r.baselines.get(k).copied().unwrap_or(0.0));
        _ = writeln!(out, "| {name} | {} | {} | {said} | | |", free.len(), rigs(&free));
    }
    out.push_str("\n| Stated row | Rig | Measured | Model | Band |\n|---|--:|--:|--:|---|\n");
    for r in &stated {
        _ = writeln!(out, "| {} | {} | {:.0} °C | {:.0} °C | {:.0} to {:.0} |", r.id, r.rig + 1, r.measured_c, r.die_c, r.low_c, r.high_c);
    }
    out.push_str(
        "\nWhat limits the rest stands in [airflow.md](airflow.md): room, case, board maker and place of nearly all cards are unknown.\n",
    );
}

const HELD_OUT: &str = "
### llama.cpp with models and cards held out

The constants of llama.cpp's buffers and context rest on one corpus (github:tmac1973/llama-toolchest, 31 loads without draft layers and
without experts in main memory), so its rows count as in view above. Refitted without one model at a time and judged on that model: totals
median 0.2 %, 90th percentile 3.5 %; buffers 2.3 % and 13.7 %. Without one card at a time: totals 2.6 % and 4.5 %, for want of a second
AMD rig to learn its context from. Weights and caches are as measured there. Made once, on 2026-11-30, not by this command.
";

const HELD_OUT_SPEED: &str = "
### Speed with whole cards and whole models held out

The constants of speed rest on the public tables that `catalogs/aliases.toml` lists as fitted, so their rows count as in view. Refitted
without one card at a time and judged on that card, and likewise without one model at a time; errors are |measured ÷ predicted − 1|:

| What | Rows | Card left out: median, 90th | Model left out: median, 90th | Aim |
|---|--:|---|---|---|
| llama.cpp, decoding | 331 | 7.7 %, 27.2 % | 7.0 %, 29.3 % | 8 %, 20 % |
| llama.cpp, prompts | 208 | 14.1 %, 38.6 % | 13.1 %, 33.3 % | 20 % |
| vLLM and SGLang, decoding | 270 | 40.1 %, 68.1 % | 10.7 %, 34.2 % | 20 % |
| transformers, decoding | 168 | (two cards) | 7.9 %, 38.7 % | 20 % |
| ExLlama, AutoAWQ, MLC, decoding | 75 | 12.0 %, 54.3 % | 6.7 %, 26.3 % | 20 % |
| training: decoders | 130 | 11.4 %, 28.8 % | 12.0 %, 26.3 % | 15 %, 35 % |
| training: BERT | 192 | 9.5 %, 30.8 % | 8.1 %, 28.5 % | 15 %, 35 % |
| training: ResNet-50 | 96 | 20.2 %, 57.4 % | (one model) | 15 %, 35 % |
| training: adapters | 74 | 38.1 %, 90.9 % | 28.9 %, 60.3 % | listed |

Missed, and why. Decoding with llama.cpp: the worst tenth are cards on single-board computers and boards with AMD's and Intel's cards under
Vulkan, a handful of rows each, and one RTX 5090 whose host is slow. Servers with a card left out: nearly all rows are of two cards, A100
and H20, so that without one of them little is left to fit. Set apart from the fit of prompts: 70B models in four bits on two and four cards, which
do not gain from the second pair of cards as all others do, and FP16 on an A100 SXM and an L40S of that table, a tenth of their neighbours.
Rows of QwenLM's vLLM table for 14B, 32B and 72B appear twice with unlike values; the lower set equals its transformers table and was left
out. ResNet-50: pictures are prepared on hosts that the rows do not describe. Adapters: samples are shorter than the stated longest.
Made once, on 2026-11-30, not by this command.
";

const INTRODUCTION: &str = "# Accuracy

Written by the program, `rigbay replay tests/data/measured/*.csv tests/data/torch_accounting.csv tests/data/thermal_rows.csv --page docs/accuracy.md`: its predictions beside published measurements.
Errors are (predicted − measured) ÷ measured; median and 90th percentile are of their absolute values, the bias is the median with its
sign. \"In view\" marks rows that were looked at when a constant was chosen, so that their errors say less than those of the others.
\"In band\" is the share of measurements inside the predicted band, the row's own rounding allowed for. A verdict is right if
the program does not say that the run fits: \"perhaps\" counts as not said.

";
