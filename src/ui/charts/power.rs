//! What each part draws, beside what the supply gives, what the wall sees, and what the circuit bears.

use eframe::egui::{self, Sense, Ui, pos2, vec2};

use super::{Name, after, explain, head_ui, nothing_ui, origin_text};
use crate::analysis::power::Power;
use crate::report::Report;
use crate::ui::Cx;
use crate::ui::action::Action;
use crate::ui::theme;
use crate::ui::widgets::sub;
use crate::units::{plain, watts};

const NAME: Name = Name { title: "Power", copied: "the power ledger" };

#[derive(Debug, Default)]
pub(super) struct PowerState {
    held: String,
}

pub(super) fn power_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PowerState, out: &mut Vec<Action>) {
    let report = cx.session.report();
    head_ui(ui, cx, NAME, "draw by part, supply, wall and circuit", None, || all_text(cx, report), out);
    let power = &report.facts.power;
    if power.parts.is_empty() {
        nothing_ui(ui, cx, "Place parts to see what they draw.");
        return;
    }
    let then = after(cx).map(|r| &r.facts.power);
    let top = [power, then.unwrap_or(power)].into_iter().map(top_w).fold(1.0, f64::max) * 1.04;
    ui.add_space(6.0);
    bars_ui(ui, cx, power, then, top, state, out);
    let known = power.unknown.len();
    let mut lines = vec![format!(
        "{} of {} supplied{}",
        watts(power.typical_w),
        power.supply_w.map_or_else(|| "unknown watts".to_owned(), watts),
        power.load.map_or_else(String::new, |l| format!(", {}% of it", plain(l * 100.0, 0)))
    )];
    lines.push(match (power.wall_w, power.efficiency) {
        (Some(wall), Some(share)) => format!("{} from the wall at {}% efficiency", watts(wall), plain(share * 100.0, 0)),
        _ => "draw from the wall unknown".to_owned(),
    });
    if known > 0 {
        lines.push(format!("{} of unknown draw", crate::units::count(known as u64, "part")));
    }
    ui.add(egui::Label::new(sub(cx.tokens, lines.join(" · "))).wrap());
}

/// Everything that has a place on the scale.
fn top_w(power: &Power) -> f64 {
    [Some(power.circuit_w), power.supply_w, power.wall_w, power.transient_w, Some(power.with_margin_w)]
        .into_iter()
        .flatten()
        .fold(0.0, f64::max)
}

/// One row: its name, its pieces from the left, and a line where a limit lies.
struct Row<'t> {
    name: &'t str,
    watts: Option<f64>,
    limit: Option<f64>,
}

fn rows(power: &Power) -> [Row<'static>; 4] {
    [
        Row { name: "Parts", watts: Some(power.typical_w), limit: power.supply_w },
        Row { name: "Peak", watts: power.transient_w, limit: power.bears_w.or(power.supply_w) },
        Row { name: "Supply", watts: power.supply_w, limit: Some(power.with_margin_w) },
        Row { name: "Wall", watts: power.wall_w, limit: Some(power.circuit_w) },
    ]
}

fn bars_ui(ui: &mut Ui, cx: &Cx<'_>, power: &Power, then: Option<&Power>, top: f64, state: &mut PowerState, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let height = ((ui.available_height() - 40.0) / 4.0).clamp(18.0, 34.0);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height * 4.0), Sense::click());
    let left = rect.left() + 52.0;
    let x = |w: f64| left + ((w / top) as f32 * (rect.right() - left)).max(0.0);
    let painter = ui.painter_at(rect);
    let pointer = response.hover_pos();
    let mut text = None;
    let after_rows = then.map(rows);
    for (n, row) in rows(power).iter().enumerate() {
        let y = rect.top() + height * n as f32;
        let bar = |from: f64, to: f64| egui::Rect::from_min_max(pos2(x(from), y + 3.0), pos2(x(to), y + height - 5.0));
        painter.text(pos2(rect.left(), y + height / 2.0), egui::Align2::LEFT_CENTER, row.name, theme::regular(12.0), t.sub);
        let Some(value) = row.watts else {
            painter.text(pos2(left + 2.0, y + height / 2.0), egui::Align2::LEFT_CENTER, "unknown", theme::regular(12.0), t.sub);
            continue;
        };
        let over =
            row.name != "Supply" && row.limit.is_some_and(|l| value > l) || row.name == "Supply" && row.limit.is_some_and(|l| value < l);
        if n == 0 {
            text = text.or(parts_row(&painter, cx, power, pointer, &bar));
        } else {
            painter.rect_filled(bar(0.0, value), 2.0, if over { t.problem } else { t.accent.gamma_multiply(0.55) });
        }
        if let Some(changed) = after_rows.as_ref().and_then(|r| r.get(n)?.watts).filter(|w| (w - value).abs() > 0.5) {
            painter.rect_stroke(bar(0.0, changed), 2.0, egui::Stroke::new(1.5, t.accent), egui::StrokeKind::Inside);
        }
        if let Some(limit) = row.limit {
            painter.vline(x(limit), y + 1.0..=y + height - 3.0, egui::Stroke::new(2.0, if over { t.problem } else { t.text }));
        }
        let label = watts(value);
        let galley = painter.layout_no_wrap(label, theme::medium(12.0), t.text);
        let at = (x(value) + 6.0).min(rect.right() - galley.size().x);
        painter.galley(pos2(at, y + height / 2.0 - galley.size().y / 2.0 - 1.0), galley, t.text);
        if text.is_none() && pointer.is_some_and(|p| p.y >= y && p.y < y + height) {
            text = Some(row_text(power, row));
        }
    }
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::Role::Figure,
            true,
            format!("Power chart. {}", rows(power).iter().map(|r| row_text(power, r)).collect::<Vec<_>>().join(" ")),
        )
    });
    explain(&response, NAME, text, &mut state.held, || all_text(cx, cx.session.report()), out);
}

/// The draws side by side; what is under the pointer tells its origin.
fn parts_row(
    painter: &egui::Painter,
    cx: &Cx<'_>,
    power: &Power,
    pointer: Option<egui::Pos2>,
    bar: &dyn Fn(f64, f64) -> egui::Rect,
) -> Option<String> {
    let t = cx.tokens;
    let mut from = 0.0;
    let mut text = None;
    for (n, draw) in power.parts.iter().enumerate() {
        let Some(value) = draw.typical_w.filter(|w| *w > 0.0) else { continue };
        let shape = bar(from, from + value);
        painter.rect_filled(shape.shrink2(vec2(0.5, 0.0)), 1.5, t.accent.gamma_multiply(if n % 2 == 0 { 0.9 } else { 0.65 }));
        if pointer.is_some_and(|p| shape.contains(p)) {
            text = Some(format!("{}: {}\n{}", part_name(cx, draw.placement), watts(value), origin_text(&draw.origin)));
        }
        from += value;
    }
    text
}

fn row_text(power: &Power, row: &Row<'_>) -> String {
    let value = row.watts.map_or_else(|| "unknown".to_owned(), watts);
    match row.name {
        "Parts" => format!("All parts draw {value}, {} with the margin.", watts(power.with_margin_w)),
        "Peak" => format!(
            "One card at its short peak and all else as usual: {value}; the supply bears {}.",
            power.bears_w.map_or_else(|| "unknown".to_owned(), watts)
        ),
        "Supply" => format!("The supplies give {value}; {} are asked for.", watts(power.with_margin_w)),
        _ => format!("{value} from the wall; the circuit bears {} for long.\n{}", watts(power.circuit_w), origin_text(&power.wall_origin)),
    }
}

fn part_name(cx: &Cx<'_>, id: crate::build::PlacementId) -> String {
    let session = cx.session;
    let part = session.project().rig.placement(id).and_then(|p| session.catalog().part(&p.part));
    part.map_or_else(|| id.to_string(), |p| p.short_name().to_owned())
}

fn all_text(cx: &Cx<'_>, report: &Report) -> String {
    let power = &report.facts.power;
    let mut text = String::from("Power\n");
    for draw in &power.parts {
        let value = draw.typical_w.map_or_else(|| "unknown".to_owned(), watts);
        text.push_str(&format!("{}: {value}\n", part_name(cx, draw.placement)));
    }
    for row in rows(power) {
        text.push_str(&row_text(power, &row));
        text.push('\n');
    }
    for cable in &power.cables {
        let from = cable.from.map_or_else(|| "no lead left".to_owned(), |id| part_name(cx, id));
        text.push_str(&format!(
            "{from} → {}: {}{}\n",
            part_name(cx, cable.to),
            cable.plug,
            if cable.by_adapter { " by adapter" } else { "" }
        ));
    }
    text
}
