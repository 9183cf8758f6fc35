//! The result on standard output, or one line on standard error, and the exit code for it.

use crate::chapter::Format;
use crate::non_finite::find_non_finite;
use crate::report_text::render;
use anyhow::Context;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Ends a chapter: prints `result` and returns the exit code for `main`.
///
/// - `Ok(report)`: one indented JSON object and a newline on standard output, code 0.
/// - `Err(error)`: `error: ` and the causes joined by colons, as one line on standard error, nothing
///   on standard output, code 1.
///
/// A report with a NaN or an infinity in it is an error that names the field: JSON has no such
/// numbers, and `serde_json` would write `null`, which a reader cannot tell from a missing value.
/// A reader that closes the pipe early (`| head`) is no error. Any other failure to write is one.
#[must_use]
pub fn finish(result: anyhow::Result<impl Serialize>) -> ExitCode {
    finish_as(Format::Json, result)
}

/// Like [`finish`], in the format that the reader asked for. Both formats show the same fields.
pub(crate) fn finish_as(format: Format, result: anyhow::Result<impl Serialize>) -> ExitCode {
    finish_text(result.and_then(|report| match format {
        Format::Json => to_json(&report),
        Format::Text => to_text(&report),
    }))
}

/// Like [`finish`] for a result that is text already, such as a table; it is printed as it is.
#[must_use]
pub fn finish_text(result: anyhow::Result<String>) -> ExitCode {
    match result.and_then(|text| print(text.as_bytes())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            write_error_line(&with_causes(&error));
            ExitCode::FAILURE
        }
    }
}

/// The report as indented JSON with a final newline.
///
/// # Errors
/// If it has a NaN or an infinity in it; the message names the field.
pub fn to_json(report: &impl Serialize) -> anyhow::Result<String> {
    find_non_finite(report)?;
    let mut text =
        serde_json::to_string_pretty(report).context("cannot write the report as JSON")?;
    text.push('\n');
    Ok(text)
}

/// The report as indented lines and tables, with the names and digits that it has as JSON.
///
/// # Errors
/// As [`to_json`].
pub fn to_text(report: &impl Serialize) -> anyhow::Result<String> {
    render(&to_json(report)?).context("cannot write the report as text")
}

/// Writes `bytes` to standard output. A reader that closes the pipe early (`| head`) is no error.
///
/// # Errors
/// If they cannot be written for any other reason.
pub fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// The message of an error and those of its causes, apart from what was said before: some errors
/// end with the words of their cause.
///
/// # Example
/// ```
/// let cause = anyhow::anyhow!("end of file");
/// let error = cause.context("no settings: end of file").context("run.toml");
/// assert_eq!(format!("{error:#}"), "run.toml: no settings: end of file: end of file");
/// assert_eq!(llm_chapter_kit::with_causes(&error), "run.toml: no settings: end of file");
/// ```
#[must_use]
pub fn with_causes(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.ends_with(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

/// Writes `error: message` as one line to standard error.
pub fn write_error_line(message: &str) {
    // Nobody is left to tell if standard error is closed, and `eprintln!` would panic.
    let _ = writeln!(io::stderr(), "error: {}", one_line(message));
}

/// `text` with every run of white space, line breaks included, as one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_and_ends_with_one_newline() {
        let report = serde_json::json!({"seed": 39, "mean_nll": 4.172745});
        let text = to_json(&report).unwrap();
        assert_eq!(text, "{\n  \"mean_nll\": 4.172745,\n  \"seed\": 39\n}\n");
    }

    #[test]
    fn a_missing_value_is_null_but_not_a_number_is_an_error() {
        #[derive(Serialize)]
        struct Spread {
            deviation: Option<f64>,
        }
        let text = to_json(&Spread { deviation: None }).unwrap();
        assert_eq!(text, "{\n  \"deviation\": null\n}\n");
        let error = to_json(&Spread { deviation: Some(f64::NAN) }).unwrap_err();
        assert_eq!(error.to_string(), "`deviation` is NaN, which JSON has no way to write");
    }

    #[test]
    fn a_message_of_several_lines_becomes_one() {
        assert_eq!(one_line("  cannot read\n  model: \r\n gone\n"), "cannot read model: gone");
    }
}
