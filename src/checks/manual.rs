//! The manual page of all rules, made from their table.

use super::{Check, THEMES};
use crate::project::thresholds;

/// Names of the themes, in their order.
const NAMES: [&str; THEMES.len()] = [
    "What a rig must have",
    "CPU, board, case and supply",
    "Room in the case",
    "Radiators",
    "Cards in their slots",
    "Lanes",
    "Memory",
    "BIOS, generations and values",
    "Power",
    "Plugs",
    "Leads, rails and slots",
    "Cooling",
    "Heat",
    "Work",
    "Display",
    "Prices and years",
];

/// The page as Markdown.
pub fn text() -> String {
    let mut page = String::from(
        "# Rules\n\nEvery rule that Rigbay judges a rig by. A rule passes, fails or is unknown; an unknown one names the fact that it lacks. A failing one is a \
         blocker (does not work), a problem (works badly or not for long), advice (money or speed could be had) or a note. The ids are those of\n`rigbay report --json` and `rigbay check --json`. This page is made from the table of rules; a test compares the two.\n",
    );
    page = page.replace(" blocker (does", "\nblocker (does");
    for (name, rules) in NAMES.iter().zip(THEMES) {
        page.push_str(&format!("\n## {name}\n"));
        for rule in *rules {
            page.push_str(&entry(rule));
        }
    }
    page.push_str("\n## Limits\n\nThe user can change each of them; a rig file keeps those that differ from the default.\n\n| limit | default | source |\n|:---|---:|:---|\n");
    for limit in thresholds::ALL {
        page.push_str(&format!(
            "| {} (`{}`) | {} {} | {} |\n",
            limit.title,
            limit.key,
            crate::units::plain(limit.default, 3),
            limit.unit,
            limit.source
        ));
    }
    page
}

fn entry(rule: &Check) -> String {
    let guide = if rule.guide.is_empty() { String::new() } else { format!(" Guide: {}.", rule.guide.join(", ")) };
    let fix = if rule.search.is_some() { " Fixes are searched." } else { "" };
    format!("\n### {} (`{}`)\n\n{}{guide}{fix}\n", rule.title, rule.id, rule.why)
}
