//! What `shared_runs` has to do; both files beside this one are tested with it.

use super::shared_runs;

#[test]
fn equal_texts_share_all_their_runs() {
    let text = "the cat sat on the mat";
    assert_eq!(shared_runs(&[text], text, 3), 4); // 6 words: 6 - 3 + 1 runs
}

#[test]
fn capital_letters_do_not_hide_a_run() {
    assert_eq!(shared_runs(&["The cat sat on the mat"], "there sat on THE mat", 3), 2);
}

#[test]
fn punctuation_does_not_hide_a_run() {
    assert_eq!(shared_runs(&["the cat sat on the mat."], "A dog sat, on the mat!", 4), 1);
}

#[test]
fn a_run_does_not_continue_in_the_next_text() {
    assert_eq!(shared_runs(&["the cat sat", "on the mat"], "sat on the mat", 3), 1);
}

#[test]
fn a_text_shorter_than_a_run_shares_nothing() {
    assert_eq!(shared_runs(&["on the mat"], "the mat", 3), 0);
    assert_eq!(shared_runs(&[], "on the mat", 1), 0);
}
