//! What a batch was built for.

use std::fmt;

use llm_tokenizer::Tokenizer;

/// The tokenizer and the sizes that a batch was built for. A batch built under one binding is
/// refused under another ([`VariableBatch::check`](crate::VariableBatch::check)): ids mean nothing
/// without their tokenizer, and a score under another capacity answers another question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchBinding {
    /// SHA-256 of the tokenizer's canonical file, 64 lower-case hexadecimal digits.
    pub tokenizer_sha256: String,
    /// Ids of a batch are below this.
    pub vocab_size: usize,
    /// Most inputs (tokens) in one row, and so in one document.
    pub capacity: usize,
}

impl BatchBinding {
    /// Binds to a frozen tokenizer and to rows of at most `capacity` inputs.
    pub fn new(tokenizer: &Tokenizer, capacity: usize) -> Self {
        Self {
            tokenizer_sha256: tokenizer.sha256().to_owned(),
            vocab_size: tokenizer.vocab_size(),
            capacity,
        }
    }
}

impl fmt::Display for BatchBinding {
    /// One line for error messages. All 64 digits: two bindings that differ must look different.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokenizer_sha256, vocab_size, capacity } = self;
        write!(f, "tokenizer {tokenizer_sha256}, {vocab_size} ids, capacity {capacity}")
    }
}
