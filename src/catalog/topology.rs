//! Where a board's lanes come from and what filling one connector does to the others: rules transcribed from the manual's table, BIOS choices
//! and jumpers, root ports. The evaluation is in `analysis/lanes`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::part::Board;

mod expr;

pub use expr::{Aspect, Cmp, Expr, Test};

/// One row of the table: where `when` holds, connectors get these widths. Rows run from top to bottom and later ones win.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub when: Condition,
    /// By connector label, `switch:ID` for the uplink of a switch, `*` for all connectors.
    pub set: BTreeMap<String, Change>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A condition with its text as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Condition {
    text: String,
    pub expr: Expr,
}

impl TryFrom<String> for Condition {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let expr = Expr::parse(&text).map_err(|why| format!("is no condition: {why}"))?;
        Ok(Self { text, expr })
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.text
    }
}

/// What a rule makes of a connector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Change {
    /// Lanes; 0 = off.
    Lanes(u8),
    Link(LinkChange),
    /// The source says that the width changes, but not to what.
    Unknown(Unknown),
}

/// What stays away stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkChange {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#gen: Option<u8>,
    /// The connector moves to another origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Unknown {
    #[serde(rename = "unknown")]
    Unknown,
}

/// A choice in the BIOS or by jumpers. Rules ask for the option in force with `bios("VALUE")`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Name of the setting, `bios.KEY` in a rig file.
    pub key: String,
    /// As a person says it: "Lanes of slot 4".
    pub label: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub jumper: bool,
    /// Value in force if nobody chooses. Absent: the option that leaves most of what is fitted working counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    pub options: Vec<ChoiceOption>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOption {
    pub value: String,
    pub label: String,
}

impl Choice {
    /// The option that a text names by value or label, whatever its case, blanks and punctuation.
    pub fn option(&self, text: &str) -> Option<&ChoiceOption> {
        self.options.iter().find(|o| alike(&o.value, text) || alike(&o.label, text))
    }
}

/// Equal but for case, blanks and punctuation.
pub fn alike(a: &str, b: &str) -> bool {
    let plain = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    plain(a) == plain(b)
}

/// "x8x4x4" as lanes; `None` if it is none of that.
pub fn split_parts(text: &str) -> Option<Vec<u8>> {
    let plain: String = text.chars().filter(|c| c.is_ascii_alphanumeric()).flat_map(char::to_lowercase).collect();
    let parts: Option<Vec<u8>> =
        plain.strip_prefix('x')?.split('x').map(|n| n.parse().ok().filter(|n| [1, 2, 4, 8, 16].contains(n))).collect();
    parts.filter(|p| !p.is_empty())
}

/// A root complex of one processor, one host bridge: its ports reach each other without leaving it. Connectors and switches name it in `root`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Root {
    /// Number of its bus in firmware tables, or another name.
    pub id: String,
    /// Socket, 1 or 2.
    pub socket: u8,
    /// NUMA node of the socket where the BIOS splits it into four (NPS4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps4_node: Option<u8>,
}

/// Prefix of origins behind a switch: `switch:PLX`; `switch:?` where only the switch itself is unknown.
pub const SWITCH: &str = "switch:";

/// What does not hang together in a board's topology, each as field and fault.
pub fn faults(board: &Board) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let labels: Vec<&str> = board.connectors.iter().map(|c| c.label.as_str()).collect();
    let is_switch = |id: &str| board.switches.iter().any(|s| s.id == id);
    let options: Vec<&str> = board.choices.iter().flat_map(|c| &c.options).map(|o| o.value.as_str()).collect();
    let origin = |from: &str| match from.strip_prefix(SWITCH) {
        Some("?") => !board.switches.is_empty(),
        Some(id) => is_switch(id),
        None => matches!(from, "cpu" | "cpu1" | "cpu2" | "chipset"),
    };
    for connector in &board.connectors {
        if let Some(from) = connector.from.as_deref().filter(|f| !origin(f)) {
            out.push(("connectors", format!("{} comes from \"{from}\", which the board lacks", connector.label)));
        }
    }
    let roots = board
        .connectors
        .iter()
        .map(|c| ("connectors", &c.label, &c.root))
        .chain(board.switches.iter().map(|s| ("switches", &s.id, &s.root)));
    for (field, name, root) in roots {
        if let Some(root) = root.as_ref().filter(|root| board.roots.iter().all(|r| r.id != **root)) {
            out.push((field, format!("{name} names root \"{root}\", which the board lacks")));
        }
    }
    for switch in &board.switches {
        if let Some(from) = switch.from.as_deref().filter(|f| !origin(f) || *f == format!("{SWITCH}{}", switch.id)) {
            out.push(("switches", format!("{} comes from \"{from}\", which the board lacks", switch.id)));
        }
    }
    for (n, rule) in board.rules.iter().enumerate() {
        let n = n + 1;
        for test in rule.when.expr.tests() {
            match test {
                Test::Used(label, _) if !labels.contains(&&**label) => {
                    out.push(("rules", format!("rule {n} asks for connector \"{label}\", which the board lacks")));
                }
                Test::Bios(option) if !options.contains(&&**option) => {
                    out.push(("rules", format!("rule {n} asks for BIOS option \"{option}\", which no choice offers")));
                }
                _ => {}
            }
        }
        for (target, change) in &rule.set {
            let known = target == "*" || labels.contains(&target.as_str()) || target.strip_prefix(SWITCH).is_some_and(is_switch);
            if !known {
                out.push(("rules", format!("rule {n} sets connector \"{target}\", which the board lacks")));
            }
            if let Change::Link(LinkChange { from: Some(from), .. }) = change
                && !origin(from)
            {
                out.push(("rules", format!("rule {n} moves \"{target}\" to \"{from}\", which the board lacks")));
            }
        }
    }
    for choice in &board.choices {
        if choice.default.as_ref().is_some_and(|d| choice.options.iter().all(|o| o.value != *d)) {
            out.push(("choices", format!("{} has a default that is none of its options", choice.key)));
        }
    }
    out
}
