//! Work named on the command line: a model from the built-in list or a file, and its sizes.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::training::TrainArgs;
use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::catalog::precision::Precision;
use crate::files;
use crate::import::{model_list, open};
use crate::project::Project;
use crate::project::edit::Edit;
use crate::workload::{Attention, Engine, KvPrecision, Serving, Split, Workload};

/// What the rig is for.
#[derive(Debug, Default, Args)]
pub(super) struct WorkArgs {
    /// Model: a config.json, .gguf or .safetensors file, a folder with one, or a name of the built-in list
    #[arg(long, value_name = "FILE|NAME")]
    model: Option<String>,
    /// Precision or quantization of the weights: `bf16`, `fp8`, `q4_k_m` …; a .gguf or .safetensors file brings its own
    #[arg(long, value_name = "Q", value_parser = precision)]
    quant: Option<Precision>,
    /// Precision of the key-value cache: `f16`, `q8_0`, `q4_0`, `fp8`
    #[arg(long, value_name = "Q", value_parser = kv_precision)]
    kv: Option<KvPrecision>,
    /// Tokens per sequence, prompt and answer together
    #[arg(long, value_name = "N")]
    context: Option<u64>,
    /// Sequences at the same time
    #[arg(long, value_name = "N")]
    batch: Option<u64>,
    /// Cards the model is split over; all if not given
    #[arg(long, value_name = "N")]
    gpus: Option<u32>,
    #[command(flatten)]
    training: TrainArgs,
    /// Program that runs the model: `llama.cpp`, `vllm`, `sglang`, `transformers`, `exllama`; if not given the usual one of the precision
    #[arg(long, value_name = "NAME", value_parser = engine)]
    engine: Option<Engine>,
    /// How several cards share the model: `layer` or `tensor`
    #[arg(long, value_name = "HOW", value_parser = split)]
    split: Option<Split>,
    /// Part of the model for each card, as in "3,1"; as much as each has free if not given
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    shares: Option<Vec<f64>>,
    /// Tokens worked on at once: llama.cpp's --ubatch-size, vLLM's `max_num_batched_tokens`
    #[arg(long, value_name = "N")]
    micro_batch: Option<u32>,
    /// Kernel of the attention: `flash`, `efficient`, `eager`
    #[arg(long, value_name = "KERNEL", value_parser = attention)]
    attention: Option<Attention>,
    /// Sequences that llama.cpp keeps apart in one shared cache
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
    /// Share of a card that vLLM or `SGLang` takes, 0.05 to 1
    #[arg(long, value_name = "SHARE")]
    pool: Option<f64>,
    /// Longest sequence that vLLM or `SGLang` is told to take
    #[arg(long, value_name = "N")]
    max_model_len: Option<u64>,
    /// Layers that stay in main memory
    #[arg(long, value_name = "N")]
    cpu_layers: Option<u32>,
    /// Layers whose experts stay in main memory
    #[arg(long, value_name = "N")]
    cpu_moe: Option<u32>,
    /// Tokens that the model's own draft layers guess ahead
    #[arg(long, value_name = "N")]
    draft: Option<u32>,
}

fn engine(text: &str) -> Result<Engine, String> {
    Engine::parse(text).ok_or_else(|| format!("one of {}", Engine::ALL.iter().map(|e| e.text()).collect::<Vec<_>>().join(", ")))
}

fn split(text: &str) -> Result<Split, String> {
    Split::ALL.iter().copied().find(|s| s.key() == text).ok_or_else(|| "layer or tensor".to_owned())
}

fn attention(text: &str) -> Result<Attention, String> {
    Attention::ALL.iter().copied().find(|a| a.key() == text).ok_or_else(|| "flash, efficient or eager".to_owned())
}

fn precision(text: &str) -> Result<Precision, String> {
    let known = || Precision::ALL.iter().map(|p| p.text()).collect::<Vec<_>>().join(", ");
    Precision::parse(text).ok_or_else(|| format!("no precision of this name; one of {}", known()))
}

fn kv_precision(text: &str) -> Result<KvPrecision, String> {
    let known = || KvPrecision::ALL.iter().map(|p| p.text()).collect::<Vec<_>>().join(", ");
    KvPrecision::ALL.iter().copied().find(|p| p.text().eq_ignore_ascii_case(text)).ok_or_else(|| format!("one of {}", known()))
}

impl WorkArgs {
    fn is_empty(&self) -> bool {
        let sizes = [self.context.is_some(), self.batch.is_some(), self.gpus.is_some(), self.quant.is_some(), self.kv.is_some()];
        self.model.is_none() && self.training.is_empty() && !sizes.contains(&true) && self.serving(&Serving::default()).is_default()
    }

    /// How it is served, with the choices made here.
    fn serving(&self, now: &Serving) -> Serving {
        Serving {
            engine: self.engine.or(now.engine),
            split: self.split.or(now.split),
            shares: self.shares.clone().unwrap_or_else(|| now.shares.clone()),
            micro_batch: self.micro_batch.or(now.micro_batch),
            attention: self.attention.or(now.attention),
            slots: self.slots.or(now.slots),
            pool: self.pool.or(now.pool),
            max_len: self.max_model_len.or(now.max_len),
            cpu_layers: self.cpu_layers.unwrap_or(now.cpu_layers),
            cpu_expert_layers: self.cpu_moe.unwrap_or(now.cpu_expert_layers),
            draft_tokens: self.draft.unwrap_or(now.draft_tokens),
        }
    }

    /// The project with these values in its first workload; without a value it stays as it is.
    pub(super) fn applied_to(&self, catalog: &Catalog, project: &Project) -> Result<Project, String> {
        if self.is_empty() {
            return Ok(project.clone());
        }
        let mut workload = match (&self.model, project.workloads.first()) {
            (Some(name), first) => {
                let model = Arc::new(model(name)?);
                first.map_or_else(|| Workload::of(model.clone()), |w| w.with_model(model.clone()))
            }
            (None, Some(first)) => first.clone(),
            (None, None) => return Err("--model is missing: the rig has no workload whose sizes could change. Name a model.".to_owned()),
        };
        workload.precision = self.quant.unwrap_or(workload.precision);
        workload.kv_precision = self.kv.unwrap_or(workload.kv_precision);
        workload.context = self.context.unwrap_or(workload.context);
        workload.batch = self.batch.unwrap_or(workload.batch);
        workload.gpus = self.gpus.or(workload.gpus);
        workload.training = self.training.applied_to(workload.training)?;
        workload.serving = self.serving(&workload.serving);
        let edit = Edit::Workload { index: 0, workload: Some(Box::new(workload)) };
        edit.apply(catalog, project).map_err(|e| e.to_string())
    }
}

/// A model by file or name.
fn model(name: &str) -> Result<ModelShape, String> {
    let path = Path::new(name);
    if open::is_model(path) || files::is_folder(path) {
        return open::model(path).map_err(|e| e.to_string());
    }
    by_name(&builtin_models()?, name)
}

/// Exact name, else short name, else a unique part of the name.
fn by_name(models: &[ModelShape], name: &str) -> Result<ModelShape, String> {
    let wanted = name.to_lowercase();
    let tests: [&dyn Fn(&ModelShape) -> bool; 3] =
        [&|m| m.name.to_lowercase() == wanted, &|m| m.short_name().to_lowercase() == wanted, &|m| m.name.to_lowercase().contains(&wanted)];
    let mut candidates: Vec<String> = Vec::new();
    for test in tests {
        let found: Vec<&ModelShape> = models.iter().filter(|m| test(m)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok((*one).clone()),
            many => {
                candidates = many.iter().map(|m| m.name.clone()).collect();
                break;
            }
        }
    }
    Err(super::ambiguous(
        "--model",
        "model",
        name,
        &candidates,
        "Give a name of the built-in list, or a path to a config.json, .gguf or .safetensors file.",
    ))
}

/// The models that ship with the program and those of the user's own folder.
pub(super) fn builtin_models() -> Result<Vec<ModelShape>, String> {
    let (models, errors) = model_list::load_all(files::user_catalog().as_deref());
    errors.first().map_or(Ok(models), |e| Err(e.to_string()))
}
