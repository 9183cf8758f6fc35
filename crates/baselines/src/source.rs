//! A language whose entropy is known: the floor below every baseline.
//!
//! Count models and compressors say how well one can do without a neural network; nothing says how
//! well one can do at all, because nobody knows the source of English. Here the source is ours: a
//! probabilistic grammar that writes documents and knows what each of them costs.
//!
//! | file | idea |
//! | --- | --- |
//! | `grammar.rs` | [`SourceGrammar`]: states, what each can write, and what follows |
//! | `entropy.rs` | [`SourceEntropy`]: bits and bytes of a document on average, by solving equations |
//! | `model.rs` | [`SourceModel`]: the next byte's true distribution, scored like any other model |
//! | `letters.rs` | [`letters_language`]: the language of the course |

mod entropy;
mod grammar;
mod letters;
mod model;

pub use entropy::SourceEntropy;
pub use grammar::{Alternative, SourceGrammar};
pub use letters::letters_language;
pub use model::SourceModel;
