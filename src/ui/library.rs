//! Changes of the catalog while the window is open: the user's own parts are read, imported and written on a thread of their own, and the
//! open document goes on with the new catalog.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui;

use super::App;
use super::dialogs::Purpose;
use super::file_dialogs::{Asked, ask};
use super::notices::Notices;
use crate::catalog::folder::load_all;
use crate::catalog::load::Fault;
use crate::catalog::part::PartId;
use crate::catalog::{Catalog, Copies};
use crate::files;
use crate::import::opendb::write::{Summary, write};
use crate::import::opendb::{Progress, Verdict, import};
use crate::import::own_parts::{Draft, missing_report, save, table};
use crate::import::parts_list;
use crate::project::Project;
use crate::search::assemble::assemble;

/// From here on, the user's own catalog is read in the background, bytes.
const LARGE: u64 = 1 << 20;
/// Records that are named in the dialog.
const NAMED: usize = 200;

/// What to do with the catalog in this folder.
#[derive(Debug)]
pub(super) struct Request {
    folder: Option<PathBuf>,
    /// The data set to import first, and the day.
    opendb: Option<(PathBuf, String, Arc<Progress>)>,
}

/// What an import did: its numbers, and records that were left out or changed, by name.
#[derive(Clone, Debug)]
pub(super) struct ImportDone {
    pub summary: Summary,
    pub left_out: Vec<String>,
    pub changed: Vec<(String, Vec<String>)>,
    pub folder: PathBuf,
}

#[derive(Debug)]
pub(super) struct Answer {
    /// The catalog with the user's folder over it, where it was read anew.
    catalog: Option<(Arc<Catalog>, Vec<Fault>)>,
    import: Option<Result<ImportDone, String>>,
}

/// Does what is asked; the slow part runs on the worker.
pub(super) fn work(request: Request) -> Answer {
    let import = request.opendb.map(|(path, day, progress)| {
        let folder = request.folder.as_deref().ok_or("This system has no folder for your catalog.".to_owned())?;
        import_into(&path, folder, &day, &progress)
    });
    let failed = matches!(import, Some(Err(_)));
    let catalog = (!failed).then(|| load_all(request.folder.as_deref())).map(|(catalog, faults)| (Arc::new(catalog), faults));
    Answer { catalog, import }
}

fn import_into(path: &Path, folder: &Path, day: &str, progress: &Progress) -> Result<ImportDone, String> {
    let (program, _) = load_all(None);
    let made = import(path, &program, day, progress).map_err(|e| e.to_string())?;
    let folder = write(&made, folder).map_err(|e| e.to_string())?;
    let of = |verdict| made.outcomes.iter().filter(move |o| o.verdict == verdict).take(NAMED);
    let left_out = of(Verdict::LeftOut).map(|o| format!("{}: {}", o.file, o.why.as_deref().unwrap_or_default())).collect();
    let changed = of(Verdict::Corrected).map(|o| {
        let changes = o.changes.iter().map(|c| {
            let now = c.now.as_deref().unwrap_or("unknown");
            format!("{}: {} becomes {now}, {}", c.field.replace('_', " "), c.was.as_deref().unwrap_or("nothing"), c.why)
        });
        (o.name.clone(), changes.collect())
    });
    Ok(ImportDone { summary: Summary::of(&made), left_out, changed: changed.collect(), folder })
}

/// Whether reading this folder would keep the window waiting.
pub(super) fn is_large(folder: Option<&Path>) -> bool {
    let found = folder.filter(|f| files::is_folder(f)).and_then(|f| files::all_files(f, 10_000).ok()).unwrap_or_default();
    found.iter().filter(|f| f.path.extension().is_some_and(|e| e == "toml")).map(|f| f.bytes).sum::<u64>() > LARGE
}

pub(super) fn tell_faults(notices: &mut Notices, faults: &[Fault]) {
    const SHOWN: usize = 20;
    for fault in faults.iter().take(SHOWN) {
        notices.problem(fault.to_string());
    }
    if faults.len() > SHOWN {
        notices.problem(format!("{} more faults in your catalog; rigbay catalog check lists all.", faults.len() - SHOWN));
    }
}

impl App {
    /// Reads the user's catalog anew.
    pub(super) fn reload(&mut self, changed: Vec<PartId>) {
        self.changed_parts.extend(changed);
        self.workers.library.ask(Request { folder: self.catalog_folder.clone(), opendb: None });
        self.take_library();
    }

    pub(super) fn import_opendb(&mut self, ctx: &egui::Context, path: PathBuf) {
        let progress = Arc::new(Progress::default());
        self.dialogs.import_started(progress.clone());
        self.workers.library.ask(Request { folder: self.catalog_folder.clone(), opendb: Some((path, self.today.clone(), progress)) });
        self.take_library();
        ctx.request_repaint();
    }

    /// Takes what the worker did, if it is done.
    pub(super) fn take_library(&mut self) {
        let Some(answer) = self.workers.library.answer() else { return };
        if let Some((catalog, faults)) = answer.catalog {
            let changed = std::mem::take(&mut self.changed_parts);
            self.base = catalog.clone();
            self.session.rebase(catalog, &changed);
            tell_faults(&mut self.notices, &faults);
        }
        if let Some(done) = answer.import {
            self.dialogs.import_ended(done);
        }
    }

    pub(super) fn add_list(&mut self, path: &Path) {
        let read = files::read_text(path, parts_list::LIMIT).map_err(|e| e.to_string());
        self.dialogs.add_list(read);
    }

    pub(super) fn ask_list(&mut self) {
        let asked = if self.dialogs.without_system { Asked::NoDialog } else { ask(Purpose::List, "") };
        match asked {
            Asked::Chosen(path) => self.add_list(&path),
            Asked::Cancelled => {}
            Asked::NoDialog => self.dialogs.add_list(Err("This system shows no file dialog. Type the path into the field.".to_owned())),
        }
    }

    /// A rig of a pasted list, as a document that is nowhere saved.
    pub(super) fn start_from_list(&mut self, text: &str) {
        let list = match parts_list::read(&self.base, text, &self.today) {
            Ok(list) => list,
            Err(text) => return self.notices.problem(text),
        };
        let copies = Copies { parts: list.placeholders.clone(), rates: None };
        let catalog = self.base.overlaid(copies.clone());
        let parts: Vec<PartId> = list.lines.iter().flat_map(|l| std::iter::repeat_n(l.part.clone(), l.count)).flatten().collect();
        let empty = Project { name: "Rig from a list".to_owned(), room: self.prefs.room(), ..Project::default() };
        let (project, seated) = assemble(&catalog, &empty, &parts);
        let tray = seated.iter().filter(|s| s.place.is_none()).count();
        self.show_project(project, copies, None, Vec::new());
        self.session.mark_unsaved();
        self.notices.tell(format!("{} {tray} pieces found no place and lie in the tray.", list.summary()));
    }

    pub(super) fn import_table(&mut self, path: &Path) {
        let read = files::read_text(path, files::LIMIT).map_err(|e| e.to_string());
        let read = read.and_then(|text| table::read(&self.base, &text, &self.today));
        let (parts, faults) = match read {
            Ok(read) => read,
            Err(text) => return self.notices.problem(format!("{}: {text}", path.display())),
        };
        for fault in faults.iter().take(20) {
            self.notices.problem(format!("Left out: {}: {fault}", path.display()));
        }
        if parts.is_empty() {
            return self.notices.problem(format!("{}: holds no sound part; nothing was written.", path.display()));
        }
        let Some(folder) = self.catalog_folder.clone() else { return self.no_folder() };
        match table::save(&parts, path, &folder) {
            Ok(file) => {
                self.notices.tell(format!("{} parts written to {}.", parts.len(), file.display()));
                self.reload(parts.into_iter().map(|p| p.id).collect());
            }
            Err(error) => self.notices.problem(error.to_string()),
        }
    }

    pub(super) fn save_template(&mut self, path: &Path, kind: &str) {
        let path = super::apply::with_extension(path, "csv");
        match files::write_atomic(&path, table::template(kind).as_bytes()) {
            Ok(()) => self.notices.tell(format!("Wrote {}. Fill in one part a row, then import it.", path.display())),
            Err(error) => self.notices.problem(error.to_string()),
        }
    }

    pub(super) fn edit_part(&mut self, id: &PartId) {
        let catalog = self.session.catalog().clone();
        match catalog.part(id) {
            Some(part) => self.dialogs.edit_part(part.kind.key(), Some(part)),
            None => self.notices.problem(format!("The catalog has no part {id}.")),
        }
    }

    fn no_folder(&mut self) {
        self.notices.problem("This system has no folder for your catalog.");
    }

    pub(super) fn save_part(&mut self, draft: &Draft) {
        let Some(folder) = self.catalog_folder.clone() else { return self.no_folder() };
        match draft.part(&self.base, &self.today) {
            Ok(part) => match save(&part, &folder) {
                Ok(file) => {
                    self.notices.tell(format!("Saved {} to {}.", part.name, file.display()));
                    self.views.inspector.part = Some(part.id.clone());
                    self.dialogs.close();
                    self.reload(vec![part.id]);
                }
                Err(error) => self.notices.problem(error.to_string()),
            },
            Err(wrong) => wrong.iter().for_each(|w| self.notices.problem(format!("{}: {}", w.field, w.why))),
        }
    }

    /// Writes what a part lacks beside the user's catalog, as a text to send on.
    pub(super) fn report_missing(&mut self, draft: &Draft) {
        let (Some(base), Some(folder)) = (&draft.base, self.catalog_folder.clone()) else { return self.no_folder() };
        let text = missing_report(base, Some(draft), self.base.version());
        let path = folder.join("missing").join(format!("{}.txt", base.id));
        let written = files::make_folder(&folder.join("missing")).and_then(|()| files::write_atomic(&path, text.as_bytes()));
        match written {
            Ok(()) => self.notices.tell(format!("Wrote {}. Send it to the maintainers as an issue of the project.", path.display())),
            Err(error) => self.notices.problem(error.to_string()),
        }
    }
}
