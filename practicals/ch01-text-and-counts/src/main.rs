//! `practical-ch01-text-and-counts`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch01_text_and_counts::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
