//! The frozen tokenizer as plain data: what is saved, hashed and loaded.
//!
//! Nothing here computes. [`Tokenizer::from_artifact`](crate::Tokenizer::from_artifact) checks
//! the rules that the field docs state, once, and only then encodes or decodes with them.
//!
//! The fields of each struct stand in alphabetical order because serde writes them in the order
//! of declaration and canonical JSON has sorted keys.

use serde::{Deserialize, Serialize};

use crate::normalizer::Normalizer;
use crate::pretokenizer::Pretokenizer;

/// A row number of the embedding table. Any 32-bit number may be asked for; whether it means
/// something is the vocabulary's answer.
pub type TokenId = u32;

/// The version that [`TokenizerArtifact::format_version`] must hold.
pub const FORMAT_VERSION: u32 = 1;

/// Most rows of a vocabulary. Our choice: sixteen times the largest vocabulary in use (about
/// 262 thousand rows), small enough that a hostile file cannot make us allocate much.
pub const MAX_VOCAB_SIZE: u32 = 1 << 22;

/// Everything that decides how text becomes ids and ids become text.
///
/// Two artifacts are the same tokenizer if and only if their canonical JSON is the same bytes;
/// its SHA-256 is the identity that models, batches and reports carry.
///
/// Ids are arbitrary: nothing requires bytes, merges or control tokens to be in one block or in
/// any order, so the vocabularies of published byte-level models fit as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenizerArtifact {
    /// Exactly 256 entries: the id of each byte value, or `None` if the vocabulary has no token
    /// for that byte. Text that needs such a byte cannot be encoded.
    pub byte_ids: Vec<Option<TokenId>>,
    /// Tokens that steer a model and stand for no bytes. No text is ever encoded to them.
    pub control_tokens: Vec<ControlToken>,
    /// The control token that ends every document, if documents are ended.
    pub document_end: Option<TokenId>,
    /// The control token that begins every document, if documents are begun.
    pub document_start: Option<TokenId>,
    /// Tokens with bytes that no merge makes. Empty for a tokenizer trained here.
    pub extra_tokens: Vec<ExtraToken>,
    /// Always [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The merges, most important first: the index is the rank.
    pub merges: Vec<Merge>,
    /// The named rule that text is brought into before anything else.
    pub normalizer: Normalizer,
    /// The named rule that cuts text into pieces; merges never cross the end of a piece.
    pub pretokenizer: Pretokenizer,
    /// Rows of the embedding, at most [`MAX_VOCAB_SIZE`]. May be larger than the number of
    /// defined ids: published models pad the table to a round number.
    pub vocab_size: u32,
    /// Whether a piece that is, byte for byte, one token becomes that token without merging
    /// (called `ignore_merges` in Hugging Face files). `false` for a tokenizer trained here.
    pub whole_piece_first: bool,
}

/// One learned rule: wherever token `left` is followed by token `right`, token `id` may replace
/// both. Its bytes are those of `left` followed by those of `right`.
///
/// `left` and `right` must be tokens of bytes or of earlier merges. Two merges may make the same
/// `id` if they spell the same bytes (`ab`+`c` and `a`+`bc`), as in some published vocabularies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merge {
    /// The token that replaces the pair.
    pub id: TokenId,
    /// The first token of the pair.
    pub left: TokenId,
    /// The second token of the pair.
    pub right: TokenId,
}

/// A token that stands for no bytes, such as the beginning of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlToken {
    /// The id.
    pub id: TokenId,
    /// What the token is for.
    pub role: ControlRole,
    /// How people write the token; never empty, unique, and never searched for in text.
    pub text: String,
}

/// What a control token is for. Roles are labels for programs; framing is decided only by
/// [`TokenizerArtifact::document_start`] and [`TokenizerArtifact::document_end`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlRole {
    /// Begins a document (BOS).
    Start,
    /// Ends a document or a turn (EOS).
    End,
    /// Fills unused cells in other people's models; this project pads with lengths instead.
    Padding,
    /// Stands for what could not be encoded; byte-level models hardly need it.
    Unknown,
    /// Separates two texts.
    Separator,
    /// Hides a token that is to be predicted.
    Mask,
    /// Anything else: chat turns, tools, fill-in-the-middle.
    Other,
}

/// A token with bytes of its own that is not made by merging.
///
/// Published vocabularies contain such tokens (runs of spaces, for instance). With `match_text`
/// they are looked for in the text before it is cut into pieces, the leftmost first and of those
/// the longest; without it they are only decoded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtraToken {
    /// The bytes it stands for; never empty.
    pub bytes: Vec<u8>,
    /// The id.
    pub id: TokenId,
    /// Whether encoding looks for the bytes in text.
    pub match_text: bool,
}

/// Id that begins every document in the vocabularies trained here.
pub const BOS: TokenId = 0;
/// Id that ends every document in the vocabularies trained here.
pub const EOS: TokenId = 1;
/// Id of byte value 0 in the vocabularies trained here; byte `b` has id `b + FIRST_BYTE_ID`.
pub const FIRST_BYTE_ID: TokenId = 2;
/// Id of the first merge in the vocabularies trained here.
pub const FIRST_MERGE_ID: TokenId = FIRST_BYTE_ID + 256;

impl TokenizerArtifact {
    /// The layout of the vocabularies trained here: [`BOS`], [`EOS`], the 256 bytes, then the
    /// merges in rank order. Every document begins with BOS and ends with EOS.
    ///
    /// The merges are taken as given, with ids that count up from [`FIRST_MERGE_ID`] as
    /// [`train`](crate::train()) numbers them; they are checked where all artifacts are, in
    /// [`Tokenizer::from_artifact`](crate::Tokenizer::from_artifact).
    ///
    /// # Example
    /// ```
    /// use llm_tokenizer::{Pretokenizer, TokenizerArtifact};
    ///
    /// let bytes_only = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    /// assert_eq!(bytes_only.vocab_size, 258);
    /// assert_eq!(bytes_only.byte_ids[usize::from(b'a')], Some(99));
    /// ```
    pub fn trained(merges: Vec<Merge>, pretokenizer: Pretokenizer) -> Self {
        let control = |id, role, text: &str| ControlToken { id, role, text: text.to_owned() };
        Self {
            byte_ids: (0..256).map(|byte| Some(FIRST_BYTE_ID + byte)).collect(),
            control_tokens: vec![
                control(BOS, ControlRole::Start, "<|bos|>"),
                control(EOS, ControlRole::End, "<|eos|>"),
            ],
            document_end: Some(EOS),
            document_start: Some(BOS),
            extra_tokens: Vec::new(),
            format_version: FORMAT_VERSION,
            // A list too long for 32 bits is far above MAX_VOCAB_SIZE and refused there.
            vocab_size: u32::try_from(merges.len())
                .map_or(u32::MAX, |merges| FIRST_MERGE_ID.saturating_add(merges)),
            merges,
            normalizer: Normalizer::None,
            pretokenizer,
            whole_piece_first: false,
        }
    }

    /// A vocabulary of `vocab_size` ids of which nothing is known: no text can be encoded and no id
    /// decoded. It stands in the file of a model whose tokenizer is not at hand, which can still be
    /// scored on ids.
    ///
    /// # Example
    /// ```
    /// use llm_tokenizer::{Tokenizer, TokenizerArtifact};
    ///
    /// let tokenizer = Tokenizer::from_artifact(TokenizerArtifact::ids_only(1000))?;
    /// assert!(!tokenizer.knows_text());
    /// assert_eq!(tokenizer.token_bytes(7), None);
    /// # Ok::<(), llm_tokenizer::TokenizerError>(())
    /// ```
    pub fn ids_only(vocab_size: u32) -> Self {
        Self {
            byte_ids: vec![None; 256],
            control_tokens: Vec::new(),
            document_end: None,
            document_start: None,
            vocab_size,
            ..Self::trained(Vec::new(), Pretokenizer::None)
        }
    }
}
