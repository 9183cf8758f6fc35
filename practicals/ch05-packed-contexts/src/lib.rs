//! Chapter 5: several documents in a row, none of them together.
//!
//! Padding wastes cells, so short documents share rows. They must not notice: positions start anew
//! with every document, a prediction sees its own document only, and a target never lies in the next
//! one. Then packing is only storage, and the losses are the same to the last bit.
//!
//! Read in this order: `layouts` (who goes where), `run` below, `contexts` (who sees whom).
#![forbid(unsafe_code)]

mod args;
mod contexts;
mod layouts;

pub use args::Args;
pub use contexts::{Influence, Joined};
pub use layouts::{Cells, Place, Rectangle, RowsNeeded};

use std::num::NonZeroUsize;

use anyhow::Context;
use llm_from_scratch_practical::corpus::{
    EncodedDocument, Layout, Partition, VariableBatch, number, windows,
};
use llm_from_scratch_practical::model::DecoderModel;
use llm_from_scratch_practical::tokenizer::{TokenId, chapter_four_tokenizer};
use serde::Serialize;

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// Where first fit put each document.
    pub places: Vec<Place>,
    /// The documents one per row.
    pub padded: Rectangle,
    /// The documents packed.
    pub packed: Rectangle,
    /// The packed rows cell by cell.
    pub cells: Cells,
    /// Rows that documents of 5 and 4 targets need.
    pub five_and_four: Vec<RowsNeeded>,
    /// Which inputs change which predictions.
    pub influence: Influence,
    /// Whether the losses of all targets are the same bits in separate, padded and packed batches.
    pub layouts_bitwise_equal: bool,
    /// What joining the first two documents would do to the second; empty for one document.
    pub joined: Vec<Joined>,
    /// A document that is longer than a row.
    pub long_document: LongDocument,
}

/// A document that is longer than a row, if it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LongDocument {
    /// The text.
    pub text: String,
    /// Its targets.
    pub targets: usize,
    /// What the packer says; null if the document fits.
    pub refusal: Option<String>,
    /// The document cut for training.
    pub windows: Vec<WindowReport>,
}

/// One piece of a long document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowReport {
    /// The name that all pieces share.
    pub document: String,
    /// What the model reads.
    pub inputs: Vec<TokenId>,
    /// What it should predict.
    pub targets: Vec<TokenId>,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// If a document is longer than the capacity, all together are too long for the pictures, or the long
/// one has too many windows to be printed.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let (documents, capacity) = (args.encoded()?, args.capacity);
    let long = args.encoded_long()?;
    let packed = layouts::pack(&documents, capacity)?;
    let padded = VariableBatch::padded(
        Partition::Validation,
        &layouts::binding(capacity),
        &number(0, &documents),
    )?;

    // Long enough for two documents that were joined by mistake.
    let tokens: usize = documents.iter().map(|document| document.ids().len()).sum();
    let model = contexts::decoder(tokens, args.seed)?;
    Ok(Report {
        chapter: "05-packed-contexts",
        places: layouts::places(&args.documents, &packed),
        padded: Rectangle::from(&padded),
        packed: Rectangle::from(&packed),
        cells: layouts::cells(&packed),
        five_and_four: layouts::rows_needed()?,
        influence: contexts::influence(&model, &documents, capacity)?,
        layouts_bitwise_equal: layouts_agree(&model, &documents, capacity)?,
        joined: contexts::joined(&model, &documents, &chapter_four_tokenizer())?,
        long_document: cut(&args.long_document, &long, capacity)?,
    })
}

/// Whether every layout gives every target the same loss, bit by bit.
fn layouts_agree(
    model: &DecoderModel<f64>,
    documents: &[EncodedDocument],
    capacity: usize,
) -> anyhow::Result<bool> {
    let rows = NonZeroUsize::new(documents.len()).context("there are no documents")?;
    let bits = |layout| -> anyhow::Result<Vec<u64>> {
        let losses = contexts::losses(model, documents, capacity, layout)?;
        Ok(losses.iter().map(|loss| loss.to_bits()).collect())
    };
    let separate = bits(Layout::SEPARATE)?;
    Ok(bits(Layout::Padded { rows })? == separate && bits(Layout::Packed { rows })? == separate)
}

/// What the packer says to a long document, and its windows.
fn cut(text: &str, document: &EncodedDocument, capacity: usize) -> anyhow::Result<LongDocument> {
    let refusal = layouts::pack(std::slice::from_ref(document), capacity).err();
    let report = |window: &EncodedDocument| WindowReport {
        document: window.id().to_owned(),
        inputs: window.ids()[..window.target_count()].to_vec(),
        targets: window.ids()[1..].to_vec(),
    };
    Ok(LongDocument {
        text: text.to_owned(),
        targets: document.target_count(),
        refusal: refusal.map(|error| error.to_string()),
        windows: windows(document, capacity)?.iter().map(report).collect(),
    })
}
