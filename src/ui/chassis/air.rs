//! The airflow and heat layers in the window: smoke that moves along the lines, what the air is like under the pointer, what a drop would do to
//! the cards' temperatures, and what can be asked from here.

use std::time::Duration;

use eframe::egui::{self, Color32, Painter, Pos2, Rect, Role as AccessRole, Sense, Ui, WidgetInfo, vec2};

use super::view::View;
use crate::analysis::airflow::Airflow;
use crate::analysis::airflow::field::{Streamline, Through};
use crate::build::PlacementId;
use crate::drawing::Layer;
use crate::drawing::air::panel::{pressure_text, sureness};
use crate::drawing::air::{air_role, top_of_scale};
use crate::report::Report;
use crate::ui::Cx;
use crate::ui::action::{Action, Screen};
use crate::ui::theme::regular;
use crate::units::{cfm, m3_h, plain, signed, watts};

/// Smoke moves at a quarter of the air's own speed: eyes can follow that.
const SLOWER: f64 = 0.25;
/// Air's own time between two puffs on a line, s.
const BETWEEN: f64 = 0.22;
/// Time between two frames of the smoke.
const FRAME: Duration = Duration::from_millis(33);

/// Whether smoke moves now: the layer is on, nobody asked for stillness, and somebody can see it.
fn moves(ui: &Ui, cx: &Cx<'_>) -> bool {
    let hidden = ui.input(|i| i.viewport().minimized == Some(true) || i.viewport().occluded == Some(true));
    cx.prefs.layer == Layer::Airflow && !cx.prefs.reduce_motion && !hidden
}

/// Paints the puffs and asks for the next frame; does neither where smoke does not move.
pub fn smoke_ui(ui: &Ui, cx: &Cx<'_>, view: &View, streams: &[Streamline]) {
    if streams.is_empty() || !moves(ui, cx) {
        return;
    }
    let now = ui.input(|i| i.time) * SLOWER;
    let top = top_of_scale(&cx.session.report().facts.airflow.field);
    let clip = ui.clip_rect();
    for (n, stream) in streams.iter().enumerate() {
        let (Some(&first), Some(&last)) = (stream.seconds.first(), stream.seconds.last()) else { continue };
        // The golden ratio keeps neighbours out of step.
        let shift = (n as f64 * 0.618_034).fract() * BETWEEN;
        let mut age = (now + shift) % BETWEEN;
        while age < last - first {
            if let Some((at, kelvin)) = place(stream, first + age) {
                let at = view.pos(at);
                if clip.contains(at) {
                    // Puffs come out of nothing and go into nothing.
                    let fade = (age / 0.05).min((last - first - age) / 0.05).clamp(0.0, 1.0) as f32;
                    puff(ui.painter(), at, cx.tokens.role(air_role(kelvin, top)), fade, view.scale());
                }
            }
            age += BETWEEN;
        }
    }
    ui.request_repaint_after(FRAME);
}

fn puff(painter: &Painter, at: Pos2, color: Color32, fade: f32, scale: f32) {
    let size = (1.6 + 1.4 * scale).min(4.5);
    painter.circle_filled(at, size * 1.9, color.gamma_multiply(0.20 * fade));
    painter.circle_filled(at, size * 0.8, color.gamma_multiply(0.85 * fade));
}

/// Point of a line at a time, and the air's rise there.
fn place(stream: &Streamline, seconds: f64) -> Option<((f64, f64), f64)> {
    let after = stream.seconds.partition_point(|s| *s <= seconds).max(1);
    let (t0, t1) = (stream.seconds.get(after - 1)?, stream.seconds.get(after)?);
    let ((x0, y0), (x1, y1)) = (stream.points.get(after - 1)?, stream.points.get(after)?);
    let share = ((seconds - t0) / (t1 - t0).max(1e-9)).clamp(0.0, 1.0);
    Some(((x0 + (x1 - x0) * share, y0 + (y1 - y0) * share), *stream.kelvin.get(after)?))
}

/// "105 CFM through the case. -0.45 Pa over the room. …", for those who cannot see the drawing, and for tests.
fn summary(air: &Airflow) -> String {
    let (pressure, meaning) = pressure_text(air.case.pressure_pa);
    let noise = air.case.noise_dba.map_or_else(String::new, |n| format!(" {} dB(A) at 1 m.", plain(n, 0)));
    format!("Air: {} through the case. {pressure}. {meaning}{noise} {}", cfm(air.case.through), sureness(air))
}

/// Names of what the layers show, and what the air is like under the pointer.
pub fn layer_ui(ui: &Ui, cx: &Cx<'_>, view: &View, rect: Rect) {
    if !cx.prefs.layer.is_air() {
        return;
    }
    let air = &cx.session.report().facts.airflow;
    let corner = Rect::from_min_size(rect.left_bottom() - vec2(0.0, 26.0), vec2(260.0, 26.0));
    let response = ui.interact(corner, ui.scope_id().with("air-summary"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(AccessRole::Label, true, summary(air)));
    if egui::DragAndDrop::has_any_payload(ui) {
        return;
    }
    let Some(pointer) = ui.input(|i| i.pointer.hover_pos()).filter(|p| rect.contains(*p)) else { return };
    let mm = view.screen_from_mm.inverse() * pointer;
    let (x, y) = (f64::from(mm.x), f64::from(mm.y));
    if let (Some(kelvin), Some((u, v)), Some(pascal)) = (air.field.kelvin(x, y), air.field.velocity(x, y), air.field.pascal(x, y)) {
        let celsius = plain(air.field.ambient_c + kelvin, 1);
        let text = format!("Air here {celsius} °C, {} m/s, {} Pa over the room", plain(u.hypot(v), 2), signed(pascal, 2));
        let at = rect.left_bottom() + vec2(10.0, -8.0);
        ui.painter().text(at, egui::Align2::LEFT_BOTTOM, text, regular(12.0), cx.tokens.sub);
    }
}

/// ", 83 °C" after the name of a card, ", 42 CFM in" after that of a fan, in the two layers.
pub fn name_suffix(cx: &Cx<'_>, id: PlacementId) -> String {
    if !cx.prefs.layer.is_air() {
        return String::new();
    }
    let air = &cx.session.report().facts.airflow;
    if let Some(state) = air.card(id).and_then(|c| c.state.as_ref()) {
        return format!(", {} °C", plain(state.die.value, 0));
    }
    let vent = air.field.vents.iter().find(|v| v.through == Through::Fan(id));
    vent.map_or_else(String::new, |v| format!(", {} {}", cfm(v.flow.abs()), if v.flow >= 0.0 { "in" } else { "out" }))
}

/// What the air says of a part under the pointer.
pub fn part_lines(cx: &Cx<'_>, id: PlacementId) -> Vec<String> {
    let air = &cx.session.report().facts.airflow;
    let mut out = Vec::new();
    if let Some(state) = air.card(id).and_then(|c| c.state.as_ref()) {
        let d = state.die;
        let fan = state.fan.map_or_else(String::new, |f| format!(", fan {} %", plain(f * 100.0, 0)));
        out.push(format!(
            "Die {} °C ({} to {}), limit {} °C{fan}",
            plain(d.value, 0),
            plain(d.low, 0),
            plain(d.high, 0),
            plain(state.limit_c, 0)
        ));
        let lost = state.lost.first().copied().unwrap_or(0.0) * 100.0;
        if lost >= 0.5 {
            let (held, allowed) = (watts(state.power_w), watts(state.allowed_w));
            out.push(format!("Heat holds it at {held} of {allowed} and costs {} % of compute-bound work", plain(lost, 0)));
        }
    }
    if let Some(vent) = air.field.vents.iter().find(|v| v.through == Through::Fan(id)) {
        let way = if vent.flow >= 0.0 { "into the case" } else { "out of the case" };
        out.push(format!("{} ({}) {way}", cfm(vent.flow.abs()), m3_h(vent.flow.abs())));
    }
    out
}

/// What the edit under the pointer does to the cards: "RTX 3090 Turbo in PCIE5: 83 to about 71 °C".
pub fn change_lines(cx: &Cx<'_>) -> Vec<(String, Color32)> {
    let Some(Ok((_, after))) = cx.preview.map(|p| p.outcome.as_ref()).filter(|_| cx.prefs.layer.is_air()) else { return Vec::new() };
    changes(cx, cx.session.report(), after)
}

fn changes(cx: &Cx<'_>, before: &Report, after: &Report) -> Vec<(String, Color32)> {
    let mut out: Vec<(f64, String, Color32)> = Vec::new();
    for card in &after.facts.airflow.cards {
        let Some(then) = &card.state else { continue };
        let part = cx.session.project().rig.placement(card.placement).and_then(|p| cx.session.catalog().part(&p.part));
        let name = part.map_or("The new card", |p| p.short_name());
        let place = card.slot.as_ref().map_or_else(String::new, |s| format!(" in {}", s.name));
        let value = plain(then.die.value, 0);
        match before.facts.airflow.card(card.placement).and_then(|c| c.state.as_ref()) {
            Some(now) => {
                let change = then.die.value - now.die.value;
                let (lost, was) = (then.lost.first().copied().unwrap_or(0.0), now.lost.first().copied().unwrap_or(0.0));
                if change.abs() >= 1.0 || (lost - was).abs() >= 0.01 {
                    let color = if change > 0.0 || lost > was { cx.tokens.problem } else { cx.tokens.good };
                    let work = match (lost - was) * 100.0 {
                        d if d.abs() < 1.0 => String::new(),
                        d if d > 0.0 => format!(", {} % less work", plain(d, 0)),
                        d => format!(", {} % more work", plain(-d, 0)),
                    };
                    out.push((
                        change.abs() + (lost - was).abs() * 100.0,
                        format!("{name}{place}: about {value} °C, was {}{work}", plain(now.die.value, 0)),
                        color,
                    ));
                }
            }
            None => out.push((1e3, format!("{name}{place}: about {value} °C"), cx.tokens.sub)),
        }
    }
    out.sort_by(|a, b| b.0.total_cmp(&a.0));
    let more = out.len().saturating_sub(4);
    let mut lines: Vec<(String, Color32)> = out.into_iter().take(4).map(|(_, text, color)| (text, color)).collect();
    if more > 0 {
        lines.push((format!("and {more} more cards change"), cx.tokens.sub));
    }
    lines
}

/// What the layers offer to do, left of the zoom buttons.
pub fn actions_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    if ui.button("Advise cooling…").on_hover_text("Try every single change and rank them by what they gain").clicked() {
        out.push(Action::Show(Screen::Cooling));
    }
    if ui.button("Flow network…").on_hover_text("Zones, gaps, grilles and fans as a circuit, with flows and pressures").clicked() {
        out.push(Action::Show(Screen::FlowNetwork));
    }
    if cx.prefs.layer == Layer::Airflow {
        let (name, hint) = if cx.prefs.reduce_motion {
            ("Move smoke", "Let smoke move along the lines")
        } else {
            ("Hold still", "No moving smoke: the lines say the same")
        };
        if ui.button(name).on_hover_text(hint).clicked() {
            out.push(Action::ReduceMotion(!cx.prefs.reduce_motion));
        }
    }
}
