//! Build a padded batch whose mask knows padding from tokens: a solution.

/// Fills the cells that hold no token.
pub const PAD: u32 = 0;

/// Rows of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// What the model reads, padded with [`PAD`].
    pub inputs: Vec<Vec<u32>>,
    /// The next id at each place, padded with [`PAD`].
    pub targets: Vec<Vec<u32>>,
    /// Whether a target counts.
    pub mask: Vec<Vec<bool>>,
}

/// One document of two or more ids per row; as wide as the longest one needs. Any id may occur in a
/// document, [`PAD`] too.
pub fn pad(documents: &[&[u32]]) -> Batch {
    let width = documents.iter().map(|ids| ids.len() - 1).max().unwrap_or(0);
    let padded = |ids: &[u32]| {
        let mut row = ids.to_vec();
        row.resize(width, PAD);
        row
    };
    let inputs: Vec<Vec<u32>> = documents.iter().map(|ids| padded(&ids[..ids.len() - 1])).collect();
    let targets: Vec<Vec<u32>> = documents.iter().map(|ids| padded(&ids[1..])).collect();
    // The length of a document says which cells are its own, whatever stands in them.
    let own = |ids: &&[u32]| (0..width).map(|column| column < ids.len() - 1).collect();
    let mask = documents.iter().map(own).collect();
    Batch { inputs, targets, mask }
}

#[cfg(test)]
mod tests;
