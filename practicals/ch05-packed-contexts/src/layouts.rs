//! Where first fit puts documents, cell by cell.

use llm_from_scratch_practical::corpus::{
    BatchBinding, CorpusError, EncodedDocument, PackedBatch, Partition, VariableBatch, number,
};
use llm_from_scratch_practical::tokenizer::{TokenId, chapter_four_tokenizer};
use serde::Serialize;

use crate::args::encode;

/// The size of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rectangle {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub width: usize,
    /// Their product.
    pub cells: usize,
    /// Cells that hold an input with a target.
    pub filled: usize,
}

impl From<&VariableBatch> for Rectangle {
    fn from(batch: &VariableBatch) -> Self {
        let (rows, width) = (batch.rows(), batch.width());
        Self { rows, width, cells: rows * width, filled: batch.valid_count() }
    }
}

/// Where one document went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The text.
    pub document: String,
    /// Its place in the order of documents, from 0.
    pub ordinal: usize,
    /// Its inputs, and targets: one fewer than its ids.
    pub targets: usize,
    /// The row that had room.
    pub row: usize,
    /// The column of its first input.
    pub column: usize,
}

/// A packed batch as rows of cells; what is missing is padding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cells {
    /// What the model reads.
    pub inputs: Vec<Vec<Option<TokenId>>>,
    /// The place of each input in its own document.
    pub positions: Vec<Vec<Option<usize>>>,
    /// The ordinal of the document that the input belongs to.
    pub documents: Vec<Vec<Option<u64>>>,
}

/// Rows that documents of 5 and 4 targets need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RowsNeeded {
    /// Most inputs of a row.
    pub capacity: usize,
    /// How many rows.
    pub rows: usize,
}

/// The tokenizer and capacity that all batches are bound to.
pub(crate) fn binding(capacity: usize) -> BatchBinding {
    BatchBinding::new(&chapter_four_tokenizer(), capacity)
}

/// Documents in rows of a capacity, by first fit.
pub(crate) fn pack(
    documents: &[EncodedDocument],
    capacity: usize,
) -> Result<VariableBatch, CorpusError> {
    let numbered = number(0, documents);
    let packed = PackedBatch::first_fit(Partition::Validation, &binding(capacity), &numbered)?;
    Ok(packed.into_storage())
}

/// Where each document of a batch went, in the order of the documents.
pub(crate) fn places(texts: &[String], batch: &VariableBatch) -> Vec<Place> {
    let place = |(ordinal, text): (usize, &String)| {
        let segment = batch.segments().iter().find(|segment| segment.ordinal == ordinal as u64)?;
        let (document, targets) = (text.clone(), segment.len);
        Some(Place { document, ordinal, targets, row: segment.row, column: segment.column })
    };
    texts.iter().enumerate().filter_map(place).collect()
}

/// A batch cell by cell.
pub(crate) fn cells(batch: &VariableBatch) -> Cells {
    let ragged = batch.ragged();
    let mut positions = vec![None; batch.rows() * batch.width()];
    let mut documents = vec![None; positions.len()];
    for segment in &ragged.segments {
        for token in segment.start..segment.start + segment.len {
            positions[ragged.cells[token]] = Some(ragged.positions[token]);
            documents[ragged.cells[token]] = Some(segment.ordinal);
        }
    }
    Cells {
        inputs: batch.input_rows(),
        positions: positions.chunks(batch.width()).map(<[_]>::to_vec).collect(),
        documents: documents.chunks(batch.width()).map(<[_]>::to_vec).collect(),
    }
}

/// Documents of 5 and 4 targets at three capacities.
pub(crate) fn rows_needed() -> Result<Vec<RowsNeeded>, CorpusError> {
    let documents = [encode("abaa")?, encode("baa")?];
    let rows = |capacity| Ok(RowsNeeded { capacity, rows: pack(&documents, capacity)?.rows() });
    [5, 8, 9].into_iter().map(rows).collect()
}
