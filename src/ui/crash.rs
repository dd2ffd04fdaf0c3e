//! The last line of defence: if the program itself fails, the document is written and the fault described before it ends.

use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::autosave;
use crate::catalog::Catalog;
use crate::files;
use crate::project::Project;

/// What to write, and where.
struct Last {
    file: PathBuf,
    catalog: Arc<Catalog>,
    project: Arc<Project>,
}

static LAST: Mutex<Option<Last>> = Mutex::new(None);

/// Remembers the unsaved document for the hook; costs two counters.
pub(super) fn remember(file: &Path, catalog: &Arc<Catalog>, project: &Arc<Project>) {
    if let Ok(mut last) = LAST.lock() {
        *last = Some(Last { file: file.to_owned(), catalog: Arc::clone(catalog), project: Arc::clone(project) });
    }
}

/// The document is safe elsewhere.
pub(super) fn forget() {
    if let Ok(mut last) = LAST.lock() {
        *last = None;
    }
}

/// Installs the hook, in front of the one that prints. A fault on a worker's thread ends nothing and is only printed.
pub(super) fn install() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |fault| {
        print(fault);
        if std::thread::current().name() == Some("main") {
            keep(fault);
        }
    }));
}

fn keep(fault: &PanicHookInfo<'_>) {
    let Ok(last) = LAST.try_lock() else { return };
    let report = last.as_ref().map(|last| last.file.with_extension("fault.txt"));
    if let Some(last) = &*last {
        // Fails silently: there is nobody left to tell.
        drop(autosave::write(&last.file, &last.catalog, &last.project));
    }
    if let Some(report) = report {
        let text = format!("Rigbay {}\n{fault}\n", env!("CARGO_PKG_VERSION"));
        drop(files::write_atomic(&report, text.as_bytes()));
    }
}
