//! `practical-ch12-checkpoint-and-resume`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch12_checkpoint_and_resume::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
