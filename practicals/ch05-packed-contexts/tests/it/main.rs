//! Tests of the chapter.

mod commands;
mod isolation;
mod lesson;
mod report;
