//! Draws a rig: one function a kind of thing, back to front.

use super::lanes::Shown;
use super::{Anchor, Drawing, Layer, Piece, Role, Shape, Stroke, Target};
use crate::analysis::space::{Place, Position, Rect, Seat, Space};
use crate::build::PlacementId;
use crate::build::slots::SlotKind;
use crate::catalog::Catalog;
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::catalog::vocab::{Edge, GpuCooler};
use crate::checks::finding::{Finding, Severity, Verdict};
use crate::project::{Project, Subject};
use crate::report::Report;

/// The whole rig with its labels.
pub fn draw(catalog: &Catalog, project: &Project, report: &Report, layer: Layer) -> Drawing {
    draw_before(catalog, project, report, layer, None)
}

/// The same; the lanes layer shows what the links would be `after` an edit.
pub fn draw_before(catalog: &Catalog, project: &Project, report: &Report, layer: Layer, after: Option<&Report>) -> Drawing {
    let lanes = (layer == Layer::Lanes).then(|| Shown::of(report, after));
    let mut pen = Pen { catalog, project, report, layer, lanes, out: Vec::new() };
    let space = &report.facts.space;
    pen.case(space);
    for seat in &space.seats {
        pen.seat(seat, Depth::Board);
    }
    for place in &space.places {
        pen.place(place);
    }
    let streams = if layer.is_air() { pen.air_under(space) } else { Vec::new() };
    for depth in [Depth::Flat, Depth::Tall] {
        for seat in &space.seats {
            pen.seat(seat, depth);
        }
    }
    let mut beside = space.bounds;
    match lanes {
        Some(lanes) => beside = pen.lanes(&lanes),
        None if layer.is_air() => beside = pen.air_over(space),
        None => {
            pen.slot_labels(space);
            pen.gaps(space);
        }
    }
    if layer == Layer::Power {
        pen.meters(space);
    }
    pen.notes(space);
    let notes = if layer == Layer::Power { 46.0 } else { 34.0 };
    let text = Rect::new(space.bounds.x, space.bounds.y - 14.0, space.bounds.w, space.bounds.h + notes);
    Drawing { pieces: pen.out, bounds: text.union(&beside), streams }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Board,
    Flat,
    Tall,
}

pub(super) struct Pen<'a> {
    catalog: &'a Catalog,
    project: &'a Project,
    pub(super) report: &'a Report,
    pub(super) layer: Layer,
    /// Set in the lanes layer.
    lanes: Option<Shown<'a>>,
    out: Vec<Piece>,
}

const THIN: f32 = 1.0;
/// Height of a line of slot labels, mm.
const LABEL: f64 = 9.0;
/// Cards nearer than this touch, mm.
const TOUCH: f64 = 0.5;

const fn line(role: Role, width: f32, dashed: bool) -> Stroke {
    Stroke { role, width, dashed }
}

/// "PCIE7 x16 Gen4, covers PCIE6"
fn slot_text(place: &Place, space: &Space) -> String {
    let connector = place.slot.connector();
    let lanes = connector.and_then(|c| c.lanes).map_or_else(|| "x?".to_owned(), |l| format!("x{l}"));
    let generation = connector.and_then(|c| c.r#gen).map_or_else(String::new, |g| format!(" Gen{g}"));
    let covers = |other: &&Place| other.covered_by.is_some() && other.covered_by == place.slot.occupants.first().copied();
    let covered: Vec<&str> = space.places.iter().filter(covers).map(|p| p.slot.label.as_str()).collect();
    let covered = if covered.is_empty() { String::new() } else { format!(", covers {}", covered.join(", ")) };
    format!("{} {lanes}{generation}{covered}", place.slot.label)
}

impl<'a> Pen<'a> {
    pub(super) fn part(&self, id: PlacementId) -> Option<&'a Part> {
        self.catalog.part(&self.project.rig.placement(id)?.part)
    }

    pub(super) fn push(&mut self, shape: Shape, target: Option<Target>) {
        self.out.push(Piece { shape, target });
    }

    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Takes back what was drawn after the first `len` pieces.
    pub(super) fn truncate(&mut self, len: usize) {
        self.out.truncate(len);
    }

    pub(super) fn rect(
        &mut self,
        rect: Rect,
        corner_mm: f64,
        fill: Option<Role>,
        stroke: impl Into<Option<Stroke>>,
        target: Option<Target>,
    ) {
        let stroke = stroke.into();
        self.push(Shape::Rect { rect, corner_mm, fill, stroke }, target);
    }

    pub(super) fn text(&mut self, at: (f64, f64), text: impl Into<String>, look: (f64, bool, Role), anchor: Anchor, room_mm: f64) {
        let (size_mm, strong, role) = look;
        self.push(Shape::Text { at, text: text.into(), size_mm, strong, role, anchor, room_mm }, None);
    }

    fn case(&mut self, space: &Space) {
        let case = self.project.rig.part_in(self.catalog, &crate::build::SlotId::rig("case"));
        let wall = line(Role::CaseWall, 3.0, !space.case_known);
        self.rect(space.case, 7.0, Some(Role::CaseInside), wall, case.map(|(id, _)| Target::Placement(id)));
        if let Some(y) = space.shroud_y {
            let c = space.case;
            let cover = Rect::new(c.x + 3.0, y, c.w - 6.0, c.bottom() - y - 3.0);
            self.rect(cover, 3.0, Some(Role::Shroud), line(Role::Line, THIN, true), None);
        }
        let name = case.map_or_else(|| "No case: parts on a bench".to_owned(), |(_, p)| p.short_name().to_owned());
        self.text((space.case.x + 2.0, space.case.y - 9.0), name, (12.0, false, Role::SubLabel), Anchor::LeftMiddle, space.case.w);
    }

    fn place(&mut self, place: &Place) {
        let free = place.slot.occupants.is_empty();
        let target = Some(Target::Slot(place.slot.id.clone()));
        let dashed = place.position != Position::Known;
        if matches!(place.position, Position::Strip(_)) {
            return self.strip_row(place, target);
        }
        match &place.slot.kind {
            SlotKind::Psu if free => self.empty(place, "Supply bay", target),
            SlotKind::Socket if free => self.empty(place, "CPU socket", target),
            SlotKind::Socket => self.rect(place.rect, 3.0, Some(Role::Socket), line(Role::BoardEdge, THIN, false), target),
            SlotKind::Dimm => {
                for rect in std::iter::once(place.rect).chain(place.also.iter().copied()) {
                    self.rect(rect, 1.0, None, line(Role::SlotFree, THIN, false), target.clone());
                }
            }
            SlotKind::FanMount { .. } if free => self.rect(place.rect, 2.0, None, line(Role::Mount, THIN, true), target),
            SlotKind::Connector(_) => {
                let role = if place.covered_by.is_some() { Role::Problem } else { Role::SlotFree };
                self.rect(place.rect, 1.0, Some(Role::Slot), line(role, THIN, dashed), target);
            }
            SlotKind::Case
            | SlotKind::Board
            | SlotKind::Psu
            | SlotKind::CoolerSeat
            | SlotKind::FanMount { .. }
            | SlotKind::Bay { .. }
            | SlotKind::Bridge => {}
        }
    }

    fn empty(&mut self, place: &Place, text: &str, target: Option<Target>) {
        self.rect(place.rect, 3.0, None, line(Role::SlotFree, THIN, true), target);
        self.text(place.rect.center(), text, (11.0, false, Role::SubLabel), Anchor::Center, place.rect.w);
    }

    /// A numbered row beside the case.
    fn strip_row(&mut self, place: &Place, target: Option<Target>) {
        let Position::Strip(n) = place.position else { return };
        let r = place.rect;
        let occupant = place.slot.occupants.first().copied();
        let (fill, target) = match occupant {
            Some(id) => (Some(Role::Drive), Some(Target::Placement(id))),
            None => (None, target),
        };
        self.rect(r, 3.0, fill, line(Role::Mount, THIN, occupant.is_none()), target);
        let (x, y) = (r.x + 11.0, r.y + r.h / 2.0);
        self.text((x, y), n.to_string(), (10.0, true, Role::SubLabel), Anchor::Center, 26.0);
        let (at, room) = (r.x + 22.0, r.w - 25.0);
        match occupant.and_then(|id| self.part(id)) {
            Some(part) => {
                self.text((at, y - 7.0), part.short_name(), (11.0, true, Role::Label), Anchor::LeftMiddle, room);
                let room = room - occupant.map_or(0.0, |id| self.tag_room(id));
                self.text((at, y + 7.5), place.slot.label.clone(), (10.0, false, Role::SubLabel), Anchor::LeftMiddle, room);
            }
            None => self.text((at, y), format!("{}, free", place.slot.label), (10.0, false, Role::SubLabel), Anchor::LeftMiddle, room),
        }
    }

    fn seat(&mut self, seat: &Seat, depth: Depth) {
        if matches!(seat.position, Position::Strip(_)) {
            return;
        }
        let Some(part) = self.part(seat.placement) else { return };
        let own = match part.kind {
            PartKind::Board(_) => Depth::Board,
            PartKind::Gpu(_) | PartKind::Cooler(_) | PartKind::Nic(_) | PartKind::Carrier(_) => Depth::Tall,
            _ => Depth::Flat,
        };
        if own != depth {
            return;
        }
        match &part.kind {
            PartKind::Board(_) => self.board(seat),
            PartKind::Gpu(gpu) => self.gpu(seat, part, gpu),
            PartKind::Cpu(_) => self.cpu(seat, part),
            PartKind::Cooler(_) => self.cooler(seat, part),
            PartKind::Ram(_) => {
                for rect in std::iter::once(seat.rect).chain(seat.also.iter().copied()) {
                    // Wires run over the modules.
                    let role = if self.lanes.is_some() { Role::Socket } else { Role::Ram };
                    self.rect(rect, 1.0, Some(role), None, Some(Target::Placement(seat.placement)));
                }
            }
            PartKind::Psu(psu) => {
                let rated = psu.watts.map_or_else(|| "rating unknown".to_owned(), crate::units::watts);
                let drawn = crate::units::watts(self.report.facts.power.typical_w);
                let text = if self.layer == Layer::Power { format!("{drawn} of {rated}") } else { rated };
                self.boxed(seat, part, Role::Psu, &text);
            }
            PartKind::Fan(_) => self.fan(seat),
            PartKind::Nic(_) | PartKind::Carrier(_) if self.lanes.is_some() => self.lane_card(seat, part),
            PartKind::Nic(_) | PartKind::Carrier(_) => self.boxed(seat, part, Role::Card, ""),
            PartKind::Drive(_) | PartKind::Riser(_) | PartKind::Bridge(_) => self.boxed(seat, part, Role::Drive, ""),
            PartKind::Case(_) => {}
        }
    }

    /// Whether any of its millimetres is a template's.
    fn dashed(seat: &Seat) -> bool {
        !seat.assumed.is_empty() || seat.position == Position::OrderOnly
    }

    fn board(&mut self, seat: &Seat) {
        let r = seat.rect;
        let edge = line(Role::BoardEdge, 1.5, seat.position != Position::Known);
        self.rect(r, 3.0, Some(Role::Board), edge, Some(Target::Placement(seat.placement)));
    }

    /// A plain box with the part's name and one line more.
    fn boxed(&mut self, seat: &Seat, part: &Part, role: Role, below: &str) {
        let r = seat.rect;
        self.rect(r, 3.0, Some(role), line(self.edge_of(seat.placement), 1.2, Self::dashed(seat)), Some(Target::Placement(seat.placement)));
        let (x, y) = r.center();
        // Too thin for a line of text, as a riser in its slot: the name stands in the gap below.
        if r.h < 11.0 {
            self.text((r.x + 2.0, r.bottom() + 6.5), part.short_name(), (10.0, true, Role::Label), Anchor::LeftMiddle, r.w + 30.0);
            return;
        }
        let shift = if below.is_empty() || r.h < 26.0 { 0.0 } else { 7.0 };
        self.text((x, y - shift), part.short_name(), (11.0, true, Role::Label), Anchor::Center, r.w - 6.0);
        if shift > 0.0 {
            self.text((x, y + shift), below, (9.5, false, Role::SubLabel), Anchor::Center, r.w - 6.0);
        }
    }

    /// The cooler on top of it carries its name, if there is one.
    fn cpu(&mut self, seat: &Seat, part: &Part) {
        let edge = line(self.edge_of(seat.placement), 1.2, false);
        self.rect(seat.rect, 3.0, Some(Role::Socket), edge, Some(Target::Placement(seat.placement)));
        let cooled = self
            .report
            .facts
            .space
            .seats
            .iter()
            .any(|s| s.rect.overlaps(&seat.rect) && matches!(self.part(s.placement).map(|p| &p.kind), Some(PartKind::Cooler(_))));
        if !cooled {
            self.text(seat.rect.center(), part.short_name(), (11.0, true, Role::Label), Anchor::Center, seat.rect.w - 6.0);
        }
    }

    fn cooler(&mut self, seat: &Seat, part: &Part) {
        self.rect(
            seat.rect,
            4.0,
            Some(Role::Cooler),
            line(self.edge_of(seat.placement), 1.2, Self::dashed(seat)),
            Some(Target::Placement(seat.placement)),
        );
        let r = seat.rect;
        for n in 1..6 {
            let x = r.x + r.w * f64::from(n) / 6.0;
            let fin = Stroke { role: Role::Line, width: THIN, dashed: false };
            self.push(Shape::Line { points: vec![(x, r.y + 5.0), (x, r.bottom() - 5.0)], stroke: fin, arrow: false }, None);
        }
        let cpu = self
            .report
            .facts
            .space
            .seats
            .iter()
            .find(|s| s.rect.overlaps(&r) && matches!(self.part(s.placement).map(|p| &p.kind), Some(PartKind::Cpu(_))));
        let (x, y) = r.center();
        // Narrow towers stand on wide sockets; the name may use that width.
        let room = cpu.map_or(r.w, |s| s.rect.w.max(r.w) + 24.0) - 6.0;
        let cpu = cpu.and_then(|s| self.part(s.placement));
        if let Some(cpu) = cpu {
            self.text((x, y - 7.0), cpu.short_name(), (11.0, true, Role::Label), Anchor::Center, room);
        }
        let at = if cpu.is_some() { (x, y + 7.0) } else { (x, y) };
        self.text(at, part.short_name(), (9.5, false, Role::SubLabel), Anchor::Center, room);
    }

    /// A slab with bracket, name, memory, power and the marks of its cooler.
    fn gpu(&mut self, seat: &Seat, part: &Part, gpu: &Gpu) {
        let r = seat.rect;
        let target = Some(Target::Placement(seat.placement));
        self.rect(r, 2.5, Some(Role::Card), line(self.edge_of(seat.placement), 1.4, Self::dashed(seat)), target.clone());
        self.rect(Rect::new(r.x - 3.0, r.y, 4.0, r.h), 1.0, Some(Role::Bracket), None, target);
        if self.lanes.is_some() {
            return self.card_text(seat, part);
        }
        if self.layer.is_air() {
            return self.air_card(seat, part);
        }
        let fans = self.cooler_marks(gpu, r);
        let room = r.w - 14.0 - fans;
        let facts = self.gpu_facts(seat.placement, gpu);
        if r.h >= 25.0 {
            let y = r.y + r.h.min(60.0) / 2.0;
            self.text((r.x + 7.0, y - 7.0), part.short_name(), (12.0, true, Role::Label), Anchor::LeftMiddle, room);
            self.text((r.x + 7.0, y + 7.0), facts, (10.0, false, Role::SubLabel), Anchor::LeftMiddle, room);
        } else {
            self.text((r.x + 7.0, r.y + r.h / 2.0), part.short_name(), (11.0, true, Role::Label), Anchor::LeftMiddle, room);
        }
    }

    /// Any other card in the lanes layer.
    fn lane_card(&mut self, seat: &Seat, part: &Part) {
        let edge = line(self.edge_of(seat.placement), 1.2, Self::dashed(seat));
        self.rect(seat.rect, 2.5, Some(Role::Card), edge, Some(Target::Placement(seat.placement)));
        self.card_text(seat, part);
    }

    /// Name, slot and origin of a card's lanes, left of its tag.
    fn card_text(&mut self, seat: &Seat, part: &Part) {
        let r = seat.rect;
        let room = r.w - 16.0 - self.tag_room(seat.placement);
        let on = self.lanes.and_then(|l| l.line(seat.placement)).unwrap_or_default();
        if r.h >= 25.0 {
            let y = r.y + r.h.min(60.0) / 2.0;
            self.text((r.x + 7.0, y - 7.0), part.short_name(), (12.0, true, Role::Label), Anchor::LeftMiddle, room);
            self.text((r.x + 7.0, y + 7.0), on, (10.5, false, Role::SubLabel), Anchor::LeftMiddle, room);
        } else {
            let slot = on.split(" on ").next().map(|s| format!("{s}: ")).unwrap_or_default();
            let text = format!("{slot}{}", part.short_name());
            self.text((r.x + 7.0, r.y + r.h / 2.0), text, (11.0, true, Role::Label), Anchor::LeftMiddle, room);
        }
    }

    fn tag_room(&self, id: PlacementId) -> f64 {
        self.lanes.map_or(0.0, |l| l.tag_room(id))
    }

    /// The second line of a card: memory, power and cooler, or what the power layer shows.
    fn gpu_facts(&self, id: PlacementId, gpu: &Gpu) -> String {
        let facts = if self.layer == Layer::Power {
            let draw = self.report.facts.power.parts.iter().find(|d| d.placement == id);
            let watts = |w: Option<f64>| w.map_or_else(|| "unknown".to_owned(), crate::units::watts);
            let plugs = gpu.plugs.as_ref().map_or_else(
                || "plugs unknown".to_owned(),
                |list| list.iter().map(|p| format!("{} x {}", p.count, p.plug)).collect::<Vec<_>>().join(", "),
            );
            let plugs = if plugs.is_empty() { "fed by the slot".to_owned() } else { plugs };
            [draw.map(|d| watts(d.typical_w)), draw.map(|d| format!("limit {}", watts(d.limit_w))), Some(plugs)]
        } else {
            [
                gpu.memory_gb.map(|g| format!("{} GB", crate::units::plain(g, 1))),
                gpu.tdp_w.map(crate::units::watts),
                gpu.cooler.map(|c| c.to_string()),
            ]
        };
        facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// A bar at the foot of each part: its draw as a share of the largest one, and the supply's load.
    fn meters(&mut self, space: &Space) {
        let power = &self.report.facts.power;
        let largest = power.parts.iter().filter_map(|d| d.typical_w).fold(1.0, f64::max);
        // The rest draws too little, or lies under something else.
        let shown = |id: PlacementId| matches!(self.part(id).map(|p| &p.kind), Some(PartKind::Gpu(_) | PartKind::Cpu(_)));
        let draws = power.parts.iter().filter(|d| shown(d.placement));
        let mut bars: Vec<(PlacementId, f64, Role)> =
            draws.filter_map(|d| Some((d.placement, d.typical_w? / largest, Role::Advice))).collect();
        if let Some(load) = power.load {
            let role = if load > 1.0 { Role::Problem } else { Role::Accent };
            let supplies = self.project.rig.placed(self.catalog).filter(|(_, _, p)| matches!(p.kind, PartKind::Psu(_)));
            bars.extend(supplies.map(|(id, ..)| (id, load.min(1.0), role)));
        }
        for (id, share, role) in bars {
            let Some(seat) = space.seat(id).filter(|s| !matches!(s.position, Position::Strip(_)) && s.rect.w > 40.0) else { continue };
            let r = seat.rect;
            self.rect(Rect::new(r.x + 3.0, r.bottom() - 4.5, r.w - 6.0, 3.0), 1.5, Some(Role::Line), None, None);
            self.rect(Rect::new(r.x + 3.0, r.bottom() - 4.5, (r.w - 6.0) * share, 3.0), 1.5, Some(role), None, None);
        }
    }

    /// Draws the fans seen through the slab's edge; returns the width they take at its far end.
    fn cooler_marks(&mut self, gpu: &Gpu, r: Rect) -> f64 {
        let y = r.y + r.h / 2.0;
        let radius = (r.h * 0.36).min(14.0);
        let ring = Some(line(Role::CardFan, 1.2, false));
        match gpu.cooler {
            Some(GpuCooler::Blower) => {
                let center = (r.right() - radius - 6.0, y);
                self.push(Shape::Circle { center, radius_mm: radius, fill: None, stroke: ring }, None);
                2.0 * radius + 10.0
            }
            Some(GpuCooler::OpenAir | GpuCooler::FlowThrough | GpuCooler::Hybrid) => {
                let fan = (r.w / 3.4).min(92.0);
                let under = Stroke { role: Role::CardFan, width: 2.0, dashed: false };
                for n in 0..(r.w / (fan + 6.0)).floor().min(3.0) as u32 {
                    let x = r.right() - 6.0 - f64::from(n) * (fan + 4.0);
                    let points = vec![(x - fan, r.bottom() - 2.2), (x, r.bottom() - 2.2)];
                    self.push(Shape::Line { points, stroke: under, arrow: false }, None);
                }
                4.0
            }
            Some(GpuCooler::Passive | GpuCooler::Water) | None => 4.0,
        }
    }

    fn fan(&mut self, seat: &Seat) {
        let r = seat.rect;
        self.rect(r, 2.5, Some(Role::Fan), line(Role::Mount, THIN, false), Some(Target::Placement(seat.placement)));
        let Some(edge) = self.edge_of_mount(seat.placement).filter(|_| !self.layer.is_air()) else { return };
        let intake = self.is_intake(seat.placement, edge);
        let (x, y) = r.center();
        let (dx, dy) = match edge {
            Edge::Front => (-1.0, 0.0),
            Edge::Rear => (1.0, 0.0),
            Edge::Top => (0.0, 1.0),
            Edge::Bottom | Edge::Side | Edge::Internal => (0.0, -1.0),
        };
        let sign = if intake { 1.0 } else { -1.0 };
        let reach = 16.0;
        let points = vec![(x - sign * dx * reach, y - sign * dy * reach), (x + sign * dx * reach, y + sign * dy * reach)];
        let role = if intake { Role::Cold } else { Role::Advice };
        self.push(Shape::Line { points, stroke: Stroke { role, width: 2.0, dashed: false }, arrow: true }, None);
    }

    fn edge_of_mount(&self, id: PlacementId) -> Option<Edge> {
        let slot = self.project.rig.placement(id)?.slot.as_ref()?;
        match self.report.facts.space.place(slot)?.slot.kind {
            SlotKind::FanMount { edge, .. } => Some(edge),
            _ => None,
        }
    }

    /// The fan's own setting, else the usual way round: in at the front and the bottom, out at the rear and the top.
    fn is_intake(&self, id: PlacementId, edge: Edge) -> bool {
        let setting = self.project.rig.placement(id).and_then(|p| p.settings.get("direction"));
        setting.map_or(matches!(edge, Edge::Front | Edge::Bottom | Edge::Side), |d| d == "intake")
    }

    /// Edge colour by the worst finding about a part.
    fn edge_of(&self, id: PlacementId) -> Role {
        let about = |f: &&Finding| f.verdict == Verdict::Fail && f.accepted.is_none() && f.subjects.contains(&Subject::Placement(id));
        match self.report.findings.iter().filter(about).map(|f| f.severity).min() {
            Some(Severity::Blocker | Severity::Problem) => Role::Problem,
            Some(Severity::Advice) => Role::Advice,
            Some(Severity::Note) | None => Role::CardEdge,
        }
    }

    /// Names and widths beside the slots of the board, beyond their cards; those of one height share a line.
    fn slot_labels(&mut self, space: &Space) {
        let mut labels: Vec<(f64, f64, String)> = Vec::new();
        for place in space.places.iter().filter(|p| p.slot.is_pcie() && !matches!(p.position, Position::Strip(_)) && p.covered_by.is_none())
        {
            let (x, y) = self.label_place(place, space);
            labels.push((x, y, slot_text(place, space)));
        }
        labels.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut lines: Vec<(f64, f64, String)> = Vec::new();
        for (x, y, text) in labels {
            match lines.last_mut().filter(|(_, above, _)| (y - *above).abs() < LABEL) {
                Some((end, _, line)) => {
                    *end = end.max(x);
                    line.push_str(" · ");
                    line.push_str(&text);
                }
                None => lines.push((x, y, text)),
            }
        }
        let Some(board) = space.board else { return };
        for (x, y, text) in lines {
            let room = (space.case.right() - 8.0 - x).max(board.right() - x);
            if room > 20.0 {
                self.text((x, y), text, (10.5, false, Role::SubLabel), Anchor::LeftMiddle, room);
            }
        }
    }

    /// Right of the slot and of every card that hangs over it, at the middle of the card in it.
    pub(super) fn label_place(&self, place: &Place, space: &Space) -> (f64, f64) {
        let line = place.rect.y + place.rect.h / 2.0;
        let over = space.seats.iter().filter(|s| s.rect.y < line && line < s.rect.bottom() && self.is_card(s.placement));
        let end = over.map(|s| s.rect.right()).fold(place.rect.right(), f64::max);
        let own = place.slot.occupants.first().and_then(|id| space.seat(*id));
        (end + 5.0, own.map_or(line, |seat| seat.rect.y + seat.rect.h.min(60.0) / 2.0))
    }

    pub(super) fn is_card(&self, id: PlacementId) -> bool {
        matches!(self.part(id).map(|p| &p.kind), Some(PartKind::Gpu(_) | PartKind::Nic(_) | PartKind::Carrier(_)))
    }

    /// Free air between neighbours, written where it is narrow.
    fn gaps(&mut self, space: &Space) {
        for card in &space.cards {
            let (Some((below, Some(gap))), Some(upper)) = (card.below, space.seat(card.placement)) else { continue };
            let Some(lower) = space.seat(below) else { continue };
            if gap > 25.0 {
                continue;
            }
            let x = upper.rect.right().min(lower.rect.right()) - 40.0;
            let y = upper.rect.bottom() + gap / 2.0;
            let role = if gap < -TOUCH { Role::Problem } else { Role::Advice };
            let text = match gap {
                g if g < -TOUCH => format!("overlap {}", crate::units::mm(-g)),
                g if g < TOUCH => "touching".to_owned(),
                g => format!("gap {}", crate::units::mm(g)),
            };
            let far = upper.rect.right().max(lower.rect.right());
            let points = vec![(x, y), (far + 8.0, y)];
            self.push(Shape::Line { points, stroke: Stroke { role, width: THIN, dashed: true }, arrow: false }, None);
            self.text((far + 10.0, y), text, (9.5, false, role), Anchor::LeftMiddle, 90.0);
        }
    }

    /// Below the board and any card that hangs over its edge.
    fn board_name(&mut self, space: &Space) {
        let Some((_, part)) = self.project.rig.part_in(self.catalog, &crate::build::SlotId::rig("board")) else { return };
        let Some(board) = space.board else { return };
        let cards = space.cards.iter().filter_map(|c| space.seat(c.placement)).map(|s| s.rect.bottom());
        let y = cards.fold(board.bottom(), f64::max) + 8.0;
        self.text((board.right() - 2.0, y), part.short_name(), (10.0, false, Role::SubLabel), Anchor::RightMiddle, board.w);
    }

    /// What the reader must know about the scale.
    fn notes(&mut self, space: &Space) {
        if !self.layer.is_air() {
            self.board_name(space);
        }
        let order_only = space.places.iter().any(|p| p.slot.is_pcie() && p.position == Position::OrderOnly);
        let y = space.bounds.bottom() + 10.0;
        if order_only {
            let text = match self.layer {
                // The window has more buttons below this layer.
                Layer::Lanes => "Slots in order only; distances are unknown",
                Layer::Parts | Layer::Power | Layer::Airflow | Layer::Heat => {
                    "Slots in order only: their places on this board are not confirmed, so distances are unknown"
                }
            };
            self.text((space.case.x + 2.0, y), text, (10.0, false, Role::Advice), Anchor::LeftMiddle, space.bounds.w);
        } else {
            let text = match self.layer {
                Layer::Lanes => "To scale; dashed edges are assumed",
                Layer::Airflow | Layer::Heat => {
                    "Side view, to scale; the air is averaged over the depth of the case, after ten minutes at full load"
                }
                Layer::Parts | Layer::Power => "Side view, to scale; a dashed edge marks an assumed size",
            };
            self.text((space.case.x + 2.0, y), text, (10.0, false, Role::SubLabel), Anchor::LeftMiddle, space.bounds.w);
        }
        if self.layer == Layer::Power {
            let text = "Bar of a card or CPU: its typical draw beside the largest one here; of a supply: its load, red above 100%";
            self.text((space.case.x + 2.0, y + 11.0), text, (10.0, false, Role::SubLabel), Anchor::LeftMiddle, space.bounds.w);
        }
        if space.places.iter().any(|p| matches!(p.position, Position::Strip(_))) {
            let x = space.places.iter().filter(|p| matches!(p.position, Position::Strip(_))).map(|p| p.rect.x).fold(f64::MAX, f64::min);
            self.text((x, space.case.y + 10.0), "Behind the tray or in depth", (10.0, false, Role::SubLabel), Anchor::LeftMiddle, 168.0);
        }
    }
}
