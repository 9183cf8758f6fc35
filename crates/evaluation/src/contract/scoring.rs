//! Scoring by the contract: the rules are read from it, and everything given must be what it names.

use std::num::NonZeroUsize;

use llm_corpus::Document;
use llm_tokenizer::Tokenizer;

use super::{
    Boundaries, Conditions, ContractError, DocumentIdentity, EvaluationContract, EvaluationResult,
};
use crate::{FramedDocument, LanguageModel, RecordSummary, WindowRule, score_documents};

/// Scores the documents of a contract with its model, under its rules.
///
/// `batch` windows are given to the model at a time; it changes no bit of the result. Documents
/// may come in any order. The number format is taken as the contract has it: a model does not tell
/// its own.
///
/// # Errors
/// [`ContractError::Invalid`] if the model, the tokenizer, the code, what it runs on or a document
/// is another one than the contract names, and for rules that scoring does not have here: joined
/// documents, dropout, a seed, scored control tokens, an end token that is read and not scored.
/// [`ContractError::Score`] for what cannot be scored.
///
/// # Example
/// ```
/// use llm_corpus::{Document, Partition};
/// use llm_evaluation::{
///     Conditions, EvaluationContract, Framing, Measure, Subject, WindowRule, score_under_contract,
/// };
/// let tokenizer = llm_tokenizer::Tokenizer::of_bytes();
/// let model = llm_baselines::NgramModel::uniform(tokenizer.vocab_size())?;
/// let texts = [Document::new("x", Partition::Test, "baa")];
/// let rule = WindowRule { window: 4, stride: 2, bos_per_window: false };
/// let contract = EvaluationContract::new(
///     Subject::new(&model, Some(&tokenizer), "f64"),
///     Conditions::new(Partition::Test, &texts, Framing::DOCUMENT, rule),
/// )?;
/// let result = score_under_contract(&contract, &model, &tokenizer, &texts, 8.try_into()?)?;
/// assert!((result.number(Measure::NatsPerToken)? - 258f64.ln()).abs() < 1e-12);
///
/// let other = [Document::new("x", Partition::Test, "bab")];
/// let error = score_under_contract(&contract, &model, &tokenizer, &other, 8.try_into()?);
/// assert!(error.unwrap_err().to_string().contains("`x`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score_under_contract(
    contract: &EvaluationContract,
    model: &dyn LanguageModel,
    tokenizer: &Tokenizer,
    documents: &[Document],
    batch: NonZeroUsize,
) -> Result<EvaluationResult, ContractError> {
    contract.subject().check_given(model, tokenizer)?;
    check_rules(contract)?;
    check_documents(contract, documents)?;
    let conditions = contract.conditions();
    let encode = |document| FramedDocument::encode(document, tokenizer, conditions.framing);
    let framed: Vec<FramedDocument> = documents.iter().map(encode).collect::<Result<_, _>>()?;
    let windows = conditions.windows.unwrap_or(WindowRule::WHOLE);
    let mut summary = RecordSummary::new();
    score_documents(model, &framed, windows, batch, |record| summary.add(&record))?;
    EvaluationResult::new(contract.clone(), &summary)
}

/// Refuses rules that could be written down and are not carried out here.
fn check_rules(contract: &EvaluationContract) -> Result<(), ContractError> {
    let Conditions { framing, targets, boundaries, dropout, seed, .. } = contract.conditions();
    let others = [
        (*boundaries != Boundaries::Separate, "boundaries", "is joined, expected separate"),
        (*dropout, "dropout", "is true, expected false"),
        (seed.is_some(), "seed", "is set, expected null"),
        (targets.control_tokens, "targets.control_tokens", "is true, expected false"),
        (targets.end_token != framing.end_token, "targets.end_token", "is false, expected true"),
    ];
    match others.into_iter().find(|(is_other, ..)| *is_other) {
        None => Ok(()),
        Some((_, field, problem)) => Err(ContractError::invalid(
            &format!("conditions.{field}"),
            format!("{problem}: scoring has no other rule here"),
        )),
    }
}

fn check_documents(
    contract: &EvaluationContract,
    documents: &[Document],
) -> Result<(), ContractError> {
    let conditions = contract.conditions();
    let listed = &conditions.documents;
    let refuse = |problem: String| Err(ContractError::invalid("conditions.documents", problem));
    for document in documents {
        let given = DocumentIdentity::new(document);
        let Ok(place) = listed.binary_search_by(|identity| identity.id.cmp(&given.id)) else {
            return refuse(format!("has no `{}`, which is given", given.id));
        };
        if (&listed[place].sha256, listed[place].bytes) != (&given.sha256, given.bytes) {
            return refuse(format!("has another text for `{}` than the given one", given.id));
        }
        if document.partition != conditions.split {
            let (id, split, given) = (&given.id, conditions.split, document.partition);
            let problem = format!("is {split}, document `{id}` is of the {given} split");
            return Err(ContractError::invalid("conditions.split", problem));
        }
    }
    // Ids are unique on both sides: scoring refuses one that is given twice.
    if documents.len() < listed.len() {
        let (given, listed) = (documents.len(), listed.len());
        return refuse(format!("has {listed} documents, {given} are given"));
    }
    Ok(())
}
