//! A model judges by its likelihood what another one wrote.
//!
//! Diversity praises gibberish; a model that knows the language does not. Let W write texts and J
//! read them. With `L_W` and `L_J` the mean surprise of the written tokens in nats,
//!
//! ```text
//! excess = L_J - L_W
//! ```
//!
//! If W wrote by sampling from its own distribution, without filters, `L_W` estimates the entropy of
//! W, `L_J` the cross-entropy with J, and the excess their divergence `KL(W|J)` per token, which no
//! model can make negative. Filtered texts are different: greedy text is cheap for nearly every
//! judge, however dull, and the excess may have any sign. A low `L_J` alone is therefore no praise.
//!
//! The texts are the independent units of the standard errors, not their tokens.

use std::num::NonZeroUsize;

use llm_metrics::{MeanEstimate, clustered_mean};

use crate::{FramedDocument, LanguageModel, ScoreError, WindowRule, collect_records};

/// What the texts of one model cost it and another one, in nats per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossLikelihood {
    /// `L_W`: under the model that wrote them.
    pub writer: MeanEstimate,
    /// `L_J`: under the model that judges.
    pub judge: MeanEstimate,
    /// Mean of the differences token by token, with the standard error of these.
    pub excess: MeanEstimate,
}

/// Scores the texts of `writer` under both models, through windows that fit both.
///
/// # Errors
/// [`ScoreError::Vocabularies`] for models of different vocabularies, otherwise as
/// [`score_documents`](crate::score_documents); [`ScoreError::Metric`] without texts.
///
/// # Example
/// A certain writer and a judge that knows nothing of its 4 tokens: ln 4 nats too much.
/// ```
/// use llm_baselines::{NgramModel, Smoothing};
/// use llm_corpus::{EncodedDocument, Partition};
/// use llm_evaluation::{FramedDocument, WindowRule, cross_likelihood};
///
/// let ids = vec![0, 2, 3, 1];
/// let text = EncodedDocument::from_ids("t", Partition::Train, ids.clone())?;
/// let writer = NgramModel::fit(4, 2, Smoothing::AddK { k: 1e-9 }, &[text])?;
/// let judge = NgramModel::uniform(4)?;
/// let samples = ["1", "2"].map(|id| FramedDocument::from_ids(id, ids.clone(), None));
/// let samples = samples.into_iter().collect::<Result<Vec<_>, _>>()?;
///
/// let rule = WindowRule { window: 8, stride: 1, bos_per_window: false };
/// let found = cross_likelihood(&writer, &judge, &samples, rule)?;
/// assert!(found.writer.mean < 1e-8);
/// assert!((found.excess.mean - 4f64.ln()).abs() < 1e-8);
/// assert_eq!((found.excess.item_count, found.excess.unit_count), (6, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cross_likelihood(
    writer: &dyn LanguageModel,
    judge: &dyn LanguageModel,
    samples: &[FramedDocument],
    rule: WindowRule,
) -> Result<CrossLikelihood, ScoreError> {
    let sizes = (writer.vocab_size(), judge.vocab_size());
    if sizes.0 != sizes.1 {
        return Err(ScoreError::Vocabularies { writer: sizes.0, judge: sizes.1 });
    }
    let nats = |model| -> Result<(Vec<f64>, Vec<String>), ScoreError> {
        let (records, _) = collect_records(model, samples, rule, NonZeroUsize::MIN)?;
        Ok(records.into_iter().map(|record| (-record.log_probability, record.document)).unzip())
    };
    // Both passes go through the same windows, so the records stand in the same order.
    let (of_writer, texts) = nats(writer)?;
    let (of_judge, _) = nats(judge)?;
    let excess: Vec<f64> = of_judge.iter().zip(&of_writer).map(|(j, w)| j - w).collect();
    Ok(CrossLikelihood {
        writer: clustered_mean(&of_writer, &texts)?,
        judge: clustered_mean(&of_judge, &texts)?,
        excess: clustered_mean(&excess, &texts)?,
    })
}
