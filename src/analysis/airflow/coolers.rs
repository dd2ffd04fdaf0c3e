//! Coolers by class: what a card's own fan and fins do, from its board power and what was measured of its kind.

use super::net::CP;
use super::scene::{Box2, Cooler, FanRule, Kind, Memory};
use super::solve::RHO_CURVE;

/// A single card's steady temperature, measured by somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub product: &'static str,
    pub kind: Kind,
    pub die_c: f64,
    pub power_w: f64,
    /// Of full speed; `None` = by its own curve.
    pub fan: Option<f64>,
    pub room_c: f64,
    pub source: &'static str,
}

const fn row(product: &'static str, kind: Kind, reading: (f64, f64, f64), fan: Option<f64>, source: &'static str) -> Measured {
    Measured { product, kind, die_c: reading.0, power_w: reading.1, room_c: reading.2, fan, source }
}

/// Cards alone on a bench or in a good case: die °C, W, room °C (22 or 25 where the source names none).
pub const SINGLE: &[Measured] = &[
    row(
        "GeForce GTX 1080 Ti",
        Kind::Blower,
        (84.0, 250.0, 22.0),
        None,
        "https://www.tomshardware.com/reviews/nvidia-geforce-gtx-1080-ti,4972-7.html",
    ),
    row(
        "GeForce GTX 1080 Ti",
        Kind::OpenAir,
        (71.0, 280.0, 23.0),
        None,
        "https://kitguru.net/components/graphic-cards/dominic-moass/msi-gtx-1080-ti-gaming-x-trio-review/11",
    ),
    row("TITAN Xp", Kind::Blower, (84.0, 250.0, 22.0), None, "https://www.tomshardware.com/reviews/nvidia-titan-xp,5066-17.html"),
    row(
        "GeForce RTX 2080",
        Kind::OpenAir,
        (74.0, 225.0, 22.0),
        None,
        "https://www.tomshardware.com/uk/reviews/zotac-geforce-rtx-2080-amp,5839-5.html",
    ),
    row(
        "GeForce RTX 2080 Ti",
        Kind::OpenAir,
        (73.0, 300.0, 22.0),
        None,
        "https://www.tomshardware.com/reviews/gigabyte-aorus-geforce-rtx-2080-ti-xtreme-11g,5953-5.html",
    ),
    row(
        "GeForce RTX 3060 Ti",
        Kind::OpenAir,
        (69.0, 200.0, 22.0),
        None,
        "https://www.legitreviews.com/nvidia-geforce-rtx-3060-ti-founders-edition-review_224067/16",
    ),
    row("GeForce RTX 3090", Kind::OpenAir, (74.0, 348.0, 25.0), Some(0.49), "source not recorded"),
    row("GeForce RTX 3090", Kind::OpenAir, (66.0, 331.0, 25.0), Some(0.35), "source not recorded"),
    row(
        "GeForce RTX 3090",
        Kind::OpenAir,
        (62.0, 370.0, 22.0),
        None,
        "https://www.thefpsreview.com/2021/04/19/gigabyte-geforce-rtx-3090-gaming-oc-review/8/",
    ),
    row("GeForce RTX 4090", Kind::OpenAir, (59.0, 435.0, 25.0), Some(0.30), "source not recorded"),
    row(
        "GeForce RTX 5090",
        Kind::OpenAir,
        (66.0, 547.0, 25.0),
        None,
        "https://github.com/noonghunna/club-3090/blob/master/docs/HARDWARE.md",
    ),
    row("GeForce RTX 4090", Kind::Water, (43.0, 247.0, 25.0), None, "https://github.com/noonghunna/club-3090/issues/697"),
];

/// Rise of the die over the room of a lone card at its board power, K, and the 80 % half width of that among cards of the class.
///
/// Medians of [`SINGLE`]: open-air 43 to 52 K but for the larger coolers of 2020 and later (34 to 41 K at 435 to 547 W); blowers sit at
/// their limit. Passive: an A40 at 296 W and 62 °C in a server. Water: 18 K at 247 W, scaled to 450 W.
const fn rise(kind: Kind, power_w: f64) -> (f64, f64) {
    match kind {
        Kind::OpenAir | Kind::FlowThrough | Kind::Tower => (if power_w > 400.0 { 41.0 } else { 47.0 }, 9.0),
        Kind::Blower => (61.0, 8.0),
        Kind::Passive => (40.0, 10.0),
        Kind::Water => (33.0, 8.0),
    }
}

/// Share of the rise between die and fins at board power: a water block's 18 K of 49 K on an RTX 3090.
const DIE_SHARE: f64 = 0.35;
/// Share of the rise by which the air itself warms: gives 60 to 160 CFM for boards of 250 to 450 W, the flows that fit single readings.
const AIR_SHARE: f64 = 0.40;

/// Default fan curves, share of full speed at °C. Open-air: 35 % at 66 °C and 49 % at 74 °C were read on one card; a zero-fan idle does not
/// matter under load. Blowers: drivers hold them at 50 to 60 %.
pub const fn curve(kind: Kind) -> FanRule {
    match kind {
        Kind::OpenAir | Kind::FlowThrough => FanRule::Curve { from_c: 62.0, low: 0.30, to_c: 80.0, high: 0.60, most: 1.0 },
        Kind::Blower => FanRule::Curve { from_c: 50.0, low: 0.30, to_c: 81.0, high: 0.54, most: 0.60 },
        Kind::Passive | Kind::Water | Kind::Tower => FanRule::Fixed(1.0),
    }
}

/// Temperature at which the board lowers its clock to hold it, °C, by product; 84 where none is known.
pub fn limit_c(product: &str) -> f64 {
    // From `nvidia-smi -q` of the cards: target temperature, else the highest operating one.
    const KNOWN: &[(&str, f64)] = &[
        ("RTX 30", 83.0),
        ("RTX 2080 Ti", 84.0),
        ("RTX 2080", 83.0),
        ("RTX 5090", 90.0),
        ("RTX PRO 6000", 90.0),
        ("RTX 4000 SFF", 88.0),
        ("Tesla T4", 85.0),
        ("Tesla V100", 83.0),
        ("A100", 85.0),
        ("A40", 88.0),
        ("L40", 88.0),
        ("A10", 88.0),
        ("Radeon", 100.0),
    ];
    KNOWN.iter().find(|(name, _)| product.contains(name)).map_or(84.0, |k| k.1)
}

/// Memory's rise over the die for each watt of the board, and its limit; `None` where nobody measured it.
pub fn memory(kind: Option<&str>, product: &str) -> Option<Memory> {
    let kind = kind?;
    let has = |name: &str| product.contains(name);
    if kind.contains("HBM") {
        // V100: 16 to 33 K over the core at 153 to 175 W, throttles at 85 °C. A100: limit 95 °C (nvidia-smi -q), rise assumed.
        return match (has("V100"), has("A100")) {
            (true, _) => Some(Memory { k_w: 0.15, limit_c: 85.0 }),
            (_, true) => Some(Memory { k_w: 0.05, limit_c: 95.0 }),
            _ => None,
        };
    }
    if kind.contains("GDDR6X") {
        // RTX 3090: 20 K over the core at 224 W with the fan at full speed, up to 48 K in other readings. RTX 40: assumed, all chips face
        // the cooler.
        let later = has("RTX 40");
        return Some(if later { Memory { k_w: 0.05, limit_c: 105.0 } } else { Memory { k_w: 0.09, limit_c: 110.0 } });
    }
    None
}

/// A board to be cooled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Board<'a> {
    pub product: Option<&'a str>,
    pub kind: Kind,
    /// Board power as rated, W.
    pub rated_w: f64,
    pub memory: Option<&'a str>,
    pub at: Box2,
    /// Free air below, m.
    pub gap: f64,
}

/// A cooler with what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    pub cooler: Cooler,
    /// 80 % half width of its resistance, share.
    pub spread: f64,
    /// The measured card behind it; else its class.
    pub measured: Option<Measured>,
}

/// Fans sit back from the face of their housing, and boards are thinner than the openings they take: air finds this much also where boards
/// touch, m. Chosen together with the loss of the gap, on the two pairs that the accuracy page lists as fitted.
pub const INLET_CUT: f64 = 0.002;

/// The cooler of a board: its own measured card, else its class. Fins, flow and die resistance follow from the rise at board power; a card
/// alone in a large room then reaches exactly that rise.
pub fn design(board: &Board<'_>) -> Design {
    let product = board.product.unwrap_or_default();
    let alike =
        |m: &&Measured| m.product == product && (m.kind == board.kind || (board.kind == Kind::FlowThrough && m.kind == Kind::OpenAir));
    let rows: Vec<&Measured> = SINGLE.iter().filter(alike).collect();
    let (class, spread_k) = rise(board.kind, board.rated_w);
    let n = rows.len() as f64;
    let (resistance, spread) = if rows.is_empty() {
        (class / board.rated_w, spread_k / class)
    } else {
        // Boards of one product differ by maker: 0.108 to 0.141 K/W on three RTX 3090. All single readings together scatter by 13 % about
        // their class; by Student's t for three boards that is 20 % at 80 %.
        (rows.iter().map(|m| (m.die_c - m.room_c) / m.power_w).sum::<f64>() / n, 0.20)
    };
    let rise = resistance * board.rated_w;
    let limit = limit_c(product);
    let fan = curve(board.kind);
    let design_c = 22.0 + rise;
    let speed = rows.iter().find_map(|m| m.fan).unwrap_or_else(|| fan.speed(design_c, limit));
    let capacity = board.rated_w / (AIR_SHARE * rise);
    let q_op = capacity / (RHO_CURVE * CP) / speed;
    let r_die = DIE_SHARE * resistance;
    let ua = -capacity * libm::log(1.0 - 1.0 / ((resistance - r_die) * capacity)) * libm::pow(1.0 / speed, 0.6);
    let length = board.at.x1 - board.at.x0;
    let (p_max, perimeter, cut) = match board.kind {
        // Fans of 85 to 110 mm.
        Kind::OpenAir | Kind::FlowThrough => (if board.rated_w > 400.0 { 85.0 } else { 70.0 }, 1.45 * length, INLET_CUT),
        // One radial fan of 65 to 70 mm.
        Kind::Blower => (350.0, 0.26, INLET_CUT),
        // A 40 mm server fan drives 25 CFM through a Tesla at about 60 Pa.
        Kind::Passive => (60.0, 1.0, 0.0),
        Kind::Water | Kind::Tower => (20.0, 1.0, 0.0),
    };
    let cooler = Cooler {
        kind: board.kind,
        at: board.at,
        gap: board.gap.max(0.0) + cut,
        perimeter,
        p_max,
        q_op,
        ua,
        r_die,
        power: board.rated_w,
        limit_c: limit,
        fan,
        memory: memory(board.memory, product),
    };
    Design { cooler, spread, measured: rows.first().map(|m| **m) }
}

/// The same cooler with its resistance times `factor`.
pub fn scaled(c: &Cooler, factor: f64) -> Cooler {
    // Fins count with about 0.6 of their conductance, the air's own warming not at all: 1.6 makes the whole follow.
    Cooler { r_die: c.r_die * factor, ua: c.ua * libm::pow(factor, -1.6), ..*c }
}
