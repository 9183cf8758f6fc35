//! A small constructed world: words of three kinds, lines that say what a word is, and questions.

use llm_from_scratch_practical::{corpus, evaluation, metrics, tokenizer};

use std::num::NonZeroUsize;

use corpus::{Document, Partition};
use evaluation::tasks::{TaskError, TaskItem};
use metrics::SplitMix64;
use tokenizer::{
    Pretokenizer, Tokenizer, TokenizerArtifact, TokenizerError, TrainingConfig, WeightedDocument,
    train,
};

/// What the words of a kind are called; each an option of every question. One, two and four words:
/// length is what the scoring rules quarrel about.
pub const LABELS: [&str; 3] = [" tool", " wild animal", " plant of the garden"];

/// The words of each kind. Training texts have only the first [`SEEN`] of each.
pub const WORDS: [[&str; 8]; 3] = [
    ["saw", "axe", "rake", "drill", "spade", "lever", "chisel", "file"],
    ["owl", "fox", "elk", "hare", "otter", "badger", "weasel", "marten"],
    ["oak", "fern", "moss", "clover", "nettle", "thistle", "bramble", "heather"],
];

/// How many words of a kind occur in training texts.
pub const SEEN: usize = 5;

/// How often a line is about each kind, of ten: labels are not equally common.
const KINDS_OF_TEN: [usize; 10] = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2];
/// Lines of a training document, and how many of ten stay with the kind of its first line.
const LINES: usize = 4;
const LOYAL_OF_TEN: usize = 6;

/// The two ways of saying it; the answer follows.
fn phrase(form: usize, word: &str) -> String {
    match form {
        0 => format!("{word} is a"),
        _ => format!("one {word} is a"),
    }
}

/// Training documents: four lines such as `one owl is a wild animal`, mostly about one kind.
pub fn training_documents(seed: u64, count: usize) -> Vec<Document> {
    let mut stream = SplitMix64::new(seed);
    let mut below = |bound| stream.below(NonZeroUsize::new(bound).expect("bounds are above 0"));
    let mut documents = Vec::with_capacity(count);
    for number in 0..count {
        let theme = KINDS_OF_TEN[below(10)];
        let mut text = String::new();
        for _ in 0..LINES {
            let loyal = below(10) < LOYAL_OF_TEN;
            let other = KINDS_OF_TEN[below(10)];
            let kind = if loyal { theme } else { other };
            let line = phrase(below(2), WORDS[kind][below(SEEN)]);
            text.extend([line.as_str(), LABELS[kind], "\n"]);
        }
        documents.push(Document::new(format!("list-{number}"), Partition::Train, text));
    }
    documents
}

/// One question for each word and phrase, the two about one word forming a group.
///
/// # Errors
/// None that the constants can cause.
pub fn items() -> Result<Vec<TaskItem>, TaskError> {
    let mut items = Vec::new();
    for (kind, words) in WORDS.iter().enumerate() {
        for word in words {
            for form in 0..2 {
                let item = TaskItem::new(phrase(form, word), LABELS, kind)?;
                items.push(item.with_group(Some((*word).to_owned())));
            }
        }
    }
    Ok(items)
}

/// A tokenizer in which every word of this world, with and without a space before it, is one token.
///
/// # Errors
/// None that the constants can cause.
pub fn word_tokenizer() -> Result<Tokenizer, TokenizerError> {
    let mut text = LABELS.join("");
    for word in WORDS.as_flattened() {
        text.extend(["\n", &phrase(0, word), "\n", &phrase(1, word)]);
    }
    let config =
        TrainingConfig { merges: 1000, minimum_count: 1, pretokenizer: Pretokenizer::Gpt2 };
    let learned = train(&[WeightedDocument::once(text.as_bytes())], &config)?;
    let merges = learned.into_iter().map(|step| step.merge).collect();
    Tokenizer::from_artifact(TokenizerArtifact::trained(merges, config.pretokenizer))
}
