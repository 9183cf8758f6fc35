//! Programs that cargo builds, and where they are.

use anyhow::Context;
use cargo_metadata::Message;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::process::{Command, Stdio};

/// Calls cargo with `words`, a subcommand and its options; gives the programs that it has built, by
/// name of the target, or nothing if something does not compile. Cargo writes warnings and errors to
/// standard error.
///
/// # Errors
/// If cargo does not start, or says what nobody understands.
pub(crate) fn built_programs(
    root: &Utf8Path,
    words: &[&str],
) -> anyhow::Result<Option<BTreeMap<String, Utf8PathBuf>>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(words).args(["--quiet", "--offline", "--locked"]);
    command.arg("--message-format=json-render-diagnostics").current_dir(root);
    let mut cargo = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let messages = BufReader::new(cargo.stdout.take().context("cargo has an output")?);
    let mut programs = BTreeMap::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) =
            message.context("cannot read cargo's output")?
            && let Some(program) = artifact.executable
        {
            programs.insert(artifact.target.name, program);
        }
    }
    Ok(cargo.wait()?.success().then_some(programs))
}
