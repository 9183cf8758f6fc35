//! What has no score, and why.

use llm_autograd::AutogradContext;
use llm_baselines::BigramModel;
use llm_corpus::{
    BatchBinding, CorpusError, EncodedDocument, NumberedDocument, PackedBatch, Partition,
    VariableBatch,
};
use llm_evaluation::{
    Evaluation, EvaluationError, EvaluationRole, ScoredTarget, TargetLosses, check_batch, evaluate,
    evaluate_loss_batches_no_grad, score_bigram,
};
use llm_metrics::MetricError;
use llm_model::ModelError;

use crate::{binding, document, model, separate};

const VALIDATION: Partition = Partition::Validation;

/// Losses that no model computed.
struct Given {
    token_nll: Vec<f64>,
    recorded: bool,
}

impl TargetLosses for Given {
    fn token_nll(&self) -> &[f64] {
        &self.token_nll
    }

    fn tracks_gradient(&self) -> bool {
        self.recorded
    }
}

/// Scores validation batches, taking their losses from a list.
fn score_given(
    batches: &[VariableBatch],
    losses: &[&[f64]],
) -> Result<Evaluation, EvaluationError> {
    let mut losses = losses.iter();
    let next = |_: &AutogradContext<f64>, _: &VariableBatch| {
        let token_nll = losses.next().expect("a list for every batch").to_vec();
        Ok(Given { token_nll, recorded: false })
    };
    evaluate_loss_batches_no_grad(&model::<f64>(10, 39), VALIDATION, batches, next)
}

fn bigram(vocab_size: usize) -> BigramModel {
    BigramModel::fit(vocab_size, &[document(Partition::Train, &[0, 5, 1])]).unwrap()
}

#[test]
fn given_losses_are_pooled_by_target() {
    let batches = separate(VALIDATION, &[&[0, 5, 1], &[0, 5, 5, 5, 1]]);
    let score = score_given(&batches, &[&[1.0, 2.0], &[2.0, 2.0, 2.0, 9.0]]).unwrap();
    assert_eq!((score.metrics.mean_nll(), score.metrics.target_count()), (3.0, 6));
    assert_eq!((score.batch_count, score.recorded_graphs), (2, 0));
}

#[test]
fn an_evaluation_of_nothing_is_refused_and_names_its_role() {
    let none: [VariableBatch; 0] = [];
    for (partition, expected) in [
        (Partition::Train, EvaluationRole::TrainEvaluation),
        (Partition::Validation, EvaluationRole::ValidationSelection),
        (Partition::Test, EvaluationRole::FinalTest),
    ] {
        let neural = evaluate(&model::<f64>(10, 39), partition, &binding(10, 8), &none);
        let counted = score_bigram(&bigram(10), partition, &binding(10, 8), &none);
        for error in [neural.unwrap_err(), counted.unwrap_err()] {
            assert!(
                matches!(error, EvaluationError::EmptyEpoch { role } if role == expected),
                "{error}"
            );
        }
    }
}

#[test]
fn a_batch_of_another_partition_is_refused_by_number() {
    let (binding, good) = (binding(10, 8), separate(VALIDATION, &[&[0, 5, 1]]));
    for other in [Partition::Train, Partition::Test] {
        let bad = separate(other, &[&[0, 5, 1]]);
        let batches = || good.iter().chain(&bad);
        let neural = evaluate(&model::<f64>(10, 39), VALIDATION, &binding, batches());
        let counted = score_bigram(&bigram(10), VALIDATION, &binding, batches());
        // A loss that accepts anything does not change under which name the score goes.
        let any_loss = |_: &AutogradContext<f64>, _: &VariableBatch| {
            Ok(Given { token_nll: vec![1.0; 2], recorded: false })
        };
        let model = model::<f64>(10, 39);
        let given = evaluate_loss_batches_no_grad(&model, VALIDATION, batches(), any_loss);
        for error in [neural.unwrap_err(), counted.unwrap_err(), given.unwrap_err()] {
            let EvaluationError::Batch { batch: 1, source } = &error else { panic!("{error}") };
            assert!(
                matches!(source, CorpusError::WrongPartition { document: None, given, expected }
                    if *given == other && *expected == VALIDATION),
                "{source}"
            );
        }
    }
}

#[test]
fn a_batch_of_another_binding_is_refused_by_number() {
    let batches = separate(VALIDATION, &[&[0, 5, 1]]);
    let built_for = binding(10, 8);
    check_batch(VALIDATION, &built_for, &batches[0]).unwrap();
    let others = [
        BatchBinding { tokenizer_sha256: "1".repeat(64), ..built_for.clone() },
        BatchBinding { capacity: 9, ..built_for },
    ];
    for other in others {
        let neural = evaluate(&model::<f64>(10, 39), VALIDATION, &other, &batches).unwrap_err();
        let counted = score_bigram(&bigram(10), VALIDATION, &other, &batches).unwrap_err();
        for error in [neural, counted] {
            let EvaluationError::Batch { batch: 0, source } = &error else { panic!("{error}") };
            let CorpusError::WrongBinding { expected, .. } = source else { panic!("{source}") };
            assert_eq!(**expected, other);
        }
    }
}

#[test]
fn a_model_over_another_number_of_ids_is_refused() {
    let batches = separate(VALIDATION, &[&[0, 5, 1]]);
    for vocab_size in [9, 11] {
        let neural = evaluate(&model::<f64>(vocab_size, 39), VALIDATION, &binding(10, 8), &batches);
        let error = neural.unwrap_err();
        assert!(
            matches!(
                error,
                EvaluationError::Model { batch: 0, source: ModelError::Vocabulary { .. } }
            ),
            "{error}"
        );
        let counted = score_bigram(&bigram(vocab_size), VALIDATION, &binding(10, 8), &batches);
        let error = counted.unwrap_err();
        assert!(
            matches!(error, EvaluationError::Vocabulary { given, expected: 10 } if given == vocab_size),
            "{error}"
        );
    }
}

#[test]
fn a_document_longer_than_the_context_is_refused_with_its_batch() {
    // Capacity 20 lets nine inputs into the batch, the model reads eight.
    let binding = binding(10, 20);
    let long: EncodedDocument = document(VALIDATION, &[5; 10]);
    let numbered = [NumberedDocument { ordinal: 3, document: &long }];
    let packed = PackedBatch::first_fit(VALIDATION, &binding, &numbered).unwrap();
    let error = evaluate(&model::<f64>(10, 39), VALIDATION, &binding, [packed.storage()]);
    let error = error.unwrap_err();
    assert!(
        matches!(
            error,
            EvaluationError::Model {
                batch: 0,
                source: ModelError::ContextLength { ordinal: 3, tokens: 9, context_len: 8 }
            }
        ),
        "{error}"
    );
}

#[test]
fn a_recorded_loss_is_refused_before_anyone_looks_at_its_value() {
    let batches = separate(VALIDATION, &[&[0, 5, 1], &[0, 6, 1]]);
    let mut calls = 0;
    let records_second = |_: &AutogradContext<f64>, _: &VariableBatch| {
        calls += 1;
        Ok(Given {
            token_nll: vec![if calls == 2 { f64::NAN } else { 1.0 }; 2],
            recorded: calls == 2,
        })
    };
    let model = model::<f64>(10, 39);
    let error = evaluate_loss_batches_no_grad(&model, VALIDATION, &batches, records_second);
    let error = error.unwrap_err();
    assert!(
        matches!(
            error,
            EvaluationError::ValidationRecordedGraph { partition: VALIDATION, batch: 1 }
        ),
        "{error}"
    );
}

#[test]
fn a_model_loss_from_a_context_of_its_own_is_caught_recording() {
    let batches = separate(VALIDATION, &[&[0, 5, 1]]);
    let model = model::<f64>(10, 39);
    let own_tape = AutogradContext::recording();
    let recorded = |_: &AutogradContext<f64>, batch: &VariableBatch| {
        model.loss_padded_with_context(&own_tape, batch, batch.binding())
    };
    let error = evaluate_loss_batches_no_grad(&model, VALIDATION, &batches, recorded).unwrap_err();
    assert!(matches!(error, EvaluationError::ValidationRecordedGraph { batch: 0, .. }), "{error}");
}

#[test]
fn a_non_finite_loss_is_refused_with_document_and_position() {
    // Two documents in one row, in the second batch; the first scores only its last two targets.
    let binding = binding(10, 8);
    let first = document(VALIDATION, &[0, 5, 6, 1]).with_scored(vec![false, true, true]).unwrap();
    let second = document(VALIDATION, &[0, 7, 1]);
    let numbered = [
        NumberedDocument { ordinal: 40, document: &first },
        NumberedDocument { ordinal: 41, document: &second },
    ];
    let packed = PackedBatch::first_fit(VALIDATION, &binding, &numbered).unwrap();
    let mut batches = separate(VALIDATION, &[&[0, 5, 1]]);
    batches.push(packed.into_storage());

    // Scored targets in order: ids 2 and 3 of document 40, ids 1 and 2 of document 41.
    let places = [(40, 2), (40, 3), (41, 1), (41, 2)];
    for (bad, (ordinal, position)) in places.into_iter().enumerate() {
        for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let mut losses = [1.0; 4];
            losses[bad] = value;
            let error = score_given(&batches, &[&[1.0, 1.0], &losses]).unwrap_err();
            let EvaluationError::NonFiniteLoss { partition: VALIDATION, value: told, target } =
                error
            else {
                panic!("{error}")
            };
            assert_eq!(told.to_bits(), value.to_bits());
            assert_eq!(target, Some(ScoredTarget { batch: 1, ordinal, position }));
        }
    }
}

#[test]
fn a_model_with_an_infinite_weight_is_refused() {
    let mut model = model::<f64>(10, 39);
    model.parameters_mut()[0].value_mut()[5 * 8] = f64::INFINITY; // first feature of id 5
    let batches = separate(VALIDATION, &[&[0, 5, 1]]);
    let error = evaluate(&model, VALIDATION, &binding(10, 8), &batches).unwrap_err();
    let target = Some(ScoredTarget { batch: 0, ordinal: 0, position: 1 });
    assert!(
        matches!(error, EvaluationError::NonFiniteLoss { target: told, .. } if told == target),
        "{error}"
    );
}

#[test]
fn finite_losses_with_an_infinite_sum_are_refused_without_a_place() {
    let batches = separate(VALIDATION, &[&[0, 5, 1]]);
    let error = score_given(&batches, &[&[f64::MAX, f64::MAX]]).unwrap_err();
    assert!(
        matches!(error, EvaluationError::NonFiniteLoss { value: f64::INFINITY, target: None, .. }),
        "{error}"
    );
    assert!(error.to_string().starts_with("the mean loss on the validation partition is inf"));
}

#[test]
fn a_negative_loss_is_refused() {
    let batches = separate(VALIDATION, &[&[0, 5, 1]]);
    let error = score_given(&batches, &[&[1.0, -0.5]]).unwrap_err();
    assert!(
        matches!(error, EvaluationError::Metric(MetricError::InvalidNll { index: 1, value: -0.5 })),
        "{error}"
    );
}

#[test]
fn losses_for_another_number_of_targets_are_refused() {
    let batches = separate(VALIDATION, &[&[0, 5, 1]]);
    for given_losses in [&[][..], &[1.0], &[1.0; 3]] {
        let error = score_given(&batches, &[given_losses]).unwrap_err();
        assert!(
            matches!(error, EvaluationError::LossCount { batch: 0, given, expected: 2 }
                if given == given_losses.len()),
            "{error}"
        );
    }
}
