//! What the chapter's crates refuse, with the chapter's own documents.

use llm_from_scratch_practical::{autograd, corpus, evaluation, metrics, model, trainer};

use autograd::{AutogradContext, Tensor};
use corpus::{BatchBinding, CorpusError, Layout, Partition, VariableBatch, number};
use evaluation::{EvaluationError, EvaluationRole, evaluate, evaluate_loss_batches_no_grad};
use metrics::{MetricError, MetricSummary, score_assigned_probabilities};
use model::DecoderModel;
use practical_ch16_language_model_evaluation::{Chapter, ChapterError, Seeds};
use trainer::TrainError;

#[test]
fn an_evaluation_of_nothing_is_refused_by_its_role() {
    let chapter = Chapter::new().unwrap();
    let model = chapter.fresh_model(39).unwrap();
    let none: [VariableBatch; 0] = [];
    for (partition, expected) in [
        (Partition::Validation, EvaluationRole::ValidationSelection),
        (Partition::Train, EvaluationRole::TrainEvaluation),
    ] {
        let error = evaluate(&model, partition, &chapter.binding, &none).unwrap_err();
        assert!(
            matches!(error, EvaluationError::EmptyEpoch { role } if role == expected),
            "{error}"
        );
    }
}

/// The chapter's fresh model with one number replaced.
fn spoiled(chapter: &Chapter, value: f64) -> DecoderModel<f64> {
    let fresh = chapter.fresh_model(39).unwrap();
    let mut values: Vec<Tensor<f64>> =
        fresh.parameters().iter().map(|p| p.value().clone()).collect();
    values.last_mut().unwrap().data_mut()[0] = value;
    DecoderModel::from_parameters(*fresh.config(), values).unwrap()
}

#[test]
fn a_loss_that_is_not_finite_is_refused_by_evaluation_and_training() {
    let chapter = Chapter::new().unwrap();
    for value in [f64::NAN, f64::INFINITY] {
        let model = spoiled(&chapter, value);
        let batches = chapter.batches(Partition::Validation, Layout::SEPARATE).unwrap();
        let error =
            evaluate(&model, Partition::Validation, &chapter.binding, &batches).unwrap_err();
        assert!(matches!(error, EvaluationError::NonFiniteLoss { .. }), "{error}");

        let batches = chapter.batches(Partition::Train, Layout::SEPARATE).unwrap();
        let mut trainer = chapter.trainer(model).unwrap();
        let error = trainer.update(&chapter.binding, &batches).unwrap_err();
        assert!(matches!(error, TrainError::NonFinite { update: 0 }), "{error}");
        assert_eq!(trainer.updates(), 0);
    }
}

/// Finite weights that overflow inside the model must not pass as a uniform guess.
#[test]
fn weights_so_large_that_a_norm_overflows_are_refused() {
    let chapter = Chapter::new().unwrap();
    let fresh = chapter.fresh_model(39).unwrap();
    for factor in [1e155, 1e200, 1e300] {
        let mut values: Vec<Tensor<f64>> =
            fresh.parameters().iter().map(|p| p.value().clone()).collect();
        values[0].data_mut().iter_mut().for_each(|x| *x *= factor);
        let model = DecoderModel::from_parameters(*fresh.config(), values).unwrap();
        let batches = chapter.batches(Partition::Validation, Layout::SEPARATE).unwrap();
        let error =
            evaluate(&model, Partition::Validation, &chapter.binding, &batches).unwrap_err();
        assert!(matches!(error, EvaluationError::NonFiniteLoss { .. }), "{factor}: {error}");
    }
}

#[test]
fn a_batch_of_the_other_split_is_refused_by_evaluation_and_training() {
    let chapter = Chapter::new().unwrap();
    let model = chapter.fresh_model(39).unwrap();
    let [train, validation] = [Partition::Train, Partition::Validation]
        .map(|partition| chapter.batches(partition, Layout::SEPARATE).unwrap());
    let error = evaluate(&model, Partition::Validation, &chapter.binding, &train).unwrap_err();
    let wrong_partition =
        |source: &CorpusError| matches!(source, CorpusError::WrongPartition { .. });
    assert!(
        matches!(&error, EvaluationError::Batch { batch: 0, source } if wrong_partition(source))
    );

    let mut trainer = chapter.trainer(model).unwrap();
    let error = trainer.update(&chapter.binding, &validation).unwrap_err();
    assert!(
        matches!(&error, TrainError::Batch { microbatch: 0, source } if wrong_partition(source))
    );
    let documents = number(0, &chapter.validation);
    let error = VariableBatch::training(&chapter.binding, &documents).unwrap_err();
    assert!(wrong_partition(&error), "{error}");
}

#[test]
fn a_batch_of_another_binding_is_refused() {
    let chapter = Chapter::new().unwrap();
    let model = chapter.fresh_model(39).unwrap();
    let others = [
        BatchBinding { tokenizer_sha256: "0".repeat(64), ..chapter.binding.clone() },
        BatchBinding { vocab_size: 267, ..chapter.binding.clone() },
        BatchBinding { capacity: 9, ..chapter.binding.clone() },
    ];
    for other in others {
        let documents = number(0, &chapter.validation);
        let batch = VariableBatch::padded(Partition::Validation, &other, &documents).unwrap();
        let error =
            evaluate(&model, Partition::Validation, &chapter.binding, [&batch]).unwrap_err();
        let EvaluationError::Batch { batch: 0, source } = error else { panic!("{error}") };
        assert!(matches!(source, CorpusError::WrongBinding { .. }), "{source}");
    }
}

#[test]
fn a_loss_that_recorded_a_graph_is_refused_with_split_and_batch() {
    let chapter = Chapter::new().unwrap();
    let model = chapter.fresh_model(39).unwrap();
    let batches = chapter.batches(Partition::Validation, Layout::SEPARATE).unwrap();
    let mut seen = 0;
    let error =
        evaluate_loss_batches_no_grad(&model, Partition::Validation, &batches, |context, batch| {
            seen += 1;
            let recording = AutogradContext::recording();
            let context = if seen == 2 { &recording } else { context };
            model.loss_padded_with_context(context, batch, &chapter.binding)
        })
        .unwrap_err();
    assert!(
        matches!(
            error,
            EvaluationError::ValidationRecordedGraph { partition: Partition::Validation, batch: 1 }
        ),
        "{error}"
    );
}

#[test]
fn more_targets_than_a_count_can_hold_are_refused() {
    let most = MetricSummary::from_total_nll(1.0, usize::MAX).unwrap();
    let error = most.merge(MetricSummary::from_total_nll(1.0, 1).unwrap()).unwrap_err();
    assert!(matches!(error, MetricError::TargetCountOverflow { .. }), "{error}");
}

/// An infinite loss is a value of the probability metric and a refusal of the neural evaluator.
#[test]
fn a_probability_of_zero_is_no_error_but_a_number_that_is_none_is() {
    let scored = score_assigned_probabilities(&[0.5, 0.0]).unwrap();
    assert_eq!((scored.mean_nll(), scored.perplexity()), (f64::INFINITY, f64::INFINITY));
    for wrong in [-0.1, 1.1, f64::NAN] {
        let error = score_assigned_probabilities(&[0.5, wrong]).unwrap_err();
        assert!(matches!(error, MetricError::InvalidProbability { index: 1, .. }), "{error}");
    }
}

#[test]
fn seeds_must_be_numbers_at_least_one_and_none_twice() {
    assert!(matches!("39,40,39".parse::<Seeds>(), Err(ChapterError::RepeatedSeed { seed: 39 })));
    assert!(matches!(Seeds::new(Vec::new()), Err(ChapterError::NoSeeds)));
    for text in ["", "39,", "-1", "1.5", "18446744073709551616", "39;40"] {
        assert!(matches!(text.parse::<Seeds>(), Err(ChapterError::InvalidSeed { .. })), "{text}");
    }
    assert_eq!("18446744073709551615".parse::<Seeds>().unwrap().first(), u64::MAX);
}
