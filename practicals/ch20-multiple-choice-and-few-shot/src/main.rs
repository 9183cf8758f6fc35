//! `practical-ch20-multiple-choice-and-few-shot`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch20_multiple_choice_and_few_shot::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
