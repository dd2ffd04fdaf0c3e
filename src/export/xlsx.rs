//! The rig as a workbook: sheets for parts, lanes, power, heat, memory and findings; real numbers, and formulas for sums. No date is in it, so the
//! same rig gives the same bytes.

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, FormatAlign, Formula, Url, Workbook, Worksheet, XlsxError};

use super::table::{Cell, Head, Section, Table};
use super::{Rig, sheets};

/// Most characters of a cell, <https://support.microsoft.com/office/excel-specifications-and-limits>.
const LONGEST: usize = 32_767;
/// Widest column, in pixels.
const WIDEST: u32 = 420;

/// The file's bytes; `parts` is the first sheet.
///
/// # Errors
/// A sentence, where a sheet would be larger than workbooks can be.
pub fn workbook(rig: Rig<'_>, parts: &Table) -> Result<Vec<u8>, String> {
    let all = [
        ("Parts", vec![parts.clone()]),
        ("Lanes", vec![sheets::lanes(rig), sheets::budgets(rig)]),
        ("Power", vec![sheets::power(rig), sheets::supply(rig)]),
        ("Heat", vec![sheets::heat(rig)]),
        ("Memory", vec![sheets::memory(rig), sheets::speed(rig)]),
        ("Findings", vec![sheets::findings(rig)]),
    ];
    book(&rig.project.name, &all)
}

/// A workbook of one table.
///
/// # Errors
/// As [`workbook`].
pub fn single(name: &str, table: &Table) -> Result<Vec<u8>, String> {
    book(&table.title, &[(name, vec![table.clone()])])
}

fn book(title: &str, sheets: &[(&str, Vec<Table>)]) -> Result<Vec<u8>, String> {
    make(title, sheets).map_err(|e| format!("The workbook cannot be written ({e}). Export CSV instead."))
}

fn make(title: &str, sheets: &[(&str, Vec<Table>)]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    // A fixed day: the time of writing would make equal rigs differ.
    let day = ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(&DocProperties::new().set_title(cut(title)).set_author("Rigbay").set_creation_datetime(&day));
    let looks = Looks::new();
    for (name, tables) in sheets.iter().filter(|(_, t)| t.iter().any(|t| !t.heads.is_empty() && (!t.is_empty() || !t.sum.is_empty()))) {
        let sheet = book.add_worksheet().set_name(*name)?;
        let mut writer = Writer { sheet, looks: &looks, row: 0 };
        for (at, table) in tables.iter().filter(|t| !t.is_empty()).enumerate() {
            if at == 0 {
                writer.sheet.set_freeze_panes(1, 0)?.set_repeat_rows(0, 0)?;
            }
            writer.table(table, at > 0)?;
        }
        sheet.set_landscape().set_print_fit_to_pages(1, 0).set_autofit_max_width(WIDEST);
        sheet.autofit();
    }
    if book.worksheets().is_empty() {
        book.add_worksheet().set_name("Parts")?.write_string(0, 0, "Nothing is placed.")?;
    }
    book.save_to_buffer()
}

struct Looks {
    head: Format,
    text: Format,
    strong: Format,
    count: Format,
    number: [Format; 4],
    money: Format,
    strong_number: Format,
    strong_money: Format,
}

impl Looks {
    fn new() -> Self {
        let top = || Format::new().set_align(FormatAlign::Top);
        let decimals = ["0", "0.0", "0.00", "0.000"];
        Self {
            head: Format::new().set_bold().set_text_wrap().set_align(FormatAlign::Top),
            text: top().set_text_wrap(),
            strong: top().set_bold(),
            count: top().set_num_format("0"),
            number: decimals.map(|d| top().set_num_format(d)),
            money: top().set_num_format("#,##0.00"),
            strong_number: top().set_bold().set_num_format("#,##0.0"),
            strong_money: top().set_bold().set_num_format("#,##0.00"),
        }
    }
    fn decimals(&self, n: usize) -> &Format {
        let [zero, one, two, three] = &self.number;
        match n {
            0 => zero,
            1 => one,
            2 => two,
            _ => three,
        }
    }
}

/// Writes tables below each other.
struct Writer<'a> {
    sheet: &'a mut Worksheet,
    looks: &'a Looks,
    /// The next free row, from 0.
    row: u32,
}

/// First and last row of some cells, from 0.
type Span = (u32, u32);

impl Writer<'_> {
    fn table(&mut self, table: &Table, titled: bool) -> Result<(), XlsxError> {
        if titled {
            self.row += 1;
            self.sheet.write_string_with_format(self.row, 0, cut(&table.title), &self.looks.strong)?;
            self.row += 1;
        }
        for (column, head) in (0_u16..).zip(&table.heads) {
            self.sheet.write_string_with_format(self.row, column, head.title, &self.looks.head)?;
        }
        self.row += 1;
        let mut spans: Vec<Span> = Vec::new();
        for section in &table.sections {
            if let Some(span) = self.section(table, section)? {
                spans.push(span);
            }
        }
        if !table.sum.is_empty() && !spans.is_empty() {
            self.sums(table, &super::table::named(&table.sum, "Sum"), &spans)?;
            self.row += 1;
        }
        for remark in &table.remarks {
            self.row += 1;
            self.sheet.write_string(self.row, 0, cut(remark))?;
        }
        self.row += u32::from(!table.remarks.is_empty());
        Ok(())
    }

    /// A heading with the sums of its rows, if the section has a name, and the rows.
    fn section(&mut self, table: &Table, section: &Section) -> Result<Option<Span>, XlsxError> {
        let rows = u32::try_from(section.rows.len()).unwrap_or(u32::MAX);
        if rows == 0 {
            return Ok(None);
        }
        let first = self.row + u32::from(!section.name.is_empty());
        let span = (first, first.saturating_add(rows - 1));
        if !section.name.is_empty() {
            self.sums(table, &super::table::named(&section.sum, &section.name), &[span])?;
            self.row += 1;
        }
        for cells in &section.rows {
            for (column, (head, cell)) in (0_u16..).zip(table.heads.iter().zip(cells)) {
                if let Some(product) = (head.key == "total").then(|| total_formula(&table.heads, self.row)).flatten()
                    && let Some(result) = cell.number()
                {
                    let formula = Formula::new(product).set_result(result.to_string());
                    self.sheet.write_formula_with_format(self.row, column, formula, &self.looks.money)?;
                } else {
                    self.cell(column, *head, cell)?;
                }
            }
            self.row += 1;
        }
        Ok(Some(span))
    }

    /// A row of sums over the spans; a text stands as it is.
    fn sums(&mut self, table: &Table, cells: &[Cell], spans: &[Span]) -> Result<(), XlsxError> {
        let quantity = (0_u16..).zip(&table.heads).find(|(_, h)| h.key == "quantity" && h.right).map(|(c, _)| c);
        for (column, (head, cell)) in (0_u16..).zip(table.heads.iter().zip(cells)) {
            let Some(result) = cell.number() else {
                if !cell.is_empty() {
                    self.sheet.write_string_with_format(self.row, column, cut(&cell.shown()), &self.looks.strong)?;
                }
                continue;
            };
            let look = if matches!(cell, Cell::Count(_)) {
                &self.looks.strong
            } else if is_money(cell) {
                &self.looks.strong_money
            } else {
                &self.looks.strong_number
            };
            let formula = match (head.each, quantity) {
                (false, _) => format!("=SUM({})", list(spans, |s| range(column, s))),
                (true, Some(q)) => format!("={}", list_of(spans, "+", |s| format!("SUMPRODUCT({},{})", range(q, s), range(column, s)))),
                // Without the quantities the sheet cannot add it up.
                (true, None) => {
                    self.sheet.write_number_with_format(self.row, column, result, look)?;
                    continue;
                }
            };
            let formula = Formula::new(formula).set_result(result.to_string());
            self.sheet.write_formula_with_format(self.row, column, formula, look)?;
        }
        Ok(())
    }

    fn cell(&mut self, column: u16, head: Head, cell: &Cell) -> Result<(), XlsxError> {
        let (row, looks) = (self.row, self.looks);
        match cell {
            Cell::Empty => {}
            Cell::Text(text) => {
                let look = if head.strong { &looks.strong } else { &looks.text };
                self.sheet.write_string_with_format(row, column, cut(text), look)?;
            }
            Cell::Link { text, url } => {
                // An address that workbooks refuse stays a text.
                if self.sheet.write_url_with_text(row, column, Url::new(url), cut(text)).is_err() {
                    self.sheet.write_string_with_format(row, column, cut(text), &looks.text)?;
                }
            }
            Cell::Count(n) => {
                self.sheet.write_number_with_format(row, column, *n as f64, &looks.count)?;
            }
            Cell::Number { value, decimals } => {
                self.sheet.write_number_with_format(row, column, *value, looks.decimals(*decimals))?;
            }
            Cell::Money(money) => {
                self.sheet.write_number_with_format(row, column, money.amount(), &looks.money)?;
            }
            Cell::AtLeast(inner) => self.cell(column, head, inner)?,
        }
        Ok(())
    }
}

fn is_money(cell: &Cell) -> bool {
    match cell {
        Cell::Money(_) => true,
        Cell::AtLeast(inner) => is_money(inner),
        Cell::Empty | Cell::Text(_) | Cell::Link { .. } | Cell::Count(_) | Cell::Number { .. } => false,
    }
}

/// "=C5*L5" where the table has quantity and counted price.
fn total_formula(heads: &[Head], row: u32) -> Option<String> {
    let at = |key: &str| (0_u16..).zip(heads).find(|(_, h)| h.key == key).map(|(c, _)| c);
    Some(format!("={}*{}", address(at("quantity")?, row), address(at("counted_price")?, row)))
}

fn list(spans: &[Span], text: impl Fn(Span) -> String) -> String {
    list_of(spans, ",", text)
}

fn list_of(spans: &[Span], between: &str, text: impl Fn(Span) -> String) -> String {
    spans.iter().map(|s| text(*s)).collect::<Vec<_>>().join(between)
}

/// "C2:C9"
fn range(column: u16, (first, last): Span) -> String {
    format!("{}:{}", address(column, first), address(column, last))
}

/// "C2" of column 2, row 1.
fn address(column: u16, row: u32) -> String {
    let mut letters = String::new();
    let mut left = u32::from(column) + 1;
    while left > 0 {
        letters.insert(0, char::from(b'A' + u8::try_from((left - 1) % 26).unwrap_or(0)));
        left = (left - 1) / 26;
    }
    format!("{letters}{}", row + 1)
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_addresses_of_spreadsheets() {
        for (column, row, text) in [(0, 0, "A1"), (25, 9, "Z10"), (26, 0, "AA1"), (701, 1, "ZZ2"), (702, 0, "AAA1")] {
            assert_eq!(address(column, row), text);
        }
        assert_eq!(range(2, (1, 8)), "C2:C9");
    }
}
