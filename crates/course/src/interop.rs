//! `./course interop`: our numbers beside those of other programs, in a Python environment of its own.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;

use crate::chapter::workspace_metadata;

/// Which comparisons to run.
#[derive(Debug, Args)]
pub struct InteropArgs {
    /// folders (transformers), gguf (llama.cpp), harness (lm-evaluation-harness), real (SmolLM2)
    /// [default: all]
    comparisons: Vec<String>,
    /// The Python that the environment is made with, 3.10 or later.
    #[arg(long, default_value = "python3")]
    python: String,
}

/// Makes the environment if it is not there or its list of packages has changed, and runs
/// `interop/run.py`, which prints as it goes.
///
/// # Errors
/// If Python is missing, packages cannot be installed, or a comparison fails.
pub fn interop(args: &InteropArgs) -> anyhow::Result<()> {
    let metadata = workspace_metadata()?;
    let scripts = metadata.workspace_root.join("interop");
    let environment = metadata.target_directory.join("interop");
    let python = environment.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" });

    let wanted =
        fs::read_to_string(scripts.join("requirements.txt")).context("interop/requirements.txt")?;
    let installed = environment.join("installed.txt");
    if !is_installed(installed.as_std_path(), &wanted) {
        run(Command::new(&args.python).args(["-m", "venv", environment.as_str()]))?;
        let requirements = scripts.join("requirements.txt");
        run(Command::new(&python).args(["-m", "pip", "install", "-r", requirements.as_str()]))?;
        // Last, so that an installation that was broken off is begun again.
        fs::write(&installed, &wanted).with_context(|| installed.to_string())?;
    }
    let target = metadata.target_directory.as_str();
    run(Command::new(&python)
        .arg(scripts.join("run.py"))
        .args(&args.comparisons)
        .env("CARGO_TARGET_DIR", target))
}

/// Whether these very packages were installed.
fn is_installed(stamp: &Path, wanted: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|installed| installed == wanted)
}

/// Runs a program whose output is its own.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    if !status.success() {
        bail!("{name} ended with {status}; what it said stands above");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn an_environment_is_made_again_when_the_list_of_packages_changes() {
        let folder = tempfile::tempdir().unwrap();
        let stamp = folder.path().join("installed.txt");
        assert!(!is_installed(&stamp, "torch==1\n"));
        fs::write(&stamp, "torch==1\n").unwrap();
        assert!(is_installed(&stamp, "torch==1\n"));
        assert!(!is_installed(&stamp, "torch==2\n"));
    }

    #[test]
    fn a_program_that_is_missing_or_fails_is_named() {
        let missing = run(&mut Command::new("no-such-python")).unwrap_err();
        assert_eq!(missing.to_string(), "cannot start no-such-python");
        let mut failing = Command::new("cargo");
        let failed = run(failing.arg("no-such-subcommand").stderr(Stdio::null())).unwrap_err();
        assert!(failed.to_string().starts_with("cargo ended with "), "{failed}");
    }
}
