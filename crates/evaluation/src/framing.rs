//! A document as it is scored: which tokens frame it, and how many bytes each stands for.

use llm_corpus::{CorpusError, Document, TokenId};
use llm_tokenizer::Tokenizer;
use serde::{Deserialize, Serialize};

use crate::ScoreError;

/// What stands before the first token of the text. Models are trained with one of these; another
/// one can change a perplexity by orders of magnitude, so it belongs to the conditions of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartToken {
    /// The tokenizer's start token.
    #[default]
    Bos,
    /// The tokenizer's end token, for models that know only this one and read it between documents.
    EosAsPrefix,
    /// Nothing. The first token of the text then has no context: it is not scored, and it and its
    /// bytes are counted as unscored.
    None,
}

impl StartToken {
    /// The tokenizer's id for it.
    ///
    /// # Errors
    /// [`ScoreError::Framing`] if the tokenizer has none.
    pub fn id(self, tokenizer: &Tokenizer) -> Result<Option<TokenId>, ScoreError> {
        match self {
            Self::Bos => {
                let start = tokenizer.start_token();
                start.ok_or(ScoreError::Framing { missing: "start" }).map(Some)
            }
            Self::EosAsPrefix => end_token(tokenizer).map(Some),
            Self::None => Ok(None),
        }
    }

    /// The name in files and in signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bos => "bos",
            Self::EosAsPrefix => "eos-as-prefix",
            Self::None => "none",
        }
    }
}

fn end_token(tokenizer: &Tokenizer) -> Result<TokenId, ScoreError> {
    tokenizer.end_token().ok_or(ScoreError::Framing { missing: "end" })
}

/// How a text becomes the ids that are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// What comes first. Never a target.
    pub start_token: StartToken,
    /// Whether the end token comes last, as a target of no bytes: without it, where a document
    /// ends is told for free.
    pub end_token: bool,
}

impl Framing {
    /// Start token, text, end token: a complete description of a document.
    pub const DOCUMENT: Self = Self { start_token: StartToken::Bos, end_token: true };
}

impl Default for Framing {
    fn default() -> Self {
        Self::DOCUMENT
    }
}

/// A document's ids, ready to be scored: all but the first are targets.
#[derive(Clone, Debug, PartialEq)]
pub struct FramedDocument {
    id: String,
    ids: Vec<TokenId>,
    /// Sharing the tables costs less than a second list as long as the first.
    tokenizer: Option<Tokenizer>,
    byte_count: Option<u64>,
}

impl FramedDocument {
    /// Encodes and frames a text, and checks that its tokens stand for exactly its bytes.
    ///
    /// # Errors
    /// [`ScoreError::Framing`] for a start or end token that the tokenizer does not have;
    /// [`ScoreError::Document`] if the text cannot be encoded or no target comes out;
    /// [`ScoreError::Count`] if the bytes of the tokens do not add up to those of the text.
    ///
    /// # Example
    /// ```
    /// use llm_corpus::{Document, Partition};
    /// use llm_evaluation::{FramedDocument, Framing, StartToken};
    /// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
    /// let text = Document::new("x", Partition::Test, "baa");
    ///
    /// let whole = FramedDocument::encode(&text, &tokenizer, Framing::DOCUMENT)?;
    /// assert_eq!(whole.ids(), [0, 100, 99, 99, 1]);
    /// assert_eq!((whole.target_count(), whole.unscored_bytes()), (4, Some(0)));
    ///
    /// let bare = Framing { start_token: StartToken::None, end_token: false };
    /// let bare = FramedDocument::encode(&text, &tokenizer, bare)?;
    /// assert_eq!((bare.target_count(), bare.unscored_bytes()), (2, Some(1)));
    /// # Ok::<(), llm_evaluation::ScoreError>(())
    /// ```
    pub fn encode(
        document: &Document,
        tokenizer: &Tokenizer,
        framing: Framing,
    ) -> Result<Self, ScoreError> {
        let mut ids = Vec::from_iter(framing.start_token.id(tokenizer)?);
        let text = tokenizer.encode(&document.text).map_err(|source| {
            ScoreError::Document(CorpusError::Tokenizer { document: document.id.clone(), source })
        })?;
        ids.extend(text);
        if framing.end_token {
            ids.push(end_token(tokenizer)?);
        }
        let framed = Self::from_ids(document.id.clone(), ids, Some(tokenizer.clone()))?;
        let given = framed.byte_count.unwrap_or(0);
        framed.expect_count("bytes of tokens", given, document.text.len() as u64)?;
        Ok(framed)
    }

    /// Takes ids that are already framed. Without a tokenizer nothing is known about bytes.
    ///
    /// # Errors
    /// [`ScoreError::Document`] for fewer than two ids.
    pub fn from_ids(
        id: impl Into<String>,
        ids: Vec<TokenId>,
        tokenizer: Option<Tokenizer>,
    ) -> Result<Self, ScoreError> {
        let id = id.into();
        if ids.len() < 2 {
            return Err(CorpusError::TooFewIds { document: id, ids: ids.len() }.into());
        }
        let mut document = Self { id, ids, tokenizer, byte_count: None };
        document.byte_count = document.ids.iter().map(|&id| document.token_bytes(id)).sum();
        Ok(document)
    }

    /// The document's name in records and errors.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// All ids, at least two.
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Number of targets: all ids but the first.
    pub fn target_count(&self) -> usize {
        self.ids.len() - 1
    }

    /// How many bytes an id stands for, 0 for a control token; `None` without a tokenizer or for
    /// an id that it does not know.
    pub fn token_bytes(&self, id: TokenId) -> Option<u64> {
        let bytes = self.tokenizer.as_ref()?.token_bytes(id)?;
        Some(bytes.len() as u64)
    }

    /// The bytes of the document: those that its ids stand for. `None` if that is unknown of any.
    pub fn byte_count(&self) -> Option<u64> {
        self.byte_count
    }

    /// Bytes that no target stands for: those of the first id.
    pub fn unscored_bytes(&self) -> Option<u64> {
        self.token_bytes(self.ids[0])
    }

    /// Whether the first id is known to stand for text and not for a start token.
    pub fn begins_with_text(&self) -> bool {
        self.tokenizer.as_ref().is_some_and(|tokenizer| !tokenizer.is_control(self.ids[0]))
    }

    /// Refuses two counts of the same thing that differ.
    pub(crate) fn expect_count(
        &self,
        what: &'static str,
        given: u64,
        expected: u64,
    ) -> Result<(), ScoreError> {
        if given == expected {
            return Ok(());
        }
        Err(ScoreError::Count { document: self.id.clone(), what, given, expected })
    }
}
