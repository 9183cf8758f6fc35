//! Everything that this crate refuses.

use llm_tokenizer::TokenizerError;

use crate::{BatchBinding, Partition};

/// Why documents or batches were refused. Positions count from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The tokenizer has no id for something in the text, or could not have made these ids.
    #[error("document `{document}` does not fit its tokenizer")]
    Tokenizer {
        /// Id of the document.
        document: String,
        /// What the tokenizer says.
        source: TokenizerError,
    },
    /// Without two ids there is no input with a target.
    #[error(
        "document `{document}` has {ids} token id(s), expected at least 2 (one input and its \
         target): give it more text or a tokenizer with start and end tokens"
    )]
    TooFewIds {
        /// Id of the document.
        document: String,
        /// How many token ids it has.
        ids: usize,
    },
    /// The choice of scored targets does not fit the document.
    #[error(
        "document `{document}` has {targets} target(s), given {flags} flag(s) of which {scored} \
         are set: give one flag per target and set at least one"
    )]
    ScoredFlags {
        /// Id of the document.
        document: String,
        /// How many targets it has.
        targets: usize,
        /// How many flags were given.
        flags: usize,
        /// How many of them were set.
        scored: usize,
    },
    /// A share of documents that cannot be held out.
    #[error(
        "the share of documents for validation is {validation_share}, expected 0 or above and below 1"
    )]
    Split {
        /// The share.
        validation_share: f64,
    },
    /// A text or a document id stands in two partitions, so scores of one are no news.
    #[error(
        "documents `{first}` ({first_partition}) and `{second}` ({second_partition}) have the \
         same {shared}: partitions must not overlap, remove one of the two"
    )]
    Overlap {
        /// `"text"` or `"id"`.
        shared: &'static str,
        /// Id of the document that came first.
        first: String,
        /// Its partition.
        first_partition: Partition,
        /// Id of the document that came second.
        second: String,
        /// Its partition.
        second_partition: Partition,
    },
    /// A file that lists no corpus.
    #[error("not a corpus manifest: {problem}")]
    Manifest {
        /// What is wrong, with line and column. Called no source: a chain of causes would show it
        /// twice.
        problem: serde_json::Error,
    },
    /// A document, or a whole batch, of another partition than the one asked for.
    #[error(
        "{} belongs to the {given} partition, expected {expected}: use {expected} documents only",
        .document.as_ref().map_or("the batch".to_owned(), |id| format!("document `{id}`"))
    )]
    WrongPartition {
        /// Id of the document; `None` if a finished batch was checked.
        document: Option<String>,
        /// What it was declared for.
        given: Partition,
        /// What was asked for.
        expected: Partition,
    },
    /// A batch was built for another tokenizer or other sizes.
    #[error("the batch was built for {given}, expected {expected}: build it again from its text")]
    WrongBinding {
        /// What the batch was built for.
        given: Box<BatchBinding>,
        /// What it was to be used with.
        expected: Box<BatchBinding>,
    },
    /// A batch of nothing.
    #[error("the batch has no documents, expected at least 1")]
    EmptyBatch,
    /// Two documents of a batch claim the same place in the order of the run.
    #[error("two documents of the batch have ordinal {ordinal}: number them once with `number`")]
    DuplicateOrdinal {
        /// The ordinal given twice.
        ordinal: u64,
    },
    /// A row cannot hold the document.
    #[error(
        "document `{document}` has {inputs} inputs, the capacity is {capacity}: cut it into \
         shorter documents or raise the capacity"
    )]
    LongerThanCapacity {
        /// Id of the document.
        document: String,
        /// Its inputs: one fewer than its token ids.
        inputs: usize,
        /// Most inputs that a row may hold.
        capacity: usize,
    },
    /// A token id that the bound tokenizer does not have.
    #[error(
        "document `{document}` has token id {id} at position {position}, expected ids below \
         {vocab_size}: encode it with the tokenizer of the binding"
    )]
    IdOutsideVocabulary {
        /// Id of the document.
        document: String,
        /// Where the token id stands in the document's ids.
        position: usize,
        /// The token id.
        id: llm_tokenizer::TokenId,
        /// Ids must be below this.
        vocab_size: usize,
    },
    /// A contamination scan that would compare nothing, or something other than intended.
    #[error("contamination scan: {problem}")]
    Scan {
        /// What was given and what was expected.
        problem: String,
    },
}
