//! Eighty updates with the right and with the wrong weights.

use std::num::NonZeroUsize;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{autograd, corpus, evaluation, model, tokenizer, trainer};
use serde::Serialize;

use autograd::Kernels;
use corpus::{BatchBinding, Document, EncodedDocument, Layout, Partition, VariableBatch};
use evaluation::evaluate;
use model::{DecoderConfig, DecoderModel, ValidConfig};
use tokenizer::chapter_four_tokenizer;
use trainer::{AdamW, AdamWConfig, Schedule, Trainer, TrainingConfig, clip_gradients};

use crate::{Weighting, accumulate};

const TRAINING_TEXTS: [&str; 2] = ["aaab", "aab"];
const VALIDATION_TEXTS: [&str; 2] = ["abaa", "baa"];
const CAPACITY: usize = 8;
const UPDATES: usize = 80;
const RATE: f64 = 0.02;
/// Both documents in one batch.
pub(crate) const BOTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// The documents and the fresh decoder that chapter 16 will examine.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// What every batch is bound to.
    pub binding: BatchBinding,
    config: ValidConfig,
    documents: [Vec<EncodedDocument>; 2],
}

impl Fixture {
    /// # Errors
    /// None that the constants can cause.
    pub fn new() -> anyhow::Result<Self> {
        let tokenizer = chapter_four_tokenizer();
        let encode = |texts: [&str; 2], partition| {
            let documents = texts.map(|text| Document::new(text, partition, text));
            let encode = |document| EncodedDocument::encode(document, &tokenizer);
            documents.iter().map(encode).collect::<Result<Vec<_>, _>>()
        };
        let train = encode(TRAINING_TEXTS, Partition::Train)?;
        let validation = encode(VALIDATION_TEXTS, Partition::Validation)?;
        let binding = BatchBinding::new(&tokenizer, CAPACITY);
        let config = DecoderConfig::reference(binding.vocab_size, CAPACITY).validate()?;
        Ok(Self { binding, config, documents: [train, validation] })
    }

    /// The fresh model of seed 39.
    pub fn fresh_model(&self) -> DecoderModel<f64> {
        DecoderModel::initialize(self.config, 39)
    }

    /// The documents of a split in a layout.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn batches(
        &self,
        partition: Partition,
        layout: Layout,
    ) -> anyhow::Result<Vec<VariableBatch>> {
        let documents = &self.documents[usize::from(partition != Partition::Train)];
        Ok(corpus::batches(partition, &self.binding, documents, layout)?)
    }

    fn mean_nll(&self, model: &DecoderModel<f64>, partition: Partition) -> anyhow::Result<f64> {
        let batches = self.batches(partition, Layout::SEPARATE)?;
        Ok(evaluate(model, partition, &self.binding, &batches)?.metrics.mean_nll())
    }
}

/// The end of a training run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingRow {
    /// How the gradient of each update was computed.
    pub way: &'static str,
    /// Loss of the training documents, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub train_nll: f64,
    /// Loss of the held-out documents, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub validation_nll: f64,
    /// Whether every weight has the bits of the first run.
    pub same_bits: bool,
}

/// Trains the same model with one batch per update, with two microbatches, and with the mean of two
/// means.
///
/// # Errors
/// None that the constants can cause.
pub fn train_three_ways() -> anyhow::Result<Vec<TrainingRow>> {
    let fixture = Fixture::new()?;
    let models = [
        ("one batch", train(&fixture, Layout::Padded { rows: BOTH })?),
        ("two microbatches", train(&fixture, Layout::SEPARATE)?),
        ("mean of two means", train_wrongly(&fixture)?),
    ];
    let bits = |model: &DecoderModel<f64>| -> Vec<Vec<u64>> {
        model.parameters().iter().map(|parameter| parameter.value().bits()).collect()
    };
    let expected = bits(&models[0].1);
    let row = |(way, model): &(&'static str, DecoderModel<f64>)| {
        Ok(TrainingRow {
            way,
            train_nll: fixture.mean_nll(model, Partition::Train)?,
            validation_nll: fixture.mean_nll(model, Partition::Validation)?,
            same_bits: bits(model) == expected,
        })
    };
    models.iter().map(row).collect()
}

/// The course's own trainer.
fn train(fixture: &Fixture, layout: Layout) -> anyhow::Result<DecoderModel<f64>> {
    let schedule = Schedule::Constant { rate: RATE };
    let config = TrainingConfig { schedule, ..TrainingConfig::default() };
    let mut trainer = Trainer::new(fixture.fresh_model(), config)?;
    let microbatches = fixture.batches(Partition::Train, layout)?;
    for _ in 0..UPDATES {
        trainer.update(&fixture.binding, &microbatches)?;
    }
    Ok(trainer.into_model())
}

/// The same steps by hand, since the trainer cannot be made to take wrong ones.
fn train_wrongly(fixture: &Fixture) -> anyhow::Result<DecoderModel<f64>> {
    let microbatches = fixture.batches(Partition::Train, Layout::SEPARATE)?;
    let mut model = fixture.fresh_model();
    let mut optimizer = AdamW::new(AdamWConfig::default(), model.parameters())?;
    for _ in 0..UPDATES {
        accumulate(&mut model, &fixture.binding, &microbatches, Weighting::EveryMicrobatch)?;
        clip_gradients(model.parameters_mut(), TrainingConfig::default().clip_limit);
        optimizer.step(Kernels::detect(), model.parameters_mut(), RATE);
    }
    Ok(model)
}
