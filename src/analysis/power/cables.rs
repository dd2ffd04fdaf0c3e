//! Which lead of which supply feeds which plug.

use std::collections::BTreeMap;

use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::catalog::part::{Gpu, PartKind};
use crate::catalog::vocab::{DriveBus, DriveForm, Plug};
use crate::project::Project;
use crate::project::power_settings::ADAPTER_PLUGS;

/// What one 8-pin plug carries: PCI Express card electromechanical specification.
pub const PLUG_W: f64 = 150.0;

/// One lead in the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// The supply; `None` = none has such a plug left, or its plugs are unknown.
    pub from: Option<PlacementId>,
    pub to: PlacementId,
    /// What it ends in at the supply's side of an adapter: the plug that is used up.
    pub plug: Plug,
    /// It goes into an adapter that makes a 16-pin plug of several.
    pub by_adapter: bool,
}

/// Plugs of one supply that are still free.
struct Left {
    id: PlacementId,
    /// `None` = unknown.
    plugs: Option<BTreeMap<Plug, u32>>,
}

impl Left {
    fn take(&mut self, plug: Plug) -> bool {
        let Some(count) = self.plugs.as_mut().and_then(|p| p.get_mut(&plug)).filter(|n| **n > 0) else { return false };
        *count -= 1;
        true
    }
}

/// Plugs that serve a wanted one, the plain match first: both 16-pin kinds go into each other, and PCIe leads are "6+2".
fn serving(plug: Plug) -> &'static [Plug] {
    match plug {
        Plug::Pcie6 => &[Plug::Pcie6, Plug::Pcie8],
        Plug::Hpwr16 | Plug::Hpwr2x6 => &[Plug::Hpwr2x6, Plug::Hpwr16],
        Plug::Pcie8 => &[Plug::Pcie8],
        Plug::Eps8 => &[Plug::Eps8],
        Plug::Sata => &[Plug::Sata],
    }
}

/// The plan: board first, then cards, then drives, each in order of its place; supplies are used up one after the other. Parts whose plugs
/// are unknown have no lead in it.
pub(super) fn cables(catalog: &Catalog, project: &Project) -> Vec<Cable> {
    let mut supplies = Vec::new();
    let mut wanted: Vec<(u8, PlacementId, Plug, u32, u32)> = Vec::new();
    for (id, placement, part) in project.rig.placed(catalog) {
        match &part.kind {
            PartKind::Psu(psu) => {
                let plugs = psu.plugs.as_ref().map(|list| {
                    let mut sums = BTreeMap::new();
                    for plug in list {
                        *sums.entry(plug.plug).or_insert(0) += u32::from(plug.count);
                    }
                    sums
                });
                supplies.push(Left { id, plugs });
            }
            PartKind::Board(board) => wanted.extend(board.eps_plugs.map(|n| (0, id, Plug::Eps8, u32::from(n), 0))),
            PartKind::Gpu(gpu) => {
                let stated = placement.settings.get(ADAPTER_PLUGS).and_then(|n| n.parse::<f64>().ok());
                for plug in gpu.plugs.iter().flatten() {
                    wanted.push((1, id, plug.plug, u32::from(plug.count), adapter_plugs(gpu, stated)));
                }
            }
            PartKind::Drive(drive)
                if drive.bus != Some(DriveBus::Nvme) && matches!(drive.form, Some(DriveForm::Inch25 | DriveForm::Inch35)) =>
            {
                wanted.push((2, id, Plug::Sata, 1, 0));
            }
            _ => {}
        }
    }
    if supplies.is_empty() {
        return Vec::new();
    }
    wanted.sort_by_key(|w| (w.0, w.1));
    let mut plan = Vec::new();
    for (_, to, plug, count, adapter) in wanted {
        for _ in 0..count {
            lead(&mut supplies, to, plug, adapter, &mut plan);
        }
    }
    plan
}

/// 8-pin plugs that an adapter to one 16-pin plug takes.
fn adapter_plugs(gpu: &Gpu, stated: Option<f64>) -> u32 {
    stated.unwrap_or_else(|| (gpu.tdp_w.unwrap_or(600.0) / PLUG_W).ceil()) as u32
}

fn lead(supplies: &mut [Left], to: PlacementId, plug: Plug, adapter: u32, plan: &mut Vec<Cable>) {
    let take = |supplies: &mut [Left], kind: Plug| supplies.iter_mut().find_map(|s| s.take(kind).then_some(s.id));
    let found = serving(plug).iter().find_map(|kind| Some((take(supplies, *kind)?, *kind)));
    if let Some((from, kind)) = found {
        plan.push(Cable { from: Some(from), to, plug: kind, by_adapter: false });
        return;
    }
    if matches!(plug, Plug::Hpwr16 | Plug::Hpwr2x6) && supplies.iter().all(|s| s.plugs.is_some()) {
        for _ in 0..adapter {
            plan.push(Cable { from: take(supplies, Plug::Pcie8), to, plug: Plug::Pcie8, by_adapter: true });
        }
        return;
    }
    plan.push(Cable { from: None, to, plug, by_adapter: false });
}
