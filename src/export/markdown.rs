//! The parts list as a Markdown table, for forums, notes and READMEs.

use super::rows::{PartsList, Row};
use crate::units::{Money, plain, thousands};

const HEADER: [&str; 11] =
    ["Position", "Kind", "Part", "Qty", "Interface", "Power", "Unit price", "Total", "Price of", "Availability", "Notes"];

/// The file's text.
pub fn markdown(list: &PartsList) -> String {
    let mut out = format!("# {}\n\n", cell(&list.title));
    line(&mut out, &HEADER.map(str::to_owned));
    out.push_str("|:---|:---|:---|---:|:---|:---|---:|---:|:---|:---|:---|\n");
    for row in &list.rows {
        line(&mut out, &cells(row));
    }
    let draw = format!("{} W, limit {} W", thousands(list.typical_w, 0), thousands(list.limit_w, 0));
    let blank = String::new;
    let total = format!("**{}**", cell(&list.total_text));
    let strong = |text: &str| format!("**{text}**");
    line(
        &mut out,
        &[
            strong("Sum"),
            blank(),
            blank(),
            strong(&list.pieces.to_string()),
            blank(),
            strong(&draw),
            blank(),
            total,
            blank(),
            blank(),
            blank(),
        ],
    );
    for remark in &list.remarks {
        out.push_str(&format!("\n{}\n", cell(remark)));
    }
    out
}

fn line(out: &mut String, cells: &[String; 11]) {
    out.push_str(&format!("| {} |\n", cells.join(" | ")));
}

fn cells(row: &Row) -> [String; 11] {
    let number = if row.part_number.is_empty() { String::new() } else { format!(" ({})", cell(&row.part_number)) };
    let amount = |p: Money| format!("{} {}", p.currency, thousands(p.amount(), 2));
    let price = match (row.unit_price, row.counted) {
        (Some(asked), Some(counted)) if asked.currency != counted.currency => format!("{}, counts {}", amount(asked), amount(counted)),
        (Some(asked), _) => amount(asked),
        (None, _) => "unknown".to_owned(),
    };
    let price_of = [&row.price_date, &row.price_kind, &row.price_source].map(|t| cell(t));
    let later = if row.available_later.is_empty() { String::new() } else { format!("in two years: {}", cell(&row.available_later)) };
    [
        cell(&row.position),
        row.kind.clone(),
        format!("**{}**{number}", cell(&row.part)),
        row.quantity.to_string(),
        cell(&row.interface),
        power(row),
        price,
        row.total().map(amount).unwrap_or_default(),
        joined(&price_of, ", "),
        joined(&[cell(&row.available_now), later], "; "),
        cell(&row.notes),
    ]
}

fn power(row: &Row) -> String {
    let watts = |w: f64| plain(w, 1);
    match (row.typical_w, row.limit_w) {
        (Some(typical), Some(limit)) if limit > typical => format!("{} W, limit {} W", watts(typical), watts(limit)),
        (Some(typical), _) => format!("{} W", watts(typical)),
        (None, Some(limit)) => format!("limit {} W", watts(limit)),
        (None, None) => String::new(),
    }
}

fn joined(parts: &[String], with: &str) -> String {
    parts.iter().filter(|p| !p.is_empty()).map(String::as_str).collect::<Vec<_>>().join(with)
}

/// Text that stays in its cell: pipes escaped, line ends turned into spaces, no raw HTML.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '*' | '`' | '<' | '[' => out.extend(['\\', c]),
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
