//! The cost ledger of an example rig: to stay below 20 microseconds.

#![expect(clippy::expect_used, reason = "without the shipped catalog there is nothing to measure")]

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::cost::cost;
use rigbay::analysis::{Effort, facts};
use rigbay::catalog::load::{embedded_files, load};
use rigbay::import::examples::examples;
use rigbay::project::economy::{Rent, Service, Tariff};
use rigbay::project::file::load_text;

fn ledger(c: &mut Criterion) {
    let (base, _) = load(&embedded_files(""));
    let example = examples().iter().find(|e| e.is_named("four-blowers-epyc")).expect("an example");
    let loaded = load_text(&base, example.text, example.file).expect("a rig");
    let catalog = base.overlaid(loaded.copies);
    let mut project = loaded.project;
    let currency = project.room.currency;
    let date = "2026-11-30".to_owned();
    project.economy.tariffs = vec![Tariff { from_h: 22.0, to_h: 6.0, per_kwh: 0.1 }];
    project.economy.rents = vec![Rent { name: "hire".to_owned(), per_hour: 2.0, currency, date: date.clone(), speed: 1.0 }];
    project.economy.services = vec![Service { name: "service".to_owned(), per_million: 1.0, currency, date }];
    let facts = facts(&catalog, &project, Effort::Live);
    assert!(!facts.cost.lines.is_empty() && facts.cost.life.is_some());
    c.bench_function("cost ledger of a four-card rig", |b| b.iter(|| cost(&catalog, &project, &facts.power, &facts.memory, &facts.speed)));
}

criterion_group!(benches, ledger);
criterion_main!(benches);
