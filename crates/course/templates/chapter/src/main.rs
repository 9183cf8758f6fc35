//! `practical-ch00-my-topic`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch00_my_topic::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
