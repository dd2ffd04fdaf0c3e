//! What each layer of a GGUF model keeps per token or sequence: from the tensors it has and the keys of its architecture, as llama.cpp
//! lays out its caches (github:ggml-org/llama.cpp src/llama-hparams.cpp, src/llama-kv-cache.cpp, src/llama-memory-recurrent.cpp).

use std::collections::BTreeMap;

use super::header::{Header, Tensor, Value};
use crate::catalog::model::{Cache, LayerGroup};
use crate::import::{ImportError, short};

/// Deeper than any model.
const MOST_LAYERS: u64 = 4096;
const MOST_WIDTH: u64 = 1 << 24;

/// Keys of one architecture.
pub(super) struct Keys<'a> {
    pub header: &'a Header,
    pub arch: &'a str,
    pub file: &'a str,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.arch)
    }

    pub fn has(&self, name: &str) -> bool {
        self.header.keys.contains_key(&self.key(name))
    }

    /// A width or count of at least 1. A list gives its largest entry.
    pub fn number(&self, name: &str) -> Result<Option<u64>, ImportError> {
        let key = self.key(name);
        let n = match self.header.keys.get(&key) {
            None => return Ok(None),
            Some(Value::Ints(list)) => list.iter().copied().max().and_then(|n| u64::try_from(n).ok()),
            Some(_) => self.header.number(&key),
        };
        match n {
            Some(0) => Ok(None),
            Some(n) if n <= MOST_WIDTH => Ok(Some(n)),
            _ => Err(ImportError::broken(self.file, format!("has a key \"{}\" that is no number from 1 to {MOST_WIDTH}", short(&key)))),
        }
    }

    pub fn need(&self, name: &str) -> Result<u64, ImportError> {
        self.number(name)?.ok_or_else(|| self.missing(name))
    }

    pub fn missing(&self, name: &str) -> ImportError {
        ImportError::broken(self.file, format!("lacks the key \"{}\"", short(&self.key(name))))
    }

    /// The value of one layer, from a list or for all layers alike; 0 allowed.
    fn at(&self, name: &str, layer: u32) -> Option<u64> {
        match self.header.keys.get(&self.key(name))? {
            Value::Ints(list) => list.get(layer as usize).and_then(|n| u64::try_from(*n).ok()),
            _ => self.header.number(&self.key(name)),
        }
        .filter(|n| *n <= MOST_WIDTH)
    }
}

/// The tensors that tell what a layer is.
#[derive(Default)]
struct Layer<'a> {
    tensors: BTreeMap<&'a str, &'a Tensor>,
}

impl Layer<'_> {
    fn rows(&self, name: &str) -> Option<u64> {
        self.tensors.get(name).map(|t| t.dims[1])
    }
    fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }
}

const TELLING: &[&str] = &[
    "attn_k.weight",
    "attn_v.weight",
    "attn_qkv.weight",
    "attn_q.weight",
    "attn_kv_a_mqa.weight",
    "attn_k_b.weight",
    "attn_kv_b.weight",
    "indexer.attn_k.weight",
    "ssm_conv1d.weight",
    "ssm_conv1d_q.weight",
    "ssm_in.weight",
    "shortconv.conv.weight",
    "time_mix_key.weight",
    "nextn.eh_proj.weight",
];

/// Number of layers, without those for predicting several tokens.
pub(super) fn count(keys: &Keys<'_>) -> Result<(u32, u32), ImportError> {
    let all = keys.need("block_count")?;
    if all > MOST_LAYERS {
        return Err(ImportError::too_large(keys.file, format!("claims {all} layers")));
    }
    let ahead = keys.number("nextn_predict_layers")?.unwrap_or(0).min(all.saturating_sub(1));
    let small = |n| u32::try_from(n).unwrap_or(u32::MAX);
    Ok((small(all - ahead), small(ahead)))
}

/// Caches of all layers, in groups of equal ones; layers outside `keeping` have none. `tensors`: layer, name inside it, tensor.
pub(super) fn caches<'a>(
    keys: &Keys<'_>,
    count: u32,
    keeping: &std::ops::Range<u32>,
    tensors: impl Iterator<Item = (u32, &'a str, &'a Tensor)>,
) -> Result<Vec<LayerGroup>, ImportError> {
    let mut layers: Vec<Layer<'_>> = (0..count).map(|_| Layer::default()).collect();
    for (n, name, tensor) in tensors {
        if let Some(layer) = layers.get_mut(n as usize)
            && TELLING.contains(&name)
        {
            layer.tensors.insert(name, tensor);
        }
    }
    let windows = Windows::of(keys, count)?;
    let mut groups: Vec<LayerGroup> = Vec::new();
    let mut push = |cache: Cache| match groups.iter_mut().find(|g| g.cache == cache) {
        Some(group) => group.count = group.count.saturating_add(1),
        None => groups.push(LayerGroup { count: 1, cache }),
    };
    for (n, layer) in (0_u32..).zip(&layers) {
        let state = state(keys, layer)?;
        let cache = if keeping.contains(&n) { attention(keys, layer, n, count, &windows)? } else { None };
        match (cache, state) {
            // Falcon-H1 runs both side by side.
            (Some(cache), Some(state)) => {
                push(cache);
                push(state);
            }
            (Some(one), None) | (None, Some(one)) => push(one),
            (None, None) => push(Cache::None),
        }
    }
    Ok(groups)
}

/// Keys and values of one layer, if it attends.
fn attention(keys: &Keys<'_>, layer: &Layer<'_>, n: u32, count: u32, windows: &Windows) -> Result<Option<Cache>, ImportError> {
    if ENCODERS.contains(&keys.arch) {
        return Ok(None);
    }
    let index = layer.rows("indexer.attn_k.weight").unwrap_or(0);
    if let Some(width) = layer.rows("attn_kv_a_mqa.weight")
        && (layer.has("attn_k_b.weight") || keys.has("attention.key_length_mla"))
    {
        let rank = keys.need("attention.kv_lora_rank")?;
        return Ok(Some(Cache::Latent { rank: small(rank), rope_dim: small(width.saturating_sub(rank).saturating_add(index)) }));
    }
    let fused = layer.has("attn_qkv.weight") && !layer.has("ssm_conv1d.weight");
    let own = layer.has("attn_k.weight") || fused || layer.has("attn_kv_b.weight");
    if layer.has("ssm_conv1d_q.weight") || !(own || layer.has("attn_q.weight")) {
        return Ok(None);
    }
    let heads = keys.need("attention.head_count")?;
    let kv_heads = keys.at("attention.head_count_kv", n).unwrap_or_else(|| keys.at("attention.head_count", n).unwrap_or(heads));
    if kv_heads == 0 {
        return Ok(None);
    }
    if !own || shares(keys, n, count)? {
        return Ok(Some(Cache::Shared));
    }
    let window = windows.of_layer(n);
    let plain = keys.need("embedding_length")?.checked_div(heads).unwrap_or(0);
    let length = |name: &str| -> Result<u64, ImportError> {
        let sliding = if window.is_some() { keys.number(&format!("attention.{name}_swa"))? } else { None };
        Ok(match sliding {
            Some(n) => n,
            None => keys.number(&format!("attention.{name}"))?.unwrap_or(plain),
        })
    };
    let of_rows = |name: &str| layer.rows(name).filter(|r| r.is_multiple_of(kv_heads)).map(|r| r / kv_heads);
    let k_dim = of_rows("attn_k.weight").map_or_else(|| length("key_length"), Ok)?;
    let v_dim = of_rows("attn_v.weight").map_or_else(|| length("value_length"), Ok)?;
    let (kv_heads, k_dim, v_dim) = (small(kv_heads), small(k_dim), small(v_dim));
    Ok(Some(match window {
        Some(window) => Cache::Sliding { kv_heads, k_dim, v_dim, window },
        None => Cache::Full { kv_heads, k_dim, v_dim },
    }))
}

/// Models that read whole texts at once and keep nothing.
pub(super) const ENCODERS: &[&str] = &[
    "bert",
    "modern-bert",
    "nomic-bert",
    "nomic-bert-moe",
    "neo-bert",
    "jina-bert-v2",
    "jina-bert-v3",
    "eurobert",
    "t5encoder",
    "gemma-embedding",
    "llama-embed",
];

/// Whether a layer reads the cache of an earlier one.
fn shares(keys: &Keys<'_>, n: u32, count: u32) -> Result<bool, ImportError> {
    let shared = match keys.number("attention.shared_kv_layers")? {
        Some(shared) => shared,
        // Files of Gemma 3n before the key: src/models/gemma3n.cpp lets layers from the twentieth on share.
        None if keys.arch == "gemma3n" => u64::from(count.saturating_sub(20)),
        None => 0,
    };
    Ok(u64::from(n) >= u64::from(count).saturating_sub(shared))
}

/// What a recurrent layer keeps for each sequence.
fn state(keys: &Keys<'_>, layer: &Layer<'_>) -> Result<Option<Cache>, ImportError> {
    let product = |factors: &[u64]| factors.iter().try_fold(1_u64, |p, f| p.checked_mul(*f));
    let kernel = |t: &Tensor| t.dims[0].saturating_sub(1);
    let elements = if let Some(conv) = layer.tensors.get("shortconv.conv.weight") {
        product(&[kernel(conv), conv.dims[1]])
    } else if let Some(conv) = layer.tensors.get("ssm_conv1d_q.weight") {
        // Kimi: three convolutions, and a square per head.
        let inner = conv.elements.checked_div(conv.dims[0]).unwrap_or(0);
        let head = keys.need("kda.head_dim")?;
        product(&[3, kernel(conv), inner]).zip(product(&[inner, head])).and_then(|(a, b)| a.checked_add(b))
    } else if let Some(conv) = layer.tensors.get("ssm_conv1d.weight") {
        let states = product(&[keys.need("ssm.inner_size")?, keys.need("ssm.state_size")?]);
        product(&[kernel(conv), conv.dims[1]]).zip(states).and_then(|(a, b)| a.checked_add(b))
    } else if layer.has("time_mix_key.weight") {
        let (width, head) = (keys.need("embedding_length")?, keys.need("wkv.head_size")?);
        let shifts = keys.number("token_shift_count")?.unwrap_or(2);
        product(&[width, shifts.saturating_add(head)])
    } else {
        return Ok(None);
    };
    // The same bound as rig files have.
    match elements.filter(|e| *e <= 1 << 40) {
        Some(elements) => Ok(Some(Cache::State { elements })),
        None => Err(ImportError::too_large(keys.file, "claims a state per sequence beyond 2^40 numbers")),
    }
}

fn small(n: u64) -> u32 {
    u32::try_from(n.min(MOST_WIDTH)).unwrap_or(u32::MAX)
}

/// Which layers attend to a window only.
struct Windows {
    window: Option<u32>,
    layers: Vec<bool>,
}

/// Architectures with windows, as `load_arch_hparams` of each in github:ggml-org/llama.cpp src/models has them: the window where the file
/// names none, every how many layers one is full, and whether that is the first of them.
const WINDOWED: &[(&[&str], Option<u64>, u64, bool)] = &[
    (&["llama4"], Some(8192), 4, false),
    (&["gemma2"], Some(4096), 2, false),
    (&["gemma3"], None, 6, false),
    (&["gemma3n"], None, 5, false),
    (&["gemma4"], None, 6, false),
    (&["cohere2", "cohere2moe", "olmo2", "exaone4", "exaone-moe", "afmoe"], None, 4, false),
    (&["laguna", "smallthinker"], None, 4, true),
    (&["gpt-oss"], None, 2, false),
    (&["plamo3"], None, 8, false),
];

impl Windows {
    fn of(keys: &Keys<'_>, count: u32) -> Result<Self, ImportError> {
        let none = Self { window: None, layers: Vec::new() };
        let known = WINDOWED.iter().find(|(archs, ..)| archs.contains(&keys.arch));
        // A window of 0 switches it off.
        let off = keys.header.number(&keys.key("attention.sliding_window")) == Some(0);
        let window = keys.number("attention.sliding_window")?.or_else(|| known.and_then(|k| k.1));
        let Some(window) = window.filter(|_| !off) else { return Ok(none) };
        let listed = match keys.header.keys.get(&keys.key("attention.sliding_window_pattern")) {
            Some(Value::Ints(list)) => Some(list.iter().map(|n| *n != 0).collect()),
            // Other architectures name a window that llama.cpp does not use.
            None if known.is_none() => return Ok(none),
            Some(_) | None => None,
        };
        let (period, first) = known.map_or((1, false), |k| (k.2, k.3));
        let period = keys.header.number(&keys.key("attention.sliding_window_pattern")).unwrap_or(period);
        let by_period = |n: u64| match n.checked_rem(period) {
            None => true,
            Some(0) if first => false,
            Some(_) if first => true,
            Some(place) => place + 1 < period,
        };
        let layers = listed.unwrap_or_else(|| (0..u64::from(count)).map(by_period).collect());
        Ok(Self { window: Some(small(window)), layers })
    }

    fn of_layer(&self, n: u32) -> Option<u32> {
        self.window.filter(|_| self.layers.get(n as usize) == Some(&true))
    }
}
