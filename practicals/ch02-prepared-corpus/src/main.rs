//! `practical-ch02-prepared-corpus`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch02_prepared_corpus::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
