//! The parts list: a preview, copied or saved.

use eframe::egui::{self, ScrollArea, Ui};

use super::Cx;
use super::action::{Action, ExportFormat};
use super::dialogs::close_row;
use super::rig_io;
use super::widgets::{chip, sub, title};
use crate::export::ListFormat;

#[derive(Debug, Default)]
pub(super) struct PartsListState {
    format: Format,
    /// Text by document revision and format.
    made: Option<(u64, Format, Result<String, String>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Format {
    #[default]
    Markdown,
    Csv,
}

impl Format {
    const fn list(self) -> ListFormat {
        match self {
            Self::Markdown => ListFormat::Markdown,
            Self::Csv => ListFormat::Csv,
        }
    }
    const fn export(self) -> ExportFormat {
        match self {
            Self::Markdown => ExportFormat::Markdown,
            Self::Csv => ExportFormat::Csv,
        }
    }
}

pub(super) fn parts_list_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PartsListState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.horizontal(|ui| {
        ui.label(title("Parts list"));
        ui.add_space(8.0);
        for (format, name) in [(Format::Markdown, "Markdown"), (Format::Csv, "CSV")] {
            if chip(ui, cx.tokens, state.format == format, name).clicked() {
                state.format = format;
            }
        }
    });
    let revision = cx.session.revision();
    if !matches!(&state.made, Some((r, f, _)) if *r == revision && *f == state.format) {
        state.made = Some((revision, state.format, rig_io::parts_list(cx.session, state.format.list())));
    }
    ui.label(sub(cx.tokens, cx.session.report().facts.cost.total_text()));
    ui.add_space(4.0);
    let height = (ui.ctx().content_rect().height() - 240.0).max(80.0);
    match state.made.as_ref().map(|m| &m.2) {
        Some(Ok(text)) => preview_ui(ui, cx, text, height, state.format, fresh, out),
        Some(Err(why)) => {
            ui.colored_label(cx.tokens.problem, why);
        }
        None => {}
    }
    close_row(ui, false)
}

fn preview_ui(ui: &mut Ui, cx: &Cx<'_>, text: &str, height: f32, format: Format, fresh: bool, out: &mut Vec<Action>) {
    let frame = egui::Frame::new().fill(cx.tokens.background).corner_radius(6).inner_margin(10);
    frame.show(ui, |ui| {
        ScrollArea::both().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            ui.add(egui::Label::new(egui::RichText::new(text).monospace()).extend().selectable(true));
        });
    });
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        let copy = ui.button("Copy");
        if fresh {
            copy.request_focus();
        }
        if copy.clicked() {
            out.push(Action::copy("the parts list", text));
        }
        if ui.button("Save as…").clicked() {
            out.push(Action::Close);
            out.push(Action::ExportDialog(format.export()));
        }
    });
}
