//! The baseline figures of the evaluation chapter, from its documents to the sixth decimal.

use llm_baselines::{BigramModel, score_bigram_transitions};
use llm_corpus::{Document, EncodedDocument, Partition};
use llm_metrics::MetricSummary;
use llm_tokenizer::{TokenId, chapter_four_tokenizer};

fn encoded(partition: Partition, texts: [&str; 2]) -> Vec<EncodedDocument> {
    let tokenizer = chapter_four_tokenizer();
    let encode = |text: &str| {
        EncodedDocument::encode(&Document::new(text, partition, text), &tokenizer).unwrap()
    };
    texts.map(encode).to_vec()
}

fn train() -> Vec<EncodedDocument> {
    encoded(Partition::Train, ["aaab", "aab"])
}

fn validation() -> Vec<EncodedDocument> {
    encoded(Partition::Validation, ["abaa", "baa"])
}

fn pairs(documents: &[EncodedDocument]) -> impl Iterator<Item = (TokenId, TokenId)> {
    documents.iter().flat_map(|document| document.ids().windows(2).map(|pair| (pair[0], pair[1])))
}

fn six_decimals(summary: &MetricSummary) -> (String, String) {
    (format!("{:.6}", summary.mean_nll()), format!("{:.6}", summary.perplexity()))
}

#[test]
fn both_splits_score_as_published_on_nine_targets_each() {
    let model = BigramModel::fit(chapter_four_tokenizer().vocab_size(), &train()).unwrap();
    assert_eq!((model.vocab_size(), model.transitions()), (266, 9));

    let score = score_bigram_transitions(&model, pairs(&train())).unwrap();
    assert_eq!(score.target_count(), 9);
    assert_eq!(six_decimals(&score), ("4.402665".into(), "81.668227".into()));

    let score = score_bigram_transitions(&model, pairs(&validation())).unwrap();
    assert_eq!(score.target_count(), 9);
    assert_eq!(six_decimals(&score), ("5.044970".into(), "155.239620".into()));
}

#[test]
fn no_other_vocabulary_gives_both_losses() {
    let fits = |vocab_size: &usize| {
        let model = BigramModel::fit(*vocab_size, &train()).unwrap();
        let nll = |documents: &[EncodedDocument]| {
            six_decimals(&score_bigram_transitions(&model, pairs(documents)).unwrap()).0
        };
        nll(&train()) == "4.402665" && nll(&validation()) == "5.044970"
    };
    assert_eq!((258..=400).filter(fits).collect::<Vec<_>>(), [266]);
}

#[test]
fn documents_scored_apart_or_together_in_any_order_give_the_same_bits() {
    let model = BigramModel::fit(266, &train()).unwrap();
    let [first, second] = validation().try_into().unwrap();
    let score =
        |documents: &[EncodedDocument]| score_bigram_transitions(&model, pairs(documents)).unwrap();
    let together = score(&[first.clone(), second.clone()]);
    assert_eq!(score(&[second.clone(), first.clone()]), together);
    assert_eq!(score(&[second]).merge(score(&[first])).unwrap(), together);
}
