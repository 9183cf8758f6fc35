//! `practical-ch18-measuring-a-language-model`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch18_measuring_a_language_model::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
