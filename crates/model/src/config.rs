//! The sizes of a decoder.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Everything that determines a decoder's shape and formulas. Plain data; [`validate`] turns it
/// into a [`ValidConfig`], which is what a model takes.
///
/// [`validate`]: DecoderConfig::validate
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecoderConfig {
    /// Number of token ids.
    pub vocab_size: usize,
    /// Features of a token between the blocks.
    pub d_model: usize,
    /// Number of blocks.
    pub n_layers: usize,
    /// Query heads of a block.
    pub n_heads: usize,
    /// Key/value heads of a block; each serves `n_heads / n_kv_heads` query heads.
    pub n_kv_heads: usize,
    /// Features of one head, even (rotary positions turn pairs).
    pub head_dim: usize,
    /// Hidden features of the feed-forward layer.
    pub d_ff: usize,
    /// Most tokens of one document.
    pub context_len: usize,
    /// Base of the rotary angles.
    pub rope_base: f64,
    /// Added to the mean square before the root.
    pub norm_eps: f64,
    /// Whether the output head is the embedding's matrix.
    pub tied_head: bool,
    /// Whether queries, keys and values have a bias.
    pub attention_bias: bool,
}

impl DecoderConfig {
    /// The small decoder of the evaluation chapter: width 8, two heads of 4, feed-forward 16, one
    /// block, tied head.
    pub fn reference(vocab_size: usize, context_len: usize) -> Self {
        Self {
            vocab_size,
            d_model: 8,
            n_layers: 1,
            n_heads: 2,
            n_kv_heads: 2,
            head_dim: 4,
            d_ff: 16,
            context_len,
            rope_base: 10_000.0,
            norm_eps: 1e-6,
            tied_head: true,
            attention_bias: false,
        }
    }

    /// Checks every field once.
    ///
    /// # Errors
    /// [`ModelError::InvalidConfig`] names the first field that cannot be.
    pub fn validate(self) -> Result<ValidConfig, ModelError> {
        let invalid = |field, given: String, expected| {
            Err(ModelError::InvalidConfig { field, given, expected })
        };
        let positive = [
            ("vocab_size", self.vocab_size),
            ("d_model", self.d_model),
            ("n_layers", self.n_layers),
            ("n_heads", self.n_heads),
            ("n_kv_heads", self.n_kv_heads),
            ("head_dim", self.head_dim),
            ("d_ff", self.d_ff),
            ("context_len", self.context_len),
        ];
        if let Some((field, _)) = positive.iter().find(|(_, size)| *size == 0) {
            return invalid(field, "0".to_owned(), "at least 1");
        }
        if u32::try_from(self.vocab_size).is_err() {
            return invalid(
                "vocab_size",
                self.vocab_size.to_string(),
                "at most 2^32 - 1 token ids",
            );
        }
        if u32::try_from(self.context_len).is_err() {
            return invalid(
                "context_len",
                self.context_len.to_string(),
                "at most 2^32 - 1 positions",
            );
        }
        if !self.n_heads.is_multiple_of(self.n_kv_heads) {
            let given = format!("{} with n_heads {}", self.n_kv_heads, self.n_heads);
            return invalid("n_kv_heads", given, "a divisor of n_heads");
        }
        if !self.head_dim.is_multiple_of(2) {
            return invalid("head_dim", self.head_dim.to_string(), "an even number");
        }
        if !(self.rope_base.is_finite() && self.rope_base > 0.0) {
            return invalid("rope_base", self.rope_base.to_string(), "a finite number above 0");
        }
        if !(self.norm_eps.is_finite() && self.norm_eps >= 0.0) {
            return invalid("norm_eps", self.norm_eps.to_string(), "a finite number, 0 or above");
        }
        match self.checked_parameter_count() {
            Some(count) if count <= isize::MAX as usize / 8 => Ok(ValidConfig(self)),
            _ => invalid("sizes", "too many parameters".to_owned(), "a model that fits memory"),
        }
    }

    /// The number of parameters, or `None` if it does not fit a `usize`. Without a list of them: there
    /// may be claims of a million blocks.
    fn checked_parameter_count(&self) -> Option<usize> {
        let embedding = self.vocab_size.checked_mul(self.d_model)?;
        let embeddings = embedding.checked_mul(if self.tied_head { 1 } else { 2 })?;
        let kv_columns = self.n_kv_heads.checked_mul(self.head_dim)?;
        let columns = self.n_heads.checked_mul(self.head_dim)?.checked_add(kv_columns)?;
        let attention = columns.checked_mul(2)?.checked_mul(self.d_model)?;
        let biases = if self.attention_bias { columns.checked_add(kv_columns)? } else { 0 };
        let feed_forward = self.d_ff.checked_mul(3)?.checked_mul(self.d_model)?;
        let norms = self.d_model.checked_mul(2)?;
        let block =
            [biases, feed_forward, norms].into_iter().try_fold(attention, usize::checked_add)?;
        let blocks = block.checked_mul(self.n_layers)?;
        embeddings.checked_add(blocks)?.checked_add(self.d_model)
    }
}

/// A configuration whose every field was checked. Read its fields through `Deref`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValidConfig(DecoderConfig);

impl ValidConfig {
    /// Number of parameters of the model.
    pub fn parameter_count(&self) -> usize {
        self.0.checked_parameter_count().expect("counted by `validate`")
    }

    /// Roughly the multiply-adds of a forward pass over so many tokens: each uses every parameter once.
    pub fn multiply_adds(&self, tokens: usize) -> usize {
        tokens * self.parameter_count()
    }
}

impl Deref for ValidConfig {
    type Target = DecoderConfig;
    fn deref(&self) -> &DecoderConfig {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::DecoderConfig;
    use crate::parameter_specs;

    #[test]
    fn the_reference_decoder_has_2792_parameters() {
        // Embedding 266*8, four attention matrices 8*8, three feed-forward 8*16, three gains of 8;
        // the tied head adds none: 2128 + 256 + 384 + 24.
        let config = DecoderConfig::reference(266, 8).validate().unwrap();
        assert_eq!(config.parameter_count(), 2792);
    }

    #[test]
    fn the_count_is_that_of_the_listed_parameters() {
        let base = DecoderConfig { n_layers: 3, n_heads: 6, ..DecoderConfig::reference(50, 8) };
        for (tied_head, attention_bias, n_kv_heads) in
            [(true, false, 6), (false, true, 6), (true, true, 2), (false, false, 1)]
        {
            let config = DecoderConfig { tied_head, attention_bias, n_kv_heads, ..base };
            let config = config.validate().unwrap();
            let listed = parameter_specs(&config);
            let sum: usize = listed.iter().map(|spec| spec.shape.iter().product::<usize>()).sum();
            assert_eq!(config.parameter_count(), sum, "{config:?}");
        }
    }

    #[test]
    fn every_field_that_cannot_be_is_named() {
        type Spoil = fn(&mut DecoderConfig);
        let cases: [(&str, Spoil); 12] = [
            ("vocab_size", |c| c.vocab_size = 0),
            ("vocab_size", |c| c.vocab_size = 1 << 33),
            ("d_model", |c| c.d_model = 0),
            ("n_layers", |c| c.n_layers = 0),
            ("n_kv_heads", |c| c.n_kv_heads = 3),
            ("head_dim", |c| c.head_dim = 5),
            ("d_ff", |c| c.d_ff = 0),
            ("context_len", |c| c.context_len = 0),
            ("context_len", |c| c.context_len = usize::MAX),
            ("rope_base", |c| c.rope_base = f64::NAN),
            ("norm_eps", |c| c.norm_eps = -1e-6),
            ("sizes", |c| c.n_layers = usize::MAX / 2),
        ];
        for (field, spoil) in cases {
            let mut config = DecoderConfig::reference(266, 8);
            spoil(&mut config);
            let message = config.validate().unwrap_err().to_string();
            assert!(message.contains(field), "{field}: {message}");
        }
    }
}
