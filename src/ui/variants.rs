//! Builds kept in one rig file: branch, rename, switch, compare, delete. Each is an edit that can be undone.

use eframe::egui::{self, Label, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::close_row;
use super::side_by_side::Add;
use super::widgets::{card, offer_button, strong, sub, title};
use crate::analysis::cost::purchase;
use crate::build::Build;
use crate::project::Project;
use crate::project::edit::{Edit, VariantChange};

/// What is being written.
#[derive(Debug, Default)]
pub(super) struct VariantsState {
    new: String,
    /// The variant that is being renamed, and its new name.
    renaming: Option<(String, String)>,
}

pub(super) fn variants_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut VariantsState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Variants of this rig"));
    let text = "Builds kept beside the present one in the same file. They share room, work, prices and limits.";
    ui.add(Label::new(sub(cx.tokens, text)).wrap());
    ui.add_space(6.0);
    let project = cx.session.project();
    ui.horizontal(|ui| {
        let field = ui.add(TextEdit::singleline(&mut state.new).hint_text("Name").desired_width(240.0));
        field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Name of the new variant"));
        let name = state.new.trim().to_owned();
        let free = !name.is_empty() && !project.variants.contains_key(&name);
        if ui.add_enabled(free, egui::Button::new("Keep the present build")).clicked() {
            out.push(Action::Edit(Edit::Variant { name, change: VariantChange::Keep }));
            state.new.clear();
        }
        if !free && !state.new.trim().is_empty() {
            ui.label(sub(cx.tokens, "has this name already"));
        }
    });
    ui.add_space(6.0);
    let height = (ui.ctx().content_rect().height() - 260.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        if project.variants.is_empty() {
            ui.label(sub(cx.tokens, "There is none yet."));
        }
        for (name, build) in &project.variants {
            variant_ui(ui, cx, state, name, build, out);
            ui.add_space(4.0);
        }
    });
    close_row(ui, fresh)
}

fn variant_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut VariantsState, name: &str, build: &Build, out: &mut Vec<Action>) {
    let project = cx.session.project();
    let same = *build == project.rig;
    card(ui, cx.tokens, same, |ui| {
        ui.push_id(name, |ui| {
            if let Some((old, text)) = state.renaming.as_mut().filter(|r| r.0 == name) {
                let (mut done, mut cancel) = (false, false);
                ui.horizontal(|ui| {
                    let field = ui.add(TextEdit::singleline(text).desired_width(240.0));
                    field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "New name of the variant"));
                    let free = !text.trim().is_empty() && (text.trim() == old || !project.variants.contains_key(text.trim()));
                    done = ui.add_enabled(free, egui::Button::new("Rename")).clicked();
                    cancel = ui.button("Leave it").clicked();
                });
                if done && text.trim() != old {
                    let change = VariantChange::Rename(text.trim().to_owned());
                    out.push(Action::Edit(Edit::Variant { name: name.to_owned(), change }));
                }
                if done || cancel {
                    state.renaming = None;
                }
                return;
            }
            ui.label(strong(name));
            ui.label(sub(cx.tokens, about(cx, build, same)));
            ui.horizontal_wrapped(|ui| {
                let edit = |change| Action::Edit(Edit::Variant { name: name.to_owned(), change });
                if ui.add_enabled(!same, egui::Button::new("Switch to it")).clicked() {
                    out.push(Action::Edit(switch(project, name)));
                }
                if ui.add_enabled(!same, egui::Button::new("Compare")).clicked() {
                    out.push(Action::SideBySide(Add::Variant(name.to_owned())));
                }
                if ui.add_enabled(!same, egui::Button::new("What to buy")).clicked() {
                    out.push(Action::CompareVariant(name.to_owned()));
                }
                if ui.add_enabled(!same, egui::Button::new("Replace by the present build")).clicked() {
                    out.push(edit(VariantChange::Keep));
                }
                if ui.button("Rename…").clicked() {
                    state.renaming = Some((name.to_owned(), name.to_owned()));
                }
                if offer_button(ui, cx.tokens, "Delete").clicked() {
                    out.push(edit(VariantChange::Drop));
                }
            });
        });
    });
}

/// Pieces and price of a build.
fn about(cx: &Cx<'_>, build: &Build, same: bool) -> String {
    let project = Project { rig: build.clone(), ..Project::clone(cx.session.project()) };
    let cost = purchase(cx.session.catalog(), &project);
    let pieces = crate::units::count(cost.lines.len() as u64, "part");
    let same = if same { ", the same as the present build" } else { "" };
    format!("{pieces}, {}{same}", cost.total_text())
}

/// Brings a variant back; a present build that is in no variant is kept under a name of its own first.
pub(super) fn switch(project: &Project, name: &str) -> Edit {
    let to = Edit::Variant { name: name.to_owned(), change: VariantChange::Switch };
    if project.rig.is_empty() || project.variants.values().any(|b| *b == project.rig) {
        return to;
    }
    let keep = Edit::Variant { name: free_name(project, "Build"), change: VariantChange::Keep };
    Edit::Many { label: format!("Switch to {name}"), edits: vec![keep, to] }
}

/// "Build 1", the first that no variant has.
pub(super) fn free_name(project: &Project, stem: &str) -> String {
    let mut names = (1..).map(|n| format!("{stem} {n}"));
    names.find(|n| !project.variants.contains_key(n)).unwrap_or_else(|| stem.to_owned())
}
