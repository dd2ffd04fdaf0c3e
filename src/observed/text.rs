//! The comparison as text for a terminal.

use super::compare::{Comparison, Row};
use crate::checks::finding::Verdict;
use crate::import::observed::Link;

/// One word for the verdict of a link.
pub const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "as expected",
        Verdict::Fail => "below",
        Verdict::Unknown => "unknown",
    }
}

/// "x16 Gen4", "unknown" if nothing is known.
pub fn link_text(lanes: Option<u8>, generation: Option<u8>) -> String {
    let link = Link { lanes, r#gen: generation };
    if link.is_known() { link.text() } else { "unknown".to_owned() }
}

/// What the link runs at: "x16 Gen1, idle".
pub fn trained_text(row: &Row) -> String {
    let text = link_text(row.trained_lanes, row.trained_gen);
    if row.idle { format!("{text}, idle") } else { text }
}

/// The whole comparison.
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut say = |line: &str| {
        out.push_str(line.trim_end());
        out.push('\n');
    };
    for line in &comparison.found {
        say(&format!("read     {line}"));
    }
    for line in &comparison.remarks {
        say(&format!("note     {line}"));
    }
    say("");
    say(&comparison.summary());
    if !comparison.rows.is_empty() {
        say("");
        let head = ["Connector", "Part", "Address", "Expected", "Runs", "Verdict"].map(str::to_owned);
        let rows = comparison.rows.iter().map(|r| {
            [
                r.connector.clone(),
                r.part.clone(),
                r.address.clone().unwrap_or_else(|| "not seen".to_owned()),
                link_text(r.expected_lanes, r.expected_gen),
                trained_text(r),
                word(r.verdict).to_owned(),
            ]
        });
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        table(&rows, &mut say);
        say("");
        for row in comparison.rows.iter().filter(|r| r.verdict != Verdict::Pass || r.idle) {
            say(&row.sentence);
        }
    }
    for pair in comparison.pairs.iter().filter(|p| p.verdict != Verdict::Pass) {
        say(&pair.sentence);
    }
    let passing = comparison.pairs.iter().filter(|p| p.verdict == Verdict::Pass).count();
    if passing > 0 {
        say(&format!("{passing} of {} pairs of cards reach each other as expected.", comparison.pairs.len()));
    }
    if !comparison.strangers.is_empty() {
        say("");
        say("Not in the rig:");
        for stranger in &comparison.strangers {
            let link = link_text(stranger.lanes, stranger.r#gen);
            say(&format!("  {}  {}, {link}. {}", stranger.address, stranger.name, stranger.sentence));
        }
    }
    out
}

/// Columns as wide as their longest cell.
fn table<const N: usize>(rows: &[[String; N]], say: &mut impl FnMut(&str)) {
    let width = |column: usize| rows.iter().filter_map(|r| r.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        say(&cells.join("  "));
    }
}
