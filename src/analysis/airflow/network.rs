//! The zones as a circuit, for teaching: nodes with pressure and temperature, gaps and grilles as resistors, fans and coolers as sources.

use super::net::Net;
use super::outcome::solved;
use super::rig::{self, RigScene};
use super::scene::{Kind, Scene, Wall};
use super::solve::State;
use super::{Cut, with_readings};
use crate::analysis::power::power;
use crate::analysis::space::{Rect, space};
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::project::Project;

/// A zone of the case.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// On the drawing, mm.
    pub at: Rect,
    /// Pressure over the room's, Pa, and rise over it, K.
    pub pascal: f64,
    pub kelvin: f64,
    /// Heat set free in it, W, the coolers' own not counted.
    pub watts: f64,
}

/// What air flows from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Room,
    Zone(usize),
}

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A way from zone to zone.
    Gap,
    /// Grille, vents, slot covers.
    Grille,
    /// A fan of the case, or of a radiator.
    Fan(Option<PlacementId>),
    /// A cooler with its own fan; from the zone it breathes to the one it blows into, or out of the case.
    Cooler(Option<PlacementId>),
}

/// One element of the circuit.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    pub element: Element,
    pub name: String,
    pub from: End,
    pub to: End,
    /// Where it stands on the drawing, mm.
    pub at: (f64, f64),
    /// From `from` to `to`, m³/s.
    pub flow: f64,
    /// Pressure that a fan makes at its speed when nothing flows, Pa; 0 for resistors.
    pub drive: f64,
    /// Loss at this flow, Pa.
    pub loss: f64,
}

impl Branch {
    /// `R` of `Δp = R Q²`, Pa/(m³/s)²; `None` where next to nothing flows.
    pub fn resistance(&self) -> Option<f64> {
        (self.flow.abs() > 1e-6).then(|| self.loss.abs() / (self.flow * self.flow))
    }
}

/// The circuit of a rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    pub zones: Vec<Zone>,
    pub branches: Vec<Branch>,
    pub case: Rect,
    pub ambient_c: f64,
    pub converged: bool,
}

/// Solves the zones of a rig and reads them as a circuit.
pub fn network(catalog: &Catalog, project: &Project) -> Network {
    let space = space(catalog, &project.rig);
    let rig = with_readings(rig::scene(catalog, project, &space, &power(catalog, project)));
    let (net, state) = solved(&rig.scene, Cut::Zones);
    let mut out = Network { case: space.case, ambient_c: rig.scene.ambient_c, converged: state.converged, ..Network::default() };
    let (x0, y0) = rig.origin_mm;
    // Walls are no zones.
    let mut index = vec![None; net.cells()];
    for (cell, place) in index.iter_mut().enumerate() {
        if net.free[cell] > 0.0 {
            *place = Some(out.zones.len());
            let b = net.cell_box(cell);
            let at = Rect::new(b.x0 * 1000.0 + x0, b.y0 * 1000.0 + y0, (b.x1 - b.x0) * 1000.0, (b.y1 - b.y0) * 1000.0);
            out.zones.push(Zone { at, pascal: state.p[cell], kelvin: state.t[cell], watts: net.heat[cell] });
        }
    }
    let zone = |cell: usize| index.get(cell).copied().flatten();
    gaps(&mut out, &net, &state, &zone);
    openings(&mut out, &rig, &net, &state, &zone);
    coolers(&mut out, &rig, &net, &state, &zone);
    out
}

fn gaps(out: &mut Network, net: &Net, state: &State, zone: &dyn Fn(usize) -> Option<usize>) {
    for cell in 0..net.cells() {
        for (next, k, q) in [(cell + 1, net.kx[cell], state.qx[cell]), (cell + net.nx, net.ky[cell], state.qy[cell])] {
            let (Some(a), Some(b)) = (zone(cell), zone(next)) else { continue };
            if k <= 0.0 {
                continue;
            }
            let middle = |n: usize| out.zones.get(n).map_or((0.0, 0.0), |z| z.at.center());
            let ((x0, y0), (x1, y1)) = (middle(a), middle(b));
            out.branches.push(Branch {
                element: Element::Gap,
                name: String::new(),
                from: End::Zone(a),
                to: End::Zone(b),
                at: ((x0 + x1) / 2.0, (y0 + y1) / 2.0),
                flow: q,
                drive: 0.0,
                loss: k * q * q.abs(),
            });
        }
    }
}

/// The zone with the largest part.
fn main_cell(shares: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    shares.max_by(|a, b| a.1.total_cmp(&b.1)).map(|s| s.0)
}

fn openings(out: &mut Network, rig: &RigScene, net: &Net, state: &State, zone: &dyn Fn(usize) -> Option<usize>) {
    let scene = &rig.scene;
    let names: Vec<String> = out_names(rig, net, state);
    for (of, opening) in scene.openings.iter().enumerate() {
        let ports = || net.ports.iter().zip(state.ports.iter()).filter(move |(p, _)| !p.cooler && p.of == of);
        let flow: f64 = ports().map(|(_, q)| q).sum();
        let Some(inner) = main_cell(ports().map(|(p, _)| (p.cell, p.share))).and_then(zone) else { continue };
        let fan = rig.fans.iter().find(|f| f.opening == of);
        let element = match (opening.fan, fan) {
            (None, _) => Element::Grille,
            (Some(_), fan) => Element::Fan(fan.map(|f| f.placement)),
        };
        let grille = opening.k * 0.5 * scene.rho / (opening.area * opening.area);
        let (drive, own) = opening.fan.map_or((0.0, 0.0), |f| (f.p_max * f.speed * f.speed, f.p_max / (f.q_max * f.q_max)));
        out.branches.push(Branch {
            element,
            name: names.get(of).cloned().unwrap_or_default(),
            from: End::Room,
            to: End::Zone(inner),
            at: place(rig, opening.wall, &opening.at),
            flow,
            drive: if opening.fan.is_some_and(|f| !f.inward) { -drive } else { drive },
            loss: (grille + own) * flow * flow.abs(),
        });
    }
}

/// Names as pictures have them.
fn out_names(rig: &RigScene, net: &Net, state: &State) -> Vec<String> {
    let vents = super::field::vents(rig, net, state);
    let mut named = vents.into_iter().map(|v| v.name);
    (0..rig.scene.openings.len()).map(|of| if net.blind.contains(&of) { String::new() } else { named.next().unwrap_or_default() }).collect()
}

fn place(rig: &RigScene, wall: Wall, at: &super::scene::Box2) -> (f64, f64) {
    let (x0, y0) = rig.origin_mm;
    let Scene { width, height, .. } = rig.scene;
    let (x, y) = ((at.x0 + at.x1) / 2.0, (at.y0 + at.y1) / 2.0);
    let (x, y) = match wall {
        Wall::Rear => (0.0, y),
        Wall::Front => (width, y),
        Wall::Top => (x, 0.0),
        Wall::Bottom => (x, height),
        Wall::Side => (x, y),
    };
    (x * 1000.0 + x0, y * 1000.0 + y0)
}

fn coolers(out: &mut Network, rig: &RigScene, net: &Net, state: &State, zone: &dyn Fn(usize) -> Option<usize>) {
    let (x0, y0) = rig.origin_mm;
    for (k, ((cooler, card), branch)) in rig.scene.coolers.iter().zip(&state.cards).zip(&net.branches).enumerate() {
        let Some(from) = main_cell(branch.sinks.iter().copied()).and_then(zone) else { continue };
        let to = main_cell(branch.sources.iter().copied()).and_then(zone).map_or(End::Room, End::Zone);
        let ports: f64 = net.ports.iter().zip(state.ports.iter()).filter(|(p, _)| p.cooler && p.of == k).map(|(_, q)| -q).sum();
        let flow = if to == End::Room { ports } else { card.flow };
        let from_rig = rig.cards.iter().find(|c| c.cooler == Some(k));
        let drive = if cooler.kind == Kind::Passive { 0.0 } else { cooler.p_max * card.speed * card.speed };
        out.branches.push(Branch {
            element: Element::Cooler(from_rig.map(|c| c.placement)),
            name: from_rig.map_or_else(|| "CPU cooler".to_owned(), |c| c.name.clone()),
            from: End::Zone(from),
            to,
            at: ((cooler.at.x0 + cooler.at.x1) * 500.0 + x0, (cooler.at.y0 + cooler.at.y1) * 500.0 + y0),
            flow,
            drive,
            loss: super::cards::loss(cooler, rig.scene.rho, rig.scene.k_gap) * flow * flow.abs(),
        });
    }
}
