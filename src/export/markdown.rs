//! A table as Markdown, for forums, notes and READMEs: the shape people know from lists of parts, with our columns.

use super::table::{Cell, Head, Section, Table, named};

/// The file's text.
pub fn markdown(table: &Table) -> String {
    let mut out = format!("# {}\n\n", inline(&table.title));
    line(&mut out, table.heads.iter().map(|h| inline(h.title)));
    let sides: Vec<&str> = table.heads.iter().map(|h| if h.right { "---:" } else { ":---" }).collect();
    out.push_str(&format!("|{}|\n", sides.join("|")));
    let grouped = table.is_grouped();
    for section in &table.sections {
        section_lines(&mut out, table, section, grouped);
    }
    if !table.sum.is_empty() {
        line(&mut out, named(&table.sum, "Sum").iter().map(strong));
    }
    for remark in &table.remarks {
        out.push_str(&format!("\n{}\n", inline(remark)));
    }
    out
}

fn section_lines(out: &mut String, table: &Table, section: &Section, grouped: bool) {
    if grouped {
        line(out, named(&section.sum, &section.name).iter().map(strong));
    }
    for row in &section.rows {
        line(out, row.iter().zip(&table.heads).map(|(c, h)| cell(c, *h)));
    }
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
}

fn cell(cell: &Cell, head: Head) -> String {
    match cell {
        Cell::Link { text, url } => format!("[{}]({})", inline(text), address(url)),
        _ if head.strong => strong(cell),
        _ => inline(&cell.shown()),
    }
}

fn strong(cell: &Cell) -> String {
    if cell.is_empty() { String::new() } else { format!("**{}**", inline(cell.shown().trim())) }
}

/// Text that stays in its cell and reads as it is: marks escaped, line ends turned into spaces.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '~' | '&' | '$' | '#' => out.extend(['\\', c]),
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// An address that ends where its brackets end.
fn address(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for c in url.chars() {
        match c {
            '(' | ')' | '<' | '>' | '|' | '\\' | '`' | '*' | '"' | '[' | ']' => out.push_str(&format!("%{:02X}", u32::from(c))),
            c if c.is_whitespace() || c.is_control() => out.push_str("%20"),
            c => out.push(c),
        }
    }
    out
}
