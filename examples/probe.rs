fn main() {
    let files = rigbay::catalog::load::embedded_files("");
    let (c, f) = rigbay::catalog::load::load(&files);
    println!("{} parts, {} faults", c.len(), f.len());
    for x in f.iter().take(40) {
        println!("{x}");
    }
    for (k, _, _) in rigbay::catalog::kinds::KINDS {
        let all: Vec<_> = c.parts().filter(|p| p.kind.key() == k && !p.generic).collect();
        let priced = all.iter().filter(|p| !p.prices.is_empty()).count();
        println!("{k}: {} parts, {} priced = {}%", all.len(), priced, 100 * priced / all.len().max(1));
    }
}
