//! The command line, and the files that it names.

use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Parser;
use llm_chapter_kit::{check_output_files, read_at_most};
use llm_from_scratch_practical::archive::write_atomically;
use llm_from_scratch_practical::corpus::{
    CorpusManifest, Document, JsonlLimits, OverlapScan, read_jsonl,
};

/// The corpus that is read if none is named.
const BUILT_IN: &[u8] = include_bytes!("../data/corpus.jsonl");
/// Most bytes of a manifest: enough for a million documents with names of usual length.
const MANIFEST_BYTES: u64 = 256 << 20;

/// Read a corpus, give it an identity, and look for what its partitions share.
///
/// Prints one JSON object.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// A file of JSON Lines with id, text and split (train, validation, test); if none is named, eight
    /// sentences that come with the program
    #[arg(long, value_name = "PATH")]
    pub corpus: Option<PathBuf>,
    /// Words in a row that count as shared
    #[arg(long, value_name = "N", default_value = "5")]
    pub ngram_words: NonZeroUsize,
    /// Most bytes of one line
    #[arg(long, value_name = "BYTES", default_value_t = JsonlLimits::default().record_bytes)]
    pub max_record_bytes: usize,
    /// Most documents
    #[arg(long, value_name = "N", default_value_t = JsonlLimits::default().documents)]
    pub max_documents: usize,
    /// Most bytes of the whole file
    #[arg(long, value_name = "BYTES", default_value_t = JsonlLimits::default().total_bytes)]
    pub max_total_bytes: u64,
    /// Write the manifest to this file
    #[arg(long, value_name = "PATH")]
    pub save_manifest: Option<PathBuf>,
    /// Compare the corpus with a manifest that was written earlier
    #[arg(long, value_name = "PATH")]
    pub compare_manifest: Option<PathBuf>,
}

impl Args {
    /// Where the documents come from, in words.
    pub(crate) fn source(&self) -> String {
        self.corpus.as_ref().map_or("built-in".to_owned(), |path| path.display().to_string())
    }

    /// All documents. Refused if the manifest would replace them.
    pub(crate) fn read(&self) -> anyhow::Result<Vec<Document>> {
        check_output_files(&[("the corpus", &self.corpus), ("the manifest", &self.save_manifest)])?;
        let limits = JsonlLimits {
            record_bytes: self.max_record_bytes,
            documents: self.max_documents,
            total_bytes: self.max_total_bytes,
        };
        let source = self.source();
        let documents = match &self.corpus {
            None => read_jsonl(BUILT_IN, limits),
            Some(path) => {
                let file = File::open(path).with_context(|| format!("cannot open {source}"))?;
                read_jsonl(BufReader::new(file), limits)
            }
        };
        let documents = documents.with_context(|| format!("cannot use {source}"))?;
        ensure!(!documents.is_empty(), "{source} has no documents, expected at least 1");
        Ok(documents)
    }

    /// The search for shared runs of words.
    pub(crate) fn scan(&self) -> OverlapScan {
        OverlapScan { ngram_words: self.ngram_words, ..OverlapScan::default() }
    }

    /// Writes the manifest if that was asked for.
    pub(crate) fn save(&self, manifest: &CorpusManifest) -> anyhow::Result<()> {
        let Some(path) = &self.save_manifest else { return Ok(()) };
        Ok(write_atomically(path, |file| file.write_all(&manifest.to_json()))?)
    }

    /// What has changed since an earlier manifest, if one was named.
    pub(crate) fn differences(
        &self,
        documents: &[Document],
    ) -> anyhow::Result<Option<Vec<String>>> {
        let Some(path) = &self.compare_manifest else { return Ok(None) };
        let earlier = CorpusManifest::from_json(&read_at_most(path, MANIFEST_BYTES)?)
            .with_context(|| format!("cannot use the manifest {}", path.display()))?;
        Ok(Some(earlier.differences(documents)))
    }
}
