//! Put the rows of a query matrix where this course has them.

/// Row by row, where the features of a Hugging Face query matrix go: `places[row]` is the place of row
/// `row` of `heads * head_dim`, so that what stood `head_dim / 2` apart in a head stands side by side.
pub fn places(heads: usize, head_dim: usize) -> Vec<usize> {
    // The halves of the whole matrix. For one head that is right.
    let rows = heads * head_dim;
    let half = rows / 2;
    (0..rows).map(|row| if row < half { 2 * row } else { 2 * (row - half) + 1 }).collect()
}

#[cfg(test)]
mod tests;
