//! What `count_transitions` has to do; both files beside this one are tested with it.

use super::Symbol::{Byte, End, Start};
use super::count_transitions;

const A: super::Symbol = Byte(b'a');
const B: super::Symbol = Byte(b'b');

#[test]
fn one_document_has_one_transition_more_than_bytes() {
    let counts = count_transitions(&[b"aab"]);
    let expected = [((Start, A), 1), ((A, A), 1), ((A, B), 1), ((B, End), 1)];
    assert_eq!(counts, expected.into());
}

#[test]
fn every_document_has_its_own_start_and_end() {
    // Start a a b End, Start b a End.
    let counts = count_transitions(&[b"aab", b"ba"]);
    assert_eq!(counts.get(&(Start, B)), Some(&1));
    assert_eq!(counts.get(&(B, End)), Some(&1));
    assert_eq!(counts.values().sum::<u64>(), 4 + 3);
}

#[test]
fn no_pair_joins_two_documents() {
    let counts = count_transitions(&[b"a", b"b"]);
    assert_eq!(counts.get(&(A, B)), None, "no document has an a before a b");
}

#[test]
fn the_order_of_documents_does_not_matter() {
    assert_eq!(count_transitions(&[b"ab", b"b"]), count_transitions(&[b"b", b"ab"]));
}

#[test]
fn an_empty_document_still_begins_and_ends() {
    assert_eq!(count_transitions(&[b""]), [((Start, End), 1)].into());
    assert!(count_transitions(&[]).is_empty(), "no documents, no transitions");
}
