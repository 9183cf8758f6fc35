//! Exit codes, help, completions, the manual.

use crate::support::{llm, printed, refused};

#[test]
fn wrong_usage_is_one_line_and_code_2() {
    assert!(refused(&mut llm(["evalaute"]), 2).contains("evalaute"));
    assert!(refused(&mut llm(["man", "--threads", "0"]), 2).contains("--threads"));
}

#[test]
fn saying_nothing_names_the_commands() {
    assert!(refused(&mut llm::<&str>([]), 2).contains("completions"));
}

#[test]
fn every_shell_gets_a_script_with_the_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(printed(&mut llm(["completions", shell])).contains("threads"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let page = printed(&mut llm(["man"]));
    assert!(page.contains("llm\\-completions") || page.contains("llm-completions"), "{page}");
    assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{page}");
}
