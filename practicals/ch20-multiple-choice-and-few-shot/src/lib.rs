//! Chapter 20: multiple choice and few-shot prompts.
//!
//! A model is asked which of several options continues a text best. One pass gives the probability
//! of every option; how these become a choice, and what stands before the question, moves the
//! score as much as another model would.
//!
//! Read in this order: `world` (words, texts, questions), `models` (who is asked), `rules` (one
//! pass, six rules), `contracts` (what may be compared), `prompts` (examples, and their order).
#![forbid(unsafe_code)]

mod contracts;
mod models;
mod prompts;
mod rules;
mod world;

pub use contracts::{ContractReport, NEUTRAL_PROMPT, RULE, contract_report};
pub use models::{DOCUMENTS, Models, UPDATES};
pub use prompts::{OrderReport, OrderRow, PairReport, ShotRow, order_report, shot_rows};
pub use rules::{Chosen, OptionRow, RuleReport, RuleRow, WorkedItem, rule_report, worked_item};
pub use world::{LABELS, SEEN, WORDS, items, training_documents, word_tokenizer};

use std::io;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Parser;
use llm_chapter_kit::{check_output_files, to_json};
use llm_from_scratch_practical::archive::write_atomically;
use llm_from_scratch_practical::evaluation::tasks::write_option_records;
use serde::Serialize;

/// Multiple choice: six rules for one pass, examples before the question, and their order.
///
/// Prints one JSON object. Log-probabilities are nats; numbers are rounded to six decimals only
/// there.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Args {
    /// The question that is shown in detail, from 0 to 47
    #[arg(long, default_value_t = 26)]
    pub item: usize,
    /// First seed of the drawn examples
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Draws for each number of examples, from 1 to 100
    #[arg(long, default_value_t = 2)]
    pub draws: usize,
    /// What stands before the options in the second pass of `mutual-information`
    #[arg(long, default_value = NEUTRAL_PROMPT)]
    pub neutral_prompt: String,
    /// Updates of the decoder, at most 2000
    #[arg(long, default_value_t = UPDATES)]
    pub updates: u64,
    /// Write a record of every option of the plain questions by the decoder to this file, as JSON
    /// lines
    #[arg(long, value_name = "PATH.jsonl")]
    pub records: Option<PathBuf>,
    /// Write the decoder's result, contract included, to this file
    #[arg(long, value_name = "PATH.json")]
    pub save_result: Option<PathBuf>,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// What the texts are.
    pub data_scope: &'static str,
    /// Updates of the decoder.
    pub updates: u64,
    /// One question in detail.
    pub worked_item: WorkedItem,
    /// All questions under every rule, asked of the decoder.
    pub rules: RuleReport,
    /// What may be compared with the decoder's result, under `sum`.
    pub contracts: ContractReport,
    /// All questions behind drawn examples, under `sum`.
    pub few_shot: Vec<ShotRow>,
    /// The same examples in every order, under `sum`.
    pub prompt_order: OrderReport,
}

/// Runs the chapter. Writes the files that `args` names and nothing else.
///
/// # Errors
/// For a number out of range, one file for two outputs, a file that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let Args { item, seed, draws, updates, .. } = *args;
    let items = items()?;
    let last = items.len() - 1;
    ensure!(item <= last, "--item is {item}, expected a number from 0 to {last}");
    ensure!((1..=100).contains(&draws), "--draws is {draws}, expected a number from 1 to 100");
    ensure!(updates <= 2000, "--updates is {updates}, expected a number from 0 to 2000");
    check_output_files(&[("the records", &args.records), ("the result", &args.save_result)])?;
    let models = Models::train(updates)?;
    let conditions = contracts::conditions(&items, Some(&args.neutral_prompt));
    let decoder = contracts::score(models.decoder(), &models.tokenizer, &items, conditions)?;
    if let Some(path) = &args.records {
        let records = decoder.summary().records();
        write_atomically(path, |file| {
            write_option_records(file, records).map_err(io::Error::other)
        })?;
    }
    if let Some(path) = &args.save_result {
        let json = to_json(&decoder)?;
        write_atomically(path, |file| file.write_all(json.as_bytes()))?;
    }
    Ok(Report {
        chapter: "20-multiple-choice-and-few-shot",
        data_scope: "160 lists and 48 questions about 24 words, constructed for this chapter; no \
                     natural language and no public test",
        updates,
        worked_item: worked_item(decoder.summary(), item, &items[item])?,
        rules: rule_report(decoder.summary())?,
        contracts: contract_report(&models, &items, &decoder)?,
        few_shot: shot_rows(&models, &items, seed, draws)?,
        prompt_order: order_report(&models, &items)?,
    })
}
