//! Checks of steps: a test of the solved report with three verdicts. Unknown is never a pass.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::path::Path;
use crate::checks::check as rule_of;
use crate::checks::finding::{Finding, Verdict};
use crate::report::Report;
use crate::units::{plain, thousands};

/// What a step asks of the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub enum Test {
    Values(Values),
    /// All findings of a rule pass, or one of them fails.
    Rule {
        rule: String,
        verdict: Wanted,
    },
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
}

/// A test of the values at a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    pub path: Path,
    pub which: Which,
    pub is: Relation,
    pub value: Scalar,
    /// What the values are, for people: "Temperature of every card".
    pub what: Option<String>,
    pub unit: Option<String>,
}

/// Which of the values must satisfy the relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    All,
    Any,
    /// Their number.
    Count,
    /// Their sum.
    Sum,
}

/// How a value stands to the one asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = "<")]
    Below,
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = ">")]
    Above,
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = "!=")]
    Other,
}

/// A number, a word, or true and false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    Flag(bool),
    Number(f64),
    Word(String),
}

/// A verdict that a rule can be asked for; "unknown" is none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    Pass,
    Fail,
}

/// A check as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Raw {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<Relation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    any: Option<Relation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<Relation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<Relation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Scalar>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Wanted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    and: Option<Vec<Test>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    or: Option<Vec<Test>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not: Option<Box<Test>>,
}

impl TryFrom<Raw> for Test {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        let kinds = [raw.path.is_some(), raw.rule.is_some(), raw.and.is_some(), raw.or.is_some(), raw.not.is_some()];
        if kinds.iter().filter(|k| **k).count() != 1 {
            return Err("a check has one of path, rule, and, or, not".to_owned());
        }
        let of_values =
            raw.all.or(raw.any).or(raw.count).or(raw.sum).is_some() || raw.value.is_some() || raw.what.is_some() || raw.unit.is_some();
        if raw.path.is_none() && of_values {
            return Err("all, any, count, sum, value, what and unit belong to a path".to_owned());
        }
        if raw.rule.is_none() && raw.verdict.is_some() {
            return Err("a verdict belongs to a rule".to_owned());
        }
        if let Some(path) = raw.path.clone() {
            return values(raw, &path).map(Self::Values);
        }
        if let Some(rule) = raw.rule {
            if rule_of(&rule).is_none() {
                return Err(format!("there is no rule named \"{rule}\". `rigbay report` prints the ids of rules in brackets"));
            }
            let verdict = raw.verdict.ok_or("verdict is missing. Write verdict = \"pass\" or \"fail\"")?;
            return Ok(Self::Rule { rule, verdict });
        }
        match (raw.and, raw.or, raw.not) {
            (Some(list), ..) | (_, Some(list), _) if list.is_empty() => Err("an empty list checks nothing".to_owned()),
            (Some(list), ..) => Ok(Self::And(list)),
            (_, Some(list), _) => Ok(Self::Or(list)),
            (_, _, Some(inner)) => Ok(Self::Not(inner)),
            (None, None, None) => Err("a check has one of path, rule, and, or, not".to_owned()),
        }
    }
}

fn values(raw: Raw, path: &str) -> Result<Values, String> {
    let asked: Vec<(Which, Relation)> = [(Which::All, raw.all), (Which::Any, raw.any), (Which::Count, raw.count), (Which::Sum, raw.sum)]
        .into_iter()
        .filter_map(|(w, r)| Some((w, r?)))
        .collect();
    let [(which, is)] = asked.as_slice() else {
        return Err("a path has one of all, any, count, sum, such as all = \"<=\"".to_owned());
    };
    let value = raw.value.ok_or("value is missing. Write what the values are compared with")?;
    let ordered = !matches!(is, Relation::Equal | Relation::Other);
    let counted = matches!(which, Which::Count | Which::Sum);
    match &value {
        Scalar::Number(n) if !n.is_finite() => return Err("value is no finite number".to_owned()),
        Scalar::Flag(_) | Scalar::Word(_) if ordered || counted => return Err("such a comparison needs a number as value".to_owned()),
        Scalar::Number(_) | Scalar::Flag(_) | Scalar::Word(_) => {}
    }
    Ok(Values { path: path.parse()?, which: *which, is: *is, value, what: raw.what, unit: raw.unit })
}

impl From<Test> for Raw {
    fn from(test: Test) -> Self {
        match test {
            Test::Values(v) => {
                let of = |which| (v.which == which).then_some(v.is);
                Self {
                    path: Some(v.path.to_string()),
                    all: of(Which::All),
                    any: of(Which::Any),
                    count: of(Which::Count),
                    sum: of(Which::Sum),
                    value: Some(v.value),
                    what: v.what,
                    unit: v.unit,
                    ..Self::default()
                }
            }
            Test::Rule { rule, verdict } => Self { rule: Some(rule), verdict: Some(verdict), ..Self::default() },
            Test::And(list) => Self { and: Some(list), ..Self::default() },
            Test::Or(list) => Self { or: Some(list), ..Self::default() },
            Test::Not(inner) => Self { not: Some(inner), ..Self::default() },
        }
    }
}

/// What a check says, and why it does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// In sentences; empty for a pass.
    pub why: Vec<String>,
}

/// The report in both its forms: a check reads the JSON, its explanation the findings.
#[derive(Clone, Copy, Debug)]
pub struct Solved<'a> {
    pub report: &'a Report,
    pub json: &'a Value,
}

impl Test {
    /// Judges the solved report.
    pub fn judge(&self, solved: Solved<'_>) -> Outcome {
        match self {
            Self::Values(values) => values.judge(solved.json),
            Self::Rule { rule, verdict } => judge_rule(rule, *verdict, &solved.report.findings),
            Self::And(list) => together(list, solved, Verdict::Fail, Verdict::Pass),
            Self::Or(list) => together(list, solved, Verdict::Pass, Verdict::Fail),
            Self::Not(inner) => {
                let verdict = match inner.judge(solved).verdict {
                    Verdict::Pass => Verdict::Fail,
                    Verdict::Fail => Verdict::Pass,
                    Verdict::Unknown => Verdict::Unknown,
                };
                let why = if verdict == Verdict::Pass { Vec::new() } else { vec![format!("Not wanted: {}", inner.text())] };
                Outcome { verdict, why }
            }
        }
    }

    /// What is asked for, in words: "Temperature of every card: at most 84 °C".
    pub fn text(&self) -> String {
        let joined = |list: &[Self], word: &str| list.iter().map(Self::text).collect::<Vec<_>>().join(word);
        match self {
            Self::Values(v) => format!("{}: {}", v.name(), v.asked()),
            Self::Rule { rule, verdict } => {
                let title = rule_of(rule).map_or(rule.as_str(), |r| r.title);
                format!("{title}: {}", if *verdict == Wanted::Pass { "nothing to object" } else { "shown to fail" })
            }
            Self::And(list) => joined(list, "; and "),
            Self::Or(list) => joined(list, "; or "),
            Self::Not(inner) => format!("not: {}", inner.text()),
        }
    }

    /// Every test of values within.
    pub fn values(&self) -> Vec<&Values> {
        match self {
            Self::Values(v) => vec![v],
            Self::Rule { .. } => Vec::new(),
            Self::And(list) | Self::Or(list) => list.iter().flat_map(Self::values).collect(),
            Self::Not(inner) => inner.values(),
        }
    }

    /// Every rule within.
    pub fn rules(&self) -> Vec<&str> {
        match self {
            Self::Values(_) => Vec::new(),
            Self::Rule { rule, .. } => vec![rule],
            Self::And(list) | Self::Or(list) => list.iter().flat_map(Self::rules).collect(),
            Self::Not(inner) => inner.rules(),
        }
    }
}

/// Strong logic of three values: `decides` settles the list, `else_` needs all of it.
fn together(list: &[Test], solved: Solved<'_>, decides: Verdict, else_: Verdict) -> Outcome {
    let outcomes: Vec<Outcome> = list.iter().map(|t| t.judge(solved)).collect();
    let verdict = if outcomes.iter().any(|o| o.verdict == decides) {
        decides
    } else if outcomes.iter().any(|o| o.verdict == Verdict::Unknown) {
        Verdict::Unknown
    } else {
        else_
    };
    let why = if verdict == Verdict::Pass { Vec::new() } else { outcomes.into_iter().flat_map(|o| o.why).collect() };
    Outcome { verdict, why }
}

impl Values {
    fn name(&self) -> String {
        self.what.clone().unwrap_or_else(|| self.path.to_string())
    }

    fn shown(&self, value: &Scalar) -> String {
        let unit = self.unit.as_deref().map(|u| format!(" {u}")).unwrap_or_default();
        match value {
            Scalar::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            Scalar::Number(n) if n.abs() < 100.0 => format!("{}{unit}", plain(*n, 2)),
            Scalar::Number(n) => format!("{}{unit}", thousands(*n, 0)),
            Scalar::Word(word) => word.clone(),
        }
    }

    fn asked(&self) -> String {
        let word = match self.is {
            Relation::AtMost => "at most ",
            Relation::Below => "below ",
            Relation::AtLeast => "at least ",
            Relation::Above => "above ",
            Relation::Equal => "",
            Relation::Other => "not ",
        };
        let which = match self.which {
            Which::All => "",
            Which::Any => "one of them ",
            Which::Count => "their number ",
            Which::Sum => "together ",
        };
        format!("{which}{word}{}", self.shown(&self.value))
    }

    fn judge(&self, report: &Value) -> Outcome {
        let found = self.path.find(report);
        if self.which == Which::Count {
            return self.judged(&[Scalar::Number(found.len() as f64)], false);
        }
        let known: Vec<Scalar> = found.iter().filter_map(|v| scalar(v)).collect();
        let unknown = known.len() < found.len() || found.is_empty();
        if self.which == Which::Sum {
            let sum = known.iter().filter_map(|v| if let Scalar::Number(n) = v { Some(*n) } else { None }).sum();
            return if unknown { self.unknown() } else { self.judged(&[Scalar::Number(sum)], false) };
        }
        self.judged(&known, unknown)
    }

    fn unknown(&self) -> Outcome {
        Outcome { verdict: Verdict::Unknown, why: vec![format!("{}: unknown, so it does not count as reached.", self.name())] }
    }

    /// `unknown`: there are values beside `known` that nobody knows.
    fn judged(&self, known: &[Scalar], unknown: bool) -> Outcome {
        let holds: Vec<bool> = known.iter().map(|v| holds(v, self.is, &self.value)).collect();
        let decided = if self.which == Which::Any { holds.contains(&true) } else { holds.contains(&false) };
        if !decided && unknown {
            return self.unknown();
        }
        // One that holds decides for "any", one that does not for the others.
        let verdict = if decided == (self.which == Which::Any) { Verdict::Pass } else { Verdict::Fail };
        if verdict == Verdict::Pass {
            return Outcome { verdict, why: Vec::new() };
        }
        let off: Vec<String> = known.iter().zip(&holds).filter(|(_, h)| !**h).map(|(v, _)| self.shown(v)).collect();
        Outcome { verdict, why: vec![format!("{} is {}; asked for: {}.", self.name(), off.join(", "), self.asked())] }
    }
}

fn scalar(value: &Value) -> Option<Scalar> {
    match value {
        Value::Bool(flag) => Some(Scalar::Flag(*flag)),
        Value::Number(n) => n.as_f64().map(Scalar::Number),
        Value::String(word) => Some(Scalar::Word(word.clone())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn holds(value: &Scalar, is: Relation, asked: &Scalar) -> bool {
    match (is, value, asked) {
        (Relation::Equal, a, b) => a == b,
        (Relation::Other, a, b) => a != b,
        (Relation::AtMost, Scalar::Number(a), Scalar::Number(b)) => a <= b,
        (Relation::Below, Scalar::Number(a), Scalar::Number(b)) => a < b,
        (Relation::AtLeast, Scalar::Number(a), Scalar::Number(b)) => a >= b,
        (Relation::Above, Scalar::Number(a), Scalar::Number(b)) => a > b,
        _ => false,
    }
}

fn judge_rule(rule: &str, wanted: Wanted, findings: &[Finding]) -> Outcome {
    let of_rule: Vec<&Finding> = findings.iter().filter(|f| f.rule == rule).collect();
    let any = |verdict| of_rule.iter().any(|f| f.verdict == verdict);
    let (fails, unknown) = (any(Verdict::Fail), any(Verdict::Unknown));
    let verdict = match wanted {
        Wanted::Pass if fails => Verdict::Fail,
        Wanted::Pass if unknown || of_rule.is_empty() => Verdict::Unknown,
        Wanted::Fail if fails => Verdict::Pass,
        Wanted::Fail if unknown => Verdict::Unknown,
        Wanted::Fail => Verdict::Fail,
        Wanted::Pass => Verdict::Pass,
    };
    let title = rule_of(rule).map_or(rule, |r| r.title);
    let why = match (verdict, wanted) {
        (Verdict::Pass, _) => Vec::new(),
        (_, Wanted::Fail) => vec![format!("{title}: nothing fails yet.")],
        (_, Wanted::Pass) if of_rule.is_empty() => vec![format!("{title}: there is nothing to judge yet.")],
        (verdict, Wanted::Pass) => of_rule.iter().filter(|f| f.verdict == verdict).map(|f| f.message.clone()).collect(),
    };
    Outcome { verdict, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::finding::Severity;
    use serde_json::json;

    fn judge(check: &str) -> Verdict {
        let test: Test = toml::from_str(check).unwrap();
        let finding = |rule, verdict| Finding::new(rule, verdict, Severity::Note, Vec::new(), "a message");
        let findings = vec![
            finding("ram_speed", Verdict::Pass),
            finding("p2p", Verdict::Fail),
            finding("p2p", Verdict::Unknown),
            finding("psu_length", Verdict::Unknown),
        ];
        let report = Report { findings, ..crate::report::analyze(&Default::default(), &Default::default(), crate::analysis::Effort::Live) };
        let json = json!({ "t": [80.0, 84.0], "u": [80.0, null], "none": [], "fits": true, "word": "x8" });
        test.judge(Solved { report: &report, json: &json }).verdict
    }

    #[test]
    fn three_verdicts_of_values() {
        for (check, verdict) in [
            ("path = 't[*]'\nall = '<='\nvalue = 84", Verdict::Pass),
            ("path = 't[*]'\nall = '<'\nvalue = 84.0", Verdict::Fail),
            ("path = 't[*]'\nany = '<'\nvalue = 84", Verdict::Pass),
            ("path = 't[*]'\ncount = '=='\nvalue = 2", Verdict::Pass),
            ("path = 't[*]'\nsum = '>'\nvalue = 164", Verdict::Fail),
            ("path = 'u[*]'\nall = '<='\nvalue = 84", Verdict::Unknown),
            ("path = 'u[*]'\nall = '<='\nvalue = 70", Verdict::Fail),
            ("path = 'u[*]'\nany = '<='\nvalue = 84", Verdict::Pass),
            ("path = 'u[*]'\nsum = '<='\nvalue = 84", Verdict::Unknown),
            ("path = 'none[*]'\nall = '<='\nvalue = 84", Verdict::Unknown),
            ("path = 'none[*]'\ncount = '=='\nvalue = 0", Verdict::Pass),
            ("path = 'absent'\nany = '<='\nvalue = 84", Verdict::Unknown),
            ("path = 'fits'\nall = '=='\nvalue = true", Verdict::Pass),
            ("path = 'word'\nall = '!='\nvalue = 'x16'", Verdict::Pass),
            ("path = 'word'\nall = '<='\nvalue = 3", Verdict::Fail),
        ] {
            assert_eq!(judge(check), verdict, "{check}");
        }
    }

    #[test]
    fn three_verdicts_of_rules_and_words_between() {
        for (check, verdict) in [
            ("rule = 'ram_speed'\nverdict = 'pass'", Verdict::Pass),
            ("rule = 'ram_speed'\nverdict = 'fail'", Verdict::Fail),
            ("rule = 'p2p'\nverdict = 'pass'", Verdict::Fail),
            ("rule = 'p2p'\nverdict = 'fail'", Verdict::Pass),
            ("rule = 'psu_length'\nverdict = 'pass'", Verdict::Unknown),
            ("rule = 'psu_length'\nverdict = 'fail'", Verdict::Unknown),
            ("rule = 'no_gpu'\nverdict = 'pass'", Verdict::Unknown),
            ("not = { rule = 'no_gpu', verdict = 'fail' }", Verdict::Pass),
            ("not = { rule = 'psu_length', verdict = 'pass' }", Verdict::Unknown),
            ("and = [{ rule = 'ram_speed', verdict = 'pass' }, { rule = 'psu_length', verdict = 'pass' }]", Verdict::Unknown),
            ("and = [{ rule = 'p2p', verdict = 'pass' }, { rule = 'psu_length', verdict = 'pass' }]", Verdict::Fail),
            ("or = [{ rule = 'ram_speed', verdict = 'pass' }, { rule = 'psu_length', verdict = 'pass' }]", Verdict::Pass),
            ("or = [{ rule = 'p2p', verdict = 'pass' }, { rule = 'psu_length', verdict = 'pass' }]", Verdict::Unknown),
        ] {
            assert_eq!(judge(check), verdict, "{check}");
        }
    }

    #[test]
    fn what_is_no_check_is_refused_in_words() {
        for (check, why) in [
            ("", "one of path, rule"),
            ("path = 'a'\nrule = 'p2p'", "one of path, rule"),
            ("path = 'a'\nvalue = 1", "one of all, any"),
            ("path = 'a'\nall = '<='\nany = '<='\nvalue = 1", "one of all, any"),
            ("path = 'a'\nall = '<='", "value is missing"),
            ("path = 'a'\nall = '<='\nvalue = 'x'", "needs a number"),
            ("path = 'a['\nall = '<='\nvalue = 1", "is no path"),
            ("rule = 'nonsense'\nverdict = 'pass'", "there is no rule"),
            ("rule = 'p2p'", "verdict is missing"),
            ("rule = 'p2p'\nverdict = 'unknown'", "unknown variant"),
            ("rule = 'p2p'\nverdict = 'pass'\nvalue = 1", "belong to a path"),
            ("and = []", "empty list"),
            ("path = 'a'\nall = '<='\nvalue = 1\nvalues = 2", "unknown field"),
        ] {
            let error = toml::from_str::<Test>(check).unwrap_err().to_string();
            assert!(error.contains(why), "{check}: {error}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let text =
            "and = [{ path = 'a[*]', all = '<=', value = 84.0, what = 'T', unit = '°C' }, { not = { rule = 'p2p', verdict = 'fail' } }]";
        let test: Test = toml::from_str(text).unwrap();
        assert_eq!(toml::from_str::<Test>(&toml::to_string(&test).unwrap()).unwrap(), test);
        assert_eq!(test.text(), "T: at most 84 °C; and not: Card to card without the CPU: shown to fail");
    }
}
