//! `llm evaluate`: how well a model predicts documents, with everything that the number depends on.

mod baselines;
mod invariance;
mod material;
mod pass;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use practical::corpus::Partition;
use practical::evaluation::{EvaluationResult, LanguageModel, SurpriseView};

use self::material::Material;
use self::pass::Pass;
use self::report::EvaluationReport;
use crate::args::parse_name;
use crate::documents::{
    InputArgs, SplitDocuments, StartChoice, check_outputs, read, save, save_json,
};
use crate::model::OpenModel;
use crate::output::{Console, Report};

/// Score documents: perplexity, bits per byte, and the contract behind them
///
/// Documents longer than the window are read in several windows; every target is scored once, by
/// the first window that contains it behind at least one input. A text is scored as the bytes it
/// has. Numbers do not depend on the batch size, on the order of documents or on threads.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm evaluate --model tiny.llm --input book.txt
  llm evaluate --model tiny.llm --input texts/ --window 512 --stride 256 --json
  llm evaluate --model tiny.llm --input held-out.jsonl --split test --records records.jsonl
  llm evaluate --model tiny.llm --input book.txt --contract result.json --html surprise.html
  cat book.txt | llm evaluate --model tiny.llm --input - --prove-invariance")]
pub(crate) struct EvaluateArgs {
    /// The model's file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    /// Score the documents of this split only: train, validation or test
    /// [default: the one that the records name, or test]
    #[arg(long, value_parser = parse_name::<Partition>)]
    split: Option<Partition>,
    /// Most inputs of a window [default: the model's context]
    #[arg(long, value_name = "N")]
    window: Option<NonZeroUsize>,
    /// Inputs that the next window starts further on, 1 to N [default: half of N]
    #[arg(long, value_name = "S")]
    stride: Option<NonZeroUsize>,
    /// What stands before a text [default: bos if the tokenizer begins documents, otherwise none]
    #[arg(long, value_enum)]
    start_token: Option<StartChoice>,
    /// Begin every window with the start token, not only the first
    #[arg(long)]
    bos_per_window: bool,
    /// Do not score where a document ends
    #[arg(long)]
    no_eos: bool,
    /// Windows that the model is given at once
    #[arg(long, value_name = "N", default_value = "8")]
    batch_rows: NonZeroUsize,
    /// How many guesses the top-k error allows; those above the vocabulary are left out
    #[arg(long, value_name = "K,...", value_delimiter = ',', default_value = "1,5,10")]
    top_k: Vec<NonZeroUsize>,
    /// Write what the model thought of every target, as JSON lines
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Compare with a uniform guess and with compressors
    #[arg(long)]
    baselines: bool,
    /// Compare with count models of these documents, too
    #[arg(long, value_name = "PATH", requires = "baselines")]
    baselines_from: Option<PathBuf>,
    /// Write the contract with the totals of every document, for `llm compare`
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
    /// Write a page that shows the surprise of every token
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Score again with other batch sizes, orders and threads, and compare every bit
    #[arg(long)]
    prove_invariance: bool,
}

pub(crate) fn run(args: &EvaluateArgs, console: &Console) -> anyhow::Result<Report> {
    check_outputs(
        &[
            ("the model", Some(&args.model)),
            ("the input", Some(&args.input.input)),
            ("the training documents", args.baselines_from.as_deref()),
        ],
        &[("records", &args.records), ("contract", &args.contract), ("page", &args.html)],
    )?;
    let model = OpenModel::load(&args.model)?;
    if args.html.is_some() {
        model.text_tokenizer().context("--html")?;
    }
    let chosen = SplitDocuments::choose(args.input.read()?, args.split)?;
    let material = Material::prepare(args, &model, chosen)?;
    let training = args.baselines_from.as_deref().map(|path| read(path, args.input.format));
    let training = training.transpose().context("--baselines-from")?;

    let pass = Pass { model: &model, material: &material, batch: args.batch_rows, console };
    // The identity is a digest of all weights, which takes as long as reading them.
    let (_, scored) = rayon::join(
        || model.identity(),
        || pass.run(&args.top_k, args.records.as_deref(), args.html.is_some()),
    );
    let mut scored = scored?;
    let documents = scored.totals.documents.clone();
    let result = EvaluationResult::from_totals(material.contract(&model)?, documents)?;

    if let Some(path) = &args.contract {
        save_json(path, &result)?;
    }
    if let (Some(path), Some(records)) = (&args.html, scored.shown.take()) {
        let view = SurpriseView::new(&records, model.text_tokenizer()?)?;
        drop(records); // before the page, which takes about as much
        save(path, view.to_html("Surprise").as_bytes())?;
    }
    let mut report = EvaluationReport::new(&model, &material, &scored, &result)?;
    if args.baselines {
        report.baselines = Some(baselines::score(&pass, training)?);
    }
    if args.prove_invariance {
        report.invariance = Some(invariance::prove(&pass, scored.digests.sorted)?);
    }
    Report::with_text(&report, report.to_string())
}
