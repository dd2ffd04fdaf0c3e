use super::*;
use crate::catalog::model::{Cache, LayerGroup};
use crate::catalog::precision::Block;
use crate::catalog::precision::ggml::{GGML_TYPES, ggml_type};
use std::collections::BTreeMap;
use std::io::Cursor;
use writer::Put::{Number, Numbers};
use writer::{F16, File, MXFP4, Q4_K, Q6_K, Writer, llama, size, text};

#[path = "../../../tests/support/gguf.rs"]
mod writer;

fn tiny() -> File {
    llama(2, 256, 100)
}

fn shape_of(file: &File) -> Result<ModelShape, ImportError> {
    let (header, length) = file.header();
    read(Cursor::new(header), length, "dir/tiny.gguf", &mut Alone)
}

fn error_of(file: &File) -> String {
    shape_of(file).unwrap_err().to_string()
}

#[test]
fn bytes_and_caches_come_from_the_file() {
    let shape = shape_of(&tiny()).unwrap();
    assert_eq!((shape.name.as_str(), shape.model_type.as_str(), shape.layers, shape.hidden), ("Tiny", "llama", 2, 256));
    assert_eq!((shape.vocab, shape.context, shape.tied), (100, Some(4096), false));
    let tensors = tiny().tensors;
    assert_eq!(shape.params(), tensors.iter().map(|t| t.1.iter().product::<u64>()).sum::<u64>());
    let weights = shape.weights.unwrap();
    assert_eq!(weights.total(), tiny().data());
    assert_eq!((weights.label.as_str(), weights.files, weights.tensors), ("Q4_K_M", 1, 19));
    assert_eq!(weights.bytes_of(T::AttentionV), size(&[256, 128], Q4_K) + size(&[256, 128], Q6_K));
    assert!(weights.layer_bytes(1) > weights.layer_bytes(0));
    assert_eq!(weights.layer_bytes(2), 0);
    assert_eq!(shape.groups, [LayerGroup { count: 2, cache: Cache::Full { kv_heads: 2, k_dim: 64, v_dim: 64 } }]);
}

#[test]
fn every_type_has_its_size() {
    fn by_table(dims: &[u64], kind: u32) -> u64 {
        let block = ggml_type(kind).map_or(Block { bytes: 0, weights: 1 }, |t| t.block);
        dims.iter().product::<u64>() / u64::from(block.weights) * u64::from(block.bytes)
    }
    for kind in GGML_TYPES {
        let mut model = File { size: by_table, ..tiny() };
        model.tensors.push(("blk.0.ffn_gate_inp.weight".to_owned(), vec![512, 3], kind.id));
        let weights = shape_of(&model).unwrap().weights.unwrap();
        assert_eq!(weights.bytes_of(T::Router), by_table(&[512, 3], kind.id), "{}", kind.name);
    }
    for (kind, expected) in [(0, 1024), (1, 512), (12, 144), (14, 210), (39, 136), (40, 144), (34, 54), (35, 66), (19, 50), (41, 36)] {
        assert_eq!(by_table(&[256], kind), expected, "type {kind}");
    }
    let mut model = File { size: by_table, ..tiny() };
    model.tensors[0].2 = 137;
    assert!(error_of(&model).contains("type 137, which llama.cpp does not have"), "{}", error_of(&model));
    model.tensors[0] = ("token_embd.weight".to_owned(), vec![100, 256], Q4_K);
    assert!(error_of(&model).contains("rows of 100, which Q4_K in blocks of 256 cannot have"), "{}", error_of(&model));
}

#[test]
fn version_2_and_big_endian_read_the_same() {
    let expected = shape_of(&tiny()).unwrap();
    for (version, big) in [(2, false), (3, true)] {
        assert_eq!(shape_of(&File { version, big, ..tiny() }).unwrap(), expected);
    }
    assert!(error_of(&File { version: 1, ..tiny() }).contains("version 1"));
    assert!(error_of(&File { version: 4, ..tiny() }).contains("version 4"));
}

#[test]
fn windows_latents_states_and_shared_layers() {
    let groups = |arch: &str, more: Vec<(&str, writer::Put)>, tensors: Vec<(&str, Vec<u64>)>| {
        let mut model = tiny();
        model.keys.clear();
        model.set("general.architecture", text(arch));
        more.into_iter().for_each(|(key, value)| model.set(key, value));
        model.tensors = tensors.into_iter().map(|(name, dims)| (name.to_owned(), dims, F16)).collect();
        shape_of(&model).unwrap().groups
    };
    let attention = |n: u32| ["attn_q", "attn_k", "attn_v"].map(|t| format!("blk.{n}.{t}.weight"));
    let names: Vec<String> = (0..4).flat_map(attention).collect();
    let four = || names.iter().map(|n| (n.as_str(), vec![64, 64])).collect::<Vec<_>>();
    let found = groups(
        "gemma2",
        vec![
            ("gemma2.block_count", Number(4)),
            ("gemma2.embedding_length", Number(64)),
            ("gemma2.attention.head_count", Number(2)),
            ("gemma2.attention.head_count_kv", Number(2)),
            ("gemma2.attention.sliding_window", Number(8)),
        ],
        four(),
    );
    assert!(matches!(found[0].cache, Cache::Sliding { window: 8, k_dim: 32, .. }), "{found:?}");
    assert_eq!((found[0].count, found[1].count), (2, 2));
    let found = groups(
        "gemma4",
        vec![
            ("gemma4.block_count", Number(4)),
            ("gemma4.embedding_length", Number(64)),
            ("gemma4.attention.head_count", Number(4)),
            ("gemma4.attention.head_count_kv", Numbers(vec![2, 2, 1, 2])),
            ("gemma4.attention.sliding_window", Number(16)),
            ("gemma4.attention.sliding_window_pattern", Numbers(vec![1, 1, 0, 1])),
            ("gemma4.attention.shared_kv_layers", Number(1)),
        ],
        four(),
    );
    assert_eq!(found.iter().map(|g| g.count).collect::<Vec<_>>(), [2, 1, 1]);
    assert!(matches!(found[1].cache, Cache::Full { kv_heads: 1, k_dim: 64, v_dim: 64 }), "{found:?}");
    assert_eq!(found[2].cache, Cache::Shared);
    let latent = |absorbed: bool| {
        let mut tensors = vec![("blk.0.attn_q.weight", vec![64, 64]), ("blk.0.attn_kv_a_mqa.weight", vec![64, 40])];
        tensors.push(if absorbed { ("blk.0.attn_k_b.weight", vec![16, 32, 4]) } else { ("blk.0.attn_kv_b.weight", vec![32, 128]) });
        groups(
            "deepseek2",
            vec![
                ("deepseek2.block_count", Number(1)),
                ("deepseek2.embedding_length", Number(64)),
                ("deepseek2.attention.head_count", Number(4)),
                ("deepseek2.attention.kv_lora_rank", Number(32)),
                ("deepseek2.attention.key_length", Number(24)),
                ("deepseek2.attention.value_length", Number(16)),
            ],
            tensors,
        )[0]
        .cache
    };
    assert_eq!(latent(true), Cache::Latent { rank: 32, rope_dim: 8 });
    assert_eq!(latent(false), Cache::Full { kv_heads: 4, k_dim: 24, v_dim: 16 }, "files before the patch expand the heads");
    // Mamba 2: (4 − 1) × (128 + 2·16) + 128·16.
    let found = groups(
        "mamba2",
        vec![
            ("mamba2.block_count", Number(2)),
            ("mamba2.embedding_length", Number(64)),
            ("mamba2.ssm.inner_size", Number(128)),
            ("mamba2.ssm.state_size", Number(16)),
        ],
        vec![("blk.0.ssm_conv1d.weight", vec![4, 160]), ("blk.1.ssm_conv1d.weight", vec![4, 160])],
    );
    assert_eq!(found, [LayerGroup { count: 2, cache: Cache::State { elements: 3 * 160 + 128 * 16 } }]);
}

#[test]
fn layers_for_several_tokens_are_left_out_and_told() {
    let mut model = tiny();
    model.set("llama.nextn_predict_layers", Number(1));
    let shape = shape_of(&model).unwrap();
    assert_eq!(shape.layers, 1);
    assert!(shape.remarks[0].starts_with("Without"), "{:?}", shape.remarks);
}

#[test]
fn experts_are_counted_as_a_token_meets_them() {
    let mut model = tiny();
    model.set("llama.expert_count", Number(4));
    model.set("llama.expert_used_count", Number(2));
    model.set("llama.expert_feed_forward_length", Number(512));
    model.tensors.retain(|t| !t.0.contains("ffn"));
    for n in 0..2 {
        model.tensors.push((format!("blk.{n}.ffn_up_exps.weight"), vec![256, 512, 4], MXFP4));
        model.tensors.push((format!("blk.{n}.ffn_down_exps.weight"), vec![512, 256, 4], MXFP4));
    }
    let shape = shape_of(&model).unwrap();
    assert_eq!(shape.experts, Some(Experts { total: 4, active: 2 }));
    assert_eq!(shape.mlp_width, 1024);
    assert_eq!(shape.params() - shape.active_params(), 2 * 2 * 2 * 256 * 512);
    model.set("llama.expert_used_count", Number(5));
    assert!(error_of(&model).contains("uses 5 of 4 experts"));
}

#[test]
fn broken_files_say_what_is_wrong() {
    let (whole, length) = tiny().header();
    for cut in 0..whole.len() {
        let error = read(Cursor::new(whole[..cut].to_vec()), cut as u64, "cut.gguf", &mut Alone).unwrap_err().to_string();
        assert!(error.starts_with("cut.gguf: "), "{error}");
    }
    let error = read(Cursor::new(whole.clone()), length - 33, "cut.gguf", &mut Alone).unwrap_err().to_string();
    assert!(error.contains("the download is not complete"), "{error}");
    let with = |change: &dyn Fn(&mut Writer)| {
        let mut w = Writer::new(3, 1, 0, false);
        change(&mut w);
        let length = w.out.len() as u64;
        read(Cursor::new(w.out), length, "bad.gguf", &mut Alone).unwrap_err().to_string()
    };
    let huge = |tensors, keys| {
        let w = Writer::new(3, tensors, keys, false);
        read(Cursor::new(w.out), 1 << 40, "bad.gguf", &mut Alone).unwrap_err().to_string()
    };
    assert!(huge(u64::MAX, 0).contains("more than any model has"), "{}", huge(u64::MAX, 0));
    assert!(huge(0, 1 << 40).contains("more than any model has"));
    for (change, expected) in [
        (&(|w: &mut Writer| w.tensor("x", &[u64::MAX, u64::MAX], 0, 0)) as &dyn Fn(&mut Writer), "beyond"),
        (&|w: &mut Writer| w.tensor("x", &[1; 5], 0, 0), "5 dimensions"),
        (&|w: &mut Writer| w.tensor("x", &[32], 0, 32), "where 0 follows"),
        (&|w: &mut Writer| w.tensor(&"x".repeat(200), &[32], 0, 0), "200 bytes"),
        (&|w: &mut Writer| w.u64(u64::MAX), "name of a tensor"),
    ] {
        let error = with(change);
        assert!(error.contains(expected) || expected == "beyond" && error.contains("more than any model has"), "{error}");
    }
    let mut twice = tiny();
    twice.tensors.push(twice.tensors[1].clone());
    assert!(error_of(&twice).contains("\"output.weight\" twice"), "{}", error_of(&twice));
    assert!(read(Cursor::new(b"PK\x03\x04....".to_vec()), 8, "model.gguf", &mut Alone).unwrap_err().to_string().contains("PK"));
    let mut projector = tiny();
    projector.set("general.architecture", text("clip"));
    assert!(error_of(&projector).contains("image or audio part"));
    let mut keyless = tiny();
    keyless.keys.remove("llama.block_count");
    assert!(error_of(&keyless).contains("lacks the key \"llama.block_count\""), "{}", error_of(&keyless));
}

#[test]
fn lists_that_lie_about_their_length_are_refused_at_once() {
    let mut w = Writer::new(3, 0, 1, false);
    w.text("k");
    w.u32(9);
    w.u32(8);
    w.u64(1 << 33);
    let error = read(Cursor::new(w.out.clone()), 1 << 40, "bad.gguf", &mut Alone).unwrap_err().to_string();
    assert!(error.contains("more than any model has"), "{error}");
    let length = w.out.len() as u64;
    assert!(read(Cursor::new(w.out), length, "bad.gguf", &mut Alone).unwrap_err().to_string().contains("ends before the"));
}

/// Parts of a split file, by name.
struct Shelf(BTreeMap<String, (Vec<u8>, u64)>);

impl Parts for Shelf {
    fn open(&mut self, name: &str) -> Result<(Box<dyn ReadSeek>, u64), ImportError> {
        match self.0.get(name) {
            Some((bytes, length)) => Ok((Box::new(Cursor::new(bytes.clone())), *length)),
            None => Alone.open(name).map(|_| unreachable!()),
        }
    }
}

#[test]
fn parts_of_a_split_file_make_the_whole() {
    let whole = shape_of(&tiny()).unwrap();
    let mut parts: Vec<File> = Vec::new();
    for no in 0..3_u32 {
        let mut part = tiny();
        if no > 0 {
            part.keys.clear();
        }
        part.set("split.no", Number(no));
        part.set("split.count", Number(3));
        part.set("split.tensors.count", Number(19));
        part.tensors = part.tensors.into_iter().enumerate().filter(|(i, _)| i % 3 == no as usize).map(|(_, t)| t).collect();
        parts.push(part);
    }
    let name = |n: usize| format!("dir/tiny-{:05}-of-00003.gguf", n + 1);
    let shelf = || Shelf(parts.iter().enumerate().map(|(n, p)| (name(n), p.header())).collect());
    for (n, part) in parts.iter().enumerate() {
        let (header, length) = part.header();
        let shape = read(Cursor::new(header), length, &name(n), &mut shelf()).unwrap();
        assert_eq!((&shape.tensors, &shape.groups, &shape.name), (&whole.tensors, &whole.groups, &whole.name));
        let (found, expected) = (shape.weights.unwrap(), whole.weights.clone().unwrap());
        assert_eq!((found.groups, found.files), (expected.groups, 3));
    }
    let (header, length) = parts[1].header();
    let missing = read(Cursor::new(header.clone()), length, &name(1), &mut Alone).unwrap_err().to_string();
    assert!(missing.contains("00001-of-00003"), "{missing}");
    let renamed = read(Cursor::new(header.clone()), length, "dir/model.gguf", &mut shelf()).unwrap_err().to_string();
    assert!(renamed.contains("not named as such"), "{renamed}");
    let swapped = read(Cursor::new(header), length, &name(0), &mut shelf()).unwrap_err().to_string();
    assert!(swapped.contains("says otherwise inside"), "{swapped}");
    let mut twice = shelf();
    let double = twice.0[&name(0)].clone();
    twice.0.insert(name(2), double);
    let (header, length) = parts[0].header();
    let error = read(Cursor::new(header), length, &name(0), &mut twice).unwrap_err().to_string();
    assert!(error.contains("is not part 3 of 3"), "{error}");
}
