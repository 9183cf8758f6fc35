//! Finding extra tokens in text.

use crate::TokenId;
use crate::artifact::TokenizerArtifact;
use crate::error::TokenizerError;

/// The extra tokens that encoding looks for.
pub(crate) struct ExtraTokens {
    /// Sorted by bytes, so that the tokens with a common beginning are neighbours.
    sorted: Vec<(Box<[u8]>, TokenId)>,
    /// Whether some token begins with this byte; lets most of the text be skipped.
    begins: [bool; 256],
}

/// A stretch of text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Span<'a> {
    /// An extra token that stands for `len` bytes.
    Token {
        /// Its id.
        id: TokenId,
        /// How many bytes of the text it covers.
        len: usize,
    },
    /// Text without extra tokens; never empty.
    Text(&'a [u8]),
}

impl ExtraTokens {
    /// Collects the tokens with `match_text`.
    ///
    /// # Errors
    /// If two of them have the same bytes but different ids: which is meant cannot be known.
    pub(crate) fn of(artifact: &TokenizerArtifact) -> Result<Self, TokenizerError> {
        let searched = || artifact.extra_tokens.iter().filter(|token| token.match_text);
        let mut sorted: Vec<(Box<[u8]>, TokenId)> =
            searched().map(|token| (token.bytes.as_slice().into(), token.id)).collect();
        sorted.sort();
        sorted.dedup();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(TokenizerError::Malformed {
                at: "extra_tokens".to_owned(),
                problem: format!("ids {} and {} match the same bytes", pair[0].1, pair[1].1),
            });
        }
        let mut begins = [false; 256];
        for token in searched() {
            begins[usize::from(token.bytes[0])] = true; // the vocabulary refuses empty tokens
        }
        Ok(Self { sorted, begins })
    }

    /// Cuts `text` into extra tokens and what stands between them: from the left, and where
    /// several tokens begin at the same byte, the longest.
    pub(crate) fn spans<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Span<'a>> {
        let mut rest = text;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            if let Some((id, len)) = self.longest_at(rest) {
                rest = &rest[len..];
                return Some(Span::Token { id, len });
            }
            let start = (1..rest.len()).find(|&start| self.longest_at(&rest[start..]).is_some());
            let (between, tail) = rest.split_at(start.unwrap_or(rest.len()));
            rest = tail;
            Some(Span::Text(between))
        })
    }

    /// Id and length of the longest token that `text` begins with. `text` is not empty.
    fn longest_at(&self, text: &[u8]) -> Option<(TokenId, usize)> {
        if !self.begins[usize::from(text[0])] {
            return None;
        }
        // After `depth` bytes, `candidates` are the tokens that begin with them. The first of
        // them is the shortest, so it ends here if any does.
        let mut candidates = self.sorted.as_slice();
        let mut longest = None;
        for (depth, byte) in text.iter().enumerate() {
            let before = candidates.partition_point(|(token, _)| token.get(depth) < Some(byte));
            candidates = &candidates[before..];
            let same = candidates.partition_point(|(token, _)| token.get(depth) == Some(byte));
            candidates = &candidates[..same];
            match candidates.first() {
                Some((token, id)) if token.len() == depth + 1 => longest = Some((*id, depth + 1)),
                Some(_) => {}
                None => break,
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests;
