//! What a loss must tell the reducer.

use llm_autograd::Element;
use llm_model::BatchLoss;

/// The losses of one batch, target by target.
///
/// Single losses and not a mean: means of batches of different sizes cannot be combined into the
/// right mean, and a mean times its count is already rounded.
pub trait TargetLosses {
    /// The loss of every scored target of the batch in nats, in (document, position) order.
    fn token_nll(&self) -> &[f64];

    /// Whether a gradient could flow back from these losses.
    fn tracks_gradient(&self) -> bool;
}

impl<E: Element> TargetLosses for BatchLoss<E> {
    fn token_nll(&self) -> &[f64] {
        BatchLoss::token_nll(self)
    }

    fn tracks_gradient(&self) -> bool {
        BatchLoss::tracks_gradient(self)
    }
}
