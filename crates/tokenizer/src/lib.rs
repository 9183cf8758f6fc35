//! Byte-level BPE: training, encoding and the frozen tokenizer artifact.
#![forbid(unsafe_code)]

mod artifact;
mod canonical;
mod chapter_four;
mod encoder;
mod error;
mod extra_tokens;
mod merge_table;
mod merger;
mod pretokenizer;
mod seams;
mod tokenizer;
mod train;
mod vocabulary;

pub use artifact::{
    BOS, ControlRole, ControlToken, EOS, ExtraToken, FIRST_BYTE_ID, FIRST_MERGE_ID, FORMAT_VERSION,
    MAX_VOCAB_SIZE, Merge, Normalizer, TokenId, TokenizerArtifact,
};
pub use canonical::MAX_ARTIFACT_BYTES;
pub use chapter_four::{CHAPTER_FOUR_MERGES, CHAPTER_FOUR_TRAINING_TEXT, chapter_four_tokenizer};
pub use error::TokenizerError;
pub use pretokenizer::Pretokenizer;
pub use tokenizer::Tokenizer;
pub use train::{LearnedMerge, TrainingConfig, WeightedDocument, train, train_by_recounting};
pub use vocabulary::{MAX_EXTRA_TOKEN_BYTES, MAX_VOCABULARY_BYTES};
