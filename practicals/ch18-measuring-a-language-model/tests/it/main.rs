//! Tests of the chapter.

mod commands;
mod figures;
mod lesson;
mod report;
mod support;
