//! Tests of the chapter.

mod files;
mod lesson;
mod report;
