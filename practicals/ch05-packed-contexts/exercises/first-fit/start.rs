//! Put documents into the first row that has room.

/// For each document, in order, the row and the column of its first cell. A document of `lengths[i]`
/// cells goes into the first row that still has room for it; if there is none, a new row is opened.
/// `None` if a document is longer than a row.
pub fn first_fit(lengths: &[usize], capacity: usize) -> Option<Vec<(usize, usize)>> {
    let mut filled: Vec<usize> = Vec::new(); // cells in use, for each row
    let mut places = Vec::new();
    for &length in lengths {
        if length > capacity {
            return None;
        }
        // Only the last row is tried here. The rows before it may have room too.
        let row = match filled.last() {
            Some(used) if used + length <= capacity => filled.len() - 1,
            _ => {
                filled.push(0);
                filled.len() - 1
            }
        };
        places.push((row, filled[row]));
        filled[row] += length;
    }
    Some(places)
}

#[cfg(test)]
mod tests;
