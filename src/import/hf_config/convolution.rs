//! Convolutional networks for pictures: `ResNet`.

use super::ConfigError;
use super::keys::Keys;
use super::tally::{Tally, prod, small};
use crate::catalog::model::{Cache, ModelShape, TensorClass as T};
use crate::catalog::network::{Conv, ConvNet, Network, NetworkKind};

/// Blocks of a stage; more than any network has.
const MOST_BLOCKS: u64 = 512;
/// Of channels, classes and pixels along a side: as many as rig files may hold.
const MOST: u64 = 1 << 16;

/// A `ResNet` v1.5 with its classifier: stride in the 3 × 3 convolution, as torchvision and `microsoft/resnet-50` have it.
pub(super) fn resnet(keys: &Keys<'_>) -> Result<ModelShape, ConfigError> {
    let numbers = |name: &'static str, default: &[u64]| -> Result<Vec<u64>, ConfigError> {
        let Some((name, list)) = keys.items(&[name])? else { return Ok(default.to_vec()) };
        let good = |v: &serde_json::Value| v.as_u64().filter(|n| (1..=1 << 16).contains(n));
        let all: Option<Vec<u64>> = list.iter().map(good).collect();
        all.ok_or_else(|| keys.wrong(name, &serde_json::Value::Array(list.to_vec()), "expected whole numbers from 1 to 65,536"))
    };
    let depths = numbers("depths", &[3, 4, 6, 3])?;
    let widths = numbers("hidden_sizes", &[256, 512, 1024, 2048])?;
    if depths.len() != widths.len() || depths.len() > 16 || depths.iter().any(|d| *d > MOST_BLOCKS) {
        return Err(keys.unsupported("supported with as many `depths` as `hidden_sizes`, each of up to 512 blocks"));
    }
    let bottleneck = keys.text("layer_type")?.is_none_or(|t| t == "bottleneck");
    let (stem, channels) = (keys.dim_or(&["embedding_size"], 64)?, keys.dim_or(&["num_channels"], 3)?);
    let classes = keys.labels()?;
    let image = keys.dim_or(&["image_size"], 224)?;
    for (key, found) in [("num_labels", classes), ("image_size", image), ("embedding_size", stem), ("num_channels", channels)] {
        if found > MOST {
            return Err(keys.wrong(key, &serde_json::Value::from(found), &format!("expected at most {MOST}")));
        }
    }
    let one = |out: u64, kernel, stride| Conv { out: small(out), kernel, stride, groups: 1 };
    let stages = depths.iter().zip(&widths).enumerate().map(|(n, (&blocks, &width))| {
        let stride = if n == 0 { 1 } else { 2 };
        let convs = if bottleneck {
            vec![one(width / 4, 1, 1), one(width / 4, 3, stride), one(width, 1, 1)]
        } else {
            vec![one(width, 3, stride), one(width, 3, 1)]
        };
        crate::catalog::network::ConvStage { blocks: small(blocks), convs }
    });
    let net = ConvNet {
        channels: small(channels),
        image: small(image),
        stem: one(stem, 7, 2),
        pool: true,
        stages: stages.collect(),
        classes: small(classes),
    };
    let mut tally = Tally::default();
    let norm = |tally: &mut Tally, channels: u64| tally.add(T::Norm, "batch norms", prod(&[2, channels]));
    tally.add(T::Convolution, "convolutions", prod(&[49, channels, stem]));
    norm(&mut tally, stem);
    let mut input = stem;
    for stage in &net.stages {
        for block in 0..stage.blocks {
            let from = input;
            tally.cache(Cache::None);
            for conv in &stage.convs {
                let out = u64::from(conv.out);
                tally.add(T::Convolution, "convolutions", prod(&[u64::from(conv.kernel).pow(2), input, out]));
                norm(&mut tally, out);
                input = out;
            }
            let strides = stage.convs.iter().any(|c| c.stride > 1);
            if block == 0 && (from != input || strides) {
                tally.add(T::Convolution, "convolutions", prod(&[from, input]));
                norm(&mut tally, input);
            }
        }
    }
    tally.add(T::Head, "classifier", prod(&[input, classes]));
    tally.add(T::Norm, "classifier biases", prod(&[classes]));
    let (tensors, groups) = tally.finish(keys.file)?;
    let layers = depths.iter().sum::<u64>();
    Ok(ModelShape {
        name: keys.name(),
        model_type: keys.model_type().to_owned(),
        hidden: small(input),
        layers: small(layers),
        heads: 1,
        mlp_width: small(input),
        vocab: classes,
        context: None,
        tied: false,
        experts: None,
        groups,
        tensors,
        published_precision: None,
        network: Some(Box::new(Network { kind: NetworkKind::Convolution(net), ..Network::default() })),
        source: keys.file.to_owned(),
        remarks: vec!["A convolutional network for pictures: it has no context and no cache".to_owned()],
        ..ModelShape::default()
    })
}
