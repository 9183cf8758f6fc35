//! A result: totals per document, the contract they were made under, and the numbers they give.

mod stored;

use std::collections::BTreeMap;

use llm_metrics::{ExactSum, MetricSummary};
use serde::{Deserialize, Serialize};

use super::{
    Conditions, ContractError, DocumentIdentity, EvaluationContract, Measure, UnderContract,
};
use crate::summary::Target;
use crate::{RecordSummary, StartToken, TargetRecord};
use stored::Stored;

/// What was measured under one contract.
///
/// As JSON it embeds the contract, its digests and signature, and every number that follows; read
/// back, all of these must follow again, or the file was changed. Sums are exact within a document
/// and over documents, rounded once for each, so no order leaves a trace.
///
/// # Example
/// ```
/// use llm_corpus::{Document, Partition};
/// use llm_evaluation::{
///     Conditions, EvaluationContract, EvaluationResult, FramedDocument, Framing, Measure, Subject,
///     WindowRule, collect_records,
/// };
/// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
/// let model = llm_baselines::NgramModel::uniform(tokenizer.vocab_size())?;
/// let (framing, windows) = (Framing::DOCUMENT, WindowRule::WHOLE);
/// let texts = [Document::new("x", Partition::Test, "baa")];
/// let conditions = Conditions::new(Partition::Test, &texts, framing, windows);
/// let subject = Subject::new(&model, Some(&tokenizer), "f64");
/// let contract = EvaluationContract::new(subject, conditions)?;
///
/// let framed = [FramedDocument::encode(&texts[0], &tokenizer, framing)?];
/// let (records, _) = collect_records(&model, &framed, windows, 1.try_into()?)?;
/// let result = EvaluationResult::from_records(contract, records)?;
/// assert!((result.number(Measure::NatsPerToken)? - 266f64.ln()).abs() < 1e-12);
///
/// let file = serde_json::to_string(&result)?;
/// assert_eq!(serde_json::from_str::<EvaluationResult>(&file)?, result);
/// assert!(serde_json::from_str::<EvaluationResult>(&file.replace("5.58", "4.58")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct EvaluationResult {
    contract: EvaluationContract,
    /// In the order of the contract's documents.
    documents: Vec<DocumentResult>,
}

/// The totals of one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentResult {
    /// Its id.
    pub id: String,
    /// Scored targets, at least 1.
    pub targets: u64,
    /// Their total NLL in nats.
    pub nats: f64,
    /// Bytes of the scored targets; `None` without a tokenizer.
    #[serde(deserialize_with = "Option::deserialize")]
    pub bytes: Option<u64>,
    /// Nats of the targets that stand for bytes; `None` without a tokenizer.
    #[serde(deserialize_with = "Option::deserialize")]
    pub text_nats: Option<f64>,
}

impl EvaluationResult {
    /// Sums the records of a pass.
    ///
    /// # Errors
    /// As [`Self::new`], and [`ContractError::Score`] for records that no pass can have made.
    pub fn from_records(
        contract: EvaluationContract,
        records: impl IntoIterator<Item = TargetRecord>,
    ) -> Result<Self, ContractError> {
        Self::new(contract, &RecordSummary::from_records(records)?)
    }

    /// Takes the totals of a summary.
    ///
    /// # Errors
    /// [`ContractError::Records`] if documents, targets or bytes are not those of the contract: a
    /// record is missing, stands for another text, or is of a token that the rules do not score.
    pub fn new(
        contract: EvaluationContract,
        summary: &RecordSummary,
    ) -> Result<Self, ContractError> {
        let conditions = contract.conditions();
        let mut documents = Vec::with_capacity(conditions.documents.len());
        for identity in &conditions.documents {
            let Some(targets) = summary.documents.get(&identity.id) else {
                return Err(misfit(&identity.id, "it has no record"));
            };
            check_targets(&identity.id, targets, conditions)?;
            documents.push(DocumentResult::of(&identity.id, targets));
        }
        let listed = |id: &&String| documents.binary_search_by(|d| d.id.cmp(id)).is_ok();
        if let Some(id) = summary.documents.keys().find(|id| !listed(id)) {
            return Err(misfit(id, "it has records and is not listed"));
        }
        Self::checked(contract, documents)
    }

    /// Takes totals that were summed up while scoring, in any order:
    /// [`PassTotals::documents`](crate::PassTotals::documents).
    ///
    /// # Errors
    /// [`ContractError::Records`] if documents or bytes are not those of the contract.
    pub fn from_totals(
        contract: EvaluationContract,
        mut documents: Vec<DocumentResult>,
    ) -> Result<Self, ContractError> {
        documents.sort_by(|a, b| a.id.cmp(&b.id));
        Self::checked(contract, documents)
    }

    /// Every result, from records or from a file, passes through here.
    fn checked(
        contract: EvaluationContract,
        documents: Vec<DocumentResult>,
    ) -> Result<Self, ContractError> {
        let identities = &contract.conditions().documents;
        if identities.len() != documents.len() {
            let (given, listed) = (documents.len(), identities.len());
            let problem = format!("there are totals of {given} documents, {listed} are listed");
            return Err(misfit(&identities[0].id, problem));
        }
        for (identity, document) in identities.iter().zip(&documents) {
            document.check(identity, &contract)?;
        }
        Ok(Self { contract, documents })
    }

    /// The rules behind the numbers.
    pub fn contract(&self) -> &EvaluationContract {
        &self.contract
    }

    /// The totals of each document, by id.
    pub fn documents(&self) -> &[DocumentResult] {
        &self.documents
    }

    /// A number over all documents: one sum over another.
    ///
    /// # Errors
    /// [`ContractError::NoBytes`] if it needs bytes and there are none.
    pub fn number(&self, measure: Measure) -> Result<f64, ContractError> {
        let parts: Option<Vec<(f64, u64)>> =
            self.documents.iter().map(|document| measure.parts(document)).collect();
        let parts = parts.ok_or(ContractError::NoBytes)?;
        let numerator: ExactSum = parts.iter().map(|(numerator, _)| *numerator).collect();
        match parts.iter().fold(0_u64, |sum, (_, denominator)| sum.saturating_add(*denominator)) {
            0 => Err(ContractError::NoBytes),
            denominator => Ok(numerator.value() / denominator as f64),
        }
    }

    /// Total NLL and target count of each domain, by name; documents without one come first.
    ///
    /// # Errors
    /// [`ContractError::Metric`] if a sum is beyond `f64`.
    pub fn domains(&self) -> Result<Vec<(Option<&str>, MetricSummary)>, ContractError> {
        let mut domains: BTreeMap<Option<&str>, (ExactSum, usize)> = BTreeMap::new();
        for (identity, document) in self.contract.conditions().documents.iter().zip(&self.documents)
        {
            let (nats, targets) = domains.entry(identity.domain.as_deref()).or_default();
            nats.add(document.nats);
            *targets = targets.saturating_add(document.targets as usize);
        }
        let summary = |(domain, (nats, targets))| {
            Ok((domain, MetricSummary::from_exact_total(nats, targets)?))
        };
        domains.into_iter().map(summary).collect()
    }

    /// The result for a part of the documents, under the contract for these.
    ///
    /// # Errors
    /// [`ContractError::Invalid`] if no document is kept.
    pub fn of_documents(&self, keep: impl Fn(&str) -> bool) -> Result<Self, ContractError> {
        let contract = self.contract.of_documents(&keep)?;
        let documents = self.documents.iter().filter(|d| keep(&d.id)).cloned().collect();
        Ok(Self { contract, documents })
    }

    /// What makes the numbers reproducible, in words.
    pub fn determinism(&self) -> &'static str {
        match self.contract.conditions() {
            Conditions { dropout: false, seed: None, .. } => {
                "nothing random: the same contract gives the same bits, whatever the batch size, the \
                 order of the documents or the number of threads"
            }
            _ => "random: the same contract, seed included, gives the same bits",
        }
    }
}

impl UnderContract for EvaluationResult {
    type Conditions = Conditions;

    fn contract(&self) -> &EvaluationContract {
        &self.contract
    }
}

impl DocumentResult {
    fn of(id: &str, targets: &BTreeMap<usize, Target>) -> Self {
        let sum = |nats: &mut dyn Iterator<Item = f64>| nats.collect::<ExactSum>().value();
        let bytes: Option<u64> = targets.values().map(|target| target.bytes).sum();
        let text = targets.values().filter(|target| target.bytes != Some(0));
        Self {
            id: id.to_owned(),
            targets: targets.len() as u64,
            nats: sum(&mut targets.values().map(|target| target.nats)),
            bytes,
            text_nats: bytes.map(|_| sum(&mut text.map(|target| target.nats))),
        }
    }

    fn check(
        &self,
        identity: &DocumentIdentity,
        contract: &EvaluationContract,
    ) -> Result<(), ContractError> {
        let refuse = |problem: String| Err(misfit(&identity.id, problem));
        let Self { id, targets, nats, bytes, text_nats } = self;
        if *id != identity.id {
            return refuse(format!("the totals in its place are those of `{id}`"));
        }
        let text = text_nats.unwrap_or(0.0);
        if *targets == 0 || !nats.is_finite() || *nats < 0.0 || !(0.0..=*nats).contains(&text) {
            return refuse(format!("no model spends {nats} nats on {targets} targets"));
        }
        let tokenizer = contract.subject().tokenizer_sha256.is_some();
        if tokenizer != bytes.is_some() || tokenizer != text_nats.is_some() {
            return refuse("bytes are known with a tokenizer, and only then".to_owned());
        }
        let all = identity.bytes;
        let whole = contract.conditions().framing.start_token != StartToken::None;
        match *bytes {
            Some(scored) if scored > all || (whole && scored < all) => {
                refuse(format!("its targets stand for {scored} bytes, its text has {all}"))
            }
            _ => Ok(()),
        }
    }
}

/// Targets are all positions from 1 on; the only one without bytes is an end token that counts.
fn check_targets(
    id: &str,
    targets: &BTreeMap<usize, Target>,
    conditions: &Conditions,
) -> Result<(), ContractError> {
    let positions = targets.keys().copied();
    if let Some((missing, _)) = (1..).zip(positions).find(|(place, position)| place != position) {
        return Err(misfit(id, format!("the target at position {missing} has no record")));
    }
    if conditions.targets.control_tokens || targets.values().any(|t| t.bytes.is_none()) {
        return Ok(());
    }
    let without_bytes: Vec<usize> =
        targets.iter().filter(|(_, target)| target.bytes == Some(0)).map(|(&at, _)| at).collect();
    let end: &[usize] = if conditions.targets.end_token { &[targets.len()] } else { &[] };
    if without_bytes != end {
        let problem = format!(
            "targets without bytes stand at {without_bytes:?}, expected {end:?}: end token scored: {}",
            conditions.targets.end_token
        );
        return Err(misfit(id, problem));
    }
    Ok(())
}

fn misfit(document: &str, problem: impl Into<String>) -> ContractError {
    ContractError::Records { document: document.to_owned(), problem: problem.into() }
}
