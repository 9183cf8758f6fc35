//! Chapter 22: the evaluation contract.
//!
//! A number carries the rules that produced it. Then two numbers can be asked whether they compare,
//! a file can say how often a test set was looked at, and a scan can say which of its documents
//! the model has seen.
//!
//! Read in this order: `setup` (texts, models, one scoring function), `contracts` (two results and
//! their difference), `refusals` (one rule changed at a time), `looks` (the ledger of splits), `leaks`
//! (copies of training documents), `mixtures` (domains and pools), `lab` (how far a count moves by
//! chance), `figure`.
#![forbid(unsafe_code)]

mod contracts;
mod figure;
mod lab;
mod leaks;
mod looks;
mod mixtures;
mod refusals;
mod setup;

pub use contracts::{ComparisonReport, ContractReport, ResultReport, contracts};
pub use figure::render_figure;
pub use lab::{LabBar, LabReport, lab_page, lab_report};
pub use leaks::{LeakReport, leaks};
pub use looks::{LookReport, looks};
pub use mixtures::{ChangeReport, MixtureReport, mixtures};
pub use refusals::{RefusalReport, refusals};

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use llm_chapter_kit::{check_output_files, to_json};
use llm_from_scratch_practical::archive::write_atomically;
use llm_from_scratch_practical::evaluation::SplitLedger;
use serde::Serialize;

/// Put the rules of an evaluation into a contract, and see what they protect from.
///
/// Prints one JSON object. Numbers are rounded to six decimals only there.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Seed of the bootstrap and of the probability lab
    #[arg(long, default_value_t = 22)]
    pub seed: u64,
    /// Assignments in the probability lab, 1 to 1000
    #[arg(long, default_value_t = 20)]
    pub assignments: usize,
    /// Probability of the smaller domain in the lab, 0 to 1
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    pub probability: f64,
    /// Keep the ledger of looks in this file; without it, in a temporary one
    #[arg(long, value_name = "PATH.jsonl")]
    pub ledger: Option<PathBuf>,
    /// Score the final split although the ledger says that it was scored before
    #[arg(long)]
    pub again: bool,
    /// Write the trigram's result, contract included, to this file
    #[arg(long, value_name = "PATH.json")]
    pub save_result: Option<PathBuf>,
    /// Write the probability lab as a page for a browser
    #[arg(long, value_name = "PATH.html")]
    pub page: Option<PathBuf>,
    /// Draw the pooled loss against the share of the harder domain
    #[arg(long, value_name = "PATH.svg")]
    pub figure: Option<PathBuf>,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// What the numbers are about.
    pub data_scope: &'static str,
    /// Two results under one contract, and their difference.
    pub contract: ContractReport,
    /// The same with one rule changed at a time.
    pub refusals: Vec<RefusalReport>,
    /// The ledger of looks at each split.
    pub looks: LookReport,
    /// Copies of training documents, and what they do to a score.
    pub leaks: LeakReport,
    /// Domains first, then pools.
    pub mixtures: MixtureReport,
    /// How far a count moves by chance.
    pub lab: LabReport,
}

/// Runs the chapter. Reads nothing but `args`, and writes only the files that they name.
///
/// # Errors
/// For arguments outside their ranges, a ledger that forbids the look, and files that cannot be
/// written.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    check_output_files(&[
        ("the ledger", &args.ledger),
        ("the result", &args.save_result),
        ("the page", &args.page),
        ("the figure", &args.figure),
    ])?;
    let lab = lab_report(args.assignments, args.probability, args.seed)?;
    let (contract, trigram) = contracts(args.seed)?;
    let report = Report {
        chapter: "22-evaluation-contract",
        data_scope: "a dozen constructed lines in two domains; count models; no natural corpus",
        refusals: refusals(&trigram, args.seed)?,
        looks: match &args.ledger {
            Some(path) => looks(&SplitLedger::new(path), args.again)?,
            None => {
                let folder = tempfile::tempdir().context("a temporary folder for the ledger")?;
                looks(&SplitLedger::new(folder.path().join("looks.jsonl")), args.again)?
            }
        },
        contract,
        leaks: leaks()?,
        mixtures: mixtures()?,
        lab,
    };
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> anyhow::Result<String>| match path {
        Some(path) => anyhow::Ok(write_atomically(path, |file| {
            file.write_all(text().map_err(std::io::Error::other)?.as_bytes())
        })?),
        None => Ok(()),
    };
    write(&args.save_result, &|| to_json(&trigram))?;
    write(&args.page, &|| Ok(lab_page(&report.lab)))?;
    write(&args.figure, &|| render_figure(&report.mixtures))?;
    Ok(report)
}
