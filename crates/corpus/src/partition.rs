//! The split that a document was declared for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a document may be used for, declared once and carried by every batch built from it.
///
/// A name on the data, not a convention of the caller: a training batch refuses a validation
/// document, and an evaluation refuses a batch of another partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Partition {
    /// Fits the weights.
    Train,
    /// Guides choices (when to stop, which settings); worn a little by every look at it.
    Validation,
    /// Looked at once, after every choice was made.
    Test,
}

impl fmt::Display for Partition {
    /// The same lower-case word that serde writes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        })
    }
}

#[cfg(test)]
mod tests {
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    #[test]
    fn serde_reads_the_word_that_display_writes_and_nothing_else() {
        let read = |word: &str| Partition::deserialize(StrDeserializer::<Error>::new(word));
        for partition in [Partition::Train, Partition::Validation, Partition::Test] {
            assert_eq!(read(&partition.to_string()), Ok(partition));
        }
        assert!(read("Train").is_err());
        assert!(read("dev").is_err());
    }
}
