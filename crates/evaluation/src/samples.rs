//! Generated text: how it is made from any model, and what another model says to it.
//!
//! Numbers about the finished text alone (distinct n-grams, loops, unknown words, MAUVE) are in
//! `llm-metrics`; here is what needs a [`LanguageModel`](crate::LanguageModel).
//!
//! | file | idea |
//! | --- | --- |
//! | `sampling.rs` | one loop for count models and decoders alike |
//! | `cross_likelihood.rs` | one model judges by its likelihood what another one wrote |

mod cross_likelihood;
mod sampling;

pub use cross_likelihood::{CrossLikelihood, cross_likelihood};
pub use sampling::{sample_text, sample_texts};
