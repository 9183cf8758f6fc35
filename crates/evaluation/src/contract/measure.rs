//! The numbers that a result has, and what each is a ratio of.

use std::fmt;

use llm_metrics::nats_to_bits;
use serde::{Deserialize, Serialize};

use super::DocumentResult;

/// A number that is compared: one sum over documents divided by another.
///
/// Bits per token and perplexity are nats per token in another coat, so whatever spoils the one
/// spoils the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Nats of all targets over their number.
    NatsPerToken,
    /// Bits of all targets, the end token's included, over their bytes: a code length.
    BitsPerByte,
    /// Bits of the targets that stand for bytes, over these bytes.
    BitsPerByteTextOnly,
}

impl Measure {
    /// All of them, the least demanding last.
    pub const ALL: [Self; 3] = [Self::NatsPerToken, Self::BitsPerByte, Self::BitsPerByteTextOnly];

    /// The name in JSON and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::NatsPerToken => "nats_per_token",
            Self::BitsPerByte => "bits_per_byte",
            Self::BitsPerByteTextOnly => "bits_per_byte_text_only",
        }
    }

    /// Numerator and denominator of one document; `None` if its bytes are unknown.
    pub(super) fn parts(self, document: &DocumentResult) -> Option<(f64, u64)> {
        let per_byte = |nats| Some((nats_to_bits(nats), document.bytes?));
        match self {
            Self::NatsPerToken => Some((document.nats, document.targets)),
            Self::BitsPerByte => per_byte(document.nats),
            Self::BitsPerByteTextOnly => per_byte(document.text_nats?),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
