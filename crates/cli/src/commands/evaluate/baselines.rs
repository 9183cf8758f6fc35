//! What cheaper means achieve on the same documents.

use llm_compressors::Compressor;
use practical::baselines::{KNESER_NEY_DISCOUNT, NgramModel, Smoothing};
use practical::corpus::{Document, EncodedDocument, InputDocument, Partition};
use practical::evaluation::{
    FramedDocument, LanguageModel, PassTotals, RunningSummary, WindowRule, score_documents,
};
use practical::metrics::nats_to_bits;
use serde::Serialize;

use super::pass::Pass;
use crate::documents::texts;

/// One of them.
#[derive(Debug, Serialize)]
pub(super) struct Baseline {
    pub(super) name: String,
    /// Of models; compressors have no tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bits_per_token: Option<f64>,
    /// Of compressors: each document on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bits_per_byte: Option<f64>,
    /// Of compressors: all documents as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bits_per_byte_concatenated: Option<f64>,
}

/// Longest runs of tokens that the count models know.
const ORDERS: [usize; 4] = [1, 2, 3, 5];

/// A uniform guess, count models if there is something to count, compressors if there are bytes.
pub(super) fn score(
    pass: &Pass<'_>,
    training: Option<Vec<InputDocument>>,
) -> anyhow::Result<Vec<Baseline>> {
    let vocab_size = pass.model.vocab_size();
    let mut baselines = vec![of_model(pass, "uniform".into(), &NgramModel::uniform(vocab_size)?)?];
    if let Some(training) = training {
        let tokenizer = pass.model.text_tokenizer()?;
        let encoded: Vec<EncodedDocument> = texts(training)?
            .into_iter()
            .map(|(id, text)| {
                let document = Document::new(id, Partition::Train, text);
                let framed = FramedDocument::encode(&document, tokenizer, pass.material.framing)?;
                let ids = framed.ids().to_vec();
                Ok(EncodedDocument::from_ids(document.id, Partition::Train, ids)?)
            })
            .collect::<anyhow::Result<_>>()?;
        for order in ORDERS {
            let smoothing = Smoothing::KneserNey { discount: KNESER_NEY_DISCOUNT };
            let model = NgramModel::fit(vocab_size, order, smoothing, &encoded)?;
            baselines.push(of_model(pass, format!("{order}-gram, Kneser-Ney"), &model)?);
        }
    }
    let texts = &pass.material.texts;
    if texts.iter().any(|text| !text.is_empty()) {
        for compressor in Compressor::ALL {
            let sizes = compressor.sizes(texts.iter().map(Vec::as_slice))?;
            baselines.push(Baseline {
                name: compressor.name().to_owned(),
                bits_per_token: None,
                bits_per_byte: Some(sizes.separate_bits_per_byte()),
                bits_per_byte_concatenated: Some(sizes.concatenated_bits_per_byte()),
            });
        }
    }
    Ok(baselines)
}

/// Count models have no limit of context, so each document is read as a whole.
fn of_model(pass: &Pass<'_>, name: String, model: &dyn LanguageModel) -> anyhow::Result<Baseline> {
    let mut summary = RunningSummary::new(&[1], model.vocab_size())?;
    let documents = &pass.material.framed;
    score_documents(model, documents, WindowRule::WHOLE, pass.batch, |record| {
        summary.add(&record)
    })?;
    let totals: PassTotals = summary.finish()?;
    Ok(Baseline {
        name,
        bits_per_token: Some(nats_to_bits(totals.metrics.mean_nll())),
        bits_per_byte: totals.bits_per_byte(),
        bits_per_byte_concatenated: None,
    })
}
