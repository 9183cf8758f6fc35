//! What a subcommand leaves behind when it did its work, whatever it found.

/// A text for standard output, and whether the process should end with success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What to print.
    pub text: String,
    /// Exit code 0 or 1.
    pub passed: bool,
}
