//! The four documents of the evaluation experiment, worked out by hand.

use std::num::NonZeroUsize;

use llm_corpus::{
    BatchBinding, CorpusError, Document, EncodedDocument, Layout, PADDING, PackedBatch, Partition,
    Segment, VariableBatch, batches, check_no_overlap, number,
};
use llm_tokenizer::chapter_four_tokenizer;

const TRAIN: [&str; 2] = ["aaab", "aab"];
const VALIDATION: [&str; 2] = ["abaa", "baa"];

fn encode(partition: Partition, texts: [&str; 2]) -> Vec<EncodedDocument> {
    texts
        .map(|text| Document::new(text, partition, text))
        .iter()
        .map(|document| EncodedDocument::encode(document, &chapter_four_tokenizer()))
        .collect::<Result<_, CorpusError>>()
        .expect("the chapter-4 tokenizer has every byte")
}

fn binding(capacity: usize) -> BatchBinding {
    BatchBinding::new(&chapter_four_tokenizer(), capacity)
}

#[test]
fn the_documents_have_the_ids_worked_out_by_hand() {
    // Start 0, end 1, byte + 2: a = 97 + 2, b = 98 + 2.
    let train = encode(Partition::Train, TRAIN);
    assert_eq!(train[0].ids(), [0, 99, 99, 99, 100, 1]);
    assert_eq!(train[1].ids(), [0, 99, 99, 100, 1]);
    let validation = encode(Partition::Validation, VALIDATION);
    assert_eq!(validation[0].ids(), [0, 99, 100, 99, 99, 1]);
    assert_eq!(validation[1].ids(), [0, 100, 99, 99, 1]);
    for split in [train, validation] {
        assert_eq!([split[0].target_count(), split[1].target_count()], [5, 4]);
    }
    assert_eq!(binding(8).vocab_size, 266);
}

#[test]
fn the_splits_share_no_text() {
    let train = TRAIN.map(|text| Document::new(text, Partition::Train, text));
    let validation = VALIDATION.map(|text| Document::new(text, Partition::Validation, text));
    check_no_overlap(train.iter().chain(&validation)).unwrap();
}

#[test]
fn a_padded_batch_has_two_rows_of_five_cells_one_of_them_padding() {
    let documents = encode(Partition::Validation, VALIDATION);
    let batch =
        VariableBatch::padded(Partition::Validation, &binding(8), &number(0, &documents)).unwrap();
    assert_eq!((batch.rows(), batch.width(), batch.inputs().len()), (2, 5, 10));
    assert_eq!((batch.valid_count(), batch.target_count()), (9, 9));
    assert_eq!(batch.inputs(), [0, 99, 100, 99, 99, 0, 100, 99, 99, PADDING]);
    assert_eq!(batch.targets(), [99, 100, 99, 99, 1, 100, 99, 99, 1, PADDING]);
    let mut mask = [true; 10];
    mask[9] = false;
    assert_eq!(batch.loss_mask(), mask);
    assert_eq!(batch.lengths(), [5, 4]);
    assert_eq!(
        batch.segments(),
        [
            Segment { ordinal: 0, row: 0, column: 0, len: 5 },
            Segment { ordinal: 1, row: 1, column: 0, len: 4 },
        ]
    );
    assert_eq!((batch.partition(), batch.binding()), (Partition::Validation, &binding(8)));
}

#[test]
fn five_and_four_targets_need_two_packed_rows_at_capacity_eight() {
    let documents = encode(Partition::Validation, VALIDATION);
    let packed =
        PackedBatch::first_fit(Partition::Validation, &binding(8), &number(0, &documents)).unwrap();
    assert_eq!((packed.rows(), packed.storage().lengths()), (2, &[5, 4][..]));
    assert_eq!(packed.storage().target_count(), 9);
}

#[test]
fn one_row_of_capacity_eighteen_holds_both_documents_with_own_positions() {
    let documents = encode(Partition::Validation, VALIDATION);
    let packed =
        PackedBatch::first_fit(Partition::Validation, &binding(18), &number(0, &documents))
            .unwrap();
    let batch = packed.storage();
    assert_eq!((packed.rows(), batch.width(), batch.lengths()), (1, 9, &[9][..]));
    assert_eq!(batch.inputs(), [0, 99, 100, 99, 99, 0, 100, 99, 99]);
    // The end token closes the first document; the second one's start is never a target.
    assert_eq!(batch.targets(), [99, 100, 99, 99, 1, 100, 99, 99, 1]);
    assert_eq!(batch.ragged().positions, [0, 1, 2, 3, 4, 0, 1, 2, 3]);
    assert_eq!(batch.segments()[1], Segment { ordinal: 1, row: 0, column: 5, len: 4 });
    assert!(batch.ragged().scored_pairs().all(|pair| pair != (1, 0)));
}

#[test]
fn separate_padded_and_packed_storage_make_two_one_and_one_batches() {
    let two = NonZeroUsize::new(2).unwrap();
    let layouts = [Layout::SEPARATE, Layout::Padded { rows: two }, Layout::Packed { rows: two }];
    for (partition, texts) in [(Partition::Train, TRAIN), (Partition::Validation, VALIDATION)] {
        let documents = encode(partition, texts);
        let counts = layouts.map(|layout| {
            let batches = batches(partition, &binding(8), &documents, layout).unwrap();
            let targets: usize = batches.iter().map(VariableBatch::target_count).sum();
            (batches.len(), targets)
        });
        assert_eq!(counts, [(2, 9), (1, 9), (1, 9)]);
    }
}

#[test]
fn the_start_is_never_a_scored_target_and_each_end_is_one() {
    for (partition, texts) in [(Partition::Train, TRAIN), (Partition::Validation, VALIDATION)] {
        let documents = encode(partition, texts);
        let batch = VariableBatch::padded(partition, &binding(8), &number(0, &documents)).unwrap();
        let scored: Vec<_> = batch.ragged().scored_pairs().map(|(_, target)| target).collect();
        let count = |id| scored.iter().filter(|&&target| target == id).count();
        assert_eq!([count(0), count(1), count(PADDING)], [0, 2, 0]);
    }
}

#[test]
fn a_row_limit_closes_a_packed_batch_before_the_document_that_does_not_fit() {
    // Inputs 3, 3, 2, 1 at capacity 4. One row per batch: 3 | 3 | 2 1. Two rows: all but the 2
    // fit (3, 3), so the 2 opens the second batch and the 1 stays behind it.
    let documents: Vec<_> = [3, 3, 2, 1]
        .map(|inputs| EncodedDocument::from_ids("d", Partition::Test, vec![2; inputs + 1]).unwrap())
        .into();
    let lens = |rows| {
        let layout = Layout::Packed { rows: NonZeroUsize::new(rows).unwrap() };
        batches(Partition::Test, &binding(4), &documents, layout)
            .unwrap()
            .iter()
            .map(|batch| batch.lengths().to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(lens(1), [[3], [3], [3]]);
    assert_eq!(lens(2), [vec![3, 3], vec![3]]);
    assert_eq!(lens(usize::MAX), [[4, 3, 2]]);
}
