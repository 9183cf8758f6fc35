//! `llm tasks`: multiple choice.

use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use practical::archive::write_atomically;
use practical::corpus::Partition;
use practical::evaluation::Subject;
use practical::evaluation::tasks::{
    BoundaryRule, FewShot, ItemLimits, OptionRecord, OptionRule, OptionScoring, PromptTemplate,
    RuleResult, TaskConditions, TaskContract, TaskItem, read_items, score_task_under_contract,
    write_option_records,
};
use serde::Serialize;

use crate::args::parse_name;
use crate::documents::{StartChoice, check_outputs, save_json, start_token};
use crate::model::OpenModel;
use crate::output::Report;

/// Ask multiple-choice items: which option does the model find most likely?
///
/// An item is one line, {"context":"1, 2,","options":[" 3"," 7"],"answer":0}, with an optional
/// "group". All rules come from one pass and are reported; --rule chooses the one that counts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm tasks --model tiny.llm --items items.jsonl
  llm tasks --model tiny.llm --items items.jsonl --rule char-bare --few-shot 5 --seed 1
  llm tasks --model tiny.llm --items items.jsonl --contract result.json
  llm tasks --model tiny.llm --items items.jsonl --rule mutual-information --neutral-prompt 'Answer:'")]
pub(crate) struct TasksArgs {
    /// The model's file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The items, one JSON object per line
    #[arg(long, value_name = "FILE")]
    items: PathBuf,
    /// How options of different length compare: sum, token, char, char-bare, byte, mutual-information
    #[arg(long, default_value = "sum")]
    rule: OptionRule,
    /// Solved examples before each question
    #[arg(long, value_name = "K", default_value_t = 0)]
    few_shot: usize,
    /// Seed of the draw of examples
    #[arg(long, default_value_t = 39)]
    seed: u64,
    /// Items that examples are drawn from [default: the items themselves]
    #[arg(long, value_name = "FILE", requires = "few_shot")]
    pool: Option<PathBuf>,
    /// What an example looks like; \n is a line end
    #[arg(
        long,
        value_name = "TEXT",
        default_value = r"{context}{answer}\n\n",
        requires = "few_shot"
    )]
    template: String,
    /// What stands before all examples; \n is a line end
    #[arg(long, value_name = "TEXT", default_value = "", requires = "few_shot")]
    instruction: String,
    /// A prompt that tells nothing, for the rule mutual-information
    #[arg(long, value_name = "TEXT", required_if_eq("rule", "mutual-information"))]
    neutral_prompt: Option<String>,
    /// What is scored if a token spans the end of the prompt
    #[arg(long, value_enum, default_value_t = Boundary::Separate)]
    boundary: Boundary,
    /// What stands before a prompt [default: bos if the tokenizer begins documents, otherwise none]
    #[arg(long, value_enum)]
    start_token: Option<StartChoice>,
    /// What the items may be used for: train, validation or test
    #[arg(long, value_parser = parse_name::<Partition>, default_value = "test")]
    split: Partition,
    /// Questions that the model is given at once
    #[arg(long, value_name = "N", default_value = "8")]
    batch_rows: NonZeroUsize,
    /// Write the scores of every option, as JSON lines
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Write the contract with all of these scores, for `llm compare`
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Boundary {
    /// The option, encoded alone
    Separate,
    /// From the last token on that prompt and joined text share
    BackOff,
}

#[derive(Serialize)]
struct TasksReport {
    model_sha256: String,
    contract: TaskContract,
    signature: String,
    items: usize,
    /// By the rule of the contract.
    result: RuleResult,
    /// By every rule that was scored.
    rules: Vec<RuleResult>,
    /// Options at whose beginning a token spans the end of the prompt.
    options_with_split_tokens: usize,
    /// The scores of each option, by item: what `llm compare` works with.
    option_records: Vec<OptionRecord>,
}

pub(crate) fn run(args: &TasksArgs) -> anyhow::Result<Report> {
    check_outputs(
        &[
            ("the model", Some(&args.model)),
            ("the items", Some(&args.items)),
            ("the pool", args.pool.as_deref()),
        ],
        &[("records", &args.records), ("contract", &args.contract)],
    )?;
    let model = OpenModel::load(&args.model)?;
    let tokenizer = model.text_tokenizer()?;
    let items = read(&args.items)?;
    let few_shot = args.few_shot()?;
    let pool = match (&few_shot, &args.pool) {
        (None, _) => Vec::new(),
        (Some(_), None) => items.clone(),
        (Some(_), Some(path)) => read(path)?,
    };
    let scoring = OptionScoring {
        start_token: start_token(args.start_token, tokenizer),
        boundary: match args.boundary {
            Boundary::Separate => BoundaryRule::Separate,
            Boundary::BackOff => BoundaryRule::BackOff,
        },
        neutral_prompt: args.neutral_prompt.clone(),
    };
    let mut conditions = TaskConditions::new(args.split, &items, scoring, args.rule);
    if let Some(few_shot) = few_shot {
        conditions = conditions.with_few_shot(few_shot, &pool);
    }
    let subject = Subject::new(&model, Some(tokenizer), model.dtype());
    let contract = TaskContract::new(subject, conditions)?;
    let result =
        score_task_under_contract(&contract, &model, tokenizer, &items, &pool, args.batch_rows)?;

    let summary = result.summary();
    if let Some(path) = &args.records {
        write_atomically(path, |file| {
            write_option_records(file, summary.records()).map_err(std::io::Error::other)
        })?;
    }
    if let Some(path) = &args.contract {
        save_json(path, &result)?;
    }
    let report = TasksReport {
        model_sha256: model.sha256.clone(),
        signature: contract.signature(),
        contract,
        items: summary.item_count(),
        result: result.accuracy()?,
        rules: summary.rules().map(|rule| summary.accuracy(rule)).collect::<Result<_, _>>()?,
        options_with_split_tokens: summary.flagged_count(),
        option_records: summary.records().cloned().collect(),
    };
    let text = report.text()?;
    Report::with_text(&report, text)
}

impl TasksReport {
    /// What a person wants to see first: a line for each rule.
    fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        let Self { items, result, .. } = self;
        writeln!(text, "items {items}, chance {:.4}", result.chance_level)?;
        writeln!(text, "rule                accuracy  std. error  fractional  ties")?;
        for by in &self.rules {
            let mark = if by.rule == result.rule { "*" } else { " " };
            writeln!(
                text,
                "{mark}{:<18}  {:>8.4}  {:>10.4}  {:>10.4}  {:>4}",
                by.rule.name(),
                by.accuracy,
                by.standard_error,
                by.fractional_accuracy,
                by.tie_count
            )?;
        }
        if self.options_with_split_tokens > 0 {
            let options = self.options_with_split_tokens;
            writeln!(text, "options that a token joins to the prompt: {options}")?;
        }
        writeln!(text, "{}", self.signature)?;
        Ok(text)
    }
}

impl TasksArgs {
    fn few_shot(&self) -> anyhow::Result<Option<FewShot>> {
        if self.few_shot == 0 {
            return Ok(None);
        }
        let unescaped = |text: &str| text.replace(r"\n", "\n");
        let template =
            PromptTemplate::new(unescaped(&self.instruction), unescaped(&self.template))?;
        Ok(Some(FewShot { template, shots: self.few_shot, seed: self.seed }))
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<TaskItem>> {
    let named = || path.display().to_string();
    let file = File::open(path).with_context(named)?;
    let items = read_items(BufReader::new(file), ItemLimits::default()).with_context(named)?;
    ensure!(!items.is_empty(), "{}: has no items, expected at least one", path.display());
    Ok(items)
}
