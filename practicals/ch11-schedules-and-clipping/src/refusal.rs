//! A gradient that is not finite: the update is refused, and nothing has changed.
//!
//! How a finite loss can have such a gradient: the embedding of one id is 1e-120 everywhere, and
//! the norm divides by the root of the mean square without a safeguard (`norm_eps` 0). The mean
//! square, 1e-240, can be formed and the loss with it. The gradient needs the third power of 1 / 1e-120,
//! 1e360, which is more than f64 can hold.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{autograd, corpus, model, trainer};
use serde::Serialize;

use autograd::AutogradContext;
use corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
use model::{DecoderConfig, DecoderModel};
use trainer::{Trainer, TrainingConfig};

/// The id with the broken embedding.
const BROKEN: u32 = 9;

/// An update that was refused between two that were made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// The broken document's loss, nats per target: finite.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// Why the update was not made.
    pub error: String,
    /// Updates made before and after the attempt.
    pub updates: [u64; 2],
    /// Weights that the attempt changed.
    pub changed_weights: usize,
    /// Moments that the attempt changed.
    pub changed_moments: usize,
    /// Whether training goes on to the same bits as without the attempt.
    pub goes_on_as_if_never_asked: bool,
}

/// Trains on a good document, tries a broken one, goes on with the good one.
///
/// # Errors
/// If the broken document is not refused, which would be a defect of the trainer.
pub fn refused_update() -> anyhow::Result<Refusal> {
    let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 8 };
    let batch = |ids: Vec<u32>| -> anyhow::Result<_> {
        let document = EncodedDocument::from_ids("x", Partition::Train, ids)?;
        Ok([VariableBatch::training(&binding, &number(0, &[document]))?])
    };
    let (good, broken) = (batch(vec![0, 5, 6, 1])?, batch(vec![0, BROKEN, 1])?);

    let mut trainer = Trainer::new(model_with_a_broken_row()?, TrainingConfig::default())?;
    trainer.update(&binding, &good)?;
    let mut never_asked = trainer.clone();
    let no_grad = AutogradContext::no_grad();
    let loss = trainer.model().loss_padded_with_context(&no_grad, &broken[0], &binding)?;

    let Err(error) = trainer.update(&binding, &broken) else {
        anyhow::bail!("the trainer used a gradient that is not finite");
    };
    let updates = [never_asked.updates(), trainer.updates()];
    let [changed_weights, changed_moments] = changes(&never_asked, &trainer);
    for trainer in [&mut trainer, &mut never_asked] {
        trainer.update(&binding, &good)?;
    }
    Ok(Refusal {
        mean_nll: loss.mean(),
        error: error.to_string(),
        updates,
        changed_weights,
        changed_moments,
        goes_on_as_if_never_asked: changes(&never_asked, &trainer) == [0, 0],
    })
}

/// A fresh decoder whose norm has no safeguard and whose embedding of one id is nearly 0. Its output
/// head is a matrix of its own, so other documents do not meet that row.
fn model_with_a_broken_row() -> anyhow::Result<DecoderModel<f64>> {
    let config =
        DecoderConfig { norm_eps: 0.0, tied_head: false, ..DecoderConfig::reference(10, 8) };
    let row = BROKEN as usize * config.d_model;
    let mut model = DecoderModel::initialize(config.validate()?, 39);
    model.parameters_mut()[0].value_mut()[row..row + config.d_model].fill(1e-120);
    Ok(model)
}

/// How many weights and how many moments differ in any bit.
fn changes(a: &Trainer<f64>, b: &Trainer<f64>) -> [usize; 2] {
    let differ =
        |a: &[f64], b: &[f64]| a.iter().zip(b).filter(|(x, y)| x.to_bits() != y.to_bits()).count();
    let parameters = a.model().parameters().iter().zip(b.model().parameters());
    let weights = parameters.map(|(a, b)| differ(a.value().data(), b.value().data())).sum();
    let moments = a.optimizer().moments().iter().flatten();
    let moments = moments.zip(b.optimizer().moments().iter().flatten());
    [weights, moments.map(|(a, b)| differ(a, b)).sum()]
}
