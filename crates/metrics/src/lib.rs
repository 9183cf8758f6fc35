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
//! Sums and summaries:
//!
//! | file | idea |
//! | --- | --- |
//! | `exact_sum.rs` | [`ExactSum`]: adding floating-point numbers as one huge integer |
//! | `metric_summary.rs` | [`MetricSummary`]: total NLL and target count, mean and perplexity |
//! | `assigned_probabilities.rs` | [`score_assigned_probabilities`]: from probabilities to NLL |
//! | `seed_summary.rs` | [`seed_summary`]: mean and spread of a few repeated runs |
//! | `error.rs` | [`MetricError`]: everything that is refused |
//!
//! Scores of text:
//!
//! | file | idea |
//! | --- | --- |
//! | `surprisal.rs` | [`surprisal_bits`]: one token, in bits and in nats |
//! | `document_score.rs` | [`DocumentScore`]: likelihood, NLL, bits per token of a document |
//! | `perplexity.rs` | perplexity in three forms, and the arithmetic mean that it is not |
//! | `rank.rs` | [`target_ranks`]: the place of the real token, with a declared tie rule |
//! | `top_k_error.rs` | [`TopKCounter`]: how often it is not among the k best, for any set of k |
//! | `choice.rs` | [`Choice`]: the best of scored options, with fair credit for ties |
//! | `averages.rs` | [`DatasetAverages`]: per document and per token, and what links them |
//! | `domain_mixture.rs` | [`DomainMixture`]: domains first, then one number and its weighting |
//! | `log_softmax.rs` | [`log_softmax`]: what `f32` loses and logarithms keep |
//!
//! What scores mean:
//!
//! | file | idea |
//! | --- | --- |
//! | `random_guess.rs` | [`random_guess_bits`]: the level below which a number says something |
//! | `entropy.rs` | [`cross_entropy_bits`]: what text costs at least, and what a model adds |
//! | `surprisal_and_rank.rs` | [`broken_token_link`]: what surprisal says about rank |
//! | `one_bad_token.rs` | [`OneBadToken`]: the mean that a single token can ruin |
//! | `prediction_smoothing.rs` | [`PredictionSmoothing`]: a cap on every loss, same ranking |
//! | `loss_interval.rs` | [`DocumentLoss`]: which losses a bound can use, others refused |
//! | `probability_lab.rs` | [`ProbabilityLab`]: how far a count moves by chance |
//! | `rounding_audit.rs` | [`audit_pair`]: were printed numbers rounded or truncated? |
//! | `statistics/` | standard errors, intervals, paired tests, bootstrap: see below |
//! | `samples/` | numbers about generated text: see below |
//! | `simulations/` | random rows, texts and corpora from a seed: see below |
//!
//! Statistics: [`Proportion`] (binomial error, Wilson interval), [`mean_estimate`] and
//! [`clustered_mean`], [`PairedDifference`], [`McNemar`], [`bootstrap_ratio`],
//! [`DetectableDifference`], [`chance_level`], and [`SplitMix64`], the random stream behind every
//! simulation.
//!
//! Generated text: [`DistinctNgrams`], [`longest_loop`], [`unknown_words`], [`mauve`] on vectors such
//! as [`hashed_byte_ngrams`], and judges: [`JudgeTastes`] simulates one, [`order_swap_position`] and
//! [`JudgeEffects`] find tastes out, [`Agreement`] compares with people.
//!
//! Simulations: [`SyntheticCorpusPlan`], [`sampled_cross_entropies`], [`LinkTrialPlan`], and
//! [`row_with_rank`] for worked examples.
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
mod averages;
mod choice;
mod document_score;
mod domain_mixture;
mod entropy;
mod error;
mod exact_sum;
mod log_softmax;
mod loss_interval;
mod metric_summary;
mod one_bad_token;
mod perplexity;
mod prediction_smoothing;
mod probability_lab;
mod random_guess;
mod rank;
mod rounding_audit;
mod samples;
mod seed_summary;
mod simulations;
mod statistics;
mod surprisal;
mod surprisal_and_rank;
mod top_k_error;

pub use assigned_probabilities::score_assigned_probabilities;
pub use averages::{DatasetAverages, DatasetPerplexities};
pub use choice::Choice;
pub use document_score::DocumentScore;
pub use domain_mixture::{DomainMixture, MixtureChange};
pub use entropy::{
    cross_entropy_bits, cross_entropy_from_logs_bits, entropy_bits, kl_divergence_bits,
    kl_divergence_from_logs_nats,
};
pub use error::MetricError;
pub use exact_sum::ExactSum;
pub use log_softmax::{log_softmax, log_softmax_f32, softmax_f32};
pub use loss_interval::{DocumentLoss, LossInterval};
pub use metric_summary::MetricSummary;
pub use one_bad_token::OneBadToken;
pub use perplexity::{
    arithmetic_mean, geometric_mean, perplexity_from_bits, perplexity_from_nats,
    perplexity_from_probabilities,
};
pub use prediction_smoothing::PredictionSmoothing;
pub use probability_lab::ProbabilityLab;
pub use random_guess::{
    is_vacuous, random_guess_bits, random_guess_nats, random_guess_top_k_error,
};
pub use rank::{Ranks, TieRule, target_ranks};
pub use rounding_audit::{
    PairAudit, PrintConvention, audit_pair, convention_of, round_half_up, truncate,
};
pub use samples::{
    Agreement, Clustering, Comparison, DistinctNgrams, DivergenceFrontier, Effect, JudgeEffects,
    JudgeTastes, Loop, Mauve, MauvePlan, MauveSpread, Side, Taste, UnknownWords, Verdict,
    both_orders, divergence_frontier, hashed_byte_ngrams, k_means, longest_loop, mauve,
    mauve_over_seeds, mean_distinct_share, naive_taste, order_swap_position, unknown_words, words,
};
pub use seed_summary::{SeedSummary, seed_summary};
pub use simulations::{
    LinkTrial, LinkTrialPlan, SampledCrossEntropy, SyntheticCorpus, SyntheticCorpusPlan,
    peaked_row, row_with_rank, sampled_cross_entropies,
};
pub use statistics::{
    Bootstrap, BootstrapPlan, DetectableDifference, Interval, McNemar, MeanEstimate,
    PairedDifference, Proportion, SplitMix64, binomial_probability, bootstrap_ratio,
    bootstrap_statistic, chance_centred, chance_level, clustered_mean, mean_estimate, normal_cdf,
    normal_quantile, pooled_mean, unpaired_standard_error,
};
pub use surprisal::{bits_to_nats, nats_to_bits, surprisal_bits, surprisal_nats};
pub use surprisal_and_rank::{
    BrokenLink, broken_document_link, broken_token_link, hit_certain_below_bits, top_k_error_bound,
};
pub use top_k_error::{TopKCounter, TopKError};
