//! What `backward` has to do; both files beside this one are tested with it.

use super::{Node, backward};

#[test]
fn a_product_and_a_sum_of_values_that_are_used_once() {
    // (3 * 2) + 5: the slopes are 2, 3 and 1.
    let nodes = [Node::Leaf, Node::Leaf, Node::Leaf, Node::Mul(0, 1), Node::Add(3, 2)];
    assert_eq!(backward(&nodes, &[3.0, 2.0, 5.0, 6.0, 11.0]), [2.0, 3.0, 1.0, 1.0, 1.0]);
}

#[test]
fn the_slope_of_a_square_is_twice_its_root() {
    assert_eq!(backward(&[Node::Leaf, Node::Mul(0, 0)], &[3.0, 9.0]), [6.0, 1.0]);
}

#[test]
fn a_value_that_is_used_on_two_paths_gets_the_sum_of_both() {
    // a + a * b at a = 2, b = 3: the slopes are 1 + 3 and 2.
    let nodes = [Node::Leaf, Node::Leaf, Node::Mul(0, 1), Node::Add(0, 2)];
    assert_eq!(backward(&nodes, &[2.0, 3.0, 6.0, 8.0]), [4.0, 2.0, 1.0, 1.0]);
}

#[test]
fn what_the_last_value_does_not_depend_on_has_no_slope() {
    assert_eq!(backward(&[Node::Leaf, Node::Leaf], &[2.0, 3.0]), [0.0, 1.0]);
}
