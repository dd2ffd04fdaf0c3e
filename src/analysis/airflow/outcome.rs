//! From the solved network to the ledger.

use super::cards;
use super::measured;
use super::net::{self, Net};
use super::noise;
use super::rig::{RigCard, RigScene, calibrated};
use super::sampling::{draws, moved, numerics_k, quantile, sampled};
use super::scene::{FanRule, Kind, Scene};
use super::solve::{Demand, State};
use super::work::{self, Class};
use super::{Airflow, CELL, CardAir, CardState, CaseAir, CoolerBasis, Cut, Degrees, FanAir, Held};
use crate::analysis::{Basis, Effort, Origin};

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

pub(super) fn outcome(rig: &RigScene, effort: Effort) -> Airflow {
    let with_reading;
    let rig = if rig.cards.iter().any(|c| c.reading.is_some()) {
        let die = |scene: &Scene, k: usize| solved(scene, Cut::Zones).1.cards.get(k).map_or(0.0, |c| c.die_c);
        with_reading = calibrated(rig, die);
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
        assumed: rig.assumed.clone(),
    }
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
fn quiet(rig: &RigScene, state: &State) -> Option<Vec<(crate::build::PlacementId, f64)>> {
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
