//! Byte-level BPE: text to ids and back, exactly.
//!
//! Text is bytes. Every byte value is a token, and frequent neighbours are merged into longer
//! tokens, so there is no text that cannot be encoded and decoding gives the same bytes back.
//! [`train()`] learns the merges, a [`TokenizerArtifact`] freezes them as data with an identity,
//! and a [`Tokenizer`] is an artifact that was checked and can be used.
//!
//! Left out on purpose: files (callers read and write bytes), threads, caches of encoded words,
//! rewriting text into a normal form (it is refused instead), and other families of tokenizers
//! (unigram, WordPiece).
//!
//! # Map
//!
//! | module | idea |
//! | --- | --- |
//! | `train` | learning merges: `reference` is the definition, `incremental` the fast form |
//! | `artifact` | the frozen tokenizer as plain data |
//! | `canonical` | its one accepted JSON form, its SHA-256, strict loading |
//! | `vocabulary` | what every id means; the checks of an artifact |
//! | `normalizer` | refusing text that a rule would rewrite |
//! | `encoder` | the stages from text to ids: `extra_tokens`, `pretokenizer`, `seams`, `merger` |
//! | `merge_table` | finding the merge of a pair |
//! | `tokenizer` | the type that all this serves |
//! | `chapter_four` | the small tokenizer of the lessons |
//!
//! # Example
//!
//! ```
//! use llm_tokenizer::{Pretokenizer, Tokenizer, TrainingConfig, WeightedDocument, train};
//!
//! let documents = [WeightedDocument::once(b"abab"), WeightedDocument::once(b"abac")];
//! let config =
//!     TrainingConfig { merges: 2, minimum_count: 1, pretokenizer: Pretokenizer::None };
//! let learned = train(&documents, &config)?; // ab, then ac
//! let tokenizer = Tokenizer::from_training(&learned, config.pretokenizer)?;
//!
//! assert_eq!(tokenizer.encode(b"acac")?, [259, 259]);
//! assert_eq!(tokenizer.decode(&[259, 258])?, b"acab");
//! assert_eq!(Tokenizer::from_json(&tokenizer.to_json())?, tokenizer);
//! # Ok::<(), llm_tokenizer::TokenizerError>(())
//! ```
//!
//! Taught in chapters 3 (training) and 4 (the frozen tokenizer).

#![forbid(unsafe_code)]

mod artifact;
mod canonical;
mod chapter_four;
mod encoder;
mod error;
mod extra_tokens;
mod merge_table;
mod merger;
mod normalizer;
mod pretokenizer;
mod seams;
mod tokenizer;
mod train;
mod vocabulary;

pub use artifact::{
    BOS, ControlRole, ControlToken, EOS, ExtraToken, FIRST_BYTE_ID, FIRST_MERGE_ID, FORMAT_VERSION,
    MAX_VOCAB_SIZE, Merge, TokenId, TokenizerArtifact,
};
pub use canonical::MAX_ARTIFACT_BYTES;
pub use chapter_four::{CHAPTER_FOUR_MERGES, CHAPTER_FOUR_TRAINING_TEXT, chapter_four_tokenizer};
pub use error::TokenizerError;
pub use normalizer::Normalizer;
pub use pretokenizer::Pretokenizer;
pub use tokenizer::Tokenizer;
pub use train::{
    LearnedMerge, TrainingConfig, WeightedDocument, count_pairs, train, train_by_recounting,
};
pub use vocabulary::{MAX_EXTRA_TOKEN_BYTES, MAX_VOCABULARY_BYTES};
