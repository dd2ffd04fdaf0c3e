//! Unsaved work is kept in the program's data folder and offered again after a crash.

use std::path::PathBuf;
use std::time::Duration;

use eframe::egui::Context;

use super::rig_io;
use crate::files;
use crate::session::Session;

/// A change is written once the document has rested this long.
const REST: f64 = 2.0;

/// The copy of this window's unsaved document.
#[derive(Debug, Default)]
pub(super) struct Autosave {
    /// Absent in tests and where the system has no home folder: nothing is kept then.
    file: Option<PathBuf>,
    /// Revision last written.
    written: Option<u64>,
    /// Revision now waiting, and since when.
    waiting: Option<(u64, f64)>,
}

impl Autosave {
    /// For this window; other windows have files of their own.
    pub(super) fn start() -> Self {
        let name = format!("unsaved-{}.toml", std::process::id());
        Self { file: files::autosave_folder().map(|f| f.join(name)), ..Self::default() }
    }

    /// Work that an earlier run left behind, newest name last.
    pub(super) fn left_behind(&self) -> Vec<PathBuf> {
        let Some(own) = &self.file else { return Vec::new() };
        let running = |path: &PathBuf| {
            let id = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.strip_prefix("unsaved-"));
            id.is_some_and(|id| files::is_folder(&PathBuf::from("/proc").join(id)))
        };
        own.parent().map(files::toml_files).unwrap_or_default().into_iter().filter(|f| f != own && !running(f)).collect()
    }

    /// Keeps up with the document; the message of a write that failed, once.
    pub(super) fn tick(&mut self, ctx: &Context, session: &Session) -> Option<String> {
        let file = self.file.clone()?;
        if session.history().is_saved() {
            self.forget();
            return None;
        }
        let (revision, now) = (session.revision(), ctx.input(|i| i.time));
        if self.written == Some(revision) {
            return None;
        }
        let since = match self.waiting {
            Some((waiting, since)) if waiting == revision => since,
            _ => {
                self.waiting = Some((revision, now));
                now
            }
        };
        if now - since < REST {
            ctx.request_repaint_after(Duration::from_secs_f64(REST));
            return None;
        }
        self.written = Some(revision);
        let text = rig_io::write(session.catalog(), session.project()).ok()?;
        let folder = file.parent()?;
        let done = files::make_folder(folder).and_then(|()| files::write_atomic(&file, text.as_bytes()));
        done.err().map(|e| format!("Unsaved work could not be kept: {e}"))
    }

    /// Removes the copy: the document is saved, or given up on purpose.
    pub(super) fn forget(&mut self) {
        if let (Some(file), Some(_)) = (&self.file, self.written.take()) {
            files::remove(file);
        }
        self.waiting = None;
    }
}
