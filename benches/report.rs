//! The live report of an eight-card rig, as every edit and every drag computes it: to stay below a millisecond.

#![expect(clippy::expect_used, reason = "without the shipped catalog there is nothing to measure")]

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::{Effort, facts};
use rigbay::build::slots::{SlotKind, slots};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::import::model_list::builtin;
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::report::analyze;
use rigbay::workload::Workload;

/// Puts the first part of a kind that goes there into every free place of a kind, `most` times at most.
fn fill(catalog: &Catalog, project: Project, kind: &str, place: impl Fn(&SlotKind) -> bool, most: usize) -> Project {
    let mut project = project;
    for _ in 0..most {
        let free: Vec<_> = slots(catalog, &project.rig).into_iter().filter(|s| place(&s.kind) && s.occupants.is_empty()).collect();
        let parts = || catalog.parts().filter(|p| p.kind.key() == kind);
        let placed = free.iter().find_map(|s| parts().find_map(|p| Edit::place(&p.id, Some(s.id.clone())).apply(catalog, &project).ok()));
        match placed {
            Some(next) => project = next,
            None => break,
        }
    }
    project
}

/// The board with most card slots, one CPU, a supply, and eight cards.
fn eight_cards(catalog: &Catalog) -> Project {
    let with_cards = |board: &rigbay::catalog::part::Part| {
        let start = Edit::place(&board.id, Some(rigbay::build::SlotId::rig("board"))).apply(catalog, &Project::default()).ok()?;
        Some(fill(
            catalog,
            start,
            "gpu",
            |k| matches!(k, SlotKind::Connector(c) if c.kind == rigbay::catalog::vocab::ConnectorKind::Pcie),
            8,
        ))
    };
    let boards = catalog.parts().filter(|p| p.kind.key() == "board").filter_map(with_cards);
    let mut project = boards.max_by_key(|p| p.rig.placements().count()).expect("a board with slots");
    project = fill(catalog, project, "cpu", |k| *k == SlotKind::Socket, 2);
    project = fill(catalog, project, "psu", |k| *k == SlotKind::Psu, 2);
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
