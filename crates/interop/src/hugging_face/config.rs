//! `config.json`: the keys that are read, those that may be there and change nothing, and the
//! refusal of everything else.

use std::path::Path;

use llm_model::DecoderConfig;
use llm_tokenizer::TokenId;
use serde_json::{Map, Value};

use crate::error::InteropError;
use crate::file::{self, excerpt};

/// Keys of `config.json` that are read. Their values must be in the supported range.
pub const READ_KEYS: [&str; 27] = [
    "architectures",
    "attention_bias",
    "bos_token_id",
    "dtype",
    "eos_token_id",
    "head_dim",
    "hidden_act",
    "hidden_size",
    "intermediate_size",
    "layer_types",
    "max_position_embeddings",
    "mlp_bias",
    "model_type",
    "num_attention_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "pretraining_tp",
    "rms_norm_eps",
    "rope_interleaved",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "tie_word_embeddings",
    "torch_dtype",
    "use_mrope",
    "use_sliding_window",
    "vocab_size",
];

/// Keys of `config.json` that may have any value, because no score depends on them: they are about
/// training, generation, caching, or the program that wrote the file.
pub const IGNORED_KEYS: [&str; 19] = [
    "_attn_implementation_autoset",
    "_name_or_path",
    "attention_dropout",
    "hidden_dropout",
    "initializer_range",
    "is_llama_config",
    "max_window_layers",
    "output_attentions",
    "output_hidden_states",
    "pad_token_id",
    "return_dict",
    "sliding_window", // only with use_sliding_window
    "task_specific_params",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "unsloth_fixed",
    "unsloth_version",
    "use_cache",
];

/// What `config.json` says.
pub(super) struct FolderConfig {
    /// Sizes, not yet validated; `tied_head` is what the file declares.
    pub(super) decoder: DecoderConfig,
    /// Whether the attention output has a bias too, as in Llama with `attention_bias`.
    pub(super) output_bias: bool,
    /// `bos_token_id`.
    pub(super) start: Option<TokenId>,
    /// `eos_token_id`; the first, if there are several.
    pub(super) end: Option<TokenId>,
}

/// The architectures that are this decoder: `model_type`, class, whether queries, keys and values
/// always have a bias.
const ARCHITECTURES: [(&str, &str, bool); 2] =
    [("llama", "LlamaForCausalLM", false), ("qwen2", "Qwen2ForCausalLM", true)];

/// Longest accepted file, in bytes; such files have a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the configuration of a folder.
pub(super) fn read(path: &Path) -> Result<FolderConfig, InteropError> {
    let bytes = file::read(path, MAX_BYTES)?;
    let keys: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|error| {
        InteropError::malformed(path, format!("not a JSON object: {}", excerpt(&error.to_string())))
    })?;
    let keys = Keys { path, keys };
    keys.refuse_unknown()?;
    keys.refuse_other_formulas()?;
    let (_, _, always_bias) = keys.architecture()?;
    let bias = keys.flag("attention_bias")?;

    let n_heads = keys.size("num_attention_heads")?;
    let d_model = keys.size("hidden_size")?;
    let decoder = DecoderConfig {
        vocab_size: keys.size("vocab_size")?,
        d_model,
        n_layers: keys.size("num_hidden_layers")?,
        n_heads,
        n_kv_heads: keys.optional_size("num_key_value_heads")?.unwrap_or(n_heads),
        head_dim: match keys.optional_size("head_dim")? {
            Some(head_dim) => head_dim,
            None if d_model.is_multiple_of(n_heads) => d_model / n_heads,
            None => {
                let given = format!("{n_heads} with hidden_size {d_model} and no head_dim");
                return Err(keys.unsupported("num_attention_heads", given, "a divisor of it"));
            }
        },
        d_ff: keys.size("intermediate_size")?,
        context_len: keys.size("max_position_embeddings")?,
        rope_base: keys.rope_base()?,
        norm_eps: keys.norm_eps()?,
        tied_head: keys.flag("tie_word_embeddings")?,
        attention_bias: always_bias || bias,
    };
    Ok(FolderConfig {
        decoder,
        output_bias: bias && !always_bias,
        start: keys.token("bos_token_id")?,
        end: keys.token("eos_token_id")?,
    })
}

/// The file's object, with its path for messages.
struct Keys<'a> {
    path: &'a Path,
    keys: Map<String, Value>,
}

impl Keys<'_> {
    /// The value of a key; `null` is as good as absent.
    fn get(&self, key: &str) -> Option<&Value> {
        self.keys.get(key).filter(|value| !value.is_null())
    }

    fn unsupported(
        &self,
        key: &str,
        given: impl std::fmt::Display,
        supported: impl Into<String>,
    ) -> InteropError {
        let given = excerpt(&given.to_string());
        InteropError::unsupported(self.path, format!("`{key}`"), given, supported)
    }

    /// A key that nobody here knows may change the result, so it is not skipped.
    fn refuse_unknown(&self) -> Result<(), InteropError> {
        let known = |key: &str| READ_KEYS.contains(&key) || IGNORED_KEYS.contains(&key);
        match self.keys.iter().find(|(key, value)| !known(key) && !value.is_null()) {
            None => Ok(()),
            Some((key, value)) => {
                let supported = "no such key; the list is in the documentation of llm-interop";
                Err(self.unsupported(&excerpt(key), value, supported))
            }
        }
    }

    /// Keys whose other values would change a formula.
    fn refuse_other_formulas(&self) -> Result<(), InteropError> {
        let only = [
            ("hidden_act", Value::from("silu")),
            ("mlp_bias", Value::from(false)),
            ("pretraining_tp", Value::from(1)),
            ("rope_interleaved", Value::from(false)),
            ("use_mrope", Value::from(false)),
            ("use_sliding_window", Value::from(false)),
        ];
        for (key, expected) in only {
            if let Some(given) = self.get(key).filter(|given| **given != expected) {
                return Err(self.unsupported(key, given, expected.to_string()));
            }
        }
        if let Some(scaling) = self.get("rope_scaling") {
            self.demand_default_rope("rope_scaling", scaling)?;
        }
        let full = |kind: &Value| kind == "full_attention";
        match self.get("layer_types") {
            Some(Value::Array(kinds)) if kinds.iter().all(full) => Ok(()),
            Some(given) => Err(self.unsupported("layer_types", given, "\"full_attention\" only")),
            None => Ok(()),
        }?;
        // The weights say themselves what they are; this only has to be a type of weights.
        for key in ["dtype", "torch_dtype"] {
            let types = ["float32", "float16", "bfloat16", "float64"];
            if let Some(given) = self.get(key)
                && !given.as_str().is_some_and(|name| types.contains(&name))
            {
                return Err(self.unsupported(key, given, types.join(", ")));
            }
        }
        Ok(())
    }

    fn architecture(&self) -> Result<(&'static str, &'static str, bool), InteropError> {
        let supported = ARCHITECTURES.map(|(name, ..)| format!("{name:?}")).join(" or ");
        let Some(given) = self.get("model_type") else {
            return Err(self.unsupported("model_type", "missing", supported));
        };
        let found = ARCHITECTURES.into_iter().find(|(name, ..)| given == name);
        let architecture = found.ok_or_else(|| self.unsupported("model_type", given, supported))?;
        match self.get("architectures") {
            Some(given) if *given != serde_json::json!([architecture.1]) => {
                Err(self.unsupported("architectures", given, format!("[{:?}]", architecture.1)))
            }
            _ => Ok(architecture),
        }
    }

    /// What is added to the mean square; `transformers` takes 1e-6 if it is not there.
    fn norm_eps(&self) -> Result<f64, InteropError> {
        match self.get("rms_norm_eps") {
            None => Ok(1e-6),
            Some(zero) if zero.as_f64() == Some(0.0) => Ok(0.0),
            Some(value) => self.as_number("rms_norm_eps", value),
        }
    }

    /// The base of the rotary angles: `rope_theta`, or the newer `rope_parameters`.
    fn rope_base(&self) -> Result<f64, InteropError> {
        let old = self.number("rope_theta")?;
        let Some(parameters) = self.get("rope_parameters") else { return Ok(old.unwrap_or(1e4)) };
        self.demand_default_rope("rope_parameters", parameters)?;
        let new = match parameters.get("rope_theta").filter(|value| !value.is_null()) {
            None => None,
            Some(value) => Some(self.as_number("rope_parameters.rope_theta", value)?),
        };
        match (old, new) {
            (Some(old), Some(new)) if old != new => {
                let expected = format!("{new}, as `rope_parameters` has it");
                Err(self.unsupported("rope_theta", old, expected))
            }
            (old, new) => Ok(new.or(old).unwrap_or(1e4)),
        }
    }

    /// Rotary angles that are not scaled.
    fn demand_default_rope(&self, key: &str, given: &Value) -> Result<(), InteropError> {
        let plain = |(name, value): (&String, &Value)| match name.as_str() {
            "rope_type" | "type" => value == "default",
            "partial_rotary_factor" => value.as_f64() == Some(1.0),
            "rope_theta" => key == "rope_parameters",
            _ => value.is_null(),
        };
        if given.as_object().is_some_and(|object| object.iter().all(plain)) {
            return Ok(());
        }
        Err(self.unsupported(key, given, "none, or of \"rope_type\": \"default\" without factors"))
    }

    fn size(&self, key: &str) -> Result<usize, InteropError> {
        let missing = || self.unsupported(key, "missing", "a whole number, 1 or more");
        self.optional_size(key)?.ok_or_else(missing)
    }

    fn optional_size(&self, key: &str) -> Result<Option<usize>, InteropError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.as_u64().and_then(|size| usize::try_from(size).ok()) {
            Some(size) if size > 0 => Ok(Some(size)),
            _ => Err(self.unsupported(key, value, "a whole number, 1 or more")),
        }
    }

    fn number(&self, key: &str) -> Result<Option<f64>, InteropError> {
        self.get(key).map(|value| self.as_number(key, value)).transpose()
    }

    fn as_number(&self, key: &str, value: &Value) -> Result<f64, InteropError> {
        let number = value.as_f64().filter(|number| *number > 0.0);
        number.ok_or_else(|| self.unsupported(key, value, "a number above 0"))
    }

    fn flag(&self, key: &str) -> Result<bool, InteropError> {
        match self.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(given) => Err(self.unsupported(key, given, "true or false")),
        }
    }

    /// A token id, or the first of a list of them.
    fn token(&self, key: &str) -> Result<Option<TokenId>, InteropError> {
        let Some(given) = self.get(key) else { return Ok(None) };
        let first = match given {
            Value::Array(several) => several.first(),
            one => Some(one),
        };
        let id = first.and_then(Value::as_u64).and_then(|id| TokenId::try_from(id).ok());
        let supported = "a token id, or a list of them";
        id.map(Some).ok_or_else(|| self.unsupported(key, given, supported))
    }
}
