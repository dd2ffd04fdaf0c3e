//! A card of which only the name is known, completed with what the catalog knows of its product.

use super::known::{self, Known};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartKind};

/// Fills vendor, product and the product's facts of a card whose name has the product of a part in the catalog.
pub fn fill(catalog: &Catalog, part: &mut Part) {
    let PartKind::Gpu(gpu) = &mut part.kind else { return };
    let known = Known::of(catalog);
    let Some((model, theirs)) = known.gpu_named(&part.name, gpu.memory_gb) else { return };
    for field in ["vendor", "product"] {
        if let Some((origin, source)) = model.from.get(field).and_then(|o| Some((o, model.sources.get(&o.source)?))) {
            let key = format!("catalog-{}", origin.source);
            part.sources.insert(key.clone(), source.clone());
            let origin = crate::catalog::part::Provenance { source: key, ..origin.clone() };
            part.from.insert(field.to_owned(), origin);
        }
    }
    (gpu.vendor, gpu.product) = (theirs.vendor, theirs.product.clone());
    let taken = known::complete_gpu(gpu, model, theirs);
    part.from.extend(taken.from);
    part.sources.extend(taken.sources);
    if gpu.memory_gb.is_none() && model.sources.contains_key(model.from.get("memory_gb").map_or("", |o| o.source.as_str())) {
        // The name said no amount, and the product has one.
        gpu.memory_gb = theirs.memory_gb;
        if let Some(origin) = model.from.get("memory_gb") {
            let key = format!("catalog-{}", origin.source);
            part.sources.extend(model.sources.get(&origin.source).map(|s| (key.clone(), s.clone())));
            part.from.insert("memory_gb".to_owned(), crate::catalog::part::Provenance { source: key, ..origin.clone() });
        }
    }
}
