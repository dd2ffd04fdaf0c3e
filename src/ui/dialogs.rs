//! Dialogs: one at a time, closed by Esc.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{self, Id, Key, Modal, TextEdit, Ui};

use super::action::{Action, Screen, Theme};
use super::advise_page::{AdviseState, Flags, advise_ui};
use super::arrange::{Answer, ArrangeState, arrange_ui};
use super::by_hand::{ByHandState, by_hand_ui};
use super::cooling::{self, CoolingState, cooling_ui};
use super::export::{Compared, ExportState, export_ui};
use super::fit_page::{FitState, fit_page_ui};
use super::flow_network::{FlowState, flow_network_ui};
use super::import_list::{PastedState, pasted_ui};
use super::import_opendb::{OpenDbState, opendb_ui};
use super::lessons::LessonAction;
use super::lessons::list::{ListState, list_ui};
use super::lessons::record::RecordAction;
use super::library::ImportDone;
use super::machine::{MachineState, MachineUse, machine_ui};
use super::notices::{Notices, log_ui};
use super::palette_dialog::{PaletteState, palette_ui};
use super::part_compare::{PartCompareState, part_compare_ui};
use super::part_editor::{EditorState, editor_ui};
use super::price_book::{PriceBookState, price_book_ui};
pub use super::purpose::Purpose;
use super::replay_page::{ReplayState, replay_page_ui};
use super::saving::overwrite_ui;
use super::settings::{SettingsState, settings_ui};
use super::side_by_side::{SideState, side_by_side_ui};
use super::topology::{TopologyState, topology_ui};
use super::variants::{VariantsState, variants_ui};
use super::widgets::{primary_button, sub, title};
use super::{Cx, commands};
use crate::catalog::Catalog;
use crate::catalog::part::Part;
use crate::checks::Tally;
use crate::checks::finding::Fix;
use crate::import::observed::Dump;
use crate::import::opendb;
use crate::project::edit::Edit;
use crate::project::{FindingKey, Project};
use crate::report::Report;
use crate::search::cooling::Progress;
use crate::units::watts;

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
    Variants(VariantsState),
    Advise(Box<AdviseState>),
    PriceBook(PriceBookState),
    PartCompare(PartCompareState),
    SideBySide(SideState),
    Cooling(CoolingState),
    FlowNetwork(FlowState),
    Lessons(ListState),
    OpenDb(OpenDbState),
    PartsList(PastedState),
    Editor(Box<EditorState>),
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
    /// What waits to be written, once its path is known.
    pub(super) data: Option<Arc<[u8]>>,
    /// Dialogs that come back when the one above them is closed.
    below: Option<Dialog>,
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
        // A page that asked for a path comes back afterwards.
        let page = |d: &Dialog| matches!(d, Dialog::Advise(_) | Dialog::SideBySide(_));
        self.below = self.open.take().filter(page);
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

    /// The form of a part; of none, a new one of a kind.
    pub(super) fn edit_part(&mut self, kind: &str, part: Option<&Part>) {
        self.set(Dialog::Editor(Box::new(EditorState::of(kind, part))));
    }
    /// Whether a parts list is being collected.
    pub(super) fn takes_list(&self) -> bool {
        matches!(self.open, Some(Dialog::PartsList(_)))
    }
    pub(super) fn add_list(&mut self, text: Result<String, String>) {
        if let Some(Dialog::PartsList(state)) = &mut self.open {
            state.take(text);
        }
    }
    pub(super) fn import_started(&mut self, progress: Arc<opendb::Progress>) {
        if let Some(Dialog::OpenDb(state)) = &mut self.open {
            state.started(progress);
        }
    }
    pub(super) fn import_ended(&mut self, done: Result<ImportDone, String>) {
        if let Some(Dialog::OpenDb(state)) = &mut self.open {
            state.ended(done);
        }
    }

    /// Shows what it takes to turn that build into the rig.
    pub(super) fn compare(&mut self, other: Compared) {
        let other = Arc::new(other);
        self.compared = Some(other.clone());
        self.set(Dialog::Export(ExportState::comparing(other)));
    }

    /// Sets a build beside the present one, and shows them.
    pub(super) fn side_by_side(&mut self, other: Option<Compared>) {
        if !matches!(self.open, Some(Dialog::SideBySide(_))) {
            let before = self.below.take().filter(|d| matches!(d, Dialog::SideBySide(_)));
            self.set(before.unwrap_or_else(|| Dialog::SideBySide(SideState::default())));
        }
        if let (Some(Dialog::SideBySide(state)), Some(other)) = (&mut self.open, other) {
            state.add(other);
        }
    }

    /// The search for the best rigs has begun.
    pub(super) fn advising(&mut self, flags: Arc<Flags>) {
        if let Some(Dialog::Advise(state)) = &mut self.open {
            state.started(flags);
        }
    }
    /// The search for the best rigs is done.
    pub(super) fn advised(&mut self, answer: super::advise_page::Answer) {
        let waiting = [&mut self.open, &mut self.below].into_iter().flatten();
        for dialog in waiting {
            if let Dialog::Advise(state) = dialog {
                state.take(answer);
                return;
            }
        }
    }

    pub(super) fn price_book(&mut self, book: crate::import::price_book::Book) {
        self.set(Dialog::PriceBook(PriceBookState::of(Arc::new(book))));
    }
    pub(super) fn compare_part(&mut self, part: crate::catalog::part::PartId) {
        self.set(Dialog::PartCompare(PartCompareState::of(part)));
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
            Screen::Variants => self.set(Dialog::Variants(VariantsState::default())),
            Screen::SideBySide => self.side_by_side(None),
            Screen::Advise => self.set(Dialog::Advise(Box::default())),
            Screen::Cooling => self.set(Dialog::Cooling(CoolingState::default())),
            Screen::FlowNetwork => self.set(Dialog::FlowNetwork(FlowState::default())),
            Screen::Topology => self.set(Dialog::Topology(TopologyState::default())),
            Screen::Lessons => self.set(Dialog::Lessons(ListState::default())),
            Screen::About => self.set(Dialog::About),
            Screen::Palette => self.set(Dialog::Palette(PaletteState::default())),
            Screen::Help => self.set(Dialog::Help),
            Screen::Log => self.set(Dialog::Log),
            Screen::Compare => self.set(Dialog::Machine(MachineState::new(MachineUse::Compare))),
            Screen::OpenDb => self.set(Dialog::OpenDb(OpenDbState::default())),
            Screen::FromList => self.set(Dialog::PartsList(PastedState::default())),
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

    /// A search for advice has begun.
    pub(super) fn advice_asked(&mut self, revision: u64, progress: Arc<Progress>) {
        if let Some(Dialog::Cooling(state)) = &mut self.open {
            state.asked(revision, progress);
        }
    }

    /// It is done.
    pub(super) fn cooled(&mut self, answer: cooling::Answer) {
        if let Some(Dialog::Cooling(state)) = &mut self.open {
            state.take(answer);
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
                Purpose::List => Action::AddListDialog,
                Purpose::Table => Action::ImportTableDialog,
                Purpose::Template(kind) => Action::TemplateDialog(kind),
                Purpose::Export(format) => Action::ExportDialog(format),
                Purpose::Compare => Action::CompareDialog,
                Purpose::SideBySide => Action::SideBySideDialog,
                Purpose::Prices => Action::ImportPricesDialog,
                Purpose::Data(format) => Action::SaveData(format, self.data.clone().unwrap_or_default()),
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
        // egui centres by the size of the frame before: once more where it has changed.
        let (id, size) = (Id::unique("dialog size"), modal.response.rect.size());
        let before_size = ctx.data_mut(|d| d.get_temp::<egui::Vec2>(id));
        if before_size.is_none_or(|b| (b - size).length() > 0.5) {
            ctx.data_mut(|d| d.insert_temp(id, size));
            ctx.request_repaint();
        }
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
                | Dialog::Variants(_)
                | Dialog::Advise(_)
                | Dialog::PriceBook(_)
                | Dialog::PartCompare(_)
                | Dialog::SideBySide(_)
                | Dialog::Cooling(_)
                | Dialog::FlowNetwork(_)
                | Dialog::Lessons(_)
                | Dialog::OpenDb(_)
                | Dialog::PartsList(_)
                | Dialog::Editor(_)
                | Dialog::Log
        );
        let acted = out.len() > before && !keeps;
        if after_save.is_some() {
            self.after_save = after_save;
        }
        if modal.should_close() || modal.inner || acted {
            self.open = self.below.take();
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
            Self::Topology(_) | Self::Fit(_) | Self::Replay(_) | Self::PartCompare(_) => 900.0,
            Self::FlowNetwork(_) => 1060.0,
            Self::Export(_) | Self::Advise(_) | Self::SideBySide(_) => 1080.0,
            Self::Variants(_) | Self::PriceBook(_) => 700.0,
            Self::Machine(_) | Self::Cooling(_) | Self::OpenDb(_) | Self::PartsList(_) | Self::Editor(_) => 780.0,
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
        Dialog::Cooling(state) => cooling_ui(ui, cx, state, fresh, out),
        Dialog::FlowNetwork(state) => flow_network_ui(ui, cx, state, fresh, out),
        Dialog::Topology(state) => topology_ui(ui, cx, state, fresh, out),
        Dialog::Variants(state) => variants_ui(ui, cx, state, fresh, out),
        Dialog::Advise(state) => advise_ui(ui, cx, state, fresh, out),
        Dialog::PriceBook(state) => price_book_ui(ui, cx, state, fresh, out),
        Dialog::PartCompare(state) => part_compare_ui(ui, cx, state, fresh, out),
        Dialog::SideBySide(state) => side_by_side_ui(ui, cx, state, fresh, out),
        Dialog::Palette(state) => palette_ui(ui, cx, state, fresh, out),
        Dialog::ByHand(state) => by_hand_ui(ui, cx, state, fresh, out),
        Dialog::Machine(state) => machine_ui(ui, cx, state, fresh, out),
        Dialog::Lessons(state) => list_ui(ui, cx, state, fresh, out),
        Dialog::OpenDb(state) => opendb_ui(ui, cx, state, fresh, out),
        Dialog::PartsList(state) => pasted_ui(ui, cx, state, fresh, out),
        Dialog::Editor(state) => editor_ui(ui, cx, state, fresh, out),
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
        opendb::NOTICE,
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
