//! Behaviour of batches, one module per topic.

mod figures;
mod layouts;
mod refusals;

use llm_corpus::{BatchBinding, EncodedDocument, Partition};
use llm_tokenizer::TokenId;

/// A binding for tests that need no tokenizer.
fn binding(vocab_size: usize, capacity: usize) -> BatchBinding {
    BatchBinding { tokenizer_sha256: "0".repeat(64), vocab_size, capacity }
}

fn document(id: &str, partition: Partition, ids: &[TokenId]) -> EncodedDocument {
    EncodedDocument::from_ids(id, partition, ids.to_vec()).expect("tests give at least two ids")
}
