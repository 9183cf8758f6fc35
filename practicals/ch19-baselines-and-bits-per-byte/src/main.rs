//! `practical-ch19-baselines-and-bits-per-byte`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch19_baselines_and_bits_per_byte::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
