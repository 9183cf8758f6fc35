//! Documents, partitions, and padded and packed batches with target masks.
//!
//! A document becomes token ids once ([`EncodedDocument`]); a batch then stores several documents
//! either one per row ([`VariableBatch::padded`]) or several per row ([`PackedBatch`]). Storage is
//! only storage: every batch also knows its valid tokens as one list without padding
//! ([`RaggedBatch`]), sorted by document and position, and that list is what models read. The
//! same documents give the same list in every layout, so a score cannot depend on the layout.
//!
//! Left out: other file formats than plain text and JSON Lines, shuffling. Whoever orders the
//! documents numbers them ([`number`]); nothing here draws a random number.
//!
//! | module | idea |
//! | --- | --- |
//! | `partition` | the split a document was declared for |
//! | `document` | bytes, and their ids with the targets that count |
//! | `input` | people's own documents: text files, folders, JSON Lines, streams |
//! | `jsonl` | documents from a file, with limits and line-numbered errors |
//! | `manifest` | what a corpus consists of, without its texts |
//! | `split` | a validation split that later documents do not change |
//! | `overlap` | no text and no id in two partitions |
//! | `overlap_scan` | what partitions share: texts and runs of words |
//! | `contamination` | the same and near copies, between evaluation and training documents |
//! | `words` | what both scans compare |
//! | `windows` | long documents in pieces |
//! | `binding` | what a batch was built for: tokenizer, vocabulary, capacity |
//! | `batch` | rows and columns, one document per row, and the refusals |
//! | `packed`, `first_fit` | several documents per row |
//! | `ragged` | the list of valid tokens that every layout agrees on |
//! | `layout` | many documents cut into batches |
//!
//! # Example
//! Two validation documents of six and five ids. Inputs and targets are shifted by one, so they
//! supply five and four targets: a padded batch has 2 rows of 5 cells, one of them padding.
//! ```
//! use llm_corpus::{BatchBinding, Document, EncodedDocument, Partition, VariableBatch, number};
//! use llm_tokenizer::chapter_four_tokenizer;
//!
//! let tokenizer = chapter_four_tokenizer();
//! let documents =
//!     ["abaa", "baa"].map(|text| Document::named_by_text(Partition::Validation, text));
//! let documents = EncodedDocument::encode_all(&documents, &tokenizer)?;
//! assert_eq!(documents[1].ids(), [0, 100, 99, 99, 1]); // start, b, a, a, end
//!
//! let binding = BatchBinding::new(&tokenizer, 8);
//! let batch = VariableBatch::padded(Partition::Validation, &binding, &number(0, &documents))?;
//! assert_eq!((batch.rows(), batch.width(), batch.target_count()), (2, 5, 9));
//! assert_eq!(batch.ragged().inputs, [0, 99, 100, 99, 99, 0, 100, 99, 99]);
//! assert_eq!(batch.ragged().targets, [99, 100, 99, 99, 1, 100, 99, 99, 1]);
//! # Ok::<(), llm_corpus::CorpusError>(())
//! ```
#![forbid(unsafe_code)]

mod batch;
mod binding;
mod contamination;
mod document;
mod error;
mod first_fit;
mod input;
mod jsonl;
mod layout;
mod manifest;
mod overlap;
mod overlap_scan;
mod packed;
mod partition;
mod ragged;
mod split;
mod windows;
mod words;

pub use batch::{PADDING, Segment, VariableBatch};
pub use binding::BatchBinding;
pub use contamination::{
    ContaminationReport, ContaminationScan, DetectionProbability, MinHash, NearDuplicate,
    ScannedCorpus, SharedAtLength,
};
pub use document::{Document, EncodedDocument, NumberedDocument, number};
pub use error::CorpusError;
pub use input::{
    InputContent, InputDocument, InputError, InputFormat, InputProblem, read_documents, read_stream,
};
pub use jsonl::{JsonlError, JsonlLimits, JsonlLines, JsonlProblem, JsonlReader, read_jsonl};
pub use layout::{Layout, batches};
pub use manifest::{CorpusManifest, DocumentRecord, PartitionSize};
pub use overlap::check_no_overlap;
pub use overlap_scan::{DuplicateText, OverlapReport, OverlapScan, ScannedPartition, SharedNgrams};
pub use packed::PackedBatch;
pub use partition::Partition;
pub use ragged::{RaggedBatch, RaggedSegment};
pub use split::HashSplit;
pub use windows::windows;

/// The tokenizer's id of a token, here for crates that read batches and need no tokenizer.
pub use llm_tokenizer::TokenId;
