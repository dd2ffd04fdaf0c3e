//! `rigbay prices`: what the rows of a price book mean, and a rig with the prices it uses.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Opened, Out, catalog, open};
use crate::catalog::Catalog;
use crate::catalog::part::PartId;
use crate::files;
use crate::import::price_book::{Book, Match, read};
use crate::project::file::used_parts;
use crate::project::{Project, UserPrice};
use crate::report::snapshot::rig_text;
use crate::units::{Currency, Money};

#[derive(Debug, Args)]
pub(super) struct PricesArgs {
    /// CSV with the columns part,price,currency,date,shop; part is a part number, an id or a name
    book: PathBuf,
    /// Rig file whose parts get these prices
    rig: Option<PathBuf>,
    /// Currency of rows that name none; without it that of the rig, else USD
    #[arg(long, value_name = "CODE", value_parser = currency)]
    currency: Option<Currency>,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Rig file to write, with a copy of the prices that its parts use
    #[arg(short, long, value_name = "FILE", requires = "rig")]
    output: Option<PathBuf>,
}

pub(super) fn currency(text: &str) -> Result<Currency, String> {
    Currency::parse(text).ok_or_else(|| "three letters such as USD".to_owned())
}

/// Reads a price book from a file.
pub(super) fn book(path: &Path, catalog: &Catalog, currency: Currency, today: &str) -> Result<Book, String> {
    let text = files::read_text(path, files::LIMIT).map_err(|e| e.to_string())?;
    read(catalog, &path.display().to_string(), &text, currency, today)
}

/// The project with all prices of the book, for a computation that may use any part.
pub(super) fn with_prices(path: &Path, catalog: &Catalog, project: &Project, today: &str, out: &mut Out<'_>) -> Result<Project, String> {
    let book = book(path, catalog, project.room.currency, today)?;
    for remark in book.remarks() {
        out.warn(&format!("note: {remark}"));
    }
    let mut next = project.clone();
    next.prices.parts.extend(book.prices());
    Ok(next)
}

pub(super) fn prices(args: &PricesArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let rig = args.rig.as_deref().map(|path| open(path, out)).transpose()?;
    let own = if rig.is_none() { Some(catalog(out)) } else { None };
    let Some(catalog) = rig.as_ref().map(|r| &r.catalog).or(own.as_ref()) else { return Ok(()) };
    let room = rig.as_ref().map_or(Currency::USD, |r| r.project.room.currency);
    let book = book(&args.book, catalog, args.currency.unwrap_or(room), today)?;
    let used: Vec<(PartId, UserPrice)> = rig.as_ref().map(|r| used(r, &book)).unwrap_or_default();
    if args.json {
        out.say(&json(&book, &used)?);
    } else {
        out.say(&text(catalog, &book, rig.is_some(), &used));
    }
    if let (Some(rig), Some(path)) = (&rig, &args.output) {
        let mut next = rig.project.clone();
        next.prices.parts.extend(used);
        let text = rig_text(&rig.catalog, &next).map_err(|e| e.to_string())?;
        files::write_atomic(path, text.as_bytes()).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Prices of the parts that the rig, its tray and its variants have.
fn used(rig: &Opened, book: &Book) -> Vec<(PartId, UserPrice)> {
    let prices = book.prices();
    used_parts(&rig.catalog, &rig.project).filter_map(|p| Some((p.id.clone(), prices.get(&p.id)?.clone()))).collect()
}

fn text(catalog: &Catalog, book: &Book, with_rig: bool, used: &[(PartId, UserPrice)]) -> String {
    let mut text = String::new();
    for row in &book.rows {
        let Match::One(id) = &row.found else { continue };
        let name = catalog.part(id).map_or("?", |p| p.name.as_str());
        let price = Money::new(row.price.amount, row.price.currency);
        let shop = if row.price.shop.is_empty() { String::new() } else { format!(", {}", row.price.shop) };
        let here = if used.iter().any(|u| u.0 == *id) { ", in this rig" } else { "" };
        text.push_str(&format!("{price:>10}  {name}, {}{shop}{here}\n", row.price.date));
    }
    for remark in book.remarks() {
        text.push_str(&format!("{remark}\n"));
    }
    let parts = book.prices().len();
    text.push_str(&format!("{} rows, prices of {parts} parts", book.rows.len()));
    text.push_str(&if with_rig { format!(", {} of them in this rig.\n", used.len()) } else { ".\n".to_owned() });
    text
}

fn json(book: &Book, used: &[(PartId, UserPrice)]) -> Result<String, String> {
    let rows: Vec<serde_json::Value> = book
        .rows
        .iter()
        .map(|row| {
            let (part, candidates): (Option<&PartId>, &[PartId]) = match &row.found {
                Match::One(id) => (Some(id), &[]),
                Match::Several(ids) => (None, ids),
                Match::None => (None, &[]),
            };
            serde_json::json!({
                "line": row.line,
                "text": row.part,
                "part": part.map(PartId::as_str),
                "candidates": candidates.iter().map(PartId::as_str).collect::<Vec<_>>(),
                "price": row.price.amount,
                "currency": row.price.currency.code(),
                "date": row.price.date,
                "shop": row.price.shop,
            })
        })
        .collect();
    let whole = serde_json::json!({ "rows": rows, "used": used.iter().map(|u| u.0.as_str()).collect::<Vec<_>>() });
    serde_json::to_string_pretty(&whole).map(|t| format!("{t}\n")).map_err(|e| format!("The price book has no JSON form ({e})."))
}
