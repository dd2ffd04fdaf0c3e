//! A parts list pasted, dropped or read from a file becomes a rig: what each item was taken for, before anything is made.

use std::path::PathBuf;

use eframe::egui::{self, Grid, Label, RichText, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::buttons_ui;
use super::widgets::{strong, sub, title};
use crate::import::parts_list::{How, PartsList, read};

#[derive(Debug, Default)]
pub(super) struct PastedState {
    text: String,
    path: String,
    problem: Option<String>,
    /// What came of the text, which is kept beside it.
    made: Option<(String, Result<PartsList, String>)>,
}

impl PastedState {
    pub(super) fn take(&mut self, text: Result<String, String>) {
        match text {
            Ok(text) => (self.text, self.problem) = (text, None),
            Err(problem) => self.problem = Some(problem),
        }
    }
}

pub(super) fn pasted_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PastedState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Start from a parts list"));
    let about = "Paste a list from PCPartPicker or a page: Markdown, plain text or HTML. Parts that the catalog lacks become placeholders \
                 with what their names say.";
    ui.add(Label::new(sub(cx.tokens, about)).wrap());
    if state.made.as_ref().is_none_or(|(text, _)| *text != state.text) {
        state.made = Some((state.text.clone(), read(cx.session.catalog(), &state.text, cx.today)));
    }
    ScrollArea::vertical().id_salt("pasted").max_height(110.0).show(ui, |ui| {
        let field = TextEdit::multiline(&mut state.text).desired_rows(5).desired_width(f32::INFINITY).hint_text("Paste the list here");
        let field = ui.add(field).accessible_name("Parts list");
        if fresh {
            field.request_focus();
        }
    });
    ui.horizontal(|ui| {
        let label = ui.label(sub(cx.tokens, "Path of a file"));
        let width = (ui.available_width() - 92.0).max(120.0);
        let field = TextEdit::singleline(&mut state.path).desired_width(width).hint_text("/home/you/parts.md");
        let entered = ui.add(field).labelled_by(label.id).lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        let usable = !state.path.trim().is_empty();
        if usable && (ui.button("Read").clicked() || entered) {
            out.push(Action::AddList(PathBuf::from(std::mem::take(&mut state.path).trim())));
        }
        if !usable && ui.button("Choose…").clicked() {
            out.push(Action::AddListDialog);
        }
    });
    if let Some(problem) = &state.problem {
        ui.add(Label::new(RichText::new(problem).color(cx.tokens.problem)).wrap());
    }
    let made = state.made.as_ref().map(|(_, made)| made);
    match made {
        Some(Ok(list)) => lines_ui(ui, cx, list),
        Some(Err(problem)) if !state.text.trim().is_empty() => {
            ui.add(Label::new(RichText::new(problem).color(cx.tokens.advice)).wrap());
        }
        _ => {}
    }
    let usable = matches!(made, Some(Ok(list)) if list.matched().1 > 0);
    let pressed = buttons_ui(ui, cx, "Make the rig", usable, false, None);
    if pressed.main {
        out.push(Action::Close);
        out.push(Action::StartFromList(state.text.clone()));
    }
    pressed.cancel
}

fn lines_ui(ui: &mut Ui, cx: &Cx<'_>, list: &PartsList) {
    let t = cx.tokens;
    ui.add_space(4.0);
    ui.label(strong(list.summary()));
    let height = (ui.ctx().content_rect().height() - 420.0).max(100.0);
    let width = ui.available_width();
    ScrollArea::vertical().id_salt("found").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        Grid::new("items").num_columns(3).striped(true).spacing([12.0, 6.0]).show(ui, |ui| {
            for line in &list.lines {
                let cell = |ui: &mut Ui, width: f32, text: RichText| {
                    ui.vertical(|ui| {
                        ui.set_width(width);
                        ui.add(Label::new(text).wrap());
                    });
                };
                let count = if line.count > 1 { format!("{} x ", line.count) } else { String::new() };
                cell(ui, width * 0.38, RichText::new(format!("{count}{}", line.item)));
                let part = match line.how {
                    How::PartNumber | How::Name => line.part_name.clone().unwrap_or_default(),
                    How::Placeholder | How::LeftOut => String::new(),
                };
                cell(ui, width * 0.34, RichText::new(part));
                let (color, sure) = match line.how {
                    How::PartNumber => (t.good, String::new()),
                    How::Name => (t.good, format!(", {:.0} % sure", line.confidence * 100.0)),
                    How::Placeholder => (t.advice, String::new()),
                    How::LeftOut => (t.sub, String::new()),
                };
                cell(ui, width * 0.2, RichText::new(format!("{}{sure}", line.how.text())).color(color));
                ui.end_row();
            }
        });
    });
}
