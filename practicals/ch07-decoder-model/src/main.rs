//! `practical-ch07-decoder-model`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch07_decoder_model::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
