//! `practical-ch04-masked-batches`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch04_masked_batches::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
