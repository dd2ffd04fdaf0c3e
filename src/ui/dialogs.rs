//! Dialogs: one at a time, closed by Esc.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{self, Id, Key, Modal, TextEdit, Ui};

use super::action::{Action, Format, Screen, Theme};
use super::arrange::{Answer, ArrangeState, arrange_ui};
use super::by_hand::{ByHandState, by_hand_ui};
use super::export::{Compared, ExportState, export_ui};
use super::fit_page::{FitState, fit_page_ui};
use super::lessons::LessonAction;
use super::lessons::list::{ListState, list_ui};
use super::lessons::record::RecordAction;
use super::machine::{MachineState, MachineUse, machine_ui};
use super::notices::{Notices, log_ui};
use super::palette_dialog::{PaletteState, palette_ui};
use super::replay_page::{ReplayState, replay_page_ui};
use super::saving::overwrite_ui;
use super::settings::{SettingsState, settings_ui};
use super::topology::{TopologyState, topology_ui};
use super::widgets::{primary_button, sub, title};
use super::{Cx, commands};
use crate::catalog::Catalog;
use crate::checks::Tally;
use crate::checks::finding::Fix;
use crate::import::observed::Dump;
use crate::project::edit::Edit;
use crate::project::{FindingKey, Project};
use crate::report::Report;
use crate::units::watts;

/// What a path is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Open,
    Save,
    /// A model's file for the workload at the index.
    Model(usize),
    /// Output of lspci and the like.
    Dump,
    /// A table of measured records.
    Replay,
    Export(Format),
    /// A rig to compare with.
    Compare,
    /// The difference to the compared build; true = from this build to the other.
    Difference(Format, bool),
    /// A lesson as a page; true = with answers.
    Worksheet(bool),
    /// How far the user got with the lessons.
    Progress,
    /// A recorded lesson.
    Lesson,
}

impl Purpose {
    pub const fn title(self) -> &'static str {
        match self {
            Self::Open => "Open a rig file, or a model's config.json, .gguf or .safetensors",
            Self::Save => "Save the rig as",
            Self::Model(_) => "Open a model's config.json, .gguf or .safetensors",
            Self::Dump => "Read the output of lspci, nvidia-smi or dmidecode",
            Self::Replay => "Open a table of measured records",
            Self::Compare => "Open a rig file to compare with",
            Self::Difference(..) => "Save the difference as",
            Self::Worksheet(_) => "Save the work sheet as",
            Self::Progress => "Save your progress as",
            Self::Lesson => "Save the lesson as",
            Self::Export(Format::Svg | Format::Png) => "Save the picture as",
            Self::Export(Format::Json) => "Save the rig as JSON",
            Self::Export(Format::Html) => "Save the page as",
            Self::Export(Format::Xlsx) => "Save the workbook as",
            Self::Export(_) => "Save the parts list as",
        }
    }
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Open | Self::Save | Self::Compare | Self::Progress | Self::Lesson => "toml",
            Self::Worksheet(_) => "html",
            Self::Model(_) => "json",
            Self::Dump => "txt",
            Self::Replay => "csv",
            Self::Export(format) | Self::Difference(format, _) => format.extension(),
        }
    }
    /// What a path for it looks like.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Open | Self::Save | Self::Compare => "/home/you/rig.toml",
            Self::Model(_) => "/home/you/Llama-3.1-8B/config.json",
            Self::Dump => "/home/you/lspci.txt",
            Self::Replay => "/home/you/measured.csv",
            Self::Worksheet(_) => "/home/you/work-sheet.html",
            Self::Progress => "/home/you/progress.toml",
            Self::Lesson => "/home/you/lesson.toml",
            Self::Export(format) | Self::Difference(format, _) => match format {
                Format::Markdown => "/home/you/parts.md",
                Format::Text => "/home/you/parts.txt",
                Format::Bbcode => "/home/you/parts.bbcode",
                Format::Csv => "/home/you/parts.csv",
                Format::Xlsx => "/home/you/rig.xlsx",
                Format::Html => "/home/you/rig.html",
                Format::Json => "/home/you/rig.json",
                Format::Svg => "/home/you/rig.svg",
                Format::Png => "/home/you/rig.png",
            },
        }
    }
    pub const fn filter(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Open => ("Rigs and models", &["toml", "json", "gguf", "safetensors"]),
            Self::Save => ("Rig files", &["toml"]),
            Self::Model(_) => ("Models", &["json", "gguf", "safetensors"]),
            Self::Dump => ("Dumps of a machine", &["txt", "xml", "log"]),
            Self::Replay => ("CSV", &["csv"]),
            Self::Worksheet(_) => ("Web pages", &["html"]),
            Self::Progress => ("Progress", &["toml"]),
            Self::Lesson => ("Lessons", &["toml"]),
            Self::Compare => ("Rig files", &["toml", "json"]),
            Self::Export(format) | Self::Difference(format, _) => match format {
                Format::Markdown => ("Markdown", &["md"]),
                Format::Text => ("Text", &["txt"]),
                Format::Bbcode => ("BBCode", &["bbcode", "txt"]),
                Format::Csv => ("CSV", &["csv"]),
                Format::Xlsx => ("Excel workbooks", &["xlsx"]),
                Format::Html => ("Web pages", &["html"]),
                Format::Json => ("JSON", &["json"]),
                Format::Svg => ("SVG", &["svg"]),
                Format::Png => ("PNG", &["png"]),
            },
        }
    }
    pub const fn saves(self) -> bool {
        matches!(self, Self::Save | Self::Export(_) | Self::Difference(..) | Self::Worksheet(_) | Self::Progress | Self::Lesson)
    }
    pub fn action(self, path: PathBuf) -> Action {
        match self {
            Self::Open => Action::Open(path),
            Self::Save => Action::SaveAs(path),
            Self::Model(index) => Action::ImportModel(path, index),
            Self::Dump => Action::AddDump(path),
            Self::Replay => Action::Replay(path),
            Self::Export(format) => Action::Export(path, format),
            Self::Compare => Action::Compare(path),
            Self::Difference(format, turned) => Action::Difference(path, format, turned),
            Self::Worksheet(answers) => Action::Lesson(LessonAction::Sheet(path, answers)),
            Self::Progress => Action::Lesson(LessonAction::Progress(path)),
            Self::Lesson => Action::Lesson(LessonAction::Record(RecordAction::Save(path))),
        }
    }
}

#[derive(Debug)]
enum Dialog {
    /// Ask about unsaved changes, then go on with the action.
    Unsaved(Action),
    /// Ask before a file is overwritten that changed since it was read.
    Overwrite(PathBuf),
    Path {
        purpose: Purpose,
        text: String,
        note: String,
    },
    Fix(Fix),
    Accept {
        key: FindingKey,
        reason: String,
    },
    Rename {
        name: String,
        notes: String,
    },
    Fit(FitState),
    Replay(ReplayState),
    Export(ExportState),
    Settings(SettingsState),
    Palette(PaletteState),
    ByHand(ByHandState),
    Machine(MachineState),
    Topology(TopologyState),
    Arrange(ArrangeState),
    Lessons(ListState),
    About,
    Help,
    Log,
}

/// The dialog that is open, and what waits for it.
#[derive(Debug, Default)]
pub struct Dialogs {
    open: Option<Dialog>,
    /// A path to ask for as soon as the present frame is done.
    pub pending_ask: Option<Purpose>,
    after_save: Option<Action>,
    /// The build last compared with.
    pub(super) compared: Option<Arc<Compared>>,
    queued: Vec<Action>,
    fresh: bool,
    /// Ask for paths by the field only, never by the system's dialog.
    pub without_system: bool,
}

impl Dialogs {
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn set(&mut self, dialog: Dialog) {
        self.open = Some(dialog);
        self.fresh = true;
    }

    pub fn close(&mut self) {
        self.open = None;
    }

    pub fn ask_unsaved(&mut self, then: Action) {
        self.set(Dialog::Unsaved(then));
    }
    pub fn ask_overwrite(&mut self, path: PathBuf) {
        self.set(Dialog::Overwrite(path));
    }
    pub fn ask_path(&mut self, purpose: Purpose, text: String, note: String) {
        self.set(Dialog::Path { purpose, text, note });
    }
    pub fn ask_fix(&mut self, fix: Fix) {
        self.set(Dialog::Fix(fix));
    }
    pub fn ask_reason(&mut self, key: FindingKey) {
        self.set(Dialog::Accept { key, reason: String::new() });
    }

    /// A model built by hand for the workload at the index.
    pub fn build_model(&mut self, index: usize, project: &Project) {
        self.set(Dialog::ByHand(ByHandState::of(index, project)));
    }

    /// Whether dumps of a machine are being collected.
    pub fn takes_dumps(&self) -> bool {
        matches!(self.open, Some(Dialog::Machine(_)))
    }
    /// A dump that was read, or why it could not be.
    pub fn add_dump(&mut self, dump: Result<Dump, String>) {
        if let Some(Dialog::Machine(state)) = &mut self.open {
            state.add(dump);
        }
    }

    /// Shows what it takes to turn that build into the rig.
    pub(super) fn compare(&mut self, other: Compared) {
        let other = Arc::new(other);
        self.compared = Some(other.clone());
        self.set(Dialog::Export(ExportState::comparing(other)));
    }

    /// What to do once the document is saved.
    pub fn take_after_save(&mut self) -> Option<Action> {
        self.after_save.take()
    }
    /// An action for the next frame.
    pub fn queue(&mut self, action: Action) {
        self.queued.push(action);
    }

    pub fn show(&mut self, screen: Screen, catalog: &Catalog, project: &Project) {
        match screen {
            Screen::Start | Screen::Rig => {}
            Screen::Fit => self.set(Dialog::Fit(FitState::default())),
            Screen::Replay => self.set(Dialog::Replay(ReplayState::default())),
            Screen::PartsList => self.set(Dialog::Export(ExportState::default())),
            Screen::Settings => self.set(Dialog::Settings(SettingsState::of(project))),
            Screen::Arrange => self.set(Dialog::Arrange(ArrangeState::of(catalog, project))),
            Screen::Topology => self.set(Dialog::Topology(TopologyState::default())),
            Screen::Lessons => self.set(Dialog::Lessons(ListState::default())),
            Screen::About => self.set(Dialog::About),
            Screen::Palette => self.set(Dialog::Palette(PaletteState::default())),
            Screen::Help => self.set(Dialog::Help),
            Screen::Log => self.set(Dialog::Log),
            Screen::Compare => self.set(Dialog::Machine(MachineState::new(MachineUse::Compare))),
            Screen::FromMachine => self.set(Dialog::Machine(MachineState::new(MachineUse::Begin))),
            Screen::Rename => self.set(Dialog::Rename { name: project.name.clone(), notes: project.notes.clone() }),
        }
    }

    /// The edit that the open dialog proposes, for a preview.
    pub fn preview_edit(&self) -> Option<Edit> {
        match &self.open {
            Some(Dialog::Fix(fix)) => Some(fix_edit(fix)),
            Some(Dialog::Arrange(state)) => state.edit().cloned(),
            _ => None,
        }
    }

    /// The search for the best places is done.
    pub(super) fn arranged(&mut self, (_, chosen, found): Answer) {
        if let Some(Dialog::Arrange(state)) = &mut self.open {
            state.take(chosen, found);
        }
    }

    pub fn ui(&mut self, ctx: &egui::Context, cx: &Cx<'_>, notices: &Notices, out: &mut Vec<Action>) {
        if let Some(purpose) = self.pending_ask.take() {
            out.push(match purpose {
                Purpose::Open => Action::OpenDialog,
                Purpose::Save => Action::SaveAsDialog,
                Purpose::Model(index) => Action::ImportModelDialog(index),
                Purpose::Dump => Action::AddDumpDialog,
                Purpose::Replay => Action::ReplayDialog,
                Purpose::Export(format) => Action::ExportDialog(format),
                Purpose::Compare => Action::CompareDialog,
                Purpose::Difference(format, turned) => Action::DifferenceDialog(format, turned),
                Purpose::Worksheet(answers) => Action::Lesson(LessonAction::SheetDialog(String::new(), answers)),
                Purpose::Progress => Action::Lesson(LessonAction::ProgressDialog(String::new())),
                Purpose::Lesson => Action::Lesson(LessonAction::Record(RecordAction::SaveDialog)),
            });
        }
        out.append(&mut self.queued);
        let fresh = std::mem::take(&mut self.fresh);
        let Some(dialog) = &mut self.open else { return };
        if fresh {
            // Whatever had the keyboard or a tooltip lies behind the dialog now.
            ctx.memory_mut(|m| m.focused().inspect(|id| m.surrender_focus(*id)));
            ctx.request_repaint();
        }
        let before = out.len();
        let mut after_save = None;
        let width = dialog.width().min(ctx.content_rect().width() - 64.0);
        let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(18).corner_radius(10);
        let modal = Modal::new(Id::unique("dialog")).frame(frame).show(ctx, |ui| {
            ui.set_width(width);
            ui.set_max_height(ctx.content_rect().height() - 110.0);
            dialog_ui(ui, cx, dialog, fresh, notices, &mut after_save, out)
        });
        let keeps = matches!(
            dialog,
            Dialog::Export(_)
                | Dialog::Fit(_)
                | Dialog::Replay(_)
                | Dialog::Settings(_)
                | Dialog::ByHand(_)
                | Dialog::Machine(_)
                | Dialog::Topology(_)
                | Dialog::Arrange(_)
                | Dialog::Lessons(_)
                | Dialog::Log
        );
        let acted = out.len() > before && !keeps;
        if after_save.is_some() {
            self.after_save = after_save;
        }
        if modal.should_close() || modal.inner || acted {
            self.open = None;
            ctx.request_repaint();
        }
    }
}

fn fix_edit(fix: &Fix) -> Edit {
    Edit::Many { label: fix.label.clone(), edits: fix.edits.clone() }
}

impl Dialog {
    const fn width(&self) -> f32 {
        match self {
            Self::Topology(_) | Self::Fit(_) | Self::Replay(_) => 900.0,
            Self::Export(_) => 1080.0,
            Self::Machine(_) => 780.0,
            Self::Lessons(_) => 720.0,
            Self::Arrange(_) | Self::Settings(_) | Self::ByHand(_) => 620.0,
            Self::Help | Self::Log | Self::About => 580.0,
            Self::Unsaved(_)
            | Self::Overwrite(_)
            | Self::Path { .. }
            | Self::Fix(_)
            | Self::Accept { .. }
            | Self::Rename { .. }
            | Self::Palette(_) => 460.0,
        }
    }
}

/// One dialog's content; true = close it.
fn dialog_ui(
    ui: &mut Ui,
    cx: &Cx<'_>,
    dialog: &mut Dialog,
    fresh: bool,
    notices: &Notices,
    after_save: &mut Option<Action>,
    out: &mut Vec<Action>,
) -> bool {
    match dialog {
        Dialog::Unsaved(then) => unsaved_ui(ui, cx, then, fresh, after_save, out),
        Dialog::Overwrite(path) => overwrite_ui(ui, cx, path, fresh, out),
        Dialog::Path { purpose, text, note } => path_ui(ui, cx, *purpose, text, note, fresh, out),
        Dialog::Fix(fix) => fix_ui(ui, cx, fix, out),
        Dialog::Accept { key, reason } => accept_ui(ui, cx, key, reason, fresh, out),
        Dialog::Rename { name, notes } => rename_ui(ui, cx, name, notes, fresh, out),
        Dialog::Fit(state) => fit_page_ui(ui, cx, state, fresh, out),
        Dialog::Replay(state) => replay_page_ui(ui, cx, state, fresh, out),
        Dialog::Export(state) => export_ui(ui, cx, state, fresh, out),
        Dialog::Settings(state) => settings_ui(ui, cx, state, fresh, out),
        Dialog::Arrange(state) => arrange_ui(ui, cx, state, fresh, out),
        Dialog::Topology(state) => topology_ui(ui, cx, state, fresh, out),
        Dialog::Palette(state) => palette_ui(ui, cx, state, fresh, out),
        Dialog::ByHand(state) => by_hand_ui(ui, cx, state, fresh, out),
        Dialog::Machine(state) => machine_ui(ui, cx, state, fresh, out),
        Dialog::Lessons(state) => list_ui(ui, cx, state, fresh, out),
        Dialog::About => about_ui(ui, cx, fresh),
        Dialog::Help => help_ui(ui, cx, fresh),
        Dialog::Log => {
            ui.label(title("Message log"));
            log_ui(ui, cx, notices, out);
            close_row(ui, fresh)
        }
    }
}

/// A lone Close button at the right; true when clicked.
pub(super) fn close_row(ui: &mut Ui, fresh: bool) -> bool {
    ui.add_space(8.0);
    let close = egui::Sides::new().show(ui, |_| {}, |ui| ui.button("Close")).1;
    if fresh {
        close.request_focus();
    }
    close.clicked()
}

/// What was pressed at the foot of a dialog.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pressed {
    pub main: bool,
    pub cancel: bool,
    /// The button at the left that gives something up.
    pub other: bool,
}

/// The buttons of a dialog, in the order of Tab: the main one at the right, Cancel beside it, and last, at the left, what gives something up.
/// The main one takes the keyboard if `focus` is set and nothing else has it.
pub(super) fn buttons_ui(ui: &mut Ui, cx: &Cx<'_>, main: &str, enabled: bool, focus: bool, other: Option<&str>) -> Pressed {
    ui.add_space(8.0);
    let mut pressed = Pressed::default();
    let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let button = primary_button(ui, cx.tokens, enabled, main);
        if focus && enabled && ui.memory(|m| m.focused().is_none()) {
            button.request_focus();
        }
        pressed.main = button.clicked();
        pressed.cancel = ui.button("Cancel").clicked();
        if let Some(other) = other {
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| pressed.other = ui.button(other).clicked());
        }
    });
    pressed
}

fn unsaved_ui(ui: &mut Ui, cx: &Cx<'_>, then: &Action, fresh: bool, after_save: &mut Option<Action>, out: &mut Vec<Action>) -> bool {
    ui.label(title(format!("Save the changes to {}?", cx.session.project().name)));
    ui.label(sub(cx.tokens, "Without saving, everything since the last save is lost."));
    let pressed = buttons_ui(ui, cx, "Save", true, fresh, Some("Leave without saving"));
    if pressed.main {
        *after_save = Some(then.clone());
        out.push(Action::Save);
    }
    if pressed.other {
        out.push(Action::Discard(Box::new(then.clone())));
    }
    pressed.cancel
}

fn path_ui(ui: &mut Ui, cx: &Cx<'_>, purpose: Purpose, text: &mut String, note: &str, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title(purpose.title()));
    if !note.is_empty() {
        ui.add(egui::Label::new(sub(cx.tokens, note)).wrap());
    }
    let label = ui.label("Path of the file");
    let output = TextEdit::singleline(text).desired_width(f32::INFINITY).hint_text(purpose.hint()).show(ui);
    let field = output.response.response.labelled_by(label.id);
    if fresh {
        field.request_focus();
        // The name is what most people change: it starts selected, its folder and ending kept.
        let mut state = output.state;
        state.cursor.set_char_range(Some(name_range(text)));
        state.store(ui.ctx(), field.id);
    }
    let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    let word = if purpose.saves() { "Save" } else { "Open" };
    let usable = !text.trim().is_empty();
    let pressed = buttons_ui(ui, cx, word, usable, false, None);
    if pressed.main || entered && usable {
        out.push(purpose.action(PathBuf::from(text.trim())));
    }
    pressed.cancel
}

/// The file's name in a path, without its ending.
fn name_range(path: &str) -> CCursorRange {
    let start = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let name = path.get(start..).unwrap_or_default();
    let end = start + name.rfind('.').unwrap_or(name.len());
    let chars = |to: usize| CCursor::new(path.get(..to).map_or(0, |t| t.chars().count()));
    CCursorRange::two(chars(start), chars(end))
}

fn rename_ui(ui: &mut Ui, cx: &Cx<'_>, name: &mut String, notes: &mut String, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Name and notes"));
    let label = ui.label(sub(cx.tokens, "Name of the rig"));
    let field = ui.add(TextEdit::singleline(name).desired_width(f32::INFINITY)).labelled_by(label.id);
    if fresh {
        field.request_focus();
    }
    let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    let label = ui.label(sub(cx.tokens, "Notes"));
    ui.add(TextEdit::multiline(notes).desired_width(f32::INFINITY).desired_rows(5)).labelled_by(label.id);
    let usable = !name.trim().is_empty();
    let pressed = buttons_ui(ui, cx, "Keep", usable, false, None);
    if usable && (pressed.main || entered) {
        let edits = vec![Edit::Name(name.trim().to_owned()), Edit::Notes(notes.clone())];
        out.push(Action::Edit(Edit::Many { label: "Rename".to_owned(), edits }));
    }
    pressed.cancel
}

fn accept_ui(ui: &mut Ui, cx: &Cx<'_>, key: &FindingKey, reason: &mut String, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Accept this finding"));
    ui.add(egui::Label::new(sub(cx.tokens, "It stays in the report, greyed, with your reason, and no longer counts.")).wrap());
    let label = ui.label("Why you live with it");
    let field = ui.add(TextEdit::singleline(reason).desired_width(f32::INFINITY)).labelled_by(label.id);
    if fresh {
        field.request_focus();
    }
    let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    let usable = !reason.trim().is_empty();
    let pressed = buttons_ui(ui, cx, "Accept", usable, false, None);
    if pressed.main || entered && usable {
        out.push(Action::Edit(Edit::Accept { finding: key.clone(), because: Some(reason.trim().to_owned()) }));
    }
    pressed.cancel
}

fn fix_ui(ui: &mut Ui, cx: &Cx<'_>, fix: &Fix, out: &mut Vec<Action>) -> bool {
    ui.label(title(&fix.label));
    ui.label(sub(cx.tokens, "This replaces a choice or spends money. It would change:"));
    let edit = fix_edit(fix);
    let outcome = cx.preview.filter(|p| p.edit == edit).map(|p| &p.outcome);
    match outcome {
        None => {
            ui.label("Computing …");
        }
        Some(Err(refusal)) => {
            ui.colored_label(cx.tokens.problem, refusal.to_string());
        }
        Some(Ok((_, after))) => differences_ui(ui, cx.session.report(), after),
    }
    let pressed = buttons_ui(ui, cx, "Apply", matches!(outcome, Some(Ok(_))), true, None);
    if pressed.main {
        out.push(Action::Edit(edit));
    }
    pressed.cancel
}

fn differences_ui(ui: &mut Ui, now: &Report, after: &Report) {
    let speed = |r: &Report| r.facts.speed.first().and_then(|s| s.value).map_or("unknown".to_owned(), |v| format!("{v:.1} tokens/s"));
    let fails = |r: &Report| match super::findings::fails_text(&Tally::of(&r.findings)) {
        none if none.is_empty() => "none".to_owned(),
        text => text,
    };
    let rows = [
        ("Purchase", now.facts.cost.total_text(), after.facts.cost.total_text()),
        ("Typical draw", watts(now.facts.power.typical_w), watts(after.facts.power.typical_w)),
        ("Speed of the first workload", speed(now), speed(after)),
        ("Findings", fails(now), fails(after)),
    ];
    egui::Grid::new("differences").num_columns(3).spacing([16.0, 4.0]).show(ui, |ui| {
        for head in ["", "now", "then"] {
            ui.label(super::widgets::strong(head));
        }
        ui.end_row();
        for (name, before, then) in rows {
            ui.label(name);
            ui.label(&before);
            ui.label(if then == before { egui::RichText::new(then).weak() } else { super::widgets::strong(then) });
            ui.end_row();
        }
    });
}

fn about_ui(ui: &mut Ui, cx: &Cx<'_>, fresh: bool) -> bool {
    let versions = cx.session.versions();
    ui.label(title("Rigbay"));
    ui.label(format!("Program {}, catalog {}, model core {}", versions.program, versions.catalog, versions.core));
    ui.label(format!("{} parts and {} models known", cx.session.catalog().len(), cx.session.models().len()));
    ui.add_space(6.0);
    let lines = [
        "Rigbay is free software under the MIT licence or the Apache licence 2.0, at your choice.",
        "Parts in catalogs/opendb, and those that you import, derive from BuildCores OpenDB.",
        crate::import::opendb::NOTICE,
        "Other facts name their source on the part itself; prices name source and day.",
        "Text is set in Inter, copyright The Inter Project Authors, under the SIL Open Font License 1.1.",
        "Rules marked G come from Tim Dettmers' hardware guide of 2018 and its later notes.",
    ];
    for line in lines {
        ui.add(egui::Label::new(line).wrap());
    }
    close_row(ui, fresh)
}

fn help_ui(ui: &mut Ui, cx: &Cx<'_>, fresh: bool) -> bool {
    ui.label(title("Keyboard and mouse"));
    let mouse = [
        ("Drag a part onto the rig", "place it; Esc gives up, Shift fills all matching places"),
        ("Drag a placed part", "move it; with Ctrl copy it; drop it on the parts panel to remove it"),
        ("Enter on a part", "choose its place from a list"),
        ("Tab, arrow keys", "go from one thing to the next"),
        ("Wheel, drag on the background", "zoom and pan the rig"),
        ("Ctrl with + or -", "zoom the whole window"),
    ];
    let height = ui.ctx().content_rect().height() - 220.0;
    egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
        egui::Grid::new("help").num_columns(2).striped(true).spacing([20.0, 5.0]).show(ui, |ui| {
            for (what, effect) in mouse {
                ui.label(what);
                ui.label(sub(cx.tokens, effect));
                ui.end_row();
            }
            for command in commands::ALL.iter().filter(|c| !c.shortcuts.is_empty()) {
                let keys: Vec<String> = command.shortcuts.iter().map(|s| ui.ctx().format_shortcut(s)).collect();
                ui.label(command.name);
                ui.label(sub(cx.tokens, keys.join(" or ")));
                ui.end_row();
            }
        });
    });
    close_row(ui, fresh)
}

/// The three themes as one choice.
pub(super) fn theme_row_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    for (theme, name) in [(Theme::System, "System"), (Theme::Dark, "Dark"), (Theme::Light, "Light")] {
        if super::widgets::chip(ui, cx.tokens, cx.prefs.theme == theme, name).clicked() {
            out.push(Action::Theme(theme));
        }
    }
}
