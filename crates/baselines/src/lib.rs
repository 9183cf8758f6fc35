//! Count models: what a neural model has to beat before its loss means anything.
//!
//! A loss of 4.17 nats alone says little. Beside a model that only counted which token followed
//! which, scored on the same targets, it becomes a comparison. The models here are fitted by
//! counting training documents, once; after that they cannot change.
//!
//! A general-purpose compressor is a baseline from the other side; see `llm-compressors`.
//!
//! Left out: batches, partitions of what is scored, and reports. Those belong to the evaluation,
//! which feeds a model here with the same histories and targets as a neural one.
//!
//! | module | idea |
//! | --- | --- |
//! | `count_model` | [`CountModel`]: the interface of all of them, a row for a history |
//! | `bigram` | [`BigramModel`]: the next token from the previous one, add-one smoothing |
//! | `ngram` | [`NgramModel`]: uniform, unigram, any longer context, four kinds of [`Smoothing`] |
//! | `source` | [`SourceGrammar`], [`SourceModel`]: a language of known entropy, the floor below all |
//! | `training`, `digest` | what is asked of documents; which counts a model has |
//! | `error` | [`BaselineError`]: everything that is refused |
//!
//! # Example
//!
//! Nine transitions, 266 possible tokens. After the start token (0), `a` (99) was seen in both
//! documents and `b` (100) in none:
//!
//! ```
//! use llm_baselines::{BigramModel, score_bigram_transitions};
//! use llm_corpus::{Document, EncodedDocument, Partition};
//! use llm_tokenizer::chapter_four_tokenizer;
//!
//! let tokenizer = chapter_four_tokenizer();
//! let documents = ["aaab", "aab"].map(|text| Document::named_by_text(Partition::Train, text));
//! let documents = EncodedDocument::encode_all(&documents, &tokenizer)?;
//!
//! let model = BigramModel::fit(tokenizer.vocab_size(), &documents)?;
//! assert_eq!(model.transitions(), 9);
//! assert_eq!(model.probability(0, 99)?, 3.0 / 268.0); // (2 + 1) / (2 + 266)
//! assert_eq!(model.probability(0, 100)?, 1.0 / 268.0);
//!
//! let score = score_bigram_transitions(&model, [(0, 99), (99, 100)])?; // 3/268 and 3/271
//! assert_eq!((score.target_count(), format!("{:.4}", score.mean_nll())), (2, "4.4979".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod bigram;
mod count_model;
mod digest;
mod error;
mod ngram;
mod source;
mod training;

pub use bigram::{BigramModel, score_bigram_transitions};
pub use count_model::CountModel;
pub use error::BaselineError;
pub use ngram::{KNESER_NEY_DISCOUNT, MAX_ORDER, NgramModel, Smoothing};
pub use source::{Alternative, SourceEntropy, SourceGrammar, SourceModel, letters_language};
