//! What every [`LanguageModel`] promises, put to the test.

use llm_metrics::ExactSum;

use crate::{LanguageModel, ScoreError, ScoreRequest, TargetScore};

/// Most that the probabilities of a row may miss one by. Rows are logarithms in `f64`.
const ROW_TOLERANCE: f64 = 1e-12;

/// A promise of [`LanguageModel`] that a model does not keep.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrokenPromise {
    /// The model does not score the requests at all.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The scores of a request are not the same bits as when it is asked alone.
    #[error("request {request} is scored differently {when} than alone")]
    Bits {
        /// Number of the request.
        request: usize,
        /// In what company.
        when: &'static str,
    },
    /// A row is no distribution.
    #[error("request {request}, position {position}: the probabilities sum to {sum}, expected 1")]
    Sum {
        /// Number of the request.
        request: usize,
        /// The predicted position.
        position: usize,
        /// Over the whole vocabulary.
        sum: f64,
    },
    /// A score depends on ids behind its target.
    #[error("request {request}, position {position}: the score changes with what comes behind it")]
    Future {
        /// Number of the request.
        request: usize,
        /// Position of the last id that was kept.
        position: usize,
    },
    /// The model is another one after it was asked.
    #[error("scoring turned {before} into {after}")]
    Changed {
        /// Identity before.
        before: String,
        /// Identity after.
        after: String,
    },
}

/// Tries the promises of [`LanguageModel`] on some requests: the same bits alone, together, in
/// another order and again; one score for each target; rows that sum to one; no look ahead; the
/// same identity before and after.
///
/// It is meant for the tests of whoever implements the trait. What it cannot know is whether the
/// identity tells two models apart. To try thread counts, call it within pools of several sizes and
/// compare the scores.
///
/// # Errors
/// The first promise that is not kept.
///
/// # Example
/// ```
/// use llm_evaluation::{ScoreRequest, check_promises};
/// let model = llm_baselines::NgramModel::uniform(4)?;
/// let requests = [[0, 2, 3, 1], [0, 3, 3, 1]].map(|ids| ids.to_vec());
/// let requests = requests.each_ref().map(|ids| ScoreRequest { ids, first_target: 1 });
/// check_promises(&model, &requests)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_promises(
    model: &(impl LanguageModel + ?Sized),
    requests: &[ScoreRequest<'_>],
) -> Result<(), BrokenPromise> {
    let before = model.identity();
    let mut alone = Vec::with_capacity(requests.len());
    for (number, request) in requests.iter().enumerate() {
        let scores = bits(&model.score(&[*request])?).remove(0);
        check_rows(model, number, *request)?;
        check_future(model, number, *request, &scores)?;
        alone.push(scores);
    }
    let mut reversed = requests.to_vec();
    reversed.reverse();
    let together = bits(&model.score(requests)?);
    let mut backwards = bits(&model.score(&reversed)?);
    backwards.reverse();
    let again = bits(&model.score(requests)?);
    for (when, scores) in
        [("in company", together), ("in another order", backwards), ("a second time", again)]
    {
        if let Some(request) = (0..requests.len()).find(|&i| scores[i] != alone[i]) {
            return Err(BrokenPromise::Bits { request, when });
        }
    }
    let after = model.identity();
    if before != after {
        return Err(BrokenPromise::Changed { before, after });
    }
    Ok(())
}

/// Log-probability and ranks, to the last bit.
type Bits = (u64, u64, u64);

fn bits(scores: &[Vec<TargetScore>]) -> Vec<Vec<Bits>> {
    let one = |s: &TargetScore| (s.log_probability.to_bits(), s.rank_best, s.rank_worst);
    scores.iter().map(|scores| scores.iter().map(one).collect()).collect()
}

fn check_rows(
    model: &(impl LanguageModel + ?Sized),
    number: usize,
    request: ScoreRequest<'_>,
) -> Result<(), BrokenPromise> {
    let mut broken = None;
    model.visit_rows(&[request.rows()], &mut |row| {
        let probabilities = row.log_probabilities.iter().map(|&x| libm::exp(x));
        let sum = probabilities.collect::<ExactSum>().value();
        let whole = row.log_probabilities.len() == model.vocab_size();
        if broken.is_none() && !(whole && (sum - 1.0).abs() <= ROW_TOLERANCE) {
            let position = row.position;
            broken = Some(BrokenPromise::Sum { request: number, position, sum });
        }
        Ok(())
    })?;
    broken.map_or(Ok(()), Err)
}

/// The request without what is behind each target in turn, scored again.
fn check_future(
    model: &(impl LanguageModel + ?Sized),
    request: usize,
    ScoreRequest { ids, first_target }: ScoreRequest<'_>,
    whole: &[Bits],
) -> Result<(), BrokenPromise> {
    for position in first_target..ids.len() {
        let shorter = ScoreRequest { ids: &ids[..=position], first_target };
        let scores = bits(&model.score(&[shorter])?).remove(0);
        if whole.get(..scores.len()) != Some(&scores) || scores.len() != position + 1 - first_target
        {
            return Err(BrokenPromise::Future { request, position });
        }
    }
    Ok(())
}
