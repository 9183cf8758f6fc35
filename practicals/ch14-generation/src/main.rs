//! `practical-ch14-generation`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch14_generation::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
