//! Which rows of a parts list are shown: `kind=gpu; maker!=asus; unit_price=`.

use super::columns::Column;
use super::rows::Row;

/// Conditions that a row must all meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    /// None: any of the columns shown.
    column: Option<Column>,
    /// In small letters; empty: the cell is empty.
    text: String,
    not: bool,
}

impl Filter {
    /// Conditions apart by semicolons. `COLUMN=TEXT`: the cell contains the text, whatever its capitals; `COLUMN!=TEXT`: it does not;
    /// `COLUMN=`: it is empty; `COLUMN!=`: it is not; a text alone: some cell that is shown contains it.
    ///
    /// # Errors
    /// A sentence that names the columns there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let terms = text.split(';').map(str::trim).filter(|t| !t.is_empty()).map(|term| {
            let small = |t: &str| t.trim().to_lowercase();
            let Some((name, value)) = term.split_once('=') else {
                return Ok(Term { column: None, text: small(term), not: false });
            };
            let not = name.ends_with('!');
            let column = Column::parse(name.trim_end_matches('!'))?;
            Ok(Term { column: Some(column), text: small(value), not })
        });
        Ok(Self { terms: terms.collect::<Result<_, String>>()? })
    }

    /// Whether the row is shown; `columns` are those shown.
    pub fn takes(&self, row: &Row, columns: &[Column]) -> bool {
        self.terms.iter().all(|term| {
            let text = |c: &Column| c.cell(row).shown().to_lowercase();
            let met = match term.column {
                Some(column) if term.text.is_empty() => column.cell(row).is_empty(),
                Some(column) => text(&column).contains(&term.text),
                None => columns.iter().any(|c| text(c).contains(&term.text)),
            };
            met != term.not
        })
    }
}
