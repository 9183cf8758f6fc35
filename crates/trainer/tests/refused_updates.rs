//! An update that cannot be made is refused with a typed error, and leaves no trace: the trainer
//! goes on with the same bits as one that was never asked.

use llm_corpus::{
    BatchBinding, CorpusError, EncodedDocument, NumberedDocument, Partition, VariableBatch,
};
use llm_model::{DecoderConfig, DecoderModel, DropoutProbability, ModelError};
use llm_trainer::{AdamWConfig, Schedule, TrainError, Trainer, TrainingConfig};

const VOCAB_SIZE: usize = 10;
/// An id that occurs in no document of a good update.
const POISON: u32 = 9;

/// The capacity is larger than the model's context of 6 inputs.
fn binding() -> BatchBinding {
    BatchBinding { tokenizer_sha256: "none".into(), vocab_size: VOCAB_SIZE, capacity: 8 }
}

/// A batch of documents with the given ordinals.
fn batch(
    partition: Partition,
    binding: &BatchBinding,
    documents: &[(u64, &[u32])],
) -> VariableBatch {
    let encoded: Vec<_> = documents
        .iter()
        .map(|(ordinal, ids)| {
            (*ordinal, EncodedDocument::from_ids("x", partition, ids.to_vec()).unwrap())
        })
        .collect();
    let numbered: Vec<_> = encoded
        .iter()
        .map(|(ordinal, document)| NumberedDocument { ordinal: *ordinal, document })
        .collect();
    VariableBatch::padded(partition, binding, &numbered).unwrap()
}

fn training(documents: &[(u64, &[u32])]) -> VariableBatch {
    batch(Partition::Train, &binding(), documents)
}

/// A model whose embedding of the poisoned id is `poison`, everywhere. Its output head is its own, so
/// documents without the id are learned from as usual.
fn model(poison: f64, norm_eps: f64) -> DecoderModel<f64> {
    let config = DecoderConfig {
        norm_eps,
        tied_head: false,
        n_layers: 2,
        ..DecoderConfig::reference(VOCAB_SIZE, 6)
    };
    let d_model = config.d_model;
    let mut model = DecoderModel::initialize(config.validate().unwrap(), 8);
    model.parameters_mut()[0].value_mut()[POISON as usize * d_model..].fill(poison);
    model
}

fn trainer(model: DecoderModel<f64>) -> Trainer<f64> {
    let config = TrainingConfig {
        optimizer: AdamWConfig { weight_decay: 0.1, ..AdamWConfig::default() },
        schedule: Schedule::Constant { rate: 0.02 },
        dropout: DropoutProbability::new(0.3).unwrap(),
        ..TrainingConfig::default()
    };
    Trainer::new(model, config).unwrap()
}

/// Everything of a model that an update changes: value bits, gradients, revisions.
fn state(trainer: &Trainer<f64>) -> (u64, Vec<(Vec<u64>, bool, u64)>) {
    let parameters = trainer.model().parameters().iter().map(|parameter| {
        let has_gradient = parameter.gradient().or(parameter.head_gradient()).is_some();
        (parameter.value().bits(), has_gradient, parameter.revision())
    });
    (trainer.updates(), parameters.collect())
}

/// Asks for the impossible before, between and after good updates. Returns the first error.
fn refused(
    model: DecoderModel<f64>,
    binding_of_update: &BatchBinding,
    microbatches: &[VariableBatch],
) -> TrainError {
    let (mut never_asked, mut asked) = (trainer(model.clone()), trainer(model));
    let mut errors = Vec::new();
    for update in 0..4 {
        let before = state(&asked);
        errors.push(asked.update(binding_of_update, microbatches).unwrap_err());
        assert_eq!(state(&asked), before);

        let good = [
            training(&[(3 * update, &[0, 2, 3, 1]), (3 * update + 1, &[0, 5])]),
            training(&[(3 * update + 2, &[0, 4, 4, 0, 1])]),
        ];
        let reports = [&mut never_asked, &mut asked]
            .map(|trainer| trainer.update(&binding(), &good).unwrap());
        assert_eq!(reports[0], reports[1]);
        assert_eq!(state(&asked), state(&never_asked));
    }
    assert_eq!(asked.updates(), 4);
    errors.swap_remove(0)
}

fn sound_model() -> DecoderModel<f64> {
    model(0.5, 1e-6)
}

#[test]
fn an_update_of_nothing() {
    let error = refused(sound_model(), &binding(), &[]);
    assert!(matches!(error, TrainError::EmptyUpdate), "{error}");
}

#[test]
fn documents_of_another_partition() {
    for partition in [Partition::Validation, Partition::Test] {
        let other = batch(partition, &binding(), &[(1, &[0, 2, 1])]);
        let error = refused(sound_model(), &binding(), &[training(&[(0, &[0, 2])]), other]);
        let TrainError::Batch { microbatch: 1, source } = error else { panic!("{error}") };
        let CorpusError::WrongPartition { given, expected, .. } = source else {
            panic!("{source}")
        };
        assert_eq!((given, expected), (partition, Partition::Train));
    }
}

#[test]
fn batches_of_another_tokenizer_or_capacity() {
    let others = [
        BatchBinding { tokenizer_sha256: "other".into(), ..binding() },
        BatchBinding { capacity: 9, ..binding() },
        BatchBinding { vocab_size: VOCAB_SIZE + 1, ..binding() },
    ];
    for other in others {
        let microbatches =
            [training(&[(0, &[0, 2])]), batch(Partition::Train, &other, &[(1, &[0, 2, 1])])];
        let error = refused(sound_model(), &binding(), &microbatches);
        let TrainError::Batch { microbatch: 1, source } = error else { panic!("{error}") };
        assert!(matches!(source, CorpusError::WrongBinding { .. }), "{source}");
    }
}

#[test]
fn batches_that_the_model_cannot_read() {
    let binding_of_more = BatchBinding { vocab_size: VOCAB_SIZE + 1, ..binding() };
    let of_more = batch(Partition::Train, &binding_of_more, &[(0, &[0, 10, 1])]);
    let error = refused(sound_model(), &binding_of_more, &[of_more]);
    let TrainError::Model(source) = error else { panic!("{error}") };
    assert!(matches!(source, ModelError::Vocabulary { given: 11, expected: 10 }), "{source}");

    // Found only after the first microbatch has left its gradients.
    let microbatches = [training(&[(0, &[0, 2])]), training(&[(1, &[0, 2, 2, 2, 2, 2, 2, 1])])];
    let error = refused(sound_model(), &binding(), &microbatches);
    let TrainError::Model(source) = error else { panic!("{error}") };
    let ModelError::ContextLength { ordinal, tokens, context_len } = source else {
        panic!("{source}")
    };
    assert_eq!((ordinal, tokens, context_len), (1, 7, 6));
}

#[test]
fn documents_out_of_order_across_microbatches() {
    let ids: &[u32] = &[0, 2, 1];
    let cases: [(Vec<Vec<u64>>, usize, u64, u64); 4] = [
        (vec![vec![1], vec![0]], 1, 0, 1),
        (vec![vec![0], vec![0]], 1, 0, 0),
        (vec![vec![0], vec![1, 3], vec![2, 4]], 2, 2, 3),
        (vec![vec![7, 8], vec![u64::MAX], vec![9]], 2, 9, u64::MAX),
    ];
    for (ordinals, microbatch, ordinal, previous) in cases {
        let microbatches = ordinals.into_iter().map(|ordinals| {
            training(&ordinals.into_iter().map(|ordinal| (ordinal, ids)).collect::<Vec<_>>())
        });
        let error = refused(sound_model(), &binding(), &microbatches.collect::<Vec<_>>());
        let TrainError::DocumentOrder { microbatch: m, ordinal: o, previous: p } = error else {
            panic!("{error}")
        };
        assert_eq!((m, o, p), (microbatch, ordinal, previous));
    }
}

#[test]
fn a_loss_that_is_not_finite() {
    let microbatches = [training(&[(0, &[0, 2, 1])]), training(&[(1, &[0, POISON, 1])])];
    for poison in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = refused(model(poison, 1e-6), &binding(), &microbatches);
        assert!(matches!(error, TrainError::NonFinite { update: 0 }), "{error}");
    }
}

/// The mean square of a row of 1e-120 can be formed, and so can its losses. The third power of its
/// inverse root, which the gradient needs, overflows.
#[test]
fn a_gradient_that_is_not_finite_below_a_finite_loss() {
    let (model, poisoned) = (model(1e-120, 0.0), training(&[(0, &[0, POISON, 1])]));
    let context = llm_autograd::AutogradContext::no_grad();
    let loss = model.loss_padded_with_context(&context, &poisoned, &binding()).unwrap();
    assert!(loss.mean().is_finite());
    let error = refused(model, &binding(), &[poisoned]);
    assert!(matches!(error, TrainError::NonFinite { update: 0 }), "{error}");
}
