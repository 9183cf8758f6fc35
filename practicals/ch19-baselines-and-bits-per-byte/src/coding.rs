//! Models as compressors: a document really becomes that many bits, and comes back.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{evaluation, metrics};

use evaluation::{FramedDocument, compress, decompress};
use metrics::nats_to_bits;
use serde::Serialize;

use crate::models::{Contestant, score};

/// Who compresses: those of [`contestants`](crate::models::contestants) with these names.
const CODERS: [&str; 4] = ["bigram, add 1", "trigram, add 0.01", "decoder", "the source itself"];

/// One model on one document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CodingReport {
    /// Which model.
    pub model: &'static str,
    /// Which document.
    pub document: String,
    /// Bits of its text as it is.
    pub text_bits: u64,
    /// Sum of the surprisals of its targets in bits, the end token included.
    #[serde(serialize_with = "six_decimals")]
    pub surprisal_bits: f64,
    /// Bits that the arithmetic coder wrote: at most two more.
    pub code_bits: u64,
    /// Whether decoding gave the document back.
    pub decoded: bool,
}

/// The document with the fewest ids.
///
/// # Errors
/// Without a document.
pub(crate) fn shortest(documents: &[FramedDocument]) -> anyhow::Result<&FramedDocument> {
    let shortest = documents.iter().min_by_key(|document| document.ids().len());
    shortest.ok_or_else(|| anyhow::anyhow!("no document to compress"))
}

/// Compresses the shortest held-out document with several models and decodes it.
///
/// # Errors
/// As [`compress`] and [`decompress`].
pub fn coding(
    contestants: &[Contestant],
    documents: &[FramedDocument],
) -> anyhow::Result<Vec<CodingReport>> {
    let document = shortest(documents)?;
    let mut rows = Vec::new();
    for Contestant { name, model, rule, .. } in contestants {
        if !CODERS.contains(name) {
            continue;
        }
        let (summary, _) = score(model.as_ref(), std::slice::from_ref(document), *rule)?;
        let code = compress(model.as_ref(), document.id(), document.ids(), *rule)?;
        let ids = decompress(model.as_ref(), document.id(), &code, *rule)?;
        rows.push(CodingReport {
            model: name,
            document: document.id().to_owned(),
            text_bits: 8 * document.byte_count().unwrap_or(0),
            surprisal_bits: nats_to_bits(summary.metrics()?.total_nll()),
            code_bits: code.bits,
            decoded: ids == document.ids(),
        });
    }
    Ok(rows)
}
