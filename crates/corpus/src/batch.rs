//! Rectangular batches: one document per row, short rows padded.

use std::collections::HashSet;

use llm_tokenizer::TokenId;

use crate::{BatchBinding, CorpusError, NumberedDocument, Partition, RaggedBatch};

/// Fills the cells that hold no token.
///
/// Which cells are valid is decided by lengths alone; this value is only chosen so that a reader
/// who looks it up by mistake fails at once instead of scoring a plausible token.
pub const PADDING: TokenId = TokenId::MAX;

/// Where a document lies in a batch's storage: cells `column .. column + len` of row `row`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The document's place in the order of the run.
    pub ordinal: u64,
    /// Row of the storage.
    pub row: usize,
    /// Column of the document's first token; its position inside the document is 0 all the same.
    pub column: usize,
    /// Number of inputs, and of targets.
    pub len: usize,
}

/// Documents of one partition in rectangular storage of `rows x width` cells, row-major.
///
/// Made by [`VariableBatch::padded`] (one document per row) or inside a
/// [`PackedBatch`](crate::PackedBatch) (several per row). The documents and the cells they
/// occupy are validated here once, so whoever holds a batch need not check ids or lengths again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableBatch {
    partition: Partition,
    binding: BatchBinding,
    width: usize,
    inputs: Vec<TokenId>,
    targets: Vec<TokenId>,
    loss_mask: Vec<bool>,
    lengths: Vec<usize>,
    segments: Vec<Segment>,
    ragged: RaggedBatch,
}

impl VariableBatch {
    /// One document per row in the order given; the width is that of the longest document.
    ///
    /// Memory is `rows x width` cells, so one long document among many short ones is dear.
    ///
    /// # Errors
    /// No documents; a document of another partition, longer than the capacity, or with an id
    /// outside the vocabulary; two documents with the same ordinal.
    pub fn padded(
        partition: Partition,
        binding: &BatchBinding,
        documents: &[NumberedDocument<'_>],
    ) -> Result<Self, CorpusError> {
        check_documents(partition, binding, documents)?;
        let places = (0..documents.len()).map(|row| (row, 0));
        Ok(Self::store(partition, binding, documents, places))
    }

    /// A padded batch to learn from: [`Self::padded`] that takes training documents only.
    ///
    /// # Errors
    /// As [`Self::padded`]; a validation or test document is a [`CorpusError::WrongPartition`].
    pub fn training(
        binding: &BatchBinding,
        documents: &[NumberedDocument<'_>],
    ) -> Result<Self, CorpusError> {
        Self::padded(Partition::Train, binding, documents)
    }

    /// Stores checked documents at `(row, column)` places, which must not overlap and must fill
    /// every row from column 0 without a gap.
    pub(crate) fn store(
        partition: Partition,
        binding: &BatchBinding,
        documents: &[NumberedDocument<'_>],
        places: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut segments: Vec<Segment> = documents
            .iter()
            .zip(places)
            .map(|(numbered, (row, column))| {
                let len = numbered.document.target_count();
                Segment { ordinal: numbered.ordinal, row, column, len }
            })
            .collect();
        let rows = segments.iter().map(|segment| segment.row + 1).max().unwrap_or(0);
        let mut lengths = vec![0; rows];
        for segment in &segments {
            lengths[segment.row] += segment.len;
        }
        let width = lengths.iter().copied().max().unwrap_or(0);

        let ragged = RaggedBatch::new(documents, &segments, width);
        let mut inputs = vec![PADDING; rows * width];
        let mut targets = vec![PADDING; rows * width];
        let mut loss_mask = vec![false; rows * width];
        for (token, &cell) in ragged.cells.iter().enumerate() {
            inputs[cell] = ragged.inputs[token];
            targets[cell] = ragged.targets[token];
            loss_mask[cell] = ragged.scored[token];
        }
        segments.sort_unstable_by_key(|segment| (segment.row, segment.column));
        let binding = binding.clone();
        Self { partition, binding, width, inputs, targets, loss_mask, lengths, segments, ragged }
    }

    /// Refuses a batch that was not built for exactly this partition and binding.
    ///
    /// # Errors
    /// [`CorpusError::WrongPartition`] (of no particular document) or
    /// [`CorpusError::WrongBinding`].
    pub fn check(&self, partition: Partition, binding: &BatchBinding) -> Result<(), CorpusError> {
        if self.partition != partition {
            let (given, expected) = (self.partition, partition);
            return Err(CorpusError::WrongPartition { document: None, given, expected });
        }
        if self.binding != *binding {
            let (given, expected) = (Box::new(self.binding.clone()), Box::new(binding.clone()));
            return Err(CorpusError::WrongBinding { given, expected });
        }
        Ok(())
    }

    /// The partition of every document in the batch.
    pub fn partition(&self) -> Partition {
        self.partition
    }

    /// The tokenizer and sizes that the batch was built for.
    pub fn binding(&self) -> &BatchBinding {
        &self.binding
    }

    /// Number of rows, at least 1.
    pub fn rows(&self) -> usize {
        self.lengths.len()
    }

    /// Number of columns: the valid cells of the fullest row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Inputs, `[rows * width]`; [`PADDING`] in cells that hold no token.
    pub fn inputs(&self) -> &[TokenId] {
        &self.inputs
    }

    /// Targets, `[rows * width]`; [`PADDING`] in cells that hold no token.
    pub fn targets(&self) -> &[TokenId] {
        &self.targets
    }

    /// The inputs row by row, `None` in cells that hold no token: for tables that people read.
    pub fn input_rows(&self) -> Vec<Vec<Option<TokenId>>> {
        self.visible_rows(&self.inputs)
    }

    /// The targets row by row, `None` in cells that hold no token: for tables that people read.
    pub fn target_rows(&self) -> Vec<Vec<Option<TokenId>>> {
        self.visible_rows(&self.targets)
    }

    fn visible_rows(&self, cells: &[TokenId]) -> Vec<Vec<Option<TokenId>>> {
        let rows = cells.chunks(self.width).zip(&self.lengths);
        rows.map(|(row, &len)| {
            row.iter().enumerate().map(|(column, &id)| (column < len).then_some(id)).collect()
        })
        .collect()
    }

    /// Whether the target of a cell counts in a loss, `[rows * width]`. Never set on padding; also
    /// not set on targets that are context only
    /// ([`EncodedDocument::with_scored`](crate::EncodedDocument::with_scored)).
    pub fn loss_mask(&self) -> &[bool] {
        &self.loss_mask
    }

    /// Valid cells of each row, `[rows]`: columns `0 .. lengths[row]` hold tokens.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Where the documents lie, in (row, column) order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Number of cells that hold a token, scored or not.
    pub fn valid_count(&self) -> usize {
        self.ragged.len()
    }

    /// Number of targets that count in a loss: the cells set in [`Self::loss_mask`]. At least 1.
    pub fn target_count(&self) -> usize {
        self.loss_mask.iter().filter(|&&scored| scored).count()
    }

    /// The tokens as the model reads them: no padding, sorted by document and position.
    pub fn ragged(&self) -> &RaggedBatch {
        &self.ragged
    }
}

/// Everything that a batch promises about its documents.
pub(crate) fn check_documents(
    partition: Partition,
    binding: &BatchBinding,
    documents: &[NumberedDocument<'_>],
) -> Result<(), CorpusError> {
    if documents.is_empty() {
        return Err(CorpusError::EmptyBatch);
    }
    let mut ordinals = HashSet::with_capacity(documents.len());
    for &NumberedDocument { ordinal, document } in documents {
        let name = || document.id().to_owned();
        if document.partition() != partition {
            return Err(CorpusError::WrongPartition {
                document: Some(name()),
                given: document.partition(),
                expected: partition,
            });
        }
        let (inputs, capacity) = (document.target_count(), binding.capacity);
        if inputs > capacity {
            return Err(CorpusError::LongerThanCapacity { document: name(), inputs, capacity });
        }
        let vocab_size = binding.vocab_size;
        // An id that does not fit a usize is outside any vocabulary.
        let inside = |&id: &TokenId| usize::try_from(id).is_ok_and(|id| id < vocab_size);
        if let Some(position) = document.ids().iter().position(|id| !inside(id)) {
            let (document, id) = (name(), document.ids()[position]);
            return Err(CorpusError::IdOutsideVocabulary { document, position, id, vocab_size });
        }
        if !ordinals.insert(ordinal) {
            return Err(CorpusError::DuplicateOrdinal { ordinal });
        }
    }
    Ok(())
}
