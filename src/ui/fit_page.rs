//! Where memory ends: a curve over context or users for each card, what fits in which format, and several models side by side.

use eframe::egui::{self, Align2, Color32, Grid, Label, RichText, ScrollArea, Ui};
use egui_plot::{HLine, Legend, Line, LineStyle, Plot, PlotPoint, PlotPoints, Text, VLine};

use super::Cx;
use super::action::Action;
use super::dialogs::close_row;
use super::theme;
use super::widgets::{chip, strong, sub, title};
use crate::analysis::memory::Limits;
use crate::analysis::memory::limits::{Largest, formats};
use crate::analysis::memory::plan::{Plan, devices};
use crate::catalog::precision::Precision;
use crate::drawing::Role;
use crate::project::edit::Edit;
use crate::units::{plain, thousands};

/// What is shown, and the figures of the present document.
#[derive(Debug, Default)]
pub(super) struct FitState {
    shown: usize,
    by_batch: bool,
    made: Option<(u64, usize, bool, Option<Figures>)>,
}

/// Everything the page shows of one workload.
#[derive(Debug)]
struct Figures {
    /// One curve a card: (tokens or users, GiB).
    curves: Vec<Curve>,
    most: f64,
    rig: Largest,
    cards: Vec<Largest>,
    formats: Vec<Precision>,
    contexts: Vec<u64>,
    table: Vec<Vec<Option<bool>>>,
}

#[derive(Debug)]
struct Curve {
    name: String,
    points: Vec<[f64; 2]>,
    limit: f64,
    /// Last number that still fits.
    last: Option<u64>,
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
    let revision = cx.session.revision();
    let key = (revision, state.shown, state.by_batch);
    if state.made.as_ref().is_none_or(|m| (m.0, m.1, m.2) != key) {
        state.made = Some((revision, state.shown, state.by_batch, figures(cx, state.shown, state.by_batch)));
    }
    let height = (ui.ctx().content_rect().height() - 200.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        match state.made.as_ref().and_then(|m| m.3.as_ref()) {
            Some(figures) => {
                curve_ui(ui, cx, &mut state.by_batch, figures);
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
            beside_ui(ui, cx);
        }
    });
    close_row(ui, fresh)
}

fn figures(cx: &Cx<'_>, index: usize, by_batch: bool) -> Option<Figures> {
    let (catalog, project) = (cx.session.catalog(), cx.session.project());
    let workload = project.workloads.get(index).filter(|w| w.training.is_none())?;
    let (rig, cards) = Limits::all(catalog, project, index)?;
    let plan = Plan::new(workload, devices(catalog, project));
    let own = if by_batch { rig.batch } else { rig.context };
    let most = if by_batch { own.unwrap_or(1).clamp(16, 4096) * 2 } else { workload.model.context.unwrap_or(131_072).max(2) };
    let steps = 64_u64;
    let curves = (0..plan.cards.len()).map(|card| {
        let points = (0..=steps).map(|n| {
            let x = (most * n / steps).max(1);
            let (context, batch) = if by_batch { (workload.context, x) } else { (x, workload.batch) };
            let total = plan.on_card(card, &plan.sizes(plan.held_context(context), batch)).total();
            [x as f64, gib(total.value)]
        });
        let limit = cards.get(card);
        Curve {
            name: format!("GPU {}", card + 1),
            points: points.collect(),
            limit: plan.limit(card).map_or(0.0, |l| l.gib()),
            last: limit.and_then(|l| if by_batch { l.batch } else { l.context }),
        }
    });
    let curves = curves.collect();
    let formats = offered(workload.engine(), &workload.model);
    let longest = workload.model.context.unwrap_or(131_072);
    let contexts: Vec<u64> =
        [2048, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576].into_iter().filter(|c| *c <= longest).collect();
    let contexts = if contexts.is_empty() { vec![longest] } else { contexts };
    let table = Limits::table(catalog, project, index, &formats, &contexts)?;
    Some(Figures { curves, most: most as f64, rig, cards, formats, contexts, table })
}

/// The engine's formats from the largest down, at most fourteen: of near ones the well-known.
fn offered(engine: crate::workload::Engine, model: &crate::catalog::model::ModelShape) -> Vec<Precision> {
    use Precision as P;
    const KNOWN: [P; 22] = [
        P::F32,
        P::Bf16,
        P::Gguf,
        P::Safetensors,
        P::Fp8,
        P::Int8,
        P::Q8_0,
        P::Q6K,
        P::Q5KM,
        P::Q4KM,
        P::Q4_0,
        P::Iq4Xs,
        P::Q3KM,
        P::Iq3M,
        P::Q2K,
        P::Iq2M,
        P::Iq1S,
        P::Gptq4,
        P::Awq4,
        P::Nf4,
        P::Nvfp4,
        P::Mxfp4,
    ];
    let mut list: Vec<P> = formats(engine, model).filter(|p| KNOWN.contains(p)).collect();
    list.sort_by_key(|p| std::cmp::Reverse(p.model_bytes(model)));
    list.truncate(14);
    list
}

fn gib(bytes: u64) -> f64 {
    crate::units::Bytes(bytes).gib()
}

fn curve_ui(ui: &mut Ui, cx: &Cx<'_>, by_batch: &mut bool, figures: &Figures) {
    let t = cx.tokens;
    ui.horizontal(|ui| {
        for (value, name) in [(false, "over context"), (true, "over users")] {
            if chip(ui, t, *by_batch == value, name).clicked() {
                *by_batch = value;
            }
        }
        ui.label(sub(t, "GiB on each card; dashed: what may be used, and where it ends"));
    });
    let colors = [t.accent, t.advice, t.good, t.cold, t.neutral, t.problem];
    let tallest = figures.curves.iter().map(|c| c.limit).fold(1.0, f64::max) * 1.25;
    let plot = Plot::new("memory over context")
        .height(230.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_background(false)
        .include_x(0.0)
        .include_x(figures.most)
        .include_y(0.0)
        .include_y(tallest)
        .default_y_bounds(0.0, tallest)
        .x_axis_formatter(|mark, _| thousands(mark.value, 0))
        .legend(Legend::default())
        .grid_color(t.line);
    let what = if *by_batch { "users" } else { "tokens" };
    let shown = plot.show(ui, |plot| {
        let mut before: Option<f64> = None;
        for (curve, color) in figures.curves.iter().zip(colors.iter().cycle()) {
            // What lies far above every card would flatten the curves.
            let points: Vec<[f64; 2]> = curve.points.iter().copied().filter(|p| p[1] <= tallest * 1.5).collect();
            plot.line(Line::new(curve.name.clone(), PlotPoints::new(points)).color(*color).width(2.0));
            if before != Some(curve.limit) {
                plot.hline(
                    HLine::new(format!("limit of {}", curve.name), curve.limit)
                        .color(*color)
                        .style(LineStyle::dashed_dense())
                        .allow_hover(false),
                );
            }
            before = Some(curve.limit);
            if let Some(last) = curve.last.filter(|l| (*l as f64) < figures.most) {
                mark(plot, &format!("{} full at {} {what}", curve.name, thousands(last as f64, 0)), last as f64, tallest * 0.85, *color);
            }
        }
        let rig = if *by_batch { figures.rig.batch } else { figures.rig.context };
        if let Some(last) = rig.filter(|l| (*l as f64) < figures.most) {
            mark(plot, &format!("the rig: {} {what}", thousands(last as f64, 0)), last as f64, tallest * 0.97, t.problem);
        }
    });
    let ends: Vec<String> = figures
        .curves
        .iter()
        .map(|c| format!("{} holds {} {what}", c.name, c.last.map_or_else(|| "no".to_owned(), |l| thousands(l as f64, 0))))
        .collect();
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Memory over {what}. {}", ends.join("; "))));
}

fn mark(plot: &mut egui_plot::PlotUi<'_>, text: &str, x: f64, y: f64, color: Color32) {
    plot.vline(VLine::new(text.to_owned(), x).color(color).width(1.2).style(LineStyle::dashed_dense()).allow_hover(false));
    let label = RichText::new(format!(" {text} ")).font(theme::regular(11.0)).color(color);
    plot.text(Text::new(format!("{text} text"), PlotPoint::new(x, y), label).anchor(Align2::LEFT_CENTER).allow_hover(false));
}

/// Formats by contexts, each cell coloured and in a word; a click sets both.
fn table_ui(ui: &mut Ui, cx: &Cx<'_>, index: usize, figures: &Figures, out: &mut Vec<Action>) {
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

fn largest_ui(ui: &mut Ui, cx: &Cx<'_>, figures: &Figures) {
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
fn beside_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let (catalog, project) = (cx.session.catalog(), cx.session.project());
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
            let most = Limits::all(catalog, project, at).map(|(rig, _)| largest_text(&rig)).unwrap_or_default();
            let [context, users, _] = most;
            for text in [workload.name.clone(), workload.precision.text().to_owned(), plain(total, 1), fits.to_owned(), context, users] {
                ui.label(text);
            }
            ui.end_row();
        }
    });
}
