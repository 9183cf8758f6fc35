//! Chapter 17: rounding weights to 8 and 4 bits.
//!
//! A trained weight is a number of 8 bytes of which the model needs few. Rounding all weights of the
//! model that chapter 16 saved, and asking that chapter's evaluator again, shows what is lost: in the
//! weights, in the distributions, in the losses.
//!
//! Read in this order: `by_hand` (one row), `models` (the model before), `costs` (the model after),
//! `saved` (a file of it), `args`.
#![forbid(unsafe_code)]

mod args;
mod by_hand;
mod costs;
mod models;
mod saved;

pub use args::{Args, Command, EvaluateArgs, InspectArgs, Report, run};
pub use by_hand::{RoundedRow, round_by_hand};
pub use costs::{FormatReport, Loss, SplitReport, TensorReport, measure};
pub use models::{OriginalReport, Scored};
pub use saved::{SavedEvaluation, evaluate_saved};
