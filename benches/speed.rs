//! The performance ledger with all strategies for eight cards (aim 500 microseconds), and a sweep of 64 points (aim 20 milliseconds).

#![expect(clippy::unwrap_used, reason = "a broken setup ends the measurement")]

#[path = "support/rigs.rs"]
#[expect(dead_code, reason = "each measurement uses a part of it")]
mod rigs;

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::speed::{Ledgers, speeds};
use rigbay::analysis::{Effort, facts};
use rigbay::catalog::load::{embedded_files, load};
use rigbay::import::model_list::builtin;
use rigbay::workload::Workload;
use rigbay::workload::training::Training;

fn ledger(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let models: Vec<_> = embedded_files("models/").iter().flat_map(|(name, text)| builtin(text, name).unwrap()).collect();
    let model = |name: &str| models.iter().find(|m| m.name == name).unwrap().clone().into();
    let serving = Workload { batch: 8, ..Workload::of(model("meta-llama/Llama-3.3-70B-Instruct")) };
    let training = Workload { training: Some(Training::default()), ..Workload::of(model("meta-llama/Llama-3.1-8B")) };
    for (name, workload) in [("serving", serving), ("training", training)] {
        let mut project = rigs::alike(&catalog).unwrap();
        project.workloads.push(workload);
        let known = facts(&catalog, &project, Effort::Live);
        assert_eq!(known.speed[0].over_cards.len(), 8);
        let ledgers = Ledgers { memory: &known.memory, lanes: &known.lanes, airflow: &known.airflow, power: &known.power };
        c.bench_function(&format!("speed of eight cards, {name}, all strategies"), |b| {
            b.iter(|| speeds(&catalog, &project, ledgers, Effort::Live));
        });
        c.bench_function(&format!("speed of eight cards, {name}, sweeps of 64 points"), |b| {
            b.iter(|| speeds(&catalog, &project, ledgers, Effort::Full));
        });
    }
}

criterion_group!(benches, ledger);
criterion_main!(benches);
