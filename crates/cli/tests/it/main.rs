//! The `llm` command as its users know it: arguments in, files, standard streams and exit codes out.

mod convert;
mod documents;
mod endings;
mod evaluate;
mod files;
mod generate;
mod readme;
mod scale;
mod scan;
mod shell;
mod support;
mod tasks;
mod tokenizer;
mod train;
