//! `practical-ch10-adamw`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch10_adamw::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
