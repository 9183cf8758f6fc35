//! Tests of the chapter.

mod lesson;
mod program;
mod report;
