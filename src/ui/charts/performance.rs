//! Speed over context, users or cards, with its band and the region where the memory does not suffice; other views in their own file.

use eframe::egui::{self, Align2, RichText, Ui};
use egui_plot::{FilledArea, Line, LineStyle, PlotPoint, PlotPoints, Points, Polygon, Text, VLine};

use super::performance_more::{breaks_ui, ideal, roof_ui, time_text, waterfall_ui};
use super::{
    Name, after, explain, head_ui, marks, most_marks, nothing_ui, origin_text, plain_plot, plot_height, round_step, x_axis, y_axis,
};
use crate::analysis::speed::{CurvePoint, Speed};
use crate::report::Report;
use crate::ui::Cx;
use crate::ui::action::Action;
use crate::ui::theme;
use crate::ui::widgets::{chip, sub};
use crate::units::{plain, thousands};

const NAME: Name = Name { title: "Performance", copied: "the speed figures" };

/// What the chart shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum View {
    #[default]
    Context,
    Batch,
    Cards,
    Step,
    Roof,
    Breaks,
}

impl View {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Context, "by context"),
        (Self::Batch, "by users"),
        (Self::Cards, "by cards"),
        (Self::Step, "a step"),
        (Self::Roof, "roofline"),
        (Self::Breaks, "breaks first"),
    ];
}

#[derive(Debug, Default)]
pub(super) struct PerformanceState {
    view: View,
    held: String,
}

pub(super) fn performance_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PerformanceState, workload: &mut usize, out: &mut Vec<Action>) {
    let report = cx.session.report();
    let about = "with links, heat and power counted";
    head_ui(ui, cx, NAME, about, Some(&mut *workload), || all_text(report), out);
    let speeds = &report.facts.speed;
    let workload = *workload;
    match speeds.iter().find(|s| s.workload == workload) {
        Some(_) if state.view == View::Breaks => breaks_ui(ui, cx, report, workload),
        Some(speed) if state.view == View::Step && !speed.terms.is_empty() => waterfall_ui(ui, cx, speed),
        Some(speed) if state.view == View::Roof => roof_ui(ui, cx, speed),
        Some(speed) if !curve(speed, state.view).is_empty() => plot_ui(ui, cx, state, speed, out),
        Some(speed) if speed.value.is_some() => nothing_ui(ui, cx, "A training step has a length of its own: look by users or by cards."),
        Some(speed) => nothing_ui(ui, cx, &unknown_text(speed)),
        None => nothing_ui(ui, cx, "Pick a model under Work and place a card to see how fast it runs."),
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        ui.spacing_mut().button_padding.x = 5.0;
        let (often, others) = View::ALL.split_at(2);
        for (view, name) in often {
            if chip(ui, cx.tokens, state.view == *view, name).clicked() {
                state.view = *view;
            }
        }
        let chosen = others.iter().find(|(view, _)| state.view == *view).map_or("more", |(_, name)| *name);
        let combo = egui::ComboBox::from_id_salt("performance-chart").selected_text(chosen).width(64.0);
        let shown = combo.show_ui(ui, |ui| {
            for (view, name) in others {
                ui.selectable_value(&mut state.view, *view, *name);
            }
        });
        let _ = shown.response.accessible_name("Other charts of the speed");
        if let Some(speed) = speeds.iter().find(|s| s.workload == workload)
            && let Some(value) = speed.value
        {
            // Cut, it says nothing that the work panel does not say in full.
            if ui.available_width() > 108.0 {
                ui.label(sub(cx.tokens, format!("{value:.1} {} now", speed.unit)));
            }
        }
    });
}

fn curve(speed: &Speed, view: View) -> &[CurvePoint] {
    match view {
        View::Batch => &speed.over_batch,
        View::Cards => &speed.over_cards,
        View::Context | View::Step | View::Roof | View::Breaks => &speed.over_context,
    }
}

fn unknown_text(speed: &Speed) -> String {
    speed
        .missing
        .as_ref()
        .map_or_else(|| "The model does not fit these cards, so it does not run.".to_owned(), |m| format!("Unknown: {m}."))
}

fn count_text(value: f64) -> String {
    if value >= 1024.0 && (value / 1024.0).fract().abs() < 0.05 { format!("{}k", plain(value / 1024.0, 0)) } else { thousands(value, 0) }
}

/// A power of two that gives at most `most` marks up to `top`.
fn binary_step(top: f64, most: f64) -> f64 {
    let mut step = 1.0;
    while top / step > most && step < 1e12 {
        step *= 2.0;
    }
    step
}

fn points(curve: &[CurvePoint], of: impl Fn(&CurvePoint) -> f64) -> PlotPoints<'static> {
    PlotPoints::new(curve.iter().map(|p| [p.x, of(p)]).collect())
}

fn plot_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PerformanceState, speed: &Speed, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let report = cx.session.report();
    let points_now = curve(speed, state.view);
    let then = after(cx).and_then(|r| r.facts.speed.iter().find(|s| s.workload == speed.workload));
    let peak = points_now.iter().chain(then.iter().flat_map(|s| curve(s, state.view))).map(|p| p.high.max(p.value)).fold(0.0, f64::max);
    let height = plot_height(ui);
    let widest = points_now.last().map_or(1.0, |p| p.x);
    let plot = plain_plot("performance", t, height)
        .include_y(0.0)
        .include_y(peak * 1.08)
        .include_x(0.0)
        .include_x(widest * 1.05)
        .x_grid_spacer(marks(binary_step(widest, if ui.available_width() > 300.0 { 6.0 } else { 4.0 })))
        .y_grid_spacer(marks(round_step(peak * 1.08, most_marks(height))))
        .custom_x_axes(vec![x_axis(t).formatter(|mark, _| count_text(mark.value))])
        .custom_y_axes(vec![y_axis(t).formatter(|mark, _| plain(mark.value, 2))]);
    let view = state.view;
    let here = cx.session.project().workloads.get(speed.workload).map(|w| match (view, &w.training) {
        (View::Cards, _) => w.gpus.map_or(widest, f64::from).min(widest),
        (View::Batch, Some(job)) => job.micro_batch as f64,
        (View::Batch, None) => w.batch as f64,
        _ => w.context as f64,
    });
    let shown = plot.show(ui, |plot| {
        draw_limit(plot, cx, points_now, peak);
        if view == View::Cards {
            ideal(plot, cx, speed);
        }
        let xs: Vec<f64> = points_now.iter().map(|p| p.x).collect();
        let (low, high): (Vec<f64>, Vec<f64>) = points_now.iter().map(|p| (p.low, p.high)).unzip();
        if xs.len() > 1 {
            plot.add(FilledArea::new("band", &xs, &low, &high).fill_color(t.accent.gamma_multiply(0.18)).allow_hover(false));
        }
        plot.line(Line::new("now", points(points_now, |p| p.value)).color(t.accent).width(2.0).allow_hover(false));
        if let Some(then) = then {
            let line = Line::new("after", points(curve(then, view), |p| p.value));
            plot.line(line.color(t.accent).width(1.5).style(LineStyle::dashed_dense()).allow_hover(false));
        }
        if let (Some(x), Some(y)) = (here, speed.value) {
            plot.points(Points::new("here", PlotPoints::new(vec![[x, y]])).radius(4.0).color(t.text).allow_hover(false));
        }
    });
    let text = shown.response.hover_pos().map(|pos| {
        let x = shown.transform.value_from_position(pos).x;
        point_text(speed, points_now, x, view)
    });
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Performance chart. {}", speed_text(speed))));
    explain(&shown.response, NAME, text, &mut state.held, || all_text(report), out);
}

/// The region where the memory of the cards does not suffice.
fn draw_limit(plot: &mut egui_plot::PlotUi<'_>, cx: &Cx<'_>, curve: &[CurvePoint], peak: f64) {
    let t = cx.tokens;
    let (Some(first), Some(last)) = (curve.iter().find(|p| !p.fits), curve.last()) else { return };
    let top = peak * 1.08;
    let corners = PlotPoints::new(vec![[first.x, 0.0], [last.x.max(first.x), 0.0], [last.x.max(first.x), top], [first.x, top]]);
    plot.polygon(Polygon::new("full", corners).fill_color(t.problem.gamma_multiply(0.10)).stroke(egui::Stroke::NONE).allow_hover(false));
    plot.vline(VLine::new("memory full", first.x).color(t.problem).width(1.2).style(LineStyle::dashed_dense()).allow_hover(false));
    let wide = last.x - first.x > 0.3 * last.x;
    let anchor = if wide { Align2::LEFT_TOP } else { Align2::RIGHT_TOP };
    let text = RichText::new(" memory full ").font(theme::regular(11.0)).color(t.problem);
    plot.text(Text::new("memory full text", PlotPoint::new(first.x, top), text).anchor(anchor).allow_hover(false));
}

fn point_text(speed: &Speed, curve: &[CurvePoint], x: f64, view: View) -> String {
    let Some(point) = curve.iter().min_by(|a, b| (a.x - x).abs().total_cmp(&(b.x - x).abs())) else { return String::new() };
    let what = match view {
        View::Batch => "users",
        View::Cards => "cards",
        View::Context | View::Step | View::Roof | View::Breaks => "tokens",
    };
    let at = format!("{} {what}", thousands(point.x, 0));
    let fits = if point.fits { "" } else { "\nThe memory of the cards does not suffice here." };
    format!(
        "At {at}: {:.1} {} ({:.1} to {:.1}){fits}\n\nAs set\n{}\n{}{}",
        point.value,
        speed.unit,
        point.low,
        point.high,
        speed_text(speed),
        origin_text(&speed.origin),
        ways_text(speed)
    )
}

/// The fastest way to spread the work and why the others lose.
fn ways_text(speed: &Speed) -> String {
    let Some(best) = speed.ways.best().filter(|_| speed.ways.options.len() > 1) else { return String::new() };
    let mut text = format!("\n\nFastest: {}", best.way.text());
    for other in speed.ways.options.iter().filter(|o| o.way != best.way) {
        text.push_str(&format!("\n{}: {}", other.way.text(), other.reason(best, speed.unit)));
    }
    text
}

fn speed_text(speed: &Speed) -> String {
    match (speed.value, speed.low, speed.high) {
        (Some(value), Some(low), Some(high)) => format!("{}: {value:.1} {} ({low:.1} to {high:.1})", speed.workload_name, speed.unit),
        (Some(value), ..) => format!("{}: {value:.1} {}", speed.workload_name, speed.unit),
        (None, ..) => format!("{}: {}", speed.workload_name, unknown_text(speed)),
    }
}

/// Every figure of the chart as text.
fn all_text(report: &Report) -> String {
    let mut lines = Vec::new();
    for speed in &report.facts.speed {
        lines.push(speed_text(speed));
        lines.push(origin_text(&speed.origin));
        lines.extend(speed.terms.iter().map(|b| format!("  {}: {}", b.name, time_text(b.seconds))));
        lines.push(ways_text(speed).trim().to_owned());
        for (name, curve) in [("context", &speed.over_context), ("users", &speed.over_batch), ("cards", &speed.over_cards)] {
            lines.extend(curve.iter().map(|p| {
                let fits = if p.fits { "" } else { ", does not fit" };
                format!("  {name} {}: {:.1} tokens/s ({:.1} to {:.1}){fits}", thousands(p.x, 0), p.value, p.low, p.high)
            }));
        }
    }
    for limit in &report.facts.limits {
        let at = limit.at.map_or("holds".to_owned(), |at| format!("{} {}", plain(at, 1), limit.unit));
        lines.push(format!("{}, {}: {at}; {}", limit.workload_name, limit.layer.text(), limit.reason));
    }
    lines.retain(|l| !l.is_empty());
    lines.join("\n")
}
