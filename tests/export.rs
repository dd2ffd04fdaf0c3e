//! Parts lists: equal parts share a row, sums say what they leave out, and no cell breaks its file.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use rigbay::analysis::Effort;
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::load;
use rigbay::catalog::part::PartId;
use rigbay::export::columns::Column;
use rigbay::export::layout::{Layout, RowsBy, SortBy, find_preset, read_presets, write_presets};
use rigbay::export::rows::{PartsList, Row, parts_list};
use rigbay::export::table::{Cell, Table};
use rigbay::export::{bbcode, csv, markdown, text};
use rigbay::project::edit::Edit;
use rigbay::project::{Project, Rate};
use rigbay::report::analyze;
use rigbay::units::Currency;

/// The made-up parts, and one whose texts would break a careless writer.
fn catalog() -> Catalog {
    let nasty = "[sources]\ns = {title = \"t\"}\n[[nic]]\nid = \"nic.t.nasty\"\nname = \"=HYPERLINK(\\\"x\\\")|a, b\"\nmaker = \"@maker\"\n\
        part_number = \"-1+2\"\nnotes = \"two\\nlines *bold* [link](x)\"\npcie_lanes = 8\n[nic.from]\npcie_lanes = {source = \"s\", as_of = \"2026\", confidence = \"judgement\"}\n";
    let files = [("mini.toml", include_str!("data/mini_catalog.toml")), ("nasty.toml", nasty)];
    let (catalog, faults) = load(&files.map(|(n, t)| (n.to_owned(), t.to_owned())));
    assert!(faults.is_empty(), "{faults:?}");
    catalog
}

fn project(catalog: &Catalog) -> Project {
    let board = PlacementId(1);
    let edits = [
        ("case.t.tower", Some(SlotId::rig("case"))),
        ("board.t.server", Some(SlotId::rig("board"))),
        ("gpu.t.blower", Some(SlotId::of(board, "SLOT1"))),
        ("gpu.t.blower", Some(SlotId::of(board, "SLOT2"))),
        ("nic.t.nasty", Some(SlotId::of(board, "SLOT3"))),
        ("fan.t.120", Some(SlotId::of(PlacementId(0), "front1"))),
        ("fan.t.120", Some(SlotId::of(PlacementId(0), "rear1"))),
        ("psu.t.1600", None),
    ];
    edits.into_iter().fold(Project::default(), |p, (id, slot)| Edit::place(&PartId::new(id), slot).apply(catalog, &p).unwrap())
}

fn list() -> PartsList {
    let catalog = catalog();
    let project = project(&catalog);
    parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Live), RowsBy::Place)
}

fn table(preset: &str) -> Table {
    Layout::built_in(preset).unwrap().table(&list()).unwrap()
}

/// Cells of a column, as shown.
fn column(table: &Table, column: Column) -> Vec<String> {
    let at = table.heads.iter().position(|h| h.key == column.key()).unwrap();
    table.rows().map(|r| r[at].shown()).collect()
}

fn row<'l>(list: &'l PartsList, part: &str) -> Vec<&'l Row> {
    list.rows.iter().filter(|r| r.part.starts_with(part)).collect()
}

#[test]
fn equal_parts_at_like_places_share_a_row() {
    let list = list();
    let kinds: Vec<&str> = list.rows.iter().map(|r| r.kind.as_str()).collect();
    assert_eq!(kinds, ["GPU", "Board", "Fan", "Fan", "Case", "NIC"]);
    let gpu = row(&list, "Testa GeForce T100")[0];
    assert_eq!((gpu.position.as_str(), gpu.quantity), ("SLOT1; SLOT2", 2));
    assert_eq!(gpu.interface, "PCIe 4.0 x16, 2x PCIe 8-pin");
    assert_eq!((gpu.typical_w, gpu.price_date.as_str(), gpu.available_now.as_str()), (Some(350.0), "2026-10", "used only"));
    assert_eq!(gpu.available_later, "used only (ended; many on sale, as of 2026-11-30)");
    let fans: Vec<&str> = row(&list, "Fana").iter().map(|r| r.position.as_str()).collect();
    assert_eq!(fans, ["front fan mount 1", "rear fan mount 1"]);
    assert_eq!(list.pieces, 7);
}

#[test]
fn a_setting_of_one_piece_gets_a_row_of_its_own() {
    let catalog = catalog();
    let limit = Edit::Set { what: PlacementId(3), key: "power_limit_w".to_owned(), value: Some("250".to_owned()) };
    let project = limit.apply(&catalog, &project(&catalog)).unwrap();
    let list = parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Live), RowsBy::Place);
    let gpus = row(&list, "Testa GeForce T100");
    assert_eq!(gpus.iter().map(|r| r.quantity).collect::<Vec<_>>(), [1, 1]);
    assert_eq!((gpus[1].notes.as_str(), gpus[1].typical_w), ("power limit w 250", Some(250.0)));
}

#[test]
fn the_sum_says_what_it_leaves_out() {
    let list = list();
    // The newest price of the cards is in euros, for which this catalog has no rate; the rest has none.
    assert_eq!(list.total_text, "at least $0, 7 parts without price");
    let remarks = list.remarks.join("\n");
    assert!(remarks.contains("Not placed and not counted: Psua 1600."), "{remarks}");
    assert!(remarks.contains("Prices in EUR are not in the sum, as no exchange rate to USD is set."), "{remarks}");
    assert!(remarks.contains("Contains information from BuildCores OpenDB"), "{remarks}");
}

#[test]
fn a_row_is_the_price_of_its_pieces() {
    let catalog = catalog();
    let rate = Rate { to: Currency::parse("USD").unwrap(), per_unit: 1.1, date: "2026-11-30".to_owned() };
    let project = Edit::Rate { currency: "EUR".to_owned(), rate: Some(rate) }.apply(&catalog, &project(&catalog)).unwrap();
    let list = parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Live), RowsBy::Place);
    let gpu = row(&list, "Testa GeForce T100")[0];
    assert_eq!((gpu.quantity, gpu.counted.unwrap().amount(), gpu.total().unwrap().amount()), (2, 935.0, 1870.0));
    let table = Layout::built_in("standard").unwrap().table(&list).unwrap();
    assert!(markdown::markdown(&table).contains("| EUR 850.00, counts USD 935.00 | USD 1,870.00 |"));
}

#[test]
fn csv_reads_back_and_runs_no_formula() {
    let text = csv::csv(&table("full"), false).unwrap();
    assert!(text.ends_with("\r\n") && !text.starts_with('\u{feff}'));
    assert_eq!(csv::csv(&table("full"), true).unwrap(), format!("\u{feff}{text}"));
    // Another parser than the one that wrote it.
    let mut reader = simd_csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let utf8 = |cell: &[u8]| String::from_utf8(cell.to_vec()).unwrap();
    let heads: Vec<String> = reader.byte_headers().unwrap().iter().map(utf8).collect();
    assert_eq!(heads, Layout::built_in("full").unwrap().columns.iter().map(|c| c.key()).collect::<Vec<_>>());
    let rows: Vec<Vec<String>> = reader.byte_records().map(|r| r.unwrap().iter().map(utf8).collect()).collect();
    let at = |row: &[String], column: Column| row[heads.iter().position(|h| h == column.key()).unwrap()].clone();
    let nic = rows.iter().find(|r| at(r, Column::Kind) == "NIC").unwrap();
    let texts = [Column::Model, Column::Maker, Column::PartNumber].map(|c| at(nic, c));
    assert_eq!(texts, ["'=HYPERLINK(\"x\")|a, b", "'@maker", "'-1+2"]);
    assert_eq!(at(nic, Column::Notes), "two\nlines *bold* [link](x)");
    let gpu = rows.iter().find(|r| at(r, Column::Kind) == "GPU").unwrap();
    let figures = [Column::Quantity, Column::Typical, Column::UnitPrice, Column::Currency, Column::Counted].map(|c| at(gpu, c));
    assert_eq!(figures, ["2", "350.0", "850.00", "EUR", ""]);
    let sum = rows.iter().find(|r| r[0] == "sum").unwrap();
    assert_eq!([Column::Quantity, Column::Total, Column::TotalCurrency].map(|c| at(sum, c)), ["7", "0.00", "USD"]);
    // Every cell of the table comes back, its quote against formulas aside.
    for (written, cells) in rows.iter().zip(table("full").rows()) {
        for (read, cell) in written.iter().zip(cells) {
            assert_eq!(read.strip_prefix('\'').unwrap_or(read), cell.data());
        }
    }
}

#[test]
fn an_amount_never_stands_without_its_currency() {
    let columns = Layout::parse_columns("kind,unit_price,total").unwrap();
    let layout = Layout { columns, ..Layout::default() }.with_currencies();
    assert_eq!(layout.columns.iter().map(|c| c.key()).collect::<Vec<_>>(), ["kind", "unit_price", "currency", "total", "total_currency"]);
    assert_eq!(layout.with_currencies(), layout);
}

/// Cells of the table that a `CommonMark` reader makes of the text, and its other paragraphs.
fn rendered(markdown: &str) -> (Vec<Vec<String>>, Vec<String>) {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    let (mut rows, mut paragraphs): (Vec<Vec<String>>, Vec<String>) = (Vec::new(), Vec::new());
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH) {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => rows.last_mut().unwrap().push(String::new()),
            Event::End(TagEnd::Table) | Event::Start(Tag::Paragraph) => paragraphs.push(String::new()),
            Event::Text(text) if paragraphs.is_empty() => {
                if let Some(cell) = rows.last_mut().and_then(|r| r.last_mut()) {
                    cell.push_str(&text);
                }
            }
            Event::Text(text) => paragraphs.last_mut().unwrap().push_str(&text),
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) => {
                panic!("{event:?} in {markdown}")
            }
            Event::Start(Tag::Emphasis | Tag::Strikethrough | Tag::Image { .. } | Tag::List(_)) => panic!("{event:?} in {markdown}"),
            _ => {}
        }
    }
    (rows, paragraphs.into_iter().filter(|p| !p.is_empty()).collect())
}

#[test]
fn markdown_renders_to_the_cells_it_was_made_of() {
    for preset in ["standard", "short", "shopping", "engineering", "by maker", "full"] {
        let table = table(preset);
        let (rows, paragraphs) = rendered(&markdown::markdown(&table));
        assert_eq!(rows[0], table.heads.iter().map(|h| h.title).collect::<Vec<_>>());
        let grouped = table.is_grouped();
        let mut expected: Vec<Vec<String>> = Vec::new();
        for section in &table.sections {
            if grouped {
                expected.push(rigbay::export::table::named(&section.sum, &section.name).iter().map(Cell::shown).collect());
            }
            expected.extend(section.rows.iter().map(|r| r.iter().map(|c| c.shown().replace('\n', " ")).collect()));
        }
        expected.push(rigbay::export::table::named(&table.sum, "Sum").iter().map(Cell::shown).collect());
        assert_eq!(rows[1..], expected, "{preset}");
        assert_eq!(paragraphs, table.remarks, "{preset}");
    }
}

#[test]
fn plain_text_keeps_its_columns() {
    let text = text::text(&table("standard"));
    let lines: Vec<&str> = text.lines().collect();
    let rule = lines.iter().position(|l| l.starts_with("----")).unwrap();
    let part = lines[rule - 1].find("Part").unwrap();
    // A new word begins in each row where the column does.
    let row = lines.iter().find(|l| l.starts_with("GPU")).unwrap();
    assert_eq!(row.chars().skip(part).take(5).collect::<String>(), "Testa");
    assert!(text.contains("Sum") && !text.lines().any(|l| l.ends_with(' ')), "{text}");
}

#[test]
fn bbcode_has_no_marks_but_its_own() {
    let text = bbcode::bbcode(&table("standard"));
    assert!(text.contains("two lines *bold* (link)(x)"), "{text}");
    for (open, close) in [("[b]", "[/b]"), ("[i]", "[/i]"), ("[url=", "[/url]")] {
        assert_eq!(text.matches(open).count(), text.matches(close).count());
    }
    let known = ["b]", "/b]", "i]", "/i]", "u]", "/u]", "/url]", "url="];
    assert!(text.split('[').skip(1).all(|tag| known.iter().any(|k| tag.starts_with(k))), "{text}");
    assert!(text.contains("[b]GPU:[/b] Testa GeForce T100"), "{text}");
}

#[test]
fn rows_are_filtered_sorted_and_grouped() {
    let list = list();
    let with = |change: &dyn Fn(&mut Layout)| {
        let mut layout = Layout::built_in("standard").unwrap();
        change(&mut layout);
        layout.table(&list).unwrap()
    };
    let gpus = with(&|l| l.filter = "kind=gpu".to_owned());
    assert_eq!(column(&gpus, Column::Kind), ["GPU"]);
    assert!(gpus.remarks.iter().any(|r| r.starts_with("1 of 6 rows are shown and summed")), "{:?}", gpus.remarks);
    assert_eq!(column(&with(&|l| l.filter = "kind!=fan; position!=".to_owned()), Column::Kind), ["GPU", "Board", "Case", "NIC"]);
    assert_eq!(column(&with(&|l| l.filter = "SLOT2".to_owned()), Column::Kind), ["GPU"]);
    assert_eq!(column(&with(&|l| l.filter = "total=; kind=nic".to_owned()), Column::Kind), ["NIC"]);
    let wrong = Layout { filter: "colour=red".to_owned(), ..Layout::built_in("short").unwrap() };
    assert!(wrong.table(&list).unwrap_err().starts_with("No column is named \"colour\". Columns are: position, kind,"));
    let sorted = with(&|l| l.sort = vec![SortBy { column: Column::Quantity, down: true }, SortBy { column: Column::Kind, down: false }]);
    assert_eq!(column(&sorted, Column::Kind), ["GPU", "Board", "Case", "Fan", "Fan", "NIC"]);
    let grouped = with(&|l| l.group_by = Some(Column::Kind));
    assert_eq!(grouped.sections.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["GPU", "Board", "Fan", "Case", "NIC"]);
    let quantity = grouped.heads.iter().position(|h| h.key == "quantity").unwrap();
    assert_eq!(grouped.sections[2].sum[quantity], Cell::Count(2));
    let pieces: usize = grouped.sections.iter().map(|s| if let Cell::Count(n) = s.sum[quantity] { n } else { 0 }).sum();
    assert_eq!(grouped.sum[quantity], Cell::Count(pieces));
}

#[test]
fn an_article_has_one_row_wherever_its_pieces_are() {
    let catalog = catalog();
    let project = project(&catalog);
    let list = parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Live), RowsBy::Part);
    let fans = row(&list, "Fana");
    assert_eq!((fans.len(), fans[0].quantity, fans[0].position.as_str()), (1, 2, "front fan mount 1; rear fan mount 1"));
}

#[test]
fn layouts_are_kept_and_found() {
    let layout = Layout {
        columns: Layout::parse_columns("kind, Part, total").unwrap(),
        group_by: Some(Column::Maker),
        rows: RowsBy::Part,
        sort: Layout::parse_sort("total-,kind").unwrap(),
        filter: "kind=gpu".to_owned(),
    };
    assert_eq!(layout.sort_text(), "total-,kind");
    let own = [("my list".to_owned(), layout.clone())].into_iter().collect();
    let text = write_presets(&own).unwrap();
    assert_eq!(read_presets(&text, "p.toml").unwrap(), own);
    assert_eq!(find_preset(&own, "my list").unwrap(), layout);
    assert_eq!(find_preset(&own, "short").unwrap(), Layout::built_in("short").unwrap());
    assert!(find_preset(&own, "none").unwrap_err().contains("Presets are: my list, standard, short,"));
    assert!(read_presets("[preset.a]\ncolumns = [\"size\"]", "p.toml").unwrap_err().starts_with("p.toml:2: "));
    assert!(Layout::parse_columns("kind,kind").unwrap_err().contains("named twice"));
}

#[test]
fn warnings_and_sources_stand_beside_the_part() {
    let list = list();
    let gpu = row(&list, "Testa GeForce T100")[0];
    assert!(gpu.warnings.iter().all(|w| !w.starts_with("note:")), "{:?}", gpu.warnings);
    assert!(list.rows.iter().any(|r| r.warnings.iter().any(|w| w.starts_with("unknown: "))));
    assert!(list.rows.iter().all(|r| !r.data_sources.is_empty()));
}
