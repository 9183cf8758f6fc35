//! What reaches the screen: the result on standard output, everything else on standard error.

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use llm_chapter_kit as kit;
use serde::Serialize;

/// The result of a command in both of its forms.
#[derive(Debug)]
pub(crate) struct Report {
    text: Vec<u8>,
    json: Vec<u8>,
}

impl Report {
    /// A record; people read its fields as indented lines and tables.
    pub(crate) fn new(record: &impl Serialize) -> anyhow::Result<Self> {
        Self::with_text(record, kit::to_text(record)?)
    }

    /// A record with a text of its own for people.
    pub(crate) fn with_text(
        record: &impl Serialize,
        text: impl Into<Vec<u8>>,
    ) -> anyhow::Result<Self> {
        Ok(Self { text: text.into(), json: kit::to_json(record)?.into_bytes() })
    }

    /// The same bytes for everybody: a script, a page, a decoded text.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { json: bytes.clone(), text: bytes }
    }
}

/// A wish that cannot be granted whatever the files say; exit code 2, as for an unknown option.
#[derive(Debug)]
pub(crate) struct WrongUsage(String);

impl WrongUsage {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self(problem.into())
    }
}

impl fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// Prints the result, or one line on standard error: code 0, 1 for a failure, 2 for wrong usage.
pub(crate) fn finish(result: anyhow::Result<Report>, json: bool) -> ExitCode {
    let printed =
        result.and_then(|report| kit::print(if json { &report.json } else { &report.text }));
    let Err(error) = printed else { return ExitCode::SUCCESS };
    kit::write_error_line(&kit::with_causes(&error));
    ExitCode::from(if error.is::<WrongUsage>() { 2 } else { 1 })
}

/// Shows how far a long command has come, to people only.
#[derive(Debug)]
pub(crate) struct Console {
    quiet: bool,
}

impl Console {
    pub(crate) const fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// A bar with rate and time left. It draws on standard error if that is a terminal, and
    /// nothing otherwise; dropping it clears the line.
    pub(crate) fn bar(&self, total: u64, what: &'static str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let style = "{msg} {wide_bar} {human_pos}/{human_len} {rate}/s {eta} left";
        let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
        };
        let style = ProgressStyle::with_template(style).expect("the template is a constant");
        let style = style.with_key("rate", rate);
        ProgressBar::new(total).with_style(style).with_message(what)
    }

    /// Says what is being done while nobody knows how long it takes; as [`bar`](Self::bar).
    pub(crate) fn spinner(&self, what: &'static str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let spinner = ProgressBar::new_spinner().with_message(what);
        spinner.enable_steady_tick(Duration::from_millis(100));
        spinner
    }
}
