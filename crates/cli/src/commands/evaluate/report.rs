//! The result of an evaluation, for programs and for people.

use std::collections::BTreeMap;
use std::fmt;

use practical::evaluation::{
    ContractError, DocumentResult, EvaluationContract, EvaluationResult, Measure,
};
use practical::metrics::nats_to_bits;
use serde::Serialize;

use super::baselines::Baseline;
use super::invariance::Invariance;
use super::material::{Material, NotUtf8};
use super::pass::Scored;
use crate::model::OpenModel;

/// One JSON object. Figures about bytes are absent if the documents came as ids.
#[derive(Debug, Serialize)]
pub(super) struct EvaluationReport {
    /// Identity of the model's file.
    model_sha256: String,
    contract: EvaluationContract,
    /// The contract in one line.
    signature: String,
    documents: u64,
    /// Documents of other splits.
    left_out: usize,
    targets: u64,
    /// Inputs that a window read without scoring what they are, start tokens included.
    context_only_tokens: u64,
    /// First tokens without a start token before them.
    unscored_tokens: u64,
    /// Bytes of all texts: those of the scored tokens and of the unscored ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unscored_bytes: Option<u64>,
    windows: Windows,
    nats_per_token: f64,
    bits_per_token: f64,
    /// Null beyond the range of f64.
    perplexity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits_per_byte: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits_per_byte_text_only: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_per_byte: Option<f64>,
    /// The mean over documents, a document counting as one whatever its length.
    document_mean_bits_per_token: f64,
    /// Share of targets that are not among the k best guesses, ties broken in the model's favour.
    top_k_error: BTreeMap<usize, f64>,
    /// The same with ties broken against the model.
    top_k_error_pessimistic: BTreeMap<usize, f64>,
    /// Of `nats_per_token`, documents being the independent units; null for a single document.
    standard_error: Option<f64>,
    /// By name; `""` for documents without a domain. Empty if no document has one.
    domains: BTreeMap<String, Domain>,
    /// SHA-256 of the records as JSON lines, whether they were written or not.
    records_sha256: String,
    /// Texts that are scored as bytes like any other and are not UTF-8.
    not_utf8: Vec<NotUtf8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baselines: Option<Vec<Baseline>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) invariance: Option<Invariance>,
    /// The totals of each document, by id: what `llm compare` works with.
    document_totals: Vec<DocumentResult>,
}

/// How documents were cut.
#[derive(Debug, Serialize)]
struct Windows {
    /// Most inputs of a window.
    inputs: usize,
    /// Most ids of a window, its last target included: `inputs + 1`.
    ids: usize,
    stride: usize,
    count: u64,
}

/// The numbers of one kind of text.
#[derive(Debug, Serialize)]
struct Domain {
    documents: usize,
    targets: u64,
    nats_per_token: f64,
    bits_per_token: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits_per_byte: Option<f64>,
}

impl EvaluationReport {
    pub(super) fn new(
        model: &OpenModel,
        material: &Material,
        scored: &Scored,
        result: &EvaluationResult,
    ) -> anyhow::Result<Self> {
        let Scored { totals, counts, digests, .. } = scored;
        let estimate = totals.estimate()?;
        let nats_per_token = totals.metrics.mean_nll();
        let perplexity = Some(totals.metrics.perplexity()).filter(|value| value.is_finite());
        let errors = totals.top_k_errors.iter();
        let rule = material.rule;
        Ok(Self {
            model_sha256: model.sha256.clone(),
            signature: result.contract().signature(),
            contract: result.contract().clone(),
            documents: counts.documents,
            left_out: material.left_out,
            targets: counts.scored_tokens,
            context_only_tokens: counts.context_only_tokens,
            unscored_tokens: counts.unscored_tokens,
            bytes: counts.scored_bytes.zip(counts.unscored_bytes).map(|(a, b)| a + b),
            unscored_bytes: counts.unscored_bytes,
            windows: Windows {
                inputs: rule.window - 1,
                ids: rule.window,
                stride: rule.stride,
                count: counts.windows,
            },
            nats_per_token,
            bits_per_token: nats_to_bits(nats_per_token),
            perplexity,
            bits_per_byte: totals.bits_per_byte(),
            bits_per_byte_text_only: totals.bits_per_byte_text_only(),
            tokens_per_byte: totals.tokens_per_byte(),
            document_mean_bits_per_token: nats_to_bits(totals.averages()?.document_level),
            top_k_error: errors.clone().map(|error| (error.k, error.optimistic())).collect(),
            top_k_error_pessimistic: errors.map(|error| (error.k, error.pessimistic())).collect(),
            standard_error: estimate.standard_error,
            domains: domains(result)?,
            records_sha256: digests.file.clone(),
            not_utf8: material.not_utf8.clone(),
            baselines: None,
            invariance: None,
            document_totals: result.documents().to_vec(),
        })
    }
}

fn domains(result: &EvaluationResult) -> Result<BTreeMap<String, Domain>, ContractError> {
    let identities = &result.contract().conditions().documents;
    let mut domains: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for identity in identities {
        domains.entry(identity.domain.as_deref()).or_default().push(&identity.id); // in order
    }
    if domains.keys().all(Option::is_none) {
        return Ok(BTreeMap::new());
    }
    let numbers = |(name, ids): (Option<&str>, Vec<&str>)| {
        let part = result.of_documents(|id| ids.binary_search(&id).is_ok())?;
        let nats_per_token = part.number(Measure::NatsPerToken)?;
        let domain = Domain {
            documents: ids.len(),
            targets: part.documents().iter().map(|document| document.targets).sum(),
            nats_per_token,
            bits_per_token: nats_to_bits(nats_per_token),
            bits_per_byte: part.number(Measure::BitsPerByte).ok(),
        };
        Ok((name.unwrap_or_default().to_owned(), domain))
    };
    domains.into_iter().map(numbers).collect()
}

/// What a person wants to see first; the rest is in the JSON.
impl fmt::Display for EvaluationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { documents, targets, context_only_tokens, windows, .. } = self;
        let Windows { inputs, ids, stride, count } = windows;
        write!(f, "documents                   {documents}")?;
        match self.bytes {
            Some(bytes) => write!(f, ", {bytes} bytes")?,
            None => write!(f, " of ids")?,
        }
        match self.left_out {
            0 => writeln!(f)?,
            left_out => writeln!(f, "; {left_out} of other splits left out")?,
        }
        writeln!(f, "targets                     {targets}, each scored once")?;
        if self.unscored_tokens > 0 {
            let (tokens, bytes) = (self.unscored_tokens, self.unscored_bytes.unwrap_or(0));
            writeln!(f, "unscored first tokens       {tokens} of {bytes} bytes")?;
        }
        writeln!(
            f,
            "windows                     {count} of {inputs} inputs ({ids} ids), stride {stride}; \
             {context_only_tokens} ids read as context only"
        )?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, value: Option<f64>| match value {
            Some(value) => writeln!(f, "{name:<26}  {value:.6}"),
            None => Ok(()),
        };
        line(f, "nats per token", Some(self.nats_per_token))?;
        line(f, "  standard error", self.standard_error)?;
        line(f, "bits per token", Some(self.bits_per_token))?;
        line(f, "  mean of documents", Some(self.document_mean_bits_per_token))?;
        line(f, "perplexity", self.perplexity)?;
        line(f, "bits per byte", self.bits_per_byte)?;
        line(f, "  without end tokens", self.bits_per_byte_text_only)?;
        line(f, "tokens per byte", self.tokens_per_byte)?;
        for (k, error) in &self.top_k_error {
            line(f, &format!("top-{k} error"), Some(*error))?;
        }
        for (name, domain) in &self.domains {
            let name = if name.is_empty() { "(none)" } else { name };
            line(f, &format!("bits per token in {name}"), Some(domain.bits_per_token))?;
        }
        for baseline in self.baselines.iter().flatten() {
            let name = |unit: &str| format!("{}, bits per {unit}", baseline.name);
            line(f, &name("token"), baseline.bits_per_token)?;
            line(f, &name("byte"), baseline.bits_per_byte)?;
            line(f, "  all texts joined", baseline.bits_per_byte_concatenated)?;
        }
        for NotUtf8 { document, offset } in &self.not_utf8 {
            writeln!(
                f,
                "not UTF-8, scored as bytes  {} at byte {offset}",
                document.escape_debug()
            )?;
        }
        if let Some(invariance) = &self.invariance {
            let runs = invariance.runs.len();
            writeln!(
                f,
                "invariance                  {runs} runs, 1 digest: {}",
                invariance.sha256
            )?;
        }
        writeln!(f, "records                     sha256 {}", self.records_sha256)?;
        writeln!(f, "model                       sha256 {}", self.model_sha256)?;
        writeln!(f, "{}", self.signature)
    }
}
