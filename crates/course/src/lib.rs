//! The part of `./course` that is written in Rust: what instructors and learners ask about chapters.
//!
//! A chapter states its number, title and length in its own manifest, and there is no second list;
//! everything here starts from what cargo says about the workspace. Finding Rust, fetching
//! dependencies and running commands is not here but in the launcher itself, the bash file `course`
//! at the top, because it has to work before any of this is built.
//!
//! Modules: `chapter` (what the manifests say), `exercise` (what a coding exercise is, and how its
//! tests run), `cargo_build`, `outcome`; and one for each subcommand: `list`, `new_chapter`, `check`,
//! `exercise_command`, `interop`.
//!
//! ```
//! let chapter = course::Chapter {
//!     chapter: 4,
//!     title: "Merge bytes into tokens".into(),
//!     minutes: 45,
//!     needs: vec![3],
//!     package: "practical-ch04-tokenizer".into(),
//!     folder: "practicals/ch04-tokenizer".into(),
//! };
//! let table = course::table(&[chapter]);
//! assert!(table.contains("      4       45  Merge bytes into tokens  practical-ch04-tokenizer\n"));
//! ```
#![forbid(unsafe_code)]

mod cargo_build;
mod chapter;
mod check;
mod exercise;
mod exercise_command;
mod interop;
mod list;
mod new_chapter;
mod outcome;

pub use chapter::{Chapter, chapters, workspace_metadata};
pub use check::{CheckArgs, check};
pub use exercise_command::{ExerciseArgs, exercise};
pub use interop::{InteropArgs, interop};
pub use list::{ListArgs, list, table};
pub use new_chapter::{NewChapterArgs, new_chapter};
pub use outcome::Outcome;
