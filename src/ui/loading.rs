//! The catalog and the models that ship with the program, with the user's own folder over it.

use std::sync::Arc;

use super::library::tell_faults;
use super::notices::Notices;
use crate::catalog::Catalog;
use crate::catalog::folder::load_all;
use crate::catalog::model::ModelShape;
use crate::files;
use crate::import::model_list;

/// Everything that ships, with the user's own parts if they are wanted, and a notice for everything that is broken.
pub(super) fn builtin(notices: &mut Notices, own_parts: bool) -> (Arc<Catalog>, Arc<Vec<Arc<ModelShape>>>) {
    let (catalog, faults) = load_all(files::user_catalog().as_deref().filter(|_| own_parts));
    tell_faults(notices, &faults);
    let (shapes, errors) = model_list::load_all(files::user_catalog().as_deref());
    errors.iter().for_each(|e| notices.problem(e.to_string()));
    let mut models: Vec<Arc<ModelShape>> = shapes.into_iter().map(Arc::new).collect();
    models.sort_by_key(|m| m.short_name().to_lowercase());
    (Arc::new(catalog), Arc::new(models))
}
