//! Parts without places become a rig: each goes where it would if nobody says, the ones that offer places first.

use super::best_slot;
use crate::build::slots::slots;
use crate::catalog::Catalog;
use crate::catalog::part::PartId;
use crate::project::Project;
use crate::project::edit::Edit;

/// Where one part went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seated {
    pub part: PartId,
    /// Label of its place; `None` = in the tray.
    pub place: Option<String>,
}

/// Kinds in the order in which they are placed.
const ORDER: [&str; 13] = ["case", "board", "cpu", "cooler", "ram", "psu", "gpu", "nic", "carrier", "riser", "drive", "fan", "bridge"];

/// Places `parts`, one piece each, into a copy of `project`; the answer is in their order. What finds no place lies in the tray, and what
/// the catalog lacks is left out.
pub fn assemble(catalog: &Catalog, project: &Project, parts: &[PartId]) -> (Project, Vec<Seated>) {
    let mut project = project.clone();
    let rank = |id: &PartId| catalog.part(id).and_then(|p| ORDER.iter().position(|k| *k == p.kind.key())).unwrap_or(ORDER.len());
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| parts.get(*at).map_or(usize::MAX, rank));
    let mut seated: Vec<Option<Seated>> = vec![None; parts.len()];
    for at in order {
        let (Some(part), Some(answer)) = (parts.get(at), seated.get_mut(at)) else { continue };
        let slot = best_slot(catalog, &project, part);
        let label = slot.as_ref().and_then(|id| slots(catalog, &project.rig).into_iter().find(|s| s.id == *id)).map(|s| s.label);
        if let Ok(next) = Edit::place(part, slot).apply(catalog, &project) {
            project = next;
            *answer = Some(Seated { part: part.clone(), place: label });
        }
    }
    (project, seated.into_iter().flatten().collect())
}
