//! General-purpose compressors as baselines, in bits per byte.
//!
//! A crate of its own and no part of the facade, because its libraries are C: whoever only trains
//! and scores need not compile them.
//!
//! | module | idea |
//! | --- | --- |
//! | `compressor` | [`Compressor`]: zlib, zstd and xz as bits per byte |
//! | `error` | [`CompressorError`]: everything that is refused |
//!
//! ```
//! use llm_compressors::Compressor;
//! let text = "ab".repeat(500);
//! assert!(Compressor::Zlib.bits_per_byte(text.as_bytes())? < 0.4); // 1000 bytes in a few dozen
//! # Ok::<(), llm_compressors::CompressorError>(())
//! ```
#![forbid(unsafe_code)]

mod compressor;
mod error;

pub use compressor::{CompressedSizes, Compressor};
pub use error::CompressorError;
