//! Tests of the chapter.

mod lesson;
mod report;
