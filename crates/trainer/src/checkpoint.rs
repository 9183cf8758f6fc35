//! The file of a run: everything that the next update depends on.
//!
//! A container of kind [`CHECKPOINT_KIND`]. Tensors, for each parameter in the model's order: the
//! weights, `first_moment/NAME` and `second_moment/NAME`. Metadata: `run`, what must be the same for
//! the run to go on, and `progress`, how far it is. The order of documents and the dropout masks
//! are functions of seeds and counts, so two counts stand for each.

use std::path::Path;

use llm_archive::{ArchiveError, Container, PortableElement, TensorData, TensorSequence};
use llm_autograd::{Kernels, Tensor};
use llm_corpus::EncodedDocument;
use llm_model::{DecoderConfig, DecoderModel, DropoutStream, ValidConfig, parameter_specs};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::trainer::Parts;
use crate::{AdamW, AdamWConfig, DataOrder, Run, RunConfig, Schedule, TrainError, Trainer};

/// The kind of an archive that holds a run.
pub const CHECKPOINT_KIND: &str = "checkpoint";

/// No count of a real run is larger, and sums of two such counts do not overflow.
const MOST: u64 = 1 << 53;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    run: StoredRun,
    progress: Progress,
}

/// What must be the same for a run to go on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRun {
    /// `"f64"` or `"f32"`.
    element: String,
    model: DecoderConfig,
    optimizer: AdamWConfig,
    schedule: Schedule,
    /// `None` for infinity, which JSON does not have.
    clip_limit: Option<f64>,
    dropout: f64,
    dropout_seed: u64,
    tokenizer_sha256: String,
    vocab_size: usize,
    capacity: usize,
    documents: usize,
    documents_sha256: String,
    shuffle_seed: Option<u64>,
    documents_per_update: usize,
}

impl StoredRun {
    fn new<E: PortableElement>(
        config: &RunConfig,
        documents: usize,
        documents_sha256: &str,
        model: &ValidConfig,
    ) -> Self {
        let RunConfig { training, binding, .. } = config;
        Self {
            element: E::NAME.to_owned(),
            model: **model,
            optimizer: training.optimizer,
            schedule: training.schedule,
            clip_limit: training.clip_limit.is_finite().then_some(training.clip_limit),
            dropout: training.dropout.get(),
            dropout_seed: training.dropout_seed,
            tokenizer_sha256: binding.tokenizer_sha256.clone(),
            vocab_size: binding.vocab_size,
            capacity: binding.capacity,
            documents,
            documents_sha256: documents_sha256.to_owned(),
            shuffle_seed: config.shuffle_seed,
            documents_per_update: config.documents_per_update.get(),
        }
    }

    /// Refuses the run of a file if it differs from this one.
    fn demand_same(&self, stored: &Self) -> Result<(), TrainError> {
        let json = |run: &Self| serde_json::to_value(run).expect("a structure of plain values");
        match first_difference("", &json(stored), &json(self)) {
            Some([field, stored, expected]) => {
                Err(TrainError::Checkpoint { field, stored, expected })
            }
            None => Ok(()),
        }
    }
}

/// How far a run is.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    updates: u64,
    /// Products of all beta1 and of all beta2 so far.
    powers: [f64; 2],
    dropout_drawn: u64,
    epoch: u64,
    /// Documents of the epoch that were taken.
    taken: usize,
}

impl Progress {
    /// The digest does not say that numbers make sense.
    fn check(&self, documents: usize) -> Result<(), ArchiveError> {
        let counts = [self.updates, self.dropout_drawn, self.epoch];
        let possible = counts.iter().all(|&count| count <= MOST)
            && self.powers.iter().all(|power| (0.0..=1.0).contains(power))
            && self.taken < documents;
        match possible {
            true => Ok(()),
            false => {
                let progress = serde_json::to_string(self).unwrap_or_default();
                let reason = format!("no run can be at {progress}");
                Err(ArchiveError::Content { reason })
            }
        }
    }
}

/// Refuses a run that has diverged, so that it does not replace a checkpoint that can be used.
pub(crate) fn demand_finite<E: PortableElement>(run: &Run<'_, E>) -> Result<(), TrainError> {
    let trainer = &run.trainer;
    let moments = trainer.optimizer().moments();
    let diverged = trainer.model().parameters().iter().zip(moments).find(|(weights, moments)| {
        let mut all = weights.value().data().iter().chain(moments.iter().flatten());
        !all.all(|element| element.is_finite())
    });
    match diverged {
        Some((parameter, _)) => {
            let (parameter, updates) = (parameter.name().to_owned(), trainer.updates());
            Err(TrainError::Diverged { parameter, updates })
        }
        None => Ok(()),
    }
}

/// The run as a container that borrows its weights and moments.
pub(crate) fn container<'a, E: PortableElement>(
    run: &'a Run<'_, E>,
) -> Result<Container<'a>, ArchiveError> {
    let (trainer, order) = (&run.trainer, &run.order);
    let model = trainer.model();
    let documents = run.documents.len();
    let metadata = Metadata {
        run: StoredRun::new::<E>(&run.config, documents, &run.documents_sha256, model.config()),
        progress: Progress {
            updates: trainer.updates(),
            powers: trainer.optimizer().powers(),
            dropout_drawn: trainer.dropout().drawn(),
            epoch: order.epoch(),
            taken: order.taken(),
        },
    };
    let moments = trainer.optimizer().moments();
    let tensors = model.parameters().iter().zip(moments).flat_map(|(parameter, moments)| {
        let value = parameter.value();
        let parts = [value.data(), &moments[0], &moments[1]];
        names(parameter.name()).into_iter().zip(parts).map(|(name, elements)| {
            TensorData::new(name, value.shape().to_vec(), E::values(elements))
        })
    });
    Container::new(CHECKPOINT_KIND, &metadata, tensors.collect())
}

/// Reads the run at `path`, which must be the one described by the other arguments.
pub(crate) fn load<'d, E: PortableElement>(
    path: &Path,
    config: RunConfig,
    documents: &'d [EncodedDocument],
    model: ValidConfig,
) -> Result<Run<'d, E>, TrainError> {
    let container = Container::load(path, CHECKPOINT_KIND)?;
    let Metadata { run, progress } = container.header().exact_metadata()?;
    let documents_sha256 = documents_sha256(documents);
    StoredRun::new::<E>(&config, documents.len(), &documents_sha256, &model).demand_same(&run)?;
    progress.check(documents.len())?;

    let mut tensors = TensorSequence::new(container);
    let (mut values, mut moments) = (Vec::new(), Vec::new());
    for spec in parameter_specs(&model) {
        let shape = &spec.shape;
        let [weights, first, second] = names(&spec.name);
        values.push(Tensor::new(shape, tensors.take(&weights, shape)?));
        moments.push([tensors.take(&first, shape)?, tensors.take(&second, shape)?]);
    }
    tensors.finish()?;
    let mut dropout = DropoutStream::resumed(config.training.dropout_seed, progress.dropout_drawn);
    dropout.set_update(progress.updates.saturating_sub(1));
    let parts = Parts {
        model: DecoderModel::from_parameters(model, values)?,
        optimizer: AdamW::resumed(config.training.optimizer, moments, progress.powers)?,
        dropout,
        updates: progress.updates,
    };
    let trainer = Trainer::resumed(parts, config.training, Kernels::detect())?;
    let Progress { epoch, taken, .. } = progress;
    let order = DataOrder::at(documents.len(), config.shuffle_seed, epoch, taken);
    Ok(Run { config, documents, documents_sha256, trainer, order })
}

/// SHA-256 of documents in their order: names, ids and which targets are scored. Lengths come
/// before lists, so that no two lists of documents give the same bytes.
pub(crate) fn documents_sha256(documents: &[EncodedDocument]) -> String {
    let mut hasher = Sha256::new();
    for document in documents {
        for len in [document.id().len(), document.ids().len()] {
            hasher.update((len as u64).to_le_bytes());
        }
        hasher.update(document.id());
        document.ids().iter().for_each(|id| hasher.update(id.to_le_bytes()));
        let scored = (0..document.target_count()).map(|target| document.is_scored(target));
        scored.for_each(|scored| hasher.update([u8::from(scored)]));
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Names of a parameter's three tensors.
fn names(parameter: &str) -> [String; 3] {
    let moment = |which: &str| format!("{which}_moment/{parameter}");
    [parameter.to_owned(), moment("first"), moment("second")]
}

/// The first field that two values of the same structure do not share: its path and both values.
fn first_difference(path: &str, stored: &Value, expected: &Value) -> Option<[String; 3]> {
    let (Value::Object(a), Value::Object(b)) = (stored, expected) else {
        let texts = || [path.to_owned(), stored.to_string(), expected.to_string()];
        return (stored != expected).then(texts);
    };
    let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
    keys.into_iter().find_map(|key| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let value = |object: &serde_json::Map<String, Value>| {
            object.get(key).cloned().unwrap_or(Value::Null)
        };
        first_difference(&path, &value(a), &value(b))
    })
}
