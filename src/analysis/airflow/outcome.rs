//! From the solved network to the ledger.

use std::sync::Arc;

use super::cards;
use super::field::Field;
use super::measured;
use super::net::{self, Net};
use super::noise;
use super::rig::{RigCard, RigScene, calibrated, factor_of};
use super::sampling::{draws, moved, numerics_k, quantile, sampled};
use super::scene::{Cooler, FanRule, Kind, Scene};
use super::solve::{Demand, RHO_CURVE, State};
use super::work::{self, Class};
use super::{Airflow, CELL, CardAir, CardState, CaseAir, CoolerBasis, Cut, Degrees, FanAir, Held, PICTURE_CELL};
use crate::analysis::{Basis, Effort, Origin};
use crate::build::PlacementId;

/// Draws behind a band of the worker.
const DRAWS: usize = 64;
/// Loudness at which coolers are compared, dB(A).
const QUIET_DBA: f64 = 40.0;

/// The network of a cut and its steady state.
pub fn solved(scene: &Scene, cut: Cut) -> (Net, State) {
    let net = match cut {
        Cut::Zones => net::zones(scene),
        Cut::Grid => net::grid(scene, CELL),
    };
    let mut state = State::start(scene, &net);
    state.solve(scene, &net, if cut == Cut::Zones { Demand::LIVE } else { Demand::FINE });
    (net, state)
}

fn die_in_zones(scene: &Scene, k: usize) -> f64 {
    solved(scene, Cut::Zones).1.cards.get(k).map_or(0.0, |c| c.die_c)
}

/// The scene with readings that came without what they say of the cooler worked in: files written by hand.
pub fn with_readings(rig: RigScene) -> RigScene {
    if rig.cards.iter().any(|c| c.reading.is_some()) { calibrated(&rig, die_in_zones) } else { rig }
}

/// As [`super::reading_factor`], of a scene.
pub(super) fn reading_factor(rig: &RigScene, card: PlacementId, reading: (f64, f64, Option<f64>)) -> Option<f64> {
    let index = rig.cards.iter().find(|c| c.placement == card)?.cooler?;
    factor_of(&rig.scene, index, reading, &die_in_zones)
}

/// The field on the grid for pictures, with the flows of the openings of `of`: those are the numbers that the ledger states.
pub(super) fn picture(rig: &RigScene, of: &Field) -> Field {
    let (coarse, start) = solved(&rig.scene, Cut::Grid);
    let net = net::grid(&rig.scene, PICTURE_CELL);
    let mut state = start.moved(&coarse, &rig.scene, &net);
    state.solve(&rig.scene, &net, Demand::FINE);
    let mut field = Field::of(rig, &net, &state);
    field.vents.clone_from(&of.vents);
    field
}

pub(super) fn outcome(rig: &RigScene, effort: Effort) -> Airflow {
    let with_reading;
    let rig = if rig.cards.iter().any(|c| c.reading.is_some()) {
        with_reading = calibrated(rig, die_in_zones);
        &with_reading
    } else {
        rig
    };
    let (zones, base) = solved(&rig.scene, Cut::Zones);
    if effort == Effort::Live {
        let (hot, cold) = (moved(rig, &zones, &base, 1.0), moved(rig, &zones, &base, -1.0));
        let band = |k: usize| Band::of_sides(&base, &hot, &cold, k);
        return ledger(rig, &zones, &base, Cut::Zones, &band);
    }
    let (grid, fine) = solved(&rig.scene, Cut::Grid);
    let samples = sampled(rig, &draws(rig, DRAWS));
    let band = |k: usize| Band::of_draws(&base, &fine, &samples, k);
    let mut out = ledger(rig, &grid, &fine, Cut::Grid, &band);
    out.case.quiet_c = quiet(rig, &fine);
    for (card, from) in out.cards.iter_mut().zip(&rig.cards) {
        if let (Some(state), Some(k)) = (&mut card.state, from.cooler) {
            state.to_neighbours = Some(base.breathed(&rig.scene, &zones, k));
        }
    }
    out
}

/// Where a card may be: 80 % limits of its temperature and the power at the hot end.
struct Band {
    low: f64,
    high: f64,
    hot_power: f64,
}

impl Band {
    fn of_sides(base: &State, hot: &State, cold: &State, k: usize) -> Self {
        let at = |s: &State| s.cards.get(k).map_or((0.0, 0.0), |c| (c.die_c, c.power));
        let (now, hot, cold) = (at(base), at(hot), at(cold));
        let cut = numerics_k(false);
        let wide = |d: f64| (d * d + cut * cut).sqrt();
        Self { low: now.0 - wide(now.0 - cold.0), high: now.0 + wide(hot.0 - now.0), hot_power: hot.1.min(now.1) }
    }
    fn of_draws(base: &State, fine: &State, samples: &[State], k: usize) -> Self {
        let at = |s: &State| s.cards.get(k).map_or((0.0, 0.0), |c| (c.die_c, c.power));
        let (now, here) = (at(base), at(fine));
        let shift: Vec<f64> = samples.iter().map(|s| at(s).0 - now.0).collect();
        let power: Vec<f64> = samples.iter().map(|s| at(s).1 - now.1).collect();
        let cut = numerics_k(true);
        let wide = |d: f64| (d * d + cut * cut).sqrt();
        Self {
            low: here.0 - wide(quantile(shift.clone(), 0.1).min(0.0)),
            high: here.0 + wide(quantile(shift, 0.9).max(0.0)),
            hot_power: (here.1 + quantile(power, 0.1).min(0.0)).max(0.0),
        }
    }
}

fn ledger(rig: &RigScene, net: &Net, state: &State, cut: Cut, band: &dyn Fn(usize) -> Band) -> Airflow {
    let cards = rig.cards.iter().map(|c| card(rig, state, c, band)).collect();
    let fans: Vec<FanAir> = rig.fans.iter().filter_map(|f| fan(rig, net, state, f)).collect();
    let sources = sources(rig, state);
    let open = (0..net.cells()).filter(|&i| net.free[i] > 0.0);
    let area = |i: usize| net.cell_box(i).area() * net.free[i];
    let (sum, whole) = open.fold((0.0, 1e-12), |(p, a), i| (p + state.p[i] * area(i), a + area(i)));
    Airflow {
        cut,
        cards,
        fans,
        case: CaseAir {
            pressure_pa: sum / whole,
            through: state.through,
            noise_dba: noise::total(&sources),
            loudest: noise::loudest(&sources).map(|s| s.name.clone()),
            mass_residual: state.mass_residual,
            energy_residual: state.energy_residual,
            converged: state.converged,
            quiet_c: None,
        },
        field: Arc::new(Field::of(rig, net, state)),
        assumed: rig.assumed.clone(),
    }
}

/// The card as it would be with nothing below it, breathing the same air: its temperature, K below the present one, and its power, W.
fn without_gap(cooler: &Cooler, card: &cards::Card, scene: &Scene) -> (f64, f64) {
    if !matches!(cooler.kind, Kind::OpenAir | Kind::FlowThrough | Kind::Blower) {
        return (0.0, card.power);
    }
    let density = scene.rho / RHO_CURVE;
    // What the case adds to the fan's pressure now.
    let help = card.flow * card.flow * cards::loss(cooler, scene.rho, scene.k_gap) - cooler.p_max * density * card.speed * card.speed;
    let loss = cards::loss(cooler, scene.rho, 0.0);
    let free =
        cards::settle(cooler, scene.ambient_c + card.intake, scene.rho, card, |speed| cards::flow(cooler, loss, speed, help, density));
    ((card.die_c - free.die_c).max(0.0), free.power)
}

fn fan(rig: &RigScene, net: &Net, state: &State, f: &super::rig::RigFan) -> Option<FanAir> {
    let fan = rig.scene.openings.get(f.opening)?.fan?;
    let flow = net.ports.iter().zip(state.ports.iter()).filter(|(p, _)| !p.cooler && p.of == f.opening).map(|(_, q)| q).sum();
    let noise_dba = noise::Source { name: String::new(), full_dba: f.full_dba, speed: fan.speed }.level();
    Some(FanAir { placement: f.placement, edge: f.edge, inward: fan.inward, flow, speed: fan.speed, noise_dba })
}

/// What is heard: fans of the case and of the cards.
fn sources(rig: &RigScene, state: &State) -> Vec<noise::Source> {
    let case = rig.fans.iter().filter_map(|f| {
        let speed = rig.scene.openings.get(f.opening)?.fan?.speed;
        Some(noise::Source { name: f.name.clone(), full_dba: f.full_dba, speed })
    });
    let cards = rig.cards.iter().filter(|c| c.full_dba > 0.0).filter_map(|c| {
        let speed = state.cards.get(c.cooler?)?.speed;
        Some(noise::Source { name: c.name.clone(), full_dba: c.full_dba, speed })
    });
    case.chain(cards).collect()
}

/// Die temperatures with all fans slowed alike until the rig makes 40 dB(A).
fn quiet(rig: &RigScene, state: &State) -> Option<Vec<(PlacementId, f64)>> {
    noise::total(&sources(rig, state))?;
    // Slower by a factor, all levels fall alike; the floor of the quiet ones makes a search safer than a formula.
    let at = |factor: f64| {
        let mut slow = sources(rig, state);
        slow.iter_mut().for_each(|s| s.speed = (s.speed * factor).min(1.0));
        noise::total(&slow).unwrap_or(0.0)
    };
    let (mut low, mut high) = (0.05_f64, 4.0_f64);
    for _ in 0..30 {
        let middle = (low * high).sqrt();
        if at(middle) < QUIET_DBA { low = middle } else { high = middle }
    }
    let factor = (low * high).sqrt();
    let mut scene = rig.scene.clone();
    for opening in rig.fans.iter().map(|f| f.opening) {
        if let Some(fan) = scene.openings.get_mut(opening).and_then(|o| o.fan.as_mut()) {
            fan.speed = (fan.speed * factor).min(1.0);
        }
    }
    for (cooler, card) in scene.coolers.iter_mut().zip(&state.cards) {
        if matches!(cooler.kind, Kind::OpenAir | Kind::FlowThrough | Kind::Blower) {
            cooler.fan = FanRule::Fixed((card.speed * factor).clamp(0.02, 1.0));
        }
    }
    let (_, state) = solved(&scene, Cut::Zones);
    Some(rig.cards.iter().filter_map(|c| Some((c.placement, state.cards.get(c.cooler?)?.die_c))).collect())
}

fn card(rig: &RigScene, state: &State, from: &RigCard, band: &dyn Fn(usize) -> Band) -> CardAir {
    let found = from.cooler.and_then(|k| Some((k, *rig.scene.coolers.get(k)?, *state.cards.get(k)?)));
    let numbers = found.map(|(k, cooler, card)| {
        let band = band(k);
        let loss = cards::loss(&cooler, rig.scene.rho, rig.scene.k_gap);
        let free = cards::loss(&cooler, rig.scene.rho, 0.0);
        let of = |watts: f64, class: Class| work::work(class, watts / from.rated_w);
        let (gap_k, free_w) = without_gap(&cooler, &card, &rig.scene);
        let gap_lost = 1.0 - of(card.power, Class::ComputeBound) / of(free_w, Class::ComputeBound).max(1e-9);
        let lost = |watts: f64| Class::ALL.map(|c| (1.0 - of(watts, c) / of(cooler.power, c).max(1e-9)).max(0.0));
        CardState {
            die: Degrees { value: card.die_c, low: band.low, high: band.high },
            memory_c: card.memory_c,
            memory_limit_c: cooler.memory.map(|m| m.limit_c),
            limit_c: cooler.limit_c,
            power_w: card.power,
            allowed_w: cooler.power,
            rated_w: from.rated_w,
            fan: (!matches!(cooler.kind, Kind::Passive | Kind::Water)).then_some(card.speed),
            clock: work::clock(card.power / from.rated_w),
            lost: lost(card.power),
            lost_high: lost(band.hot_power),
            work: Class::ALL.map(|c| of(card.power, c)),
            held: match (card.throttled, card.by_memory) {
                (false, _) => Held::Free,
                (true, false) => Held::Die,
                (true, true) => Held::Memory,
            },
            intake_k: card.intake,
            flow: card.flow,
            gap_mm: from.gap_mm,
            gap_share: (free / loss).sqrt(),
            gap_k,
            gap_lost: gap_lost.max(0.0),
            straight_out: match cooler.kind {
                Kind::Blower | Kind::Passive | Kind::Water => 1.0 - cards::BACK,
                Kind::OpenAir | Kind::FlowThrough | Kind::Tower => 0.0,
            },
            to_neighbours: None,
        }
    });
    let basis = match from.basis {
        CoolerBasis::Reading | CoolerBasis::Measured => Basis::Fitted,
        CoolerBasis::Class => Basis::Assumed,
    };
    let origin = match &found {
        None => Origin::new(Basis::Assumed, "unknown: a fact of the card is missing", ""),
        Some((_, cooler, card)) => {
            let formula = format!(
                "{:.1} °C + {:.1} K of warmed air + {:.0} W × {:.3} K/W; fan {:.0} %, limit {:.0} °C",
                rig.scene.ambient_c,
                card.intake,
                card.power,
                card.resistance,
                card.speed * 100.0,
                cooler.limit_c
            );
            Origin::new(basis, formula, format!("flow network of the case; cooler by {}; work by {}", from.basis.text(), work::SOURCE))
        }
    };
    CardAir {
        placement: from.placement,
        slot: from.slot.clone(),
        state: numbers,
        missing: from.missing.clone(),
        basis: from.basis,
        nearest: found.and_then(|(_, cooler, _)| measured::nearest(&from.product, &cooler, rig)),
        origin,
    }
}
