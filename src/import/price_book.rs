//! Price books: CSV with a part, a price, a currency, a date and a shop. Rows are matched by part number, then by name; what could mean
//! several parts is shown, never guessed.

use crate::catalog::Catalog;
use crate::catalog::load::limits::is_date;
use crate::catalog::part::{Part, PartId};
use crate::project::UserPrice;
use crate::units::Currency;

/// What became of one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Match {
    One(PartId),
    /// Several parts have this number or name.
    Several(Vec<PartId>),
    /// No part of the catalog.
    None,
}

/// One row of a price book.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Line of the file, from 1.
    pub line: u64,
    /// As written.
    pub part: String,
    pub price: UserPrice,
    pub found: Match,
}

/// A price book that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    pub name: String,
    pub rows: Vec<Row>,
}

/// Names of columns, small letters; the first is what a file should have.
const COLUMNS: [(&str, &[&str]); 5] = [
    ("part", &["part", "part_number", "part number", "mpn", "name", "item", "product"]),
    ("price", &["price", "amount", "unit_price", "unit price"]),
    ("currency", &["currency"]),
    ("date", &["date", "price_date", "as_of"]),
    ("shop", &["shop", "merchant", "vendor", "seller", "source"]),
];

/// Most rows of a book.
const MOST: usize = 100_000;

/// Reads a price book. `file` is used in messages. Without a column `currency` prices are in `currency`, without `date` of the day `today`.
///
/// # Errors
/// The first fault, with file and line.
pub fn read(catalog: &Catalog, file: &str, text: &str, currency: Currency, today: &str) -> Result<Book, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let semicolons = text.lines().next().is_some_and(|head| head.contains(';') && !head.contains(','));
    let delimiter = if semicolons { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let heads = reader.headers().map_err(|e| format!("{file}: {e}"))?.clone();
    let column = |wanted: &str| {
        let names = COLUMNS.iter().find(|c| c.0 == wanted).map_or::<&[&str], _>(&[], |c| c.1);
        names.iter().find_map(|n| heads.iter().position(|h| h.eq_ignore_ascii_case(n)))
    };
    let (Some(part), Some(price)) = (column("part"), column("price")) else {
        return Err(format!(
            "{file}:1: has no column \"part\" or no column \"price\". The first line names the columns: part,price,currency,date,shop."
        ));
    };
    let (money, date, shop) = (column("currency"), column("date"), column("shop"));
    let mut book = Book { name: file.to_owned(), rows: Vec::new() };
    for record in reader.records() {
        let record = record.map_err(|e| format!("{file}: {e}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let fault = |what: String| format!("{file}:{line}: {what}");
        let field = |at: Option<usize>| at.and_then(|n| record.get(n)).unwrap_or_default();
        let name = field(Some(part));
        if name.is_empty() && record.iter().all(str::is_empty) {
            continue;
        }
        let (amount, symbol) = amount(field(Some(price)))
            .ok_or_else(|| fault(format!("{:?} is no price. Write a number such as 1499.50, at most 1,000,000,000", field(Some(price)))))?;
        let code = field(money);
        let currency = match (code, symbol) {
            ("", None) => currency,
            ("", Some(symbol)) => symbol,
            (code, _) => Currency::parse(code).ok_or_else(|| fault(format!("{code:?} is no currency. Write three letters such as USD")))?,
        };
        let day = if field(date).is_empty() { today } else { field(date) };
        if !is_date(day) {
            return Err(fault(format!("{day:?} is no date. Write YYYY-MM-DD")));
        }
        if book.rows.len() >= MOST {
            return Err(fault(format!("a price book has at most {MOST} rows")));
        }
        let shop: String = field(shop).chars().filter(|c| !c.is_control()).take(80).collect();
        book.rows.push(Row {
            line,
            part: name.to_owned(),
            price: UserPrice { amount, currency, date: day.to_owned(), shop },
            found: find(catalog, name),
        });
    }
    Ok(book)
}

/// "1,499.50", "1499", "$1,499", "1.499,50": the amount, and the currency of a symbol that means one.
fn amount(text: &str) -> Option<(f64, Option<Currency>)> {
    let symbol = [("€", "EUR"), ("£", "GBP"), ("$", "USD")].iter().find(|s| text.contains(s.0)).and_then(|s| Currency::parse(s.1));
    let mut digits: String = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-')).collect();
    if text.chars().any(char::is_alphabetic) {
        return None;
    }
    match (digits.rfind('.'), digits.rfind(',')) {
        // The last of both marks the decimals.
        (Some(dot), Some(comma)) if comma > dot => digits = digits.replace('.', "").replace(',', "."),
        // A lone comma with two digits behind it does too.
        (None, Some(comma)) if digits.len() - comma == 3 && digits.matches(',').count() == 1 => digits = digits.replace(',', "."),
        _ => digits = digits.replace(',', ""),
    }
    digits.parse::<f64>().ok().filter(|v| (0.0..=1e9).contains(v)).map(|v| (v, symbol))
}

/// By part number, then id, then name as [`Catalog::find`] understands it; a part of a name counts only where it is one part's alone.
fn find(catalog: &Catalog, text: &str) -> Match {
    let plain = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let wanted = plain(text);
    if wanted.is_empty() {
        return Match::None;
    }
    let products = || catalog.parts().filter(|p| !p.generic);
    let numbered: Vec<&Part> = products().filter(|p| p.part_number.as_deref().is_some_and(|n| plain(n) == wanted)).collect();
    let named =
        || products().filter(|p| p.id.as_str() == text || plain(&p.name) == wanted || plain(p.short_name()) == wanted).collect::<Vec<_>>();
    let found = if numbered.is_empty() { named() } else { numbered };
    match found.as_slice() {
        [one] => Match::One(one.id.clone()),
        [] => match catalog.find(text, None) {
            Ok(part) if !part.generic => Match::One(part.id.clone()),
            Ok(_) => Match::None,
            // `find` tells candidates as "name (id)".
            Err(names) => {
                let ids = names.iter().filter_map(|n| n.rsplit_once('(').map(|(_, id)| PartId::new(id.trim_end_matches(')'))));
                let ids: Vec<PartId> = ids.filter(|id| catalog.part(id).is_some_and(|p| !p.generic)).collect();
                if ids.is_empty() { Match::None } else { Match::Several(ids) }
            }
        },
        many => Match::Several(many.iter().map(|p| p.id.clone()).collect()),
    }
}

impl Book {
    /// The prices that are each one part's, the cheapest of the newest day where a part has several rows.
    pub fn prices(&self) -> std::collections::BTreeMap<PartId, UserPrice> {
        let mut out: std::collections::BTreeMap<PartId, UserPrice> = std::collections::BTreeMap::new();
        for row in &self.rows {
            let Match::One(id) = &row.found else { continue };
            let better = |old: &UserPrice| {
                row.price.date > old.date
                    || row.price.date == old.date && row.price.currency == old.currency && row.price.amount < old.amount
            };
            if out.get(id).is_none_or(better) {
                out.insert(id.clone(), row.price.clone());
            }
        }
        out
    }

    /// Rows that mean no part, or several, in sentences.
    pub fn remarks(&self) -> Vec<String> {
        let say = |row: &Row| {
            let at = format!("{}:{}: \"{}\"", self.name, row.line, row.part);
            match &row.found {
                Match::One(_) => None,
                Match::None => Some(format!("{at} is no part of the catalog.")),
                Match::Several(ids) => {
                    let names: Vec<&str> = ids.iter().take(6).map(PartId::as_str).collect();
                    let more = if ids.len() > 6 { format!(" and {} more", ids.len() - 6) } else { String::new() };
                    Some(format!("{at} may be any of {}{more}. Write the part number or the id.", names.join(", ")))
                }
            }
        };
        self.rows.iter().filter_map(say).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_shops_write_them() {
        let euro = Currency::parse("EUR");
        for (text, value, currency) in [
            ("1499.5", 1499.5, None),
            ("$1,499.50", 1499.5, Some(Currency::USD)),
            ("1.499,50 €", 1499.5, euro),
            ("12,90", 12.9, None),
            ("1,499", 1499.0, None),
        ] {
            assert_eq!(amount(text), Some((value, currency)), "{text}");
        }
        for wrong in ["", "free", "-3", "1e12", "12 EUR"] {
            assert_eq!(amount(wrong), None, "{wrong}");
        }
    }
}
