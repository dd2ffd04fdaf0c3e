//! Every configuration of the test set is counted exactly as its model class counts itself.

use rigbay::import::hf_config;
use serde_json::Value;

/// Rows without a counted reference, or of models outside the importer's reach, with the words of the refusal.
const REFUSED: &[(&str, &str)] = &[
    ("NVIDIA__GNMT-v2.json", "not a transformer"),
    ("NVIDIA__SSD300-v1.1.json", "not a transformer"),
    ("NVIDIA__Transformer-XL-base.json", "not supported"),
    ("NVIDIA__Transformer-XL-large.json", "not supported"),
];

fn rows() -> Vec<Value> {
    let text = include_str!("data/models/counts.jsonl");
    text.lines().map(|l| serde_json::from_str(l).unwrap_or(Value::Null)).collect()
}

#[test]
fn counts_equal_the_reference() {
    let mut wrong = Vec::new();
    let mut exact = 0;
    for row in rows() {
        let file = row["file"].as_str().expect("a row names its file");
        if REFUSED.iter().any(|(name, _)| *name == file) {
            continue;
        }
        match (hf_config::parse_value(&row["config"], file), row["params"].as_u64()) {
            (Ok(shape), Some(expected)) if shape.params() == expected => exact += 1,
            (Ok(_), None) => {}
            (Ok(shape), Some(expected)) => wrong.push(format!("{file}: {} instead of {expected}", shape.params())),
            (Err(error), _) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{} rows differ, {exact} are exact:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(exact, 183);
}

/// One configuration of every class that transformers builds without more than its defaults, and that is read by a rule of its own or by its
/// keys; counted on torch's meta device.
#[test]
fn class_defaults_equal_the_classes() {
    let text = include_str!("data/models/class_defaults.jsonl");
    let mut wrong = Vec::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        let (file, expected) = (row["file"].as_str().unwrap_or_default(), row["params"].as_u64().expect("a count"));
        match hf_config::parse_value(&row["config"], file) {
            Ok(shape) if shape.params() == expected => {}
            Ok(shape) => wrong.push(format!("{file}: {} instead of {expected}", shape.params())),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(text.lines().count() >= 99);
}

#[test]
fn refusals_say_why() {
    for row in rows() {
        let file = row["file"].as_str().expect("a row names its file");
        if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == file) {
            let error = hf_config::parse_value(&row["config"], file).expect_err("refused");
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}

/// Active parameters follow two conventions in the field; ours counts embedding and head, and one row of lookup tables.
#[test]
fn active_parameters_agree() {
    let mut off = Vec::new();
    for row in rows() {
        let (Some(expected), Some(file)) = (row["active"].as_u64(), row["file"].as_str()) else { continue };
        let shape = hf_config::parse_value(&row["config"], file).expect("counted above");
        let ratio = shape.active_params() as f64 / expected as f64;
        if !(0.9995..=1.0005).contains(&ratio) {
            off.push(format!("{file}: {} against {expected}, {ratio:.5}", shape.active_params()));
        }
    }
    assert!(off.is_empty(), "{}", off.join("\n"));
}

#[test]
fn layers_and_cache_groups_agree() {
    for row in rows() {
        let file = row["file"].as_str().expect("a row names its file");
        let Ok(shape) = hf_config::parse_value(&row["config"], file) else { continue };
        let grouped: u32 = shape.groups.iter().map(|g| g.count).sum();
        assert_eq!(grouped, shape.layers, "{file}");
    }
}

/// The built-in list holds fewer keys than the test set; what they give must be the same.
#[test]
fn the_builtin_list_counts_the_same() {
    let rows = rows();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogs/models");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let text = String::from_utf8(std::fs::read(&path).expect("a readable list")).expect("UTF-8");
        let shapes = rigbay::import::model_list::builtin(&text, &path.display().to_string()).expect("a list without faults");
        for shape in shapes {
            let file = format!("{}.json", shape.name.replacen('/', "__", 1).replace(" (language part)", "-text"));
            let row = rows.iter().find(|r| r["file"] == file.as_str()).unwrap_or_else(|| panic!("{file}"));
            let full = hf_config::parse_value(&row["config"], &file).expect("counted above");
            assert_eq!(shape.tensors, full.tensors, "{file}");
            assert_eq!((&shape.groups, shape.context, shape.experts), (&full.groups, full.context, full.experts), "{file}");
            names.push(shape.name);
        }
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "a model appears twice");
    assert!(count >= 60, "{count}");
}

/// Of the eighteen months before this list was last gone through, 2026-11.
#[test]
fn the_builtin_list_knows_recent_models() {
    let texts = rigbay::catalog::load::embedded_files("models");
    let months = texts.iter().flat_map(|(_, text)| text.lines()).filter_map(|l| l.strip_prefix("released = ")?.get(1..8));
    let recent = months.filter(|m| ("2025-06"..="2026-11").contains(m)).count();
    assert!(recent >= 20, "{recent}");
}
