//! The one value that every view, export and test reads: facts and the judgement on them.

use std::sync::Arc;

use crate::analysis::airflow::picture;
use crate::analysis::{Effort, Facts, facts};
use crate::catalog::Catalog;
use crate::checks::finding::Finding;
use crate::checks::{Case, mend, run, sort};
use crate::project::Project;

pub mod json;
pub mod snapshot;

/// A rig, computed and judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub facts: Facts,
    pub findings: Vec<Finding>,
}

/// The report of a project: a pure function of its arguments.
pub fn analyze(catalog: &Catalog, project: &Project, effort: Effort) -> Report {
    let facts = facts(catalog, project, effort);
    let case = Case { catalog, project, facts: &facts };
    let mut findings = run(&case);
    if effort == Effort::Full {
        mend(&case, &mut findings);
        sort(&mut findings);
    }
    Report { facts, findings }
}

impl Report {
    /// The same with the flow of air on the finer grid for pictures.
    pub fn with_picture(&self, catalog: &Catalog, project: &Project) -> Self {
        let mut out = self.clone();
        out.facts.airflow.field = Arc::new(picture(catalog, project, &self.facts.airflow));
        out
    }

    /// Keeps what an earlier full report found out about findings that are still the same, until the next full report is there.
    pub fn carry_over(&mut self, earlier: &Self) {
        for finding in &mut self.findings {
            let same = |f: &&Finding| f.rule == finding.rule && f.subjects == finding.subjects && f.message == finding.message;
            if let Some(known) = earlier.findings.iter().find(same) {
                finding.fixes.clone_from(&known.fixes);
                finding.no_fix.clone_from(&known.no_fix);
                finding.stake.clone_from(&known.stake);
            }
        }
        sort(&mut self.findings);
    }
}
