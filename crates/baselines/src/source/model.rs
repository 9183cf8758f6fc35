//! The grammar as a model: what comes next, given everything that came.

use llm_corpus::TokenId;
use llm_tokenizer::Tokenizer;
use sha2::{Digest, Sha256};

use super::{Alternative, SourceGrammar};
use crate::training::check_id;
use crate::{BaselineError, CountModel};

/// The true next-token distribution of a grammar's documents, framed by a start and an end token,
/// one token for each byte.
///
/// It counts nothing, yet it is a [`CountModel`] in all that matters: frozen, and a row for every
/// history. A history that no document begins with (without a start token, say) has no true
/// continuation; it gets the uniform row, so that every row is a distribution.
///
/// # Example
/// ```
/// use llm_baselines::{Alternative, CountModel, SourceGrammar, SourceModel};
/// use llm_tokenizer::{Pretokenizer, Tokenizer, TokenizerArtifact};
///
/// let bytes = Tokenizer::from_artifact(TokenizerArtifact::trained(vec![], Pretokenizer::None))?;
/// let ab = Alternative { text: b"ab".to_vec(), probability: 0.75, next: Some(0) };
/// let c = Alternative { text: b"c".to_vec(), probability: 0.25, next: None };
/// let model = SourceModel::new(SourceGrammar::new(vec![vec![ab, c]])?, &bytes)?;
///
/// let mut row = vec![0.0; 258];
/// model.fill_row(&[0], &mut row)?; // after the start token
/// assert_eq!((row[99], row[101]), (0.75, 0.25)); // `a` or `c`
/// model.fill_row(&[0, 99], &mut row)?;
/// assert_eq!(row[100], 1.0); // after `a`, certainly `b`
/// model.fill_row(&[0, 101], &mut row)?;
/// assert_eq!(row[1], 1.0); // after `c`, certainly the end
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SourceModel {
    grammar: SourceGrammar,
    vocab_size: usize,
    start: TokenId,
    end: TokenId,
    /// The token of each byte, and back.
    token_of_byte: Vec<TokenId>,
    byte_of_token: Vec<Option<u8>>,
}

/// Where a reader of a document is.
enum Place<'g> {
    /// In a state, having read this much of the texts of these alternatives.
    Inside { read: usize, possible: Vec<&'g Alternative> },
    /// Behind the last text: only the end token is left.
    Done,
    /// Nowhere that the grammar leads to.
    Lost,
}

impl SourceModel {
    /// The model of a grammar under a tokenizer of single bytes.
    ///
    /// # Errors
    /// [`BaselineError::Setting`] unless the tokenizer has a start and an end token, a token for
    /// each byte, and none that stands for several.
    pub fn new(grammar: SourceGrammar, tokenizer: &Tokenizer) -> Result<Self, BaselineError> {
        let refuse = |given: String| BaselineError::Setting {
            setting: "the tokenizer of the source",
            given,
            expected: "single bytes, all 256 of them, with a start and an end token",
        };
        let start =
            tokenizer.start_token().ok_or_else(|| refuse("without a start token".into()))?;
        let end = tokenizer.end_token().ok_or_else(|| refuse("without an end token".into()))?;
        let vocab_size = tokenizer.vocab_size();
        let mut token_of_byte = vec![None; 256];
        let mut byte_of_token = vec![None; vocab_size];
        for id in (0..vocab_size as TokenId).filter(|&id| !tokenizer.is_control(id)) {
            match tokenizer.token_bytes(id) {
                Some(&[byte]) => {
                    token_of_byte[usize::from(byte)] = Some(id);
                    byte_of_token[id as usize] = Some(byte);
                }
                Some(bytes) => {
                    return Err(refuse(format!("with a token of {} bytes", bytes.len())));
                }
                None => {}
            }
        }
        let all: Option<Vec<TokenId>> = token_of_byte.into_iter().collect();
        let token_of_byte = all.ok_or_else(|| refuse("without some bytes".into()))?;
        Ok(Self { grammar, vocab_size, start, end, token_of_byte, byte_of_token })
    }

    /// Reads a history from the beginning.
    fn read(&self, history: &[TokenId]) -> Place<'_> {
        let Some((first, text)) = history.split_first() else { return Place::Lost };
        if *first != self.start {
            return Place::Lost;
        }
        let enter = |state: usize| Place::Inside {
            read: 0,
            possible: self.grammar.states()[state].iter().collect(),
        };
        let mut place = enter(0);
        for &id in text {
            let byte = self.byte_of_token[id as usize];
            let (Some(byte), Place::Inside { read, mut possible }) = (byte, place) else {
                return Place::Lost; // a control token, or text behind the end
            };
            possible.retain(|alternative| alternative.text[read] == byte);
            place = match possible[..] {
                [] => return Place::Lost,
                // A text that is read completely is the only one left: none begins another.
                [only] if only.text.len() == read + 1 => only.next.map_or(Place::Done, enter),
                _ => Place::Inside { read: read + 1, possible },
            };
        }
        place
    }
}

impl CountModel for SourceModel {
    fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    /// All of them.
    fn context_len(&self) -> usize {
        usize::MAX
    }

    fn identity(&self) -> String {
        let mut hash = Sha256::new();
        // Debug prints every field by name, floats so that they read back to the same bits.
        hash.update(format!("{self:?}"));
        let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("source sha256:{digits}")
    }

    fn fill_row(&self, history: &[TokenId], row: &mut [f64]) -> Result<(), BaselineError> {
        history.iter().try_for_each(|&id| check_id(id, self.vocab_size))?;
        assert_eq!(row.len(), self.vocab_size, "a row has one cell for each token");
        row.fill(0.0);
        match self.read(history) {
            Place::Lost => row.fill(1.0 / self.vocab_size as f64),
            Place::Done => row[self.end as usize] = 1.0,
            Place::Inside { read, possible } => {
                let left: f64 = possible.iter().map(|alternative| alternative.probability).sum();
                for alternative in possible {
                    let token = self.token_of_byte[usize::from(alternative.text[read])];
                    row[token as usize] += alternative.probability / left;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
