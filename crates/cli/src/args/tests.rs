use clap::{Command, CommandFactory, Parser};

use super::Cli;

/// All commands with their names as they are typed, groups like `llm tokenizer` included.
fn commands(command: &Command, name: &str) -> Vec<(String, Command)> {
    let inner = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    let inner = inner.flat_map(|sub| commands(sub, &format!("{name} {}", sub.get_name())));
    std::iter::once((name.to_owned(), command.clone())).chain(inner).collect()
}

/// The lines below `Examples:` in a help text.
fn examples(help: &str) -> impl Iterator<Item = &str> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(str::trim)
}

/// The words of a line as a shell splits it: what stands in single quotes is one word.
fn words<'a>(line: &'a str) -> Vec<&'a str> {
    let parts = line.split('\'').enumerate();
    let words = |(index, part): (usize, &'a str)| match index % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    };
    parts.flat_map(words).collect()
}

#[test]
fn clap_finds_no_fault_with_the_definitions() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_shows_examples_that_it_understands() {
    for (name, mut command) in commands(&Cli::command(), "llm") {
        let help = command.render_long_help().to_string();
        let shown: Vec<&str> = examples(&help).collect();
        assert!(!shown.is_empty(), "{name} has no examples:\n{help}");
        for line in shown {
            // What stands between pipes and behind `>` is the shell's business.
            let calls = line.split('|').map(str::trim).filter(|part| part.starts_with("llm "));
            let calls: Vec<&str> =
                calls.map(|part| part.split(['>', '<']).next().unwrap()).collect();
            assert!(calls.iter().any(|call| call.starts_with(&name)), "{name}: {line:?}");
            for call in calls {
                if let Err(error) = Cli::try_parse_from(words(call)) {
                    panic!("{name}: {call:?}\n{error}");
                }
            }
        }
    }
}

#[test]
fn global_options_stand_before_and_after_the_command() {
    for line in ["llm --json --threads 2 man", "llm man --json --threads 2"] {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        assert!(cli.global.json && cli.global.threads == Some(2));
    }
    for threads in ["0", "1025", "-1"] {
        assert!(Cli::try_parse_from(["llm", "man", "--threads", threads]).is_err());
    }
}
