//! `practical-ch16-language-model-evaluation`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch16_language_model_evaluation::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
