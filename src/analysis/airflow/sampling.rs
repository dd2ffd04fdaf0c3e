//! How sure the temperatures are: the uncertain inputs moved together to the hot and to the cold side, and random draws of them.

use super::coolers::scaled;
use super::net::{Net, zones};
use super::rig::RigScene;
use super::scene::Scene;
use super::solve::{Demand, State};

/// 80 % half widths: air around the case against the room's stated temperature, K; losses of grilles and gaps, as a factor.
const ROOM_K: f64 = 2.0;
const LOSS: f64 = 1.5;
/// Difference of the zones to the grid, and of the grid's cells of 10 to those of 5 mm, K: the largest found in the matrix of layouts.
const ZONES_K: f64 = 2.0;
const GRID_K: f64 = 1.0;

/// One set of uncertain inputs: room in K, losses as a factor, and of each cooler its resistance as a factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    pub room_k: f64,
    pub loss: f64,
    pub coolers: Vec<f64>,
}

impl Draw {
    /// The scene as it would be.
    pub fn apply(&self, scene: &Scene) -> Scene {
        let mut out = scene.clone();
        out.ambient_c += self.room_k;
        out.k_gap *= self.loss;
        out.openings.iter_mut().for_each(|o| o.k *= self.loss);
        for (c, factor) in out.coolers.iter_mut().zip(&self.coolers) {
            *c = scaled(c, *factor);
        }
        out
    }
}

/// Relative half widths of each cooler of a scene.
fn widths(rig: &RigScene) -> Vec<f64> {
    let of = |index: usize| rig.cards.iter().find(|c| c.cooler == Some(index)).map_or(0.0, |c| c.spread);
    (0..rig.scene.coolers.len()).map(of).collect()
}

/// Half width of what the cut of the case adds, K.
pub fn numerics_k(grid: bool) -> f64 {
    if grid { GRID_K } else { ZONES_K }
}

/// Cards with all inputs moved to one side, `sign` +1 hot or −1 cold, each by its part of the common 80 % width.
pub fn moved(rig: &RigScene, net: &Net, base: &State, sign: f64) -> State {
    let coolers = widths(rig);
    let n = rig.cards.iter().filter(|c| c.cooler.is_some()).count().max(1) as f64;
    // First guesses of the effects, which only share the step out among the inputs: for independent errors the parts go as the effects.
    let rise: f64 = base.cards.iter().zip(&coolers).map(|(c, w)| w * c.power * c.resistance).sum::<f64>() / n;
    let breath: f64 = base.cards.iter().zip(&coolers).filter(|(_, w)| **w > 0.0).map(|(c, _)| 0.3 * c.intake + 0.5).sum::<f64>() / n;
    let size = (rise * rise + breath * breath + ROOM_K * ROOM_K).sqrt().max(1e-9);
    let draw = Draw {
        room_k: sign * ROOM_K * ROOM_K / size,
        loss: libm::pow(LOSS, sign * breath / size),
        coolers: coolers.iter().map(|w| libm::pow(1.0 + w, sign * rise / size)).collect(),
    };
    let scene = draw.apply(&rig.scene);
    let mut state = base.clone();
    state.cards.iter_mut().for_each(|c| c.last = None);
    state.solve(&scene, net, Demand { kelvin: 0.3, rounds: 30 });
    state
}

/// A generator with a fixed start: the same rig gives the same band. `SplitMix64`, Steele, Lea and Flood 2014.
#[derive(Clone, Copy, Debug)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// A normal number whose 80 % half width is 1.
    fn normal(&mut self) -> f64 {
        let (u, v) = (self.next().max(1e-12), self.next());
        (-2.0 * libm::log(u)).sqrt() * libm::cos(std::f64::consts::TAU * v) / 1.2816
    }
}

/// Sets of uncertain inputs, always the same ones for a placed card: what two rigs are compared under.
pub fn draws(rig: &RigScene, count: usize) -> Vec<Draw> {
    let widths = widths(rig);
    let place = |index: usize| rig.cards.iter().find(|c| c.cooler == Some(index)).map_or(u64::MAX, |c| u64::from(c.placement.0));
    (0..count)
        .map(|n| {
            let seed = 0x5EED_0000 + ((n as u64) << 40);
            let mut dice = Dice(seed);
            let (room_k, loss) = (ROOM_K * dice.normal(), libm::pow(LOSS, dice.normal()));
            // Coolers of one class err together by half of it, and each by itself by the rest.
            let common = dice.normal();
            let share = std::f64::consts::FRAC_1_SQRT_2;
            let own = |index: usize| Dice(seed ^ place(index).wrapping_mul(0xD6E8_FEB8_6659_FD93)).normal();
            let coolers = widths.iter().enumerate().map(|(k, w)| libm::pow(1.0 + w, share * (common + own(k)))).collect();
            Draw { room_k, loss, coolers }
        })
        .collect()
}

/// Die temperatures and powers of all coolers in each draw, by the zones.
pub fn sampled(rig: &RigScene, draws: &[Draw]) -> Vec<State> {
    let net = zones(&rig.scene);
    let mut base = State::start(&rig.scene, &net);
    base.solve(&rig.scene, &net, Demand::LIVE);
    draws
        .iter()
        .map(|draw| {
            let scene = draw.apply(&rig.scene);
            // Losses of the grilles stand in the scene, so the network of zones can stay.
            let mut state = base.clone();
            state.cards.iter_mut().for_each(|c| c.last = None);
            state.solve(&scene, &net, Demand { kelvin: 0.1, rounds: 40 });
            state
        })
        .collect()
}

/// The value below which a share of the list lies.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = share * (values.len().max(1) - 1) as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    let get = |n: usize| values.get(n).or(values.last()).copied().unwrap_or(0.0);
    get(low) * (1.0 - part) + get(low + 1) * part
}
