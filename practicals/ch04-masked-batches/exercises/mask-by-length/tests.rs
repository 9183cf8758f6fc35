//! What `pad` has to do; both files beside this one are tested with it.

use super::{PAD, pad};

#[test]
fn targets_are_the_inputs_shifted_by_one() {
    let batch = pad(&[&[5, 6, 7]]);
    assert_eq!(batch.inputs, [[5, 6]]);
    assert_eq!(batch.targets, [[6, 7]]);
    assert_eq!(batch.mask, [[true, true]]);
}

#[test]
fn short_rows_are_padded_and_masked() {
    let batch = pad(&[&[5, 6, 7, 8], &[5, 6]]);
    assert_eq!(batch.inputs, [[5, 6, 7], [5, PAD, PAD]]);
    assert_eq!(batch.targets, [[6, 7, 8], [6, PAD, PAD]]);
    assert_eq!(batch.mask, [[true, true, true], [true, false, false]]);
}

#[test]
fn a_token_that_looks_like_padding_counts() {
    let batch = pad(&[&[5, PAD, 6], &[5, 6]]);
    assert_eq!(batch.mask, [[true, true], [true, false]]);
}

#[test]
fn a_document_of_nothing_else_counts_too() {
    let batch = pad(&[&[PAD, PAD, PAD], &[PAD, PAD]]);
    let counted: usize = batch.mask.iter().flatten().filter(|&&counts| counts).count();
    assert_eq!(counted, 2 + 1, "a document of n ids has n - 1 targets");
}
