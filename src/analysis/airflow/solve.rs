//! The steady state: pressures by Newton steps on the resistors, heat by the same flows, each card's fan and power; round and round until
//! nothing moves.

use super::arr::Arr;
use super::band::Band;
use super::cards::{self, BACK, Card};
use super::krylov::{Carry, Multigrid, Upwind};
use super::net::{Branch, CP, Net, Port};
use super::scene::{Cooler, Kind, Scene};

const GRAVITY: f64 = 9.81;
/// Air the curves of fans are stated for, kg/m³.
pub const RHO_CURVE: f64 = 1.2;
/// Columns up to which the direct solution is the quicker one.
const FEW_COLUMNS: usize = 4;

/// How exactly to solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Change of an intake temperature between rounds, K.
    pub kelvin: f64,
    /// Rounds at most.
    pub rounds: usize,
}

impl Demand {
    pub const LIVE: Self = Self { kelvin: 0.05, rounds: 60 };
    pub const FINE: Self = Self { kelvin: 0.02, rounds: 60 };
}

/// Fields and cards. Also the start of the next solution.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Pressure over the room's at the same height, Pa.
    pub p: Arr<f64>,
    /// Flow to the next column and the next row below, m³/s.
    pub qx: Arr<f64>,
    pub qy: Arr<f64>,
    /// Rise over the room, K.
    pub t: Arr<f64>,
    /// Flow into the case by port, m³/s.
    pub ports: Arr<f64>,
    pub cards: Vec<Card>,
    pub rounds: usize,
    pub converged: bool,
    /// Half the sum of all flows through openings, m³/s.
    pub through: f64,
    /// All heat set free, W.
    pub given: f64,
    pub mass_residual: f64,
    pub energy_residual: f64,
    work: Work,
}

#[derive(Clone, Debug, Default)]
struct Work {
    band: Band,
    grid: Multigrid,
    upwind: Upwind,
    gx: Arr<f64>,
    gy: Arr<f64>,
    bx: Arr<f64>,
    by: Arr<f64>,
    extra: Arr<f64>,
    rhs: Arr<f64>,
    slope: Arr<f64>,
    push: Arr<f64>,
    /// Rise that lifts the air.
    warm: Arr<f64>,
    losses: Vec<f64>,
    jets: Vec<f64>,
}

impl State {
    /// Air at rest, cards lukewarm.
    pub fn start(scene: &Scene, net: &Net) -> Self {
        let n = net.cells();
        let mut state = Self {
            p: Arr::new(n),
            qx: Arr::new(n),
            qy: Arr::new(n),
            t: Arr::filled(n, 5.0),
            ports: Arr::new(net.ports.len()),
            ..Self::default()
        };
        // A draught of the usual size, so that the first resistances are of the right order.
        for i in 0..n {
            state.qx[i] = 0.2 * net.ax[i];
            state.qy[i] = 0.2 * net.ay[i];
        }
        for (k, port) in net.ports.iter().enumerate() {
            state.ports[k] = port.share * 0.01;
        }
        state.cards = scene
            .coolers
            .iter()
            .map(|c| Card { intake: 8.0, flow: c.q_op * 0.6, speed: 0.6, power: c.power, die_c: scene.ambient_c + 45.0, ..Card::default() })
            .collect();
        state.work.jets = vec![0.0; net.jets.len()];
        state
    }

    /// Carries fields and cards over to another cut of (nearly) the same scene.
    pub fn moved(&self, old: &Net, scene: &Scene, net: &Net) -> Self {
        let mut state = Self::start(scene, net);
        for i in 0..net.cells() {
            let (x, y) = net.center(i);
            let column = old.xs.partition_point(|e| *e <= x).saturating_sub(1).min(old.nx.saturating_sub(1));
            let row = old.ys.partition_point(|e| *e <= y).saturating_sub(1).min(old.ny.saturating_sub(1));
            let from = row * old.nx + column;
            state.p[i] = self.p[from];
            state.t[i] = self.t[from];
            let per = |q: f64, area: f64, here: f64| if area > 0.0 { q / area * here } else { 0.0 };
            state.qx[i] = per(self.qx[from], old.ax[from], net.ax[i]);
            state.qy[i] = per(self.qy[from], old.ay[from], net.ay[i]);
        }
        let total = |port: &Port| -> f64 {
            old.ports.iter().zip(self.ports.iter()).filter(|(p, _)| p.of == port.of && p.cooler == port.cooler).map(|(_, q)| q).sum()
        };
        for (k, port) in net.ports.iter().enumerate() {
            state.ports[k] = port.share * total(port);
        }
        if self.cards.len() == state.cards.len() {
            state.cards.clone_from(&self.cards);
            state.cards.iter_mut().for_each(|c| c.last = None);
        }
        if self.work.jets.len() == state.work.jets.len() {
            state.work.jets.clone_from(&self.work.jets);
        }
        state
    }

    /// Solves until nothing moves, from the present state.
    pub fn solve(&mut self, scene: &Scene, net: &Net, demand: Demand) {
        self.work.losses = scene.coolers.iter().map(|c| cards::loss(c, scene.rho, scene.k_gap)).collect();
        self.converged = false;
        let direct = net.nx <= FEW_COLUMNS;
        let mut relax = 1.0;
        self.work.warm.copy_from(&self.t);
        let mut before = f64::MAX;
        for round in 0..demand.rounds {
            self.rounds = round + 1;
            let tolerance = if round < 4 { 1e-3 } else { 1e-5 };
            let still = self.pressures(scene, net, direct, tolerance);
            self.heat(scene, net, direct, tolerance * 0.1, true);
            // Warm air that changes the flow that carries it may swing; half a step ends that.
            let keep = if round < 5 {
                0.0
            } else if round < 10 {
                0.5
            } else {
                0.9
            };
            for i in 0..net.cells() {
                self.work.warm[i] = keep * self.work.warm[i] + (1.0 - keep) * self.t[i];
            }
            let change = self.cool(scene, net, relax);
            if round > 8 && change > before {
                relax = (relax * 0.8_f64).max(0.3);
            }
            before = change;
            if round > 0 && still < 2e-3 && change < demand.kelvin {
                self.converged = true;
                break;
            }
        }
        // The flows of one last tight solution carry the heat that is published.
        self.pressures(scene, net, direct, 1e-12);
        self.heat(scene, net, direct, 1e-10, false);
        self.balance(scene, net);
    }

    /// One Newton step; tells the largest change of a flow over the through-flow.
    fn pressures(&mut self, scene: &Scene, net: &Net, direct: bool, tolerance: f64) -> f64 {
        self.resist(scene, net);
        self.blow(scene, net);
        let n = net.cells();
        let w = &mut self.work;
        for ((c, card), branch) in scene.coolers.iter().zip(&self.cards).zip(&net.branches) {
            if carries(c) {
                carry(&mut w.rhs, branch, card.flow);
            }
        }
        for ((_, _, branch), q) in net.jets.iter().zip(&w.jets) {
            carry(&mut w.rhs, branch, *q);
        }
        if direct {
            w.band.reset(n, net.nx);
            for i in 0..n {
                let (gx, gy) = (w.gx[i], w.gy[i]);
                // A wall keeps zero.
                w.band.add(i, i, w.extra[i] + gx + gy + if net.free[i] > 0.0 { 1e-12 } else { 1.0 });
                for (j, g) in [(i + 1, gx), (i + net.nx, gy)] {
                    if g > 0.0 {
                        w.band.add(j, j, g);
                        w.band.add(i, j, -g);
                        w.band.add(j, i, -g);
                    }
                }
            }
            self.p.copy_from(&w.rhs);
            w.band.solve(&mut self.p);
        } else {
            for i in 0..n {
                w.extra[i] += if net.free[i] > 0.0 { 1e-12 } else { 0.0 };
            }
            w.grid.set(net.nx, net.ny, &w.gx, &w.gy, &w.extra);
            w.grid.solve(&w.rhs, &mut self.p, tolerance, 200);
        }
        self.flows(net)
    }

    /// Linear resistances of the faces about the present flows.
    fn resist(&mut self, scene: &Scene, net: &Net) {
        let n = net.cells();
        let w = &mut self.work;
        for v in [&mut w.gx, &mut w.gy, &mut w.bx, &mut w.by, &mut w.extra, &mut w.rhs] {
            v.reset(n);
        }
        let lift = scene.rho * GRAVITY / (scene.ambient_c + 273.15);
        for i in 0..n {
            if net.kx[i] > 0.0 {
                let q = self.qx[i];
                let g = 1.0 / (net.lx[i] + 2.0 * net.kx[i] * q.abs());
                let b = g * net.kx[i] * q * q.abs();
                (w.gx[i], w.bx[i]) = (g, b);
                w.rhs[i] -= b;
                w.rhs[i + 1] += b;
            }
            if net.ky[i] > 0.0 {
                let q = self.qy[i];
                let below = i + net.nx;
                // Warm air resists being pushed down.
                let warm = -lift * net.fall[i] * (w.warm[i] + w.warm[below]) / 2.0;
                let g = 1.0 / (net.ly[i] + 2.0 * net.ky[i] * q.abs());
                let b = g * (net.ky[i] * q * q.abs() + warm);
                (w.gy[i], w.by[i]) = (g, b);
                w.rhs[i] -= b;
                w.rhs[below] += b;
            }
        }
    }

    /// The same of the ports: `drive − p = a·u|u|` for the flow `u` of a whole opening.
    fn blow(&mut self, scene: &Scene, net: &Net) {
        let density = scene.rho / RHO_CURVE;
        let w = &mut self.work;
        w.slope.reset(net.ports.len());
        w.push.reset(net.ports.len());
        for (k, port) in net.ports.iter().enumerate() {
            let (drive, a) = if port.cooler {
                let Some((c, card)) = scene.coolers.get(port.of).zip(self.cards.get(port.of)) else { continue };
                let drive = if c.kind == Kind::Passive { 0.0 } else { -c.p_max * density * card.speed * card.speed };
                (drive, w.losses.get(port.of).copied().unwrap_or(1.0))
            } else {
                let Some(o) = scene.openings.get(port.of) else { continue };
                let grille = o.k * 0.5 * scene.rho / (o.area * o.area);
                match o.fan {
                    Some(f) => {
                        let drive = f.p_max * density * f.speed * f.speed;
                        (if f.inward { drive } else { -drive }, grille + f.p_max * density / (f.q_max * f.q_max))
                    }
                    None => (0.0, grille),
                }
            };
            let u = self.ports[k] / port.share;
            // The small linear part only keeps still air solvable.
            let slope = 1.0 / (a * 2e-4 + 2.0 * a * u.abs());
            (w.slope[k], w.push[k]) = (port.share * slope, port.share * slope * (drive + a * u * u.abs()));
            w.extra[port.cell] += w.slope[k];
            w.rhs[port.cell] += w.push[k];
        }
    }

    /// Flows of the pressures just found; tells their largest change over the through-flow.
    fn flows(&mut self, net: &Net) -> f64 {
        let w = &self.work;
        let (mut change, mut through) = (0.0_f64, 1e-9_f64);
        for i in 0..net.cells() {
            if w.gx[i] > 0.0 {
                let q = w.gx[i] * (self.p[i] - self.p[i + 1]) + w.bx[i];
                change = change.max((q - self.qx[i]).abs());
                self.qx[i] = q;
            }
            if w.gy[i] > 0.0 {
                let q = w.gy[i] * (self.p[i] - self.p[i + net.nx]) + w.by[i];
                change = change.max((q - self.qy[i]).abs());
                self.qy[i] = q;
            }
        }
        for (k, port) in net.ports.iter().enumerate() {
            let q = w.push[k] - w.slope[k] * self.p[port.cell];
            change = change.max((q - self.ports[k]).abs());
            self.ports[k] = q;
            through += q.abs() / 2.0;
        }
        change / through
    }

    /// Temperatures that the present flows and powers make; `implicit` lets a power that a limit holds fall with the air it breathes.
    fn heat(&mut self, scene: &Scene, net: &Net, direct: bool, tolerance: f64, implicit: bool) {
        let n = net.cells();
        let c = scene.rho * CP;
        let w = &mut self.work;
        w.rhs.copy_from(&net.heat);
        let moves: Vec<Move<'_>> = moves(scene, net, &self.cards, &w.jets, c, implicit);
        for ((branch, card), cooler) in net.branches.iter().zip(&self.cards).zip(&scene.coolers) {
            let power = card.power - if implicit { card.slope * card.intake } else { 0.0 };
            let back = back_share(cooler);
            branch.back.iter().for_each(|&(i, s)| w.rhs[i] += back * power * s);
            branch.sources.iter().for_each(|&(i, s)| w.rhs[i] += (1.0 - back) * power * s);
        }
        let mut matrix = if direct {
            let half = moves.iter().map(|m| spread(m.from, &m.to)).fold(net.nx, usize::max);
            w.band.reset(n, half);
            Matrix::Band(&mut w.band)
        } else {
            w.upwind.reset(net.nx, n);
            Matrix::Grid(&mut w.upwind)
        };
        for i in 0..n {
            if net.kx[i] > 0.0 {
                matrix.pass(i, i + 1, c * self.qx[i], net.dx[i]);
            }
            if net.ky[i] > 0.0 {
                matrix.pass(i, i + net.nx, c * self.qy[i], net.dy[i]);
            }
            matrix.lose(i, net.wall[i] + if net.free[i] > 0.0 { 1e-9 } else { 1.0 });
        }
        for (k, port) in net.ports.iter().enumerate() {
            let q = self.ports[k];
            if q < 0.0 {
                matrix.lose(port.cell, -c * q);
            } else if let Some(cooler) = scene.openings.get(port.of).and_then(|o| o.radiator).filter(|_| !port.cooler) {
                // Air that comes in through a radiator brings its heat, by its share of the stream.
                let power = self.cards.get(cooler).map_or(0.0, |card| card.power * (1.0 - BACK));
                w.rhs[port.cell] += power * q / inflow(net, &self.ports, port.of).max(1e-9);
            }
        }
        moves.into_iter().for_each(|m| matrix.carry(m));
        if direct {
            self.t.copy_from(&w.rhs);
            w.band.solve(&mut self.t);
        } else {
            w.upwind.solve(&w.rhs, &mut self.t, tolerance, 200);
        }
    }

    /// Fan, temperature and power of every card from the air it breathes; tells the largest change of that air, K.
    fn cool(&mut self, scene: &Scene, net: &Net, relax: f64) -> f64 {
        let mut change = 0.0_f64;
        let density = scene.rho / RHO_CURVE;
        for (k, cooler) in scene.coolers.iter().enumerate() {
            let (Some(card), Some(branch)) = (self.cards.get(k).copied(), net.branches.get(k)) else { continue };
            let mean = |shares: &[(usize, f64)], field: &Arr<f64>| shares.iter().map(|&(i, s)| s * field[i]).sum::<f64>();
            let (found, stream) = match cooler.kind {
                Kind::Water => radiator(scene, net, k, &self.ports, &self.t),
                _ => (mean(&branch.sinks, &self.t), 0.0),
            };
            // A secant on the map from breathed air to breathed air ends the usual cycling.
            let error = found - card.intake;
            let slope = match card.last {
                Some((x, e)) if (card.intake - x).abs() > 1e-6 => ((error - e) / (card.intake - x)).clamp(-4.0, -0.5),
                _ => -1.0,
            };
            let intake = (card.intake - relax * error / slope).max(0.0);
            change = change.max(error.abs());
            let before = Card { last: Some((card.intake, error)), intake, ..card };
            let loss = self.work.losses.get(k).copied().unwrap_or(1.0);
            let help = mean(&branch.sinks, &self.p) - mean(&branch.sources, &self.p);
            let air = scene.ambient_c + intake;
            let next = match cooler.kind {
                Kind::Water => cards::settle(cooler, air, scene.rho, &before, |_| stream),
                _ => cards::settle(cooler, air, scene.rho, &before, |speed| cards::flow(cooler, loss, speed, help, density)),
            };
            change = change.max((next.power - card.power).abs() * card.resistance * 0.5);
            if let Some(place) = self.cards.get_mut(k) {
                *place = next;
            }
        }
        let jets: Vec<f64> = net.jets.iter().map(|(of, share, _)| share * inflow(net, &self.ports, *of)).collect();
        self.work.jets = jets;
        change
    }

    /// Share of a cooler's heat that the other coolers breathe in again: the present flows with only its heat in them.
    pub fn breathed(&self, scene: &Scene, net: &Net, cooler: usize) -> f64 {
        let mut alone = self.clone();
        let mut dark = net.clone();
        dark.heat.fill(0.0);
        for (k, card) in alone.cards.iter_mut().enumerate() {
            card.power = if k == cooler { card.power } else { 0.0 };
        }
        let given = alone.cards.get(cooler).map_or(0.0, |c| c.power).max(1e-9);
        alone.heat(scene, &dark, net.nx <= FEW_COLUMNS, 1e-8, false);
        let taken = |k: usize| -> f64 {
            let Some((branch, card)) = net.branches.get(k).zip(self.cards.get(k)) else { return 0.0 };
            let rise: f64 = branch.sinks.iter().map(|&(i, s)| s * alone.t[i]).sum();
            rise * card.flow * scene.rho * CP
        };
        let others = (0..scene.coolers.len()).filter(|&k| k != cooler);
        (others.map(taken).sum::<f64>() / given).clamp(0.0, 1.0)
    }

    /// What the published field still misses: flow of the worst cell over the through-flow, and heat over all heat.
    fn balance(&mut self, scene: &Scene, net: &Net) {
        let n = net.cells();
        let mut left = Arr::<f64>::new(n);
        let c = scene.rho * CP;
        for i in 0..n {
            left[i] -= self.qx[i] + self.qy[i];
            left[i + 1] += self.qx[i];
            left[i + net.nx] += self.qy[i];
        }
        let (mut through, mut out, mut given) = (0.0, 0.0, 0.0);
        for (k, port) in net.ports.iter().enumerate() {
            let q = self.ports[k];
            left[port.cell] += q;
            through += q.abs() / 2.0;
            out += c * (-q).max(0.0) * self.t[port.cell];
        }
        for i in 0..n {
            out += net.wall[i] * self.t[i];
            given += net.heat[i];
        }
        for (k, ((cooler, card), branch)) in scene.coolers.iter().zip(&self.cards).zip(&net.branches).enumerate() {
            given += card.power;
            match cooler.kind {
                Kind::OpenAir | Kind::FlowThrough | Kind::Tower => carry(&mut left, branch, card.flow),
                Kind::Blower | Kind::Passive => out += (1.0 - BACK) * card.power,
                Kind::Water => {
                    let inward =
                        scene.openings.iter().enumerate().any(|(of, o)| o.radiator == Some(k) && inflow(net, &self.ports, of) > 0.0);
                    out += if inward { 0.0 } else { (1.0 - BACK) * card.power };
                }
            }
        }
        for ((_, _, branch), q) in net.jets.iter().zip(&self.work.jets) {
            carry(&mut left, branch, *q);
        }
        self.through = through;
        self.given = given;
        self.mass_residual = left.iter().fold(0.0_f64, |m, v| m.max(v.abs())) / f64::max(through, 1e-9);
        self.energy_residual = (given - out).abs() / f64::max(given, 1e-9);
    }
}

/// Flow that comes in through an opening.
fn inflow(net: &Net, ports: &Arr<f64>, of: usize) -> f64 {
    net.ports.iter().zip(ports.iter()).filter(|(p, _)| !p.cooler && p.of == of).map(|(_, q)| q.max(0.0)).sum()
}

/// Rise of the air that meets the radiators of a cooler, and the stream through them.
fn radiator(scene: &Scene, net: &Net, cooler: usize, ports: &Arr<f64>, t: &Arr<f64>) -> (f64, f64) {
    let (mut stream, mut warm) = (0.0, 0.0);
    for (port, q) in net.ports.iter().zip(ports.iter()) {
        if !port.cooler && scene.openings.get(port.of).is_some_and(|o| o.radiator == Some(cooler)) {
            stream += q.abs();
            warm += (-q).max(0.0) * t[port.cell];
        }
    }
    if stream > 0.0 { (warm / stream, stream) } else { (0.0, 1e-6) }
}

/// Farthest distance between the cells of two lists.
fn spread(a: &[(usize, f64)], b: &[(usize, f64)]) -> usize {
    let ends = |l: &[(usize, f64)]| l.iter().fold((usize::MAX, 0), |(lo, hi), &(i, _)| (lo.min(i), hi.max(i)));
    let ((a0, a1), (b0, b1)) = (ends(a), ends(b));
    if a.is_empty() || b.is_empty() { 0 } else { a1.abs_diff(b0).max(b1.abs_diff(a0)) }
}

/// Whether a cooler takes air inside the case and sets it free there.
const fn carries(c: &Cooler) -> bool {
    matches!(c.kind, Kind::OpenAir | Kind::FlowThrough | Kind::Tower)
}

/// Share of the heat that leaves through the back of the board.
const fn back_share(c: &Cooler) -> f64 {
    if matches!(c.kind, Kind::Tower) { 0.0 } else { BACK }
}

/// Takes a flow out of the sinks and puts it into the sources.
fn carry(field: &mut Arr<f64>, branch: &Branch, q: f64) {
    branch.sinks.iter().for_each(|&(i, s)| field[i] -= q * s);
    branch.sources.iter().for_each(|&(i, s)| field[i] += q * s);
}

/// Heat that goes from the mean of some cells to others, W/K.
struct Move<'a> {
    from: &'a [(usize, f64)],
    to: Vec<(usize, f64)>,
    flow: f64,
    /// Whether it leaves the cells it comes from; a power that depends on their temperature does not.
    takes: bool,
}

fn moves<'a>(scene: &Scene, net: &'a Net, cards: &[Card], jets: &[f64], c: f64, implicit: bool) -> Vec<Move<'a>> {
    let mut all = Vec::with_capacity(2 * cards.len() + jets.len());
    for ((branch, card), cooler) in net.branches.iter().zip(cards).zip(&scene.coolers) {
        if carries(cooler) {
            all.push(Move { from: &branch.sinks, to: branch.sources.clone(), flow: c * card.flow, takes: true });
        }
        if implicit && card.slope != 0.0 {
            let back = back_share(cooler);
            let sources = branch.sources.iter().map(|&(j, t)| (j, t * (1.0 - back)));
            let to = sources.chain(branch.back.iter().map(|&(j, t)| (j, t * back))).collect();
            all.push(Move { from: &branch.sinks, to, flow: card.slope, takes: false });
        }
    }
    let thrown = net.jets.iter().zip(jets);
    all.extend(thrown.map(|((_, _, b), q)| Move { from: &b.sinks, to: b.sources.clone(), flow: c * q, takes: true }));
    all
}

/// The heat equation on either kind of network.
enum Matrix<'a> {
    Band(&'a mut Band),
    Grid(&'a mut Upwind),
}

impl Matrix<'_> {
    /// A face that carries `q` W/K from `i` to `j` and conducts `d`.
    fn pass(&mut self, i: usize, j: usize, q: f64, d: f64) {
        let (to, fro) = (q.max(0.0) + d, (-q).max(0.0) + d);
        match self {
            Self::Band(m) => {
                m.add(i, i, to);
                m.add(j, i, -to);
                m.add(j, j, fro);
                m.add(i, j, -fro);
            }
            Self::Grid(m) => m.pass(i, j, to, fro),
        }
    }
    fn lose(&mut self, i: usize, value: f64) {
        match self {
            Self::Band(m) => m.add(i, i, value),
            Self::Grid(m) => m.center[i] += value,
        }
    }
    fn carry(&mut self, m: Move<'_>) {
        if m.takes {
            m.from.iter().for_each(|&(i, s)| self.lose(i, m.flow * s));
        }
        match self {
            Self::Band(band) => {
                for &(i, s) in m.from {
                    for &(j, t) in &m.to {
                        band.add(j, i, -m.flow * s * t);
                    }
                }
            }
            Self::Grid(grid) => grid.carries.push(Carry { from: m.from.to_vec(), to: m.to, flow: m.flow }),
        }
    }
}
