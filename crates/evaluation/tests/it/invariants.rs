//! What holds for every language model beyond its promises (see `promises.rs`), asked of one of each
//! kind.

use std::num::NonZeroUsize;

use llm_autograd::{AutogradContext, Element};
use llm_corpus::{EncodedDocument, Partition, VariableBatch, number};
use llm_evaluation::{
    FramedDocument, LanguageModel, Place, RecordSummary, RowRequest, ScoreError, ScoreRequest,
    TargetScore, WindowRule, collect_records,
};
use llm_metrics::ExactSum;
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::TokenId;
use proptest::prelude::*;

use crate::binding;
use crate::models::{Broken, CONTEXT_LEN, VOCAB_SIZE, all_models, bigram, decoder, framed, ids};
use crate::scoring::rule;

/// Ids and the first of them that is a target.
pub(crate) fn request() -> impl Strategy<Value = (Vec<TokenId>, usize)> {
    ids(2..20).prop_flat_map(|ids| {
        let len = ids.len();
        (Just(ids), 1..len)
    })
}

pub(crate) fn requests(given: &[(Vec<TokenId>, usize)]) -> Vec<ScoreRequest<'_>> {
    let mut requests = Vec::new();
    for (ids, first_target) in given {
        requests.push(ScoreRequest { ids, first_target: *first_target });
    }
    requests
}

fn bits(scores: &[TargetScore]) -> Vec<(u64, u64, u64)> {
    scores.iter().map(|s| (s.log_probability.to_bits(), s.rank_best, s.rank_worst)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn requests_that_begin_alike_share_work_and_no_bits(
        start in ids(1..70),
        ends in prop::collection::vec((ids(1..9), 1usize..70), 2..5),
    ) {
        let model = decoder::<f32>(39);
        let given: Vec<_> = ends
            .into_iter()
            .map(|(end, first)| {
                let ids = [start.as_slice(), &end].concat();
                let first = first.min(ids.len() - 1);
                (ids, first)
            })
            .collect();
        let requests = requests(&given);
        let together = model.score(&requests).unwrap();
        for (scores, request) in together.iter().zip(&requests) {
            prop_assert_eq!(bits(scores), bits(&model.score(&[*request]).unwrap()[0]));
        }
    }

    #[test]
    fn options_of_questions_are_read_at_once_and_share_no_bits(
        start in ids(1..25),
        questions in prop::collection::vec((ids(0..25), prop::collection::vec(ids(1..30), 1..7)), 1..3),
    ) {
        // Up to 168 rows behind one context, more than are made at once.
        fn check<E: Element>(given: &[(Vec<TokenId>, usize)]) -> Result<(), TestCaseError> {
            let model = decoder::<E>(39);
            let requests = requests(given);
            let together = model.score(&requests).unwrap();
            for (scores, request) in together.iter().zip(&requests) {
                prop_assert_eq!(bits(scores), bits(&model.score(&[*request]).unwrap()[0]));
            }
            Ok(())
        }
        let mut given = Vec::new();
        for (question, options) in questions {
            let context = [start.as_slice(), &question].concat();
            for option in options {
                given.push(([context.as_slice(), &option].concat(), context.len()));
            }
        }
        check::<f32>(&given)?;
        check::<f64>(&given)?;
    }

    #[test]
    fn every_row_sums_to_one_and_holds_the_scores(request in request()) {
        for model in all_models() {
            let requests = requests(std::slice::from_ref(&request));
            let scores = model.score(&requests).unwrap().remove(0);
            let mut seen = Vec::new();
            model.visit_rows(&[requests[0].rows()], &mut |row| {
                assert_eq!((row.request, row.log_probabilities.len()), (0, VOCAB_SIZE));
                let sum: ExactSum = row.log_probabilities.iter().map(|&x| libm::exp(x)).collect();
                assert!((sum.value() - 1.0).abs() < 1e-12, "{}", model.identity());
                // Ranks by sorting.
                let target = row.log_probabilities[requests[0].ids[row.position] as usize];
                let mut sorted = row.log_probabilities.to_vec();
                sorted.sort_by(|a, b| b.total_cmp(a));
                let best = 1 + sorted.iter().position(|&x| x == target).unwrap() as u64;
                let worst = 1 + sorted.iter().rposition(|&x| x == target).unwrap() as u64;
                seen.push((row.position, (target.to_bits(), best, worst)));
                Ok(())
            }).unwrap();
            let positions = request.1..request.0.len();
            prop_assert_eq!(seen, positions.zip(bits(&scores)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_decoder_scores_with_the_bits_of_its_losses(ids in ids(2..80), seed in any::<u64>()) {
        fn check<E: Element>(ids: &[TokenId], seed: u64) {
            let model = decoder::<E>(seed);
            let document =
                [EncodedDocument::from_ids("d", Partition::Test, ids.to_vec()).unwrap()];
            let binding = binding(VOCAB_SIZE, CONTEXT_LEN);
            let batch =
                VariableBatch::padded(Partition::Test, &binding, &number(0, &document)).unwrap();
            let context = AutogradContext::no_grad();
            let losses = model.loss_padded_with_context(&context, &batch, &binding).unwrap();
            // 65 rows and more come in pieces.
            for first_target in [1, ids.len() / 2, ids.len() - 1].map(|first| first.max(1)) {
                let scores = model.score(&[ScoreRequest { ids, first_target }]).unwrap();
                let nll: Vec<f64> = scores[0].iter().map(|s| -s.log_probability).collect();
                assert_eq!(nll, losses.token_nll()[first_target - 1..]);
            }
        }
        check::<f32>(&ids, seed);
        check::<f64>(&ids, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn permuting_documents_permutes_their_records_and_changes_no_sum(
        texts in prop::collection::vec(ids(2..14), 1..6),
        rotation in 0usize..6,
        rule in rule(),
        batch in 1usize..5,
    ) {
        let documents: Vec<_> =
            texts.iter().enumerate().map(|(i, ids)| framed(&format!("d{i}"), ids)).collect();
        let mut permuted = documents.clone();
        permuted.rotate_left(rotation % documents.len());
        permuted.reverse();
        for model in all_models() {
            let batch = NonZeroUsize::new(batch).unwrap();
            let (records, counts) =
                collect_records(&*model, &documents, rule, NonZeroUsize::MIN).unwrap();
            let (mut others, other_counts) =
                collect_records(&*model, &permuted, rule, batch).unwrap();
            others.sort_by(|a, b| (&a.document, a.position).cmp(&(&b.document, b.position)));
            prop_assert_eq!(&records, &others, "{}", model.identity());
            prop_assert_eq!(counts, other_counts);
        }
    }

    #[test]
    fn documents_are_pooled_by_one_sum_and_one_count_however_they_are_cut_into_parts(
        texts in prop::collection::vec(ids(2..14), 2..6),
        first_part in 1usize..5,
    ) {
        let documents: Vec<_> =
            texts.iter().enumerate().map(|(i, ids)| framed(&format!("d{i}"), ids)).collect();
        let (one, other) = documents.split_at(first_part.min(documents.len() - 1));
        for model in all_models() {
            let metrics = |documents: &[FramedDocument]| {
                let run = collect_records(&*model, documents, WindowRule::WHOLE, NonZeroUsize::MIN);
                RecordSummary::from_records(run.unwrap().0).unwrap().metrics().unwrap()
            };
            let (all, parts) = (metrics(&documents), [metrics(one), metrics(other)]);
            let [one, other] = parts;
            let counts = one.target_count() + other.target_count();
            let merged = one.merge(other).unwrap();
            prop_assert_eq!(merged.target_count(), counts);
            prop_assert_eq!(merged.total_nll().to_bits(), all.total_nll().to_bits());
            prop_assert_eq!(merged.perplexity().to_bits(), all.perplexity().to_bits());
            // The quotient of the sums, and no mean of quotients.
            let pooled = all.total_nll() / all.target_count() as f64;
            prop_assert_eq!(all.mean_nll().to_bits(), pooled.to_bits());
        }
    }

    #[test]
    fn a_broken_number_anywhere_is_an_error_that_names_its_document_and_position(
        before in ids(1..9),
        after in ids(1..9),
        which in 0usize..3,
        value in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(0.5)],
    ) {
        // `Broken` is uniform but for one number in the row behind each id 7.
        let harmless = |ids: &[TokenId]| -> Vec<TokenId> {
            ids.iter().map(|&id| if id == 7 { 8 } else { id }).collect()
        };
        let good = harmless(&[&before[..], &after].concat());
        let bad = [&harmless(&before)[..], &[7], &harmless(&after)].concat();
        let mut documents: Vec<_> = (0..3).map(|i| framed(&format!("d{i}"), &good)).collect();
        let name = format!("d{which}");
        documents[which] = framed(&name, &bad);
        let run = collect_records(
            &Broken(value), &documents, WindowRule::WHOLE, NonZeroUsize::new(2).unwrap(),
        );
        let error = run.unwrap_err();
        let ScoreError::NonFinite { place, .. } = error else { panic!("{error}") };
        prop_assert_eq!(place, Place::Document { document: name, position: before.len() + 1 });
    }
}

#[test]
fn a_workload_repeated_gives_one_and_the_same_list_of_bits() {
    let texts: Vec<Vec<TokenId>> =
        (2..52).map(|len| (0..len).map(|i| (i * i + len) % VOCAB_SIZE as u32).collect()).collect();
    let requests: Vec<_> = texts.iter().map(|ids| ScoreRequest { ids, first_target: 1 }).collect();
    for model in all_models() {
        let run = || model.score(&requests).unwrap().iter().map(|s| bits(s)).collect::<Vec<_>>();
        let first = run();
        assert!((0..4).all(|_| run() == first), "{}", model.identity());
    }
}

#[test]
fn no_id_is_taken_for_padding() {
    for model in all_models() {
        let zeros = [0; 9];
        let long = [0, 5, 0, 0, 6, 0, 7, 0, 1];
        let short = [0, 0, 1];
        let requests = [&zeros[..], &long, &short].map(|ids| ScoreRequest { ids, first_target: 1 });
        let together = model.score(&requests).unwrap();
        for (scores, request) in together.iter().zip(requests) {
            assert_eq!(bits(scores), bits(&model.score(&[request]).unwrap()[0]));
        }
    }
}

#[test]
fn scoring_changes_no_weight_and_no_revision() {
    let model = decoder::<f64>(3);
    let (before, identity) = (model.clone(), model.identity());
    let request = ScoreRequest { ids: &[0, 5, 6, 1], first_target: 1 };
    let first = model.score(&[request]).unwrap();
    assert_eq!(model.score(&[request]).unwrap(), first);
    assert_eq!(model, before); // values, gradients and revisions
    assert_eq!(model.identity(), identity);
}

#[test]
fn one_changed_weight_is_another_identity() {
    let model = decoder::<f32>(3);
    let mut other = model.clone();
    assert_eq!(other.identity(), model.identity());
    other.parameters_mut()[4].value_mut()[5] *= 1.0 + f32::EPSILON;
    assert_ne!(other.identity(), model.identity());
    assert_ne!(decoder::<f64>(3).identity(), model.identity());
    let longer = DecoderConfig::reference(VOCAB_SIZE, CONTEXT_LEN + 1).validate().unwrap();
    assert_ne!(DecoderModel::<f32>::initialize(longer, 3).identity(), model.identity());
    assert_ne!(LanguageModel::identity(&bigram()), model.identity());
}

#[test]
fn a_number_that_is_not_finite_is_an_error_with_its_place() {
    let texts: [&[TokenId]; 2] = [&[0, 2, 2, 1], &[0, 2, 7, 3, 1]];
    let requests = texts.map(|ids| ScoreRequest { ids, first_target: 1 });
    for value in [f64::NAN, f64::INFINITY, 0.5] {
        let error = Broken(value).score(&requests).unwrap_err();
        let ScoreError::NonFinite { place, .. } = error else { panic!("{error}") };
        assert_eq!(place, Place::Request { request: 1, position: 3 });
    }
    // Probability zero is only an error for a target that came true.
    let impossible = Broken(f64::NEG_INFINITY);
    assert!(impossible.score(&requests).is_ok());
    let request = ScoreRequest { ids: &[0, 7, 2], first_target: 1 };
    assert!(matches!(impossible.score(&[request]), Err(ScoreError::NonFinite { .. })));

    let mut diverged = decoder::<f32>(3);
    diverged.parameters_mut()[0].value_mut()[0] = f32::NAN; // the embedding of id 0, and its logit
    let error = diverged.score(&[ScoreRequest { ids: &[4, 5, 6], first_target: 2 }]).unwrap_err();
    let ScoreError::NonFinite { place, value } = error else { panic!("{error}") };
    assert_eq!(place, Place::Request { request: 0, position: 2 });
    assert!(value.is_nan());
}

#[test]
fn requests_that_cannot_be_answered_are_refused_by_every_model() {
    let long = [0; CONTEXT_LEN + 2];
    for model in all_models() {
        let refused = |ids: &[TokenId], first_target| {
            let good = ScoreRequest { ids: &[0, 1], first_target: 1 };
            let error = model.score(&[good, ScoreRequest { ids, first_target }]).unwrap_err();
            let ScoreError::Request { place: Place::Request { request, position }, .. } = error
            else {
                panic!("{error}")
            };
            assert_eq!(request, 1);
            position
        };
        assert_eq!(refused(&[], 0), 0);
        assert_eq!(refused(&[0], 1), 1);
        assert_eq!(refused(&[0, 1], 0), 0);
        assert_eq!(refused(&[0, 1], 2), 2);
        assert_eq!(refused(&[0, 1, VOCAB_SIZE as TokenId], 1), 2); // a target
        assert_eq!(refused(&[0, TokenId::MAX, 1], 2), 1); // context
        if model.max_context().is_some() {
            assert_eq!(refused(&long, 1), CONTEXT_LEN);
        }
        assert!(model.score(&[ScoreRequest { ids: &long[1..], first_target: 1 }]).is_ok());
        let rows = [RowRequest::next(&[0, 1]), RowRequest { ids: &[0, 1], first: 3 }];
        let error = model.visit_rows(&rows, &mut |_| panic!("a row before the check")).unwrap_err();
        assert!(matches!(error, ScoreError::Request { .. }), "{error}");
    }
}

#[test]
fn an_error_of_the_visitor_ends_the_visit() {
    for model in all_models() {
        let mut visited = 0;
        let error = model.visit_rows(&[RowRequest { ids: &[0, 1, 2], first: 1 }], &mut |_| {
            visited += 1;
            Err(ScoreError::Code { problem: "enough".into() })
        });
        assert!(matches!(error, Err(ScoreError::Code { .. })));
        assert_eq!(visited, 1);
    }
}
