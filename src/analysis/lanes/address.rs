//! Address space for the memory windows (BARs) of cards: a card can be seated well and still keep the machine from starting.

use crate::build::PlacementId;
use crate::catalog::part::Gpu;

use super::peers::Card;
use super::seats::World;

/// What the cards' memory windows need, and what the board gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddressSpace {
    /// Sum of the windows that cards open at start, GB; `None` = one is unknown.
    pub need_gb: Option<f64>,
    /// Cards whose window fits only above 4 GB.
    pub large: Vec<PlacementId>,
    /// The BIOS places windows above 4 GB: by its settings, else as far as the board's facts tell.
    pub above_4g: Option<bool>,
    /// What the BIOS gives to windows; `None` = unknown.
    pub have_gb: Option<f64>,
}

/// Window of a GeForce without resizable BAR. Source: noonghunna/club-3090, docs.
const SMALL_GB: f64 = 0.25;

/// Windows beyond this find no place below 4 GB, where memory and devices already are. Chosen.
const BELOW_4G_GB: f64 = 2.0;

/// A card of a data centre opens its whole memory, rounded up to a power of two: 32 GB for a Tesla P40 or an M40 24 GB
/// (xCuri0/ReBarUEFI issue 77). Others start with a small window and widen it where the BIOS lets them.
fn window_gb(gpu: &Gpu) -> Option<f64> {
    if gpu.bar_gb.is_some() {
        return gpu.bar_gb;
    }
    match gpu.segment.as_deref() {
        Some("data centre") => Some((gpu.memory_gb?.ceil() as u64).next_power_of_two() as f64),
        Some(_) => Some(SMALL_GB),
        None => None,
    }
}

pub(super) fn address_space(world: &World<'_>, cards: &[Card<'_>]) -> AddressSpace {
    let windows: Vec<(PlacementId, Option<f64>)> = cards.iter().map(|c| (c.id, window_gb(c.gpu))).collect();
    let above_4g = match world.choice("above_4g") {
        Some("on") => Some(true),
        Some("off") => Some(false),
        _ => world.board.above_4g,
    };
    AddressSpace {
        need_gb: windows.iter().map(|(_, gb)| *gb).sum(),
        large: windows.iter().filter(|(_, gb)| gb.is_some_and(|gb| gb > BELOW_4G_GB)).map(|(id, _)| *id).collect(),
        above_4g,
        have_gb: world.board.mmio_gb,
    }
}
