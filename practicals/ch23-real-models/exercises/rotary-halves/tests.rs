//! What `places` has to do; both files beside this one are tested with it.

use super::places;

#[test]
fn in_one_head_the_halves_are_woven_together() {
    // Rows 0 1 2 | 3 4 5: the pairs are (0, 3), (1, 4), (2, 5).
    assert_eq!(places(1, 6), [0, 2, 4, 1, 3, 5]);
}

#[test]
fn no_feature_leaves_its_head() {
    assert_eq!(places(2, 4), [0, 2, 1, 3, 4, 6, 5, 7]);
    for (row, place) in places(3, 8).into_iter().enumerate() {
        assert_eq!(row / 8, place / 8, "row {row} goes to {place}");
    }
}

#[test]
fn every_place_is_taken_once() {
    let mut places = places(4, 6);
    places.sort_unstable();
    assert!(places.iter().enumerate().all(|(expected, &place)| expected == place));
}

#[test]
fn a_query_and_a_key_have_the_same_product_in_their_new_places() {
    // Turned by a right angle, a pair (l, r) becomes (-r, l): by halves there, by neighbours here.
    let halves = |x: &[f64]| [-x[2], -x[3], x[0], x[1]];
    let neighbours = |x: &[f64]| [-x[1], x[0], -x[3], x[2]];
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let (query, key) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]);
    let moved = |x: &[f64]| {
        let mut moved = [0.0; 4];
        places(1, 4).into_iter().zip(x).for_each(|(place, x)| moved[place] = *x);
        moved
    };
    let there = dot(&halves(&query), &key);
    let here = dot(&neighbours(&moved(&query)), &moved(&key));
    assert_eq!(there, -16.0); // -3 * 5 - 4 * 6 + 1 * 7 + 2 * 8
    assert_eq!(here, there);
}
