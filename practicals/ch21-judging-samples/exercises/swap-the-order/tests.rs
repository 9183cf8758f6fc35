//! What both functions have to do; both files beside this one are tested with it.

use super::{Pair, position_taste, win_share};

fn pairs(verdicts: &[(bool, bool)]) -> Vec<Pair> {
    let pair = |&(a_wins_first, a_wins_second)| Pair { a_wins_first, a_wins_second };
    verdicts.iter().map(pair).collect()
}

#[test]
fn a_judge_that_always_takes_the_first_has_no_opinion_on_a() {
    let blind = pairs(&[(true, false); 4]);
    assert_eq!(position_taste(&blind), Some(1.0));
    assert_eq!(win_share(&blind), Some(0.5));
}

#[test]
fn a_judge_that_always_takes_a_has_no_taste_for_position() {
    let fair = pairs(&[(true, true); 4]);
    assert_eq!(position_taste(&fair), Some(0.0));
    assert_eq!(win_share(&fair), Some(1.0));
}

#[test]
fn a_mixed_judge_is_taken_apart() {
    // Of 8 verdicts the first answer wins 2 + 1 + 1 + 1 = 5, and A wins 1 + 2 + 2 + 0 = 5.
    let mixed = pairs(&[(true, false), (true, true), (true, true), (false, false)]);
    assert_eq!(position_taste(&mixed), Some(0.25)); // (5 - 3) / 8
    assert_eq!(win_share(&mixed), Some(0.625));
}

#[test]
fn without_pairs_there_is_nothing_to_say() {
    assert_eq!((position_taste(&[]), win_share(&[])), (None, None));
}
