//! Chapter 18: measure a language model.
//!
//! A model gives every token a probability; everything else follows from these numbers and can be
//! followed wrongly: units, averages, tie rules, numbers too small for a float, tables that were
//! rounded twice. Each part of this chapter is small enough to check by hand.
//!
//! Read in this order: `worked_document` (five tokens), `averages` (two kinds of them), `bad_token`
//! (a loss without a limit), `guessing` (the level to beat, and a table that was printed), `entropy`
//! (the level nobody beats, and what surprisal says about rank), `self_test`, `figures`.
#![forbid(unsafe_code)]

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Parser, value_parser};
use llm_chapter_kit::check_output_files;
use llm_from_scratch_practical::archive::write_atomically;
use llm_from_scratch_practical::metrics::{SplitMix64, SyntheticCorpusPlan};
use serde::Serialize;

mod averages;
mod bad_token;
mod entropy;
mod figures;
mod guessing;
mod self_test;
mod worked_document;

pub use averages::{AveragesReport, CorpusReport, two_documents};
pub use bad_token::{BadTokenReport, BadTokenRow, SinglePrecision, bad_token};
pub use entropy::{EntropyReport, EntropyRow, LinksReport, entropy_table, links};
pub use figures::{averages_figure, surprisal_figure};
pub use guessing::{AuditRow, GuessReport, RandomGuess, random_guess, table_audit};
pub use self_test::{AgainstGuessing, FourTokens, SelfTest, self_test};
pub use worked_document::{TokenReport, TopKReport, WorkedDocument, worked_document};

/// Measure a language model: bits, perplexity, top-k error, averages, and what they hide.
///
/// Prints one JSON object. Its numbers are rounded to six decimals only here.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Seed of everything random
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Documents of the invented corpus, 2 to 1000000
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = value_parser!(u32).range(2..=1_000_000))]
    pub documents: u32,
    /// Tokens of the sampled text, 1 to 10000000
    #[arg(long, value_name = "N", default_value_t = 200_000,
        value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub tokens: u32,
    /// Random distributions that are tried, 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 8_000,
        value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub draws: u32,
    /// Draw the surprisals of the worked document to this SVG file
    #[arg(long, value_name = "PATH.svg")]
    pub surprisal_figure: Option<PathBuf>,
    /// Draw the two averages of the corpus to this SVG file
    #[arg(long, value_name = "PATH.svg")]
    pub averages_figure: Option<PathBuf>,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// What was measured.
    pub data_scope: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Five tokens with their whole distributions.
    pub worked_document: WorkedDocument,
    /// A hard short one and an easy long one.
    pub two_documents: AveragesReport,
    /// Many invented ones.
    pub synthetic_corpus: CorpusReport,
    /// What a single token can do.
    pub bad_token: BadTokenReport,
    /// The level of a model that knows nothing.
    pub random_guess: RandomGuess,
    /// A published table in two units.
    pub table_audit: Vec<AuditRow>,
    /// The level that no model gets below.
    pub entropy: EntropyReport,
    /// What surprisal says about rank, tried out.
    pub links: LinksReport,
    /// Answers to the questions of the lesson.
    pub self_test: SelfTest,
}

/// Runs the chapter. Writes the files that `args` names and nothing else.
///
/// # Errors
/// A figure that cannot be drawn or written.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let figures = [
        ("the surprisal figure", &args.surprisal_figure),
        ("the averages figure", &args.averages_figure),
    ];
    check_output_files(&figures)?;
    let seed = args.seed;
    let plan = SyntheticCorpusPlan {
        documents: args.documents as usize,
        ..SyntheticCorpusPlan::default()
    };
    let corpus = plan.draw(seed)?;
    let report = Report {
        chapter: "18-measuring-a-language-model",
        data_scope: "invented probabilities and an invented corpus; one published table; no model \
            was trained or scored",
        seed,
        worked_document: worked_document(&mut SplitMix64::new(seed))?,
        two_documents: two_documents()?,
        synthetic_corpus: CorpusReport::of(&corpus)?,
        bad_token: bad_token()?,
        random_guess: random_guess()?,
        table_audit: table_audit()?,
        entropy: entropy_table(at_least_one(args.tokens), seed)?,
        links: links(at_least_one(args.draws), seed)?,
        self_test: self_test(&corpus)?,
    };
    if let Some(path) = &args.surprisal_figure {
        write_figure(path, &surprisal_figure(&report.worked_document)?)?;
    }
    if let Some(path) = &args.averages_figure {
        write_figure(path, &averages_figure(&corpus, &report.synthetic_corpus)?)?;
    }
    Ok(report)
}

/// A count from the command line, which accepts none below one.
fn at_least_one(count: u32) -> NonZeroUsize {
    NonZeroUsize::new(count as usize).unwrap_or(NonZeroUsize::MIN)
}

fn write_figure(path: &Path, svg: &str) -> anyhow::Result<()> {
    write_atomically(path, |file| file.write_all(svg.as_bytes()))?;
    Ok(())
}
