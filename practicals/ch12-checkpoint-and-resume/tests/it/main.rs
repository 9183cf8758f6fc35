//! Tests of the chapter.

#[cfg(unix)]
mod kills;
mod lesson;
mod program;
mod report;
