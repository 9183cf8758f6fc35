//! The facade: every crate of the course as a module.
//!
//! Chapters and programs depend on this one crate and write `practical::corpus::Document`; a reader
//! who wants the code of `corpus` opens `crates/corpus`. There is nothing else here.
//!
//! ```
//! use llm_from_scratch_practical::metrics::score_assigned_probabilities;
//! let halves = score_assigned_probabilities(&[0.5, 0.5])?;
//! assert_eq!(halves.perplexity(), 2.0);
//! # Ok::<(), llm_from_scratch_practical::metrics::MetricError>(())
//! ```
#![forbid(unsafe_code)]

pub use llm_archive as archive;
pub use llm_autograd as autograd;
pub use llm_baselines as baselines;
pub use llm_corpus as corpus;
pub use llm_evaluation as evaluation;
pub use llm_interop as interop;
pub use llm_metrics as metrics;
pub use llm_model as model;
pub use llm_quantization as quantization;
pub use llm_tokenizer as tokenizer;
pub use llm_trainer as trainer;
