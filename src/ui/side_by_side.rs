//! Up to four builds side by side: a table with what differs marked, and bars of the figures that decide.

use std::sync::Arc;

use eframe::egui::{self, Align2, Grid, Label, RichText, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::Cx;
use super::action::{Action, Format};
use super::dialogs::close_row;
use super::export::{Compared, rig};
use super::rig_io;
use super::theme;
use super::widgets::{chip, strong, sub, title};
use crate::analysis::Effort;
use crate::catalog::Catalog;
use crate::export::Rig;
use crate::export::compare::{Comparison, Line, MOST, compare};
use crate::export::{Options, markdown};
use crate::project::Project;
use crate::report::analyze;

/// A build to set beside the present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Add {
    /// Only open the page.
    Nothing,
    Variant(String),
    /// An example, by its name.
    Example(String),
    File(std::path::PathBuf),
}

#[derive(Debug, Default)]
pub(super) struct SideState {
    others: Vec<Arc<Compared>>,
    only_differences: bool,
    bars: bool,
    made: Option<((u64, usize), Comparison)>,
}

impl SideState {
    /// A build beside the present one; the oldest goes where there are too many.
    pub fn add(&mut self, other: Compared) {
        if self.others.len() + 1 >= MOST {
            self.others.remove(0);
        }
        self.others.push(Arc::new(other));
        self.made = None;
    }

    fn refresh(&mut self, cx: &Cx<'_>) {
        let key = (cx.session.revision(), self.others.len());
        if self.made.as_ref().is_none_or(|m| m.0 != key) {
            let rigs = self.others.iter().map(|o| (o.name.as_str(), Rig { catalog: &o.catalog, project: &o.project, report: &o.report }));
            let all: Vec<(&str, Rig<'_>)> = std::iter::once((cx.session.project().name.as_str(), rig(cx.session))).chain(rigs).collect();
            self.made = Some((key, compare(&all)));
        }
    }
}

/// The build that is meant, analysed.
///
/// # Errors
/// A sentence.
pub(super) fn read(base: &Catalog, cx_catalog: &Arc<Catalog>, project: &Project, add: &Add) -> Result<Option<Compared>, String> {
    let made = |name: String, catalog: Arc<Catalog>, project: Project| {
        let report = analyze(&catalog, &project, Effort::Live);
        Some(Compared { name, catalog, project, report })
    };
    match add {
        Add::Nothing => Ok(None),
        Add::Variant(name) => {
            let build = project.variants.get(name).ok_or_else(|| format!("There is no variant named {name}."))?;
            Ok(made(name.clone(), cx_catalog.clone(), Project { rig: build.clone(), ..project.clone() }))
        }
        Add::Example(name) => {
            let found = rig_io::presets().iter().find(|p| p.name == *name).ok_or_else(|| format!("There is no example named {name}."))?;
            let opened = rig_io::read(base, found.text, found.file)?;
            Ok(made(opened.project.name.clone(), Arc::new(base.overlaid(opened.copies)), opened.project))
        }
        Add::File(path) => {
            let text = crate::files::read_text(path, crate::files::LIMIT).map_err(|e| e.to_string())?;
            let opened = rig_io::read(base, &text, &path.display().to_string())?;
            Ok(made(opened.project.name.clone(), Arc::new(base.overlaid(opened.copies)), opened.project))
        }
    }
}

pub(super) fn side_by_side_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut SideState, fresh: bool, out: &mut Vec<Action>) -> bool {
    state.refresh(cx);
    ui.label(title("Builds side by side"));
    choose_ui(ui, cx, state, out);
    ui.add_space(4.0);
    let height = (ui.ctx().content_rect().height() - 250.0).max(140.0);
    let Some((_, comparison)) = &state.made else { return close_row(ui, fresh) };
    ScrollArea::both().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        if state.bars {
            bars_ui(ui, cx, comparison);
        } else {
            table_ui(ui, cx, comparison, state.only_differences);
        }
    });
    foot_ui(ui, cx, comparison, out);
    close_row(ui, fresh)
}

fn choose_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut SideState, out: &mut Vec<Action>) {
    let full = state.others.len() + 1 >= MOST;
    ui.horizontal_wrapped(|ui| {
        ui.add_enabled_ui(!full, |ui| {
            ui.menu_button("Add a variant", |ui| {
                for name in cx.session.project().variants.keys() {
                    if ui.button(name).clicked() {
                        out.push(Action::SideBySide(Add::Variant(name.clone())));
                        ui.close();
                    }
                }
                if cx.session.project().variants.is_empty() {
                    ui.label(sub(cx.tokens, "This rig has no variant."));
                }
            });
            ui.menu_button("Add an example", |ui| {
                for preset in rig_io::presets() {
                    if ui.button(&preset.name).clicked() {
                        out.push(Action::SideBySide(Add::Example(preset.name.clone())));
                        ui.close();
                    }
                }
            });
            if ui.button("Add a file…").clicked() {
                out.push(Action::SideBySideDialog);
            }
        });
        let mut gone = None;
        for (n, other) in state.others.iter().enumerate() {
            if ui.button(format!("Remove {}", other.name)).clicked() {
                gone = Some(n);
            }
        }
        if let Some(n) = gone {
            state.others.remove(n);
            state.made = None;
        }
    });
    ui.horizontal(|ui| {
        for (bars, name) in [(false, "table"), (true, "bars")] {
            if chip(ui, cx.tokens, state.bars == bars, name).clicked() {
                state.bars = bars;
            }
        }
        ui.checkbox(&mut state.only_differences, "Only what differs");
    });
    state.refresh(cx);
}

fn table_ui(ui: &mut Ui, cx: &Cx<'_>, comparison: &Comparison, only_differences: bool) {
    let t = cx.tokens;
    let columns = comparison.builds.len();
    let width = ((ui.available_width() - 230.0) / columns.max(1) as f32 - 12.0).clamp(130.0, 420.0);
    Grid::new("side-by-side").num_columns(columns + 1).spacing(vec2(12.0, 4.0)).striped(true).show(ui, |ui| {
        ui.label("");
        for name in &comparison.builds {
            left(ui, width, strong(name));
        }
        ui.end_row();
        for group in &comparison.groups {
            let lines: Vec<&Line> = group.lines.iter().filter(|l| l.differs || !only_differences).collect();
            if lines.is_empty() {
                continue;
            }
            ui.label(strong(group.name).color(t.accent));
            for _ in 0..columns {
                ui.label("");
            }
            ui.end_row();
            for line in lines {
                let name = if line.differs { RichText::new(&line.name) } else { sub(t, line.name.as_str()) };
                left(ui, 210.0, name).on_hover_text(&line.name);
                let best = line.best();
                for (n, text) in line.texts.iter().enumerate() {
                    let shown = if text.is_empty() { "none" } else { text.as_str() };
                    let cell = match (line.differs, best == Some(n)) {
                        (_, true) => RichText::new(shown).font(theme::semibold(13.0)).color(t.good),
                        (true, false) => RichText::new(shown).color(t.text),
                        (false, false) => sub(t, shown),
                    };
                    ui.scope(|ui| {
                        ui.set_width(width);
                        ui.add(Label::new(cell).wrap());
                    });
                }
                ui.end_row();
            }
        }
    });
}

/// A text cut to a width, at its left.
pub(super) fn left(ui: &mut Ui, width: f32, text: RichText) -> egui::Response {
    ui.scope(|ui| {
        ui.set_width(width);
        ui.add(Label::new(text).truncate())
    })
    .inner
}

/// Figures that are shown as bars, by group and the beginning of their name.
const BARS: [(&str, &str); 10] = [
    ("Cost", "Purchase"),
    ("Cost", "Cost over 3 years"),
    ("Speed", ""),
    ("Memory", "Graphics memory"),
    ("Power", "Draw from the wall"),
    ("Heat and noise", "Hottest card"),
    ("Heat and noise", "Noise"),
    ("Links", "Slowest card"),
    ("Findings", "Blockers"),
    ("Findings", "Problems"),
];

fn bars_ui(ui: &mut Ui, cx: &Cx<'_>, comparison: &Comparison) {
    let lines = |group: &str, start: &str| {
        let of = comparison.groups.iter().filter(|g| g.name == group).flat_map(|g| &g.lines);
        of.filter(|l| l.name.starts_with(start) && l.values.iter().any(Option::is_some)).collect::<Vec<_>>()
    };
    for (group, start) in BARS {
        for line in lines(group, start) {
            bar_ui(ui, cx, comparison, line);
        }
    }
}

fn bar_ui(ui: &mut Ui, cx: &Cx<'_>, comparison: &Comparison, line: &Line) {
    let t = cx.tokens;
    let most = line.values.iter().flatten().copied().fold(0.0, f64::max);
    let wish = match line.better {
        crate::export::compare::Better::Higher => ", higher is better",
        crate::export::compare::Better::Lower => ", lower is better",
        crate::export::compare::Better::Neither => "",
    };
    let unit = if line.unit.is_empty() { String::new() } else { format!(" in {}", line.unit) };
    ui.label(strong(&line.name));
    ui.label(sub(t, format!("{}{unit}{wish}", if unit.is_empty() { "number" } else { "" }).trim().to_owned()));
    let best = line.best();
    for ((n, name), text) in comparison.builds.iter().enumerate().zip(&line.texts) {
        let value = line.values.get(n).copied().flatten();
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width().min(900.0), 18.0), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Figure, true, format!("{}, {name}: {text}", line.name)));
        let (left, right) = (rect.left() + 200.0, rect.right() - 130.0);
        let painter = ui.painter();
        let cut: String = name.chars().take(30).collect();
        painter.text(egui::pos2(left - 8.0, rect.center().y), Align2::RIGHT_CENTER, cut, theme::regular(12.0), t.text);
        let share = value.filter(|_| most > 0.0).map_or(0.0, |v| v / most) as f32;
        let bar =
            egui::Rect::from_min_max(egui::pos2(left, rect.top() + 3.0), egui::pos2(left + (right - left) * share, rect.bottom() - 3.0));
        painter.rect_filled(bar, 2.0, if best == Some(n) { t.good } else { t.cold });
        painter.text(egui::pos2(bar.right() + 6.0, rect.center().y), Align2::LEFT_CENTER, text, theme::regular(12.0), t.text);
    }
    ui.add_space(8.0);
}

fn foot_ui(ui: &mut Ui, cx: &Cx<'_>, comparison: &Comparison, out: &mut Vec<Action>) {
    let count = comparison.differences().count();
    ui.horizontal_wrapped(|ui| {
        let text = if comparison.builds.len() < 2 {
            "Add a build to compare with.".to_owned()
        } else {
            format!("{} differ. Sums of money are in {}.", crate::units::count(count as u64, "line"), comparison.currency)
        };
        ui.label(sub(cx.tokens, text));
        if ui.button("Copy as Markdown").clicked() {
            out.push(Action::copy("the comparison", markdown::markdown(&comparison.table())));
        }
        for format in [Format::Csv, Format::Xlsx, Format::Html] {
            if ui.button(format!("Save as {}…", format.name())).clicked()
                && let Ok(data) = comparison.export(format, &Options::default())
            {
                out.push(Action::SaveData(format, data.into()));
            }
        }
    });
}
