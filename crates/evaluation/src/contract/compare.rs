//! Two results: refused, or their difference with what is known about its spread.
//!
//! Documents are the independent units. Tokens of one text share a topic and an author, so a
//! hundred thousand tokens of two texts are two observations.

use llm_metrics::{Bootstrap, BootstrapPlan, PairedDifference, bootstrap_ratio};
use serde::Serialize;

use super::{
    Compared, ContractError, Difference, DocumentIdentity, EvaluationResult, Measure, Refusal,
};

/// The same number of two results, and their difference, first minus second: below zero, the
/// first is better.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Which number.
    pub measure: Measure,
    /// Of the first, over all documents.
    pub left: f64,
    /// Of the second.
    pub right: f64,
    /// `left - right`.
    pub difference: f64,
    /// Spread of that difference over resampled documents; `None` for a single document.
    pub bootstrap: Option<Spread>,
    /// Mean of the documents' differences, a document counting as one whatever its length.
    pub document_mean_difference: f64,
    /// Its standard error; `None` for a single document.
    pub document_mean_standard_error: Option<f64>,
    /// Document by document.
    pub documents: Vec<DocumentDifference>,
    /// Fields that differ and do not matter to this number.
    pub differing: Vec<Difference>,
    /// How many independent units there are, in words.
    pub clusters: String,
    /// What to know before believing the difference.
    pub caveats: Vec<String>,
}

/// The number of one document in both results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DocumentDifference {
    /// Its id.
    pub id: String,
    /// In the first.
    pub left: f64,
    /// In the second.
    pub right: f64,
    /// `left - right`.
    pub difference: f64,
}

/// A bootstrap, with all that it takes to repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Standard deviation over the resamples.
    pub standard_error: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
    /// Share of the resamples between them.
    pub confidence: f64,
    /// Number of resamples.
    pub resamples: usize,
    /// Seed of their stream, over the documents in the order of their ids.
    pub seed: u64,
}

/// Compares one number of two results.
///
/// # Errors
/// [`ContractError::NotComparable`] naming every field that spoils the number and what would be
/// sound instead, [`ContractError::NoBytes`] for a number that needs bytes and
/// [`ContractError::EmptyDocument`] for one that a document without any cannot have,
/// [`ContractError::Metric`] for a plan that cannot be carried out.
///
/// # Example
/// ```
/// # use llm_corpus::{Document, Partition};
/// # use llm_evaluation::*;
/// # let texts = [Document::new("x", Partition::Test, "a"), Document::new("y", Partition::Test, "b")];
/// # let record = |document: &str, nats: f64| TargetRecord {
/// #     document: document.into(), position: 1, token: 5, log_probability: -nats, bytes: None,
/// #     rank_best: 1, rank_worst: 1,
/// # };
/// # let result = |model: &str, window: usize, nats: [f64; 2]| {
/// #     let subject = Subject {
/// #         model: model.into(), tokenizer_sha256: None, code_version: "1".into(),
/// #         dtype: "f64".into(), execution: "scalar-cpu".into(),
/// #     };
/// #     let rule = WindowRule { window, stride: 1, bos_per_window: false };
/// #     let conditions = Conditions::new(Partition::Test, &texts, Framing::DOCUMENT, rule);
/// #     let contract = EvaluationContract::new(subject, conditions)?;
/// #     EvaluationResult::from_records(contract, [record("x", nats[0]), record("y", nats[1])])
/// # };
/// let plan = llm_metrics::BootstrapPlan { seed: 1, resample_count: 1000, confidence: 0.95 };
/// let (old, new) = (result("old", 8, [2.0, 4.0])?, result("new", 8, [1.5, 4.1])?);
/// let comparison = compare(&new, &old, Measure::NatsPerToken, plan)?;
/// assert!((comparison.difference - -0.2).abs() < 1e-12); // (-0.5 + 0.1) / 2
/// assert!(comparison.clusters.starts_with("2 documents are 2 independent units"));
///
/// let shorter = result("new", 4, [1.5, 4.1])?;
/// let error = compare(&shorter, &old, Measure::NatsPerToken, plan).unwrap_err().to_string();
/// assert!(error.contains("conditions.windows.window is 4 and 8"), "{error}");
/// # Ok::<(), ContractError>(())
/// ```
pub fn compare(
    left: &EvaluationResult,
    right: &EvaluationResult,
    measure: Measure,
    plan: BootstrapPlan,
) -> Result<Comparison, ContractError> {
    let differing = left.contract().differences(right.contract());
    let spoiled_by = spoiling_differences(left, right, &differing, measure);
    if !spoiled_by.is_empty() {
        let sound = sound_measures(left, right, &differing);
        let shared = shared_documents(left, right);
        let refusal = Refusal { measure, spoiled_by, sound, shared };
        return Err(ContractError::NotComparable(Box::new(refusal)));
    }
    let (left_number, right_number) = (left.number(measure)?, right.number(measure)?);
    let Pairs { documents, differences, denominators } = pairs(left, right, measure)?;
    let column = |side: fn(&DocumentDifference) -> f64| documents.iter().map(side).collect();
    let (a, b): (Vec<f64>, Vec<f64>) = (column(|d| d.left), column(|d| d.right));
    let paired = PairedDifference::of(&a, &b)?;
    let several = documents.len() > 1;
    let bootstrap = several.then(|| bootstrap_ratio(&differences, &denominators, plan));
    Ok(Comparison {
        measure,
        left: left_number,
        right: right_number,
        difference: left_number - right_number,
        bootstrap: bootstrap.transpose()?.map(Spread::from),
        document_mean_difference: paired.difference(),
        document_mean_standard_error: paired.standard_error(),
        clusters: clusters(documents.len(), left.documents().iter().map(|d| d.targets)),
        documents,
        differing,
        caveats: caveats(left, right),
    })
}

/// What spoils a number: fields of the contracts, and denominators that are not the same.
fn spoiling_differences(
    left: &EvaluationResult,
    right: &EvaluationResult,
    differing: &[Difference],
    measure: Measure,
) -> Vec<Difference> {
    let spoiling = differing.iter().filter(|difference| measure.is_spoiled_by(difference));
    let mut all: Vec<Difference> = spoiling.cloned().collect();
    if !all.is_empty() {
        return all;
    }
    // Same documents from here on, in the same order.
    let what = if measure == Measure::NatsPerToken { "targets" } else { "bytes" };
    for (a, b) in left.documents().iter().zip(right.documents()) {
        let counts = [a, b].map(|document| measure.parts(document).map(|(_, count)| count));
        if let [Some(x), Some(y)] = counts
            && x != y
        {
            let field = format!("documents[{}].{what}", a.id);
            all.push(Difference { field, left: x.to_string(), right: y.to_string() });
        }
    }
    all
}

/// Numbers that both results have and that compare.
fn sound_measures(
    left: &EvaluationResult,
    right: &EvaluationResult,
    differing: &[Difference],
) -> Vec<Measure> {
    let sound = |measure: &Measure| {
        spoiling_differences(left, right, differing, *measure).is_empty()
            && left.number(*measure).is_ok()
            && right.number(*measure).is_ok()
    };
    Measure::ALL.into_iter().filter(sound).collect()
}

/// How many documents are the same in both.
fn shared_documents(left: &EvaluationResult, right: &EvaluationResult) -> usize {
    let [a, b] = [left, right].map(|result| &result.contract().conditions().documents);
    let in_both = |document: &&DocumentIdentity| {
        let place = b.binary_search_by(|other| other.id.cmp(&document.id)); // sorted by id
        place.is_ok_and(|place| b[place] == **document)
    };
    a.iter().filter(in_both).count()
}

struct Pairs {
    documents: Vec<DocumentDifference>,
    /// Numerator of the first minus that of the second.
    differences: Vec<f64>,
    /// Of both: they are the same.
    denominators: Vec<f64>,
}

fn pairs(
    left: &EvaluationResult,
    right: &EvaluationResult,
    measure: Measure,
) -> Result<Pairs, ContractError> {
    let (mut documents, mut differences, mut denominators) = (Vec::new(), Vec::new(), Vec::new());
    for (a, b) in left.documents().iter().zip(right.documents()) {
        let parts = [a, b].map(|document| measure.parts(document));
        let [Some((x, denominator)), Some((y, _))] = parts else {
            return Err(ContractError::NoBytes);
        };
        if denominator == 0 {
            return Err(ContractError::EmptyDocument { document: a.id.clone(), measure });
        }
        let count = denominator as f64;
        let (left, right) = (x / count, y / count);
        let id = a.id.clone();
        documents.push(DocumentDifference { id, left, right, difference: left - right });
        differences.push(x - y);
        denominators.push(count);
    }
    Ok(Pairs { documents, differences, denominators })
}

fn clusters(documents: usize, targets: impl Iterator<Item = u64>) -> String {
    let targets = targets.fold(0, u64::saturating_add);
    if documents == 1 {
        return format!(
            "1 document is 1 independent unit, however many targets it has ({targets}): nothing is \
             known about other documents"
        );
    }
    format!(
        "{documents} documents are {documents} independent units, however many targets they have \
         ({targets}): resampling draws documents"
    )
}

fn caveats(left: &EvaluationResult, right: &EvaluationResult) -> Vec<String> {
    let (a, b) = (left.contract(), right.contract());
    let mut caveats = Vec::new();
    let tokenizers = a.subject().tokenizer_sha256 != b.subject().tokenizer_sha256;
    if tokenizers && a.conditions().windows.is_some() {
        caveats.push(
            "windows are counted in tokens: under two tokenizers the same window shows different \
             amounts of text"
                .to_owned(),
        );
    }
    if left.documents().len() < 30 {
        caveats.push(
            "fewer than 30 documents (our choice): the interval of a bootstrap over so few is too \
             narrow"
                .to_owned(),
        );
    }
    caveats
}

impl From<Bootstrap> for Spread {
    fn from(bootstrap: Bootstrap) -> Self {
        Self {
            standard_error: bootstrap.standard_error,
            lower: bootstrap.interval.lower,
            upper: bootstrap.interval.upper,
            confidence: bootstrap.plan.confidence,
            resamples: bootstrap.plan.resample_count,
            seed: bootstrap.plan.seed,
        }
    }
}
