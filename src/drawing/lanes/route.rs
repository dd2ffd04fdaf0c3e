//! Where the wires of the lanes layer run: each in a channel of its own right of the cards, ordered so that those of one source never cross.

use crate::analysis::space::Rect;

/// Distance of neighbouring channels, millimetres: at best, and at least.
const PITCH: (f64, f64) = (6.0, 3.2);
/// Distance of neighbouring wires where they leave a processor.
const EXIT: (f64, f64) = (6.0, 3.4);
/// Radius of a bend.
const BEND: f64 = 3.0;

/// On which side of the channels a wire ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// A card, left of them.
    Card,
    /// A row of the strip, right of them.
    Strip,
}

/// Where a wire begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// A processor; wires leave its right edge, or its lower one where another stands right of it. The index says which.
    Cpu(usize),
    /// A chip beside the board, by index.
    Chip(usize),
    /// The right edge of a part, for what sits on it.
    Part { x: f64, y: f64 },
    /// The origin is not known: a stub.
    Unknown,
}

/// A wire to lay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Need {
    pub from: Source,
    pub side: Side,
    pub x: f64,
    pub y: f64,
}

/// What the wires run between.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    pub cpus: Vec<Rect>,
    /// Chips in a column, top to bottom.
    pub chips: Vec<Rect>,
    /// For each chip the processor or other chip it hangs on.
    pub parents: Vec<Option<Parent>>,
    /// Where the channels begin and should end.
    pub left: f64,
    pub right: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    Cpu(usize),
    Chip(usize),
}

/// Paths of the wires in the order of `needs`, then of the uplinks in the order of the chips; empty where there is nothing to draw.
pub(super) fn routes(ground: &Ground, needs: &[Need]) -> Vec<Vec<(f64, f64)>> {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by(|a, b| compare(ground, needs, *a, *b));
    let count = needs.len().max(1) as f64;
    let pitch = ((ground.right - ground.left) / count).clamp(PITCH.1, PITCH.0);
    let mut out = vec![Vec::new(); needs.len() + ground.chips.len()];
    let exits = exits(ground, needs, &order);
    for (n, at) in order.iter().enumerate() {
        let (Some(need), Some(start)) = (needs.get(*at), exits.get(*at)) else { continue };
        let channel = ground.left + pitch * n as f64;
        let mut path = match need.from {
            Source::Unknown => vec![(channel, need.y)],
            _ => start.clone(),
        };
        if let Some(&(_, y)) = path.last() {
            path.push((channel, y));
        }
        path.push((channel, need.y));
        path.push((need.x, need.y));
        if let Some(slot) = out.get_mut(*at) {
            *slot = rounded(&path);
        }
    }
    for (n, path) in uplinks(ground, needs).into_iter().enumerate() {
        if let Some(slot) = out.get_mut(needs.len() + n) {
            *slot = rounded(&path);
        }
    }
    out
}

/// A wire among those of its source, from the innermost channel to the outermost: cards from above, then rows of the strip that lie lower than
/// the source from below, then rows that lie higher from above.
fn turn(ground: &Ground, need: &Need) -> (u8, f64) {
    match need.side {
        Side::Card => (0, need.y),
        Side::Strip if need.y >= height(ground, need.from) => (1, -need.y),
        Side::Strip => (2, need.y),
    }
}

/// Height of a source, above which a wire has to climb.
fn height(ground: &Ground, source: Source) -> f64 {
    match source {
        Source::Cpu(n) => ground.cpus.get(n).map_or(0.0, |r| r.y + r.h / 2.0),
        Source::Chip(n) => ground.chips.get(n).map_or(0.0, |r| r.y + r.h / 2.0),
        Source::Part { y, .. } => y,
        Source::Unknown => 0.0,
    }
}

fn compare(ground: &Ground, needs: &[Need], a: usize, b: usize) -> std::cmp::Ordering {
    let (Some(na), Some(nb)) = (needs.get(a), needs.get(b)) else { return a.cmp(&b) };
    let ((turn_a, y_a), (turn_b, y_b)) = (turn(ground, na), turn(ground, nb));
    rank(ground, na.from).cmp(&rank(ground, nb.from)).then(turn_a.cmp(&turn_b)).then(y_a.total_cmp(&y_b)).then(a.cmp(&b))
}

/// Wires of a source from the top one where they leave it: those that climb, then those of the strip, then those of the lower cards first.
fn leaving(ground: &Ground, needs: &[Need], order: &[usize], from: impl Fn(Source) -> bool + Copy) -> Vec<usize> {
    let mine = |up: bool| {
        let is = move |at: &&usize| needs.get(**at).is_some_and(|w| from(w.from) && (turn(ground, w).0 == 2) == up);
        order.iter().filter(is).copied().collect::<Vec<_>>()
    };
    let mut out = mine(true);
    out.extend(mine(false).into_iter().rev());
    out
}

/// Groups from inside to outside: processors (those to the rear first), chips from the lowest up, parts, unknown origins.
fn rank(ground: &Ground, source: Source) -> usize {
    match source {
        Source::Cpu(n) => n,
        Source::Chip(n) => ground.cpus.len() + ground.chips.len().saturating_sub(n),
        Source::Part { .. } => ground.cpus.len() + ground.chips.len() + 1,
        Source::Unknown => ground.cpus.len() + ground.chips.len() + 2,
    }
}

/// First points of each wire, in the order of `needs`.
fn exits(ground: &Ground, needs: &[Need], order: &[usize]) -> Vec<Vec<(f64, f64)>> {
    let mut out = vec![Vec::new(); needs.len()];
    let mut put = |at: usize, start: Vec<(f64, f64)>| {
        if let Some(slot) = out.get_mut(at) {
            *slot = start;
        }
    };
    for (n, cpu) in ground.cpus.iter().enumerate() {
        let mine = leaving(ground, needs, order, |s| s == Source::Cpu(n));
        let ups = ground.parents.iter().filter(|p| **p == Some(Parent::Cpu(n))).count();
        for (at, start) in mine.iter().zip(leave(ground, cpu, mine.len() + ups).into_iter().skip(ups)) {
            put(*at, start);
        }
    }
    for (n, chip) in ground.chips.iter().enumerate() {
        let mine = leaving(ground, needs, order, |s| s == Source::Chip(n));
        for (k, at) in mine.iter().enumerate() {
            put(*at, vec![(chip.right(), chip.y + chip.h * (k as f64 + 1.0) / (mine.len() as f64 + 1.0))]);
        }
    }
    for need in needs {
        let Source::Part { x, y } = need.from else { continue };
        for (k, at) in leaving(ground, needs, order, |s| s == need.from).into_iter().enumerate() {
            put(at, vec![(x, y + 5.0 + 2.6 * k as f64)]);
        }
    }
    out
}

/// Where `count` wires leave a processor, top to bottom: from its right edge below the chips, else down from its lower edge.
fn leave(ground: &Ground, cpu: &Rect, count: usize) -> Vec<Vec<(f64, f64)>> {
    let chips = ground.chips.iter().map(Rect::bottom).fold(f64::MIN, f64::max) + 5.0;
    let beside = ground.cpus.iter().filter(|o| o.x > cpu.x && o.y < cpu.bottom() && cpu.y < o.bottom()).map(|o| o.bottom() + 5.0);
    let top = beside.fold((cpu.y + 5.0).max(chips), f64::max);
    let room = (cpu.bottom() - 5.0 - top).max(0.0);
    let steps = count.saturating_sub(1).max(1) as f64;
    let step = (room / steps).clamp(EXIT.1, EXIT.0);
    let first = top + (room - step * steps).max(0.0) / 2.0;
    let below: Vec<bool> = (0..count).map(|n| first + step * n as f64 > cpu.bottom() - 3.0).collect();
    let down = below.iter().filter(|b| **b).count();
    let mut left = 0;
    (0..count)
        .map(|n| {
            let y = first + step * n as f64;
            if !below.get(n).copied().unwrap_or(false) {
                return vec![(cpu.right(), y)];
            }
            // The lower it runs, the further to the rear it leaves.
            let x = cpu.right() - 8.0 - (cpu.w - 16.0).min(EXIT.0 * down as f64) * left as f64 / down.max(1) as f64;
            left += 1;
            vec![(x, cpu.bottom()), (x, y)]
        })
        .collect()
}

/// From processors and other chips to the left edge of each chip.
fn uplinks(ground: &Ground, needs: &[Need]) -> Vec<Vec<(f64, f64)>> {
    let mut used = vec![0_usize; ground.cpus.len()];
    let lane = |n: usize| ground.chips.first().map_or(0.0, |c| c.x) - 5.0 - 4.0 * n as f64;
    let mut out = Vec::new();
    for (n, chip) in ground.chips.iter().enumerate() {
        let end = (chip.x, chip.y + chip.h * 0.4);
        // The upper chip's uplink runs nearest to the processor.
        let x = lane(ground.chips.len() - 1 - n);
        let path = match ground.parents.get(n).copied().flatten() {
            Some(Parent::Cpu(cpu)) => {
                let count = |k: usize| {
                    let wires = needs.iter().filter(|w| w.from == Source::Cpu(k)).count();
                    wires + ground.parents.iter().filter(|p| **p == Some(Parent::Cpu(k))).count()
                };
                let nth = used.get(cpu).copied().unwrap_or(0);
                if let Some(u) = used.get_mut(cpu) {
                    *u += 1;
                }
                let start = ground.cpus.get(cpu).and_then(|r| leave(ground, r, count(cpu)).into_iter().nth(nth));
                start.map_or_else(Vec::new, |mut path| {
                    if let Some(&(_, y)) = path.last() {
                        path.push((x, y));
                    }
                    path.extend([(x, end.1), end]);
                    path
                })
            }
            Some(Parent::Chip(parent)) => ground.chips.get(parent).map_or_else(Vec::new, |from| {
                let y = from.y + from.h * 0.7;
                vec![(from.x, y), (x, y), (x, end.1), end]
            }),
            None => Vec::new(),
        };
        out.push(path);
    }
    out
}

/// The path with its corners rounded; points that lie on a straight line are left out.
fn rounded(path: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for &p in path {
        if corners.last().is_none_or(|q| (q.0 - p.0).abs() + (q.1 - p.1).abs() > 0.05) {
            corners.push(p);
        }
    }
    let mut out = Vec::new();
    for (n, &at) in corners.iter().enumerate() {
        let (Some(&before), Some(&after)) = (n.checked_sub(1).and_then(|b| corners.get(b)), corners.get(n + 1)) else {
            out.push(at);
            continue;
        };
        let toward = |to: (f64, f64)| {
            let (dx, dy) = (to.0 - at.0, to.1 - at.1);
            let length = libm::sqrt(dx * dx + dy * dy).max(1e-6);
            let r = BEND.min(length / 2.0);
            (at.0 + dx / length * r, at.1 + dy / length * r)
        };
        let (a, b) = (toward(before), toward(after));
        for t in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let mix = |p: f64, c: f64, q: f64| (1.0 - t) * (1.0 - t) * p + 2.0 * t * (1.0 - t) * c + t * t * q;
            out.push((mix(a.0, at.0, b.0), mix(a.1, at.1, b.1)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two paths of axis-parallel pieces cross.
    fn cross(a: &[(f64, f64)], b: &[(f64, f64)]) -> bool {
        let pieces = |p: &[(f64, f64)]| p.windows(2).map(|w| (w[0], w[1])).collect::<Vec<_>>();
        let side = |p: (f64, f64), q: (f64, f64), r: (f64, f64)| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
        pieces(a)
            .iter()
            .any(|&(p, q)| pieces(b).iter().any(|&(r, s)| side(p, q, r) * side(p, q, s) < -1e-9 && side(r, s, p) * side(r, s, q) < -1e-9))
    }

    #[test]
    fn wires_of_one_processor_never_cross() {
        let ground = Ground { cpus: vec![Rect::new(60.0, 60.0, 100.0, 80.0)], left: 300.0, right: 400.0, ..Ground::default() };
        let mut needs: Vec<Need> =
            (0..8).map(|n| Need { from: Source::Cpu(0), side: Side::Card, x: 280.0, y: 180.0 + 20.0 * f64::from(n) }).collect();
        needs.extend((0..4).map(|n| Need { from: Source::Cpu(0), side: Side::Strip, x: 420.0, y: 160.0 + 40.0 * f64::from(n) }));
        let paths = routes(&ground, &needs);
        for (n, a) in paths.iter().enumerate() {
            assert!(a.len() > 2, "{n}");
            for (m, b) in paths.iter().enumerate().skip(n + 1) {
                assert!(!cross(a, b), "{n} and {m}: {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn wires_keep_their_distance() {
        let ground = Ground {
            cpus: vec![Rect::new(50.0, 60.0, 100.0, 80.0), Rect::new(190.0, 60.0, 100.0, 80.0)],
            left: 340.0,
            right: 420.0,
            ..Ground::default()
        };
        let needs: Vec<Need> = (0..8)
            .map(|n| Need { from: Source::Cpu((n % 2) as usize), side: Side::Card, x: 330.0, y: 220.0 + 20.0 * f64::from(n) })
            .collect();
        let paths = routes(&ground, &needs);
        let mut channels: Vec<f64> = paths.iter().map(|p| p.iter().map(|q| q.0).fold(0.0, f64::max)).collect();
        channels.sort_by(f64::total_cmp);
        assert!(channels.windows(2).all(|w| w[1] - w[0] >= PITCH.1 - 0.01), "{channels:?}");
        for path in &paths {
            assert!(path.iter().all(|p| p.0 >= 50.0 && p.0 <= 421.0));
        }
    }
}
