//! Cost of the memory ledger of a model of a thousand tensors on eight cards; the aim is 100 microseconds.

#![expect(clippy::unwrap_used, reason = "a broken setup ends the measurement")]

use std::sync::Arc;

#[path = "support/rigs.rs"]
#[expect(dead_code, reason = "each measurement uses a part of it")]
mod rigs;

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::memory::ledgers;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::model::{ModelShape, Tensors};
use rigbay::import::model_list::builtin;
use rigbay::workload::Workload;

/// Llama 3.1 70B, its tensors cut into about a thousand.
fn thousand_tensors() -> ModelShape {
    let models = embedded_files("models/").into_iter().flat_map(|(name, text)| builtin(&text, &name).unwrap());
    let mut model = models.into_iter().find(|m| m.name == "meta-llama/Llama-3.1-70B").unwrap();
    let pieces = 1000 / model.tensors.len() as u64 + 1;
    let cut = |t: Tensors| (0..pieces).map(move |_| Tensors { params: t.params / pieces, active: t.active / pieces, ..t.clone() });
    model.tensors = model.tensors.into_iter().flat_map(cut).collect();
    model
}

fn ledger(c: &mut Criterion) {
    let (catalog, _) = load(&embedded_files(""));
    let mut project = rigs::alike(&catalog).unwrap();
    project.workloads.push(Workload::of(Arc::new(thousand_tensors())));
    let cards = ledgers(&catalog, &project).0.len();
    c.bench_function(&format!("ledger of a thousand tensors on {cards} cards"), |b| b.iter(|| ledgers(&catalog, &project)));
}

criterion_group!(benches, ledger);
criterion_main!(benches);
