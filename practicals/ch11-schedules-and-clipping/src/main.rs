//! `practical-ch11-schedules-and-clipping`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch11_schedules_and_clipping::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
