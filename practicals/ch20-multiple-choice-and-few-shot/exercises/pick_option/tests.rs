//! What `pick_option` has to do; both files beside this one are tested with it.

use super::pick_option;

const METHODS: [&str; 3] = ["sum", "token", "char"];

#[test]
fn three_methods_can_give_three_answers() {
    let logprobs = [vec![-3.0], vec![-2.0, -2.0], vec![-2.5, -2.5, -2.5]];
    let texts = [" ab", " abcd", " abcdefghijklmn"];
    // sums -3, -4, -7.5; per token -3, -2, -2.5; per character -1, -0.8, -0.5
    assert_eq!(METHODS.map(|method| pick_option(&logprobs, &texts, method)), [Ok(0), Ok(1), Ok(2)]);
}

#[test]
fn of_equal_scores_the_first_is_chosen() {
    let logprobs = [vec![-9.0], vec![-1.0, -2.0], vec![-1.0, -2.0]];
    for method in METHODS {
        assert_eq!(pick_option(&logprobs, &[" xy", " same", " same"], method), Ok(1), "{method}");
    }
}

#[test]
fn characters_are_counted_and_not_bytes() {
    // 3 characters (5 bytes) against 4: -1.0 and -0.9 per character
    assert_eq!(pick_option(&[vec![-3.0], vec![-3.6]], &[" éé", " abc"], "char"), Ok(1));
}

#[test]
fn an_unknown_method_is_refused() {
    for method in ["", "foo", "Sum", "bytes"] {
        assert!(pick_option(&[vec![-1.0], vec![-2.0]], &[" a", " b"], method).is_err(), "{method}");
    }
}

#[test]
fn empty_options_and_lists_that_do_not_match_are_refused() {
    for method in METHODS {
        assert!(pick_option(&[], &[], method).is_err());
        assert!(pick_option(&[vec![-1.0], vec![]], &[" a", " b"], method).is_err());
        assert!(pick_option(&[vec![-1.0], vec![-2.0]], &[" a", ""], method).is_err());
        assert!(pick_option(&[vec![-1.0]], &[" a", " b"], method).is_err());
        assert!(pick_option(&[vec![-1.0], vec![-2.0]], &[" a"], method).is_err());
    }
}
