//! `practical-ch03-bpe-training`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch03_bpe_training::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
