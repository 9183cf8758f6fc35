//! The command line: clap decides, and wrong usage becomes one line.

use crate::output::write_error_line;
use clap::{Parser, error::Error};
use std::process;

/// Reads the program's arguments as an `A`, or ends the process.
///
/// `--help` and `--version` print to standard output and exit with code 0. Wrong usage is one line
/// on standard error, `error: ...`, and exit code 2: clap's own message without the usage block, so
/// that a script sees the same form for every error. A check that depends on the arguments alone
/// belongs into a `value_parser` of `A`; it is then reported the same way.
#[must_use]
pub fn parse<A: Parser>() -> A {
    A::try_parse().unwrap_or_else(|refusal| {
        if refusal.use_stderr() {
            write_error_line(&summary(&refusal));
            process::exit(2);
        }
        refusal.exit() // help and version: clap prints them, code 0
    })
}

/// Clap's message and tips, up to its usage block and without its own `error: `.
fn summary(refusal: &Error) -> String {
    let text = refusal.to_string();
    let paragraphs: Vec<&str> = text
        .trim_start_matches("error: ")
        .split("\n\n")
        .map(str::trim)
        .take_while(|p| !p.starts_with("Usage:") && !p.starts_with("For more information"))
        .collect();
    format!("{} (see --help)", paragraphs.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::one_line;
    use std::num::NonZeroUsize;

    /// Help text of the test.
    #[derive(Debug, Parser)]
    struct Args {
        #[arg(long)]
        model: String,
        #[arg(long)]
        batch_rows: NonZeroUsize,
    }

    #[track_caller]
    fn assert_refused(arguments: &[&str], expected: &str) {
        let refusal = Args::try_parse_from(["tiny"].iter().chain(arguments)).unwrap_err();
        assert_eq!(one_line(&summary(&refusal)), expected);
    }

    #[test]
    fn a_bad_value_is_named_with_its_flag() {
        assert_refused(
            &["--model", "m", "--batch-rows", "0"],
            "invalid value '0' for '--batch-rows <BATCH_ROWS>': number would be zero for non-zero \
             type (see --help)",
        );
    }

    #[test]
    fn all_missing_flags_are_on_the_one_line() {
        assert_refused(
            &[],
            "the following required arguments were not provided: --model <MODEL> \
             --batch-rows <BATCH_ROWS> (see --help)",
        );
    }

    #[test]
    fn a_tip_survives() {
        assert_refused(
            &["--modle", "m"],
            "unexpected argument '--modle' found; tip: a similar argument exists: '--model' \
             (see --help)",
        );
    }
}
