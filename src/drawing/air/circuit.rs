//! The case's air as a circuit: zones as nodes, gaps and grilles as resistors, fans and coolers as sources. Rows and columns stand in the order
//! of the case, not to scale. Its millimetres are points on the screen.

use crate::analysis::airflow::network::{Branch, Element, End, Network};
use crate::analysis::space::Rect;
use crate::units::{cfm, plain, signed};

use super::super::{Anchor, Drawing, Piece, Role, Shape, Stroke};
use super::air_role;

/// Node, and the ways from one to the next.
const NODE: (f64, f64) = (150.0, 26.0);
const ROW: f64 = 56.0;
const COLUMN: f64 = 270.0;
/// Room of the elements beside the zones, and the distance of their lines of text.
const SIDE: f64 = 262.0;
const STEP: f64 = 34.0;
const TEXT: f64 = 13.0;
/// Where coolers stand, left of the zones.
const COOLERS: f64 = 190.0;

struct Pen<'a> {
    net: &'a Network,
    out: Vec<Piece>,
    /// Middle of each zone's node.
    nodes: Vec<(f64, f64)>,
    bottom: f64,
    right: f64,
}

/// Places from small to large, those within a millimetre as one.
fn places(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < 0.5);
    all
}

fn index(places: &[f64], value: f64) -> usize {
    places.iter().position(|p| (p - value).abs() < 1.0).unwrap_or(0)
}

/// The whole circuit.
pub fn circuit(net: &Network) -> Drawing {
    let (xs, ys) = (places(net.zones.iter().map(|z| z.at.x)), places(net.zones.iter().map(|z| z.at.y)));
    let left = SIDE + COOLERS + NODE.0 / 2.0;
    let at = |z: &Rect| (left + COLUMN * index(&xs, z.x) as f64, 40.0 + ROW * index(&ys, z.y) as f64);
    let nodes: Vec<(f64, f64)> = net.zones.iter().map(|z| at(&z.at)).collect();
    let bottom = 40.0 + ROW * ys.len().max(1) as f64;
    let right = left + COLUMN * xs.len().saturating_sub(1) as f64 + NODE.0 / 2.0;
    let mut pen = Pen { net, out: Vec::new(), nodes, bottom, right };
    pen.gaps();
    let reach = pen.coolers().max(pen.openings());
    pen.zones();
    Drawing { pieces: pen.out, bounds: Rect::new(0.0, 0.0, pen.right + SIDE, reach.max(pen.bottom) + 10.0), ..Drawing::default() }
}

impl Pen<'_> {
    fn push(&mut self, shape: Shape) {
        self.out.push(Piece { shape, target: None });
    }

    fn text(&mut self, at: (f64, f64), text: String, look: (bool, Role), anchor: Anchor, room_mm: f64) {
        let (strong, role) = look;
        self.push(Shape::Text { at, text, size_mm: TEXT, strong, role, anchor, room_mm });
    }

    fn line(&mut self, points: Vec<(f64, f64)>, role: Role, arrow: bool) {
        self.push(Shape::Line { points, stroke: Stroke { role, width: 1.4, dashed: false }, arrow });
    }

    fn kelvin(&self, end: End) -> f64 {
        match end {
            End::Room => 0.0,
            End::Zone(z) => self.net.zones.get(z).map_or(0.0, |z| z.kelvin),
        }
    }

    /// Colour of the air that a branch carries.
    fn ink(&self, b: &Branch) -> Role {
        let top = self.net.zones.iter().map(|z| z.kelvin).fold(10.0, f64::max);
        air_role(self.kelvin(if b.flow >= 0.0 { b.from } else { b.to }), top)
    }

    fn zones(&mut self) {
        let top = self.net.zones.iter().map(|z| z.kelvin).fold(10.0, f64::max);
        for (n, zone) in self.net.zones.iter().enumerate() {
            let Some(&(x, y)) = self.nodes.get(n) else { continue };
            let rect = Rect::new(x - NODE.0 / 2.0, y - NODE.1 / 2.0, NODE.0, NODE.1);
            let stroke = Some(Stroke { role: air_role(zone.kelvin, top), width: 1.8, dashed: false });
            self.push(Shape::Rect { rect, corner_mm: 8.0, fill: Some(Role::Raised), stroke });
            self.text((x, y), zone_text(self.net, n), (true, Role::Label), Anchor::Center, NODE.0 - 8.0);
        }
    }

    /// A resistor between two nodes, with its flow.
    fn gaps(&mut self) {
        for b in self.net.branches.iter().filter(|b| b.element == Element::Gap) {
            let (End::Zone(from), End::Zone(to)) = (b.from, b.to) else { continue };
            let (Some(&a), Some(&c)) = (self.nodes.get(from), self.nodes.get(to)) else { continue };
            let role = self.ink(b);
            let (start, end) = if b.flow >= 0.0 { (a, c) } else { (c, a) };
            let upright = (a.0 - c.0).abs() < 1.0;
            let (half, middle) = (if upright { NODE.1 } else { NODE.0 } / 2.0, ((a.0 + c.0) / 2.0, (a.1 + c.1) / 2.0));
            let trim = |p: (f64, f64), q: (f64, f64)| {
                let (dx, dy) = (q.0 - p.0, q.1 - p.1);
                let long = libm::hypot(dx, dy).max(1e-9);
                (p.0 + dx / long * half, p.1 + dy / long * half)
            };
            let (start, end) = (trim(start, end), trim(end, start));
            self.resistor(start, end, role);
            let (at, anchor) =
                if upright { ((middle.0 + 10.0, middle.1), Anchor::LeftMiddle) } else { ((middle.0, middle.1 - 12.0), Anchor::Center) };
            self.text(at, cfm(b.flow.abs()), (false, Role::SubLabel), anchor, 90.0);
        }
    }

    /// A line with a zigzag in its middle and an arrow at its end.
    fn resistor(&mut self, start: (f64, f64), end: (f64, f64), role: Role) {
        let (dx, dy) = (end.0 - start.0, end.1 - start.1);
        let long = libm::hypot(dx, dy).max(1e-9);
        let (ux, uy) = (dx / long, dy / long);
        let zig = (long * 0.5).min(30.0);
        let first = (long - zig) / 2.0;
        let mut points = vec![start];
        for n in 0..=6 {
            let along = first + zig * f64::from(n) / 6.0;
            let across = match n {
                0 | 6 => 0.0,
                n if n % 2 == 1 => 4.0,
                _ => -4.0,
            };
            points.push((start.0 + ux * along - uy * across, start.1 + uy * along + ux * across));
        }
        points.push(end);
        self.line(points, role, true);
    }

    /// A circle with the wheel of a fan.
    fn source(&mut self, (x, y): (f64, f64), role: Role) {
        let stroke = Some(Stroke { role, width: 1.8, dashed: false });
        self.push(Shape::Circle { center: (x, y), radius_mm: 8.0, fill: Some(Role::Panel), stroke });
        for (dx, dy) in [(5.0, 0.0), (-2.5, 4.3), (-2.5, -4.3)] {
            self.line(vec![(x, y), (x + dx, y + dy)], role, false);
        }
    }

    /// Fans and grilles left and right of the zones, nearest to the zone they open; returns how far down they reach.
    fn openings(&mut self) -> f64 {
        let mut reach = 0.0_f64;
        let middle = self.net.case.x + self.net.case.w / 2.0;
        for rear in [true, false] {
            let mut here: Vec<(f64, &Branch)> = self
                .net
                .branches
                .iter()
                .filter(|b| matches!(b.element, Element::Fan(_) | Element::Grille) && (b.at.0 < middle) == rear)
                .filter_map(|b| if let End::Zone(z) = b.to { Some((self.nodes.get(z)?.1, b)) } else { None })
                .collect();
            here.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.at.1.total_cmp(&b.1.at.1)));
            let mut next = 0.0_f64;
            for (wished, b) in here {
                let y = wished.max(next);
                next = y + STEP;
                reach = reach.max(next);
                self.opening(b, y, rear);
            }
        }
        reach
    }

    fn opening(&mut self, b: &Branch, y: f64, rear: bool) {
        let End::Zone(z) = b.to else { return };
        let Some(&(zx, zy)) = self.nodes.get(z) else { return };
        let sign = if rear { 1.0 } else { -1.0 };
        let outer = if rear { 12.0 } else { self.right + SIDE - 12.0 };
        let (inner, border) = (zx - sign * NODE.0 / 2.0, outer + sign * (SIDE - 30.0));
        let role = self.ink(b);
        let path = vec![(outer, y), (border, y), (inner, zy)];
        let fan = matches!(b.element, Element::Fan(_));
        if b.flow >= 0.0 {
            self.line(path, role, true);
        } else {
            self.line(path.into_iter().rev().collect(), role, true);
        }
        let at = (outer + sign * 26.0, y);
        if fan {
            self.source(at, role);
        } else {
            let (a, c) = ((at.0 - 16.0, y), (at.0 + 16.0, y));
            let gap = Rect::new(at.0 - 16.0, y - 3.0, 32.0, 6.0);
            self.push(Shape::Rect { rect: gap, corner_mm: 0.0, fill: Some(Role::Panel), stroke: None });
            if b.flow * sign >= 0.0 { self.resistor(a, c, role) } else { self.resistor(c, a, role) }
        }
        let (x, anchor) = if rear { (outer + 48.0, Anchor::LeftMiddle) } else { (outer - 48.0, Anchor::RightMiddle) };
        self.text((x, y - 9.0), b.name.clone(), (true, Role::Label), anchor, SIDE - 82.0);
        let pressure =
            if b.drive == 0.0 { format!("loses {} Pa", plain(b.loss.abs(), 2)) } else { format!("makes {} Pa", plain(b.drive.abs(), 1)) };
        let numbers = format!("{} {}, {pressure}", cfm(b.flow.abs()), if b.flow >= 0.0 { "in" } else { "out" });
        self.text((x, y + 9.0), numbers, (false, Role::SubLabel), anchor, SIDE - 82.0);
    }

    /// Coolers between the openings of the rear and the zones.
    fn coolers(&mut self) -> f64 {
        let mut next = 20.0_f64;
        let from = |b: &Branch| if let End::Zone(z) = b.from { self.nodes.get(z).copied() } else { None };
        let coolers = self.net.branches.iter().filter(|b| matches!(b.element, Element::Cooler(_)));
        let mut here: Vec<((f64, f64), &Branch)> = coolers.filter_map(|b| Some((from(b)?, b))).collect();
        here.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
        for ((fx, fy), b) in here {
            let y = (fy - ROW / 2.0).max(next);
            next = y + STEP;
            let x = SIDE + 62.0;
            let role = self.ink(b);
            self.line(vec![(fx - NODE.0 / 2.0, fy - 5.0), (x + 30.0, y + 3.0), (x + 10.0, y + 3.0)], role, true);
            match b.to {
                End::Zone(to) => {
                    if let Some(&(tx, ty)) = self.nodes.get(to) {
                        let warm = self.net.zones.iter().map(|z| z.kelvin).fold(10.0, f64::max);
                        let out = air_role(self.kelvin(b.to), warm);
                        self.line(vec![(x + 10.0, y - 3.0), (x + 30.0, y - 3.0), (tx - NODE.0 / 2.0, ty + 5.0)], out, true);
                    }
                }
                End::Room => self.line(vec![(x - 10.0, y), (x - 34.0, y)], Role::Air(super::AIR_STEPS - 1), true),
            }
            self.source((x, y), role);
            let text = format!("{}, {}", b.name, cfm(b.flow));
            self.text((x - 30.0, y - 15.0), text, (true, Role::Label), Anchor::LeftMiddle, COOLERS - 36.0);
        }
        next
    }
}

/// "3: 31 °C, +0.4 Pa".
pub fn zone_text(net: &Network, number: usize) -> String {
    let Some(zone) = net.zones.get(number) else { return "room".to_owned() };
    format!("{}: {} °C, {} Pa", number + 1, plain(net.ambient_c + zone.kelvin, 0), signed(zone.pascal, 2))
}

/// "12 CFM, makes 20 Pa, loses 3.4 Pa".
pub fn branch_numbers(b: &Branch) -> String {
    let way = match b.element {
        Element::Gap | Element::Cooler(_) => "",
        Element::Grille | Element::Fan(_) => {
            if b.flow >= 0.0 {
                " in"
            } else {
                " out"
            }
        }
    };
    let drive = if b.drive == 0.0 { String::new() } else { format!(", makes {} Pa", plain(b.drive.abs(), 1)) };
    format!("{}{way}{drive}, loses {} Pa", cfm(b.flow.abs()), plain(b.loss.abs(), 2))
}
