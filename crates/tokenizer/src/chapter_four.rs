//! The tokenizer of the lessons from chapter 4 on: eight merges, 266 ids.

use crate::pretokenizer::Pretokenizer;
use crate::tokenizer::Tokenizer;
use crate::train::{TrainingConfig, WeightedDocument, train};

/// Merges of the chapter-4 tokenizer; the vocabulary has 258 + 8 = 266 ids.
pub const CHAPTER_FOUR_MERGES: usize = 8;

/// The text that the chapter-4 tokenizer is fitted on, one document per sentence.
///
/// It is part of the tokenizer's identity: every saved model of the lessons carries the merges
/// that these sentences give. None of them is ever a training or validation document of a model.
pub const CHAPTER_FOUR_TRAINING_TEXT: &[&str] = &[
    "the river bends where the old road ends",
    "then the wind turns over the fields",
    "there the miller hears the other wheel",
    "the weather here is never the same",
    "her brother threw the rope to the shore",
    "they lit the fire when the evening came",
];

/// The chapter-4 tokenizer, fitted on [`CHAPTER_FOUR_TRAINING_TEXT`] here and now.
///
/// No merge joins two of the letters `a` and `b`, so the tiny documents of the lessons (`aaab`,
/// `abaa`, ...) encode to one id per letter and every target can be followed by hand.
///
/// # Example
/// ```
/// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
/// assert_eq!(tokenizer.vocab_size(), 266);
/// assert_eq!(tokenizer.encode(b"baa")?, [100, 99, 99]);
/// # Ok::<(), llm_tokenizer::TokenizerError>(())
/// ```
pub fn chapter_four_tokenizer() -> Tokenizer {
    let documents: Vec<_> = CHAPTER_FOUR_TRAINING_TEXT
        .iter()
        .map(|sentence| WeightedDocument::once(sentence.as_bytes()))
        .collect();
    let config = TrainingConfig {
        merges: CHAPTER_FOUR_MERGES,
        minimum_count: 2,
        pretokenizer: Pretokenizer::None,
    };
    let learned = train(&documents, &config).expect("a few sentences are below every limit");
    Tokenizer::from_training(&learned, config.pretokenizer)
        .expect("merges that were just learned are consistent")
}
