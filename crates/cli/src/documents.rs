//! Documents that a command is given, and how they are framed.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};
use llm_chapter_kit::check_output_files;
use practical::archive::{check_writable, write_atomically};
use practical::corpus::{
    InputContent, InputDocument, InputFormat, InputProblem, Partition, read_documents, read_stream,
};
use practical::evaluation::StartToken;
use practical::tokenizer::Tokenizer;
use serde::{Deserialize, Serialize};

use crate::output::WrongUsage;

/// Where documents come from.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Text file, folder of text files, JSON lines (.jsonl), or - for standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) input: PathBuf,
    /// What the input holds: one text, or one JSON object with "text" or "ids" per line
    #[arg(long, value_enum, default_value_t = Format::ByName)]
    pub(crate) format: Format,
}

/// What a file of documents holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    /// JSON lines if the name ends in .jsonl or .ndjson, otherwise one text
    ByName,
    /// One text
    Text,
    /// One document per line
    Jsonl,
}

impl From<Format> for InputFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::ByName => Self::ByName,
            Format::Text => Self::Text,
            Format::Jsonl => Self::JsonLines,
        }
    }
}

impl InputArgs {
    /// Reads all documents.
    pub(crate) fn read(&self) -> anyhow::Result<Vec<InputDocument>> {
        read(&self.input, self.format)
    }
}

/// Reads the documents of a file, a folder, or standard input (`-`).
pub(crate) fn read(path: &Path, format: Format) -> anyhow::Result<Vec<InputDocument>> {
    let documents = match path.to_str() {
        Some("-") => read_stream(io::stdin().lock(), "stdin", format.into()),
        _ => read_documents(path, format.into()),
    };
    documents.map_err(|error| match error.problem {
        InputProblem::Ambiguous => {
            WrongUsage::new(format!("{error}, with --format text or --format jsonl")).into()
        }
        _ => error.into(),
    })
}

/// The texts of documents, for a command that has no use for ids.
pub(crate) fn texts(documents: Vec<InputDocument>) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let text = |document: InputDocument| match document.content {
        InputContent::Text(text) => Ok((document.id, text)),
        InputContent::Ids(_) => bail!("document `{}` has ids, expected text", document.id),
    };
    documents.into_iter().map(text).collect()
}

/// What stands before a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StartChoice {
    /// The tokenizer's start token
    Bos,
    /// The tokenizer's end token
    EosAsPrefix,
    /// Nothing; the first token of a text is then not scored
    None,
}

impl From<StartChoice> for StartToken {
    fn from(choice: StartChoice) -> Self {
        match choice {
            StartChoice::Bos => Self::Bos,
            StartChoice::EosAsPrefix => Self::EosAsPrefix,
            StartChoice::None => Self::None,
        }
    }
}

/// The start token that was asked for, otherwise the one that the tokenizer puts before documents.
pub(crate) fn start_token(choice: Option<StartChoice>, tokenizer: &Tokenizer) -> StartToken {
    match (choice, tokenizer.start_token()) {
        (Some(choice), _) => choice.into(),
        (None, Some(_)) => StartToken::Bos,
        (None, None) => StartToken::None,
    }
}

/// Documents of one split. Records may say which one they belong to: with `wanted` the others are
/// left out, and without it all must agree. What says nothing belongs to the split that is wanted.
pub(crate) struct SplitDocuments {
    pub(crate) split: Partition,
    pub(crate) documents: Vec<InputDocument>,
    /// How many were left out.
    pub(crate) left_out: usize,
}

impl SplitDocuments {
    pub(crate) fn choose(
        all: Vec<InputDocument>,
        wanted: Option<Partition>,
    ) -> anyhow::Result<Self> {
        let count = all.len();
        let declared: Vec<Partition> = all.iter().filter_map(|document| document.split).collect();
        let split = wanted.or(declared.first().copied()).unwrap_or(Partition::Test);
        if let Some(other) = declared.iter().find(|&&other| wanted.is_none() && other != split) {
            bail!(
                "the documents are of several splits ({split}, {other}): choose one with --split"
            );
        }
        let belongs = |document: &InputDocument| document.split.is_none_or(|own| own == split);
        let documents: Vec<_> = all.into_iter().filter(belongs).collect();
        ensure!(!documents.is_empty(), "none of {count} documents is of the {split} split");
        Ok(Self { split, left_out: count - documents.len(), documents })
    }
}

/// Asks before any work whether outputs can be written, and that none replaces another file that the
/// command was given, or a file of a folder that it was given. Each has a name for the message.
pub(crate) fn check_outputs(
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, &Option<PathBuf>)],
) -> anyhow::Result<()> {
    let wrong = |error: anyhow::Error| WrongUsage::new(error.to_string());
    check_output_files(outputs).map_err(wrong)?;
    for &(name, path) in inputs {
        let input = path.map(Path::to_path_buf);
        for &output in outputs {
            check_output_files(&[(name, &input), output]).map_err(wrong)?;
            if let (Some(folder), Some(file)) = (path, output.1)
                && replaces_file_of(folder, file)
            {
                let (file, folder) = (file.display(), folder.display());
                let problem = format!("{file} is a file of {name}, {folder}: give another place");
                return Err(WrongUsage::new(problem).into());
            }
        }
    }
    outputs.iter().filter_map(|(_, path)| path.as_ref()).try_for_each(check_writable)?;
    Ok(())
}

/// Whether there is such a file, in the folder or below it.
fn replaces_file_of(folder: &Path, file: &Path) -> bool {
    match (folder.canonicalize(), file.canonicalize()) {
        (Ok(folder), Ok(file)) => file.is_file() && folder.is_dir() && file.starts_with(folder),
        _ => false, // a new file replaces nothing
    }
}

/// Writes a file completely or not at all.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    Ok(write_atomically(path, |file| file.write_all(bytes))?)
}

/// The same for a record, as one JSON object.
pub(crate) fn save_json(path: &Path, record: &impl Serialize) -> anyhow::Result<()> {
    save(path, llm_chapter_kit::to_json(record)?.as_bytes())
}
