//! `llm compare`: the difference of two results, or why there is none.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use llm_chapter_kit::read_at_most;
use practical::evaluation::tasks::{self, OptionRecord, TaskResult};
use practical::evaluation::{Comparison, ContractError, EvaluationResult, Measure, compare};
use practical::metrics::BootstrapPlan;
use serde::Serialize;
use serde_json::{Value, from_value};

use crate::output::Report;

/// Most bytes of a result: a million documents.
const LARGEST_RESULT: u64 = 1 << 30;

/// Compare two results of `llm evaluate` or `llm tasks`, document by document or item by item
///
/// Takes what either command printed with --json, or wrote with --contract. Results whose conditions
/// differ are compared only in the numbers that do not depend on the difference; if there is none,
/// the command fails and names what differs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm compare old.json new.json
  llm compare old.json new.json --resamples 10000 --seed 7 --json")]
pub(crate) struct CompareArgs {
    /// The first result
    left: PathBuf,
    /// The second result; differences are first minus second
    right: PathBuf,
    /// Resamples of documents for the interval; items need none
    #[arg(long, value_name = "R", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(2..))]
    resamples: u32,
    /// Seed of the resampling
    #[arg(long, default_value_t = 39)]
    seed: u64,
}

#[derive(Serialize)]
struct Compared {
    left: String,
    right: String,
    /// One for each number that compares.
    comparisons: Vec<Comparison>,
    /// Numbers that do not compare, and why.
    refused: Vec<Refused>,
}

#[derive(Serialize)]
struct Refused {
    measure: Measure,
    reason: String,
}

pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<Report> {
    let [left, right] = [&args.left, &args.right].map(|path| ResultFile::read(path));
    match (left?, right?) {
        (ResultFile::Documents(left), ResultFile::Documents(right)) => {
            let resample_count = args.resamples as usize;
            let plan = BootstrapPlan { seed: args.seed, resample_count, confidence: 0.95 };
            compare_documents(&left, &right, plan)
        }
        (ResultFile::Items(left), ResultFile::Items(right)) => {
            Report::new(&tasks::compare(&left, &right)?)
        }
        _ => bail!("one result is of documents and one of multiple-choice items"),
    }
}

/// What a file of a result holds.
enum ResultFile {
    Documents(EvaluationResult),
    Items(TaskResult),
}

impl ResultFile {
    /// Reads a result, alone or within the report that a command prints.
    fn read(path: &Path) -> anyhow::Result<Self> {
        let json = read_at_most(path, LARGEST_RESULT)?;
        Self::parse(&json).with_context(|| {
            format!(
                "{}: no result that llm evaluate or llm tasks prints with --json or writes with \
                 --contract",
                path.display()
            )
        })
    }

    fn parse(json: &[u8]) -> anyhow::Result<Self> {
        let mut value: Value = serde_json::from_slice(json)?;
        if value["contract"]["conditions"].get("items").is_some() {
            return Ok(Self::Items(match value.get_mut("option_records").map(Value::take) {
                None => from_value(value)?,
                Some(records) => {
                    let records: Vec<OptionRecord> = from_value(records)?;
                    TaskResult::from_records(from_value(value["contract"].take())?, records)?
                }
            }));
        }
        Ok(Self::Documents(match value.get_mut("document_totals").map(Value::take) {
            None => from_value(value)?,
            Some(totals) => {
                let contract = from_value(value["contract"].take())?;
                EvaluationResult::from_totals(contract, from_value(totals)?)?
            }
        }))
    }
}

fn compare_documents(
    left: &EvaluationResult,
    right: &EvaluationResult,
    plan: BootstrapPlan,
) -> anyhow::Result<Report> {
    let mut compared = Compared {
        left: left.contract().signature(),
        right: right.contract().signature(),
        comparisons: Vec::new(),
        refused: Vec::new(),
    };
    for measure in Measure::ALL {
        match compare(left, right, measure, plan) {
            Ok(comparison) => compared.comparisons.push(comparison),
            Err(
                error @ (ContractError::NotComparable(_)
                | ContractError::NoBytes
                | ContractError::EmptyDocument { .. }),
            ) => {
                compared.refused.push(Refused { measure, reason: error.to_string() });
            }
            Err(error) => return Err(error.into()),
        }
    }
    if compared.comparisons.is_empty() {
        let reasons: Vec<&str> = compared.refused.iter().map(|r| r.reason.as_str()).collect();
        bail!("{}", reasons.join("; "));
    }
    let text = text(&compared)?;
    Report::with_text(&compared, text)
}

fn text(compared: &Compared) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "left   {}\nright  {}", compared.left, compared.right)?;
    for comparison in &compared.comparisons {
        let Comparison { measure, left, right, difference, .. } = comparison;
        writeln!(text, "{measure}: {left:.6} and {right:.6}, difference {difference:+.6}")?;
        if let Some(spread) = &comparison.bootstrap {
            let (lower, upper) = (spread.lower, spread.upper);
            writeln!(
                text,
                "  95% of {} resamples of documents: {lower:+.6} to {upper:+.6}",
                spread.resamples
            )?;
        }
    }
    for refused in &compared.refused {
        writeln!(text, "{}", refused.reason)?;
    }
    if let Some(first) = compared.comparisons.first() {
        writeln!(text, "{}", first.clusters)?;
        first.caveats.iter().try_for_each(|caveat| writeln!(text, "{caveat}"))?;
    }
    Ok(text)
}
