//! The list of valid tokens that every layout agrees on.
//!
//! Padding, packing and the cut into rows are storage. A model first turns a batch into this one
//! list: no padding in it, every document in one piece, documents in the order of the run. What
//! is computed from it is then the same bits for every storage, because it is the same list.

use llm_tokenizer::TokenId;

use crate::NumberedDocument;
use crate::batch::Segment;

/// The valid tokens of a batch in (document ordinal, position) order.
///
/// The five token vectors run in parallel, one entry per valid cell; [`Self::len`] entries each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RaggedBatch {
    /// What the model reads.
    pub inputs: Vec<TokenId>,
    /// What it should predict from there: the next input of the document, at its end the last id.
    pub targets: Vec<TokenId>,
    /// Whether the target counts in a loss.
    pub scored: Vec<bool>,
    /// Place of the input in its own document, from 0; never a column of the storage.
    pub positions: Vec<usize>,
    /// Cell of the storage that holds the token: `row * width + column`.
    pub cells: Vec<usize>,
    /// The documents, sorted by ordinal; together they cover all tokens without a gap.
    pub segments: Vec<RaggedSegment>,
}

/// One document in a [`RaggedBatch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaggedSegment {
    /// The document's place in the order of the run.
    pub ordinal: u64,
    /// Index of its first token in the list.
    pub start: usize,
    /// Number of its tokens, at least 1.
    pub len: usize,
    /// Position of its first token. Batches of documents have 0 here; a list that continues a
    /// document whose beginning was computed before starts later.
    pub first_position: usize,
}

impl RaggedBatch {
    /// Number of valid tokens.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Whether there is no token at all (not so in a batch of documents).
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// The (input, target) pairs that count in a loss, in order. No pair joins two documents.
    pub fn scored_pairs(&self) -> impl Iterator<Item = (TokenId, TokenId)> + '_ {
        let pairs = self.inputs.iter().copied().zip(self.targets.iter().copied());
        pairs.zip(&self.scored).filter_map(|(pair, &scored)| scored.then_some(pair))
    }

    /// Lists the tokens of `documents`, where `segments[i]` says where storage of `width` columns
    /// puts `documents[i]`.
    pub(crate) fn new(
        documents: &[NumberedDocument<'_>],
        segments: &[Segment],
        width: usize,
    ) -> Self {
        let mut placed: Vec<_> = documents.iter().zip(segments).collect();
        placed.sort_unstable_by_key(|(numbered, _)| numbered.ordinal);
        let mut ragged = Self::default();
        for (NumberedDocument { ordinal, document }, segment) in placed {
            let len = document.target_count();
            let first_cell = segment.row * width + segment.column;
            ragged.segments.push(RaggedSegment {
                ordinal: *ordinal,
                start: ragged.len(),
                len,
                first_position: 0,
            });
            // The shift: input t is id t, its target is id t + 1.
            ragged.inputs.extend_from_slice(&document.ids()[..len]);
            ragged.targets.extend_from_slice(&document.ids()[1..]);
            ragged.scored.extend((0..len).map(|target| document.is_scored(target)));
            ragged.positions.extend(0..len);
            ragged.cells.extend(first_cell..first_cell + len);
        }
        ragged
    }
}
