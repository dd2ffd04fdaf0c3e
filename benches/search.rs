//! Search over 50,000 parts of one kind, to stay below five milliseconds a keystroke.

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::catalog::Catalog;
use rigbay::catalog::part::{Fan, Part, PartId, PartKind};
use rigbay::catalog::templates::Templates;
use rigbay::search::index::Index;

const MAKERS: [&str; 7] = ["Alder Works", "Birch", "Cedar & Sons", "Douglas", "Elm Computing", "Fir", "Gorse"];
const WORDS: [&str; 11] = ["Breeze", "Quiet", "Storm", "Pro", "Plus", "Max", "Black", "White", "RGB", "Slim", "Turbo"];

fn catalog() -> Catalog {
    let part = |n: usize| {
        let word = |step: usize| WORDS.get(n / step % WORDS.len()).copied().unwrap_or_default();
        let maker = MAKERS.get(n % MAKERS.len()).copied().unwrap_or_default();
        let name = format!("{maker} {} {} {} {} mm {n}", word(7), word(77), word(847), 80 + n % 5 * 20);
        let mut part = Part::bare(PartId::new(&format!("fan.bench.{n}")), &name, PartKind::Fan(Fan::default()));
        part.maker = Some(maker.to_owned());
        part.part_number = Some(format!("PN-{:06}", n * 37));
        part
    };
    Catalog::new((0..50_000).map(part), Templates::default(), String::new())
}

fn keystrokes(c: &mut Criterion) {
    let catalog = catalog();
    let text = |p: &Part| format!("{} {} {} ? mm · ? m³/h", p.name, p.part_number.as_deref().unwrap_or_default(), p.id);
    let index = Index::of(&catalog, |_| true, text);
    assert_eq!(index.len(), 50_000);
    for typed in ["", "b", "breeze", "breeze 120", "cedar quiet 120 pn-0", "no such part"] {
        let words: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
        c.bench_function(&format!("50,000 parts, \"{typed}\""), |b| b.iter(|| index.find(&words).len()));
    }
    c.bench_function("making the index of 50,000 parts", |b| b.iter(|| Index::of(&catalog, |_| true, text).len()));
}

criterion_group!(benches, keystrokes);
criterion_main!(benches);
