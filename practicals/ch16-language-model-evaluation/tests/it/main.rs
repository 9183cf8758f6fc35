//! Behaviour of chapter 16, as a library and as a program.

mod behaviour;
mod commands;
mod damaged_files;
mod figures;
mod identity;
mod lesson;
mod refusals;
mod support;
