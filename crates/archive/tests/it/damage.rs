//! No change of any byte goes unnoticed.

use llm_archive::{ArchiveError, Container};
use proptest::prelude::*;

use crate::{KIND, small};

fn refused(bytes: &[u8]) -> ArchiveError {
    match Container::from_bytes(bytes, KIND) {
        Err(error) => error,
        Ok(_) => panic!("{} bytes were accepted, not those that were saved", bytes.len()),
    }
}

/// Every position with 16 other values: each single bit, each bit but one turned.
#[test]
fn every_byte_matters() {
    let whole = small().to_bytes();
    for position in 0..whole.len() {
        for bit in 0..8 {
            for change in [1_u8 << bit, !(1 << bit)] {
                let mut bytes = whole.clone();
                bytes[position] ^= change;
                refused(&bytes);
            }
        }
    }
}

#[test]
#[ignore = "full campaign: every position with all 255 other values"]
fn every_other_value_of_every_byte_is_refused() {
    let whole = small().to_bytes();
    for position in 0..whole.len() {
        for change in 1..=255 {
            let mut bytes = whole.clone();
            bytes[position] ^= change;
            refused(&bytes);
        }
    }
}

#[test]
fn changed_data_is_a_wrong_digest_and_a_changed_digest_too() {
    let whole = small().to_bytes();
    let data = whole.len() - 27;
    for position in data..whole.len() {
        let mut bytes = whole.clone();
        bytes[position] ^= 0x80;
        let ArchiveError::DigestMismatch { declared, computed } = refused(&bytes) else {
            panic!("byte {position} is data");
        };
        assert_eq!(declared, small().content_sha256());
        assert_ne!(computed, declared);
    }
    let digest = small().content_sha256().to_owned();
    let flipped = if digest.starts_with('0') { "1" } else { "0" }.to_owned() + &digest[1..];
    let text = whole[..data].escape_ascii().to_string();
    assert_eq!(text.matches(&digest).count(), 1);
    let at = whole.windows(64).position(|w| w == digest.as_bytes()).expect("it is there");
    let mut bytes = whole.clone();
    bytes[at..at + 64].copy_from_slice(flipped.as_bytes());
    assert!(matches!(refused(&bytes), ArchiveError::DigestMismatch { .. }));
}

#[test]
fn every_truncation_is_a_wrong_size() {
    let whole = small().to_bytes();
    for len in 0..whole.len() {
        let ArchiveError::WrongSize { expected, found } = refused(&whole[..len]) else {
            panic!("{len} of {} bytes", whole.len());
        };
        assert_eq!(found, len as u64);
        assert!(expected > found);
    }
}

#[test]
fn every_extension_is_a_wrong_size() {
    let whole = small().to_bytes();
    for extra in [&[0][..], b" ", &[255], &[0; 8], &[0; 100], &whole] {
        let bytes = [&whole, extra].concat();
        let ArchiveError::WrongSize { expected, found } = refused(&bytes) else {
            panic!("{} bytes more", extra.len());
        };
        assert_eq!((expected, found), (whole.len() as u64, bytes.len() as u64));
    }
    for byte in 0..=255 {
        refused(&[&whole[..], &[byte]].concat());
        refused(&[&[byte], &whole[..]].concat());
    }
}

proptest! {
    /// Several bytes at once: overwritten, removed, inserted, moved.
    #[test]
    fn no_edit_is_accepted(at in any::<prop::sample::Index>(), cut in 0..20_usize, put in prop::collection::vec(any::<u8>(), 0..20)) {
        let whole = small().to_bytes();
        let at = at.index(whole.len());
        let end = (at + cut).min(whole.len());
        let bytes = [&whole[..at], &put, &whole[end..]].concat();
        prop_assume!(bytes != whole);
        refused(&bytes);
    }

    #[test]
    fn no_noise_is_accepted(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        refused(&bytes);
    }

    /// A length that fits and random text: reaches the parser.
    #[test]
    fn no_text_is_accepted(text in "[\\[\\]{}\",:0-9a-z_ ]{0,200}") {
        refused(&[&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat());
    }
}
