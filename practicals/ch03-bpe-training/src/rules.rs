//! The rules that two programs must share to learn the same merges, each on texts that show it.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::tokenizer::{
    CHAPTER_FOUR_TRAINING_TEXT, Pretokenizer, Tokenizer, TokenizerError, TrainingConfig,
    WeightedDocument, train,
};
use serde::Serialize;

use crate::steps::spelled;

/// A rule at work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleAtWork {
    /// The rule.
    pub rule: &'static str,
    /// Texts that show it, each with its weight.
    pub documents: Vec<String>,
    /// The first merge that is learned and its count; null if nothing can be learned.
    pub first_merge: Option<String>,
    /// The first document after it.
    pub result: String,
}

/// Rule, texts with weights, pretokenizer.
type Demonstration = (&'static str, &'static [(&'static str, u64)], Pretokenizer);

const DEMONSTRATIONS: [Demonstration; 6] = [
    ("overlaps are counted, replaced is from the left", &[("aaa", 1)], Pretokenizer::None),
    ("of equal counts the smallest ids win", &[("ba", 1), ("ab", 1)], Pretokenizer::None),
    ("no pair crosses documents", &[("a", 9), ("b", 9)], Pretokenizer::None),
    ("a weight counts like copies", &[("ab", 1), ("cd", 5)], Pretokenizer::None),
    ("one piece: letters and digits may merge", &[("a1", 1)], Pretokenizer::None),
    ("gpt2 pieces: no pair crosses them", &[("a1", 1)], Pretokenizer::Gpt2),
];

/// Every rule on its texts.
///
/// # Errors
/// None that the constants can cause.
pub(crate) fn rules() -> Result<Vec<RuleAtWork>, TokenizerError> {
    DEMONSTRATIONS.into_iter().map(at_work).collect()
}

fn at_work((rule, texts, pretokenizer): Demonstration) -> Result<RuleAtWork, TokenizerError> {
    let documents: Vec<_> = texts
        .iter()
        .map(|&(text, weight)| WeightedDocument { text: text.as_bytes(), weight })
        .collect();
    let learned = train(&documents, &TrainingConfig { merges: 1, minimum_count: 1, pretokenizer })?;
    let tokenizer = Tokenizer::from_training(&learned, pretokenizer)?;
    let first_merge = learned.first().map(|step| {
        let [left, right] = [step.merge.left, step.merge.right].map(|id| tokenizer.spelling(id));
        format!("{left} {right}: {}", step.count)
    });
    Ok(RuleAtWork {
        rule,
        documents: texts.iter().map(|(text, weight)| format!("{text} x{weight}")).collect(),
        first_merge,
        result: spelled(&tokenizer, texts[0].0.as_bytes())?,
    })
}

/// How long six sentences are as tokens of a vocabulary that was learned from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Length {
    /// Merges that were allowed.
    pub merges: usize,
    /// Tokens of all six sentences.
    pub tokens: usize,
    /// Their bytes divided by the tokens.
    #[serde(serialize_with = "six_decimals")]
    pub bytes_per_token: f64,
}

/// Six sentences with more and more merges.
///
/// # Errors
/// None that the constants can cause.
pub(crate) fn lengths() -> Result<Vec<Length>, TokenizerError> {
    let sentences = CHAPTER_FOUR_TRAINING_TEXT;
    let documents: Vec<_> =
        sentences.iter().map(|text| WeightedDocument::once(text.as_bytes())).collect();
    let bytes: usize = sentences.iter().map(|text| text.len()).sum();
    let length = |merges| -> Result<Length, TokenizerError> {
        let config = TrainingConfig { merges, minimum_count: 1, pretokenizer: Pretokenizer::None };
        let learned = train(&documents, &config)?;
        let tokenizer = Tokenizer::from_training(&learned, config.pretokenizer)?;
        let mut tokens = 0;
        for sentence in sentences {
            tokens += tokenizer.encode(sentence.as_bytes())?.len();
        }
        Ok(Length { merges, tokens, bytes_per_token: bytes as f64 / tokens as f64 })
    };
    [0, 8, 32, 64, 128].into_iter().map(length).collect()
}
