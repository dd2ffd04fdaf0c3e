//! Direct solution of small banded systems: the zones.

use super::arr::Arr;

/// A square matrix whose entries lie within `half` of the diagonal. No pivoting: the matrices here are M-matrices.
#[derive(Clone, Debug, Default)]
pub struct Band {
    n: usize,
    half: usize,
    rows: Arr<f64>,
}

impl Band {
    pub fn reset(&mut self, n: usize, half: usize) {
        self.n = n;
        self.half = half.min(n.saturating_sub(1));
        self.rows.reset(n * (2 * self.half + 1));
    }
    /// Entries outside the band are dropped.
    #[inline(always)]
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        let offset = column + self.half;
        if offset >= row && offset - row <= 2 * self.half {
            self.rows[row * (2 * self.half + 1) + offset - row] += value;
        }
    }
    /// Solves in place; the matrix is used up.
    pub fn solve(&mut self, b: &mut Arr<f64>) {
        let (n, half, wide) = (self.n, self.half, 2 * self.half + 1);
        for k in 0..n {
            let pivot = self.rows[k * wide + half];
            let inverse = if pivot.abs() > 1e-300 { 1.0 / pivot } else { 0.0 };
            let last = (k + half).min(n - 1);
            for i in k + 1..=last {
                let at = i * wide + half + k - i;
                let factor = self.rows[at] * inverse;
                if factor == 0.0 {
                    continue;
                }
                let (to, from) = (i * wide + half + k - i, k * wide + half);
                for j in 1..=last - k {
                    let upper = self.rows[from + j];
                    self.rows[to + j] -= factor * upper;
                }
                b[i] -= factor * b[k];
            }
        }
        for k in (0..n).rev() {
            let last = (k + half).min(n - 1);
            let mut value = b[k];
            for j in k + 1..=last {
                value -= self.rows[k * wide + half + j - k] * b[j];
            }
            let pivot = self.rows[k * wide + half];
            b[k] = if pivot.abs() > 1e-300 { value / pivot } else { 0.0 };
        }
    }
}
