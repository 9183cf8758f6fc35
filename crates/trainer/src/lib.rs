//! AdamW, clipping, schedules, token-weighted accumulated updates and exact resume.
//!
//! One logical update reads any number of microbatches of training documents, adds the gradients of
//! their summed token losses, divides once by the number of targets, clips the global norm and
//! takes one AdamW step. Every target weighs the same, and for a given order of documents the
//! result is the same bits for any padding, packing and cut into microbatches.
//!
//! A run that is stopped at any moment goes on from its last checkpoint to the same bits.
//!
//! Left out: evaluation (`llm-evaluation`), training on several machines.
//!
//! | module | idea |
//! | --- | --- |
//! | `trainer` | the logical update |
//! | `adamw` | moments, bias correction, decoupled decay |
//! | `clip` | the global norm and the limit on it |
//! | `schedule` | the learning rate of every update |
//! | `data_order` | which documents come next |
//! | `run` | updates on a list of documents, with checkpoints at intervals |
//! | `checkpoint` | the file of a run |
//! | `reference_experiment` | four documents and a decoder that several chapters look at |
//!
//! ```
//! use llm_corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
//! use llm_model::{DecoderConfig, DecoderModel};
//! use llm_trainer::{Schedule, Trainer, TrainingConfig};
//!
//! let model = DecoderModel::<f64>::initialize(DecoderConfig::reference(10, 8).validate()?, 39);
//! let mut trainer = Trainer::new(model, TrainingConfig {
//!     schedule: Schedule::Constant { rate: 0.02 },
//!     ..TrainingConfig::default()
//! })?;
//! let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 8 };
//! let documents = [EncodedDocument::from_ids("x", Partition::Train, vec![0, 5, 5, 1])?];
//! let batch = VariableBatch::training(&binding, &number(0, &documents))?;
//! let first = trainer.update(&binding, std::slice::from_ref(&batch))?;
//! let second = trainer.update(&binding, &[batch])?;
//! assert!(second.loss.mean_nll() < first.loss.mean_nll());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod adamw;
mod checkpoint;
mod clip;
mod data_order;
mod error;
mod reference_experiment;
mod run;
mod schedule;
mod trainer;

pub use adamw::{AdamW, AdamWConfig};
pub use checkpoint::CHECKPOINT_KIND;
pub use clip::{Clip, clip_factor, clip_gradients, global_norm};
pub use data_order::DataOrder;
pub use error::TrainError;
pub use reference_experiment::ReferenceExperiment;
pub use run::{Checkpoints, Run, RunConfig};
pub use schedule::Schedule;
pub use trainer::{Trainer, TrainingConfig, UpdateReport};
