//! The scene of a rig: what of its parts moves air, blocks it or heats it.

use super::chassis::{fan_area, loss};
use super::coolers::{Board, Design, curve, design, scaled};
use super::scene::{Block, Box2, Cooler, Fan, FanRule, Heat, Kind, Opening, Scene, Wall};
use super::{CORRIDOR, CoolerBasis, K_GAP, WALL};
use crate::analysis::power::Power;
use crate::analysis::space::{Position, Rect, Space};
use crate::build::slots::SlotKind;
use crate::build::{Placement, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Case, Gpu, Part, PartKind};
use crate::catalog::vocab::{CaseKind, CoolerKind, Edge, GpuCooler};
use crate::project::Project;
use crate::project::air_settings as keys;

/// A card of the scene.
#[derive(Clone, Debug)]
pub struct RigCard {
    pub placement: PlacementId,
    pub slot: Option<SlotId>,
    pub name: String,
    pub product: String,
    /// Index of its cooler in the scene; `None` where a fact is missing.
    pub cooler: Option<usize>,
    pub missing: Option<(String, String)>,
    pub basis: CoolerBasis,
    pub spread: f64,
    pub rated_w: f64,
    pub gap_mm: f64,
    pub length_m: f64,
    /// The user's reading: °C, W, share of full fan speed.
    pub reading: Option<(f64, f64, Option<f64>)>,
    pub full_dba: f64,
}

/// A fan of the case in the scene.
#[derive(Clone, Debug)]
pub struct RigFan {
    pub placement: PlacementId,
    pub name: String,
    pub edge: Edge,
    pub opening: usize,
    pub full_dba: f64,
}

/// The scene with what it was made of.
#[derive(Clone, Debug)]
pub struct RigScene {
    pub scene: Scene,
    pub cards: Vec<RigCard>,
    pub fans: Vec<RigFan>,
    pub assumed: Vec<String>,
    /// Where the scene's corner lies on the drawing, mm.
    pub origin_mm: (f64, f64),
}

/// How open a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    Open,
    Mesh,
    Solid,
    Server,
}

/// Air's density, kg/m³, at a height above the sea and a temperature: isothermal atmosphere of 8,434 m.
pub fn density(altitude_m: f64, celsius: f64) -> f64 {
    1.293 * 273.15 / (273.15 + celsius) * libm::exp(-altitude_m / 8434.0)
}

/// Speed of case fans that nobody set: what boards' curves give under load; chosen.
const USUAL_SPEED: f64 = 0.75;
/// Radiators of 27 to 30 mm on their face.
const RADIATOR_K: f64 = 20.0;
/// Room behind the tray and the thickness of the panels, mm.
const BEHIND_TRAY: f64 = 40.0;

pub fn scene(catalog: &Catalog, project: &Project, space: &Space, power: &Power) -> RigScene {
    let found = project.rig.part_in(catalog, &SlotId::rig("case"));
    let case = found.and_then(|(id, p)| if let PartKind::Case(c) = &p.kind { Some((id, c)) } else { None });
    let settings = case.and_then(|(id, _)| project.rig.placement(id));
    let depth_mm = case.and_then(|(_, c)| c.width_mm).map_or(200.0, |w| (w - BEHIND_TRAY).clamp(120.0, 400.0));
    let room = &project.room;
    let mut build = Builder {
        catalog,
        project,
        space,
        power,
        case: case.map(|c| c.1),
        settings,
        out: RigScene {
            scene: Scene {
                width: space.case.w / 1000.0,
                height: space.case.h / 1000.0,
                depth: depth_mm / 1000.0,
                ambient_c: room.ambient_c,
                rho: density(room.altitude_m, room.ambient_c),
                blocks: Vec::new(),
                openings: Vec::new(),
                coolers: Vec::new(),
                heats: Vec::new(),
                k_gap: K_GAP,
                wall: WALL,
            },
            cards: Vec::new(),
            fans: Vec::new(),
            assumed: Vec::new(),
            origin_mm: (space.case.x, space.case.y),
        },
    };
    build.walls();
    build.cards();
    build.parts();
    build.out
}

struct Builder<'a> {
    catalog: &'a Catalog,
    project: &'a Project,
    space: &'a Space,
    power: &'a Power,
    case: Option<&'a Case>,
    /// Of the case.
    settings: Option<&'a Placement>,
    out: RigScene,
}

fn number(piece: Option<&Placement>, key: &str) -> Option<f64> {
    piece?.settings.get(key)?.parse::<f64>().ok().filter(|v| v.is_finite())
}

impl<'a> Builder<'a> {
    fn metres(&self, r: &Rect) -> Box2 {
        let (x, y) = (self.space.case.x, self.space.case.y);
        Box2::new((r.x - x) / 1000.0, (r.y - y) / 1000.0, (r.right() - x) / 1000.0, (r.bottom() - y) / 1000.0)
    }

    fn shell(&mut self) -> Shell {
        let Some(case) = self.case else { return Shell::Open };
        let face = case.front_face.as_deref().map(str::to_lowercase);
        match (case.kind, face.as_deref()) {
            (Some(CaseKind::OpenFrame | CaseKind::Bench), _) | (_, Some("open")) => Shell::Open,
            (Some(CaseKind::Rack | CaseKind::Rack4u), _) => Shell::Server,
            (_, Some(f)) if f.contains("mesh") || f.contains("perforated") || f.contains("slat") => Shell::Mesh,
            (_, Some(_)) => Shell::Solid,
            (_, None) => {
                self.out.assumed.push("The case's front is taken as mesh; the catalog does not tell.".to_owned());
                Shell::Mesh
            }
        }
    }

    /// Openings without a fan, the shroud, and the losses of grilles that fans share.
    fn walls(&mut self) {
        let shell = self.shell();
        let dust = self.dust();
        let s = &mut self.out.scene;
        let (w, h, d) = (s.width, s.height, s.depth);
        let whole = Box2::new(0.0, 0.0, w, h);
        let vent = |wall, at, area: f64, k| Opening { wall, at, area: area.max(1e-6), k, fan: None, radiator: None, throw: None };
        if shell == Shell::Open {
            for (wall, area) in [(Wall::Front, h * d), (Wall::Rear, h * d), (Wall::Top, w * d), (Wall::Bottom, w * d), (Wall::Side, w * h)]
            {
                s.openings.push(vent(wall, whole, area, loss::OPEN));
            }
            return;
        }
        if let Some(y) = self.space.shroud_y {
            s.blocks.push(Block { at: Box2::new(0.0, (y - self.space.case.y) / 1000.0, w, h), free: 0.0 });
        }
        let floor = self.space.shroud_y.map_or(h, |y| (y - self.space.case.y) / 1000.0);
        let air = self.case.and_then(|c| c.air);
        // Shares of each face that are open beside its fans, after the classes of the model's notes.
        let (front, top, rear) = match shell {
            Shell::Mesh => (0.15, 0.30, 0.18),
            Shell::Solid => (0.02, 0.05, 0.18),
            Shell::Server | Shell::Open => (0.10, 0.0, 0.25),
        };
        let own = |get: fn(&crate::catalog::part::CaseAir) -> Option<f64>, class: f64| air.as_ref().and_then(get).unwrap_or(class);
        let sealed = self.settings.is_some_and(|p| p.settings.get(keys::FRONT_GAPS).is_some_and(|v| v == "sealed"));
        let front = own(|a| a.front_open, front) * if sealed { 0.1 } else { 1.0 };
        let rear = match self.settings.and_then(|p| p.settings.get(keys::SLOT_COVERS)).map(String::as_str) {
            Some("closed") => 0.02,
            Some("removed") => 0.60,
            _ => own(|a| a.rear_open, rear),
        };
        let front_k = own(|a| a.front_k, if shell == Shell::Solid { loss::SOLID } else { loss::MESH });
        let slots = self.space.board.map_or(h * 0.35, |b| (b.y - self.space.case.y) / 1000.0 + 0.15);
        s.openings.push(vent(Wall::Front, Box2::new(0.0, 0.0, w, floor), front * floor * d, front_k * dust));
        s.openings.push(vent(Wall::Top, whole, own(|a| a.top_open, top) * w * d, loss::SHEET));
        s.openings.push(vent(Wall::Rear, Box2::new(0.0, slots, w, floor), rear * (floor - slots).max(0.02) * d, loss::SHEET));
        if self.settings.is_some_and(|p| p.settings.get(keys::SIDE_PANEL).is_some_and(|v| v == "off")) {
            let at = Box2::new(0.0, 0.0, w, floor);
            s.openings.push(vent(Wall::Side, at, 0.5 * at.area(), 2.0 * loss::OPEN));
        }
        if air.is_none() {
            self.out
                .assumed
                .push("Grilles and vents of the case are those of its class, with half as much and half again in the band.".to_owned());
        }
    }

    /// What dust on filters multiplies their loss by: 8 to 12 instead of 4 when thick.
    fn dust(&self) -> f64 {
        1.0 + 1.5 * number(self.settings, keys::DUST).unwrap_or(0.0).clamp(0.0, 1.0)
    }

    /// Loss of a fan's grille on the fan's own area.
    fn grille(&self, edge: Edge) -> f64 {
        let face = self.case.and_then(|c| c.front_face.as_deref()).unwrap_or("mesh").to_lowercase();
        let solid = ["solid", "glass", "door", "plate"].iter().any(|w| face.contains(w)) && !face.contains("mesh");
        match (self.case, edge) {
            (None, _) => 0.5,
            (Some(case), Edge::Front) => {
                let own = case.air.as_ref().and_then(|a| a.front_k);
                own.unwrap_or(if solid { loss::SOLID } else { loss::MESH }) * self.dust()
            }
            (Some(_), Edge::Bottom) => loss::MESH * self.dust(),
            (Some(_), Edge::Side) => loss::MESH,
            (Some(_), Edge::Rear | Edge::Top) => loss::HEXAGON,
            (Some(_), Edge::Internal) => 1.0,
        }
    }

    fn cards(&mut self) {
        let seated: Vec<PlacementId> = self.space.cards.iter().map(|c| c.placement).collect();
        for card in &self.space.cards {
            let Some((piece, part)) = self.piece(card.placement) else { continue };
            let Some(seat) = self.space.seat(card.placement) else { continue };
            let at = self.metres(&seat.rect);
            if let PartKind::Gpu(gpu) = &part.kind {
                let floor = self.out.scene.blocks.iter().filter(|b| b.free <= 0.0).map(|b| b.at.y0).fold(self.out.scene.height, f64::min);
                let next = self.space.cards.iter().filter_map(|c| self.space.seat(c.placement)).map(|s| self.metres(&s.rect).y0);
                let below = next.filter(|y| *y > at.y0 + 1e-6).fold(floor, f64::min);
                self.card(card.placement, piece, part, gpu, at, (below - at.y1).max(0.0));
            } else {
                self.out.scene.blocks.push(Block { at, free: 0.5 });
                self.warm(card.placement, at);
            }
        }
        // Cards on risers and the like: heat at some place, and no air that could be told.
        let gpu = |p: &Part| matches!(p.kind, PartKind::Gpu(_));
        for (id, piece, part) in self.project.rig.placed(self.catalog).filter(|(id, _, p)| !seated.contains(id) && gpu(p)) {
            let (w, h) = (self.out.scene.width, self.out.scene.height);
            self.warm(id, Box2::new(w * 0.6, h * 0.4, w * 0.9, h * 0.7));
            self.out.cards.push(RigCard {
                placement: id,
                slot: piece.slot.clone(),
                name: part.short_name().to_owned(),
                product: String::new(),
                cooler: None,
                missing: Some((part.short_name().to_owned(), "place in the side view".to_owned())),
                basis: CoolerBasis::Class,
                spread: 0.0,
                rated_w: 0.0,
                gap_mm: 0.0,
                length_m: 0.0,
                reading: None,
                full_dba: 0.0,
            });
        }
    }

    fn piece(&self, id: PlacementId) -> Option<(&'a Placement, &'a Part)> {
        let piece = self.project.rig.placement(id)?;
        Some((piece, self.catalog.part(&piece.part)?))
    }

    fn card(&mut self, id: PlacementId, piece: &Placement, part: &Part, gpu: &Gpu, at: Box2, gap: f64) {
        let kind = match gpu.cooler {
            Some(GpuCooler::Blower) => Kind::Blower,
            Some(GpuCooler::OpenAir) | None => Kind::OpenAir,
            Some(GpuCooler::FlowThrough) => Kind::FlowThrough,
            Some(GpuCooler::Passive) => Kind::Passive,
            Some(GpuCooler::Hybrid | GpuCooler::Water) => Kind::Water,
        };
        let product = gpu.product.clone().unwrap_or_else(|| part.name.clone());
        let missing = if gpu.cooler.is_none() { Some("cooler") } else { gpu.tdp_w.is_none().then_some("tdp_w") };
        let fan = number(Some(piece), keys::CARD_FAN).map(|p| (p / 100.0).clamp(0.0, 1.0));
        let reading = number(Some(piece), keys::READING_C).zip(number(Some(piece), keys::READING_W));
        let mut card = RigCard {
            placement: id,
            slot: piece.slot.clone(),
            name: part.short_name().to_owned(),
            product: product.clone(),
            cooler: None,
            missing: missing.map(|field| (part.short_name().to_owned(), field.to_owned())),
            basis: CoolerBasis::Class,
            spread: 0.0,
            rated_w: gpu.tdp_w.unwrap_or(0.0),
            gap_mm: gap * 1000.0,
            length_m: at.x1 - at.x0,
            reading: reading.map(|(c, w)| (c, w, number(Some(piece), keys::READING_FAN).map(|p| p / 100.0))),
            full_dba: full_noise(kind),
        };
        self.out.scene.blocks.push(Block { at, free: self.beside(gpu) });
        if card.missing.is_some() {
            self.warm(id, at);
            self.out.cards.push(card);
            return;
        }
        let rated_w = gpu.tdp_w.unwrap_or(250.0).max(10.0);
        let allowed = self.power.parts.iter().find(|d| d.placement == id).and_then(|d| d.typical_w).unwrap_or(rated_w);
        let board = Board { product: Some(&product), kind, rated_w, memory: gpu.memory_type.as_deref(), at, gap };
        let Design { mut cooler, spread, measured } = design(&board);
        cooler.power = allowed.max(1.0);
        if let Some(speed) = fan.filter(|_| !matches!(kind, Kind::Passive | Kind::Water)) {
            cooler.fan = FanRule::Fixed(speed.max(0.05));
        }
        let own = piece.settings.get(keys::CARD_CURVE).and_then(|text| keys::curve(text)).filter(|_| fan.is_none());
        if let Some([from_c, low, to_c, high]) = own.filter(|_| !matches!(kind, Kind::Passive | Kind::Water)) {
            let (low, high) = ((low / 100.0).max(0.05), (high / 100.0).max(0.05));
            cooler.fan = FanRule::Curve { from_c, low, to_c, high, most: high };
        }
        card.spread = spread;
        card.basis = if measured.is_some() { CoolerBasis::Measured } else { CoolerBasis::Class };
        // What the reading said of the cooler when it was taken; it stays true when the card moves.
        if let Some(factor) = number(Some(piece), keys::READING_FACTOR) {
            cooler = read(&cooler, factor);
            (card.basis, card.spread, card.reading) = (CoolerBasis::Reading, AFTER_READING, None);
        }
        let index = self.out.scene.coolers.len();
        card.cooler = Some(index);
        if kind == Kind::Water {
            let size = gpu.radiator_mm.unwrap_or(240.0);
            self.radiator(index, size, piece.settings.get("radiator").map(String::as_str));
            cooler.q_op = self.out.scene.openings.last().and_then(|o| o.fan).map_or(cooler.q_op, |f| f.q_max * f.speed * 0.6);
        }
        self.out.scene.coolers.push(cooler);
        self.out.cards.push(card);
    }

    /// Free share of the depth beside a card.
    fn beside(&self, gpu: &Gpu) -> f64 {
        match (gpu.height_mm, self.case.and_then(|c| c.width_mm)) {
            // The slot's edge stands about 15 mm over the tray.
            (Some(height), Some(_)) => (1.0 - (height + 15.0) / (self.out.scene.depth * 1000.0)).clamp(0.10, 0.60),
            _ => CORRIDOR,
        }
    }

    /// A radiator with its fans, at the roof unless the user says otherwise.
    fn radiator(&mut self, cooler: usize, size_mm: f64, side: Option<&str>) {
        let s = &mut self.out.scene;
        let (w, h) = (s.width, s.height);
        let length = size_mm / 1000.0;
        let fans = (size_mm / 120.0).round().max(1.0);
        let (wall, at, inward) = match side {
            Some("front") => (Wall::Front, Box2::new(0.0, 0.0, w, length.min(h)), true),
            Some("rear") => (Wall::Rear, Box2::new(0.0, 0.02, w, 0.14), false),
            Some("bottom") => (Wall::Bottom, Box2::new((w - length).max(0.0), 0.0, w, h), true),
            Some("side") => (Wall::Side, Box2::new(w * 0.6, 0.0, w, length.min(h)), true),
            _ => (Wall::Top, Box2::new((w - length).max(0.0) / 2.0, 0.0, (w + length.min(w)) / 2.0, h), false),
        };
        // A 120 mm fan of 2,000 rpm for each section, at 70 %.
        let fan = Fan { p_max: 25.0, q_max: fans * 95.0 / 3600.0, speed: 0.7, inward };
        let area = fans * fan_area(0.12);
        s.openings.push(Opening { wall, at, area, k: RADIATOR_K, fan: Some(fan), radiator: Some(cooler), throw: None });
    }

    /// Draw of a part as heat in a box.
    fn warm(&mut self, id: PlacementId, at: Box2) {
        let watts = self.power.parts.iter().find(|d| d.placement == id).and_then(|d| d.typical_w);
        if let Some(watts) = watts.filter(|w| *w > 0.0) {
            self.out.scene.heats.push(Heat { at, watts });
        }
    }

    /// Everything but cards: fans, coolers, and what only warms the air.
    fn parts(&mut self) {
        let (catalog, project) = (self.catalog, self.project);
        let placed = || project.rig.placed(catalog);
        let (w, h) = (self.out.scene.width, self.out.scene.height);
        let mut cpu_cooled = false;
        for (id, piece, part) in placed() {
            let seat = self.space.seat(id).filter(|s| !matches!(s.position, Position::Strip(_)));
            let at = seat.map(|s| self.metres(&s.rect));
            match &part.kind {
                PartKind::Fan(_) => self.fan(id, piece, part, at),
                PartKind::Cooler(_) => cpu_cooled |= self.cooler(piece, part, at),
                PartKind::Ram(_) | PartKind::Board(_) => {
                    // A board's heat is its regulators', around the socket.
                    let board = self.space.board.map(|b| Rect::new(b.x, b.y, b.w, b.h * 0.4)).map(|r| self.metres(&r));
                    if let Some(at) = if matches!(part.kind, PartKind::Board(_)) { board } else { at } {
                        self.warm(id, at);
                    }
                }
                PartKind::Drive(_) => self.warm(id, Box2::new(w - 0.10, h * 0.5, w - 0.02, h * 0.7)),
                PartKind::Nic(_) if at.is_none() => self.warm(id, Box2::new(0.02, h * 0.5, 0.2, h * 0.6)),
                PartKind::Psu(_) => {
                    if let Some(at) = at.filter(|_| self.space.shroud_y.is_none() && self.case.is_some()) {
                        // 150 mm of the depth; its heat leaves through its own fan.
                        let free = (1.0 - 0.15 / self.out.scene.depth).clamp(0.05, 0.6);
                        self.out.scene.blocks.push(Block { at, free });
                    }
                }
                PartKind::Cpu(_)
                | PartKind::Gpu(_)
                | PartKind::Nic(_)
                | PartKind::Case(_)
                | PartKind::Riser(_)
                | PartKind::Carrier(_)
                | PartKind::Bridge(_) => {}
            }
        }
        if !cpu_cooled {
            for (id, _, _) in placed().filter(|(_, _, p)| matches!(p.kind, PartKind::Cpu(_))) {
                if let Some(seat) = self.space.seat(id) {
                    let at = self.metres(&seat.rect);
                    self.warm(id, at);
                }
            }
        }
    }

    fn fan(&mut self, id: PlacementId, piece: &Placement, part: &Part, at: Option<Box2>) {
        let PartKind::Fan(fan) = &part.kind else { return };
        let slot = piece.slot.as_ref().and_then(|s| self.space.place(s)).map(|p| p.slot.kind.clone());
        let Some(SlotKind::FanMount { edge, size_mm }) = slot else { return };
        let (w, h) = (self.out.scene.width, self.out.scene.height);
        let wall = match edge {
            Edge::Front => Wall::Front,
            Edge::Rear => Wall::Rear,
            Edge::Top => Wall::Top,
            Edge::Bottom => Wall::Bottom,
            Edge::Side => Wall::Side,
            // Moves air inside the case only.
            Edge::Internal => return,
        };
        // A side fan stands before the cards; where on the panel no catalog tells.
        let at = at.unwrap_or_else(|| Box2::new(w * 0.3, h * 0.35, w * 0.8, h * 0.75));
        let size = fan.size_mm.unwrap_or(f64::from(size_mm)) / 1000.0;
        let class = size / 0.12;
        if fan.airflow_m3_h.is_none() || fan.pressure_pa.is_none() {
            self.out.assumed.push(format!("{} is taken as a usual fan of its size; the catalog lacks its curve.", part.short_name()));
        }
        let speed = number(Some(piece), keys::FAN_SPEED).map_or(USUAL_SPEED, |p| p / 100.0).clamp(0.0, 1.0);
        let inward = piece.settings.get("direction").map_or(matches!(edge, Edge::Front | Edge::Bottom | Edge::Side), |d| d == "intake");
        let curve = Fan {
            p_max: fan.pressure_pa.unwrap_or(20.0).max(0.5),
            q_max: fan.airflow_m3_h.unwrap_or(95.0 * class * class).max(1.0) / 3600.0,
            speed,
            inward,
        };
        let opening = Opening { wall, at, area: fan_area(size), k: self.grille(edge), fan: Some(curve), radiator: None, throw: None };
        self.out.fans.push(RigFan {
            placement: id,
            name: part.short_name().to_owned(),
            edge,
            opening: self.out.scene.openings.len(),
            // A 120 mm fan without a figure: 25 dB(A).
            full_dba: fan.noise_dba.unwrap_or(25.0),
        });
        self.out.scene.openings.push(opening);
    }

    /// The CPU's cooler; true if it took the CPU's heat with it.
    fn cooler(&mut self, piece: &Placement, part: &Part, at: Option<Box2>) -> bool {
        let PartKind::Cooler(cooler) = &part.kind else { return false };
        let cpus = self.project.rig.placed(self.catalog).filter(|(_, _, p)| matches!(p.kind, PartKind::Cpu(_)));
        let watts: f64 = cpus.filter_map(|(id, _, _)| self.power.parts.iter().find(|d| d.placement == id)?.typical_w).sum();
        if watts <= 0.0 {
            return false;
        }
        let kind = match cooler.kind {
            Some(CoolerKind::Tower | CoolerKind::DualTower) => Kind::Tower,
            Some(CoolerKind::Aio | CoolerKind::Block) => Kind::Water,
            Some(CoolerKind::LowProfile | CoolerKind::Server) | None => return false,
        };
        let index = self.out.scene.coolers.len();
        let at = at.unwrap_or_default();
        // A 120 mm fan of some 35 CFM through its fins; 0.2 K/W. Only its heat and its stream matter here.
        let cooler_here = Cooler {
            kind,
            at,
            gap: 1.0,
            perimeter: 1.0,
            p_max: 15.0,
            q_op: 35.0 * 4.719e-4,
            ua: 12.0,
            r_die: 0.05,
            power: watts,
            limit_c: 100.0,
            fan: FanRule::Fixed(0.8),
            memory: None,
        };
        if kind == Kind::Water {
            self.radiator(index, cooler.radiator_mm.unwrap_or(240.0), piece.settings.get("radiator").map(String::as_str));
        } else {
            self.out.scene.blocks.push(Block { at, free: 0.4 });
        }
        self.out.scene.coolers.push(cooler_here);
        true
    }
}

/// Loudness of a card's own fans at full speed, dB(A): open-air 37 to 39 at 60 %, blowers 45 to 55 at 50 to 60 %.
fn full_noise(kind: Kind) -> f64 {
    match kind {
        Kind::Blower => 62.0,
        Kind::OpenAir | Kind::FlowThrough => 49.0,
        Kind::Water | Kind::Tower => 40.0,
        Kind::Passive => 0.0,
    }
}

/// The cooler of a reading: it tells of the fins and of the gap they breathe through, and cannot tell them apart.
fn read(c: &Cooler, factor: f64) -> Cooler {
    Cooler { perimeter: c.perimeter / factor, ..scaled(c, factor) }
}

/// What multiplies a cooler's resistance so that the model gives the reading: °C, W, share of full fan speed.
pub fn factor_of(
    scene: &Scene,
    index: usize,
    (celsius, watts, fan): (f64, f64, Option<f64>),
    die_at: &dyn Fn(&Scene, usize) -> f64,
) -> Option<f64> {
    let base = scene.coolers.get(index).copied()?;
    let at = |factor: f64| {
        let mut scene = scene.clone();
        if let Some(c) = scene.coolers.get_mut(index) {
            *c = read(&base, factor);
            c.power = watts;
            // A reading is what it is: no limit cuts it.
            (c.limit_c, c.memory) = (400.0, None);
            let by_curve = curve(c.kind).speed(celsius, base.limit_c);
            c.fan = FanRule::Fixed(fan.unwrap_or(by_curve).clamp(0.05, 1.0));
        }
        die_at(&scene, index) - celsius
    };
    // Rises with the factor; from a sixth to six times the class.
    let (mut low, mut high) = (0.16_f64, 6.0_f64);
    for _ in 0..18 {
        let middle = (low * high).sqrt();
        if at(middle) < 0.0 { low = middle } else { high = middle }
    }
    Some((low * high).sqrt())
}

/// What is left of a cooler's spread after a reading: its error of a kelvin or two.
const AFTER_READING: f64 = 0.04;

/// The scene with each card that has a reading of the user scaled so that the model gives that reading.
pub fn calibrated(rig: &RigScene, die_at: impl Fn(&Scene, usize) -> f64) -> RigScene {
    let mut out = rig.clone();
    for (k, card) in rig.cards.iter().enumerate() {
        let (Some(index), Some(reading)) = (card.cooler, card.reading) else { continue };
        let (Some(base), Some(factor)) = (rig.scene.coolers.get(index), factor_of(&out.scene, index, reading, &die_at)) else { continue };
        if let Some(c) = out.scene.coolers.get_mut(index) {
            let found = read(base, factor);
            (c.r_die, c.ua, c.perimeter) = (found.r_die, found.ua, found.perimeter);
        }
        if let Some(card) = out.cards.get_mut(k) {
            (card.basis, card.spread) = (CoolerBasis::Reading, AFTER_READING);
        }
    }
    out
}
