//! Everything that this crate refuses.

/// Why bytes were not compressed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressorError {
    /// Nothing to compress: bits per byte of no bytes have no value.
    #[error("no bytes to compress, expected at least 1: check which documents were selected")]
    NoBytes,
    /// A compressor gave up, which none should on bytes in memory.
    #[error("{compressor} failed: {reason}")]
    Failed {
        /// Which one.
        compressor: &'static str,
        /// What it said.
        reason: String,
    },
}
