//! What every id means. Building a [`Vocabulary`] is the check of an artifact's ids.

use crate::TokenId;
use crate::artifact::{FORMAT_VERSION, MAX_VOCAB_SIZE, TokenizerArtifact};
use crate::error::TokenizerError;

/// Most bytes that all tokens of a vocabulary may spell together. Each merge can double the
/// longest token, so without a limit fifty merges would ask for more memory than there is.
pub const MAX_VOCABULARY_BYTES: usize = 64 << 20;

/// Longest accepted [`ExtraToken`](crate::ExtraToken), in bytes. Bounds what matching costs.
pub const MAX_EXTRA_TOKEN_BYTES: usize = 256;

/// The meaning of one row of the embedding.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// A padding row: the id means nothing.
    Undefined,
    /// A control token.
    Control,
    /// A token that stands for `bytes[start..start + len]` of the vocabulary's buffer.
    Bytes { start: u32, len: u32 },
}

/// Meaning of every id below `vocab_size`, with the bytes of all tokens in one buffer.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    meanings: Vec<Meaning>,
    bytes: Vec<u8>,
}

impl Vocabulary {
    /// Gives every id of `artifact` its meaning.
    ///
    /// # Errors
    /// Whatever rule of [`TokenizerArtifact`] is broken, with the place: an id out of range, of
    /// two meanings, or used before it has one; a list of bytes of the wrong length; framing
    /// by something that is no control token.
    pub(crate) fn of(artifact: &TokenizerArtifact) -> Result<Self, TokenizerError> {
        check_header(artifact)?;
        let undefined = vec![Meaning::Undefined; artifact.vocab_size as usize];
        let mut vocabulary = Self { meanings: undefined, bytes: Vec::new() };
        vocabulary.define_bytes(artifact)?;
        vocabulary.define_merges(artifact)?;
        vocabulary.define_extra_tokens(artifact)?;
        vocabulary.define_control_tokens(artifact)?;
        vocabulary.check_framing("document_start", artifact.document_start)?;
        vocabulary.check_framing("document_end", artifact.document_end)?;
        Ok(vocabulary)
    }

    /// Bytes of `id`: empty for a control token, `None` for an id without meaning.
    pub(crate) fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        match *self.meanings.get(id as usize)? {
            Meaning::Undefined => None,
            Meaning::Control => Some(&[]),
            Meaning::Bytes { start, len } => {
                Some(&self.bytes[start as usize..start as usize + len as usize])
            }
        }
    }

    /// Whether `id` is a control token.
    pub(crate) fn is_control(&self, id: TokenId) -> bool {
        matches!(self.meanings.get(id as usize), Some(Meaning::Control))
    }

    /// All tokens that stand for bytes, by ascending id.
    pub(crate) fn byte_tokens(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        (0..).zip(&self.meanings).filter_map(|(id, meaning)| match meaning {
            Meaning::Bytes { .. } => Some((id, self.token_bytes(id)?)),
            Meaning::Undefined | Meaning::Control => None,
        })
    }

    fn define_bytes(&mut self, artifact: &TokenizerArtifact) -> Result<(), TokenizerError> {
        for (byte, id) in (0..=u8::MAX).zip(&artifact.byte_ids) {
            if let Some(id) = *id {
                self.define(id, &[byte], || format!("byte_ids[{byte}]"))?;
            }
        }
        Ok(())
    }

    fn define_merges(&mut self, artifact: &TokenizerArtifact) -> Result<(), TokenizerError> {
        let mut spelled = Vec::new();
        for (rank, merge) in artifact.merges.iter().enumerate() {
            spelled.clear();
            for (side, id) in [("left", merge.left), ("right", merge.right)] {
                // Control and extra tokens are defined later, so they have no bytes yet here.
                let bytes = self.token_bytes(id).ok_or_else(|| TokenizerError::UndefinedId {
                    at: format!("merges[{rank}].{side}"),
                    id,
                    expected: "the token of a byte or of an earlier merge",
                })?;
                spelled.extend_from_slice(bytes);
            }
            self.define(merge.id, &spelled, || format!("merges[{rank}].id"))?;
        }
        Ok(())
    }

    fn define_extra_tokens(&mut self, artifact: &TokenizerArtifact) -> Result<(), TokenizerError> {
        for (index, token) in artifact.extra_tokens.iter().enumerate() {
            if token.bytes.is_empty() || token.bytes.len() > MAX_EXTRA_TOKEN_BYTES {
                return Err(TokenizerError::Malformed {
                    at: format!("extra_tokens[{index}].bytes"),
                    problem: format!(
                        "has {} bytes, expected 1 to {MAX_EXTRA_TOKEN_BYTES}",
                        token.bytes.len()
                    ),
                });
            }
            self.define(token.id, &token.bytes, || format!("extra_tokens[{index}].id"))?;
        }
        Ok(())
    }

    fn define_control_tokens(
        &mut self,
        artifact: &TokenizerArtifact,
    ) -> Result<(), TokenizerError> {
        let mut texts = std::collections::HashSet::new();
        for (index, token) in artifact.control_tokens.iter().enumerate() {
            if token.text.is_empty() || !texts.insert(token.text.as_str()) {
                return Err(TokenizerError::Malformed {
                    at: format!("control_tokens[{index}].text"),
                    problem: format!("{:?} is empty or used twice", token.text),
                });
            }
            let meaning = self.meaning_of(token.id, || format!("control_tokens[{index}].id"))?;
            match meaning {
                Meaning::Undefined => *meaning = Meaning::Control,
                Meaning::Control | Meaning::Bytes { .. } => {
                    return Err(TokenizerError::IdDefinedTwice {
                        at: format!("control_tokens[{index}].id"),
                        id: token.id,
                    });
                }
            }
        }
        Ok(())
    }

    /// Lets `id` stand for `bytes`. Saying the same thing twice is allowed.
    fn define(
        &mut self,
        id: TokenId,
        bytes: &[u8],
        at: impl Fn() -> String,
    ) -> Result<(), TokenizerError> {
        self.meaning_of(id, &at)?;
        match self.token_bytes(id) {
            Some(same) if same == bytes => return Ok(()),
            Some(_) => return Err(TokenizerError::IdDefinedTwice { at: at(), id }),
            None => {}
        }
        let total = self.bytes.len() + bytes.len();
        if total > MAX_VOCABULARY_BYTES {
            return Err(TokenizerError::TooLarge {
                what: "bytes spelled by all tokens together",
                given: total as u64,
                limit: MAX_VOCABULARY_BYTES as u64,
            });
        }
        // Both fit 32 bits because the total is below MAX_VOCABULARY_BYTES.
        let (start, len) = (self.bytes.len() as u32, bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
        self.meanings[id as usize] = Meaning::Bytes { start, len };
        Ok(())
    }

    fn meaning_of(
        &mut self,
        id: TokenId,
        at: impl Fn() -> String,
    ) -> Result<&mut Meaning, TokenizerError> {
        let vocab_size = self.meanings.len() as u32; // at most MAX_VOCAB_SIZE
        self.meanings.get_mut(id as usize).ok_or_else(|| TokenizerError::IdOutOfRange {
            at: at(),
            id,
            vocab_size,
        })
    }

    fn check_framing(&self, at: &str, id: Option<TokenId>) -> Result<(), TokenizerError> {
        match id {
            Some(id) if !self.is_control(id) => Err(TokenizerError::UndefinedId {
                at: at.to_owned(),
                id,
                expected: "a control token",
            }),
            _ => Ok(()),
        }
    }
}

/// The checks that need no table.
fn check_header(artifact: &TokenizerArtifact) -> Result<(), TokenizerError> {
    if artifact.format_version != FORMAT_VERSION {
        return Err(TokenizerError::FormatVersion { given: artifact.format_version.into() });
    }
    if artifact.vocab_size > MAX_VOCAB_SIZE {
        return Err(TokenizerError::TooLarge {
            what: "vocab_size, in rows",
            given: artifact.vocab_size.into(),
            limit: MAX_VOCAB_SIZE.into(),
        });
    }
    if artifact.byte_ids.len() != 256 {
        return Err(TokenizerError::Malformed {
            at: "byte_ids".to_owned(),
            problem: format!("has {} entries, expected 256", artifact.byte_ids.len()),
        });
    }
    Ok(())
}
