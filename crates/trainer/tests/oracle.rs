//! Training runs against an independent float64 program; `testdata/oracle.json` says how its numbers
//! were made and where each tolerance comes from.

use llm_autograd::AutogradContext;
use llm_corpus::{BatchBinding, EncodedDocument, Layout, Partition, VariableBatch, batches};
use llm_model::{DecoderConfig, DecoderModel};
use llm_trainer::{AdamWConfig, Schedule, Trainer, TrainingConfig, global_norm};
use serde::Deserialize;

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    model: Model,
    optimizer: Optimizer,
    train_documents: Vec<Vec<u32>>,
    validation_documents: Vec<Vec<u32>>,
    checkpoints: Vec<Checkpoint>,
    at_update_0: Option<AtUpdateZero>,
}

#[derive(Deserialize)]
struct Model {
    seed: u64,
    vocab_size: usize,
    d_model: usize,
    n_layers: usize,
    n_heads: usize,
    d_ff: usize,
    context_len: usize,
    rope_base: f64,
    norm_eps: f64,
}

#[derive(Deserialize)]
struct Optimizer {
    learning_rate: f64,
    beta1: f64,
    beta2: f64,
    epsilon: f64,
    weight_decay: f64,
    clip_limit: f64,
}

#[derive(Deserialize)]
struct Checkpoint {
    update: u64,
    train_nll: f64,
    validation_nll: f64,
    tolerance: f64,
}

#[derive(Deserialize)]
struct AtUpdateZero {
    gradient_norm: f64,
    gradient_norm_tolerance: f64,
    gradients: Vec<Gradient>,
    logits: Logits,
}

#[derive(Deserialize)]
struct Gradient {
    name: String,
    sum: f64,
    sum_tolerance: f64,
    sum_of_squares: f64,
    sum_of_squares_tolerance: f64,
    entries: Vec<Entry>,
    entry_tolerance: f64,
}

#[derive(Deserialize)]
struct Entry {
    index: Vec<usize>,
    value: f64,
}

#[derive(Deserialize)]
struct Logits {
    tolerance: f64,
    entries: Vec<Logit>,
}

#[derive(Deserialize)]
struct Logit {
    position: usize,
    id: usize,
    value: f64,
}

impl Case {
    fn model(&self) -> DecoderModel<f64> {
        let model = &self.model;
        let config = DecoderConfig {
            vocab_size: model.vocab_size,
            d_model: model.d_model,
            n_layers: model.n_layers,
            n_heads: model.n_heads,
            n_kv_heads: model.n_heads,
            head_dim: model.d_model / model.n_heads,
            d_ff: model.d_ff,
            context_len: model.context_len,
            rope_base: model.rope_base,
            norm_eps: model.norm_eps,
            ..DecoderConfig::reference(model.vocab_size, model.context_len)
        };
        DecoderModel::initialize(config.validate().unwrap(), model.seed)
    }

    fn trainer(&self) -> Trainer<f64> {
        let optimizer = &self.optimizer;
        let config = TrainingConfig {
            optimizer: AdamWConfig {
                beta1: optimizer.beta1,
                beta2: optimizer.beta2,
                epsilon: optimizer.epsilon,
                weight_decay: optimizer.weight_decay,
            },
            schedule: Schedule::Constant { rate: optimizer.learning_rate },
            clip_limit: optimizer.clip_limit,
            ..TrainingConfig::default()
        };
        Trainer::new(self.model(), config).unwrap()
    }

    fn binding(&self) -> BatchBinding {
        BatchBinding {
            tokenizer_sha256: "none".into(),
            vocab_size: self.model.vocab_size,
            capacity: self.model.context_len,
        }
    }

    fn batches(&self, partition: Partition) -> Vec<VariableBatch> {
        let documents = match partition {
            Partition::Train => &self.train_documents,
            _ => &self.validation_documents,
        };
        let documents: Vec<_> = documents
            .iter()
            .enumerate()
            .map(|(i, ids)| {
                EncodedDocument::from_ids(i.to_string(), partition, ids.clone()).unwrap()
            })
            .collect();
        batches(partition, &self.binding(), &documents, Layout::SEPARATE).unwrap()
    }

    fn mean_nll(&self, model: &DecoderModel<f64>, partition: Partition) -> f64 {
        let (mut total, mut count) = (0.0, 0);
        for batch in self.batches(partition) {
            let context = AutogradContext::no_grad();
            let loss = model.loss_padded_with_context(&context, &batch, &self.binding()).unwrap();
            total += loss.token_nll().iter().sum::<f64>();
            count += loss.count();
        }
        total / count as f64
    }
}

fn oracle() -> Oracle {
    serde_json::from_str(include_str!("../testdata/oracle.json")).unwrap()
}

#[track_caller]
fn close(what: &str, got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance, "{what}: {got} is not {expected} +- {tolerance}");
}

#[test]
fn losses_follow_the_oracle_through_training() {
    for case in oracle().cases {
        let (mut trainer, train) = (case.trainer(), case.batches(Partition::Train));
        for checkpoint in &case.checkpoints {
            while trainer.updates() < checkpoint.update {
                trainer.update(&case.binding(), &train).unwrap();
            }
            let at = format!("{} at {}", case.name, checkpoint.update);
            let train_nll = case.mean_nll(trainer.model(), Partition::Train);
            let validation_nll = case.mean_nll(trainer.model(), Partition::Validation);
            close(&at, train_nll, checkpoint.train_nll, checkpoint.tolerance);
            close(&at, validation_nll, checkpoint.validation_nll, checkpoint.tolerance);
        }
    }
}

#[test]
fn gradients_of_the_mean_loss_agree_with_the_oracle() {
    let mut compared = 0;
    for case in oracle().cases {
        let Some(expected) = &case.at_update_0 else { continue };
        let mut model = case.model();
        let mut count = 0;
        for batch in case.batches(Partition::Train) {
            let context = AutogradContext::recording();
            let loss = model.loss_padded_with_context(&context, &batch, &case.binding()).unwrap();
            model.backward(&context, loss.sum().unwrap()).unwrap();
            count += loss.count();
        }
        model.merge_tied_gradient();
        for parameter in model.parameters_mut() {
            parameter.gradient_mut().unwrap().iter_mut().for_each(|g| *g /= count as f64);
        }
        close(
            &case.name,
            global_norm(model.parameters()),
            expected.gradient_norm,
            expected.gradient_norm_tolerance,
        );
        assert_eq!(model.parameters().len(), expected.gradients.len());
        for (parameter, expected) in model.parameters().iter().zip(&expected.gradients) {
            assert_eq!(parameter.name(), expected.name);
            let gradient = parameter.gradient().unwrap();
            let what = format!("{} {}", case.name, expected.name);
            close(&what, gradient.iter().sum(), expected.sum, expected.sum_tolerance);
            let squares = gradient.iter().map(|g| g * g).sum();
            close(&what, squares, expected.sum_of_squares, expected.sum_of_squares_tolerance);
            for entry in &expected.entries {
                let columns = *parameter.value().shape().last().unwrap();
                let flat = entry.index.iter().fold(0, |flat, i| flat * columns + i);
                close(&what, gradient[flat], entry.value, expected.entry_tolerance);
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "only {compared} entries compared");
}

#[test]
fn logits_of_the_first_validation_document_agree_with_the_oracle() {
    for case in oracle().cases {
        let Some(expected) = &case.at_update_0 else { continue };
        let batch = &case.batches(Partition::Validation)[0];
        let logits = case.model().logits(&AutogradContext::no_grad(), batch.ragged()).unwrap();
        assert!(!expected.logits.entries.is_empty());
        for logit in &expected.logits.entries {
            let got = logits.tensor().row(logit.position)[logit.id];
            close(&case.name, got, logit.value, expected.logits.tolerance);
        }
    }
}
