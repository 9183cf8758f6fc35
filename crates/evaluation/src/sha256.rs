//! SHA-256 as people write it: 64 lower-case hexadecimal digits.

use sha2::{Digest, Sha256};

/// The digest of some bytes.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    digits(Sha256::new_with_prefix(bytes))
}

/// The digest of what was hashed so far.
pub(crate) fn digits(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text can be such a digest.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}
