//! Storage decides nothing: every layout gives the same list of tokens.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use llm_corpus::{
    EncodedDocument, Layout, NumberedDocument, PADDING, PackedBatch, Partition, VariableBatch,
    batches, number,
};
use llm_tokenizer::TokenId;
use proptest::prelude::*;

use crate::{binding, document};

const PARTITION: Partition = Partition::Validation;
/// Small, so that ids repeat, id 0 is frequent, and whole documents of zeros occur.
const VOCAB_SIZE: usize = 4;

/// Ordinal, position, input, target, scored.
type Token = (u64, usize, TokenId, TokenId, bool);

/// The tokens of the documents, straight from their ids and flags.
fn expected(documents: &[NumberedDocument<'_>]) -> Vec<Token> {
    let mut tokens = Vec::new();
    for NumberedDocument { ordinal, document } in documents {
        for t in 1..document.ids().len() {
            let (input, target) = (document.ids()[t - 1], document.ids()[t]);
            tokens.push((*ordinal, t - 1, input, target, document.is_scored(t - 1)));
        }
    }
    tokens.sort();
    tokens
}

/// The tokens that a batch lists, after checking that its storage says the same.
fn listed(batch: &VariableBatch) -> Vec<Token> {
    check_storage(batch);
    let ragged = batch.ragged();
    let mut tokens = Vec::new();
    for segment in &ragged.segments {
        assert_eq!((segment.start, segment.first_position), (tokens.len(), 0));
        for t in segment.start..segment.start + segment.len {
            tokens.push((
                segment.ordinal,
                ragged.positions[t],
                ragged.inputs[t],
                ragged.targets[t],
                ragged.scored[t],
            ));
        }
    }
    assert_eq!(tokens.len(), ragged.len());
    tokens
}

fn check_storage(batch: &VariableBatch) {
    let (ragged, width) = (batch.ragged(), batch.width());
    let mut occupied = HashSet::new();
    for (token, &cell) in ragged.cells.iter().enumerate() {
        assert!(occupied.insert(cell), "cell {cell} holds two tokens");
        assert!(cell % width < batch.lengths()[cell / width], "a token lies past its row's length");
        assert_eq!(batch.inputs()[cell], ragged.inputs[token]);
        assert_eq!(batch.targets()[cell], ragged.targets[token]);
        assert_eq!(batch.loss_mask()[cell], ragged.scored[token]);
    }
    assert_eq!(batch.lengths().iter().sum::<usize>(), occupied.len());
    assert_eq!(batch.inputs().len(), batch.rows() * width);
    assert!(width <= batch.binding().capacity);
    for cell in (0..batch.rows() * width).filter(|cell| !occupied.contains(cell)) {
        assert_eq!((batch.inputs()[cell], batch.targets()[cell]), (PADDING, PADDING));
        assert!(!batch.loss_mask()[cell], "a padding cell is in the loss mask");
    }
    check_segments(batch);
}

/// Segments tile every row from column 0 in storage order, and agree with the ragged list.
fn check_segments(batch: &VariableBatch) {
    assert!(batch.segments().is_sorted_by_key(|segment| (segment.row, segment.column)));
    let mut ends = vec![0; batch.rows()];
    for segment in batch.segments() {
        assert_eq!(segment.column, ends[segment.row], "a gap or an overlap inside a row");
        ends[segment.row] += segment.len;
        let first_cell = segment.row * batch.width() + segment.column;
        let mut lists = batch.ragged().segments.iter();
        let listed = lists.find(|listed| listed.ordinal == segment.ordinal).unwrap();
        assert_eq!((listed.len, batch.ragged().cells[listed.start]), (segment.len, first_cell));
    }
    assert_eq!(ends, batch.lengths());
}

/// Documents of 1 to 7 inputs; about half of them score only some of their targets.
fn documents() -> impl Strategy<Value = Vec<EncodedDocument>> {
    let ids = prop_oneof![
        4 => prop::collection::vec(0..VOCAB_SIZE as TokenId, 2..9),
        1 => (2usize..9).prop_map(|len| vec![0; len]),
    ];
    let one = (ids, any::<u8>()).prop_map(|(ids, bits)| {
        let all = document("d", PARTITION, &ids);
        let flags = (0..all.target_count()).map(|t| bits & (1 << t) != 0).collect();
        all.clone().with_scored(flags).unwrap_or(all)
    });
    prop::collection::vec(one, 1..12)
}

fn layouts() -> impl Strategy<Value = Layout> {
    (1usize..5, any::<bool>()).prop_map(|(rows, packed)| {
        let rows = NonZeroUsize::new(rows).unwrap();
        if packed { Layout::Packed { rows } } else { Layout::Padded { rows } }
    })
}

proptest! {
    #[test]
    fn the_lists_of_the_batches_joined_are_the_same_list_for_every_layout(
        documents in documents(),
        layout in layouts(),
        capacity in 7usize..20,
    ) {
        let batches =
            batches(PARTITION, &binding(VOCAB_SIZE, capacity), &documents, layout).unwrap();
        let joined: Vec<Token> = batches.iter().flat_map(listed).collect();
        prop_assert_eq!(joined, expected(&number(0, &documents)));

        let scored: usize = documents.iter().map(EncodedDocument::scored_count).sum();
        prop_assert_eq!(batches.iter().map(VariableBatch::target_count).sum::<usize>(), scored);
        let (Layout::Padded { rows } | Layout::Packed { rows }) = layout;
        prop_assert!(batches.iter().all(|batch| batch.rows() <= rows.get()));
    }

    #[test]
    fn the_order_of_rows_does_not_change_the_list(
        (documents, shuffled) in documents().prop_flat_map(|documents| {
            let order: Vec<usize> = (0..documents.len()).collect();
            (Just(documents), Just(order).prop_shuffle())
        }),
        first_ordinal in 0u64..1000,
        capacity in 7usize..20,
    ) {
        let binding = binding(VOCAB_SIZE, capacity);
        let in_order = number(first_ordinal, &documents);
        let rows: Vec<_> = shuffled.iter().map(|&i| in_order[i]).collect();
        let padded = VariableBatch::padded(PARTITION, &binding, &rows).unwrap();
        let packed = PackedBatch::first_fit(PARTITION, &binding, &rows).unwrap();
        prop_assert_eq!(listed(&padded), expected(&in_order));
        prop_assert_eq!(listed(packed.storage()), expected(&in_order));
        prop_assert!(packed.rows() <= padded.rows());
        prop_assert_eq!(packed.rows(), packed.storage().rows());
    }

    #[test]
    fn a_document_lists_the_same_tokens_alone_and_in_company(
        documents in documents(),
        capacity in 7usize..20,
    ) {
        let binding = binding(VOCAB_SIZE, capacity);
        let numbered = number(0, &documents);
        let company = PackedBatch::first_fit(PARTITION, &binding, &numbered).unwrap();
        let company = listed(company.storage());
        for one in numbered {
            let alone = VariableBatch::padded(PARTITION, &binding, &[one]).unwrap();
            let of_one = |token: &&Token| token.0 == one.ordinal;
            let in_company: Vec<Token> = company.iter().filter(of_one).copied().collect();
            prop_assert_eq!(listed(&alone), in_company);
        }
    }
}

#[test]
fn no_token_value_is_taken_for_padding() {
    // Under a vocabulary that has them, even ids equal to the filler are ordinary tokens.
    let binding = binding(1 << 32, 8);
    let documents = [
        document("zeros", PARTITION, &[0, 0, 0]),
        document("fillers", PARTITION, &[PADDING, PADDING, PADDING, PADDING]),
        document("ones", PARTITION, &[1, 1]),
    ];
    let numbered = number(0, &documents);
    let padded = VariableBatch::padded(PARTITION, &binding, &numbered).unwrap();
    assert_eq!((padded.lengths(), padded.target_count()), (&[2, 3, 1][..], 6));
    assert_eq!(listed(&padded), expected(&numbered));
    let packed = PackedBatch::first_fit(PARTITION, &binding, &numbered).unwrap();
    assert_eq!((packed.rows(), packed.storage().target_count()), (1, 6));
    assert_eq!(listed(packed.storage()), expected(&numbered));
}

#[test]
fn rows_for_people_are_empty_where_a_row_has_ended() {
    // Two documents of ids that include the filler's value.
    let binding = binding(1 << 32, 8);
    let documents = [
        document("short", PARTITION, &[0, PADDING]),
        document("long", PARTITION, &[PADDING, 5, 1]),
    ];
    let batch = VariableBatch::padded(PARTITION, &binding, &number(0, &documents)).unwrap();
    assert_eq!(batch.input_rows(), [[Some(0), None], [Some(PADDING), Some(5)]]);
    assert_eq!(batch.target_rows(), [[Some(PADDING), None], [Some(5), Some(1)]]);
}

#[test]
fn context_only_targets_are_valid_but_not_in_the_loss_mask() {
    // A window of four targets of which the last two are new.
    let window = document("w", PARTITION, &[0, 2, 3, 2, 1]);
    let window = [window.with_scored(vec![false, false, true, true]).unwrap()];
    let batch =
        VariableBatch::padded(PARTITION, &binding(VOCAB_SIZE, 4), &number(3, &window)).unwrap();
    assert_eq!((batch.valid_count(), batch.target_count()), (4, 2));
    assert_eq!(batch.loss_mask(), [false, false, true, true]);
    assert_eq!(batch.ragged().scored_pairs().collect::<Vec<_>>(), [(3, 2), (2, 1)]);
    assert_eq!(batch.ragged().inputs, [0, 2, 3, 2]); // all of them are read
}

#[test]
fn a_hundred_thousand_rows_are_filled_to_the_brim() {
    // The long documents open a row each, the short ones then fill them in order. A scan over the
    // rows would take 10^10 steps here; the tree takes some 10^6.
    let count = 100_000;
    let mut documents = vec![document("long", PARTITION, &[2, 2, 2, 2]); count];
    documents.extend(vec![document("short", PARTITION, &[2, 3]); count]);
    let packed =
        PackedBatch::first_fit(PARTITION, &binding(VOCAB_SIZE, 4), &number(0, &documents)).unwrap();
    assert_eq!((packed.rows(), packed.storage().width()), (count, 4));
    assert!(packed.storage().lengths().iter().all(|&len| len == 4));
}
