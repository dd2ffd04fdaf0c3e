//! All rules on an eight-card rig, and the stakes of its findings: to stay below 300 microseconds and 50 milliseconds.

#![expect(clippy::expect_used, reason = "without the shipped catalog there is nothing to measure")]

#[path = "support/rigs.rs"]
#[expect(dead_code, reason = "each measurement uses a part of it")]
mod rigs;

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::{Effort, facts};
use rigbay::build::slots::SlotKind;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::checks::{Case, mend, run};

fn rules(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let project = rigs::whole(&catalog).expect("a board with slots");
    let project = rigs::fill(&catalog, project, "ram", |k| *k == SlotKind::Dimm, 1);
    let facts = facts(&catalog, &project, Effort::Live);
    let case = Case { catalog: &catalog, project: &project, facts: &facts };
    let findings = run(&case);
    assert!(findings.len() >= 30, "{} findings", findings.len());
    c.bench_function("all rules on eight cards", |b| b.iter(|| run(&case)));
    let mut group = c.benchmark_group("stakes");
    group.sample_size(10);
    group.bench_function("fixes and stakes of its findings", |b| {
        b.iter(|| {
            let mut findings = findings.clone();
            mend(&case, &mut findings);
            findings
        });
    });
}

criterion_group!(benches, rules);
criterion_main!(benches);
