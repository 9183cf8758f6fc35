//! Frozen scoring of batches, and what refuses to be scored.
//!
//! Evaluation measures a model and must not move it: nothing is recorded, no gradient, value or
//! random stream changes, and what is reported is one sum of losses over one count of targets,
//! whatever the cut into batches. The neural model and the count models are scored on the same
//! targets of the same batches, so their numbers compare.
//!
//! Beyond batches, every model that predicts a next token is a [`LanguageModel`], and whatever is
//! measured with one is written once: framed documents are scored through a [`WindowRule`], one pass
//! gives a [`TargetRecord`] per target, and a [`RecordSummary`] computes all numbers from these.
//!
//! Left out: training, choosing between models, files and reports.
//!
//! | module | idea |
//! | --- | --- |
//! | `language_model` | [`LanguageModel`]: scores, ranks and whole rows, whoever predicts |
//! | `promises` | [`check_promises`]: whether a model keeps what the trait promises |
//! | `decoder`, `count_models` | who implements it here |
//! | `framing` | [`FramedDocument`]: ids with start and end token, and their bytes |
//! | `windows` | [`WindowRule`], [`WindowPlan`]: documents longer than the context |
//! | `scoring` | [`score_documents`]: the one pass |
//! | `record` | [`TargetRecord`]: what it yields, as JSON lines |
//! | `json_lines` | how records of any kind are written and read |
//! | `summary` | [`RecordSummary`]: perplexity, bits per byte, averages, error bars, top-k error |
//! | `running_summary` | [`RunningSummary`]: the same while a pass runs, in little memory |
//! | `record_digest` | [`RecordDigest`]: whether two passes gave the same bits |
//! | `sha256` | how digests are written |
//! | `samples` | [`sample_text`], [`cross_likelihood`]: generated text, and models that judge it |
//! | `html` | [`html::Page`]: one file that works offline, for every page of the course |
//! | `contract` | [`EvaluationContract`]: the rules behind a number; results, comparison, ledger |
//! | `surprise` | [`SurpriseView`]: every token in the colour of its bits, as a page or in a terminal |
//! | `compression`, `range_coder` | [`compress`]: a model as a compressor, and back |
//! | [`tasks`] | multiple choice and few-shot prompts |
//! | `score_error` | [`ScoreError`]: everything that these refuse |
//! | `evaluate` | [`evaluate`]: a decoder on batches, through one reducer for every loss |
//! | `bigram` | [`score_bigram`]: the add-one bigram on the same batches |
//! | `check` | what is asked of a batch before anyone looks into it |
//! | `losses` | [`TargetLosses`]: what a loss must tell the reducer |
//! | `gradients` | [`GradientBits`]: what must be the same before and after |
//! | `error` | [`EvaluationError`]: everything that is refused |
//!
//! # Example
//! Two documents of 3 and 1 targets, in one batch and in two: the same score, to the last bit.
//! ```
//! use std::num::NonZeroUsize;
//! use llm_corpus::{BatchBinding, EncodedDocument, Layout, Partition, batches};
//! use llm_evaluation::evaluate;
//! use llm_model::{DecoderConfig, DecoderModel};
//!
//! let model = DecoderModel::<f64>::initialize(DecoderConfig::reference(10, 8).validate()?, 39);
//! let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 8 };
//! let documents = [
//!     EncodedDocument::from_ids("x", Partition::Test, vec![0, 5, 5, 1])?,
//!     EncodedDocument::from_ids("y", Partition::Test, vec![0, 1])?,
//! ];
//! let score = |layout| -> Result<_, Box<dyn std::error::Error>> {
//!     let batches = batches(Partition::Test, &binding, &documents, layout)?;
//!     Ok(evaluate(&model, Partition::Test, &binding, &batches)?)
//! };
//! let separate = score(Layout::SEPARATE)?;
//! let padded = score(Layout::Padded { rows: NonZeroUsize::new(2).unwrap() })?;
//! assert_eq!((separate.batch_count, padded.batch_count), (2, 1));
//! assert_eq!((separate.metrics.target_count(), separate.recorded_graphs), (4, 0));
//! assert_eq!(separate.metrics, padded.metrics);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod bigram;
mod check;
mod compression;
mod contract;
mod count_models;
mod decoder;
mod error;
mod evaluate;
mod framing;
mod gradients;
pub mod html;
mod json_lines;
mod language_model;
mod losses;
mod promises;
mod range_coder;
mod record;
mod record_digest;
mod running_summary;
mod samples;
mod score_error;
mod scoring;
mod sha256;
mod summary;
mod surprise;
pub mod tasks;
mod windows;

pub use bigram::score_bigram;
pub use check::check_batch;
pub use compression::{CompressedDocument, compress, decompress};
pub use contract::{
    Boundaries, Compared, Comparison, Conditions, Contract, ContractError, Difference,
    DocumentDifference, DocumentIdentity, DocumentResult, EvaluationContract, EvaluationResult,
    FlaggedScores, LedgerEntry, Look, Measure, Refusal, ResultCache, Rules, SCORING_REVISION,
    SplitCount, SplitLedger, Spread, Subject, TargetRule, UnderContract, compare,
    score_under_contract,
};
pub use error::{EvaluationError, EvaluationRole, ScoredTarget};
pub use evaluate::{Evaluation, evaluate, evaluate_loss_batches_no_grad};
pub use framing::{FramedDocument, Framing, StartToken};
pub use gradients::GradientBits;
pub use language_model::{LanguageModel, Row, RowRequest, RowVisitor, ScoreRequest, TargetScore};
pub use losses::TargetLosses;
pub use promises::{BrokenPromise, check_promises};
pub use record::{TargetRecord, read_records, write_records};
pub use record_digest::RecordDigest;
pub use running_summary::{PassTotals, RunningSummary};
pub use samples::{CrossLikelihood, cross_likelihood, sample_text, sample_texts};
pub use score_error::{Place, ScoreError};
pub use scoring::{ScoringCounts, collect_records, score_documents};
pub use summary::RecordSummary;
pub use surprise::{
    Piece, SurpriseDocument, SurpriseTarget, SurpriseView, visible_pieces, visible_text,
};
pub use windows::{Window, WindowPlan, WindowRule};
