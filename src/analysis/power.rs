//! Electrical power: draw by part, what the supply gives, what the wall sees.

use crate::analysis::{Basis, Origin};
use crate::build::{Placement, PlacementId};
use crate::catalog::Catalog;
use crate::catalog::part::{Cooler, Cpu, Drive, Fan, Gpu, Nic, Part, PartKind, Ram};
use crate::catalog::vocab::{CoolerKind, DriveBus, Efficiency};
use crate::project::Project;
use crate::project::power_settings::DRAW;
use crate::units::{plain, watts};

pub mod cables;
pub mod slots;

use cables::Cable;
use slots::SlotFeed;

/// Draw of one placed part; `None` = unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    pub placement: PlacementId,
    pub typical_w: Option<f64>,
    pub limit_w: Option<f64>,
    pub origin: Origin,
}

/// The power ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Power {
    /// Parts that draw power, in order of their ids; cases, supplies, risers, carriers and bridges draw none of their own.
    pub parts: Vec<Draw>,
    /// Sum of known typical draws.
    pub typical_w: f64,
    /// Sum of known limits.
    pub limit_w: f64,
    /// CPU and cards alone, typical.
    pub cpu_gpu_w: f64,
    /// `typical_w` times the margin threshold: the guide's tenth (G15), taken of all parts, not of CPU and cards alone.
    pub with_margin_w: f64,
    /// Parts whose draw is unknown.
    pub unknown: Vec<PlacementId>,
    /// Sum of the supplies' ratings; `None` without a supply or with an unknown one.
    pub supply_w: Option<f64>,
    /// Share of the supply that the typical draw takes, 0..; `None` while a draw or a rating is unknown.
    pub load: Option<f64>,
    /// Supply efficiency at that load, 0..1, and the draw from the wall.
    pub efficiency: Option<f64>,
    pub wall_w: Option<f64>,
    pub wall_origin: Origin,
    /// What the room's circuit carries for long.
    pub circuit_w: f64,
    /// Slots of the board that feed a graphics card.
    pub slots: Vec<SlotFeed>,
    /// Highest short peak: one card at its own, everything else at its typical draw; `None` without a card of known draw.
    pub transient_w: Option<f64>,
    /// What the supplies bear for less than a millisecond; `None` while a rating or an ATX version is unknown.
    pub bears_w: Option<f64>,
    /// In order of their ids.
    pub supplies: Vec<Supply>,
    /// Which supply feeds which plug.
    pub cables: Vec<Cable>,
}

/// One supply. Several share the load in proportion to their ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct Supply {
    pub placement: PlacementId,
    /// At the room's voltage.
    pub rated_w: Option<f64>,
    /// Share of its rating, 0..
    pub load: Option<f64>,
    /// 0..1
    pub efficiency: Option<f64>,
}

pub use crate::project::piece_settings::POWER_LIMIT;

/// Computes the power ledger: sums of the placed parts' draws, the supplies' efficiency at that load after 80 PLUS, and the draw from the
/// wall. CPU and card draws are the makers'; the small parts' are rules of thumb where no maker states one.
pub fn power(catalog: &Catalog, project: &Project) -> Power {
    let mut power = Power {
        parts: Vec::new(),
        typical_w: 0.0,
        limit_w: 0.0,
        cpu_gpu_w: 0.0,
        with_margin_w: 0.0,
        unknown: Vec::new(),
        supply_w: None,
        load: None,
        efficiency: None,
        wall_w: None,
        wall_origin: Origin::new(Basis::Assumed, "", ""),
        circuit_w: project.room.mains_v * project.room.circuit_a * project.threshold("circuit_continuous"),
        slots: slots::feeds(catalog, project),
        transient_w: None,
        bears_w: None,
        supplies: Vec::new(),
        cables: cables::cables(catalog, project),
    };
    for (id, placement, part) in project.rig.placed(catalog) {
        let Some((typical_w, limit_w, origin)) = draw(placement, part) else { continue };
        if typical_w.is_none() {
            power.unknown.push(id);
        }
        power.typical_w += typical_w.unwrap_or(0.0);
        power.limit_w += limit_w.unwrap_or(0.0);
        if matches!(part.kind, PartKind::Cpu(_) | PartKind::Gpu(_)) {
            power.cpu_gpu_w += typical_w.unwrap_or(0.0);
        }
        power.parts.push(Draw { placement: id, typical_w, limit_w, origin });
    }
    power.with_margin_w = power.typical_w * project.threshold("psu_margin");
    let supplies: Vec<(Option<f64>, Option<Efficiency>)> = project
        .rig
        .placed(catalog)
        .filter_map(|(_, _, p)| if let PartKind::Psu(s) = &p.kind { Some((s.watts_at(project.room.mains_v), s.efficiency)) } else { None })
        .collect();
    wall(&mut power, &supplies, project.room.mains_v);
    peaks(&mut power, catalog, project);
    power
}

/// Short peaks and what bears them, and each supply's share.
///
/// A card's peak is what was measured of it, else its board power times the threshold; a supply after ATX 3 bears more than its rating.
fn peaks(power: &mut Power, catalog: &Catalog, project: &Project) {
    let (factor, excursion) = (project.threshold("transient_factor"), project.threshold("atx3_excursion"));
    let mut extra: Option<f64> = None;
    let mut bears = Some(0.0);
    for (id, _, part) in project.rig.placed(catalog) {
        match &part.kind {
            PartKind::Gpu(gpu) => {
                let highest = gpu.peaks.map(|p| p.below_1ms_w).or_else(|| Some(gpu.tdp_w? * factor));
                let typical = power.parts.iter().find(|d| d.placement == id).and_then(|d| d.typical_w);
                if let Some((high, typical)) = highest.zip(typical) {
                    extra = Some(extra.unwrap_or(0.0).max(high - typical));
                }
            }
            PartKind::Psu(psu) => {
                let rated_w = psu.watts_at(project.room.mains_v);
                let over = psu.atx_version.as_deref().map(|v| if v.starts_with('3') { excursion } else { 1.0 });
                bears = bears.zip(rated_w.zip(over)).map(|(sum, (rated, over))| sum + rated * over);
                let efficiency = power.load.zip(psu.efficiency).map(|(load, e)| efficiency_at(e, load, project.room.mains_v));
                power.supplies.push(Supply { placement: id, rated_w, load: power.load, efficiency });
            }
            _ => {}
        }
    }
    power.transient_w = extra.map(|e| power.typical_w + e);
    power.bears_w = bears.filter(|_| !power.supplies.is_empty());
}

type Drawn = (Option<f64>, Option<f64>, Origin);

/// Typical draw, limit and origin; `None` for parts without a draw of their own.
fn draw(placement: &Placement, part: &Part) -> Option<Drawn> {
    let thumb = |typical: f64, limit: f64, what: &'static str| {
        Some((Some(typical), Some(limit), Origin::new(Basis::Assumed, format!("{typical:.0} W, at most {limit:.0} W"), what)))
    };
    match &part.kind {
        PartKind::Gpu(gpu) => Some(gpu_draw(gpu, placement)),
        PartKind::Cpu(cpu) => Some(cpu_draw(cpu)),
        PartKind::Ram(ram) => Some(ram_draw(ram)),
        PartKind::Drive(drive) => Some(drive_draw(drive)),
        PartKind::Fan(fan) => Some(fan_draw(fan)),
        PartKind::Cooler(cooler) => Some(cooler_draw(cooler)),
        PartKind::Nic(nic) => Some(nic_draw(nic)),
        PartKind::Board(_) if let Some(rest) = stated_rest(placement) => Some((
            Some(rest),
            Some(rest),
            Origin::new(Basis::Derived, format!("{} as stated", watts(rest)), "your figure for all parts not placed"),
        )),
        // Chipset, network, sound, regulators' loss; boards with server management draw the limit.
        PartKind::Board(_) => thumb(40.0, 70.0, "rule of thumb for a board without CPU, memory and cards"),
        PartKind::Case(_) | PartKind::Psu(_) | PartKind::Riser(_) | PartKind::Carrier(_) | PartKind::Bridge(_) => None,
    }
}

/// What the user states for board and all parts that are not placed.
fn stated_rest(placement: &Placement) -> Option<f64> {
    placement.settings.get(DRAW)?.parse::<f64>().ok().filter(|w| w.is_finite() && *w >= 0.0)
}

fn gpu_draw(gpu: &Gpu, placement: &Placement) -> Drawn {
    let set = placement.settings.get(POWER_LIMIT).and_then(|t| t.parse::<f64>().ok()).filter(|w| w.is_finite() && *w > 0.0);
    match (set, gpu.tdp_w) {
        (Some(limit), Some(tdp)) => {
            let origin =
                Origin::new(Basis::Derived, format!("lesser of board power {} and limit {}", watts(tdp), watts(limit)), "your power limit");
            (Some(tdp.min(limit)), Some(limit), origin)
        }
        (Some(limit), None) => {
            (Some(limit), Some(limit), Origin::new(Basis::Derived, format!("limited to {}", watts(limit)), "your power limit"))
        }
        (None, Some(tdp)) => {
            // Spikes of a few milliseconds above the board power are not in the limit.
            (Some(tdp), Some(tdp), Origin::new(Basis::Derived, format!("board power {}", watts(tdp)), "catalog: tdp_w"))
        }
        (None, None) => (None, None, Origin::new(Basis::Derived, "unknown: the catalog has no tdp_w", "catalog")),
    }
}

fn cpu_draw(cpu: &Cpu) -> Drawn {
    let limit = cpu.max_turbo_w.or(cpu.tdp_w);
    let origin = match (cpu.tdp_w, cpu.max_turbo_w) {
        (Some(tdp), Some(turbo)) => {
            Origin::new(Basis::Derived, format!("base power {}, turbo limit {}", watts(tdp), watts(turbo)), "catalog: tdp_w, max_turbo_w")
        }
        (Some(tdp), None) => Origin::new(Basis::Derived, format!("base power {}; turbo limit unknown", watts(tdp)), "catalog: tdp_w"),
        (None, _) => Origin::new(Basis::Derived, "unknown: the catalog has no tdp_w", "catalog"),
    };
    (cpu.tdp_w, limit, origin)
}

fn ram_draw(ram: &Ram) -> Drawn {
    // Unbuffered modules 3 W, registered ones with their extra chips 6 W: the order of "about 3 W for every 8 GB",
    // https://www.crucial.com/support/articles-faq-memory/how-much-power-does-memory-use, which overstates today's denser chips.
    let (each, most) = if ram.module_type.is_some_and(|m| m.is_registered()) { (6.0, 10.0) } else { (3.0, 5.0) };
    let modules = f64::from(ram.modules.unwrap_or(1));
    let formula = format!("{modules:.0} modules × {each:.0} W");
    (
        Some(modules * each),
        Some(modules * most),
        Origin::new(Basis::Assumed, formula, "rule of thumb after Crucial's \"how much power does memory use\""),
    )
}

/// What the maker states as both typical and limit, else a rule of thumb.
fn stated_or(stated: Option<f64>, typical: f64, limit: f64, what: &str) -> Drawn {
    match stated {
        Some(w) => (Some(w), Some(w), Origin::new(Basis::Derived, format!("{} W as stated", plain(w, 1)), "catalog: power_w")),
        None => (
            Some(typical),
            Some(limit),
            Origin::new(Basis::Assumed, format!("{typical:.0} W, at most {limit:.0} W"), format!("rule of thumb for {what}")),
        ),
    }
}

fn drive_draw(drive: &Drive) -> Drawn {
    match (drive.rotating, drive.bus) {
        // A motor draws most while it starts.
        (Some(true), _) => stated_or(drive.power_w, 7.0, 25.0, "a rotating drive, starting included in the limit"),
        (_, Some(DriveBus::Sata)) => stated_or(drive.power_w, 3.0, 5.0, "a SATA solid-state drive"),
        (_, Some(DriveBus::Nvme | DriveBus::Sas) | None) => stated_or(drive.power_w, 6.0, 10.0, "an NVMe drive"),
    }
}

fn fan_draw(fan: &Fan) -> Drawn {
    // 12 V at 0.15 A and 0.3 A, the range on the labels of 120 and 140 mm fans.
    stated_or(fan.power_w, 2.0, 4.0, "a case fan")
}

fn cooler_draw(cooler: &Cooler) -> Drawn {
    match cooler.kind {
        // Two or three fans and a pump.
        Some(CoolerKind::Aio) => stated_or(None, 12.0, 20.0, "a pump and its radiator fans"),
        Some(CoolerKind::Block) => stated_or(None, 15.0, 25.0, "a pump of a water loop"),
        Some(CoolerKind::Server) => stated_or(None, 6.0, 15.0, "a server cooler's fan"),
        Some(CoolerKind::Tower | CoolerKind::DualTower | CoolerKind::LowProfile) | None => stated_or(None, 3.0, 6.0, "a cooler's fans"),
    }
}

fn nic_draw(nic: &Nic) -> Drawn {
    match nic.speed_gbit_s {
        Some(s) if s >= 100.0 => stated_or(nic.power_w, 20.0, 25.0, "a network card of 100 Gbit/s or more"),
        Some(s) if s >= 10.0 => stated_or(nic.power_w, 10.0, 15.0, "a network card of 10 Gbit/s or more"),
        Some(_) | None => stated_or(nic.power_w, 4.0, 6.0, "a network card"),
    }
}

/// Fills supply, load, efficiency and wall. Several supplies share the load in proportion to their ratings.
fn wall(power: &mut Power, supplies: &[(Option<f64>, Option<Efficiency>)], mains_v: f64) {
    let missing = |what: &str| Origin::new(Basis::Assumed, format!("unknown: {what}"), "");
    let rated: Option<f64> = supplies.iter().map(|s| s.0).sum();
    power.supply_w = rated.filter(|w| *w > 0.0);
    power.wall_origin = match (supplies, power.supply_w) {
        ([], _) => missing("no power supply is placed"),
        (_, None) => missing("a supply's rating is unknown"),
        _ if power.parts.is_empty() => missing("nothing is placed that draws power"),
        _ if !power.unknown.is_empty() => missing("the draw of a part is unknown"),
        (_, Some(rating)) => {
            let load = power.typical_w / rating;
            power.load = Some(load);
            // Input power for each watt of rating, added up.
            let input: Option<f64> = supplies.iter().map(|(w, e)| Some((*w)? / efficiency_at((*e)?, load, mains_v))).sum();
            match input {
                None => missing("a supply's 80 PLUS certificate is unknown"),
                Some(input) => {
                    let efficiency = rating / input;
                    power.efficiency = Some(efficiency);
                    power.wall_w = Some(power.typical_w / efficiency);
                    let formula = format!("{} ÷ {efficiency:.3} at {:.0} % of {}", watts(power.typical_w), load * 100.0, watts(rating));
                    Origin::new(Basis::Assumed, formula, EFFICIENCY_SOURCE)
                }
            }
        }
    };
}

const EFFICIENCY_SOURCE: &str = "least efficiency that the 80 PLUS certificate asks for at 20, 50 and 100 % load, straight lines between; https://www.clearesult.com/80plus/program-details";

/// Efficiency a certificate guarantees at a load (share of the rating), 0..1. Below its first test point (10 % for Titanium, else 20 %) and
/// above full load the nearest tested value holds. From 200 V mains on, the table for 230 V internal supplies applies.
///
/// Source: 80 PLUS program details, <https://www.clearesult.com/80plus/program-details>.
pub fn efficiency_at(certificate: Efficiency, load: f64, mains_v: f64) -> f64 {
    // At 20, 50 and 100 % load.
    let (at_115, at_230) = match certificate {
        Efficiency::White => ([0.80, 0.80, 0.80], [0.82, 0.85, 0.82]),
        Efficiency::Bronze => ([0.82, 0.85, 0.82], [0.85, 0.88, 0.85]),
        Efficiency::Silver => ([0.85, 0.88, 0.85], [0.87, 0.90, 0.87]),
        Efficiency::Gold => ([0.87, 0.90, 0.87], [0.90, 0.92, 0.89]),
        Efficiency::Platinum => ([0.90, 0.92, 0.89], [0.92, 0.94, 0.90]),
        Efficiency::Titanium => ([0.92, 0.94, 0.90], [0.94, 0.96, 0.94]),
    };
    let [at20, at50, at100] = if mains_v >= 200.0 { at_230 } else { at_115 };
    let line = |x0: f64, y0: f64, x1: f64, y1: f64| y0 + (y1 - y0) * (load - x0) / (x1 - x0);
    match certificate {
        Efficiency::Titanium if load < 0.1 => 0.90,
        Efficiency::Titanium if load < 0.2 => line(0.1, 0.90, 0.2, at20),
        _ if load <= 0.2 => at20,
        _ if load <= 0.5 => line(0.2, at20, 0.5, at50),
        _ if load <= 1.0 => line(0.5, at50, 1.0, at100),
        _ => at100,
    }
}
