//! Exports as other programs read them: workbooks by another library, pages by an HTML parser, rigs as JSON, differences of builds.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::io::Cursor;

use calamine::{Data, Range, Reader as _, Xlsx};
use rigbay::analysis::Effort;
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::PartId;
use rigbay::drawing::Layer;
use rigbay::export::columns::Column;
use rigbay::export::diff::difference;
use rigbay::export::layout::Layout;
use rigbay::export::table::Table;
use rigbay::export::{Format, Options, Rig, export, parts_table};
use rigbay::project::edit::{Edit, VariantChange};
use rigbay::project::file::json::is_rig;
use rigbay::project::file::load_text;
use rigbay::project::{Project, UserPrice};
use rigbay::report::snapshot::{rig_json, rig_text};
use rigbay::report::{Report, analyze};
use rigbay::units::Currency;
use scraper::{Html, Selector};

struct Bench {
    catalog: Catalog,
    project: Project,
    report: Report,
}

impl Bench {
    fn of(catalog: Catalog, project: Project) -> Self {
        let report = analyze(&catalog, &project, Effort::Full);
        Self { catalog, project, report }
    }
    fn rig(&self) -> Rig<'_> {
        Rig { catalog: &self.catalog, project: &self.project, report: &self.report }
    }
    fn export(&self, format: Format, options: &Options) -> Vec<u8> {
        export(self.rig(), format, options).unwrap()
    }
    fn table(&self, format: Format, options: &Options) -> Table {
        parts_table(self.rig(), format, options).unwrap()
    }
}

fn presets() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/presets");
    let files = rigbay::files::toml_files(folder.as_ref());
    assert!(!files.is_empty());
    files.iter().map(|f| (f.display().to_string(), rigbay::files::read_text(f, 1 << 20).unwrap())).collect()
}

/// An example rig.
fn example(name: &str) -> Bench {
    let (base, faults) = load(&embedded_files(""));
    assert!(faults.is_empty(), "{faults:?}");
    let (file, text) = presets().into_iter().find(|(f, _)| f.contains(name)).unwrap();
    let loaded = load_text(&base, &text, &file).unwrap();
    Bench::of(base.overlaid(loaded.copies), loaded.project)
}

fn mini() -> Catalog {
    let (catalog, faults) = load(&[("mini.toml".to_owned(), include_str!("data/mini_catalog.toml").to_owned())]);
    assert!(faults.is_empty(), "{faults:?}");
    catalog
}

fn placed(catalog: &Catalog, project: Project, pieces: &[(&str, Option<SlotId>)]) -> Project {
    pieces.iter().fold(project, |p, (id, slot)| Edit::place(&PartId::new(id), slot.clone()).apply(catalog, &p).unwrap())
}

fn sheet(data: &[u8], name: &str) -> (Range<Data>, Range<String>) {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(data.to_vec())).unwrap();
    (book.worksheet_range(name).unwrap(), book.worksheet_formula(name).unwrap())
}

fn number(cell: &Data) -> Option<f64> {
    match cell {
        Data::Float(n) => Some(*n),
        Data::Int(n) => Some(*n as f64),
        _ => None,
    }
}

/// "C2:C9" as rows and column, from 0.
fn span(text: &str) -> (u32, u32, u32) {
    let (first, last) = text.split_once(':').unwrap();
    let split = |t: &str| {
        let letters: String = t.chars().take_while(char::is_ascii_alphabetic).collect();
        let column = letters.chars().fold(0, |n, c| n * 26 + (u32::from(c) - u32::from('A')) + 1) - 1;
        (column, t[letters.len()..].parse::<u32>().unwrap() - 1)
    };
    let ((column, first), (same, last)) = (split(first), split(last));
    assert_eq!(column, same);
    (column, first, last)
}

/// What a spreadsheet would compute of the formulas that are written.
fn value(formula: &str, cells: &Range<Data>) -> f64 {
    let at = |column: u32, row: u32| cells.get_value((row, column)).and_then(number).unwrap_or(0.0);
    if let Some(inner) = formula.strip_prefix("SUM(") {
        let spans = inner.trim_end_matches(')').split(',').map(span);
        return spans.map(|(c, first, last)| (first..=last).map(|r| at(c, r)).sum::<f64>()).sum();
    }
    if formula.starts_with("SUMPRODUCT(") {
        return formula
            .split('+')
            .map(|f| {
                let inner = f.trim_start_matches("SUMPRODUCT(").trim_end_matches(')');
                let (a, b) = inner.split_once(',').unwrap();
                let ((a, first, last), (b, ..)) = (span(a), span(b));
                (first..=last).map(|r| at(a, r) * at(b, r)).sum::<f64>()
            })
            .sum();
    }
    let (a, b) = formula.split_once('*').unwrap();
    let one = |t: &str| {
        let (column, row, _) = span(&format!("{t}:{t}"));
        at(column, row)
    };
    one(a) * one(b)
}

#[test]
fn a_workbook_gives_another_library_the_same_numbers() {
    for (name, preset) in [("four-blowers-epyc", "full"), ("one-rtx-5090", "by maker"), ("everything-wrong", "standard")] {
        let bench = example(name);
        let options = Options { layout: Layout::built_in(preset), ..Options::default() };
        let data = bench.export(Format::Xlsx, &options);
        let table = bench.table(Format::Xlsx, &options);
        let (cells, formulas) = sheet(&data, "Parts");
        let start = formulas.start().unwrap_or_default();
        let mut row = 0;
        let heads: Vec<String> = (0..table.heads.len() as u32).map(|c| cells.get_value((0, c)).unwrap().to_string()).collect();
        assert_eq!(heads, table.heads.iter().map(|h| h.title).collect::<Vec<_>>());
        for section in &table.sections {
            row += u32::from(!section.name.is_empty());
            for expected in &section.rows {
                row += 1;
                for (column, cell) in (0_u32..).zip(expected) {
                    let read = cells.get_value((row, column)).cloned().unwrap_or(Data::Empty);
                    match cell.number() {
                        Some(n) => assert_eq!(number(&read), Some(n), "{name} row {row} column {column}"),
                        None => assert_eq!(read.to_string(), cell.shown(), "{name} row {row} column {column}"),
                    }
                }
            }
        }
        // Formulas say what their cells hold, and the last sum is the report's.
        let mut seen = 0;
        for (r, c, formula) in formulas.used_cells() {
            let at = (start.0 + r as u32, start.1 + c as u32);
            let held = number(cells.get_value(at).unwrap()).unwrap();
            assert!((value(formula, &cells) - held).abs() < 0.005, "{name}: {formula} is not {held}");
            seen += 1;
        }
        assert!(seen >= 2, "{name}: {seen} formulas");
        if let Some(total) = table.heads.iter().position(|h| h.key == "total") {
            let sum = number(cells.get_value((row + 1, total as u32)).unwrap()).unwrap();
            assert_eq!(sum, bench.report.facts.cost.known_total.amount());
        }
    }
}

#[test]
fn the_other_sheets_hold_lanes_power_memory_and_findings() {
    let bench = example("four-blowers-epyc");
    let data = bench.export(Format::Xlsx, &Options::default());
    let book: Xlsx<_> = Xlsx::new(Cursor::new(data.clone())).unwrap();
    assert_eq!(book.sheet_names(), ["Parts", "Lanes", "Power", "Heat", "Memory", "Findings"]);
    let facts = &bench.report.facts;
    let (power, formulas) = sheet(&data, "Power");
    let sum = facts.power.parts.len() as u32 + 1;
    assert_eq!(number(power.get_value((sum, 1)).unwrap()), Some(facts.power.typical_w));
    assert_eq!(formulas.get_value((sum, 1)).unwrap(), &format!("SUM(B2:B{sum})"));
    let (lanes, _) = sheet(&data, "Lanes");
    for (row, link) in (1..).zip(&facts.lanes.links) {
        assert_eq!(lanes.get_value((row, 0)).unwrap().to_string(), link.connector);
        assert_eq!(number(lanes.get_value((row, 5)).unwrap()), link.trained.lanes.map(f64::from));
    }
    let (heat, _) = sheet(&data, "Heat");
    for (row, card) in (1..).zip(&facts.airflow.cards) {
        assert_eq!(number(heat.get_value((row, 1)).unwrap()), card.state.as_ref().map(|s| s.die.value));
    }
    let (memory, _) = sheet(&data, "Memory");
    let total = number(memory.get_value((1, 2)).unwrap()).unwrap();
    assert!((total - facts.memory[0].total.gib()).abs() < 1e-9);
    let (findings, _) = sheet(&data, "Findings");
    assert_eq!(findings.get_size().0, bench.report.findings.len() + 1);
}

#[test]
fn the_same_rig_gives_the_same_bytes() {
    let (a, b) = (example("two-cards-2021"), example("two-cards-2021"));
    for format in Format::ALL {
        let options = Options::default();
        let first = a.export(format, &options);
        assert!(first == b.export(format, &options), "{format:?}");
        // The clock has moved on by more than what file dates resolve.
        if format == Format::Xlsx {
            std::thread::sleep(std::time::Duration::from_millis(2100));
            assert!(first == b.export(format, &options), "{format:?}");
        }
    }
}

#[test]
fn a_page_is_sound_html_and_needs_nothing_else() {
    for (name, _) in presets() {
        let name = name.rsplit('/').next().unwrap();
        let bench = example(name);
        let page = String::from_utf8(bench.export(Format::Html, &Options::default())).unwrap();
        let html = Html::parse_document(&page);
        assert_eq!(html.errors, Vec::<String>::new(), "{name}");
        let all = |css: &str| html.select(&Selector::parse(css).unwrap()).count();
        assert_eq!(all("script, link, img, iframe, object"), 0);
        assert!(!page.contains("url(") && !page.contains("@import"));
        let heads: Vec<String> = html.select(&Selector::parse("h2").unwrap()).map(|h| h.text().collect()).collect();
        for head in ["Parts", "Ledgers", "Lanes", "Power", "Findings", "Assumptions", "Sources"] {
            assert!(heads.iter().any(|h| h == head), "{name}: {heads:?}");
        }
        assert!(all("figure > svg[role=img][aria-label]") >= 4, "{name}");
        // One row a row of the list, one block an open finding.
        let rows: Vec<String> = html
            .select(&Selector::parse("section table").unwrap())
            .take(1)
            .flat_map(|t| t.select(&Selector::parse("tbody tr").unwrap()).map(|r| r.text().collect::<String>()).collect::<Vec<_>>())
            .collect();
        let table = bench.table(Format::Html, &Options::default());
        assert_eq!(rows.len(), table.rows().count() + 1);
        for (row, cells) in rows.iter().zip(table.rows()) {
            assert_eq!(*row, cells.iter().map(|c| c.shown()).collect::<String>());
        }
        let open = bench.report.findings.iter().filter(|f| f.verdict != rigbay::checks::finding::Verdict::Pass).count();
        assert_eq!(all("div.finding"), open, "{name}");
    }
}

#[test]
fn texts_of_a_rig_cannot_break_out_of_a_page() {
    let bench = example("one-rtx-5090");
    let nasty = "</title><script>alert(1)</script> & \"quoted\" <b>";
    let edits = vec![Edit::Name(nasty.to_owned()), Edit::Notes(format!("{nasty}\n\u{1}"))];
    let project = Edit::Many { label: String::new(), edits }.apply(&bench.catalog, &bench.project).unwrap();
    let bench = Bench::of(bench.catalog, project);
    for format in [Format::Html, Format::Svg] {
        let text = String::from_utf8(bench.export(format, &Options::default())).unwrap();
        assert!(!text.contains("<script"), "{format:?}");
    }
    let page = String::from_utf8(bench.export(Format::Html, &Options::default())).unwrap();
    let html = Html::parse_document(&page);
    assert_eq!(html.errors, Vec::<String>::new());
    assert_eq!(html.select(&Selector::parse("h1").unwrap()).next().unwrap().text().collect::<String>(), nasty);
}

#[test]
fn every_layer_has_its_picture() {
    let bench = example("four-blowers-epyc");
    let svg = |layer| String::from_utf8(bench.export(Format::Svg, &Options { layer, ..Options::default() })).unwrap();
    let distinct: std::collections::BTreeSet<String> = Layer::ALL.iter().map(|l| svg(*l)).collect();
    assert_eq!(distinct.len(), Layer::ALL.len());
    assert!(bench.export(Format::Png, &Options { layer: Layer::Power, ..Options::default() }).starts_with(b"\x89PNG"));
    let page = String::from_utf8(bench.export(Format::Html, &Options { layer: Layer::Power, ..Options::default() })).unwrap();
    assert_ne!(page, String::from_utf8(bench.export(Format::Html, &Options::default())).unwrap());
}

#[test]
fn a_rig_goes_to_json_and_back_without_loss() {
    for (file, text) in presets() {
        let (base, _) = load(&embedded_files(""));
        let loaded = load_text(&base, &text, &file).unwrap();
        let catalog = base.overlaid(loaded.copies);
        let json = rig_json(&catalog, &loaded.project).unwrap();
        assert!(is_rig(&json));
        // Read without a catalog: the file carries all it needs.
        let back = load_text(&Catalog::default(), &json, "rig.json").unwrap();
        assert_eq!(back.project, loaded.project, "{file}");
        assert_eq!(back.notes, Vec::<String>::new());
        let again = catalog.overlaid(back.copies);
        assert_eq!(rig_json(&again, &back.project).unwrap(), json, "{file}");
        assert_eq!(rig_text(&again, &back.project).unwrap(), rig_text(&catalog, &loaded.project).unwrap(), "{file}");
        // The same file written as TOML reads as the same.
        let toml = load_text(&Catalog::default(), &rig_text(&catalog, &loaded.project).unwrap(), "rig.toml").unwrap();
        assert_eq!(toml.project, back.project);
        assert_eq!(toml.snapshot, back.snapshot);
    }
}

#[test]
fn odd_numbers_and_texts_survive_json() {
    let catalog = mini();
    let price = |amount| Some(UserPrice::new(amount, Currency::USD, "2026-11-30"));
    let mut project = placed(&catalog, Project::default(), &[("case.t.tower", Some(SlotId::rig("case"))), ("gpu.t.blower", None)]);
    for amount in [0.1, 1.0 / 3.0, 123_456_789.123_456_78, 5e-324, 0.30000000000000004, 2.2250738585072014e-308, 999_999_999.999_999_9] {
        let edits = vec![
            Edit::Price { part: PartId::new("gpu.t.blower"), price: price(amount) },
            Edit::Name("\"\\\n\t\u{7f}ü\u{1F600}{[}".to_owned()),
            Edit::Set { what: PlacementId(1), key: "power_limit_w".to_owned(), value: Some("250".to_owned()) },
            Edit::Variant { name: "plan \"b\"".to_owned(), change: VariantChange::Keep },
        ];
        project = Edit::Many { label: String::new(), edits }.apply(&catalog, &project).unwrap();
        let back = load_text(&Catalog::default(), &rig_json(&catalog, &project).unwrap(), "rig.json").unwrap();
        assert_eq!(back.project, project);
    }
}

#[test]
fn the_json_follows_its_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rig.schema.json");
    let text = rigbay::project::file::json::schema_text();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        rigbay::files::write_atomic(path.as_ref(), text.as_bytes()).unwrap();
    }
    assert!(rigbay::files::read_text(path.as_ref(), 1 << 22).unwrap_or_default() == text, "the schema is old: run with UPDATE_SCHEMA=1");
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    for (file, _) in presets() {
        let bench = example(&file);
        let rig: serde_json::Value = serde_json::from_slice(&bench.export(Format::Json, &Options::default())).unwrap();
        let errors: Vec<String> = schema.iter_errors(&rig).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert_eq!(errors, Vec::<String>::new(), "{file}");
        for (wrong, what) in
            [("/rig/next", serde_json::json!("x")), ("/room/currency", serde_json::json!(7)), ("/format", serde_json::json!([]))]
        {
            let mut broken = rig.clone();
            *broken.pointer_mut(wrong).unwrap() = what;
            assert!(!schema.is_valid(&broken), "{wrong}");
        }
    }
}

#[test]
fn broken_json_is_refused_in_words() {
    let read = |text: &str| load_text(&mini(), text, "rig.json").unwrap_err().to_string();
    assert!(read("{\n \"format\": 1,\n}").starts_with("rig.json:3: is no valid JSON: trailing comma."));
    assert!(read("{}").starts_with("rig.json: format: is missing, so this is no rig file"));
    assert!(read("{\"format\": 9}").starts_with("rig.json: format: is 9, but this program reads up to 1"));
    assert!(read("{\"format\": 1, \"name\": 3}").starts_with("rig.json: name: invalid type"));
    assert!(read("{\"format\": 1, \"name\": [null]}").contains("name.0 is null"));
    let deep = format!("{{\"format\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(&deep).contains("recursion limit"));
}

#[test]
fn the_difference_says_what_to_buy_and_sell() {
    let catalog = mini();
    let board = PlacementId(1);
    let base = [("case.t.tower", Some(SlotId::rig("case"))), ("board.t.server", Some(SlotId::rig("board")))];
    let slot = |n: &str| Some(SlotId::of(board, n));
    let from = placed(&catalog, Project::default(), &[&base[..], &[("gpu.t.blower", slot("SLOT1")), ("fan.t.120", None)]].concat());
    let to = placed(&catalog, Project::default(), &base);
    let to = placed(&catalog, to, &[("nic.t.100", slot("SLOT1")), ("nic.t.100", slot("SLOT2"))]);
    let price = UserPrice::new(120.0, Currency::USD, "2026-11-30");
    let to = Edit::Price { part: PartId::new("nic.t.100"), price: Some(price) }.apply(&catalog, &to).unwrap();
    let (from, to) = (Bench::of(catalog.clone(), from), Bench::of(catalog, to));
    let d = difference(from.rig(), "old", to.rig(), "new");
    let pieces = |list: &[rigbay::export::diff::Change]| list.iter().map(|c| (c.part.to_string(), c.pieces)).collect::<Vec<_>>();
    assert_eq!(pieces(&d.buy), [("nic.t.100".to_owned(), 2)]);
    assert_eq!(pieces(&d.sell), [("gpu.t.blower".to_owned(), 1)]);
    assert_eq!(d.kept, 2);
    assert_eq!(d.buy[0].counted.unwrap().amount(), 120.0);
    // The used price is in euros, for which this catalog has no rate: unknown, not 0.
    assert_eq!(d.sell[0].counted, None);
    let text = d.cost_text();
    assert!(text.starts_with("By the known prices the change costs USD 240.00; 1 without a price are not in it"), "{text}");
    assert!(d.tray[0].starts_with("Beside old, not counted: Fana"), "{:?}", d.tray);
    // Turned round, buying and selling change places.
    let back = difference(to.rig(), "new", from.rig(), "old");
    assert_eq!((pieces(&back.buy), pieces(&back.sell)), (pieces(&d.sell), pieces(&d.buy)));
    let same = difference(to.rig(), "new", to.rig(), "new");
    assert!(same.buy.is_empty() && same.sell.is_empty() && same.effects.is_empty());
    for format in Format::ALL {
        match format {
            Format::Svg | Format::Png => assert!(d.export(format, &Options::default()).unwrap_err().contains("no picture")),
            _ => assert!(!d.export(format, &Options::default()).unwrap().is_empty()),
        }
    }
    let (cells, formulas) = sheet(&d.export(Format::Xlsx, &Options::default()).unwrap(), "Difference");
    assert_eq!(cells.get_value((1, 0)).unwrap().to_string(), "To buy");
    assert_eq!(number(cells.get_value((1, 6)).unwrap()), Some(240.0));
    assert_eq!(formulas.get_value((1, 6)).unwrap(), "SUM(G3:G3)");
    let page = String::from_utf8(d.export(Format::Html, &Options::default()).unwrap()).unwrap();
    assert_eq!(Html::parse_document(&page).errors, Vec::<String>::new());
    assert_eq!(Column::ALL.len(), 27);
}
