//! Documents through windows: nothing lost, nothing twice, the same bits as one by one.

use std::num::NonZeroUsize;

use llm_baselines::{BigramModel, NgramModel, Smoothing};
use llm_corpus::{BatchBinding, Document, EncodedDocument, Layout, Partition, batches};
use llm_evaluation::{
    FramedDocument, Framing, LanguageModel, Place, RecordSummary, ScoreError, ScoreRequest,
    StartToken, TargetRecord, WindowRule, collect_records, evaluate, score_bigram, score_documents,
};
use llm_tokenizer::{TokenId, Tokenizer, TokenizerArtifact, chapter_four_tokenizer};
use proptest::prelude::*;

use crate::models::{Broken, VOCAB_SIZE, all_models, decoder, framed, ids};

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// Windows of up to 8 ids, with any stride.
pub(crate) fn rule() -> impl Strategy<Value = WindowRule> {
    (2usize..9).prop_flat_map(|window| {
        (1..window, any::<bool>()).prop_map(move |(stride, bos_per_window)| WindowRule {
            window,
            stride,
            bos_per_window,
        })
    })
}

/// The context of each target by the rule's words: the first window that has something before it.
fn context_of(target: usize, rule: WindowRule, ids: &[TokenId]) -> Vec<TokenId> {
    if target < rule.window {
        return ids[..target].to_vec();
    }
    let copied = usize::from(rule.bos_per_window);
    let holds = |start: usize| (start + 1 - copied..start + rule.window - copied).contains(&target);
    let start = (copied..).step_by(rule.stride).find(|&start| holds(start)).unwrap();
    [&ids[..copied], &ids[start..target]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn windows_score_every_target_once_with_the_bits_of_one_request_each(
        texts in prop::collection::vec(ids(2..24), 1..4),
        rule in rule(),
        batch in 1usize..9,
    ) {
        let documents: Vec<_> =
            texts.iter().enumerate().map(|(i, ids)| framed(&format!("d{i}"), ids)).collect();
        for model in all_models() {
            let batch = NonZeroUsize::new(batch).unwrap();
            let (records, counts) = collect_records(&*model, &documents, rule, batch).unwrap();
            let targets = documents.iter().flat_map(|document| {
                (1..document.ids().len()).map(move |position| (document, position))
            });
            prop_assert_eq!(records.len(), targets.clone().count());
            prop_assert_eq!(counts.scored_tokens as usize, records.len());
            for (record, (document, position)) in records.iter().zip(targets) {
                let mut ids = context_of(position, rule, document.ids());
                ids.push(document.ids()[position]);
                let request = ScoreRequest { ids: &ids, first_target: ids.len() - 1 };
                let score = model.score(&[request]).unwrap()[0][0];
                prop_assert_eq!(record, &TargetRecord {
                    document: document.id().into(),
                    position,
                    token: document.ids()[position],
                    log_probability: score.log_probability,
                    bytes: None,
                    rank_best: score.rank_best,
                    rank_worst: score.rank_worst,
                });
                prop_assert_eq!(record.log_probability.to_bits(), score.log_probability.to_bits());
            }
        }
    }

    #[test]
    fn stride_one_is_brute_force_bit_for_bit(text in ids(2..40), window in 2usize..12) {
        let rule = WindowRule { window, stride: 1, bos_per_window: false };
        for model in all_models() {
            let (records, _) = collect_records(&*model, &[framed("d", &text)], rule, one()).unwrap();
            for record in records {
                let i = record.position;
                let ids = &text[(i + 1).saturating_sub(window)..=i]; // as much as fits before it
                let request = ScoreRequest { ids, first_target: ids.len() - 1 };
                let alone = model.score(&[request]).unwrap()[0][0].log_probability;
                prop_assert_eq!(record.log_probability.to_bits(), alone.to_bits());
            }
        }
    }

    #[test]
    fn scored_and_unscored_bytes_are_the_documents_bytes(
        text in prop::collection::vec(prop_oneof![Just(b't'), Just(b'h'), Just(b'e'), any::<u8>()], 2..40),
        start_token in prop_oneof![
            Just(StartToken::Bos), Just(StartToken::EosAsPrefix), Just(StartToken::None),
        ],
        end_token in any::<bool>(),
        rule in rule(),
    ) {
        let tokenizer = chapter_four_tokenizer();
        let document = Document::new("d", Partition::Test, text.clone());
        let framing = Framing { start_token, end_token };
        let Ok(document) = FramedDocument::encode(&document, &tokenizer, framing) else {
            // `th` and the like may be one token, which leaves no target.
            prop_assert!(start_token == StartToken::None && tokenizer.encode(&text).unwrap().len() < 2);
            return Ok(());
        };
        let model = NgramModel::uniform(tokenizer.vocab_size()).unwrap();
        let documents = [document];
        if rule.bos_per_window && start_token == StartToken::None {
            let error = collect_records(&model, &documents, rule, one()).unwrap_err();
            prop_assert!(matches!(error, ScoreError::Request { .. }), "{}", error);
            return Ok(());
        }
        let (records, counts) = collect_records(&model, &documents, rule, one()).unwrap();
        let tokens = tokenizer.encode(&text).unwrap();
        let first_is_scored = start_token != StartToken::None;
        let scored = tokens.len() - usize::from(!first_is_scored) + usize::from(end_token);
        prop_assert_eq!(records.len(), scored);
        prop_assert_eq!(counts.unscored_tokens, u64::from(!first_is_scored));
        let bytes: u64 = records.iter().map(|record| record.bytes.unwrap()).sum();
        prop_assert_eq!(counts.scored_bytes, Some(bytes));
        prop_assert_eq!(bytes + counts.unscored_bytes.unwrap(), text.len() as u64);
        let first = tokenizer.token_bytes(tokens[0]).unwrap().len() as u64;
        prop_assert_eq!(counts.unscored_bytes, Some(if first_is_scored { 0 } else { first }));
    }
}

#[test]
fn ten_tokens_in_windows_of_four_are_ten_targets_with_a_start_token_and_nine_without() {
    let model = decoder::<f64>(1);
    for (ids, targets) in [((0..11).collect::<Vec<TokenId>>(), 10), ((1..11).collect(), 9)] {
        for stride in 1..4 {
            let rule = WindowRule { window: 4, stride, bos_per_window: false };
            let (records, counts) =
                collect_records(&model, &[framed("d", &ids)], rule, one()).unwrap();
            let positions: Vec<usize> = records.iter().map(|record| record.position).collect();
            assert_eq!(positions, (1..=targets).collect::<Vec<_>>());
            assert_eq!(counts.scored_tokens, targets as u64);
        }
    }
}

#[test]
fn short_contexts_at_window_starts_raise_the_loss() {
    // 5 5 6 5 5 6 ..: after a single 5 either may come, after two ids nothing is open.
    let text: Vec<TokenId> = (0..91).map(|i| if i % 3 == 2 { 6 } else { 5 }).collect();
    let train = [EncodedDocument::from_ids("t", Partition::Train, text.clone()).unwrap()];
    let smoothing = Smoothing::AbsoluteDiscounting { discount: 0.1 };
    let model = NgramModel::fit(VOCAB_SIZE, 3, smoothing, &train).unwrap();
    let nats: Vec<f64> = (1..6)
        .map(|stride| {
            let rule = WindowRule { window: 6, stride, bos_per_window: false };
            let run = collect_records(&model, &[framed("d", &text)], rule, one()).unwrap();
            RecordSummary::from_records(run.0).unwrap().nats_per_token().unwrap()
        })
        .collect();
    assert!(nats[..4].iter().all(|&x| x == nats[0]), "{nats:?}"); // two ids of context and more
    assert!(nats[4] > 1.5 * nats[0], "{nats:?}");
}

#[test]
fn whole_documents_give_the_score_of_the_batch_evaluators() {
    let tokenizer = chapter_four_tokenizer();
    let texts =
        |partition, texts: [&str; 2]| texts.map(|text| Document::new(text, partition, text));
    let encode = |document: &Document| EncodedDocument::encode(document, &tokenizer).unwrap();
    let (train, test) =
        (texts(Partition::Train, ["aaab", "aab"]), texts(Partition::Test, ["abaa", "baa"]));
    let framed = test
        .each_ref()
        .map(|text| FramedDocument::encode(text, &tokenizer, Framing::DOCUMENT).unwrap());
    let records = |model: &dyn LanguageModel| {
        let run = collect_records(model, &framed, WindowRule::WHOLE, one()).unwrap();
        RecordSummary::from_records(run.0).unwrap().metrics().unwrap()
    };
    let binding = BatchBinding::new(&tokenizer, 8);
    let encoded = test.each_ref().map(encode);
    let batches = batches(Partition::Test, &binding, &encoded, Layout::SEPARATE).unwrap();

    let bigram = BigramModel::fit(266, &train.each_ref().map(encode)).unwrap();
    let by_batches = score_bigram(&bigram, Partition::Test, &binding, &batches).unwrap();
    assert_eq!(records(&bigram), by_batches);
    assert_eq!(format!("{:.6}", by_batches.mean_nll()), "5.044970"); // the published figure

    let decoder = crate::model::<f32>(266, 39);
    let by_batches = evaluate(&decoder, Partition::Test, &binding, &batches).unwrap();
    assert_eq!(records(&decoder), by_batches.metrics);
}

#[test]
fn control_tokens_have_no_bytes_and_are_scored_all_the_same() {
    let tokenizer = chapter_four_tokenizer();
    let text = Document::new("d", Partition::Test, "baa");
    let documents = [FramedDocument::encode(&text, &tokenizer, Framing::DOCUMENT).unwrap()];
    let model = NgramModel::uniform(tokenizer.vocab_size()).unwrap();
    let (records, counts) = collect_records(&model, &documents, WindowRule::WHOLE, one()).unwrap();
    let seen: Vec<_> = records.iter().map(|r| (r.position, r.token, r.bytes)).collect();
    assert_eq!(seen, [(1, 100, Some(1)), (2, 99, Some(1)), (3, 99, Some(1)), (4, 1, Some(0))]);
    assert_eq!((counts.windows, counts.context_only_tokens), (1, 1));
    assert_eq!((counts.scored_bytes, counts.unscored_bytes), (Some(3), Some(0)));
}

#[test]
fn a_frame_that_the_tokenizer_does_not_have_is_refused() {
    let mut artifact: TokenizerArtifact = chapter_four_tokenizer().artifact().clone();
    (artifact.document_start, artifact.document_end) = (None, None);
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    let text = Document::new("d", Partition::Test, "baa");
    for (start_token, end_token, missing) in [
        (StartToken::Bos, false, "start"),
        (StartToken::EosAsPrefix, false, "end"),
        (StartToken::None, true, "end"),
    ] {
        let framing = Framing { start_token, end_token };
        let framed = FramedDocument::encode(&text, &chapter_four_tokenizer(), framing).unwrap();
        let (start, end) = (framed.ids()[0], framed.ids().last());
        let expected = match start_token {
            StartToken::Bos => 0,
            StartToken::EosAsPrefix => 1,
            StartToken::None => 100,
        };
        assert_eq!((start, end == Some(&1)), (expected, end_token));

        let error = FramedDocument::encode(&text, &tokenizer, framing).unwrap_err();
        assert!(matches!(error, ScoreError::Framing { missing: m } if m == missing), "{error}");
    }
    let bare = Framing { start_token: StartToken::None, end_token: false };
    assert_eq!(FramedDocument::encode(&text, &tokenizer, bare).unwrap().ids(), [100, 99, 99]);
    let empty = Document::new("d", Partition::Test, "");
    let error = FramedDocument::encode(&empty, &tokenizer, bare).unwrap_err();
    assert!(matches!(error, ScoreError::Document(_)), "{error}");
}

#[test]
fn what_cannot_be_scored_is_refused_before_anything_is() {
    let model = decoder::<f64>(1);
    let refused = |documents: &[FramedDocument], rule| {
        score_documents(&model, documents, rule, one(), |_| panic!("scored")).unwrap_err()
    };
    let long = [framed("short", &[0, 1]), framed("long", &[0; 90])];
    let error = refused(&long, WindowRule::WHOLE);
    let ScoreError::Request { place: Place::Document { document, .. }, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(document, "long");
    let windows = |window, stride| WindowRule { window, stride, bos_per_window: false };
    assert!(matches!(refused(&long, windows(82, 1)), ScoreError::Request { .. }));
    assert!(matches!(refused(&long, windows(8, 8)), ScoreError::Window { .. }));
    assert!(matches!(refused(&long, windows(8, 0)), ScoreError::Window { .. }));
    let twice = [framed("d", &[0, 1]), framed("d", &[0, 2])];
    assert!(matches!(refused(&twice, WindowRule::WHOLE), ScoreError::Count { .. }));
    // A context of 80 and the last target make windows of 81.
    assert!(collect_records(&model, &long, windows(81, 80), one()).is_ok());
}

#[test]
fn broken_numbers_name_document_and_position_in_any_window() {
    let text: Vec<TokenId> = vec![0, 2, 2, 2, 2, 2, 2, 7, 3, 1];
    let documents = [framed("fine", &[0, 1]), framed("broken", &text)];
    for (rule, batch) in [(WindowRule::WHOLE, 1), (WindowRule::WHOLE, 9)].into_iter().chain(
        [false, true]
            .map(|bos_per_window| (WindowRule { window: 4, stride: 2, bos_per_window }, 3)),
    ) {
        let batch = NonZeroUsize::new(batch).unwrap();
        let error = collect_records(&Broken(f64::NAN), &documents, rule, batch).unwrap_err();
        let ScoreError::NonFinite { place, .. } = error else { panic!("{error}") };
        assert_eq!(place, Place::Document { document: "broken".into(), position: 8 });
    }
    let unknown = [framed("d", &[0, 2, 2, 2, 2, 99, 1])];
    let rule = WindowRule { window: 3, stride: 2, bos_per_window: false };
    let error = collect_records(&Broken(-9.0), &unknown, rule, one()).unwrap_err();
    let ScoreError::Request { place, .. } = error else { panic!("{error}") };
    assert_eq!(place, Place::Document { document: "d".into(), position: 5 });
}

#[test]
fn the_sink_can_end_the_pass() {
    let mut taken = 0;
    let model = decoder::<f32>(1);
    let result =
        score_documents(&model, &[framed("d", &[0, 1, 2])], WindowRule::WHOLE, one(), |_| {
            taken += 1;
            Err(ScoreError::Code { problem: "disk full".into() })
        });
    assert!(matches!(result, Err(ScoreError::Code { .. })));
    assert_eq!(taken, 1);
    let _: &dyn LanguageModel = &model;
}
