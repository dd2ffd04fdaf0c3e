//! Models opened from files on disk: GGUF whole and split, safetensors alone and by index, whatever lies in a folder; and that only headers
//! are read.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail by panicking and write their own small files")]

#[path = "support/gguf.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod gguf;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rigbay::catalog::precision::Precision;
use rigbay::import::open::{is_model, model};
use rigbay::workload::Workload;

/// Writes a header and makes the file as long as its data would make it, without writing them.
fn put(path: &Path, header: &[u8], length: u64) {
    std::fs::write(path, header).unwrap();
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

fn put_gguf(path: PathBuf, file: &gguf::File) -> PathBuf {
    let (header, length) = file.header();
    put(&path, &header, length);
    path
}

fn error(path: &Path) -> String {
    model(path).unwrap_err().to_string()
}

#[test]
fn only_the_header_of_forty_gigabytes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = gguf::llama(60, 16_384, 32_000);
    assert!(file.data() > 40_000_000_000, "{}", file.data());
    let path = put_gguf(folder.path().join("large.gguf"), &file);
    let start = Instant::now();
    let shape = model(&path).unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
    let weights = shape.weights.as_ref().unwrap();
    assert_eq!(weights.total(), file.data());
    assert_eq!(weights.file_bytes, std::fs::metadata(&path).unwrap().len());
    assert_eq!(Precision::Gguf.model_bytes(&shape), file.data());
    let workload = Workload::of(Arc::new(shape));
    assert_eq!((workload.precision, workload.context), (Precision::Gguf, 4096));
}

#[test]
fn a_download_cut_short_is_told_by_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (header, length) = gguf::llama(2, 256, 100).header();
    let path = folder.path().join("cut.gguf");
    put(&path, &header, length - 5000);
    let text = error(&path);
    assert!(text.contains(&format!("has {} bytes of", length - 5000)) && text.contains("Download the file again"), "{text}");
    assert!(error(&folder.path().join("gone.gguf")).contains("cannot be read"));
    assert!(error(&folder.path().join("model.bin")).contains("is no model by its ending"));
}

#[test]
fn parts_lie_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let whole = gguf::llama(4, 256, 100);
    let paths: Vec<PathBuf> = (0..2_u32)
        .map(|no| {
            let mut part = whole.clone();
            for (key, value) in [("split.no", no), ("split.count", 2), ("split.tensors.count", 35)] {
                part.set(key, gguf::Put::Number(value));
            }
            let half = part.tensors.split_off(17);
            if no == 1 {
                part.tensors = half;
            }
            put_gguf(folder.path().join(format!("m-{:05}-of-00002.gguf", no + 1)), &part)
        })
        .collect();
    for path in &paths {
        let shape = model(path).unwrap();
        let weights = shape.weights.unwrap();
        assert_eq!((weights.total(), weights.files, shape.layers), (whole.data(), 2, 4));
    }
    std::fs::remove_file(&paths[1]).unwrap();
    let text = error(&paths[0]);
    assert!(text.contains("m-00002-of-00002.gguf: cannot be read"), "{text}");
}

const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
    "vocab_size": 10, "tie_word_embeddings": true}"#;

/// A safetensors file with these tensors in BF16.
fn put_safetensors(path: &Path, tensors: &[(&str, [u64; 2])]) {
    let mut at = 0;
    let entries: Vec<String> = tensors
        .iter()
        .map(|(name, [rows, row])| {
            let from = at;
            at += 2 * rows * row;
            format!(r#""{name}": {{"dtype": "BF16", "shape": [{rows}, {row}], "data_offsets": [{from}, {at}]}}"#)
        })
        .collect();
    let json = format!("{{{}}}", entries.join(","));
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend(json.as_bytes());
    let length = bytes.len() as u64 + at;
    put(path, &bytes, length);
}

#[test]
fn safetensors_take_their_architecture_from_the_configuration_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    put_safetensors(&at("model.safetensors"), &[("model.embed_tokens.weight", [10, 8])]);
    assert!(error(&at("model.safetensors")).contains("Put the model's config.json into the same folder"));
    std::fs::write(at("config.json"), CONFIG).unwrap();
    let shape = model(&at("model.safetensors")).unwrap();
    assert_eq!((shape.layers, shape.weights.as_ref().unwrap().total()), (1, 160));
    assert_eq!(model(folder.path()).unwrap(), shape, "a folder means its weights");
    std::fs::remove_file(at("model.safetensors")).unwrap();
    assert!(model(folder.path()).unwrap().weights.is_none());
    std::fs::remove_file(at("config.json")).unwrap();
    assert!(error(folder.path()).contains("folder without config.json"));
}

#[test]
fn an_index_leads_to_all_parts_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("config.json"), CONFIG).unwrap();
    let parts = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
    put_safetensors(&at(parts[0]), &[("model.embed_tokens.weight", [10, 8])]);
    put_safetensors(&at(parts[1]), &[("model.layers.0.mlp.down_proj.weight", [8, 16])]);
    assert!(error(&at(parts[0])).contains("is one part of a model"));
    let index = at("model.safetensors.index.json");
    let write = |first: &str| std::fs::write(&index, format!(r#"{{"weight_map": {{"a": "{first}", "b": "{}"}}}}"#, parts[1])).unwrap();
    write(parts[0]);
    for path in [index.clone(), at(parts[1]), folder.path().to_owned()] {
        let weights = model(&path).unwrap().weights.unwrap();
        assert_eq!((weights.total(), weights.files, weights.tensors), (160 + 256, 2, 2));
    }
    write("model.safetensors.index.json");
    assert!(error(&index).contains("no safetensors file beside it"));
    write("../model.safetensors");
    assert!(error(&index).contains("no safetensors file beside it"));
    write("gone.safetensors");
    assert!(error(&index).contains("gone.safetensors: cannot be read"));
}

#[test]
fn endings_tell_models() {
    for (name, expected) in [("a.gguf", true), ("A.GGUF", true), ("b.safetensors", true), ("c.json", true), ("d.toml", false), ("e", false)]
    {
        assert_eq!(is_model(Path::new(name)), expected, "{name}");
    }
}
