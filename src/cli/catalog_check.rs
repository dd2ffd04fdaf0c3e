//! `rigbay catalog check`: every fault with file, line, part and field, or what the catalog holds.

use std::collections::BTreeMap;
use std::path::Path;

use super::Out;
use crate::catalog::folder::folder_files;
use crate::catalog::kinds::KINDS;
use crate::catalog::load::{embedded_files, is_model_list, load};
use crate::catalog::part::Part;
use crate::catalog::vocab::Confidence;
use crate::catalog::{Catalog, load::Fault};
use crate::files;
use crate::import::model_list;

/// Checks the program's catalog, or a folder's files laid over it.
pub(super) fn check(folder: Option<&Path>, out: &mut Out<'_>) -> Result<(), String> {
    let mut texts = embedded_files("");
    let (mut own, mut faults) = (texts.clone(), Vec::new());
    if let Some(folder) = folder {
        if !files::is_folder(folder) {
            return Err(format!("{}: is no folder. Name a folder with catalog files.", folder.display()));
        }
        (own, faults) = folder_files(folder);
        if own.is_empty() && faults.is_empty() {
            return Err(format!("{}: holds no .toml file. Name a folder with catalog files.", folder.display()));
        }
        texts.extend(own.iter().cloned());
    }
    let (catalog, found) = load(&texts);
    faults.extend(found.into_iter().filter(|f| own.iter().any(|(name, _)| *name == f.file)));
    let mut lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    let mut models = 0;
    for (name, text) in own.iter().filter(|(name, _)| is_model_list(name)) {
        match model_list::builtin(text, name) {
            Ok(shapes) => models += shapes.len(),
            Err(errors) => lines.extend(errors.iter().map(ToString::to_string)),
        }
    }
    if lines.is_empty() {
        out.say(&summary(&catalog, own.len(), models));
        return Ok(());
    }
    let count = if lines.len() == 1 { "1 fault".to_owned() } else { format!("{} faults", lines.len()) };
    Err(format!("{}\n{count}", lines.join("\n")))
}

/// Counts by kind, how many carry a price and one whose source can be opened, and how far the facts can be trusted.
fn summary(catalog: &Catalog, files: usize, models: usize) -> String {
    let mut out = format!("{files} files, {} parts, {models} models, no fault. Catalog {}\n\n", catalog.len(), catalog.version());
    out.push_str(&format!("{:<10}{:>7}{:>10}{:>13}{:>13}\n", "kind", "parts", "generic", "with price", "of a source"));
    for (key, _, _) in KINDS {
        let parts: Vec<&Part> = catalog.parts().filter(|p| p.kind.key() == key).collect();
        out.push_str(&row(key, &parts));
    }
    let all: Vec<&Part> = catalog.parts().collect();
    out.push_str(&row("all", &all));
    let mut levels: BTreeMap<Confidence, usize> = BTreeMap::new();
    let mut unrecorded = 0;
    for part in &all {
        for origin in part.from.values() {
            *levels.entry(origin.confidence).or_default() += 1;
            unrecorded += usize::from(part.sources.get(&origin.source).is_none_or(|s| s.url.is_none()));
        }
    }
    let facts: usize = levels.values().sum();
    out.push_str(&format!("\n{facts} facts by confidence:"));
    for level in Confidence::ALL {
        out.push_str(&format!(" {level} {},", levels.get(level).copied().unwrap_or(0)));
    }
    out.push_str(&format!(" source not recorded {unrecorded}\n"));
    out
}

fn row(name: &str, parts: &[&Part]) -> String {
    let generic = parts.iter().filter(|p| p.generic).count();
    let products = parts.len() - generic;
    let priced = parts.iter().filter(|p| !p.generic && !p.prices.is_empty()).count();
    let can_be_read = |p: &&Part| p.prices.iter().any(|price| p.sources.get(&price.source).is_some_and(|s| s.url.is_some()));
    let sourced = parts.iter().filter(|p| !p.generic).filter(|p| can_be_read(p)).count();
    let share = |count: usize| {
        let percent = (count * 100).checked_div(products).map(|s| format!(" ({s}%)")).unwrap_or_default();
        format!("{count}{percent}")
    };
    format!("{name:<10}{:>7}{generic:>10}{:>13}{:>13}\n", parts.len(), share(priced), share(sourced))
}
