//! One logical update.

use llm_autograd::{AutogradContext, Element, Kernels, Memory};
use llm_corpus::{BatchBinding, Partition, VariableBatch};
use llm_metrics::{ExactSum, MetricSummary};
use llm_model::{DecoderModel, DropoutMode, DropoutProbability, DropoutStream, Parameter};

use crate::{AdamW, AdamWConfig, Schedule, TrainError, clip_gradients};

/// How to train.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingConfig {
    /// The optimizer's numbers.
    pub optimizer: AdamWConfig,
    /// The learning rates.
    pub schedule: Schedule,
    /// Most that the global norm of a gradient may be; infinity never clips.
    pub clip_limit: f64,
    /// Probability of dropping a feature.
    pub dropout: DropoutProbability,
    /// Seed of the dropout masks.
    pub dropout_seed: u64,
}

impl Default for TrainingConfig {
    /// AdamW with its usual numbers, rate 0.001, clip limit 1, no dropout.
    fn default() -> Self {
        Self {
            optimizer: AdamWConfig::default(),
            schedule: Schedule::Constant { rate: 1e-3 },
            clip_limit: 1.0,
            dropout: DropoutProbability::ZERO,
            dropout_seed: 0,
        }
    }
}

impl TrainingConfig {
    /// Whether one can train like that. Training checks it before the first update.
    ///
    /// # Errors
    /// [`TrainError::InvalidConfig`] names the first number that cannot be.
    pub fn check(&self) -> Result<(), TrainError> {
        self.optimizer.check()?;
        self.schedule.check()?;
        if self.clip_limit.is_nan() || self.clip_limit <= 0.0 {
            let (given, expected) = (self.clip_limit, "above 0");
            return Err(TrainError::InvalidConfig { field: "clip_limit", given, expected });
        }
        Ok(())
    }
}

/// A model and everything that changes with it.
#[derive(Clone, Debug)]
pub struct Trainer<E> {
    model: DecoderModel<E>,
    optimizer: AdamW<E>,
    config: TrainingConfig,
    dropout: DropoutStream,
    kernels: Kernels,
    /// Large arrays of one update, for the next.
    memory: Memory<E>,
    updates: u64,
}

/// What changes during training.
pub(crate) struct Parts<E> {
    pub(crate) model: DecoderModel<E>,
    pub(crate) optimizer: AdamW<E>,
    pub(crate) dropout: DropoutStream,
    pub(crate) updates: u64,
}

/// What an update did.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateReport {
    /// Losses of the update's targets before the step.
    pub loss: MetricSummary,
    /// Global norm of the mean gradient before clipping.
    pub gradient_norm: f64,
    /// Whether the norm was above the limit.
    pub clipped: bool,
    /// The learning rate of the step.
    pub rate: f64,
}

impl<E: Element> Trainer<E> {
    /// Starts training a model.
    ///
    /// # Errors
    /// [`TrainError::InvalidConfig`].
    pub fn new(model: DecoderModel<E>, config: TrainingConfig) -> Result<Self, TrainError> {
        Self::with_kernels(model, config, Kernels::detect())
    }

    /// Starts training a model on the given kernels; the bits do not depend on them.
    ///
    /// # Errors
    /// [`TrainError::InvalidConfig`].
    pub fn with_kernels(
        model: DecoderModel<E>,
        config: TrainingConfig,
        kernels: Kernels,
    ) -> Result<Self, TrainError> {
        let optimizer = AdamW::new(config.optimizer, model.parameters())?;
        let dropout = DropoutStream::new(config.dropout_seed);
        Self::resumed(Parts { model, optimizer, dropout, updates: 0 }, config, kernels)
    }

    /// Goes on with training that has made some updates.
    pub(crate) fn resumed(
        parts: Parts<E>,
        config: TrainingConfig,
        kernels: Kernels,
    ) -> Result<Self, TrainError> {
        config.check()?;
        let Parts { model, optimizer, dropout, updates } = parts;
        Ok(Self { model, optimizer, config, dropout, kernels, memory: Memory::new(), updates })
    }

    /// The model as it is now.
    pub fn model(&self) -> &DecoderModel<E> {
        &self.model
    }

    /// The model, at the end of training.
    pub fn into_model(self) -> DecoderModel<E> {
        self.model
    }

    pub(crate) fn set_kernels(&mut self, kernels: Kernels) {
        self.kernels = kernels;
    }

    /// The optimizer's state.
    pub fn optimizer(&self) -> &AdamW<E> {
        &self.optimizer
    }

    /// The stream of dropout masks.
    pub fn dropout(&self) -> &DropoutStream {
        &self.dropout
    }

    /// Number of updates made.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// One update with the targets of all `microbatches`, each target with the same weight.
    ///
    /// Microbatches hold training documents and follow each other in the order of the documents.
    ///
    /// # Errors
    /// See [`TrainError`]; nothing has changed then.
    pub fn update(
        &mut self,
        binding: &BatchBinding,
        microbatches: &[VariableBatch],
    ) -> Result<UpdateReport, TrainError> {
        check_microbatches(binding, microbatches)?;
        self.model.clear_gradients();
        let before = self.dropout.clone();
        let targets: usize = microbatches.iter().map(VariableBatch::target_count).sum();
        let multiply_adds = self.model.config().multiply_adds(targets);
        let result = self.kernels.on_pool(multiply_adds, || {
            self.accumulate(binding, microbatches).and_then(|loss| self.step(loss))
        });
        self.model.clear_gradients();
        if result.is_err() {
            self.dropout = before;
        }
        result
    }

    /// Adds the gradients of the summed losses of all microbatches.
    fn accumulate(
        &mut self,
        binding: &BatchBinding,
        microbatches: &[VariableBatch],
    ) -> Result<MetricSummary, TrainError> {
        self.dropout.set_update(self.updates);
        let (mut total, mut count) = (ExactSum::new(), 0);
        for batch in microbatches {
            let context = AutogradContext::recording_with(self.kernels).with_memory(&self.memory);
            let mode = DropoutMode::Train(&mut self.dropout);
            let loss = self.model.loss_with_dropout(
                &context,
                batch,
                binding,
                self.config.dropout,
                mode,
            )?;
            let sum = loss.sum().ok_or(llm_autograd::AutogradError::NotRecorded)?;
            self.model.backward(&context, sum)?;
            total.extend(loss.token_nll().iter().copied());
            count += loss.count();
        }
        self.model.merge_tied_gradient();
        if !total.value().is_finite() {
            return Err(TrainError::NonFinite { update: self.updates });
        }
        MetricSummary::from_exact_total(total, count)
            .map_err(|source| TrainError::Loss { update: self.updates, source })
    }

    /// Mean, clip and AdamW.
    fn step(&mut self, loss: MetricSummary) -> Result<UpdateReport, TrainError> {
        let count = E::from_f64(loss.target_count() as f64);
        for gradient in self.model.parameters_mut().iter_mut().filter_map(Parameter::gradient_mut) {
            self.kernels.divide(gradient, count);
        }
        let clip =
            clip_gradients(self.kernels, self.model.parameters_mut(), self.config.clip_limit);
        if !clip.norm.is_finite() {
            return Err(TrainError::NonFinite { update: self.updates });
        }
        let rate = self.config.schedule.rate(self.updates);
        self.optimizer.step(self.kernels, self.model.parameters_mut(), rate);
        self.updates += 1;
        Ok(UpdateReport { loss, gradient_norm: clip.norm, clipped: clip.factor < 1.0, rate })
    }
}

/// Training documents of this binding, in ascending order across the microbatches.
fn check_microbatches(
    binding: &BatchBinding,
    microbatches: &[VariableBatch],
) -> Result<(), TrainError> {
    if microbatches.is_empty() {
        return Err(TrainError::EmptyUpdate);
    }
    let mut previous = None;
    for (microbatch, batch) in microbatches.iter().enumerate() {
        batch
            .check(Partition::Train, binding)
            .map_err(|source| TrainError::Batch { microbatch, source })?;
        let ordinals = batch.ragged().segments.iter().map(|segment| segment.ordinal);
        for ordinal in ordinals {
            match previous {
                Some(previous) if ordinal <= previous => {
                    return Err(TrainError::DocumentOrder { microbatch, ordinal, previous });
                }
                _ => previous = Some(ordinal),
            }
        }
    }
    Ok(())
}
