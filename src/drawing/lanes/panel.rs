//! Budgets and legend beside the rig.

use crate::analysis::lanes::{Budget, Lanes, Node, NodeKind};
use crate::analysis::space::{Position, Rect};

use super::super::rig::Pen;
use super::super::{Anchor, Role, Shape, Stroke, Target};
use super::{Chip, Shown, capital, role, thickness};

/// Width of the column, its distance from the rig, and the height of one budget and of one line of the legend, millimetres.
const WIDTH: f64 = 176.0;
const AWAY: f64 = 22.0;
const BUDGET: f64 = 43.0;
const LINE: f64 = 17.0;
const TEXT: f64 = 11.0;

/// Used, left and shared lanes in words: "32 of 64 used, 32 left".
pub fn budget_text(budget: &Budget, kind: NodeKind) -> String {
    let number = |n: Option<u16>| n.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
    match kind {
        NodeKind::Cpu => match (budget.lanes, budget.used) {
            (Some(all), Some(used)) if used > all => format!("{used} wanted of {all}"),
            (Some(all), Some(used)) => format!("{used} of {all} used, {} left", all - used),
            (Some(all), None) => format!("use unknown, of {all}"),
            (None, used) => format!("{} used, of unknown", number(used)),
        },
        NodeKind::Chipset | NodeKind::Switch => {
            let behind = match budget.devices.len() {
                0 => "unused".to_owned(),
                1 => "1 device".to_owned(),
                n => format!("{n} share"),
            };
            let up = budget.lanes.map_or_else(|| "uplink unknown".to_owned(), |n| format!("x{n} up"));
            match budget.contention {
                Some(times) if times > 1.05 && budget.devices.len() > 1 => {
                    format!("{up}, {behind}, {} times over", crate::units::plain(times, 1))
                }
                _ => format!("{up}, {behind}"),
            }
        }
    }
}

/// Share of the bar that is filled, 0..1; `None` = unknown.
fn share(budget: &Budget, kind: NodeKind) -> Option<f64> {
    match kind {
        NodeKind::Cpu => Some(f64::from(budget.used?) / f64::from(budget.lanes?.max(1))),
        NodeKind::Chipset | NodeKind::Switch => budget.contention,
    }
}

/// Why there is nothing to show, or only part of it: a head and a sentence.
pub fn gap(lanes: &Lanes) -> Option<(&'static str, String)> {
    if lanes.board.is_none() {
        return Some(("No board yet", "Lanes follow from a board's slots: place one to see them.".to_owned()));
    }
    if lanes.links.is_empty() {
        return Some(("Lane table of this board is unknown", "None of its connectors is recorded.".to_owned()));
    }
    let unknown: Vec<&str> = lanes.links.iter().filter(|l| l.expected.lanes.is_none()).map(|l| l.connector.as_str()).collect();
    match unknown.len() {
        0 => None,
        n if n == lanes.links.len() => {
            Some(("Lane table of this board is unknown", "The width of none of its connectors is recorded.".to_owned()))
        }
        1 => Some(("Unknown width", format!("It is not recorded what {} gets.", unknown.join(", ")))),
        n => Some(("Unknown widths", format!("Not recorded for {n} places: {}.", unknown.join(", ")))),
    }
}

impl<'a> Pen<'a> {
    /// Budgets and legend below the strip, or right of the rig where they find no room there; returns their box.
    pub(super) fn panel(&mut self, shown: &Shown<'a>, chips: &[Chip]) -> Rect {
        let (space, out) = (shown.space, self.len());
        let rows = || space.places.iter().filter(|p| matches!(p.position, Position::Strip(_))).map(|p| p.rect);
        let last = rows().map(|r| r.x).fold(f64::MIN, f64::max);
        let below = rows().filter(|r| r.x >= last).map(|r| r.bottom()).fold(f64::MIN, f64::max) + 24.0;
        if last > f64::MIN {
            let box_ = self.column(shown, chips, (last, below));
            if box_.bottom() <= space.case.bottom() {
                return box_;
            }
            self.truncate(out);
        }
        self.column(shown, chips, (space.bounds.right() + AWAY, space.case.y + 10.0))
    }

    fn column(&mut self, shown: &Shown<'a>, chips: &[Chip], (x, top): (f64, f64)) -> Rect {
        let mut y = top;
        if let Some((head, text)) = gap(shown.lanes) {
            self.text((x, y), head, (TEXT, true, Role::Label), Anchor::LeftMiddle, WIDTH);
            y += LINE;
            for line in wrapped(&text, 23) {
                self.text((x, y), line, (TEXT, false, Role::SubLabel), Anchor::LeftMiddle, WIDTH);
                y += LINE;
            }
            y += 6.0;
        }
        for (budget, node) in shown.lanes.budgets.iter().filter_map(|b| Some((b, shown.lanes.node(&b.node)?))) {
            if node.kind == NodeKind::Cpu || chips.iter().any(|c| c.id == node.id) || !budget.devices.is_empty() {
                self.budget(budget, node, Rect::new(x, y, WIDTH, BUDGET));
                y += BUDGET + 6.0;
            }
        }
        y = self.legend(shown, x, y + 4.0);
        Rect::new(x, top, WIDTH, y - top)
    }

    fn budget(&mut self, budget: &Budget, node: &Node, at: Rect) {
        let target = Some(Target::Node(node.id.clone()));
        self.text((at.x, at.y), capital(&budget.label), (TEXT, true, Role::Label), Anchor::LeftMiddle, at.w);
        let bar = Rect::new(at.x, at.y + 9.5, at.w, 6.5);
        self.rect(bar, 3.2, Some(Role::Line), None, target.clone());
        let over = node.kind != NodeKind::Cpu && budget.devices.len() > 1 && budget.contention.is_some_and(|c| c > 1.05);
        let role = if over { Role::Advice } else { Role::Accent };
        match share(budget, node.kind) {
            Some(share) if share > 0.0 => {
                let filled = Rect::new(bar.x, bar.y, (bar.w * share.min(1.0)).max(6.5), bar.h);
                self.rect(filled, 3.2, Some(role), None, target);
            }
            Some(_) => {}
            // Unknown is not empty.
            None => self.rect(bar, 3.2, None, Stroke { role: Role::Neutral, width: 1.2, dashed: true }, target),
        }
        let text = budget_text(budget, node.kind);
        let ink = if over { Role::Advice } else { Role::SubLabel };
        self.text((at.x, at.y + 26.0), text, (TEXT, false, ink), Anchor::LeftMiddle, at.w);
    }

    /// What colours and strokes mean, as far as they occur here; returns where it ends.
    fn legend(&mut self, shown: &Shown<'a>, x: f64, top: f64) -> f64 {
        let used: Vec<_> = shown.lanes.links.iter().filter(|l| l.device.is_some()).collect();
        let mut entries: Vec<(Role, Option<u8>, bool, String)> = Vec::new();
        let colours = [
            (Role::Gen2, "Gen1 and Gen2"),
            (Role::Gen3, "Gen3"),
            (Role::Gen4, "Gen4"),
            (Role::Gen5, "Gen5 and later"),
            (Role::Neutral, "unknown, or SATA"),
            (Role::Advice, "less than it could use"),
        ];
        for (color, name) in colours {
            if used.iter().any(|l| role(l) == color) {
                entries.push((color, Some(8), false, name.to_owned()));
            }
        }
        if used.iter().any(|l| l.is_dead()) {
            entries.push((Role::Problem, Some(4), true, "off".to_owned()));
        }
        for lanes in [16, 8, 4] {
            if used.iter().any(|l| l.trained.lanes == Some(lanes)) {
                entries.push((Role::SubLabel, Some(lanes), false, format!("x{lanes}")));
            }
        }
        let mut y = top;
        for (role, lanes, dashed, text) in entries {
            let stroke = Stroke { role, width: thickness(lanes), dashed };
            self.push(Shape::Line { points: vec![(x, y), (x + 22.0, y)], stroke, arrow: false }, None);
            self.text((x + 29.0, y), text, (TEXT, false, Role::SubLabel), Anchor::LeftMiddle, WIDTH - 29.0);
            y += LINE;
        }
        y
    }
}

/// Lines of at most `most` letters, broken between words.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match out.last_mut().filter(|l| l.chars().count() + word.chars().count() < most) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => out.push(word.to_owned()),
        }
    }
    out
}
