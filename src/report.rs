//! The one value that every view, export and test reads: facts and the judgement on them.

use crate::analysis::{Effort, Facts, facts};
use crate::catalog::Catalog;
use crate::checks::finding::Finding;
use crate::checks::{Case, run};
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
    let findings = run(&Case { catalog, project, facts: &facts });
    Report { facts, findings }
}
