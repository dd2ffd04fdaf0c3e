//! The airflow and heat layers: lines that the air follows, or a map of its temperature; what passes each opening; what narrow gaps cost.

use crate::analysis::airflow::field::{Field, Streamline, Through, Vent};
use crate::analysis::airflow::scene::Wall;
use crate::analysis::airflow::{Airflow, CardState};
use crate::analysis::space::{Position, Rect, Space};
use crate::build::PlacementId;
use crate::catalog::part::PartKind;
use crate::units::{cfm, mm, plain};

use super::rig::Pen;
use super::{Anchor, Layer, Role, Shape, Stroke, Target};

mod cards;
pub mod circuit;
pub mod panel;

/// Steps of the two scales: air along its way, and the map of temperatures.
pub const AIR_STEPS: u8 = 6;
pub const HEAT_STEPS: u8 = 12;
/// Lines of the picture; each stands for the same part of all air that begins somewhere.
pub const LINES: usize = 110;
/// Grain of the map of temperatures, mm.
const GRAIN: f64 = 2.5;
/// Dies are coloured from here to there, °C.
pub const DIE_SCALE: (f64, f64) = (30.0, 100.0);
/// Gaps wider than this cost next to nothing, mm.
const NARROW: f64 = 25.0;
/// Height of tags, mm, and their least distance along a wall.
const TAG: f64 = 10.0;
const APART: f64 = 14.5;
/// Less air than this through a grille is not worth an arrow, m³/s.
const LEAST: f64 = 2.0e-4;

/// Top of the scale of the air, K over the room: round, and at least 10; small hot pockets go beyond it.
pub fn top_of_scale(field: &Field) -> f64 {
    ((field.warm() / 5.0).ceil() * 5.0).clamp(10.0, 60.0)
}

/// Step of a share 0..1 of a scale.
fn step(share: f64, steps: u8) -> u8 {
    let last = f64::from(steps.saturating_sub(1));
    (share.clamp(0.0, 1.0) * last).round() as u8
}

/// Colour of moving air by its rise over the room.
pub fn air_role(kelvin: f64, top: f64) -> Role {
    Role::Air(step(kelvin / top, AIR_STEPS))
}

/// Colour of the map by the rise over the room.
pub fn heat_role(kelvin: f64, top: f64) -> Role {
    Role::Heat(step(kelvin / top, HEAT_STEPS))
}

/// Colour of a die by its temperature, °C.
pub fn die_role(celsius: f64) -> Role {
    let (low, high) = DIE_SCALE;
    Role::Heat(step((celsius - low) / (high - low), HEAT_STEPS))
}

/// What a narrow gap below a card costs: "gap 2 mm: 41 % less air, 9 K more, 4 % less work". Where only the order of the slots is known,
/// no gap is: what the drawing's own distances would cost is not told.
pub fn gap_text(space: &Space, id: PlacementId, state: &CardState) -> Option<String> {
    if state.gap_mm >= NARROW || state.gap_share > 0.995 {
        return None;
    }
    if space.seat(id).is_some_and(|s| s.position == Position::OrderOnly) {
        return Some("gap unknown: slots by order only".to_owned());
    }
    let gap = if state.gap_mm < 0.5 { "touching".to_owned() } else { format!("gap {}", mm(state.gap_mm)) };
    let mut costs = vec![format!("{} % less air", plain((1.0 - state.gap_share) * 100.0, 0))];
    if state.gap_k >= 1.5 {
        costs.push(format!("{} K more", plain(state.gap_k, 0)));
    }
    if state.gap_lost >= 0.005 {
        costs.push(format!("{} % less work", plain(state.gap_lost * 100.0, 0)));
    }
    Some(format!("{gap}: {}", costs.join(", ")))
}

impl Pen<'_> {
    fn air(&self) -> &Airflow {
        &self.report.facts.airflow
    }

    /// What hides the air behind it: cards and coolers.
    fn solids(&self, space: &Space) -> Vec<Rect> {
        let tall = |id: PlacementId| {
            matches!(self.part(id).map(|p| &p.kind), Some(PartKind::Gpu(_) | PartKind::Cooler(_) | PartKind::Nic(_) | PartKind::Carrier(_)))
        };
        space.seats.iter().filter(|s| !matches!(s.position, Position::Strip(_)) && tall(s.placement)).map(|s| s.rect).collect()
    }

    /// What lies behind the parts: the map, or the lines; returns the visible pieces of the lines, for moving smoke.
    pub(super) fn air_under(&mut self, space: &Space) -> Vec<Streamline> {
        let field = self.air().field.clone();
        if self.layer == Layer::Heat {
            self.map(&field);
            if let Some(board) = space.board {
                let edge = Stroke { role: Role::Neutral, width: 1.0, dashed: false };
                self.rect(board, 3.0, None, edge, None);
            }
            let wall = Stroke { role: Role::CaseWall, width: 3.0, dashed: !space.case_known };
            self.rect(space.case, 7.0, None, wall, None);
            return Vec::new();
        }
        let top = top_of_scale(&field);
        let solids = self.solids(space);
        let lines: Vec<Streamline> = field.lines(LINES).iter().flat_map(|line| visible(line, &solids)).collect();
        for (n, line) in lines.iter().enumerate() {
            self.stream(line, top, n);
        }
        lines
    }

    /// The temperature of the air as rows of rectangles of one colour each.
    fn map(&mut self, field: &Field) {
        let top = top_of_scale(field);
        let (Some(&x0), Some(&x1), Some(&y0), Some(&y1)) = (field.xs.first(), field.xs.last(), field.ys.first(), field.ys.last()) else {
            return;
        };
        let count = |a: f64, b: f64| ((b - a) / GRAIN).ceil().clamp(1.0, 1000.0) as usize;
        let (nx, ny) = (count(x0, x1), count(y0, y1));
        let (dx, dy) = ((x1 - x0) / nx as f64, (y1 - y0) / ny as f64);
        for row in 0..ny {
            let y = y0 + (row as f64 + 0.5) * dy;
            let mut run: Option<(usize, Role)> = None;
            for column in 0..=nx {
                let x = x0 + (column as f64 + 0.5) * dx;
                let here = if column < nx { field.kelvin(x, y).map(|k| heat_role(k, top)) } else { None };
                if run.is_some_and(|(_, role)| here == Some(role)) {
                    continue;
                }
                if let Some((from, role)) = run {
                    // A little over its place, so that no seams show.
                    let at = Rect::new(x0 + from as f64 * dx - 0.2, y - dy / 2.0 - 0.2, (column - from) as f64 * dx + 0.4, dy + 0.4);
                    self.rect(at, 0.0, Some(role), None, None);
                }
                run = here.map(|role| (column, role));
            }
        }
    }

    /// One line in pieces of one colour each, with an arrow on its way.
    fn stream(&mut self, line: &Streamline, top: f64, number: usize) {
        let roles: Vec<Role> = line.kelvin.iter().map(|k| air_role(*k, top)).collect();
        // Not all at the same part, or the arrows make a line of their own.
        let middle = line.points.len() * [5, 3, 7, 4, 6].get(number % 5).copied().unwrap_or(5) / 10;
        let mut from = 0;
        for at in 1..line.points.len() {
            let ends = at + 1 == line.points.len() || roles.get(at) != roles.get(from);
            let arrow = at == middle && line.points.len() > 8;
            if !ends && !arrow {
                continue;
            }
            if let (Some(points), Some(&role)) = (line.points.get(from..=at), roles.get(from)) {
                let stroke = Stroke { role, width: 1.1, dashed: false };
                self.push(Shape::Line { points: points.to_vec(), stroke, arrow }, None);
            }
            from = at;
        }
    }

    /// What lies over the parts: openings, gaps, numbers; returns what it takes beside the rig.
    pub(super) fn air_over(&mut self, space: &Space) -> Rect {
        self.narrow_gaps(space);
        let bounds = self.vents(space);
        bounds.union(&self.air_panel(space))
    }

    /// Heights at which gaps have their tags.
    fn gap_lines(&self, space: &Space) -> Vec<f64> {
        let narrow = self.air().cards.iter().filter(|c| c.state.as_ref().and_then(|s| gap_text(space, c.placement, s)).is_some());
        narrow.filter_map(|c| Some(gap_line(space, c.placement)?.1)).collect()
    }

    /// What each narrow gap costs, right of its card.
    fn narrow_gaps(&mut self, space: &Space) {
        let gaps: Vec<(PlacementId, String, bool)> = self
            .air()
            .cards
            .iter()
            .filter_map(|c| Some((c.placement, gap_text(space, c.placement, c.state.as_ref()?)?, c.state.as_ref()?.gap_k >= 3.0)))
            .collect();
        for (id, text, costly) in gaps {
            let Some((r, y)) = gap_line(space, id) else { continue };
            let role = if costly { Role::Advice } else { Role::Neutral };
            let points = vec![(r.right() - 30.0, y), (r.right() + 8.0, y)];
            self.push(Shape::Line { points, stroke: Stroke { role, width: 1.2, dashed: true }, arrow: false }, None);
            let tag = Shape::Tag { at: (r.right() + 8.0, y), text, size_mm: 9.5, edge: role, anchor: Anchor::LeftMiddle };
            self.push(tag, Some(Target::Placement(id)));
        }
    }

    /// An arrow with its flow at each opening; returns the box of what lies outside the case.
    fn vents(&mut self, space: &Space) -> Rect {
        let vents = self.air().field.vents.clone();
        let c = space.case;
        let mut outside = c;
        for wall in [Wall::Rear, Wall::Front, Wall::Top, Wall::Bottom] {
            let upright = matches!(wall, Wall::Rear | Wall::Front);
            // Tags of gaps reach to the front.
            let avoid = if wall == Wall::Front { self.gap_lines(space) } else { Vec::new() };
            let mut here: Vec<(f64, &Vent)> =
                vents.iter().filter(|v| v.wall == wall).map(|v| (along(v, &vents, upright, &avoid), v)).collect();
            here.retain(|(_, v)| matches!(v.through, Through::Fan(_)) || v.flow.abs() > LEAST);
            here.sort_by(|a, b| a.0.total_cmp(&b.0));
            let least = if upright { APART } else { 58.0 };
            let spots = apart(&here.iter().map(|h| h.0).collect::<Vec<f64>>(), least);
            for ((at, vent), spot) in here.iter().zip(spots) {
                self.vent(space, vent, *at, spot);
            }
            if wall == Wall::Rear && !here.is_empty() {
                outside = outside.union(&Rect::new(c.x - 74.0, c.y, 74.0, 10.0));
            }
        }
        self.side_vents(space, &vents);
        outside
    }

    /// Fans beside the picture's plane: their flow in their row of the strip.
    fn side_vents(&mut self, space: &Space, vents: &[Vent]) {
        for vent in vents.iter().filter(|v| v.wall == Wall::Side) {
            let Through::Fan(id) = vent.through else { continue };
            let Some(seat) = space.seat(id) else { continue };
            let r = seat.rect;
            let text = format!("{} {}", cfm(vent.flow.abs()), if vent.flow >= 0.0 { "in" } else { "out" });
            let tag =
                Shape::Tag { at: (r.right() - 4.0, r.bottom() - 8.5), text, size_mm: TAG, edge: way(vent), anchor: Anchor::RightMiddle };
            self.push(tag, Some(Target::Placement(id)));
        }
    }

    /// Arrow at `at` along its wall, tag at `spot`.
    fn vent(&mut self, space: &Space, vent: &Vent, at: f64, spot: f64) {
        let c = space.case;
        let sign = if vent.flow >= 0.0 { 1.0 } else { -1.0 };
        // Where the arrow stands and where it points for air that comes in.
        let fan = match vent.through {
            Through::Fan(id) => space.seat(id).filter(|s| !matches!(s.position, Position::Strip(_))).map(|s| s.rect),
            Through::Radiator | Through::Card(_) | Through::Grille => None,
        };
        let (wall, (dx, dy)) = match vent.wall {
            Wall::Rear => ((c.x, at), (1.0, 0.0)),
            Wall::Front => ((c.right(), at), (-1.0, 0.0)),
            Wall::Top => ((at, c.y), (0.0, 1.0)),
            Wall::Bottom | Wall::Side => ((at, c.bottom()), (0.0, -1.0)),
        };
        let blown = matches!(vent.through, Through::Card(_));
        let (x, y) = fan.map_or(if blown { (wall.0 - 6.0, wall.1) } else { wall }, |r| r.center());
        let reach = if fan.is_some() {
            17.0
        } else if blown {
            9.0
        } else {
            12.0
        };
        let points = vec![(x - sign * dx * reach, y - sign * dy * reach), (x + sign * dx * reach, y + sign * dy * reach)];
        let width = (1.2 + vent.flow.abs() * 90.0).min(4.5) as f32;
        let role = way(vent);
        self.push(Shape::Line { points, stroke: Stroke { role, width, dashed: false }, arrow: true }, None);
        let deep =
            fan.map_or(if vent.wall == Wall::Top { 26.0 } else { 18.0 }, |r| if vent.wall == Wall::Front { r.w } else { r.h } + 12.0);
        let (at, anchor) = match vent.wall {
            Wall::Rear => ((c.x - 17.0, spot), Anchor::RightMiddle),
            Wall::Front => ((c.right() - deep, spot), Anchor::RightMiddle),
            Wall::Top => ((spot, c.y + deep), Anchor::CenterTop),
            Wall::Bottom | Wall::Side => ((spot, c.bottom() - deep - 8.0), Anchor::Center),
        };
        let target = match vent.through {
            Through::Fan(id) | Through::Card(id) => Some(Target::Placement(id)),
            Through::Radiator | Through::Grille => None,
        };
        self.push(Shape::Tag { at, text: cfm(vent.flow.abs()), size_mm: TAG, edge: role, anchor }, target);
    }
}

/// Box of a card, and the height of the gap below it.
fn gap_line(space: &Space, id: PlacementId) -> Option<(Rect, f64)> {
    let r = space.seat(id).filter(|s| !matches!(s.position, Position::Strip(_)))?.rect;
    let gap = space.card(id).and_then(|c| c.below).and_then(|b| b.1).unwrap_or(0.0).clamp(0.0, NARROW);
    Some((r, r.bottom() + gap / 2.0))
}

/// Colour of the way: in, out.
fn way(vent: &Vent) -> Role {
    if vent.flow >= 0.0 { Role::Cold } else { Role::Advice }
}

/// Place of an opening along its wall; of a grille in the longest part that nothing else takes, near its middle and away from `avoid`.
fn along(vent: &Vent, all: &[Vent], upright: bool, avoid: &[f64]) -> f64 {
    let range = |r: &Rect| if upright { (r.y, r.bottom()) } else { (r.x, r.right()) };
    let (low, high) = range(&vent.at);
    if vent.through != Through::Grille {
        return (low + high) / 2.0;
    }
    let mut taken: Vec<(f64, f64)> =
        all.iter().filter(|v| v.wall == vent.wall && v.through != Through::Grille).map(|v| range(&v.at)).collect();
    taken.sort_by(|a, b| a.0.total_cmp(&b.0));
    taken.push((high, high));
    let (mut from, mut best) = (low, (0.0, low));
    for (start, end) in taken {
        let free = start.min(high) - from;
        if free > best.0 {
            best = (free, from);
        }
        from = from.max(end);
    }
    let (long, start) = if best.0 > 0.0 { best } else { (high - low, low) };
    let clear = |y: &f64| avoid.iter().all(|a| (a - y).abs() > APART);
    [0.5, 0.62, 0.38, 0.75, 0.25, 0.88, 0.12].into_iter().map(|share| start + share * long).find(clear).unwrap_or(start + long / 2.0)
}

/// Places at least `least` apart, in the same order, as near to the wished ones as a pass down and one up leave them.
fn apart(wished: &[f64], least: f64) -> Vec<f64> {
    let mut out = wished.to_vec();
    for _ in 0..8 {
        for at in 1..out.len() {
            let (Some(&a), Some(&b)) = (out.get(at - 1), out.get(at)) else { continue };
            if b - a < least {
                let push = (least - (b - a)) / 2.0;
                if let Some(first) = out.get_mut(at - 1) {
                    *first = a - push;
                }
                if let Some(second) = out.get_mut(at) {
                    *second = b + push;
                }
            }
        }
    }
    out
}

/// The pieces of a line that no box hides.
fn visible(line: &Streamline, solids: &[Rect]) -> Vec<Streamline> {
    let hidden = |(x, y): (f64, f64)| solids.iter().any(|r| r.x <= x && x <= r.right() && r.y <= y && y <= r.bottom());
    let mut out: Vec<Streamline> = Vec::new();
    let mut open = false;
    for ((point, seconds), kelvin) in line.points.iter().zip(&line.seconds).zip(&line.kelvin) {
        if hidden(*point) {
            open = false;
            continue;
        }
        if !open {
            out.push(Streamline { points: Vec::new(), seconds: Vec::new(), kelvin: Vec::new() });
            open = true;
        }
        if let Some(piece) = out.last_mut() {
            piece.points.push(*point);
            piece.seconds.push(*seconds);
            piece.kelvin.push(*kelvin);
        }
    }
    out.retain(|p| p.points.len() > 2);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_keep_their_order_and_distance() {
        let out = apart(&[10.0, 11.0, 12.0, 80.0], 14.0);
        assert!(out.windows(2).all(|w| w[1] - w[0] > 13.5), "{out:?}");
        assert!((out[3] - 80.0).abs() < 1.0);
    }

    #[test]
    fn a_line_behind_a_card_is_cut() {
        let points: Vec<(f64, f64)> = (0..10).map(|n| (f64::from(n) * 10.0, 5.0)).collect();
        let line = Streamline { seconds: vec![0.0; 10], kelvin: vec![0.0; 10], points };
        let pieces = visible(&line, &[Rect::new(35.0, 0.0, 20.0, 10.0)]);
        assert_eq!(pieces.iter().map(|p| p.points.len()).collect::<Vec<_>>(), [4, 4]);
    }
}
