//! The best rigs out of the whole shipped catalog: to be proven within 3 seconds.

#![expect(clippy::expect_used, reason = "without the shipped catalog there is nothing to measure")]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::catalog::load::{embedded_files, load};
use rigbay::import::model_list::load_all;
use rigbay::project::Project;
use rigbay::search::advise::{Wish, advise};
use rigbay::units::{Currency, Money};
use rigbay::workload::Workload;

fn whole_catalog(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let (models, _) = load_all(None);
    let mut group = c.benchmark_group("best rigs of the shipped catalog");
    group.sample_size(10);
    for (model, budget) in [("Qwen/Qwen3-8B", 2000.0), ("Qwen/Qwen3-32B", 5000.0), ("meta-llama/Llama-3.3-70B-Instruct", 15_000.0)] {
        let model = models.iter().find(|m| m.name == model).expect("a model of the list").clone();
        let project = Project { workloads: vec![Workload::of(Arc::new(model.clone()))], ..Project::default() };
        let wish = Wish::new(Money::new(budget, Currency::USD));
        let found = advise(&catalog, &project, &wish, &mut |_| true).expect("an answer");
        assert!(!found.front.is_empty() && found.gap.is_finite(), "{}: {}", model.name, found.gap);
        group.bench_function(format!("{} for {budget} USD, {} rigs", model.short_name(), found.candidates), |b| {
            b.iter(|| advise(&catalog, &project, &wish, &mut |_| true));
        });
    }
    group.finish();
}

criterion_group!(benches, whole_catalog);
criterion_main!(benches);
