//! Numbers about generated text: what each one rewards, and what it cannot see.
//!
//! No number here orders samples as a reader would. Diversity rewards noise, likelihood rewards
//! loops, MAUVE depends on the features that it is given, and a judge has tastes of its own. So
//! they are reported side by side.
//!
//! | file | idea |
//! | --- | --- |
//! | `distinct.rs` | distinct n-grams over all n-grams, and the repeated rest |
//! | `longest_loop.rs` | the longest stretch that repeats itself back to back |
//! | `words.rs` | what a word is, and how many of them the training text does not have |
//! | `byte_features.rs` | a text as a vector: hashed byte n-grams |
//! | `k_means.rs` | vectors to clusters, seeded, whatever order they come in |
//! | `frontier.rs` | two histograms to a curve of divergences and the area below it |
//! | `mauve.rs` | the last three together, and their spread over seeds |
//! | `judge.rs` | a judge with known tastes |
//! | `judge_effects.rs` | how to find them out: order swap, control of length and origin |
//! | `agreement.rs` | a judge against human ratings: agreement and kappa |

mod agreement;
mod byte_features;
mod distinct;
mod frontier;
mod judge;
mod judge_effects;
mod k_means;
mod longest_loop;
mod mauve;
mod words;

pub use agreement::Agreement;
pub use byte_features::hashed_byte_ngrams;
pub use distinct::{DistinctNgrams, mean_distinct_share};
pub use frontier::{DivergenceFrontier, divergence_frontier};
pub use judge::{Comparison, JudgeTastes, Side, Verdict, both_orders};
pub use judge_effects::{Effect, JudgeEffects, Taste, naive_taste, order_swap_position};
pub use k_means::{Clustering, k_means};
pub use longest_loop::{Loop, longest_loop};
pub use mauve::{Mauve, MauvePlan, MauveSpread, mauve, mauve_over_seeds};
pub use words::{UnknownWords, unknown_words, words};
