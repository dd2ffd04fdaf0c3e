//! The live report of an eight-card rig, as every edit and every drag computes it: to stay below a millisecond.

#![expect(clippy::expect_used, reason = "without the shipped catalog there is nothing to measure")]

#[path = "support/rigs.rs"]
#[expect(dead_code, reason = "each measurement uses a part of it")]
mod rigs;

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::{Effort, facts};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::import::model_list::builtin;
use rigbay::project::Project;
use rigbay::report::analyze;
use rigbay::workload::Workload;

/// Eight cards with three jobs.
fn eight_cards(catalog: &Catalog) -> Project {
    let mut project = rigs::whole(catalog).expect("a board with slots");
    let models = embedded_files("models/").iter().flat_map(|(name, text)| builtin(text, name).unwrap_or_default()).collect::<Vec<_>>();
    for name in ["meta-llama/Llama-3.3-70B-Instruct", "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3.6-27B"] {
        let model = models.iter().find(|m| m.name == name).expect("a model of the list");
        project.workloads.push(Workload::of(model.clone().into()));
    }
    project
}

fn live_report(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let project = eight_cards(&catalog);
    assert_eq!(facts(&catalog, &project, Effort::Live).memory.len(), 8 * project.workloads.len());
    c.bench_function("facts of eight cards, live", |b| b.iter(|| facts(&catalog, &project, Effort::Live)));
    c.bench_function("report of eight cards, live", |b| b.iter(|| analyze(&catalog, &project, Effort::Live)));
    c.bench_function("facts of eight cards, full", |b| b.iter(|| facts(&catalog, &project, Effort::Full)));
}

criterion_group!(benches, live_report);
criterion_main!(benches);
