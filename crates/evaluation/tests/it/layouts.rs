//! A score does not depend on how its documents are stored.

use std::num::NonZeroUsize;

use llm_autograd::{AutogradContext, Element};
use llm_baselines::{BigramModel, score_bigram_transitions};
use llm_corpus::{EncodedDocument, Layout, Partition, VariableBatch, batches, number};
use llm_evaluation::{evaluate, score_bigram};
use llm_metrics::MetricSummary;
use proptest::prelude::*;

use crate::{binding, document, model};

const PARTITION: Partition = Partition::Test;
const VOCAB_SIZE: usize = 6;

/// Documents of 1 to 8 inputs; about half of them score only some of their targets.
fn documents() -> impl Strategy<Value = Vec<EncodedDocument>> {
    let ids = prop::collection::vec(0..VOCAB_SIZE as u32, 2..10);
    let one = (ids, any::<u8>()).prop_map(|(ids, bits)| {
        let all = document(PARTITION, &ids);
        let flags = (0..all.target_count()).map(|target| bits & (1 << target) != 0).collect();
        all.clone().with_scored(flags).unwrap_or(all)
    });
    prop::collection::vec(one, 1..8)
}

fn layouts() -> impl Strategy<Value = (Layout, usize)> {
    (1usize..5, any::<bool>(), 8usize..25).prop_map(|(rows, packed, capacity)| {
        let rows = NonZeroUsize::new(rows).unwrap();
        (if packed { Layout::Packed { rows } } else { Layout::Padded { rows } }, capacity)
    })
}

/// The scored losses of every document computed alone, in one list.
fn losses_alone<E: Element>(seed: u64, documents: &[EncodedDocument]) -> Vec<f64> {
    let (model, binding) = (model::<E>(VOCAB_SIZE, seed), binding(VOCAB_SIZE, 8));
    let context = AutogradContext::no_grad();
    let alone = |one: &EncodedDocument| {
        let one = std::slice::from_ref(one);
        let batch = VariableBatch::padded(PARTITION, &binding, &number(0, one)).unwrap();
        model.loss_padded_with_context(&context, &batch, &binding).unwrap().token_nll().to_vec()
    };
    documents.iter().flat_map(alone).collect()
}

proptest! {
    #[test]
    fn the_score_is_the_exact_sum_over_documents_for_any_layout_and_order_of_batches(
        documents in documents(),
        (layout, capacity) in layouts(),
        seed in any::<u64>(),
        backwards in any::<bool>(),
    ) {
        let binding = binding(VOCAB_SIZE, capacity);
        let mut batches = batches(PARTITION, &binding, &documents, layout).unwrap();
        if backwards {
            batches.reverse();
        }
        let double = evaluate(&model::<f64>(VOCAB_SIZE, seed), PARTITION, &binding, &batches);
        let single = evaluate(&model::<f32>(VOCAB_SIZE, seed), PARTITION, &binding, &batches);
        for (score, losses) in [
            (double.unwrap(), losses_alone::<f64>(seed, &documents)),
            (single.unwrap(), losses_alone::<f32>(seed, &documents)),
        ] {
            prop_assert_eq!(score.metrics, MetricSummary::from_token_nlls(&losses).unwrap());
            prop_assert_eq!(score.batch_count, batches.len());
        }
    }

    #[test]
    fn the_bigram_scores_the_same_targets_in_any_layout(
        documents in documents(),
        (layout, capacity) in layouts(),
    ) {
        let binding = binding(VOCAB_SIZE, capacity);
        let batches = batches(PARTITION, &binding, &documents, layout).unwrap();
        let bigram = BigramModel::fit(VOCAB_SIZE, &[document(Partition::Train, &[0, 2, 2, 3, 1])]);
        let bigram = bigram.unwrap();
        let pairs = documents.iter().flat_map(|document| {
            let pairs = document.ids().windows(2).enumerate();
            pairs.filter(|(target, _)| document.is_scored(*target)).map(|(_, p)| (p[0], p[1]))
        });
        prop_assert_eq!(
            score_bigram(&bigram, PARTITION, &binding, &batches).unwrap(),
            score_bigram_transitions(&bigram, pairs).unwrap()
        );
    }
}
