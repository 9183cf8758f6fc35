//! Tests of the chapter.

mod lesson;
mod page;
mod program;
mod report;
