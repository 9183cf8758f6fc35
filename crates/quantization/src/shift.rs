//! What rounding did to the distributions: the divergence from the original's, and first guesses that
//! changed.

use llm_corpus::EncodedDocument;
use llm_evaluation::{LanguageModel, RowRequest, RowVisitor, ScoreError};
use llm_metrics::{ExactSum, kl_divergence_from_logs_nats};

use crate::QuantizationError;

/// How far a model's distributions are from those of a reference, over the scored targets of some
/// documents. What the targets are plays no part: whole rows are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistributionShift {
    /// Positions that were compared.
    pub targets: u64,
    /// The mean over positions of `KL(reference | other)`, in nats: how many nats more the other
    /// spends on average on text that the reference writes.
    pub mean_kl_nats: f64,
    /// The largest of them.
    pub largest_kl_nats: f64,
    /// Positions at which the most probable token is another one. Of equally probable tokens the one
    /// with the smallest id counts.
    pub top_1_flips: u64,
}

/// Compares two models position by position, on the contexts of the given documents.
///
/// The sum over positions is exact, so the order of documents changes no bit. Memory: the rows of one
/// document, `8 * vocab_size` bytes for each of its ids.
///
/// # Errors
/// [`QuantizationError::DifferentModels`] for vocabularies of different size,
/// [`QuantizationError::Document`] for a document longer than a context (cut it with
/// [`llm_corpus::windows`] first) and for a model that diverges,
/// [`QuantizationError::NoTargets`].
pub fn distribution_shift(
    reference: &dyn LanguageModel,
    other: &dyn LanguageModel,
    documents: &[EncodedDocument],
) -> Result<DistributionShift, QuantizationError> {
    let sizes = [reference.vocab_size(), other.vocab_size()];
    if sizes[0] != sizes[1] {
        let [reference, other] = sizes.map(|size| size.to_string());
        return Err(QuantizationError::DifferentModels { what: "vocab_size", reference, other });
    }
    let mut total = ExactSum::new();
    let mut shift =
        DistributionShift { targets: 0, mean_kl_nats: 0.0, largest_kl_nats: 0.0, top_1_flips: 0 };
    for document in documents {
        let [expected, given] = [rows(reference, document)?, rows(other, document)?];
        for (q, p) in expected.iter().zip(&given) {
            let kl = kl_divergence_from_logs_nats(q, p)?;
            total.add(kl);
            shift.largest_kl_nats = shift.largest_kl_nats.max(kl);
            shift.targets += 1;
            shift.top_1_flips += u64::from(first_guess(q) != first_guess(p));
        }
    }
    if shift.targets == 0 {
        return Err(QuantizationError::NoTargets);
    }
    shift.mean_kl_nats = total.value() / shift.targets as f64;
    Ok(shift)
}

/// The distribution behind each scored target of a document, `[scored targets, vocab_size]`.
fn rows(
    model: &dyn LanguageModel,
    document: &EncodedDocument,
) -> Result<Vec<Vec<f64>>, QuantizationError> {
    let mut rows = Vec::with_capacity(document.scored_count());
    let read = &document.ids()[..document.target_count()];
    let keep: &mut RowVisitor<'_> = &mut |row| {
        if document.is_scored(row.position - 1) {
            rows.push(row.log_probabilities.to_vec());
        }
        Ok(())
    };
    let visited: Result<(), ScoreError> =
        model.visit_rows(&[RowRequest { ids: read, first: 1 }], keep);
    visited.map_err(|source| QuantizationError::Document {
        document: document.id().to_owned(),
        source,
    })?;
    Ok(rows)
}

/// The most probable token.
fn first_guess(log_probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (id, value) in log_probabilities.iter().enumerate() {
        if *value > log_probabilities[best] {
            best = id;
        }
    }
    best
}
