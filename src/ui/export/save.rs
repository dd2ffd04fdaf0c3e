//! Writes exports, reads builds to compare with, keeps layouts.

use std::path::Path;
use std::sync::Arc;

use super::{Compared, difference_of, options, rig};
use crate::analysis::Effort;
use crate::build::Build;
use crate::export::{Format, export, presets};
use crate::files;
use crate::import::price_book;
use crate::project::Project;
use crate::report::analyze;
use crate::search::advise::Wish;
use crate::ui::App;
use crate::ui::action::Add;
use crate::ui::advise_page::Flags;
use crate::ui::apply::with_extension;
use crate::ui::dialogs::Purpose;
use crate::ui::rig_io;
use crate::ui::side_by_side::read;

impl App {
    pub(in crate::ui) fn export(&mut self, path: &Path, format: Format) {
        let options = options(&self.prefs, self.tokens.is_dark());
        let data = export(rig(&self.session), format, &options);
        self.write(path, Purpose::Export(format), data);
    }

    pub(in crate::ui) fn save_difference(&mut self, path: &Path, format: Format, turned: bool) {
        let options = options(&self.prefs, self.tokens.is_dark());
        let Some(other) = self.dialogs.compared.clone() else { return };
        let data = difference_of(&self.session, &other, turned).export(format, &options);
        self.write(path, Purpose::Difference(format, turned), data);
    }

    /// Writes a file. Where it cannot be written, the path is asked for again, with the reason.
    fn write(&mut self, path: &Path, purpose: Purpose, data: Result<Vec<u8>, String>) {
        let path = with_extension(path, purpose.extension());
        let data = match data {
            Ok(data) => data,
            Err(text) => return self.notices.problem(text),
        };
        match files::write_atomic(&path, &data) {
            Ok(()) => self.notices.tell(format!("Wrote {}.", path.display())),
            Err(error) => {
                self.notices.problem(error.to_string());
                self.dialogs.ask_path(purpose, path.display().to_string(), error.to_string());
            }
        }
    }

    /// What a page made and waits for its path.
    pub(in crate::ui) fn write_data(&mut self, path: &Path, format: Format) {
        if let Some(data) = self.dialogs.data.clone() {
            self.write(path, Purpose::Data(format), Ok(data.to_vec()));
        }
    }

    pub(in crate::ui) fn side_by_side(&mut self, add: &Add) {
        match read(&self.base, self.session.catalog(), self.session.project(), add) {
            Ok(other) => self.dialogs.side_by_side(other),
            Err(text) => self.notices.problem(text),
        }
    }

    /// Starts the search for the best rigs, on a thread of its own.
    pub(in crate::ui) fn advise(&mut self, wish: Wish, keep: bool) {
        let mut project = Project::clone(self.session.project());
        project.variants.clear();
        if !keep {
            project.rig = Build::default();
        }
        if let Some(book) = &self.book {
            project.prices.parts.extend(book.iter().map(|(id, price)| (id.clone(), price.clone())));
        }
        let flags = Arc::<Flags>::default();
        self.dialogs.advising(flags.clone());
        self.workers.adviser.ask((self.session.catalog().clone(), Arc::new(project), wish, flags));
    }

    pub(in crate::ui) fn import_prices(&mut self, path: &Path) {
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let currency = self.session.project().room.currency;
        let text = files::read_text(path, files::LIMIT).map_err(|e| e.to_string());
        match text.and_then(|text| price_book::read(self.session.catalog(), &name, &text, currency, &self.today)) {
            Ok(book) => self.dialogs.price_book(book),
            Err(text) => self.notices.problem(text),
        }
    }

    pub(in crate::ui) fn compare_file(&mut self, path: &Path) {
        let name = path.display().to_string();
        let read = files::read_text(path, files::LIMIT).map_err(|e| e.to_string()).and_then(|text| rig_io::read(&self.base, &text, &name));
        match read {
            Ok(opened) => {
                let catalog = Arc::new(self.base.overlaid(opened.copies));
                let report = analyze(&catalog, &opened.project, Effort::Live);
                self.dialogs.compare(Compared { name: opened.project.name.clone(), catalog, project: opened.project, report });
            }
            Err(text) => self.notices.problem(text),
        }
    }

    pub(in crate::ui) fn compare_variant(&mut self, variant: &str) {
        let project = self.session.project();
        let Some(build) = project.variants.get(variant) else { return };
        let other = Project { rig: build.clone(), ..Project::clone(project) };
        let catalog = self.session.catalog().clone();
        let report = analyze(&catalog, &other, Effort::Live);
        self.dialogs.compare(Compared { name: format!("{}, {variant}", project.name), catalog, project: other, report });
    }

    pub(in crate::ui) fn keep_presets(&mut self, done: String) {
        match presets::save(self.presets_file.as_deref(), &self.presets) {
            Ok(()) => self.notices.tell(done),
            Err(text) => self.notices.problem(format!("The layouts are kept until the window closes only: {text}")),
        }
    }
}
