//! Many documents cut into batches.

use std::num::NonZeroUsize;

use crate::first_fit::FirstFit;
use crate::{
    BatchBinding, CorpusError, EncodedDocument, NumberedDocument, PackedBatch, Partition,
    VariableBatch, number,
};

/// How documents share rows, and how many rows make a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One document per row.
    Padded {
        /// Documents per batch; the last batch may have fewer.
        rows: NonZeroUsize,
    },
    /// Several documents per row, by first fit among the rows of the batch.
    Packed {
        /// Most rows per batch.
        rows: NonZeroUsize,
    },
}

impl Layout {
    /// One document per batch.
    pub const SEPARATE: Self = Self::Padded { rows: NonZeroUsize::MIN };
}

/// Cuts documents into batches of a layout, numbering them from 0 in the order given.
///
/// Every batch takes the next documents in order, so ordinals also rise from batch to batch and
/// the ragged lists of the batches, joined, are the same list for every layout. A packed batch
/// ends before the first document that none of its rows can hold. No documents give no batches.
/// Cost: `n log rows` for `n` documents.
///
/// # Errors
/// As [`VariableBatch::padded`], for the first batch that is refused.
///
/// # Example
/// ```
/// use std::num::NonZeroUsize;
/// use llm_corpus::{BatchBinding, EncodedDocument, Layout, Partition, batches};
/// let documents = [
///     EncodedDocument::from_ids("x", Partition::Test, vec![0, 9, 8, 9, 9, 1])?,
///     EncodedDocument::from_ids("y", Partition::Test, vec![0, 8, 9, 9, 1])?,
/// ];
/// let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 8 };
/// let two = NonZeroUsize::new(2).unwrap();
/// for (layout, count) in
///     [(Layout::SEPARATE, 2), (Layout::Padded { rows: two }, 1), (Layout::Packed { rows: two }, 1)]
/// {
///     assert_eq!(batches(Partition::Test, &binding, &documents, layout)?.len(), count);
/// }
/// # Ok::<(), llm_corpus::CorpusError>(())
/// ```
pub fn batches(
    partition: Partition,
    binding: &BatchBinding,
    documents: &[EncodedDocument],
    layout: Layout,
) -> Result<Vec<VariableBatch>, CorpusError> {
    let numbered = number(0, documents);
    match layout {
        Layout::Padded { rows } => numbered
            .chunks(rows.get())
            .map(|chunk| VariableBatch::padded(partition, binding, chunk))
            .collect(),
        Layout::Packed { rows } => {
            let mut built = Vec::new();
            let mut rest = numbered.as_slice();
            while !rest.is_empty() {
                let (chunk, later) = rest.split_at(packed_prefix(rest, rows, binding.capacity));
                let packed = PackedBatch::first_fit(partition, binding, chunk)?;
                built.push(packed.into_storage());
                rest = later;
            }
            Ok(built)
        }
    }
}

/// How many of the next documents first fit puts into `rows` rows. At least one: a document that
/// no row can hold is left for the batch to refuse by name.
fn packed_prefix(documents: &[NumberedDocument<'_>], rows: NonZeroUsize, capacity: usize) -> usize {
    // More rows than documents are never used, and a batch that is cut here has filled all of its
    // rows with at least one document each, so building the trees is linear over the corpus.
    let mut fit = FirstFit::new(rows.get().min(documents.len()), capacity);
    let fits =
        |numbered: &&NumberedDocument<'_>| fit.place(numbered.document.target_count()).is_some();
    documents.iter().take_while(fits).count().max(1)
}
