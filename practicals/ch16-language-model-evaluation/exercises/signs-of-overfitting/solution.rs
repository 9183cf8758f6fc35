//! Find the intervals of a run in which the model overfits: a solution.

/// Losses of a frozen model, in nats per target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoint {
    /// Updates made before.
    pub update: u64,
    /// Of the documents that it was trained on.
    pub train: f64,
    /// Of held-out documents.
    pub validation: f64,
}

/// The pairs of consecutive checkpoints, by their updates, between which the training loss fell while
/// the validation loss rose.
pub fn signs_of_overfitting(checkpoints: &[Checkpoint]) -> Vec<(u64, u64)> {
    let intervals = checkpoints.windows(2).map(|pair| (pair[0], pair[1]));
    let overfitting =
        intervals.filter(|(from, to)| to.train < from.train && to.validation > from.validation);
    overfitting.map(|(from, to)| (from.update, to.update)).collect()
}

#[cfg(test)]
mod tests;
