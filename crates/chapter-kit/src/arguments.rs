//! The command line: clap decides, and wrong usage becomes one line.

use crate::chapter::Format;
use crate::output::write_error_line;
use clap::{Arg, ArgMatches, Command, Parser, error::Error, value_parser};
use std::ffi::OsString;
use std::process;

/// Reads the program's arguments as an `A`, or ends the process.
///
/// `--help` and `--version` print to standard output and exit with code 0. Wrong usage is one line
/// on standard error, `error: ...`, and exit code 2: clap's own message without the usage block, so
/// that a script sees the same form for every error. A check that depends on the arguments alone
/// belongs into a `value_parser` of `A`; it is then reported the same way. After an option that takes
/// a value, `-1` is that value.
#[must_use]
pub fn parse<A: Parser>() -> A {
    read(command::<A>(), std::env::args_os())
        .map(|(args, _)| args)
        .unwrap_or_else(|refusal| end(&refusal))
}

/// Like [`parse`], with the option `--format`.
pub(crate) fn parse_with_format<A: Parser>() -> (A, Format) {
    split_format(std::env::args_os()).unwrap_or_else(|refusal| end(&refusal))
}

/// The words of a command line as an `A` and a format. The option is `global`: it may stand before
/// and after a subcommand.
fn split_format<A: Parser>(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<(A, Format), Error> {
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("How to print the report")
        .value_parser(value_parser!(Format))
        .default_value("json")
        .global(true);
    let (args, matches) = read(command::<A>().arg(format), words)?;
    Ok((args, *matches.get_one("format").expect("the option has a default value")))
}

fn read<A: Parser>(
    command: Command,
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<(A, ArgMatches), Error> {
    let matches = command.try_get_matches_from(words)?;
    Ok((A::from_arg_matches(&matches)?, matches))
}

/// The command of `A`, in which `--rows -1` is a wrong number of rows and not an unknown option `-1`.
fn command<A: Parser>() -> Command {
    fn with_negative_numbers(command: Command) -> Command {
        let allow = |arg: Arg| {
            let takes_values = arg.get_action().takes_values();
            arg.allow_negative_numbers(takes_values)
        };
        command.mut_args(allow).mut_subcommands(with_negative_numbers)
    }
    with_negative_numbers(A::command())
}

/// Prints what clap has to say and ends the process.
fn end(refusal: &Error) -> ! {
    if refusal.use_stderr() {
        write_error_line(&summary(refusal));
        process::exit(2);
    }
    refusal.exit() // help and version: clap prints them, code 0
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

    /// A chapter with a subcommand.
    #[derive(Debug, Parser)]
    #[command(args_conflicts_with_subcommands = true)]
    struct Nested {
        #[command(subcommand)]
        command: Option<Evaluate>,
        #[arg(long)]
        seed: Option<u64>,
    }

    #[derive(Debug, clap::Subcommand)]
    enum Evaluate {
        Evaluate { file: String },
    }

    #[test]
    fn the_format_stands_anywhere_and_is_json_if_nothing_is_said() {
        let format = |words: &str| {
            split_format::<Nested>(words.split(' ')).map(|(_, format)| format).unwrap()
        };
        assert_eq!(format("nested --seed 3"), Format::Json);
        assert_eq!(format("nested evaluate m"), Format::Json);
        assert_eq!(format("nested --seed 3 --format text"), Format::Text);
        assert_eq!(format("nested evaluate --format text m"), Format::Text);
    }

    #[test]
    fn a_negative_number_is_a_value_and_named_with_its_flag() {
        let refusal = split_format::<Nested>(["nested", "--seed", "-1"]).unwrap_err();
        assert!(one_line(&summary(&refusal)).starts_with("invalid value '-1' for '--seed <SEED>'"));
        let refusal = split_format::<Nested>(["nested", "evaluate", "m", "-1"]).unwrap_err();
        assert!(one_line(&summary(&refusal)).contains("'-1'"));
    }

    #[test]
    fn other_formats_are_wrong_usage() {
        let refusal = split_format::<Nested>(["nested", "--format", "yaml"]).unwrap_err();
        let expected = "invalid value 'yaml' for '--format <FORMAT>' [possible values: json, text] \
                        (see --help)";
        assert_eq!(one_line(&summary(&refusal)), expected);
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
