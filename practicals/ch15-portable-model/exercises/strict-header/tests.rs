//! What `header_text` has to do; both files beside this one are tested with it.

use super::header_text;

fn file(length: u64, rest: &[u8]) -> Vec<u8> {
    [&length.to_le_bytes()[..], rest].concat()
}

#[test]
fn the_header_is_the_text_behind_its_length() {
    assert_eq!(header_text(&file(2, b"{}")), Ok("{}"));
    assert_eq!(header_text(&file(2, b"{}and data")), Ok("{}"));
    assert_eq!(header_text(&file(0, b"data")), Ok(""));
}

#[test]
fn a_file_that_is_too_short_for_a_length_is_an_error() {
    for len in 0..8 {
        assert!(header_text(&vec![0; len]).is_err(), "{len} bytes");
    }
}

#[test]
fn a_header_longer_than_the_file_is_an_error() {
    assert!(header_text(&file(3, b"{}")).is_err());
    assert!(header_text(&file(1 << 60, b"{}")).is_err());
}

#[test]
fn a_length_that_overflows_when_8_is_added_is_an_error() {
    for length in [u64::MAX, u64::MAX - 7] {
        assert!(header_text(&file(length, b"{}")).is_err(), "{length}");
    }
}

#[test]
fn what_is_no_text_is_an_error() {
    assert!(header_text(&file(2, b"\xff\xfe")).is_err());
}
