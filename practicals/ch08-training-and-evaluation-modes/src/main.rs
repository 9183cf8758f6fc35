//! `practical-ch08-training-and-evaluation-modes`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch08_training_and_evaluation_modes::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
