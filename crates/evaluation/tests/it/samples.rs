//! Text from models, and models as judges of text.

use llm_autograd::Kernels;
use llm_baselines::{NgramModel, Smoothing};
use llm_corpus::{EncodedDocument, Partition};
use llm_evaluation::{
    FramedDocument, ScoreError, WindowRule, cross_likelihood, sample_text, sample_texts,
};
use llm_metrics::{DistinctNgrams, SplitMix64};
use llm_model::{Decoding, Filters, GenerationConfig, Stop};
use llm_tokenizer::TokenId;
use proptest::prelude::*;

use crate::models::{CONTEXT_LEN, VOCAB_SIZE, all_models, decoder, framed, ngram};

/// Windows longer than any text here.
const WHOLE: WindowRule = WindowRule { window: 200, stride: 1, bos_per_window: false };

fn sampled(seed: u64) -> GenerationConfig {
    let decoding = Decoding::Sample { filters: Filters::default(), seed };
    GenerationConfig { decoding, end_token: Some(1), max_new_tokens: 30 }
}

fn filtered(filters: Filters) -> GenerationConfig {
    GenerationConfig { decoding: Decoding::Sample { filters, seed: 3 }, ..sampled(3) }
}

#[test]
fn the_decoder_says_the_same_with_and_without_its_cache() {
    let model = decoder::<f64>(39);
    for decoding in [Decoding::Greedy, sampled(5).decoding] {
        let config = GenerationConfig { decoding, end_token: Some(1), max_new_tokens: 200 };
        let own = model.generate(Kernels::detect(), &[0, 5], &config, |_| ()).unwrap();
        assert_eq!(sample_text(&model, &[0, 5], &config).unwrap(), own);
    }
    let endless = GenerationConfig { end_token: None, max_new_tokens: 200, ..sampled(1) };
    let text = sample_text(&model, &[0], &endless).unwrap();
    assert_eq!((text.ids.len(), text.stop), (CONTEXT_LEN, Stop::Capacity));
}

#[test]
fn first_tokens_come_as_often_as_the_model_says() {
    // A uniform model over 11 ids, 4000 texts: each share within three standard errors of 1/11,
    // but for one of the eleven, which the three per mille of 11 tests allow.
    let config = GenerationConfig { max_new_tokens: 1, ..sampled(8) };
    let uniform = NgramModel::uniform(VOCAB_SIZE).unwrap();
    let texts = sample_texts(&uniform, &[0], &config, 4000).unwrap();
    let expected = 1.0 / VOCAB_SIZE as f64;
    let error = (expected * (1.0 - expected) / 4000.0).sqrt();
    let far = (0..VOCAB_SIZE as TokenId).filter(|&id| {
        let share = texts.iter().filter(|text| text.ids == [id]).count() as f64 / 4000.0;
        (share - expected).abs() > 3.0 * error
    });
    assert!(far.count() <= 1);
}

#[test]
fn filters_keep_to_the_likely_tokens_of_a_count_model_too() {
    let model = ngram(2, Smoothing::AddK { k: 0.01 });
    let greedy = GenerationConfig { decoding: Decoding::Greedy, ..sampled(0) };
    let greedy = sample_text(&model, &[0], &greedy).unwrap();
    let defaults = Filters::default();
    let narrow = [
        Filters { top_k: Some(1), ..defaults },
        Filters { top_p: Some(1e-9), ..defaults },
        Filters { temperature: 1e-4, ..defaults },
    ];
    // After 0 the model saw 5 twice and 9 once, so that no filter finds a tie at the first step.
    for filters in narrow {
        let text = sample_text(&model, &[0], &filtered(filters)).unwrap();
        assert_eq!(text.ids[0], greedy.ids[0], "{filters:?}");
    }
    let two = Filters { top_k: Some(2), ..defaults };
    let config = GenerationConfig { max_new_tokens: 1, ..filtered(two) };
    let texts = sample_texts(&model, &[0], &config, 200).unwrap();
    assert!(texts.iter().all(|text| text.ids == [5] || text.ids == [9]));
    assert!(texts.iter().any(|text| text.ids == [9]));
}

#[test]
fn what_no_model_can_go_on_from_is_refused() {
    for model in all_models() {
        let refused = |prompt: &[TokenId]| {
            matches!(sample_text(&*model, prompt, &sampled(0)), Err(ScoreError::Request { .. }))
        };
        assert!(refused(&[]) && refused(&[0, 99]), "{}", model.identity());
        let filters = Filters { top_k: Some(0), ..Default::default() };
        let message = sample_text(&*model, &[0], &filtered(filters)).unwrap_err().to_string();
        assert_eq!(message, "configuration: top_k is 0, expected at least 1");
    }
    let long = vec![0; CONTEXT_LEN + 1];
    let refused = sample_text(&decoder::<f32>(1), &long, &sampled(0));
    assert!(matches!(refused, Err(ScoreError::Request { .. })));
}

/// A language of 11 ids: after 2 to 9 comes the same id plus 1 with probability 0.8, any id else.
fn chain(seed: u64) -> Vec<TokenId> {
    let mut stream = SplitMix64::new(seed);
    let mut ids = vec![0, 2];
    for _ in 0..60 {
        let last = ids[ids.len() - 1];
        let next = if stream.unit() < 0.8 { last + 1 } else { (stream.next_u64() % 8) as u32 + 2 };
        ids.push(if next > 9 { 2 } else { next });
    }
    ids.push(1);
    ids
}

#[test]
fn likelihood_catches_the_gibberish_that_diversity_rewards() {
    // The same tokens in random order: more distinct pairs, and far more surprise.
    let source: Vec<EncodedDocument> = (0..20)
        .map(|seed| EncodedDocument::from_ids("s", Partition::Train, chain(seed)).unwrap())
        .collect();
    let judge = NgramModel::fit(VOCAB_SIZE, 2, Smoothing::AddK { k: 0.1 }, &source).unwrap();
    let text = chain(100);
    let mut shuffled = text.clone();
    let inner = 1..shuffled.len() - 1;
    SplitMix64::new(4).shuffle(&mut shuffled[inner]);
    let distinct = |ids: &Vec<TokenId>| DistinctNgrams::of(&[ids], 2).unwrap().distinct_share();
    assert!(distinct(&shuffled) >= distinct(&text));

    let nats = |ids: &[TokenId]| {
        let samples = [framed("x", ids)];
        cross_likelihood(&judge, &judge, &samples, WHOLE).unwrap().judge.mean
    };
    assert!(nats(&shuffled) > nats(&text) + 0.5, "{} {}", nats(&shuffled), nats(&text));
}

#[test]
fn the_excess_of_a_writers_own_samples_estimates_a_divergence_worked_out_exactly() {
    // Unigrams over 3 ids: the writer has shares 0.5, 0.25, 0.25 and the judge a third each, so
    // KL = ln 3 - 1.5 ln 2 = 0.058892 nats per token.
    let train = |ids: Vec<TokenId>| EncodedDocument::from_ids("t", Partition::Train, ids).unwrap();
    let fit = |ids| NgramModel::fit(3, 1, Smoothing::AddK { k: 1e-12 }, &[train(ids)]).unwrap();
    let (writer, judge) = (fit(vec![0, 0, 0, 1, 2]), fit(vec![0, 0, 1, 2]));
    let config = GenerationConfig { end_token: None, ..sampled(12) };
    let samples: Vec<FramedDocument> = (0..)
        .zip(sample_texts(&writer, &[0], &config, 400).unwrap())
        .map(|(i, text)| {
            let ids = [&[0][..], &text.ids].concat();
            FramedDocument::from_ids(i.to_string(), ids, None).unwrap()
        })
        .collect();
    let found = cross_likelihood(&writer, &judge, &samples, WHOLE).unwrap();
    let near = |estimate: llm_metrics::MeanEstimate, expected: f64| {
        (estimate.mean - expected).abs() <= 3.0 * estimate.standard_error.unwrap() + 1e-9
    };
    let ln = |x: f64| libm::log(x);
    assert!(near(found.excess, ln(3.0) - 1.5 * ln(2.0)), "{found:?}");
    assert!(near(found.writer, 1.5 * ln(2.0)), "{found:?}");
    assert!(near(found.judge, ln(3.0)), "{found:?}");
    assert_eq!(found.excess.unit_count, 400);
    assert!(found.excess.mean > 3.0 * found.excess.standard_error.unwrap(), "it is not 0");
}

#[test]
fn a_judge_with_another_vocabulary_or_without_texts_says_nothing() {
    let (eleven, four) = (ngram(2, Smoothing::AddK { k: 1.0 }), NgramModel::uniform(4).unwrap());
    let refused = cross_likelihood(&eleven, &four, &[framed("x", &[0, 1])], WHOLE).unwrap_err();
    assert!(refused.to_string().contains("11 tokens and the judge one of 4"), "{refused}");
    assert!(matches!(cross_likelihood(&four, &four, &[], WHOLE), Err(ScoreError::Metric(_))));
}

proptest! {
    #[test]
    fn a_text_does_not_depend_on_how_many_are_sampled(seed in any::<u64>(), count in 1usize..6) {
        let model = ngram(3, Smoothing::KneserNey { discount: 0.75 });
        let config = GenerationConfig { max_new_tokens: 8, ..sampled(seed) };
        let few = sample_texts(&model, &[0], &config, count).unwrap();
        let many = sample_texts(&model, &[0], &config, 6).unwrap();
        prop_assert_eq!(&few[..], &many[..count]);
    }
}
