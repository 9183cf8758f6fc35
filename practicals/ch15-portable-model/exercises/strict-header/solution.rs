//! Read the header of a safetensors file that anybody may have sent: a solution.

/// The header's text: behind its length in bytes, which is the file's first 8 bytes, a little-endian
/// u64. Whatever the file contains, the answer is a text or an error, never a panic.
pub fn header_text(file: &[u8]) -> Result<&str, String> {
    let Some((length, rest)) = file.split_first_chunk::<8>() else {
        return Err(format!("{} bytes, expected at least 8", file.len()));
    };
    let length = u64::from_le_bytes(*length);
    // Compared with what is there, not added to anything: 8 + length may not fit a number.
    let header = usize::try_from(length).ok().and_then(|length| rest.get(..length));
    let Some(header) = header else {
        return Err(format!("a header of {length} bytes, but only {} are there", rest.len()));
    };
    std::str::from_utf8(header).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
