//! The performance ledger with all strategies for eight cards (aim 500 microseconds), and a sweep of 64 points (aim 20 milliseconds).

#![expect(clippy::unwrap_used, reason = "a broken setup ends the measurement")]

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::speed::{Ledgers, speeds};
use rigbay::analysis::{Effort, facts};
use rigbay::build::SlotId;
use rigbay::build::slots::slots;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::{PartId, PartKind};
use rigbay::import::model_list::builtin;
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::workload::Workload;
use rigbay::workload::training::Training;

/// The board with most slots, and the same card in eight of them.
fn eight_cards(catalog: &Catalog) -> Project {
    let count = |p: &rigbay::catalog::part::Part| if let PartKind::Board(b) = &p.kind { b.connectors.len() } else { 0 };
    let board = catalog.parts().max_by_key(|p| count(p)).unwrap().id.clone();
    let mut project = Edit::place(&board, Some(SlotId::rig("board"))).apply(catalog, &Project::default()).unwrap();
    let card = PartId::new("gpu.nvidia.rtx-3090");
    for slot in slots(catalog, &project.rig) {
        if project.rig.placed(catalog).count() > 8 {
            break;
        }
        if let Ok(next) = Edit::place(&card, Some(slot.id)).apply(catalog, &project) {
            project = next;
        }
    }
    project
}

fn ledger(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let models: Vec<_> = embedded_files("models/").iter().flat_map(|(name, text)| builtin(text, name).unwrap()).collect();
    let model = |name: &str| models.iter().find(|m| m.name == name).unwrap().clone().into();
    let serving = Workload { batch: 8, ..Workload::of(model("meta-llama/Llama-3.3-70B-Instruct")) };
    let training = Workload { training: Some(Training::default()), ..Workload::of(model("meta-llama/Llama-3.1-8B")) };
    for (name, workload) in [("serving", serving), ("training", training)] {
        let mut project = eight_cards(&catalog);
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
