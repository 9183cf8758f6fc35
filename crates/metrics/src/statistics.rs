//! How far a measured number may be from the one that more data would give.
//!
//! | file | idea |
//! | --- | --- |
//! | `proportion.rs` | accuracy: binomial standard error, Wilson interval |
//! | `standard_error.rs` | means: standard error, also with items in groups |
//! | `paired.rs` | two models on the same items: the difference and its standard error |
//! | `mcnemar.rs` | two models on the same questions: exact test of the disagreements |
//! | `bootstrap.rs` | any statistic of documents: resampling documents, with a seed |
//! | `detectable_difference.rs` | what n items can show at all |
//! | `chance.rs` | the level of guessing, and scores relative to it |
//! | `binomial.rs`, `normal.rs` | the two distributions behind them |
//! | `split_mix.rs`, `random_draws.rs` | a reproducible random stream and draws from it |

mod binomial;
mod bootstrap;
mod chance;
mod detectable_difference;
mod mcnemar;
mod normal;
mod paired;
mod proportion;
mod random_draws;
mod split_mix;
mod standard_error;

pub use binomial::binomial_probability;
pub use bootstrap::{Bootstrap, BootstrapPlan, bootstrap_ratio, bootstrap_statistic};
pub use chance::{chance_centred, chance_level};
pub use detectable_difference::DetectableDifference;
pub use mcnemar::McNemar;
pub use normal::{normal_cdf, normal_quantile};
pub use paired::{PairedDifference, unpaired_standard_error};
pub use proportion::{Interval, Proportion};
pub use split_mix::SplitMix64;
pub use standard_error::{MeanEstimate, clustered_mean, mean_estimate, pooled_mean};
