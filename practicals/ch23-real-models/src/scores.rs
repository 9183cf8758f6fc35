//! Losses of texts, here and in the program that the folder comes from.

use std::path::Path;

use anyhow::Context;
use llm_chapter_kit::{read_at_most, six_decimals};
use llm_from_scratch_practical::corpus::{Document, Partition};
use llm_from_scratch_practical::evaluation::{
    FramedDocument, Framing, LanguageModel, ScoreRequest, StartToken,
};
use llm_from_scratch_practical::interop::hugging_face::Imported;
use llm_from_scratch_practical::metrics::{ExactSum, nats_to_bits};
use llm_from_scratch_practical::model::DecoderModel;
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::{Deserialize, Serialize};

use crate::imported::tokenizer;

/// A text, and its loss in another program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Expected {
    /// The text.
    pub text: String,
    /// Sum of its losses there, nats, if it is known.
    pub nll: Option<f64>,
}

/// The loss of a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The text.
    pub text: String,
    /// Targets: its tokens and the end token.
    pub targets: usize,
    /// Sum of the losses, nats.
    #[serde(serialize_with = "six_decimals")]
    pub nll: f64,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// Bits for each byte of the text; `None` if it has none.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_byte: Option<f64>,
    /// Whether the other program's sum differs by less than a billionth of a nat.
    pub equals_reference: Option<bool>,
}

/// The limit of [`Score::equals_reference`].
const TOLERANCE: f64 = 1e-9;

/// Reads texts and their losses, a JSON list.
pub(crate) fn expected(path: &Path) -> anyhow::Result<Vec<Expected>> {
    let read = || anyhow::Ok(serde_json::from_slice(&read_at_most(path, 1 << 20)?)?);
    let texts: Vec<Expected> =
        read().with_context(|| format!("{}: give texts with --text instead", path.display()))?;
    anyhow::ensure!(!texts.is_empty(), "{}: there is no text in it", path.display());
    Ok(texts)
}

/// Scores every text with the imported model.
pub(crate) fn score(imported: &Imported<f64>, texts: &[Expected]) -> anyhow::Result<Vec<Score>> {
    let tokenizer = tokenizer(imported)?;
    texts
        .iter()
        .map(|Expected { text, nll: reference }| {
            let document = framed(text, tokenizer)?;
            let nll = nll(&imported.model, &document)?;
            let targets = document.target_count();
            Ok(Score {
                text: text.clone(),
                targets,
                nll,
                mean_nll: nll / targets as f64,
                bits_per_byte: (!text.is_empty()).then(|| nats_to_bits(nll) / text.len() as f64),
                equals_reference: reference.map(|theirs| (theirs - nll).abs() < TOLERANCE),
            })
        })
        .collect()
}

/// Start token, text, end token; where the folder begins no text, the end token stands before it, as
/// it did between documents in training.
pub(crate) fn framed(text: &str, tokenizer: &Tokenizer) -> anyhow::Result<FramedDocument> {
    let start_token = match tokenizer.start_token() {
        Some(_) => StartToken::Bos,
        None => StartToken::EosAsPrefix,
    };
    let document = Document::new("text", Partition::Test, text);
    Ok(FramedDocument::encode(&document, tokenizer, Framing { start_token, end_token: true })?)
}

/// Sum of the losses of all targets, nats.
pub(crate) fn nll(model: &DecoderModel<f64>, document: &FramedDocument) -> anyhow::Result<f64> {
    let scores = model.score(&[ScoreRequest { ids: document.ids(), first_target: 1 }])?;
    let sum: ExactSum = scores[0].iter().map(|target| -target.log_probability).collect();
    Ok(sum.value())
}
