//! `llm completions` and `llm man`: what a shell and a reader of manuals want of the command line.

use std::io;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::output::Report;

/// Print a script that completes the options of llm in a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm completions bash > ~/.local/share/bash-completion/completions/llm
  llm completions zsh > ~/.zfunc/_llm
  llm completions fish > ~/.config/fish/completions/llm.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Report> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "llm", &mut script);
    Ok(Report::raw(script))
}

/// Print the manual page, all commands in one
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm man > ~/.local/share/man/man1/llm.1
  llm man | man -l -")]
pub(crate) struct ManArgs {}

pub(crate) fn man(_: &ManArgs) -> anyhow::Result<Report> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    write_pages(&command, &mut page)?;
    Ok(Report::raw(page))
}

/// The page of a command, then those of the commands in it.
fn write_pages(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(page)?;
    let inner = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    inner.into_iter().try_for_each(|sub| write_pages(sub, page))
}
