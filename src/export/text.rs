//! A table as plain text for mails and notes: aligned columns, long cells broken into lines.

use super::table::{Cell, Head, Table, named};

/// Widest column, in characters; longer cells go on in the next line.
const WIDEST: usize = 34;
/// Characters of a line of running text.
const LINE: usize = 100;
const GAP: &str = "  ";

/// The file's text.
pub fn text(table: &Table) -> String {
    let mut out = format!("{}\n{}\n\n", one_line(&table.title), "=".repeat(table.title.chars().count().clamp(1, LINE)));
    let heads: Vec<Cell> = table.heads.iter().map(|h| Cell::text(h.title)).collect();
    let sum = if table.sum.is_empty() { Vec::new() } else { named(&table.sum, "Sum") };
    let sections: Vec<Vec<Cell>> = table.sections.iter().map(|s| named(&s.sum, &s.name)).collect();
    let every = || table.rows().chain([&heads, &sum]).chain(if table.is_grouped() { sections.iter() } else { [].iter() });
    let width = |at: usize| every().filter_map(|r| r.get(at)).map(|c| longest(&c.shown())).max().unwrap_or(0).min(WIDEST);
    let widths: Vec<usize> = (0..table.heads.len()).map(width).collect();
    let rule: String = widths.iter().map(|w| "-".repeat(*w)).collect::<Vec<_>>().join(GAP);
    row(&mut out, &table.heads, &widths, &heads);
    out.push_str(&format!("{rule}\n"));
    for (section, sum) in table.sections.iter().zip(&sections) {
        if table.is_grouped() {
            row(&mut out, &table.heads, &widths, sum);
        }
        for cells in &section.rows {
            row(&mut out, &table.heads, &widths, cells);
        }
        if table.is_grouped() {
            out.push('\n');
        }
    }
    if !sum.is_empty() {
        out.push_str(&format!("{rule}\n"));
        row(&mut out, &table.heads, &widths, &sum);
    }
    for remark in &table.remarks {
        out.push('\n');
        for line in wrapped(remark, LINE) {
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}

/// One row, as many lines as its longest cell takes.
fn row(out: &mut String, heads: &[Head], widths: &[usize], cells: &[Cell]) {
    let columns: Vec<Vec<String>> = cells.iter().zip(widths).map(|(c, w)| wrapped(&c.shown(), *w)).collect();
    let lines = columns.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..lines {
        let parts = columns.iter().zip(heads).zip(widths).map(|((lines, head), width)| {
            let text = lines.get(at).map_or("", String::as_str);
            let blank = " ".repeat(width.saturating_sub(text.chars().count()));
            if head.right { format!("{blank}{text}") } else { format!("{text}{blank}") }
        });
        let line = parts.collect::<Vec<_>>().join(GAP);
        out.push_str(&format!("{}\n", line.trim_end()));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Room that a text wants: all of it, or its widest that breaking leaves.
fn longest(text: &str) -> usize {
    wrapped(text, WIDEST).iter().map(|l| l.chars().count()).max().unwrap_or(0)
}

/// Lines of at most `width` characters, broken between words where a word is not longer than that.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + word.len() > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        while word.len() > width {
            let rest = word.split_off(width);
            lines.push(word.iter().collect());
            word = rest;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        used += word.len();
        line.extend(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_cells_break_between_words_and_lose_nothing() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a verylongwordindeed b", 8), ["a", "verylong", "wordinde", "ed b"]);
        assert_eq!(wrapped(" \n ", 8), [""; 0]);
        let text = "Größe und Länge — 100 % of it, with a comma, and more words than fit";
        assert_eq!(wrapped(text, 9).join("").replace(' ', ""), text.replace(' ', ""));
    }
}
