//! What one micro-batch of a job computes and moves, before it is spread over cards: for the speed ledger.

use super::job::{Job, network};
use super::shard::Layout;
use crate::catalog::model::{Cache, ModelShape, TensorClass};
use crate::catalog::network::{Conv, ConvNet, NetworkKind};
use crate::workload::Workload;
use crate::workload::training::{Recompute, Training, Zero};

/// One micro-batch of the whole model on one card.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Sequences or pictures, and tokens (pictures: patches; 0 for convolutions).
    pub samples: u64,
    pub tokens: u64,
    /// Multiplications and additions of the matrices in the forward pass; scores of attention apart, causal ones counted half.
    pub matrix_flops: f64,
    pub attention_flops: f64,
    /// Bytes that the forward pass keeps for the backward pass where nothing is recomputed.
    pub saved_bytes: f64,
    /// Bytes of one layer's output.
    pub stream_bytes: f64,
    pub layers: u32,
    /// Parameters: elements and bytes; those that train: elements and bytes of their gradients.
    pub params: u64,
    pub param_bytes: u64,
    pub trained: u64,
    pub grad_bytes: u64,
    /// Elements of routed experts among the parameters.
    pub experts: u64,
    /// Bytes of the optimizer's states and FP32 copies.
    pub state_bytes: u64,
    pub pictures: bool,
}

/// Counts a job's micro-batch; the degrees of parallelism do not matter, what ZeRO stores does.
pub fn work(workload: &Workload, training: &Training) -> Work {
    let mut whole = training.clone();
    (whole.recompute, whole.parallel.tensor, whole.parallel.pipeline, whole.parallel.expert) = (Recompute::None, 1, 1, 1);
    let zero = whole.parallel.zero;
    let layout = Layout { cards: 1, tensor: 1, pipeline: 1, data: 1, expert: 1, sequence: false, zero, in_flight: 1 };
    let job = Job::new(workload, &whole, &layout);
    let model = &*workload.model;
    let net = network(model);
    let runs: u64 = job.pieces.runs.iter().map(|(p, n)| p.cost.saved() * n).sum();
    let saved = runs + job.pieces.start.cost.saved() + job.pieces.end.cost.saved();
    let (matrix, attention) = match &net.kind {
        NetworkKind::Convolution(net) => (convolution_flops(net) * job.batch as f64, 0.0),
        _ => {
            let each = 2.0 * matrix_params(model) as f64;
            let decoder = matches!(net.kind, NetworkKind::Decoder);
            (each * job.tokens as f64, scores(model, job.sequence as f64, decoder) * job.tokens as f64)
        }
    };
    let states = job.states(job.trainable).bytes + if job.master { job.trainable.2 * 4 } else { 0 };
    Work {
        samples: job.batch,
        tokens: if matches!(net.kind, NetworkKind::Convolution(_)) { 0 } else { job.tokens },
        matrix_flops: matrix,
        attention_flops: attention,
        saved_bytes: saved as f64,
        stream_bytes: job.pieces.stream as f64,
        layers: model.layers,
        params: job.params.1,
        param_bytes: job.params.0,
        trained: job.trainable.2,
        grad_bytes: job.trainable.2 * if zero == Zero::None { job.trained_width() } else { u64::from(job.mode.weights) },
        experts: job.experts.1,
        state_bytes: states,
        pictures: job.pictures,
    }
}

/// Parameters that one token multiplies with.
pub fn matrix_params(model: &ModelShape) -> u64 {
    let counts = |class: TensorClass| match class {
        TensorClass::Table | TensorClass::Norm => false,
        TensorClass::Embedding => model.tied,
        _ => true,
    };
    model.tensors.iter().filter(|t| counts(t.class)).map(|t| t.active).sum()
}

/// Operations of the scores of one token in the forward pass with `tokens` in its sequence: query × key and score × value.
pub fn scores(model: &ModelShape, tokens: f64, causal: bool) -> f64 {
    let heads = f64::from(model.heads);
    let seen = if causal { 0.5 } else { 1.0 };
    if model.groups.iter().all(|g| g.cache == Cache::None) {
        return seen * f64::from(model.layers) * 4.0 * f64::from(model.hidden) * tokens;
    }
    let group = |cache: Cache| match cache {
        Cache::Full { k_dim, v_dim, .. } => 2.0 * heads * f64::from(k_dim + v_dim) * tokens * seen,
        Cache::Sliding { k_dim, v_dim, window, .. } => 2.0 * heads * f64::from(k_dim + v_dim) * (tokens * seen).min(f64::from(window)),
        Cache::Latent { rank, rope_dim } => 4.0 * heads * f64::from(rank + rope_dim) * tokens * seen,
        // Read and updated once a token.
        Cache::State { elements } => 6.0 * elements as f64,
        Cache::Shared | Cache::None => 0.0,
    };
    model.groups.iter().map(|g| f64::from(g.count) * group(g.cache)).sum()
}

/// Operations of one picture in the forward pass.
fn convolution_flops(net: &ConvNet) -> f64 {
    let side_after = |side: u32, conv: &Conv, stride: u32| (side + 2 * (conv.kernel / 2)).saturating_sub(conv.kernel) / stride.max(1) + 1;
    let one = |side: u32, from: u32, conv: &Conv, stride: u32| {
        let out = side_after(side, conv, stride);
        let per = f64::from(from) / f64::from(conv.groups.max(1)) * libm::pow(f64::from(conv.kernel), 2.0) * f64::from(conv.out);
        (2.0 * per * libm::pow(f64::from(out), 2.0), out)
    };
    let (mut flops, mut side) = one(net.image, net.channels, &net.stem, net.stem.stride);
    let mut channels = net.stem.out;
    if net.pool {
        side = (side + 2).saturating_sub(3) / 2 + 1;
    }
    for stage in &net.stages {
        for block in 0..stage.blocks {
            let (start, from) = (side, channels);
            for conv in &stage.convs {
                let (more, out) = one(side, channels, conv, if block == 0 { conv.stride } else { 1 });
                (flops, side, channels) = (flops + more, out, conv.out);
            }
            if block == 0 && (side != start || channels != from) {
                flops += 2.0 * f64::from(from) * f64::from(channels) * libm::pow(f64::from(side), 2.0);
            }
        }
    }
    flops + 2.0 * f64::from(channels) * f64::from(net.classes)
}
