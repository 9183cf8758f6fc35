//! Packed batches: several documents per row.

use crate::batch::check_documents;
use crate::first_fit::FirstFit;
use crate::{BatchBinding, CorpusError, NumberedDocument, Partition, VariableBatch};

/// Documents side by side in rows of at most `binding.capacity` cells.
///
/// Packing saves padding and changes nothing else: positions restart at 0 with every document,
/// attention stays inside a document, and no target crosses into the next one. The batch inside
/// is an ordinary [`VariableBatch`], so one model and one evaluator serve both layouts.
///
/// # Example
/// Documents of 5 and 4 inputs need two rows of capacity 8, and one row of capacity 18.
/// ```
/// use llm_corpus::{BatchBinding, EncodedDocument, PackedBatch, Partition, number};
/// let documents = [
///     EncodedDocument::from_ids("x", Partition::Test, vec![0, 9, 8, 9, 9, 1])?,
///     EncodedDocument::from_ids("y", Partition::Test, vec![0, 8, 9, 9, 1])?,
/// ];
/// let rows = |capacity| {
///     let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity };
///     PackedBatch::first_fit(Partition::Test, &binding, &number(0, &documents)).map(|b| b.rows())
/// };
/// assert_eq!((rows(8)?, rows(18)?), (2, 1));
/// # Ok::<(), llm_corpus::CorpusError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedBatch {
    storage: VariableBatch,
}

impl PackedBatch {
    /// Puts every document, in the order given, into the first row that still has room for it.
    ///
    /// As many rows are opened as needed; the width is the fullest row, at most the capacity.
    /// Cost: `n log n` for `n` documents.
    ///
    /// # Errors
    /// As [`VariableBatch::padded`].
    pub fn first_fit(
        partition: Partition,
        binding: &BatchBinding,
        documents: &[NumberedDocument<'_>],
    ) -> Result<Self, CorpusError> {
        check_documents(partition, binding, documents)?;
        let mut rows = FirstFit::new(documents.len(), binding.capacity);
        let places = documents.iter().map(|numbered| {
            rows.place(numbered.document.target_count())
                .expect("no document is longer than a row, and there is a row for each of them")
        });
        Ok(Self { storage: VariableBatch::store(partition, binding, documents, places) })
    }

    /// Number of rows, at least 1.
    pub fn rows(&self) -> usize {
        self.storage.rows()
    }

    /// The batch itself.
    pub fn storage(&self) -> &VariableBatch {
        &self.storage
    }

    /// The batch itself, by value.
    pub fn into_storage(self) -> VariableBatch {
        self.storage
    }
}
