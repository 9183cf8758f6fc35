//! The label of a model that was chosen.

use serde::{Deserialize, Serialize};

/// How a model was chosen among several states of its training.
///
/// The lowest of many losses is low by luck too: on the documents that it was chosen by, this model
/// looks better than it is. So the file says what was looked at, and whoever reports a score can tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// What decided, in the words of whoever chose; `"validation"` for held-out documents.
    pub selected_on: String,
    /// Updates that the model had learned from.
    pub update: u64,
    /// Its mean loss there, in nats per target.
    pub nats_per_token: f64,
}
