//! The `llm` command as its users know it: arguments in, files, standard streams and exit codes out.

mod evaluate;
mod files;
mod generate;
mod shell;
mod support;
mod tokenizer;
