//! Everything that this crate refuses.

use llm_corpus::{CorpusError, TokenId};

/// Why a model was not made, or a batch not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A field of a configuration.
    #[error("configuration: {field} is {given}, expected {expected}")]
    InvalidConfig {
        /// The field.
        field: &'static str,
        /// Its value.
        given: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A tensor that does not belong to the configuration.
    #[error("parameter `{name}` has shape {given:?}, expected {expected:?}")]
    ParameterShape {
        /// Name of the parameter.
        name: String,
        /// Its shape.
        given: Vec<usize>,
        /// The shape that the configuration asks for.
        expected: Vec<usize>,
    },
    /// Too few or too many tensors.
    #[error("{given} parameters, expected {expected}")]
    ParameterCount {
        /// How many were given.
        given: usize,
        /// How many the configuration asks for.
        expected: usize,
    },
    /// A batch of another partition or binding.
    #[error(transparent)]
    Batch(#[from] CorpusError),
    /// The batch was built for another number of ids than the model has.
    #[error("the batch has a vocabulary of {given} ids, the model one of {expected}")]
    Vocabulary {
        /// Of the batch.
        given: usize,
        /// Of the model.
        expected: usize,
    },
    /// A document is longer than the model can read.
    #[error(
        "document {ordinal} has {tokens} inputs, the context length is {context_len}: cut it into \
         windows or use a model with a longer context"
    )]
    ContextLength {
        /// The document's place in the order of the run.
        ordinal: u64,
        /// Its inputs.
        tokens: usize,
        /// Most inputs of a document.
        context_len: usize,
    },
    /// A dropout probability outside 0..1.
    #[error("dropout probability {given}, expected at least 0 and below 1")]
    DropoutProbability {
        /// What was given.
        given: f64,
    },
    /// A token id that the model does not have.
    #[error("token id {id} is outside the vocabulary, expected below {vocab_size}")]
    Token {
        /// The id.
        id: TokenId,
        /// Ids must be below this.
        vocab_size: usize,
    },
    /// Nothing to read, or more than there is room for.
    #[error(
        "{given} tokens for a cache with {used} of {capacity} places in use: give at least 1 and \
         at most as many as are free"
    )]
    ChunkLength {
        /// How many tokens were given.
        given: usize,
        /// How many were read before.
        used: usize,
        /// How many can be read.
        capacity: usize,
    },
    /// Logits that are no distribution; the weights are broken or training has diverged.
    #[error(
        "the logit of id {id} is {logit}: expected finite logits, or minus infinity for some ids"
    )]
    Logits {
        /// The first id that is wrong.
        id: usize,
        /// Its logit.
        logit: f64,
    },
}
