//! Published figures of the evaluation experiment that need no training.

use std::num::NonZeroUsize;

use llm_baselines::BigramModel;
use llm_corpus::{
    BatchBinding, Document, EncodedDocument, Layout, Partition, VariableBatch, batches,
};
use llm_evaluation::{evaluate, score_bigram};
use llm_tokenizer::chapter_four_tokenizer;

use crate::model;

const SPLITS: [(Partition, [&str; 2]); 2] =
    [(Partition::Train, ["aaab", "aab"]), (Partition::Validation, ["abaa", "baa"])];
const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();
const LAYOUTS: [Layout; 3] =
    [Layout::SEPARATE, Layout::Padded { rows: TWO }, Layout::Packed { rows: TWO }];

fn encode(partition: Partition, texts: [&str; 2]) -> Vec<EncodedDocument> {
    let tokenizer = chapter_four_tokenizer();
    texts
        .map(|text| Document::new(text, partition, text))
        .iter()
        .map(|document| EncodedDocument::encode(document, &tokenizer).unwrap())
        .collect()
}

/// Both splits in every layout at a capacity, with the binding they were built for.
fn stored(split: usize, layout: Layout, capacity: usize) -> (BatchBinding, Vec<VariableBatch>) {
    let (partition, texts) = SPLITS[split];
    let binding = BatchBinding::new(&chapter_four_tokenizer(), capacity);
    let batches = batches(partition, &binding, &encode(partition, texts), layout).unwrap();
    (binding, batches)
}

fn six_decimals(x: f64) -> String {
    format!("{x:.6}")
}

#[test]
fn fresh_models_have_the_published_losses_in_every_layout() {
    let published = [
        (39, ["5.632313", "5.615827"]),
        (40, ["5.676367", "5.656397"]),
        (41, ["5.637867", "5.626418"]),
    ];
    for (seed, losses) in published {
        let model = model::<f64>(266, seed);
        for (split, (partition, _)) in SPLITS.into_iter().enumerate() {
            let scores = LAYOUTS.map(|layout| {
                let (binding, batches) = stored(split, layout, 8);
                evaluate(&model, partition, &binding, &batches).unwrap()
            });
            assert_eq!(scores.each_ref().map(|score| score.batch_count), [2, 1, 1]);
            for score in scores {
                assert_eq!(six_decimals(score.metrics.mean_nll()), losses[split], "seed {seed}");
                assert_eq!((score.metrics.target_count(), score.recorded_graphs), (9, 0));
            }
        }
    }
}

#[test]
fn documents_in_one_long_row_do_not_see_each_other() {
    let model = model::<f64>(266, 39);
    for (split, (partition, _)) in SPLITS.into_iter().enumerate() {
        let (narrow, separate) = stored(split, Layout::SEPARATE, 8);
        let (wide, packed) = stored(split, Layout::Packed { rows: TWO }, 18);
        assert_eq!((packed.len(), packed[0].rows()), (1, 1));
        let separate = evaluate(&model, partition, &narrow, &separate).unwrap();
        let packed = evaluate(&model, partition, &wide, &packed).unwrap();
        assert_eq!(separate.metrics, packed.metrics);
    }
}

#[test]
fn the_bigram_has_the_published_losses_in_every_layout() {
    let bigram = BigramModel::fit(266, &encode(SPLITS[0].0, SPLITS[0].1)).unwrap();
    let published = [["4.402665", "81.668227"], ["5.044970", "155.239620"]];
    for (split, (partition, _)) in SPLITS.into_iter().enumerate() {
        for (layout, capacity) in LAYOUTS.map(|layout| (layout, 8)).into_iter().chain([(
            Layout::Packed { rows: TWO },
            18, // both documents in one row
        )]) {
            let (binding, batches) = stored(split, layout, capacity);
            let score = score_bigram(&bigram, partition, &binding, &batches).unwrap();
            assert_eq!(score.target_count(), 9);
            let figures = [score.mean_nll(), score.perplexity()].map(six_decimals);
            assert_eq!(figures, published[split], "{layout:?} at capacity {capacity}");
        }
    }
}
