//! Parts as a catalog file that people can read and change.

use super::ALL_OTHERS;
use super::write::kind_table;
use crate::catalog::part::{Part, Provenance, Source};

/// A catalog file with these parts, below `head`. Sources are written once each, and the origin that most facts of a part share once a part.
pub fn file_text<'a>(head: &str, parts: impl Iterator<Item = &'a Part>) -> String {
    let mut sources: Vec<&Source> = Vec::new();
    let mut body = String::new();
    for part in parts {
        part_text(part, &mut sources, &mut body);
    }
    let mut out = head.to_owned();
    for (n, source) in sources.iter().enumerate() {
        out.push_str(&format!("[sources.s{}]\ntitle = {}\n", n + 1, quoted(&source.title)));
        for (key, value) in [("url", &source.url), ("date", &source.date)] {
            if let Some(value) = value {
                out.push_str(&format!("{key} = {}\n", quoted(value)));
            }
        }
        out.push('\n');
    }
    out + &body
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn part_text<'a>(part: &'a Part, sources: &mut Vec<&'a Source>, out: &mut String) {
    let kind = part.kind.key();
    out.push_str(&format!("[[{kind}]]\nid = {}\nname = {}\n", quoted(part.id.as_str()), quoted(&part.name)));
    if !part.aliases.is_empty() {
        let list: Vec<String> = part.aliases.iter().map(|a| quoted(a)).collect();
        out.push_str(&format!("aliases = [{}]\n", list.join(", ")));
    }
    for (key, text) in [("maker", &part.maker), ("part_number", &part.part_number), ("notes", &part.notes)] {
        if let Some(text) = text {
            out.push_str(&format!("{key} = {}\n", quoted(text)));
        }
    }
    if part.generic {
        out.push_str("generic = true\n");
    }
    for (field, value) in kind_table(&part.kind).unwrap_or_default() {
        if part.from.contains_key(&field) {
            out.push_str(&format!("{field} = {value}\n"));
        }
    }
    let mut key_of = |key: &str| {
        let source = part.sources.get(key)?;
        let at = sources.iter().position(|s| *s == source).unwrap_or_else(|| {
            sources.push(source);
            sources.len() - 1
        });
        Some(format!("s{}", at + 1))
    };
    origins_text(part, &mut key_of, out);
    for price in &part.prices {
        let source = key_of(&price.source).unwrap_or_default();
        out.push_str(&format!(
            "[[{kind}.prices]]\namount = {:?}\ncurrency = {}\ndate = {}\nkind = {}\nsource = {}\n",
            price.amount,
            quoted(&price.currency),
            quoted(&price.date),
            quoted(price.kind.text()),
            quoted(&source)
        ));
        if let Some(note) = &price.note {
            out.push_str(&format!("note = {}\n", quoted(note)));
        }
    }
    life_text(part, &mut key_of, out);
    out.push('\n');
}

fn origins_text(part: &Part, key_of: &mut dyn FnMut(&str) -> Option<String>, out: &mut String) {
    if part.from.is_empty() {
        return;
    }
    let mut counts: Vec<(&Provenance, usize)> = Vec::new();
    for origin in part.from.values() {
        match counts.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, n)) => *n += 1,
            None => counts.push((origin, 1)),
        }
    }
    let most = counts.iter().max_by_key(|(_, n)| *n).map(|(origin, _)| *origin);
    let mut line = |field: &str, origin: &Provenance| {
        let source = key_of(&origin.source).unwrap_or_default();
        let [source, as_of, confidence] = [&source, &origin.as_of, origin.confidence.text()].map(quoted);
        out.push_str(&format!("from.{field} = {{source = {source}, as_of = {as_of}, confidence = {confidence}}}\n"));
    };
    if let Some(most) = most {
        line(&quoted(ALL_OTHERS), most);
    }
    for (field, origin) in part.from.iter().filter(|(_, o)| Some(*o) != most) {
        line(field, origin);
    }
}

fn life_text(part: &Part, key_of: &mut dyn FnMut(&str) -> Option<String>, out: &mut String) {
    let life = &part.life;
    let source = life.source.as_deref().and_then(key_of);
    let words = [
        ("launch", life.launch.as_deref()),
        ("sale", life.sale.map(|s| s.text())),
        ("outlook", life.outlook.map(|o| o.text())),
        ("reason", life.reason.as_deref()),
        ("as_of", life.as_of.as_deref()),
        ("source", source.as_deref()),
    ];
    if words.iter().any(|(_, text)| text.is_some()) {
        out.push_str(&format!("[{}.life]\n", part.kind.key()));
    }
    for (key, text) in words {
        if let Some(text) = text {
            out.push_str(&format!("{key} = {}\n", quoted(text)));
        }
    }
}
