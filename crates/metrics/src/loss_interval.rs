//! Losses from a known interval, and the refusal of all others.
//!
//! Bounds for unseen documents (Hoeffding 1963) need one fact about a loss: an interval that holds
//! it for *every* document, before any is seen. Per-token losses in `[a, a + d]` average into
//! `[a, a + d]` for documents of every length, so per-token intervals are enough.
//!
//! | loss of a document | interval |
//! | --- | --- |
//! | top-k error | 0 to 1 |
//! | bits per token | none: one token can cost any number of bits |
//! | bits per token of smoothed predictions | see [`crate::PredictionSmoothing`] |
//! | its part in a token-level average | none: a ratio of sums is no mean of document losses |
//!
//! Source: Hoeffding, *Probability inequalities for sums of bounded random variables* (1963).

use crate::{MetricError, PredictionSmoothing};

/// A per-document loss that somebody may want to bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DocumentLoss {
    /// Share of the document's tokens outside the top k.
    TopKError,
    /// Mean surprisal in bits of the model as it is.
    BitsPerToken,
    /// Mean surprisal in bits of the smoothed predictions.
    SmoothedBitsPerToken(PredictionSmoothing),
    /// The pooled mean over the tokens of all documents.
    TokenLevelAverage,
}

impl DocumentLoss {
    /// The interval that holds this loss for every document, in its unit.
    ///
    /// # Errors
    /// [`MetricError::UnboundedLoss`] if there is none. The largest loss that was *observed* is no
    /// substitute: the next document may exceed it.
    ///
    /// # Example
    /// ```
    /// use llm_metrics::DocumentLoss;
    ///
    /// assert_eq!(DocumentLoss::TopKError.interval()?.width(), 1.0);
    /// assert!(DocumentLoss::BitsPerToken.interval().is_err());
    /// # Ok::<(), llm_metrics::MetricError>(())
    /// ```
    pub fn interval(&self) -> Result<LossInterval, MetricError> {
        match self {
            Self::TopKError => Ok(LossInterval { lowest: 0.0, highest: 1.0 }),
            Self::SmoothedBitsPerToken(smoothing) => Ok(smoothing.loss_interval()),
            Self::BitsPerToken => Err(MetricError::UnboundedLoss {
                loss: "bits per token",
                instead: "smooth the predictions and score those",
            }),
            Self::TokenLevelAverage => Err(MetricError::UnboundedLoss {
                loss: "a token-level average",
                instead: "average per document, each with weight 1",
            }),
        }
    }
}

/// The interval `[lowest, highest]` of a bounded loss, in the unit of the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossInterval {
    /// No document has a smaller loss.
    pub lowest: f64,
    /// No document has a larger loss.
    pub highest: f64,
}

impl LossInterval {
    /// `highest - lowest`, the number that bounds scale with.
    pub fn width(&self) -> f64 {
        self.highest - self.lowest
    }

    /// Whether `loss` lies inside.
    pub fn contains(&self, loss: f64) -> bool {
        (self.lowest..=self.highest).contains(&loss)
    }

    /// Hoeffding's margin: the mean loss of `document_count` independent documents is at most
    /// this far below the expected loss, except with probability `failure`.
    ///
    /// `width * sqrt(ln(1 / failure) / (2 n))`, for one model that was fixed beforehand.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without documents, [`MetricError::OutOfRange`] unless
    /// `0 < failure < 1`.
    pub fn hoeffding_margin(
        &self,
        document_count: usize,
        failure: f64,
    ) -> Result<f64, MetricError> {
        if document_count == 0 {
            return Err(MetricError::NoValues);
        }
        if !(failure > 0.0 && failure < 1.0) {
            let (what, expected) = ("the failure probability", "above 0 and below 1");
            return Err(MetricError::OutOfRange { what, value: failure, expected });
        }
        Ok(self.width() * (-libm::log(failure) / (2.0 * document_count as f64)).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbounded_losses_are_refused_with_a_way_out() {
        for loss in [DocumentLoss::BitsPerToken, DocumentLoss::TokenLevelAverage] {
            let error = loss.interval().unwrap_err();
            assert!(matches!(error, MetricError::UnboundedLoss { .. }), "{error}");
        }
        let message = DocumentLoss::BitsPerToken.interval().unwrap_err().to_string();
        assert!(message.starts_with("bits per token lies in no finite interval"), "{message}");
        assert!(message.ends_with("smooth the predictions and score those"), "{message}");
    }

    #[test]
    fn smoothed_losses_have_the_interval_of_their_smoothing() {
        let smoothing = PredictionSmoothing::new(0.5, 4).unwrap();
        let interval = DocumentLoss::SmoothedBitsPerToken(smoothing).interval().unwrap();
        assert_eq!(interval.highest, 3.0);
        assert!(interval.contains(3.0) && interval.contains(interval.lowest));
        assert!(!interval.contains(3.1) && !interval.contains(0.5) && !interval.contains(f64::NAN));
    }

    #[test]
    fn the_margin_halves_with_four_times_the_documents_and_grows_with_the_width() {
        // ln(1/e^-2) = 2, so 100 documents give sqrt(2 / 200) = 0.1.
        let unit = DocumentLoss::TopKError.interval().unwrap();
        let failure = libm::exp(-2.0);
        assert!((unit.hoeffding_margin(100, failure).unwrap() - 0.1).abs() < 1e-15);
        assert!((unit.hoeffding_margin(400, failure).unwrap() - 0.05).abs() < 1e-15);
        let wide = LossInterval { lowest: 1.0, highest: 4.0 };
        assert!((wide.hoeffding_margin(100, failure).unwrap() - 0.3).abs() < 1e-15);
        assert_eq!(unit.hoeffding_margin(0, 0.05), Err(MetricError::NoValues));
        for failure in [0.0, 1.0, f64::NAN] {
            assert!(unit.hoeffding_margin(10, failure).is_err());
        }
    }
}
