//! `practical-ch23-real-models`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch23_real_models::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
