//! Allocation and all flows of eight cards on two sockets: to stay below 200 microseconds.

#![expect(clippy::expect_used, reason = "without the shipped catalog there is nothing to measure")]

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::lanes::lanes;
use rigbay::build::SlotId;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::project::Project;
use rigbay::project::edit::Edit;

fn put(catalog: &Catalog, project: &Project, part: &str, slot: SlotId) -> Project {
    let id = catalog.find(part, None).expect("a part of the catalog").id.clone();
    Edit::place(&id, Some(slot)).apply(catalog, project).expect("a place for it")
}

fn eight_cards(catalog: &Catalog) -> Project {
    let mut project = put(catalog, &Project::default(), "board.generic.server-2-sp3-8-cards", SlotId::rig("board"));
    let board = project.rig.placements().next().expect("the board").0;
    for cpu in ["cpu1", "cpu2"] {
        project = put(catalog, &project, "cpu.amd.epyc-7302", SlotId::of(board, cpu));
    }
    for n in 1..=8 {
        project = put(catalog, &project, "NVIDIA A40 PCIe", SlotId::of(board, &format!("Slot {n}")));
    }
    put(catalog, &project, "NVMe x4", SlotId::of(board, "M.2 1"))
}

fn allocation_and_flows(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let project = eight_cards(&catalog);
    let made = lanes(&catalog, &project);
    assert_eq!((made.pairs.len(), made.hosts.len(), made.drives.len()), (28, 8, 8));
    c.bench_function("lanes and flows of eight cards on two sockets", |b| b.iter(|| lanes(&catalog, &project)));
}

criterion_group!(benches, allocation_and_flows);
criterion_main!(benches);
