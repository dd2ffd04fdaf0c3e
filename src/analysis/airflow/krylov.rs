//! Iterative solution on the grid: conjugate gradients with a multigrid cycle for the pressures, `BiCGSTAB` with an incomplete factor for the
//! temperatures. `docs/airflow.md` has the comparison that chose them.

use super::arr::Arr;

/// One level: conductance to the next column and row, and the diagonal.
#[derive(Clone, Debug, Default)]
struct Level {
    nx: usize,
    ny: usize,
    gx: Arr<f64>,
    gy: Arr<f64>,
    diagonal: Arr<f64>,
    inverse: Arr<f64>,
    x: Arr<f64>,
    b: Arr<f64>,
}

/// The pressure matrix with its coarser copies and the vectors of the iteration.
#[derive(Clone, Debug, Default)]
pub struct Multigrid {
    levels: Vec<Level>,
    r: Arr<f64>,
    z: Arr<f64>,
    d: Arr<f64>,
    q: Arr<f64>,
    /// Iterations used since the last reset of the count.
    pub iterations: usize,
}

/// Faces of a coarser level count half: blocks of constant value make it twice too stiff.
const COARSE: f64 = 0.5;

impl Multigrid {
    /// Takes a five-point matrix: `gx`, `gy` to the next column and row, `extra` on the diagonal beside their sum.
    pub fn set(&mut self, nx: usize, ny: usize, gx: &Arr<f64>, gy: &Arr<f64>, extra: &Arr<f64>) {
        let mut depth = 1;
        let (mut w, mut h) = (nx, ny);
        while w.max(h) > 3 {
            (w, h) = (w.div_ceil(2), h.div_ceil(2));
            depth += 1;
        }
        self.levels.resize_with(depth, Level::default);
        let mut extras = extra.clone();
        for k in 0..depth {
            let (done, rest) = self.levels.split_at_mut(k);
            let Some(level) = rest.first_mut() else { break };
            match done.last() {
                None => {
                    (level.nx, level.ny) = (nx, ny);
                    level.gx.copy_from(gx);
                    level.gy.copy_from(gy);
                }
                Some(fine) => extras = level.coarsen(fine, &extras),
            }
            level.finish(&extras);
        }
    }

    /// Solves to a residual of `tolerance` times the size of `b`, from the present `x`; true if it got there.
    pub fn solve(&mut self, b: &Arr<f64>, x: &mut Arr<f64>, tolerance: f64, most: usize) -> bool {
        let n = b.len();
        for v in [&mut self.r, &mut self.z, &mut self.d, &mut self.q] {
            v.reset(n);
        }
        let Some(fine) = self.levels.first() else { return false };
        fine.times(x, &mut self.q);
        for i in 0..n {
            self.r[i] = b[i] - self.q[i];
        }
        let size = dot(b, b).sqrt().max(1e-30);
        let mut before = 1.0;
        for step in 0..most {
            if dot(&self.r, &self.r).sqrt() <= tolerance * size {
                return true;
            }
            self.iterations += 1;
            if let Some(top) = self.levels.first_mut() {
                top.b.copy_from(&self.r);
            }
            cycle(&mut self.levels);
            let Some(fine) = self.levels.first() else { return false };
            let now = dot(&self.r, &fine.x);
            let beta = if step == 0 { 0.0 } else { now / before };
            before = now;
            for i in 0..n {
                self.d[i] = fine.x[i] + beta * self.d[i];
            }
            fine.times(&self.d, &mut self.q);
            let alpha = now / dot(&self.d, &self.q).max(1e-300);
            for i in 0..n {
                x[i] += alpha * self.d[i];
                self.r[i] -= alpha * self.q[i];
            }
        }
        dot(&self.r, &self.r).sqrt() <= tolerance * size
    }
}

fn dot(a: &Arr<f64>, b: &Arr<f64>) -> f64 {
    a.iter().zip(b.iter()).map(|(x, y)| x * y).sum()
}

impl Level {
    fn coarsen(&mut self, fine: &Self, extra: &Arr<f64>) -> Arr<f64> {
        (self.nx, self.ny) = (fine.nx.div_ceil(2), fine.ny.div_ceil(2));
        let n = self.nx * self.ny;
        self.gx.reset(n);
        self.gy.reset(n);
        let mut coarse = Arr::new(n);
        for y in 0..fine.ny {
            for x in 0..fine.nx {
                let cell = y * fine.nx + x;
                let to = (y / 2) * self.nx + x / 2;
                coarse[to] += extra[cell];
                if x % 2 == 1 {
                    self.gx[to] += COARSE * fine.gx[cell];
                }
                if y % 2 == 1 {
                    self.gy[to] += COARSE * fine.gy[cell];
                }
            }
        }
        coarse
    }

    fn finish(&mut self, extra: &Arr<f64>) {
        let n = self.nx * self.ny;
        self.diagonal.copy_from(extra);
        self.x.reset(n);
        self.b.reset(n);
        self.inverse.reset(n);
        for cell in 0..n {
            let (right, below) = (self.gx[cell], self.gy[cell]);
            self.diagonal[cell] += right + below;
            self.diagonal[cell + 1] += right;
            self.diagonal[cell + self.nx] += below;
        }
        for cell in 0..n {
            let d = self.diagonal[cell];
            // A wall has no unknown.
            self.inverse[cell] = if d > 0.0 { 1.0 / d } else { 0.0 };
        }
    }

    fn times(&self, x: &Arr<f64>, out: &mut Arr<f64>) {
        let n = self.nx * self.ny;
        for i in 0..n {
            out[i] = self.diagonal[i] * x[i];
        }
        for i in 0..n {
            let g = self.gx[i];
            if g != 0.0 {
                out[i] -= g * x[i + 1];
                out[i + 1] -= g * x[i];
            }
            let g = self.gy[i];
            if g != 0.0 {
                out[i] -= g * x[i + self.nx];
                out[i + self.nx] -= g * x[i];
            }
        }
    }

    #[inline(always)]
    fn relax(&mut self, i: usize) {
        let nx = self.nx;
        let mut sum = self.b[i] + self.gx[i] * self.x[i + 1] + self.gy[i] * self.x[i + nx];
        if i >= 1 {
            sum += self.gx[i - 1] * self.x[i - 1];
        }
        if i >= nx {
            sum += self.gy[i - nx] * self.x[i - nx];
        }
        self.x[i] = sum * self.inverse[i];
    }
}

/// One symmetric cycle from zero: forward sweep, coarser correction, backward sweep.
fn cycle(levels: &mut [Level]) {
    let Some((top, rest)) = levels.split_first_mut() else { return };
    let n = top.nx * top.ny;
    top.x.fill(0.0);
    if rest.is_empty() {
        for _ in 0..4 {
            (0..n).for_each(|i| top.relax(i));
            (0..n).rev().for_each(|i| top.relax(i));
        }
        return;
    }
    (0..n).for_each(|i| top.relax(i));
    let wide = rest.first().map_or(1, |l| l.nx);
    if let Some(next) = rest.first_mut() {
        next.b.fill(0.0);
        // After a forward sweep the residual of a cell is what later cells changed: recomputed plainly.
        for i in 0..n {
            if top.diagonal[i] <= 0.0 {
                continue;
            }
            let mut r = top.b[i] - top.diagonal[i] * top.x[i] + top.gx[i] * top.x[i + 1] + top.gy[i] * top.x[i + top.nx];
            if i >= 1 {
                r += top.gx[i - 1] * top.x[i - 1];
            }
            if i >= top.nx {
                r += top.gy[i - top.nx] * top.x[i - top.nx];
            }
            next.b[(i / top.nx / 2) * wide + (i % top.nx) / 2] += r;
        }
    }
    cycle(rest);
    if let Some(next) = rest.first() {
        for i in 0..n {
            if top.diagonal[i] > 0.0 {
                top.x[i] += next.x[(i / top.nx / 2) * wide + (i % top.nx) / 2];
            }
        }
    }
    (0..n).rev().for_each(|i| top.relax(i));
}

/// Cells that take a share of a mean of other cells: the air a cooler moves.
#[derive(Clone, Debug, Default)]
pub struct Carry {
    pub from: Vec<(usize, f64)>,
    pub to: Vec<(usize, f64)>,
    pub flow: f64,
}

/// A five-point matrix that is not symmetric, with carried air.
#[derive(Clone, Debug, Default)]
pub struct Upwind {
    pub nx: usize,
    pub center: Arr<f64>,
    pub west: Arr<f64>,
    pub east: Arr<f64>,
    pub north: Arr<f64>,
    pub south: Arr<f64>,
    pub carries: Vec<Carry>,
    factor: Arr<f64>,
    pub iterations: usize,
}

impl Upwind {
    pub fn reset(&mut self, nx: usize, n: usize) {
        self.nx = nx;
        for v in [&mut self.center, &mut self.west, &mut self.east, &mut self.north, &mut self.south] {
            v.reset(n);
        }
        self.carries.clear();
    }

    /// A face over which `to` W/K go from `i` to `j` and `fro` back.
    pub fn pass(&mut self, i: usize, j: usize, to: f64, fro: f64) {
        self.center[i] += to;
        self.center[j] += fro;
        if j == i + 1 {
            self.east[i] -= fro;
            self.west[j] -= to;
        } else {
            self.south[i] -= fro;
            self.north[j] -= to;
        }
    }

    fn times(&self, x: &Arr<f64>, out: &mut Arr<f64>) {
        let nx = self.nx;
        for i in 0..self.center.len() {
            let mut v = self.center[i] * x[i] + self.east[i] * x[i + 1] + self.south[i] * x[i + nx];
            if i >= 1 {
                v += self.west[i] * x[i - 1];
            }
            if i >= nx {
                v += self.north[i] * x[i - nx];
            }
            out[i] = v;
        }
        for carry in &self.carries {
            let mean: f64 = carry.from.iter().map(|&(c, w)| w * x[c]).sum();
            for &(c, w) in &carry.to {
                out[c] -= carry.flow * w * mean;
            }
        }
    }

    fn prepare(&mut self) {
        let nx = self.nx;
        self.factor.reset(self.center.len());
        for i in 0..self.center.len() {
            let mut d = self.center[i];
            if i >= 1 {
                d -= self.west[i] * self.east[i - 1] * self.factor[i - 1];
            }
            if i >= nx {
                d -= self.north[i] * self.south[i - nx] * self.factor[i - nx];
            }
            self.factor[i] = if d.abs() > 1e-300 { 1.0 / d } else { 0.0 };
        }
    }

    fn precondition(&self, r: &Arr<f64>, z: &mut Arr<f64>) {
        let (nx, n) = (self.nx, self.center.len());
        for i in 0..n {
            let mut v = r[i];
            if i >= 1 {
                v -= self.west[i] * z[i - 1];
            }
            if i >= nx {
                v -= self.north[i] * z[i - nx];
            }
            z[i] = v * self.factor[i];
        }
        for i in (0..n).rev() {
            let v = self.east[i] * z[i + 1] + self.south[i] * z[i + nx];
            z[i] -= v * self.factor[i];
        }
    }

    /// Solves from the present `x`; true if the residual fell below `tolerance` times the size of `b`.
    pub fn solve(&mut self, b: &Arr<f64>, x: &mut Arr<f64>, tolerance: f64, most: usize) -> bool {
        self.prepare();
        let n = b.len();
        let mut v: Vec<Arr<f64>> = (0..8).map(|_| Arr::new(n)).collect();
        let [r, r0, p, ap, s, t, y, z] = v.as_mut_slice() else { return false };
        self.times(x, ap);
        for i in 0..n {
            r[i] = b[i] - ap[i];
        }
        r0.copy_from(r);
        p.copy_from(r);
        let size = dot(b, b).sqrt().max(1e-30);
        let mut rho = dot(r, r0);
        for _ in 0..most {
            if dot(r, r).sqrt() <= tolerance * size {
                return true;
            }
            self.iterations += 1;
            self.precondition(p, y);
            self.times(y, ap);
            let alpha = rho / nonzero(dot(ap, r0));
            for i in 0..n {
                s[i] = r[i] - alpha * ap[i];
            }
            self.precondition(s, z);
            self.times(z, t);
            let omega = dot(t, s) / nonzero(dot(t, t));
            for i in 0..n {
                x[i] += alpha * y[i] + omega * z[i];
                r[i] = s[i] - omega * t[i];
            }
            let next = dot(r, r0);
            let beta = next / nonzero(rho) * alpha / nonzero(omega);
            rho = next;
            for i in 0..n {
                p[i] = r[i] + beta * (p[i] - omega * ap[i]);
            }
        }
        dot(r, r).sqrt() <= tolerance * size
    }
}

fn nonzero(x: f64) -> f64 {
    if x.abs() < 1e-300 { 1e-300 } else { x }
}
