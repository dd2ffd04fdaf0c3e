//! Rig files as text that reads and diffs well: one line a fact, small tables inline, scalars before tables.

use toml::{Table, Value};

/// Writes a document.
pub(super) fn write(document: &Table) -> String {
    let mut out = String::new();
    body(&mut out, "", document);
    out
}

fn body(out: &mut String, path: &str, table: &Table) {
    let depth = if path.is_empty() { 0 } else { 1 };
    let (nested, plain): (Vec<_>, Vec<_>) = table.iter().partition(|(_, v)| wants_header(v, depth));
    for (name, value) in plain {
        out.push_str(&format!("{} = {}\n", key(name), inline(value)));
    }
    for (name, value) in nested {
        let inner = if path.is_empty() { key(name) } else { format!("{path}.{}", key(name)) };
        match value {
            Value::Table(table) => {
                // A table of tables alone needs no header of its own.
                if table.is_empty() || table.values().any(|v| !wants_header(v, 1)) {
                    out.push_str(&format!("\n[{inner}]\n"));
                }
                body(out, &inner, table);
            }
            Value::Array(tables) => {
                for table in tables.iter().filter_map(Value::as_table) {
                    out.push_str(&format!("\n[[{inner}]]\n"));
                    body(out, &inner, table);
                }
            }
            _ => {}
        }
    }
}

fn is_nested(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::Array(items) => items.iter().any(is_nested),
        _ => false,
    }
}

/// Tables of the document itself, tables that hold others, and lists of tables that nest more than once.
fn wants_header(value: &Value, depth: usize) -> bool {
    match value {
        Value::Table(table) => depth == 0 || table.values().any(is_nested),
        Value::Array(items) => {
            let deep = |t: &Table| t.values().any(|v| is_nested(v) && has_nested(v));
            !items.is_empty() && items.iter().all(Value::is_table) && items.iter().filter_map(Value::as_table).any(deep)
        }
        _ => false,
    }
}

fn has_nested(value: &Value) -> bool {
    match value {
        Value::Table(table) => table.values().any(is_nested),
        Value::Array(items) => items.iter().any(Value::is_table),
        _ => false,
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::Table(table) => {
            let fields: Vec<String> = table.iter().map(|(k, v)| format!("{} = {}", key(k), inline(v))).collect();
            if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
        }
        Value::Array(items) if is_nested(value) => {
            let items: String = items.iter().map(|i| format!("    {},\n", inline(i))).collect();
            format!("[\n{items}]")
        }
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::String(text) => quoted(text),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => value.to_string(),
    }
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A basic string on one line.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let text = "a = 1\n[deep.er.est]\nx = 0.1\n\"odd key\" = \"quote \\\" back\\\\slash\\nline \\u0001\"\n[[list]]\nn = 1e300\n\
            inner = [{ a = 1, b = [1, 2] }]\n[[list]]\nn = -0.0\n[empty]\n[mixed]\nm = [\"whole\", { placement = \"p3\" }]\nnone = []\n";
        let table: Table = toml::from_str(text).unwrap();
        let written = write(&table);
        assert_eq!(toml::from_str::<Table>(&written).unwrap(), table, "{written}");
    }

    #[test]
    fn small_tables_stay_on_a_line() {
        let table: Table = toml::from_str("[rig]\nnext = 1\n[rig.placements.p0]\npart = \"a.b\"\n[room]\nv = 1.0\n").unwrap();
        assert_eq!(write(&table), "\n[rig]\nnext = 1\n\n[rig.placements]\np0 = { part = \"a.b\" }\n\n[room]\nv = 1.0\n");
    }
}
