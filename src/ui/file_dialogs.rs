//! The system's file dialogs. Where no portal and no zenity exists they return nothing at all, at once: then the path field opens.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::dialogs::Purpose;

/// What came of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Chosen(PathBuf),
    Cancelled,
    /// Nothing came back faster than a person can answer: there is no dialog on this system.
    NoDialog,
}

/// Faster than anybody closes a dialog.
const TOO_FAST: Duration = Duration::from_millis(400);

/// Shows the system's dialog and waits for it.
pub(super) fn ask(purpose: Purpose, name: &str) -> Asked {
    let start = Instant::now();
    let (filter, extensions) = purpose.filter();
    let dialog = rfd::FileDialog::new().set_title(purpose.title()).add_filter(filter, extensions);
    let chosen = if purpose.saves() { dialog.set_file_name(name).save_file() } else { dialog.pick_file() };
    match chosen {
        Some(path) => Asked::Chosen(path),
        None if start.elapsed() < TOO_FAST => Asked::NoDialog,
        None => Asked::Cancelled,
    }
}
