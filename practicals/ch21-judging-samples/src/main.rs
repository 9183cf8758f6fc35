//! `practical-ch21-judging-samples`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch21_judging_samples::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
