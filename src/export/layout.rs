//! Which columns and rows a parts list shows, and in which order; presets, the program's and the user's own.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::columns::Column;
use super::filter::Filter;
use super::rows::{PartsList, Row, Sums};
use super::table::{Section, Table};
use Column as C;

/// What shares a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowsBy {
    /// Equal parts at like places: fans of the front and of the rear apart.
    #[default]
    Place,
    /// Equal parts wherever they are: one row an article.
    Part,
}

/// A column to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SortBy {
    pub column: Column,
    /// Largest first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub down: bool,
}

/// A way to show a parts list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// In order, without repeats.
    pub columns: Vec<Column>,
    /// Rows with the same value here stand together, with a sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_by: Option<Column>,
    #[serde(default)]
    pub rows: RowsBy,
    /// First by the first; none: by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<SortBy>,
    /// As [`Filter::parse`] reads it; empty: all rows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
}

/// A layout that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    pub name: &'static str,
    pub about: &'static str,
    pub columns: &'static [Column],
    pub rows: RowsBy,
    pub group_by: Option<Column>,
}

const fn preset(name: &'static str, about: &'static str, columns: &'static [Column], rows: RowsBy) -> BuiltIn {
    BuiltIn { name, about, columns, rows, group_by: None }
}

/// Layouts that come with the program; the first suits reading, `full` programs.
pub const BUILT_IN: &[BuiltIn] = &[
    preset(
        "standard",
        "what it is, where, how it connects, what it draws and costs",
        &[C::Kind, C::Part, C::Quantity, C::Position, C::Interface, C::Power, C::Price, C::Total, C::PriceOf, C::Availability, C::Notes],
        RowsBy::Place,
    ),
    preset("short", "kind, part and price, as lists in forums have them", &[C::Kind, C::Part, C::Quantity, C::Total], RowsBy::Part),
    preset(
        "shopping",
        "one row an article, with maker, part number and prices",
        &[C::Quantity, C::Maker, C::Model, C::PartNumber, C::Price, C::Total, C::PriceOf, C::Availability],
        RowsBy::Part,
    ),
    preset(
        "engineering",
        "places, interfaces, draws and warnings, without prices",
        &[C::Position, C::Kind, C::Quantity, C::Part, C::Interface, C::Typical, C::Limit, C::Warnings, C::Notes],
        RowsBy::Place,
    ),
    BuiltIn {
        name: "by maker",
        about: "articles grouped by maker with sums",
        columns: &[C::Kind, C::Model, C::PartNumber, C::Quantity, C::Price, C::Total],
        rows: RowsBy::Part,
        group_by: Some(C::Maker),
    },
    preset(
        "full",
        "every fact in a column of its own, for spreadsheets and programs",
        &[
            C::Position,
            C::Kind,
            C::Quantity,
            C::Maker,
            C::Model,
            C::PartNumber,
            C::Interface,
            C::Typical,
            C::Limit,
            C::UnitPrice,
            C::Currency,
            C::Counted,
            C::Total,
            C::TotalCurrency,
            C::PriceDate,
            C::PriceKind,
            C::PriceSource,
            C::AvailableNow,
            C::AvailableLater,
            C::Warnings,
            C::Notes,
            C::DataSource,
        ],
        RowsBy::Place,
    ),
];

impl BuiltIn {
    pub fn layout(&self) -> Layout {
        Layout { columns: self.columns.to_vec(), group_by: self.group_by, rows: self.rows, ..Layout::default() }
    }
}

impl Layout {
    /// The built-in layout of this name.
    pub fn built_in(name: &str) -> Option<Self> {
        BUILT_IN.iter().find(|b| b.name == name).map(BuiltIn::layout)
    }

    /// "kind, part,total-": names of columns, each once.
    ///
    /// # Errors
    /// A sentence that names what is wrong.
    pub fn parse_columns(text: &str) -> Result<Vec<Column>, String> {
        let mut columns = Vec::new();
        for name in text.split(',').filter(|n| !n.trim().is_empty()) {
            let column = Column::parse(name)?;
            if columns.contains(&column) {
                return Err(format!("The column \"{}\" is named twice. Name each column once.", column.key()));
            }
            columns.push(column);
        }
        if columns.is_empty() { Err("No column is named. Name at least one, for example kind,part,total.".to_owned()) } else { Ok(columns) }
    }

    /// "total-,kind": columns to sort by; a minus puts the largest first.
    ///
    /// # Errors
    /// A sentence that names what is wrong.
    pub fn parse_sort(text: &str) -> Result<Vec<SortBy>, String> {
        let names = text.split(',').map(str::trim).filter(|n| !n.is_empty());
        names.map(|n| Ok(SortBy { column: Column::parse(n.trim_end_matches('-'))?, down: n.ends_with('-') })).collect()
    }

    /// What [`Self::parse_sort`] reads.
    pub fn sort_text(&self) -> String {
        self.sort.iter().map(|s| format!("{}{}", s.column.key(), if s.down { "-" } else { "" })).collect::<Vec<_>>().join(",")
    }

    /// The same for programs: an amount of money has its currency in a column of its own.
    pub fn with_currencies(&self) -> Self {
        let mut columns = self.columns.clone();
        for (money, currency) in [(&[C::UnitPrice][..], C::Currency), (&[C::Counted, C::Total], C::TotalCurrency)] {
            let last = columns.iter().rposition(|c| money.contains(c));
            if let Some(at) = last.filter(|_| !columns.contains(&currency)) {
                columns.insert(at + 1, currency);
            }
        }
        Self { columns, ..self.clone() }
    }

    /// The list as a table.
    ///
    /// # Errors
    /// If the filter cannot be read.
    pub fn table(&self, list: &PartsList) -> Result<Table, String> {
        let filter = Filter::parse(&self.filter)?;
        let mut rows: Vec<&Row> = list.rows.iter().filter(|r| filter.takes(r, &self.columns)).collect();
        rows.sort_by(|a, b| {
            let order = |s: &SortBy| {
                let (a, b) = (s.column.cell(a), s.column.cell(b));
                // What is empty stays last either way.
                if s.down && !a.is_empty() && !b.is_empty() { b.order(&a) } else { a.order(&b) }
            };
            self.sort.iter().map(order).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut groups: Vec<(String, Vec<&Row>)> = Vec::new();
        for row in &rows {
            let name = self.group_by.map_or_else(String::new, |c| group_name(c, row));
            match groups.iter_mut().find(|(n, _)| *n == name) {
                Some((_, group)) => group.push(row),
                None => groups.push((name, vec![row])),
            }
        }
        let currency = list.total.currency;
        let sum = |rows: &[&Row]| {
            let sums = Sums::of(rows.iter().copied(), currency);
            self.columns.iter().map(|c| c.sum(&sums)).collect::<Vec<_>>()
        };
        let section = |(name, rows): (String, Vec<&Row>)| Section {
            name,
            sum: sum(&rows),
            rows: rows.iter().map(|r| self.columns.iter().map(|c| c.cell(r)).collect()).collect(),
        };
        let whole = Sums::of(rows.iter().copied(), currency);
        let mut remarks = vec![format!("Total: {}.", whole.text())];
        if rows.len() < list.rows.len() {
            let shown = format!("{} of {} rows are shown and summed", rows.len(), list.rows.len());
            remarks.push(format!("{shown}, those that match \"{}\".", self.filter.trim()));
        }
        if !whole.undrawn_names.is_empty() {
            remarks.push(format!("The draw of these parts is unknown and not in the sum: {}.", whole.undrawn_names.join(", ")));
        }
        remarks.extend(list.remarks.iter().cloned());
        Ok(Table {
            title: list.title.clone(),
            heads: self.columns.iter().map(|c| c.head()).collect(),
            sum: sum(&rows),
            sections: groups.into_iter().map(section).collect(),
            remarks,
        })
    }
}

fn group_name(column: Column, row: &Row) -> String {
    let cell = column.cell(row);
    match (cell.is_empty(), column.is_number()) {
        (true, _) => format!("{} unknown", column.title()),
        (false, true) => format!("{} {}", column.title(), cell.shown()),
        (false, false) => cell.shown(),
    }
}

/// The user's own layouts by name.
pub type Presets = BTreeMap<String, Layout>;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetsFile {
    #[serde(default)]
    preset: Presets,
}

/// Reads a file of presets.
///
/// # Errors
/// Where and what is wrong, and what to do.
pub fn read_presets(text: &str, file: &str) -> Result<Presets, String> {
    let read: PresetsFile = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |s| text.get(..s.start).unwrap_or_default().matches('\n').count() + 1);
        format!("{file}:{line}: {} Correct the file or delete it.", crate::catalog::load::shortened(e.message()))
    })?;
    Ok(read.preset)
}

/// Writes what [`read_presets`] reads.
///
/// # Errors
/// None that a layout could cause.
pub fn write_presets(presets: &Presets) -> Result<String, String> {
    let file = PresetsFile { preset: presets.clone() };
    toml::to_string_pretty(&file).map_err(|e| format!("The presets cannot be written ({e})."))
}

/// The layout of this name: the user's own first.
///
/// # Errors
/// A sentence that names the presets there are.
pub fn find_preset(own: &Presets, name: &str) -> Result<Layout, String> {
    own.get(name).cloned().or_else(|| Layout::built_in(name)).ok_or_else(|| {
        let known: Vec<&str> = own.keys().map(String::as_str).chain(BUILT_IN.iter().map(|b| b.name)).collect();
        format!("No preset is named \"{name}\". Presets are: {}.", known.join(", "))
    })
}
