//! Chapter 21: what likelihood cannot see, and what no other number sees alone.
//!
//! One small model writes texts in seven ways, from greedy to wild. Every number about generated
//! text praises another way, and none orders them as a reader would. Models also read each other, and
//! a judge with known tastes shows how such tastes are found out, and how they are not.
//!
//! Read in this order: `language` (a language that is known), `writers` (who writes), `scores` (the
//! numbers and their favourites), `surprise` (where the bits went), `each_other` (a bigram and a
//! trigram), `judge`.
#![forbid(unsafe_code)]

mod each_other;
mod judge;
mod language;
mod scores;
mod surprise;
mod writers;

pub use each_other::{Reading, each_other};
pub use judge::{Beside, Estimate, JudgeReport, TASTES, judge_report};
pub use language::{bytes_only, fit, people};
pub use scores::{Example, Favourite, Standards, WriterScores, favourites, score};
pub use surprise::surprise_page;
pub use writers::{Written, decodings, given, write};

use std::path::PathBuf;

use anyhow::ensure;
use clap::Parser;
use llm_from_scratch_practical::archive::write_atomically;
use llm_from_scratch_practical::metrics::{SplitMix64, words};
use serde::Serialize;

/// Texts that the small model learns from.
const TRAINING_TEXTS: usize = 150;
/// Texts that the judging model learns from.
const JUDGE_TEXTS: usize = 400;
/// Bytes that the small model sees at once, the predicted one included.
const ORDER: usize = 5;
/// The same of the judging model.
const JUDGE_ORDER: usize = 6;

/// Samples of one small model in seven ways, and what every number says about them.
///
/// Prints one JSON object. Numbers are rounded to six decimals only there.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Texts of every writer
    #[arg(long, default_value_t = 30)]
    pub texts: usize,
    /// Pairs of answers that the simulated judge compares
    #[arg(long, default_value_t = 3000)]
    pub pairs: usize,
    /// Seed of everything random
    #[arg(long, default_value_t = 21)]
    pub seed: u64,
    /// Write the first text of every writer, each byte in the colour of its bits, as a page for a
    /// browser
    #[arg(long, value_name = "PATH.html")]
    pub surprise: Option<PathBuf>,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Texts of every writer.
    pub texts: usize,
    /// The first text of each writer.
    pub examples: Vec<Example>,
    /// People first, then the model, from the safest to the boldest way of choosing.
    pub writers: Vec<WriterScores>,
    /// What would win if one number decided.
    pub favourites: Vec<Favourite>,
    /// A bigram and a trigram read what the other wrote.
    pub each_other: Vec<Reading>,
    /// A judge with known tastes.
    pub judge: JudgeReport,
}

/// Runs the chapter. Writes the page that `args` names and nothing else.
///
/// # Errors
/// For a number of texts or pairs outside its limits; a file that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let &Args { texts, pairs, seed, .. } = args;
    ensure!((10..=500).contains(&texts), "--texts is {texts}, expected 10 to 500");
    ensure!((50..=200_000).contains(&pairs), "--pairs is {pairs}, expected 50 to 200000");
    let tokenizer = bytes_only()?;
    let mut stream = SplitMix64::new(seed);
    let [training, of_judge, reference, held_out] =
        [TRAINING_TEXTS, JUDGE_TEXTS, texts, texts].map(|count| people(count, &mut stream));
    let model = fit(ORDER, &training, &tokenizer)?;
    let judge = fit(JUDGE_ORDER, &of_judge, &tokenizer)?;
    // Streams that begin alike stay alike, so the sampler and the judge get seeds of their own.
    let [sampling_seed, judge_seed] = [stream.next_u64(), stream.next_u64()];
    let standards = Standards {
        known: training.iter().flat_map(|text| words(text)).collect(),
        judge: &judge,
        people: scores::vectors(&reference)?,
    };

    let mut writers = vec![given("people", &held_out, &tokenizer)?];
    for decoding in decodings(sampling_seed) {
        writers.push(write(decoding, &model, texts, &tokenizer)?);
    }
    if let Some(path) = &args.surprise {
        let page = surprise_page(&judge, &writers, &tokenizer)?;
        write_atomically(path, |file| file.write_all(page.as_bytes()))?;
    }
    let scores: Vec<WriterScores> =
        writers.iter().map(|written| score(written, &standards)).collect::<Result<_, _>>()?;
    let [bigram, trigram] = [2, 3].map(|order| fit(order, &training, &tokenizer));
    Ok(Report {
        chapter: "21-judging-samples",
        seed,
        texts,
        examples: writers.iter().map(Example::of).collect(),
        favourites: favourites(&scores),
        writers: scores,
        each_other: each_other(&bigram?, &trigram?, texts, sampling_seed, &tokenizer)?,
        judge: judge_report(pairs, judge_seed)?,
    })
}
