use super::*;
use crate::catalog::model::TensorClass as T;
use crate::catalog::precision::Precision;
use crate::import::hf_config;

/// A file with this header and so many bytes of data.
fn file(header: &str, data: u64) -> (Vec<u8>, u64) {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    let length = bytes.len() as u64 + data;
    (bytes, length)
}

fn rows(header: &str, data: u64) -> Result<Vec<header::Tensor>, String> {
    let (bytes, length) = file(header, data);
    header::read(bytes.as_slice(), length, "m.safetensors").map_err(|e| e.to_string())
}

const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
    "vocab_size": 10, "tie_word_embeddings": true}"#;

/// All tensors of that model in one type.
fn tiny(kind: &str, bits: u64) -> (String, u64) {
    let mut at = 0;
    let mut entries = vec![r#""__metadata__": {"format": "pt"}"#.to_owned()];
    let mut put = |name: &str, shape: &[u64]| {
        let end = at + shape.iter().product::<u64>() * bits / 8;
        entries.push(format!(r#""{name}": {{"dtype": "{kind}", "shape": {shape:?}, "data_offsets": [{at}, {end}]}}"#));
        at = end;
    };
    put("model.embed_tokens.weight", &[10, 8]);
    put("model.norm.weight", &[8]);
    for name in ["q_proj", "k_proj", "v_proj", "o_proj"] {
        put(&format!("model.layers.0.self_attn.{name}.weight"), &[8, 8]);
    }
    for (name, shape) in [("gate_proj", [16, 8]), ("up_proj", [16, 8]), ("down_proj", [8, 16])] {
        put(&format!("model.layers.0.mlp.{name}.weight"), &shape);
    }
    put("model.layers.0.input_layernorm.weight", &[8]);
    put("model.layers.0.post_attention_layernorm.weight", &[8]);
    (format!("{{{}}}", entries.join(", ")), at)
}

fn model(kind: &str, bits: u64) -> ModelShape {
    let (header, data) = tiny(kind, bits);
    let (bytes, length) = file(&header, data);
    let mut weights = Weights::default();
    weights.add(bytes.as_slice(), length, "m.safetensors").unwrap();
    weights.attach(hf_config::parse(CONFIG, "config.json").unwrap(), "m.safetensors").unwrap()
}

#[test]
fn bytes_come_from_the_header() {
    let shape = model("BF16", 16);
    assert_eq!(Precision::Safetensors.model_bytes(&shape), 2 * shape.params());
    assert_eq!(shape.remarks, Vec::<String>::new());
    let stored = Precision::Safetensors.stored(&shape);
    for class in [T::Embedding, T::Attention, T::AttentionV, T::AttentionOut, T::Mlp, T::MlpDown, T::Norm] {
        let row = stored.iter().find(|s| s.class == class).unwrap();
        assert_eq!((row.params, row.bytes), (shape.params_of(class), 2 * shape.params_of(class)), "{class:?}");
    }
    assert_eq!(Precision::default_of(&shape), Precision::Safetensors);
    assert_eq!(Precision::Safetensors.model_bytes(&model("F8_E4M3", 8)), shape.params());
}

#[test]
fn other_counts_than_the_configuration_are_told() {
    let (header, data) = tiny("F32", 32);
    let header = header.replacen("\"model.norm.weight\"", "\"model.norm.extra\"", 1);
    let (bytes, length) = file(&header, data);
    let mut weights = Weights::default();
    weights.add(bytes.as_slice(), length, "m.safetensors").unwrap();
    let other = CONFIG.replace("\"vocab_size\": 10", "\"vocab_size\": 12");
    let shape = weights.attach(hf_config::parse(&other, "config.json").unwrap(), "m.safetensors").unwrap();
    assert!(shape.remarks[0].contains("the configuration means"), "{:?}", shape.remarks);
}

#[test]
fn the_second_file_may_not_repeat_the_first() {
    let (header, data) = tiny("BF16", 16);
    let (bytes, length) = file(&header, data);
    let mut weights = Weights::default();
    weights.add(bytes.as_slice(), length, "a.safetensors").unwrap();
    let error = weights.add(bytes.as_slice(), length, "b.safetensors").unwrap_err().to_string();
    assert!(error.starts_with("b.safetensors: has the tensor"), "{error}");
}

#[test]
fn broken_headers_say_what_is_wrong() {
    let one =
        |dtype: &str, shape: &str, span: &str| format!(r#"{{"a": {{"dtype": "{dtype}", "shape": {shape}, "data_offsets": {span}}}}}"#);
    assert_eq!(rows(&one("F32", "[2, 3]", "[0, 24]"), 24).unwrap()[0].elements, 6);
    assert_eq!(rows(&format!("{}   ", one("F4", "[2, 3]", "[0, 3]")), 3).unwrap()[0].bytes, 3);
    assert_eq!(rows(&one("F32", "[]", "[0, 4]"), 4).unwrap()[0].elements, 1);
    assert_eq!(rows("{}", 0).unwrap(), []);
    for (header, data, expected) in [
        (one("F32", "[2, 3]", "[0, 24]"), 23, "the download is not complete"),
        (one("F32", "[2, 3]", "[0, 24]"), 25, "1 bytes behind its last tensor"),
        (one("F32", "[2, 3]", "[0, 25]"), 25, "do not agree"),
        (one("F32", "[2, 3]", "[24, 0]"), 0, "where 0 follows"),
        (one("F32", "[2, 3]", "[1, 25]"), 25, "where 0 follows"),
        (one("F33", "[2, 3]", "[0, 24]"), 24, "\"F33\", a type that is not known"),
        (one("U8", "[4294967296, 4294967296]", "[0, 0]"), 0, "more than any model has"),
        (one("U8", "[-1]", "[0, 0]"), 0, "no JSON table"),
        (one("U8", "[1.5]", "[0, 0]"), 0, "no JSON table"),
        (r#"{"a": 1}"#.to_owned(), 0, "no JSON table"),
        ("[]".to_owned(), 0, "no JSON table"),
        (format!("{0}{0}", one("U8", "[1]", "[0, 1]")), 1, "no JSON table"),
        ("[".repeat(100_000), 0, "no JSON table"),
        (
            r#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}"#.to_owned(),
            2,
            "twice",
        ),
    ] {
        let error = rows(&header, data).unwrap_err();
        assert!(error.starts_with("m.safetensors: ") && error.contains(expected), "{error}");
    }
    let huge = header::read([0xff_u8; 8].as_slice(), 1 << 40, "m.safetensors").unwrap_err().to_string();
    assert!(huge.contains("more than any model has"), "{huge}");
    assert!(header::read([0_u8; 3].as_slice(), 3, "m.safetensors").is_err());
    let cut = header::read(100_u64.to_le_bytes().as_slice(), 50, "m.safetensors").unwrap_err().to_string();
    assert!(cut.contains("not complete"), "{cut}");
}

#[test]
fn an_index_names_files_beside_it_and_nothing_else() {
    let of = |files: &[&str]| {
        let map: Vec<String> = files.iter().enumerate().map(|(n, f)| format!(r#""t{n}": "{f}""#)).collect();
        index(&format!(r#"{{"metadata": {{"total_size": 1}}, "weight_map": {{{}}}}}"#, map.join(", ")), "i.json").map_err(|e| e.to_string())
    };
    let two = of(&["model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]).unwrap();
    assert_eq!(two, ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]);
    for bad in
        ["model.safetensors.index.json", "../model.safetensors", "/etc/x.safetensors", "a\\\\b.safetensors", "..safetensors", "x.bin"]
    {
        let error = of(&[bad]).unwrap_err();
        assert!(error.contains("no safetensors file beside it"), "{error}");
    }
    assert!(of(&[]).unwrap_err().contains("names 0 files"));
    assert!(index("{}", "i.json").is_err());
}
