//! Parts lists of other programs as people paste them: Markdown, text or an HTML table become items, each with the catalog's part that it
//! means and how sure that is, or with a placeholder that has only what the name says.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId};

mod matching;
mod named;
mod parse;

pub use matching::Matcher;
pub use parse::{Item, parse};

/// Longest text that is read as a list: 4 MiB.
pub const LIMIT: u64 = 4 << 20;

/// Most items of a list that are looked at.
const MOST_ITEMS: usize = 200;

/// How a part was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    PartNumber,
    Name,
    /// Not found: a placeholder with what the name says.
    Placeholder,
    /// No part of a rig: a monitor, an operating system.
    LeftOut,
}

impl How {
    pub const fn text(self) -> &'static str {
        match self {
            Self::PartNumber => "by part number",
            Self::Name => "by name",
            Self::Placeholder => "not known, placeholder",
            Self::LeftOut => "no part of a rig",
        }
    }
}

/// One item with what it was taken for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// As the list calls the type and the item.
    pub r#type: String,
    pub item: String,
    pub count: usize,
    /// Kind of part; `None` for what has no place in a rig.
    pub kind: Option<&'static str>,
    pub part: Option<PartId>,
    pub part_name: Option<String>,
    pub how: How,
    /// From 0 to 1; 1 for a part number, 0 for placeholders.
    pub confidence: f64,
    /// What the list says that it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
}

/// A list that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartsList {
    pub lines: Vec<Line>,
    /// Placeholders, once each.
    pub placeholders: Vec<Part>,
}

impl PartsList {
    /// Items of which a part of the catalog was found, and items that belong into a rig.
    pub fn matched(&self) -> (usize, usize) {
        let rig = self.lines.iter().filter(|l| l.kind.is_some());
        let found = rig.clone().filter(|l| matches!(l.how, How::PartNumber | How::Name)).count();
        (found, rig.count())
    }

    /// "6 of 9 parts found in the catalog, 3 placeholders."
    pub fn summary(&self) -> String {
        let (found, all) = self.matched();
        format!("{found} of {all} parts found in the catalog, {} placeholders.", all - found)
    }
}

/// Reads a list, as of `day` (`YYYY-MM-DD`).
///
/// # Errors
/// If the text holds no item.
pub fn read(catalog: &Catalog, text: &str, day: &str) -> Result<PartsList, String> {
    let items = parse(text);
    if items.is_empty() {
        return Err("No part was found in the text. Paste a list as Markdown, plain text (\"CPU: name\") or an HTML table.".to_owned());
    }
    let matcher = Matcher::new(catalog);
    let mut list = PartsList::default();
    let mut made: BTreeMap<PartId, Part> = BTreeMap::new();
    for item in items.into_iter().take(MOST_ITEMS) {
        let kind = parse::kind(&item);
        let found = kind.and_then(|kind| matcher.find(kind, &item));
        let (part, how, confidence) = match (kind, found) {
            (None, _) => (None, How::LeftOut, 0.0),
            (Some(_), Some(found)) => (Some((found.part.id.clone(), found.part.name.clone())), found.how, found.confidence),
            (Some(kind), None) => {
                let part = named::placeholder(&matcher, kind, &item, day);
                let id = part.id.clone();
                let name = part.name.clone();
                made.entry(id.clone()).or_insert(part);
                (Some((id, name)), How::Placeholder, 0.0)
            }
        };
        let (part, part_name) = part.unzip();
        list.lines.push(Line {
            r#type: item.r#type,
            item: item.name,
            count: item.count,
            kind,
            part,
            part_name,
            how,
            confidence,
            price: item.price,
        });
    }
    list.placeholders = made.into_values().collect();
    Ok(list)
}
