//! Which columns a list has, in which order: chosen ones first, to be moved up and down, then the others.

use eframe::egui::{ScrollArea, Ui};

use super::super::Cx;
use super::super::icons::Icon;
use super::super::widgets::{icon_button, sub};
use crate::export::columns::Column;

/// True when something changed. The last column cannot be taken away.
pub(super) fn columns_ui(ui: &mut Ui, cx: &Cx<'_>, columns: &mut Vec<Column>, height: f32) -> bool {
    let before = columns.clone();
    let mut step: Option<(usize, usize)> = None;
    ScrollArea::vertical().id_salt("columns").max_height(height).auto_shrink([false, false]).show(ui, |ui| {
        ui.label(sub(cx.tokens, "Columns, in order"));
        let last = before.len().saturating_sub(1);
        for (at, column) in before.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                let mut on = true;
                if ui.add_enabled(before.len() > 1, eframe::egui::Checkbox::new(&mut on, column.title())).changed() {
                    columns.retain(|c| c != column);
                }
                ui.with_layout(eframe::egui::Layout::right_to_left(eframe::egui::Align::Center), |ui| {
                    if at < last && icon_button(ui, cx.tokens, Icon::Down, &format!("Move {} down", column.title())).clicked() {
                        step = Some((at, at + 1));
                    }
                    if at > 0 && icon_button(ui, cx.tokens, Icon::Up, &format!("Move {} up", column.title())).clicked() {
                        step = Some((at, at - 1));
                    }
                });
            });
        }
        ui.add_space(4.0);
        ui.label(sub(cx.tokens, "Not shown"));
        for column in Column::ALL.iter().filter(|c| !before.contains(c)) {
            let mut on = false;
            if ui.checkbox(&mut on, column.title()).changed() {
                columns.push(*column);
            }
        }
    });
    if let Some((a, b)) = step {
        columns.swap(a, b);
    }
    *columns != before
}
