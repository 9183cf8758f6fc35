//! Tests of the chapter.

mod lesson;
mod page;
mod report;
