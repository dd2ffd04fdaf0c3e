//! Writes headers of GGUF files byte by byte, right ones and wrong ones. Sizes of types are spelled out here, apart from the program's table.

use std::collections::BTreeMap;

/// Bytes of a header as they grow.
pub struct Writer {
    pub out: Vec<u8>,
    pub big: bool,
}

/// A value of a key.
#[derive(Clone)]
pub enum Put {
    Text(String),
    Number(u32),
    Numbers(Vec<u32>),
    /// So many made-up texts.
    Texts(u32),
}

pub fn text(t: &str) -> Put {
    Put::Text(t.to_owned())
}

impl Writer {
    pub fn new(version: u32, tensors: u64, keys: u64, big: bool) -> Self {
        let mut w = Self { out: b"GGUF".to_vec(), big };
        w.u32(version);
        w.u64(tensors);
        w.u64(keys);
        w
    }
    pub fn u32(&mut self, n: u32) {
        self.out.extend(if self.big { n.to_be_bytes() } else { n.to_le_bytes() });
    }
    pub fn u64(&mut self, n: u64) {
        self.out.extend(if self.big { n.to_be_bytes() } else { n.to_le_bytes() });
    }
    pub fn text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.out.extend(text.as_bytes());
    }
    pub fn key(&mut self, key: &str, value: &Put) {
        self.text(key);
        match value {
            Put::Text(t) => {
                self.u32(8);
                self.text(t);
            }
            Put::Number(n) => {
                self.u32(4);
                self.u32(*n);
            }
            Put::Numbers(list) => {
                self.u32(9);
                self.u32(4);
                self.u64(list.len() as u64);
                list.iter().for_each(|n| self.u32(*n));
            }
            Put::Texts(n) => {
                self.u32(9);
                self.u32(8);
                self.u64(u64::from(*n));
                (0..*n).for_each(|i| self.text(&format!("token {i}")));
            }
        }
    }
    pub fn tensor(&mut self, name: &str, dims: &[u64], kind: u32, offset: u64) {
        self.text(name);
        self.u32(u32::try_from(dims.len()).unwrap_or(0));
        dims.iter().for_each(|d| self.u64(*d));
        self.u32(kind);
        self.u64(offset);
    }
}

pub const F32: u32 = 0;
pub const F16: u32 = 1;
pub const Q4_K: u32 = 12;
pub const Q6_K: u32 = 14;
pub const MXFP4: u32 = 39;

/// Bytes of a tensor in one of the types above.
pub fn size(dims: &[u64], kind: u32) -> u64 {
    let (bytes, weights) = match kind {
        F32 => (4, 1),
        F16 => (2, 1),
        Q4_K => (144, 256),
        Q6_K => (210, 256),
        MXFP4 => (17, 32),
        other => panic!("type {other} has no size here"),
    };
    dims.iter().product::<u64>() / weights * bytes
}

/// A file to be written.
#[derive(Clone)]
pub struct File {
    pub keys: BTreeMap<String, Put>,
    pub tensors: Vec<(String, Vec<u64>, u32)>,
    pub version: u32,
    pub big: bool,
    pub size: fn(&[u64], u32) -> u64,
}

impl File {
    pub fn set(&mut self, key: &str, value: Put) {
        self.keys.insert(key.to_owned(), value);
    }

    /// The header alone, and the length of the file with its data.
    pub fn header(&self) -> (Vec<u8>, u64) {
        let mut w = Writer::new(self.version, self.tensors.len() as u64, self.keys.len() as u64, self.big);
        for (key, value) in &self.keys {
            w.key(key, value);
        }
        let mut offset = 0_u64;
        for (name, dims, kind) in &self.tensors {
            w.tensor(name, dims, *kind, offset);
            offset = (offset + (self.size)(dims, *kind)).next_multiple_of(32);
        }
        let length = (w.out.len() as u64).next_multiple_of(32) + offset;
        (w.out, length)
    }

    /// Bytes of all tensors.
    pub fn data(&self) -> u64 {
        self.tensors.iter().map(|t| (self.size)(&t.1, t.2)).sum()
    }
}

/// A Llama in `Q4_K`, with `Q6_K` for the head and the last layer's values. `vocab` tokens, four heads over two.
pub fn llama(layers: u32, width: u32, vocab: u32) -> File {
    let number = Put::Number;
    let keys = BTreeMap::from(
        [
            ("general.architecture", text("llama")),
            ("general.name", text("Tiny")),
            ("general.file_type", number(15)),
            ("llama.block_count", number(layers)),
            ("llama.embedding_length", number(width)),
            ("llama.feed_forward_length", number(2 * width)),
            ("llama.attention.head_count", number(4)),
            ("llama.attention.head_count_kv", number(2)),
            ("llama.context_length", number(4096)),
            ("tokenizer.ggml.tokens", Put::Texts(vocab)),
        ]
        .map(|(key, value)| (key.to_owned(), value)),
    );
    let (w, v) = (u64::from(width), u64::from(vocab));
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), vec![w, v], Q4_K),
        ("output.weight".to_owned(), vec![w, v], Q6_K),
        ("output_norm.weight".to_owned(), vec![w], F32),
    ];
    for n in 0..layers {
        let mut put = |name: &str, dims: &[u64], kind| tensors.push((format!("blk.{n}.{name}"), dims.to_vec(), kind));
        put("attn_norm.weight", &[w], F32);
        put("attn_q.weight", &[w, w], Q4_K);
        put("attn_k.weight", &[w, w / 2], Q4_K);
        put("attn_v.weight", &[w, w / 2], if n + 1 == layers { Q6_K } else { Q4_K });
        put("attn_output.weight", &[w, w], Q4_K);
        put("ffn_gate.weight", &[w, 2 * w], Q4_K);
        put("ffn_up.weight", &[w, 2 * w], Q4_K);
        put("ffn_down.weight", &[2 * w, w], Q4_K);
    }
    File { keys, tensors, version: 3, big: false, size }
}
