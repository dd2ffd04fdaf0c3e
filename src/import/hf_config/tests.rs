use super::families::known_types;
use super::*;
use crate::catalog::model::{Cache, LayerGroup, TensorClass};
use crate::catalog::precision::Precision;
use proptest::prelude::*;
use serde_json::json;

const TINY: &str = r#"{
  "model_type": "llama",
  "hidden_size": 64,
  "intermediate_size": 128,
  "num_hidden_layers": 2,
  "num_attention_heads": 4,
  "num_key_value_heads": 2,
  "vocab_size": 100,
  "torch_dtype": "bfloat16"
}"#;

fn tiny(changes: &Value) -> Value {
    let mut value: Value = serde_json::from_str(TINY).unwrap();
    for (key, change) in changes.as_object().unwrap() {
        value[key] = change.clone();
    }
    value
}

fn read(changes: &Value) -> ModelShape {
    parse_value(&tiny(changes), "tiny/config.json").unwrap()
}

fn refusal(changes: &Value) -> String {
    parse_value(&tiny(changes), "tiny/config.json").unwrap_err().to_string()
}

#[test]
fn a_plain_decoder_by_hand() {
    let shape = parse(TINY, "models/tiny/config.json").unwrap();
    let layer = 64 * (64 + 32 + 32) + 64 * 64 + 3 * 64 * 128 + 2 * 64;
    assert_eq!(shape.params(), 2 * layer + 64 + 2 * 100 * 64);
    assert_eq!(shape.params_of(TensorClass::AttentionV), 2 * 64 * 32);
    assert_eq!(shape.groups, [LayerGroup { count: 2, cache: Cache::Full { kv_heads: 2, k_dim: 16, v_dim: 16 } }]);
    assert!(shape.name.starts_with("llama ") && shape.name.ends_with(" (config.json)"), "{}", shape.name);
    assert_eq!(shape.published_precision.as_deref(), Some("bf16"));
    assert_eq!(parse(TINY, "models/acme__tiny.json").unwrap().name, "acme/tiny");
    assert_eq!(shape.tensors.iter().find(|t| t.class == TensorClass::MlpDown).unwrap().name, "feed-forward, last matrix, 2 layers");
}

#[test]
fn the_language_part_of_a_nested_file() {
    let nested = json!({ "architectures": ["X"], "vision_config": {}, "tie_word_embeddings": true, "text_config": tiny(&json!({})) });
    let shape = parse_value(&nested, "config.json").unwrap();
    assert!(shape.tied);
    assert_eq!(shape.params(), read(&json!({ "tie_word_embeddings": true })).params());
    assert!(shape.remarks.iter().any(|r| r.contains("image or audio")));
}

/// The published Gemma 3 file names only what differs from the class.
#[test]
fn keys_left_out_take_the_class_default() {
    let text = json!({ "model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024 });
    let shape = parse_value(&json!({ "text_config": text }), "gemma-3-4b-it/config.json").unwrap();
    assert_eq!(shape.params(), 3_880_263_168);
    assert_eq!(shape.groups.iter().map(|g| g.count).collect::<Vec<_>>(), [29, 5]);
}

#[test]
fn windows_and_latents() {
    let kinds = json!({ "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"] });
    assert!(matches!(read(&kinds).groups[0].cache, Cache::Sliding { window: 8, .. }));
    let latent = json!({ "model_type": "deepseek_v3", "kv_lora_rank": 8, "qk_rope_head_dim": 4, "qk_nope_head_dim": 12, "v_head_dim": 16, "q_lora_rank": null });
    assert_eq!(read(&latent).groups[0].cache, Cache::Latent { rank: 8, rope_dim: 4 });
}

#[test]
fn published_precisions() {
    let of = |q: Value| read(&json!({ "quantization_config": q })).published_precision.unwrap();
    assert_eq!(of(json!({ "quant_method": "gptq", "bits": 4, "group_size": 128 })), "gptq-4bit-g128");
    assert_eq!(of(json!({ "quant_method": "bitsandbytes", "load_in_4bit": true })), "nf4");
    assert_eq!(of(json!({ "quant_method": "fp8", "weight_block_size": [128, 128] })), "fp8");
    assert_eq!(of(json!({ "quant_method": "modelopt", "quant_algo": "NVFP4" })), "nvfp4");
    let group = json!({ "weights": { "num_bits": 4, "type": "int", "group_size": 32 } });
    assert_eq!(of(json!({ "quant_method": "compressed-tensors", "config_groups": { "group_0": group } })), "gptq-4bit-g32");
    assert_eq!(of(json!({ "quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true })), "nf4-double");
    assert_eq!(of(json!({ "quant_method": "awq", "bits": 4, "group_size": 128 })), "awq-4bit-g128");
    assert_eq!(of(json!({ "quant_method": "modelopt", "quant_algo": "FP8" })), "fp8");
    assert_eq!(of(json!({ "quant_method": "mxfp4" })), "mxfp4");
}

/// What a file is quantised in is what it starts with; what is not exactly a precision of ours says so.
#[test]
fn a_published_quantisation_is_the_precision_to_start_with() {
    let of = |q: Value| {
        let shape = read(&json!({ "quantization_config": q }));
        (Precision::default_of(&shape).text(), shape.remarks)
    };
    assert_eq!(of(json!({ "quant_method": "gptq", "bits": 4, "group_size": 64 })), ("gptq-4bit-g64", Vec::new()));
    assert_eq!(of(json!({ "quant_method": "awq", "bits": 4, "group_size": 32 })), ("gptq-4bit-g32", Vec::new()));
    let (id, remarks) = of(json!({ "quant_method": "gptq", "bits": 8, "group_size": 32 }));
    assert_eq!((id, remarks[0].as_str()), ("gptq-8bit-g128", "Published as gptq-8bit-g32, reckoned as gptq-8bit-g128"));
    let (id, remarks) = of(json!({ "quant_method": "aqlm" }));
    assert!(id == "q4_k_m" && remarks[0].contains("\"aqlm\""), "{remarks:?}");
    assert_eq!(of(json!({ "quant_method": "gptq", "bits": -4 })).0, "gptq-4bit-g128");
    assert_eq!(Precision::default_of(&read(&json!({}))).text(), "q4_k_m", "16 bits are no quantisation");
}

#[test]
fn an_unknown_type_is_read_by_its_keys_or_refused_by_them() {
    let shape = read(&json!({ "model_type": "brand_new", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32 }));
    assert!(shape.remarks[0].contains("`brand_new` is not known"));
    assert_eq!(shape.params_of(TensorClass::Expert), 2 * 4 * 2 * 64 * 32);
    let error = parse(r#"{ "model_type": "brand_new", "num_attention_heads": 4 }"#, "x.json").unwrap_err().to_string();
    assert!(error.starts_with("x.json: `hidden_size`, `num_hidden_layers`, `intermediate_size`, `vocab_size` are missing"), "{error}");
    let encoder = read(&json!({ "model_type": "new_encoder", "type_vocab_size": 2, "max_position_embeddings": 32 }));
    assert!(encoder.remarks.iter().any(|r| r.contains("an encoder like BERT")), "{:?}", encoder.remarks);
    assert!(refusal(&json!({ "model_type": "new_pair", "is_encoder_decoder": true })).contains("pairs an encoder with a decoder"));
}

#[test]
fn errors_name_the_line_and_the_key() {
    let text = TINY.replace("\"hidden_size\": 64", "\"hidden_size\": -64");
    let error = parse(&text, "config.json").unwrap_err().to_string();
    assert_eq!(error, "config.json, line 3: `hidden_size` is -64; expected a whole number from 1 to 16777216");
    let error = parse("{\n  \"model_type\": \"llama\",,\n}", "config.json").unwrap_err().to_string();
    assert!(error.starts_with("config.json, line 2, column 25: not valid JSON"), "{error}");
    assert!(parse("[1, 2]", "config.json").unwrap_err().to_string().contains("Choose the model's config.json"));
    assert!(parse("{}", "config.json").unwrap_err().to_string().contains("Choose the model's config.json"));
}

#[test]
fn words_of_python_are_read() {
    let text = TINY.replace("{\n", "{ \"time_step_limit\": [0.0, Infinity, -Infinity, NaN], \"note\": \"an \\\" Infinity\",\n");
    assert_eq!(parse(&text, "config.json").unwrap().params(), read(&json!({})).params());
    assert_eq!(without_bare_words("[NaN, \"NaN\\\"NaN\", -Infinity]\\"), "[null, \"NaN\\\"NaN\", null     ]\\");
}

#[test]
fn hostile_values_are_refused() {
    for (key, value) in [
        ("hidden_size", json!(1e300)),
        ("hidden_size", json!("64")),
        ("hidden_size", json!(64.5)),
        ("hidden_size", json!([])),
        ("num_hidden_layers", json!(16_000_000)),
        ("num_attention_heads", json!(0)),
        ("vocab_size", json!(u64::MAX)),
        ("tie_word_embeddings", json!("yes")),
        ("layer_types", json!(["full_attention"])),
        ("layer_types", json!(["full_attention", "telepathy"])),
        ("model_type", json!(7)),
    ] {
        let error = refusal(&json!({ key: value }));
        assert!(error.contains(key), "{error}");
    }
    let huge = json!({ "hidden_size": 1 << 24, "intermediate_size": 1 << 24, "num_hidden_layers": 4096, "num_attention_heads": 1 << 24, "head_dim": 1 << 24 });
    assert!(refusal(&huge).contains("more than any model has"));
    assert!(refusal(&json!({ "num_experts": 2, "num_experts_per_tok": 3 })).contains("at most 2"));
    let classes = json!({ "model_type": "resnet", "num_labels": 1 << 20 });
    assert!(parse_value(&classes, "r.json").unwrap_err().to_string().contains("num_labels"));
    let deep = "[".repeat(100_000);
    assert!(matches!(parse(&deep, "deep.json"), Err(ConfigError::Json { .. })));
}

#[test]
fn every_known_type_counts_or_names_what_it_needs() {
    for model_type in known_types() {
        let all = json!({ "model_type": model_type, "sliding_window": 8, "n_positions": 16, "max_position_embeddings": 16 });
        match parse_value(&tiny(&all), "config.json") {
            Ok(shape) => assert!(shape.params() > 20_000, "{model_type}"),
            Err(ConfigError::Missing { keys, .. }) => assert!(!keys.is_empty()),
            Err(ConfigError::Value { key, .. }) => assert_eq!(key, "hybrid_override_pattern"),
            Err(other) => panic!("{model_type}: {other}"),
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0_u64..5000).prop_map(Value::from),
        Just(Value::from(1_u64 << 24)),
        "[a-zM*E-]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,12}", inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Whatever a few keys of a real file turn into: a shape or an error, and layers that agree with the cache groups.
    #[test]
    fn damaged_files_never_panic(row in 0_usize..180, edits in prop::collection::vec((any::<prop::sample::Index>(), any_value()), 1..4)) {
        let line = include_str!("../../../tests/data/models/counts.jsonl").lines().nth(row).unwrap();
        let mut config = serde_json::from_str::<Value>(line).unwrap()["config"].take();
        let keys: Vec<String> = config.as_object().unwrap().keys().cloned().collect();
        for (index, value) in edits {
            config[index.get(&keys).as_str()] = value;
        }
        if let Ok(shape) = parse(&config.to_string(), "damaged.json") {
            prop_assert_eq!(shape.groups.iter().map(|g| g.count).sum::<u32>(), shape.layers);
            let _ = shape.active_params();
        }
    }

    #[test]
    fn any_text_is_refused_quietly(text in ".{0,200}") {
        let _ = parse(&text, "noise.json");
    }
}
