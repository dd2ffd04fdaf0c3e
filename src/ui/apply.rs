//! Actions become edits, files and view state: the only code that writes the session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{self, ThemePreference, ViewportCommand};

use super::App;
use super::action::{Action, Screen, Theme};
use super::dialogs::Purpose;
use super::file_dialogs::{Asked, ask};
use super::replay_page::Replayed;
use super::saving::fingerprint;
use super::{autosave, rig_io};
use crate::analysis::Effort;
use crate::catalog::Copies;
use crate::catalog::model::ModelShape;
use crate::checks::finding::{Fix, Safety};
use crate::files;
use crate::import::examples::example;
use crate::import::observed::{self, Dump};
use crate::import::open;
use crate::observed::begin::begin;
use crate::project::Project;
use crate::project::edit::Edit;
use crate::project::file::json::is_rig;
use crate::replay::names::Names;
use crate::replay::{calibrate, table, with_names};
use crate::report::analyze;
use crate::search::cooling::Progress;
use crate::workload::Workload;

pub(super) const fn preference(theme: Theme) -> ThemePreference {
    match theme {
        Theme::System => ThemePreference::System,
        Theme::Dark => ThemePreference::Dark,
        Theme::Light => ThemePreference::Light,
    }
}

impl App {
    /// Whether nothing would be lost by leaving the document.
    pub(super) fn may_close(&self) -> bool {
        let own = self.lessons.own_session().unwrap_or(&self.session);
        self.quitting || self.discarding || own.history().is_saved()
    }

    /// Carries out one request.
    pub(super) fn apply(&mut self, ctx: &egui::Context, action: Action) {
        let action = if let Action::Open(path) = action { self.open_of(path) } else { action };
        if self.lessons.run.is_some()
            && (leaves_document(&action) && action != Action::Quit || matches!(action, Action::Show(Screen::Start)))
        {
            self.leave_lesson(ctx);
        }
        if leaves_document(&action) && !self.may_close() {
            // What would be lost is the user's own rig, not the lesson's.
            if self.lessons.run.is_some() {
                self.leave_lesson(ctx);
            }
            self.dialogs.ask_unsaved(action);
            return;
        }
        match action {
            Action::Edit(edit) => self.edit(&edit, false),
            Action::EditMerged(edit) => self.edit(&edit, true),
            Action::Fix(fix) => self.fix(fix),
            Action::AskAccept(key) => self.dialogs.ask_reason(key),
            Action::Select(subject) => {
                self.views.inspector.part = None;
                self.views.side.keep_below &= subject.is_none();
                self.session.select(subject);
            }
            Action::GoTo(subject) => {
                self.views.inspector.part = None;
                self.views.side.keep_below = true;
                self.views.chassis.go_to = Some(subject.clone());
                self.session.select(Some(subject));
            }
            Action::ShowPart(part) => {
                self.views.side.keep_below &= part.is_none();
                self.views.inspector.part = part;
            }
            Action::Arrange(pieces) => {
                let (catalog, project) = (self.session.catalog().clone(), self.session.project().clone());
                self.workers.arranger.ask((self.session.revision(), catalog, project, pieces));
                ctx.request_repaint();
            }
            Action::AdviseCooling => {
                let (catalog, project) = (self.session.catalog().clone(), self.session.project().clone());
                let (revision, progress) = (self.session.revision(), Arc::new(Progress::default()));
                self.dialogs.advice_asked(revision, progress.clone());
                self.workers.cooler.ask((revision, catalog, project, progress));
                ctx.request_repaint();
            }
            Action::Undo => self.step(false),
            Action::Redo => self.step(true),
            Action::New
            | Action::Open(_)
            | Action::OpenExample(_)
            | Action::StartFromModel(_)
            | Action::StartFromConfig(_)
            | Action::StartFromMachine(_)
            | Action::StartFromList(_)
            | Action::Recover(_) => self.open_something(action),
            Action::ForgetRecovered(path) => self.forget_recovered(&path),
            Action::Save => self.save_or_ask(),
            Action::SaveAs(path) => self.save_to(&path),
            Action::OpenDialog => self.ask_path(ctx, Purpose::Open),
            Action::SaveAsDialog => self.ask_path(ctx, Purpose::Save),
            Action::ImportModelDialog(index) => self.ask_path(ctx, Purpose::Model(index)),
            Action::ReplayDialog => self.ask_path(ctx, Purpose::Replay),
            Action::Replay(path) => self.replay(&path),
            Action::ExportDialog(format) => self.ask_path(ctx, Purpose::Export(format)),
            Action::ImportModel(path, index) => self.import_model(&path, index),
            Action::AddDump(path) => self.add_dump(&path),
            Action::AddDumpDialog => self.ask_dump(),
            Action::BuildModel(index) => self.dialogs.build_model(index, self.session.project()),
            Action::Export(path, format) => self.export(&path, format),
            Action::CompareDialog => self.ask_path(ctx, Purpose::Compare),
            Action::DifferenceDialog(format, turned) => self.ask_path(ctx, Purpose::Difference(format, turned)),
            Action::SideBySide(add) => self.side_by_side(&add),
            Action::SideBySideDialog => self.ask_path(ctx, Purpose::SideBySide),
            Action::SaveData(format, data) => {
                self.dialogs.data = Some(data);
                self.ask_path(ctx, Purpose::Data(format));
            }
            Action::WriteData(path, format) => self.write_data(&path, format),
            Action::Advise(wish, keep) => self.advise(*wish, keep),
            Action::ImportPricesDialog => self.ask_path(ctx, Purpose::Prices),
            Action::ImportPrices(path) => self.import_prices(&path),
            Action::Compare(path) => self.compare_file(&path),
            Action::CompareVariant(name) => self.compare_variant(&name),
            Action::Difference(path, format, turned) => self.save_difference(&path, format, turned),
            Action::Discard(then) => {
                self.discarding = true;
                self.apply(ctx, *then);
                self.discarding = false;
            }
            Action::Lesson(action) => self.lesson(ctx, action),
            Action::Quit => {
                self.quitting = true;
                ctx.send_viewport_cmd(ViewportCommand::Close);
            }
            other => self.apply_import(ctx, other),
        }
    }

    /// Foreign part data, lists and parts of the user's own.
    fn apply_import(&mut self, ctx: &egui::Context, action: Action) {
        match action {
            Action::AddList(path) => self.add_list(&path),
            Action::AddListDialog => self.ask_list(),
            Action::ImportOpenDb(path) => self.import_opendb(ctx, path),
            Action::ImportTableDialog => self.ask_path(ctx, Purpose::Table),
            Action::ImportTable(path) => self.import_table(&path),
            Action::TemplateDialog(kind) => self.ask_path(ctx, Purpose::Template(kind)),
            Action::SaveTemplate(path, kind) => self.save_template(&path, kind),
            Action::NewPart(kind) => self.dialogs.edit_part(kind, None),
            Action::EditPart(id) => self.edit_part(&id),
            Action::SavePart(draft) => self.save_part(&draft),
            Action::ReportMissing(draft) => self.report_missing(&draft),
            other => self.apply_view(ctx, other),
        }
    }

    /// Requests that touch neither document nor files.
    fn apply_view(&mut self, ctx: &egui::Context, action: Action) {
        match action {
            Action::Copy { text, what } => {
                ctx.copy_text(text);
                self.notices.tell(format!("Copied {what}."));
            }
            Action::UpdateFromCatalog => self.session.update_from_catalog(),
            Action::Show(Screen::Start) => self.start = true,
            Action::Show(Screen::Rig) => self.start = false,
            Action::Show(screen) => self.dialogs.show(screen, self.session.catalog(), self.session.project()),
            Action::Close => self.dialogs.close(),
            Action::Toggle(side) => self.prefs.toggle(side),
            Action::Layer(layer) => self.prefs.layer = layer,
            Action::ReduceMotion(still) => self.prefs.reduce_motion = still,
            Action::Fit => self.views.chassis.fit = true,
            Action::Theme(theme) => {
                self.prefs.theme = theme;
                ctx.set_theme(preference(theme));
            }
            Action::Dismiss(id) => {
                self.prefs.dismissed.insert(id.to_owned());
            }
            Action::ShowHelpLines => self.prefs.dismissed.clear(),
            Action::KeepRoom(room) => self.prefs.room = Some(room),
            Action::KeepFactors(factors) => {
                self.prefs.own_factors = factors;
                self.notices.tell("Kept your factors. A rig uses them when you say so.");
            }
            Action::ForgetRecent => self.prefs.recent.clear(),
            Action::KeepBook(prices) => self.book = Some(*prices),
            Action::ComparePart(part) => self.dialogs.compare_part(part),
            Action::Favourite(part) => {
                let id = part.as_str();
                if !self.prefs.favourites.remove(id) {
                    self.prefs.favourites.insert(id.to_owned());
                }
            }
            Action::ExportPrefs(prefs) => self.prefs.export = *prefs,
            Action::KeepPreset(name, layout) => {
                self.presets.insert(name.clone(), *layout);
                self.keep_presets(format!("Kept the layout {name}."));
            }
            Action::DropPreset(name) => {
                self.presets.remove(&name);
                self.keep_presets(format!("Forgot the layout {name}."));
            }
            Action::Notice(text) => self.notices.tell(text),
            _ => {}
        }
    }

    /// A model opened as a file: it becomes the work of the rig shown, or on the start page of a new one. Rigs may be JSON too.
    fn open_of(&self, path: PathBuf) -> Action {
        match (open::is_model(&path) && !is_rig_json(&path), self.start) {
            (false, _) => Action::Open(path),
            (true, true) => Action::StartFromConfig(path),
            (true, false) => Action::ImportModel(path, self.views.workload.shown),
        }
    }

    /// Makes an edit as a drop or menu would; for tests.
    pub fn try_edit(&mut self, edit: &Edit) {
        self.edit(edit, false);
    }

    pub(super) fn edit(&mut self, edit: &Edit, merge: bool) {
        let before = self.session.project().clone();
        match self.session.apply(edit, merge) {
            Ok(()) => self.note_edit(edit, &before),
            Err(refusal) => self.notices.problem(refusal.to_string()),
        }
    }

    fn fix(&mut self, fix: Fix) {
        match fix.safety {
            Safety::Safe => {
                let edit = Edit::Many { label: fix.label.clone(), edits: fix.edits };
                self.edit(&edit, false);
                self.notices.tell(format!("Done: {}. Undo takes it back.", fix.label));
            }
            Safety::Ask => self.dialogs.ask_fix(fix),
        }
    }

    fn step(&mut self, forward: bool) {
        let done = if forward { self.session.redo() } else { self.session.undo() };
        if let Some(label) = done {
            self.notices.tell(format!("{}: {label}", if forward { "Redone" } else { "Undone" }));
        }
    }

    fn open_something(&mut self, action: Action) {
        match action {
            Action::New => {
                let project = Project { room: self.prefs.room(), ..Project::default() };
                self.show_project(project, Copies::default(), None, Vec::new());
            }
            Action::Open(path) => self.open_path(&path),
            Action::OpenExample(name) => self.open_example(&name),
            Action::StartFromModel(name) => {
                if let Some(model) = self.session.models().iter().find(|m| m.name == name).cloned() {
                    self.start_from_model(model);
                }
            }
            Action::StartFromConfig(path) => match read_model(&path) {
                Ok(model) => {
                    let remarks = model.remarks.clone();
                    self.start_from_model(Arc::new(model));
                    self.tell_all(remarks);
                }
                Err(text) => self.notices.problem(text),
            },
            Action::StartFromMachine(dumps) => self.start_from_machine(&dumps),
            Action::StartFromList(text) => self.start_from_list(&text),
            Action::Recover(path) => self.recover(&path),
            _ => {}
        }
    }

    pub(super) fn show_project(&mut self, project: Project, copies: Copies, path: Option<&Path>, notes: Vec<String>) {
        self.session.open(project, copies, path, notes);
        self.start = false;
        self.views.inspector.part = None;
        self.views.chassis.fit = true;
    }

    fn open_path(&mut self, path: &Path) {
        let name = path.display().to_string();
        let text = files::read_text(path, files::LIMIT).map_err(|e| e.to_string());
        let on_disk = text.as_deref().ok().map(fingerprint);
        let opened = text.and_then(|text| rig_io::read(&self.base, &text, &name));
        match opened {
            // A JSON file was exported from a rig; saving makes a rig file of its own.
            Ok(opened) if is_rig_json(path) => {
                self.show_project(opened.project, opened.copies, None, opened.notes);
                self.session.mark_unsaved();
            }
            Ok(opened) => {
                self.show_project(opened.project, opened.copies, Some(path), opened.notes);
                self.on_disk = on_disk;
                self.take_up_steps(path);
                self.prefs.remember(path);
            }
            Err(text) => self.notices.problem(text),
        }
    }

    /// Opens kept work as an unsaved document; the copy goes once this window keeps its own.
    fn recover(&mut self, path: &Path) {
        let name = path.display().to_string();
        let opened =
            files::read_text(path, files::LIMIT).map_err(|e| e.to_string()).and_then(|text| rig_io::read(&self.base, &text, &name));
        match opened {
            Ok(opened) => {
                self.show_project(opened.project, opened.copies, None, opened.notes);
                self.session.mark_unsaved();
                self.recover_steps(path);
                self.forget_recovered(path);
            }
            Err(text) => self.notices.problem(text),
        }
    }

    fn forget_recovered(&mut self, path: &Path) {
        files::remove(path);
        files::remove(&autosave::steps_of(path));
        self.views.start.left_behind.retain(|l| l.path != path);
    }

    fn open_example(&mut self, name: &str) {
        let Some(preset) = example(name) else {
            self.notices.problem(format!("There is no example named {name}."));
            return;
        };
        match rig_io::read(&self.base, preset.text, preset.file) {
            Ok(opened) => {
                let room = self.prefs.room.clone().unwrap_or_else(|| opened.project.room.clone());
                self.show_project(Project { room, ..opened.project }, opened.copies, None, Vec::new());
            }
            Err(text) => self.notices.problem(text),
        }
    }

    /// The smallest example rig that holds the model, with that model as its work; else an empty rig with the model.
    fn start_from_model(&mut self, model: Arc<ModelShape>) {
        let workload = Workload::of(model);
        let mut best: Option<(i64, Project, Copies)> = None;
        for preset in rig_io::presets() {
            let Ok(opened) = rig_io::read(&self.base, preset.text, preset.file) else { continue };
            let project = Project { workloads: vec![workload.clone()], room: self.prefs.room(), ..opened.project };
            let catalog = self.base.overlaid(opened.copies.clone());
            let report = analyze(&catalog, &project, Effort::Live);
            let holds = !report.facts.memory.is_empty() && report.facts.memory.iter().all(|l| l.fits() == Some(true));
            let price = report.facts.cost.known_total.cents;
            if holds && best.as_ref().is_none_or(|(p, ..)| price < *p) {
                best = Some((price, project, opened.copies));
            }
        }
        match best {
            Some((_, project, copies)) => {
                let project = Project { name: format!("Rig for {}", workload.name), ..project };
                self.show_project(project, copies, None, Vec::new());
                self.notices.tell("Started from the cheapest example that holds this model.");
            }
            None => {
                let name = format!("Rig for {}", workload.name);
                let project = Project { name, workloads: vec![workload], room: self.prefs.room(), ..Project::default() };
                self.show_project(project, Copies::default(), None, Vec::new());
                self.notices.tell("No example holds this model: started with an empty rig. Add cards until the memory chart is satisfied.");
            }
        }
    }

    /// A rig of what the dumps tell, as a document that is nowhere saved.
    fn start_from_machine(&mut self, dumps: &[Dump]) {
        match observed::read(dumps) {
            Ok(machine) => {
                let made = begin(&self.base, &machine, &self.today);
                let project = Project { room: self.prefs.room(), ..made.project };
                self.show_project(project, made.copies, None, Vec::new());
                self.session.mark_unsaved();
                self.notices
                    .tell("Made from what your machine told. Put parts of the catalog in place of those whose model it did not tell.");
            }
            Err(errors) => errors.iter().for_each(|e| self.notices.problem(e.to_string())),
        }
    }

    fn add_dump(&mut self, path: &Path) {
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let read = files::read_bytes(path, observed::LIMIT).map_err(|e| e.to_string());
        self.dialogs.add_dump(read.map(|bytes| Dump::new(name, observed::decode(&bytes))));
    }

    /// The system's dialog; without one the path field is there already.
    fn ask_dump(&mut self) {
        let asked = if self.dialogs.without_system { Asked::NoDialog } else { ask(Purpose::Dump, "") };
        match asked {
            Asked::Chosen(path) => self.add_dump(&path),
            Asked::Cancelled => {}
            Asked::NoDialog => self.dialogs.add_dump(Err("This system shows no file dialog. Type the path into the field.".to_owned())),
        }
    }

    /// The system's dialog, else the path field.
    pub(super) fn ask_path(&mut self, ctx: &egui::Context, purpose: Purpose) {
        let name = file_name(&self.session.project().name, purpose.extension());
        let suggested = if purpose.saves() { suggested_path(self.session.path.as_deref(), &name) } else { String::new() };
        if self.dialogs.without_system {
            self.dialogs.ask_path(purpose, suggested, String::new());
            return;
        }
        match ask(purpose, &name) {
            Asked::Chosen(path) => self.apply(ctx, purpose.action(path)),
            Asked::Cancelled => {}
            Asked::NoDialog => {
                let note = "This system shows no file dialog: neither a desktop portal nor zenity answered. Type the path here.";
                self.dialogs.ask_path(purpose, suggested, note.to_owned());
            }
        }
    }

    fn import_model(&mut self, path: &Path, index: usize) {
        match read_model(path) {
            Ok(model) => {
                self.start = false;
                let remarks = model.remarks.clone();
                let model = Arc::new(model);
                let workload = match self.session.project().workloads.get(index) {
                    Some(old) => old.with_model(model),
                    None => Workload::of(model),
                };
                self.edit(&Edit::Workload { index, workload: Some(Box::new(workload)) }, false);
                self.views.workload.shown = index;
                self.tell_all(remarks);
            }
            Err(text) => self.notices.problem(text),
        }
    }

    /// Reads measured records and shows them beside predictions.
    fn replay(&mut self, path: &Path) {
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let read = files::read_text(path, files::LIMIT).map_err(|e| e.to_string()).and_then(|text| table::read(&name, &text));
        let made = read.and_then(|records| {
            let names = Names::new(&self.base, self.session.models())?;
            let factors = calibrate::fit(&names, &records);
            Ok(Replayed { name, factors, rows: with_names(&names, self.session.project(), records) })
        });
        match made {
            Ok(replayed) => {
                self.start = false;
                self.replayed = Some(replayed);
                self.dialogs.show(Screen::Replay, self.session.catalog(), self.session.project());
            }
            Err(text) => self.notices.problem(text),
        }
    }

    fn tell_all(&mut self, texts: Vec<String>) {
        for text in texts {
            self.notices.tell(text);
        }
    }
}

const fn leaves_document(action: &Action) -> bool {
    matches!(
        action,
        Action::New
            | Action::Open(_)
            | Action::OpenExample(_)
            | Action::StartFromModel(_)
            | Action::StartFromConfig(_)
            | Action::StartFromMachine(_)
            | Action::StartFromList(_)
            | Action::Recover(_)
            | Action::Quit
    )
}

fn read_model(path: &Path) -> Result<ModelShape, String> {
    open::model(path).map_err(|e| e.to_string())
}

/// Whether a file is a rig exported as JSON rather than a model's configuration.
pub(super) fn is_rig_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) && files::read_text(path, files::LIMIT).is_ok_and(|text| is_rig(&text))
}

/// "Four-card lab tower" becomes "four-card-lab-tower.toml".
fn file_name(name: &str, extension: &str) -> String {
    let words: Vec<String> = name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
    let stem = if words.is_empty() { "rig".to_owned() } else { words.join("-") };
    format!("{stem}.{extension}")
}

/// Beside the open file, else among the user's documents.
fn suggested_path(open: Option<&Path>, name: &str) -> String {
    let beside = open.and_then(Path::parent).map(Path::to_owned);
    let documents = || {
        let dirs = directories::UserDirs::new()?;
        Some(dirs.document_dir().unwrap_or_else(|| dirs.home_dir()).to_owned())
    };
    beside.or_else(documents).unwrap_or_default().join(name).display().to_string()
}

pub(super) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    if path.extension().is_some() { path.to_owned() } else { path.with_extension(extension) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_file_names() {
        assert_eq!(file_name("Four-card lab tower", "toml"), "four-card-lab-tower.toml");
        assert_eq!(file_name("///", "csv"), "rig.csv");
        assert_eq!(with_extension(Path::new("a"), "md"), Path::new("a.md"));
    }
}
