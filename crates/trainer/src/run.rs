//! A training run that can be stopped at any moment and continued to the same bits.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use llm_archive::PortableElement;
use llm_autograd::Kernels;
use llm_corpus::{BatchBinding, EncodedDocument, NumberedDocument, VariableBatch};
use llm_model::{DecoderModel, ValidConfig};

use crate::{DataOrder, TrainError, Trainer, TrainingConfig, UpdateReport, checkpoint};

/// What a run is, beside its model and its documents.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConfig {
    /// How to train.
    pub training: TrainingConfig,
    /// The tokenizer and sizes of the documents.
    pub binding: BatchBinding,
    /// Seed of the order of the documents in each epoch; `None` for the order given.
    pub shuffle_seed: Option<u64>,
    /// Documents that an update learns from.
    pub documents_per_update: NonZeroUsize,
    /// Documents that are computed at once. The bits do not depend on it, so it may change when a
    /// run is continued on a machine with more memory, or less.
    pub documents_per_microbatch: NonZeroUsize,
}

/// Where checkpoints go, and after how many updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// The file. Each checkpoint replaces the one before, at once and completely.
    pub path: PathBuf,
    /// Updates between two checkpoints: the most that a kill can lose.
    pub every: NonZeroU64,
}

/// Training on a list of documents: the trainer, and the place in the order of the documents.
///
/// ```
/// use std::num::{NonZeroU64, NonZeroUsize};
/// use llm_corpus::{BatchBinding, EncodedDocument, Partition};
/// use llm_model::{DecoderConfig, DecoderModel};
/// use llm_trainer::{Checkpoints, Run, RunConfig, TrainingConfig};
///
/// let documents = [vec![0, 5, 5, 1], vec![0, 6, 1], vec![0, 5, 6, 6, 1]]
///     .map(|ids| EncodedDocument::from_ids("x", Partition::Train, ids).unwrap());
/// let config = RunConfig {
///     training: TrainingConfig::default(),
///     binding: BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 8 },
///     shuffle_seed: Some(7),
///     documents_per_update: NonZeroUsize::new(2).unwrap(),
///     documents_per_microbatch: NonZeroUsize::MIN,
/// };
/// let model = DecoderConfig::reference(10, 8).validate()?;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.safetensors");
/// let checkpoints = Checkpoints { path: path.clone(), every: NonZeroU64::new(2).unwrap() };
///
/// let fresh = || DecoderModel::<f64>::initialize(model, 39);
/// let mut whole = Run::start(config.clone(), &documents, fresh())?;
/// whole.train_until(4, &checkpoints, |_| ())?;
///
/// let mut run = Run::start(config.clone(), &documents, fresh())?;
/// run.train_until(2, &checkpoints, |_| ())?;
/// drop(run); // as if the machine had been switched off
/// let mut run = Run::<f64>::resume(&path, config, &documents, model)?;
/// run.train_until(4, &checkpoints, |_| ())?;
/// assert_eq!(run.identity()?, whole.identity()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Run<'d, E> {
    pub(crate) config: RunConfig,
    pub(crate) documents: &'d [EncodedDocument],
    /// SHA-256 of the documents, so that a run is never continued with others.
    pub(crate) documents_sha256: String,
    pub(crate) trainer: Trainer<E>,
    pub(crate) order: DataOrder,
}

impl<'d, E: PortableElement> Run<'d, E> {
    /// Starts at update 0.
    ///
    /// # Errors
    /// [`TrainError::InvalidConfig`]; [`TrainError::EmptyUpdate`] without documents.
    pub fn start(
        config: RunConfig,
        documents: &'d [EncodedDocument],
        model: DecoderModel<E>,
    ) -> Result<Self, TrainError> {
        if documents.is_empty() {
            return Err(TrainError::EmptyUpdate);
        }
        let order = match config.shuffle_seed {
            Some(seed) => DataOrder::shuffled(documents.len(), seed),
            None => DataOrder::sequential(documents.len()),
        };
        let documents_sha256 = checkpoint::documents_sha256(documents);
        let trainer = Trainer::new(model, config.training)?;
        Ok(Self { config, documents, documents_sha256, trainer, order })
    }

    /// Continues from a checkpoint, which must be one of this run: the same configuration (but for
    /// the size of microbatches), the same tokenizer, documents, model sizes and element type.
    ///
    /// # Errors
    /// [`TrainError::Checkpoint`] names the first thing that is not the same;
    /// [`TrainError::Archive`] if there is no whole checkpoint at `path`.
    pub fn resume(
        path: impl AsRef<Path>,
        config: RunConfig,
        documents: &'d [EncodedDocument],
        model: ValidConfig,
    ) -> Result<Self, TrainError> {
        checkpoint::load(path.as_ref(), config, documents, model)
    }

    /// Continues from the checkpoint at `path` if there is one, and else starts with `fresh`.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`resume`](Self::resume). A file that cannot be continued is
    /// an error, never a reason to start anew.
    pub fn resume_or_start(
        path: impl AsRef<Path>,
        config: RunConfig,
        documents: &'d [EncodedDocument],
        model: ValidConfig,
        fresh: impl FnOnce(ValidConfig) -> DecoderModel<E>,
    ) -> Result<Self, TrainError> {
        // Whatever is there, a broken link too, is for `resume` to read or to refuse.
        match std::fs::symlink_metadata(path.as_ref()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Self::start(config, documents, fresh(model))
            }
            _ => Self::resume(path, config, documents, model),
        }
    }

    /// Computes on the given kernels from now on; the bits do not depend on them.
    pub fn with_kernels(mut self, kernels: Kernels) -> Self {
        self.trainer.set_kernels(kernels);
        self
    }

    /// The model and the optimizer as they are now.
    pub fn trainer(&self) -> &Trainer<E> {
        &self.trainer
    }

    /// The place in the order of the documents.
    pub fn order(&self) -> &DataOrder {
        &self.order
    }

    /// One update with the next documents.
    ///
    /// # Errors
    /// As [`Trainer::update`]; nothing has changed then, the order of the documents included.
    pub fn update(&mut self) -> Result<UpdateReport, TrainError> {
        let before = (self.order.epoch(), self.order.taken());
        let next = self.order.take(self.config.documents_per_update.get());
        let batches = self.microbatches(&next);
        let result =
            batches.and_then(|batches| self.trainer.update(&self.config.binding, &batches));
        if result.is_err() {
            let (epoch, taken) = before;
            self.order =
                DataOrder::at(self.documents.len(), self.config.shuffle_seed, epoch, taken);
        }
        result
    }

    /// Updates until there were `updates` in all, with a checkpoint after every so many and after
    /// the last. `watch` is shown every report.
    ///
    /// # Errors
    /// As [`update`](Self::update) and [`save`](Self::save).
    pub fn train_until(
        &mut self,
        updates: u64,
        checkpoints: &Checkpoints,
        mut watch: impl FnMut(&UpdateReport),
    ) -> Result<(), TrainError> {
        while self.trainer.updates() < updates {
            watch(&self.update()?);
            let done = self.trainer.updates();
            if done.is_multiple_of(checkpoints.every.get()) || done == updates {
                self.save(&checkpoints.path)?;
            }
        }
        Ok(())
    }

    /// Writes a checkpoint as the file `path`, completely or not at all.
    ///
    /// # Errors
    /// [`TrainError::Diverged`] and [`TrainError::Archive`]; a checkpoint that was there is there still.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), TrainError> {
        checkpoint::demand_finite(self)?;
        Ok(checkpoint::container(self)?.save(path)?)
    }

    /// SHA-256 of everything that a checkpoint holds: every weight and moment, the counts, the
    /// configuration. 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// None that a run can cause.
    pub fn identity(&self) -> Result<String, TrainError> {
        Ok(checkpoint::container(self)?.content_sha256().to_owned())
    }

    /// The documents of an update, numbered from 0, in microbatches.
    fn microbatches(&self, indices: &[usize]) -> Result<Vec<VariableBatch>, TrainError> {
        let numbered: Vec<_> = (0..)
            .zip(indices)
            .map(|(ordinal, &i)| NumberedDocument { ordinal, document: &self.documents[i] })
            .collect();
        let chunks = numbered.chunks(self.config.documents_per_microbatch.get()).enumerate();
        let batch = |(microbatch, chunk): (usize, &[NumberedDocument<'_>])| {
            VariableBatch::training(&self.config.binding, chunk)
                .map_err(|source| TrainError::Batch { microbatch, source })
        };
        chunks.map(batch).collect()
    }
}
