//! `practical-ch09-stable-log-loss`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch09_stable_log_loss::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
