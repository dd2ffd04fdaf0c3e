//! Measured temperatures of cards in cases, beside the model's and beside three simpler ones.
//!
//! The records tell little of the case, the room and the order of the cards. What is unknown is varied: a closed tower and an open bench, both
//! orders; the mean is the prediction, and half the difference goes into its band.

use std::collections::BTreeMap;

use crate::analysis::airflow::chassis::{Chassis, FIRST_CARD, Spec, add, empty, fan_area};
use crate::analysis::airflow::coolers::{Board, curve, design, limit_c, scaled};
use crate::analysis::airflow::scene::{Box2, Cooler, Fan, FanRule, Kind, Opening, Scene, Wall};
use crate::analysis::airflow::{Cut, solved};

/// Rows that constants of the model were chosen or fitted on: not counted.
///
/// Gap loss and inlet cut: M002, M003, M092, M093. Classes and products of coolers: M042, M078, M106, M115, M116, M127, M128, M130.
pub const FITTED: &[&str] = &["M002", "M003", "M042", "M078", "M092", "M093", "M106", "M115", "M116", "M127", "M128", "M130"];

/// Names of the simpler predictions, in the order of [`Predicted::baselines`].
pub const BASELINES: [&str; 3] = ["no interaction", "constant offset", "lumped, one coefficient"];

/// A row as far as the model reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: String,
    pub gpu: String,
    pub source: String,
    pub workload: String,
    pub position: String,
    pub cooler: String,
    pub chassis: String,
    pub fans: String,
    pub in_box: usize,
    pub loaded: usize,
    pub free_slots: Option<f64>,
    pub room_c: Option<f64>,
    pub power_w: Option<f64>,
    /// The power was drawn, not only allowed.
    pub drawn: bool,
    pub die_c: f64,
}

/// What the model says to a row, °C.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    pub id: String,
    pub measured_c: f64,
    pub die_c: f64,
    /// 80 % band.
    pub low_c: f64,
    pub high_c: f64,
    pub fitted: bool,
    /// Number of the rig, in order of the records.
    pub rig: usize,
    /// The record tells case, cooler, and power.
    pub stated: bool,
    /// Position of the card from the top, if the record tells it.
    pub from_top: Option<usize>,
    pub baselines: [f64; 3],
}

/// A row from its cells by lower-case column name, or why it cannot be judged.
///
/// # Errors
/// Says what the row lacks: a temperature, a steady state, a known card.
pub fn row(cells: &BTreeMap<String, String>) -> Result<Row, String> {
    let text = |key: &str| cells.get(key).map(|s| s.trim().to_owned()).unwrap_or_default();
    let number = |key: &str| leading(&text(key));
    let steady = text("steady").to_lowercase();
    if steady.starts_with("no") || steady == "transient" || steady == "end of benchmark" {
        return Err("The card was still warming.".to_owned());
    }
    let gpu = text("gpu");
    if known(&gpu).is_none() {
        return Err(format!("No board power and cooler is known of {gpu:?}."));
    }
    let loaded = number("n_loaded").unwrap_or(1.0).max(1.0) as usize;
    Ok(Row {
        id: text("id"),
        source: text("source"),
        workload: text("workload"),
        position: text("card_position").to_lowercase(),
        cooler: text("cooler").to_lowercase(),
        chassis: text("chassis").to_lowercase(),
        fans: text("case_fans"),
        in_box: number("n_gpus_in_box").map_or(loaded, |n| n as usize).max(loaded),
        loaded,
        free_slots: number("empty_slots_below_fan_side"),
        room_c: number("ambient_c"),
        power_w: number("power_draw_w").or_else(|| number("power_limit_w")),
        drawn: number("power_draw_w").is_some(),
        die_c: leading(&text("gpu_temp_c")).filter(|_| !text("gpu_temp_c").contains('-')).ok_or("No single temperature is stated.")?,
        gpu,
    })
}

/// The number a text begins with.
fn leading(text: &str) -> Option<f64> {
    let digits: String = text.trim_start_matches("<=").chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().ok()
}

/// A card as the records name it: product, board power, usual cooler, slots, length.
#[derive(Clone, Copy, Debug)]
struct Known {
    name: &'static str,
    product: &'static str,
    watts: f64,
    kind: Kind,
    slots: f64,
    length: f64,
}

const fn card(name: &'static str, product: &'static str, watts: f64, kind: Kind, slots: f64, length: f64) -> Known {
    Known { name, product, watts, kind, slots, length }
}

/// Board power and size as their makers state them; the first name that a record contains counts.
const CARDS: &[Known] = &[
    card("GTX 1080 Ti", "GeForce GTX 1080 Ti", 250.0, Kind::OpenAir, 2.5, 0.298),
    card("GTX TITAN X", "GeForce GTX TITAN X", 250.0, Kind::Blower, 2.0, 0.267),
    card("TITAN X (Pascal)", "TITAN X (Pascal)", 250.0, Kind::Blower, 2.0, 0.267),
    card("TITAN Xp", "TITAN Xp", 250.0, Kind::Blower, 2.0, 0.267),
    card("RTX 3090", "GeForce RTX 3090", 350.0, Kind::OpenAir, 2.7, 0.313),
    card("RTX 4090", "GeForce RTX 4090", 450.0, Kind::OpenAir, 3.5, 0.340),
    card("RTX 2080 Ti", "GeForce RTX 2080 Ti", 250.0, Kind::OpenAir, 2.0, 0.270),
    card("RTX 2080", "GeForce RTX 2080", 225.0, Kind::OpenAir, 2.0, 0.267),
    card("RTX A4000", "RTX A4000", 140.0, Kind::Blower, 1.0, 0.241),
    card("RTX A6000", "RTX A6000", 300.0, Kind::Blower, 2.0, 0.267),
    card("Tesla V100", "Tesla V100", 250.0, Kind::Passive, 2.0, 0.267),
    card("Tesla P100", "Tesla P100", 250.0, Kind::Passive, 2.0, 0.267),
    card("L40", "L40", 300.0, Kind::Passive, 2.0, 0.267),
    card("A40", "A40", 300.0, Kind::Passive, 2.0, 0.267),
    card("GTX 980 Ti", "GeForce GTX 980 Ti", 250.0, Kind::Blower, 2.0, 0.267),
    card("GTX 960", "GeForce GTX 960", 120.0, Kind::OpenAir, 2.0, 0.240),
    card("GTX 1070", "GeForce GTX 1070", 150.0, Kind::OpenAir, 2.0, 0.267),
    card("HD 5970", "Radeon HD 5970", 294.0, Kind::Blower, 2.0, 0.310),
];

fn known(gpu: &str) -> Option<Known> {
    CARDS.iter().find(|c| gpu.contains(c.name)).copied()
}

fn kind(row: &Row, known: &Known) -> Kind {
    let c = row.cooler.as_str();
    match () {
        () if c.contains("blower") => Kind::Blower,
        () if c.contains("aio") || c.contains("water") => Kind::Water,
        () if c.contains("passive") => Kind::Passive,
        () if c.contains("flow-through") => Kind::FlowThrough,
        () if c.contains("open-air") => Kind::OpenAir,
        () => known.kind,
    }
}

/// Position from the top, if the record tells it.
fn from_top(row: &Row) -> Option<usize> {
    let says = |words: &[&str]| words.iter().any(|w| row.position.contains(w));
    if says(&["top", "upper"]) { Some(0) } else { says(&["bottom", "lower"]).then_some(1) }
}

/// Uncertain inputs of one evaluation: factor of the losses, e-folds of each cooler's spread, factor of the power, how the case is taken.
#[derive(Clone, Copy, Debug)]
struct Guess {
    loss: f64,
    cooler: f64,
    power: f64,
    open: bool,
    reversed: bool,
}

/// Share of a nozzle's stream that reaches the gap it is aimed at.
const THROW: f64 = 0.6;
/// Half width of an unstated room, and of a stated one, K.
const ROOM_UNKNOWN: f64 = 5.0;
const ROOM_STATED: f64 = 2.0;
const ROOM_USUAL: f64 = 25.0;
/// Bands of rows whose case, room and board maker are guessed are this much wider; chosen before the rows were compared.
const WIDEN: f64 = 1.3;
/// Offset of the upper card over the lower, K, and the lumped recirculation: fitted on M002, M003, M092, M093.
const OFFSET: f64 = 9.0;
const LUMPED: f64 = 1.6;

/// Predicts all rows that can be judged; rows of one rig are recognised by card, source, fans and work.
pub fn predict(rows: &[Row]) -> Vec<Predicted> {
    let mut rigs: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let same = |rig: &Vec<&Row>| {
            let like = |r: &&Row| {
                r.gpu == row.gpu && r.source == row.source && r.fans == row.fans && r.workload == row.workload && r.in_box == row.in_box
            };
            rig.first().is_some_and(like) && rig.len() < row.loaded && rig.iter().all(|r| r.position != row.position)
        };
        match rigs.last_mut().filter(|r| same(r)) {
            Some(rig) => rig.push(row),
            None => rigs.push(vec![row]),
        }
    }
    rigs.iter().enumerate().flat_map(|(n, rig)| predict_rig(n, rig)).collect()
}

fn predict_rig(number: usize, rig: &[&Row]) -> Vec<Predicted> {
    let Some(first) = rig.first() else { return Vec::new() };
    let told = rig.len() > 1 && rig.iter().all(|r| from_top(r).is_some()) || first.in_box == 1;
    let mut ways = Vec::new();
    for open in if first.chassis.is_empty() { vec![false, true] } else { vec![false] } {
        for reversed in if told { vec![false] } else { vec![false, true] } {
            ways.push(Guess { loss: 1.0, cooler: 0.0, power: 1.0, open, reversed });
        }
    }
    let at = |change: &dyn Fn(&mut Guess)| -> Vec<Vec<f64>> {
        ways.iter()
            .map(|way| {
                let mut guess = *way;
                change(&mut guess);
                temperatures(rig, &guess)
            })
            .collect()
    };
    let base = at(&|_| {});
    let loss = if first.chassis.is_empty() { 2.0 } else { 1.5 };
    let power = if first.power_w.is_some() { 1.03 } else { 1.2 };
    let moved = [
        [at(&|g| g.cooler = 1.0), at(&|g| g.cooler = -1.0)],
        [at(&|g| g.loss = loss), at(&|g| g.loss = 1.0 / loss)],
        [at(&|g| g.power = power), at(&|g| g.power = 1.0 / power)],
    ];
    let room = if first.room_c.is_some() { ROOM_STATED } else { ROOM_UNKNOWN };
    let mean = |all: &[Vec<f64>], i: usize| all.iter().filter_map(|v| v.get(i)).sum::<f64>() / all.len().max(1) as f64;
    rig.iter()
        .enumerate()
        .map(|(i, row)| {
            let die_c = mean(&base, i);
            let ways = base.iter().filter_map(|v| v.get(i)).fold(0.0_f64, |m, t| m.max((t - die_c).abs()));
            let effects = moved.iter().map(|[up, down]| (mean(up, i) - die_c).abs().max((mean(down, i) - die_c).abs()));
            let half = WIDEN * effects.chain([room, ways, 2.0]).map(|d| d * d).sum::<f64>().sqrt();
            Predicted {
                id: row.id.clone(),
                measured_c: row.die_c,
                die_c,
                low_c: die_c - half,
                high_c: die_c + half,
                fitted: FITTED.contains(&row.id.as_str()),
                rig: number,
                stated: !row.chassis.is_empty() && !row.cooler.is_empty() && row.power_w.is_some() && row.loaded > 1,
                from_top: from_top(row),
                baselines: baselines(rig, row),
            }
        })
        .collect()
}

/// The three simpler predictions of a row: its card alone, the same with a fixed offset for cards above another, and with the heat of the
/// other cards mixed into the case's air.
fn baselines(rig: &[&Row], row: &Row) -> [f64; 3] {
    let lone = Row { in_box: 1, loaded: 1, position: String::new(), ..row.clone() };
    let alone = temperatures(&[&lone], &Guess { loss: 1.0, cooler: 0.0, power: 1.0, open: false, reversed: false });
    let alone = alone.first().copied().unwrap_or(0.0);
    let limit = known(&row.gpu).map_or(84.0, |k| limit_c(k.product));
    let others = row.loaded.saturating_sub(1) as f64;
    // Of a card whose place is unknown, the mean of all places.
    let above = match from_top(row) {
        Some(0) => f64::from(u8::from(others > 0.0)),
        Some(_) => 0.0,
        None => others / (others + 1.0),
    };
    let watts = rig.first().and_then(|r| r.power_w).or_else(|| known(&row.gpu).map(|k| k.watts)).unwrap_or(250.0);
    // 85 CFM pass a tower with three fans.
    let mixed = LUMPED * others * watts / (1.19 * 1006.0 * 0.040);
    let held = |t: f64| t.min(limit.max(alone));
    [alone, held(alone + OFFSET * above), held(alone + mixed * above)]
}

fn chassis_of(row: &Row, kind: Kind, known: &Known, open: bool) -> Chassis {
    let says = |word: &str| row.chassis.contains(word);
    match () {
        () if says("bench") && !says("closed") => Chassis::Bench,
        () if says("side panel off") || says("opened") => Chassis::SideOff,
        () if says("solid front") => Chassis::Solid,
        () if kind == Kind::Passive && !says("tower") || row.in_box > 5 => Chassis::Server,
        // Three cards of more than two slots have no place in a tower.
        () if row.in_box > 2 && known.slots > 2.0 => Chassis::Bench,
        () if open => Chassis::Bench,
        () => Chassis::Mesh,
    }
}

/// Die temperatures of the rows of a rig, °C.
fn temperatures(rig: &[&Row], guess: &Guess) -> Vec<f64> {
    let Some((first, card)) = rig.first().and_then(|r| Some((*r, known(&r.gpu)?))) else { return Vec::new() };
    let usual = kind(first, &card);
    let chassis = chassis_of(first, usual, &card, guess.open);
    let weak = first.chassis.contains("weak");
    let room_c = first.room_c.unwrap_or(ROOM_USUAL);
    let mut s = empty(&Spec { chassis, room_c, rho: 1.19, front_fans: if weak { 1 } else { 2 } });
    s.k_gap *= guess.loss;
    s.openings.iter_mut().for_each(|o| o.k *= guess.loss);
    let floor = s.blocks.first().map_or(s.height, |b| b.at.y0);
    let count = first.in_box.max(rig.len());
    let top = if chassis == Chassis::Server { 0.03 } else { FIRST_CARD };
    let slot = 0.020_32;
    let wish = match (first.free_slots, usual) {
        (Some(free), _) => card.slots.ceil() + free,
        (None, Kind::Blower | Kind::Passive) => card.slots,
        (None, _) if count > 2 && chassis == Chassis::Bench => card.slots.ceil() + 1.0,
        (None, _) => (card.slots + 0.5).ceil(),
    };
    let fits = ((floor - top) / slot - card.slots) / (count.max(2) - 1) as f64;
    let pitch = if chassis == Chassis::Bench { wish } else { wish.min(fits.max(card.slots)) };
    if chassis == Chassis::Bench {
        s.height = s.height.max(top + (count as f64 * pitch + 1.0) * slot + 0.1);
    }
    // Listed cards stand together at one end of the row; the rest idles.
    let skip = if guess.reversed { count - rig.len() } else { 0 };
    let mut places = vec![0; rig.len()];
    for k in 0..count {
        let listed = k.checked_sub(skip).filter(|n| *n < rig.len());
        let at_row = listed.map(|n| if guess.reversed { rig.len() - 1 - n } else { n });
        if let Some(place) = at_row.and_then(|n| places.get_mut(n)) {
            *place = k;
        }
        let row = at_row.and_then(|n| rig.get(n)).copied().unwrap_or(first);
        let loaded = if guess.reversed { k >= count - first.loaded } else { k < first.loaded };
        let thick = card.slots * slot - if matches!(usual, Kind::Blower | Kind::Passive) { 0.0026 } else { 0.0006 };
        let y = top + k as f64 * pitch * slot;
        let below = if chassis == Chassis::Bench { 0.1 } else { (floor - y - thick).max(0.02) };
        // The record says that the lower card stands right over the supply.
        let gap = if k + 1 < count {
            pitch * slot - thick
        } else if weak {
            0.006
        } else {
            below
        };
        let at = Box2::new(0.005, y, 0.005 + card.length.min(s.width - 0.05), y + thick);
        let cooler = cooler(row, &card, usual, at, gap, guess, loaded || at_row.is_some());
        if usual == Kind::Water {
            s.openings.push(radiator(s.coolers.len(), s.width));
        }
        add(&mut s, cooler);
    }
    nozzle(first, &mut s);
    let cards = solved(&s, Cut::Zones).1.cards;
    if rig.len() == 1 && first.position.contains("hotter") {
        return vec![cards.iter().map(|c| c.die_c).fold(0.0, f64::max)];
    }
    places.iter().map(|&k| cards.get(k).map_or(0.0, |c| c.die_c)).collect()
}

fn cooler(row: &Row, card: &Known, kind: Kind, at: Box2, gap: f64, guess: &Guess, loaded: bool) -> Cooler {
    let found = design(&Board { product: Some(card.product), kind, rated_w: card.watts, memory: None, at, gap });
    let mut c = scaled(&found.cooler, libm::pow(1.0 + found.spread, guess.cooler));
    c.power = if loaded { row.power_w.unwrap_or(card.watts) * guess.power } else { 20.0 };
    if kind == Kind::Passive && row.chassis.contains("tower") {
        // A 40 mm fan in a shroud drives its 25 CFM through the card at full speed.
        (c.kind, c.fan) = (Kind::Blower, FanRule::Fixed(1.0));
    } else {
        c.fan = curve(kind);
    }
    c
}

fn radiator(cooler: usize, width: f64) -> Opening {
    let fan = Fan { p_max: 25.0, q_max: 3.0 * 95.0 / 3600.0, speed: 0.7, inward: false };
    let at = Box2::new(0.0, 0.0, width, 0.1);
    Opening { wall: Wall::Top, at, area: 3.0 * fan_area(0.12), k: 20.0, fan: Some(fan), radiator: Some(cooler), throw: None }
}

/// A printed nozzle that aims a front fan at the gap below the upper card.
fn nozzle(row: &Row, s: &mut Scene) {
    let Some(upper) = s.coolers.first().copied().filter(|_| row.fans.contains("nozzle")) else { return };
    let gap = Box2::new(upper.at.x1 - 0.1, upper.at.y1, upper.at.x1, upper.at.y1 + upper.gap.min(0.02));
    if let Some(fan) = s.openings.iter_mut().find(|o| o.wall == Wall::Front && o.fan.is_some()) {
        fan.throw = Some((THROW, gap));
    }
}
