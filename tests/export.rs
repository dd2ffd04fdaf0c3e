//! Parts lists: equal parts share a row, sums say what they leave out, and no cell breaks its file.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use rigbay::analysis::Effort;
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::load;
use rigbay::catalog::part::PartId;
use rigbay::export::rows::{PartsList, Row, parts_list};
use rigbay::export::{ListFormat, csv, markdown};
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
    parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Live))
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
    let list = parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Live));
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
    let list = parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Live));
    let gpu = row(&list, "Testa GeForce T100")[0];
    assert_eq!((gpu.quantity, gpu.counted.unwrap().amount(), gpu.total().unwrap().amount()), (2, 935.0, 1870.0));
    assert!(markdown::markdown(&list).contains("| EUR 850.00, counts USD 935.00 | USD 1,870.00 |"));
}

#[test]
fn csv_reads_back_and_runs_no_formula() {
    let list = list();
    let text = csv::csv(&list).unwrap();
    assert!(text.ends_with("\r\n") && !text.starts_with('\u{feff}'));
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), csv::HEADER);
    let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let nic = rows.iter().find(|r| &r[1] == "NIC").unwrap();
    assert_eq!([&nic[2], &nic[3], &nic[4]], ["'=HYPERLINK(\"x\")|a, b", "'@maker", "'-1+2"]);
    assert_eq!(&nic[19], "two\nlines *bold* [link](x)");
    let gpu = rows.iter().find(|r| &r[1] == "GPU").unwrap();
    assert_eq!([&gpu[5], &gpu[7], &gpu[9], &gpu[10], &gpu[11]], ["2", "350.0", "850.00", "EUR", ""]);
    let sum = rows.iter().find(|r| &r[0] == "sum").unwrap();
    assert_eq!([&sum[5], &sum[12], &sum[13]], ["7", "0.00", "USD"]);
}

#[test]
fn markdown_keeps_its_table() {
    let text = markdown::markdown(&list());
    let table: Vec<&str> = text.lines().filter(|l| l.starts_with('|')).collect();
    assert_eq!(table.len(), 2 + 6 + 1);
    for line in &table {
        assert_eq!(line.replace("\\|", "").matches('|').count(), 12, "{line}");
    }
    assert!(text.contains("**=HYPERLINK(\"x\")\\|a, b** (-1+2)") && text.contains("two lines \\*bold\\* \\[link](x)"), "{text}");
    assert!(text.contains("| EUR 850.00 |  | 2026-10, street used, Made up for tests |"), "{text}");
}

#[test]
fn the_same_rig_gives_the_same_bytes() {
    let make = |format| {
        let catalog = catalog();
        let project = project(&catalog);
        rigbay::export::parts_list(&catalog, &project, &analyze(&catalog, &project, Effort::Full), format).unwrap()
    };
    assert_eq!(make(ListFormat::Csv), make(ListFormat::Csv));
    assert_eq!(make(ListFormat::Markdown), make(ListFormat::Markdown));
}
