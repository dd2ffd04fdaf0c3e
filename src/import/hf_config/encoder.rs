//! Encoders and encoder-decoders: BERT, T5 and image encoders.

use super::ConfigError;
use super::families::family;
use super::keys::{HIDDEN, Keys, WIDTH};
use super::network;
use super::tally::{Tally, prod, small};
use crate::catalog::model::{Cache, ModelShape, TensorClass as T};
use crate::catalog::network::Network;

const MAX_LAYERS: u64 = 4096;

struct Shape {
    hidden: u64,
    heads: u64,
    width: u64,
    layers: u64,
    vocab: u64,
    tied: bool,
}

fn layers(keys: &Keys<'_>, names: &[&'static str]) -> Result<u64, ConfigError> {
    let n = keys.dim(names)?;
    if n > MAX_LAYERS {
        return Err(keys.wrong(names.first().unwrap_or(&""), &n.into(), &format!("expected at most {MAX_LAYERS}")));
    }
    Ok(n)
}

fn shape(keys: &Keys<'_>, s: &Shape, network: Network, tally: Tally, remarks: Vec<String>) -> Result<ModelShape, ConfigError> {
    let (tensors, groups) = tally.finish(keys.file)?;
    Ok(ModelShape {
        name: keys.name(),
        model_type: keys.model_type().to_owned(),
        hidden: small(s.hidden),
        layers: small(s.layers),
        heads: small(s.heads),
        mlp_width: small(s.width),
        vocab: s.vocab,
        context: keys.context()?,
        tied: s.tied,
        experts: None,
        groups,
        tensors,
        published_precision: None,
        network: Some(Box::new(network)),
        source: keys.file.to_owned(),
        remarks,
        ..ModelShape::default()
    })
}

/// One layer of an encoder with `h`-wide projections; `norms` layer norms with biases.
fn encoder_layer(tally: &mut Tally, s: &Shape, gated: bool, biased: bool) {
    let (h, f) = (s.hidden, s.width);
    tally.add(T::Attention, "attention, query and key", prod(&[2, h, h]));
    tally.add(T::AttentionV, "attention, value", prod(&[h, h]));
    tally.add(T::AttentionOut, "attention, output", prod(&[h, h]));
    tally.add(T::Mlp, "feed-forward, first matrices", prod(&[if gated { 2 } else { 1 }, h, f]));
    tally.add(T::MlpDown, "feed-forward, last matrix", prod(&[h, f]));
    tally.add(T::Norm, "norms", prod(&[4, h]));
    if biased {
        tally.add(T::Norm, "biases", prod(&[5, h]) + prod(&[f]));
    }
    tally.cache(Cache::None);
}

fn read(keys: &Keys<'_>, vocab: u64) -> Result<Shape, ConfigError> {
    keys.require(&[HIDDEN, &["num_attention_heads"], WIDTH, &["num_hidden_layers"]])?;
    Ok(Shape {
        hidden: keys.dim(HIDDEN)?,
        heads: keys.dim(&["num_attention_heads"])?,
        width: keys.dim(WIDTH)?,
        layers: layers(keys, &["num_hidden_layers"])?,
        vocab,
        tied: true,
    })
}

/// BERT with its pooler, without a head; Nomic's gated and bias-free variant without either.
pub(super) fn bert(keys: &Keys<'_>) -> Result<ModelShape, ConfigError> {
    let nomic = keys.model_type() == "nomic_bert";
    let s = read(keys, keys.rows(&["vocab_size"])?)?;
    let h = s.hidden;
    let mut tally = Tally::default();
    tally.add(T::Embedding, "token embedding", prod(&[s.vocab, h]));
    tally.add(T::Table, "segment table", prod(&[keys.dim_or(&["type_vocab_size"], 2)?, h]));
    if !nomic {
        tally.add(T::Table, "learned positions", prod(&[keys.dim(&["max_position_embeddings"])?, h]));
        tally.add(T::Other, "pooler", prod(&[h, h + 1]));
    }
    tally.add(T::Norm, "embedding norm", prod(&[2, h]));
    for i in 0..s.layers {
        tally.at(Some(i as usize));
        encoder_layer(&mut tally, &s, nomic, !nomic);
    }
    let segments = keys.dim_or(&["type_vocab_size"], 2)?;
    let positions = if nomic { 0 } else { keys.dim(&["max_position_embeddings"])? };
    let network = network::bert(keys, segments, positions, s.width);
    shape(keys, &s, network, tally, vec!["Encoder without a task head".to_owned()])
}

/// Whether a type without a rule of its own looks like an encoder: segments, and positions that are looked up.
pub(super) fn is_unknown(keys: &Keys<'_>) -> bool {
    let known = family(keys.model_type()).is_some();
    let pair = keys.anywhere("is_encoder_decoder") == Some(&serde_json::Value::Bool(true));
    !known
        && !pair
        && keys.has(&["type_vocab_size"])
        && keys.has(&["max_position_embeddings"])
        && !keys.has(&["is_decoder", "embedding_size"])
}

/// Read by its keys like BERT, and marked.
pub(super) fn unknown(keys: &Keys<'_>) -> Result<ModelShape, ConfigError> {
    let mut shape = bert(keys)?;
    let named = keys.model_type();
    shape.remarks.push(format!(
        "Model type `{named}` is not known: counted by its keys as an encoder like BERT; compare the total with the published one"
    ));
    Ok(shape)
}

/// A vision transformer with its classifier.
pub(super) fn vit(keys: &Keys<'_>) -> Result<ModelShape, ConfigError> {
    let labels = keys.labels()?;
    let s = Shape { tied: false, ..read(keys, labels)? };
    let (h, patch) = (s.hidden, keys.dim_or(&["patch_size"], 16)?);
    let side = keys.dim_or(&["image_size"], 224)? / patch;
    let mut tally = Tally::default();
    let channels = keys.dim_or(&["num_channels"], 3)?;
    tally.add(T::Embedding, "patch embedding", prod(&[channels, patch, patch, h]));
    tally.add(T::Table, "learned positions", (prod(&[side, side]) + 1) * prod(&[h]));
    tally.add(T::Norm, "class token, biases and last norm", prod(&[4, h]));
    tally.add(T::Head, "classifier", prod(&[h, labels]));
    tally.add(T::Norm, "classifier biases", prod(&[labels]));
    let biased = keys.flag("qkv_bias", true)?;
    for i in 0..s.layers {
        tally.at(Some(i as usize));
        encoder_layer(&mut tally, &s, false, true);
    }
    let network = network::vit(keys, channels, patch, side * patch, s.width);
    if biased { shape(keys, &s, network, tally, Vec::new()) } else { Err(keys.unsupported("supported only with `qkv_bias` true")) }
}

/// T5 and its relatives: encoder, decoder with cross attention, relative positions.
pub(super) fn t5(keys: &Keys<'_>) -> Result<ModelShape, ConfigError> {
    keys.require(&[&["d_model"], &["d_kv"], &["d_ff"], &["num_heads"], &["num_layers"], &["vocab_size"]])?;
    let (h, f, heads) = (keys.dim(&["d_model"])?, keys.dim(&["d_ff"])?, keys.dim(&["num_heads"])?);
    let head_dim = keys.dim(&["d_kv"])?;
    let encoder = layers(keys, &["num_layers"])?;
    let decoder = if keys.has(&["num_decoder_layers"]) { layers(keys, &["num_decoder_layers"])? } else { encoder };
    let gated = keys.text("feed_forward_proj")?.is_some_and(|s| s.starts_with("gated"));
    let tied = keys.tied(true)?;
    let s = Shape { hidden: h, heads, width: f, layers: encoder + decoder, vocab: keys.rows(&["vocab_size"])?, tied };
    let mut tally = Tally::default();
    tally.add(T::Embedding, "token embedding", prod(&[s.vocab, h]));
    if !tied {
        tally.add(T::Head, "output head", prod(&[s.vocab, h]));
    }
    let tables = if keys.model_type() == "umt5" { s.layers } else { 2 };
    tally.add(T::Table, "relative positions", prod(&[keys.dim_or(&["relative_attention_num_buckets"], 32)?, heads, tables]));
    tally.add(T::Norm, "last norms", prod(&[2, h]));
    for i in 0..s.layers {
        tally.at(Some(i as usize));
        let attentions = if i < encoder { 1 } else { 2 };
        tally.add(T::Attention, "attention, query and key", prod(&[attentions, 2, h, heads, head_dim]));
        tally.add(T::AttentionV, "attention, value", prod(&[attentions, h, heads, head_dim]));
        tally.add(T::AttentionOut, "attention, output", prod(&[attentions, h, heads, head_dim]));
        tally.add(T::Mlp, "feed-forward, first matrices", prod(&[if gated { 2 } else { 1 }, h, f]));
        tally.add(T::MlpDown, "feed-forward, last matrix", prod(&[h, f]));
        tally.add(T::Norm, "norms", prod(&[attentions + 1, h]));
        let (kv_heads, k_dim) = (small(heads), small(head_dim));
        tally.cache(if i < encoder { Cache::None } else { Cache::Full { kv_heads, k_dim, v_dim: k_dim } });
    }
    let remark = "Encoder and decoder; the cache is the decoder's own, its view of the input comes on top";
    let network = network::t5(keys, decoder, f, gated);
    shape(keys, &s, network, tally, vec![remark.to_owned()])
}
