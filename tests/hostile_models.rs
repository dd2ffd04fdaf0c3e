//! Generated and mutated inputs for the three readers of model files. None may panic, take long, or fill the memory: a counting allocator
//! ends the program beyond its limit. `RIGBAY_HOSTILE_RUNS` sets another number of inputs for each reader than 200,000.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "support/gguf.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod gguf;

use std::alloc::System;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

use cap::Cap;
use rigbay::catalog::Catalog;
use rigbay::catalog::model::ModelShape;
use rigbay::catalog::precision::Precision;
use rigbay::import::gguf::{Alone, read};
use rigbay::import::{hf_config, safetensors};
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::project::file::load_text;
use rigbay::report::snapshot::rig_text;
use rigbay::workload::Workload;
use serde_json::{Value, json};

/// All of the program: test data, the harness and three readers side by side.
const LIMIT: usize = 16 << 20;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, LIMIT);

fn runs() -> u64 {
    std::env::var("RIGBAY_HOSTILE_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(200_000)
}

/// xorshift64*, so that a failing input is made again by the same program.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }
    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
    /// Numbers at which readers err.
    fn number(&mut self) -> u64 {
        match self.below(4) {
            0 => *self.one(&[
                0,
                1,
                2,
                31,
                32,
                255,
                256,
                4096,
                1 << 20,
                1 << 31,
                u64::from(u32::MAX),
                1 << 40,
                1 << 62,
                u64::MAX,
                u64::MAX - 7,
            ]),
            1 => self.next() % 64,
            2 => 1_u64 << self.below(64),
            _ => self.next(),
        }
    }
    /// Changes bytes in place, cuts, repeats and moves pieces.
    fn mangle(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let (at, length) = (self.below(bytes.len()), 1 + self.below(16));
            let end = (at + length).min(bytes.len());
            match self.below(7) {
                0 if at < bytes.len() => bytes[at] = self.next() as u8,
                1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                2 => bytes.truncate(at),
                3 => drop(bytes.drain(at..end)),
                4 => {
                    let piece = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                5 if at + 8 <= bytes.len() => bytes[at..at + 8].copy_from_slice(&self.number().to_le_bytes()),
                6 if at + 4 <= bytes.len() => bytes[at..at + 4].copy_from_slice(&(self.number() as u32).to_le_bytes()),
                _ => {}
            }
        }
    }
}

/// What holds for every model that was read: sums that agree, and a rig file that opens again.
fn sound(shape: ModelShape, thorough: bool) {
    let groups: u32 = shape.groups.iter().map(|g| g.count).sum();
    assert!(groups >= shape.layers, "{} layers, {groups} in groups", shape.layers);
    assert!(shape.active_params() <= shape.params());
    if let Some(weights) = &shape.weights {
        assert_eq!(Precision::as_in_file(weights.format).model_bytes(&shape), weights.total());
    }
    if thorough {
        let edit = Edit::Workload { index: 0, workload: Some(Box::new(Workload::of(Arc::new(shape)))) };
        let project = edit.apply(&Catalog::default(), &Project::default()).unwrap();
        let text = rig_text(&Catalog::default(), &project).unwrap();
        let loaded = load_text(&Catalog::default(), &text, "rig.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(loaded.project, project);
    }
}

/// Runs one reader, and tells how many inputs it took, in what time and memory.
fn run(name: &str, seed: u64, mut one: impl FnMut(&mut Dice) -> Option<ModelShape>) {
    let (start, mut read) = (Instant::now(), 0_u64);
    for n in 0..runs() {
        let mut dice = Dice(seed ^ (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if let Some(shape) = one(&mut dice) {
            read += 1;
            sound(shape, read % 512 == 0);
        }
    }
    let peak = MEMORY.max_allocated() >> 10;
    println!("{name}: {} inputs in {:.1} s, {read} read as models; at most {peak} KiB in all", runs(), start.elapsed().as_secs_f64());
    assert!(read > runs() / 100, "{name}: inputs are so broken that nothing behind the first check is reached");
}

fn made_up(dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => Value::Null,
        1 => json!(dice.below(2) == 0),
        2 => json!(dice.number()),
        3 => json!(-(dice.below(1000) as i64)),
        4 => json!(f64::from_bits(dice.next())),
        5 => json!(*dice.one(&["full_attention", "linear_attention", "mamba", "M*E-", "gated", "", "auto", "llama", "fp8"])),
        6 => Value::Array((0..dice.below(5)).map(|_| json!(dice.number())).collect()),
        _ => json!({ *dice.one(&["model_type", "bits", "weights", "hidden_size"]): dice.number() }),
    }
}

#[test]
fn configurations() {
    let rows: Vec<Value> =
        include_str!("data/models/counts.jsonl").lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["config"].take()).collect();
    // Deep models take long in an unoptimised build; their layers are all alike.
    let shallow: Vec<Value> = rows
        .into_iter()
        .map(|mut row| {
            for key in ["num_hidden_layers", "n_layer", "n_layers", "num_layers"] {
                if row[key].as_u64().is_some_and(|n| n > 6) && row["layer_types"].is_null() && row["layers_block_type"].is_null() {
                    row[key] = json!(6);
                }
            }
            row
        })
        .collect();
    let texts: Vec<Vec<u8>> = shallow.iter().map(|r| r.to_string().into_bytes()).collect();
    let keys: Vec<String> = shallow.iter().flat_map(|r| r.as_object().unwrap().keys().cloned()).collect();
    run("config.json", 1, |dice| {
        let row = dice.below(shallow.len());
        if dice.below(3) == 0 {
            let mut bytes = texts[row].clone();
            dice.mangle(&mut bytes);
            return hf_config::parse(&String::from_utf8_lossy(&bytes), "config.json").ok();
        }
        let mut config = shallow[row].clone();
        for _ in 0..=dice.below(3) {
            let own: Vec<&String> = config.as_object().unwrap().keys().collect();
            let key = if dice.below(3) == 0 { dice.one(&keys).clone() } else { (*dice.one(&own)).clone() };
            config[key.as_str()] = made_up(dice);
        }
        hf_config::parse_value(&config, "config.json").ok()
    });
}

/// Headers of several architectures with few layers.
fn gguf_seeds() -> Vec<gguf::File> {
    let number = gguf::Put::Number;
    let plain = gguf::llama(2, 256, 20);
    let mut seeds = vec![plain.clone(), gguf::File { version: 2, ..plain.clone() }, gguf::File { big: true, ..plain.clone() }];
    for arch in ["gemma3", "gpt-oss", "llama4", "qwen3next", "deepseek2", "t5", "kimi-linear", "mamba2", "rwkv7", "lfm2", "bert"] {
        let mut file = plain.clone();
        file.keys = plain.keys.iter().map(|(k, v)| (k.replace("llama.", &format!("{arch}.")), v.clone())).collect();
        file.set("general.architecture", gguf::text(arch));
        for (key, value) in [("attention.sliding_window", 64), ("expert_count", 4), ("expert_used_count", 2), ("ssm.inner_size", 512)] {
            file.set(&format!("{arch}.{key}"), number(value));
        }
        for (key, value) in [("ssm.state_size", 16), ("kda.head_dim", 64), ("wkv.head_size", 64), ("attention.kv_lora_rank", 64)] {
            file.set(&format!("{arch}.{key}"), number(value));
        }
        file.set(&format!("{arch}.attention.head_count_kv"), gguf::Put::Numbers(vec![2, 0]));
        for (name, dims) in [
            ("ssm_conv1d.weight", vec![4, 512]),
            ("ssm_conv1d_q.weight", vec![4, 512]),
            ("shortconv.conv.weight", vec![3, 256]),
            ("time_mix_key.weight", vec![256, 256]),
            ("attn_kv_a_mqa.weight", vec![256, 96]),
            ("attn_k_b.weight", vec![64, 64, 4]),
            ("ffn_up_exps.weight", vec![256, 512, 4]),
        ] {
            if file.tensors.len() % 3 != seeds.len() % 3 {
                file.tensors.push((format!("blk.1.{name}"), dims, gguf::F16));
            } else {
                file.tensors.push((format!("blk.0.{name}"), dims, gguf::F32));
            }
        }
        seeds.push(file);
    }
    seeds
}

#[test]
fn gguf_headers() {
    let seeds = gguf_seeds();
    let whole: Vec<(Vec<u8>, u64)> = seeds.iter().map(gguf::File::header).collect();
    run("GGUF", 2, |dice| {
        let n = dice.below(seeds.len());
        let (header, length) = if dice.below(2) == 0 {
            let (mut header, length) = whole[n].clone();
            dice.mangle(&mut header);
            // Often as if the data were all there.
            (header, if dice.below(4) == 0 { dice.number() } else { length + 4096 })
        } else {
            let mut file = seeds[n].clone();
            for _ in 0..dice.below(4) {
                alter(dice, &mut file);
            }
            file.header()
        };
        read(Cursor::new(header), length, "some.gguf", &mut Alone).ok()
    });
}

/// Another value, tensor, type, size or name, in a header that is otherwise well formed.
fn alter(dice: &mut Dice, file: &mut gguf::File) {
    let keys: Vec<String> = file.keys.keys().cloned().collect();
    let key = dice.one(&keys).clone();
    let small = dice.number() as u32;
    match dice.below(8) {
        0 => file.set(&key, gguf::Put::Number(small)),
        1 => file.set(&key, gguf::Put::Numbers((0..dice.below(5)).map(|_| dice.number() as u32).collect())),
        2 => {
            let arch: &&str = dice.one(&["", "llama", "clip", "gemma4", "falcon-h1"]);
            file.set(&key, gguf::text(arch));
        }
        3 => drop(file.keys.remove(&key)),
        4 => {
            let n = dice.below(file.tensors.len());
            file.tensors.remove(n);
        }
        5 => {
            let n = dice.below(file.tensors.len());
            if let Some(tensor) = file.tensors.get_mut(n) {
                tensor.1 = (0..dice.below(5)).map(|_| 256 << dice.below(8)).collect();
            }
        }
        6 => {
            let n = dice.below(file.tensors.len());
            if let Some(tensor) = file.tensors.get_mut(n) {
                tensor.0 = dice
                    .one(&["output.weight", "blk.9.attn_k.weight", "blk.1.ssm_conv1d.weight", "blk.x", "dec.blk.0.attn_k.weight"])
                    .to_string();
            }
        }
        _ => {
            let n = dice.below(file.tensors.len());
            if let Some(tensor) = file.tensors.get_mut(n) {
                tensor.2 = *dice.one(&[gguf::F32, gguf::F16, gguf::Q4_K, gguf::Q6_K, gguf::MXFP4]);
            }
        }
    }
}

const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "vocab_size": 10, "tie_word_embeddings": true}"#;

/// A header with random tensors that agree with each other.
fn safetensors_seed(dice: &mut Dice) -> (String, u64) {
    let (mut at, mut entries) = (0_u64, Vec::new());
    for n in 0..dice.below(12) {
        let dims: Vec<u64> = (0..dice.below(4)).map(|_| 2 << dice.below(6)).collect();
        let (kind, bits) = *dice.one(&[("BF16", 16), ("F32", 32), ("U8", 8), ("F8_E4M3", 8), ("F4", 4), ("I64", 64)]);
        let end = at + (dims.iter().product::<u64>() * bits).div_ceil(8);
        let module = *dice.one(&["self_attn.q_proj", "mlp.down_proj", "mlp.experts.3.w1", "mlp.gate", "mixer.in_proj", "x"]);
        let part = *dice.one(&["weight", "bias", "qweight", "scales", "weight_scale_inv"]);
        entries.push(format!(r#""model.layers.{n}.{module}.{part}":{{"dtype":"{kind}","shape":{dims:?},"data_offsets":[{at},{end}]}}"#));
        at = end;
    }
    (format!("{{{}}}", entries.join(",")), at)
}

#[test]
fn safetensors_headers_and_indexes() {
    let config = hf_config::parse(CONFIG, "config.json").unwrap();
    let names = ["a.safetensors", "b.safetensors", "model.safetensors.index.json", "../a.safetensors", "c.bin", "", "/x.safetensors"];
    run("safetensors", 3, |dice| {
        if dice.below(5) == 0 {
            let map: Vec<String> = (0..dice.below(6)).map(|n| format!(r#""t{n}":"{}""#, dice.one(&names))).collect();
            let mut text = format!(r#"{{"metadata":{{"total_size":{}}},"weight_map":{{{}}}}}"#, dice.number(), map.join(",")).into_bytes();
            if dice.below(2) == 0 {
                dice.mangle(&mut text);
            }
            if let Ok(found) = safetensors::index(&String::from_utf8_lossy(&text), "index.json") {
                assert!(found.iter().all(|n| n.ends_with(".safetensors") && !n.contains('/')), "{found:?}");
            }
            return None;
        }
        let (header, data) = safetensors_seed(dice);
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        let mut length = bytes.len() as u64 + data;
        if dice.below(2) == 0 {
            dice.mangle(&mut bytes);
            if dice.below(4) == 0 {
                length = dice.number();
            }
        }
        let mut weights = safetensors::Weights::default();
        weights.add(bytes.as_slice(), length, "some.safetensors").ok()?;
        weights.attach(config.clone(), "some.safetensors").ok()
    });
}
