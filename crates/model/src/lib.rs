//! The decoder: configuration, initialization, forward pass, loss, dropout and generation.
//!
//! A pre-norm decoder with RMSNorm, rotary positions, causal attention with grouped key/value
//! heads, a gated feed-forward layer and a head that may share the embedding's matrix. It reads the
//! ragged list of a batch, so padding and packing never reach it, and a document's losses are the
//! same bits in any company.
//!
//! Initialization and sampling draw from [`SplitMix64`].
//!
//! Left out: training (`llm-trainer`), scoring rules (`llm-evaluation`), files (`llm-archive`).
//!
//! | module | idea |
//! | --- | --- |
//! | `config` | sizes, and the sizes that were checked |
//! | `parameters` | every parameter's name, shape and fresh values, in one order |
//! | `decoder` | the model as plain data: values, gradients, revisions |
//! | `forward` | tokens to hidden states to logits |
//! | `loss` | a batch to the losses of its targets |
//! | `layer_statistics` | the size of activations and gradients at every depth |
//! | `dropout` | a mode of the forward pass, not a property of the weights |
//! | `generate` | text token by token: key/value cache, filters, sampling |
//!
//! ```
//! use llm_autograd::AutogradContext;
//! use llm_corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
//! use llm_model::{DecoderConfig, DecoderModel};
//!
//! let config = DecoderConfig::reference(10, 8).validate()?; // 10 ids, contexts of 8 tokens
//! let model = DecoderModel::<f64>::initialize(config, 39);
//! let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 8 };
//! let documents = [EncodedDocument::from_ids("x", Partition::Test, vec![0, 5, 5, 1])?];
//! let batch = VariableBatch::padded(Partition::Test, &binding, &number(0, &documents))?;
//! let loss = model.loss_padded_with_context(&AutogradContext::no_grad(), &batch, &binding)?;
//! assert_eq!(loss.count(), 3);
//! assert!((loss.mean() - 10f64.ln()).abs() < 1.0); // untrained: near a uniform guess
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod config;
mod decoder;
mod dropout;
mod error;
mod forward;
mod generate;
mod layer_statistics;
mod loss;
mod parameters;

pub use config::{DecoderConfig, ValidConfig};
pub use decoder::{DecoderModel, Parameter};
pub use dropout::{DropoutMode, DropoutProbability, DropoutStream, MaskPlace};
pub use error::ModelError;
pub use generate::{
    Candidate, Decoding, Distribution, Filters, Generation, GenerationConfig, KeyValueCache,
    Sampler, Step, Stop, generate_with,
};
pub use layer_statistics::LayerStatistics;
pub use llm_metrics::SplitMix64;
pub use loss::BatchLoss;
pub use parameters::{ParameterSpec, parameter_specs};
