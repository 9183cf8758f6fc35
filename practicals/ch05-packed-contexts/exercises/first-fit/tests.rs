//! What `first_fit` has to do; both files beside this one are tested with it.

use super::first_fit;

#[test]
fn documents_that_fit_share_a_row() {
    assert_eq!(first_fit(&[5, 3], 8).unwrap(), [(0, 0), (0, 5)]);
}

#[test]
fn a_document_without_room_opens_a_row() {
    assert_eq!(first_fit(&[5, 4], 8).unwrap(), [(0, 0), (1, 0)]);
}

#[test]
fn an_earlier_row_with_room_is_used() {
    // Row 0 has 3 cells left when row 1 is opened, and the third document needs just these.
    assert_eq!(first_fit(&[5, 4, 3], 8).unwrap(), [(0, 0), (1, 0), (0, 5)]);
}

#[test]
fn of_several_rows_with_room_the_first_one_is_used() {
    assert_eq!(first_fit(&[5, 6, 1], 8).unwrap(), [(0, 0), (1, 0), (0, 5)]);
}

#[test]
fn a_document_longer_than_a_row_is_refused() {
    assert_eq!(first_fit(&[5, 9], 8), None);
    assert_eq!(first_fit(&[8], 8).unwrap(), [(0, 0)]);
    assert_eq!(first_fit(&[], 8).unwrap(), []);
}
