//! The application's state without any window: catalog, document with its history, present report, preview of an edit not yet made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analysis::Effort;
use crate::analysis::airflow::field::Field;
use crate::catalog::model::ModelShape;
use crate::catalog::part::PartId;
use crate::catalog::{Catalog, Copies};
use crate::project::edit::{Edit, Refusal};
use crate::project::history::{History, kept};
use crate::project::{Project, Subject, Versions};
use crate::report::{Report, analyze};

/// What an edit would lead to, computed while a part hovers.
#[derive(Clone, Debug)]
pub struct Preview {
    pub edit: Edit,
    pub outcome: Result<(Arc<Project>, Arc<Report>), Refusal>,
}

/// One open document and everything derived from it.
#[derive(Debug)]
pub struct Session {
    base: Arc<Catalog>,
    catalog: Arc<Catalog>,
    /// What the open file carries of its own.
    copies: Copies,
    models: Arc<Vec<Arc<ModelShape>>>,
    history: History,
    report: Arc<Report>,
    revision: u64,
    /// The revision whose report is the full one.
    full: Option<u64>,
    preview: Option<(u64, Preview)>,
    selection: Option<Subject>,
    /// Where the document is saved.
    pub path: Option<PathBuf>,
    /// What the reader should know about the opened file: other versions, changed figures.
    pub opening_notes: Vec<String>,
}

impl Session {
    pub fn new(base: Arc<Catalog>, models: Arc<Vec<Arc<ModelShape>>>) -> Self {
        let project = Project::default();
        let report = Arc::new(analyze(&base, &project, Effort::Live));
        Self {
            catalog: base.clone(),
            base,
            copies: Copies::default(),
            models,
            history: History::open(project),
            report,
            revision: 0,
            full: None,
            preview: None,
            selection: None,
            path: None,
            opening_notes: Vec::new(),
        }
    }

    /// The catalog in force: the program's own, with the copies that the open file carries.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }
    pub fn models(&self) -> &[Arc<ModelShape>] {
        &self.models
    }
    pub fn project(&self) -> &Arc<Project> {
        self.history.now()
    }
    pub fn report(&self) -> &Arc<Report> {
        &self.report
    }
    pub fn history(&self) -> &History {
        &self.history
    }
    /// Grows with every change of the document or its report; keys caches.
    pub fn revision(&self) -> u64 {
        self.revision
    }
    pub fn selection(&self) -> Option<&Subject> {
        self.selection.as_ref()
    }
    pub fn select(&mut self, subject: Option<Subject>) {
        self.selection = subject;
    }
    pub fn versions(&self) -> Versions {
        Versions::of(&self.base)
    }

    /// Makes an edit and recomputes the report; `merge` joins it to the last step of the same name.
    ///
    /// # Errors
    /// The reason why the edit changes nothing.
    pub fn apply(&mut self, edit: &Edit, merge: bool) -> Result<(), Refusal> {
        let label = edit.label(&self.catalog, self.project());
        let next = edit.apply(&self.catalog, self.project())?;
        if self.history.commit(&label, next, merge) {
            self.refresh();
        }
        Ok(())
    }

    /// Computes what the edit would lead to, once per document state and edit; [`Self::current_preview`] shows it.
    pub fn preview(&mut self, edit: &Edit) {
        if self.current_preview().is_some_and(|p| p.edit == *edit) {
            return;
        }
        let outcome = edit.apply(&self.catalog, self.project()).map(|project| {
            let report = analyze(&self.catalog, &project, Effort::Live);
            (Arc::new(project), Arc::new(report))
        });
        self.preview = Some((self.revision, Preview { edit: edit.clone(), outcome }));
    }

    /// The preview last asked for, while the document has not changed.
    pub fn current_preview(&self) -> Option<&Preview> {
        self.preview.as_ref().filter(|(revision, _)| *revision == self.revision).map(|(_, p)| p)
    }
    pub fn end_preview(&mut self) {
        self.preview = None;
    }

    pub fn undo(&mut self) -> Option<String> {
        let label = self.history.undo()?;
        self.refresh();
        Some(label)
    }
    pub fn redo(&mut self) -> Option<String> {
        let label = self.history.redo()?;
        self.refresh();
        Some(label)
    }

    /// Takes up undo steps kept for just this document; others are ignored.
    pub fn take_up_history(&mut self, text: &str) {
        let saved = self.history.is_saved();
        self.history = kept::open_with((**self.project()).clone(), text);
        if !saved {
            self.history.mark_unsaved();
        }
    }

    /// Starts over with a document: a new one, an example or an opened file with the copies it carries.
    pub fn open(&mut self, project: Project, copies: Copies, path: Option<&Path>, notes: Vec<String>) {
        self.copies = copies;
        self.lay_over();
        self.history = History::open(project);
        self.path = path.map(Path::to_owned);
        self.opening_notes = notes;
        self.selection = None;
        self.refresh();
    }

    /// Uses the program's own facts instead of the copies in the file.
    ///
    /// Parts that only the file has stay.
    pub fn update_from_catalog(&mut self) {
        self.copies.rates = None;
        self.copies.parts.retain(|p| self.base.part(&p.id).is_none());
        self.lay_over();
        self.opening_notes.clear();
        self.refresh();
    }

    /// Goes on with another catalog, such as one with parts that were imported or changed; the document and its history stay.
    ///
    /// Copies that the file carries count before the catalog, except of parts in `changed`. What is placed and is in no catalog any more is kept.
    pub fn rebase(&mut self, base: Arc<Catalog>, changed: &[PartId]) {
        self.copies.parts.retain(|p| !changed.contains(&p.id));
        let placed: BTreeSet<&PartId> = self.project().rig.placements().map(|(_, piece)| &piece.part).collect();
        let lost = placed.into_iter().filter(|id| base.part(id).is_none() && !self.copies.parts.iter().any(|p| p.id == **id));
        let lost: Vec<_> = lost.filter_map(|id| self.catalog.part(id).cloned()).collect();
        self.copies.parts.extend(lost);
        self.base = base;
        self.lay_over();
        self.refresh();
    }

    fn lay_over(&mut self) {
        let bare = self.copies == Copies::default();
        self.catalog = if bare { self.base.clone() } else { Arc::new(self.base.overlaid(self.copies.clone())) };
    }

    pub fn mark_saved(&mut self, path: &Path) {
        self.path = Some(path.to_owned());
        self.history.mark_saved();
    }

    /// The document is nowhere on disk under its own name.
    pub fn mark_unsaved(&mut self) {
        self.history.mark_unsaved();
    }

    /// Swaps in the report of the worker if the document is still the one it was computed for.
    pub fn adopt(&mut self, revision: u64, report: Arc<Report>) {
        if revision == self.revision {
            self.report = report;
            self.full = Some(revision);
        }
    }

    /// Takes the flow on the finer grid into the report, if the document is still the one it was computed for.
    pub fn adopt_field(&mut self, revision: u64, field: Arc<Field>) {
        if revision == self.revision {
            let mut report = (*self.report).clone();
            report.facts.airflow.field = field;
            self.report = Arc::new(report);
        }
    }

    /// Whether the report is the full one of the present document.
    pub fn is_full(&self) -> bool {
        self.full == Some(self.revision)
    }

    /// A session of its own with the same catalog and models, for a document beside this one. Its revisions go on from here, so that an
    /// answer computed for one is never taken for the other.
    pub fn beside(&self) -> Self {
        Self { revision: self.revision + 1, ..Self::new(self.base.clone(), self.models.clone()) }
    }

    /// Goes on after `other`, which was worked on meanwhile.
    pub fn resume(&mut self, other: &Self) {
        self.revision = self.revision.max(other.revision) + 1;
        self.preview = None;
        self.full = None;
    }

    fn refresh(&mut self) {
        let mut report = analyze(&self.catalog, self.project(), Effort::Live);
        report.carry_over(&self.report);
        self.report = Arc::new(report);
        self.revision += 1;
        self.preview = None;
        if let Some(Subject::Placement(id)) = &self.selection
            && self.project().rig.placement(*id).is_none()
        {
            self.selection = None;
        }
    }
}
