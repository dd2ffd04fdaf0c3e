//! A table as every writer takes it: columns with a key, a title and a side; cells that keep their type.

use std::cmp::Ordering;

use crate::units::{Money, plain, thousands};

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// For programs: `part_number`.
    pub key: &'static str,
    /// For people: "Part number".
    pub title: &'static str,
    /// Numbers stand at the right.
    pub right: bool,
    /// Names the row, so it stands out.
    pub strong: bool,
    /// Values are of one piece: a sum takes each as often as the row's quantity says.
    pub each: bool,
}

impl Head {
    pub const fn left(key: &'static str, title: &'static str) -> Self {
        Self { key, title, right: false, strong: false, each: false }
    }
    pub const fn right(key: &'static str, title: &'static str) -> Self {
        Self { right: true, ..Self::left(key, title) }
    }
    pub const fn strong(key: &'static str, title: &'static str) -> Self {
        Self { strong: true, ..Self::left(key, title) }
    }
}

/// A value with its type. Unknown is [`Cell::Empty`] or the text "unknown", never 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    #[default]
    Empty,
    Text(String),
    Link {
        text: String,
        url: String,
    },
    Count(usize),
    /// Shown with at most `decimals` digits after the point.
    Number {
        value: f64,
        decimals: usize,
    },
    Money(Money),
    /// A sum that leaves out what is unknown.
    AtLeast(Box<Self>),
}

impl Cell {
    /// Empty for an empty text.
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Empty } else { Self::Text(text) }
    }
    pub fn watts(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, |value| Self::Number { value, decimals: 1 })
    }
    pub fn count(value: Option<impl Into<u64>>) -> Self {
        value.map_or(Self::Empty, |n| Self::Count(usize::try_from(n.into()).unwrap_or(usize::MAX)))
    }
    /// A number, or the word.
    pub fn or_unknown(self) -> Self {
        if self.is_empty() { Self::Text("unknown".to_owned()) } else { self }
    }
    pub fn money(value: Option<Money>) -> Self {
        value.map_or(Self::Empty, Self::Money)
    }
    /// Marks a sum from which something unknown is missing.
    pub fn at_least(self, incomplete: bool) -> Self {
        if incomplete && self != Self::Empty { Self::AtLeast(Box::new(self)) } else { self }
    }

    pub const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// For people: "EUR 1,850.00", "at least 350".
    pub fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Link { text, .. } => text.clone(),
            Self::Count(n) => n.to_string(),
            Self::Number { value, decimals } => plain(*value, *decimals),
            Self::Money(money) => amount(*money),
            Self::AtLeast(cell) => format!("at least {}", cell.shown()),
        }
    }

    /// For programs: decimal points, no thousands, no currency; money with two decimals.
    pub fn data(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Link { text, .. } => text.clone(),
            Self::Count(n) => n.to_string(),
            Self::Number { value, decimals } => format!("{value:.decimals$}"),
            Self::Money(money) => format!("{:.2}", money.amount()),
            Self::AtLeast(cell) => cell.data(),
        }
    }

    /// The value of a number or sum.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Empty | Self::Text(_) | Self::Link { .. } => None,
            Self::Count(n) => Some(*n as f64),
            Self::Number { value, .. } => Some(*value),
            Self::Money(money) => Some(money.amount()),
            Self::AtLeast(cell) => cell.number(),
        }
    }

    /// Numbers by size, texts without regard to capitals, what is empty last.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) if other.is_empty() => Ordering::Less,
            (None, Some(_)) if self.is_empty() => Ordering::Greater,
            _ => (self.is_empty(), self.shown().to_lowercase()).cmp(&(other.is_empty(), other.shown().to_lowercase())),
        }
    }
}

/// "EUR 1,850.00": the code, as one sign stands for several currencies.
pub fn amount(money: Money) -> String {
    format!("{} {}", money.currency, thousands(money.amount(), 2))
}

/// Rows that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Empty where the table is not grouped.
    pub name: String,
    pub rows: Vec<Vec<Cell>>,
    /// One cell a column.
    pub sum: Vec<Cell>,
}

/// A whole table. Every row has one cell a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub title: String,
    pub heads: Vec<Head>,
    pub sections: Vec<Section>,
    /// Empty where nothing is summed.
    pub sum: Vec<Cell>,
    /// Sentences below: what the sum leaves out, how prices were converted, whose data these are.
    pub remarks: Vec<String>,
}

impl Table {
    /// One without groups or sums.
    pub fn plain(title: impl Into<String>, heads: &[Head], rows: Vec<Vec<Cell>>) -> Self {
        let sections = if rows.is_empty() { Vec::new() } else { vec![Section { rows, ..Section::default() }] };
        Self { title: title.into(), heads: heads.to_vec(), sections, ..Self::default() }
    }
    pub fn is_empty(&self) -> bool {
        self.rows().next().is_none()
    }
    pub fn rows(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.sections.iter().flat_map(|s| &s.rows)
    }
    pub fn is_grouped(&self) -> bool {
        self.sections.iter().any(|s| !s.name.is_empty())
    }
}

/// A sum's cells with its name in the first column that holds no sum.
pub fn named(sum: &[Cell], name: &str) -> Vec<Cell> {
    let mut cells = sum.to_vec();
    if let Some(cell) = cells.iter_mut().find(|c| c.is_empty()) {
        *cell = Cell::Text(name.to_owned());
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Currency;

    #[test]
    fn cells_read_for_people_and_for_programs() {
        let price = Cell::Money(Money::new(1850.0, Currency::EUR));
        assert_eq!((price.shown(), price.data()), ("EUR 1,850.00".to_owned(), "1850.00".to_owned()));
        assert_eq!(price.clone().at_least(true).shown(), "at least EUR 1,850.00");
        assert_eq!(price.at_least(true).data(), "1850.00");
        let watts = Cell::watts(Some(350.0));
        assert_eq!((watts.shown(), watts.data()), ("350".to_owned(), "350.0".to_owned()));
        assert_eq!(Cell::watts(None), Cell::Empty);
    }

    #[test]
    fn what_is_empty_sorts_last() {
        let mut cells = [Cell::Empty, Cell::Count(20), Cell::text("b"), Cell::Count(3), Cell::text("A")];
        cells.sort_by(Cell::order);
        assert_eq!(cells[4], Cell::Empty);
        assert!(cells[..4].iter().position(|c| *c == Cell::Count(3)) < cells[..4].iter().position(|c| *c == Cell::Count(20)));
    }
}
