//! Unsaved work is kept in the program's data folder, with its undo steps, and offered again after a crash.

use std::path::{Path, PathBuf};
use std::time::Duration;

use eframe::egui::Context;

use super::{crash, rig_io};
use crate::catalog::Catalog;
use crate::files;
use crate::project::Project;
use crate::project::history::kept;
use crate::session::Session;

/// A change is written at the latest this long after it was made, however many follow.
const DELAY: f64 = 1.5;

/// The undo steps beside a kept document.
pub(super) fn steps_of(file: &Path) -> PathBuf {
    file.with_extension("history")
}

/// Writes a document to the folder of unsaved work.
pub(super) fn write(file: &Path, catalog: &Catalog, project: &Project) -> Result<(), String> {
    let text = rig_io::write(catalog, project)?;
    file.parent().map_or(Ok(()), files::make_folder).and_then(|()| files::write_atomic(file, text.as_bytes())).map_err(|e| e.to_string())
}

/// Work of an earlier run that ended before it was saved.
#[derive(Clone, Debug)]
pub struct LeftBehind {
    pub path: PathBuf,
    /// The rig's name and the age of its last change, as text.
    pub title: String,
}

impl LeftBehind {
    fn of(path: PathBuf) -> Self {
        let text = files::read_text(&path, files::LIMIT).unwrap_or_default();
        let table: toml::Table = toml::from_str(&text).unwrap_or_default();
        let name = table.get("name").and_then(toml::Value::as_str).filter(|n| !n.trim().is_empty());
        let name = name.map_or_else(|| "A rig whose name can't be read".to_owned(), str::to_owned);
        let age = files::age(&path).map(|age| format!(", last changed {}", ago(age))).unwrap_or_default();
        Self { path, title: format!("{name}{age}") }
    }
}

/// "3 hours ago", in the largest whole unit.
fn ago(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    let (count, unit) = match minutes {
        0 => return "less than a minute ago".to_owned(),
        1..60 => (minutes, "minute"),
        60..1440 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

/// The copy of this window's unsaved document.
#[derive(Debug, Default)]
pub(super) struct Autosave {
    /// Absent in tests and where the system has no home folder: nothing is kept then.
    file: Option<PathBuf>,
    /// Revision last written.
    written: Option<u64>,
    /// Since when a change waits to be written.
    waiting: Option<f64>,
}

impl Autosave {
    /// For this window; other windows have files of their own.
    pub(super) fn start() -> Self {
        let name = format!("unsaved-{}.toml", std::process::id());
        Self { file: files::autosave_folder().map(|f| f.join(name)), ..Self::default() }
    }

    /// Whether anything is kept at all.
    pub(super) const fn is_on(&self) -> bool {
        self.file.is_some()
    }

    /// Work that an earlier run left behind, newest name last.
    pub(super) fn left_behind(&self) -> Vec<LeftBehind> {
        let Some(own) = &self.file else { return Vec::new() };
        let running = |path: &PathBuf| {
            let id = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.strip_prefix("unsaved-"));
            id.is_some_and(|id| files::is_folder(&PathBuf::from("/proc").join(id)))
        };
        let kept = own.parent().map(files::toml_files).unwrap_or_default().into_iter();
        kept.filter(|f| f != own && !running(f)).map(LeftBehind::of).collect()
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
        crash::remember(&file, session.catalog(), session.project());
        let left = DELAY - (now - *self.waiting.get_or_insert(now));
        if left > 0.0 {
            ctx.request_repaint_after(Duration::from_secs_f64(left));
            return None;
        }
        (self.written, self.waiting) = (Some(revision), None);
        let done = write(&file, session.catalog(), session.project());
        let steps = files::write_atomic(&steps_of(&file), kept::to_text(session.history()).as_bytes());
        done.and(steps.map_err(|e| e.to_string())).err().map(|e| format!("Unsaved work could not be kept: {e}"))
    }

    /// Removes the copy: the document is saved, or given up on purpose.
    pub(super) fn forget(&mut self) {
        if let (Some(file), Some(_)) = (&self.file, self.written.take()) {
            files::remove(file);
            files::remove(&steps_of(file));
        }
        if self.file.is_some() {
            crash::forget();
        }
        self.waiting = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_whole_unit() {
        let told = |minutes: u64| ago(Duration::from_secs(minutes * 60 + 59));
        let expected =
            [(0, "less than a minute ago"), (1, "1 minute ago"), (59, "59 minutes ago"), (60, "1 hour ago"), (2880, "2 days ago")];
        for (minutes, text) in expected {
            assert_eq!(told(minutes), text);
        }
    }

    #[test]
    fn work_left_behind_is_told_by_its_name() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let named = folder.path().join("unsaved-1.toml");
        files::write_atomic(&named, b"format = 1\nname = \"Lab rig\"\n")?;
        assert_eq!(LeftBehind::of(named).title, "Lab rig, last changed less than a minute ago");
        let torn = folder.path().join("unsaved-2.toml");
        files::write_atomic(&torn, b"name = ")?;
        assert!(LeftBehind::of(torn).title.starts_with("A rig whose name can't be read"));
        Ok(())
    }
}
