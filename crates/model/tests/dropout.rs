//! When dropout acts: in training mode alone, with or without a tape. What it does then is
//! tested in `dropout_masks.rs`.

use llm_autograd::AutogradContext;
use llm_corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
use llm_model::{DecoderConfig, DecoderModel, DropoutMode, DropoutProbability, DropoutStream};

/// Two blocks, and a batch of three documents of four inputs.
fn model_and_batch() -> (DecoderModel<f64>, VariableBatch) {
    let config = DecoderConfig { n_layers: 2, ..DecoderConfig::reference(10, 4) };
    let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 4 };
    let documents = [[0, 2, 2, 5, 1], [0, 9, 8, 0, 1], [0, 3, 3, 3, 3]]
        .map(|ids| EncodedDocument::from_ids("x", Partition::Train, ids.to_vec()).unwrap());
    let batch = VariableBatch::training(&binding, &number(0, &documents)).unwrap();
    (DecoderModel::initialize(config.validate().unwrap(), 3), batch)
}

/// Mask elements of one forward pass: 12 inputs, 8 features, and a site behind the embedding and
/// two in each block.
const DRAWN: u64 = 12 * 8 * 5;

/// The bits of the batch's losses in a mode with probability `p`.
fn losses(context: &AutogradContext<f64>, p: f64, mode: DropoutMode<'_>) -> Vec<u64> {
    let (model, batch) = model_and_batch();
    let p = DropoutProbability::new(p).unwrap();
    let loss = model.loss_with_dropout(context, &batch, batch.binding(), p, mode).unwrap();
    loss.token_nll().iter().map(|nll| nll.to_bits()).collect()
}

/// The bits of the batch's losses as evaluation computes them, which knows no dropout.
fn plain_losses() -> Vec<u64> {
    let (model, batch) = model_and_batch();
    let context = AutogradContext::no_grad();
    let loss = model.loss_padded_with_context(&context, &batch, batch.binding()).unwrap();
    loss.token_nll().iter().map(|nll| nll.to_bits()).collect()
}

#[test]
fn evaluation_drops_nothing_and_leaves_the_stream_alone() {
    let (no_grad, mut stream) = (AutogradContext::no_grad(), DropoutStream::new(7));
    let dropped = losses(&no_grad, 0.5, DropoutMode::Train(&mut stream));
    assert_eq!(stream.drawn(), DRAWN);
    for context in [AutogradContext::no_grad(), AutogradContext::recording()] {
        assert_eq!(losses(&context, 0.5, DropoutMode::Eval), plain_losses());
    }
    assert_eq!(stream.drawn(), DRAWN);
    // Neither evaluation nor the first draw changed what the stream gives.
    assert_eq!(losses(&no_grad, 0.5, DropoutMode::Train(&mut stream)), dropped);
    assert_eq!(stream.drawn(), 2 * DRAWN);
}

#[test]
fn evaluation_has_the_gradients_of_the_plain_loss() {
    let gradients = |mode: Option<DropoutMode<'_>>| {
        let (mut model, batch) = model_and_batch();
        let context = AutogradContext::recording();
        let p = DropoutProbability::new(0.5).unwrap();
        let loss = match mode {
            Some(mode) => model.loss_with_dropout(&context, &batch, batch.binding(), p, mode),
            None => model.loss_padded_with_context(&context, &batch, batch.binding()),
        };
        model.backward(&context, loss.unwrap().sum().unwrap()).unwrap();
        let gradients = model.parameters().iter().map(|p| p.gradient().unwrap().to_vec());
        gradients.collect::<Vec<_>>()
    };
    let plain = gradients(None);
    assert_eq!(gradients(Some(DropoutMode::Eval)), plain);
    assert_ne!(gradients(Some(DropoutMode::Train(&mut DropoutStream::new(7)))), plain);
}

#[test]
fn training_mode_drops_the_same_features_with_and_without_a_tape() {
    let mut stream = DropoutStream::new(7);
    let no_grad = AutogradContext::no_grad();
    let dropped = losses(&no_grad, 0.5, DropoutMode::Train(&mut stream));
    assert_ne!(dropped, plain_losses());
    assert_eq!(stream.drawn(), DRAWN);
    let recording = AutogradContext::recording();
    assert_eq!(losses(&recording, 0.5, DropoutMode::Train(&mut stream)), dropped);
}

#[test]
fn a_probability_of_zero_draws_nothing() {
    let mut stream = DropoutStream::new(7);
    for zero in [0.0, -0.0] {
        let context = AutogradContext::no_grad();
        assert_eq!(losses(&context, zero, DropoutMode::Train(&mut stream)), plain_losses());
    }
    assert_eq!(stream.drawn(), 0);
}

#[test]
fn probabilities_outside_zero_to_one_are_refused() {
    for p in [1.0, 1.5, -0.1, -f64::MIN_POSITIVE, f64::INFINITY, -f64::INFINITY, f64::NAN] {
        let message = DropoutProbability::new(p).unwrap_err().to_string();
        assert!(message.contains(&format!("dropout probability {p}, expected")), "{message}");
    }
    for p in [0.0, f64::MIN_POSITIVE, 0.5, 1.0_f64.next_down()] {
        assert_eq!(DropoutProbability::new(p).unwrap().get(), p);
    }
}
