//! Put the rows of a query matrix where this course has them: a solution.

/// Row by row, where the features of a Hugging Face query matrix go: `places[row]` is the place of row
/// `row` of `heads * head_dim`, so that what stood `head_dim / 2` apart in a head stands side by side.
pub fn places(heads: usize, head_dim: usize) -> Vec<usize> {
    let half = head_dim / 2;
    let in_head = |row: usize| if row < half { 2 * row } else { 2 * (row - half) + 1 };
    let of_head = |head: usize| (0..head_dim).map(move |row| head * head_dim + in_head(row));
    (0..heads).flat_map(of_head).collect()
}

#[cfg(test)]
mod tests;
