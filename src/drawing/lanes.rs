//! The lanes layer: wires from processors, chipset and switches to every device, thick by lanes, coloured by generation, with what each link
//! trains to; the budget of each root.

use crate::analysis::lanes::rate::Width;
use crate::analysis::lanes::{Lanes, Link, Node, NodeId, NodeKind};
use crate::analysis::space::{Position, Rect, Seat, Space};
use crate::build::{PlacementId, SlotId};
use crate::catalog::part::PartKind;
use crate::report::Report;

use super::rig::Pen;
use super::{Anchor, Role, Shape, Stroke, Target};
use change::from_to;
use route::{Ground, Need, Parent, Side, Source, routes};

pub mod change;
pub mod panel;
mod route;

/// Box of a chip, and the way from one to the next below it, millimetres.
const CHIP: (f64, f64) = (76.0, 30.0);
const CHIP_STEP: f64 = 35.0;
/// Room of one letter of a tag at the smallest scale at which it is shown, and of its ends.
const TAG_LETTER: f64 = 7.4;
const TAG_ENDS: f64 = 14.0;
/// Line height of tags.
const TAG: f64 = 10.5;

/// Links to show: those of the rig, or those that an edit would lead to beside them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub space: &'a Space,
    /// Where the parts would be after the edit.
    later: &'a Space,
    pub lanes: &'a Lanes,
    before: &'a Lanes,
}

impl<'a> Shown<'a> {
    /// An edit that changes case or board moves everything; only the rig as it is can be drawn then.
    pub fn of(report: &'a Report, after: Option<&'a Report>) -> Self {
        let (space, before) = (&report.facts.space, &report.facts.lanes);
        let same = |a: &&Report| {
            let later = &a.facts.space;
            later.case == space.case && later.board == space.board && a.facts.lanes.board == before.board
        };
        let after = after.filter(same);
        Self { space, later: after.map_or(space, |a| &a.facts.space), lanes: after.map_or(before, |a| &a.facts.lanes), before }
    }

    /// The link as it is now, if the edit keeps its device.
    fn earlier(&self, link: &Link) -> Option<&'a Link> {
        self.before.link(&link.slot).filter(|b| b.device == link.device)
    }

    /// What stands on the tag of a link, and the colour of its edge.
    fn tag(&self, link: &Link) -> (String, Role) {
        match self.earlier(link) {
            Some(b) if b.trained != link.trained => {
                let less = link.trained.raw_gb_s().zip(b.trained.raw_gb_s()).is_some_and(|(now, then)| now < then);
                (from_to(b.trained, link.trained), if less { Role::Problem } else { Role::Accent })
            }
            Some(_) => (short_text(link.trained), role(link)),
            None => (short_text(link.trained), Role::Accent),
        }
    }

    /// Room that the tag of a part takes at the end of its box, millimetres.
    pub fn tag_room(&self, id: PlacementId) -> f64 {
        self.lanes.of(id).map_or(0.0, |link| self.tag(link).0.chars().count() as f64 * TAG_LETTER + TAG_ENDS)
    }

    /// "PCIE7 on CPU 1, could use x16 Gen4".
    pub fn line(&self, id: PlacementId) -> Option<String> {
        let link = self.lanes.of(id)?;
        let on = match link.hangs_on.as_deref() {
            Some(node) => self.lanes.node(node).map_or_else(|| "a switch".to_owned(), short_label),
            None => "an unknown root".to_owned(),
        };
        let able = link.able.filter(|_| link.is_short() == Some(true)).map(|a| format!(", could use {}", a.text())).unwrap_or_default();
        Some(format!("{} on {on}{able}", link.connector))
    }

    /// "PCIE3 free, x16 Gen4" for a slot that nothing is in.
    fn empty_text(&self, link: &Link) -> (String, Role) {
        let name = &link.connector;
        match self.earlier(link).filter(|b| b.trained != link.trained) {
            Some(b) => (format!("{name}: {}", from_to(b.trained, link.trained)), Role::Problem),
            None if link.trained.is_off() => (format!("{name} off"), Role::Neutral),
            None => (format!("{name} free, {}", link.trained.text()), Role::SubLabel),
        }
    }

    /// Where a link ends on the drawing.
    fn end(&self, link: &Link) -> Option<(Rect, Position)> {
        let seat = |s: &Seat| (s.rect, s.position);
        let place = |slot: &SlotId| self.space.place(slot).map(|p| (p.rect, p.position));
        let device = link.device?;
        if self.earlier(link).is_some() {
            return self.space.seat(device).map(seat).or_else(|| place(&link.slot));
        }
        // A new row of the strip shifts those below it only after the drop.
        match place(&link.slot) {
            Some((rect, position @ Position::Strip(_))) => Some((rect, position)),
            _ => self.later.seat(device).map(seat),
        }
    }

    /// Chipset and switches of the board that devices hang on, itself or through another; one more for devices of which only that is known.
    fn chips(&self) -> Vec<Chip> {
        let lanes = self.lanes;
        let in_use = || lanes.links.iter().filter(|l| l.device.is_some());
        let used = |node: &&Node| in_use().any(|l| lanes.path(l).iter().any(|n| n.id == node.id));
        let on_board = |n: &&Node| n.kind != NodeKind::Cpu && is_on_board(lanes, n);
        let mut out: Vec<Chip> = lanes.nodes.iter().filter(on_board).filter(used).map(Chip::of).collect();
        if in_use().any(|l| l.hangs_on.as_deref() == Some(ANY_SWITCH)) {
            let parents: Vec<Option<NodeId>> =
                lanes.nodes.iter().filter(|n| n.kind == NodeKind::Switch && is_on_board(lanes, n)).map(|n| n.parent.clone()).collect();
            let parent = parents.first().cloned().flatten().filter(|p| parents.iter().all(|q| q.as_ref() == Some(p)));
            let below = if parents.len() > 1 { format!("one of {}", parents.len()) } else { "uplink unknown".to_owned() };
            out.push(Chip { id: ANY_SWITCH.into(), name: "Switch".to_owned(), below, parent, uplink: Width::default() });
        }
        out
    }
}

/// Origin of connectors of which only the kind of origin is known.
const ANY_SWITCH: &str = "switch:?";

/// A chipset or switch as it is drawn.
#[derive(Clone, Debug)]
pub(super) struct Chip {
    id: NodeId,
    name: String,
    below: String,
    parent: Option<NodeId>,
    uplink: Width,
}

impl Chip {
    fn of(node: &Node) -> Self {
        let name = capital(&node.label.replace("chipset ", "").replace("switch ", ""));
        let below = format!("up {}", node.uplink.text());
        Self { id: node.id.clone(), name, below, parent: node.parent.clone(), uplink: node.uplink }
    }
}

/// With a capital at its start.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A chip of the board, not one on a placed part.
fn is_on_board(lanes: &Lanes, node: &Node) -> bool {
    !lanes.links.iter().any(|l| l.device.is_some_and(|d| *d.to_string() == *node.id))
}

/// "chipset", "switch PLX", "CPU 1": the label without the chip's name.
fn short_label(node: &Node) -> String {
    match node.kind {
        NodeKind::Chipset => "the chipset".to_owned(),
        NodeKind::Cpu | NodeKind::Switch => node.label.split(" (").next().unwrap_or(&node.label).to_owned(),
    }
}

/// "x8 Gen4", "x? Gen3" where the width is unknown.
fn short_text(width: Width) -> String {
    match (width.lanes, width.r#gen) {
        (None, Some(generation)) => format!("x? Gen{generation}"),
        _ => width.text(),
    }
}

/// Colour of a link: problem where it is dead, advice where it is short, else its generation's.
fn role(link: &Link) -> Role {
    if link.is_dead() {
        Role::Problem
    } else if link.is_short() == Some(true) {
        Role::Advice
    } else {
        generation(link.trained)
    }
}

/// Colour of a generation; neutral where it is unknown, or the link has none.
fn generation(width: Width) -> Role {
    match (width.lanes, width.r#gen) {
        (None, _) | (_, None) => Role::Neutral,
        (_, Some(0..=2)) => Role::Gen2,
        (_, Some(3)) => Role::Gen3,
        (_, Some(4)) => Role::Gen4,
        (_, Some(_)) => Role::Gen5,
    }
}

/// Thickness by lanes, in points; thin where unknown.
fn thickness(lanes: Option<u8>) -> f32 {
    match lanes {
        Some(16..) => 4.0,
        Some(8..) => 2.9,
        Some(4..) => 2.0,
        Some(2..) => 1.5,
        Some(_) | None => 1.1,
    }
}

/// Which of the drawn cards a seat is: those have a face for a tag.
fn is_face(position: Position, rect: &Rect) -> bool {
    !matches!(position, Position::Strip(_)) && rect.h > 9.0
}

impl<'a> Pen<'a> {
    /// Everything of the layer; returns what it takes beside the rig.
    pub(super) fn lanes(&mut self, shown: &Shown<'a>) -> Rect {
        let chips = shown.chips();
        let ground = self.ground(shown, &chips);
        let mut wires: Vec<(&Link, Need)> = Vec::new();
        for link in shown.lanes.links.iter().filter(|l| l.device.is_some()) {
            let Some((rect, position)) = shown.end(link) else { continue };
            let (side, x) = match position {
                Position::Strip(_) => (Side::Strip, rect.x),
                _ => (Side::Card, rect.right()),
            };
            let y = rect.y + rect.h.min(60.0) / 2.0;
            wires.push((link, Need { from: self.source(shown, &chips, link), side, x, y }));
        }
        let needs: Vec<Need> = wires.iter().map(|w| w.1).collect();
        let paths = routes(&ground, &needs);
        let (down, up) = paths.split_at(needs.len().min(paths.len()));
        for (chip, path) in chips.iter().zip(up) {
            self.wire(path, chip.uplink, generation(chip.uplink), Target::Node(chip.id.clone()));
        }
        for ((link, need), path) in wires.iter().zip(down) {
            let color = if shown.earlier(link).is_some() { role(link) } else { Role::Accent };
            self.wire(path, link.trained, color, Target::Slot(link.slot.clone()));
            if need.from == Source::Unknown
                && let Some(&(x, y)) = path.first()
            {
                self.text((x + 4.0, y), "?", (11.0, true, Role::Neutral), Anchor::LeftMiddle, 12.0);
            }
        }
        for (chip, rect) in chips.iter().zip(&ground.chips) {
            self.chip(chip, rect);
        }
        for (link, _) in &wires {
            self.tag(shown, link);
        }
        self.empty_slots(shown, ground.left - 8.0);
        self.panel(shown, &chips)
    }

    fn ground(&self, shown: &Shown<'a>, chips: &[Chip]) -> Ground {
        let space = shown.space;
        let strip = space.places.iter().filter(|p| matches!(p.position, Position::Strip(_))).map(|p| p.rect.x).fold(f64::MAX, f64::min);
        let board = space.board.unwrap_or_default();
        let drawn = |s: &&Seat| self.is_card(s.placement) && !matches!(s.position, Position::Strip(_));
        let all = || space.seats.iter().chain(&shown.later.seats).filter(drawn).map(|s| s.rect);
        let cards = all().map(|r| r.right()).fold(board.right(), f64::max);
        let highest = all().map(|r| r.y).fold(f64::MAX, f64::min);
        // Above the cards, right of the board; where the column is too long for that, right of the cards.
        let beside = chips.len() as f64 * CHIP_STEP > highest - board.y;
        let x = if beside { cards + 12.0 } else { (board.right() + 14.0).max(cards - CHIP.0) };
        let boxes = (0..chips.len()).map(|n| Rect::new(x, board.y + CHIP_STEP * n as f64, CHIP.0, CHIP.1)).collect();
        let left = if chips.is_empty() { cards } else { cards.max(x + CHIP.0) } + 8.0;
        let right = if strip < f64::MAX { strip } else { space.case.right() } - 7.0;
        let cpus = self.cpu_rects(shown);
        let parent = |chip: &Chip| {
            let id = chip.parent.as_ref()?;
            let chip = chips.iter().position(|c| c.id == *id).map(Parent::Chip);
            chip.or_else(|| Some(Parent::Cpu(self.cpu_index(shown, id)?)))
        };
        Ground { cpus, chips: boxes, parents: chips.iter().map(parent).collect(), left, right }
    }

    /// Processors from the rear to the front, by their sockets.
    fn cpus(&self, shown: &Shown<'a>) -> Vec<(NodeId, Rect)> {
        let Some(board) = shown.lanes.board else { return Vec::new() };
        let socket = |n: &Node| {
            let place = shown.space.place(&SlotId::of(board, &format!("cpu{}", n.socket? + 1)))?;
            let mut rect = place.slot.occupants.first().and_then(|id| shown.space.seat(*id)).map_or(place.rect, |s| s.rect);
            // Wires begin where a cooler on it ends.
            for cooler in shown.space.seats.iter().filter(|s| self.is_cooler(s.placement) && s.rect.overlaps(&place.rect)) {
                rect.w = rect.w.max(cooler.rect.right() - rect.x);
            }
            Some((n.id.clone(), rect))
        };
        let mut out: Vec<(NodeId, Rect)> = shown.lanes.nodes.iter().filter(|n| n.kind == NodeKind::Cpu).filter_map(socket).collect();
        out.sort_by(|a, b| a.1.x.total_cmp(&b.1.x));
        out
    }

    fn cpu_rects(&self, shown: &Shown<'a>) -> Vec<Rect> {
        self.cpus(shown).into_iter().map(|c| c.1).collect()
    }

    fn cpu_index(&self, shown: &Shown<'a>, id: &NodeId) -> Option<usize> {
        self.cpus(shown).iter().position(|c| c.0 == *id)
    }

    fn is_cooler(&self, id: PlacementId) -> bool {
        matches!(self.part(id).map(|p| &p.kind), Some(PartKind::Cooler(_)))
    }

    fn source(&self, shown: &Shown<'a>, chips: &[Chip], link: &Link) -> Source {
        // What sits on a riser or carrier hangs on that.
        if let Some(host) = link.slot.host_part().filter(|h| Some(*h) != shown.lanes.board) {
            let seat = shown.space.seat(host).or_else(|| shown.later.seat(host));
            return seat.map_or(Source::Unknown, |s| Source::Part { x: s.rect.right(), y: s.rect.y + s.rect.h.min(60.0) / 2.0 });
        }
        let Some(id) = &link.hangs_on else { return Source::Unknown };
        if let Some(chip) = chips.iter().position(|c| c.id == *id) {
            return Source::Chip(chip);
        }
        self.cpu_index(shown, id).map_or(Source::Unknown, Source::Cpu)
    }

    /// A wire over a gap in whatever it crosses; dashed where it is off.
    fn wire(&mut self, path: &[(f64, f64)], width: Width, role: Role, target: Target) {
        if path.len() < 2 {
            return;
        }
        let points = path.to_vec();
        let thick = thickness(width.lanes);
        let gap = Stroke { role: Role::CaseInside, width: thick + 2.4, dashed: false };
        self.push(Shape::Line { points: points.clone(), stroke: gap, arrow: false }, None);
        let stroke = Stroke { role, width: thick.max(if width.is_off() { 1.6 } else { 0.0 }), dashed: width.is_off() };
        self.push(Shape::Line { points, stroke, arrow: false }, Some(target));
    }

    fn chip(&mut self, chip: &Chip, rect: &Rect) {
        let edge = Stroke { role: generation(chip.uplink), width: 1.4, dashed: false };
        self.rect(*rect, 3.0, Some(Role::Raised), edge, Some(Target::Node(chip.id.clone())));
        let (x, y) = rect.center();
        self.text((x, y - 6.5), chip.name.clone(), (10.5, true, Role::Label), Anchor::Center, rect.w - 6.0);
        self.text((x, y + 7.0), chip.below.clone(), (10.5, false, Role::SubLabel), Anchor::Center, rect.w - 6.0);
    }

    /// At the far end of a card's face, in the row of the strip, or right of a riser's slot.
    fn tag(&mut self, shown: &Shown<'a>, link: &Link) {
        let Some((rect, position)) = shown.end(link) else { return };
        let (text, edge) = shown.tag(link);
        let (at, anchor) = match position {
            Position::Strip(_) => ((rect.right() - 4.0, rect.bottom() - 8.5), Anchor::RightMiddle),
            _ if is_face(position, &rect) => ((rect.right() - 5.0, rect.y + rect.h.min(60.0) / 2.0), Anchor::RightMiddle),
            _ => ((rect.right() + 4.0, rect.y + rect.h / 2.0), Anchor::LeftMiddle),
        };
        self.push(Shape::Tag { at, text, size_mm: TAG, edge, anchor }, Some(Target::Slot(link.slot.clone())));
    }

    /// Names and widths of free slots right of them, where no card hangs over; those of one height share a line.
    fn empty_slots(&mut self, shown: &Shown<'a>, end: f64) {
        let space = shown.space;
        let mut lines: Vec<(f64, f64, String, Role)> = Vec::new();
        for place in space.places.iter().filter(|p| p.slot.is_pcie() && p.covered_by.is_none() && p.slot.occupants.is_empty()) {
            let Some(link) = shown.lanes.link(&place.slot.id).filter(|l| l.device.is_none()) else { continue };
            if matches!(place.position, Position::Strip(_)) {
                continue;
            }
            let (x, at) = self.label_place(place, space);
            // Beside a card that ends just above, where only the order is known.
            let cards = space.seats.iter().filter(|s| self.is_card(s.placement) && s.rect.x < x && x < s.rect.right());
            let y = cards.filter(|s| s.rect.y < at + 6.0 && at - 6.0 < s.rect.bottom()).map(|s| s.rect.bottom() + 8.0).fold(at, f64::max);
            let (text, role) = shown.empty_text(link);
            match lines.iter_mut().find(|l| (l.1 - y).abs() < 9.0) {
                Some(line) => {
                    line.0 = line.0.max(x);
                    line.2.push_str(" · ");
                    line.2.push_str(&text);
                }
                None => lines.push((x, y, text, role)),
            }
        }
        for (x, y, text, role) in lines.into_iter().filter(|l| end - l.0 > 20.0) {
            self.text((x, y), text, (10.5, false, role), Anchor::LeftMiddle, end - x);
        }
    }
}
