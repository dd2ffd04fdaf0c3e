//! "Arrange cards": which pieces may move, what the best placement gains, and the moves, before any is made.

use std::sync::Arc;

use eframe::egui::{self, Key, Label, ScrollArea, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::close_row;
use super::widgets::{primary_button, strong, sub, title};
use crate::analysis::lanes::Lanes;
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::project::Project;
use crate::project::edit::Edit;
use crate::search::arrange::{Arrangement, arrange, movable};

/// Document revision, what to search in, and the pieces that may move.
pub(super) type Request = (u64, Arc<Catalog>, Arc<Project>, Vec<PlacementId>);
pub(super) type Answer = (u64, Vec<PlacementId>, Option<Arrangement>);

pub(super) fn search((revision, catalog, project, chosen): Request) -> Answer {
    let found = arrange(&catalog, &project, &chosen);
    (revision, chosen, found)
}

#[derive(Debug)]
pub(super) struct ArrangeState {
    pieces: Vec<(PlacementId, bool)>,
    /// The answer, and the pieces that it was asked for.
    answer: Option<(Vec<PlacementId>, Option<Arrangement>)>,
}

impl ArrangeState {
    pub(super) fn of(catalog: &Catalog, project: &Project) -> Self {
        Self { pieces: movable(catalog, project).into_iter().map(|id| (id, true)).collect(), answer: None }
    }

    fn chosen(&self) -> Vec<PlacementId> {
        self.pieces.iter().filter(|p| p.1).map(|p| p.0).collect()
    }

    pub(super) fn take(&mut self, chosen: Vec<PlacementId>, found: Option<Arrangement>) {
        self.answer = Some((chosen, found));
    }

    /// The answer for what is chosen now.
    fn current(&self) -> Option<Option<&Arrangement>> {
        self.answer.as_ref().filter(|(of, _)| *of == self.chosen()).map(|(_, found)| found.as_ref())
    }

    /// The edit that it proposes.
    pub(super) fn edit(&self) -> Option<&Edit> {
        self.current().flatten()?.edit.as_ref()
    }
}

pub(super) fn arrange_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ArrangeState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Arrange cards"));
    ui.add(Label::new(sub(cx.tokens, ORDER)).wrap());
    ui.add_space(4.0);
    if state.pieces.is_empty() {
        ui.label("There is nothing to arrange: the board holds no card or drive, and none waits beside it.");
        return close_row(ui, fresh);
    }
    if fresh {
        out.push(Action::Arrange(state.chosen()));
    }
    let height = (ui.ctx().content_rect().height() - 320.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        ui.label(strong("May move"));
        let before = state.chosen();
        for (id, chosen) in &mut state.pieces {
            ui.checkbox(chosen, seated(cx, &cx.session.report().facts.lanes, *id));
        }
        if state.chosen() != before {
            out.push(Action::Arrange(state.chosen()));
        }
        ui.add_space(8.0);
        answer_ui(ui, cx, state);
    });
    buttons_ui(ui, cx, state, out)
}

const ORDER: &str = "Best in this order: nothing switched off or in the way of another card, the widest narrowest link of a GPU, least work \
    lost to heat and then the coolest hottest card, most air between cards, fewest shared uplinks, fewest moves.";

fn answer_ui(ui: &mut Ui, cx: &Cx<'_>, state: &ArrangeState) {
    match state.current() {
        None if state.chosen().is_empty() => {
            ui.label("Choose at least one piece that may move.");
        }
        None => {
            ui.label(sub(cx.tokens, "Trying places…"));
        }
        Some(None) => {
            ui.label("None of these goes into a connector of this board.");
        }
        Some(Some(found)) => {
            ui.label(strong(if found.edit.is_some() { "What it gains" } else { "Result" }));
            for line in &found.gains {
                ui.add(Label::new(line).wrap());
            }
            if !found.exact {
                ui.add(Label::new(sub(cx.tokens, "There are too many placements to try all: this is the best of those tried.")).wrap());
            }
            moves_ui(ui, cx);
        }
    }
}

/// Each piece that moves, from the preview of the edit: its place and link before and after.
fn moves_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let Some(Ok((project, report))) = cx.preview.map(|p| p.outcome.as_ref()) else { return };
    let (before, after) = (&cx.session.report().facts.lanes, &report.facts.lanes);
    let mut lines = Vec::new();
    for (id, piece) in project.rig.placements() {
        let place =
            |lanes: &Lanes| lanes.of(id).map_or_else(|| "beside the rig".to_owned(), |l| format!("{}, {}", l.connector, l.trained.text()));
        let (was, is) = (place(before), place(after));
        if was != is {
            let name = cx.session.catalog().part(&piece.part).map_or("a part", |p| p.short_name());
            lines.push(format!("{name}: {was}, then {is}"));
        }
    }
    if lines.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.label(strong("Links that change"));
    for line in lines {
        ui.add(Label::new(line).wrap());
    }
}

/// "RTX 3090 Turbo in PCIE7, x16 Gen4".
fn seated(cx: &Cx<'_>, lanes: &Lanes, id: PlacementId) -> String {
    let piece = cx.session.project().rig.placement(id);
    let name = piece.and_then(|p| cx.session.catalog().part(&p.part)).map_or("a part", |p| p.short_name());
    match lanes.of(id) {
        Some(link) => format!("{name} in {}, {}", link.connector, link.trained.text()),
        None => format!("{name}, not placed"),
    }
}

fn buttons_ui(ui: &mut Ui, cx: &Cx<'_>, state: &ArrangeState, out: &mut Vec<Action>) -> bool {
    ui.add_space(8.0);
    let mut close = false;
    let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let edit = state.edit();
        let apply = primary_button(ui, cx.tokens, edit.is_some(), "Move them");
        if edit.is_some() && ui.memory(|m| m.focused().is_none()) {
            apply.request_focus();
        }
        let enter = apply.has_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        if let Some(edit) = edit.filter(|_| apply.clicked() || enter) {
            out.push(Action::Edit(edit.clone()));
            close = true;
        }
        let cancel = ui.button(if edit.is_some() { "Leave them" } else { "Close" });
        close |= cancel.clicked();
    });
    close
}
