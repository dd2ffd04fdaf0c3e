//! Import of BuildCores OpenDB: which copy, how far it is, what was taken, corrected and left out, and the licence's notice.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{self, CollapsingHeader, Label, ProgressBar, RichText, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::{buttons_ui, close_row};
use super::library::ImportDone;
use super::widgets::{strong, sub, title};
use crate::import::opendb::{NOTICE, Progress};
use crate::units::thousands;

#[derive(Debug, Default)]
pub(super) struct OpenDbState {
    path: String,
    running: Option<Arc<Progress>>,
    done: Option<Result<ImportDone, String>>,
}

impl OpenDbState {
    pub(super) fn started(&mut self, progress: Arc<Progress>) {
        (self.running, self.done) = (Some(progress), None);
    }
    pub(super) fn ended(&mut self, done: Result<ImportDone, String>) {
        (self.running, self.done) = (None, Some(done));
    }
}

pub(super) fn opendb_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut OpenDbState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Import BuildCores OpenDB"));
    let about = "Your own copy of the public database of parts becomes part of your catalog, in place of an earlier import. \
                 Get it from github.com/buildcores/buildcores-open-db.";
    ui.add(Label::new(sub(cx.tokens, about)).wrap());
    ui.add_space(6.0);
    let closed = match (&state.running, &state.done) {
        (Some(progress), _) => running_ui(ui, progress),
        (None, Some(Ok(done))) => {
            done_ui(ui, cx, done);
            ui.add_space(6.0);
            ui.add(Label::new(sub(cx.tokens, NOTICE)).wrap());
            return close_row(ui, false);
        }
        _ => choose_ui(ui, cx, state, fresh, out),
    };
    ui.add_space(6.0);
    ui.add(Label::new(sub(cx.tokens, NOTICE)).wrap());
    closed
}

fn choose_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut OpenDbState, fresh: bool, out: &mut Vec<Action>) -> bool {
    if let Some(Err(problem)) = &state.done {
        ui.add(Label::new(RichText::new(problem).color(cx.tokens.problem)).wrap());
    }
    let label = ui.label("Path of the folder, or of a zip archive of it");
    let field = TextEdit::singleline(&mut state.path).desired_width(f32::INFINITY).hint_text("/home/you/buildcores-open-db");
    let field = ui.add(field).labelled_by(label.id);
    if fresh {
        field.request_focus();
    }
    let entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
    let usable = !state.path.trim().is_empty();
    let pressed = buttons_ui(ui, cx, "Import", usable, false, None);
    if usable && (pressed.main || entered) {
        out.push(Action::ImportOpenDb(PathBuf::from(state.path.trim())));
    }
    pressed.cancel
}

/// Cancelling leaves the catalog as it was.
fn running_ui(ui: &mut Ui, progress: &Progress) -> bool {
    let (done, total) = progress.now();
    let share = if total == 0 { 0.0 } else { done as f32 / total as f32 };
    let text = if total == 0 {
        "Looking for records".to_owned()
    } else {
        format!("{} of {} records", thousands(done as f64, 0), thousands(total as f64, 0))
    };
    ui.add(ProgressBar::new(share).text(text));
    ui.ctx().request_repaint_after(Duration::from_millis(60));
    ui.add_space(8.0);
    let cancel = egui::Sides::new().show(ui, |_| {}, |ui| ui.button("Cancel")).1;
    if cancel.clicked() {
        progress.cancel();
    }
    false
}

fn done_ui(ui: &mut Ui, cx: &Cx<'_>, done: &ImportDone) {
    let t = cx.tokens;
    let summary = &done.summary;
    ui.label(strong(summary.text()));
    let parts: Vec<String> = summary.parts.iter().map(|(kind, n)| format!("{} {kind}", thousands(*n as f64, 0))).collect();
    ui.add(Label::new(format!("Parts: {}.", parts.join(", "))).wrap());
    let other: usize = summary.other_categories.values().sum();
    if other > 0 {
        ui.add(Label::new(format!("{} files are of things that have no place in a rig.", thousands(other as f64, 0))).wrap());
    }
    ui.add(Label::new(sub(t, format!("Written to {}.", done.folder.display()))).wrap());
    let height = (ui.ctx().content_rect().height() - 360.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        if !summary.changes.is_empty() {
            ui.label(strong("Values changed, by reason"));
            egui::Grid::new("rules").num_columns(2).spacing([12.0, 2.0]).show(ui, |ui| {
                for (rule, count) in &summary.changes {
                    ui.label(thousands(*count as f64, 0));
                    ui.label(rule.text());
                    ui.end_row();
                }
            });
        }
        if !done.left_out.is_empty() {
            CollapsingHeader::new(format!("Left out ({})", summary.left_out)).default_open(true).show(ui, |ui| {
                for line in &done.left_out {
                    ui.add(Label::new(line).wrap());
                }
            });
        }
        if !done.changed.is_empty() {
            CollapsingHeader::new(format!("Corrected ({}, the first {})", summary.corrected, done.changed.len())).show(ui, |ui| {
                for (name, changes) in &done.changed {
                    ui.add(Label::new(name).wrap());
                    for change in changes {
                        ui.add(Label::new(sub(t, change)).wrap());
                    }
                }
            });
        }
    });
}
