//! Cards in the airflow and heat layers.

use crate::analysis::airflow::{CardAir, CardState, Held};
use crate::analysis::space::{Rect, Seat};
use crate::build::PlacementId;
use crate::catalog::part::Part;
use crate::units::{cfm, plain, watts};

use super::super::rig::Pen;
use super::super::{Anchor, Layer, Role, Shape, Stroke, Target};
use super::die_role;

/// Line height of tags, and the room of one of their letters.
const TAG: f64 = 10.5;
const LETTER: f64 = 6.6;

/// "limit 83 · fan 80 % · 320 W · −6 % work", short enough for a card of ordinary length.
fn heat_line(state: &CardState) -> String {
    let mut out = vec![format!("limit {}", plain(state.limit_c, 0))];
    out.extend(state.fan.map(|f| format!("fan {} %", plain(f * 100.0, 0))));
    out.push(watts(state.power_w));
    let lost = state.lost.first().copied().unwrap_or(0.0) * 100.0;
    // Below half the power nothing was measured.
    out.push(match lost {
        ..0.5 => "all work".to_owned(),
        0.5..50.0 => format!("−{} % work", plain(lost, 0)),
        _ => "over half its work lost".to_owned(),
    });
    out.join(" · ")
}

/// "breathes 31 °C · 47 CFM at 62 %".
fn air_line(state: &CardState, ambient_c: f64) -> String {
    let fan = state.fan.map_or_else(String::new, |f| format!(" at {} %", plain(f * 100.0, 0)));
    format!("breathes {} °C · {}{fan}", plain(ambient_c + state.intake_k, 0), cfm(state.flow))
}

/// Edge of a card's tag: at a limit, within 5 K of it, or free.
fn edge(state: &CardState) -> Role {
    match state.held {
        Held::Die | Held::Memory => Role::Problem,
        Held::Free if state.die.high > state.limit_c => Role::Advice,
        Held::Free => Role::Good,
    }
}

impl Pen<'_> {
    pub(in crate::drawing) fn air_of(&self, id: PlacementId) -> Option<&CardAir> {
        self.report.facts.airflow.card(id)
    }

    /// Name and numbers of a card on its face; in the heat layer the face has the colour of the die.
    pub(in crate::drawing) fn air_card(&mut self, seat: &Seat, part: &Part) {
        let r = seat.rect;
        let ambient = self.report.facts.airflow.field.ambient_c;
        let (tag, line, role, color) = match self.air_of(seat.placement) {
            Some(CardAir { state: Some(s), .. }) => {
                let line = if self.layer == Layer::Heat { heat_line(s) } else { air_line(s, ambient) };
                (format!("{} °C", plain(s.die.value, 0)), line, edge(s), Some(die_role(s.die.value)))
            }
            Some(CardAir { missing: Some((_, field)), .. }) => {
                ("unknown".to_owned(), format!("{} is not known", field.replace('_', " ")), Role::Neutral, None)
            }
            _ => ("unknown".to_owned(), String::new(), Role::Neutral, None),
        };
        let tag_room = tag.chars().count() as f64 * LETTER + 16.0;
        let room = r.w - 16.0 - tag_room;
        let tall = r.h >= 25.0;
        if let Some(color) = color.filter(|_| self.layer == Layer::Heat) {
            let inner = Rect::new(r.x + 1.2, r.y + 1.0, r.w - 2.4, r.h - 2.0);
            self.rect(inner, 2.0, Some(color), None, Some(Target::Placement(seat.placement)));
            // A plate keeps the text readable on every colour of the scale.
            let letters = line.chars().count().max(part.short_name().chars().count()) as f64;
            let wide = (letters * 5.3 + 10.0).min(room + 8.0);
            let high = if tall { 30.0_f64.min(r.h - 4.0) } else { r.h - 4.0 };
            let middle = r.y + r.h.min(60.0) / 2.0;
            self.rect(Rect::new(r.x + 3.5, middle - high / 2.0, wide, high), 4.0, Some(Role::Background), None, None);
        }
        let y = r.y + r.h.min(60.0) / 2.0;
        if tall {
            self.text((r.x + 7.0, y - 7.0), part.short_name(), (12.0, true, Role::Label), Anchor::LeftMiddle, room);
            self.text((r.x + 7.0, y + 7.0), line, (10.0, false, Role::SubLabel), Anchor::LeftMiddle, room);
        } else {
            self.text((r.x + 7.0, r.y + r.h / 2.0), part.short_name(), (11.0, true, Role::Label), Anchor::LeftMiddle, room);
        }
        let at = (r.right() - 5.0, y);
        self.push(
            Shape::Tag { at, text: tag, size_mm: TAG, edge: role, anchor: Anchor::RightMiddle },
            Some(Target::Placement(seat.placement)),
        );
        if role == Role::Problem {
            let stroke = Stroke { role, width: 2.0, dashed: false };
            self.rect(r, 2.5, None, stroke, None);
        }
    }
}
