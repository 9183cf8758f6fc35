//! Replace a pair of tokens everywhere, from the left: a solution.

/// Replaces every `pair` of neighbours by `id`, from left to right and without overlaps: a token
/// that was replaced is gone and cannot be part of the next pair.
pub fn replace_pair(tokens: &[u32], pair: (u32, u32), id: u32) -> Vec<u32> {
    let mut replaced = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].starts_with(&[pair.0, pair.1]) {
            replaced.push(id);
            at += 2;
        } else {
            replaced.push(tokens[at]);
            at += 1;
        }
    }
    replaced
}

#[cfg(test)]
mod tests;
