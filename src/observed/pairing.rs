//! Which device of the machine is which piece of the rig.

use std::cmp::Reverse;

use super::compare::{Expected, How};
use super::identify::{Identity, identify, kind};
use crate::build::PlacementId;
use crate::build::slots::slots;
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartKind};
use crate::catalog::vocab::DriveBus;
use crate::import::observed::pci_ids::Kind;
use crate::import::observed::{Address, Class, Link, Observed};
use crate::project::Project;

/// A piece of the rig that shows up on the PCI bus.
#[derive(Clone, Debug)]
pub(super) struct Seat<'a> {
    pub placement: PlacementId,
    /// The board's own label of the connector.
    pub connector: String,
    pub part: &'a Part,
    pub kind: Kind,
}

/// A device of the machine that a rig has as a piece.
#[derive(Clone, Debug)]
pub(super) struct Found<'a> {
    pub address: Address,
    pub kind: Kind,
    pub identity: Identity<'a>,
    /// Now, where the card meets its slot.
    pub link: Link,
}

/// Cards, `NVMe` drives and network cards in connectors, in the board's order.
pub(super) fn seats<'a>(catalog: &'a Catalog, project: &Project, expected: &Expected) -> Vec<Seat<'a>> {
    let mut seats = Vec::new();
    for slot in slots(catalog, &project.rig).iter().filter(|s| s.connector().is_some()) {
        for &placement in &slot.occupants {
            let Some(part) = project.rig.placement(placement).and_then(|p| catalog.part(&p.part)) else { continue };
            let kind = match &part.kind {
                PartKind::Gpu(_) => Kind::Gpu,
                PartKind::Drive(drive) if drive.bus == Some(DriveBus::Nvme) => Kind::Drive,
                PartKind::Nic(_) => Kind::Nic,
                _ => continue,
            };
            let connector = expected.links.get(&placement).map_or_else(|| slot.label.clone(), |l| l.connector.clone());
            seats.push(Seat { placement, connector, part, kind });
        }
    }
    seats
}

/// Devices of these kinds, in the order of the bus.
pub(super) fn found<'a>(catalog: &'a Catalog, observed: &Observed) -> Vec<Found<'a>> {
    let classes = [Class::Graphics, Class::Nvme, Class::Network];
    let mut all: Vec<Address> = classes.into_iter().flat_map(|c| observed.of_class(c)).collect();
    all.sort();
    let of = |address: Address| {
        let kind = kind(observed, address)?;
        Some(Found { address, kind, identity: identify(catalog, observed, address), link: now(observed, address) })
    };
    all.into_iter().filter_map(of).collect()
}

/// What a device's link runs at, where it meets its slot.
pub(super) fn now(observed: &Observed, address: Address) -> Link {
    let edge = observed.devices.get(&observed.edge(address)).map(|d| d.status).unwrap_or_default();
    let logged = observed.gpu(address).map(|g| g.current).unwrap_or_default();
    Link { lanes: edge.lanes.or(logged.lanes), r#gen: edge.r#gen.max(logged.r#gen) }
}

/// Whether the device may be this piece.
fn fits(seat: &Seat<'_>, found: &Found<'_>) -> bool {
    let product = |part: &Part| match &part.kind {
        PartKind::Gpu(gpu) => gpu.product.clone(),
        _ => None,
    };
    let same_product = || product(seat.part).is_some_and(|mine| found.identity.parts.iter().any(|p| product(p).as_ref() == Some(&mine)));
    let same_name = || seat.part.name.starts_with(&found.identity.name) && !found.identity.name.is_empty();
    seat.kind == found.kind && (seat.part.generic || found.identity.may_be(seat.part) || same_product() || same_name())
}

/// Labels of firmware and of manuals for one slot: equal but for signs, or the manual's label as a word of the firmware's.
pub(super) fn same_label(firmware: &str, manual: &str) -> bool {
    let plain = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let wanted = plain(manual);
    !wanted.is_empty() && (plain(firmware) == wanted || firmware.split_whitespace().any(|w| plain(w) == wanted))
}

/// Whether the device sits in the slot that firmware gives this address.
pub(super) fn is_behind(observed: &Observed, device: Address, slot: Address) -> bool {
    let chain = observed.ancestors(device);
    device.same_device(slot) || observed.edge(device).same_device(slot) || chain.contains(&slot)
}

/// Pairs, by place in `seats` and in `found`, with how they were told.
pub(super) fn pairs(seats: &[Seat<'_>], found: &[Found<'_>], expected: &Expected, observed: &Observed) -> Vec<(usize, usize, How)> {
    let mut all: Vec<(usize, usize, How)> = Vec::new();
    for (s, seat) in seats.iter().enumerate() {
        let slot = observed.slots.iter().find(|slot| same_label(&slot.label, &seat.connector)).and_then(|slot| slot.address);
        let Some(slot) = slot else { continue };
        let device = found.iter().position(|f| fits(seat, f) && is_behind(observed, f.address, slot));
        if let Some(f) = device.filter(|f| all.iter().all(|(_, taken, _)| taken != f)) {
            all.push((s, f, How::Slot));
        }
    }
    // The widest places and the widest links belong together: of equal cards this supposes the least trouble.
    let lanes = |seat: &Seat<'_>| expected.links.get(&seat.placement).map(|l| l.link).unwrap_or_default();
    let mut order: Vec<usize> = (0..seats.len()).filter(|s| all.iter().all(|(taken, _, _)| taken != s)).collect();
    order.sort_by_key(|&s| seats.get(s).map(|seat| (seat.part.generic, Reverse((lanes(seat).lanes, lanes(seat).r#gen)), s)));
    for s in order {
        let Some(seat) = seats.get(s) else { continue };
        let is_free = |f: &usize| all.iter().all(|(_, taken, _)| taken != f);
        let free: Vec<usize> = (0..found.len()).filter(is_free).filter(|&f| found.get(f).is_some_and(|d| fits(seat, d))).collect();
        let width = |f: &usize| found.get(*f).map(|d| (Reverse(d.link.lanes), *f));
        let Some(&best) = free.iter().min_by_key(|f| width(f)) else { continue };
        let rivals = seats.iter().filter(|other| found.get(best).is_some_and(|d| fits(other, d))).count();
        let how = if free.len() == 1 && rivals == 1 { How::Name } else { How::Order };
        all.push((s, best, how));
    }
    by_elimination(seats, found, &mut all);
    all.sort_by_key(|(s, _, _)| *s);
    all
}

/// The one card or drive left over on both sides, if the catalog knows nothing of the device.
fn by_elimination(seats: &[Seat<'_>], found: &[Found<'_>], all: &mut Vec<(usize, usize, How)>) {
    for kind in [Kind::Gpu, Kind::Drive] {
        let seats: Vec<usize> =
            (0..seats.len()).filter(|s| all.iter().all(|(t, _, _)| t != s) && seats.get(*s).is_some_and(|x| x.kind == kind)).collect();
        let devices: Vec<usize> =
            (0..found.len()).filter(|f| all.iter().all(|(_, t, _)| t != f) && found.get(*f).is_some_and(|x| x.kind == kind)).collect();
        if let ([s], [f]) = (seats.as_slice(), devices.as_slice())
            && found.get(*f).is_some_and(|d| d.identity.parts.is_empty())
        {
            all.push((*s, *f, How::Elimination));
        }
    }
}
