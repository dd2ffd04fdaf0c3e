//! A scene cut into cells: every face a quadratic flow resistor, every opening a set of ports, every cooler a branch from cells to cells.
//! The same cut serves some thirty zones and a fine grid.

use super::arr::Arr;
use super::scene::{Box2, Cooler, Kind, Scene, Wall};

/// Loss per metre of open case, on the velocity; four times that beside cards and in gaps. Chosen, after bundles of cables and edges.
const LOSS_PER_M: f64 = 1.5;
const LOSS_NARROW: f64 = 4.0;
/// A row thinner than this is a gap, m.
const NARROW: f64 = 0.012;
/// Eddy diffusion, m²/s; results hardly change between 1e-3 and 6e-3.
const EDDY: f64 = 2e-3;
/// Linear part of each face's resistance, Pa·s/m³ times m²/m, which keeps still air solvable.
const LINEAR: f64 = 0.02;
/// Share of an open-air card's exhaust over its long edges; the rest leaves at its front end.
const OVER_EDGES: f64 = 0.78;
/// Share of a flow-through card's exhaust that goes straight up.
const STRAIGHT_UP: f64 = 0.60;
/// Cells with less free depth than this are walls.
const SOLID: f64 = 0.02;
pub const CP: f64 = 1006.0;

/// Cells and shares that add up to 1.
pub type Shares = Vec<(usize, f64)>;

/// One cell's part of an opening, or of a cooler that blows out of the case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Port {
    pub cell: usize,
    pub share: f64,
    /// Index of the opening, else of the cooler.
    pub of: usize,
    pub cooler: bool,
}

/// Air that is taken here and set free there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    pub sinks: Shares,
    pub sources: Shares,
    /// Where the back of the board heats the air.
    pub back: Shares,
}

/// The scene as a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Net {
    pub nx: usize,
    pub ny: usize,
    /// Edges of columns and rows, m.
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
    /// Free share of the depth by cell; 0 = wall.
    pub free: Arr<f64>,
    /// Face from a cell to the next column: quadratic and linear resistance, and heat conductance; 0 = closed.
    pub kx: Arr<f64>,
    pub lx: Arr<f64>,
    pub dx: Arr<f64>,
    /// The same to the next row below.
    pub ky: Arr<f64>,
    pub ly: Arr<f64>,
    pub dy: Arr<f64>,
    /// Distance between rows' centres, m.
    pub fall: Arr<f64>,
    /// Area of the faces, m².
    pub ax: Arr<f64>,
    pub ay: Arr<f64>,
    pub ports: Vec<Port>,
    /// By cooler.
    pub branches: Vec<Branch>,
    /// Openings whose stream is thrown: index, share, from where to where.
    pub jets: Vec<(usize, f64, Branch)>,
    pub heat: Arr<f64>,
    pub wall: Arr<f64>,
    /// Openings that found no free cell behind them.
    pub blind: Vec<usize>,
}

impl Net {
    pub fn cells(&self) -> usize {
        self.nx * self.ny
    }
    pub fn center(&self, cell: usize) -> (f64, f64) {
        let (c, r) = (cell % self.nx.max(1), cell / self.nx.max(1));
        let mid = |e: &[f64], n: usize| e.get(n).zip(e.get(n + 1)).map_or(0.0, |(a, b)| (a + b) / 2.0);
        (mid(&self.xs, c), mid(&self.ys, r))
    }
    pub fn cell_box(&self, cell: usize) -> Box2 {
        let (c, r) = (cell % self.nx.max(1), cell / self.nx.max(1));
        let at = |e: &[f64], n: usize| e.get(n).copied().unwrap_or(0.0);
        Box2::new(at(&self.xs, c), at(&self.ys, r), at(&self.xs, c + 1), at(&self.ys, r + 1))
    }
}

/// Equal cells of about this size.
pub fn grid(scene: &Scene, size: f64) -> Net {
    let even = |length: f64| {
        let n = (length / size).round().clamp(4.0, 400.0) as usize;
        (0..=n).map(|k| length * k as f64 / n as f64).collect::<Vec<f64>>()
    };
    cut(scene, even(scene.width), even(scene.height))
}

/// Few zones: two columns, and a row for each card, each gap and what lies above and below.
pub fn zones(scene: &Scene) -> Net {
    let slot = |c: &&Cooler| c.kind != Kind::Tower && c.at.area() > 0.0;
    let end = scene.coolers.iter().filter(slot).map(|c| c.at.x1).fold(0.0, f64::max);
    let end = if end > 0.0 { end.min(scene.width - 0.02) } else { scene.width * 0.6 };
    let mut ys = vec![0.0, scene.height];
    ys.extend(scene.coolers.iter().filter(slot).flat_map(|c| [c.at.y0, c.at.y1]));
    ys.extend(scene.blocks.iter().filter(|b| b.free < SOLID).flat_map(|b| [b.at.y0, b.at.y1]));
    ys.retain(|y| (0.0..=scene.height).contains(y));
    ys.sort_by(f64::total_cmp);
    // The space above the cards mixes less than one zone would.
    let first = ys.get(1).copied().unwrap_or(0.0);
    if first > 0.1 {
        ys.push(first / 2.0);
        ys.sort_by(f64::total_cmp);
    }
    let mut last = f64::MIN;
    for y in &mut ys {
        *y = y.max(last + 0.001);
        last = *y;
    }
    cut(scene, vec![0.0, end, scene.width], ys)
}

fn cut(scene: &Scene, xs: Vec<f64>, ys: Vec<f64>) -> Net {
    let (nx, ny) = (xs.len().saturating_sub(1), ys.len().saturating_sub(1));
    let n = nx * ny;
    let mut net = Net { nx, ny, xs, ys, free: Arr::filled(n, 1.0), ..Net::default() };
    for field in [&mut net.kx, &mut net.lx, &mut net.dx, &mut net.ky, &mut net.ly, &mut net.dy, &mut net.fall, &mut net.ax, &mut net.ay] {
        field.reset(n);
    }
    net.heat.reset(n);
    net.wall.reset(n);
    for cell in 0..n {
        let at = net.cell_box(cell);
        let taken: f64 = scene.blocks.iter().map(|b| at.overlap(&b.at) * (1.0 - b.free)).sum();
        let free = 1.0 - taken / at.area().max(1e-12);
        net.free[cell] = if free < SOLID { 0.0 } else { free };
    }
    faces(scene, &mut net);
    open(scene, &mut net);
    net.branches = scene.coolers.iter().map(|c| branch(&net, c)).collect();
    for (k, cooler) in scene.coolers.iter().enumerate() {
        if matches!(cooler.kind, Kind::Blower | Kind::Passive) {
            let sinks = net.branches.get(k).map(|b| b.sinks.clone()).unwrap_or_default();
            net.ports.extend(sinks.iter().map(|&(cell, share)| Port { cell, share, of: k, cooler: true }));
        }
    }
    for heat in &scene.heats {
        for (cell, share) in shares(&net, &heat.at) {
            net.heat[cell] += heat.watts * share;
        }
    }
    net
}

fn faces(scene: &Scene, net: &mut Net) {
    for cell in 0..net.cells() {
        let at = net.cell_box(cell);
        let (w, h) = (at.x1 - at.x0, at.y1 - at.y0);
        if net.free[cell] > 0.0 {
            net.wall[cell] = scene.wall * 2.0 * w * h;
        }
        let thin = h < NARROW && net.ny < 40;
        let face = |other: usize, width: f64, distance: f64| {
            let free = net.free[cell].min(net.free[other]);
            let area = free * scene.depth * width;
            if area <= 0.0 {
                return None;
            }
            let narrow = if free < 0.95 || thin { LOSS_NARROW } else { 1.0 };
            let quadratic = LOSS_PER_M * narrow * distance * 0.5 * scene.rho / (area * area);
            Some((quadratic, LINEAR * distance / area, scene.rho * CP * EDDY * area / distance, area))
        };
        if cell % net.nx + 1 < net.nx {
            let next = net.cell_box(cell + 1);
            if let Some((k, l, d, a)) = face(cell + 1, h, (w + next.x1 - next.x0) / 2.0) {
                (net.kx[cell], net.lx[cell], net.dx[cell], net.ax[cell]) = (k, l, d, a);
            }
        }
        if cell / net.nx + 1 < net.ny {
            let next = net.cell_box(cell + net.nx);
            let distance = (h + next.y1 - next.y0) / 2.0;
            if let Some((k, l, d, a)) = face(cell + net.nx, w, distance) {
                (net.ky[cell], net.ly[cell], net.dy[cell], net.ay[cell]) = (k, l, d, a);
                net.fall[cell] = distance;
            }
        }
    }
}

/// Free cells that a box touches, by area; the nearest one where it touches none.
pub fn shares(net: &Net, at: &Box2) -> Shares {
    // Also a box without width has a place.
    let at = Box2::new(at.x0, at.y0, at.x1.max(at.x0 + 1e-5), at.y1.max(at.y0 + 1e-5));
    let mut found: Shares = Vec::new();
    let first = |edges: &[f64], low: f64| edges.partition_point(|e| *e <= low).saturating_sub(1);
    let (r0, c0) = (first(&net.ys, at.y0), first(&net.xs, at.x0));
    for r in r0..net.ny {
        if net.ys.get(r).is_none_or(|y| *y >= at.y1) {
            break;
        }
        for c in c0..net.nx {
            if net.xs.get(c).is_none_or(|x| *x >= at.x1) {
                break;
            }
            let cell = r * net.nx + c;
            let overlap = net.cell_box(cell).overlap(&at);
            if overlap > 0.0 && net.free[cell] > 0.0 {
                found.push((cell, overlap));
            }
        }
    }
    let sum: f64 = found.iter().map(|f| f.1).sum();
    if sum > 0.0 {
        found.iter_mut().for_each(|f| f.1 /= sum);
        return found;
    }
    let (x, y) = ((at.x0 + at.x1) / 2.0, (at.y0 + at.y1) / 2.0);
    let far = |cell: usize| {
        let (cx, cy) = net.center(cell);
        (cx - x) * (cx - x) + (cy - y) * (cy - y)
    };
    let near = (0..net.cells()).filter(|&c| net.free[c] > 0.0).min_by(|a, b| far(*a).total_cmp(&far(*b)));
    near.map(|c| vec![(c, 1.0)]).unwrap_or_default()
}

/// Cells behind a part of a wall, by the length or area they have of it.
fn behind(net: &Net, wall: Wall, at: &Box2) -> Shares {
    let mut found: Shares = Vec::new();
    let free = |cell: usize| net.free[cell] > 0.0;
    match wall {
        Wall::Side => return shares(net, at),
        Wall::Rear | Wall::Front => {
            for r in 0..net.ny {
                let row = r * net.nx;
                let mut cells = row..row + net.nx;
                let cell = if wall == Wall::Rear { cells.find(|&c| free(c)) } else { cells.rev().find(|&c| free(c)) };
                let Some(cell) = cell else { continue };
                let b = net.cell_box(cell);
                let length = b.y1.min(at.y1) - b.y0.max(at.y0);
                if length > 0.0 {
                    found.push((cell, length));
                }
            }
        }
        Wall::Top | Wall::Bottom => {
            for c in 0..net.nx {
                let mut cells = (0..net.ny).map(|r| r * net.nx + c);
                let cell = if wall == Wall::Top { cells.find(|&c| free(c)) } else { cells.rev().find(|&c| free(c)) };
                let Some(cell) = cell else { continue };
                let b = net.cell_box(cell);
                let length = b.x1.min(at.x1) - b.x0.max(at.x0);
                if length > 0.0 {
                    found.push((cell, length));
                }
            }
        }
    }
    let sum: f64 = found.iter().map(|f| f.1).sum();
    if sum > 0.0 {
        found.iter_mut().for_each(|f| f.1 /= sum);
    }
    found
}

fn open(scene: &Scene, net: &mut Net) {
    for (of, opening) in scene.openings.iter().enumerate() {
        let cells = behind(net, opening.wall, &opening.at);
        if cells.is_empty() {
            net.blind.push(of);
        }
        net.ports.extend(cells.iter().map(|&(cell, share)| Port { cell, share, of, cooler: false }));
        if let Some((share, to)) = &opening.throw {
            let sources = shares(net, to);
            net.jets.push((of, *share, Branch { sinks: cells, sources, back: Vec::new() }));
        }
    }
}

fn mix(parts: &[(f64, Shares)]) -> Shares {
    parts.iter().flat_map(|(weight, cells)| cells.iter().map(move |&(c, s)| (c, s * weight))).filter(|(_, s)| *s > 0.0).collect()
}

/// Where a cooler breathes.
fn branch(net: &Net, c: &Cooler) -> Branch {
    let b = c.at;
    let margin = 0.012_f64.min((b.x1 - b.x0) / 4.0);
    let below = Box2::new(b.x0 + margin, b.y1, b.x1 - margin, b.y1 + c.gap.clamp(0.001, 0.02));
    let front = Box2::new(b.x1, b.y0, b.x1 + 0.01, b.y1);
    let back = shares(net, &Box2::new(b.x0 + margin, b.y0 - 0.005, b.x1, b.y0));
    match c.kind {
        Kind::OpenAir => Branch {
            sinks: shares(net, &below),
            sources: mix(&[(OVER_EDGES, shares(net, &b)), (1.0 - OVER_EDGES, shares(net, &front))]),
            back,
        },
        Kind::FlowThrough => {
            let above = shares(net, &Box2::new(b.x0, b.y0 - 0.02, b.x1, b.y0));
            Branch { sinks: shares(net, &below), sources: mix(&[(STRAIGHT_UP, above), (1.0 - STRAIGHT_UP, shares(net, &b))]), back }
        }
        Kind::Blower => {
            let end = Box2::new((b.x1 - 0.09).max(b.x0), below.y0, b.x1, below.y1);
            Branch { sinks: shares(net, &end), sources: Vec::new(), back }
        }
        Kind::Passive => Branch { sinks: shares(net, &front), sources: Vec::new(), back },
        Kind::Water => Branch { sinks: Vec::new(), sources: Vec::new(), back },
        Kind::Tower => Branch {
            sinks: shares(net, &Box2::new(b.x1, b.y0, b.x1 + 0.02, b.y1)),
            sources: shares(net, &Box2::new(b.x0 - 0.02, b.y0, b.x0, b.y1)),
            back: Vec::new(),
        },
    }
}
