//! Memory of each card, stacked against its capacity.

use eframe::egui::{self, Align2, Color32, Stroke, Ui};
use egui_plot::{Bar, BarChart, GridMark, Line, LineStyle, PlotPoint, PlotPoints, PlotTransform};

use super::{Name, after, explain, head_ui, legend_ui, marks, most_marks, nothing_ui, plain_plot, plot_height, round_step, x_axis, y_axis};
use crate::analysis::memory::{CardLedger, ItemKind};
use crate::build::PlacementId;
use crate::report::Report;
use crate::ui::Cx;
use crate::ui::action::Action;
use crate::ui::charts::origin_text;
use crate::ui::theme;
use crate::units::thousands;

const NAME: Name = Name { title: "Memory", copied: "the memory ledger" };

#[derive(Debug, Default)]
pub(super) struct MemoryState {
    held: String,
}

/// One place on the x axis: a card as it is and as the preview would have it.
struct Column<'a> {
    name: String,
    now: Option<&'a CardLedger>,
    then: Option<&'a CardLedger>,
}

impl Column<'_> {
    fn any(&self) -> Option<&CardLedger> {
        self.now.or(self.then)
    }
    /// Where the solid and the ghost bar stand relative to the column's middle, and how wide they are.
    fn bars(&self) -> Vec<(&CardLedger, f64, f64, bool)> {
        match (self.now, self.then) {
            (Some(now), Some(then)) if now.items == then.items => vec![(now, 0.0, 0.62, false)],
            (Some(now), Some(then)) => vec![(now, -0.18, 0.34, false), (then, 0.18, 0.34, true)],
            (Some(now), None) => vec![(now, 0.0, 0.62, false)],
            (None, Some(then)) => vec![(then, 0.0, 0.62, true)],
            (None, None) => Vec::new(),
        }
    }
}

fn ledgers(report: &Report, workload: usize) -> impl Iterator<Item = &CardLedger> {
    report.facts.memory.iter().filter(move |l| l.workload == workload)
}

fn columns<'a>(now: &'a Report, then: Option<&'a Report>, workload: usize) -> Vec<Column<'a>> {
    let find = |report: Option<&'a Report>, id: PlacementId| report.and_then(|r| ledgers(r, workload).find(|l| l.gpu == id));
    let mut out: Vec<Column<'a>> = ledgers(now, workload)
        .map(|l| Column { name: short(&l.gpu_name), now: Some(l), then: if then.is_some() { find(then, l.gpu) } else { Some(l) } })
        .collect();
    for ledger in then.into_iter().flat_map(|r| ledgers(r, workload)) {
        if find(Some(now), ledger.gpu).is_none() {
            out.push(Column { name: "new".to_owned(), now: None, then: Some(ledger) });
        }
    }
    out
}

/// "GPU 1" of "GPU 1 · RTX 3090".
fn short(name: &str) -> String {
    name.split(" · ").next().unwrap_or(name).to_owned()
}

pub(super) fn memory_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut MemoryState, workload: &mut usize, out: &mut Vec<Action>) {
    let workloads = &cx.session.project().workloads;
    let about = workloads.get(*workload).map_or_else(
        || "GiB per card".to_owned(),
        |w| match &w.training {
            Some(job) => format!(
                "GiB per card · {} · training, {} · {} × {} tokens",
                w.name,
                job.precision.text(),
                job.micro_batch,
                thousands(job.sequence as f64, 0)
            ),
            None => format!("GiB per card · {} · {} · {} tokens", w.name, w.precision.text(), thousands(w.context as f64, 0)),
        },
    );
    let report = cx.session.report();
    head_ui(ui, cx, NAME, &about, Some(&mut *workload), || all_text(report), out);
    let columns = columns(report, after(cx), *workload);
    if columns.is_empty() {
        let text = if workloads.is_empty() {
            "Pick a model under Work to see where its memory goes."
        } else {
            "Place a graphics card to see whether the model fits."
        };
        nothing_ui(ui, cx, text);
        return;
    }
    plot_ui(ui, cx, state, &columns, out);
    let shown = |kind: ItemKind| columns.iter().flat_map(Column::bars).any(|(l, ..)| l.items.iter().any(|i| i.kind == kind));
    let entries: Vec<(Color32, &str)> = ItemKind::ALL.iter().filter(|&&k| shown(k)).map(|&k| (cx.tokens.item(k), k.text())).collect();
    legend_ui(ui, cx.tokens, &entries);
}

fn plot_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut MemoryState, columns: &[Column<'_>], out: &mut Vec<Action>) {
    let t = cx.tokens;
    let names: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
    let count = columns.len();
    let tallest =
        columns.iter().flat_map(Column::bars).map(|(l, ..)| l.total.gib().max(l.capacity.map_or(0.0, |c| c.gib()))).fold(1.0, f64::max);
    let axis = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| {
        let at = mark.value.round();
        if (mark.value - at).abs() < 1e-6 && at >= 0.0 { names.get(at as usize).cloned().unwrap_or_default() } else { String::new() }
    };
    // The legend takes two rows in a narrow column.
    let height = if ui.available_width() < 290.0 { plot_height(ui) - 8.0 } else { plot_height(ui) }.max(48.0);
    // Head room for the figure above the capacity line, whatever the height.
    let top = tallest * (1.04 + 16.0 / f64::from((height - 24.0).max(32.0)));
    let plot = plain_plot("memory", t, height)
        .include_x(-0.6)
        .include_x(count as f64 - 0.4)
        .include_y(0.0)
        .include_y(top)
        .show_grid([false, true])
        .x_grid_spacer(move |_| (0..count).map(|n| GridMark { value: n as f64, step_size: 1.0 }).collect())
        .y_grid_spacer(marks(round_step(top, most_marks(height))))
        .custom_y_axes(vec![y_axis(t).formatter(|mark, _| crate::units::plain(mark.value, 1))])
        .custom_x_axes(vec![x_axis(t).formatter(axis)]);
    let shown = plot.show(ui, |plot| {
        for (at, column) in columns.iter().enumerate() {
            draw_column(plot, cx, at as f64, column);
        }
    });
    labels_ui(ui, cx, columns, &shown.transform, shown.response.rect);
    let report = cx.session.report();
    let text = shown.response.hover_pos().and_then(|pos| {
        let value = shown.transform.value_from_position(pos);
        hovered(columns, value.x, value.y)
    });
    let label = columns.iter().filter_map(Column::any).map(fits_text).collect::<Vec<_>>().join("; ");
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Memory chart. {label}")));
    explain(&shown.response, NAME, text, &mut state.held, || all_text(report), out);
}

fn draw_column(plot: &mut egui_plot::PlotUi<'_>, cx: &Cx<'_>, at: f64, column: &Column<'_>) {
    let t = cx.tokens;
    let bars = column.bars();
    for (ledger, offset, width, ghost) in bars {
        let mut base = 0.0;
        for kind in ItemKind::ALL {
            let height = ledger.bytes_of(kind).gib();
            let color = if ghost { t.item(kind).gamma_multiply(0.5) } else { t.item(kind) };
            let edge = if ghost { Stroke::new(1.0, t.accent) } else { Stroke::NONE };
            let bar = Bar::new(at + offset, height).base_offset(base).width(width).fill(color).stroke(edge);
            plot.bar_chart(BarChart::new(format!("{} {at} {ghost}", kind.text()), vec![bar]).allow_hover(false));
            base += height;
        }
        // The band of the sum: from the least to the most that is plausible.
        let band = PlotPoints::new(vec![[at + offset, ledger.low.gib()], [at + offset, ledger.high.gib()]]);
        plot.line(Line::new(format!("band {at} {ghost}"), band).color(t.text.gamma_multiply(0.7)).width(1.5).allow_hover(false));
        if let Some(limit) = ledger.limit.filter(|l| ledger.capacity.is_some_and(|c| *l < c)).map(|l| l.gib()) {
            let half = width / 2.0;
            let points = PlotPoints::new(vec![[at + offset - half, limit], [at + offset + half, limit]]);
            plot.line(
                Line::new(format!("share {at} {ghost}"), points)
                    .color(t.sub)
                    .width(1.0)
                    .style(LineStyle::dotted_dense())
                    .allow_hover(false),
            );
        }
        if let Some(capacity) = ledger.capacity.map(|c| c.gib()) {
            let half = width / 2.0 + 0.06;
            let points = PlotPoints::new(vec![[at + offset - half, capacity], [at + offset + half, capacity]]);
            let over = ledger.fits() != Some(true);
            let color = if over { t.problem } else { t.sub };
            let line = Line::new(format!("capacity {at} {ghost}"), points)
                .color(color)
                .width(1.5)
                .style(LineStyle::dashed_dense())
                .allow_hover(false);
            plot.line(line);
        }
    }
}

/// What each card has, above its bars on a plate of its own; a label that would touch the one before it is left out.
fn labels_ui(ui: &Ui, cx: &Cx<'_>, columns: &[Column<'_>], shown: &PlotTransform, frame: egui::Rect) {
    let t = cx.tokens;
    let painter = ui.painter().with_clip_rect(ui.clip_rect().intersect(frame));
    let mut right = f32::NEG_INFINITY;
    for (at, column) in columns.iter().enumerate() {
        let bars = column.bars();
        // With a preview the label tells what would be.
        let Some((ledger, ..)) = bars.last() else { continue };
        let top = bars.iter().map(|(l, ..)| l.total.gib().max(l.capacity.map_or(0.0, |c| c.gib()))).fold(0.0, f64::max);
        let color = if ledger.fits() == Some(true) { t.text } else { t.problem };
        let galley = painter.layout_no_wrap(capacity_text(ledger), theme::medium(11.0), color);
        let at = shown.position_from_point(&PlotPoint::new(at as f64, top));
        let size = galley.size() + egui::vec2(8.0, 2.0);
        let rect = Align2::CENTER_BOTTOM.anchor_size(at - egui::vec2(0.0, 3.0), size);
        let inside = (frame.right() - rect.right()).min(0.0) + (frame.left() - rect.left()).max(0.0);
        let rect = rect.translate(egui::vec2(inside, (frame.top() - rect.top()).max(0.0)));
        if rect.left() < right {
            continue;
        }
        right = rect.right() + 2.0;
        painter.rect_filled(rect, 3.0, t.panel.gamma_multiply(0.92));
        painter.galley(rect.min + egui::vec2(4.0, 1.0), galley, color);
    }
}

/// "24, 3.1 free", or "36 of 24" where it may not suffice.
fn capacity_text(ledger: &CardLedger) -> String {
    let capacity = ledger.capacity.map(|c| crate::units::plain(c.gib(), 1)).unwrap_or_default();
    let free = ledger.free().map(|f| format!(", {} free", crate::units::plain(f.gib(), 1))).unwrap_or_default();
    if ledger.fits() == Some(true) {
        format!("{capacity}{free}")
    } else {
        format!("{} of {capacity}", crate::units::plain(ledger.total.gib(), 1))
    }
}

fn fits_text(ledger: &CardLedger) -> String {
    let fits = match ledger.fits() {
        Some(true) => "fits",
        Some(false) => "does not fit",
        None => "may not fit",
    };
    let capacity = ledger.capacity.map_or_else(|| "unknown capacity".to_owned(), |c| c.to_string());
    let share = match (ledger.limit, ledger.capacity) {
        (Some(limit), Some(capacity)) if limit < capacity => format!(", of which {limit} may be used"),
        _ => String::new(),
    };
    let free = ledger.free().filter(|_| ledger.fits() == Some(true)).map(|f| format!(", {f} free")).unwrap_or_default();
    format!("{}: {} of {capacity}{share}, between {} and {}, {fits}{free}", ledger.gpu_name, ledger.total, ledger.low, ledger.high)
}

/// The item under the pointer, explained.
fn hovered(columns: &[Column<'_>], x: f64, y: f64) -> Option<String> {
    if x < -0.5 || y < 0.0 {
        return None;
    }
    let column = columns.get(x.round() as usize)?;
    let at = x - x.round();
    let bars = column.bars();
    let under = |(_, offset, width, _): &&(&CardLedger, f64, f64, bool)| (at - offset).abs() <= width / 2.0;
    let Some((ledger, _, _, ghost)) = bars.iter().find(under) else { return column.any().map(fits_text) };
    let mut base = 0.0;
    for kind in ItemKind::ALL {
        let top = base + ledger.bytes_of(kind).gib();
        if (base..top).contains(&y) {
            let items = ledger.items.iter().filter(|i| i.kind == kind);
            let lines: Vec<String> =
                items.map(|i| format!("{}: {} ({} to {})\n{}", i.name, i.bytes, i.low, i.high, origin_text(&i.origin))).collect();
            let then = if *ghost { " (after this change)" } else { "" };
            let step = ledger.phases.map(|p| format!("\nTraining step: {}.", p.text())).unwrap_or_default();
            return Some(format!("{}{then}{step}\n{}", ledger.gpu_name, lines.join("\n\n")));
        }
        base = top;
    }
    Some(fits_text(ledger))
}

/// Every figure of the chart as text.
fn all_text(report: &Report) -> String {
    let mut lines = Vec::new();
    for ledger in &report.facts.memory {
        lines.push(format!("{}, {}", ledger.workload_name, fits_text(ledger)));
        if let Some(p) = ledger.phases {
            lines.push(format!(
                "  training step {}: forward {}, backward {}, optimizer {}; activations {}",
                p.text(),
                p.forward,
                p.backward,
                p.optimizer,
                p.activations
            ));
        }
        for item in &ledger.items {
            lines.push(format!("  {}: {} ({} to {})", item.name, item.bytes, item.low, item.high));
            lines.extend(origin_text(&item.origin).lines().map(|l| format!("    {l}")));
        }
    }
    lines.join("\n")
}
