//! `practical-ch13-accumulated-updates`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch13_accumulated_updates::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
