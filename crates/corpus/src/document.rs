//! Documents as bytes, and as token ids with their targets.

use llm_tokenizer::{TokenId, Tokenizer};

use crate::{CorpusError, Partition};

/// A named text that was declared for one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Name in error messages and records; unique across a corpus.
    pub id: String,
    /// What the document may be used for.
    pub partition: Partition,
    /// Any bytes at all: text need not be valid UTF-8.
    pub text: Vec<u8>,
}

impl Document {
    /// A document from a name and its bytes (or a string, whose UTF-8 bytes are taken).
    pub fn new(id: impl Into<String>, partition: Partition, text: impl Into<Vec<u8>>) -> Self {
        Self { id: id.into(), partition, text: text.into() }
    }

    /// A document that is called after its partition and its text, `train-aaab`: for texts that are
    /// as short as a name.
    pub fn named_by_text(partition: Partition, text: &str) -> Self {
        Self::new(format!("{partition}-{text}"), partition, text)
    }
}

/// A document as token ids, framed by its start and end token if the tokenizer has them.
///
/// The `n` ids make `n - 1` pairs: the inputs are `ids[..n - 1]`, the targets `ids[1..]`. The
/// first id is therefore context only and never a target, while the last (the end token) is a
/// target and never an input. Target `t` is the id at position `t + 1`, predicted from input `t`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedDocument {
    id: String,
    partition: Partition,
    /// At least two.
    ids: Vec<TokenId>,
    /// One flag per target; `None` means all of them, by far the most common case.
    scored: Option<Vec<bool>>,
}

impl EncodedDocument {
    /// Encodes the text and frames it as the tokenizer says.
    ///
    /// # Errors
    /// [`CorpusError::Tokenizer`] if the tokenizer has no symbol for a byte, and
    /// [`CorpusError::TooFewIds`] if fewer than two ids come out.
    pub fn encode(document: &Document, tokenizer: &Tokenizer) -> Result<Self, CorpusError> {
        let ids = tokenizer
            .encode_document(&document.text)
            .map_err(|source| CorpusError::Tokenizer { document: document.id.clone(), source })?;
        Self::from_ids(document.id.clone(), document.partition, ids)
    }

    /// Encodes documents one by one, in the order given.
    ///
    /// # Errors
    /// As [`Self::encode`], for the first document that is refused.
    ///
    /// # Example
    /// ```
    /// use llm_corpus::{Document, EncodedDocument, Partition};
    /// let documents = ["aab", "b"].map(|text| Document::named_by_text(Partition::Train, text));
    /// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
    /// let encoded = EncodedDocument::encode_all(&documents, &tokenizer)?;
    /// assert_eq!((encoded[0].id(), encoded[0].ids()), ("train-aab", &[0, 99, 99, 100, 1][..]));
    /// # Ok::<(), llm_corpus::CorpusError>(())
    /// ```
    pub fn encode_all<'a>(
        documents: impl IntoIterator<Item = &'a Document>,
        tokenizer: &Tokenizer,
    ) -> Result<Vec<Self>, CorpusError> {
        documents.into_iter().map(|document| Self::encode(document, tokenizer)).collect()
    }

    /// Takes the ids of a whole document from elsewhere, after a check that this tokenizer could
    /// have framed them: start token, text, end token.
    ///
    /// # Errors
    /// [`CorpusError::Tokenizer`] with what is wrong and where, [`CorpusError::TooFewIds`] for
    /// fewer than two ids.
    pub fn from_framed_ids(
        id: impl Into<String>,
        partition: Partition,
        ids: Vec<TokenId>,
        tokenizer: &Tokenizer,
    ) -> Result<Self, CorpusError> {
        let id = id.into();
        match tokenizer.decode_document(&ids) {
            Ok(_) => Self::from_ids(id, partition, ids),
            Err(source) => Err(CorpusError::Tokenizer { document: id, source }),
        }
    }

    /// Takes any ids, of a document or of a piece of one, unchecked but for their number. Every
    /// target is scored.
    ///
    /// # Errors
    /// [`CorpusError::TooFewIds`] for fewer than two ids.
    pub fn from_ids(
        id: impl Into<String>,
        partition: Partition,
        ids: Vec<TokenId>,
    ) -> Result<Self, CorpusError> {
        let id = id.into();
        if ids.len() < 2 {
            return Err(CorpusError::TooFewIds { document: id, ids: ids.len() });
        }
        Ok(Self { id, partition, ids, scored: None })
    }

    /// Scores only the targets whose flag is set; the others are still read as context.
    ///
    /// For overlapping windows over a long text and for answers after a question: every token
    /// conditions what follows, only some of them count.
    ///
    /// # Errors
    /// [`CorpusError::ScoredFlags`] unless there is one flag per target and one of them is set.
    pub fn with_scored(mut self, flags: Vec<bool>) -> Result<Self, CorpusError> {
        let scored = flags.iter().filter(|&&flag| flag).count();
        let targets = self.target_count();
        if flags.len() != targets || scored == 0 {
            let (document, flags) = (self.id, flags.len());
            return Err(CorpusError::ScoredFlags { document, targets, flags, scored });
        }
        // One spelling of "all of them", so that equal documents compare equal.
        self.scored = (scored < targets).then_some(flags);
        Ok(self)
    }

    /// The document's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What the document may be used for.
    pub fn partition(&self) -> Partition {
        self.partition
    }

    /// All token ids, at least two.
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Number of inputs, and of targets: one fewer than the ids. Scored or not.
    pub fn target_count(&self) -> usize {
        self.ids.len() - 1
    }

    /// Number of targets that count in a loss, from 1 to [`Self::target_count`].
    pub fn scored_count(&self) -> usize {
        (0..self.target_count()).filter(|&target| self.is_scored(target)).count()
    }

    /// Whether target `target` (predicted from input `target`, counted from 0) counts in a loss.
    /// False past the end.
    pub fn is_scored(&self, target: usize) -> bool {
        match &self.scored {
            Some(flags) => flags.get(target).copied().unwrap_or(false),
            None => target < self.target_count(),
        }
    }
}

/// An encoded document and its place in the order of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedDocument<'a> {
    /// The place, from 0 over the whole run (an epoch, an evaluation). It fixes the order in which
    /// gradients and losses of documents are chained, wherever storage puts the document.
    pub ordinal: u64,
    /// The document.
    pub document: &'a EncodedDocument,
}

/// Numbers documents `first_ordinal`, `first_ordinal + 1`, ... in the order given.
///
/// Numbers wrap after `u64::MAX`, which no run reaches from 0.
pub fn number(first_ordinal: u64, documents: &[EncodedDocument]) -> Vec<NumberedDocument<'_>> {
    (0u64..)
        .zip(documents)
        .map(|(i, document)| NumberedDocument { ordinal: first_ordinal.wrapping_add(i), document })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(ids: &[TokenId]) -> Result<EncodedDocument, CorpusError> {
        EncodedDocument::from_ids("d", Partition::Train, ids.to_vec())
    }

    #[test]
    fn a_document_without_a_target_is_refused_with_its_name_and_length() {
        for ids in [&[][..], &[7]] {
            let error = document(ids).unwrap_err();
            assert!(
                matches!(&error, CorpusError::TooFewIds { document, ids: n } if document == "d" && *n == ids.len()),
                "{error}"
            );
        }
        assert_eq!(document(&[0, 1]).unwrap().target_count(), 1);
    }

    #[test]
    fn ids_from_elsewhere_need_the_frame_of_their_tokenizer() {
        let tokenizer = Tokenizer::of_bytes();
        let read = |ids| EncodedDocument::from_framed_ids("d", Partition::Train, ids, &tokenizer);
        assert_eq!(read(vec![0, 99, 1]).unwrap().ids(), [0, 99, 1]);
        for ids in [vec![99, 1], vec![0, 99], vec![0, 99, 1, 0, 99, 1], vec![0, 500, 1]] {
            let error = read(ids).unwrap_err();
            assert!(
                matches!(&error, CorpusError::Tokenizer { document, .. } if document == "d"),
                "{error}"
            );
        }
    }

    #[test]
    fn all_targets_are_scored_unless_said_otherwise() {
        let all = document(&[0, 5, 6, 1]).unwrap();
        assert_eq!((all.target_count(), all.scored_count()), (3, 3));
        let flags: Vec<bool> = (0..5).map(|target| all.is_scored(target)).collect();
        assert_eq!(flags, [true, true, true, false, false]);
        assert_eq!(all.clone().with_scored(vec![true; 3]).unwrap(), all);

        let last_two = all.with_scored(vec![false, true, true]).unwrap();
        assert_eq!((last_two.target_count(), last_two.scored_count()), (3, 2));
        let flags: Vec<bool> = (0..5).map(|target| last_two.is_scored(target)).collect();
        assert_eq!(flags, [false, true, true, false, false]);
    }

    #[test]
    fn scored_flags_must_match_the_targets_and_score_something() {
        for flags in [vec![], vec![true; 2], vec![true; 4], vec![false; 3]] {
            let error = document(&[0, 5, 6, 1]).unwrap().with_scored(flags.clone()).unwrap_err();
            let CorpusError::ScoredFlags { targets, flags: given, .. } = error else {
                panic!("{error}")
            };
            assert_eq!((targets, given), (3, flags.len()));
        }
    }

    #[test]
    fn numbers_follow_the_order_and_wrap() {
        let documents = [document(&[0, 1]).unwrap(), document(&[0, 2]).unwrap()];
        let ordinals =
            |first| number(first, &documents).iter().map(|n| n.ordinal).collect::<Vec<_>>();
        assert_eq!(ordinals(5), [5, 6]);
        assert_eq!(ordinals(u64::MAX), [u64::MAX, 0]);
    }
}
