//! `practical-ch16-language-model-evaluation`: see the README beside this folder.

use std::process::ExitCode;

use llm_chapter_kit::{finish, parse};
use practical_ch16_language_model_evaluation::{Args, run};

fn main() -> ExitCode {
    finish(run(&parse::<Args>()))
}
