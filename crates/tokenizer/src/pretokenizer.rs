//! Named rules that cut text into pieces before merging.

use serde::{Deserialize, Serialize};

/// A rule that cuts text into pieces. Merges, in training and in encoding, never cross the end
/// of a piece. The pieces of a text joined together are the text.
///
/// An artifact names its rule; a name that is not listed here is refused when it is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pretokenizer {
    /// The whole text is one piece. Written `"none"`.
    #[default]
    None,
}

impl Pretokenizer {
    /// The pieces of `text`, in order; none is empty.
    pub fn pieces(self, text: &[u8]) -> impl Iterator<Item = &[u8]> {
        match self {
            Self::None => Some(text).filter(|text| !text.is_empty()).into_iter(),
        }
    }
}
