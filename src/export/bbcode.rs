//! A table as `BBCode` for forums. Few of them know tables, so every row is a line: what it is in bold, then the rest by name.

use super::table::{Cell, Head, Table};

/// The file's text.
pub fn bbcode(table: &Table) -> String {
    let mut out = format!("[b]{}[/b]\n\n", plain(&table.title));
    for section in &table.sections {
        if table.is_grouped() {
            out.push_str(&format!("[u]{}[/u]{}\n", plain(&section.name), after_dash(&named_cells(&table.heads, &section.sum))));
        }
        for row in &section.rows {
            out.push_str(&format!("{}\n", line(&table.heads, row)));
        }
        if table.is_grouped() {
            out.push('\n');
        }
    }
    if !table.sum.is_empty() {
        out.push_str(&format!("[b]Sum[/b]{}\n", after_dash(&named_cells(&table.heads, &table.sum))));
    }
    for remark in &table.remarks {
        out.push_str(&format!("\n[i]{}[/i]\n", plain(remark)));
    }
    out
}

/// "[b]GPU:[/b] [url=…]RTX 3090[/url] – Qty: 2; Total: USD 1,870.00"
fn line(heads: &[Head], row: &[Cell]) -> String {
    let (mut row, mut heads) = (row, heads);
    let mut out = String::new();
    if let ([first, rest @ ..], [_, more @ ..]) = (row, heads) {
        out.push_str(&format!("[b]{}{}[/b]", cell(first), if rest.is_empty() { "" } else { ":" }));
        (row, heads) = (rest, more);
    }
    if let ([second, rest @ ..], [_, more @ ..]) = (row, heads) {
        out.push_str(&format!(" {}", cell(second)));
        (row, heads) = (rest, more);
    }
    out.push_str(&after_dash(&named_cells(heads, row)));
    out
}

fn after_dash(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" – {text}") }
}

/// "Qty: 2; Power: 350 W"
fn named_cells(heads: &[Head], row: &[Cell]) -> String {
    let cells = heads.iter().zip(row).filter(|(_, c)| !c.is_empty());
    cells.map(|(h, c)| format!("{}: {}", plain(h.title), cell(c))).collect::<Vec<_>>().join("; ")
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Link { text, url } => {
            format!("[url={}]{}[/url]", url.replace('[', "%5B").replace(']', "%5D").replace(' ', "%20"), plain(text))
        }
        _ => plain(&cell.shown()),
    }
}

/// Text without marks: `BBCode` has no escape that all forums know, so square brackets become round ones.
fn plain(text: &str) -> String {
    text.replace('[', "(").replace(']', ")").split_whitespace().collect::<Vec<_>>().join(" ")
}
