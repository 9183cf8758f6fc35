//! Random data whose truth is known, from a seed: where a claim about scores can be tried out.
//!
//! | file | idea |
//! | --- | --- |
//! | `row_with_rank.rs` | a whole distribution in which one token has a chosen probability and rank |
//! | `synthetic_corpus.rs` | lengths and scores of 10,000 invented documents |
//! | `sampled_cross_entropy.rs` | the mean loss of a sampled text, beside what it must approach |
//! | `link_trial.rs` | random distributions against what surprisal says about rank |
//!
//! All draws come from one [`SplitMix64`](crate::SplitMix64) per simulation in the order that each
//! file states, so a seed gives the same numbers on every machine.

mod link_trial;
mod row_with_rank;
mod sampled_cross_entropy;
mod synthetic_corpus;

pub use link_trial::{LinkTrial, LinkTrialPlan, peaked_row};
pub use row_with_rank::row_with_rank;
pub use sampled_cross_entropy::{SampledCrossEntropy, sampled_cross_entropies};
pub use synthetic_corpus::{SyntheticCorpus, SyntheticCorpusPlan};
