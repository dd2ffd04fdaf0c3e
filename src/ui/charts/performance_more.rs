//! Views of the performance chart besides its curves: waterfall of a step, roofline, what breaks first.

use eframe::egui::{self, Align2, Label, ScrollArea, Sense, Ui, vec2};
use egui_plot::{Line, LineStyle, PlotPoints, Points};

use super::{after, marks, plain_plot, plot_height, x_axis, y_axis};
use crate::analysis::speed::{Speed, Term};
use crate::report::Report;
use crate::ui::Cx;
use crate::ui::theme;
use crate::ui::widgets::sub;
use crate::units::plain;

/// Time in the unit that suits it.
pub(super) fn time_text(seconds: f64) -> String {
    if seconds >= 1.0 {
        format!("{} s", plain(seconds, 2))
    } else if seconds >= 1e-3 {
        format!("{} ms", plain(seconds * 1e3, 2))
    } else {
        format!("{} µs", plain(seconds * 1e6, 1))
    }
}

/// One bar a term, each beginning where the last one ended; overlapped ones lie beside, in grey. The outline is what the drop would give.
pub(super) fn waterfall_ui(ui: &mut Ui, cx: &Cx<'_>, speed: &Speed) {
    let t = cx.tokens;
    let then = after(cx).and_then(|r| r.facts.speed.iter().find(|s| s.workload == speed.workload && s.metric == speed.metric));
    let longest = speed.step_s().max(then.map_or(0.0, Speed::step_s)).max(speed.terms.iter().map(|b| b.seconds).fold(0.0, f64::max));
    let mut start = 0.0;
    ScrollArea::vertical().id_salt("waterfall").max_height(plot_height(ui)).auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for term in &speed.terms {
            let other = then.and_then(|s| s.terms.iter().find(|b| b.name == term.name)).map(|b| b.seconds);
            bar_ui(ui, cx, term, if term.overlapped { 0.0 } else { start }, longest, other);
            if !term.overlapped {
                start += term.seconds;
            }
        }
        let text = format!("{} a step", time_text(speed.step_s()));
        let text = then.map_or(text.clone(), |s| format!("{text}, {} after", time_text(s.step_s())));
        ui.label(sub(t, text));
    });
}

fn bar_ui(ui: &mut Ui, cx: &Cx<'_>, term: &Term, start: f64, longest: f64, then: Option<f64>) {
    let t = cx.tokens;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let beside = if term.overlapped { " (beside the step)" } else { "" };
    let text = format!("{}: {}{beside}", term.name, time_text(term.seconds));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text.clone()));
    let at = |seconds: f64| rect.left() + rect.width() * (seconds / longest.max(1e-12)).clamp(0.0, 1.0) as f32;
    let (left, right) = (at(start), at(start + term.seconds).max(at(start) + 2.0));
    let bar = egui::Rect::from_x_y_ranges(left..=right, rect.top() + 13.0..=rect.bottom());
    ui.painter().rect_filled(bar, 1.5, if term.overlapped { t.neutral.gamma_multiply(0.5) } else { t.accent });
    if let Some(then) = then {
        let outline = egui::Rect::from_x_y_ranges(left..=at(start + then).max(left + 2.0), rect.top() + 13.0..=rect.bottom());
        ui.painter().rect_stroke(outline, 1.5, egui::Stroke::new(1.0, t.text), egui::StrokeKind::Inside);
    }
    ui.painter().text(rect.left_top(), Align2::LEFT_TOP, text.clone(), theme::regular(11.0), t.sub);
    response.on_hover_text(format!("{text}\nSource: {}", term.source));
}

/// Operations a second over operations a byte, both in powers of ten: the roof of the slowest card and a point a workload.
pub(super) fn roof_ui(ui: &mut Ui, cx: &Cx<'_>, speed: &Speed) {
    let t = cx.tokens;
    let Some(own) = speed.roof else {
        super::nothing_ui(ui, cx, "No roofline: the card's matrix rate is unknown, or the model does not fit.");
        return;
    };
    let roof = |x: f64| (x * own.peak_bytes).min(own.peak_ops);
    let log = |v: f64| v.max(1e-3).log10();
    let knee = own.peak_ops / own.peak_bytes.max(1.0);
    let widest = (own.intensity.max(knee) * 10.0).max(1000.0);
    let line: Vec<[f64; 2]> = [0.1, knee, widest].into_iter().map(|x| [log(x), log(roof(x)) - 12.0]).collect();
    let point = |s: &Speed| s.roof.map(|r| [log(r.intensity), log(r.ops) - 12.0]);
    let power = |v: f64| if v.abs() < 3.5 { plain(10.0_f64.powf(v), 2) } else { format!("1e{v:.0}") };
    let others: Vec<[f64; 2]> = cx.session.report().facts.speed.iter().filter(|s| s.workload != speed.workload).filter_map(point).collect();
    let then = after(cx).and_then(|r| r.facts.speed.iter().find(|s| s.workload == speed.workload)).and_then(point);
    let plot = plain_plot("roofline", t, plot_height(ui))
        .include_x(-1.0)
        .include_x(log(widest))
        .x_grid_spacer(marks(1.0))
        .y_grid_spacer(marks(1.0))
        .custom_x_axes(vec![x_axis(t).formatter(move |mark, _| power(mark.value))])
        .custom_y_axes(vec![y_axis(t).formatter(move |mark, _| power(mark.value))]);
    let shown = plot.show(ui, |plot| {
        plot.line(Line::new("roof", PlotPoints::new(line)).color(t.sub).width(1.5).allow_hover(false));
        plot.points(Points::new("others", PlotPoints::new(others)).radius(3.0).color(t.neutral).allow_hover(false));
        if let Some(here) = point(speed) {
            plot.points(Points::new("here", PlotPoints::new(vec![here])).radius(4.5).color(t.accent).allow_hover(false));
        }
        if let Some(then) = then {
            plot.points(Points::new("after", PlotPoints::new(vec![then])).radius(4.5).color(t.text).allow_hover(false));
        }
    });
    let text = format!(
        "{}: {:.1} operations a byte, {:.2} TFLOP/s of at most {:.1}",
        speed.workload_name,
        own.intensity,
        own.ops / 1e12,
        roof(own.intensity) / 1e12
    );
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Roofline. {text}")));
    shown.response.on_hover_text(format!("{text}\nUpright: TFLOP/s. Along: operations a byte. The line is what the slowest card can do."));
}

/// The ladder: what gives way first stands on top.
pub(super) fn breaks_ui(ui: &mut Ui, cx: &Cx<'_>, report: &Report, workload: usize) {
    let t = cx.tokens;
    ScrollArea::vertical().id_salt("breaks").max_height(plot_height(ui)).auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        for limit in report.facts.limits.iter().filter(|l| l.workload == workload) {
            let at = match (limit.at, limit.growth) {
                (Some(at), Some(growth)) => format!("{} {} (×{})", plain(at, 1), limit.unit, plain(growth, 2)),
                (Some(at), None) => format!("{} {}", plain(at, 1), limit.unit),
                (None, _) => "holds".to_owned(),
            };
            let color = match limit.growth {
                Some(g) if g < 1.0 => t.problem,
                Some(g) if g < 2.0 => t.advice,
                _ => t.sub,
            };
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                let (rect, _) = ui.allocate_exact_size(vec2(4.0, 14.0), Sense::hover());
                ui.painter().rect_filled(rect, 1.0, color);
                ui.add(Label::new(sub(t, format!("{}: {at}", limit.layer.text()))).truncate()).on_hover_text(&limit.reason);
            });
        }
    });
}

/// The ideal line of a curve over cards: the speed of one card times their number.
pub(super) fn ideal(plot: &mut egui_plot::PlotUi<'_>, cx: &Cx<'_>, speed: &Speed) {
    let (Some(first), Some(last)) = (speed.over_cards.first(), speed.over_cards.last()) else { return };
    let each = first.value / first.x.max(1.0);
    let line = PlotPoints::new(vec![[0.0, 0.0], [last.x, each * last.x]]);
    plot.line(Line::new("ideal", line).color(cx.tokens.neutral).width(1.0).style(LineStyle::dashed_loose()).allow_hover(false));
}
