//! `practical-ch17-weight-quantization`: see the README beside this folder.

use std::process::ExitCode;

use practical_ch17_weight_quantization::run;

fn main() -> ExitCode {
    llm_chapter_kit::chapter_main(run)
}
