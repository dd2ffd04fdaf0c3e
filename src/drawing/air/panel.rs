//! What the airflow and heat layers say beside the rig: the case as a whole, how sure it is, and the scales.

use crate::analysis::airflow::{Airflow, Cut};
use crate::analysis::space::{Position, Rect, Space};
use crate::units::{cfm, m3_h, plain, signed};

use super::super::rig::Pen;
use super::super::{Anchor, Layer, Role, Shape, Stroke};
use super::{AIR_STEPS, DIE_SCALE, HEAT_STEPS, LINES, top_of_scale};

/// Width of the column, its distance from the rig, and the height of its lines, millimetres.
const WIDTH: f64 = 176.0;
const AWAY: f64 = 22.0;
const LINE: f64 = 14.0;
const TEXT: f64 = 11.0;
/// Less air than this is none, m³/s.
const STILL: f64 = 1e-5;
/// Nearer to the room's pressure than this the case is balanced, Pa.
const BALANCED: f64 = 0.05;

/// "Pressure +0.8 Pa": which way air passes the gaps of the case.
pub fn pressure_text(pascal: f64) -> (String, &'static str) {
    let head = format!("{} Pa over the room", signed(pascal, 2));
    let meaning = match pascal {
        p if p >= BALANCED => "Overpressure: gaps let air out.",
        p if p <= -BALANCED => "Underpressure: gaps let dust in.",
        _ => "Balanced: as much in as out.",
    };
    (head, meaning)
}

/// How sure the numbers are, in a sentence.
pub fn sureness(air: &Airflow) -> String {
    match (air.cut, air.case.converged) {
        (_, false) => "Did not settle: last numbers.".to_owned(),
        (Cut::Zones, true) => "Estimate; exact flow follows.".to_owned(),
        (Cut::Grid, true) => format!("Solved on {} × {} cells.", air.field.nx, air.field.ny),
    }
}

impl Pen<'_> {
    /// Below the strip, or right of the rig where it finds no room there; returns its box.
    pub(super) fn air_panel(&mut self, space: &Space) -> Rect {
        let out = self.len();
        let rows = || space.places.iter().filter(|p| matches!(p.position, Position::Strip(_))).map(|p| p.rect);
        let last = rows().map(|r| r.x).fold(f64::MIN, f64::max);
        let below = rows().filter(|r| r.x >= last).map(|r| r.bottom()).fold(f64::MIN, f64::max) + 16.0;
        if last > f64::MIN {
            let box_ = self.air_column((last, below));
            if box_.bottom() <= space.case.bottom() + 34.0 {
                return box_;
            }
            self.truncate(out);
        }
        self.air_column((space.bounds.right() + AWAY, space.case.y + 10.0))
    }

    fn air_column(&mut self, (x, top): (f64, f64)) -> Rect {
        let air = self.report.facts.airflow.clone();
        let mut y = top;
        if air.case.through < STILL && air.cards.is_empty() {
            let text = "Nothing moves air here yet.";
            self.text((x, y), text, (TEXT, false, Role::SubLabel), Anchor::LeftMiddle, WIDTH);
            return Rect::new(x, top, WIDTH, LINE);
        }
        let rough = !air.case.converged || air.cut == Cut::Zones;
        let mut line = |text: String, look: (bool, Role)| {
            self.text((x, y), text, (TEXT, look.0, look.1), Anchor::LeftMiddle, WIDTH);
            y += LINE;
        };
        line(sureness(&air), (false, if rough { Role::Advice } else { Role::SubLabel }));
        line(format!("{}, {} through", cfm(air.case.through), m3_h(air.case.through)), (true, Role::Label));
        let (head, meaning) = pressure_text(air.case.pressure_pa);
        line(head, (true, Role::Label));
        line(meaning.to_owned(), (false, Role::SubLabel));
        if let Some(noise) = air.case.noise_dba {
            line(format!("{} dB(A) at 1 m", plain(noise, 0)), (true, Role::Label));
            if let Some(loudest) = &air.case.loudest {
                line(format!("loudest: {loudest}"), (false, Role::SubLabel));
            }
        }
        y += 3.0;
        let ambient = air.field.ambient_c;
        let top_k = top_of_scale(&air.field);
        y = if self.layer == Layer::Heat {
            let after = self.scale((x, y), "Air", HEAT_STEPS, Role::Heat, (ambient, ambient + top_k));
            self.scale((x, after + 1.0), "Dies of the cards", HEAT_STEPS, Role::Heat, DIE_SCALE)
        } else {
            let after = self.scale((x, y), "Air on its way", AIR_STEPS, Role::Air, (ambient, ambient + top_k));
            let each = cfm(air.field.begins() / LINES as f64);
            self.text((x, after + 2.0), format!("Each line carries {each}"), (TEXT, false, Role::SubLabel), Anchor::LeftMiddle, WIDTH);
            let y = after + LINE + 4.0;
            for (at, role, text) in [(x, Role::Cold, "in"), (x + 62.0, Role::Advice, "out")] {
                let stroke = Stroke { role, width: 2.0, dashed: false };
                self.push(Shape::Line { points: vec![(at, y), (at + 22.0, y)], stroke, arrow: true }, None);
                self.text((at + 29.0, y), text, (TEXT, false, Role::SubLabel), Anchor::LeftMiddle, 30.0);
            }
            y + LINE
        };
        Rect::new(x, top, WIDTH, y - top)
    }

    /// A bar of all steps with the temperatures at its ends and middle; returns where it ends.
    fn scale(&mut self, (x, y): (f64, f64), name: &str, steps: u8, role: fn(u8) -> Role, (low, high): (f64, f64)) -> f64 {
        self.text((x, y), name, (TEXT, true, Role::Label), Anchor::LeftMiddle, WIDTH);
        let wide = (WIDTH - 10.0) / f64::from(steps);
        for n in 0..steps {
            self.rect(Rect::new(x + f64::from(n) * wide, y + 9.0, wide + 0.3, 9.0), 0.0, Some(role(n)), None, None);
        }
        let edge = Stroke { role: Role::Line, width: 1.0, dashed: false };
        self.rect(Rect::new(x, y + 9.0, WIDTH - 10.0, 9.0), 0.0, None, edge, None);
        let celsius = |share: f64| format!("{} °C", plain(low + (high - low) * share, 0));
        let at = y + 27.0;
        self.text((x, at), celsius(0.0), (TEXT, false, Role::SubLabel), Anchor::LeftMiddle, 60.0);
        self.text((x + (WIDTH - 10.0) / 2.0, at), celsius(0.5), (TEXT, false, Role::SubLabel), Anchor::Center, 60.0);
        self.text((x + WIDTH - 10.0, at), celsius(1.0), (TEXT, false, Role::SubLabel), Anchor::RightMiddle, 60.0);
        at + LINE
    }
}
