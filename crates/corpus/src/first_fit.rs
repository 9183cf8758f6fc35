//! First fit: the first row that still has room.
//!
//! Source: Johnson, "Near-optimal bin packing algorithms" (1973), which bounds the rows it needs
//! by about 1.7 times the fewest possible and finds the row in logarithmic time with a tree of
//! maxima, as here.

/// Rows of equal capacity that are filled from column 0.
///
/// Scanning the rows for every document would cost documents x rows; the tree answers in
/// `log2(rows)` steps, so a corpus can be packed into as many rows as it needs.
#[derive(Debug)]
pub(crate) struct FirstFit {
    capacity: usize,
    /// Number of leaves, a power of two; node `n` has children `2n` and `2n + 1`, row `r` is leaf
    /// `leaves + r`, and node 1 is the root.
    leaves: usize,
    /// Most room in any row below the node. Leaves past the last row have none.
    room: Vec<usize>,
}

impl FirstFit {
    /// `rows` empty rows of `capacity` cells.
    pub(crate) fn new(rows: usize, capacity: usize) -> Self {
        let leaves = rows.next_power_of_two();
        let mut room = vec![0; 2 * leaves];
        room[leaves..leaves + rows].fill(capacity);
        for node in (1..leaves).rev() {
            room[node] = room[2 * node].max(room[2 * node + 1]);
        }
        Self { capacity, leaves, room }
    }

    /// Puts `len` cells (at least 1) into the first row with room for them and returns their
    /// `(row, column)`; `None` if no row has it.
    pub(crate) fn place(&mut self, len: usize) -> Option<(usize, usize)> {
        if self.room[1] < len {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            // The left child holds the earlier rows.
            node = if self.room[2 * node] >= len { 2 * node } else { 2 * node + 1 };
        }
        let place = (node - self.leaves, self.capacity - self.room[node]);
        self.room[node] -= len;
        while node > 1 {
            node /= 2;
            self.room[node] = self.room[2 * node].max(self.room[2 * node + 1]);
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_later_short_document_fills_an_earlier_row() {
        // Capacity 8: 5 opens row 0, 4 does not fit beside it (9 > 8), 3 does, 4 joins the first 4.
        let mut rows = FirstFit::new(4, 8);
        let places: Vec<_> = [5, 4, 3, 4].map(|len| rows.place(len)).into_iter().collect();
        assert_eq!(places, [Some((0, 0)), Some((1, 0)), Some((0, 5)), Some((1, 4))]);
    }

    #[test]
    fn no_row_is_found_when_none_has_room() {
        assert_eq!(FirstFit::new(3, 4).place(5), None);
        assert_eq!(FirstFit::new(0, 4).place(1), None);
        let mut one = FirstFit::new(1, 4);
        assert_eq!([one.place(4), one.place(1)], [Some((0, 0)), None]);
    }

    proptest! {
        #[test]
        fn the_tree_finds_the_row_that_a_scan_finds(
            rows in 0usize..9,
            capacity in 1usize..12,
            lens in prop::collection::vec(1usize..13, 0..40),
        ) {
            let mut tree = FirstFit::new(rows, capacity);
            let mut filled = vec![0; rows];
            for len in lens {
                let row = filled.iter().position(|used| used + len <= capacity);
                prop_assert_eq!(tree.place(len), row.map(|row| (row, filled[row])));
                if let Some(row) = row {
                    filled[row] += len;
                }
            }
        }
    }
}
