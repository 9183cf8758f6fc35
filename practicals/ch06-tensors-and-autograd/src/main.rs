//! `practical-ch06-tensors-and-autograd`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch06_tensors_and_autograd::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
