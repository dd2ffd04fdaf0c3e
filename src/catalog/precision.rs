//! Formats that weights are stored in, and how many bytes each group of tensors takes in them.
//!
//! A format rarely stores every tensor alike: GGUF files mix block types, GPTQ and its like leave embeddings at 16 bits.
//! [`Precision::model_bytes`] follows those rules. Reproduced with them: all 22 quantised files of Llama 3.1 8B in the
//! llama.cpp documentation to the last printed digit, see `tests/gguf_sizes.rs`.

pub mod ggml;
pub mod native;
mod recipe;

use super::model::{Cache, ExactWeights, ModelShape, TensorClass as T, Tensors, WeightsFormat};
pub use recipe::Block;
use recipe::Pick::{self, All, First, Grouped, Layers, Middle, Outer, Start};
use recipe::{
    B8, B16, F32, FP8, INT3_G128, INT4_G32, INT4_G64, INT4_G128, INT8_G128, IQ1_M, IQ1_S, IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS, IQ4_NL,
    IQ4_XS, MXFP4, NF4, NF4_DOUBLE, NVFP4, Q2_K, Q3_K, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0, Recipe, TQ1_0, TQ2_0, first, fit,
    shares,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! precisions {
    ($($variant:ident = $text:literal, $recipe:expr;)+) => {
        /// How weights are stored. The ids are those of files and reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Precision { $(#[serde(rename = $text)] $variant,)+ }

        impl Default for Precision {
            /// The format that most local models are run in.
            fn default() -> Self {
                Self::Q4KM
            }
        }

        impl Precision {
            /// Every format, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The id, as in files: `bf16`, `q4_k_m`.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            const fn recipe(self) -> Recipe {
                match self { $(Self::$variant => $recipe,)+ }
            }
        }
    };
}

precisions! {
    F32 = "f32", Recipe::all(F32, F32);
    F16 = "f16", Recipe::all(B16, B16);
    Bf16 = "bf16", Recipe::all(B16, B16);
    Fp8 = "fp8", Recipe::layers(FP8);
    Int8 = "int8", Recipe::layers(B8);
    Gptq8 = "gptq-8bit-g128", Recipe::layers(INT8_G128);
    Gptq4 = "gptq-4bit-g128", Recipe::layers(INT4_G128);
    Gptq4g64 = "gptq-4bit-g64", Recipe::layers(INT4_G64);
    Gptq4g32 = "gptq-4bit-g32", Recipe::layers(INT4_G32);
    Gptq3 = "gptq-3bit-g128", Recipe::layers(INT3_G128);
    Awq4 = "awq-4bit-g128", Recipe::layers(INT4_G128);
    Awq4g64 = "awq-4bit-g64", Recipe::layers(INT4_G64);
    Nf4 = "nf4", Recipe::layers(NF4);
    Nf4Double = "nf4-double", Recipe::layers(NF4_DOUBLE);
    Nvfp4 = "nvfp4", Recipe::layers(NVFP4);
    // Experts only: `bytes` leaves the other matrices at 16 bits.
    Mxfp4 = "mxfp4", Recipe::layers(MXFP4);
    Mxfp4Moe = "mxfp4_moe", Recipe { head: All(Q8_0), ..Recipe::gguf(Q8_0) };
    Q8_0 = "q8_0", Recipe { head: All(Q8_0), ..Recipe::gguf(Q8_0) };
    Q6K = "q6_k", Recipe::gguf(Q6_K);
    Q5KM = "q5_k_m", Recipe { value: Outer(Q6_K, Q5_K), down: Outer(Q6_K, Q5_K), ..Recipe::gguf(Q5_K) };
    Q5KS = "q5_k_s", Recipe::gguf(Q5_K);
    Q5_1 = "q5_1", Recipe::gguf(Q5_1);
    Q5_0 = "q5_0", Recipe::gguf(Q5_0);
    Q4KM = "q4_k_m", Recipe { value: Outer(Q6_K, Q4_K), down: Outer(Q6_K, Q4_K), ..Recipe::gguf(Q4_K) };
    Q4KS = "q4_k_s", Recipe { value: Layers(4, Q5_K, Q4_K), down: First(Q5_K, Q4_K), ..Recipe::gguf(Q4_K) };
    Iq4Nl = "iq4_nl", Recipe { value: Grouped(Q5_K, IQ4_NL), down: First(Q5_K, IQ4_NL), ..Recipe::gguf(IQ4_NL) };
    Iq4Xs = "iq4_xs", Recipe { value: Grouped(Q5_K, IQ4_XS), down: First(Q5_K, IQ4_XS), ..Recipe::gguf(IQ4_XS) };
    Q4_1 = "q4_1", Recipe::gguf(Q4_1);
    Q4_0 = "q4_0", Recipe::gguf(Q4_0);
    Q3KL = "q3_k_l", Recipe { value: All(Q5_K), out: All(Q5_K), down: All(Q5_K), ..Recipe::gguf(Q3_K) };
    Q3KM = "q3_k_m", Recipe { value: Layers(2, Q5_K, Q4_K), out: All(Q4_K), down: Start(Q5_K, Q4_K), ..Recipe::gguf(Q3_K) };
    Q3KS = "q3_k_s", Recipe::gguf(Q3_K);
    Iq3M = "iq3_m", Recipe { value: All(Q4_K), out: All(Q4_K), down: First(Q4_K, IQ3_S), ..Recipe::gguf(IQ3_S) };
    Iq3S = "iq3_s", Recipe { value: Grouped(Q4_K, IQ3_S), ..Recipe::gguf(IQ3_S) };
    Iq3Xs = "iq3_xs", Recipe { query: All(IQ3_XXS), value: Grouped(Q4_K, IQ3_S), up: Middle(IQ3_XXS, IQ3_S), ..Recipe::gguf(IQ3_S) };
    Iq3Xxs = "iq3_xxs", Recipe {
        query: All(IQ2_S), value: Grouped(Q4_K, IQ3_XXS), out: All(IQ3_S), embedding: All(IQ3_S), head: All(Q5_K), ..Recipe::gguf(IQ3_XXS)
    };
    Q2K = "q2_k", Recipe { value: Grouped(Q4_K, Q3_K), out: All(Q3_K), down: All(Q3_K), ..Recipe::gguf(Q2_K) };
    Q2KS = "q2_k_s", Recipe { value: Grouped(Q4_K, Q2_K), down: First(Q4_K, Q2_K), ..Recipe::gguf(Q2_K) };
    Iq2M = "iq2_m", Recipe {
        value: Grouped(Q4_K, IQ3_S), out: All(IQ3_S), down: First(IQ3_S, IQ2_S), embedding: All(IQ3_S), head: All(Q5_K), ..Recipe::gguf(IQ2_S)
    };
    Iq2S = "iq2_s", Recipe {
        value: Grouped(Q4_K, IQ3_S), out: All(IQ3_S), down: First(IQ3_S, IQ2_XS), embedding: All(IQ3_S), head: All(Q5_K), ..Recipe::gguf(IQ2_XS)
    };
    Iq2Xs = "iq2_xs", Recipe {
        value: Grouped(Q4_K, Q2_K), down: First(Q2_K, IQ2_XS), embedding: All(Q2_K), head: All(Q5_K), ..Recipe::gguf(IQ2_XS)
    };
    Iq2Xxs = "iq2_xxs", Recipe {
        value: Grouped(Q4_K, Q2_K), down: First(Q2_K, IQ2_XXS), embedding: All(Q2_K), head: All(Q5_K), ..Recipe::gguf(IQ2_XXS)
    };
    Iq1M = "iq1_m", Recipe {
        value: Grouped(Q4_K, Q2_K), out: All(IQ2_XXS), down: First(Q2_K, IQ1_M), embedding: All(Q2_K), head: All(Q5_K), ..Recipe::gguf(IQ1_M)
    };
    Iq1S = "iq1_s", Recipe {
        value: Grouped(Q4_K, Q2_K), out: All(IQ2_XXS), down: First(Q2_K, IQ1_S), embedding: All(Q2_K), head: All(Q5_K), ..Recipe::gguf(IQ1_S)
    };
    Tq2_0 = "tq2_0", Recipe { embedding: All(Q4_K), ..Recipe::gguf(TQ2_0) };
    Tq1_0 = "tq1_0", Recipe { embedding: All(Q4_K), ..Recipe::gguf(TQ1_0) };
    // As in the model's own file; see `Precision::of_file`. The recipes are never reached: an edit refuses them without a table.
    Gguf = "gguf", Recipe::all(B16, F32);
    Safetensors = "safetensors", Recipe::all(B16, B16);
}

/// What the tensors of one class take in one precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    pub class: T,
    pub params: u64,
    /// Of these, the parameters one token reads.
    pub active: u64,
    pub bytes: u64,
}

/// What the recipes ask about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixing {
    pub layers: u32,
    /// Query heads that share one key.
    pub grouped: u32,
    pub experts: u32,
    /// Head and embedding are one matrix, stored as the head.
    pub tied: bool,
    /// Row lengths: model width, what attention returns, the dense feed-forward. Blocks must divide them.
    pub hidden: u32,
    pub attended: u32,
    pub width: u32,
    falcon: bool,
}

impl Mixing {
    /// A plain decoder of 32 layers whose rows all blocks divide.
    pub const PLAIN: Self =
        Self { layers: 32, grouped: 4, experts: 1, tied: false, hidden: 4096, attended: 4096, width: 14_336, falcon: false };

    pub fn of(model: &ModelShape) -> Self {
        let (grouped, attended) = model.groups.iter().find_map(|g| heads(g.cache, model.heads)).unwrap_or((1, model.hidden));
        // With experts, the width of a token's experts together says nothing about one row.
        let width = if model.experts.is_some() { 256 } else { model.mlp_width };
        let experts = model.experts.map_or(1, |e| e.total);
        let falcon = model.model_type == "falcon";
        Self { layers: model.layers, grouped, experts, tied: model.tied, hidden: model.hidden, attended, width, falcon }
    }

    fn row(self, class: T) -> u32 {
        match class {
            T::AttentionOut => self.attended,
            T::MlpDown | T::ExpertDown => self.width,
            _ => self.hidden,
        }
    }
}

/// Queries per key and the width of what attention returns.
fn heads(cache: Cache, heads: u32) -> Option<(u32, u32)> {
    match cache {
        Cache::Full { kv_heads, v_dim, .. } | Cache::Sliding { kv_heads, v_dim, .. } => {
            Some((heads.checked_div(kv_heads)?, heads.checked_mul(v_dim)?))
        }
        // Every head reads the one latent.
        Cache::Latent { .. } => Some((heads, 256)),
        Cache::State { .. } | Cache::Shared | Cache::None => None,
    }
}

impl std::fmt::Display for Precision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl Precision {
    /// The format with this id, however it is written: `Q4_K_M`, `q4-k-m` and the usual short names too.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
        let wanted = plain(text.trim());
        let id = match wanted.as_str() {
            "fp16" | "float16" | "half" => "f16",
            "fp32" | "float32" => "f32",
            "bfloat16" => "bf16",
            "gptq" | "gptq-4bit" | "int4" => "gptq-4bit-g128",
            "awq" | "awq-4bit" => "awq-4bit-g128",
            "fp8-e4m3" | "f8" => "fp8",
            other => other,
        };
        Self::ALL.iter().copied().find(|p| plain(p.text()) == id)
    }

    /// Bits of one weight of a matrix inside the layers, before any mixing.
    pub fn bits_per_weight(self) -> f64 {
        match self {
            Self::Mxfp4Moe => MXFP4.bits_per_weight(),
            _ => first(self.recipe().base).bits_per_weight(),
        }
    }

    /// The format of the file whose table of tensors gives the bytes; `None` = bytes follow from a rule.
    pub const fn of_file(self) -> Option<WeightsFormat> {
        match self {
            Self::Gguf => Some(WeightsFormat::Gguf),
            Self::Safetensors => Some(WeightsFormat::Safetensors),
            _ => None,
        }
    }

    /// The precision "as in the file" of a table of this format.
    pub const fn as_in_file(format: WeightsFormat) -> Self {
        match format {
            WeightsFormat::Gguf => Self::Gguf,
            WeightsFormat::Safetensors => Self::Safetensors,
        }
    }

    /// Whether a model can be had in this precision: every rule applies to every model, a file's table to its own model alone.
    pub fn suits(self, model: &ModelShape) -> bool {
        self.of_file().is_none_or(|format| model.weights.as_ref().is_some_and(|w| w.format == format))
    }

    /// What to start with: as in the model's own file; else the quantisation that the model is published in; else what most local models
    /// are run in.
    pub fn default_of(model: &ModelShape) -> Self {
        if let Some(weights) = &model.weights {
            return Self::as_in_file(weights.format);
        }
        let published = model.published_precision.as_deref().and_then(Self::parse);
        published.filter(|p| !matches!(p, Self::F32 | Self::F16 | Self::Bf16) && p.suits(model)).unwrap_or_default()
    }

    /// The table of the model's own file, if this precision is that of the file.
    pub fn file_of(self, model: &ModelShape) -> Option<&ExactWeights> {
        model.weights.as_ref().filter(|w| self.of_file() == Some(w.format))
    }

    /// What each class of tensors takes: by the file's own table, or by this precision's rule.
    pub fn stored(self, model: &ModelShape) -> Vec<Stored> {
        match &model.weights {
            Some(weights) if self.of_file() == Some(weights.format) => stored_in_file(model, weights),
            _ => {
                let mixing = Mixing::of(model);
                let one = |t: &Tensors| Stored {
                    class: t.class,
                    params: t.params,
                    active: t.active,
                    bytes: self.bytes_in(t.class, t.params, &mixing),
                };
                // A list of single tensors is summed first: the rule is asked once a class.
                if model.tensors.len() > 64 {
                    by_class(&model.tensors).iter().map(one).collect()
                } else {
                    model.tensors.iter().map(one).collect()
                }
            }
        }
    }

    /// Where the layout and the mixture come from.
    pub const fn source(self) -> &'static str {
        match self {
            Self::F32 | Self::F16 | Self::Bf16 => "width of the number format",
            Self::Fp8 => "one FP32 scale per 128 × 128 block: DeepSeek-V3 report, arXiv 2412.19437; embedding, head and router at 16 bits",
            Self::Int8 => "bitsandbytes LLM.int8(), arXiv 2208.07339: row scales neglected, embedding and head at 16 bits",
            Self::Gptq8 | Self::Gptq4 | Self::Gptq4g64 | Self::Gptq4g32 | Self::Gptq3 => {
                "GPTQ file layout: FP16 scale and packed zero point per group; embedding and head at 16 bits"
            }
            Self::Awq4 | Self::Awq4g64 => "AWQ file layout: FP16 scale and packed zero point per group; embedding and head at 16 bits",
            Self::Nf4 | Self::Nf4Double => "QLoRA, arXiv 2305.14314: blocks of 64; embedding and head at 16 bits",
            Self::Nvfp4 => "FP8 scale per 16 weights; embedding and head at 16 bits",
            Self::Gguf => "the GGUF file's own table of tensors",
            Self::Safetensors => "the safetensors header's own table of tensors",
            Self::Mxfp4 => "OCP microscaling, 8-bit exponent per 32 weights; experts only, as gpt-oss is published",
            _ => "block layouts: github:ggml-org/ggml src/ggml-common.h; mixture: github:ggml-org/llama.cpp src/llama-quant.cpp",
        }
    }

    /// Bytes of parameters of one class in a plain decoder; [`Self::bytes_in`] knows the model.
    pub fn bytes(&self, class: T, params: u64) -> u64 {
        self.bytes_in(class, params, &Mixing::PLAIN)
    }

    /// Bytes of parameters of one class in a model of this kind.
    pub fn bytes_in(&self, class: T, params: u64, mixing: &Mixing) -> u64 {
        let parts = self.parts(class, mixing);
        let whole: u128 = parts.iter().map(|p| u128::from(p.1)).sum::<u128>().max(1);
        let bytes =
            |(b, share): (Block, u32)| u128::from(params) * u128::from(share) * u128::from(b.bytes) / (whole * u128::from(b.weights));
        u64::try_from(parts.into_iter().map(bytes).sum::<u128>()).unwrap_or(u64::MAX)
    }

    /// Bytes of all weights of a model; a file adds a few megabytes of vocabulary.
    pub fn model_bytes(&self, model: &ModelShape) -> u64 {
        self.stored(model).iter().map(|s| s.bytes).fold(0, u64::saturating_add)
    }

    /// Two blocks at most, each with its share of the layers.
    fn parts(self, class: T, m: &Mixing) -> [(Block, u32); 2] {
        let one = |b| [(b, 1), (b, 0)];
        let recipe = self.recipe();
        let expert = matches!(class, T::Expert | T::ExpertDown);
        let pick = match class {
            T::Norm => return one(recipe.vectors),
            T::Router => return one(recipe.router),
            T::Expert | T::ExpertDown if self == Self::Mxfp4Moe => return one(MXFP4),
            T::Attention
            | T::AttentionV
            | T::AttentionFused
            | T::AttentionOut
            | T::Mlp
            | T::MlpDown
            | T::Mixer
            | T::Convolution
            | T::Other
                if self == Self::Mxfp4 =>
            {
                return one(B16);
            }
            T::Head => recipe.head,
            T::Embedding | T::Table if m.tied => recipe.head,
            T::Embedding | T::Table => recipe.embedding,
            T::Attention if eight_experts(recipe, m) => return eight_keys(recipe, m),
            T::AttentionV | T::AttentionFused if eight_experts(recipe, m) => All(Q8_0),
            T::AttentionOut if eight_experts(recipe, m) && bits(recipe.base) < 5.0 => All(Q5_K),
            T::AttentionV | T::AttentionFused => wide_values(recipe, m),
            T::Attention => recipe.query,
            T::AttentionOut => recipe.out,
            T::Mlp | T::Expert => recipe.up,
            T::MlpDown | T::ExpertDown => recipe.down,
            T::Mixer | T::Convolution | T::Other => recipe.base,
        };
        let pick = if m.falcon && recipe.gguf && class == T::Head { All(Q8_0) } else { pick };
        let row = if expert && m.experts > 1 && class == T::ExpertDown { 256 } else { m.row(class) };
        let parts = shares(pick, m);
        if recipe.gguf { parts.map(|(b, share)| (fit(b, row), share)) } else { parts }
    }
}

/// Tensors of one class as one.
fn by_class(tensors: &[Tensors]) -> Vec<Tensors> {
    let mut rows: Vec<Tensors> = Vec::new();
    for t in tensors {
        match rows.iter_mut().find(|r| r.class == t.class) {
            Some(row) => (row.params, row.active) = (row.params.saturating_add(t.params), row.active.saturating_add(t.active)),
            None => rows.push(Tensors { class: t.class, name: String::new(), params: t.params, active: t.active }),
        }
    }
    rows
}

/// Classes in the order in which the table first has them. Parameters are those of the shape: a packed type's containers are no count.
fn stored_in_file(model: &ModelShape, weights: &ExactWeights) -> Vec<Stored> {
    let mut rows: Vec<Stored> = Vec::new();
    for group in &weights.groups {
        let (elements, bytes) = (group.elements.saturating_mul(group.times()), group.total());
        match rows.iter_mut().find(|r| r.class == group.class) {
            Some(row) => (row.params, row.bytes) = (row.params.saturating_add(elements), row.bytes.saturating_add(bytes)),
            None => rows.push(Stored { class: group.class, params: elements, active: elements, bytes }),
        }
    }
    for row in &mut rows {
        let own = model.tensors.iter().filter(|t| t.class == row.class);
        let (params, active) = own.fold((0_u64, 0_u64), |sum, t| (sum.0.saturating_add(t.params), sum.1.saturating_add(t.active)));
        if params > 0 {
            (row.params, row.active) = (params, active);
        }
    }
    rows
}

/// Files of models with eight experts give their few attention tensors more bits.
fn eight_experts(recipe: Recipe, m: &Mixing) -> bool {
    recipe.gguf && m.experts == 8 && bits(recipe.base) < 8.0
}

/// Keys in `Q8_0`, one part in `grouped + 1` of queries and keys.
fn eight_keys(recipe: Recipe, m: &Mixing) -> [(Block, u32); 2] {
    [(Q8_0, 1), (first(recipe.query), m.grouped.max(1))]
}

/// Value projections of models with 80 layers are small beside the rest and get `Q5_K`.
fn wide_values(recipe: Recipe, m: &Mixing) -> Pick {
    let small = |b: Block| b == Q3_K || b == Q4_K;
    match recipe.value {
        Outer(hi, lo) if m.layers == 80 && recipe.gguf && small(lo) => Outer(hi, Q5_K),
        Layers(n, hi, lo) if m.layers == 80 && recipe.gguf && small(lo) => Layers(n, hi, Q5_K),
        Grouped(hi, lo) if m.layers == 80 && recipe.gguf && small(hi) => Grouped(Q5_K, lo),
        All(b) if m.layers == 80 && recipe.gguf && small(b) => All(Q5_K),
        other => other,
    }
}

fn bits(pick: Pick) -> f64 {
    first(pick).bits_per_weight()
}

#[cfg(test)]
mod tests;
