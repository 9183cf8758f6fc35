//! Tests of the chapter.

mod commands;
mod lesson;
mod report;
