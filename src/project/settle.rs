//! After a host changed: what still fits stays, what fits elsewhere on the same host moves there, the rest goes to the tray.

use std::collections::BTreeMap;

use crate::build::fit::{Fit, fit};
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{Build, Placement, PlacementId, SlotId};
use crate::catalog::Catalog;

/// Re-seats every placement whose slot is gone or no longer takes it. Never deletes one.
pub(super) fn settle(catalog: &Catalog, build: &mut Build) {
    if all_seated(catalog, build) {
        return;
    }
    let wanted = std::mem::take(&mut build.placements);
    let mut open: BTreeMap<PlacementId, Placement> = BTreeMap::new();
    for (id, mut piece) in wanted {
        match piece.slot.take() {
            Some(slot) => {
                open.insert(id, Placement { slot: Some(slot), ..piece });
            }
            None => {
                build.placements.insert(id, piece);
            }
        }
    }
    // Hosts first: a piece can be seated once its host is; at most as many rounds as pieces nest.
    loop {
        let ready: Vec<PlacementId> =
            open.iter().filter(|(_, p)| p.slot.as_ref().is_some_and(|s| host_ready(build, s))).map(|(&id, _)| id).collect();
        if ready.is_empty() {
            break;
        }
        for id in ready {
            let Some(piece) = open.remove(&id) else { continue };
            let slot = piece.slot.as_ref().and_then(|old| seat(catalog, build, &piece, old));
            build.placements.insert(id, Placement { slot, ..piece });
        }
    }
    for (id, piece) in open {
        let slot = piece.slot.as_ref().and_then(|old| seat(catalog, build, &piece, old));
        build.placements.insert(id, Placement { slot, ..piece });
    }
}

fn host_ready(build: &Build, slot: &SlotId) -> bool {
    slot.host_part().is_none_or(|h| build.placement(h).is_some_and(|p| p.slot.is_some()))
}

fn all_seated(catalog: &Catalog, build: &Build) -> bool {
    let offered: BTreeMap<SlotId, Slot> = slots(catalog, build).into_iter().map(|s| (s.id.clone(), s)).collect();
    build.placements().filter_map(|(id, p)| Some((id, p, p.slot.as_ref()?))).all(|(id, piece, slot)| {
        let (Some(slot), Some(part)) = (offered.get(slot), catalog.part(&piece.part)) else { return false };
        if slot.kind == SlotKind::Dimm {
            return dimms_fit(catalog, build, slot);
        }
        slot.occupants.len() == 1 && fit(catalog, build, part, slot, Some(id)).possible()
    })
}

/// Whether all kits of a memory group fit together.
fn dimms_fit(catalog: &Catalog, build: &Build, slot: &Slot) -> bool {
    let mut group = Slot { occupants: Vec::new(), ..slot.clone() };
    slot.occupants.iter().all(|&id| {
        let part = build.placement(id).and_then(|p| catalog.part(&p.part));
        let ok = part.is_some_and(|part| fit(catalog, build, part, &group, None).possible());
        group.occupants.push(id);
        ok
    })
}

/// The old slot if it still takes the part, else a free one of the same kind on the same host, or none. A part that the catalog
/// does not know keeps its slot.
fn seat(catalog: &Catalog, build: &Build, piece: &Placement, old: &SlotId) -> Option<SlotId> {
    let offered = slots(catalog, build);
    let part = catalog.part(&piece.part)?;
    let free = |s: &&Slot| s.kind == SlotKind::Dimm || s.occupants.is_empty();
    let takes = |s: &Slot| fit(catalog, build, part, s, None);
    let same = offered.iter().find(|s| s.id == *old).filter(free);
    if let Some(slot) = same.filter(|s| takes(s).possible()) {
        return Some(slot.id.clone());
    }
    let candidates: Vec<&Slot> = offered.iter().filter(free).filter(|s| s.id.host == old.host || old.host_part().is_none()).collect();
    candidates.iter().find(|s| takes(s) == Fit::Fits).or_else(|| candidates.iter().find(|s| takes(s).possible())).map(|s| s.id.clone())
}
