//! General-purpose compressors on the same documents.

use llm_chapter_kit::six_decimals;
use llm_compressors::Compressor;
use llm_from_scratch_practical::corpus::Document;
use serde::Serialize;

/// One compressor, in bits of compressed text per byte of text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompressorReport {
    /// Name and level.
    pub compressor: &'static str,
    /// Each held-out document compressed alone.
    #[serde(serialize_with = "six_decimals")]
    pub each_document_alone: f64,
    /// All held-out documents joined and compressed at once.
    #[serde(serialize_with = "six_decimals")]
    pub all_joined: f64,
    /// What the held-out documents add to the compressed training documents in front of them, so
    /// that the compressor has read what the models have read.
    #[serde(serialize_with = "six_decimals")]
    pub after_the_training_documents: f64,
}

/// Compresses the held-out documents.
///
/// # Errors
/// Without a byte to compress.
pub fn compressors(
    train: &[Document],
    held_out: &[Document],
) -> anyhow::Result<Vec<CompressorReport>> {
    let texts = |documents: &[Document]| -> Vec<u8> {
        documents.iter().flat_map(|document| document.text.iter().copied()).collect()
    };
    let (train, joined) = (texts(train), texts(held_out));
    let report = |compressor: Compressor| -> anyhow::Result<CompressorReport> {
        let sizes = compressor.sizes(held_out.iter().map(|document| document.text.as_slice()))?;
        let without = compressor.compress(&train)?.len();
        let with = compressor.compress(&[&train[..], &joined].concat())?.len();
        Ok(CompressorReport {
            compressor: compressor.name(),
            each_document_alone: sizes.separate_bits_per_byte(),
            all_joined: sizes.concatenated_bits_per_byte(),
            after_the_training_documents: 8.0 * (with as f64 - without as f64)
                / joined.len() as f64,
        })
    };
    Compressor::ALL.into_iter().map(report).collect()
}
