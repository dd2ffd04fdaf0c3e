//! Cases of a kind, for records that tell little of theirs: a mesh or solid tower, one with its side panel off, a bench, a server.

use super::scene::{Block, Box2, Cooler, Fan, Heat, Opening, Scene, Wall};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chassis {
    Mesh,
    Solid,
    SideOff,
    Bench,
    Server,
}

/// Loss coefficients on the area of a fan or grille.
pub mod loss {
    /// Mesh with a clean filter, and dusty: 8 to 12.
    pub const MESH: f64 = 4.0;
    /// Solid front with slits at its sides: 10 to 20.
    pub const SOLID: f64 = 14.0;
    /// Punched hexagons, derived from `SilverStone`'s outlet speeds of 2.4 of 3.1 m/s.
    pub const HEXAGON: f64 = 4.6;
    /// Open edge: entry 0.5 and exit 1.0 (CIBSE).
    pub const OPEN: f64 = 1.5;
    /// Perforated sheet of vents and slot covers.
    pub const SHEET: f64 = 2.5;
}

/// Annulus of a 120 and a 140 mm fan, m².
pub fn fan_area(size_m: f64) -> f64 {
    0.69 * size_m * size_m
}

/// Which case, in which room, with how many fans at its front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    pub chassis: Chassis,
    pub room_c: f64,
    pub rho: f64,
    pub front_fans: usize,
}

/// Server fans under load, share of full speed: full, since an A40 at 296 W and 62 °C still comes out 5 K too hot.
const SERVER_SPEED: f64 = 1.0;

/// Height of the top card's upper face under the roof, m.
pub const FIRST_CARD: f64 = 0.17;

/// A case of its kind without cards, 0.47 m high inside and deep enough for a server board.
pub fn empty(spec: &Spec) -> Scene {
    let server = spec.chassis == Chassis::Server;
    let (width, height, depth) = if server { (0.65, 0.44, 0.17) } else { (0.46, 0.47, 0.20) };
    let mut s = Scene {
        width,
        height,
        depth,
        ambient_c: spec.room_c,
        rho: spec.rho,
        blocks: Vec::new(),
        openings: Vec::new(),
        coolers: Vec::new(),
        heats: Vec::new(),
        k_gap: super::K_GAP,
        wall: super::WALL,
    };
    let vent = |wall, at, area, k| Opening { wall, at, area, k, fan: None, radiator: None, throw: None };
    let whole = Box2::new(0.0, 0.0, width, height);
    let cpu = Box2::new(0.10, 0.04, 0.22, 0.14);
    s.heats.push(Heat { at: cpu, watts: 90.0 });
    match spec.chassis {
        Chassis::Bench => {
            for wall in [Wall::Front, Wall::Rear, Wall::Top, Wall::Bottom] {
                let side = if matches!(wall, Wall::Front | Wall::Rear) { height } else { width };
                s.openings.push(vent(wall, whole, side * depth, loss::OPEN));
            }
            s.openings.push(vent(Wall::Side, whole, width * height, loss::OPEN));
        }
        Chassis::Server => {
            for i in 0..4 {
                let y = 0.02 + 0.105 * f64::from(i);
                let fan = Fan { p_max: 174.0, q_max: 322.8 / 3600.0, speed: SERVER_SPEED, inward: true };
                let at = Box2::new(0.0, y, width, y + 0.1);
                s.openings.push(Opening { fan: Some(fan), ..vent(Wall::Front, at, fan_area(0.12), loss::MESH) });
            }
            s.openings.push(vent(Wall::Rear, whole, 0.25 * height * depth, loss::SHEET));
        }
        Chassis::Mesh | Chassis::Solid | Chassis::SideOff => {
            let mesh = spec.chassis != Chassis::Solid;
            let floor = height - 0.09;
            s.blocks.push(Block { at: Box2::new(0.0, floor, width, height), free: 0.0 });
            for i in 0..spec.front_fans {
                let y = floor - 0.01 - 0.13 * (i as f64 + 1.0);
                let fan = Fan { p_max: 20.4, q_max: 140.2 / 3600.0, speed: 0.75, inward: true };
                let k = if mesh { loss::MESH } else { loss::SOLID };
                s.openings.push(Opening { fan: Some(fan), ..vent(Wall::Front, Box2::new(0.0, y, width, y + 0.12), fan_area(0.14), k) });
            }
            let fan = Fan { p_max: 20.4, q_max: 140.2 / 3600.0, speed: 0.7, inward: false };
            let at = Box2::new(0.0, 0.03, width, 0.15);
            s.openings.push(Opening { fan: Some(fan), ..vent(Wall::Rear, at, fan_area(0.12), loss::HEXAGON) });
            let top = if mesh { 0.30 } else { 0.05 };
            s.openings.push(vent(Wall::Top, whole, top * width * depth, loss::SHEET));
            s.openings.push(vent(Wall::Rear, Box2::new(0.0, 0.17, width, floor), 0.18 * (floor - 0.17) * depth, loss::SHEET));
            if spec.chassis == Chassis::SideOff {
                s.openings.push(vent(Wall::Side, Box2::new(0.0, 0.0, width, floor), 0.5 * width * floor, loss::OPEN * 2.0));
            }
        }
    }
    s
}

/// Adds a card whose upper face is at `y0`, with the corridor beside it.
pub fn add(s: &mut Scene, cooler: Cooler) {
    s.blocks.push(Block { at: cooler.at, free: super::CORRIDOR });
    s.coolers.push(cooler);
}
