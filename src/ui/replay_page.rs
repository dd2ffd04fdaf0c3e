//! Measured records beside predictions: a scatter, a table, and the user's own factors.

use std::collections::BTreeMap;

use eframe::egui::{self, Grid, Label, ScrollArea, Ui};
use egui_plot::{Legend, Line, LineStyle, PlotPoints, Points};

use super::Cx;
use super::action::Action;
use super::charts::plain_plot;
use super::dialogs::close_row;
use super::widgets::{chip, strong, sub, title};
use crate::project::edit::Edit;
use crate::replay::Judged;
use crate::replay::calibrate::Factor;
use crate::replay::summary::{Group, coverage, groups, reasons};
use crate::units::plain;

/// What was read last.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Name of the file.
    pub name: String,
    pub rows: Vec<Judged>,
    /// Factors that these records give.
    pub factors: Vec<Factor>,
}

/// View state of the page.
#[derive(Debug, Default)]
pub(super) struct ReplayState {
    metric: usize,
    worst_first: bool,
    /// Groups of all rows, with how many rows they were made from.
    made: Option<(String, usize, Vec<Group>)>,
}

/// Rows of the table that are drawn at most.
const SHOWN: usize = 400;

pub(super) fn replay_page_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ReplayState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.horizontal(|ui| {
        ui.label(title("Measured records"));
        if ui.button("Open a table…").clicked() {
            out.push(Action::ReplayDialog);
        }
    });
    let Some(replayed) = cx.replay else {
        let text = "Open a CSV table of measurements, or drop it on the window. Columns: model, precision_or_quant, engine, context_tokens, batch, gpu, n_gpu, metric, value, unit. Each row is predicted and compared.";
        ui.add(Label::new(sub(cx.tokens, text)).wrap());
        factors_ui(ui, cx, None, out);
        return close_row(ui, fresh);
    };
    let c = coverage(&replayed.rows);
    let text = format!(
        "{}: {} measured rows, {} judged, {} set apart as suspect, wrong or computed.",
        replayed.name, c.rows, c.judged, c.set_apart
    );
    ui.add(Label::new(sub(cx.tokens, text)).wrap());
    let made = (replayed.name.clone(), replayed.rows.len());
    if state.made.as_ref().is_none_or(|m| (m.0.as_str(), m.1) != (made.0.as_str(), made.1)) {
        let list = groups(&replayed.rows).into_iter().filter(|g| g.source.is_none() && g.judged > 0).collect();
        state.made = Some((made.0, made.1, list));
        state.metric = 0;
    }
    let height = (ui.ctx().content_rect().height() - 220.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        let list = state.made.as_ref().map(|m| m.2.clone()).unwrap_or_default();
        choice_ui(ui, cx, &list, &mut state.metric);
        if let Some(group) = list.get(state.metric) {
            let mine: Vec<&Judged> =
                replayed.rows.iter().filter(|r| r.is_judged() && r.record.metric == group.metric && r.engine == group.engine).collect();
            figures_ui(ui, cx, group);
            scatter_ui(ui, cx, &mine);
            table_ui(ui, cx, &mine, &mut state.worst_first);
        }
        factors_ui(ui, cx, Some(replayed), out);
        reasons_ui(ui, cx, replayed);
    });
    close_row(ui, fresh)
}

fn choice_ui(ui: &mut Ui, cx: &Cx<'_>, list: &[Group], chosen: &mut usize) {
    ui.horizontal_wrapped(|ui| {
        for (at, group) in list.iter().enumerate() {
            let engine = if group.engine.is_empty() { String::new() } else { format!(", {}", group.engine) };
            if chip(ui, cx.tokens, *chosen == at, &format!("{}{engine}", group.metric.replace('_', " "))).clicked() {
                *chosen = at;
            }
        }
    });
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |v| format!("{} %", plain(v * 100.0, 1)))
}

fn figures_ui(ui: &mut Ui, cx: &Cx<'_>, group: &Group) {
    let text = format!(
        "{} of {} rows judged: median error {}, nine of ten below {}, bias {}, {} inside the stated band.",
        group.judged,
        group.rows,
        percent(group.median),
        percent(group.p90),
        percent(group.bias),
        percent(group.in_band)
    );
    ui.add(Label::new(sub(cx.tokens, text)).wrap());
}

/// The unit that makes a group's numbers readable: GiB for bytes.
fn scale(rows: &[&Judged]) -> (f64, &'static str) {
    let largest = rows.iter().filter_map(|r| r.measured).fold(0.0, f64::max);
    if largest >= 1e7 { (1024.0 * 1024.0 * 1024.0, "GiB") } else { (1.0, "") }
}

/// Predicted over measured; on the line they agree.
fn scatter_ui(ui: &mut Ui, cx: &Cx<'_>, rows: &[&Judged]) {
    let t = cx.tokens;
    let (scale, unit) = scale(rows);
    let point = |r: &&&Judged| Some([r.measured? / scale, r.outcome.as_ref().ok()?.value / scale]);
    let inside: Vec<[f64; 2]> = rows.iter().filter(|r| r.in_band() == Some(true)).filter_map(|r| point(&r)).collect();
    let outside: Vec<[f64; 2]> = rows.iter().filter(|r| r.in_band() != Some(true)).filter_map(|r| point(&r)).collect();
    let top = inside.iter().chain(&outside).map(|p| p[0].max(p[1])).fold(0.0, f64::max) * 1.05;
    let plot = plain_plot("predicted over measured", t, 240.0)
        .include_x(0.0)
        .include_y(0.0)
        .x_axis_label(format!("measured {unit}"))
        .y_axis_label(format!("predicted {unit}"))
        .legend(Legend::default());
    let counts = format!("{} inside the band, {} outside", inside.len(), outside.len());
    let shown = plot.show(ui, |plot| {
        let diagonal = PlotPoints::new(vec![[0.0, 0.0], [top, top]]);
        plot.line(Line::new("equal", diagonal).color(t.sub).width(1.0).style(LineStyle::dashed_dense()));
        plot.points(Points::new("inside the band", PlotPoints::new(inside)).color(t.accent).radius(3.0));
        plot.points(Points::new("outside", PlotPoints::new(outside)).color(t.problem).radius(3.0).shape(egui_plot::MarkerShape::Cross));
    });
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Predicted over measured: {counts}")));
}

fn table_ui(ui: &mut Ui, cx: &Cx<'_>, rows: &[&Judged], worst_first: &mut bool) {
    ui.horizontal(|ui| {
        ui.label(strong("Rows"));
        if chip(ui, cx.tokens, *worst_first, "Largest error first").clicked() {
            *worst_first = !*worst_first;
        }
    });
    let mut list: Vec<&&Judged> = rows.iter().collect();
    let size = |r: &Judged| r.error().map_or(0.0, f64::abs);
    if *worst_first {
        list.sort_by(|a, b| size(b).total_cmp(&size(a)));
    }
    let (scale, unit) = scale(rows);
    let number = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), |v| plain(v / scale, 2));
    ScrollArea::both().id_salt("replay rows").max_height(220.0).auto_shrink([false, true]).show(ui, |ui| {
        Grid::new("rows").num_columns(7).spacing([14.0, 3.0]).striped(true).show(ui, |ui| {
            for head in ["Model", "Precision", "Card", "Context", &format!("Measured {unit}"), &format!("Predicted {unit}"), "Error"] {
                ui.label(sub(cx.tokens, head));
            }
            ui.end_row();
            for row in list.into_iter().take(SHOWN) {
                let r = &row.record;
                let card = if r.n_gpu.is_empty() { row.gpu.clone() } else { format!("{} × {}", r.n_gpu, row.gpu) };
                for text in [r.model.clone(), r.precision.clone(), card, r.context.clone()] {
                    ui.label(text);
                }
                let predicted = row.outcome.as_ref().ok();
                ui.label(number(row.measured));
                ui.label(number(predicted.map(|p| p.value))).on_hover_text(
                    predicted.map_or_else(String::new, |p| format!("between {} and {}", number(Some(p.low)), number(Some(p.high)))),
                );
                let error = row.error().map_or_else(|| "–".to_owned(), |e| format!("{:+.1} %", e * 100.0));
                let color = if row.in_band() == Some(true) { cx.tokens.text } else { cx.tokens.problem };
                ui.colored_label(color, error);
                ui.end_row();
            }
        });
    });
}

/// The user's own factors: fitted, kept, used in this rig, or given up.
fn factors_ui(ui: &mut Ui, cx: &Cx<'_>, replayed: Option<&Replayed>, out: &mut Vec<Action>) {
    ui.add_space(6.0);
    ui.label(strong("Own factors"));
    let text = "Decode rows tell which share of its memory bandwidth your machine reaches. Your factors stay apart from the program's own; a rig that uses them carries a copy.";
    ui.add(Label::new(sub(cx.tokens, text)).wrap());
    let used = &cx.session.project().calibration;
    let fitted = replayed.map(|r| r.factors.as_slice()).unwrap_or_default();
    for factor in fitted {
        let (low, high) = factor.range;
        ui.label(format!(
            "{}: {} from {} rows ({} to {})",
            name(&factor.key),
            plain(factor.value, 3),
            factor.rows,
            plain(low, 2),
            plain(high, 2)
        ));
    }
    ui.horizontal_wrapped(|ui| {
        if !fitted.is_empty() && ui.button("Calibrate with my records").clicked() {
            out.push(Action::KeepFactors(fitted.iter().map(|f| (f.key.clone(), f.value)).collect()));
        }
        let own = &cx.prefs.own_factors;
        if !own.is_empty() && used != own && ui.button("Use my factors in this rig").clicked() {
            out.push(Action::Edit(Edit::Calibration(own.clone())));
        }
        if !used.is_empty() && ui.button("Use the program's own factors").clicked() {
            out.push(Action::Edit(Edit::Calibration(BTreeMap::new())));
        }
    });
    let state = if used.is_empty() { "This rig uses the program's own factors." } else { "This rig uses your factors." };
    ui.label(sub(cx.tokens, state));
    if !cx.prefs.own_factors.is_empty() {
        let list: Vec<String> = cx.prefs.own_factors.iter().map(|(k, v)| format!("{} {}", name(k), plain(*v, 3))).collect();
        ui.add(Label::new(sub(cx.tokens, format!("Kept: {}", list.join(", ")))).wrap());
    }
}

/// "all cards", or the card.
fn name(key: &str) -> String {
    key.split_once('.').map_or_else(|| "all cards".to_owned(), |(_, card)| card.to_owned())
}

fn reasons_ui(ui: &mut Ui, cx: &Cx<'_>, replayed: &Replayed) {
    let list = reasons(&replayed.rows);
    if list.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.label(strong("Not judged"));
    for (reason, count) in list.into_iter().take(40) {
        ui.add(Label::new(sub(cx.tokens, format!("{count} × {reason}"))).wrap());
    }
}
