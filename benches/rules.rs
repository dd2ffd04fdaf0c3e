//! All rules on an eight-card rig, and the stakes of its findings: to stay below 300 microseconds and 50 milliseconds.

#![expect(clippy::expect_used, reason = "without the shipped catalog there is nothing to measure")]

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::{Effort, facts};
use rigbay::build::SlotId;
use rigbay::build::slots::{SlotKind, slots};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::vocab::ConnectorKind;
use rigbay::checks::{Case, mend, run};
use rigbay::project::Project;
use rigbay::project::edit::Edit;

/// The first part of a kind into every free place that takes it, `most` times at most.
fn fill(catalog: &Catalog, mut project: Project, kind: &str, place: impl Fn(&SlotKind) -> bool, most: usize) -> Project {
    for _ in 0..most {
        let free: Vec<_> = slots(catalog, &project.rig).into_iter().filter(|s| place(&s.kind) && s.occupants.is_empty()).collect();
        let parts = || catalog.parts().filter(|p| p.kind.key() == kind && !p.generic);
        let placed = free.iter().find_map(|s| parts().find_map(|p| Edit::place(&p.id, Some(s.id.clone())).apply(catalog, &project).ok()));
        match placed {
            Some(next) => project = next,
            None => break,
        }
    }
    project
}

/// The board with most card slots, its processors, supplies, memory, and eight cards.
fn eight_cards(catalog: &Catalog) -> Project {
    let with_cards = |board: &rigbay::catalog::part::Part| {
        let start = Edit::place(&board.id, Some(SlotId::rig("board"))).apply(catalog, &Project::default()).ok()?;
        Some(fill(catalog, start, "gpu", |k| matches!(k, SlotKind::Connector(c) if c.kind == ConnectorKind::Pcie), 8))
    };
    let boards = catalog.parts().filter(|p| p.kind.key() == "board").filter_map(with_cards);
    let project = boards.max_by_key(|p| p.rig.placements().count()).expect("a board with slots");
    let project = fill(catalog, project, "cpu", |k| *k == SlotKind::Socket, 2);
    let project = fill(catalog, project, "psu", |k| *k == SlotKind::Psu, 2);
    fill(catalog, project, "ram", |k| *k == SlotKind::Dimm, 1)
}

fn rules(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let project = eight_cards(&catalog);
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
