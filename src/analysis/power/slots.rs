//! What each slot of the board feeds its card, and what it can give.

use crate::analysis::{Basis, Origin};
use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Connector, PartKind};
use crate::catalog::vocab::ConnectorKind;
use crate::project::Project;
use crate::units::watts;

pub use crate::project::piece_settings::{SLOT_LIMIT, SLOT_W};

/// One slot with a card that draws from it.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotFeed {
    /// The board's label of the slot.
    pub label: String,
    pub device: PlacementId,
    pub gives_w: f64,
    /// What the card takes from the slot at most; `None` = unknown.
    pub draws_w: Option<f64>,
    pub origin: Origin,
}

impl SlotFeed {
    /// The card may take more than the slot gives: `None` = unknown.
    pub fn is_over(&self) -> Option<bool> {
        Some(self.draws_w? > self.gives_w)
    }
}

/// What a slot gives: the board's own setting, else the specification.
pub fn gives(project: &Project, board: PlacementId, label: &str) -> f64 {
    let set = project.rig.placement(board).and_then(|p| p.settings.get(&format!("{SLOT_LIMIT}{label}")));
    set.and_then(|text| text.parse::<f64>().ok()).filter(|w| (5.0..=SLOT_W).contains(w)).unwrap_or(SLOT_W)
}

/// Slots of the board with a graphics card in them, or on a riser in them, in the order of the board.
pub(super) fn feeds(catalog: &Catalog, project: &Project) -> Vec<SlotFeed> {
    let Some((board_id, part)) = project.rig.part_in(catalog, &SlotId::rig("board")) else { return Vec::new() };
    let PartKind::Board(board) = &part.kind else { return Vec::new() };
    let slots = board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie);
    slots.filter_map(|c| feed(catalog, project, board_id, c)).collect()
}

fn feed(catalog: &Catalog, project: &Project, board: PlacementId, connector: &Connector) -> Option<SlotFeed> {
    let mut slot = SlotId::of(board, &connector.label);
    let (mut device, mut part) = project.rig.part_in(catalog, &slot)?;
    // A plain riser carries the slot's power to its end; adapters with several ends have plugs of their own.
    if let PartKind::Riser(riser) = &part.kind {
        if riser.ends.unwrap_or(1) > 1 || riser.switch.is_some() {
            return None;
        }
        slot = SlotId::of(device, "end");
        (device, part) = project.rig.part_in(catalog, &slot)?;
    }
    let PartKind::Gpu(gpu) = &part.kind else { return None };
    let limit = project.rig.placement(device).and_then(|p| p.settings.get(super::POWER_LIMIT)).and_then(|t| t.parse::<f64>().ok());
    let most = limit.into_iter().chain(gpu.tdp_w).reduce(f64::min);
    let (draws_w, formula) = match (gpu.plugs.as_deref(), most) {
        (Some([]), Some(most)) => (Some(most), format!("{} has no plug: all of its {} come from the slot", part.short_name(), watts(most))),
        (Some([]), None) => (None, format!("{} has no plug, and its draw is unknown", part.short_name())),
        (Some(_), most) => {
            let most = most.map_or(SLOT_W, |m| m.min(SLOT_W));
            (Some(most), format!("{} has plugs of its own and takes at most {} from the slot", part.short_name(), watts(most)))
        }
        (None, Some(most)) if most <= SLOT_W => {
            (Some(most), format!("{} draws {} in all; whether it has a plug is unknown", part.short_name(), watts(most)))
        }
        (None, _) => (None, format!("the plugs of {} are unknown", part.short_name())),
    };
    let origin = Origin::new(Basis::Derived, formula, "PCI Express card electromechanical specification: 75 W for an x16 graphics card");
    Some(SlotFeed { label: connector.label.clone(), device, gives_w: gives(project, board, &connector.label), draws_w, origin })
}
