//! The program's catalog with a folder of the user's own laid over it.

use std::path::Path;

use super::Catalog;
use super::load::{Fault, embedded_files, load};
use crate::files::{self, LIMIT};

/// The texts of a folder's TOML files with their paths, and a fault for each that cannot be read.
pub fn folder_files(folder: &Path) -> (Vec<(String, String)>, Vec<Fault>) {
    let (mut read, mut faults) = (Vec::new(), Vec::new());
    for path in files::toml_files(folder) {
        let name = path.display().to_string();
        match files::read_text(&path, LIMIT) {
            Ok(text) => read.push((name, text)),
            Err(error) => {
                let text = error.to_string();
                let message = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text).to_owned();
                faults.push(Fault { file: name, line: 1, part: String::new(), field: String::new(), message });
            }
        }
    }
    (read, faults)
}

/// The embedded catalog, parts of `user`'s files replacing its own by id. What is broken is left out and named.
pub fn load_all(user: Option<&Path>) -> (Catalog, Vec<Fault>) {
    let mut texts = embedded_files("");
    let (own, mut unreadable) = user.map(folder_files).unwrap_or_default();
    texts.extend(own);
    let (catalog, mut faults) = load(&texts);
    faults.append(&mut unreadable);
    (catalog, faults)
}
