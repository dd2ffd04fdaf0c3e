//! Measured records beside predictions: names, coverage, and errors that may only shrink.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::collections::BTreeMap;
use std::sync::Arc;

use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::model::ModelShape;
use rigbay::import::model_list::builtin;
use rigbay::project::Project;
use rigbay::replay::names::{Names, Stored};
use rigbay::replay::summary::{coverage, group, groups};
use rigbay::replay::{Judged, calibrate, page, replay, table, text};

fn catalog() -> Catalog {
    load(&embedded_files("")).0
}

fn models() -> Vec<Arc<ModelShape>> {
    embedded_files("models/").iter().flat_map(|(name, text)| builtin(text, name).unwrap()).map(Arc::new).collect()
}

fn judged(tables: &[(&str, &str)]) -> Vec<Judged> {
    let records = tables.iter().flat_map(|(name, text)| table::read(name, text).unwrap()).collect();
    replay(&catalog(), &models(), &Project::default(), records).unwrap()
}

fn memory() -> Vec<Judged> {
    judged(&[
        ("inference_memory.csv", include_str!("data/measured/inference_memory.csv")),
        ("kv_cache.csv", include_str!("data/measured/kv_cache.csv")),
        ("gguf_sizes.csv", include_str!("data/measured/gguf_sizes.csv")),
        ("oom_did_not_fit.csv", include_str!("data/measured/oom_did_not_fit.csv")),
        ("torch_accounting.csv", include_str!("data/torch_accounting.csv")),
    ])
}

#[test]
fn names_are_resolved_by_rule_and_never_guessed() {
    let names = Names::new(&catalog(), &models()).unwrap();
    let model = |name: &str| names.model(name).map(|m| m.name.clone());
    assert_eq!(model("Qwen2.5-7B-Instruct").as_deref(), Ok("Qwen/Qwen2.5-7B"));
    assert_eq!(model("qwen/qwen2.5-7b").as_deref(), Ok("Qwen/Qwen2.5-7B"));
    assert_eq!(model("Llama-3.2-1B-Instruct-Q4_0.gguf").as_deref(), Ok("meta-llama/Llama-3.2-1B"));
    assert_eq!(model("Vicuna 7B").as_deref(), Ok("meta-llama/Llama-2-7b-hf"));
    assert!(model("Qwen2.5-8B").unwrap_err().starts_with("no model is known"));
    assert!(model("7B").unwrap_err().contains("family not named"));
    let card = |name: &str| names.cards(name, None).map(|c| c.iter().map(|p| p.short_name().to_owned()).collect::<Vec<_>>().join("|"));
    let same = |a: &str, b: &str| assert_eq!(card(a).unwrap(), card(b).unwrap(), "{a} and {b}");
    same("NVIDIA GeForce RTX 3090", "rtx 3090");
    same("RTX 4060 Ti 16GB", "GeForce RTX 4060 Ti 16 GB");
    same("RTX 3080 12GB", "GeForce RTX 3080 12 GB");
    assert_ne!(card("RTX 3080").unwrap(), card("RTX 3080 12GB").unwrap());
    assert!(card("RTX 4060 Ti").unwrap_err().contains("ambiguous"), "{:?}", card("RTX 4060 Ti"));
    assert!(card("RTX 3090 48GB").unwrap_err().contains("no such memory size"));
    assert!(card("RTX 3095").unwrap_err().starts_with("no card is known"));
    assert_eq!(names.cards("2x RTX 3090", None).unwrap().len(), 2);
    assert_eq!(names.cards("RTX 4070 Ti + RTX 3090 Ti", None).unwrap().len(), 2);
    let engine = |text: &str| names.engine(text).map(|e| (e.name, e.rest));
    assert_eq!(engine("vLLM TP2 util 0.98"), Ok(("vllm".to_owned(), "tp2 util 0.98".to_owned())));
    assert!(engine("vllmish").is_err());
    assert!(matches!(names.precision("EXL2 4.0 bpw", None), Ok(Stored::Bits(b)) if (b - 4.0).abs() < 1e-9));
    assert!(names.precision("unstated", None).is_err());
}

#[test]
fn every_alias_means_something() {
    let text = &embedded_files("aliases.toml")[0].1;
    let table: toml::Table = toml::from_str(text).unwrap();
    let products: Vec<String> = catalog()
        .parts()
        .filter_map(|p| if let rigbay::catalog::part::PartKind::Gpu(g) = &p.kind { g.product.clone() } else { None })
        .collect();
    let targets =
        |kind: &str| -> Vec<String> { table[kind].as_array().unwrap().iter().map(|a| a["is"].as_str().unwrap().to_owned()).collect() };
    let absent: Vec<String> = targets("card").into_iter().filter(|c| !products.contains(c)).collect();
    assert!(absent.is_empty(), "cards that the catalog lacks: {absent:?}");
    let names = Names::new(&catalog(), &models()).unwrap();
    for precision in targets("precision") {
        assert!(names.precision(&precision, None).is_ok(), "{precision}");
    }
}

/// Aims of docs/accuracy.md, on rows that no constant was chosen with.
#[test]
fn memory_is_near_what_was_measured() {
    let rows = memory();
    let figures = |keep: &dyn Fn(&Judged) -> bool| {
        let mine: Vec<&Judged> = rows.iter().filter(|r| r.is_judged() && keep(r)).collect();
        group(String::new(), String::new(), None, None, &mine)
    };
    let starts = |r: &Judged, metric: &str| r.record.metric.starts_with(metric);
    let cache = figures(&|r| starts(r, "kv_or_context") || starts(r, "kv_cache_bytes"));
    assert!(cache.judged > 120 && cache.median.unwrap() <= 0.005, "{cache:?}");
    let weights = figures(&|r| starts(r, "params_bytes") || starts(r, "tensor_bytes") || starts(r, "file_bytes"));
    assert!(weights.judged > 150 && weights.median.unwrap() <= 0.005, "{weights:?}");
    let llama = figures(&|r| starts(r, "card_counters_total"));
    assert!(llama.judged > 40 && llama.median.unwrap() <= 0.02 && llama.p90.unwrap() <= 0.06, "{llama:?}");
    let torch = figures(&|r| starts(r, "peak_vram") && r.engine == "transformers");
    assert!(torch.judged > 150 && torch.median.unwrap() <= 0.06, "{torch:?}");
    let peak = figures(&|r| starts(r, "peak_bytes"));
    assert!(peak.judged > 350 && peak.median.unwrap() <= 0.05, "{peak:?}");
    let saved = figures(&|r| starts(r, "saved_activation"));
    assert!(saved.judged > 250 && saved.median.unwrap() <= 0.03 && saved.p90.unwrap() <= 0.10, "{saved:?}");
    let states = figures(&|r| starts(r, "grads_bytes") || starts(r, "optimizer_bytes"));
    assert!(states.judged > 500 && states.p90 == Some(0.0), "{states:?}");
    // Of five training runs that did not fit, one is said to: docs/accuracy.md shows it.
    for row in rows.iter().filter(|r| r.record.metric == "fits" && r.is_judged() && !r.record.workload.contains("LoRA")) {
        assert!(row.outcome.as_ref().unwrap().value < 0.5, "{row:?}");
    }
}

/// Aims of docs/accuracy.md for speed. Nearly all rows are in view of a constant; what holding out gives stands on that page.
#[test]
fn speed_is_near_what_was_measured() {
    let rows = judged(&[
        ("inference_tps.csv", include_str!("data/measured/inference_tps.csv")),
        ("training_throughput.csv", include_str!("data/measured/training_throughput.csv")),
        ("interconnect.csv", include_str!("data/measured/interconnect.csv")),
        ("power_curves.csv", include_str!("data/measured/power_curves.csv")),
        ("matmul_achieved.csv", include_str!("data/measured/matmul_achieved.csv")),
        ("pcie_scaling.csv", include_str!("data/measured/pcie_scaling.csv")),
        ("training_runs.csv", include_str!("data/measured/training_runs.csv")),
        ("multi_gpu_scaling.csv", include_str!("data/measured/multi_gpu_scaling.csv")),
    ]);
    let figures = |metric: &str, engine: &str| {
        let mine: Vec<&Judged> =
            rows.iter().filter(|r| r.is_judged() && r.record.metric.starts_with(metric) && r.engine == engine).collect();
        group(String::new(), String::new(), None, None, &mine)
    };
    for (metric, engine, rows, median) in [
        ("decode_tps", "llama.cpp", 250, 0.08),
        ("prefill_tps", "llama.cpp", 250, 0.20),
        ("decode_tps", "vllm", 150, 0.20),
        ("decode_tps", "transformers", 100, 0.20),
        ("decode_tps", "exllamav2", 20, 0.10),
        ("tokens_per_s_per_gpu", "llm-foundry", 140, 0.15),
        ("throughput_total", "nvidia-deeplearningexamples", 250, 0.15),
        ("tokens_per_s", "torchtune", 10, 0.15),
        ("achieved_tflops", "torch", 10, 0.10),
    ] {
        let g = figures(metric, engine);
        assert!(g.judged >= rows && g.median.unwrap() <= median, "{metric} {engine}: {g:?}");
    }
}

#[test]
fn most_rows_that_say_enough_are_judged() {
    let c = coverage(&memory());
    assert!(c.stated_judged * 10 >= c.stated * 8, "{c:?}");
    let c = coverage(&judged(&[("inference_tps.csv", include_str!("data/measured/inference_tps.csv"))]));
    assert!(c.stated_judged * 10 >= c.stated * 8, "{c:?}");
}

#[test]
fn suspect_wrong_and_computed_rows_count_nowhere() {
    let csv = "model,precision_or_quant,engine,context_tokens,batch,gpu,n_gpu,metric,value,unit,kind\n\
        Llama-3.1-8B,bf16,vLLM,,1,RTX 3090,1,kv_bytes_per_token,131072,B/token,measured\n\
        Llama-3.1-8B,bf16,vLLM,,1,RTX 3090,1,kv_bytes_per_token,1,B/token,measured_suspect\n\
        Llama-3.1-8B,bf16,vLLM,,1,RTX 3090,1,kv_bytes_per_token_naive_WRONG,1,B/token,measured\n\
        Llama-3.1-8B,bf16,vLLM,,1,RTX 3090,1,kv_bytes_per_token,1,B/token,computed_by_source\n";
    let rows = judged(&[("own.csv", csv)]);
    let all = groups(&rows);
    assert_eq!(all.iter().map(|g| (g.rows, g.judged)).collect::<Vec<_>>(), vec![(1, 1); 3]);
    assert_eq!(all[0].median, Some(0.0));
    assert_eq!(coverage(&rows).set_apart, 3);
    let value: serde_json::Value = serde_json::from_str(&text::json(&rows).unwrap()).unwrap();
    let keys: Vec<&str> = value["summary"][0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["metric", "engine", "source", "gpu", "rows", "judged", "median", "p90", "bias", "mae", "in_band"]);
    assert!(value["summary"][0]["source"].is_null() && value["summary"][0]["gpu"].is_null());
    assert_eq!(value["rows"].as_array().unwrap().len(), 4);
}

#[test]
fn rows_without_a_model_are_listed_with_the_reason() {
    let csv = "model,precision_or_quant,engine,gpu,metric,value,unit\nNoSuch-9B,bf16,vLLM,RTX 3090,weights,1,GiB\nLlama-3.1-8B,bf16,vLLM,RTX 3090,noise,1,dB\n";
    let shown = text::text(&judged(&[("own.csv", csv)]), true);
    assert!(shown.contains("no model is known by the name NoSuch-9B") && shown.contains("no model for this metric yet: noise"), "{shown}");
    assert!(table::read("x.csv", "a,b\n").unwrap_err().contains("is no table of measurements"));
    assert!(page::markdown(&memory()).contains("## Aims"));
}

/// A machine that reaches a known share of its bandwidth: the fit finds the share again.
#[test]
fn own_records_give_own_factors() {
    let names = Names::new(&catalog(), &models()).unwrap();
    let row = |context: u64, value: f64| {
        format!("Llama-3.1-8B,q4_k_m,llama.cpp,decode at depth,{context},1,RTX 3090,1,decode_tps,{value},tok/s,measured\n")
    };
    let header = "model,precision_or_quant,engine,workload,context_tokens,batch,gpu,n_gpu,metric,value,unit,kind\n";
    let own = Project { calibration: BTreeMap::from([("decode_efficiency".to_owned(), 0.7)]), ..Project::default() };
    let predicted = |context| {
        let records = table::read("own.csv", &format!("{header}{}", row(context, 1.0))).unwrap();
        replay(&catalog(), &models(), &own, records).unwrap()[0].outcome.clone().unwrap().value
    };
    let rows: String = [512, 2048, 8192].into_iter().map(|c| row(c, predicted(c))).collect();
    let factors = calibrate::fit(&names, &table::read("own.csv", &format!("{header}{rows}")).unwrap());
    assert_eq!(factors.len(), 2, "{factors:?}");
    for factor in factors {
        assert!((factor.value - 0.7).abs() < 1e-3 && factor.rows == 3, "{factor:?}");
    }
}

#[test]
fn temperatures_are_judged_in_kelvin_beside_three_simpler_predictions() {
    let rows = judged(&[("thermal_rows.csv", include_str!("data/thermal_rows.csv"))]);
    let all = groups(&rows);
    let of = |engine: &str| all.iter().find(|g| g.metric == "gpu_temp_C" && g.engine == engine && g.source.is_none()).unwrap();
    let model = of("air");
    // What docs/airflow.md states; it may only get better.
    assert!(model.judged >= 53 && model.mae.unwrap() <= 7.7 && model.in_band.unwrap() >= 0.8, "{model:?}");
    for name in rigbay::replay::thermal::BASELINES {
        let simple = of(&format!("baseline: {name}"));
        assert_eq!((simple.judged, simple.in_band), (model.judged, None));
        assert!(simple.mae.is_some_and(|m| m > 3.0), "{simple:?}");
    }
    // Rows that constants were chosen on are listed, apart.
    let fitted = all.iter().find(|g| g.metric == rigbay::replay::FITTED_TEMPERATURE && g.source.is_none()).unwrap();
    assert!(fitted.judged >= 10);
    assert!(rows.iter().all(|r| r.fitted == (r.record.metric == rigbay::replay::FITTED_TEMPERATURE)));
    let json: serde_json::Value = serde_json::from_str(&text::json(&rows).unwrap()).unwrap();
    let entry = json["summary"].as_array().unwrap().iter().find(|g| g["metric"] == "gpu_temp_C" && g["engine"] == "air").unwrap();
    assert!(entry["mae"].is_number() && entry["in_band"].is_number());
    let page = page::markdown(&rows);
    assert!(page.contains("## Temperatures of cards") && page.contains("| the model, by zones |"), "{page}");
    assert!(text::text(&rows, false).contains("mean error"));
}
