//! Exact sums of losses, perplexity and sample statistics: numbers only.
//!
//! A language model is judged by the probability it gave to what really came next. This crate
//! turns such numbers into a score, and it does so without letting the way the work was cut into
//! batches show in the result. It takes plain `f64` values and knows nothing of tokens, tensors
//! or files; choosing what is scored belongs to the crates above it.
//!
//! Losses are negative log-likelihoods (NLL) in *nats*, that is with the natural logarithm.
//!
//! # Map
//!
//! | file | idea |
//! | --- | --- |
//! | `exact_sum.rs` | [`ExactSum`]: adding floating-point numbers as one huge integer |
//! | `metric_summary.rs` | [`MetricSummary`]: total NLL and target count, mean and perplexity |
//! | `assigned_probabilities.rs` | [`score_assigned_probabilities`]: from probabilities to NLL |
//! | `seed_summary.rs` | [`seed_summary`]: mean and spread of a few repeated runs |
//! | `error.rs` | [`MetricError`]: everything that is refused |
//!
//! # Example
//!
//! Two batches of two and four targets. Each *target* weighs the same, so summaries are merged
//! and never averaged:
//!
//! ```
//! use llm_metrics::score_assigned_probabilities;
//!
//! let first = score_assigned_probabilities(&[0.5, 0.25])?; // 3 ln 2 over 2 targets
//! let second = score_assigned_probabilities(&[0.5, 0.5, 0.25, 0.5])?; // 5 ln 2 over 4
//! let both = first.merge(second)?; // 8 ln 2 over 6
//! assert_eq!(both.target_count(), 6);
//! assert_eq!(format!("{:.6}", both.mean_nll()), "0.924196");
//! assert_eq!(format!("{:.6}", both.perplexity()), "2.519842"); // 2^(4/3)
//! # Ok::<(), llm_metrics::MetricError>(())
//! ```

#![forbid(unsafe_code)]

mod assigned_probabilities;
mod error;
mod exact_sum;
mod metric_summary;
mod seed_summary;

pub use assigned_probabilities::score_assigned_probabilities;
pub use error::MetricError;
pub use exact_sum::ExactSum;
pub use metric_summary::MetricSummary;
pub use seed_summary::{SeedSummary, seed_summary};
