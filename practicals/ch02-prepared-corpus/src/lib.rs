//! Chapter 2: documents with names and purposes.
//!
//! Before anything is learned from a text it needs a name, so that errors and results can speak of
//! it, and a purpose: to learn from, to choose by, or to be judged on. A corpus whose purposes
//! overlap gives flattering numbers later, and nothing in those numbers will say so. So it is checked
//! here, once, and gets an identity that notices every later change.
//!
//! Read in this order: `args` (files and limits), `run` below, `refusals` (fourteen damaged files).
#![forbid(unsafe_code)]

mod args;
mod refusals;

pub use args::Args;
pub use refusals::refusals;

use std::collections::BTreeMap;

use llm_from_scratch_practical::corpus::{
    CorpusManifest, DocumentRecord, OverlapReport, Partition, check_no_overlap,
};
use serde::Serialize;

/// How many documents are listed in the report; the manifest has them all.
const LISTED: usize = 12;

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// The file, or `built-in`.
    pub source: String,
    /// Number of documents.
    pub document_count: usize,
    /// How they are shared out.
    pub partitions: Vec<PartitionRow>,
    /// The identity of the whole corpus: names, purposes and contents, in order.
    pub manifest_sha256: String,
    /// The first documents of the manifest.
    pub documents: Vec<DocumentRecord>,
    /// What has changed since the manifest that was given; null if none was.
    pub differences: Option<Vec<String>>,
    /// Whether two partitions have the same text or the same id, byte for byte: `none`, or the first.
    pub identical_texts: String,
    /// What partitions share beyond that.
    pub overlap: OverlapReport,
    /// The held-out documents to leave out or to look at: every one that the scan names.
    pub flagged: Vec<String>,
    /// Files that are almost right, and what the reader says to each.
    pub refusals: BTreeMap<&'static str, String>,
}

/// The size of a partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartitionRow {
    /// Which one.
    pub partition: Partition,
    /// Its documents.
    pub documents: usize,
    /// The bytes of their texts.
    pub bytes: u64,
}

/// Runs the chapter. Reads the files that `args` names, writes the manifest if asked to, and prints
/// nothing.
///
/// # Errors
/// If a file cannot be read or written, if the corpus is refused, or if it is empty.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let documents = args.read()?;
    let manifest = CorpusManifest::new(&documents);
    let differences = args.differences(&documents)?;
    let overlap = args.scan().run(&documents);
    let partitions = manifest.sizes().into_iter().map(|(partition, size)| PartitionRow {
        partition,
        documents: size.documents,
        bytes: size.bytes,
    });
    let report = Report {
        chapter: "02-prepared-corpus",
        source: args.source(),
        document_count: documents.len(),
        partitions: partitions.collect(),
        manifest_sha256: manifest.sha256(),
        documents: manifest.documents().iter().take(LISTED).cloned().collect(),
        differences,
        identical_texts: match check_no_overlap(&documents) {
            Ok(()) => "none".to_owned(),
            Err(overlap) => overlap.to_string(),
        },
        flagged: flagged(&overlap),
        overlap,
        refusals: refusals()?,
    };
    args.save(&manifest)?;
    Ok(report)
}

/// Every held-out document that the scan names, once, in alphabetical order.
fn flagged(overlap: &OverlapReport) -> Vec<String> {
    let duplicates = overlap.duplicates.iter().map(|found| &found.document);
    let shared = overlap.shared.iter().map(|found| &found.document);
    let mut ids: Vec<String> = duplicates.chain(shared).cloned().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
