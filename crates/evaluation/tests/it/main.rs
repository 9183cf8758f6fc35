//! Behaviour of the evaluation, one module per topic.

mod compression;
mod contract_fields;
mod contract_figures;
mod contract_results;
mod contract_scoring;
mod figures;
mod frozen;
mod invariants;
mod layouts;
mod models;
mod numbers;
mod promises;
mod records;
mod reference;
mod refusals;
mod result_files;
mod running;
mod samples;
mod scoring;
mod scoring_revision;
mod split_ledger;
mod surprise;
mod task_contract_fields;
mod task_contracts;
mod task_figures;
mod task_items;
mod task_models;
mod task_results;
mod task_scoring;
mod threads;

use llm_autograd::Element;
use llm_corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::TokenId;

/// The reference decoder over `vocab_size` ids, contexts of 8.
fn model<E: Element>(vocab_size: usize, seed: u64) -> DecoderModel<E> {
    let config = DecoderConfig::reference(vocab_size, 8).validate().expect("sizes are small");
    DecoderModel::initialize(config, seed)
}

/// A binding for tests that need no tokenizer.
fn binding(vocab_size: usize, capacity: usize) -> BatchBinding {
    BatchBinding { tokenizer_sha256: "0".repeat(64), vocab_size, capacity }
}

fn document(partition: Partition, ids: &[TokenId]) -> EncodedDocument {
    EncodedDocument::from_ids("d", partition, ids.to_vec()).expect("tests give at least two ids")
}

/// One batch of one document for each list of ids, under `binding(10, 8)`.
fn separate(partition: Partition, documents: &[&[TokenId]]) -> Vec<VariableBatch> {
    let one = |(ordinal, ids): (usize, &&[TokenId])| {
        let document = [document(partition, ids)];
        VariableBatch::padded(partition, &binding(10, 8), &number(ordinal as u64, &document))
    };
    documents.iter().enumerate().map(one).collect::<Result<_, _>>().expect("documents are valid")
}
