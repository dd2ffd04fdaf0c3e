//! The solved flow as pictures need it: temperature, pressure and velocity by cell in the drawing's millimetres, what passes each opening, and
//! lines that the air follows.

use super::arr::Arr;
use super::cards::BACK;
use super::net::{CP, Net};
use super::rig::RigScene;
use super::sampling::quantile;
use super::scene::{Box2, Kind, Wall};
use super::solve::State;
use crate::analysis::space::Rect;
use crate::build::PlacementId;

/// What air passes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// A fan of the case.
    Fan(PlacementId),
    /// The radiator of a water cooler; `None`: its fans are no parts of the rig.
    Radiator,
    /// A card that blows out of the case.
    Card(PlacementId),
    /// Grille, vents, slot covers: no fan.
    Grille,
}

/// One opening of the case with what passes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Vent {
    pub through: Through,
    /// "front grille", "slot covers", "exhaust of RTX 3090 Turbo".
    pub name: String,
    pub wall: Wall,
    /// Where it is, mm.
    pub at: Rect,
    /// Into the case, m³/s; below 0 for air that leaves.
    pub flow: f64,
    /// Rise over the room of the air that leaves by it, K; 0 for air that comes in.
    pub kelvin: f64,
}

/// A line that the air follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Streamline {
    /// mm.
    pub points: Vec<(f64, f64)>,
    /// Time since its start at each point, s.
    pub seconds: Vec<f64>,
    /// Rise of the air over the room at each point, K.
    pub kelvin: Vec<f64>,
}

/// The whole field. Cells lie row by row from the roof down, each from the rear to the front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    pub nx: usize,
    pub ny: usize,
    /// Edges of columns and rows, mm.
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
    /// Free share of the depth; 0 = wall.
    free: Arr<f64>,
    /// Velocity through the faces before and after each cell in x, m/s: `nx + 1` a row; and above and below it: `ny + 1` rows.
    u: Arr<f64>,
    v: Arr<f64>,
    /// Rise over the room, K, and pressure over the room's, Pa.
    kelvin: Arr<f64>,
    pascal: Arr<f64>,
    /// Air that begins in the cell (above 0) or ends there: openings, exhausts and intakes of coolers, m³/s.
    gain: Arr<f64>,
    pub vents: Vec<Vent>,
    pub ambient_c: f64,
}

/// Slower than this the air stands, m/s.
const STILL: f64 = 0.008;
/// Step of a line, mm, and its longest way.
const STEP: f64 = 2.5;
const LONGEST: f64 = 2200.0;
/// Lines shorter than this say nothing, mm.
const SHORTEST: f64 = 18.0;

impl Field {
    /// From a solved network.
    pub fn of(rig: &RigScene, net: &Net, state: &State) -> Self {
        let (x0, y0) = rig.origin_mm;
        let mm = |edges: &[f64], from: f64| edges.iter().map(|e| e * 1000.0 + from).collect::<Vec<f64>>();
        let (nx, ny, n) = (net.nx, net.ny, net.cells());
        let mut out = Self {
            nx,
            ny,
            xs: mm(&net.xs, x0),
            ys: mm(&net.ys, y0),
            free: net.free.clone(),
            u: Arr::new((nx + 1) * ny),
            v: Arr::new(nx * (ny + 1)),
            kelvin: state.t.clone(),
            pascal: state.p.clone(),
            gain: Arr::new(n),
            vents: vents(rig, net, state),
            ambient_c: rig.scene.ambient_c,
        };
        let speed = |q: f64, area: f64| if area > 0.0 { q / area } else { 0.0 };
        for i in 0..n {
            let (c, r) = (i % nx.max(1), i / nx.max(1));
            if c + 1 < nx {
                out.u[r * (nx + 1) + c + 1] = speed(state.qx[i], net.ax[i]);
            }
            if r + 1 < ny {
                out.v[(r + 1) * nx + c] = speed(state.qy[i], net.ay[i]);
            }
        }
        for (k, port) in net.ports.iter().enumerate() {
            let q = state.ports[k];
            out.gain[port.cell] += q;
            let wall = if port.cooler { None } else { rig.scene.openings.get(port.of).map(|o| o.wall) };
            let (c, r) = (port.cell % nx.max(1), port.cell / nx.max(1));
            let b = net.cell_box(port.cell);
            let (tall, wide) = ((b.y1 - b.y0) * rig.scene.depth, (b.x1 - b.x0) * rig.scene.depth);
            match wall {
                Some(Wall::Rear) => out.u[r * (nx + 1) + c] += speed(q, tall),
                Some(Wall::Front) => out.u[r * (nx + 1) + c + 1] -= speed(q, tall),
                Some(Wall::Top) => out.v[r * nx + c] += speed(q, wide),
                Some(Wall::Bottom) => out.v[(r + 1) * nx + c] -= speed(q, wide),
                // Across the picture.
                Some(Wall::Side) | None => {}
            }
        }
        for ((cooler, card), branch) in rig.scene.coolers.iter().zip(&state.cards).zip(&net.branches) {
            if matches!(cooler.kind, Kind::OpenAir | Kind::FlowThrough | Kind::Tower) {
                branch.sinks.iter().for_each(|&(i, s)| out.gain[i] -= card.flow * s);
                branch.sources.iter().for_each(|&(i, s)| out.gain[i] += card.flow * s);
            }
        }
        out
    }

    fn cell(&self, x: f64, y: f64) -> Option<usize> {
        let find = |edges: &[f64], at: f64| {
            let inside = edges.first().zip(edges.last()).is_some_and(|(a, b)| *a <= at && at < *b);
            inside.then(|| edges.partition_point(|e| *e <= at).saturating_sub(1))
        };
        let cell = find(&self.ys, y)? * self.nx + find(&self.xs, x)?;
        (self.free[cell] > 0.0).then_some(cell)
    }

    /// Whether there is air at a point.
    pub fn is_air(&self, x: f64, y: f64) -> bool {
        self.cell(x, y).is_some()
    }

    /// Between which two cells' centres a point lies, and how far.
    fn between(edges: &[f64], at: f64) -> (usize, usize, f64) {
        let n = edges.len().saturating_sub(1).max(1);
        let middle = |k: usize| edges.get(k).zip(edges.get(k + 1)).map_or(0.0, |(a, b)| (a + b) / 2.0);
        let k = edges.partition_point(|e| *e <= at).saturating_sub(1).min(n - 1);
        let (low, high) = if at < middle(k) { (k.saturating_sub(1), k) } else { (k, (k + 1).min(n - 1)) };
        let width = middle(high) - middle(low);
        (low, high, if width > 0.0 { ((at - middle(low)) / width).clamp(0.0, 1.0) } else { 0.0 })
    }

    /// A quantity of the cells between their centres; walls do not count. `None` = no air there.
    fn smooth(&self, of: &Arr<f64>, x: f64, y: f64) -> Option<f64> {
        self.cell(x, y)?;
        let ((c0, c1, a), (r0, r1, b)) = (Self::between(&self.xs, x), Self::between(&self.ys, y));
        let (mut sum, mut weights) = (0.0, 0.0);
        for (r, wr) in [(r0, 1.0 - b), (r1, b)] {
            for (c, wc) in [(c0, 1.0 - a), (c1, a)] {
                let cell = r * self.nx + c;
                let weight = if self.free[cell] > 0.0 { wr * wc } else { 0.0 };
                sum += weight * of[cell];
                weights += weight;
            }
        }
        if weights > 1e-9 { Some(sum / weights) } else { self.cell(x, y).map(|cell| of[cell]) }
    }

    /// Rise over the room, K; `None` = no air there.
    pub fn kelvin(&self, x: f64, y: f64) -> Option<f64> {
        self.smooth(&self.kelvin, x, y)
    }

    /// Pressure over the room's, Pa.
    pub fn pascal(&self, x: f64, y: f64) -> Option<f64> {
        self.smooth(&self.pascal, x, y)
    }

    /// Velocity, m/s: linear between the faces in the direction of each part, and between rows or columns across it.
    pub fn velocity(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        self.cell(x, y)?;
        let along = |edges: &[f64], at: f64| {
            let k = edges.partition_point(|e| *e <= at).saturating_sub(1).min(edges.len().saturating_sub(2));
            let (low, high) = edges.get(k).zip(edges.get(k + 1)).map_or((0.0, 1.0), |(a, b)| (*a, *b));
            (k, ((at - low) / (high - low).max(1e-9)).clamp(0.0, 1.0))
        };
        let ((c, fx), (r, fy)) = (along(&self.xs, x), along(&self.ys, y));
        let ((c0, c1, a), (r0, r1, b)) = (Self::between(&self.xs, x), Self::between(&self.ys, y));
        let u_row = |row: usize| self.u[row * (self.nx + 1) + c] * (1.0 - fx) + self.u[row * (self.nx + 1) + c + 1] * fx;
        let v_column = |column: usize| self.v[r * self.nx + column] * (1.0 - fy) + self.v[(r + 1) * self.nx + column] * fy;
        Some((u_row(r0) * (1.0 - b) + u_row(r1) * b, v_column(c0) * (1.0 - a) + v_column(c1) * a))
    }

    /// Air that begins somewhere in the case: through openings and out of coolers, m³/s.
    pub fn begins(&self) -> f64 {
        self.gain.iter().map(|g| g.max(0.0)).sum()
    }

    /// About `count` lines, each for the same part of the air that begins: the same field gives the same lines.
    pub fn lines(&self, count: usize) -> Vec<Streamline> {
        let each = self.begins() / count.max(1) as f64;
        if each < 1e-7 {
            return Vec::new();
        }
        let mut out = Vec::new();
        let (mut passed, mut next) = (0.0, each / 2.0);
        let mut dice = 0.5_f64;
        for i in 0..self.nx * self.ny {
            passed += self.gain[i].max(0.0);
            while next < passed {
                next += each;
                let (c, r) = (i % self.nx.max(1), i / self.nx.max(1));
                let at = |edges: &[f64], k: usize, share: f64| edges.get(k).zip(edges.get(k + 1)).map_or(0.0, |(a, b)| a + (b - a) * share);
                // Steps of the golden ratio spread the starts over the cell.
                dice = (dice + 0.618_034).fract();
                let across = (dice * 7.0).fract();
                let line = self.follow(at(&self.xs, c, 0.1 + 0.8 * across), at(&self.ys, r, 0.1 + 0.8 * dice));
                let way: f64 = line.points.windows(2).map(|w| if let [a, b] = w { libm::hypot(a.0 - b.0, a.1 - b.1) } else { 0.0 }).sum();
                if way >= SHORTEST {
                    out.push(line);
                }
            }
        }
        out
    }

    /// The way of the air from a point on, until it leaves, is taken in, or stands.
    fn follow(&self, x: f64, y: f64) -> Streamline {
        let mut line = Streamline { points: Vec::new(), seconds: Vec::new(), kelvin: Vec::new() };
        let (mut x, mut y, mut time, mut way) = (x, y, 0.0, 0.0);
        let mut since = f64::MAX;
        let mut before: Option<(f64, f64)> = None;
        while way < LONGEST {
            let Some(cell) = self.cell(x, y) else { break };
            let Some((u, v)) = self.velocity(x, y) else { break };
            let speed = libm::hypot(u, v);
            if speed < STILL {
                break;
            }
            if since >= 2.0 * STEP {
                line.points.push((x, y));
                line.seconds.push(time);
                line.kelvin.push(self.kelvin(x, y).unwrap_or(0.0));
                since = 0.0;
            }
            if self.swallows(cell) && way > SHORTEST {
                break;
            }
            let half = STEP / 2.0 / speed;
            let (um, vm) = self.velocity(x + u * half, y + v * half).unwrap_or((u, v));
            let middle = libm::hypot(um, vm).max(STILL);
            // Two streams that meet head on end here; the air goes across the picture.
            let way_now = (um / middle, vm / middle);
            if before.is_some_and(|b| b.0 * way_now.0 + b.1 * way_now.1 < -0.2) {
                break;
            }
            before = Some(way_now);
            x += um / middle * STEP;
            y += vm / middle * STEP;
            // mm at m/s are ms.
            time += STEP / middle / 1000.0;
            way += STEP;
            since += STEP;
        }
        line
    }

    /// Most of what comes into the cell ends there.
    fn swallows(&self, cell: usize) -> bool {
        let (c, r) = (cell % self.nx.max(1), cell / self.nx.max(1));
        let size = |edges: &[f64], k: usize| edges.get(k).zip(edges.get(k + 1)).map_or(0.0, |(a, b)| (b - a) / 1000.0);
        let (w, h) = (size(&self.xs, c), size(&self.ys, r));
        let left = self.u[r * (self.nx + 1) + c].max(0.0) + (-self.u[r * (self.nx + 1) + c + 1]).max(0.0);
        let above = self.v[r * self.nx + c].max(0.0) + (-self.v[(r + 1) * self.nx + c]).max(0.0);
        // A depth of 0.2 m stands for what the cell's free share is of: only the order counts.
        let inflow = (left * h + above * w) * 0.2 * self.free[cell];
        -self.gain[cell] > 0.6 * inflow
    }

    /// Rise over the room that no more than three hundredths of the cells with air exceed, K.
    pub fn warm(&self) -> f64 {
        let air = (0..self.nx * self.ny).filter(|&i| self.free[i] > 0.0);
        quantile(air.map(|i| self.kelvin[i]).collect(), 0.97).max(0.0)
    }
}

/// What passes each opening that has air behind it, in the scene's order, then what cards blow out.
pub(super) fn vents(rig: &RigScene, net: &Net, state: &State) -> Vec<Vent> {
    let (x0, y0) = rig.origin_mm;
    let mm = |b: &Box2| Rect::new(b.x0 * 1000.0 + x0, b.y0 * 1000.0 + y0, (b.x1 - b.x0) * 1000.0, (b.y1 - b.y0) * 1000.0);
    let passing = |of: usize, cooler: bool| {
        let ports = || net.ports.iter().zip(state.ports.iter()).filter(move |(p, _)| p.of == of && p.cooler == cooler);
        let flow: f64 = ports().map(|(_, q)| q).sum();
        let (out, warm) = ports().fold((0.0, 0.0), |(o, w), (p, q)| (o + (-q).max(0.0), w + (-q).max(0.0) * state.t[p.cell]));
        (flow, if out > 1e-9 { warm / out } else { 0.0 })
    };
    let mut found = Vec::new();
    for (of, opening) in rig.scene.openings.iter().enumerate() {
        if net.blind.contains(&of) {
            continue;
        }
        let (flow, kelvin) = passing(of, false);
        let fan = rig.fans.iter().find(|f| f.opening == of);
        let (through, name) = match (fan, opening.radiator) {
            (Some(fan), _) => (Through::Fan(fan.placement), fan.name.clone()),
            (None, Some(_)) => (Through::Radiator, "radiator".to_owned()),
            (None, None) => {
                let name = match opening.wall {
                    Wall::Front => "front grille",
                    Wall::Top => "roof",
                    Wall::Rear => "rear grille and slot covers",
                    Wall::Bottom => "floor",
                    Wall::Side => "open side",
                };
                (Through::Grille, name.to_owned())
            }
        };
        found.push(Vent { through, name, wall: opening.wall, at: mm(&opening.at), flow, kelvin });
    }
    for card in &rig.cards {
        let Some((k, cooler)) = card.cooler.and_then(|k| Some((k, rig.scene.coolers.get(k)?))) else { continue };
        let Some(state) = state.cards.get(k).filter(|_| matches!(cooler.kind, Kind::Blower | Kind::Passive)) else { continue };
        // Its ports' own flow, so that what comes in goes out.
        let (flow, _) = passing(k, true);
        let carried = (rig.scene.rho * CP * flow.abs()).max(1e-6);
        found.push(Vent {
            through: Through::Card(card.placement),
            name: format!("exhaust of {}", card.name),
            wall: Wall::Rear,
            at: mm(&cooler.at),
            flow,
            kelvin: state.intake + state.power * (1.0 - BACK) / carried,
        });
    }
    found
}
