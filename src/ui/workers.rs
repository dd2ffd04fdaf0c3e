//! Long work beside the window, a thread for each kind of question.

use std::sync::Arc;

use eframe::egui;

use super::{advise_page, arrange, cooling, library};
use crate::analysis::Effort;
use crate::analysis::airflow::field::Field;
use crate::analysis::airflow::picture;
use crate::catalog::Catalog;
use crate::project::Project;
use crate::report::{Report, analyze};
use crate::worker::Worker;

type Request = (u64, Arc<Catalog>, Arc<Project>);
type Answer = (u64, Arc<Report>);
/// Document revision, and the flow of its ledger.
type PictureRequest = (u64, Arc<Catalog>, Arc<Project>, Arc<Report>);
type PictureAnswer = (u64, Arc<Field>);

/// The threads for long work, each for one kind of question.
#[derive(Debug)]
pub(super) struct Workers {
    pub analysis: Worker<Request, Answer>,
    pub arranger: Worker<arrange::Request, arrange::Answer>,
    pub adviser: Worker<advise_page::Request, advise_page::Answer>,
    pub cooler: Worker<cooling::Request, cooling::Answer>,
    pub painter: Worker<PictureRequest, PictureAnswer>,
    /// Reads and imports parts.
    pub library: Worker<library::Request, library::Answer>,
}

impl Workers {
    pub fn start(ctx: &egui::Context) -> Self {
        let wake = || {
            let ctx = ctx.clone();
            move || ctx.request_repaint()
        };
        Self {
            analysis: Worker::start(full, wake()),
            arranger: Worker::start(arrange::search, wake()),
            adviser: Worker::start(advise_page::search, wake()),
            cooler: Worker::start(cooling::search, wake()),
            painter: Worker::start(finer, wake()),
            library: Worker::start(library::work, wake()),
        }
    }

    /// For tests: all work on the caller's thread.
    pub fn inline() -> Self {
        Self {
            analysis: Worker::inline(full),
            arranger: Worker::inline(arrange::search),
            adviser: Worker::inline(advise_page::search),
            cooler: Worker::inline(cooling::search),
            painter: Worker::inline(finer),
            library: Worker::inline(library::work),
        }
    }
}

fn full((revision, catalog, project): Request) -> Answer {
    (revision, Arc::new(analyze(&catalog, &project, Effort::Full)))
}

fn finer((revision, catalog, project, report): PictureRequest) -> PictureAnswer {
    (revision, Arc::new(picture(&catalog, &project, &report.facts.airflow)))
}
