//! What a caller can do wrong with a tape.

/// A backward pass that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AutogradError {
    /// The output depends on no variable, or the context records nothing.
    #[error("the output was not recorded: use a recording context and a variable")]
    NotRecorded,
    /// Only a scalar has a gradient.
    #[error("the output has shape {shape:?}, expected one element: sum it first")]
    NotScalar {
        /// Shape of the output.
        shape: Vec<usize>,
    },
    /// The tape was used by an earlier backward pass.
    #[error("this tape was consumed by an earlier backward pass: record the computation again")]
    TapeConsumed,
}
