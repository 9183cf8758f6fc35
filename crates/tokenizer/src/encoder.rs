//! From text to ids, stage by stage.
//!
//! 1. Extra tokens that are looked for in text are found and taken out.
//! 2. What is left is cut into pieces by the pretokenizer.
//! 3. A piece that is a whole token is that token, where the artifact says so or where merging would
//!    come to the same; most words of a text are found in this way.
//! 4. Any other piece is cut at its seams, and the merges are applied to each part.
//!
//! Control tokens are in none of these stages, so no text can become one.

use std::collections::HashMap;

use crate::TokenId;
use crate::artifact::TokenizerArtifact;
use crate::error::TokenizerError;
use crate::extra_tokens::{ExtraTokens, Span};
use crate::merge_table::MergeTable;
use crate::merger::{MAX_PART_BYTES, Merger};
use crate::pretokenizer::Pretokenizer;
use crate::seams::Seams;
use crate::vocabulary::Vocabulary;

/// The tables of all stages.
pub(crate) struct Encoder {
    extra_tokens: ExtraTokens,
    pretokenizer: Pretokenizer,
    whole_pieces: WholePieces,
    seams: Seams,
    byte_ids: Vec<Option<TokenId>>,
    merges: MergeTable,
}

impl Encoder {
    /// Builds the tables of an artifact whose ids `vocabulary` has checked.
    ///
    /// # Errors
    /// If two merges have the same pair or two extra tokens are looked for by the same bytes.
    pub(crate) fn of(
        artifact: &TokenizerArtifact,
        vocabulary: &Vocabulary,
    ) -> Result<Self, TokenizerError> {
        let mut encoder = Self {
            extra_tokens: ExtraTokens::of(artifact)?,
            pretokenizer: artifact.pretokenizer,
            whole_pieces: WholePieces::default(),
            seams: Seams::of(artifact, vocabulary),
            byte_ids: artifact.byte_ids.clone(),
            merges: MergeTable::of(artifact)?,
        };
        let is_cut = artifact.pretokenizer != Pretokenizer::None;
        let mut whole_pieces = WholePieces::default();
        let mut merger = Merger::default();
        for (id, bytes) in vocabulary.byte_tokens() {
            let is_whole =
                artifact.whole_piece_first || is_cut && encoder.merges_to(bytes, id, &mut merger);
            if is_whole {
                whole_pieces.add(bytes, id);
            }
        }
        encoder.whole_pieces = whole_pieces;
        Ok(encoder)
    }

    /// Whether merging turns these bytes into this one token. Most tokens of a vocabulary are what
    /// becomes of their bytes, but not all: another order of merges may lead elsewhere.
    fn merges_to(&self, bytes: &[u8], id: TokenId, merger: &mut Merger) -> bool {
        let mut ids = Vec::new();
        self.merge(bytes, 0, merger, &mut ids).is_ok() && ids == [id]
    }

    /// Appends the ids of `text` to `out`.
    pub(crate) fn encode(&self, text: &[u8], out: &mut Vec<TokenId>) -> Result<(), TokenizerError> {
        let mut merger = Merger::default();
        let mut offset = 0;
        for span in self.extra_tokens.spans(text) {
            let between = match span {
                Span::Token { id, len } => {
                    out.push(id);
                    offset += len;
                    continue;
                }
                Span::Text(between) => between,
            };
            for piece in self.pretokenizer.pieces(between) {
                match self.whole_pieces.get(piece) {
                    Some(id) => out.push(id),
                    None => self.merge(piece, offset, &mut merger, out)?,
                }
                offset += piece.len();
            }
        }
        Ok(())
    }

    /// Applies the merges to a piece that begins at `offset` of the text.
    fn merge(
        &self,
        piece: &[u8],
        mut offset: usize,
        merger: &mut Merger,
        out: &mut Vec<TokenId>,
    ) -> Result<(), TokenizerError> {
        for part in self.seams.parts(piece) {
            if part.len() > MAX_PART_BYTES {
                return Err(TokenizerError::TooLarge {
                    what: "stretch of text without a seam, in bytes",
                    given: part.len() as u64,
                    limit: MAX_PART_BYTES as u64,
                });
            }
            merger.clear();
            for &byte in part {
                let id = self.byte_ids[usize::from(byte)];
                merger.push(id.ok_or(TokenizerError::MissingByte { byte, offset })?);
                offset += 1;
            }
            merger.merge(&self.merges);
            out.extend_from_slice(merger.tokens());
        }
        Ok(())
    }
}

/// Tokens by their bytes, for pieces that need no merging.
#[derive(Default)]
struct WholePieces {
    ids: HashMap<Box<[u8]>, TokenId>,
    /// Bytes of the longest.
    longest: usize,
}

impl WholePieces {
    /// Adds a token; of several with the same bytes the first one counts.
    fn add(&mut self, bytes: &[u8], id: TokenId) {
        self.ids.entry(bytes.into()).or_insert(id);
        self.longest = self.longest.max(bytes.len());
    }

    fn get(&self, piece: &[u8]) -> Option<TokenId> {
        if piece.len() > self.longest { None } else { self.ids.get(piece).copied() }
    }
}
