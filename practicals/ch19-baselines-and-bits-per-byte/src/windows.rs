//! A document that is longer than the context.

use std::num::NonZeroUsize;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::evaluation::{
    FramedDocument, LanguageModel, ScoreRequest, TargetRecord, WindowRule, collect_records,
};
use serde::Serialize;

use crate::models::{bits_per_byte, score};

/// One stride.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StrideReport {
    /// How far each window starts behind the one before.
    pub stride: usize,
    /// How many windows.
    pub windows: u64,
    /// Targets, each scored once.
    pub scored_tokens: u64,
    /// Ids that were read without being scored.
    pub context_only_tokens: u64,
    /// The fewest ids before any target of a window after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_context: Option<usize>,
    /// Bits per byte of the document.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_byte: f64,
}

/// The longest held-out document in windows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowsReport {
    /// Which document.
    pub document: String,
    /// Its ids, start and end token included.
    pub ids: usize,
    /// Ids in a window.
    pub window: usize,
    /// The plan of the second stride, made before anything was scored.
    pub plan: Vec<String>,
    /// From the dearest to the cheapest.
    pub strides: Vec<StrideReport>,
    /// Whether stride 1 gives the bits of asking for each target alone.
    pub stride_1_equals_one_by_one: bool,
    /// Bits per byte of the second stride with a copy of the start token in every window.
    #[serde(serialize_with = "six_decimals")]
    pub with_start_token_in_each: f64,
}

/// Scores one document through windows of several strides.
///
/// # Errors
/// As [`score`].
pub fn windows_report(
    model: &dyn LanguageModel,
    documents: &[FramedDocument],
    window: usize,
) -> anyhow::Result<WindowsReport> {
    let longest = documents.iter().max_by_key(|document| document.ids().len());
    let document = longest.ok_or_else(|| anyhow::anyhow!("no document to score"))?;
    let rule = |stride| WindowRule { window, stride, bos_per_window: false };
    let half = (window / 2).max(1);
    let mut strides = Vec::new();
    for stride in [1, half, window - 1] {
        strides.push(stride_report(model, document, rule(stride))?);
    }
    let with_start = WindowRule { bos_per_window: true, ..rule(half) };
    let (with_start, _) = score(model, std::slice::from_ref(document), with_start)?;
    Ok(WindowsReport {
        document: document.id().to_owned(),
        ids: document.ids().len(),
        window,
        plan: rule(half)
            .plan(document.ids().len())?
            .to_string()
            .lines()
            .map(str::to_owned)
            .collect(),
        strides,
        stride_1_equals_one_by_one: one_by_one_equals(model, document, rule(1))?,
        with_start_token_in_each: bits_per_byte(&with_start)?,
    })
}

fn stride_report(
    model: &dyn LanguageModel,
    document: &FramedDocument,
    rule: WindowRule,
) -> anyhow::Result<StrideReport> {
    let (summary, counts) = score(model, std::slice::from_ref(document), rule)?;
    Ok(StrideReport {
        stride: rule.stride,
        windows: counts.windows,
        scored_tokens: counts.scored_tokens,
        context_only_tokens: counts.context_only_tokens,
        least_context: rule.plan(document.ids().len())?.least_context(),
        bits_per_byte: bits_per_byte(&summary)?,
    })
}

/// Asks for each target with the ids before it, as many as fit, and compares bits.
fn one_by_one_equals(
    model: &dyn LanguageModel,
    document: &FramedDocument,
    rule: WindowRule,
) -> anyhow::Result<bool> {
    let documents = std::slice::from_ref(document);
    let (records, _) = collect_records(model, documents, rule, NonZeroUsize::MIN)?;
    let ids = document.ids();
    let alone = |record: &TargetRecord| -> anyhow::Result<bool> {
        let first = (record.position + 1).saturating_sub(rule.window);
        let read = &ids[first..=record.position];
        let request = ScoreRequest { ids: read, first_target: read.len() - 1 };
        let score = model.score(&[request])?[0][0];
        Ok(score.log_probability.to_bits() == record.log_probability.to_bits())
    };
    let mut equal = records.len() == ids.len() - 1;
    for record in &records {
        equal &= alone(record)?;
    }
    Ok(equal)
}

/// How the bytes of one document are counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BytesReport {
    /// Which document.
    pub document: String,
    /// Bytes of its text.
    pub bytes: u64,
    /// Targets: one per byte, and the end token.
    pub targets: u64,
    /// Bytes of the targets.
    pub scored_bytes: u64,
    /// Nats of all targets.
    #[serde(serialize_with = "six_decimals")]
    pub total_nats: f64,
    /// Total nats over ln 2 times bytes.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_byte: f64,
    /// Without the end token, which stands for no byte.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_byte_text_only: f64,
    /// Bits per token.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_token: f64,
    /// Tokens per byte; with the one above, bits per byte again.
    #[serde(serialize_with = "six_decimals")]
    pub tokens_per_byte: f64,
}

/// Counts the first held-out document.
///
/// # Errors
/// As [`score`]; without a document, or one without bytes.
pub fn bytes_report(
    model: &dyn LanguageModel,
    documents: &[FramedDocument],
    rule: WindowRule,
) -> anyhow::Result<BytesReport> {
    let missing = || anyhow::anyhow!("no document with bytes to count");
    let document = documents.first().ok_or_else(missing)?;
    let (summary, counts) = score(model, std::slice::from_ref(document), rule)?;
    Ok(BytesReport {
        document: document.id().to_owned(),
        bytes: document.byte_count().ok_or_else(missing)?,
        targets: counts.scored_tokens,
        scored_bytes: counts.scored_bytes.ok_or_else(missing)?,
        total_nats: summary.metrics()?.total_nll(),
        bits_per_byte: bits_per_byte(&summary)?,
        bits_per_byte_text_only: summary.bits_per_byte_text_only()?.ok_or_else(missing)?,
        bits_per_token: summary.bits_per_token()?,
        tokens_per_byte: summary.tokens_per_byte()?.ok_or_else(missing)?,
    })
}
