//! How much memory a run takes, from its sizes, and whether there is so much.

use std::fmt;

use anyhow::ensure;
use practical::model::{DecoderConfig, ValidConfig};
use serde::Serialize;

use super::data::Data;
use super::plan::Plan;

/// In the backward pass gradients of the kept values stand beside them, not all at once. Measured as
/// 1.7 to 1.9 with models of 0.2 to 5 million parameters.
const WITH_GRADIENTS: f64 = 1.8;

/// Bytes in use at the same time, estimated.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Memory {
    /// Weights, their gradients, and AdamW's two moments.
    pub(super) parameters_bytes: u64,
    /// What the forward pass of a microbatch leaves for the backward pass, and its gradients.
    pub(super) microbatch_bytes: u64,
    /// Keys and values of a sample.
    pub(super) sample_bytes: u64,
    /// Ids of all windows.
    pub(super) data_bytes: u64,
    /// What the system says is free; unknown on some.
    pub(super) available_bytes: Option<u64>,
}

impl Memory {
    /// Of elements of type `E`.
    pub(super) fn estimate<E>(plan: &Plan, data: &Data, model: &ValidConfig) -> Self {
        let rows = plan.training.windows_per_microbatch.min(plan.training.windows_per_update);
        let windows = || data.train.iter().chain(&data.validation);
        let longest = windows().map(|window| window.target_count()).max().unwrap_or(0);
        let tokens = longest as f64 * rows.get().min(data.train.len()) as f64;
        let element = size_of::<E>() as f64;
        let keys_and_values = 2.0 * (model.n_kv_heads * model.head_dim * model.n_layers) as f64;
        let ids: usize = windows().map(|window| window.ids().len()).sum();
        Self {
            // A number too large for its type becomes the largest one, and is refused all the same.
            parameters_bytes: (4.0 * model.parameter_count() as f64 * element) as u64,
            microbatch_bytes: (tokens * values_per_token(model) * element * WITH_GRADIENTS) as u64,
            sample_bytes: (keys_and_values * model.context_len as f64 * element) as u64,
            data_bytes: (ids * size_of::<u32>()) as u64,
            available_bytes: available(),
        }
    }

    fn total(&self) -> u64 {
        [self.microbatch_bytes, self.sample_bytes, self.data_bytes]
            .into_iter()
            .fold(self.parameters_bytes, u64::saturating_add)
    }

    /// Refuses a run that would be ended by the system, without a word, in the middle.
    pub(super) fn demand(&self) -> anyhow::Result<()> {
        let free = self.available_bytes.unwrap_or(u64::MAX);
        ensure!(
            self.total() <= free,
            "the run needs {self}, but only {:.0} MiB are free: choose a smaller model or context, or \
             fewer windows_per_microbatch",
            mib(free)
        );
        Ok(())
    }
}

/// `about 124 MiB: 14 for parameters and optimizer, 107 for a microbatch, 1 for a sample, 2 for data`.
impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "about {:.0} MiB: {:.0} for parameters and optimizer, {:.0} for a microbatch, {:.0} for a \
             sample, {:.0} for data",
            mib(self.total()),
            mib(self.parameters_bytes),
            mib(self.microbatch_bytes),
            mib(self.sample_bytes),
            mib(self.data_bytes)
        )
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Values that the forward pass keeps for each token: the results of all operations, and beside
/// the logits their probabilities and gradients.
fn values_per_token(config: &DecoderConfig) -> f64 {
    let DecoderConfig { d_model, n_heads, n_kv_heads, head_dim, d_ff, n_layers, .. } = *config;
    let block = 6 * d_model + 3 * (n_heads + n_kv_heads) * head_dim + 3 * d_ff;
    n_layers as f64 * block as f64 + (2 * d_model + 3 * config.vocab_size) as f64
}

/// Bytes that new programs can have, as Linux estimates them.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}
