//! Chapter 19: baselines, windows, bits per byte.
//!
//! A loss means something beside other losses: of models that only count, of compressors, of the
//! source that wrote the text. And it can be set beside them only if all of them charge for the
//! same bytes, whatever their tokens are and however they cut a long document.
//!
//! Read in this order: `setup` (the language and its documents), `decoder` (trained on the spot),
//! `models` (all models, one pass each), `compressors`, `windows` (long documents, and how bytes are
//! counted), `tokenizers`, `coding` (bits that were really written), `surprise` (where they went),
//! `figure`.
#![forbid(unsafe_code)]

use std::io;
use std::path::PathBuf;

use clap::{Parser, value_parser};
use llm_chapter_kit::check_output_files;
use llm_from_scratch_practical::archive::write_atomically;
use llm_from_scratch_practical::evaluation::{SurpriseView, collect_records, write_records};
use serde::Serialize;

mod coding;
mod compressors;
mod decoder;
mod figure;
mod models;
mod setup;
mod surprise;
mod tokenizers;
mod windows;

pub use coding::{CodingReport, coding};
pub use compressors::{CompressorReport, compressors};
pub use decoder::{CONTEXT_LEN, train_decoder};
pub use figure::models_figure;
pub use models::{
    BATCH, Contestant, DECODER_RULE, ModelReport, bits_per_byte, compare, contestants, score,
};
pub use setup::{Corpus, EncodedCorpus, LanguageReport, bpe_tokenizer, byte_tokenizer};
pub use surprise::surprise_lines;
pub use tokenizers::{TokenizerReport, tokenizers};
pub use windows::{BytesReport, StrideReport, WindowsReport, bytes_report, windows_report};

/// Compare a small decoder with count models, compressors and the source of the text.
///
/// Prints one JSON object. Its numbers are rounded to six decimals only here.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Seed of the documents, of the decoder's weights and of the order of training
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Documents to learn from, 1 to 10000
    #[arg(long, value_name = "N", default_value_t = 48,
        value_parser = value_parser!(u32).range(1..=10_000))]
    pub train_documents: u32,
    /// Documents to be judged on, 1 to 10000
    #[arg(long, value_name = "N", default_value_t = 20,
        value_parser = value_parser!(u32).range(1..=10_000))]
    pub held_out_documents: u32,
    /// Updates of the decoder, 0 to 100000
    #[arg(long, value_name = "N", default_value_t = 120,
        value_parser = value_parser!(u64).range(0..=100_000))]
    pub updates: u64,
    /// Ids in a window of the part about windows, 2 to 49
    #[arg(long, value_name = "T", default_value_t = 25,
        value_parser = value_parser!(u64).range(2..=CONTEXT_LEN as u64 + 1))]
    pub window: u64,
    /// Draw the bits per byte of all models to this SVG file
    #[arg(long, value_name = "PATH.svg")]
    pub figure: Option<PathBuf>,
    /// Write a record of each held-out target of the decoder to this file, as JSON lines
    #[arg(long, value_name = "PATH.jsonl")]
    pub records: Option<PathBuf>,
    /// Write the held-out documents, each token in the colour of its bits, as a page for a browser
    #[arg(long, value_name = "PATH.html")]
    pub surprise: Option<PathBuf>,
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
    /// Where the documents come from.
    pub language: LanguageReport,
    /// Everything that predicts, from knowing nothing to knowing all.
    pub models: Vec<ModelReport>,
    /// Everything that compresses without predicting.
    pub compressors: Vec<CompressorReport>,
    /// A document longer than the context.
    pub windows: WindowsReport,
    /// The bytes of one document.
    pub bytes: BytesReport,
    /// The same text as other tokens.
    pub tokenizers: Vec<TokenizerReport>,
    /// Bits that were really written.
    pub coding: Vec<CodingReport>,
    /// The bits of each token of the same document by the decoder, as lines of text.
    pub surprise: Vec<String>,
}

/// Runs the chapter. Writes the files that `args` names and nothing else.
///
/// # Errors
/// A document that is in both splits; one file for two outputs; a file that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    check_output_files(&[
        ("figure", &args.figure),
        ("records", &args.records),
        ("surprise", &args.surprise),
    ])?;
    let seed = args.seed;
    let corpus =
        Corpus::draw(args.train_documents as usize, args.held_out_documents as usize, seed)?;
    let tokenizer = byte_tokenizer()?;
    let encoded = corpus.encode(&tokenizer)?;
    let contestants = contestants(&corpus, &encoded, &tokenizer, args.updates, seed)?;
    let decoder = contestants.iter().find(|contestant| contestant.rule == DECODER_RULE);
    let decoder = decoder.ok_or_else(|| anyhow::anyhow!("no model is scored in windows"))?;
    let report = Report {
        chapter: "19-baselines-and-bits-per-byte",
        data_scope: "documents drawn from a grammar of this course; no natural language, and no \
            claim about any",
        seed,
        language: LanguageReport::of(&corpus),
        models: compare(&contestants, &encoded)?,
        compressors: compressors(&corpus.train, &corpus.held_out)?,
        windows: windows_report(decoder.model.as_ref(), &encoded.held_out, args.window as usize)?,
        bytes: bytes_report(decoder.model.as_ref(), &encoded.held_out, decoder.rule)?,
        tokenizers: tokenizers(&corpus)?,
        coding: coding(&contestants, &encoded.held_out)?,
        surprise: surprise_lines(decoder, &encoded.held_out, &tokenizer)?,
    };
    if let Some(path) = &args.figure {
        let svg = models_figure(&report.models, report.language.entropy_bits_per_byte)?;
        write_atomically(path, |file| file.write_all(svg.as_bytes()))?;
    }
    if args.records.is_some() || args.surprise.is_some() {
        let held_out = &encoded.held_out;
        let (records, _) = collect_records(&*decoder.model, held_out, decoder.rule, BATCH)?;
        if let Some(path) = &args.records {
            write_atomically(path, |file| write_records(file, &records).map_err(io::Error::other))?;
        }
        if let Some(path) = &args.surprise {
            let view = SurpriseView::new(&records, &tokenizer)?;
            let page = view.to_html("Bits of each token by the decoder");
            write_atomically(path, |file| file.write_all(page.as_bytes()))?;
        }
    }
    Ok(report)
}
