//! Rigs of eight cards, for several measurements.

use rigbay::build::SlotId;
use rigbay::build::slots::{SlotKind, slots};
use rigbay::catalog::Catalog;
use rigbay::catalog::part::{Part, PartId, PartKind};
use rigbay::catalog::vocab::ConnectorKind;
use rigbay::project::Project;
use rigbay::project::edit::Edit;

/// Puts the first part of a kind that goes there into every free place of a kind, `most` times at most.
pub fn fill(catalog: &Catalog, mut project: Project, kind: &str, place: impl Fn(&SlotKind) -> bool, most: usize) -> Project {
    for _ in 0..most {
        let free: Vec<_> = slots(catalog, &project.rig).into_iter().filter(|s| place(&s.kind) && s.occupants.is_empty()).collect();
        let parts = || catalog.parts().filter(|p| p.kind.key() == kind && !p.generic);
        let placed = free.iter().find_map(|s| parts().find_map(|p| Edit::place(&p.id, Some(s.id.clone())).apply(catalog, &project).ok()));
        match placed {
            Some(next) => project = next,
            None => break,
        }
    }
    project
}

/// The board with most card slots, its processors and supplies, and eight cards.
pub fn whole(catalog: &Catalog) -> Option<Project> {
    let with_cards = |board: &Part| {
        let start = Edit::place(&board.id, Some(SlotId::rig("board"))).apply(catalog, &Project::default()).ok()?;
        Some(fill(catalog, start, "gpu", |k| matches!(k, SlotKind::Connector(c) if c.kind == ConnectorKind::Pcie), 8))
    };
    let boards = catalog.parts().filter(|p| p.kind.key() == "board").filter_map(with_cards);
    let project = boards.max_by_key(|p| p.rig.placements().count())?;
    let project = fill(catalog, project, "cpu", |k| *k == SlotKind::Socket, 2);
    Some(fill(catalog, project, "psu", |k| *k == SlotKind::Psu, 2))
}

/// The board with most slots, and an RTX 3090 in eight of them.
pub fn alike(catalog: &Catalog) -> Option<Project> {
    let count = |p: &Part| if let PartKind::Board(b) = &p.kind { b.connectors.len() } else { 0 };
    let board = catalog.parts().max_by_key(|p| count(p))?.id.clone();
    let mut project = Edit::place(&board, Some(SlotId::rig("board"))).apply(catalog, &Project::default()).ok()?;
    for slot in slots(catalog, &project.rig) {
        if project.rig.placed(catalog).count() > 8 {
            break;
        }
        if let Ok(next) = Edit::place(&PartId::new("gpu.nvidia.rtx-3090"), Some(slot.id)).apply(catalog, &project) {
            project = next;
        }
    }
    Some(project)
}
