//! From a record to what the ledgers compute: a workload on cards, with everything the texts of the row say.

use std::sync::Arc;

use super::names::{Named, Names, Reading, Stored};
use super::table::{Record, TableKind};
use crate::analysis::memory::plan::{Device, Plan};
use crate::build::PlacementId;
use crate::catalog::part::{Part, PartKind};
use crate::catalog::precision::Precision;
use crate::workload::{Attention, Engine, KvPrecision, Serving, Split, Workload};

/// A record in the program's own terms.
#[derive(Clone, Debug)]
pub struct Request {
    pub workload: Workload,
    pub cards: Vec<Arc<Part>>,
    pub engine: Named,
    pub reading: Reading,
    /// Tokens of the prompt, and tokens generated, where the row tells them apart.
    pub prompt: Option<u64>,
    pub generated: Option<u64>,
    /// Bytes of the weights' file, as the notes give it.
    pub file_bytes: Option<f64>,
    /// Bits a weight of the layers, as the precision's name gives it.
    pub bits: Option<f64>,
    /// The file has the model's draft layer.
    pub file_has_draft: bool,
}

/// Which facts a metric needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    pub card: bool,
    pub precision: bool,
    pub engine: bool,
}

impl Request {
    /// # Errors
    /// Says which fact of the row is missing, unknown, ambiguous or not modelled.
    pub fn new(names: &Names, record: &Record, needs: Needs) -> Result<Self, String> {
        let reading = names.reading(&record.source, &record.model);
        if let Some(why) = &reading.not_judged {
            return Err(why.clone());
        }
        let engine = match names.engine(&record.engine) {
            Ok(engine) => engine,
            Err(why) if needs.engine => return Err(why),
            Err(_) => Named { name: String::new(), like: None, rest: String::new() },
        };
        if needs.engine && engine.like.is_none() {
            return Err(format!("engine {} is not modelled", engine.name));
        }
        let (model, precision) = named(names, record)?;
        let stored = match names.precision(&precision, engine.like) {
            Ok(stored) => stored,
            Err(why) if needs.precision => return Err(why),
            // Caches and states do not depend on it.
            Err(_) => Stored::As(Precision::Bf16),
        };
        let cards = match names.cards(&record.gpu, record.cards()) {
            Ok(cards) => cards,
            Err(why) if needs.card => return Err(why),
            Err(_) => vec![names.any_card().ok_or("the catalog has no card")?; record.cards().unwrap_or(1).clamp(1, 64) as usize],
        };
        let file_bytes = file_size(&record.notes);
        let file_has_draft = record.model.contains(&format!("{} layers", model.layers + 1));
        let mut workload = Workload::of(model);
        workload.serving = serving(record, &engine);
        if reading.no_flash {
            workload.serving.attention = Some(Attention::Eager);
        }
        let mut bits = None;
        match stored {
            Stored::As(precision) => workload.precision = precision,
            Stored::Bits(b) => {
                bits = Some(b);
                workload.precision = if engine.like == Some(Engine::Exllama) { Precision::Gptq4 } else { nearest(&workload, b) };
            }
            Stored::FileSize => {
                let bytes = file_bytes.ok_or("the notes do not give the size of the file")?;
                workload.precision = nearest(&workload, bytes * 8.0 / workload.model.params().max(1) as f64);
            }
        }
        if let Some(kv) = kv_precision(record, &engine) {
            workload.kv_precision = kv?;
        }
        let (prompt, generated) = split_tokens(&record.workload, record.tokens());
        let context = match (prompt, generated) {
            (Some(p), Some(g)) => p + g,
            _ => record.tokens().or(prompt).or(generated).unwrap_or_else(|| default_context(record, &workload)),
        };
        workload.context = context.max(1);
        workload.batch = record.sequences().unwrap_or(1).max(1);
        if let (Some(Engine::Transformers | Engine::Exllama), Some(p)) = (workload.serving.engine, prompt) {
            workload.serving.micro_batch = Some(u32::try_from(p.max(1)).unwrap_or(u32::MAX));
        }
        workload.serving.check().map_err(|(field, why)| format!("{field}: {why}"))?;
        let file_bytes = file_bytes.filter(|_| matches!(stored, Stored::FileSize));
        Ok(Self { workload, cards, engine, reading, prompt, generated, file_bytes, bits, file_has_draft })
    }

    /// The workload laid out over the cards, its weights as large as the row's file where it gives one.
    pub fn plan(&self) -> Plan<'_> {
        let devices = self.cards.iter().enumerate().filter_map(|(n, part)| match &part.kind {
            PartKind::Gpu(gpu) => Some(Device { id: PlacementId(u32::try_from(n).unwrap_or(u32::MAX)), part, gpu, display: 0 }),
            _ => None,
        });
        let mut plan = Plan::new(&self.workload, devices);
        if let Some(bytes) = self.file_bytes {
            let mut computed = self.workload.precision.model_bytes(&self.workload.model) as f64;
            if self.file_has_draft {
                computed += plan.draft_weights() as f64;
            }
            plan.scale_weights(bytes / computed.max(1.0));
        } else if let Some(bits) = self.bits {
            plan.scale_layers(bits / self.workload.precision.bits_per_weight());
        }
        plan
    }
}

/// The model, and the precision where its own cell is empty and the model's name ends with it: `Qwen3.6-27B Q3_K_XL`.
fn named(names: &Names, record: &Record) -> Result<(Arc<crate::catalog::model::ModelShape>, String), String> {
    let whole = names.model(&record.model);
    if !record.precision.trim().is_empty() {
        return Ok((whole?, record.precision.clone()));
    }
    let words: Vec<&str> = record.model.split([' ', '(', ')']).filter(|w| !w.is_empty()).collect();
    let known = |text: &str| names.precision(text, None).is_ok();
    let found = (0..words.len()).find_map(|n| {
        let two = words.get(n..n + 2).map(|w| w.join(" "));
        two.filter(|t| known(t)).or_else(|| words.get(n).map(|w| (*w).to_owned()).filter(|t| known(t))).map(|p| (n, p))
    });
    let Some((at, precision)) = found else { return Ok((whole?, String::new())) };
    let model = whole.or_else(|_| names.model(&words.get(..at).unwrap_or_default().join(" ")))?;
    Ok((model, precision))
}

/// What the engine's text chooses.
fn serving(record: &Record, engine: &Named) -> Serving {
    let rest = engine.rest.as_str();
    let text = format!("{rest} {} {}", record.workload, record.notes).to_lowercase();
    let after = |word: &str| number_after(rest, word);
    let split =
        if rest.contains("tensor split") || rest.contains("-sm tensor") || rest.contains("split-mode tensor") || rest.contains("graph") {
            Some(Split::Tensor)
        } else if rest.contains("layer") || rest.contains("no tp") || after("pp").is_some() && after("tp").is_none() {
            Some(Split::Layer)
        } else if engine.name == "mlc-llm" || after("tp").is_some() || rest.split(' ').any(|w| w == "tp") {
            Some(Split::Tensor)
        } else if matches!(engine.like, Some(Engine::Vllm | Engine::Sglang)) {
            None
        } else {
            Some(Split::Layer)
        };
    let flash_off = text.contains("flash_attn 0") || text.contains("fa off") || rest.contains("eager");
    let attention = if flash_off {
        Some(Attention::Eager)
    } else {
        ["fa2", "flashattention", "flash attention"].iter().any(|w| rest.contains(w)).then_some(Attention::Flash)
    };
    let max_len = number_after(rest, "max_model_len=").map(|n| n as u64);
    // Before chunked prefill vLLM worked on the longest prompt at once (github:vllm-project/vllm issue 10517).
    let whole_prompt = max_len.filter(|n| *n <= 32_768 && rest.contains("2024") && !rest.contains("chunked"));
    let micro = after("ubatch").or_else(|| after("-ub")).map(|n| n as u32);
    let micro = micro.or_else(|| whole_prompt.and_then(|n| u32::try_from(n).ok()));
    let micro = micro.or_else(|| rest.contains("chunked prefill on").then_some(512));
    let drafts = rest.split([' ', ',']).any(|w| w == "mtp");
    let draft_max = number_after(&text, "draft-max").map_or(1.0, |n| n) as u32;
    // "MTP3", "MTP n=2"; a model's name alone does not say that it guesses.
    let guesses = guesses(&format!("{} {} {}", record.precision, record.model, record.workload), record);
    let (drafts, draft_max) = guesses.map_or((drafts, draft_max), |n| (true, n));
    let slots = number_after(&text, "--parallel").map(|n| n as u32).or_else(|| text.contains("--parallel default").then_some(4));
    Serving {
        engine: engine.like,
        split,
        shares: Vec::new(),
        micro_batch: micro.filter(|n| *n > 0),
        attention,
        slots: slots.filter(|_| engine.like == Some(Engine::LlamaCpp)),
        pool: number_after(rest, "gpu_memory_utilization").or_else(|| number_after(rest, "util")).filter(|p| (0.05..=1.0).contains(p)),
        max_len,
        cpu_layers: 0,
        cpu_expert_layers: after("ncmoe").map_or(0, |n| n as u32),
        draft_tokens: if drafts { draft_max.max(1) } else { 0 },
    }
}

/// Tokens guessed ahead, as the texts of a decoding row say.
fn guesses(text: &str, record: &Record) -> Option<u32> {
    let lower = text.to_lowercase();
    let off = record.workload.contains("baseline") || record.notes.contains("speculative decoding OFF");
    if off || !(record.metric.contains("tps") || record.metric.contains("tok")) {
        return None;
    }
    let at = lower.find("mtp")?;
    let rest = lower.get(at + 3..)?.trim_start_matches([' ', 'n', '=', '-']);
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|n| (1..=16).contains(n))
}

/// The number that follows a word, past blanks, "=" and ":".
fn number_after(text: &str, word: &str) -> Option<f64> {
    let at = text.match_indices(word).find(|(at, _)| !text.get(..*at).is_some_and(|t| t.ends_with(char::is_alphanumeric)))?.0;
    let rest = text.get(at + word.len()..)?.trim_start_matches([' ', '=', ':']);
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.trim_end_matches('.').parse().ok()
}

fn kv_precision(record: &Record, engine: &Named) -> Option<Result<KvPrecision, String>> {
    let named = kv_word(&engine.rest).or_else(|| kv_word(&record.precision))?;
    let kv = match named.as_str() {
        "f16" | "fp16" | "bf16" | "auto" => KvPrecision::F16,
        "q8_0" | "q8" | "int8" => KvPrecision::Q8_0,
        "q4_0" | "q4" => KvPrecision::Q4_0,
        "fp8" => KvPrecision::Fp8,
        other => return Some(Err(format!("a cache in {other} is not modelled"))),
    };
    Some(Ok(kv))
}

/// The word beside "KV" or "cache": `kv q8_0` as llama.cpp's tables write it, else "fp8 KV".
fn kv_word(text: &str) -> Option<String> {
    let words: Vec<String> = text.to_lowercase().split([' ', ',']).filter(|w| !w.is_empty()).map(str::to_owned).collect();
    let after = words.windows(2).find_map(|w| if let [a, b] = w { (a == "kv").then(|| b.clone()) } else { None });
    let before =
        || words.windows(2).find_map(|w| if let [a, b] = w { matches!(b.as_str(), "kv" | "cache").then(|| a.clone()) } else { None });
    after.or_else(before)
}

/// Prompt and generated tokens: "input 6144 + generate 2048", "prefill 64 + decode 64", "decode 2048 after 2048", "decode tg1024",
/// "prefill pp512".
fn split_tokens(workload: &str, context: Option<u64>) -> (Option<u64>, Option<u64>) {
    let text = workload.to_lowercase();
    let after = |word: &str| number_after(&text, word).map(|n| n as u64);
    let generated = after("generate").or_else(|| after("decode")).or_else(|| after("tg"));
    let prompt = after("input").or_else(|| after("prefill")).or_else(|| after("after")).or_else(|| after("pp"));
    match (prompt, generated) {
        (None, Some(g)) if text.contains("short prompt") => (Some(0), Some(g)),
        // From an empty prompt, the row's context being what is generated.
        (None, Some(g)) => (Some(context.map_or(0, |c| c.saturating_sub(g))), Some(g)),
        other => other,
    }
}

/// Tokens where the row states none: a row of `PyTorch`'s accounting always does; "model max" is the model's own.
fn default_context(record: &Record, workload: &Workload) -> u64 {
    let max = record.context.contains("max") || record.kind == TableKind::Torch;
    if max { workload.model.context.unwrap_or(8192) } else { 256 }
}

/// Size of a file in a note: "file 7366423360 B", "file 29.30GiB", "(41 GB)".
fn file_size(notes: &str) -> Option<f64> {
    let lower = notes.to_lowercase();
    let at = lower.find("file ")?;
    let rest = lower.get(at + 5..)?;
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let value: f64 = digits.parse().ok()?;
    let unit = rest.get(digits.len()..)?.trim_start();
    let scale = if unit.starts_with("gib") {
        1024.0 * 1024.0 * 1024.0
    } else if unit.starts_with("gb") {
        1e9
    } else if unit.starts_with("mib") {
        1024.0 * 1024.0
    } else if unit.starts_with('b') {
        1.0
    } else {
        return None;
    };
    Some(value * scale)
}

/// The GGUF mixture whose file is nearest to so many bits a weight.
fn nearest(workload: &Workload, bits: f64) -> Precision {
    let params = workload.model.params().max(1) as f64;
    let off = |p: Precision| (p.model_bytes(&workload.model) as f64 * 8.0 / params - bits).abs();
    let gguf = Precision::ALL.iter().copied().filter(|p| Engine::usual(*p) == Engine::LlamaCpp && p.suits(&workload.model));
    gguf.min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_rows_are_read() {
        assert_eq!(split_tokens("input 6144 + generate 2048", Some(8192)), (Some(6144), Some(2048)));
        assert_eq!(split_tokens("decode 2048 after 2048", Some(4096)), (Some(2048), Some(2048)));
        assert_eq!(split_tokens("decode tg1024", Some(1024)), (Some(0), Some(1024)));
        assert_eq!(split_tokens("prefill pp512", Some(512)), (Some(512), None));
        assert_eq!(file_size("file 29.30GiB; ubatch 512").map(|b| b as u64), Some(31_460_635_443));
        assert_eq!(file_size("file 7366423360 B; ubatch 512"), Some(7_366_423_360.0));
        assert_eq!(number_after("vllm tp2 util 0.98", "util"), Some(0.98));
        assert_eq!(number_after("input6144", "put"), None);
    }
}
