//! The same numbers for every writer, and which writer each number likes best.

use crate::writers::Written;
use anyhow::Context;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::evaluation::{
    LanguageModel, RecordSummary, WindowRule, collect_records, visible_text,
};
use llm_from_scratch_practical::metrics::{
    DistinctNgrams, MauvePlan, hashed_byte_ngrams, longest_loop, mauve_over_seeds,
    mean_distinct_share, unknown_words, words,
};
use serde::Serialize;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

/// Longer than any text here: every byte is scored with all that stands before it.
pub(crate) const WHOLE_TEXT: WindowRule =
    WindowRule { window: 4096, stride: 1, bos_per_window: false };
/// Seeds of the clustering.
const MAUVE_SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

/// What the numbers say about one writer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WriterScores {
    /// Who wrote.
    pub writer: &'static str,
    /// Different pairs of words over all pairs, each text alone, then averaged.
    #[serde(serialize_with = "six_decimals")]
    pub distinct_2: f64,
    /// The same over all texts together.
    #[serde(serialize_with = "six_decimals")]
    pub distinct_2_all: f64,
    /// Words in the longest loop of any text; 0 if no text repeats itself back to back.
    pub loop_words: usize,
    /// Share of words that the training texts do not have.
    #[serde(serialize_with = "six_decimals")]
    pub unknown: f64,
    /// Surprise of the stronger model, bits per byte.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_byte: f64,
    /// MAUVE against other texts of people, mean over five seeds.
    #[serde(serialize_with = "six_decimals")]
    pub mauve: f64,
    /// Its standard deviation over the seeds.
    #[serde(serialize_with = "six_decimals")]
    pub mauve_sd: f64,
}

/// A writer's first text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// Who wrote.
    pub writer: &'static str,
    /// The beginning of the text; bytes that cannot be seen are shown as marks.
    pub text: String,
}

impl Example {
    /// The first of some texts.
    pub fn of(written: &Written) -> Self {
        let text = written.texts.first().map_or(String::new(), |text| visible_text(text));
        Self { writer: written.writer, text: text.chars().take(70).collect() }
    }
}

/// What texts are held against.
pub struct Standards<'s> {
    /// Words of the training texts.
    pub known: BTreeSet<&'s [u8]>,
    /// A model that knows the language better than the writer does.
    pub judge: &'s dyn LanguageModel,
    /// Vectors of texts by people.
    pub people: Vec<Vec<f64>>,
}

/// A vector for each text.
pub(crate) fn vectors(texts: &[Vec<u8>]) -> anyhow::Result<Vec<Vec<f64>>> {
    Ok(texts.iter().map(|text| hashed_byte_ngrams(text, 3, 64)).collect::<Result<_, _>>()?)
}

/// Computes every number for one writer.
pub fn score(written: &Written, standards: &Standards<'_>) -> anyhow::Result<WriterScores> {
    let in_words: Vec<Vec<&[u8]>> =
        written.texts.iter().map(|text| words(text).collect()).collect();
    let loops = in_words.iter().filter_map(|text| longest_loop(text, text.len()));
    let (records, _) =
        collect_records(standards.judge, &written.framed, WHOLE_TEXT, NonZeroUsize::MIN)?;
    let vectors = vectors(&written.texts)?;
    let plan = MauvePlan::for_sizes(vectors.len(), standards.people.len(), 0);
    let mauve = mauve_over_seeds(&vectors, &standards.people, plan, &MAUVE_SEEDS)?.summary;
    // A text of fewer than two words has no pair and says nothing about repetition.
    let with_pairs: Vec<_> = in_words.iter().filter(|text| text.len() > 1).collect();
    Ok(WriterScores {
        writer: written.writer,
        distinct_2: mean_distinct_share(&with_pairs, 2)?,
        distinct_2_all: DistinctNgrams::of(&in_words, 2)?.distinct_share(),
        loop_words: loops.map(|found| found.len).max().unwrap_or(0),
        unknown: unknown_words(in_words.concat(), &standards.known)?.share(),
        bits_per_byte: RecordSummary::from_records(records)?
            .bits_per_byte()?
            .context("the tokenizer knows the bytes")?,
        mauve: mauve.mean,
        mauve_sd: mauve.sample_standard_deviation.unwrap_or(0.0),
    })
}

/// What the best writer would be if one number decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Favourite {
    /// The number.
    pub number: &'static str,
    /// Which end of it is praised.
    pub praised: &'static str,
    /// The model's way of writing that it likes best, the first among equals.
    pub writer: &'static str,
    /// Whether it likes that better than what people write.
    pub above_people: bool,
}

/// The favourite of every number. `scores` begins with people, who do not compete.
pub fn favourites(scores: &[WriterScores]) -> Vec<Favourite> {
    type Number = fn(&WriterScores) -> f64;
    let numbers: [(&str, &str, Number); 5] = [
        ("distinct_2", "high", |s| s.distinct_2),
        ("distinct_2_all", "high", |s| s.distinct_2_all),
        ("unknown", "low", |s| -s.unknown),
        ("bits_per_byte", "low", |s| -s.bits_per_byte),
        ("mauve", "high", |s| s.mauve),
    ];
    let favourite = |(number, praised, value): (_, _, Number)| {
        let mut best = &scores[1];
        for next in &scores[2..] {
            best = if value(next) > value(best) { next } else { best };
        }
        let above_people = value(best) > value(&scores[0]);
        Favourite { number, praised, writer: best.writer, above_people }
    };
    numbers.map(favourite).to_vec()
}
