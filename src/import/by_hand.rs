//! A model built by hand: a decoder with RMS norms, rotary positions and a gated feed-forward, dense or with experts, counted by the same
//! rules as a `config.json` of the family of Llama.

use super::hf_config::{ConfigError, parse_value};
use crate::catalog::model::{Cache, ModelShape};
use serde_json::{Value, json};

/// What decides such a model's shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByHand {
    pub name: String,
    pub layers: u64,
    /// Width of the stream between layers.
    pub hidden: u64,
    /// Heads that ask.
    pub heads: u64,
    /// Heads with keys and values of their own; `heads` must be a multiple.
    pub kv_heads: u64,
    pub head_dim: u64,
    /// Width of the feed-forward, or of one expert.
    pub mlp_width: u64,
    pub vocab: u64,
    /// Tokens of context.
    pub context: u64,
    /// Experts in all; 1 = a dense feed-forward.
    pub experts: u64,
    /// Experts that one token goes through.
    pub active_experts: u64,
    /// Head and embedding are one matrix.
    pub tied: bool,
}

impl Default for ByHand {
    /// The sizes of Llama 2 7B, arXiv 2307.09288.
    fn default() -> Self {
        Self {
            name: "My model".to_owned(),
            layers: 32,
            hidden: 4096,
            heads: 32,
            kv_heads: 32,
            head_dim: 128,
            mlp_width: 11_008,
            vocab: 32_000,
            context: 4096,
            experts: 1,
            active_experts: 1,
            tied: false,
        }
    }
}

/// `model_type` and source of such models.
const TYPE: &str = "by hand";

impl ByHand {
    /// Counts the model.
    ///
    /// # Errors
    /// If a size is 0 or beyond every model, or sizes contradict each other; the message names the size.
    pub fn shape(&self) -> Result<ModelShape, ConfigError> {
        let wrong = |key: &str, found: u64, expected: String| ConfigError::Value {
            file: self.name.clone(),
            line: None,
            key: key.to_owned(),
            found: found.to_string(),
            expected,
        };
        if self.kv_heads == 0 || !self.heads.is_multiple_of(self.kv_heads) {
            let expected = format!("expected a number that divides the {} heads", self.heads);
            return Err(wrong("num_key_value_heads", self.kv_heads, expected));
        }
        if self.experts > 1 && !(1..=self.experts).contains(&self.active_experts) {
            return Err(wrong("num_experts_per_tok", self.active_experts, format!("expected 1 to {}", self.experts)));
        }
        let mut config = json!({
            "model_type": if self.experts > 1 { "mixtral" } else { "llama" },
            "num_hidden_layers": self.layers,
            "hidden_size": self.hidden,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_dim,
            "intermediate_size": self.mlp_width,
            "vocab_size": self.vocab,
            "max_position_embeddings": self.context,
            "tie_word_embeddings": self.tied,
        });
        if self.experts > 1
            && let Value::Object(map) = &mut config
        {
            map.insert("num_local_experts".to_owned(), self.experts.into());
            map.insert("num_experts_per_tok".to_owned(), self.active_experts.into());
        }
        let name = if self.name.trim().is_empty() { "My model" } else { self.name.trim() };
        let mut shape = parse_value(&config, name)?;
        name.clone_into(&mut shape.name);
        shape.model_type = TYPE.to_owned();
        shape.source = "built by hand: a decoder with RMS norms, rotary positions and a gated feed-forward".to_owned();
        Ok(shape)
    }

    /// The sizes of a model that was built by hand; `None` for any other.
    pub fn of(shape: &ModelShape) -> Option<Self> {
        if shape.model_type != TYPE {
            return None;
        }
        let group = shape.groups.first()?;
        let Cache::Full { kv_heads, k_dim, .. } = group.cache else { return None };
        let experts = shape.experts.map_or((1, 1), |e| (u64::from(e.total), u64::from(e.active)));
        Some(Self {
            name: shape.name.clone(),
            layers: u64::from(shape.layers),
            hidden: u64::from(shape.hidden),
            heads: u64::from(shape.heads),
            kv_heads: u64::from(kv_heads),
            head_dim: u64::from(k_dim),
            mlp_width: u64::from(shape.mlp_width).checked_div(experts.1)?,
            vocab: shape.vocab,
            context: shape.context.unwrap_or(4096),
            experts: experts.0,
            active_experts: experts.1,
            tied: shape.tied,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_llama_2_7b() {
        let shape = ByHand::default().shape().unwrap();
        assert_eq!(shape.params(), 6_738_415_616);
        assert_eq!(shape.name, "My model");
    }

    #[test]
    fn a_mixture_is_mixtral_8x7b() {
        let hand = ByHand { kv_heads: 8, mlp_width: 14_336, experts: 8, active_experts: 2, context: 32_768, ..ByHand::default() };
        assert_eq!(hand.shape().unwrap().params(), 46_702_792_704);
    }

    #[test]
    fn sizes_read_back() {
        for hand in [ByHand::default(), ByHand { tied: true, kv_heads: 4, experts: 4, active_experts: 2, ..ByHand::default() }] {
            assert_eq!(ByHand::of(&hand.shape().unwrap()), Some(hand));
        }
    }

    #[test]
    fn contradictions_name_the_size() {
        let error = |hand: ByHand| hand.shape().unwrap_err().to_string();
        assert!(error(ByHand { kv_heads: 5, ..ByHand::default() }).contains("divides the 32 heads"));
        assert!(error(ByHand { experts: 4, active_experts: 5, ..ByHand::default() }).contains("expected 1 to 4"));
        assert!(error(ByHand { layers: 0, ..ByHand::default() }).contains("num_hidden_layers"));
        assert!(error(ByHand { hidden: 1 << 25, ..ByHand::default() }).contains("hidden_size"));
    }
}
