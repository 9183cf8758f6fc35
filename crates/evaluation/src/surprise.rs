//! The surprise view: a text in which every token has the colour of its bits.
//!
//! A mean hides where a model struggles. Here every target of a scored document is shown in its
//! place, from the records of a pass and the bytes of the tokens alone; no model is asked again.
//!
//! | file | idea |
//! | --- | --- |
//! | `view.rs` | [`SurpriseView`]: records put beside the bytes of their tokens |
//! | `scale.rs` | bits to one of eight colours |
//! | `html_view.rs` | a page that works offline, by mouse and by keyboard |
//! | `terminal.rs` | the same for a terminal, with and without colours |
//! | `visible.rs` | what a reader cannot see, shown as a mark |

mod html_view;
mod scale;
mod terminal;
mod view;
mod visible;

pub use view::{SurpriseDocument, SurpriseTarget, SurpriseView};
pub use visible::{Piece, visible_pieces, visible_text};
