//! One cooler: flow through it, resistance from die to air, fan, throttle.

use super::net::CP;
use super::scene::{Cooler, FanRule, Kind};
use super::solve::RHO_CURVE;

/// Exponent of the fins' conductance with flow; 0.5 laminar fins, 0.8 turbulent.
const FIN_EXPONENT: f64 = 0.6;
/// Share of a board's heat that leaves through its back into the air above; 0.05 to 0.15 is plausible.
pub const BACK: f64 = 0.15;

/// State of one cooler.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Card {
    /// Rise of the air it breathes over the room, K.
    pub intake: f64,
    pub flow: f64,
    pub speed: f64,
    pub power: f64,
    pub die_c: f64,
    pub memory_c: Option<f64>,
    /// Die to intake air, K/W.
    pub resistance: f64,
    /// The power is held down by a temperature limit.
    pub throttled: bool,
    /// By the memory's limit rather than the die's.
    pub by_memory: bool,
    /// Change of the power with the intake's temperature while a limit holds it, W/K: never above 0.
    pub slope: f64,
    /// Last intake and its error, for the secant.
    pub last: Option<(f64, f64)>,
}

/// Air's way through a cooler: pressure it makes at full speed and the loss on the way, Pa/(m³/s)².
pub fn loss(c: &Cooler, rho: f64, k_gap: f64) -> f64 {
    let fins = c.p_max * rho / RHO_CURVE / (c.q_op * c.q_op);
    let gap = match c.kind {
        Kind::OpenAir | Kind::FlowThrough | Kind::Blower => {
            let area = c.gap.max(0.0005) * c.perimeter;
            k_gap * 0.5 * rho / (area * area)
        }
        Kind::Passive | Kind::Water | Kind::Tower => 0.0,
    };
    fins + gap
}

/// Flow at a speed, m³/s; `help` is the pressure at its intake over that at its exhaust, Pa.
pub fn flow(c: &Cooler, a: f64, speed: f64, help: f64, density: f64) -> f64 {
    let drive = if c.kind == Kind::Passive { 0.0 } else { c.p_max * density * speed * speed };
    ((drive + help).max(0.02) / a).sqrt()
}

/// Die to intake air at a flow, K/W.
pub fn resistance(c: &Cooler, q: f64, rho: f64) -> f64 {
    let capacity = rho * CP * q.max(1e-6);
    let ua = c.ua * libm::pow(q.max(1e-6) / c.q_op, FIN_EXPONENT);
    c.r_die + 1.0 / (capacity * -libm::expm1(-ua / capacity))
}

/// Temperature, fan and power of a card that breathes air of `air_c`; `flow_at` tells its flow at a speed.
pub fn settle(c: &Cooler, air_c: f64, rho: f64, start: &Card, flow_at: impl Fn(f64) -> f64) -> Card {
    let at = |speed: f64| {
        let q = flow_at(speed);
        (q, resistance(c, q, rho))
    };
    // Power at a resistance, held down by whichever limit binds.
    let held = |r: f64| {
        let die = (c.limit_c - air_c) / r;
        let memory = c.memory.map_or(f64::INFINITY, |m| (m.limit_c - air_c) / (r + m.k_w));
        let power = c.power.min(die).min(memory).max(0.1 * c.power);
        (power, power < c.power - 1e-9, memory < die)
    };
    let done = |speed: f64, q: f64, r: f64| {
        let (power, throttled, by_memory) = held(r);
        let die_c = air_c + power * r;
        Card {
            flow: q,
            speed,
            power,
            die_c,
            memory_c: c.memory.map(|m| die_c + m.k_w * power),
            resistance: r,
            throttled,
            by_memory: throttled && by_memory,
            slope: match (throttled, by_memory) {
                (false, _) => 0.0,
                (true, false) => -1.0 / r,
                (true, true) => -1.0 / (r + c.memory.map_or(0.0, |m| m.k_w)),
            },
            ..*start
        }
    };
    let FanRule::Curve { .. } = c.fan else {
        let speed = c.fan.speed(start.die_c, c.limit_c);
        let (q, r) = at(speed);
        return done(speed, q, r);
    };
    // The die's temperature with the fan at the speed of temperature t, less t: falls steadily.
    let error = |t: f64| {
        let speed = c.fan.speed(t, c.limit_c);
        let (q, r) = at(speed);
        (air_c + held(r).0 * r - t, speed, q, r)
    };
    let mut t = start.die_c.clamp(air_c, c.limit_c.max(air_c));
    let mut now = error(t);
    let (mut low, mut high) = (air_c.min(t) - 1.0, c.limit_c.max(air_c) + 60.0);
    let mut slope: f64 = -1.6;
    for _ in 0..12 {
        if now.0.abs() < 0.01 {
            break;
        }
        if now.0 > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let guess = t - now.0 / slope;
        let next = if guess > low && guess < high { guess } else { (low + high) / 2.0 };
        let value = error(next);
        if (next - t).abs() > 1e-6 {
            slope = ((value.0 - now.0) / (next - t)).clamp(-30.0, -0.9);
        }
        (t, now) = (next, value);
    }
    done(now.1, now.2, now.3)
}
