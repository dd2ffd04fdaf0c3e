//! Opening and saving rig files: nothing on disk is overwritten unseen, and the undo steps come along.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use super::apply::with_extension;
use super::dialogs::{Purpose, buttons_ui};
use super::widgets::{sub, title};
use super::{Action, App, Cx, autosave, rig_io};
use crate::files;
use crate::project::history::kept;
use eframe::egui::Ui;

/// Files whose undo steps are kept; those of others are forgotten, oldest first.
const HISTORIES: usize = 50;

/// Stands for a file's content while the program runs.
pub(super) fn fingerprint(text: &str) -> u64 {
    let mut hash = DefaultHasher::new();
    text.hash(&mut hash);
    hash.finish()
}

impl App {
    pub(super) fn save_or_ask(&mut self) {
        match self.session.path.clone() {
            Some(path) if self.changed_elsewhere(&path) => self.dialogs.ask_overwrite(path),
            Some(path) => self.save_to(&path),
            None => self.dialogs.pending_ask = Some(Purpose::Save),
        }
    }

    /// Whether the file holds something else than this window last read from it or wrote to it. A file that is gone is no loss.
    fn changed_elsewhere(&self, path: &Path) -> bool {
        let now = files::read_text(path, files::LIMIT).ok().map(|text| fingerprint(&text));
        now.is_some() && now != self.on_disk
    }

    pub(super) fn save_to(&mut self, path: &Path) {
        let path = with_extension(path, "toml");
        let saved = rig_io::write(self.session.catalog(), self.session.project())
            .and_then(|text| files::write_atomic(&path, text.as_bytes()).map(|()| text).map_err(|e| e.to_string()));
        match saved {
            Ok(text) => {
                self.on_disk = Some(fingerprint(&text));
                self.session.mark_saved(&path);
                self.keep_steps(&path);
                self.prefs.remember(&path);
                self.notices.tell(format!("Saved {}.", path.display()));
                if let Some(next) = self.dialogs.take_after_save() {
                    self.dialogs.queue(next);
                }
            }
            Err(text) => self.notices.problem(text),
        }
    }

    /// Keeps the undo steps of a saved file. A convenience: where the data folder cannot be written, only they are missing next time.
    fn keep_steps(&self, path: &Path) {
        let Some(file) = files::history_file(path).filter(|_| self.autosave.is_on()) else { return };
        let Some(folder) = file.parent() else { return };
        let written =
            files::make_folder(folder).and_then(|()| files::write_atomic(&file, kept::to_text(self.session.history()).as_bytes()));
        if written.is_ok() {
            files::thin_out(folder, HISTORIES);
        }
    }

    /// Takes up the undo steps kept for the file just opened.
    pub(super) fn take_up_steps(&mut self, path: &Path) {
        if let Some(file) = files::history_file(path).filter(|_| self.autosave.is_on()) {
            self.read_steps(&file);
        }
    }

    /// Takes up the undo steps kept beside recovered work.
    pub(super) fn recover_steps(&mut self, path: &Path) {
        self.read_steps(&autosave::steps_of(path));
    }

    fn read_steps(&mut self, file: &Path) {
        if let Ok(text) = files::read_text(file, files::LIMIT) {
            self.session.take_up_history(&text);
        }
    }
}

/// Asks before a file is overwritten that somebody else has changed.
pub(super) fn overwrite_ui(ui: &mut Ui, cx: &Cx<'_>, path: &Path, fresh: bool, out: &mut Vec<Action>) -> bool {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
    ui.label(title(format!("Overwrite {name}?")));
    let text = "The file has changed since this window read it: another window or program saved it. Overwriting loses those changes.";
    ui.add(eframe::egui::Label::new(sub(cx.tokens, text)).wrap());
    let pressed = buttons_ui(ui, cx, "Save as…", true, fresh, Some("Overwrite"));
    if pressed.main {
        out.push(Action::SaveAsDialog);
    }
    if pressed.other {
        out.push(Action::SaveAs(path.to_owned()));
    }
    pressed.cancel
}
