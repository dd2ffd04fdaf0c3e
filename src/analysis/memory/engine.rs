//! What an engine takes beside weights and cache: buffers for intermediate results, its context, and how much of a card it may have.

use super::band::Band;
use super::plan::{Device, Plan, Sizes};
use crate::catalog::model::Cache;
use crate::catalog::precision::Precision;
use crate::catalog::vocab::GpuVendor;
use crate::workload::{Attention, Engine, Split};

const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;

/// Tokens worked on at once, unless the workload says: llama.cpp's `--ubatch-size` is 512. vLLM cuts prompts into 2,048 tokens, on cards
/// of 70 GiB and more that are no A100 into 8,192 (github:vllm-project/vllm `vllm/engine/arg_utils.py`, server defaults); `SGLang` is
/// taken as alike. transformers works on the whole prompt, here as long as the context; `ExLlama` on 2,048.
pub fn chunk(plan: &Plan<'_>, context: u64) -> u64 {
    if let Some(own) = plan.workload.serving.micro_batch {
        return u64::from(own);
    }
    match plan.engine {
        Engine::LlamaCpp => 512,
        Engine::Vllm | Engine::Sglang => {
            let large = |d: &Device<'_>| {
                let ampere = d.gpu.compute_capability.as_deref().is_some_and(|c| c.starts_with('8'));
                d.gpu.memory_gb.is_some_and(|gb| gb >= 70.0) && !ampere
            };
            if plan.cards.first().is_some_and(large) { 8192 } else { 2048 }
        }
        Engine::Transformers => context,
        Engine::Exllama => 2048.min(context),
    }
}

/// Share of a card that the engine takes; `None` = it takes what it needs. vLLM's default is 0.9 (its engine arguments);
/// `SGLang` computes its own from the card, 0.87 to 0.88 on cards of 24 to 80 GB.
pub fn pool(plan: &Plan<'_>) -> Option<f64> {
    let usual = match plan.engine {
        Engine::Vllm => 0.9,
        Engine::Sglang => 0.88,
        Engine::LlamaCpp | Engine::Transformers | Engine::Exllama => return None,
    };
    Some(plan.workload.serving.pool.unwrap_or(usual))
}

/// The kernel that runs. transformers has no SDPA for BLOOM and Gemma 2 and hands Falcon's a full mask; window layers get a mask, which
/// the flash kernel refuses, so the memory-efficient one runs (`PyTorch` 2.15 with transformers 5.24, run on fake tensors).
pub fn kernel(plan: &Plan<'_>) -> Attention {
    let model = &plan.workload.model;
    if let Some(own) = plan.workload.serving.attention {
        return own;
    }
    match plan.engine {
        Engine::Transformers if matches!(model.model_type.as_str(), "bloom" | "gemma2" | "falcon") => Attention::Eager,
        Engine::Transformers if has_windows(plan) => Attention::Efficient,
        _ => Attention::Flash,
    }
}

pub fn has_windows(plan: &Plan<'_>) -> bool {
    plan.workload.model.groups.iter().any(|g| matches!(g.cache, Cache::Sliding { .. }))
}

/// Buffers for intermediate results on one card.
pub fn buffers(plan: &Plan<'_>, card: usize, sizes: &Sizes) -> Band {
    if plan.layers(card).is_empty() {
        return Band::default();
    }
    match plan.engine {
        Engine::LlamaCpp => llama(plan, card, sizes),
        Engine::Vllm | Engine::Sglang => server(plan, card, sizes),
        Engine::Transformers | Engine::Exllama => eager_torch(plan, card, sizes),
    }
}

/// llama.cpp with flash attention, fitted to a corpus of measured loads (github:tmac1973/llama-toolchest, its test corpus): one card
/// 4·ub·(2f + 5h) + 2·ub·tokens, 21 rows within −16 % and +18 %; layer split, for each card 4·ub·(2f + 5h) + 4·(2·ub·tokens + 4·ub·h),
/// 8 rows within 4 %, the copies being its pipeline's four; every matrix split, each card as one alone, 6 rows within 27 %. A quantised
/// cache adds one layer of keys and values at 16 bits. Chosen experts add their outputs before they are summed, 4·ub·k·h, on several cards
/// twice. Experts in main memory are copied to the card for prompts, two matrices of a layer at a time. Without flash attention the scores
/// of one layer, 4·ub·tokens·heads, take the place of the feed-forward. Draft layers have a context, and with it buffers, of their own.
/// Builds before June 2026 also reserve 4·ub·vocabulary for logits (github:ggml-org/llama.cpp pull request 23861): upper end.
fn llama(plan: &Plan<'_>, card: usize, sizes: &Sizes) -> Band {
    let model = &plan.workload.model;
    let (f, h, vocab) = (f64::from(model.mlp_width), f64::from(model.hidden), model.vocab as f64);
    let tokens = sizes.context as f64 * sizes.batch as f64;
    let ub = (chunk(plan, sizes.context) as f64).min(tokens.max(1.0));
    let chosen = model.experts.map_or(0.0, |e| f64::from(e.active));
    let several = plan.cards.len() > 1 && plan.split == Split::Layer;
    let wide = if kernel(plan) == Attention::Eager { (2.0 * f).max(f64::from(model.heads) * tokens) } else { 2.0 * f };
    let base = 4.0 * ub * (wide + 5.0 * h + chosen * h * if several { 2.0 } else { 1.0 });
    let copies = if several { 4.0 * (2.0 * ub * tokens + 4.0 * ub * h) } else { 2.0 * ub * tokens };
    let moved = moved_experts(plan);
    let drafts = if plan.workload.serving.draft_tokens > 0 { 2.0 } else { 1.0 };
    let error = if several { 0.1 } else { 0.2 };
    let fixed = (base + copies) * drafts + moved;
    let value = fixed + sizes.scratch as f64;
    let logits = if plan.is_last(card) { 4.0 * ub * vocab } else { 0.0 };
    Band::of(fixed * (1.0 - error), value, value * (1.0 + error) + logits)
}

/// Two of the three matrices of one layer's experts, if experts stay in main memory.
pub fn moved_experts(plan: &Plan<'_>) -> f64 {
    let layers = f64::from(plan.workload.model.layers.max(1));
    if plan.workload.serving.cpu_expert_layers > 0 { plan.weights.experts as f64 / layers * 2.0 / 3.0 } else { 0.0 }
}

/// Servers of `PyTorch` models: 2·(3f + 3h) bytes for each token of a piece of a prompt, the feed-forward sliced with the matrices. From
/// the peaks that vLLM logs for Llama 3.1 8B: 2.07 GiB at 20,000 tokens at once and 2.99 GiB at 29,000 (github:vllm-project/vllm issue
/// 10517), computed 2.06 and 2.99. Chosen experts keep their inputs and outputs apart, 2·2·k·h more.
///
/// Not counted: the sampler's warm-up, by which vLLM since its version 1 sizes the pool too. It runs for as many sequences as may be served,
/// 256, on cards of 70 GiB and more that are no A100 1,024 (`vllm/engine/arg_utils.py`), over the whole vocabulary in FP32, sorted with
/// 64-bit indices: some 23 bytes a pair, 3.3 GiB for Qwen3 on an H100. Pools of such cards are so predicted too large (Qwen3 235B-A22B on four
/// H100, github:vllm-project/vllm issue 21348); older versions did without (issue 13061).
fn server(plan: &Plan<'_>, card: usize, sizes: &Sizes) -> Band {
    let model = &plan.workload.model;
    let (f, h, vocab) = (f64::from(model.mlp_width), f64::from(model.hidden), model.vocab as f64);
    let slice = plan.slice(card);
    let chosen = model.experts.map_or(0.0, |e| f64::from(e.active));
    let each = 2.0 * (3.0 * f * slice + 3.0 * h + 2.0 * chosen * h);
    let logits = if plan.split == Split::Tensor || plan.is_last(card) { 4.0 * vocab * slice * sizes.batch as f64 } else { 0.0 };
    let at = chunk(plan, sizes.context) as f64;
    let stated = plan.workload.serving.micro_batch.is_some();
    let (low, high) = if stated { (at, at) } else { (at.min(512.0), at.max(8192.0)) };
    Band::of(low * each, at * each + logits, 1.1 * high * each + 2.0 * logits)
}

/// transformers and `ExLlama`: intermediate results of the prompt, at the layer that takes most, in 16 bit.
///
/// From runs of `PyTorch` 2.15 and transformers 5.24 on fake tensors, exact to 1 % for the models named: a gated feed-forward 6f + 8h bytes a
/// token (Llama, Qwen2, Qwen3), one without a gate 4f + 8h (Pythia); chosen experts 8h + the greater of 8·k·h (Qwen3 30B-A3B) and
/// 8·k·f + 2·k·h (Mixtral); eager attention 10 bytes for each of heads × tokens × tokens (Gemma 2: 2 of scores, 4 + 4 of the softmax in FP32)
/// and 12h; a mask 3 bytes for each pair of tokens (Gemma 3 at 131,072). Beside them the workspace of cuBLAS, 8 MiB, on Hopper 32.
fn eager_torch(plan: &Plan<'_>, card: usize, sizes: &Sizes) -> Band {
    let stated = plan.workload.serving.micro_batch.is_some();
    let prompt = (chunk(plan, sizes.context).min(sizes.context)) as f64;
    let at = |prompt: f64| prompt_bytes(plan, prompt, sizes.batch as f64) + workspace(plan, card) + unpacked(plan);
    let value = at(prompt);
    let low = if stated { value * 0.95 } else { at(prompt.min(512.0)) };
    Band::of(low, value, value * 1.1 + 32.0 * MIB)
}

/// Bytes of intermediate results for a prompt of so many tokens in each of so many sequences.
pub fn prompt_bytes(plan: &Plan<'_>, prompt: f64, sequences: f64) -> f64 {
    let model = &plan.workload.model;
    let (f, h) = (f64::from(model.mlp_width), f64::from(model.hidden));
    let tokens = prompt * sequences;
    let wide = match model.experts {
        Some(e) => 8.0 * h + (8.0 * f64::from(e.active) * h).max(8.0 * f + 2.0 * f64::from(e.active) * h),
        None if plan.weights.gated => 6.0 * f + 8.0 * h,
        None => 4.0 * f + 8.0 * h,
    };
    // One mask serves all sequences.
    let pairs = prompt * prompt;
    match kernel(plan) {
        Attention::Efficient if has_windows(plan) => (tokens * wide + 1.25 * pairs).max(tokens * 12.0 * h + 3.0 * pairs),
        Attention::Flash | Attention::Efficient => tokens * wide,
        Attention::Eager => (tokens * wide).max(tokens * (10.0 * f64::from(model.heads) * prompt + 12.0 * h)),
    }
}

/// Weights of bitsandbytes are unpacked to 16 bit one matrix at a time, and copied once: two of the feed-forward's matrices. `LitGPT`'s
/// NF4 runs of Llama 2 take 0.22 GiB (7B) and 0.26 GiB (13B) beyond weights and cache, computed 0.17 and 0.26
/// (github:Lightning-AI/litgpt tutorials/resource-tables.md).
pub fn unpacked(plan: &Plan<'_>) -> f64 {
    let model = &plan.workload.model;
    match plan.workload.precision {
        Precision::Nf4 | Precision::Nf4Double => 4.0 * f64::from(model.mlp_width) * f64::from(model.hidden),
        _ => 0.0,
    }
}

/// What `PyTorch`'s allocator holds beyond what is in use: blocks of 2 MiB and 20 MiB that are not full, and gaps. 5 to 20 % is the usual
/// experience while training (source not recorded); inference allocates alike sizes again and again, so 3 % (0 to 8) are assumed.
pub fn allocator(plan: &Plan<'_>, used: Band) -> Band {
    match plan.engine {
        Engine::Transformers | Engine::Exllama => Band::of(0.0, 0.03 * used.value as f64, 0.08 * used.high as f64),
        // A pool is allocated once.
        Engine::LlamaCpp | Engine::Vllm | Engine::Sglang => Band::default(),
    }
}

/// Workspace of cuBLAS, which `PyTorch` counts as its own: 8.1 MiB, on Hopper 32 MiB (`PyTorch` documentation,
/// `CUBLAS_WORKSPACE_CONFIG`).
pub fn workspace(plan: &Plan<'_>, card: usize) -> f64 {
    let capability = plan.cards.get(card).and_then(|c| c.gpu.compute_capability.as_deref());
    if capability.is_some_and(|c| c.starts_with("9.")) { 32.0 * MIB } else { 8.125 * MIB }
}

/// Context of driver and engine on one card. llama.cpp: what card counters show beyond the itemised buffers, same corpus as the buffers:
/// CUDA 0.50–0.52 GiB on one card and 0.55–0.59 GiB over three together; `ROCm` 0.21–0.36 GiB on one, 2.28–2.32 GiB over four. `PyTorch`
/// servers: 0.25–0.6 GiB outside `PyTorch` (vLLM logs: github:vllm-project/vllm issues 10517 and 13061) and 0.1–1.5 GiB of CUDA graphs.
/// transformers: the context alone; a V100 showed 1,343 MiB (its documentation, model memory anatomy), most of it kernels loaded at once,
/// which CUDA 11.7 and later load when used.
pub fn runtime(plan: &Plan<'_>, card: &Device<'_>) -> Band {
    let [low, value, high] = match (plan.engine, card.gpu.vendor, plan.cards.len()) {
        (Engine::LlamaCpp, Some(GpuVendor::Nvidia), 1) => [0.45, 0.51, 0.65],
        (Engine::LlamaCpp, Some(GpuVendor::Nvidia), _) => [0.15, 0.19, 0.55],
        (Engine::LlamaCpp, Some(GpuVendor::Amd), 1) => [0.20, 0.29, 0.60],
        (Engine::LlamaCpp, Some(GpuVendor::Amd), _) => [0.20, 0.57, 0.70],
        (Engine::LlamaCpp, Some(GpuVendor::Intel | GpuVendor::Other) | None, _) => [0.15, 0.50, 0.80],
        (Engine::Vllm | Engine::Sglang, _, _) => [0.35, 0.80, 2.10],
        (Engine::Transformers | Engine::Exllama, _, _) => [0.25, 0.45, 1.31],
    };
    Band::of(low * GIB, value * GIB, high * GIB)
}

/// Outside the pool of a server: what is not `PyTorch`'s, without CUDA graphs, which are recorded after the pool is sized.
pub const NON_TORCH_GIB: [f64; 3] = [0.20, 0.30, 0.60];

/// Memory that the driver keeps from every program: 0.287 GiB and 0.65 % of the card. A line through two figures: of an RTX 3090's 24,576
/// MiB programs see 24,124, and find 23,755 free (github:ollama/ollama issue 17482, github:ggml-org/llama.cpp issue 23395); an 80 GB A100
/// shows 79.2 GiB to `PyTorch` (general knowledge, source not recorded). Other makers' down to 0.
pub fn reserve(card: &Device<'_>) -> Band {
    let gib = card.gpu.memory_gb.unwrap_or(24.0);
    let value = 0.287 + 0.0065 * gib;
    let low = if card.gpu.vendor == Some(GpuVendor::Nvidia) { 0.5 * value } else { 0.0 };
    Band::of(low * GIB, value * GIB, (value + 0.36) * GIB)
}
