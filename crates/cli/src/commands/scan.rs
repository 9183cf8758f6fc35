//! `llm scan`: which evaluation documents stand in training, exactly or nearly.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use practical::corpus::{ContaminationReport, ContaminationScan, Document, Partition};

use crate::documents::{Format, read, texts};
use crate::output::Report;

/// Look for evaluation documents in training documents
///
/// Searches for the same texts, for shared runs of words, and for near duplicates. A scan that
/// finds nothing is no proof: the report says what it cannot see.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm scan --train corpus/ --evaluation held-out.jsonl
  llm scan --train a.txt --evaluation b.txt --ngram-words 8,13 --near 0.6 --json")]
pub(crate) struct ScanArgs {
    /// Text file, folder or JSON lines of the training documents
    #[arg(long, value_name = "PATH")]
    train: PathBuf,
    /// The same of the evaluation documents
    #[arg(long, value_name = "PATH")]
    evaluation: PathBuf,
    /// What both hold: one text in each file, or one JSON object with "text" per line
    #[arg(long, value_enum, default_value_t = Format::ByName)]
    format: Format,
    /// Lengths in words of the runs that are searched for
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "8,13")]
    ngram_words: Vec<NonZeroUsize>,
    /// Flag a document when this share of its runs of some length stands in training
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    flag_from: f64,
    /// Similarity from which two documents are near duplicates
    #[arg(long, value_name = "SIMILARITY", default_value_t = 0.6)]
    near: f64,
}

pub(crate) fn run(args: &ScanArgs) -> anyhow::Result<Report> {
    let training = documents(&args.train, args.format, Partition::Train)?;
    let evaluation = documents(&args.evaluation, args.format, Partition::Test)?;
    let scan = ContaminationScan {
        ngram_words: args.ngram_words.clone(),
        flag_from_share: args.flag_from,
        near_from_similarity: args.near,
        ..ContaminationScan::default()
    };
    let report = scan.run(&evaluation, &training)?;
    let text = text(&report)?;
    Report::with_text(&report, text)
}

fn documents(path: &Path, format: Format, partition: Partition) -> anyhow::Result<Vec<Document>> {
    let texts = texts(read(path, format)?)?;
    Ok(texts.into_iter().map(|(id, text)| Document::new(id, partition, text)).collect())
}

fn text(report: &ContaminationReport) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for (name, corpus) in [("evaluation", &report.evaluation), ("training", &report.training)] {
        writeln!(text, "{name:<12}{} documents, {} bytes", corpus.documents, corpus.bytes)?;
    }
    writeln!(text, "duplicates  {}", report.duplicates.len())?;
    for length in &report.shared {
        let (words, documents) = (length.ngram_words, length.documents.len());
        writeln!(
            text,
            "sharing     {documents} documents share runs of {words} words, {} are shorter",
            length.too_short
        )?;
    }
    for near in &report.near {
        let (document, training) = (&near.document, &near.training);
        writeln!(text, "near        {document} and {training}, similarity {:.3}", near.similarity)?;
    }
    writeln!(text, "flagged     {}", report.flagged.len())?;
    report.flagged.iter().try_for_each(|id| writeln!(text, "  {}", id.escape_debug()))?;
    writeln!(text, "{}", report.scope)?;
    Ok(text)
}
