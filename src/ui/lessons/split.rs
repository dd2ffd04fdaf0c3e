//! Before and after one change, side by side: two drawings and the figures that differ.

use std::sync::Arc;

use eframe::egui::{self, RichText, Sense, Ui, vec2};

use super::{Run, outline};
use crate::analysis::Effort;
use crate::catalog::Catalog;
use crate::drawing::rig::draw;
use crate::project::Project;
use crate::report::{Report, analyze};
use crate::ui::Cx;
use crate::ui::chassis::{paint, view::View};
use crate::ui::theme;
use crate::ui::widgets::sub;
use crate::units::watts;

pub(in crate::ui) type Request = (Arc<Catalog>, Arc<Project>, Arc<Project>);
pub(in crate::ui) type Answer = (Arc<Project>, Arc<Report>, Arc<Report>);

/// Solves both rigs in full.
pub(in crate::ui) fn solve((catalog, before, after): Request) -> Answer {
    let reports = [&before, &after].map(|p| Arc::new(analyze(&catalog, p, Effort::Full)));
    let [was, is] = reports;
    (before, was, is)
}

/// Two rigs and, once solved, their reports.
#[derive(Debug)]
pub struct Split {
    before: Arc<Project>,
    after: Arc<Project>,
    solved: Option<[Arc<Report>; 2]>,
}

impl Split {
    pub(super) const fn new(before: Arc<Project>, after: Arc<Project>) -> Self {
        Self { before, after, solved: None }
    }

    pub(super) fn take(&mut self, (of, before, after): Answer) {
        if Arc::ptr_eq(&of, &self.before) {
            self.solved = Some([before, after]);
        }
    }

    pub const fn is_solved(&self) -> bool {
        self.solved.is_some()
    }
}

/// Both halves, each with its figures below.
pub(in crate::ui) fn split_ui(ui: &mut Ui, cx: &Cx<'_>, run: &Run) {
    let Some(split) = &run.split else { return };
    let rect = ui.available_rect_before_wrap();
    let Some([before, after]) = &split.solved else {
        ui.centered_and_justified(|ui| ui.label(sub(cx.tokens, "Computing …")));
        return;
    };
    let rows = differing(before, after);
    let foot = 22.0 + rows.len() as f32 * 19.0;
    let half = vec2((rect.width() - 12.0) / 2.0, rect.height());
    let rigs = [(&split.before, before, "Before"), (&split.after, after, "After")];
    for (n, (project, report, name)) in rigs.into_iter().enumerate() {
        let left = rect.left() + n as f32 * (half.x + 12.0);
        let cell = egui::Rect::from_min_size(egui::pos2(left, rect.top()), half);
        let picture = egui::Rect::from_min_max(cell.min + vec2(0.0, 24.0), cell.max - vec2(0.0, foot));
        let painter = ui.painter().with_clip_rect(cell);
        painter.rect_filled(picture, 6.0, cx.tokens.background);
        painter.text(cell.left_top() + vec2(6.0, 2.0), egui::Align2::LEFT_TOP, name, theme::semibold(15.0), cx.tokens.text);
        let drawing = draw(&run.course.catalog, project, report, cx.prefs.layer);
        let mut view = View::default();
        let shown = if run.presenting { outline::around(&report.facts.space, cx.prefs.layer, Vec::new()) } else { drawing.bounds };
        view.update(&shown, picture);
        paint::drawing(&painter.with_clip_rect(picture), &drawing, &view, cx.tokens);
        let said: Vec<String> =
            rows.iter().map(|(what, values)| format!("{what}: {}", values.get(n).cloned().unwrap_or_default())).collect();
        let response = ui.interact(picture, ui.scope_id().with(("half", n)), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{name}: {}", said.join(", "))));
        let below = egui::Rect::from_min_max(egui::pos2(cell.left() + 6.0, picture.bottom() + 4.0), cell.max);
        ui.scope_builder(egui::UiBuilder::new().max_rect(below), |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.spacing_mut().interact_size.y = 17.0;
            for (what, values) in &rows {
                ui.horizontal(|ui| {
                    ui.label(sub(cx.tokens, *what));
                    ui.label(RichText::new(values.get(n).cloned().unwrap_or_default()).font(theme::semibold(13.5)));
                });
            }
        });
    }
    ui.allocate_rect(rect, Sense::hover());
}

/// The figures that differ, at most four.
fn differing(before: &Report, after: &Report) -> Vec<(&'static str, [String; 2])> {
    type Figure = (&'static str, fn(&Report) -> Option<String>);
    let figures: [Figure; 7] = [
        ("Memory", |r| {
            let most = r.facts.memory.iter().max_by_key(|l| l.total)?;
            let fits = match most.fits() {
                Some(true) => "fits",
                Some(false) => "does not fit",
                None => "may fit",
            };
            Some(format!("{}, {fits}", most.total))
        }),
        ("Hottest card", |r| {
            let hot = r.facts.airflow.cards.iter().filter_map(|c| c.state.as_ref());
            hot.map(|s| s.die.value).max_by(f64::total_cmp).map(|t| format!("{t:.0} °C"))
        }),
        ("Slowest clock", |r| {
            let slow = r.facts.airflow.cards.iter().filter_map(|c| c.state.as_ref());
            slow.map(|s| s.clock).min_by(f64::total_cmp).map(|c| format!("{:.0} %", c * 100.0))
        }),
        ("Fed with", |r| {
            let fed = r.facts.lanes.hosts.iter().filter_map(|h| h.alone_gb_s);
            fed.min_by(f64::total_cmp).map(|v| format!("{v:.1} GB/s"))
        }),
        ("From the wall", |r| r.facts.power.wall_w.map(watts)),
        ("Purchase", |r| Some(r.facts.cost.total_text())),
        ("Serious findings", |r| {
            let tally = crate::checks::Tally::of(&r.findings);
            Some((tally.blockers + tally.problems).to_string())
        }),
    ];
    let unknown = |v: Option<String>| v.unwrap_or_else(|| "unknown".to_owned());
    let rows = figures.into_iter().map(|(what, of)| (what, [unknown(of(before)), unknown(of(after))]));
    rows.filter(|(_, [a, b])| a != b).take(4).collect()
}
