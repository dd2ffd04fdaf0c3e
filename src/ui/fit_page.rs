//! Where memory ends: a curve over context or users for each card, what fits in which format, and several models side by side.

use eframe::egui::{self, Align2, Color32, Grid, Label, RichText, ScrollArea, Ui};
use egui_plot::{HLine, Legend, Line, LineStyle, PlotPoint, PlotPoints, Text, VLine};

use super::Cx;
use super::action::Action;
use super::charts::plain_plot;
use super::dialogs::close_row;
use super::theme;
use super::widgets::{chip, strong, sub, title};
use crate::analysis::memory::Limits;
use crate::analysis::memory::fits::{Along, WhatFits};
use crate::analysis::memory::limits::Largest;
use crate::catalog::precision::Precision;
use crate::drawing::Role;
use crate::project::edit::Edit;
use crate::units::{Bytes, plain, thousands};

/// What is shown, and the figures of the present document.
#[derive(Debug, Default)]
pub(super) struct FitState {
    shown: usize,
    along: Along,
    made: Option<Made>,
}

/// Figures, made once per document and choice.
#[derive(Debug)]
struct Made {
    of: (u64, usize, Along),
    figures: Option<WhatFits>,
    /// The most of every workload on the rig.
    beside: Vec<Option<Largest>>,
}

pub(super) fn fit_page_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut FitState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let workloads = &cx.session.project().workloads;
    state.shown = state.shown.min(workloads.len().saturating_sub(1));
    ui.horizontal_wrapped(|ui| {
        ui.label(title("What fits"));
        for (at, workload) in workloads.iter().enumerate() {
            if chip(ui, cx.tokens, state.shown == at, &workload.name).clicked() {
                state.shown = at;
            }
        }
    });
    let of = (cx.session.revision(), state.shown, state.along);
    if state.made.as_ref().is_none_or(|m| m.of != of) {
        let (catalog, project) = (cx.session.catalog(), cx.session.project());
        let beside = (0..workloads.len()).map(|at| Limits::all(catalog, project, at).map(|(rig, _)| rig)).collect();
        state.made = Some(Made { of, figures: WhatFits::of(catalog, project, state.shown, state.along), beside });
    }
    let Some(made) = &state.made else { return close_row(ui, fresh) };
    let height = (ui.ctx().content_rect().height() - 200.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        match &made.figures {
            Some(figures) => {
                curve_ui(ui, cx, &mut state.along, figures);
                ui.add_space(8.0);
                ui.horizontal_top(|ui| {
                    ui.vertical(|ui| table_ui(ui, cx, state.shown, figures, out));
                    ui.add_space(12.0);
                    ui.vertical(|ui| largest_ui(ui, cx, figures));
                });
            }
            None => {
                ui.add(
                    Label::new(sub(
                        cx.tokens,
                        "Pick a model that is to be served under Work, and place a card of known memory. Training jobs are not shown here.",
                    ))
                    .wrap(),
                );
            }
        }
        if workloads.len() > 1 {
            ui.add_space(8.0);
            beside_ui(ui, cx, &made.beside);
        }
    });
    close_row(ui, fresh)
}

fn curve_ui(ui: &mut Ui, cx: &Cx<'_>, along: &mut Along, figures: &WhatFits) {
    let t = cx.tokens;
    ui.horizontal(|ui| {
        for (value, name) in [(Along::Context, "over context"), (Along::Batch, "over users")] {
            if chip(ui, t, *along == value, name).clicked() {
                *along = value;
            }
        }
        ui.label(sub(t, "GiB on each card; dashed: what may be used, and where it ends"));
    });
    let colors = [t.accent, t.advice, t.good, t.cold, t.neutral, t.problem];
    let limits: Vec<f64> = figures.curves.iter().map(|c| c.limit.map_or(0.0, Bytes::gib)).collect();
    let tallest = limits.iter().copied().fold(1.0, f64::max) * 1.25;
    let most = figures.most as f64;
    let plot = plain_plot("memory over context", t, 230.0)
        .include_x(0.0)
        .include_x(most)
        .include_y(0.0)
        .include_y(tallest)
        .default_y_bounds(0.0, tallest)
        .x_axis_formatter(|mark, _| thousands(mark.value, 0))
        .legend(Legend::default());
    let what = if *along == Along::Batch { "users" } else { "tokens" };
    let shown = plot.show(ui, |plot| {
        let mut before: Option<f64> = None;
        for (n, ((curve, limit), color)) in figures.curves.iter().zip(&limits).zip(colors.iter().cycle()).enumerate() {
            let name = format!("GPU {}", n + 1);
            // What lies far above every card would flatten the curves.
            let points = curve.points.iter().map(|(x, bytes)| [*x as f64, bytes.gib()]).filter(|p| p[1] <= tallest * 1.5);
            plot.line(Line::new(name.clone(), PlotPoints::new(points.collect())).color(*color).width(2.0));
            if before != Some(*limit) {
                let line = HLine::new(format!("limit of {name}"), *limit);
                plot.hline(line.color(*color).style(LineStyle::dashed_dense()).allow_hover(false));
            }
            before = Some(*limit);
            if let Some(last) = curve.last.filter(|l| (*l as f64) < most) {
                mark(plot, &format!("{name} full at {} {what}", thousands(last as f64, 0)), last as f64, tallest * 0.85, *color);
            }
        }
        let rig = if *along == Along::Batch { figures.rig.batch } else { figures.rig.context };
        if let Some(last) = rig.filter(|l| (*l as f64) < most) {
            mark(plot, &format!("the rig: {} {what}", thousands(last as f64, 0)), last as f64, tallest * 0.97, t.problem);
        }
    });
    let ends: Vec<String> = figures
        .curves
        .iter()
        .enumerate()
        .map(|(n, c)| format!("GPU {} holds {} {what}", n + 1, c.last.map_or_else(|| "no".to_owned(), |l| thousands(l as f64, 0))))
        .collect();
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Memory over {what}. {}", ends.join("; "))));
}

fn mark(plot: &mut egui_plot::PlotUi<'_>, text: &str, x: f64, y: f64, color: Color32) {
    plot.vline(VLine::new(text.to_owned(), x).color(color).width(1.2).style(LineStyle::dashed_dense()).allow_hover(false));
    let label = RichText::new(format!(" {text} ")).font(theme::regular(11.0)).color(color);
    plot.text(Text::new(format!("{text} text"), PlotPoint::new(x, y), label).anchor(Align2::LEFT_CENTER).allow_hover(false));
}

/// Formats by contexts, each cell coloured and in a word; a click sets both.
fn table_ui(ui: &mut Ui, cx: &Cx<'_>, index: usize, figures: &WhatFits, out: &mut Vec<Action>) {
    let t = cx.tokens;
    ui.label(strong("Format and context"));
    let width = (ui.available_width() - 320.0).max(300.0);
    ScrollArea::horizontal().id_salt("fit table").max_width(width).show(ui, |ui| {
        Grid::new("what fits").spacing([6.0, 4.0]).show(ui, |ui| {
            ui.label("");
            for context in &figures.contexts {
                ui.label(sub(t, thousands(*context as f64, 0)));
            }
            ui.end_row();
            for (format, row) in figures.formats.iter().zip(&figures.table) {
                ui.label(format.text());
                for (context, fits) in figures.contexts.iter().zip(row) {
                    if cell_ui(ui, cx, *format, *context, *fits)
                        && let Some(workload) = cx.session.project().workloads.get(index)
                    {
                        let mut next = workload.clone();
                        // The same engine, whatever the format's usual one is.
                        next.serving.engine = Some(workload.engine());
                        (next.precision, next.context) = (*format, *context);
                        out.push(Action::Edit(Edit::Workload { index, workload: Some(Box::new(next)) }));
                    }
                }
                ui.end_row();
            }
        });
    });
}

/// True when chosen.
fn cell_ui(ui: &mut Ui, cx: &Cx<'_>, format: Precision, context: u64, fits: Option<bool>) -> bool {
    let t = cx.tokens;
    let (word, role) = match fits {
        Some(true) => ("fits", Role::Good),
        Some(false) => ("does not", Role::Problem),
        None => ("perhaps", Role::Advice),
    };
    let button = egui::Button::new(RichText::new(word).size(12.0).color(t.text)).fill(t.tint(role, 0.35)).min_size(egui::vec2(64.0, 20.0));
    let response = ui.add(button);
    let name = format!("{} at {} tokens: {word}", format.text(), thousands(context as f64, 0));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name.as_str()));
    response.on_hover_text(format!("{name}. A click chooses both.")).clicked()
}

fn largest_text(l: &Largest) -> [String; 3] {
    let count = |v: Option<u64>| v.map_or_else(|| "none".to_owned(), |v| thousands(v as f64, 0));
    [count(l.context), count(l.batch), l.precision.map_or_else(|| "none".to_owned(), |p| p.text().to_owned())]
}

fn largest_ui(ui: &mut Ui, cx: &Cx<'_>, figures: &WhatFits) {
    ui.label(strong("The most that fits, the other choices as set"));
    Grid::new("most").num_columns(4).spacing([18.0, 3.0]).striped(true).show(ui, |ui| {
        for head in ["", "Context", "Users", "Format"] {
            ui.label(sub(cx.tokens, head));
        }
        ui.end_row();
        let cards = figures.cards.iter().enumerate().map(|(n, l)| (format!("GPU {} alone", n + 1), l));
        for (name, largest) in std::iter::once(("The rig".to_owned(), &figures.rig)).chain(cards) {
            ui.label(name);
            for text in largest_text(largest) {
                ui.label(text);
            }
            ui.end_row();
        }
    });
}

/// All workloads: what they take of the fullest card, and their most.
fn beside_ui(ui: &mut Ui, cx: &Cx<'_>, most: &[Option<Largest>]) {
    let project = cx.session.project();
    ui.label(strong("Side by side"));
    Grid::new("beside").num_columns(6).spacing([18.0, 3.0]).striped(true).show(ui, |ui| {
        for head in ["", "Format", "GiB in all", "Fits", "Longest context", "Most users"] {
            ui.label(sub(cx.tokens, head));
        }
        ui.end_row();
        for (at, workload) in project.workloads.iter().enumerate() {
            let ledgers: Vec<_> = cx.session.report().facts.memory.iter().filter(|l| l.workload == at).collect();
            let total: f64 = ledgers.iter().map(|l| l.total.gib()).sum();
            let fits = if ledgers.is_empty() {
                "no card"
            } else if ledgers.iter().any(|l| l.fits() == Some(false)) {
                "no"
            } else if ledgers.iter().all(|l| l.fits() == Some(true)) {
                "yes"
            } else {
                "perhaps"
            };
            let [context, users, _] = most.get(at).and_then(Option::as_ref).map(largest_text).unwrap_or_default();
            for text in [workload.name.clone(), workload.precision.text().to_owned(), plain(total, 1), fits.to_owned(), context, users] {
                ui.label(text);
            }
            ui.end_row();
        }
    });
}
