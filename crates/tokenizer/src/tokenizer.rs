//! The frozen tokenizer: text to ids and back.

use std::fmt;
use std::sync::Arc;

use crate::TokenId;
use crate::artifact::TokenizerArtifact;
use crate::canonical::{from_canonical_json, sha256_hex, to_canonical_json};
use crate::encoder::Encoder;
use crate::error::TokenizerError;
use crate::pretokenizer::Pretokenizer;
use crate::train::LearnedMerge;
use crate::vocabulary::Vocabulary;

/// A checked, immutable tokenizer. Cloning shares the tables.
///
/// # Example
/// ```
/// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
/// let ids = tokenizer.encode_document(b"aaab")?;
/// assert_eq!(ids, [0, 99, 99, 99, 100, 1]); // BOS, then byte value + 2, EOS
/// assert_eq!(tokenizer.decode(&ids)?, b"aaab");
/// # Ok::<(), llm_tokenizer::TokenizerError>(())
/// ```
#[derive(Clone)]
pub struct Tokenizer {
    /// Shared because batches, models and reports all carry one.
    frozen: Arc<Frozen>,
}

struct Frozen {
    artifact: TokenizerArtifact,
    sha256: String,
    vocabulary: Vocabulary,
    encoder: Encoder,
}

impl Tokenizer {
    /// Checks every rule of the format and builds the tables.
    ///
    /// # Errors
    /// The first broken rule of [`TokenizerArtifact`], with its place in the artifact.
    pub fn from_artifact(artifact: TokenizerArtifact) -> Result<Self, TokenizerError> {
        let sha256 = sha256_hex(&to_canonical_json(&artifact)?);
        let vocabulary = Vocabulary::of(&artifact)?;
        let encoder = Encoder::of(&artifact, &vocabulary)?;
        let frozen = Frozen { artifact, sha256, vocabulary, encoder };
        Ok(Self { frozen: Arc::new(frozen) })
    }

    /// Every byte is a token and there are no others: 258 ids with the two control tokens, in the
    /// layout of [`TokenizerArtifact::trained`].
    pub fn of_bytes() -> Self {
        Self::from_training(&[], Pretokenizer::None).expect("256 bytes have 256 different ids")
    }

    /// The tokenizer of merges that [`train`](crate::train()) has learned with this pretokenizer.
    ///
    /// # Errors
    /// As [`from_artifact`](Self::from_artifact), for merges that belong to no one training.
    ///
    /// # Example
    /// ```
    /// use llm_tokenizer::{Pretokenizer, Tokenizer, TrainingConfig, WeightedDocument, train};
    ///
    /// let config =
    ///     TrainingConfig { merges: 1, minimum_count: 1, pretokenizer: Pretokenizer::None };
    /// let learned = train(&[WeightedDocument::once(b"abab")], &config)?;
    /// let tokenizer = Tokenizer::from_training(&learned, config.pretokenizer)?;
    /// assert_eq!(tokenizer.encode(b"bab")?, [100, 258]);
    /// assert_eq!([0, 100, 258].map(|id| tokenizer.spelling(id)), ["<|bos|>", "b", "ab"]);
    /// # Ok::<(), llm_tokenizer::TokenizerError>(())
    /// ```
    pub fn from_training(
        learned: &[LearnedMerge],
        pretokenizer: Pretokenizer,
    ) -> Result<Self, TokenizerError> {
        let merges = learned.iter().map(|step| step.merge).collect();
        Self::from_artifact(TokenizerArtifact::trained(merges, pretokenizer))
    }

    /// Loads what [`to_json`](Self::to_json) wrote, and nothing else.
    ///
    /// # Errors
    /// If the bytes are too many, not JSON of an artifact of version 1, or not canonical; then
    /// as [`from_artifact`](Self::from_artifact).
    pub fn from_json(json: &[u8]) -> Result<Self, TokenizerError> {
        Self::from_artifact(from_canonical_json(json)?)
    }

    /// The canonical JSON of the artifact.
    pub fn to_json(&self) -> Vec<u8> {
        // Not kept: for a published vocabulary it is larger than all the tables.
        to_canonical_json(&self.frozen.artifact).expect("its size was checked by from_artifact")
    }

    /// The data this tokenizer was built from.
    pub fn artifact(&self) -> &TokenizerArtifact {
        &self.frozen.artifact
    }

    /// The identity: SHA-256 of the canonical JSON, 64 lower-case hexadecimal digits.
    pub fn sha256(&self) -> &str {
        &self.frozen.sha256
    }

    /// Rows of the embedding this tokenizer is made for. All ids are below it; some may be
    /// padding rows without meaning.
    pub fn vocab_size(&self) -> usize {
        self.frozen.artifact.vocab_size as usize
    }

    /// The control token that [`encode_document`](Self::encode_document) puts first (BOS).
    pub fn start_token(&self) -> Option<TokenId> {
        self.frozen.artifact.document_start
    }

    /// The control token that [`encode_document`](Self::encode_document) puts last (EOS).
    pub fn end_token(&self) -> Option<TokenId> {
        self.frozen.artifact.document_end
    }

    /// Whether any byte has a token. Without one only ids can be used, see
    /// [`TokenizerArtifact::ids_only`].
    pub fn knows_text(&self) -> bool {
        self.frozen.artifact.byte_ids.iter().any(Option::is_some)
    }

    /// Whether `id` is a control token, which stands for no bytes.
    pub fn is_control(&self, id: TokenId) -> bool {
        self.frozen.vocabulary.is_control(id)
    }

    /// The bytes that `id` stands for: empty for a control token, `None` for an id that is not
    /// in the vocabulary.
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        self.frozen.vocabulary.token_bytes(id)
    }

    /// A token as people write it, for tables and messages: the name of a control token, otherwise
    /// its bytes with `␣` for a space and escapes (`\xc3`, `\n`) for those that are no printable
    /// ASCII. Not for decoding: a text may look like the name of a control token.
    pub fn spelling(&self, id: TokenId) -> String {
        let named = self.artifact().control_tokens.iter().find(|token| token.id == id);
        match (named, self.token_bytes(id)) {
            (Some(token), _) => token.text.clone(),
            (None, Some(bytes)) => bytes.escape_ascii().to_string().replace(' ', "␣"),
            (None, None) => format!("<|undefined {id}|>"),
        }
    }

    /// The ids of a text. Any bytes are text, valid UTF-8 or not, and text never becomes a
    /// control token, whatever it looks like.
    ///
    /// # Errors
    /// [`TokenizerError::MissingByte`] if the vocabulary has no token for a byte and
    /// [`TokenizerError::NotNormalized`] if its rule would rewrite the text, which cannot happen
    /// with one trained here; [`TokenizerError::TooLarge`] for a piece of 4 GiB.
    pub fn encode(&self, text: &[u8]) -> Result<Vec<TokenId>, TokenizerError> {
        let mut ids = Vec::new();
        self.append_ids(text, &mut ids)?;
        Ok(ids)
    }

    fn append_ids(&self, text: &[u8], ids: &mut Vec<TokenId>) -> Result<(), TokenizerError> {
        self.frozen.artifact.normalizer.check(text)?;
        self.frozen.encoder.encode(text, ids)
    }

    /// The ids of a whole document: start token, text, end token, as far as the artifact has
    /// them.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_document(&self, text: &[u8]) -> Result<Vec<TokenId>, TokenizerError> {
        let mut ids = Vec::from_iter(self.start_token());
        self.append_ids(text, &mut ids)?;
        ids.extend(self.end_token());
        Ok(ids)
    }

    /// The bytes that the ids stand for, joined; control tokens stand for none.
    ///
    /// # Errors
    /// [`TokenizerError::UnknownToken`] for an id that is not in the vocabulary.
    pub fn decode(&self, ids: &[TokenId]) -> Result<Vec<u8>, TokenizerError> {
        let mut text = Vec::new();
        for (position, &id) in ids.iter().enumerate() {
            let bytes =
                self.token_bytes(id).ok_or(TokenizerError::UnknownToken { id, position })?;
            text.extend_from_slice(bytes);
        }
        Ok(text)
    }

    /// The text of a whole document: [`decode`](Self::decode) for ids that
    /// [`encode_document`](Self::encode_document) could have framed. Ids that come from elsewhere
    /// are checked with it.
    ///
    /// # Errors
    /// [`TokenizerError::Frame`] if the start or the end token is missing, or if a control token
    /// stands inside the document; [`TokenizerError::UnknownToken`] as for `decode`.
    pub fn decode_document(&self, ids: &[TokenId]) -> Result<Vec<u8>, TokenizerError> {
        let frame = |position, expected| {
            let id = ids.get(position).copied();
            TokenizerError::Frame { position, id, expected }
        };
        let mut text = 0..ids.len();
        if self.start_token().is_some() {
            if ids.first().copied() != self.start_token() {
                return Err(frame(0, "the start token"));
            }
            text.start = 1;
        }
        if self.end_token().is_some() {
            if text.is_empty() || ids.last().copied() != self.end_token() {
                return Err(frame(ids.len().saturating_sub(1).max(text.start), "the end token"));
            }
            text.end -= 1;
        }
        if let Some(inside) = text.clone().find(|&position| self.is_control(ids[position])) {
            return Err(frame(inside, "a token of the text"));
        }
        self.decode(ids) // the frame has no bytes
    }
}

/// Two tokenizers are equal if their artifacts are.
impl PartialEq for Tokenizer {
    fn eq(&self, other: &Self) -> bool {
        self.frozen.artifact == other.frozen.artifact
    }
}

impl Eq for Tokenizer {}

/// Identity and size only: the tables of a real vocabulary fill a screen a thousand times.
impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer")
            .field("sha256", &self.sha256())
            .field("vocab_size", &self.vocab_size())
            .field("merges", &self.artifact().merges.len())
            .finish_non_exhaustive()
    }
}
