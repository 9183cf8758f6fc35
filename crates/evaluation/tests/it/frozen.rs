//! Scoring changes nothing.

use std::cell::Cell;

use llm_autograd::AutogradContext;
use llm_corpus::{Partition, VariableBatch};
use llm_evaluation::{EvaluationError, GradientBits, evaluate, evaluate_loss_batches_no_grad};
use llm_model::{DecoderModel, DropoutMode, DropoutProbability, DropoutStream};

use crate::{binding, model, separate};

/// A model that has learned once and still holds the gradient of a second backward pass.
fn model_with_gradients() -> DecoderModel<f64> {
    let mut model = model::<f64>(10, 39);
    let batch = &separate(Partition::Train, &[&[0, 5, 6, 1]])[0];
    let backward = |model: &mut DecoderModel<f64>| {
        let context = AutogradContext::recording();
        let loss = model.loss_padded_with_context(&context, batch, batch.binding()).unwrap();
        model.backward(&context, loss.sum().unwrap()).unwrap();
    };
    backward(&mut model);
    for parameter in model.parameters_mut() {
        let (value, gradient) = parameter.value_and_gradient();
        value.iter_mut().zip(gradient).for_each(|(x, g)| *x -= 0.1 * g);
    }
    model.clear_gradients();
    backward(&mut model);
    model
}

fn value_bits(model: &DecoderModel<f64>) -> Vec<u64> {
    model.parameters().iter().flat_map(|parameter| parameter.value().bits()).collect()
}

#[test]
fn nonzero_gradients_values_and_revisions_keep_their_bits() {
    let model = model_with_gradients();
    let gradients: Vec<u64> = model.gradient_bits().collect();
    let nonzero = |g: &[f64]| g.iter().any(|&x| x != 0.0);
    assert!(model.parameters().iter().all(|p| p.gradient().is_some_and(nonzero)));
    assert!(model.parameters()[0].head_gradient().is_some_and(nonzero));
    let values = value_bits(&model);

    let batches = separate(Partition::Validation, &[&[0, 6, 5, 1], &[0, 5, 1]]);
    let first = evaluate(&model, Partition::Validation, &binding(10, 8), &batches).unwrap();
    let second = evaluate(&model, Partition::Validation, &binding(10, 8), &batches).unwrap();

    assert_eq!(first, second);
    assert_eq!(model.gradient_bits().collect::<Vec<_>>(), gradients);
    assert_eq!(value_bits(&model), values);
    assert!(model.parameters().iter().all(|parameter| parameter.revision() == 1));
}

#[test]
fn gradient_bits_tell_absent_from_zero_and_one_gradient_from_another() {
    let mut model = model_with_gradients();
    let bits = |model: &DecoderModel<f64>| model.gradient_bits().collect::<Vec<_>>();
    let full = bits(&model);
    model.parameters_mut()[1].gradient_mut().unwrap()[7] *= -1.0;
    let flipped = bits(&model);
    assert_eq!(full.iter().zip(&flipped).filter(|(a, b)| a != b).count(), 1);

    model.clear_gradients();
    let absent = bits(&model);
    assert!(absent.len() <= 2 * model.parameters().len(), "a snapshot of nothing is small");
    let [mut query, mut key] = [model.clone(), model];
    query.parameters_mut()[2].value_and_gradient(); // makes a gradient of 64 zeros
    key.parameters_mut()[3].value_and_gradient();
    assert_ne!(bits(&query), absent);
    assert_ne!(bits(&query), bits(&key), "the same numbers, but of another parameter");
}

/// A model that remembers something while it is read.
struct Careless {
    model: DecoderModel<f64>,
    gradient: Cell<f64>,
}

impl GradientBits for Careless {
    fn gradient_bits(&self) -> impl Iterator<Item = u64> {
        [self.gradient.get().to_bits()].into_iter()
    }
}

#[test]
fn a_gradient_that_changed_during_scoring_is_refused_even_if_only_its_sign_bit_did() {
    let careless = Careless { model: model(10, 39), gradient: Cell::new(0.0) };
    let batches = separate(Partition::Validation, &[&[0, 5, 1]]);
    let score = |gradient_after: f64| {
        let loss = |context: &AutogradContext<f64>, batch: &VariableBatch| {
            careless.gradient.set(gradient_after);
            careless.model.loss_padded_with_context(context, batch, batch.binding())
        };
        evaluate_loss_batches_no_grad(&careless, Partition::Validation, &batches, loss)
    };
    score(0.0).unwrap();
    let error = score(-0.0).unwrap_err();
    assert!(
        matches!(
            error,
            EvaluationError::ValidationChangedGradient { partition: Partition::Validation }
        ),
        "{error}"
    );
}

#[test]
fn dropout_is_switched_off_by_its_mode_and_not_by_the_missing_tape() {
    let model = model::<f64>(10, 39);
    let (partition, expected) = (Partition::Validation, binding(10, 8));
    let batches = separate(partition, &[&[0, 6, 5, 1], &[0, 5, 1]]);
    let half = DropoutProbability::new(0.5).unwrap();
    let mut stream = DropoutStream::new(7);
    let plain = evaluate(&model, partition, &expected, &batches).unwrap();

    let eval = |context: &AutogradContext<f64>, batch: &VariableBatch| {
        model.loss_with_dropout(context, batch, &expected, half, DropoutMode::Eval)
    };
    let eval = evaluate_loss_batches_no_grad(&model, partition, &batches, eval).unwrap();
    assert_eq!(eval, plain);

    let train = |context: &AutogradContext<f64>, batch: &VariableBatch| {
        let mode = DropoutMode::Train(&mut stream);
        model.loss_with_dropout(context, batch, &expected, half, mode)
    };
    let train = evaluate_loss_batches_no_grad(&model, partition, &batches, train).unwrap();
    assert_ne!(train.metrics, plain.metrics);
    assert!(stream.drawn() > 0);
    assert_eq!(train.recorded_graphs, 0);
}
