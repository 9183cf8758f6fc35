//! `practical-ch05-packed-contexts`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch05_packed_contexts::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
