//! Charts as drawings, so that window, SVG and PNG show the same one: stacked bars, curves, and dots with the best of them joined.

use super::{Anchor, Drawing, Piece, Role, Shape, Stroke};
use crate::analysis::space::Rect;
use crate::units::{plain, thousands};

pub mod cost;

/// Size of every chart in units of its own.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
/// Room around the field of a plot.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 46.0;
/// Line height of texts.
const TEXT: f64 = 15.0;

/// One bar of parts beside each other; a part below 0 goes to the left.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub name: String,
    pub parts: Vec<(Role, f64)>,
    /// At its end.
    pub text: String,
}

/// A curve with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub name: String,
    pub role: Role,
    pub dashed: bool,
    pub points: Vec<(f64, f64)>,
}

/// A dot of a scatter plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub name: String,
    pub role: Role,
}

/// Titles of a plot and its axes, with units.
#[derive(Clone, Copy, Debug)]
pub struct Titles<'t> {
    pub title: &'t str,
    pub x: &'t str,
    pub y: &'t str,
}

/// Shapes in the making.
struct Sheet {
    pieces: Vec<Piece>,
}

impl Sheet {
    fn new(title: &str, height: f64) -> Self {
        let mut sheet = Self { pieces: Vec::new() };
        sheet.put(Shape::Rect { rect: Rect::new(0.0, 0.0, WIDTH, height), corner_mm: 0.0, fill: Some(Role::Panel), stroke: None });
        sheet.text((12.0, 18.0), title, Anchor::LeftMiddle, Role::Label, true, WIDTH - 24.0);
        sheet
    }

    fn put(&mut self, shape: Shape) {
        self.pieces.push(Piece { shape, target: None });
    }

    fn text(&mut self, at: (f64, f64), text: &str, anchor: Anchor, role: Role, strong: bool, room_mm: f64) {
        self.put(Shape::Text { at, text: text.to_owned(), size_mm: TEXT, strong, role, anchor, room_mm });
    }

    fn line(&mut self, points: Vec<(f64, f64)>, role: Role, width: f32, dashed: bool) {
        self.put(Shape::Line { points, stroke: Stroke { role, width, dashed }, arrow: false });
    }

    fn legend(&mut self, entries: &[(Role, &str)], y: f64) {
        let mut x = 12.0;
        for (role, name) in entries {
            self.put(Shape::Rect { rect: Rect::new(x, y - 5.0, 10.0, 10.0), corner_mm: 1.0, fill: Some(*role), stroke: None });
            let room = name.chars().count() as f64 * 7.2 + 8.0;
            self.text((x + 15.0, y), name, Anchor::LeftMiddle, Role::SubLabel, false, room);
            x += 24.0 + room;
        }
    }

    fn done(self, height: f64) -> Drawing {
        Drawing { pieces: self.pieces, bounds: Rect::new(0.0, 0.0, WIDTH, height), streams: Vec::new() }
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(at_least: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(at_least.max(1e-12))));
    [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * power).find(|s| *s >= at_least).unwrap_or(power * 10.0)
}

/// A number at an axis: no more digits than the step has.
fn mark_text(value: f64, step: f64) -> String {
    if step >= 1.0 {
        thousands(value, 0)
    } else {
        let digits = (-libm::floor(libm::log10(step))).clamp(1.0, 6.0) as usize;
        plain(value, digits)
    }
}

/// Horizontal stacked bars; `None` without a bar. `unit` belongs to the numbers along the bars.
pub fn bars(title: &str, unit: &str, bars: &[Bar], legend: &[(Role, &str)]) -> Option<Drawing> {
    const ROW: f64 = 30.0;
    const NAMES: f64 = 190.0;
    const TEXTS: f64 = 150.0;
    if bars.is_empty() {
        return None;
    }
    let side = |b: &Bar, keep: fn(f64) -> bool| b.parts.iter().map(|p| p.1).filter(|v| keep(*v)).sum::<f64>();
    let right = bars.iter().map(|b| side(b, |v| v > 0.0)).fold(0.0, f64::max);
    let left = bars.iter().map(|b| -side(b, |v| v < 0.0)).fold(0.0, f64::max);
    if right + left <= 0.0 {
        return None;
    }
    let scale = (WIDTH - NAMES - TEXTS) / (right + left);
    let zero = NAMES + left * scale;
    let top = if legend.is_empty() { 40.0 } else { 64.0 };
    let height = top + bars.len() as f64 * ROW + 34.0;
    let mut sheet = Sheet::new(title, height);
    sheet.legend(legend, 42.0);
    let bottom = top + bars.len() as f64 * ROW;
    let step = round_step((right + left) / 5.0);
    let mut mark = -libm::floor(left / step) * step;
    while mark <= right * 1.001 {
        let x = zero + mark * scale;
        sheet.line(vec![(x, top), (x, bottom)], Role::Line, 1.0, false);
        sheet.text((x, bottom + 6.0), &mark_text(mark, step), Anchor::CenterTop, Role::SubLabel, false, 90.0);
        mark += step;
    }
    sheet.text((WIDTH - 12.0, bottom + 14.0), unit, Anchor::RightMiddle, Role::SubLabel, false, 120.0);
    for (n, bar) in bars.iter().enumerate() {
        let y = top + n as f64 * ROW;
        sheet.text((NAMES - 8.0, y + ROW / 2.0), &bar.name, Anchor::RightMiddle, Role::Label, false, NAMES - 16.0);
        let (mut ahead, mut behind) = (zero, zero);
        for (role, value) in &bar.parts {
            let w = value.abs() * scale;
            let x = if *value >= 0.0 { ahead } else { behind - w };
            sheet.put(Shape::Rect { rect: Rect::new(x, y + 6.0, w, ROW - 12.0), corner_mm: 0.0, fill: Some(*role), stroke: None });
            if *value >= 0.0 {
                ahead += w;
            } else {
                behind -= w;
            }
        }
        sheet.text(
            (ahead + 8.0, y + ROW / 2.0),
            &bar.text,
            Anchor::LeftMiddle,
            Role::Label,
            false,
            TEXTS + (NAMES + (right + left) * scale - ahead) - 16.0,
        );
    }
    Some(sheet.done(height))
}

/// The field of a plot from 0 to round numbers.
struct Field {
    right: f64,
    top: f64,
    step_x: f64,
    step_y: f64,
}

impl Field {
    /// `None` where nothing is above 0.
    fn new(most_x: f64, most_y: f64) -> Option<Self> {
        if !(most_x > 0.0 && most_y > 0.0 && most_x.is_finite() && most_y.is_finite()) {
            return None;
        }
        let (step_x, step_y) = (round_step(most_x / 6.0), round_step(most_y / 5.0));
        Some(Self { right: libm::ceil(most_x / step_x) * step_x, top: libm::ceil(most_y / step_y) * step_y, step_x, step_y })
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let px = LEFT + x / self.right * (WIDTH - LEFT - RIGHT);
        (px, HEIGHT - BOTTOM - y / self.top * (HEIGHT - TOP - BOTTOM))
    }

    fn axes(&self, sheet: &mut Sheet, titles: Titles<'_>) {
        let mut y = 0.0;
        while y <= self.top * 1.001 {
            let (a, b) = (self.at(0.0, y), self.at(self.right, y));
            sheet.line(vec![a, b], Role::Line, 1.0, false);
            sheet.text((a.0 - 8.0, a.1), &mark_text(y, self.step_y), Anchor::RightMiddle, Role::SubLabel, false, LEFT - 12.0);
            y += self.step_y;
        }
        let mut x = 0.0;
        while x <= self.right * 1.001 {
            let at = self.at(x, 0.0);
            sheet.line(vec![at, (at.0, at.1 + 4.0)], Role::Line, 1.0, false);
            sheet.text((at.0, at.1 + 6.0), &mark_text(x, self.step_x), Anchor::CenterTop, Role::SubLabel, false, 90.0);
            x += self.step_x;
        }
        sheet.text((WIDTH - 12.0, HEIGHT - 12.0), titles.x, Anchor::RightMiddle, Role::SubLabel, false, 500.0);
        sheet.text((12.0, TOP - 16.0), titles.y, Anchor::LeftMiddle, Role::SubLabel, false, 300.0);
    }
}

/// Curves over an axis from 0; `None` without two points.
pub fn curves(titles: Titles<'_>, curves: &[Curve]) -> Option<Drawing> {
    let points = || curves.iter().flat_map(|c| &c.points);
    let field = Field::new(points().map(|p| p.0).fold(0.0, f64::max), points().map(|p| p.1).fold(0.0, f64::max))?;
    if curves.iter().all(|c| c.points.len() < 2) {
        return None;
    }
    let mut sheet = Sheet::new(titles.title, HEIGHT);
    field.axes(&mut sheet, titles);
    let legend: Vec<(Role, &str)> = curves.iter().map(|c| (c.role, c.name.as_str())).collect();
    let width: f64 = legend.iter().map(|l| l.1.chars().count() as f64 * 7.2 + 32.0).sum();
    // Beside the title of the upright axis.
    let mut x = (WIDTH - 12.0 - width).max(200.0);
    for (role, name) in &legend {
        sheet.put(Shape::Rect { rect: Rect::new(x, TOP - 21.0, 10.0, 10.0), corner_mm: 1.0, fill: Some(*role), stroke: None });
        let room = name.chars().count() as f64 * 7.2 + 8.0;
        sheet.text((x + 15.0, TOP - 16.0), name, Anchor::LeftMiddle, Role::SubLabel, false, room);
        x += 24.0 + room;
    }
    for curve in curves {
        let path = curve.points.iter().map(|p| field.at(p.0, p.1)).collect();
        sheet.line(path, curve.role, 2.0, curve.dashed);
    }
    Some(sheet.done(HEIGHT))
}

/// Dots; those of `front`, in order, are joined by steps. `None` without a dot.
pub fn scatter(titles: Titles<'_>, front: &[Dot], others: &[Dot]) -> Option<Drawing> {
    let dots = || front.iter().chain(others);
    let field = Field::new(dots().map(|d| d.x).fold(0.0, f64::max) * 1.12, dots().map(|d| d.y).fold(0.0, f64::max) * 1.05)?;
    let mut sheet = Sheet::new(titles.title, HEIGHT);
    field.axes(&mut sheet, titles);
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for dot in front {
        if let Some(last) = steps.last().copied() {
            // For less than the next costs, the one before is the best there is.
            steps.push((field.at(dot.x, 0.0).0, last.1));
        }
        steps.push(field.at(dot.x, dot.y));
    }
    if steps.len() > 1 {
        sheet.line(steps, Role::Accent, 1.5, false);
    }
    let at = |dot: &Dot| field.at(dot.x, dot.y);
    for dot in dots() {
        sheet.put(Shape::Circle { center: at(dot), radius_mm: 5.0, fill: Some(dot.role), stroke: None });
    }
    // A name goes right of its dot, else left, where it lies on no other name and no other dot; else it is left out, as lists have it.
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    for dot in others.iter().chain(front).filter(|d| !d.name.is_empty()) {
        let (x, y) = at(dot);
        let width = dot.name.chars().count() as f64 * 7.2;
        let free = |from: f64| {
            let clear = |&(a, b, line): &(f64, f64, f64)| (line - (y - 9.0)).abs() >= TEXT || from + width < a || from > b;
            let off = |(px, py): (f64, f64)| {
                (px, py) == (x, y) || px < from - 6.0 || px > from + width + 6.0 || (py - (y - 9.0)).abs() > TEXT * 0.8
            };
            from >= LEFT && from + width <= WIDTH - 4.0 && taken.iter().all(clear) && dots().map(&at).all(off)
        };
        let sides = [(x + 9.0, x + 9.0, Anchor::LeftMiddle), (x - 9.0 - width, x - 9.0, Anchor::RightMiddle)];
        if let Some((from, pin, anchor)) = sides.into_iter().find(|s| free(s.0)) {
            taken.push((from, from + width, y - 9.0));
            sheet.text((pin, y - 9.0), &dot.name, anchor, Role::Label, false, width + 8.0);
        }
    }
    Some(sheet.done(HEIGHT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_marks_are_round() {
        for (least, step) in [(0.03, 0.05), (1.0, 1.0), (1.1, 2.0), (37.0, 50.0), (2400.0, 5000.0)] {
            assert!((round_step(least) - step).abs() < step * 1e-9, "{least}");
        }
        assert_eq!(mark_text(1500.0, 500.0), "1,500");
        assert_eq!(mark_text(0.15, 0.05), "0.15");
    }

    #[test]
    fn all_that_is_drawn_lies_on_the_sheet() {
        let curve =
            |name: &str, top: f64| Curve { name: name.to_owned(), role: Role::Cold, dashed: false, points: vec![(0.0, 0.0), (36.0, top)] };
        let titles = Titles { title: "t", x: "months", y: "USD" };
        let dot = |x: f64, y: f64| Dot { x, y, name: "n".to_owned(), role: Role::Accent };
        let bar = Bar { name: "a".to_owned(), parts: vec![(Role::Cold, 5.0), (Role::Good, -3.0)], text: "2".to_owned() };
        let drawings = [
            curves(titles, &[curve("a", 1234.5), curve("b", 0.2)]),
            scatter(titles, &[dot(1.0, 2.0), dot(900.0, 80.0)], &[dot(500.0, 3.0)]),
            bars("t", "USD", &[bar], &[(Role::Cold, "x")]),
        ];
        for drawing in drawings.into_iter().flatten() {
            for piece in &drawing.pieces {
                let inside =
                    |(x, y): (f64, f64)| (-0.01..=drawing.bounds.w + 0.01).contains(&x) && (-0.01..=drawing.bounds.h + 0.01).contains(&y);
                let fine = match &piece.shape {
                    Shape::Rect { rect, .. } => inside((rect.x, rect.y)) && inside((rect.x + rect.w, rect.y + rect.h)),
                    Shape::Line { points, .. } => points.iter().all(|p| inside(*p)),
                    Shape::Circle { center, .. } => inside(*center),
                    Shape::Text { at, .. } | Shape::Tag { at, .. } => inside(*at),
                };
                assert!(fine, "{:?}", piece.shape);
            }
        }
        assert_eq!(curves(titles, &[]), None);
        assert_eq!(scatter(titles, &[], &[]), None);
    }
}
