//! Which counts a model has, in 64 digits.

use llm_corpus::TokenId;
use sha2::{Digest, Sha256};

/// A SHA-256 over a model's kind, its vocabulary and its counts in one fixed order.
///
/// Two models that differ in a single count differ in their identity, so a stored score can never
/// be taken for that of another model.
pub(crate) struct CountDigest {
    kind: String,
    hash: Sha256,
}

impl CountDigest {
    pub(crate) fn new(kind: impl Into<String>, vocab_size: usize) -> Self {
        let kind = kind.into();
        let mut hash = Sha256::new();
        hash.update((kind.len() as u64).to_le_bytes());
        hash.update(kind.as_bytes());
        hash.update((vocab_size as u64).to_le_bytes());
        Self { kind, hash }
    }

    /// Adds the count of one sequence of ids. The length in front tells where it ends.
    pub(crate) fn add(&mut self, ids: &[TokenId], count: u64) {
        self.hash.update((ids.len() as u64).to_le_bytes());
        ids.iter().for_each(|id| self.hash.update(id.to_le_bytes()));
        self.hash.update(count.to_le_bytes());
    }

    /// `kind sha256:` and 64 lower-case hexadecimal digits.
    pub(crate) fn identity(self) -> String {
        let digits: String = self.hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        format!("{} sha256:{digits}", self.kind)
    }
}
