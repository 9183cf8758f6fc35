//! AdamW against numbers worked out by hand, and what its weight decay touches.

use llm_autograd::Kernels;
use llm_corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
use llm_model::{DecoderConfig, DecoderModel};
use llm_trainer::{AdamW, AdamWConfig, Schedule, TrainError, Trainer, TrainingConfig};

/// Six ids, an output head of its own, biases, all weights as initialized.
fn model() -> DecoderModel<f64> {
    let config =
        DecoderConfig { tied_head: false, attention_bias: true, ..DecoderConfig::reference(6, 8) };
    DecoderModel::initialize(config.validate().unwrap(), 4)
}

fn binding() -> BatchBinding {
    BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 6, capacity: 8 }
}

fn batch(ids: &[u32]) -> VariableBatch {
    let document = EncodedDocument::from_ids("x", Partition::Train, ids.to_vec()).unwrap();
    VariableBatch::training(&binding(), &number(0, &[document])).unwrap()
}

fn trainer(weight_decay: f64) -> Trainer<f64> {
    let config = TrainingConfig {
        optimizer: AdamWConfig { weight_decay, epsilon: 1e-12, ..AdamWConfig::default() },
        schedule: Schedule::Constant { rate: 0.5 },
        ..TrainingConfig::default()
    };
    Trainer::new(model(), config).unwrap()
}

/// The values of a parameter.
fn values<'a>(model: &'a DecoderModel<f64>, name: &str) -> &'a [f64] {
    let parameter = model.parameters().iter().find(|parameter| parameter.name() == name);
    parameter.unwrap().value().data()
}

/// Three steps of a weight w = 1 with gradients 2, 1 and -2, where beta1 = 1/2, beta2 = 3/4,
/// epsilon = 1, rate = 1/2 and decay = 1/4, so that rate times decay is 1/8:
///
/// | step | m | v | 1 - P1 | 1 - P2 | m / (1 - P1) | v / (1 - P2) | its root |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | 1 | 0/2 + 2/2 = 1 | 0 + 4/4 = 1 | 1/2 | 1/4 | 2 | 4 | 2 |
/// | 2 | 1/2 + 1/2 = 1 | 3/4 + 1/4 = 1 | 3/4 | 7/16 | 4/3 | 16/7 | 1.511857892037 |
/// | 3 | 1/2 - 2/2 = -1/2 | 3/4 + 4/4 = 7/4 | 7/8 | 37/64 | -4/7 | 112/37 | 1.739835344804 |
///
/// ```text
/// matrix: w = 1 - 1/2 * 2 / 3 - 1/8                                        = 13/24
///         w = 13/24 - 1/2 * (4/3) / 2.511857892037 - 13/24/8               = 0.208550537462
///         w = 0.208550537462 + 1/2 * (4/7) / 2.739835344804 - 0.208550537462/8 = 0.286763273642
/// gain:   w = 1 - 1/3                                                      = 2/3
///         w = 2/3 - 1/2 * (4/3) / 2.511857892037                           = 0.401258870796
///         w = 0.401258870796 + 1/2 * (4/7) / 2.739835344804                = 0.505540424158
/// ```
#[test]
fn three_steps_follow_the_formulas() {
    let config = AdamWConfig { beta1: 0.5, beta2: 0.75, epsilon: 1.0, weight_decay: 0.25 };
    for kernels in Kernels::available() {
        let mut model = model();
        for parameter in model.parameters_mut() {
            parameter.value_mut().fill(1.0);
        }
        let mut optimizer = AdamW::new(config, model.parameters()).unwrap();
        let steps = [
            (2.0, 13.0 / 24.0, 2.0 / 3.0),
            (1.0, 0.208_550_537_462, 0.401_258_870_796),
            (-2.0, 0.286_763_273_642, 0.505_540_424_158),
        ];
        for (gradient, matrix, vector) in steps {
            for parameter in model.parameters_mut() {
                parameter.value_and_gradient(); // makes room for a gradient
                parameter.gradient_mut().unwrap().fill(gradient);
            }
            optimizer.step(kernels, model.parameters_mut(), 0.5);
            for parameter in model.parameters() {
                let expected = if parameter.value().shape().len() == 2 { matrix } else { vector };
                for &w in parameter.value().data() {
                    let name = parameter.name();
                    assert!((w - expected).abs() < 1e-12, "{name}: {w}, expected {expected}");
                }
            }
        }
    }
}

#[test]
fn weight_decay_takes_its_share_of_matrices_and_nothing_of_gains_and_biases() {
    let (mut plain, mut decayed) = (trainer(0.0), trainer(0.25));
    let before = plain.model().clone();
    for trainer in [&mut plain, &mut decayed] {
        trainer.update(&binding(), &[batch(&[0, 2, 3, 2, 1])]).unwrap();
    }
    let after = plain.model().parameters().iter().zip(decayed.model().parameters());
    let (mut matrices, mut vectors) = (0, 0);
    for (before, (plain, decayed)) in before.parameters().iter().zip(after) {
        let name = before.name();
        let is_matrix = before.value().shape().len() == 2;
        *(if is_matrix { &mut matrices } else { &mut vectors }) += 1;
        let [before, plain, decayed] = [before, plain, decayed].map(|p| p.value().data());
        for (i, before) in before.iter().enumerate() {
            // The gradients are the same, so the decay is all that can differ.
            let lost = if is_matrix { (0.5 * 0.25) * before } else { 0.0 };
            assert_eq!(decayed[i].to_bits(), (plain[i] - lost).to_bits(), "{name}");
        }
        assert_ne!(before, plain, "{name} did not move");
    }
    assert_eq!((matrices, vectors), (9, 6));
}

/// With one input, attention has one key, and its weight is 1 whatever query and key are.
#[test]
fn parameters_that_no_target_depends_on_stay_or_only_decay() {
    for decay in [0.0, 0.25] {
        let mut trainer = trainer(decay);
        let before = trainer.model().clone();
        trainer.update(&binding(), &[batch(&[0, 2])]).unwrap();
        let kept = |w: &f64| (w - (0.5 * decay) * w).to_bits();
        for part in ["query", "key"] {
            let name = format!("blocks.0.attention.{part}.weight");
            let expected: Vec<u64> = values(&before, &name).iter().map(kept).collect();
            let got: Vec<u64> =
                values(trainer.model(), &name).iter().map(|w| w.to_bits()).collect();
            assert_eq!(got, expected, "{name}");
        }
        // Only id 0 is an input, so the other rows of the embedding are not looked up.
        let name = "token_embedding.weight";
        let expected: Vec<u64> = values(&before, name)[8..].iter().map(kept).collect();
        let got = values(trainer.model(), name)[8..].iter().map(|w| w.to_bits());
        assert_eq!(got.collect::<Vec<_>>(), expected);
        assert_ne!(values(trainer.model(), name)[..8], values(&before, name)[..8]);
    }
}

/// A row that was looked up once goes on by its moments. After a gradient g and then zero,
/// m / (1 - P1) = b1 (1 - b1) g / (1 - b1^2) = g 0.9 / 1.9 and v / (1 - P2) = g^2 0.999 / 1.999,
/// so the second step is (0.9 / 1.9) / sqrt(0.999 / 1.999) = 0.670058 of the first.
#[test]
fn a_row_without_a_gradient_still_moves_by_its_moments() {
    let mut trainer = trainer(0.0);
    let row_three = |trainer: &Trainer<f64>| -> Vec<f64> {
        values(trainer.model(), "token_embedding.weight")[3 * 8..4 * 8].to_vec()
    };
    let start = row_three(&trainer);
    trainer.update(&binding(), &[batch(&[0, 3, 2, 1])]).unwrap();
    let first = row_three(&trainer);
    trainer.update(&binding(), &[batch(&[0, 2, 2, 1])]).unwrap();
    let second = row_three(&trainer);
    for i in 0..8 {
        let (step, next) = (first[i] - start[i], second[i] - first[i]);
        assert!((step.abs() - 0.5).abs() < 1e-6, "the first step is the rate: {step}");
        assert!((next / step - 0.670_058).abs() < 1e-6, "{next} after {step}");
    }
}

#[test]
fn numbers_that_cannot_be_are_refused_by_name() {
    type Spoil = fn(&mut TrainingConfig);
    let cases: [(&str, Spoil); 12] = [
        ("beta1", |c| c.optimizer.beta1 = 1.0),
        ("beta1", |c| c.optimizer.beta1 = f64::NAN),
        ("beta2", |c| c.optimizer.beta2 = -0.1),
        ("epsilon", |c| c.optimizer.epsilon = 0.0),
        ("epsilon", |c| c.optimizer.epsilon = f64::INFINITY),
        ("weight_decay", |c| c.optimizer.weight_decay = -1.0),
        ("weight_decay", |c| c.optimizer.weight_decay = f64::INFINITY),
        ("rate", |c| c.schedule = Schedule::Constant { rate: -0.1 }),
        ("rate", |c| c.schedule = Schedule::Constant { rate: f64::NAN }),
        ("clip_limit", |c| c.clip_limit = 0.0),
        ("clip_limit", |c| c.clip_limit = f64::NAN),
        ("clip_limit", |c| c.clip_limit = -1.0),
    ];
    for (expected, spoil) in cases {
        let mut config = TrainingConfig::default();
        spoil(&mut config);
        let error = Trainer::new(model(), config).unwrap_err();
        let TrainError::InvalidConfig { field, .. } = error else { panic!("{error}") };
        assert_eq!(field, expected);
    }
}
