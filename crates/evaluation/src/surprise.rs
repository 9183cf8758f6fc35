//! The surprise view: a text in which every token has the colour of its bits.
//!
//! | file | idea |
//! | --- | --- |
//! | `visible.rs` | what a reader cannot see, shown as a mark |

mod visible;

pub use visible::{Piece, visible_pieces, visible_text};
