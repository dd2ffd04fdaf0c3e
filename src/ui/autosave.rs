//! Unsaved work is kept in the program's data folder and offered again after a crash.

use std::path::PathBuf;
use std::time::Duration;

use eframe::egui::Context;

use super::rig_io;
use crate::files;
use crate::session::Session;

/// A change is written once the document has rested this long.
const REST: f64 = 2.0;

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
