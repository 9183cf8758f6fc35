//! `practical-ch22-evaluation-contract`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch22_evaluation_contract::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
