//! The parts list for spreadsheets: RFC 4180, UTF-8, decimal points, cells that a spreadsheet would run as formulas made harmless.

use super::rows::{PartsList, Row};

/// Column names, in order.
pub const HEADER: [&str; 20] = [
    "position",
    "kind",
    "part",
    "maker",
    "part_number",
    "quantity",
    "interface",
    "typical_w",
    "limit_w",
    "unit_price",
    "currency",
    "counted_price",
    "counted_total",
    "counted_currency",
    "price_date",
    "price_kind",
    "price_source",
    "available_now",
    "available_in_two_years",
    "notes",
];

/// The file's text: one row a group of parts, a row "sum", and one row a remark.
///
/// # Errors
/// If the writer refuses a record, which it does for none of this width.
pub fn csv(list: &PartsList) -> Result<String, ::csv::Error> {
    let mut writer = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(HEADER)?;
    for row in &list.rows {
        writer.write_record(cells(row))?;
    }
    writer.write_record(sum(list))?;
    for remark in &list.remarks {
        let mut cells = blank();
        let [first, .., last] = &mut cells;
        (*first, *last) = ("remark".to_owned(), text(remark));
        writer.write_record(cells)?;
    }
    let bytes = writer.into_inner().map_err(::csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cells(row: &Row) -> [String; 20] {
    [
        text(&row.position),
        text(&row.kind),
        text(&row.part),
        text(&row.maker),
        text(&row.part_number),
        row.quantity.to_string(),
        text(&row.interface),
        number(row.typical_w, 1),
        number(row.limit_w, 1),
        number(row.unit_price.map(|p| p.amount()), 2),
        row.unit_price.map(|p| p.currency.to_string()).unwrap_or_default(),
        number(row.counted.map(|p| p.amount()), 2),
        number(row.total().map(|p| p.amount()), 2),
        row.counted.map(|p| p.currency.to_string()).unwrap_or_default(),
        text(&row.price_date),
        text(&row.price_kind),
        text(&row.price_source),
        text(&row.available_now),
        text(&row.available_later),
        text(&row.notes),
    ]
}

fn sum(list: &PartsList) -> [String; 20] {
    let mut cells = blank();
    let filled = [
        "sum".to_owned(),
        String::new(),
        text(&list.total_text),
        String::new(),
        String::new(),
        list.pieces.to_string(),
        String::new(),
        number(Some(list.typical_w), 1),
        number(Some(list.limit_w), 1),
        String::new(),
        String::new(),
        String::new(),
        number(Some(list.total.amount()), 2),
        list.total.currency.to_string(),
        list.oldest.clone().unwrap_or_default(),
    ];
    for (cell, value) in cells.iter_mut().zip(filled) {
        *cell = value;
    }
    cells
}

fn blank() -> [String; 20] {
    std::array::from_fn(|_| String::new())
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map(|v| format!("{v:.decimals$}")).unwrap_or_default()
}

/// A quote before what a spreadsheet would take for a formula.
fn text(value: &str) -> String {
    if value.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{value}") } else { value.to_owned() }
}
