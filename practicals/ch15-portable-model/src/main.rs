//! `practical-ch15-portable-model`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch15_portable_model::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
