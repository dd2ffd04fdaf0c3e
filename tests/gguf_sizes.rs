//! Sizes of published GGUF files, from configuration and format alone.

use rigbay::catalog::model::ModelShape;
use rigbay::catalog::precision::Precision;
use rigbay::import::hf_config;
use serde_json::Value;

struct Row {
    file: String,
    kind: String,
    format: String,
    predicted: f64,
    actual: f64,
    note: String,
}

impl Row {
    fn error(&self) -> f64 {
        self.predicted / self.actual - 1.0
    }
    fn line(&self) -> String {
        format!("{} {}: {:.4} against {:.4}, {:+.3} %", self.file, self.format, self.predicted, self.actual, 100.0 * self.error())
    }
}

/// The counted shape of a row of the test set, named like the model.
fn shape(name: &str) -> ModelShape {
    let file = format!("{}.json", name.replacen('/', "__", 1));
    let rows = include_str!("data/models/counts.jsonl").lines();
    let mut values = rows.filter_map(|l| serde_json::from_str::<Value>(l).ok());
    let row = values.find(|r| r.get("file").and_then(Value::as_str) == Some(&file)).unwrap_or(Value::Null);
    hf_config::parse_value(row.get("config").unwrap_or(&Value::Null), &file).unwrap_or_else(|e| panic!("{e}"))
}

fn row(record: &csv::StringRecord) -> Row {
    let text = |i: usize| record.get(i).unwrap_or_default().to_owned();
    let shape = shape(&text(0));
    let format = Precision::parse(&text(2)).unwrap_or_else(|| panic!("{}", text(2)));
    let bytes = format.model_bytes(&shape) as f64;
    let predicted = match text(3).as_str() {
        "bits" => 8.0 * bytes / shape.params() as f64,
        "gib" => bytes / f64::from(1 << 30),
        _ => bytes,
    };
    Row { file: text(1), format: text(2), kind: text(3), predicted, actual: text(4).parse().unwrap_or(f64::NAN), note: text(5) }
}

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(include_str!("data/models/gguf_sizes.csv").as_bytes());
    reader.records().flatten().map(|r| row(&r)).collect()
}

/// The documentation prints four digits after the point.
#[test]
fn the_documented_bits_per_weight_are_met_to_the_last_digit() {
    let bits: Vec<Row> = rows().into_iter().filter(|r| r.kind == "bits" && r.format != "f16").collect();
    assert_eq!(bits.len(), 22);
    let off: Vec<String> = bits.iter().filter(|r| (r.predicted - r.actual).abs() > 0.000_06).map(Row::line).collect();
    assert!(off.is_empty(), "{}", off.join("\n"));
}

/// Sizes in GiB have two digits, about 0.02 %; files also hold the vocabulary, 0.7 to 9 MB.
#[test]
fn other_files_differ_by_their_vocabulary() {
    let others: Vec<Row> = rows().into_iter().filter(|r| r.kind != "bits" && r.note.is_empty()).collect();
    assert!(others.len() >= 45, "{}", others.len());
    let close = |r: &Row| match r.kind.as_str() {
        "gib" => r.error().abs() < 0.0005,
        _ => (-8.5e6..10e6).contains(&(r.predicted - r.actual)),
    };
    let off: Vec<String> = others.iter().filter(|r| !close(r)).map(Row::line).collect();
    assert!(off.is_empty(), "{}", off.join("\n"));
}

/// Files made by other rules, as their note says: within five per cent.
#[test]
fn noted_exceptions_stay_small() {
    for row in rows().iter().filter(|r| !r.note.is_empty()) {
        assert!(row.error().abs() < 0.05, "{}", row.line());
    }
}
