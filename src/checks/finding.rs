//! What a rule says about a rig.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::project::edit::Edit;
use crate::project::{FindingKey, Subject};
use crate::units::Money;

/// Three answers; unknown names the missing fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Fail,
    Unknown,
    Pass,
}

/// How bad a failure is, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Does not work at all.
    Blocker,
    /// Works badly or not for long.
    Problem,
    /// Money or speed could be had.
    Advice,
    /// Worth knowing.
    Note,
}

impl Severity {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Blocker => "blocker",
            Self::Problem => "problem",
            Self::Advice => "advice",
            Self::Note => "note",
        }
    }
}

/// What changes between leaving a finding alone and mending it. `None` = unknown or not applicable, never 0 for unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stake {
    /// Money wasted now, or saved by the fix (positive = mending saves).
    pub money: Option<Money>,
    /// The money comes back every year rather than once.
    pub per_year: bool,
    /// Speed gained by the fix, percent.
    pub speed_pct: Option<f64>,
    pub celsius: Option<f64>,
    /// Watts that mending saves.
    pub watts: Option<f64>,
    /// What leaving it alone wastes a year; of a blocker the price of what cannot be used. `None` = unknown, or no money is lost.
    pub waste_per_year: Option<Money>,
    /// How that was reckoned, or which price it lacks.
    pub how: Option<String>,
}

/// Whether a fix may be applied without a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// Changes nothing the user chose.
    Safe,
    /// Spends money or replaces a choice: its effect is shown first.
    Ask,
}

/// A way to mend a finding, as edits.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// "Replace by RDIMM-2666, saves $96".
    pub label: String,
    pub edits: Vec<Edit>,
    pub safety: Safety,
}

/// A fact that a verdict would need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingFact {
    /// Name of the part, or "rig".
    pub part: String,
    /// `length_mm`
    pub field: String,
}

/// What a finding tells beside plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    Flag(bool),
    Text(String),
    List(Vec<f64>),
}

/// One judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Id of the rule: `psu_capacity`.
    pub rule: &'static str,
    /// Rules of the buyer's guide behind it: "G15".
    pub guide: Vec<&'static str>,
    pub verdict: Verdict,
    pub severity: Severity,
    /// First = where "go to" goes.
    pub subjects: Vec<Subject>,
    /// This case, with its numbers: "1,240 W drawn, 1,000 W supplied".
    pub message: String,
    pub numbers: BTreeMap<&'static str, f64>,
    pub details: BTreeMap<String, Detail>,
    /// Filled where the verdict is unknown.
    pub missing: Vec<MissingFact>,
    pub stake: Option<Stake>,
    pub fixes: Vec<Fix>,
    /// Says so where no part or place in the catalog would mend it.
    pub no_fix: Option<String>,
    /// Why the user lives with it.
    pub accepted: Option<String>,
}

impl Finding {
    /// A judgement without numbers, stake or fix yet.
    pub fn new(rule: &'static str, verdict: Verdict, severity: Severity, subjects: Vec<Subject>, message: impl Into<String>) -> Self {
        Self {
            rule,
            guide: Vec::new(),
            verdict,
            severity,
            subjects,
            message: message.into(),
            numbers: BTreeMap::new(),
            details: BTreeMap::new(),
            missing: Vec::new(),
            stake: None,
            fixes: Vec::new(),
            no_fix: None,
            accepted: None,
        }
    }

    /// Survives rewording; names the finding in acceptances and differences.
    pub fn key(&self) -> FindingKey {
        FindingKey { rule: self.rule.to_owned(), subjects: self.subjects.iter().cloned().collect() }
    }

    pub fn number(mut self, key: &'static str, value: f64) -> Self {
        self.numbers.insert(key, value);
        self
    }

    pub fn detail(mut self, key: impl Into<String>, value: Detail) -> Self {
        self.details.insert(key.into(), value);
        self
    }

    pub fn guide(mut self, rules: &[&'static str]) -> Self {
        self.guide.extend_from_slice(rules);
        self
    }

    pub fn missing(mut self, part: &str, field: &str) -> Self {
        self.missing.push(MissingFact { part: part.to_owned(), field: field.to_owned() });
        self
    }

    pub fn fix(mut self, label: impl Into<String>, edits: Vec<Edit>, safety: Safety) -> Self {
        self.fixes.push(Fix { label: label.into(), edits, safety });
        self
    }

    pub fn stake(mut self, stake: Stake) -> Self {
        self.stake = Some(stake);
        self
    }
}
