//! What `replace_pair` has to do; both files beside this one are tested with it.

use super::replace_pair;

const A: u32 = 99;
const B: u32 = 100;

#[test]
fn a_pair_becomes_one_token() {
    assert_eq!(replace_pair(&[A, B, A, B], (A, B), 258), [258, 258]);
}

#[test]
fn what_is_not_the_pair_stays() {
    assert_eq!(replace_pair(&[B, A, A], (A, B), 258), [B, A, A]);
    assert_eq!(replace_pair(&[B, A, B, B], (A, B), 258), [B, 258, B]);
}

#[test]
fn three_equal_tokens_are_a_pair_and_a_rest() {
    assert_eq!(replace_pair(&[A, A, A], (A, A), 258), [258, A]);
    assert_eq!(replace_pair(&[A, A, A, A], (A, A), 258), [258, 258]);
}

#[test]
fn the_last_token_alone_is_no_pair() {
    assert_eq!(replace_pair(&[A], (A, A), 258), [A]);
    assert_eq!(replace_pair(&[], (A, A), 258), []);
}
