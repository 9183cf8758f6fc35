//! What `signs_of_overfitting` has to do; both files beside this one are tested with it.

use super::{Checkpoint, signs_of_overfitting};

fn run(losses: &[(u64, f64, f64)]) -> Vec<(u64, u64)> {
    let checkpoint = |&(update, train, validation)| Checkpoint { update, train, validation };
    signs_of_overfitting(&losses.iter().map(checkpoint).collect::<Vec<_>>())
}

#[test]
fn the_run_of_seed_39_overfits_from_update_20_on() {
    // The chapter's table.
    let losses = [
        (0, 5.632313, 5.615827),
        (10, 2.539183, 2.642929),
        (20, 0.874321, 1.267297),
        (40, 0.203748, 2.746938),
        (80, 0.157051, 4.172745),
    ];
    assert_eq!(run(&losses), [(20, 40), (40, 80)]);
}

#[test]
fn a_gap_that_grows_while_both_fall_is_no_sign() {
    assert_eq!(run(&[(0, 2.0, 2.0), (1, 1.0, 1.5)]), []);
}

#[test]
fn a_run_that_gets_worse_on_both_is_another_problem() {
    assert_eq!(run(&[(0, 1.0, 1.0), (1, 1.5, 3.0)]), []);
}

#[test]
fn standing_still_is_neither_a_fall_nor_a_rise() {
    assert_eq!(run(&[(0, 1.0, 1.0), (1, 1.0, 2.0), (2, 0.5, 2.0)]), []);
}

#[test]
fn fewer_than_two_checkpoints_have_no_interval() {
    assert_eq!(run(&[]), []);
    assert_eq!(run(&[(0, 1.0, 1.0)]), []);
}
